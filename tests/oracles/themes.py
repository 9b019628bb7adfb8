"""TTMM the slow way: every theme and every topic of every word written out, and the E and M steps as they are printed."""

from __future__ import annotations

from itertools import product

import numpy as np


def enumerated(state: dict[str, np.ndarray], tokens: list[int]) -> dict[str, np.ndarray | float]:
    """P(d), P(H|d), the law of one more topic and the expected share of each topic, by summing over (H, T_1, ..., T_n)."""
    prior = state["prior"]
    mixing = state["mixing"]
    words = state["words"]
    n_themes, n_topics = mixing.shape
    total = 0.0
    themes = np.zeros(n_themes)
    share = np.zeros(n_topics)
    more = np.zeros(n_topics)
    for theme in range(n_themes):
        for topics in product(range(n_topics), repeat=len(tokens)):
            chance = prior[theme]
            for token, topic in zip(tokens, topics, strict=True):
                chance *= mixing[theme, topic] * words[token, topic]
            total += chance
            themes[theme] += chance
            for topic in topics:
                share[topic] += chance / len(tokens)
            for topic in range(n_topics):  # the topic of word n + 1
                more[topic] += chance * mixing[theme, topic]
    return {
        "chance": total,
        "themes": themes / total,
        "token_share": share / total,
        "predictive": more / total,
    }


def printed_step(
    state: dict[str, np.ndarray], counts: np.ndarray, smoothing: float = 0.0
) -> tuple[dict[str, np.ndarray], float]:
    """One step of EM with P(T|w,H) for every theme, topic and word, and the log-likelihood before it."""
    prior = state["prior"]
    mixing = state["mixing"]
    words = state["words"]
    (n, m) = counts.shape
    (n_themes, n_topics) = mixing.shape
    laws = np.array(
        [
            [sum(mixing[j, k] * words[w, k] for k in range(n_topics)) for w in range(m)]
            for j in range(n_themes)
        ]
    )
    logs = np.array(
        [
            [
                np.log(prior[j])
                + sum(counts[i, w] * np.log(laws[j, w]) for w in range(m) if counts[i, w])
                for j in range(n_themes)
            ]
            for i in range(n)
        ]
    )
    top = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - top)
    value = float((np.log(weights.sum(axis=1)) + top[:, 0]).sum()) + (
        smoothing * float(np.log(words).sum()) if smoothing else 0.0
    )
    themes = weights / weights.sum(axis=1, keepdims=True)
    owner = mixing[:, :, None] * words.T[None] / laws[:, None, :]  # P(T = k | w, H = j)
    fresh_mixing = np.zeros_like(mixing)
    fresh_words = np.full_like(words, smoothing)
    for i in range(n):
        for j in range(n_themes):
            for w in np.flatnonzero(counts[i]):
                fresh_mixing[j] += themes[i, j] * counts[i, w] * owner[j, :, w]
                fresh_words[w] += themes[i, j] * counts[i, w] * owner[j, :, w]
    fresh = {
        "prior": themes.mean(axis=0),
        "mixing": fresh_mixing / fresh_mixing.sum(axis=1, keepdims=True),
        "words": fresh_words / fresh_words.sum(axis=0, keepdims=True),
    }
    return fresh, value

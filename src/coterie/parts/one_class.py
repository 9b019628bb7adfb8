"""One coherent core among members: scores of words against a background, and of members by the words they hold.

Bekkerman 2008, chapter 6: Min-Entropy and its KL form, one-class co-clustering (OCCC), the size of the set of relevant words,
and the theorem on how much text recovers it. The latent model of topic and background is in `latent_topic`. Members x words
are sparse counts throughout; nothing is made dense.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError

_FEWEST = 10  # relevant words, where there are as many
_SMOOTH = 0.5  # added to the background count of every word
_FALLBACK = 0.05  # of the words, where none is more frequent than in the background


@dataclass(frozen=True, slots=True)
class Relevant:
    """How many words are relevant, and a sentence where the rule gave a number that had to be brought into bounds."""

    count: int
    note: str = ""


def word_scores(totals: np.ndarray, background: np.ndarray) -> np.ndarray:
    """s(w) = ln P(w) - ln Q(w), in nats: how much more frequent each word is here than in general (eq 6.7).

    Half a count is added to every background count, both are shares of these words alone, and a word that is not here at all
    has half a count too.

    >>> word_scores(np.array([8.0, 2.0]), np.array([4.5, 4.5])).round(3).tolist()
    [0.47, -0.916]
    """
    here = np.where(totals > 0, totals, _SMOOTH)
    general = background + _SMOOTH
    return np.asarray(np.log(here / here.sum()) - np.log(general / general.sum()))


def relevant_words(scores: np.ndarray) -> Relevant:
    """m - 2 #{s < 0}: scores of words without a topic lie evenly around 0, so what is left above 0 is the topic's.

    Kept from max(10, m / 200) to m; where no score is above 0 it is the best 5% of the words.
    """
    m = len(scores)
    if not (scores > 0).any():
        count = max(1, round(_FALLBACK * m))
        return Relevant(
            count,
            f"no word is more frequent here than in the background; the best {count} of {m} words were taken.",
        )
    found = m - 2 * int((scores < 0).sum())
    least = min(m, max(_FEWEST, m // 200))
    if found < least:
        return Relevant(
            least,
            f"the rule for the number of relevant words gave {found} of {m}; the least allowed, {least}, was taken.",
        )
    return Relevant(found)


def best_words(scores: np.ndarray, count: int) -> np.ndarray:
    """Which words are among the `count` best; of equal ones those that come first."""
    chosen = np.zeros(len(scores), dtype=bool)
    chosen[np.argsort(-scores, kind="stable")[:count]] = True
    return chosen


def row_sums(counts: Any) -> np.ndarray:
    """The length of every member."""
    return np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()


def weighed(counts: Any, weights: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The sum of c(d, w) weights(w) over the words of each member, over its length; minus infinity where that is 0."""
    sums = np.asarray(counts @ weights)
    return np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1.0), -np.inf)


def min_entropy(counts: Any, totals: np.ndarray) -> np.ndarray:
    """The mean log frequency of a member's words in the pool: minus eq 6.3, each member as likely as any other.

    Higher is more of the core. Lengths are divided out, because sums over counts would let short members win.
    """
    here = np.where(totals > 0, totals, _SMOOTH)
    return weighed(counts, np.log(here / here.sum()), row_sums(counts))


def kl(counts: Any, scores: np.ndarray) -> np.ndarray:
    """The mean score of a member's words (eq 6.6, lengths divided out)."""
    return weighed(counts, scores, row_sums(counts))


def occc(
    counts: Any, scores: np.ndarray, relevant: np.ndarray, norm: str = "relevant"
) -> np.ndarray:
    """One-class co-clustering: the mean score of a member's relevant words; minus infinity where it has none (eq 6.8).

    `norm` is what the sum is divided by: the relevant words of the member, its length, or nothing.
    """
    chosen = relevant.astype(np.float64)
    held = np.asarray(counts @ chosen)
    by = (
        held if norm == "relevant" else row_sums(counts) if norm == "length" else np.ones(len(held))
    )
    return weighed(counts, scores * chosen, np.where(held > 0, by, 0.0))


def required_tokens(m: int, pi: float, delta: float, const: float = 16.0) -> int:
    """How many tokens are enough for the most frequent words to be the relevant ones with probability 1 - delta.

    Theorem 6.2.1: const (m / pi) ln(m / delta) of m words, where a token is of the topic with probability pi.

    >>> required_tokens(12_000, 0.2, 0.01)
    13437919
    """
    if m < 1 or not 0 < pi <= 1 or not 0 < delta < 1 or not const > 0:
        raise ParameterError(
            "required_tokens takes m from 1, pi above 0 and at most 1, delta between 0 and 1 and const above 0, and was given "
            f"{m}, {pi}, {delta}, {const}."
        )
    return math.ceil(const * m / pi * math.log(m / delta))


def recovered(
    m: int, relevant: int, pi: float, tokens: int, generator: np.random.Generator
) -> float:
    """The share of the relevant words among as many most frequent ones, in one draw of the theorem's model.

    Every token is, with probability pi, one of the `relevant` words, else one of all m, each as likely as any other.
    """
    chances = np.full(m, (1.0 - pi) / m)
    chances[:relevant] += pi / relevant
    counts = generator.multinomial(tokens, chances / chances.sum())
    at = generator.permutation(m)  # ties must not favor the words that come first
    best = at[np.argsort(-counts[at], kind="stable")[:relevant]]
    return float(np.mean(best < relevant))

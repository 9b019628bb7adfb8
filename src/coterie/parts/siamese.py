"""The two-task network in numpy: the map shared by both tasks, the two heads and their losses, from stored arrays.

Arrays by name: `terms` (terms x hidden units), `terms_bias`, `units` (hidden units x components), `units_bias`, and, where there
are categories, `head` (components x categories) and `head_bias`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie.core.workplace import steady
from coterie.parts.tied import tie_blocks

Arrays = Mapping[str, np.ndarray]
HEAD = ("head", "head_bias")
_SPREAD = (
    0.01  # of the first layer at the start: a word that was never trained says next to nothing
)


def start(
    n_terms: int,
    n_hidden: int,
    n_components: int,
    n_categories: int,
    generator: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Random arrays to begin with; without categories there is no head, and all other arrays are the same."""
    made = {
        "terms": generator.normal(scale=_SPREAD, size=(n_terms, n_hidden)),
        "terms_bias": np.zeros(n_hidden),
        "units": generator.normal(scale=n_hidden**-0.5, size=(n_hidden, n_components)),
        "units_bias": np.zeros(n_components),
    }
    if n_categories:
        made["head"] = generator.normal(scale=n_components**-0.5, size=(n_components, n_categories))
        made["head_bias"] = np.zeros(n_categories)
    return {name: array.astype(np.float32) for name, array in made.items()}


def mapped(arrays: Arrays, rows: Any) -> np.ndarray:
    """phi: rows of weighted terms (sparse or not) -> vectors, tanh after both layers (members x components)."""
    with steady():
        hidden = np.tanh(
            np.asarray(rows @ arrays["terms"].astype(np.float64)) + arrays["terms_bias"]
        )
        return np.asarray(
            np.tanh(hidden @ arrays["units"].astype(np.float64) + arrays["units_bias"])
        )


def category_scores(arrays: Arrays, vectors: np.ndarray) -> np.ndarray:
    """psi_1: a linear layer on the vectors (members x categories)."""
    with steady():
        return np.asarray(vectors @ arrays["head"].astype(np.float64) + arrays["head_bias"])


def triplet_scores(x: np.ndarray, near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """psi_2 = phi(x).phi(x+) - phi(x).phi(x-) of every triplet of vectors.

    >>> triplet_scores(np.array([[1.0, 2.0]]), np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])).tolist()
    [-1.0]
    """
    return np.asarray((x * near).sum(axis=1) - (x * far).sum(axis=1))


def triplet_loss(scores: np.ndarray) -> float:
    """L2: the mean of [1 - psi_2]_+."""
    return float(np.maximum(0.0, 1.0 - scores).mean())


def judged_triplets(rows: Any, drawn: np.ndarray, arrays: Arrays) -> float:
    """L2 of the triplets at these positions (3 x n) of the rows; every paragraph goes through the map once."""
    places, at = np.unique(drawn, return_inverse=True)
    x, near, far = mapped(arrays, rows[places])[at.reshape(drawn.shape)]
    return triplet_loss(triplet_scores(x, near, far))


def signs(indicator: np.ndarray) -> np.ndarray:
    """+1 for a member of a category, -1 for any other."""
    return np.where(indicator, 1.0, -1.0)


def pair_weights(indicator: np.ndarray, loss: str) -> np.ndarray:
    """What every pair (member, category) weighs in the loss of the labeled task.

    plain (L1): 1 / (n K), so that the sum bounds the mean classification error. balanced (L1'): 1 / (2 K N_k(y)) with N_k(y) the
    number of members on the same side of category k, so that the sum bounds the mean of (false-positive rate + false-negative
    rate) / 2. A category without a member, or with all of them, weighs nothing, and K counts the others.
    """
    n = len(indicator)
    yes = indicator.sum(axis=0)
    learned = (yes > 0) & (yes < n)
    k = max(int(learned.sum()), 1)
    each = (
        np.full(indicator.shape, 1.0 / n)
        if loss == "plain"
        else 0.5 / np.maximum(np.where(indicator, yes, n - yes), 1)
    )
    return np.asarray(np.where(learned, each, 0.0) / k)


def labeled_loss(scores: np.ndarray, indicator: np.ndarray, weights: np.ndarray) -> float:
    """L1 or L1' over all members, by the weights of the pairs: the sum of weight [1 - y psi_1]_+."""
    return float((weights * np.maximum(0.0, 1.0 - signs(indicator) * scores)).sum())


def micro_break_even(scores: np.ndarray, indicator: np.ndarray) -> float:
    """Micro-F1 where precision equals recall: the share of true pairs among as many best ones as there are true pairs."""
    total = int(indicator.sum())
    return (
        tie_blocks(np.asarray(scores, dtype=np.float64).ravel(), indicator.ravel()).hits(total)
        / total
        if total
        else 0.0
    )

"""Groups under ties around medoids or centers: who goes where and what lies in the middle, in turn, until both rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.parts.constrained import Ties
from coterie.parts.iterate import iterate
from coterie.parts.spectra import Rounded, kmeans, squared

_MAX = 300  # rounds of one start of centers


def bound_medoids(
    gaps: np.ndarray, start: np.ndarray, ties: Ties, max_iter: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """From these medoids: the total (distances in units of what a member costs in one single group, less what bonds add), the
    medoids and the groups, when neither another assignment nor another medoid is cheaper.
    """
    unit = unit_of(float(gaps.mean(axis=1).min()))
    k = len(start)
    first = ties.gathered(gaps[:, start] / unit)

    def step(state: Any) -> tuple[dict[str, np.ndarray], float]:
        costs = ties.gathered(gaps[:, state["medoids"]] / unit)
        labels = ties.filled(costs, ties.sweep(costs, state["labels"]))
        medoids = _central(gaps, labels[ties.piece], k)
        still = np.array_equal(labels, state["labels"]) and np.array_equal(
            medoids, state["medoids"]
        )
        total = ties.total(ties.gathered(gaps[:, medoids] / unit), labels)
        return {"labels": labels, "medoids": medoids, "still": np.array(still)}, total

    state = {"labels": ties.start(first), "medoids": start, "still": np.array(False)}
    outcome = iterate(
        step,
        state,
        max_iter=max_iter,
        tol=0.0,
        label="bound medoids",
        settled=lambda s, _: bool(s["still"]),
    )
    return (
        outcome.value,
        np.asarray(outcome.state["medoids"]),
        np.asarray(outcome.state["labels"])[ties.piece],
    )


def bound_groups(
    near: np.ndarray, ties: Ties, typical: float, max_iter: int
) -> tuple[float, np.ndarray]:
    """Members x medoids that stay where they are: the total and the groups, when no other assignment is cheaper."""
    costs = ties.gathered(near / unit_of(typical))

    def step(state: Any) -> tuple[dict[str, np.ndarray], float]:
        labels = ties.filled(costs, ties.sweep(costs, state["labels"]))
        return {
            "labels": labels,
            "still": np.array(np.array_equal(labels, state["labels"])),
        }, ties.total(costs, labels)

    state = {"labels": ties.start(costs), "still": np.array(False)}
    outcome = iterate(
        step,
        state,
        max_iter=max_iter,
        tol=0.0,
        label="bound groups",
        settled=lambda s, _: bool(s["still"]),
    )
    return outcome.value, np.asarray(outcome.state["labels"])[ties.piece]


def bound_kmeans(
    rows: np.ndarray, k: int, ties: Ties, *, n_restarts: int = 10, random_state: Any = None
) -> Rounded:
    """k-means under ties, from the centers that k-means finds without them, and from those of the labels; the cheaper wins.

    A bond of weight one counts as much as a member's mean squared distance to the middle of all.
    """
    unit = unit_of(float(np.square(rows - rows.mean(axis=0)).sum(axis=1).mean()))
    starts = [_label_centers(rows, ties, k)] if ties.n_labels > 1 else []
    if ties.hints.scheme != "seeded" or not starts:
        plain = kmeans(rows, k, n_restarts=n_restarts, random_state=random_state).centers
        starts.append(np.concatenate([plain, plain[np.arange(k - len(plain)) % len(plain)]]))
    tried = [_around_centers(rows, start, ties, unit) for start in starts]
    _, centers, groups = min(tried, key=lambda found: found[0])
    distortion = squared(rows, centers)[np.arange(len(rows)), groups].sum()
    return Rounded(groups, centers, float(distortion))


def _around_centers(
    rows: np.ndarray, start: np.ndarray, ties: Ties, unit: float
) -> tuple[float, np.ndarray, np.ndarray]:
    k = len(start)

    def step(state: Any) -> tuple[dict[str, np.ndarray], float]:
        costs = ties.gathered(squared(rows, state["centers"]) / unit)
        labels = ties.filled(costs, ties.sweep(costs, state["labels"]))
        centers = _means(rows, labels[ties.piece], k)
        still = np.array_equal(labels, state["labels"])
        total = ties.total(ties.gathered(squared(rows, centers) / unit), labels)
        return {"labels": labels, "centers": centers, "still": np.array(still)}, total

    first = ties.start(ties.gathered(squared(rows, start) / unit))
    state = {"labels": first, "centers": start, "still": np.array(False)}
    outcome = iterate(
        step,
        state,
        max_iter=_MAX,
        tol=0.0,
        label="bound centers",
        settled=lambda s, _: bool(s["still"]),
        quiet=True,
    )
    return (
        outcome.value,
        np.asarray(outcome.state["centers"]),
        np.asarray(outcome.state["labels"])[ties.piece],
    )


def _label_centers(rows: np.ndarray, ties: Ties, k: int) -> np.ndarray:
    """The means of the labeled rows, the larger labels first; then again and again the row farthest from all centers."""
    tags, sizes = np.unique(ties.labels[ties.labels >= 0], return_counts=True)
    chosen = tags[np.argsort(-sizes, kind="stable")][:k]
    centers = np.stack([rows[ties.labels == tag].mean(axis=0) for tag in chosen])
    while len(centers) < k:
        farthest = int(squared(rows, centers).min(axis=1).argmax())
        centers = np.concatenate([centers, rows[farthest : farthest + 1]])
    return centers


def _means(rows: np.ndarray, groups: np.ndarray, k: int) -> np.ndarray:
    sums = np.zeros((k, rows.shape[1]))
    np.add.at(sums, groups, rows)
    return np.asarray(sums / np.bincount(groups, minlength=k)[:, None])


def own_margin(near: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """1 - own / nearest other distance, where that is above 0: who is bound to a group need not be nearest to it."""
    if near.shape[1] == 1:
        return np.ones(len(near))
    rows = np.arange(len(near))
    others = near.copy()
    own = near[rows, labels]
    others[rows, labels] = np.inf
    other = others.min(axis=1)
    return np.maximum(0.0, 1.0 - np.divide(own, other, out=np.ones(len(near)), where=other > 0))


def unit_of(typical: float) -> float:
    """What a weight of one is worth; 1 where all members are in one place."""
    return typical if typical > 0 else 1.0


def _central(gaps: np.ndarray, groups: np.ndarray, k: int) -> np.ndarray:
    """The member of each group with the least sum of distances to the others, the first at a tie."""
    found = np.empty(k, dtype=np.int64)
    for group in range(k):
        own = np.flatnonzero(groups == group)
        found[group] = own[gaps[np.ix_(own, own)].sum(axis=1).argmin()]
    return found

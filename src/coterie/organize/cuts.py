"""What a cut is made with: windows of sequences, the likelihoods that compare them, their embedding, and finer boundaries."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from coterie.core.affinity import Affinity, Dense
from coterie.core.errors import NotConverged, ParameterError
from coterie.core.partition import numbered
from coterie.core.ragged import Ragged
from coterie.models.role import Model
from coterie.parts.hmm import Bank, forward_scores
from coterie.parts.likelihood import between, finite, kl_ll, likelihoods, own_scores
from coterie.parts.spectra import kmeans, squared

_SHORTEST = 8  # steps of a window that is guessed, at least
_TRIED = 128  # cuts tried at once around a boundary


def guessed_window(sequences: Ragged) -> int:
    """The square root of mean length over values per step, at least 8 steps: the more is known of a step, the fewer are needed.

    >>> guessed_window(Ragged.of([np.zeros((1600, 4))]))
    20
    """
    return max(_SHORTEST, round(float(np.sqrt(sequences.lengths.mean() / max(sequences.dim, 1)))))


def windows(sequences: Ragged, window: int) -> Ragged:
    """Every sequence in windows of that many steps, one after the other; the last partial one joins the one before it.

    >>> windows(Ragged.of([np.zeros((7, 1)), np.zeros((2, 1))]), 3).lengths.tolist()
    [3, 4, 2]
    """
    starts = [
        first + window * np.arange(max(1, length // window))
        for first, length in zip(sequences.offsets[:-1], sequences.lengths, strict=True)
    ]
    offsets = np.concatenate([*starts, sequences.offsets[-1:]])
    return Ragged(sequences.values, offsets, sequences.ordered, sequences.names, sequences.rate)


def models(model: Model, members: Ragged) -> Bank:
    """A model of each member; that some still move after the last round is not told, since what counts is their comparison."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return clone(model).fit_each(members)


class WindowModels:
    """The divergence KL-LL of windows: one model of each, and how the models share out the windows."""

    stored_fields: ClassVar[tuple[str, ...]] = ("model",)

    bank_: Bank
    matrix_: np.ndarray
    affinity_: Affinity

    def __init__(self, model: Model) -> None:
        self.model = model

    def fit(self, members: Ragged) -> Self:
        """Train a model of every window and set `affinity_`."""
        self.bank_ = models(self.model, members)
        self.matrix_ = finite(likelihoods(self.bank_, members), "Segmentation")
        self.affinity_ = Dense(kl_ll(self.matrix_), "distance")
        return self

    def compare(self, members: Ragged) -> Dense:
        """New windows against the fitted ones."""
        matrix = finite(likelihoods(self.bank_, members), "Segmentation")
        return Dense(between(matrix, self.matrix_), "distance", symmetric=False, own=False)


def likeliest(parts: Ragged, cuts: list[np.ndarray], model: Model) -> int:
    """Which of several cuts into equally many segments explains the steps best, by one model per segment.

    Cuts are boundaries in windows, of all sequences together; a stretch that several cuts have is modeled once.
    """
    if len(cuts) == 1 or all(np.array_equal(cuts[0], other) for other in cuts[1:]):
        return 0
    pairs = [np.stack([cut[:-1], cut[1:]], axis=1) for cut in cuts]
    stretches, which = np.unique(np.concatenate(pairs), axis=0, return_inverse=True)
    pieces = Ragged.of([parts.values[parts.offsets[a] : parts.offsets[b]] for a, b in stretches])
    bank = models(model, pieces)
    each = own_scores(bank, pieces)
    totals = [
        float(each[used].sum())
        for used in np.split(which.ravel(), np.cumsum([len(p) for p in pairs])[:-1])
    ]
    return int(np.argmax(totals))


def sources(
    rows: np.ndarray, bounds: np.ndarray, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The source of every segment, and the centers of the sources: k-means of the means of the segments.

    `bounds` are those of all segments, in rows; a segment counts as often as it has rows. Sources are numbered from the one
    with the most rows.
    """
    sizes = np.diff(bounds)
    means = np.add.reduceat(rows, bounds[:-1], axis=0) / sizes[:, None]
    rounded = kmeans(np.repeat(means, sizes, axis=0), rows.shape[1], random_state=random_state)
    partition, old = numbered(rounded.labels)
    return partition.labels[bounds[:-1]], rounded.centers[old]


def sureness(
    rows: np.ndarray, bounds: np.ndarray, labels: np.ndarray, centers: np.ndarray
) -> np.ndarray:
    """How sure a segment is of its source: the share of its rows that lie nearest to the center of it."""
    sizes = np.diff(bounds)
    near = np.argmin(squared(rows, centers), axis=1) == np.repeat(labels, sizes)
    return np.asarray(np.add.reduceat(near.astype(np.float64), bounds[:-1]) / sizes)


def refined(values: np.ndarray, bounds: np.ndarray, window: int, model: Model) -> np.ndarray:
    """Boundaries at the step where the models of the two neighbor segments explain the two border windows best.

    The models are trained without the border windows where a segment has more than these; a boundary moves by less than a
    window and never over its neighbor.
    """
    last = len(bounds) - 2
    inner = []
    for s, (a, b) in enumerate(pairwise(bounds)):
        cut_a = a + (window if s else 0)
        cut_b = b - (window if s < last else 0)
        inner.append(values[cut_a:cut_b] if cut_b - cut_a >= window else values[a:b])
    bank = models(model, Ragged.of(inner))
    found = bounds.copy()
    for s in range(1, last + 1):
        low = max(int(found[s - 1]), int(bounds[s]) - window)
        high = min(int(bounds[s + 1]), int(bounds[s]) + window)
        found[s] = (
            _best_cut(
                values[low:high],
                int(bounds[s]) - low,
                bank.take(np.array([s - 1])),
                bank.take(np.array([s])),
            )
            + low
        )
    return found


def _best_cut(values: np.ndarray, start: int, left: Any, right: Any) -> int:
    """The cut of a stretch that two models explain best; first on a coarse grid, then on ever finer ones around the best."""
    n = len(values)
    step = max(1, n // _TRIED)
    best = start
    value = -np.inf
    around = np.unique(np.append(np.arange(step, n, step), start))
    while True:
        around = around[(around > 0) & (around < n)]
        found = _explained(values, around, left, right)
        order = np.lexsort((np.abs(around - start), -found))
        if found[order[0]] > value:
            best = int(around[order[0]])
            value = float(found[order[0]])
        if step == 1:
            return best
        step = (step + 1) // 2
        around = np.array([best - step, best + step])


def _explained(values: np.ndarray, cuts: np.ndarray, left: Any, right: Any) -> np.ndarray:
    """The log-likelihood of what is before each cut under one model and of what is after it under the other."""
    before = Ragged.of([values[:cut] for cut in cuts])
    after = Ragged.of([values[cut:] for cut in cuts])
    found = (
        forward_scores(left, before.values, before.offsets)[:, 0]
        + forward_scores(right, after.values, after.offsets)[:, 0]
    )
    return np.nan_to_num(found, nan=-np.inf, neginf=-np.inf)


def checked_counts(n_segments: Any, available: np.ndarray) -> list[int | None]:
    """How many segments each sequence is cut into: one number for all, one for each, or None."""
    given = (
        list(n_segments)
        if isinstance(n_segments, (list, tuple, np.ndarray))
        else [n_segments] * len(available)
    )
    if len(given) != len(available):
        raise ParameterError(
            f"n_segments has {len(given)} numbers for {len(available)} sequences.",
            owner="Segmentation",
        )
    for at, (k, most) in enumerate(zip(given, available, strict=True)):
        if k is not None and not (isinstance(k, (int, np.integer)) and 1 <= k <= most):
            raise ParameterError(
                f"n_segments must be from 1 to {most} for sequence {at} (it has {most} windows), and was {k!r}.",
                owner="Segmentation",
            )
    return [None if k is None else int(k) for k in given]

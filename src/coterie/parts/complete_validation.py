"""Complete cross-validation of the nearest neighbor rule for all pairs of sets: every training part, in closed form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.ragged import Ragged
from coterie.core.workplace import fits
from coterie.parts.sweeps import Part, Sweep

METHODS = ("complete", "stratified", "balanced", "leave-one-out")
_NOTHING = 1e-17  # probabilities below this are none


class Errors(NamedTuple):
    """Of the points of every set of rows against each set of columns, (rows, cols)."""

    means: np.ndarray  # the mean error, or that over both sets
    twins: np.ndarray  # the share of points that have a point of the other set at distance zero


def complete_errors(
    rows: Ragged,
    cols: Ragged | None = None,
    train: float = 0.5,
    metric: Any = "euclidean",
    *,
    method: str = "complete",
    center: np.ndarray | None = None,
    owner: str = "Complete validation",
) -> Errors:
    """The mean error of the points of every set of `rows`, told apart from each set of `cols` by their nearest neighbor.

    A training part of the two sets without the point is drawn in every possible way: of round(train * (n + m)) points of
    both together ('complete'), of round(train * n) of the one and round(train * m) of the other ('stratified'), of
    round(train * min(n, m)) of each ('balanced'), or all points ('leave-one-out'). At least one point is drawn where there
    is one. Exchange the two for the points of `cols`. The diagonal of a square is zero.
    """
    from coterie._kernels.complete_validation import errors

    if method not in METHODS:
        raise ParameterError(
            f"method must be {' | '.join(METHODS)}, and was {method!r}.", owner=owner
        )
    if not 0.0 < train < 1.0:
        raise ParameterError(f"train must be above 0 and below 1, and was {train:g}.", owner=owner)
    sweep = Sweep.of(rows, cols, metric, owner=owner, center=center)
    sizes = sweep.cols.sizes
    fits(
        48 * len(rows) * len(sizes),
        f"The errors of {len(rows)} sets among {len(sizes)}",
        "compare fewer sets",
    )
    tables, mine, theirs = _tables(rows.lengths, sizes, train, method)
    depths = (tables > 0).sum(axis=1)
    most = depths[mine].max(axis=1)
    apart = method in ("stratified", "balanced")
    out = np.zeros((2, len(rows), len(sizes)))

    def work(part: Part) -> np.ndarray:
        found = np.zeros((2, part.last - part.first, len(sizes)))
        for block in sweep.blocks(part):
            block.own.sort(axis=1)
            sides = (
                block.own,
                block.keys,
                sweep.cols.starts,
                sizes,
                block.which,
                block.skip,
                sweep.metric.tie,
            )
            errors(
                *sides,
                tables,
                depths,
                most[part.sets],
                mine[part.sets],
                theirs[part.sets],
                apart,
                *found,
            )
        return found

    for part, found in sweep.run(work):
        out[:, part.sets] += found
    return Errors(*(out / rows.lengths[:, None]))


def complete_risks(
    rows: Ragged,
    cols: Ragged | None = None,
    train: float = 0.5,
    metric: Any = "euclidean",
    *,
    method: str = "complete",
    balanced: bool = False,
    center: np.ndarray | None = None,
    owner: str = "Complete validation",
) -> Errors:
    """The cross-validated risk of every pair of sets: the mean error over the points of both, and the twins of the rows.

    `balanced` gives both sets the weight 1/2 whatever their sizes. The diagonal of a square is 1/2: a set cannot be told
    apart from itself. A square is the same, to the bit, whichever set comes first.
    """
    there = complete_errors(rows, cols, train, metric, method=method, center=center, owner=owner)
    if cols is None:
        back = there.means.T
        others = rows.lengths
    else:
        back = complete_errors(
            cols, rows, train, metric, method=method, center=center, owner=owner
        ).means.T
        others = cols.lengths
    own = rows.lengths[:, None]
    risks = (
        (there.means + back) / 2
        if balanced
        else np.asarray((own * there.means + others * back) / (own + others))
    )
    if cols is None:
        np.fill_diagonal(risks, 0.5)
    return Errors(risks, there.twins)


def _tables(
    sizes: np.ndarray, others: np.ndarray, train: float, method: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables of survival, and which of them pools of the own and the other set have: (rows, cols) each."""
    own, at = np.unique(sizes, return_inverse=True)
    other, place = np.unique(others, return_inverse=True)
    n, m = np.broadcast_arrays(own[:, None], other[None, :])
    if method in ("complete", "leave-one-out"):
        pool = n + m - 1
        drawn = (
            pool
            if method == "leave-one-out"
            else np.clip(np.rint(train * (n + m)).astype(np.int64), 1, pool)
        )
        asked = [(pool, drawn), (pool, drawn)]
    else:
        a, b = (n, m) if method == "stratified" else (np.minimum(n, m),) * 2
        first = np.minimum(np.maximum(np.rint(train * a).astype(np.int64), 1), n - 1)
        second = np.minimum(np.maximum(np.rint(train * b).astype(np.int64), 1), m)
        asked = [(n - 1, first), (m, second)]
    keys = np.stack([np.concatenate([one[k].ravel() for one in asked]) for k in (0, 1)], axis=1)
    known, index = np.unique(keys, axis=0, return_inverse=True)
    index = index.reshape(2, *n.shape)
    mine, theirs = (np.ascontiguousarray(one[np.ix_(at, place)]) for one in index)
    return survival(known[:, 0], known[:, 1]), mine, theirs


def survival(pool: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Per pool: the probability that none of r given points is among those drawn, r = 0, 1, ... until it is nothing.

    >>> survival(np.array([4]), np.array([2])).round(3).tolist()
    [[1.0, 0.5, 0.167, 0.0]]
    """
    columns = [np.ones(len(pool))]
    while len(columns) < 2 or columns[-1].any():
        r = len(columns) - 1
        after = columns[-1] * np.clip(pool - r - drawn, 0, None) / np.maximum(pool - r, 1)
        columns.append(np.where(after > _NOTHING, after, 0.0))
    return np.stack(columns, axis=1)

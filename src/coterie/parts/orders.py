"""Neighbor orders of all points of all sets, found once: who comes first, the own set or another, and how many before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.ragged import Ragged
from coterie.core.workplace import fits
from coterie.parts.sweeps import Part, Sweep

# own distances are sorted where they are asked for by more sets than this and are more than that
_MANY = 8
_LONG = 64
DEEPEST = 5  # the k up to which a positive distance is looked for where there are twins


@dataclass(frozen=True, eq=False)
class Orders:
    """How the points of every set of `rows` see their own set and each set of `cols`, nearest first.

    `own[starts[i] + a, j]` is the number of points of set i that have exactly a points of their own set nearer than the
    nearest of set j, a from 0 to n_i - 1. `other[i, ends[j] + b]` is the number of points of set i that have exactly b
    points of set j nearer than the nearest of their own, b from 0 to m_j (all m_j where a point is alone in its set).
    Points at one distance are taken in random order, so that the numbers are expected ones. A set is not compared with
    itself: those numbers are zero.
    """

    own: np.ndarray  # (points of rows, sets of cols)
    other: np.ndarray  # (sets of rows, points of cols + sets of cols)
    sizes: np.ndarray  # points per set of rows
    others: np.ndarray  # points per set of cols
    twins: (
        np.ndarray
    )  # (rows, cols): share of the points of i that have a point of j at distance zero

    @property
    def starts(self) -> np.ndarray:
        """Where the numbers of a set begin in `own`."""
        return np.concatenate([[0], np.cumsum(self.sizes)])[:-1]

    @property
    def ends(self) -> np.ndarray:
        """Where the numbers of a set begin in `other`."""
        return np.concatenate([[0], np.cumsum(self.others + 1)])[:-1]

    def own_counts(self, i: int, j: int) -> np.ndarray:
        """Points of set i by how many of their own set come before the first of set j: (n_i,)."""
        return self.own[self.starts[i] : self.starts[i] + self.sizes[i], j]

    def other_counts(self, i: int, j: int) -> np.ndarray:
        """Points of set i by how many of set j come before the first of their own: (m_j + 1,)."""
        return self.other[i, self.ends[j] : self.ends[j] + self.others[j] + 1]


def orders_of(
    rows: Ragged,
    cols: Ragged | None = None,
    metric: Any = "euclidean",
    *,
    center: np.ndarray | None = None,
    owner: str = "Orders",
) -> Orders:
    """The orders of every set of `rows` among each of `cols` (or of the rows, where there are none).

    With `cols`, points of `rows` are still compared with their own set; call it again with the two exchanged for the
    points of `cols`. `center` is what vectors are moved by before distances are taken: it changes nothing but rounding.
    """
    from coterie._kernels.orders import first_orders

    sweep = Sweep.of(rows, cols, metric, owner=owner, center=center)
    sizes = sweep.cols.sizes
    points = rows.offsets
    n = len(rows)
    m = len(sizes)
    wide = int(sizes.sum()) + len(sizes)
    fits(
        8 * (len(rows.values) * m + n * wide),
        f"The neighbor orders of {n} sets among {m}",
        "compare fewer sets",
    )
    out = Orders(
        np.zeros((len(rows.values), m)), np.zeros((n, wide)), rows.lengths, sizes, np.zeros((n, m))
    )

    def work(part: Part) -> tuple[np.ndarray, ...]:
        count = part.last - part.first
        own = np.zeros((m, int(points[part.last] - points[part.first])))
        other = np.zeros((count, wide))
        twins = np.zeros((count, m))
        for block in sweep.blocks(part):
            ordered = m > _MANY and block.own.shape[1] > _LONG
            if ordered:
                block.own.sort(axis=1)
            where = block.which, block.base, block.skip
            first_orders(
                block.own,
                block.keys,
                sweep.cols.starts,
                sizes,
                *where,
                sweep.metric.tie,
                ordered,
                own,
                other,
                twins,
            )
        return own, other, twins

    for part, (own, other, twins) in sweep.run(work):
        out.own[points[part.first] : points[part.last]] += own.T
        out.other[part.sets] += other
        out.twins[part.sets] += twins
    out.twins[:] /= rows.lengths[:, None]
    return out


@dataclass(frozen=True, eq=False)
class NearestLogs:
    """Mean logarithms of the distance to the k-th neighbor: in each other set, and in the own set without the point.

    A point one of whose two distances is zero takes both at the next k (up to 5) where they are positive, and is skipped
    where there is none. `far` and `near` are means over the same points, NaN where `skipped` is 1. `own_skipped` is the
    share of points that have no positive distance inside their own set. Diagonals of a square are zero.
    """

    far: np.ndarray  # (rows, cols): into set j
    near: np.ndarray  # (rows, cols): inside set i, of the points that count in `far`
    skipped: np.ndarray  # (rows, cols): share of the points of i left out
    own_skipped: np.ndarray  # (rows,)


def nearest_logs(
    rows: Ragged,
    cols: Ragged | None = None,
    k: int = 1,
    metric: Any = "euclidean",
    *,
    center: np.ndarray | None = None,
    owner: str = "Orders",
) -> NearestLogs:
    """Mean log distances of the points of every set of `rows` to their k-th neighbors in the own set and each of `cols`."""
    from coterie._kernels.orders import kth_logs

    if k < 1:
        raise ParameterError(f"k must be from 1, and was {k}.", owner=owner)
    sweep = Sweep.of(rows, cols, metric, owner=owner, center=center)
    n = len(rows)
    m = len(sweep.cols.sizes)
    fits(4 * 8 * n * m, f"The neighbor distances of {n} sets among {m}", "compare fewer sets")
    sums = [*(np.zeros((n, m)) for _ in range(3)), np.zeros(n)]

    def work(part: Part) -> list[np.ndarray]:
        found = [np.zeros((part.last - part.first, *one.shape[1:])) for one in sums]
        for block in sweep.blocks(part):
            sides = block.own, block.keys, sweep.cols.starts, block.which, block.skip
            kth_logs(*sides, k, max(k, DEEPEST), *found)
        return found

    for part, found in sweep.run(work):
        for whole, piece in zip(sums, found, strict=True):
            whole[part.sets] += piece
    far, near, kept, kept_own = sums
    slope = sweep.metric.slope
    shift = sweep.metric.shift
    skipped = 1.0 - kept / rows.lengths[:, None]
    own_skipped = 1.0 - kept_own / rows.lengths
    with np.errstate(invalid="ignore"):
        far = slope * far / kept + shift
        near = slope * near / kept + shift
    if sweep.square:
        for one in (far, near, skipped):
            np.fill_diagonal(one, 0.0)
    return NearestLogs(far, near, skipped, own_skipped)

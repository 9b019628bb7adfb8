"""Are two samples of one law? A permutation test: the labels of the rows are shuffled, and the statistic is taken anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of, stream
from coterie.core.workplace import fits, steady
from coterie.judge.labels import Floats, Ints
from coterie.judge.significance import TestResult
from coterie.judge.two_samples import Measure, check_whole, samples
from coterie.parts.fdivergences import CATALOGUE, fdivergence
from coterie.parts.risks.nn import NN
from coterie.parts.workers import in_order

STATISTICS = ("nn", "mmd", "energy")
_CELLS = 1 << 22  # labels held at once; a constant, so that results never depend on the workplace
_ITEMS = 1 << 15  # rows of all rounds that are counted at once
_BAND = 512  # rows of distances held at once where neighbors only are kept
# points around a row that are looked at first, and at once for all rows
_DEPTH = 8
_BLOCK = 1 << 17
_LEAST = 1e-20  # chances below this are none
_TIED = 1e-12  # distances that differ by less (of their size) are equal, and a statistic below it (of its level) is zero
_EQUAL = 1e-10  # statistics that differ by less (of the largest) are equal: what is summed in another order
_NEIGHBORS = 5
_WAYS = 100  # ways to label the rows below which a p-value is coarse

Statistic = Callable[
    [Any], Floats
]  # labels (rounds, rows), True for a row of x, to one number per round


def two_sample_test(
    x: Any,
    y: Any,
    statistic: Any = "mmd",
    *,
    risk: Any = "nn",
    permutations: int = 999,
    random_state: Any = None,
) -> TestResult:
    """Permutation test that the rows of x and those of y come from one law; exact for any number of rows.

    `statistic` is "mmd" (Gaussian kernel as wide as the median distance), "energy" (distances), "nn" (share of the five
    nearest neighbors that are of the own sample, both samples counting alike), or any f-divergence, estimated by `risk`.
    p = (1 + as large as observed) / (1 + permutations). `difference` is the statistic less its mean over permutations.
    """
    owner = "two_sample_test"
    check_whole(permutations, "permutations", owner)
    seed = seed_of(random_state)
    asked = asked_for(statistic, risk, seed, owner, STATISTICS)
    first, second = samples(x, y, owner)
    n = len(first)
    rows = len(first) + len(second)
    rng = stream(seed, 1)
    order = rng.permutation(
        rows
    )  # rows at one distance must not be told apart by the sample they came with
    pool = np.concatenate([first, second])[order]
    mine = order < n
    with steady():
        value, name = _statistic(asked, pool, n, owner)
        observed = float(value(mine[None])[0])
        step = max(1, _CELLS // rows)
        sizes = [min(step, permutations - start) for start in range(0, permutations, step)]
        drawn = np.concatenate(
            [value(rng.permuted(np.tile(mine, (size, 1)), axis=1)) for size in sizes]
        )
    caution = ""
    if comb(rows, n) < _WAYS:
        caution = f"There are only {comb(rows, n)} ways to label {rows} rows, so p cannot be small."
    return told(f"two samples ({name})", observed, drawn, rows, caution)


def told(test: str, observed: float, drawn: Floats, n: int, caution: str = "") -> TestResult:
    """The result of a test from the statistic and its values over permutations; equal values count as as large."""
    edge = observed - _EQUAL * max(abs(observed), float(np.abs(drawn).max()))
    p = (1 + int(np.sum(drawn >= edge))) / (1 + drawn.size)
    if not caution and drawn.size < 19:
        caution = f"With {drawn.size} permutations p cannot be below {1 / (1 + drawn.size):.2g}."
    return TestResult(test, observed - float(drawn.mean()), p, n, observed, caution=caution)


def asked_for(
    statistic: Any, risk: Any, seed: int, owner: str, known: tuple[str, ...]
) -> str | Measure:
    """The statistic that a person means: one of the names that the test knows itself, or else a divergence by `risk`."""
    if isinstance(statistic, str) and statistic in known:
        return statistic
    try:
        f = fdivergence(statistic, owner)
    except ParameterError:
        if callable(statistic):  # what is wrong with the function is said
            raise
        names = " | ".join([*known, *CATALOGUE])
        raise ParameterError.of(
            owner,
            "statistic",
            f"must be {names} | power:A or a convex function, and was {statistic!r}.",
        ) from None
    return Measure.of(f, risk, seed, owner)


def kernel_matrix(rows: Floats, statistic: str, owner: str) -> Floats:
    """All rows with all rows: a Gaussian kernel as wide as the median distance, or the distances themselves, negative."""
    fits(
        len(rows) ** 2 * 8,
        f"A kernel of {len(rows)} rows",
        instead="take fewer rows, or statistic='nn'",
    )
    if statistic == "energy":
        from scipy.spatial.distance import cdist

        return -np.asarray(cdist(rows, rows))
    from coterie.parts.row_kernels import kernel_of

    if (rows == rows[0]).all():  # the kernel is constant, and a constant does not count
        return np.zeros((len(rows), len(rows)))
    try:
        return kernel_of("gaussian", "median", rows, owner).block(rows, rows)
    except DataError:
        raise DataError(
            "nearly all rows are copies of one, so no width can be read off; take 'energy'.",
            owner=owner,
        ) from None


def _statistic(asked: str | Measure, pool: Floats, n: int, owner: str) -> tuple[Statistic, str]:
    """The statistic as a function of labels, with everything that does not depend on them computed."""
    if isinstance(asked, Measure):
        return _of_orders(pool, n, asked) if isinstance(asked.risk, NN) else _anew(
            pool, asked
        ), asked.name
    if asked == "nn":
        return _of_neighbors(pool, n), asked
    kernel = kernel_matrix(pool, asked, owner)
    m = len(pool) - n

    def squared(labels: Any) -> Floats:
        signs = np.where(labels, 1.0 / n, -1.0 / m)
        return np.einsum("ri,ri->r", signs @ kernel, signs)

    return squared, asked


def _anew(pool: Floats, measure: Measure) -> Statistic:
    """A divergence estimated anew for every labeling."""

    def one(mine: Any) -> float:
        return measure.uncut(measure.look(pool[mine], pool[~mine]))

    def value(labels: Any) -> Floats:
        return np.array(
            list(in_order(one, list(labels), "permutations" if len(labels) > 1 else ""))
        )

    return value


def _of_neighbors(pool: Floats, n: int) -> Statistic:
    """Schilling's share of nearest neighbors that are of the own sample; ties for the last place share it."""
    import scipy.sparse as sp
    from scipy.spatial.distance import cdist

    rows = len(pool)
    m = rows - n
    k = min(_NEIGHBORS, rows - 1)
    parts = []
    for start in range(0, rows, _BAND):
        far = cdist(pool[start : start + _BAND], pool)
        own = np.arange(len(far)), np.arange(start, start + len(far))
        far[own] = np.inf
        last = np.partition(far, k - 1, axis=1)[:, k - 1 : k]
        near = far < last * (1 - _TIED)
        tied = (far <= last * (1 + _TIED)) & ~near
        weights = near + tied * ((k - near.sum(axis=1)) / tied.sum(axis=1))[:, None]
        parts.append(sp.csr_array(weights / k))
    links = sp.vstack(parts).tocsr()

    def value(labels: Any) -> Floats:
        mine = labels.T.astype(np.float64)
        of_x = links @ mine
        return (
            np.asarray((of_x * mine).sum(axis=0) / n + ((1 - of_x) * (1 - mine)).sum(axis=0) / m)
            / 2
        )

    return value


def _of_orders(pool: Floats, n: int, measure: Measure) -> Statistic:
    """A divergence by nearest neighbors, not cut at zero: orders around the rows are found once, and counted anew.

    Rows at one distance are taken in random order, in expectation, as `divergence` takes them, so that nothing is drawn.
    """
    points, at = np.unique(pool + 0.0, axis=0, return_inverse=True)
    around = Around.of(points, measure.risk.metric, measure.owner)  # type: ignore[attr-defined]
    none, of_x, of_y = measure.tables(n, len(pool) - n)
    place = at.ravel()
    every = np.bincount(at.ravel())
    step = max(1, _ITEMS // len(pool))

    def some(labels: Any) -> Floats:
        where = (np.arange(len(labels))[:, None] * len(points) + place)[labels]
        x = np.bincount(where, minlength=len(labels) * len(points)).reshape(len(labels), -1)
        held = np.stack(
            [x, every - x], axis=1
        )  # (rounds, samples, points): rows of either sample at every point
        off = _taken_off(around, held, (of_x, of_y)) / [n, len(pool) - n]
        found = none - off.sum(axis=1)
        return np.where(np.abs(found) > _TIED * abs(none), found, 0.0)

    def value(labels: Any) -> Floats:
        return np.concatenate(
            [some(labels[start : start + step]) for start in range(0, len(labels), step)]
        )

    return value


@dataclass(frozen=True, eq=False)
class Around:
    """The points around each point, nearest first, itself among them; rows that are copies are one point."""

    near: Any  # (points, points): positions
    joined: Any  # (points, points): whether it is as far as the one before
    itself: Ints  # (points,): where in its order a point is

    @classmethod
    def of(cls, points: Floats, metric: Any, owner: str) -> Around:
        """Of different points, by any distance that neighbors may be taken by."""
        from coterie.parts.row_metrics import row_metric

        count = len(points)
        known = row_metric(metric, Ragged(points, np.array([0, count]), ordered=False), owner=owner)
        fits(
            count * count * 5,
            f"The neighbor orders of {count} rows",
            instead="take fewer rows, or statistic='nn'",
        )
        near = np.empty((count, count), dtype=np.int32)
        joined = np.zeros((count, count), dtype=bool)
        itself = np.empty(count, dtype=np.int64)
        for start in range(0, count, _BAND):
            stop = min(start + _BAND, count)
            far = np.asarray(known.between(points[start:stop], points), dtype=np.float64)
            order = np.argsort(far, axis=1, kind="stable")
            far = np.take_along_axis(far, order, axis=1)
            near[start:stop] = order
            joined[start:stop, 1:] = far[:, 1:] <= far[:, :-1] * (1 + _TIED)
            itself[start:stop] = np.argmax(order == np.arange(start, stop)[:, None], axis=1)
        return cls(near, joined, itself)

    def counts(
        self, which: Ints, held: Ints, own: Ints, other: Ints, depth: int
    ) -> tuple[Any, Any]:
        """For a row at each of some points: triples of numbers of rows around it.

        The first triple is how many own rows are nearer than the nearest other, how many are as far, and how many others
        are as far; the second is the same with the two exchanged. All are -1 where `depth` points do not tell. `own` and
        `other` say where in `held` the numbers of rows of either sample at every point begin.
        """
        near = self.near[which, :depth]
        joined = self.joined[which, : depth + 1]
        places = np.arange(depth)
        mine = held[own[:, None] + near]
        theirs = held[other[:, None] + near]
        rows = np.arange(len(which))
        inside = self.itself[which] < depth
        mine[rows[inside], self.itself[which[inside]]] -= 1  # a row is not around itself
        begin = np.maximum.accumulate(np.where(joined[:, :depth], 0, places), axis=1)
        goes_on = np.zeros((len(which), depth), dtype=bool)
        goes_on[:, : joined.shape[1] - 1] = joined[:, 1:]
        end = np.minimum.accumulate(np.where(goes_on, depth + 1, places + 1)[:, ::-1], axis=1)[
            :, ::-1
        ]
        sums = np.zeros((2, len(which), depth + 1), dtype=np.int64)
        np.cumsum(mine, axis=1, out=sums[0, :, 1:])
        np.cumsum(theirs, axis=1, out=sums[1, :, 1:])
        found = []
        for (one, two), met in ((sums, theirs > 0), (sums[::-1], mine > 0)):
            first = np.argmax(met, axis=1)
            low = begin[rows, first]
            high = end[rows, first]
            whole = met[rows, first] & (high <= depth)
            high = np.minimum(high, depth)
            triple = (
                one[rows, low],
                one[rows, high] - one[rows, low],
                two[rows, high] - two[rows, low],
            )
            found.append(np.where(whole, np.array(triple), -1))
        return found[0], found[1]


def _taken_off(around: Around, held: Ints, tables: Sequence[tuple[Floats, Floats]]) -> Floats:
    """What the rows of either sample take off the divergence in every round, (rounds, 2)."""
    rounds, sides, count = held.shape
    flat = held.ravel()
    total = np.zeros(rounds * sides)
    left = np.flatnonzero(held)
    depth = min(_DEPTH, held.shape[2])
    while len(left):
        block = max(1, _BLOCK // depth)
        more = []
        for rows in (left[start : start + block] for start in range(0, len(left), block)):
            which = rows % count
            sample = rows // count
            near, far = around.counts(which, flat, sample * count, (sample ^ 1) * count, depth)
            known = (near[0] >= 0) & (far[0] >= 0)
            for side, (by_own, by_other) in enumerate(tables):
                here = known & (sample % 2 == side)
                each = _expected(by_own, *near[:, here]) + _expected(by_other, *far[:, here])
                total += np.bincount(sample[here], flat[rows[here]] * each, minlength=len(total))
            more.append(rows[~known])
        left = np.concatenate(more)
        depth = min(4 * depth, count)
    return total.reshape(rounds, sides)


def _expected(table: Floats, before: Ints, tied: Ints, others: Ints) -> Floats:
    """The mean of table[before + k], k being how many of `tied` come before the first of `others` in random order."""
    found = table[before]
    some = np.flatnonzero(tied)
    if len(some):
        base = int(max(before.max(), tied.max(), others.max())) + 1
        codes, back = np.unique(
            (before[some] * base + tied[some]) * base + others[some], return_inverse=True
        )
        c = codes // base**2
        t = codes // base % base
        u = codes % base
        share = u / (t + u)
        total = share * table[c]
        for k in range(1, int(t.max()) + 1):
            share = share * np.maximum(t - k + 1, 0) / np.maximum(t + u - k, 1)
            total += share * table[np.minimum(c + k, len(table) - 1)]
            if share.max() < _LEAST:
                break
        found[some] = total[back]
    return found

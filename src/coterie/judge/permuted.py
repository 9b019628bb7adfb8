"""Are two samples of one law? A permutation test: distances are computed once, and the labels of the rows are shuffled."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of, stream
from coterie.core.workplace import steady
from coterie.judge.labels import Floats
from coterie.judge.significance import TestResult
from coterie.judge.two_samples import Measure, samples
from coterie.parts.pairwise import fits, in_order
from coterie.parts.risks.nn import NN

STATISTICS = ("nn", "mmd", "energy")
_CELLS = 1 << 22  # labels held at once; a constant, so that results never depend on the workplace
_BAND = 512  # rows of distances held at once where neighbors only are kept
_DEPTH = 64  # neighbors looked at before the whole order of a point is
_TIED = 1e-12  # distances, and statistics, that differ by less (of their size) are equal
_NEIGHBORS = 5
_WAYS = 100  # ways to label the rows below which a p-value is coarse

Statistic = Callable[[Any], Floats]  # labels (rounds, rows), True for a row of x, to one number per round


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
    check_permutations(permutations, owner)
    seed = seed_of(random_state)
    first, second = samples(x, y, owner)
    n, rows = len(first), len(first) + len(second)
    rng = stream(seed, 1)
    order = rng.permutation(rows)  # rows at one distance must not be told apart by the sample they came with
    pool, mine = np.concatenate([first, second])[order], order < n
    with steady():
        value, name = _statistic(statistic, risk, pool, n, seed, owner)
        observed = float(value(mine[None])[0])
        step = max(1, _CELLS // rows)
        sizes = [min(step, permutations - start) for start in range(0, permutations, step)]
        drawn = np.concatenate([value(rng.permuted(np.tile(mine, (size, 1)), axis=1)) for size in sizes])
    caution = ""
    if comb(rows, n) < _WAYS:
        caution = f"There are only {comb(rows, n)} ways to label {rows} rows, so p cannot be small."
    return told(f"two samples ({name})", observed, drawn, rows, caution)


def told(test: str, observed: float, drawn: Floats, n: int, caution: str = "") -> TestResult:
    """The result of a test from the statistic and its values over permutations; equal values count as as large."""
    edge = observed - _TIED * max(abs(observed), float(np.abs(drawn).max()))
    p = (1 + int(np.sum(drawn >= edge))) / (1 + drawn.size)
    if not caution and drawn.size < 19:
        caution = f"With {drawn.size} permutations p cannot be below {1 / (1 + drawn.size):.2g}."
    return TestResult(test, observed - float(drawn.mean()), p, n, observed, caution=caution)


def check_permutations(permutations: int, owner: str) -> None:
    """Refuse a number of permutations that is not positive."""
    if permutations < 1:
        raise ParameterError(f"{owner}: permutations must be from 1, and was {permutations}.")


def kernel_matrix(rows: Floats, statistic: str, owner: str) -> Floats:
    """All rows with all rows: a Gaussian kernel as wide as the median distance, or the distances themselves, negative."""
    fits(len(rows) ** 2 * 8, f"A kernel of {len(rows)} rows", instead="take fewer rows, or statistic='nn'")
    if statistic == "energy":
        from scipy.spatial.distance import cdist

        return -np.asarray(cdist(rows, rows))
    from coterie.parts.row_kernels import kernel_of

    return kernel_of("gaussian", "median", rows, owner).block(rows, rows)


def _statistic(statistic: Any, risk: Any, pool: Floats, n: int, seed: int, owner: str) -> tuple[Statistic, str]:
    """The statistic as a function of labels, with everything that does not depend on them computed."""
    m = len(pool) - n
    if isinstance(statistic, str) and statistic == "nn":
        return _of_neighbors(pool, n), statistic
    if isinstance(statistic, str) and statistic in STATISTICS:
        kernel = kernel_matrix(pool, statistic, owner)

        def squared(labels: Any) -> Floats:
            signs = np.where(labels, 1.0 / n, -1.0 / m)
            return np.einsum("ri,ri->r", signs @ kernel, signs)

        return squared, statistic
    try:
        measure = Measure.of(statistic, risk, seed, owner)
    except ParameterError as error:
        if isinstance(statistic, str) and f"{statistic!r}." in str(error):
            known = str(error).removeprefix(f"{owner}: f must be ")
            raise ParameterError(f"{owner}: statistic must be {' | '.join(STATISTICS)} | {known}") from None
        raise
    return _of_orders(pool, n, measure) if isinstance(measure.risk, NN) else _anew(pool, measure), measure.name


def _anew(pool: Floats, measure: Measure) -> Statistic:
    """A divergence estimated anew for every labeling."""

    def one(mine: Any) -> float:
        return measure.uncut(measure.look(pool[mine], pool[~mine]))

    def value(labels: Any) -> Floats:
        return np.array(list(in_order(one, list(labels), "permutations" if len(labels) > 1 else "")))

    return value


def _of_neighbors(pool: Floats, n: int) -> Statistic:
    """Schilling's share of nearest neighbors that are of the own sample; ties for the last place share it."""
    import scipy.sparse as sp
    from scipy.spatial.distance import cdist

    rows = len(pool)
    m, k = rows - n, min(_NEIGHBORS, rows - 1)
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
        return np.asarray((of_x * mine).sum(axis=0) / n + ((1 - of_x) * (1 - mine)).sum(axis=0) / m) / 2

    return value


def _of_orders(pool: Floats, n: int, measure: Measure) -> Statistic:
    """A divergence by nearest neighbors, not cut at zero: orders around the rows are found once, and counted anew."""
    around = _around(pool, measure.risk.metric, measure.owner)  # type: ignore[attr-defined]
    none, of_x, of_y = measure.tables(n, len(pool) - n)

    def one(mine: Any) -> float:
        own, other = _before(around, mine)
        x, y = (of_x[0][own[mine]] + of_x[1][other[mine]]), (of_y[0][own[~mine]] + of_y[1][other[~mine]])
        return none - float(x.mean()) - float(y.mean())

    def value(labels: Any) -> Floats:
        return np.array([one(mine) for mine in labels])

    return value


def _around(pool: Floats, metric: Any, owner: str) -> Any:
    """The other rows around each row, nearest first; those at one distance in their order, which is random here."""
    from coterie.parts.row_metrics import row_metric

    rows = len(pool)
    known = row_metric(metric, Ragged(pool, np.array([0, rows]), ordered=False), owner=owner)
    fits(rows * rows * 4, f"The neighbor orders of {rows} rows", instead="take fewer rows, or statistic='nn'")
    around = np.empty((rows, rows - 1), dtype=np.int32)
    for start in range(0, rows, _BAND):
        part = pool[start : start + _BAND]
        far = np.array(known.between(part, pool), dtype=np.float64)
        far[np.arange(len(part)), np.arange(start, start + len(part))] = -1.0  # itself first, and then left out
        around[start : start + len(part)] = np.argsort(far, axis=1, kind="stable")[:, 1:]
    return around


def _before(around: Any, mine: Any) -> tuple[Any, Any]:
    """How many rows of the own sample come before the first of the other around each row, and the reverse."""
    alike = mine[around[:, :_DEPTH]] == mine[:, None]
    first = alike[:, 0]
    run = np.argmin(alike == first[:, None], axis=1)  # rows of one kind before the first of the other
    long = np.flatnonzero((alike == first[:, None]).all(axis=1))
    if len(long):
        whole = (mine[around[long]] == mine[long, None]) == first[long, None]
        run[long] = np.where(whole.all(axis=1), whole.shape[1], np.argmin(whole, axis=1))
    return np.where(first, run, 0), np.where(first, 0, run)

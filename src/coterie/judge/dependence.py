"""What one thing tells of another: mutual information, a test of independence, and the entropies of samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import seed_of, stream
from coterie.core.workplace import steady
from coterie.judge.labels import Floats, Ints
from coterie.judge.permuted import check_permutations, kernel_matrix, told
from coterie.judge.significance import TestResult
from coterie.judge.two_samples import Estimate, Measure, check_level, estimated, halves, sample, samples
from coterie.parts.knn_entropy import cross_entropy_knn, entropy_knn
from coterie.parts.pairwise import in_order
from coterie.parts.risks.nn import NN

_FEWEST = 16  # pairs: an eighth of them, of one half of a half sample, must still be two
STATISTICS = ("mmd", "energy")


def mutual_information(
    x: Any,
    y: Any,
    f: Any = "kl",
    risk: Any = "nn",
    *,
    splits: int = 5,
    standardize: bool = True,
    level: float = 0.95,
    replicates: int = 100,
    random_state: Any = None,
) -> Estimate:
    """The information that x has of y: the divergence (KL, in nats) of the law of the pairs from that of unrelated pairs.

    Row i of x belongs to row i of y. One half of the pairs is left as it is; unrelated pairs are made of the other half,
    so that no row is in both samples: with shared rows the estimate is much too small. Both halves take both parts, over
    `splits` random splits, and the estimates are averaged. The information does not change when a column is rescaled but
    an estimate by neighbors does, so columns are brought to unit variance unless `standardize` is False. The interval is
    that of `divergence`, from half of the pairs.
    """
    owner = "mutual_information"
    if splits < 1:
        raise ParameterError(f"{owner}: splits must be from 1, and was {splits}.")
    check_level(level, replicates, owner)
    measure = Measure.of(f, risk, seed_of(random_state), owner)
    first, second = _pairs(x, y, owner, standardize)
    n = len(first)
    value = _information(measure, first, second, splits, stream(measure.seed, 0), cut=True)

    def half(task: tuple[int, Ints]) -> float:
        index, rows = task
        return _information(measure, first[rows], second[rows], splits, stream(measure.seed, 2, index))

    drawn = [rows for rows, _ in halves(n, n, replicates, measure.seed)] if replicates else []
    values = np.array(list(in_order(half, list(enumerate(drawn)), "half samples")), dtype=np.float64)
    name = f"mutual information ({measure.name})"
    return estimated(value, values, level, name, (n, n), most=measure.f.most)


def independence_test(
    x: Any,
    y: Any,
    statistic: Any = "mmd",
    *,
    risk: Any = "nn",
    permutations: int = 999,
    standardize: bool = True,
    random_state: Any = None,
) -> TestResult:
    """Permutation test that the rows of x and those of y have nothing to do with each other: the rows of y are shuffled.

    `statistic` is "mmd" (between pairs and unrelated pairs, with the product of two Gaussian kernels as wide as the median
    distances: the Hilbert-Schmidt criterion), "energy" (the same with distances: distance covariance), or a divergence,
    estimated as in `mutual_information` on one split of the pairs. p = (1 + as large as observed) / (1 + permutations).
    """
    owner = "independence_test"
    check_permutations(permutations, owner)
    seed = seed_of(random_state)
    first, second = _pairs(x, y, owner, standardize)
    n = len(first)
    if isinstance(statistic, str) and statistic in STATISTICS:
        name = statistic
        one, other = kernel_matrix(first, statistic, owner), kernel_matrix(second, statistic, owner)
        one = one - one.mean(axis=0) - one.mean(axis=1)[:, None] + one.mean()

        def value(order: Ints) -> float:
            return float(np.vdot(one, other[np.ix_(order, order)])) / n**2
    else:
        measure = Measure.of(statistic, risk, seed, owner)
        name = measure.name

        def value(order: Ints) -> float:
            return _information(measure, first, second[order], 1, stream(seed, 0))

    rng = stream(seed, 1)
    orders = [np.arange(n), *(rng.permutation(n) for _ in range(permutations))]
    with steady():
        found = np.array(list(in_order(value, orders, "permutations")))
    return told(f"independence ({name})", float(found[0]), found[1:], n)


def entropy(x: Any, k: int = 1) -> float:
    """Differential entropy of the law of the rows of x, in nats, from the distances to their k-th neighbors.

    A row with copies takes the next neighbor at a positive distance, up to the fifth; a row that has none is left out.

    >>> bool(abs(entropy(np.random.default_rng(0).random(2000))) < 0.1)  # the entropy of the uniform law is 0
    True
    """
    rows = sample(x, "x", "entropy")
    _check_k(k, len(rows), "entropy")
    return entropy_knn(rows, k)


def cross_entropy(x: Any, y: Any, risk: Any = "wang", *, k: int = 1) -> float:
    """What rows of x cost, in nats, coded by the law of the rows of y: the entropy of x and the divergence of x from y.

    By the distances to k-th neighbors in y ("wang"), or the entropy of x and the KL divergence by another estimate.
    """
    owner = "cross_entropy"
    first, second = samples(x, y, owner)
    _check_k(k, min(len(first), len(second)), owner)
    if isinstance(risk, str) and risk == "wang":
        return cross_entropy_knn(first, second, k)
    return entropy_knn(first, k) + Measure.of("kl", risk, 0, owner)(first, second)


def _check_k(k: int, rows: int, owner: str) -> None:
    if not 1 <= k < rows:
        raise ParameterError(f"{owner}: k must be from 1 to {rows - 1}, the rows less one, and was {k}.")


def _information(measure: Measure, x: Floats, y: Floats, splits: int, rng: np.random.Generator, *, cut: bool = False) -> float:
    """The divergence of pairs from unrelated pairs, over splits taken both ways; at least zero where it is `cut`."""
    seen = [measure.look(joint, apart) for joint, apart in _split(x, y, splits, rng)]
    if isinstance(measure.risk, NN):  # linear in the counts, which are averaged before anything is cut
        orders = [one.there for one in seen]
        parts = {name: np.mean([getattr(one, name) for one in orders], axis=0) for name in ("own", "other", "twins")}
        seen = [replace(seen[0], there=replace(orders[0], **parts))]
    return float(np.mean([measure.read(one) if cut else measure.uncut(one) for one in seen]))


def _split(x: Floats, y: Floats, splits: int, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
    """Pairs of one half of the rows, and pairs of the other half in which every y belongs to another x."""
    half = len(x) // 2
    for _ in range(splits):
        order = rng.permutation(len(x))
        for joint, apart in ((order[:half], order[half : 2 * half]), (order[half : 2 * half], order[:half])):
            yield np.hstack([x[joint], y[joint]]), np.hstack([x[apart], y[np.roll(apart, 1)]])


def _pairs(x: Any, y: Any, owner: str, standardize: bool) -> tuple[Floats, Floats]:
    first, second = sample(x, "x", owner), sample(y, "y", owner)
    if len(first) != len(second):
        raise DataError(f"{owner}: x has {len(first)} rows and y has {len(second)}; row i of both must belong together.")
    if len(first) < _FEWEST:
        raise DataError(f"{owner}: there are {len(first)} pairs and at least {_FEWEST} are needed.")
    return (_even(first), _even(second)) if standardize else (first, second)


def _even(rows: Floats) -> Floats:
    """Columns around zero with unit variance; one that never changes stays at zero."""
    middle = rows - rows.mean(axis=0)
    scale = middle.std(axis=0)
    return np.divide(middle, scale, out=np.zeros_like(middle), where=scale > 0)

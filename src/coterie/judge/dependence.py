"""What one thing tells of another: mutual information, a test of independence, and the entropies of samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import seed_of, stream
from coterie.core.workplace import steady
from coterie.judge.labels import Floats, Ints
from coterie.judge.permuted import asked_for, kernel_matrix, told
from coterie.judge.significance import TestResult
from coterie.judge.two_samples import (
    Estimate,
    Measure,
    at_zero,
    check_level,
    check_whole,
    estimated,
    halves,
    sample,
    samples,
    sentence_of,
)
from coterie.messages.notes import code_of
from coterie.parts.knn_entropy import cross_entropy_knn, entropy_knn
from coterie.parts.risks.nn import NN
from coterie.parts.risks.role import Risk
from coterie.parts.risks.wang import Wang
from coterie.parts.workers import in_order

_FEWEST = 16  # pairs: an eighth of them, of one half of a half sample, must still be two
STATISTICS = ("mmd", "energy")
# share of copied rows from which it is said, and above which there is no density to speak of
_COPIED = 0.01
_MOST = 0.5
_SIDES = ("the pairs", "the unrelated pairs")  # the two samples of a divergence here


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
    that of `divergence`, from half of the pairs. Pairs may be copies: by neighbors ("nn") the information of categories and
    counts comes out right, as that of the values that are given; a note says how many are copies.
    """
    owner = "mutual_information"
    check_whole(splits, "splits", owner)
    check_level(level, replicates, owner)
    measure = replace(Measure.of(f, risk, seed_of(random_state), owner), names=_SIDES)
    first, second = _pairs(x, y, owner, standardize)
    n = len(first)
    seen = _seen(measure, first, second, splits, stream(measure.seed, 0))
    value = float(np.mean([measure.read(one) for one in seen]))
    said = next(
        (found for one in seen if (found := measure.risk.notes(one, measure.f))), []
    )  # of the first split with any
    copied = _of_copies(np.hstack([first, second]), measure.risk)
    said = [
        words for words in said if not (copied and code_of(words) == "shared_vectors")
    ]  # unrelated pairs then are among the pairs
    notes = [
        *copied,
        *(sentence_of(f"halves of the pairs were compared: {words}") for words in said),
    ]
    notes += at_zero(value, _uncut(measure, seen), "independence_test")

    def half(task: tuple[int, Ints]) -> float:
        index, rows = task
        return _uncut(
            measure,
            _seen(measure, first[rows], second[rows], splits, stream(measure.seed, 2, index)),
        )

    drawn = [rows for rows, _ in halves(n, n, replicates, measure.seed)] if replicates else []
    values = np.array(
        list(in_order(half, list(enumerate(drawn)), "half samples")), dtype=np.float64
    )
    name = f"mutual information ({measure.name})"
    return estimated(value, values, level, name, (n, n), most=measure.f.most, notes=notes)


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
    check_whole(permutations, "permutations", owner)
    seed = seed_of(random_state)
    asked = asked_for(statistic, risk, seed, owner, STATISTICS)
    first, second = _pairs(x, y, owner, standardize)
    n = len(first)
    if isinstance(asked, str):
        name = asked
        one = kernel_matrix(first, asked, owner)
        other = kernel_matrix(second, asked, owner)
        one = one - one.mean(axis=0) - one.mean(axis=1)[:, None] + one.mean()

        def value(order: Ints) -> float:
            return float(np.vdot(one, other[np.ix_(order, order)])) / n**2
    else:
        measure = replace(asked, names=_SIDES)
        name = asked.name

        def value(order: Ints) -> float:
            return _uncut(measure, _seen(measure, first, second[order], 1, stream(seed, 0)))

    rng = stream(seed, 1)
    orders = [np.arange(n), *(rng.permutation(n) for _ in range(permutations))]
    with steady():
        found = np.array(list(in_order(value, orders, "permutations")))
    return told(f"independence ({name})", float(found[0]), found[1:], n)


def entropy(x: Any, k: int = 1) -> float:
    """Differential entropy of the law of the rows of x, in nats, from the distances to their k-th neighbors.

    A law with a density gives no row twice. Where rows have copies (from 1 % of them) a warning says so: such a row takes
    the next neighbor at a positive distance, up to the fifth, and one that has none is left out. Where more than half of
    the rows have copies, as with whole numbers or categories, there is no such entropy and they are refused.

    >>> bool(abs(entropy(np.random.default_rng(0).random(2000))) < 0.1)  # the entropy of the uniform law is 0
    True
    """
    rows = sample(x, "x", "entropy")
    _check_k(k, len(rows), "entropy")
    _check_density(_copied(rows), "rows of x are copies of one another", "entropy")
    return entropy_knn(rows, k, owner="entropy")


def cross_entropy(x: Any, y: Any, risk: Any = "wang", *, k: int = 1) -> float:
    """What rows of x cost, in nats, coded by the law of the rows of y: the entropy of x and the divergence of x from y.

    By the distances to k-th neighbors in y ("wang"), or the entropy of x and the KL divergence by another estimate. Rows
    that are copies, inside y or in both samples, are warned of and refused as in `entropy`.
    """
    owner = "cross_entropy"
    first, second = samples(x, y, owner)
    _check_k(k, min(len(first), len(second)), owner)
    _check_density(_shared(first, second), "rows of x are in y too", owner)
    if isinstance(risk, str) and risk == "wang":
        _check_density(_copied(second), "rows of y are copies of one another", owner)
        return cross_entropy_knn(first, second, k, owner=owner)
    measure = Measure.of("kl", risk, 0, owner)
    _check_density(_copied(first), "rows of x are copies of one another", owner)
    return entropy_knn(first, k, owner=owner) + measure(first, second)


def _check_k(k: int, rows: int, owner: str) -> None:
    check_whole(k, "k", owner)
    if k >= rows:
        raise ParameterError(
            f"k must be a whole number from 1 to {rows - 1}, the rows less one, and was {k}.",
            owner=owner,
        )


def _copied(rows: Floats) -> float:
    """The share of rows that another row is equal to."""
    counts = np.unique(rows + 0.0, axis=0, return_counts=True)[1]
    return float(counts[counts > 1].sum() / len(rows))


def _shared(x: Floats, y: Floats) -> float:
    """The share of rows of x that are in y too."""
    at = np.unique(np.concatenate([x, y]) + 0.0, axis=0, return_inverse=True)[1].ravel()
    return float(np.isin(at[: len(x)], at[len(x) :]).mean())


def _check_density(share: float, what: str, owner: str) -> None:
    """Warn where a share of the rows are copies, which a law with a density never gives; refuse more than half."""
    said = f"{owner}: {100 * share:.0f} % of the {what}"
    if share > _MOST:
        raise DataError(
            f"{said}, and a law with copies has no density; leave the copies out, or add noise as wide as the rounding where "
            "values were rounded."
        )
    if share >= _COPIED:
        warnings.warn(
            f"{said}, which a law with a density does not give; farther neighbors were taken for them, and the value is rough.",
            UserWarning,
            stacklevel=3,
        )


def _of_copies(pairs: Floats, risk: Risk) -> list[str]:
    """A sentence where pairs are copies, or none."""
    share = _copied(pairs)
    if share < _COPIED:
        return []
    said = f"{100 * share:.0f} % of the pairs are copies of one another"
    if isinstance(risk, Wang):
        return [
            f"{said}, and distances to neighbors say little of them; risk='nn' takes copies as they are."
        ]
    return [f"{said}: the information is that of the values as they are given, whole or rounded."]


def _seen(
    measure: Measure, x: Floats, y: Floats, splits: int, rng: np.random.Generator
) -> list[Any]:
    """What is seen of pairs and unrelated pairs, over splits taken both ways; for neighbors the mean of all in one."""
    seen = [measure.look(joint, apart) for joint, apart in _split(x, y, splits, rng)]
    if isinstance(
        measure.risk, NN
    ):  # linear in the counts, which are averaged before anything is cut
        orders = [one.there for one in seen]
        parts = {
            name: np.mean([getattr(one, name) for one in orders], axis=0)
            for name in ("own", "other", "twins")
        }
        seen = [replace(seen[0], there=replace(orders[0], **parts))]
    return seen


def _uncut(measure: Measure, seen: list[Any]) -> float:
    return float(np.mean([measure.uncut(one) for one in seen]))


def _split(
    x: Floats, y: Floats, splits: int, rng: np.random.Generator
) -> Iterator[tuple[Floats, Floats]]:
    """Pairs of one half of the rows, and pairs of the other half in which every y belongs to another x."""
    half = len(x) // 2
    for _ in range(splits):
        order = rng.permutation(len(x))
        for joint, apart in (
            (order[:half], order[half : 2 * half]),
            (order[half : 2 * half], order[:half]),
        ):
            yield np.hstack([x[joint], y[joint]]), np.hstack([x[apart], y[np.roll(apart, 1)]])


def _pairs(x: Any, y: Any, owner: str, standardize: bool) -> tuple[Floats, Floats]:
    first = sample(x, "x", owner)
    second = sample(y, "y", owner)
    if len(first) != len(second):
        raise DataError(
            f"x has {len(first)} rows and y has {len(second)}; row i of both must belong together.",
            owner=owner,
        )
    if len(first) < _FEWEST:
        raise DataError(
            f"there are {len(first)} pairs and at least {_FEWEST} are needed.", owner=owner
        )
    return (_even(first), _even(second)) if standardize else (first, second)


def _even(rows: Floats) -> Floats:
    """Columns around zero with unit variance; one that never changes stays at zero."""
    middle = rows - rows.mean(axis=0)
    scale = middle.std(axis=0)
    return np.divide(middle, scale, out=np.zeros_like(middle), where=scale > 0)

"""How far apart two samples are: any f-divergence by any estimate of risk, with an interval from half samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of, stream
from coterie.core.table import Table
from coterie.judge.labels import Floats, Ints
from coterie.parts.fdivergences import FDivergence, fdivergence
from coterie.parts.pairwise import in_order
from coterie.parts.risks.naming import risk_for
from coterie.parts.risks.nn import NN
from coterie.parts.risks.role import Risk

FEWEST, FEW = 4, 30  # rows of a sample: below the first nothing is estimated, below the second the interval is rough
_MOVES = 0.5  # of the spread: half samples that are off by more say that the estimate still moves with the size
_LARGEST = 1e100  # values whose squares still are numbers


Tables: TypeAlias = "tuple[float, tuple[Floats, Floats], tuple[Floats, Floats]]"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number read off samples, with the interval that `level` of repeated samples would lie in around their mean.

    `spread` is the standard deviation of the estimate, of which the interval is made. It says nothing of a bias, which
    all samples of a size share. `n` and `m` count the rows of the two samples; for pairs they are the same.
    """

    value: float
    lower: float
    upper: float
    level: float
    name: str
    n: int
    m: int
    spread: float = float("nan")
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if np.isnan(self.spread):
            return f"{self.name} = {self.value:.4g}"
        return f"{self.name} = {self.value:.4g} ({100 * self.level:g} % interval {self.lower:.4g} to {self.upper:.4g})"


@dataclass(frozen=True, eq=False)
class Measure:
    """An f-divergence by an estimate of risk, as one function of two samples."""

    f: FDivergence
    risk: Risk
    seed: int
    owner: str
    kept: dict[tuple[int, int], Tables] = field(default_factory=dict)

    @classmethod
    def of(cls, f: Any, risk: Any, seed: int, owner: str) -> Measure:
        """From what a person gives; what cannot be estimated is refused before any work."""
        measure = cls(fdivergence(f, owner), risk_for(risk, owner), seed, owner)
        measure.risk.check_f(measure.f, owner)
        return measure

    @property
    def name(self) -> str:
        """What is estimated by what, in a word or two."""
        by = getattr(self.risk, "classifier", self.risk)
        return f"{self.f.name} by {by if isinstance(by, str) else type(by).__name__}"

    def look(self, x: Floats, y: Floats) -> Any:
        """What the estimate needs to know of two samples."""
        pair = Ragged(np.concatenate([x, y]), np.array([0, len(x), len(x) + len(y)]), ordered=False)
        return self.risk.look(pair, learned=self.risk.learned(pair), seed=self.seed, owner=self.owner)

    def read(self, seen: Any) -> float:
        """The divergence of the first sample from the second, of what was seen."""
        return float(self.risk.divergences(seen, self.f, owner=self.owner)[0, 1])

    def uncut(self, seen: Any) -> float:
        """The same for spreads, means and tests: where neighbors estimate it, below zero when it comes out so."""
        if not isinstance(self.risk, NN):
            return self.read(seen)
        there = seen.there
        n, m = (int(size) for size in there.sizes)
        none, of_x, of_y = self.tables(n, m)
        x = there.own_counts(0, 1) @ of_x[0] + there.other_counts(0, 1) @ of_x[1]
        y = there.own_counts(1, 0) @ of_y[0] + there.other_counts(1, 0) @ of_y[1]
        return float(none - x / n - y / m)

    def tables(self, n: int, m: int) -> Tables:
        """By neighbors the estimate is a sum over rows: what it is where nothing is learned, and what a row takes off it.

        A row takes off a number that depends on how many of its own sample come before the first of the other, and one
        that depends on how many of the other come before the first of its own. They are kept for every pair of sizes.
        """
        from coterie.parts.sampling import levels, nodes_of

        if (n, m) not in self.kept:
            risk: Any = self.risk
            nodes = nodes_of(self.f, risk.priors, risk.margin, risk.spacing)
            none = float(levels(np.array([n]), np.array([m]), nodes, risk.corrected)[0, 0])
            self.kept[n, m] = none, _taken_off(n, m, nodes), _taken_off(m, n, nodes.mirrored)
        return self.kept[n, m]

    def __call__(self, x: Floats, y: Floats) -> float:
        return self.read(self.look(x, y))


def _taken_off(n: int, m: int, nodes: Any) -> tuple[Floats, Floats]:
    """What a row of a sample of n rows takes off, by the number of own rows, and of the m others, that come before."""
    from coterie._kernels.sampling import sampling_tables

    own, other = np.zeros((1, n)), np.zeros(m + 1)
    rule = nodes.priors, nodes.rest, nodes.weights
    sampling_tables(n, np.array([m]), rule, np.array([m]), np.array([0, m + 1]), own, other)
    return own[0], other


def divergence(
    x: Any,
    y: Any,
    f: Any = "kl",
    risk: Any = "nn",
    *,
    level: float = 0.95,
    replicates: int = 200,
    random_state: Any = None,
) -> Estimate:
    """The f-divergence of the law of the rows of x from that of the rows of y, with an interval.

    x and y are arrays (rows, columns), arrays of one dimension (one column), or frames of numbers. `f` is the name of a
    divergence or a convex function, `risk` an estimate by name ("nn", "wang", "bound", "logistic", ...) or with settings.

    The interval is value +- z s. Here s is the standard deviation of the estimate over halves of the samples, drawn
    without replacement: the variance of an average over half of the rows, given all of them, is exactly its variance
    over all rows, so s needs no rescaling (for neighbors it is a little too large). Rows are never drawn twice, because a
    row and its copy are nearest neighbors at distance zero. The interval is about the spread of the estimate and not
    about its bias; a note says when half samples give another value on average. Without replicates (0) there is none.
    """
    measure = Measure.of(f, risk, seed_of(random_state), "divergence")
    check_level(level, replicates, "divergence")
    first, second = samples(x, y, "divergence")
    seen = measure.look(first, second)
    value = measure.read(seen)
    notes = [f"{sentence[0].upper()}{sentence[1:].rstrip('.')}." for sentence in measure.risk.notes(seen, measure.f)]

    def half(parts: tuple[Ints, Ints]) -> float:
        return measure.uncut(measure.look(first[parts[0]], second[parts[1]]))

    drawn = list(halves(len(first), len(second), replicates, measure.seed)) if replicates else []
    values = np.array(list(in_order(half, drawn, "half samples")), dtype=np.float64)
    return estimated(value, values, level, measure.name, (len(first), len(second)), most=measure.f.most, notes=notes)


def halves(n: int, m: int, replicates: int, seed: int) -> list[tuple[Ints, Ints]]:
    """Rows of random halves of two samples; both halves of every split are taken, so that all rows count alike."""
    found: list[tuple[Ints, Ints]] = []
    for task in range((replicates + 1) // 2):
        rng = stream(seed, task)
        a, b = rng.permutation(n), rng.permutation(m)
        found += [(a[: n // 2], b[: m // 2]), (a[n // 2 :], b[m // 2 :])]
    return [(np.sort(a), np.sort(b)) for a, b in found[:replicates]]


def estimated(
    value: float,
    halved: Floats,
    level: float,
    name: str,
    sizes: tuple[int, int],
    *,
    most: float = np.inf,
    notes: Sequence[str] = (),
) -> Estimate:
    """The estimate with the interval that the values of half samples give, between zero and the most there can be."""
    from scipy.stats import norm

    n, m = sizes
    nan = float("nan")
    if halved.size < 2:
        return Estimate(value, nan, nan, level, name, n, m, nan, tuple(notes))
    spread, middle = float(halved.std(ddof=1)), float(halved.mean())
    reach = float(norm.ppf(0.5 + level / 2)) * spread
    said = list(notes)
    if min(n, m) < FEW:
        said.append(f"The smaller sample has {min(n, m)} rows: below {FEW} the interval is rough.")
    if abs(middle - value) > _MOVES * spread:
        said.append(
            f"Half as many rows give {middle:.3g} on average where all give {value:.3g}: the estimate still moves with the "
            "size, and the interval does not account for that."
        )
    lower, upper = max(value - reach, 0.0), min(value + reach, max(most, value))
    return Estimate(value, lower, upper, level, name, n, m, spread, tuple(said))


def samples(x: Any, y: Any, owner: str) -> tuple[Floats, Floats]:
    """Two samples with the same columns, by name where both have names, every value finite."""
    first, second = _table(x, "x", owner), _table(y, "y", owner)
    if _named(x) and _named(y) and first.names != second.names:
        if set(first.names) != set(second.names):
            odd = next(name for name in (*first.names, *second.names) if (name in first.names) != (name in second.names))
            has, lacks = ("x", "y") if odd in first.names else ("y", "x")
            raise DataError(f"{owner}: the column '{odd}' is in {has} and not in {lacks}; both samples need the same columns.")
        second = Table(second.values[:, [second.names.index(name) for name in first.names]], first.names)
    if first.shape[1] != second.shape[1]:
        raise DataError(f"{owner}: x has {first.shape[1]} columns and y has {second.shape[1]}; both samples need the same ones.")
    return first.values, second.values


def sample(x: Any, which: str, owner: str) -> Floats:
    """One sample as an array of finite numbers (rows, columns)."""
    values: Floats = _table(x, which, owner).values
    return values


def _named(data: Any) -> bool:
    return isinstance(data, Table) or hasattr(data, "columns") or hasattr(data, "column_names")


def _table(data: Any, which: str, owner: str) -> Table:
    """The rows of a sample, each refusal naming the sample and the row or column."""
    if not _named(data) and not hasattr(data, "tocsr"):
        plain = np.asarray(data)
        data = plain[:, None] if plain.ndim == 1 and plain.dtype.kind in "biuf" else data
    try:
        table = Table.of(data)
    except DataError as error:
        raise DataError(f"{owner}: {which} cannot be taken as rows of numbers: {str(error)[0].lower()}{str(error)[1:]}") from None
    if table.sparse:
        table = Table(table.values.toarray(), table.names)
    if table.categories:
        raise DataError(f"{owner}: the column '{table.names[min(table.categories)]}' of {which} holds words; give numbers only.")
    if len(table) < FEWEST:
        raise DataError(f"{owner}: {which} has {len(table)} rows and at least {FEWEST} are needed.")
    bad = np.argwhere(~(np.abs(table.values) <= _LARGEST))
    if len(bad):
        row, column = (int(place) for place in bad[0])
        what = "a missing value" if np.isnan(table.values[row, column]) else "an infinite or enormous value"
        raise DataError(f"{owner}: row {row} of {which} has {what} in column {table.names[column]!r}; leave that row out.")
    return table


def check_level(level: float, replicates: int, owner: str) -> None:
    """Refuse a level outside (0, 1) and a negative number of replicates."""
    if not 0 < level < 1:
        raise ParameterError(f"{owner}: level must lie between 0 and 1, and was {level}.")
    if replicates < 0 or replicates == 1:
        raise ParameterError(f"{owner}: replicates must be 0 or from 2, and was {replicates}.")

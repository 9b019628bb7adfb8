"""How far apart two samples are: any f-divergence by any estimate of risk, with an interval from half samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from coterie.core.errors import DataError, MemberError, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of, stream
from coterie.core.table import Table
from coterie.judge.labels import Floats, Ints
from coterie.parts.fdivergences import FDivergence, fdivergence
from coterie.parts.risks.naming import risk_for
from coterie.parts.risks.nn import NN
from coterie.parts.risks.role import Risk
from coterie.parts.workers import in_order

# rows of a sample: below the first nothing is estimated, below the second the interval is rough
FEWEST = 4
FEW = 30
_MOVES = 0.5  # of the spread: half samples that are off by more say that the estimate still moves with the size
_ROUNDED = 1e-12  # a divergence below that is zero up to rounding
_LARGEST = 1e100  # values whose squares still are numbers


Tables: TypeAlias = "tuple[float, tuple[Floats, Floats], tuple[Floats, Floats]]"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number read off samples, with the interval that `level` of repeated samples would lie in around their mean.

    `spread` is the standard deviation of the estimate, of which the interval is made. It says nothing of a bias, which
    all samples of a size share. `n` and `m` count the rows of the two samples; for pairs they are the same. `most` is
    what two laws with nothing in common would have, where that is finite.
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
    most: float = float("inf")

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        scale = f" on a scale from 0 to {self.most:.4g}" if np.isfinite(self.most) else ""
        told = f"{self.name} = {self.value:.4g}{scale}"
        if np.isnan(self.spread):
            return told
        return f"{told} ({100 * self.level:g} % interval {self.lower:.4g} to {self.upper:.4g})"


@dataclass(frozen=True, eq=False)
class Measure:
    """An f-divergence by an estimate of risk, as one function of two samples."""

    f: FDivergence
    risk: Risk
    seed: int
    owner: str
    names: tuple[str, str] = ("sample x", "sample y")
    kept: dict[tuple[int, int], Tables] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        f: Any,
        risk: Any,
        seed: int,
        owner: str,
        names: tuple[str, str] | None = None,
    ) -> Measure:
        """From what a person gives; what cannot be estimated is refused before any work."""
        measure = cls(fdivergence(f, owner), risk_for(risk, owner), seed, owner)
        measure = replace(measure, names=names) if names else measure
        measure.risk.check_f(measure.f, owner)
        return measure

    @property
    def name(self) -> str:
        """What is estimated by what, in a word or two."""
        by = getattr(self.risk, "classifier", self.risk)
        return f"{self.f.name} by {by if isinstance(by, str) else type(by).__name__}"

    def look(self, x: Floats, y: Floats) -> Any:
        """What the estimate needs to know of two samples; what is wrong with one of them is said with its name."""
        pair = Ragged(np.concatenate([x, y]), np.array([0, len(x), len(x) + len(y)]), ordered=False)
        try:
            return self.risk.look(
                pair, learned=self.risk.learned(pair), seed=self.seed, owner=self.owner
            )
        except MemberError as error:
            raise error.named(dict(enumerate(self.names))) from error

    def read(self, seen: Any) -> float:
        """The divergence of the first sample from the second, of what was seen."""
        value = float(self.risk.divergences(seen, self.f, owner=self.owner)[0, 1])
        return value if value > _ROUNDED else 0.0

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
        from coterie.parts.sampling import levels, nodes_of, tables

        if (n, m) not in self.kept:
            risk: Any = self.risk
            nodes = nodes_of(self.f, risk.priors, risk.margin, risk.spacing)
            none = float(levels(np.array([n]), np.array([m]), nodes, risk.corrected)[0, 0])
            self.kept[n, m] = none, tables(n, m, nodes), tables(m, n, nodes.mirrored)
        return self.kept[n, m]

    def __call__(self, x: Floats, y: Floats) -> float:
        return self.read(self.look(x, y))


def divergence(
    x: Any,
    y: Any,
    f: Any = "hellinger",
    risk: Any = "nn",
    *,
    level: float = 0.95,
    replicates: int = 200,
    names: tuple[str, str] | None = None,
    random_state: Any = None,
) -> Estimate:
    """The f-divergence of the law of the rows of x from that of the rows of y, with an interval.

    x and y are arrays (rows, columns), arrays of one dimension (one column), or frames of numbers. `f` is the name of a
    divergence or a convex function, `risk` an estimate by name ("nn", "wang", "bound", "logistic", ...) or with settings.
    The default f goes from 0 (one law) to 2 (nothing in common); kl has no end, and by neighbors it scatters much more.

    The interval is value +- z s. Here s is the standard deviation of the estimate over halves of the samples, drawn
    without replacement: the variance of an average over half of the rows, given all of them, is exactly its variance
    over all rows, so s needs no rescaling (by neighbors it comes out too large, because a half sample has other
    neighbors). Rows are never drawn twice, because a row and its copy are nearest neighbors at distance zero.
    The interval is about the spread of the estimate and not about its bias; a note says when half samples give another
    value on average, and when the estimate came out below zero and was cut there. Without replicates (0) there is none.
    Errors call the samples by their `names`.
    """
    measure = Measure.of(f, risk, seed_of(random_state), "divergence", names)
    check_level(level, replicates, "divergence")
    first, second = samples(x, y, "divergence", names or ("x", "y"))
    seen = measure.look(first, second)
    value = measure.read(seen)
    notes = [sentence_of(words) for words in measure.risk.notes(seen, measure.f)]
    notes += at_zero(value, measure.uncut(seen), "two_sample_test")

    def half(parts: tuple[Ints, Ints]) -> float:
        return measure.uncut(measure.look(first[parts[0]], second[parts[1]]))

    drawn = list(halves(len(first), len(second), replicates, measure.seed)) if replicates else []
    values = np.array(list(in_order(half, drawn, "half samples")), dtype=np.float64)
    return estimated(
        value,
        values,
        level,
        measure.name,
        (len(first), len(second)),
        most=measure.f.most,
        notes=notes,
    )


def sentence_of(words: str) -> str:
    """With a capital and a stop."""
    return f"{words[0].upper()}{words[1:].rstrip('.')}."


def at_zero(value: float, uncut: float, test: str) -> list[str]:
    """What to say where an estimate is zero: how far below it came out, and that this is no test."""
    if value > 0:
        return []
    came = (
        f"came out at {uncut:.3g}, below what a divergence can be, and was cut at 0"
        if uncut < -_ROUNDED
        else "came out at 0"
    )
    return [
        f"The estimate {came}; that does not show that there is no difference, which a test may find ({test})."
    ]


def halves(n: int, m: int, replicates: int, seed: int) -> list[tuple[Ints, Ints]]:
    """Rows of random halves of two samples; both halves of every split are taken, so that all rows count alike."""
    found: list[tuple[Ints, Ints]] = []
    for task in range((replicates + 1) // 2):
        rng = stream(seed, task)
        a = rng.permutation(n)
        b = rng.permutation(m)
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
        return Estimate(value, nan, nan, level, name, n, m, nan, tuple(notes), most)
    spread = float(halved.std(ddof=1))
    middle = float(halved.mean())
    reach = float(norm.ppf(0.5 + level / 2)) * spread
    said = list(notes)
    if min(n, m) < FEW:
        said.append(f"The smaller sample has {min(n, m)} rows: below {FEW} the interval is rough.")
    if abs(middle - value) > _MOVES * spread:
        said.append(
            f"Half as many rows give {middle:.3g} on average where all give {value:.3g}: the estimate still moves with the "
            "size, and the interval does not account for that."
        )
    lower = max(value - reach, 0.0)
    upper = min(value + reach, max(most, value))
    return Estimate(value, lower, upper, level, name, n, m, spread, tuple(said), most)


def samples(
    x: Any, y: Any, owner: str, names: tuple[str, str] = ("x", "y")
) -> tuple[Floats, Floats]:
    """Two samples with the same columns, by name where both have names, every value finite; refusals call them `names`."""
    first, second = (_table(data, which, owner) for data, which in zip((x, y), names, strict=True))
    if _named(x) and _named(y) and first.names != second.names:
        if set(first.names) != set(second.names):
            odd = next(
                name
                for name in (*first.names, *second.names)
                if (name in first.names) != (name in second.names)
            )
            has, lacks = names if odd in first.names else names[::-1]
            raise DataError(
                f"the column '{odd}' is in {has} and not in {lacks}; both need the same columns.",
                owner=owner,
                where="columns",
            )
        second = Table(
            second.values[:, [second.names.index(name) for name in first.names]], first.names
        )
    if first.shape[1] != second.shape[1]:
        counts = f"{names[0]} has {first.shape[1]} columns and {names[1]} has {second.shape[1]}"
        raise DataError(f"{counts}; both need the same ones.", owner=owner)
    return first.values, second.values


def sample(x: Any, which: str, owner: str) -> Floats:
    """One sample as an array of finite numbers (rows, columns)."""
    values: Floats = _table(x, which, owner).values
    return values


def _named(data: Any) -> bool:
    return isinstance(data, Table) or hasattr(data, "columns") or hasattr(data, "column_names")


def _upright(data: Any) -> np.ndarray:
    """An array; one of one dimension becomes a column, also where it holds words, which are refused by their column then."""
    try:
        plain = np.asarray(data)
    except (TypeError, ValueError):
        raise DataError("Its rows have different lengths.") from None
    if plain.ndim == 0:
        raise DataError(f"A single {type(data).__name__} is no array and no frame.")
    return plain[:, None] if plain.ndim == 1 and plain.dtype.kind in "biufOUS" else plain


def _table(data: Any, which: str, owner: str) -> Table:
    """The rows of a sample, each refusal naming the sample and the row or column."""
    try:
        table = Table.of(data if _named(data) or hasattr(data, "tocsr") else _upright(data))
    except DataError as error:
        raise DataError(
            f"{which} cannot be taken as rows of numbers: {str(error)[0].lower()}{str(error)[1:]}",
            owner=owner,
        ) from None
    except (TypeError, ValueError):
        raise DataError(
            f"{which} cannot be taken as rows of numbers; give an array or a frame of numbers.",
            owner=owner,
        ) from None
    if table.sparse:
        table = Table(table.values.toarray(), table.names)
    if table.categories:
        raise DataError(
            f"the column '{table.names[min(table.categories)]}' of {which} holds words or objects; give numbers only.",
            owner=owner,
        )
    if len(table) < FEWEST:
        raise DataError(
            f"{which} has {len(table)} rows and at least {FEWEST} are needed.", owner=owner
        )
    bad = np.argwhere(~(np.abs(table.values) <= _LARGEST))
    if len(bad):
        row, column = (int(place) for place in bad[0])
        what = (
            "a missing value"
            if np.isnan(table.values[row, column])
            else "an infinite or enormous value"
        )
        where = (
            f"row {row} of {which} (counting from 0) has {what} in column {table.names[column]!r}"
        )
        raise DataError(f"{where}; leave that row out.", owner=owner)
    return table


def check_level(level: float, replicates: int, owner: str) -> None:
    """Refuse a level outside (0, 1) and a number of replicates of which there is no spread."""
    if not 0 < level < 1:
        raise ParameterError.of(owner, "level", f"must lie between 0 and 1, and was {level}.")
    if not isinstance(replicates, Integral) or replicates < 0 or replicates == 1:
        raise ParameterError.of(
            owner, "replicates", f"must be 0 or a whole number from 2, and was {replicates!r}."
        )


def check_whole(value: Any, name: str, owner: str) -> None:
    """Refuse what is not a whole number from 1."""
    if not isinstance(value, Integral) or value < 1:
        raise ParameterError.of(owner, name, f"must be a whole number from 1, and was {value!r}.")

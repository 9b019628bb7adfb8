"""Columns of unlike units as a few components: skewed ones straightened, all scaled and clipped, PCA; categories beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coterie.core.table import Table
from coterie.parts.levels import codes_of

_SHARED = 8  # columns that must seem to share a unit before one scale is taken for all
_ALIKE = 0.3  # the typical width of a column as a share of the wide ones, where they share a unit
_REPEATED = 2  # members that must have each of two values, for a column of numbers to be a category
_SKEWED = 1.0  # skewness above which a column is straightened
_WHOLE = 12  # dimensions up to which all components are kept
_ENERGY = 0.95  # share of the variance that is kept beyond
_MOST = 20  # components that are kept beyond, at most
_NULL = 1e-10  # of the largest variance: directions with less are none


@dataclass(frozen=True, slots=True, eq=False)
class Straightening:
    """How a skewed column is straightened: log(1 + (x - low) / scale), or log(x) where it begins far above zero."""

    low: float
    scale: float
    from_low: bool

    def __call__(self, values: np.ndarray) -> np.ndarray:
        if self.from_low:
            return np.asarray(np.log1p(np.maximum(values - self.low, 0.0) / self.scale))
        return np.asarray(np.log(np.maximum(values, self.low)))


@dataclass(frozen=True, eq=False)
class MixedComponents:
    """How the rows of a table become components and categories, learned from one table and used for later ones."""

    numeric: np.ndarray  # positions of the columns of numbers
    levels: Mapping[
        int, tuple[str, ...]
    ]  # of the columns that are categories, the named ones and those of two values
    values: Mapping[int, list[float]]  # of the columns of two values
    straightenings: Mapping[
        int, Straightening
    ]  # of skewed columns, by their place among the numbers
    shares_unit: bool
    clip: float
    center: np.ndarray
    scale: np.ndarray
    rescale: np.ndarray  # after clipping
    mean: np.ndarray  # of the scaled columns
    axes: np.ndarray  # components x numbers
    energy: np.ndarray  # share of the variance up to each component

    @classmethod
    def of(
        cls, table: Table, *, n_components: int | None, clip: float, straighten: bool
    ) -> MixedComponents:
        """Learn from the rows of a table."""
        numeric, levels, values, shares_unit = _sorted_columns(table)
        numbers = np.asarray(table.values[:, numeric], dtype=np.float64)
        straightenings = {}
        if straighten and not shares_unit:
            found = {at: _straightening(numbers[:, at]) for at in range(len(numeric))}
            straightenings = {at: one for at, one in found.items() if one is not None}
        straight = _straight(numbers, straightenings)
        center, scale, rescale = _scales(straight, shares_unit, clip)
        blank = np.zeros((0, len(numeric)))
        first = cls(
            numeric, levels, values, straightenings, shares_unit, clip,
            center, scale, rescale, np.zeros(len(numeric)), blank, np.zeros(0),
        )  # fmt: skip
        scaled = first.scaled(numbers)
        mean = scaled.mean(axis=0)
        axes, energy = principal_axes(scaled - mean, n_components)
        return cls(
            numeric, levels, values, straightenings, shares_unit, clip,
            center, scale, rescale, mean, axes, energy,
        )  # fmt: skip

    @property
    def width(self) -> int:
        """How many columns come out."""
        return len(self.axes) + len(self.levels)

    def names(self, columns: tuple[str, ...]) -> list[str]:
        """component0, component1 ..., then the names of the categories."""
        numbers = [f"component{at}" for at in range(len(self.axes))]
        return [*numbers, *(columns[j] for j in self.levels)]

    def scaled(self, numbers: np.ndarray) -> np.ndarray:
        """Columns of numbers straightened, centered, scaled and clipped; a missing number is the mean."""
        found = (_straight(numbers, self.straightenings) - self.center) * self.scale
        np.copyto(found, 0.0, where=np.isnan(found))
        if not self.shares_unit:
            np.clip(found, -self.clip, self.clip, out=found)
        return np.asarray(found * self.rescale)

    def transform(self, table: Table, owner: str) -> np.ndarray:
        """Components, then codes of the categories; -1 where one is missing or was not seen before."""
        numbers = np.asarray(table.values[:, self.numeric], dtype=np.float64)
        components = (self.scaled(numbers) - self.mean) @ self.axes.T
        named = {j: names for j, names in self.levels.items() if j not in self.values}
        codes = codes_of(table, named, owner)
        categories = np.empty((len(table), len(self.levels)))
        for at, (column, names) in enumerate(self.levels.items()):
            if column in self.values:
                known = _codes_of_values(table.values[:, column], self.values[column])
            else:
                known = codes[column]
            categories[:, at] = np.where(known < len(names), known, -1.0)
        return np.hstack([components, categories])

    def table(self, table: Table, owner: str) -> Table:
        """The same as a table that knows its categories."""
        first = len(self.axes)
        categories = {first + at: tuple(names) for at, names in enumerate(self.levels.values())}
        values = self.transform(table, owner)
        values[:, first:][values[:, first:] < 0] = np.nan
        return Table(values, tuple(self.names(table.names)), categories)


def _sorted_columns(
    table: Table,
) -> tuple[np.ndarray, dict[int, tuple[str, ...]], dict[int, list[float]], bool]:
    """Columns of numbers; levels of categories, named ones and those of two values; the two values; whether one unit is shared.

    Columns of a single value are neither.
    """
    two: dict[int, list[float]] = {}
    numeric = []
    for j in table.numeric.tolist():
        column = table.values[:, j]
        found, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        if len(found) == 2 and counts.min() >= _REPEATED:
            two[j] = found.tolist()
        elif len(found) > 1:
            numeric.append(j)
    shares_unit = not table.categories and has_common_unit(np.asarray(table.values[:, numeric]))
    if shares_unit:
        numeric = sorted([*numeric, *two])
        two = {}
    levels = {int(j): tuple(names) for j, names in table.categories.items()}
    levels |= {j: tuple(f"{value:g}" for value in found) for j, found in two.items()}
    return np.array(numeric, dtype=np.int64), dict(sorted(levels.items())), two, shares_unit


def _straight(numbers: np.ndarray, straightenings: Mapping[int, Straightening]) -> np.ndarray:
    found = np.array(numbers)
    for at, straightening in straightenings.items():
        found[:, at] = straightening(found[:, at])
    return found


def _scales(
    numbers: np.ndarray, shares_unit: bool, clip: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, inverse deviations (one for all where they share a unit), and inverse deviations once clipped."""
    known = ~np.isnan(numbers)
    count = np.maximum(known.sum(axis=0), 1)
    center = np.where(known, numbers, 0.0).sum(axis=0) / count
    off = np.where(known, numbers - center, 0.0)
    variance = np.square(off).sum(axis=0) / count
    if shares_unit:
        variance = np.full_like(variance, variance.mean())
    scale = _inverse(np.sqrt(variance))
    if shares_unit:
        return center, scale, np.ones_like(scale)
    return center, scale, _inverse(np.clip(off * scale, -clip, clip).std(axis=0))


def principal_axes(centered: np.ndarray, n_components: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The directions that are kept, each with its largest entry above zero, and the share of the variance up to each.

    None keeps all up to 12 dimensions, and of more the first that have 95% of the variance, at most 20.
    """
    n, d = centered.shape
    if not d or not centered.any():
        return np.zeros((0, d)), np.zeros(0)
    if n >= d:
        values, vectors = np.linalg.eigh(centered.T @ centered)
        values, axes = values[::-1], vectors.T[::-1]
    else:
        _, roots, axes = np.linalg.svd(centered, full_matrices=False)
        values = np.square(roots)
    rank = int((values > _NULL * values[0]).sum())
    energy = np.cumsum(values[:rank]) / values[:rank].sum()
    if n_components is not None:
        kept = min(n_components, rank)
    elif rank <= _WHOLE:
        kept = rank
    else:
        kept = min(int(np.searchsorted(energy, _ENERGY)) + 1, _MOST, rank)
    axes = axes[:kept]
    largest = np.argmax(np.round(np.abs(axes), 9), axis=1)
    signs = np.where(axes[np.arange(kept), largest] < 0, -1.0, 1.0)
    return axes * signs[:, None], energy[:kept]


def _inverse(spread: np.ndarray) -> np.ndarray:
    return np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)


def has_common_unit(values: np.ndarray) -> bool:
    """Whether eight columns or more seem to be measured in one unit: of like widths, and lying near each other."""
    if values.shape[1] < _SHARED:
        return False
    low, middle, high = np.nanpercentile(values, [1, 50, 99], axis=0)
    widths = high - low
    wide = float(np.percentile(widths, 90))
    if wide <= 0:
        return False
    alike = float(np.median(widths)) >= _ALIKE * wide
    return alike and float(np.std(middle)) <= wide and float(np.ptp(middle)) <= 2 * wide


def _straightening(column: np.ndarray) -> Straightening | None:
    """The logarithm that makes a column skewed to the right less skewed, if there is one."""
    from scipy.stats import skew

    known = column[~np.isnan(column)]
    if len(known) < 3 or np.ptp(known) == 0:
        return None
    before = float(skew(known))
    if not before > _SKEWED:
        return None
    low = float(known.min())
    middle = float(np.median(known))
    if low < 0 or low < 0.2 * max(middle, 1e-12):
        above = known - low
        found = Straightening(low, float(np.median(above)) or float(above.mean()), True)
    else:
        found = Straightening(low, 1.0, False)
    after = float(skew(found(known)))
    return found if abs(after) < before else None


def _codes_of_values(column: np.ndarray, values: list[float]) -> np.ndarray:
    """0 and 1 for the two values of a column of numbers; NaN for any other."""
    found = np.full(len(column), np.nan)
    for code, value in enumerate(values):
        found[column == value] = code
    return found

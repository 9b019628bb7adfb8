"""What a test says, in one line; and what every paired test asks of its two lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.core.errors import DataError, ParameterError

RandomState: TypeAlias = "int | np.random.Generator | None"
CHUNK_VALUES = 1 << 22
FEW_EXAMPLES, FEW_DISCORDANT = 30, 10


@dataclass(frozen=True, slots=True)
class TestResult:
    """What a test says, in one line when printed; `discordant` counts the examples on which the two methods differ."""

    __test__ = False

    test: str
    difference: float
    p_value: float
    n: int
    statistic: float = float("nan")
    lower: float = float("nan")
    upper: float = float("nan")
    discordant: int | None = None
    caution: str = ""

    def __str__(self) -> str:
        told = [] if np.isnan(self.statistic) else [f"statistic {self.statistic:.4g}"]
        interval = "" if np.isnan(self.lower) else f" (interval {self.lower:.4g} to {self.upper:.4g})"
        told += [f"difference {self.difference:.4g}{interval}", f"p = {self.p_value:.3g}", f"n = {self.n}"]
        return f"{self.test}: {', '.join(told)}.{' ' if self.caution else ''}{self.caution}"

    def significant(self, level: float = 0.05) -> bool:
        """Whether p is at most the level."""
        return self.p_value <= level


def paired(first: ArrayLike, second: ArrayLike, *, numeric: bool = True) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Two lists of the same length, checked, and that length."""
    a, b = np.asarray(first), np.asarray(second)
    if numeric:
        a, b = a.astype(np.float64), b.astype(np.float64)
    if a.ndim == 0 or b.ndim == 0 or len(a) != len(b):
        raise DataError(f"The two methods have {a.size} and {b.size} values: a paired test needs equally many.")
    if len(a) == 0:
        raise DataError("There is nothing to compare: give at least one pair of values.")
    for which, values in (("first", a), ("second", b)):
        if values.dtype.kind == "f" and np.isnan(values).any():
            place = int(np.argwhere(np.isnan(values))[0][0])
            raise DataError(f"Value {place} of the {which} method is NaN; drop that example from both methods.")
    return a, b, len(a)


def checked(replicates: int, level: float, random_state: RandomState) -> np.random.Generator:
    """The generator, after the settings of a resampling test were checked."""
    if replicates < 1:
        raise ParameterError(f"replicates must be at least 1, and was {replicates}.")
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, and was {level}.")
    return np.random.default_rng(random_state)


def caution_for(n: int, discordant: int) -> str:
    """Why a p-value should not be trusted, or nothing."""
    if n < FEW_EXAMPLES:
        return f"Only {n} examples: the p-value is unreliable."
    if discordant < FEW_DISCORDANT:
        return f"The methods differ on only {discordant} examples: the p-value is unreliable."
    return ""

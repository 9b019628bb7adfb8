"""What a test says, in one line; and what every paired test asks of its two lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.core.errors import DataError, ParameterError
from coterie.core.given import numbers_of, yes_no_of

RandomState: TypeAlias = "int | np.random.Generator | None"
CHUNK_VALUES = 1 << 22
Kind = Literal["numbers", "marks", "outputs"]
FEW_EXAMPLES = 30
FEW_DISCORDANT = 10


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
    unreliable: bool = False  # too few examples, or too few that differ

    def __str__(self) -> str:
        told = [] if np.isnan(self.statistic) else [f"statistic {self.statistic:.4g}"]
        interval = (
            "" if np.isnan(self.lower) else f" (interval {self.lower:.4g} to {self.upper:.4g})"
        )
        told += [
            f"difference {self.difference:.4g}{interval}",
            f"p = {self.p_value:.3g}",
            f"n = {self.n}",
        ]
        return f"{self.test}: {', '.join(told)}.{' ' if self.caution else ''}{self.caution}"

    def significant(self, level: float = 0.05) -> bool:
        """Whether p is at most the level."""
        return self.p_value <= level


def paired(
    first: ArrayLike, second: ArrayLike, kind: Kind = "numbers", *, tables: bool = False
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """The values of two methods, checked, and the number of examples: finite numbers, yes/no marks, or outputs of any kind.

    They must have the same shape, and be lists of one value per example unless `tables` of a row per example are wanted;
    outputs may be either.
    """
    a, b = (
        _values(values, kind, f"The values of the {which} method")
        for which, values in (("first", first), ("second", second))
    )
    if a.ndim == b.ndim == 1 and len(a) != len(b):
        raise DataError(
            f"The two methods have {len(a)} and {len(b)} values: a paired test needs equally many."
        )
    if a.ndim == 0 or a.shape != b.shape or (a.ndim > 1 and kind != "outputs" and not tables):
        wanted = "two tables alike" if tables else "two lists alike, one value per example"
        raise DataError(
            f"The values of the two methods have the shapes {a.shape} and {b.shape}: a paired test needs {wanted}."
        )
    if len(a) == 0:
        raise DataError("There is nothing to compare: give at least one pair of values.")
    for which, values in (("first", a), ("second", b)):
        if values.dtype.kind == "f":
            wrong = np.isnan(values) if kind == "outputs" else ~np.isfinite(values)
            if wrong.any():
                place = int(np.argwhere(wrong)[0][0])
                what = "NaN" if np.isnan(values[wrong][0]) else "infinite"
                raise DataError(
                    f"Value {place} of the {which} method is {what}; drop that example from both methods."
                )
    return a, b, len(a)


def _values(values: ArrayLike, kind: Kind, what: str) -> NDArray[Any]:
    if kind == "outputs":
        return np.asarray(values)
    return yes_no_of(values, what) if kind == "marks" else numbers_of(values, what)


def check_level(level: float) -> None:
    """Raise one sentence where a level does not lie between 0 and 1."""
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, and was {level}.")


def checked(replicates: int, level: float, random_state: RandomState) -> np.random.Generator:
    """The generator, after the settings of a resampling test were checked."""
    if replicates < 1:
        raise ParameterError(f"replicates must be at least 1, and was {replicates}.")
    check_level(level)
    return np.random.default_rng(random_state)


def is_unreliable(n: int, discordant: int) -> bool:
    """Whether a p-value rests on too little."""
    return n < FEW_EXAMPLES or discordant < FEW_DISCORDANT


def caution_for(n: int, discordant: int, unit: str = "examples") -> str:
    """Why a p-value should not be trusted, or nothing."""
    if n < FEW_EXAMPLES:
        return f"Only {n} {unit}: the p-value is unreliable."
    if discordant < FEW_DISCORDANT:
        return f"The methods differ on only {discordant} {unit}: the p-value is unreliable."
    return ""

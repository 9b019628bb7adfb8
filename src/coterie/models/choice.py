"""How many states: models of several sizes compared by an information criterion, and the table of what was tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from coterie.core.errors import ParameterError

CRITERIA = ("bic", "aic")
_MOST = 12  # states tried when no range is given
_PATIENCE = 2  # sizes in a row that may be worse before the search ends, when no range is given


@dataclass(frozen=True, slots=True)
class Tried:
    """A model of one size."""

    n_states: int
    log_likelihood: float
    n_parameters: int
    bic: float
    aic: float


@dataclass(frozen=True, slots=True)
class Choice:
    """All sizes that were tried, and the one with the lowest criterion.

    >>> print(Choice("bic", (Tried(1, -50.0, 2, 109.0, 104.0), Tried(2, -30.0, 7, 92.1, 74.0))))
    states  log-likelihood  parameters         BIC         AIC
         1           -50.0           2       109.0       104.0
         2           -30.0           7        92.1        74.0  <- bic
    """

    by: str
    tried: tuple[Tried, ...]

    @property
    def best(self) -> int:
        """The number of states chosen: the lowest criterion, the smaller model at a tie."""
        return min(self.tried, key=lambda row: (getattr(row, self.by), row.n_states)).n_states

    def __str__(self) -> str:
        lines = [
            f"{'states':>6}  {'log-likelihood':>14}  {'parameters':>10}  {'BIC':>10}  {'AIC':>10}"
        ]
        for row in self.tried:
            mark = f"  <- {self.by}" if row.n_states == self.best else ""
            cells = f"{row.n_states:>6}  {row.log_likelihood:>14.1f}  {row.n_parameters:>10}  {row.bic:>10.1f}  {row.aic:>10.1f}"
            lines.append(cells + mark)
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Which sizes are tried, and by which criterion; `patient` ends the search when it no longer gets better."""

    low: int
    high: int
    by: str
    patient: bool

    @classmethod
    def of(cls, given: Any, owner: str) -> Sizes | None:
        """From "bic", "aic", (low, high) or (low, high, "aic"); None where one number is given."""
        if isinstance(given, str):
            return cls(1, _MOST, given, True)
        if not isinstance(given, (tuple, list)):
            return None
        numbers, by = (given[:2], given[2]) if len(given) == 3 else (given, "bic")
        whole = len(numbers) == 2 and all(
            isinstance(number, Integral) and not isinstance(number, bool) for number in numbers
        )
        if not whole or by not in CRITERIA or not 1 <= numbers[0] <= numbers[1]:
            raise ParameterError(
                f"n_states must be a number from 1, bic | aic, or a range (low, high) or (low, high, 'aic') with "
                f"1 <= low <= high, and was {given!r}.",
                owner=owner,
            )
        return cls(int(numbers[0]), int(numbers[1]), by, False)

    def compared(self, attempt: Callable[[int], tuple[Tried, Any]]) -> tuple[Choice, Any]:
        """Try the sizes from the smallest up; the table, and what `attempt` gave for the best one."""
        rows: list[Tried] = []
        best: Any = None
        worse = 0
        for size in range(self.low, self.high + 1):
            row, found = attempt(size)
            value = getattr(row, self.by)
            if not rows or value < min(getattr(other, self.by) for other in rows):
                best = found
                worse = 0
            else:
                worse += 1
            rows.append(row)
            if self.patient and worse >= _PATIENCE:
                break
        return Choice(self.by, tuple(rows)), best

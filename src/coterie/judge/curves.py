"""A curve as data: x, y, their names and an optional band; for ROC and Expected Performance Curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError
from coterie.judge.labels import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One named line, x never falling, with an optional band around it.

    >>> Curve("chance", [0, 1], [0, 1], "false positives", "true positives").area()
    0.5
    """

    name: str
    x: Floats
    y: Floats
    x_label: str = "x"
    y_label: str = "y"
    lower: Floats | None = None
    upper: Floats | None = None
    deviates: bool = False  # both axes are normal deviates of shares

    def __post_init__(self) -> None:
        for field in ("x", "y", "lower", "upper"):
            values = getattr(self, field)
            if values is None:
                continue
            array = np.asarray(values, dtype=np.float64)
            if array.ndim != 1 or array.size == 0:
                raise DataError(
                    f"Curve '{self.name}': {field} must be a list of at least one number."
                )
            object.__setattr__(self, field, array)
            if array.size != self.x.size:
                raise DataError(
                    f"Curve '{self.name}': x has {self.x.size} points and {field} has {array.size}."
                )
        if np.isnan(self.x).any() or (np.diff(self.x) < 0).any():
            raise DataError(f"Curve '{self.name}': x must never fall and have no NaN.")
        if (self.lower is None) != (self.upper is None):
            raise DataError(f"Curve '{self.name}': a band needs both lower and upper.")

    def at(self, x: ArrayLike) -> Floats:
        """y at these x, on straight lines between the points; where the curve jumps, the last value there."""
        last = np.append(self.x[1:] != self.x[:-1], True)
        return np.asarray(
            np.interp(np.asarray(x, dtype=np.float64), self.x[last], self.y[last]), dtype=np.float64
        )

    def area(self) -> float:
        """Area below the curve, by trapezoids."""
        return float(np.trapezoid(self.y, self.x))

    def records(self) -> list[dict[str, Any]]:
        """One plain dict per point, ready for a table or JSON."""
        rows: list[dict[str, Any]] = []
        for i in range(self.x.size):
            row: dict[str, Any] = {
                "curve": self.name,
                self.x_label: float(self.x[i]),
                self.y_label: float(self.y[i]),
            }
            if self.lower is not None and self.upper is not None:
                row |= {"lower": float(self.lower[i]), "upper": float(self.upper[i])}
            rows.append(row)
        return rows


def mean_curve(
    name: str, x: ArrayLike, ys: ArrayLike, x_label: str = "x", y_label: str = "y"
) -> Curve:
    """The mean of several curves on one grid, with a band of one standard error on each side when there
    are several.
    """
    lines = np.atleast_2d(np.asarray(ys, dtype=np.float64))
    if lines.shape[0] == 0:
        raise DataError(f"Curve '{name}': there is no curve to average.")
    middle = lines.mean(axis=0)
    if lines.shape[0] == 1:
        return Curve(name, np.asarray(x, dtype=np.float64), middle, x_label, y_label)
    error = lines.std(axis=0, ddof=1) / np.sqrt(lines.shape[0])
    return Curve(
        name,
        np.asarray(x, dtype=np.float64),
        middle,
        x_label,
        y_label,
        middle - error,
        middle + error,
    )

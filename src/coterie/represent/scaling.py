"""Scaling: columns brought to comparable size, gaps filled, words made columns of their own."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.errors import DataError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.table import Table, column_blocks, row_blocks
from coterie.core.workplace import roomy
from coterie.parts.levels import codes_of
from coterie.parts.units import same_units

_LEVEL = 1.0 / np.sqrt(2.0)  # two rows with different words are then one unit apart


class Scaling(Representer):
    """Numeric columns to comparable spread, gaps to the median, words to one column per level (a mismatch is one unit)."""

    gaps: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    method: str = param(
        "auto",
        "standard (deviation 1), range (0 to 1), robust (quartiles), none; auto centres, and standardizes where spreads differ.",
        choices=("auto", "standard", "range", "robust", "none"),
    )
    factor: float = param(
        10.0,
        "With auto: columns are standardized when the largest spread is over this many lower quartiles of spreads.",
        ge=1,
        advanced=True,
    )

    levels_: dict[int, Any]
    numeric_: np.ndarray
    gaps_: np.ndarray
    fill_: np.ndarray
    constant_: tuple[Any, ...]
    method_: str
    center_: np.ndarray
    scale_: np.ndarray
    names_: tuple[str, ...]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn where every column lies and how wide it is."""
        table = self.check(X)
        values = np.asarray(table.values)
        self.levels_ = dict(table.categories)
        self.numeric_ = table.numeric
        width = values.shape[1]
        self.gaps_, self.fill_, flat, spread = (np.zeros(width) for _ in range(4))
        places: list[dict[str, tuple[np.ndarray, np.ndarray]]] = []
        for some in column_blocks(*values.shape):
            part = values[:, np.arange(some.start, some.stop)]
            missing = np.isnan(part)
            self.gaps_[some] = missing.mean(axis=0)
            self.fill_[some] = [
                np.median(v[~m]) if not m.all() else 0.0
                for v, m in zip(part.T, missing.T, strict=True)
            ]
            np.copyto(part, self.fill_[some], where=missing)
            flat[some] = _flat(part)
            spread[some] = part.std(axis=0)
            places.append({method: _place(part, method) for method in self._asked()})
        still = flat[self.numeric_].astype(bool)
        self.constant_ = tuple(table.names[j] for j in self.numeric_[still])
        self.method_ = self._chosen(spread[self.numeric_][~still])
        center, scale = (
            np.concatenate([found[self.method_][at] for found in places]) for at in (0, 1)
        )
        self.center_ = center[self.numeric_]
        self.scale_ = scale[self.numeric_]
        if self.method_ != "none":
            self.scale_[still] = 0.0
        self.names_ = _names(table)
        self.n_features_out_ = len(self.names_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Scaled numbers, then one column per level; a word not seen before, or a gap, has no level."""
        table = self.check(X, new=True)
        out = roomy((len(table), len(self.numeric_) + sum(map(len, self.levels_.values()))))
        known = codes_of(table, self.levels_, "Scaling")
        for rows in row_blocks(*table.shape):
            numbers = np.array(table.values[rows][:, self.numeric_], dtype=np.float64)
            np.copyto(numbers, self.fill_[self.numeric_], where=np.isnan(numbers))
            numbers -= self.center_
            numbers *= self.scale_
            out[rows, : numbers.shape[1]] = numbers
            at = numbers.shape[1]
            for column, levels in self.levels_.items():
                out[rows, at : at + len(levels)] = _LEVEL * (
                    known[column][rows, None] == np.arange(len(levels))[None, :]
                )
                at += len(levels)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Numeric columns under their names, levels as column=level."""
        names = _names_given(self, input_features)
        if names is None:
            return np.array(self.names_, dtype=object)
        old = {f"x{j}": name for j, name in enumerate(names)}
        return np.array([old.get(name, name) for name in self.names_], dtype=object)

    def _asked(self) -> tuple[str, ...]:
        """The ways to scale that may be chosen."""
        return ("center", "standard") if self.method == "auto" else (self.method,)

    def _chosen(self, spread: np.ndarray) -> str:
        if self.method != "auto":
            return self.method
        if self.levels_:  # beside words, one deviation must weigh what one mismatch weighs
            return "standard"
        return "center" if same_units(spread, self.factor) else "standard"


def _place(values: np.ndarray, method: str) -> tuple[np.ndarray, np.ndarray]:
    """What is taken away from every column, and what it is then multiplied by."""
    width = values.shape[1]
    if method == "none":
        return np.zeros(width), np.ones(width)
    if method == "range":
        low = values.min(axis=0)
        return low, _inverse(values.max(axis=0) - low)
    if method == "robust":
        low, middle, high = np.percentile(values, [25, 50, 75], axis=0)
        spread = np.where(high > low, high - low, values.std(axis=0))
        return middle, _inverse(spread)
    mean = values.mean(axis=0)
    return mean, _inverse(values.std(axis=0)) if method == "standard" else np.ones(width)


def _inverse(spread: np.ndarray) -> np.ndarray:
    return np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)


def _flat(values: np.ndarray) -> np.ndarray:
    """Columns that hold one value, up to rounding."""
    if not values.shape[1]:
        return np.zeros(0, dtype=bool)
    return np.ptp(values, axis=0) <= 10 * np.finfo(np.float64).eps * np.abs(values).max(axis=0)


def _names(table: Table) -> tuple[str, ...]:
    numbers = [table.names[j] for j in table.numeric]
    return (
        *numbers,
        *(
            f"{table.names[j]}={level}"
            for j, levels in table.categories.items()
            for level in levels
        ),
    )


def _names_given(scaling: Scaling, names: Any) -> list[str] | None:
    if names is None:
        return None
    if len(names) != scaling.n_features_in_:
        raise DataError(
            f"input_features should have length equal to {scaling.n_features_in_}, and has {len(names)}.",
            owner="Scaling",
        )
    return [str(name) for name in names]

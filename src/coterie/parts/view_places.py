"""Where new members lie, seen in one view: by weights of its columns (linear kernels, features), or by a kernel.

What is needed for that and nothing more is kept: linear kernels keep no fitted row, and no kernel of the fitted members is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from coterie.core.workplace import steady
from coterie.parts.centered import Centering
from coterie.parts.sides import Compared, FeatureSide
from coterie.parts.view_forms import Products, Whole, same


class Place(Protocol):
    """A fitted view that places new members."""

    def place(self, rows: Any) -> np.ndarray:
        """New members x components."""


@dataclass(frozen=True, eq=False)
class ByColumns:
    """(features(x) - mean) times weights."""

    features: Callable[[Any], Any]
    mean: np.ndarray
    weights: np.ndarray

    def place(self, rows: Any) -> np.ndarray:
        with steady():
            return np.asarray(self.features(rows) @ self.weights - self.mean @ self.weights)


@dataclass(frozen=True, eq=False)
class ByKernel:
    """The kernel of new and fitted members, centered as the fitted ones were, times the weights of the fitted members."""

    rows: Any  # of the fitted members; None where kernels are given
    compared: Compared | None
    centering: Centering
    duals: np.ndarray

    def place(self, rows: Any) -> np.ndarray:
        with steady():
            raw = np.asarray(rows, dtype=np.float64) if self.compared is None else self.compared(rows, self.rows)
            return np.asarray(self.centering.rows(raw) @ self.duals)


def place_of(form: Whole | FeatureSide | Products, duals: np.ndarray, *, linear: bool) -> Place:
    """How a view places new members, given weights of the fitted ones (its members x components)."""
    with steady():
        if isinstance(form, FeatureSide):
            return ByColumns(form.features, form.mean, form.weights(duals) / np.sqrt(form.scale))
        if isinstance(form, Products):
            return ByColumns(same, form.mean, form.back(duals) / form.scale)
        if not linear:
            return ByKernel(form.rows, form.compared, form.centering, duals)
        centered = len(form.centering.means) > 0
        mean = np.asarray(form.rows.mean(axis=0)).ravel() if centered else np.zeros(form.rows.shape[1])
        weights = np.asarray(form.rows.T @ duals) - np.outer(mean, duals.sum(axis=0))
        return ByColumns(same, mean, weights / form.centering.scale)

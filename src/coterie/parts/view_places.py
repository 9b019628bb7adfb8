"""Where new members lie, seen in one view: by weights of its columns (linear kernels, features), or by a kernel.

What is needed for that and nothing more is kept: linear kernels keep no fitted row, unless weights of all columns would be
large, and larger than sparse rows and the weights of the fitted members (text, with many components); no kernel of the fitted
members is kept.
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

_TALL = 4096  # new members compared with the fitted ones at once
_LARGE = 2**25  # bytes of weights up to which no fitted row is kept


class Place(Protocol):
    """A fitted view that places new members."""

    def place(self, rows: Any) -> np.ndarray:
        """New members x components."""

    def by_column(self) -> np.ndarray | None:
        """What each column weighs, columns x components; None where columns have no weights."""


@dataclass(frozen=True, eq=False)
class ByColumns:
    """(features(x) - mean) times weights."""

    features: Callable[[Any], Any]
    mean: np.ndarray
    weights: np.ndarray

    def place(self, rows: Any) -> np.ndarray:
        with steady():
            return np.asarray(self.features(rows) @ self.weights - self.mean @ self.weights)

    def by_column(self) -> np.ndarray | None:
        return self.weights if self.features is same else None


@dataclass(frozen=True, eq=False)
class ByKernel:
    """The kernel of new and fitted members, centered as the fitted ones were, times the weights of the fitted members."""

    rows: Any  # of the fitted members; None where kernels are given
    compared: Compared | None
    centering: Centering
    duals: np.ndarray
    linear: bool = False

    def place(self, rows: Any) -> np.ndarray:
        found = np.empty((rows.shape[0], self.duals.shape[1]))
        for top in range(0, len(found), _TALL):
            block = rows[top : top + _TALL]
            with steady():
                raw = (
                    np.asarray(block, dtype=np.float64)
                    if self.compared is None
                    else self.compared(block, self.rows)
                )
                found[top : top + _TALL] = self.centering.rows(raw) @ self.duals
        return found

    def by_column(self) -> np.ndarray | None:
        if not self.linear:
            return None
        with steady():
            return (
                _weights(self.rows, _mean(self.rows, self.centering), self.duals)
                / self.centering.scale
            )


def place_of(form: Whole | FeatureSide | Products, duals: np.ndarray, *, linear: bool) -> Place:
    """How a view places new members, given weights of the fitted ones (its members x components)."""
    with steady():
        if isinstance(form, FeatureSide):
            return ByColumns(form.features, form.mean, form.weights(duals) / np.sqrt(form.scale))
        if isinstance(form, Products):
            return ByColumns(same, form.mean, form.back(duals) / form.scale)
        if not linear or 8 * form.rows.shape[1] * duals.shape[1] > max(
            _LARGE, duals.nbytes + _bytes(form.rows)
        ):
            return ByKernel(form.rows, form.compared, form.centering, duals, linear)
        mean = _mean(form.rows, form.centering)
        return ByColumns(same, mean, _weights(form.rows, mean, duals) / form.centering.scale)


def _mean(rows: Any, centering: Centering) -> np.ndarray:
    """The mean of the fitted rows; zeros where they are not centered."""
    return (
        np.asarray(rows.mean(axis=0)).ravel() if len(centering.means) else np.zeros(rows.shape[1])
    )


def _weights(rows: Any, mean: np.ndarray, duals: np.ndarray) -> np.ndarray:
    """The centered rows' products with the weights of the members, columns x components."""
    found = np.asarray(rows.T @ duals)
    if mean.any():
        found -= np.outer(mean, duals.sum(axis=0))
    return found


def _bytes(rows: Any) -> int:
    """What rows take up, dense or sparse."""
    return int(
        rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes
        if hasattr(rows, "indptr")
        else rows.nbytes
    )

"""Kernels of members centered and brought to one scale, and new rows treated as the fitted ones were.

A kernel is centered by K - row means - column means + grand mean, and divided by its mean diagonal, so that one
regularization fits views of any size. Rows of a linear kernel keep the mean of their columns instead, and are never filled in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError

_UNEVEN = 1e-8  # of the largest entry: how far a kernel may be from symmetric, and from having no negative eigenvalue


@dataclass(frozen=True, eq=False)
class Centering:
    """What new rows of one kernel need: the means of the fitted rows, the grand mean, and the scale."""

    means: np.ndarray
    grand: float
    scale: float

    def fitted(self, kernel: np.ndarray) -> np.ndarray:
        """The kernel of the fitted members, centered and scaled."""
        return self.rows(kernel)

    def rows(self, kernel: np.ndarray) -> np.ndarray:
        """New members x fitted members, centered with what was fitted and scaled."""
        if not len(self.means):
            return kernel / self.scale
        return (kernel - kernel.mean(axis=1, keepdims=True) - self.means + self.grand) / self.scale


def centering(
    kernel: np.ndarray, owner: str, *, center: bool = True, scale: bool = True
) -> Centering:
    """Learn the means and the scale of a square kernel; a kernel without variation is refused."""
    means = kernel.mean(axis=0) if center else np.zeros(0)
    grand = float(means.mean()) if center else 0.0
    trace = float(np.trace(kernel)) - (len(kernel) * grand if center else 0.0)
    if trace <= _UNEVEN * max(float(np.abs(np.diag(kernel)).sum()), 1e-300):
        lowest = float(np.linalg.eigvalsh(Centering(means, grand, 1.0).rows(kernel))[0])
        if lowest < -_UNEVEN * float(np.abs(kernel).max()):
            raise DataError(
                f"the kernel has the eigenvalue {lowest:.3g}; a kernel has none below zero.",
                owner=owner,
            )
        raise DataError(f"{owner} carries no variation: all its members are alike.")
    return Centering(means, grand, trace / len(kernel) if scale else 1.0)


def checked_kernel(kernel: Any, owner: str) -> np.ndarray:
    """A square, symmetric, finite kernel, or a sentence on what is wrong with it."""
    values = np.asarray(kernel, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise DataError(
            f"a kernel of the fitted members is square, and this has shape {values.shape}.",
            owner=owner,
        )
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise DataError(
            f"the kernel is not a finite number at row {row}, column {column}.", owner=owner
        )
    size = max(float(np.abs(values).max()), 1e-300)
    if np.abs(values - values.T).max() > _UNEVEN * size:
        row, column = np.unravel_index(int(np.abs(values - values.T).argmax()), values.shape)
        raise DataError(
            f"the kernel is not symmetric; entries ({row}, {column}) and ({column}, {row}) differ.",
            owner=owner,
        )
    return (values + values.T) / 2


def positive_part(values: np.ndarray, owner: str) -> np.ndarray:
    """Eigenvalues of a kernel with rounding below zero taken away; a kernel with truly negative ones is refused."""
    top = float(np.abs(values).max(initial=0.0))
    if values.min(initial=0.0) < -_UNEVEN * top:
        raise DataError(
            f"the kernel has the eigenvalue {values.min():.3g} beside {top:.3g}; a kernel has none below zero.",
            owner=owner,
        )
    return np.maximum(values, 0.0)

"""Tiles of distances and kernels on a card, in double precision: what the tile functions of the comparers do, in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coterie.core.errors import need
from coterie.parts.squares import NEAR

_AT_ONCE = 2**24  # values of pairs summed anew at once


def _torch() -> Any:
    return need("torch", extra="neural")


def squares(a: Any, b: Any, a2: Any, b2: Any) -> Any:
    """Squared distances of two blocks of rows; pairs that are close compared to their length are summed anew."""
    torch = _torch()
    both = a2[:, None] + b2
    out = torch.addmm(both, a, b.T, alpha=-2.0)
    i, j = torch.nonzero(out < NEAR * both, as_tuple=True)
    step = max(1, _AT_ONCE // max(a.shape[1], 1))
    for first in range(0, len(i), step):
        some = slice(first, first + step)
        out[i[some], j[some]] = torch.square(a[i[some]] - b[j[some]]).sum(dim=1)
    return out


def euclidean(a: Any, b: Any) -> Any:
    """The length of the difference; sides are (rows, squared lengths, own)."""
    return squares(a[0], b[0], a[1], b[1]).sqrt_()


def gaussian(a: Any, b: Any, width: float) -> Any:
    """exp(-d^2 / (2 width^2)); sides as for `euclidean`."""
    return squares(a[0], b[0], a[1], b[1]).mul_(-0.5 / width**2).exp_()


def cosine(a: Any, b: Any) -> Any:
    """Inner products of unit rows, a member with itself exactly one; sides are (rows, own)."""
    out = (a[0] @ b[0].T).clamp_(-1.0, 1.0)
    out[(a[1][:, None] == b[1]) & (a[1] >= 0)[:, None]] = 1.0
    return out


def chord(a: Any, b: Any) -> Any:
    """sqrt(2 - 2 cos); sides as for `cosine`."""
    out = cosine(a, b).mul_(-2.0).add_(2.0)
    out[out < 1e-14] = 0.0
    return out.sqrt_()


def linear(a: Any, b: Any) -> Any:
    """Inner products; sides are (rows, own)."""
    return a[0] @ b[0].T


def polynomial(a: Any, b: Any, scale: float, offset: float, degree: int) -> Any:
    """(scale * inner product + offset) to a power."""
    return linear(a, b).mul_(scale).add_(offset).pow_(degree)


def minkowski(a: Any, b: Any, p: float) -> Any:
    """The p-th root of the sum of p-th powers, scaled by the largest difference so that no power overflows."""
    torch = _torch()
    if p == 1.0 or p == float("inf"):
        return torch.cdist(a[0], b[0], p=p)
    largest = torch.cdist(a[0], b[0], p=float("inf"))
    over = torch.where(largest > 0, largest, 1.0)
    total = torch.zeros_like(largest)
    for one, other in zip(a[0].T, b[0].T, strict=True):
        total += ((one[:, None] - other).abs_() / over).pow_(p)
    return largest * total.pow_(1.0 / p)


def laplacian(a: Any, b: Any, width: float) -> Any:
    """exp(-d / width) of the sum of absolute differences."""
    return minkowski(a, b, 1.0).mul_(-1.0 / width).exp_()


def divergence(a: Any, b: Any) -> Any:
    """Half the Jeffreys divergences; sides are (shares, logarithms, own products)."""
    found = a[0] @ b[1].T
    found += a[1] @ b[0].T
    return (a[2][:, None] - found).add_(b[2]).mul_(0.5).clamp_(min=0.0)


FORMS: dict[str, Callable[..., Any]] = {
    "euclidean": euclidean,
    "gaussian": gaussian,
    "cosine": cosine,
    "chord": chord,
    "linear": linear,
    "polynomial": polynomial,
    "minkowski": minkowski,
    "laplacian": laplacian,
    "divergence": divergence,
}

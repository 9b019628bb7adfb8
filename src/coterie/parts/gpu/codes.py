"""The share of equal codes of two blocks of members on a card: what the tiles of the binary score of SIC do."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.errors import need
from coterie.parts.gpu.counts import both_counts, equal_counts, planes_for, tested_planes


def coded_sides(rows: tuple[Any, ...], cols: tuple[Any, ...], device: Any) -> tuple[Any, Any]:
    """Sides of (codes by member, packed bits of who was tested, positions) on the device, as planes.

    What is missing has the largest code; among the rows it becomes the one below, so that it never equals anything.
    """
    torch = need("torch", extra="neural")
    codes = [np.ascontiguousarray(side[0].T) for side in (rows, cols)]
    top = np.iinfo(codes[0].dtype).max
    codes[0] = np.where(codes[0] == top, top - 1, codes[0]).astype(codes[0].dtype)
    n = len(codes[0])
    places = [torch.as_tensor(side[2], device=device) for side in (rows, cols)]
    tested = [tested_planes(side[1], n, device) for side in (rows, cols)]
    left, right = planes_for(codes[0], codes[1], device)
    return (left, tested[0], places[0]), (right, tested[1], places[1])


def share(a: tuple[Any, ...], b: tuple[Any, ...], n: int, always: bool) -> Any:
    """The share of iterations with one code among those that tested both; 1 for a member with itself, NaN where none did."""
    torch = need("torch", extra="neural")
    counts = equal_counts(a[0], b[0]).to(torch.float64)
    if always:
        counts /= torch.full_like(
            counts[:1], n
        )  # by a number a card would multiply with its inverse: other bits
    else:
        both = both_counts(a[1], b[1])
        counts = torch.where(both > 0, counts / both, torch.nan)
    counts[a[2][:, None] == b[2]] = 1.0
    return counts

"""The members that share most codes with each member, found on a card a band of rows at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.errors import need
from coterie.core.workplace import watched, workplace
from coterie.parts.gpu.counts import Planes, both_counts, equal_counts, planes_for, tested_planes
from coterie.parts.gpu.device import or_here, room, shrunk

_MOST = 2**31 - 1  # the largest whole number of 32 bits
_PAIRS = 2**30  # of a band, at most: more is no faster
_CELL = 40  # bytes that a pair takes while a band is worked on, at most

Nearest = tuple[np.ndarray, np.ndarray]


def nearest(
    rows: np.ndarray,
    cols: np.ndarray,
    bits: tuple[np.ndarray, np.ndarray] | None,
    k: int,
    own: bool,
) -> Nearest | None:
    """Positions and shares of the k columns with the largest share of equal codes for every row, best first; None without a card.

    Rows and columns are (iterations, members), coded as the compiled counts take them, and `bits` says who was tested when
    (None: everybody always); a row is the column of its own place where `own` says so. The same to the bit as on the
    processor: counts are whole numbers, a share is one division, and ties go to the lower position.
    """
    return or_here(
        lambda card: nearest_on(card, rows, cols, bits, k, own), "the search for nearest members"
    )


def nearest_on(
    device: Any,
    rows: np.ndarray,
    cols: np.ndarray,
    bits: tuple[np.ndarray, np.ndarray] | None,
    k: int,
    own: bool,
) -> Nearest:
    """The same on this device of torch."""
    torch = need("torch", extra="neural")
    where = torch.device(device)
    n = rows.shape[1]
    m = cols.shape[1]
    here = workplace()
    (left, right) = planes_for(rows, cols, where)
    tested = None if bits is None else tuple(tested_planes(side, len(rows), where) for side in bits)
    index = torch.empty((n, k), dtype=torch.int64, device=where)
    value = torch.empty((n, k), dtype=torch.float64, device=where)
    height = max(1, min(room(where) // _CELL, _PAIRS) // max(m, 1))
    at = 0
    with watched(here.watch, "neighbors", n) as task:
        while at < n:

            def band(size: int, at: int = at) -> int:
                some = slice(at, min(at + size, n))
                index[some], value[some] = _band(torch, left, right, tested, some, k, own)
                return some.stop

            last, height = shrunk(band, min(height, n))
            task.advance(last - at)
            at = last
            here.stop_if_asked()
    return index.cpu().numpy(), value.cpu().numpy()


def _band(
    torch: Any,
    left: Planes,
    right: Planes,
    tested: tuple[Planes, ...] | None,
    some: slice,
    k: int,
    own: bool,
) -> tuple[Any, Any]:
    """The nearest of some rows: every pair gets a whole number that no other of its row has, by share and then by position."""
    counts = equal_counts(left[some], right)
    n = left.n_iterations
    m = right.n_members
    both = None if tested is None else both_counts(tested[0][some], tested[1])
    keys, levels = (counts, n + 1) if both is None else _levels(torch, counts, both, n)
    if keys.dtype != torch.int64 and levels * m > _MOST:
        keys = keys.to(torch.int64)
    kept = None if both is None else (counts, both)
    keys = keys * m if both is not None else keys.mul_(m)
    keys += torch.arange(m - 1, -1, -1, dtype=keys.dtype, device=keys.device)
    if own:
        line = torch.arange(len(keys), device=keys.device)
        keys[line, line + some.start] = -1
    best = torch.topk(keys, k, dim=1, sorted=True).values.to(torch.int64)
    near = m - 1 - best % m
    if kept is None:
        shared = torch.div(best, m, rounding_mode="floor").to(torch.float64)
        return near, shared / torch.full_like(
            shared, n
        )  # by a number a card would multiply with its inverse: other bits
    shared, times = (torch.gather(part, 1, near).to(torch.float64) for part in kept)
    return near, torch.where(times > 0, shared / times, torch.nan)


def _levels(torch: Any, counts: Any, both: Any, n: int) -> tuple[Any, int]:
    """Shares as whole numbers in their order: two that differ do so by more than 1 / n^2, so a grid finer than that tells them.

    A pair that was never tested together has the level 0, and a share of 0 the level 1.
    """
    fine = 4 * n * n
    share = (counts.to(torch.float64) / both.clamp(min=1)).mul_(fine).round_().to(torch.int64)
    return torch.where(both > 0, share + 1, 0), fine + 2

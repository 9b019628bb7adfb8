"""An affinity whose rows lie on a card: its tiles are made there, and each row's nearest are found there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coterie.core.affinity import Affinity, Lazy, band_rows, cut, form_of, nearest_in
from coterie.core.errors import need
from coterie.core.ragged import Ragged
from coterie.core.workplace import watched, workplace
from coterie.parts.gpu import distances, sets
from coterie.parts.gpu.codes import coded_sides, share
from coterie.parts.gpu.device import CardFull, card, room, shrunk, tell

_CELL = 64  # bytes that a pair takes while a band is worked on, about
_MADE: dict[str, Callable[..., Any]] = {
    **distances.FORMS,
    "mmd": sets.discrepancy,
    "mmd features": sets.feature_discrepancy,
    "share": share,
}
_FULL = "using: tiles of an affinity do not fit the memory of the device '{}'; they are made on the processor."


def placed(affinity: Affinity) -> Affinity:
    """The same affinity with its rows on the card in force; as it was where no card is asked for or none can do it."""
    here = workplace()
    if here.device == "cpu" or not isinstance(affinity, Lazy) or here.crew is not None:
        return affinity
    from coterie.parts.workers import share_memory

    found = form_of(affinity.tile)
    if found is None or not _plain(affinity, *found) or not share_memory():
        return affinity
    where = card()
    return affinity if where is None else placed_on(where, affinity)


def placed_on(device: Any, affinity: Lazy) -> Affinity:
    """The same on this device of torch."""
    found = form_of(affinity.tile)
    if found is None:
        return affinity
    try:
        (rows, cols), _ = shrunk(lambda _: _sides(affinity, found[0], device), 1)
    except CardFull:
        tell(_FULL.format(device))
        return affinity
    return Placed(affinity, rows, cols, found, device)


class Placed(Affinity):
    """Tiles come from the card as plain arrays; a tile that does not fit there is made in parts, and then here."""

    def __init__(
        self, lazy: Lazy, rows: Any, cols: Any, form: tuple[str, dict[str, Any]], device: Any
    ) -> None:
        self.lazy = lazy
        self.rows = rows
        self.cols = cols
        self.device = device
        self.make = _MADE[form[0]]
        self.given = form[1]
        self.shape = lazy.shape
        self.kind = lazy.kind
        self.symmetric = lazy.symmetric
        self.own = lazy.own

    def there(self, rows: slice, cols: slice) -> Any:
        """The values of these rows and columns as a tensor on the card."""
        return self.make(cut(self.rows, rows), cut(self.cols, cols), **self.given)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        first, last, _ = rows.indices(self.shape[0])

        def part(height: int) -> list[np.ndarray]:
            tops = range(first, last, max(height, 1))
            return [self.there(slice(a, min(a + height, last)), cols).cpu().numpy() for a in tops]

        try:
            found, _ = shrunk(part, max(last - first, 1))
        except CardFull:
            tell(_FULL.format(self.device))
            return self.lazy.block(rows, cols)
        return np.concatenate(found) if len(found) != 1 else found[0]

    def nearest(self, k: int, label: str) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Positions and values of each row's k nearest, nearest first, ties to the lower position; some rows at a time."""
        here = workplace()
        (n, m) = self.shape
        height = max(1, room(self.device) // (_CELL * max(m, 1)))
        at = 0
        with watched(here.watch, label, n) as task:
            while at < n:
                rows = slice(at, min(at + height, n))

                def band(size: int, rows: slice = rows) -> tuple[slice, np.ndarray, np.ndarray]:
                    some = slice(rows.start, min(rows.start + size, rows.stop))
                    return some, *self._nearest(some, k)

                try:
                    found, height = shrunk(band, rows.stop - rows.start)
                except CardFull:
                    tell(_FULL.format(self.device))
                    found = self._nearest_here(rows, k)
                yield found
                task.advance(found[0].stop - at)
                at = found[0].stop
                here.stop_if_asked()

    def _nearest_here(self, rows: slice, k: int) -> tuple[slice, np.ndarray, np.ndarray]:
        """The same of the first of these rows on the processor, as many as make a band there."""
        m = self.shape[1]
        some = slice(rows.start, min(rows.start + band_rows(m), rows.stop))
        return some, *nearest_in(
            self.lazy.block(some, slice(0, m)), some, self.lazy, k=k, itself=not self.square
        )

    def _nearest(self, rows: slice, k: int) -> tuple[np.ndarray, np.ndarray]:
        torch = need("torch", extra="neural")
        values = self.there(rows, slice(0, self.shape[1]))
        keys = -values if self.kind == "similarity" else values.clone()
        if self.square:
            line = torch.arange(len(keys), device=keys.device)
            keys[line, line + rows.start] = values[line, line + rows.start] = torch.nan
        near = smallest(
            torch, keys.nan_to_num_(nan=torch.inf, posinf=torch.inf, neginf=-torch.inf), k
        )
        return near.cpu().numpy(), torch.gather(values, 1, near).cpu().numpy()


def smallest(torch: Any, keys: Any, k: int) -> Any:
    """Columns of the k smallest values of each row, rising; equal values by column."""
    if k >= keys.shape[1]:
        return torch.sort(keys, dim=1, stable=True).indices
    last = torch.topk(keys, k, dim=1, largest=False, sorted=True).values[:, -1:]
    take = keys <= last
    if bool((take.sum(dim=1) > k).any()):
        tied = keys == last
        spare = k - (keys < last).sum(dim=1, keepdim=True)
        take &= ~(tied & (torch.cumsum(tied, dim=1) > spare))
    chosen = torch.nonzero(take)[:, 1].reshape(len(keys), k)
    order = torch.sort(torch.gather(keys, 1, chosen), dim=1, stable=True).indices
    return torch.gather(chosen, 1, order)


def _plain(affinity: Lazy, name: str, given: dict[str, Any]) -> bool:
    """Whether the rows are plain arrays (or sets), and the settings are ones the card knows."""
    if name == "mmd":
        return sets.can_do(given["kernel"])
    parts = (*affinity.rows, *affinity.cols)
    return (
        all(isinstance(part, np.ndarray) and part.dtype != object for part in parts)
        and min(affinity.shape) > 0
    )


def _sides(affinity: Lazy, name: str, device: Any) -> tuple[Any, Any]:
    """Rows and columns on the device; once, where they are the same."""
    if name == "share":
        return coded_sides(affinity.rows, affinity.cols, device)
    rows = tuple(_put(part, device) for part in affinity.rows)
    return rows, rows if affinity.rows is affinity.cols else tuple(
        _put(part, device) for part in affinity.cols
    )


def _put(part: Any, device: Any) -> Any:
    if isinstance(part, Ragged):
        return sets.Sets.of(part, device)
    return need("torch", extra="neural").as_tensor(np.ascontiguousarray(part), device=device)

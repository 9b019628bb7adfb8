"""One sweep over all points of all sets: their keys to their own set and to every other, block by block, on the workers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.ragged import Ragged
from coterie.parts.row_metrics import RowMetric, Side, row_metric
from coterie.parts.sequences import whole_sets
from coterie.parts.workers import in_order

_CELLS = (
    2**19
)  # distances held at once by a worker; a constant, so that results never depend on the workplace
_LEAST = 8  # rows of a block at least
# rows that a block has where it would have fewer, while it stays below so many distances
_TALL = 128
_LARGE = 2**22
_PIECES = 16  # pieces a large set is cut into at most


def center_of(members: Ragged, metric: Any, owner: str) -> np.ndarray | None:
    """What vectors are moved by before distances are taken; new members must be moved by the same to agree to the bit."""
    return row_metric(metric, members, owner=owner).center


class _Room(threading.local):
    """Memory for the keys of a block, one for every thread: new memory would cost as much as the products themselves."""

    held = np.empty(0)

    def of(self, rows: int, cols: int) -> np.ndarray:
        """An array of this shape, filled with whatever."""
        if len(self.held) < rows * cols:
            self.held = np.empty(rows * cols)
        return self.held[: rows * cols].reshape(rows, cols)


_ROOM = _Room()


@dataclass(frozen=True)
class Part:
    """Whole sets from `first` to `last`, or a piece of a single one: the points from `start` to `stop` of all."""

    first: int
    last: int
    start: int
    stop: int

    @property
    def sets(self) -> slice:
        """The sets, as positions."""
        return slice(self.first, self.last)

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, eq=False)
class Block:
    """Some points: keys to every column, keys into the own set (infinite at the point itself), and whose they are."""

    keys: np.ndarray
    own: np.ndarray
    which: np.ndarray  # set of each point, counted from the first set of the part
    base: (
        np.ndarray
    )  # first point of that set, counted from the first point of the first set of the part
    skip: np.ndarray  # the columns' set that is the point's own, or -1


@dataclass(frozen=True, eq=False)
class Sweep:
    """The points of `rows` seen against the sets of `cols` (against one another, where there are none)."""

    metric: RowMetric
    offsets: np.ndarray
    points: Side  # one row per point of `rows`
    inside: Side  # the same with padding, as columns
    cols: Side
    square: bool

    @classmethod
    def of(
        cls,
        rows: Ragged,
        cols: Ragged | None,
        metric: Any,
        *,
        owner: str = "Orders",
        center: np.ndarray | None = None,
    ) -> Sweep:
        """Sets made ready; refuses missing values and metrics that do not exist."""
        rows = whole_sets(rows, owner)
        if cols is not None:
            cols = whole_sets(cols, owner)
        known = row_metric(metric, rows, cols, owner=owner, center=center)
        points = known.side(rows, pad=1)
        inside = known.side(rows)
        return cls(
            known,
            rows.offsets,
            points,
            inside,
            inside if cols is None else known.side(cols),
            cols is None,
        )

    def parts(self) -> list[Part]:
        """Pieces of work of about one block each; a set larger than a block is cut, not into many."""
        height = self._height
        out = []
        first = 0
        n = len(self.offsets) - 1
        while first < n:
            last = max(
                first + 1,
                int(np.searchsorted(self.offsets, self.offsets[first] + height, side="right")) - 1,
            )
            start = int(self.offsets[first])
            stop = int(self.offsets[last])
            step = max(height, -(-(stop - start) // _PIECES))
            out += [Part(first, last, a, min(a + step, stop)) for a in range(start, stop, step)]
            first = last
        return out

    def blocks(self, part: Part) -> Iterator[Block]:
        """The points of a part with all their keys, a few at a time; the keys of one block lie where those of the last did."""
        for start in range(part.start, part.stop, self._height):
            stop = min(start + self._height, part.stop)
            which = np.repeat(np.arange(part.first, part.last), self.points.sizes[part.sets])
            which = which[
                start - int(self.offsets[part.first]) : stop - int(self.offsets[part.first])
            ]
            room = _ROOM.of(stop - start, len(self.cols.values)) if self.metric.by_product else None
            yield Block(
                self.metric.keys(self.points, slice(start, stop), self.cols, room=room),
                self._own(start, stop, int(which[0]), int(which[-1])),
                which - part.first,
                self.offsets[which] - self.offsets[part.first],
                which if self.square else np.full(len(which), -1),
            )

    def run(
        self, work: Callable[[Part], Any], label: str = "neighbor orders"
    ) -> Iterator[tuple[Part, Any]]:
        """What `work` says of every part, in order."""
        parts = self.parts()
        try:
            yield from zip(parts, in_order(work, parts, label, size=len), strict=True)
        finally:
            _ROOM.held = np.empty(0)

    @property
    def _height(self) -> int:
        """Rows of a block: as many as fit, and more where that is few, since thin matrix products are slow."""
        wide = max(len(self.cols.values), 1)
        return max(_LEAST, _CELLS // wide, min(_TALL, _LARGE // wide))

    def _own(self, start: int, stop: int, first: int, last: int) -> np.ndarray:
        starts = self.inside.starts
        wide = int(np.diff(starts[first : last + 2]).max())
        out = np.full((stop - start, wide), np.inf)
        for i in range(first, last + 1):
            a = max(start, int(self.offsets[i]))
            b = min(stop, int(self.offsets[i + 1]))
            columns = slice(int(starts[i]), int(starts[i + 1]))
            out[a - start : b - start, : columns.stop - columns.start] = self.metric.keys(
                self.points, slice(a, b), self.inside, columns
            )
            out[np.arange(a - start, b - start), np.arange(a, b) - self.offsets[i]] = np.inf
        return out

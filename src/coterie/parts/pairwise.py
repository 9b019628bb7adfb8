"""The one driver of all n x n work: tiles, symmetry, members x members and queries x members, workers, memory, resume."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, Literal

import numpy as np

from coterie.core import affinity as tiles
from coterie.core.affinity import (
    Affinity,
    Condensed,
    Dense,
    Graph,
    Kind,
    Lazy,
    Tile,
    band_rows,
    is_searched,
    nearest_in,
    pick,
)
from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.workplace import at_once, fits, workplace
from coterie.parts.approximate import searched
from coterie.parts.workers import Keep, in_order, share_memory

_OVER = 3  # times the bytes of a tile that its making takes
_SAMPLE = 1000  # members looked at when a scale is read off a large affinity
# bytes of a neighbor in a list, and while a graph is made of the list
LISTED = 16
_LINKED = 40


def pairwise(
    tile: Tile,
    rows: Any,
    cols: Any = None,
    *,
    kind: Kind,
    symmetric: bool | None = None,
    label: str = "compare",
    costly: bool = True,
    shape: tuple[int, int] | None = None,
) -> Dense:
    """Fill a dense affinity with `tile(rows[a:b], cols[c:d])`; members x members when `cols` is None.

    A costly one is kept tile by tile, so that a run that was killed goes on where it stood. `shape` is that of a tile
    where a pair costs so much that the usual one would be too large a piece of work; a constant of the method.
    """
    square = cols is None
    lazy = Lazy(
        tile, rows, rows if square else cols, kind, square if symmetric is None else symmetric
    )
    return dense(lazy, label=label, costly=costly, shape=shape)


def dense(
    affinity: Affinity,
    *,
    label: str = "compare",
    costly: bool = False,
    shape: tuple[int, int] | None = None,
) -> Dense:
    """Every value in one array; refuses, with the size, what does not fit the memory given."""
    if isinstance(affinity, Dense):
        return affinity
    n, m = affinity.shape
    each = tile_bytes(affinity, shape)
    workers = at_once(each, n * m * 8)
    fits(n * m * 8 + workers * each, f"A dense {n} x {m} affinity")
    out = np.empty((n, m))
    mirror = affinity.symmetric and affinity.square
    key = workplace().key(label) if costly else ""

    def place(rows: slice, cols: slice, values: np.ndarray) -> None:
        out[rows, cols] = values
        if mirror:
            _mirror(out, rows, cols)

    _tiles(affinity, mirror, label, key, place, shape, workers)
    return Dense(out, affinity.kind, affinity.symmetric, affinity.own)


def condensed(affinity: Affinity, *, label: str = "compare") -> Condensed:
    """The upper triangle only: half the memory of `dense`."""
    if isinstance(affinity, Condensed):
        return affinity
    n = affinity.shape[0]
    if not (affinity.square and affinity.symmetric):
        raise DataError("Only a symmetric members x members affinity can be condensed.")
    workers = at_once(tile_bytes(affinity), n * (n - 1) * 4)
    fits(n * (n - 1) * 4 + workers * tile_bytes(affinity), f"A condensed affinity of {n} members")
    out = np.empty(n * (n - 1) // 2)
    starts = np.arange(n) * (2 * n - np.arange(n) - 1) // 2

    def place(rows: slice, cols: slice, values: np.ndarray) -> None:
        for i in range(rows.start, rows.stop):
            first = max(cols.start, i + 1)
            if first < cols.stop:
                out[starts[i] + first - i - 1 : starts[i] + cols.stop - i - 1] = values[
                    i - rows.start, first - cols.start :
                ]

    _tiles(affinity, True, label, "", place, None, workers)
    corner = float(affinity.block(slice(0, 1), slice(0, 1))[0, 0])
    return Condensed(out, n, affinity.kind, corner)


def graph(
    affinity: Affinity,
    k: int,
    *,
    approximate: bool | str = False,
    effort: float = 1.0,
    label: str = "neighbors",
) -> Graph:
    """Each row's k nearest (itself left out when members x members), found band by band; ties go to the lower position.

    With `approximate` no work grows with the square of the members: about the k nearest are found by a search, and `recall`
    of the graph says which share of the true ones, measured on a sample; more `effort` finds more of them. "auto" searches
    where that is faster: from some ten thousand members on, if the affinity can be searched.
    """
    if not isinstance(affinity, Affinity):
        raise DataError(
            f"graph takes an affinity, such as Euclidean().fit(rows).affinity_, and was given {type(affinity).__name__}."
        )
    n, m = affinity.shape
    if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
        raise ParameterError(f"graph: k must be a whole number from 1, and was {k!r}.")
    kept = min(k, m - 1 if affinity.square else m)
    if isinstance(affinity, Graph):
        return affinity
    if approximate and is_searched(affinity, approximate, effort):
        near_ones, values, recall = searched(affinity, kept, effort, label)
        return graph_of_nearest(
            near_ones, values, m, affinity.kind, own=affinity.own, recall=recall
        )
    fits(
        n * kept * _LINKED,
        f"A graph of {n:,} members with {kept} neighbors each",
        "take fewer neighbors",
    )
    index = np.empty((n, kept), dtype=np.int64)
    value = np.empty((n, kept))
    there: Any = on_card(affinity)
    search = partial(nearest_in, k=kept, itself=not affinity.square)
    bands = partial(reduce_bands, search, affinity, label=label, beside=n * kept * LISTED)
    for rows, near, values in bands() if there is affinity else there.nearest(kept, label):
        index[rows] = near
        value[rows] = values
    return graph_of_nearest(index, value, m, affinity.kind, own=affinity.own)


def graph_of_nearest(
    index: np.ndarray,
    value: np.ndarray,
    n_columns: int,
    kind: Kind,
    *,
    own: bool = True,
    recall: float | None = None,
) -> Graph:
    """Positions and values of each row's nearest as a graph; a pair that was never compared (NaN) is no edge."""
    import scipy.sparse as sp

    known = ~np.isnan(value)
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    matrix = sp.csr_array((value[known], index[known], starts), shape=(len(index), n_columns))
    matrix.sort_indices()  # here, where it is ours: a Graph makes a copy of what is not sorted
    return Graph(matrix, kind, symmetric=False, own=own, recall=recall)


def reduce_bands(
    reduce: Callable[[np.ndarray, slice, Affinity], tuple[Any, ...]],
    affinity: Affinity,
    *,
    label: str = "compare",
    beside: float = 0.0,
) -> Iterator[tuple[Any, ...]]:
    """Run `reduce(values, rows, affinity)` on full bands of rows, in order, without ever holding n x n values.

    Yields (rows, *what reduce gave) band after band; `beside` are the bytes in which whoever asked gathers that.
    """
    n, m = affinity.shape
    there = on_card(affinity)
    height = band_rows(m)
    bands = [slice(a, min(a + height, n)) for a in range(0, n, height)]
    each = 8 * min(height, n) * m * _OVER

    def work(rows: slice) -> tuple[Any, ...]:
        values = there.block(rows, slice(0, m))
        return (rows, *reduce(values, rows, affinity))

    workers = at_once(each, beside)
    fits(workers * each + beside, f"A band of {min(height, n)} x {m} values", "take fewer members")
    yield from in_order(work, bands, label, travels=True, workers=workers)


def tile_bytes(affinity: Affinity, shape: tuple[int, int] | None = None) -> int:
    """What a worker holds while it makes one tile: its values and what they are made of; 0 where all are held."""
    if isinstance(affinity, Dense):
        return 0
    (n, m) = affinity.shape
    (high, wide) = shape or (tiles.ROWS, tiles.COLS)
    return 8 * min(high, n) * min(wide, m) * _OVER


def on_card(affinity: Affinity) -> Affinity:
    """The same affinity with its rows on the card that `using(device=...)` names; as it was without one."""
    if workplace().device == "cpu":
        return affinity
    from coterie.parts.gpu.placed import placed

    return placed(affinity)


def similarity(affinity: Affinity, scale: float | Literal["median"] = "median") -> Affinity:
    """A distance as a similarity exp(-d^2 / (2 s^2)); s is the median distance unless given. A similarity stays."""
    if affinity.kind == "similarity":
        return affinity
    width = median_distance(affinity) if scale == "median" else float(scale)
    if not width > 0:
        raise DataError(
            "The distances have no positive median: most members are identical, so no kernel width can be read off."
        )
    return _searchable(
        changed(affinity, _Gaussian(width), "similarity"), affinity, _Gaussian(width)
    )


def distance(affinity: Affinity) -> Affinity:
    """A similarity of at most one as the distance 1 - s, never below zero; a pair never compared is at 1. A distance stays."""
    if affinity.kind == "distance":
        return affinity
    return _searchable(changed(affinity, _one_minus, "distance"), affinity, _one_minus)


def _searchable(
    found: Affinity, affinity: Affinity, function: Callable[[np.ndarray], np.ndarray]
) -> Affinity:
    """An affinity made by a falling function can be searched where the one it was made of can."""
    if not (isinstance(found, Lazy) and isinstance(affinity, Lazy) and affinity.search is not None):
        return found
    from coterie.parts.near_rows import Through

    return replace(found, search=partial(Through, affinity.search, function))


class _Gaussian:
    def __init__(self, width: float) -> None:
        self.width = width

    def __call__(self, values: np.ndarray) -> np.ndarray:
        scaled = np.asarray(np.square(values, dtype=np.float64))
        scaled *= -0.5 / self.width**2
        return np.exp(scaled, out=scaled)


def _one_minus(values: np.ndarray) -> np.ndarray:
    return np.nan_to_num(np.maximum(1.0 - values, 0.0), nan=1.0)


def changed(
    affinity: Affinity, function: Callable[[np.ndarray], np.ndarray], kind: Kind
) -> Affinity:
    """The same affinity with every value put through an elementwise function, held the way it was held."""
    if isinstance(affinity, Dense):
        return Dense(function(affinity.values), kind, affinity.symmetric, affinity.own)
    if isinstance(affinity, Graph):
        matrix = affinity.values.copy()
        matrix.data = function(matrix.data)
        return Graph(matrix, kind, affinity.symmetric, affinity.own)
    if isinstance(affinity, Condensed):
        corner = float(function(np.array([affinity.diagonal]))[0])
        return Condensed(function(affinity.values), affinity.n_members, kind, corner)
    n, m = affinity.shape

    def tile(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        if _in_a_row(rows) and _in_a_row(cols):
            return function(affinity.block(_span(rows), _span(cols)))
        return function(submatrix(affinity, rows, cols))

    rows = np.arange(n)
    return Lazy(tile, rows, rows if affinity.square else np.arange(m), kind, affinity.symmetric)


def median_distance(affinity: Affinity) -> float:
    """The median off-diagonal value; of a fixed sample of members when there are many."""
    if isinstance(affinity, Graph):
        return float(np.median(affinity.values.data)) if affinity.values.nnz else 0.0
    if isinstance(affinity, Condensed):
        return float(np.median(affinity.values)) if len(affinity.values) else 0.0
    values = sampled(affinity, _SAMPLE)
    if affinity.square:
        values = values[~np.eye(len(values), dtype=bool)]
    return float(np.median(values)) if values.size else 0.0


def sampled(affinity: Affinity, most: int) -> np.ndarray:
    """Rows and columns of at most `most` members, the same ones every time."""
    n, m = affinity.shape
    if not affinity.square:
        return affinity.block(slice(0, min(n, most)), slice(0, m))
    chosen = (
        np.arange(n) if n <= most else np.sort(stream(0, n).choice(n, size=most, replace=False))
    )
    return submatrix(affinity, chosen, chosen)


def submatrix(affinity: Affinity, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """Any rows and columns as a plain array."""
    if isinstance(affinity, Dense):
        return affinity.values[np.ix_(rows, cols)]
    if isinstance(affinity, Lazy):
        return np.asarray(
            affinity.tile(pick(affinity.rows, rows), pick(affinity.cols, cols)), dtype=np.float64
        )
    out = np.empty((len(rows), len(cols)))
    for at, row in enumerate(rows):
        out[at] = affinity.block(slice(int(row), int(row) + 1), slice(0, affinity.shape[1]))[
            0, cols
        ]
    return out


def _span(positions: np.ndarray) -> slice:
    return slice(int(positions[0]), int(positions[-1]) + 1) if len(positions) else slice(0, 0)


def _in_a_row(positions: np.ndarray) -> bool:
    return len(positions) < 2 or bool((np.diff(positions) == 1).all())


def _mirror(out: np.ndarray, rows: slice, cols: slice) -> None:
    """Copy a finished tile to its mirror image; on the diagonal the upper value wins."""
    if cols.start == rows.start:
        square = out[rows, rows]
        low = np.tril_indices(len(square), -1)
        square[low] = square.T[low]
        cols = slice(rows.stop, cols.stop)
    if cols.stop > cols.start:
        out[cols, rows] = out[rows, cols].T


def _tiles(
    affinity: Affinity,
    mirror: bool,
    label: str,
    key: str,
    place: Callable[[slice, slice, np.ndarray], None],
    shape: tuple[int, int] | None,
    workers: int,
) -> None:
    """Compute all tiles (only what is on and right of the diagonal when mirrored) and hand each to `place`.

    Workers that share memory place their own tiles, which lie apart; others send them back. Tiles that took long are
    kept under `key`.
    """
    n, m = affinity.shape
    high, wide = shape or (tiles.ROWS, tiles.COLS)
    spots = [
        (slice(a, min(a + high, n)), slice(c, min(c + wide, m)))
        for a in range(0, n, high)
        for c in range(a if mirror else 0, m, wide)
    ]

    there = on_card(affinity)
    keep = Keep.array(lambda spot: f"{key}/{spot[0].start}-{spot[1].start}") if key else None

    def make(spot: tuple[slice, slice]) -> np.ndarray:
        return there.block(spot[0], spot[1])

    if share_memory():
        found = make if keep is None else keep.around(make)
        for _ in in_order(
            lambda spot: place(spot[0], spot[1], found(spot)), spots, label, workers=workers
        ):
            pass
    else:
        for spot, values in zip(
            spots,
            in_order(make, spots, label, travels=True, keep=keep, workers=workers),
            strict=True,
        ):
            place(*spot, values)

"""Affinity: how alike (or how far apart) two members are; stored dense, condensed, as a graph, or computed when asked."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from coterie.core.errors import DataError, ParameterError

Work = TypeVar("Work", bound=Callable[..., Any])
Kind = Literal["similarity", "distance"]
Tile = Callable[[Any, Any], np.ndarray]  # (block of rows, block of columns) -> values


class Affinity(ABC):
    """Square (members x members) or queries x members; `block` gives any part of it as a plain array."""

    shape: tuple[int, int]
    kind: Kind
    symmetric: bool
    own: bool = True  # False for queries x members, which may be square by chance

    @abstractmethod
    def block(self, rows: slice, cols: slice) -> np.ndarray:
        """The values of these rows and columns as a new array."""

    @staticmethod
    def of(values: Any, kind: Kind, symmetric: bool | None = None, own: bool = True) -> Affinity:
        """Say what a plain array (or sparse matrix of neighbours) is.

        >>> Affinity.of([[0.0, 2.0], [2.0, 0.0]], kind="distance")
        Dense(2 x 2 distance)
        """
        if isinstance(values, Affinity):
            return values
        if kind not in ("similarity", "distance"):
            raise DataError(
                f"Affinity.of: kind must be 'similarity' or 'distance', and was {kind!r}."
            )
        if hasattr(values, "tocsr"):
            return Graph(values, kind, symmetric, own)
        array = _numbers(values)
        if array.ndim != 2:
            raise DataError(f"An affinity has two dimensions, and was given {array.ndim}.")
        if np.isnan(array).any():
            row, col = np.argwhere(np.isnan(array))[0]
            raise DataError(
                f"The affinity has NaN at row {row}, column {col}; fill or drop that pair first."
            )
        if symmetric is None:
            symmetric = array.shape[0] == array.shape[1] and bool(
                np.allclose(array, array.T, rtol=1e-10, atol=1e-12)
            )
        return Dense(array, kind, symmetric, own)

    @property
    def n(self) -> int:
        """Number of members (columns)."""
        return self.shape[1]

    @property
    def square(self) -> bool:
        """Members x members: rows and columns are the same members."""
        return self.own and self.shape[0] == self.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]} x {self.shape[1]} {self.kind})"


def _numbers(values: Any) -> np.ndarray:
    try:
        array = np.asarray(values)
        if (
            array.dtype.kind not in "cMm"
        ):  # these would be cut to what is left of them as plain numbers
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise DataError(
        "An affinity is a table of real numbers, one row per member, and was given something else."
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dense(Affinity):
    """Every value in one array."""

    values: np.ndarray
    kind: Kind
    symmetric: bool = True
    own: bool = True

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        return self.values.shape[0], self.values.shape[1]

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        return np.array(self.values[rows, cols])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Condensed(Affinity):
    """The upper triangle of a symmetric affinity, row by row (SciPy's order), and one value for the diagonal."""

    values: np.ndarray
    n_members: int
    kind: Kind
    diagonal: float = 0.0
    symmetric: bool = True

    def __post_init__(self) -> None:
        if len(self.values) != self.n_members * (self.n_members - 1) // 2:
            raise DataError(
                f"{len(self.values)} condensed values do not fit {self.n_members} members."
            )

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        return self.n_members, self.n_members

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        i = np.arange(*rows.indices(self.n_members))[:, None]
        j = np.arange(*cols.indices(self.n_members))[None, :]
        low = np.minimum(i, j)
        high = np.maximum(i, j)
        place = low * (2 * self.n_members - low - 1) // 2 + high - low - 1
        same = low == high
        return np.where(
            same, self.diagonal, self.values[np.where(same, 0, place)] if len(self.values) else 0.0
        )


class Graph(Affinity):
    """Only the neighbours, as a sparse matrix; what is not stored is 'not near' (0, or infinitely far).

    `recall` is the share of the true neighbours that an approximate search found, measured on a sample; None where the
    graph was not searched for.
    """

    stored_fields: ClassVar[tuple[str, ...]] = ("values", "kind", "symmetric", "own", "recall")
    recall: float | None = None

    def __init__(
        self,
        values: Any,
        kind: Kind,
        symmetric: bool | None = None,
        own: bool = True,
        recall: float | None = None,
    ) -> None:
        import scipy.sparse as sp

        matrix = sp.csr_array(values, dtype=np.float64)
        if not matrix.has_sorted_indices:
            matrix = (
                matrix.sorted_indices()
            )  # a copy: the numbers may be those of the caller's own matrix
        if matrix.nnz and not np.isfinite(matrix.data).all():
            raise DataError("The neighbour graph has values that are not finite numbers.")
        self.values = matrix
        self.kind = kind
        self.own = own
        self.recall = recall
        if symmetric is None:
            symmetric = matrix.shape[0] == matrix.shape[1] and bool(
                abs(matrix - matrix.T).max() <= 1e-12 if matrix.nnz else True
            )
        self.symmetric = symmetric

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        return int(self.values.shape[0]), int(self.values.shape[1])

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        part = self.values[rows, cols]
        if self.kind == "similarity":
            return np.asarray(part.toarray())
        far = np.full(part.shape, np.inf)
        coo = part.tocoo()
        far[coo.row, coo.col] = coo.data
        top = rows.indices(self.shape[0])[0]
        left = cols.indices(self.shape[1])[0]
        if self.square:
            own = np.arange(max(top, left), min(top + part.shape[0], left + part.shape[1]))
            far[own - top, own - left] = 0.0
        return far


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lazy(Affinity):
    """Computes a tile when asked; nothing of size n x n is ever held.

    `rows` and `cols` are anything that can be sliced by rows (an array, a sparse matrix, a Ragged) or a tuple of
    such, sliced together; `tile(rows[a:b], cols[c:d])` gives the values. `search` gives, when called, the rows in the form
    in which near ones are found without all pairs (parts.near_rows); None where there is no such form.
    """

    tile: Tile
    rows: Any
    cols: Any
    kind: Kind
    symmetric: bool = True
    search: Callable[[], Any] | None = None
    transient: ClassVar[tuple[str, ...]] = ("search",)  # not stored: it holds the rows once more

    @property
    def own(self) -> bool:  # type: ignore[override]
        return self.symmetric or self.rows is self.cols

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        return count(self.rows), count(self.cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        return np.asarray(self.tile(cut(self.rows, rows), cut(self.cols, cols)), dtype=np.float64)


def cut(data: Any, rows: slice) -> Any:
    """Some rows of an array, or of every array of a tuple."""
    return tuple(part[rows] for part in data) if isinstance(data, tuple) else data[rows]


def pick(data: Any, rows: np.ndarray) -> Any:
    """Some rows by position of an array, or of every array of a tuple."""
    return tuple(part[rows] for part in data) if isinstance(data, tuple) else data[rows]


def count(data: Any) -> int:
    """The number of rows of an array, or of the first array of a tuple."""
    first = data[0] if isinstance(data, tuple) else data
    return int(first.shape[0]) if hasattr(first, "shape") else len(first)


# ---- tiles and bands -----------------------------------------------------------------------------------------------

AUTO = 20_000  # members from which "auto" searches neighbors
_HARDEST = 1000.0  # effort of a search at most
ROWS = 512  # rows of a tile; a constant, so that results never depend on the workplace
COLS = 2048  # columns of a tile


def band_rows(n_columns: int) -> int:
    """Rows of a band over all columns; a constant for so many columns, so that results never depend on the workplace."""
    return max(1, min(ROWS, (ROWS * COLS * 8) // max(n_columns, 1)))


def nearest_in(
    values: np.ndarray, rows: slice, affinity: Affinity, *, k: int, itself: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Of one band: positions and values of each row's k nearest, nearest first, ties to the lower position."""
    keys = -values if affinity.kind == "similarity" else values.copy()
    if not itself:
        own = np.arange(len(keys)), np.arange(rows.start, rows.stop)
        keys[own] = values[own] = np.nan
    keys[np.isnan(keys)] = np.inf
    near = smallest(keys, k)
    return near, np.take_along_axis(values, near, axis=1)


def smallest(keys: np.ndarray, k: int) -> np.ndarray:
    """Columns of the k smallest values of each row, rising; equal values by column."""
    if k == 0:
        return np.empty((len(keys), 0), dtype=np.int64)
    if k >= keys.shape[1]:
        return np.argsort(keys, axis=1, kind="stable")
    last = np.partition(keys, k - 1, axis=1)[:, k - 1 : k]
    take = keys <= last
    if np.any(take.sum(axis=1) > k):
        below = keys < last
        tied = keys == last
        room = k - below.sum(axis=1, keepdims=True)
        take = below | (tied & (np.cumsum(tied, axis=1) <= room))
    chosen = np.nonzero(take)[1].reshape(len(keys), k)
    order = np.argsort(np.take_along_axis(keys, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)


def is_searched(affinity: Affinity, approximate: bool | str, effort: float) -> bool:
    """Whether this affinity is to be searched; refuses what is no choice, and a search of what cannot be searched."""
    if not (
        isinstance(approximate, bool | np.bool_)
        or (isinstance(approximate, str) and approximate == "auto")
    ):
        raise ParameterError(
            f"graph: approximate must be True, False or 'auto', and was {approximate!r}."
        )
    if (
        isinstance(effort, bool)
        or not isinstance(effort, numbers.Real)
        or not 0 < effort <= _HARDEST
    ):
        raise ParameterError(
            f"graph: effort must be a number above 0 and at most {_HARDEST:g}, and was {effort!r}."
        )
    able = isinstance(affinity, Lazy) and affinity.search is not None
    if approximate == "auto":
        return able and affinity.n > AUTO
    if approximate and not able:
        raise ParameterError(
            "graph: approximate=True is for members as Euclidean, Mahalanobis, Gaussian, Cosine, Chord, SSD and SIC (binary) "
            "compare them; leave approximate out for this affinity."
        )
    return bool(approximate)


# ---- tiles on a GPU: `@card_form(name)` above the function of a tile, the name being one of `parts.gpu.distances` ----

_FORMS: dict[Any, str] = {}


def card_form(name: str) -> Callable[[Work], Work]:
    """Say that tiles of this function are made on a card, where one is asked for, by the form of this name."""

    def known(work: Work) -> Work:
        _FORMS[work] = name
        return work

    return known


def form_of(tile: Any) -> tuple[str, dict[str, Any]] | None:
    """The name of the form of a tile and the settings it was given; None where it has none.

    >>> form_of(len) is None
    True
    """
    plain = tile.func if isinstance(tile, partial) else tile
    try:
        name = _FORMS.get(plain)
    except TypeError:  # a callable that cannot be hashed
        return None
    if name is None or (isinstance(tile, partial) and tile.args):
        return None
    return name, dict(tile.keywords) if isinstance(tile, partial) else {}

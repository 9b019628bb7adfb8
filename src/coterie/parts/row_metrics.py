"""Distances between vectors of sets, block by block: Euclidean by matrix products, named ones, or a function of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError, MemberError, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.workplace import steady
from coterie.parts.sequences import owner_of

NAMED = (
    "cityblock",
    "chebyshev",
    "canberra",
    "braycurtis",
    "hamming",
    "jensenshannon",
)  # those of scipy that know no table
NAMES = ("euclidean", "sqeuclidean", "cosine", "correlation", *NAMED)
PAD = 8  # columns of a set are rounded up to a multiple of this, so that compiled loops run in full registers
_NEAR = 1e-3  # squares below this share of |x|^2 + |y|^2 are summed anew: ranks hang on more digits than parts.squares keeps
_SNAP = 1e-29  # unit vectors this near (squared) are one direction
_TIE = 1e-12  # distances that differ by no more than this share are equal
_SAMPLE = 4096  # vectors that the middle is read off


@dataclass(frozen=True, eq=False)
class Side:
    """The vectors of some sets, prepared; `starts[i]` to `starts[i] + sizes[i]` are those of set i, the rest is padding."""

    values: np.ndarray
    moved: np.ndarray  # the same from their middle, where products are taken
    squares: np.ndarray  # squared lengths of those, infinite where a row is padding
    starts: np.ndarray
    sizes: np.ndarray

    def span(self, i: int) -> slice:
        """The rows of set i, padding left out."""
        return slice(int(self.starts[i]), int(self.starts[i] + self.sizes[i]))


@dataclass(frozen=True, eq=False)
class RowMetric:
    """A distance of two vectors. Blocks come as keys that rise with it: squares where it is Euclidean.

    Cosine and correlation distances are squares between rows brought to length one. The logarithm of a distance is
    `slope * log(key) + shift`.
    """

    name: str
    function: Callable[[np.ndarray, np.ndarray], Any] | None = None
    center: np.ndarray | None = None
    scale: float = 1.0
    owner: str = "RowMetric"

    @property
    def by_product(self) -> bool:
        """Whether keys are squares made by a matrix product."""
        return self.center is not None

    @property
    def tie(self) -> float:
        """Keys that differ by no more than this share are tied."""
        return 2 * _TIE if self.by_product else _TIE

    @property
    def slope(self) -> float:
        """What the logarithm of a key is multiplied by to be that of a distance."""
        return 0.5 if self.name == "euclidean" else 1.0

    @property
    def shift(self) -> float:
        """What is added to it."""
        half = np.log(0.5) if self.name in ("cosine", "correlation") else 0.0
        return float(2 * self.slope * np.log(self.scale) + half) if self.by_product else 0.0

    @property
    def _snap(self) -> float:
        return _SNAP / self.scale**2 if self.name in ("cosine", "correlation") else 0.0

    def side(self, view: Ragged, *, pad: int = PAD) -> Side:
        """The vectors of these sets as `keys` takes them."""
        values = _directed(view, self.name, self.owner) / self.scale
        sizes = view.lengths
        starts = np.concatenate([[0], np.cumsum(-(-sizes // pad) * pad)])
        at = np.repeat(starts[:-1] - view.offsets[:-1], sizes) + np.arange(len(values))
        held = np.zeros((int(starts[-1]), values.shape[1]))
        squares = np.full(len(held), np.inf)
        moved = held
        held[at] = values
        if self.center is not None:
            moved = np.zeros_like(held)
            moved[at] = values - self.center / self.scale
        squares[at] = np.einsum("ij,ij->i", moved[at], moved[at])
        return Side(held, moved, squares, starts, sizes)

    def keys(
        self,
        rows: Side,
        some: slice,
        cols: Side,
        others: slice | None = None,
        room: np.ndarray | None = None,
    ) -> np.ndarray:
        """Keys of some rows (padding too) to all columns, or some; infinite where either is padding.

        Products are put into `room` where there is one of that shape.
        """
        every = slice(None) if others is None else others
        a = rows.values[some]
        b = cols.values[every]
        a2 = rows.squares[some]
        b2 = cols.squares[every]
        if self.by_product:
            from coterie._kernels.vectors import finish_squares

            out = np.matmul(rows.moved[some], cols.moved[every].T, out=room)
            finish_squares(a, b, a2, b2, _NEAR, self._snap, out)
            return out
        out = np.full((len(a), len(b)), np.inf)
        x = np.isfinite(a2)
        y = np.isfinite(b2)
        if x.any() and y.any():
            out[np.ix_(x, y)] = self._called(
                a[x], b[y], rows, cols, (np.flatnonzero(x), some), (np.flatnonzero(y), others)
            )
        return out

    def between(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The distances themselves of two blocks of plain vectors: (len(a), len(b))."""
        rows, cols = (self.side(Ragged(one, np.array([0, len(one)])), pad=1) for one in (a, b))
        with steady():
            keys = self.keys(rows, slice(0, len(a)), cols)
        with np.errstate(divide="ignore"):
            return (
                np.asarray(np.exp(self.slope * np.log(keys) + self.shift))
                if self.by_product
                else keys
            )

    def _called(
        self, a: np.ndarray, b: np.ndarray, rows: Side, cols: Side, x: Any, y: Any
    ) -> np.ndarray:
        """What scipy or the function of a person says, checked."""
        if self.function is None:
            from scipy.spatial.distance import cdist

            found = np.asarray(cdist(a, b, self.name))  # type: ignore[call-overload]
        else:
            found = np.asarray(self.function(a, b), dtype=np.float64)
            if found.shape != (len(a), len(b)):
                raise ParameterError(
                    f"the metric must give one distance per pair of vectors, ({len(a)}, {len(b)}) here, and gave "
                    f"{found.shape}.",
                    owner=self.owner,
                )
        bad = ~np.isfinite(found)
        if bad.any():
            whole = bad.all(axis=1)
            side, at, part = (
                (rows, int(np.argmax(whole)), x)
                if whole.any()
                else (cols, int(np.argmax(bad.any(axis=0))), y)
            )
            place = int(part[0][at]) + (part[1].start or 0 if part[1] is not None else 0)
            member = int(np.searchsorted(side.starts, place, side="right")) - 1
            raise MemberError(
                f"a vector of {{}} has no distance by the metric {self.name!r} to another",
                member,
                owner=self.owner,
                instead="choose another metric",
            )
        if found.size and found.min() < 0:
            raise ParameterError(
                f"the metric gave the distance {found.min():g}, and none is below 0.",
                owner=self.owner,
            )
        return found


def row_metric(
    metric: Any,
    rows: Ragged,
    cols: Ragged | None = None,
    *,
    owner: str = "RowMetric",
    center: np.ndarray | None = None,
) -> RowMetric:
    """The metric a person means, made ready for these sets: 'euclidean', a name that scipy knows, or a function of two arrays.

    `center` is what all vectors are moved by before products are taken, where it should be that of other sets.
    """
    if isinstance(metric, RowMetric):
        return metric
    if cols is not None and rows.dim != cols.dim:
        raise DataError(
            f"some members have {rows.dim} values per vector and others {cols.dim}.", owner=owner
        )
    if callable(metric):
        return RowMetric(getattr(metric, "__name__", "own"), function=metric, owner=owner)
    if not isinstance(metric, str) or metric not in NAMES:
        raise ParameterError(
            f"metric must be {' | '.join(NAMES)} or a function of two arrays, and was {metric!r}.",
            owner=owner,
        )
    if metric in NAMED:
        return RowMetric(metric, owner=owner)
    views = [rows] if cols is None else [rows, cols]
    values = np.concatenate([_directed(view, metric, owner) for view in views])
    middle = np.median(values[:: -(-len(values) // _SAMPLE)], axis=0) if center is None else center
    far = np.abs(values - middle).max(initial=0.0)
    scale = 2.0 ** np.frexp(far)[1] if far > 0 else 1.0
    return RowMetric(metric, None, np.asarray(middle, dtype=np.float64), float(scale), owner)


def _directed(view: Ragged, name: str, owner: str) -> np.ndarray:
    """The vectors, brought to length one where only the direction counts."""
    values = np.ascontiguousarray(view.values, dtype=np.float64)
    if name not in ("cosine", "correlation"):
        return values
    if name == "correlation":
        values = values - values.mean(axis=1, keepdims=True)
    top = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    still = top[:, 0] <= (
        1e-14 * np.abs(view.values).max(axis=1, initial=0.0) if name == "correlation" else 0.0
    )
    if still.any():
        what = "of zeros" if name == "cosine" else "whose values are all equal"
        raise MemberError(
            f"{{}} has a vector {what}, which has no direction",
            owner_of(view, still),
            owner=owner,
            instead="choose another metric",
        )
    values = values / top
    return np.asarray(values / np.sqrt(np.einsum("ij,ij->i", values, values))[:, None])

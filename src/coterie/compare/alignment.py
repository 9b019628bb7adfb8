"""Alignment: dynamic time warping and its kin, the distance of two sequences when each may be stretched to fit the other."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from coterie._kernels.warping import LANES, chunks, packed, reach_of, warp_gappy, warp_lanes
from coterie.compare.role import Comparer
from coterie.core.affinity import Affinity, Dense, Tile
from coterie.core.errors import DataError, need
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.parts.pairwise import pairwise
from coterie.parts.sequences import checked as checked_sequences
from coterie.parts.sequences import owner_of

Side = tuple[
    Ragged, np.ndarray
]  # prepared sequences, and positions: from 0 for members, from -1 down for new ones
_FEW = 5  # up to so many channels, times the share inside the band, differences are summed; above, a matrix is multiplied
_WIDE = 1024  # steps of columns worked on at once
_CELLS = 2**17  # pairs of steps worked on at once
_TILE = (64, 256)  # pairs are costly, so tiles are small
_LARGEST = 1e150  # values whose squares still fit


class Alignment(Comparer):
    """Dynamic time warping: the least sum of distances between matched steps of two sequences, over their lengths.

    Steps are (1, 0), (0, 1) and (1, 1), all of weight one; both ends are matched unless `open_ends` says otherwise. Two
    steps are compared on the channels both have, scaled up to all; steps without any value are left out. `open_ends` and
    `penalty` are computed by the library dtaidistance.
    """

    takes: ClassVar[type] = Ragged
    gaps: ClassVar[bool] = True
    often: ClassVar[int] = 200

    measure: str = param(
        "dtw", "What is matched: the values, or their slopes.", choices=("dtw", "derivative")
    )
    window: float | None = param(
        None,
        "How far the matching may lead or lag, as a share of the longer sequence; without it, any distance.",
        ge=0,
        le=1,
    )
    inner: str = param(
        "euclidean",
        "Distance of two steps; squared ones are summed and the root is taken at the end.",
        choices=("euclidean", "squared"),
    )
    normalize: str = param(
        "length",
        "What the sum is divided by: the sum of the two lengths, or nothing.",
        choices=("length", "none"),
    )
    open_ends: float = param(
        0.0, "Share of each end of a sequence that may stay unmatched.", ge=0, lt=0.5
    )
    penalty: float = param(
        0.0, "Added cost of a step that is not diagonal, in the units of the values.", ge=0
    )

    affinity_: Dense
    center_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Align all pairs of members and keep the distances."""
        members: Ragged = self.check(X)
        steps = self._steps(members)
        known = ~np.isnan(steps.values)
        sums = np.where(known, steps.values, 0.0).sum(axis=0)
        self.center_ = sums / np.maximum(known.sum(axis=0), 1)
        self.members_ = members
        self.affinity_ = pairwise(
            self._tile(),
            (self._centered(steps), np.arange(len(members))),
            kind="distance",
            shape=_TILE,
        )
        return self

    def compare(self, X: Any) -> Affinity:
        """Distances of new sequences to the fitted ones: queries x members."""
        new: Ragged = self.check_alike(X)
        if new.dim != self.members_.dim:
            raise DataError(
                f"the new sequences have {new.dim} values per step where the fitted ones have {self.members_.dim}.",
                owner="Alignment",
            )
        rows = (self._centered(self._steps(new)), -1 - np.arange(len(new)))
        cols = (self._centered(self._steps(self.members_)), np.arange(len(self.members_)))
        return pairwise(self._tile(), rows, cols, kind="distance", shape=_TILE)

    def _steps(self, view: Ragged) -> Ragged:
        """What is matched: values or slopes, without the steps that have no value; refuses what cannot be aligned."""
        steps = checked(view)
        gappy = np.isnan(steps.values).any(axis=1)
        if gappy.any() and self._by_library:
            raise DataError(
                f"member {owner_of(view, gappy)} has missing values, and open ends and penalties "
                "need every value; fill them, or leave both at 0.",
                owner="Alignment",
            )
        return with_values_only(
            slopes(steps) if self.measure == "derivative" else steps, self.measure
        )

    def _centered(self, steps: Ragged) -> Ragged:
        return steps.with_values(steps.values - self.center_)

    @property
    def _by_library(self) -> bool:
        return self.open_ends > 0 or self.penalty > 0

    def _tile(self) -> Tile:
        share = 1.0 if self.window is None else float(self.window)
        squared = self.inner == "squared"
        by_length = self.normalize == "length"
        if not self._by_library:
            return partial(warped_tile, share=share, squared=squared, by_length=by_length)
        need("dtaidistance.dtw_ndim", extra="series")
        ends = float(self.open_ends)
        penalty = float(self.penalty)
        return partial(
            library_tile,
            share=share,
            open_ends=ends,
            penalty=penalty,
            squared=squared,
            by_length=by_length,
        )


def checked(view: Ragged) -> Ragged:
    """The sequences as float64; refuses sets, and members that are empty or have values that are not finite."""
    steps = checked_sequences(view, "Alignment", ordered=True)
    huge = (np.abs(steps.values) > _LARGEST).any(axis=1)
    if huge.any():
        raise DataError(
            f"member {owner_of(view, huge)} has a value above 1e150, whose square is too large.",
            owner="Alignment",
        )
    return steps


def slopes(view: Ragged) -> Ragged:
    """The slope at every step by Keogh and Pazzani: the mean of the step from behind and half the step across.

    The first and the last take the slope next to them; a sequence of two steps has one slope, and one of a single step none (0).
    """
    values = view.values
    out = np.zeros_like(values)
    before = values[:-2]
    here = values[1:-1]
    after = values[2:]
    out[1:-1] = ((here - before) + (after - before) / 2) / 2
    first = view.offsets[:-1]
    last = view.offsets[1:] - 1
    two = view.lengths == 2
    one = view.lengths == 1
    out[first], out[last] = out[np.minimum(first + 1, last)], out[np.maximum(last - 1, first)]
    out[first[two]] = out[last[two]] = values[last[two]] - values[first[two]]
    out[first[one]] = 0.0 * values[first[one]]
    return view.with_values(out)


def with_values_only(view: Ragged, measure: str = "dtw") -> Ragged:
    """Without the steps that have no value at all; a member left with none is refused by name."""
    kept = ~np.isnan(view.values).all(axis=1)
    if kept.all():
        return view
    counts = np.add.reduceat(kept, view.offsets[:-1], dtype=np.int64)
    if not counts.all():
        what = "value" if measure == "dtw" else "slope (three values of a channel in a row)"
        raise DataError(
            f"member {int(np.argmin(counts))} has no {what} at any step; leave it out first.",
            owner="Alignment",
        )
    return Ragged(
        view.values[kept], np.concatenate([[0], np.cumsum(counts)]), True, view.names, view.rate
    )


def warped_tile(
    rows: Side, cols: Side, *, share: float, squared: bool, by_length: bool, base: int = 0
) -> np.ndarray:
    """Plain warping of two blocks of sequences by our own kernels; a band of `base` steps and `share` of the longer one."""
    x = rows[0]
    y = cols[0]
    out = np.empty((len(x), len(y)))
    own = _own(rows[1], cols[1])
    gappy = bool(np.isnan(x.values).any() or np.isnan(y.values).any())
    align = _by_pairs if gappy else _by_lanes
    if own:
        out[:, :own] = align(x, x, True, share, base, not squared)
    if own < len(y):
        out[:, own:] = align(x, y[own:], False, share, base, not squared)
    if gappy and np.isnan(out).any():
        one, other = np.argwhere(np.isnan(out))[0]
        raise DataError(
            f"{_named(rows[1][one])} and {_named(cols[1][other])} have no channel in common at any two steps.",
            owner="Alignment",
        )
    return _finished(out, rows, cols, squared, by_length)


def _named(position: int) -> str:
    return f"member {position}" if position >= 0 else f"new member {-1 - position}"


def _own(left: np.ndarray, right: np.ndarray) -> int:
    """How many columns, from the first, are the rows themselves: all rows, or none."""
    n = len(left)
    return n if n <= len(right) and np.array_equal(left, right[:n]) else 0


def _finished(
    out: np.ndarray, rows: Side, cols: Side, squared: bool, by_length: bool
) -> np.ndarray:
    """Sums of costs as distances; a member is at 0 from itself."""
    if by_length:
        out /= rows[0].lengths[:, None] + cols[0].lengths[None, :]
    if squared:
        np.sqrt(out, out=out)
    out[rows[1][:, None] == cols[1][None, :]] = 0.0
    return out


def _by_pairs(x: Ragged, y: Ragged, upper: bool, share: float, base: int, root: bool) -> np.ndarray:
    """Sums of costs where values are missing."""
    out = np.empty((len(x), len(y)))
    columns = np.ascontiguousarray(y.values.T)
    warp_gappy(
        np.ascontiguousarray(x.values), x.offsets, columns, y.offsets, upper, share, base, root, out
    )
    return _mirrored(out) if upper else out


def _by_lanes(x: Ragged, y: Ragged, upper: bool, share: float, base: int, root: bool) -> np.ndarray:
    """Sums of costs where every value is there: sequences by length, eight side by side; of a square only one half."""
    order = np.argsort(y.lengths, kind="stable")
    y = y.take(order)
    x = y if upper else x
    frames = np.ascontiguousarray(x.values)
    norms = np.einsum("ij,ij->i", frames, frames)
    found = np.empty((len(x), -(-len(y) // LANES) * LANES))
    for first, last, columns, bounds, lengths in packed(y.values, y.offsets, _WIDE):
        part = np.empty((len(x), (last - first) * LANES))
        state = np.empty(columns.shape[1] + part.shape[1])
        norms_y = np.einsum("ij,ij->j", columns, columns)
        room = np.empty(
            (
                int(np.clip(_CELLS // columns.shape[1], 8, 128)),
                columns.shape[1] if x.dim * min(1.0, 2 * share) > _FEW else 0,
            )
        )
        for start, stop, pieces in chunks(x.offsets, len(room)):
            if upper:
                pieces[:, 5] = pieces[:, 4] // LANES - first
                if pieces[:, 5].min() >= last - first:
                    continue
            some = frames[start:stop]
            dots = room[: stop - start]
            if dots.shape[1]:
                np.matmul(some, columns, out=dots)
            warp_lanes(
                dots,
                some,
                norms[start:stop],
                columns,
                norms_y,
                pieces,
                bounds,
                lengths,
                share,
                base,
                root,
                state,
                part,
            )
        found[:, first * LANES : last * LANES] = part
    found = found[:, : len(y)]
    back = np.argsort(order, kind="stable")
    return _mirrored(found)[np.ix_(back, back)] if upper else found[:, back]


def _mirrored(out: np.ndarray) -> np.ndarray:
    low = np.tril_indices(len(out), -1)
    out[low] = out.T[low]
    return out


def library_tile(
    rows: Side,
    cols: Side,
    *,
    share: float,
    open_ends: float,
    penalty: float,
    squared: bool,
    by_length: bool,
) -> np.ndarray:
    """Open ends and penalties, pair by pair through dtaidistance."""
    library = need("dtaidistance.dtw_ndim", extra="series")
    own = _own(rows[1], cols[1])
    inner = "squared euclidean" if squared else "euclidean"
    asked = penalty if squared or not _squares_penalties(library) else penalty**0.5
    out = np.empty((len(rows[0]), len(cols[0])))
    for i, x in enumerate(rows[0]):
        for j, y in enumerate(cols[0]):
            if j < min(own, i):
                out[i, j] = out[j, i]
                continue
            a, b = (int(open_ends * len(one) + 1e-9) for one in (x, y))
            out[i, j] = library.distance(
                np.ascontiguousarray(x),
                np.ascontiguousarray(y),
                window=reach_of(len(x), len(y), share, 0) + 1,
                psi=(a, a, b, b),
                penalty=asked,
                inner_dist=inner,
                use_c=True,
            )
    return _finished(np.square(out) if squared else out, rows, cols, squared, by_length)


def _squares_penalties(library: Any) -> bool:
    """Whether the library squares a penalty even where distances are not squared, as its compiled part does up to 2.5."""
    shift = library.distance(
        np.zeros((2, 1)), np.zeros((1, 1)), penalty=2.0, inner_dist="euclidean", use_c=True
    )
    return bool(shift > 3.0)

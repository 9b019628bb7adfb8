"""Tiles of SIC's affinities: codes and profiles in the form the kernels read, and one tile function for each kind of score.

Nearly every score is linear in what happens in an iteration, so one formula serves: a start, plus `same[i]` times the
score of the pair in iteration i, plus `both[i]` when both were tested, divided by the number of such iterations.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from coterie._kernels import codes as kernels
from coterie._kernels import profiles as profile_kernels
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.profiles import Profiles
from coterie.core.affinity import card_form
from coterie.core.errors import DataError

Side = tuple[
    Any, np.ndarray, np.ndarray
]  # codes or profiles by member, packed bits of who was tested, positions
Shape = Literal["mean", "odds", "probability"]
_KINDS = (np.uint8, np.uint16, np.uint32)
_RESERVED = 3  # the largest value: missing; the next: missing in a row; the third: a class that no member got


def sides(
    codes: Codes | Profiles, queries: Codes | Profiles | None = None, unit: bool = False
) -> tuple[Side, Side, bool]:
    """Rows and columns of an affinity, and whether everybody was tested always; without queries the rows are the columns."""
    if not codes.n_iterations:
        raise DataError(
            "There are no iterations to compare by; every one of them failed, or none was run."
        )
    if queries is not None and queries.n_iterations != codes.n_iterations:
        raise DataError(
            f"The queries have codes of {queries.n_iterations} iterations and the members of {codes.n_iterations}; "
            "they must come from the same classifiers."
        )
    always = bool(codes.tested.all()) and (queries is None or bool(queries.tested.all()))
    if isinstance(codes, Profiles) or isinstance(queries, Profiles):
        known = Profiles.of(codes)
        shown = known.columns(unit=unit)
        asked = None if queries is None else Profiles.of(queries).columns(known.starts, unit)
    else:
        most = int(codes.labels.max(initial=0))
        kind = next(kind for kind in _KINDS if most + _RESERVED <= np.iinfo(kind).max)
        shown = codes.labels.astype(kind).T
        asked = None if queries is None else _over(queries.labels, most, kind).T
    cols: Side = (shown, packed(codes.tested), np.arange(codes.n_members))
    if queries is None:
        return cols, cols, always
    return (
        (asked, packed(queries.tested), codes.n_members + np.arange(queries.n_members)),
        cols,
        always,
    )


def _over(labels: np.ndarray, most: int, kind: Any) -> np.ndarray:
    """Codes of queries; those that no member has become one code of their own."""
    return np.where(labels > most, kind(np.iinfo(kind).max - 2), labels.astype(kind))


def packed(tested: np.ndarray) -> np.ndarray:
    """Who was tested when, (iterations, members), as 64 iterations per word: (members, words)."""
    bits = np.packbits(tested.T, axis=1)
    return np.ascontiguousarray(np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))).view(np.uint64)


@card_form("share")
def share_tile(rows: Side, cols: Side, *, n: int, always: bool) -> np.ndarray:
    """The share of iterations with one code among those that tested both; 1 for a member with itself, NaN where none did."""
    counts = np.empty((len(rows[2]), len(cols[2])), dtype=np.uint16 if n < 2**16 else np.int32)
    kernels.equal_counts(as_rows(rows[0]), as_cols(cols[0]), counts)
    return _itself(_divided(counts, n if always else _both(rows, cols)), rows, cols)


def sum_tile(
    rows: Side,
    cols: Side,
    *,
    n_codes: int,
    same: np.ndarray,
    both: np.ndarray,
    start: float,
    shift: float,
    shape: Shape,
    always: bool,
) -> np.ndarray:
    """The linear formula over codes. Shape "mean" divides by the number of iterations that tested both and subtracts the
    shift; "odds" gives the sum itself, and "probability" its logistic function.
    """
    out = np.full((len(rows[2]), len(cols[2])), float(start))
    kernels.equal_sums(as_rows(rows[0]), as_cols(cols[0]), n_codes, same, out)
    return _shaped(out, rows, cols, both, shift, shape, always)


def profile_tile(
    rows: Side,
    cols: Side,
    *,
    iteration: np.ndarray,
    same: np.ndarray,
    both: np.ndarray,
    shift: float,
    unity: bool,
    always: bool,
) -> np.ndarray:
    """The linear formula over profiles, as a mean; `iteration` is that of every class, `unity` sets the diagonal to 1."""
    out = np.zeros((len(rows[2]), len(cols[2])))
    weighted = rows[0].data * same[iteration[rows[0].indices]]
    place = _short(rows[0].indptr)
    column = _short(rows[0].indices)
    classes = cols[0].tocsc()
    profile_kernels.shared_mass(
        place, column, weighted, _short(classes.indptr), _short(classes.indices), classes.data, out
    )
    out = _shaped(out, rows, cols, both, shift, "mean", always)
    return _itself(out, rows, cols) if unity else out


def any_tile(rows: Side, cols: Side, *, iteration: np.ndarray, n: int, always: bool) -> np.ndarray:
    """The share of iterations in which two members show any class in common, whatever the shares."""
    out = np.zeros((len(rows[2]), len(cols[2])))
    place = _short(rows[0].indptr)
    column = _short(rows[0].indices)
    classes = cols[0].tocsc()
    profile_kernels.shared_any(
        place, column, iteration, _short(classes.indptr), _short(classes.indices), out
    )
    return _itself(_divided(out, n if always else _both(rows, cols)), rows, cols)


def coin_tile(
    rows: Side, cols: Side, *, levels: np.ndarray, limit: np.ndarray, seed: int, always: bool
) -> np.ndarray:
    """The mean of scores in which two codes are taken for one with the probability of their iteration."""
    left = as_rows(rows[0])
    right = as_cols(cols[0])
    out = np.zeros((len(rows[2]), len(cols[2])))
    missing = int(np.iinfo(right.dtype).max)
    kernels.coin_sums(left, right, rows[2], cols[2], levels, limit, (seed, missing), out)
    return _divided(out, len(limit) if always else _both(rows, cols))


def as_rows(labels: np.ndarray) -> np.ndarray:
    """Codes by member as (iterations, members), missing coded as the kernels expect it of rows."""
    out = np.array(labels.T, order="C")
    top = np.iinfo(out.dtype).max
    out[out == top] = top - 1
    return out


def as_cols(labels: np.ndarray) -> np.ndarray:
    """Codes by member as (iterations, members)."""
    return np.ascontiguousarray(labels.T)


def _short(positions: np.ndarray) -> np.ndarray:
    return np.asarray(positions, dtype=np.int32)


def _both(rows: Side, cols: Side) -> np.ndarray:
    """In how many iterations both were tested."""
    out = np.empty((len(rows[2]), len(cols[2])), dtype=np.int32)
    kernels.both_counts(np.ascontiguousarray(rows[1]), np.ascontiguousarray(cols[1].T), out)
    return out


def _divided(sums: np.ndarray, both: np.ndarray | int) -> np.ndarray:
    """Sums as means; NaN where no iteration tested both."""
    if isinstance(both, int):
        return sums / both
    return np.divide(sums, both, out=np.full(sums.shape, np.nan), where=both > 0)


def _itself(values: np.ndarray, rows: Side, cols: Side) -> np.ndarray:
    """The values with 1 where a member meets itself."""
    values[rows[2][:, None] == cols[2][None, :]] = 1.0
    return values


def _shaped(
    out: np.ndarray,
    rows: Side,
    cols: Side,
    both: np.ndarray,
    shift: float,
    shape: Shape,
    always: bool,
) -> np.ndarray:
    """Add what comes with being tested, and turn sums into what the score shows."""
    if always:
        out += float(both.sum())
    elif both.any():
        left, right = (np.ascontiguousarray(side[1]).view(np.uint8) for side in (rows, cols))
        kernels.both_sums(left, np.ascontiguousarray(right.T), _table(both, left.shape[1]), out)
    times = len(both) if always else _both(rows, cols)
    if shape == "mean":
        return _divided(out, times) - shift
    if shape == "probability":
        from scipy.special import expit

        out = expit(out)
    return out if always else np.where(times > 0, out, np.nan)


def _table(weights: np.ndarray, n_bytes: int) -> np.ndarray:
    """For every byte of a row of packed bits, the sum of the weights of its iterations, for all 256 values."""
    by_byte = np.pad(weights, (0, 8 * n_bytes - len(weights))).reshape(n_bytes, 8)
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    out = np.zeros((n_bytes, 256))
    for bit in range(8):
        out += by_byte[:, bit : bit + 1] * bits[:, bit]
    return out

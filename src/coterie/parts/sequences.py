"""Sequences and sets checked before anything is learned from them: every refusal names the method and the member."""

from __future__ import annotations

import numpy as np

from coterie.core.errors import DataError
from coterie.core.ragged import Ragged

_LARGEST = 1e100  # values whose powers still fit


def checked(
    view: Ragged,
    owner: str,
    *,
    ordered: bool = False,
    dim: int | None = None,
    blank: bool = False,
    who: str = "member",
) -> Ragged:
    """The members as float64: none empty, none without any value, nothing infinite; NaN is a missing value.

    `ordered` refuses sets; `dim` is how many values per step the fitted members had; `blank` lets members without any
    value pass, of which a model knows nothing.
    """
    if ordered and not view.ordered:
        raise DataError(
            f"{owner} takes sequences, and these members are sets (ordered=False): their steps have no order."
        )
    if view.dim == 0:
        raise DataError("the members have no values per step.", owner=owner)
    if (view.lengths < 1).any():
        raise DataError(
            f"member {int(np.argmin(view.lengths))} is empty; leave it out first.", owner=owner
        )
    if view.values.dtype.kind not in "biuf":
        raise DataError(
            f"the members hold {view.values.dtype} where real numbers are needed.", owner=owner
        )
    values = np.ascontiguousarray(view.values, dtype=np.float64)
    infinite = np.asarray(np.isinf(values).any(axis=1))
    if infinite.any():
        raise DataError(
            f"member {owner_of(view, infinite)} has an infinite value; leave it out, or put NaN there.",
            owner=owner,
        )
    with np.errstate(invalid="ignore"):
        huge = np.asarray((np.abs(values) > _LARGEST).any(axis=1))
    if huge.any():
        raise DataError(
            f"{who} {owner_of(view, huge)} has a value above 1e100, whose powers are too large.",
            owner=owner,
        )
    known = np.isfinite(values).any(axis=1)
    if not blank and not known.all():
        counts = np.add.reduceat(known, view.offsets[:-1], dtype=np.int64)
        if not counts.all():
            raise DataError(
                f"member {int(np.argmin(counts))} has no value at any step; leave it out first.",
                owner=owner,
            )
    if dim is not None and view.dim != dim:
        raise DataError(
            f"new members have {view.dim} values per step where the fitted ones have {dim}.",
            owner=owner,
        )
    return view.with_values(values)


def whole_sets(
    view: Ragged, owner: str, *, dim: int | None = None, new: bool = False, ordered: bool = False
) -> Ragged:
    """Members without missing or enormous values, as float64; whoever has one is refused by position."""
    who = "new member" if new else "member"
    sets = checked(view, owner, dim=dim, ordered=ordered, who=who)
    missing = np.isnan(sets.values).any(axis=1)
    if missing.any():
        raise DataError(
            f"{who} {owner_of(view, missing)} has a missing value; fill it, or leave that vector out.",
            owner=owner,
        )
    return sets


def owner_of(view: Ragged, steps: np.ndarray) -> int:
    """The member of the first of the steps that are marked."""
    return int(np.searchsorted(view.offsets, int(np.argmax(steps)), side="right")) - 1


def filled(view: Ragged) -> Ragged:
    """Sequences without gaps: missing values lie on the line between those before and after, and the ends go on.

    A channel that a member lacks altogether has the mean of all members there.

    >>> filled(Ragged.of([[1.0, np.nan, 3.0, np.nan]])).values[:, 0].tolist()
    [1.0, 2.0, 3.0, 3.0]
    """
    gaps = np.isnan(view.values)
    if not gaps.any():
        return view
    values = np.array(view.values, dtype=np.float64)
    count = np.maximum((~gaps).sum(axis=0), 1)
    middle = np.where(gaps, 0.0, values).sum(axis=0) / count
    for first, last in zip(view.offsets[:-1], view.offsets[1:], strict=True):
        for column in np.flatnonzero(gaps[first:last].any(axis=0)):
            known = np.flatnonzero(~gaps[first:last, column])
            steps = np.arange(last - first)
            line = (
                np.interp(steps, known, values[first + known, column])
                if len(known)
                else np.full(len(steps), middle[column])
            )
            values[first:last, column] = line
    return view.with_values(values)

"""Which columns of a table nobody named say whose row it is and when: found by how their values repeat and rise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.collect.columns import TIME_NAMES, Column, Named, numbers

LEAST_ROWS = 5  # per member, on average
LEAST_STEPS = 20  # per member, on average, where the order is not called like a time
_GAPS = 0.2  # share of the values of a column that may be missing in sequences
MOST_COLUMNS = 60  # a wider table is not searched
_TIMES = {
    *TIME_NAMES,
    "day",
    "days",
    "hour",
    "hours",
    "minute",
    "minutes",
    "week",
    "month",
    "year",
    "ms",
    "clock",
    "epoch",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """The column that repeats, the column that orders its rows, and whether that is certain enough to act on."""

    owner: str
    time: str
    sure: bool


def pair_of(columns: Sequence[Column], named: Named) -> Pair | None:
    """The best pair of columns of a long table, or None when nothing looks like one."""
    if len(columns) > MOST_COLUMNS or any(c.role == "text" for c in columns):
        return None
    owners = [(c, codes) for c in columns if (codes := _owners(c, named)) is not None]
    words = any(_is_words(c) for c, _ in owners)
    clocks = [
        c for c in columns if owners and _may_order(c, named) and (words or _called(c, named))
    ]
    found: list[Pair] = []
    for clock in clocks:
        times = np.unique(numbers(clock.values), return_inverse=True)[1]
        for owner, codes in owners:
            values = [c for c in columns if c.role == "number" and c not in (owner, clock)]
            if clock is owner or not values or not (_is_words(owner) or _called(clock, named)):
                continue
            verdict = _verdict(codes, times, clock, named)
            if verdict is not None:
                filled = all(c.values.null_count <= _GAPS * len(c.values) for c in values)
                found.append(
                    Pair(
                        owner.name, clock.name, verdict and filled and _answers_fit(columns, codes)
                    )
                )
    return max(found, key=lambda pair: (pair.sure, time_like(pair.time))) if found else None


def time_like(name: str) -> bool:
    """Whether a column is called like a time: one of the words of its name is.

    >>> time_like("start_time"), time_like("timely")
    (True, False)
    """
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return bool(_TIMES & set(re.split(r"[^a-z]+", spaced.lower())))


def _owners(column: Column, named: Named) -> np.ndarray | None:
    """The codes of a column of words or whole numbers that repeats often enough to hold members, else None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if (
        column.role in ("truth", "constant", "empty", "date")
        or column.values.null_count
        or column.name == named.time
    ):
        return None
    if not (_is_words(column) or pa.types.is_integer(column.values.type)) or time_like(column.name):
        return None
    members = pc.unique(column.values)
    if len(members) < 2 or len(column.values) < LEAST_ROWS * len(members):
        return None
    return np.asarray(pc.index_in(column.values, value_set=members).to_numpy(), dtype=np.int64)


def _is_words(column: Column) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(column.values.type))


def _called(clock: Column, named: Named) -> bool:
    """Whether it is known to be a time: named so by the user, called so, or a date."""
    return clock.name == named.time or clock.role == "date" or time_like(clock.name)


def _may_order(column: Column, named: Named) -> bool:
    return (
        column.role in ("number", "date")
        and column.values.null_count == 0
        and named.time in (None, column.name)
    )


def _verdict(codes: np.ndarray, times: np.ndarray, clock: Column, named: Named) -> bool | None:
    """True: sequences. False: it looks like them. None: it does not.

    No time may come twice for a member. Either the members share one clock (the same times for nearly all), or
    each has its rows in one block in which the time rises and after which it begins anew.
    """
    counts = np.bincount(codes)
    members = len(counts)
    steps = int(times.max()) + 1
    called = _called(clock, named)
    shared = steps <= 2 * counts.max() and 2 * steps <= len(codes)
    if (
        steps < counts.max()
        or not (called or shared)
        or len(np.unique(codes * steps + times)) < len(codes)
    ):
        return None
    order = np.argsort(codes, kind="stable")
    rising = bool(np.all((np.diff(times[order]) > 0) | (np.diff(codes[order]) != 0)))
    if not shared:
        blocks = int(np.sum(np.diff(codes) != 0)) + 1 == members
        anew = bool(np.all(np.diff(times)[np.diff(codes) != 0] < 0))
        return clock.name == named.time if rising and blocks and anew and members > 2 else None
    if not rising and not (called and 5 * len(codes) >= 4 * members * steps):
        return None
    return members > 2 and (called or (len(codes) >= LEAST_STEPS * members and _even(clock, codes)))


def _even(clock: Column, codes: np.ndarray) -> bool:
    """Whether nearly all steps of the members are of one length."""
    order = np.lexsort((numbers(clock.values), codes))
    steps = np.diff(numbers(clock.values)[order])[np.diff(codes[order]) == 0]
    return len(steps) > 0 and float(np.mean(np.isclose(steps, np.median(steps)))) > 0.8


def _answers_fit(columns: Sequence[Column], codes: np.ndarray) -> bool:
    """What was named as truth is one value per member; where it changes with the rows, the rows are the members."""
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(np.diff(codes[order]) == 0)
    rows: Any
    for column in columns:
        if column.role == "truth":
            rows = column.values.to_pylist()
            if any(rows[order[at]] != rows[order[at + 1]] for at in same):
                return False
    return True

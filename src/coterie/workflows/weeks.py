"""The topic of the week: a dated stream cut into calendar weeks, and the one coherent core of each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, DataError
from coterie.core.links import Links
from coterie.parts.workers import in_order
from coterie.workflows.cores import frequencies, told

REST = "rest"  # the other weeks as background
_LEAST = 10  # members of a week in which a core is looked for
_WORDS = 8
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Week:
    """One week of a stream: the day it begins, its members, those of its core (the surest first), and what tells them."""

    begins: date
    members: np.ndarray
    core: np.ndarray
    scores: np.ndarray  # per member of the week, higher is more of the core
    words: tuple[tuple[str, float], ...] = ()
    note: str = ""

    @property
    def title(self) -> str:
        """What the week is about, in a few words."""
        return ", ".join(word for word, _ in self.words[:4]) or "no topic"

    @property
    def sentence(self) -> str:
        """The week in one sentence."""
        head = f"Week of {self.begins.isoformat()}: "
        if self.note:
            return f"{head}{self.note}"
        return (
            f"{head}{len(self.core)} of {len(self.members)} members share a topic ({self.title})."
        )


def weeks(
    dates: Sequence[Any],
    links: Links,
    *,
    core: Any = None,
    sizes: Mapping[date, float | str] | None = None,
    background: Any = "bundled",
    least: int = _LEAST,
) -> list[Week]:
    """The core of every calendar week (Monday to Sunday) of a dated stream; an incomplete last week is left out.

    `dates` are one per member: dates, times, or strings that begin as 2024-02-29 does. The last week is incomplete where it ends
    on an earlier day than half of the others do. `core` is the `Core` to use (by default LTB with a size from the data),
    `sizes` gives single weeks a size of their own, and with background "rest" a week's words are set against those of all other
    weeks. Weeks with fewer than `least` members, and those in which no core stands out, are in the list without one.
    """
    from coterie.organize.core_of import Core

    days = days_of(dates, len(links))
    model = Core(method="ltb", size="auto", random_state=0) if core is None else core
    model.check_used()  # once for all weeks: what a week cannot do is only noted
    known = None if background == REST else frequencies(background)
    begins = days - (days + 3) % 7  # day 0 of 1970 was a Thursday
    found = [np.flatnonzero(begins == first) for first in np.unique(begins)]
    if len(found) > 1 and _cut_short(days, found):
        first = _EPOCH + timedelta(days=int(begins[found[-1][0]]))
        warnings.warn(
            f"weeks: the week of {first.isoformat()} is the last and not complete; its {len(found.pop())} members were left out.",
            UserWarning,
            stacklevel=2,
        )

    def of(members: np.ndarray) -> Week:
        first = _EPOCH + timedelta(days=int(begins[members[0]]))
        if len(members) < least:
            many = "1 member" if len(members) == 1 else f"{len(members)} members"
            return Week(
                first,
                members,
                members[:0],
                np.zeros(len(members)),
                (),
                f"{many}, too few to look for a core.",
            )
        other = _others(links, members) if known is None else known
        return _week(
            first,
            members,
            links,
            model.sized((sizes or {}).get(first, model.size)).set_params(background=other),
        )

    with (
        warnings.catch_warnings()
    ):  # here and not in `of`: filters belong to the whole process, and weeks run side by side
        warnings.simplefilter("ignore")
        return list(in_order(of, found, "weeks"))


def days_of(dates: Sequence[Any], n: int | None = None) -> np.ndarray:
    """Days since 1970, one per member; what is no date is named by its position.

    >>> days_of(["1970-01-02", "2024-02-29T23:10:00"]).tolist()
    [1, 19782]
    """
    if n is not None and len(dates) != n:
        raise DataError(f"there are {len(dates)} dates for {n} members.", owner="weeks")
    return np.array([_day(value, at) for at, value in enumerate(dates)], dtype=np.int64)


def dates_in(collection: Collection, column: str) -> list[Any]:
    """A column of dates of a collection, whether it is compared or only shown."""
    for view in collection.of_modality("table").values():
        if column in view.names and view.names.index(column) in view.dates:
            values = np.asarray(
                view.values[:, [view.names.index(column)]], dtype=np.float64
            ).ravel()
            return [None if np.isnan(v) else datetime.fromtimestamp(float(v), UTC) for v in values]
    if column in collection.cards:
        return list(collection.cards[column])
    known = [
        *collection.cards,
        *(
            view.names[j]
            for view in collection.of_modality("table").values()
            for j in sorted(view.dates)
        ),
    ]
    has = f"it has {', '.join(known[:20])}" if known else "it has no columns besides"
    raise DataError(f"'{collection.name}' has no column of dates '{column}'; {has}.", owner="weeks")


def _day(value: Any, at: int) -> int:
    """Days since 1970 of one date."""
    if isinstance(value, np.datetime64) and not np.isnat(value):
        return int(value.astype("datetime64[D]").astype(np.int64))
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, date):
        return (value - _EPOCH).days
    text = str(value).strip() if value is not None else ""
    try:
        return (date.fromisoformat(text[:10]) - _EPOCH).days
    except ValueError:
        pass
    from email.utils import parsedate_to_datetime

    try:
        return (parsedate_to_datetime(text).date() - _EPOCH).days
    except (TypeError, ValueError):
        raise DataError(
            f"the date of member {at} is '{text[:40]}'; write dates as 2024-02-29.", owner="weeks"
        ) from None


def _cut_short(days: np.ndarray, found: Sequence[np.ndarray]) -> bool:
    """Whether the last week ends on an earlier day of the week than at least half of the others."""
    ends = [int(((days[members] + 3) % 7).max()) for members in found]
    return ends[-1] < float(np.median(ends[:-1]))


def _others(links: Links, members: np.ndarray) -> Any:
    """The counts of all other weeks."""
    from coterie.organize.background import background_of

    outside = np.ones(len(links), dtype=bool)
    outside[members] = False
    return background_of(links.take(np.flatnonzero(outside)))


def _week(first: date, members: np.ndarray, links: Links, model: Any) -> Week:
    """The core of these members; where none can be found, the reason."""
    part = links.take(members)
    try:
        found = model.fit(part)
    except CoterieError as error:
        said = error.plain
        return Week(
            first, members, members[:0], np.zeros(len(members)), (), f"{said[:1].lower()}{said[1:]}"
        )
    if not found.stands_out_:
        note = f"no core stands out among {len(members)} members."
        return Week(first, members, members[:0], np.asarray(found.scores_), (), note)
    order = np.asarray(found.ranking_.order, dtype=np.int64)
    inside = np.asarray(found.labels_) == 0
    return Week(
        first,
        members,
        members[order[inside[order]]],
        np.asarray(found.scores_),
        told(part, inside)[:_WORDS],
    )

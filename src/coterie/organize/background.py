"""What is general: the background counts of the columns of a population, from the bundled list, a mapping or other links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence, Links
from coterie.core.params import kind_of
from coterie.parts.background import bundled, counts_of

_KNOWN = 0.1  # of the columns, that the bundled list must know to be of any use
_FREQUENCIES = 1e6  # what shares that sum to one at most are brought to


@dataclass(frozen=True, slots=True, eq=False)
class General:
    """Background counts of the columns of one population, the sentence that says whose they are, and a caution or nothing."""

    counts: np.ndarray
    sentence: str
    caution: str = ""


def background_of(links: Any, binary: bool = True) -> dict[str, dict[str, float]]:
    """How often each other thing is with the members of these links, by population: a background for a Core.

    With `binary`, in how many members it is. Use it for the rest of a collection, when the core of a part is looked for.

    >>> background_of(Links.of({("members", "words"): [[2, 1], [0, 4]]}))
    {'words': {'x0': 1.0, 'x1': 2.0}}
    """
    given = Links.of(links)
    return {
        name: dict(zip(given.ids[name], _totals(table, binary).tolist(), strict=True))
        for name in given.populations
        if name != given.target and (table := given.between(given.target, name)) is not None
    }


def _totals(table: Cooccurrence, binary: bool) -> np.ndarray:
    counts = table.counts
    if binary:
        return np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1]).astype(
            np.float64
        )
    return np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()


def generals_of(
    background: Any,
    columns: Mapping[str, Sequence[str]],
    binary: bool,
    notes: list[str],
    owner: str = "Core",
) -> dict[str, General]:
    """The background of several populations, given their columns; a list of words need not know the people beside them.

    A mapping without populations that knows some of one population and nothing of another is not on the other: there every
    column is as frequent as any other, and a note says so.
    """
    if isinstance(background, (Links, Cooccurrence)):
        background = background_of(background, binary)
        if len(background) == 1 and not set(background) & set(columns):
            background = next(iter(background.values()))
    flat = isinstance(background, Mapping) and not _nested(background)
    strange = [
        name
        for name, ids in columns.items()
        if flat and not any(background.get(one) for one in ids)
    ]
    found = {}
    for name, ids in columns.items():
        if name in strange and len(strange) < len(columns):
            notes.append(
                f"The background knows none of the {len(ids)} {name}; each was taken as frequent as any other."
            )
            found[name] = _unknown(name, ids)
        else:
            found[name] = general_of(background, name, ids, binary, owner)
    return found


def general_of(
    background: Any, population: str, ids: Sequence[str], binary: bool, owner: str = "Core"
) -> General:
    """The background of one population, as a Core is given it."""
    if isinstance(background, (Links, Cooccurrence)):
        background = background_of(background, binary)
        if len(background) == 1 and population not in background:
            background = next(iter(background.values()))
    if isinstance(background, str) and background == "uniform":
        return General(
            np.ones(len(ids)), f"every one of the {len(ids)} {population} as frequent as any other"
        )
    if isinstance(background, str):
        return _bundled(population, ids)
    if not isinstance(background, Mapping):
        raise ParameterError(
            f"background must be 'bundled', 'uniform', a mapping of word to count, or links, and was "
            f"{kind_of(background)}.",
            owner=owner,
        )
    nested = _nested(background)
    if nested and population not in background:
        return _unknown(population, ids)
    if nested:
        found = general_of(background[population], population, ids, binary, owner)
        return General(found.counts, found.sentence, found.caution)
    return _given(background, population, ids, owner)


def _nested(background: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of populations, each with a background of its own."""
    return any(isinstance(value, (Mapping, Cooccurrence, Links)) for value in background.values())


def _unknown(population: str, ids: Sequence[str]) -> General:
    return General(
        np.ones(len(ids)), f"nothing known of {population}, every one as frequent as any other"
    )


def _bundled(population: str, ids: Sequence[str]) -> General:
    counts = counts_of(ids, bundled())
    known = int((counts > 0).sum())
    if known < _KNOWN * len(ids) or not known:
        return General(
            np.ones(len(ids)),
            f"every one of the {len(ids)} {population} as frequent as any other",
            f"the bundled counts are of English words and know {known} of the {len(ids)} {population}; every one was taken as "
            "equally frequent in general, so give background= counts of your own where you can.",
        )
    return General(
        counts,
        f"bundled counts of English words, which know {known} of the {len(ids)} {population}",
    )


def _given(counts: Mapping[str, Any], population: str, ids: Sequence[str], owner: str) -> General:
    """A mapping of name to count or to share."""
    try:
        found = counts_of(ids, {str(name): float(value) for name, value in counts.items()})
    except (TypeError, ValueError):
        wrong = next(
            name for name, value in counts.items() if not isinstance(value, (int, float, np.number))
        )
        raise DataError(
            f"the background must give a number for every name, and gives {counts[wrong]!r} for '{wrong}'.",
            owner=owner,
        ) from None
    if not np.isfinite(found).all() or (found < 0).any():
        at = int(np.flatnonzero(~np.isfinite(found) | (found < 0))[0])
        raise DataError(
            f"the background counts of '{ids[at]}' must be a number from 0, and were {found[at]:g}.",
            owner=owner,
        )
    known = int((found > 0).sum())
    if not known:
        raise DataError(
            f"the background knows none of the {len(ids)} {population}; it must name them as the collection does "
            f"(such as '{ids[0]}').",
            owner=owner,
        )
    if sum(map(float, counts.values())) <= 1.0 + 1e-6:
        found = found * _FREQUENCIES
    return General(found, f"the counts given, which know {known} of the {len(ids)} {population}")

"""What a person does with the proposed groups of features: delete, move, add, and settle what is open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.organize.comraf.interactive_desk import Desk
from coterie.organize.comraf.interactive_state import Entry, State


def by_frequency(
    desk: Desk, kind: str, group: Sequence[str], kept: Sequence[str], most: int | None
) -> list[str]:
    """Features from the most frequent; of more than `most`, those that the person gave and the most frequent others."""
    table = desk.table(kind)
    often = np.bincount(table.counts.indices, weights=table.counts.data, minlength=len(table.cols))
    found = sorted(dict.fromkeys(group), key=lambda one: (-often[desk.places[kind][one]], one))
    if most is None or len(found) <= most:
        return found
    others = [one for one in found if one not in set(kept)][: max(most - len(kept), 0)]
    chosen = {*kept, *others}
    return [one for one in found if one in chosen]


def _edited(
    kind: str,
    groups: Mapping[str, Sequence[Sequence[str]]],
    change: Callable[[int, list[str]], list[str]],
) -> Any:
    return {**groups, kind: [change(at, list(group)) for at, group in enumerate(groups[kind])]}


def _seeded(state: State, kind: str) -> str:
    if kind not in state.given:
        raise ParameterError(
            f"'{kind}' has no seeds here; those with seeds are {', '.join(state.given)}."
        )
    return kind


def delete(desk: Desk, state: State, entry: Entry) -> State:
    """Features taken out of their groups; they are not proposed again."""
    kind = _seeded(state, entry["type"])
    features = desk.known(kind, entry["features"])
    here = {one for group in state.seed_groups[kind] for one in group}
    for one in features:
        if one not in here and one not in state.rejected.get(kind, ()):
            raise DataError(f"'{one}' is in no group.{desk.near(one, sorted(here))}")
    gone = set(features)
    rejected = list(dict.fromkeys([*state.rejected.get(kind, ()), *features]))
    return state.changed(
        seed_groups=_edited(kind, state.seed_groups, lambda at, group: _without(group, gone)),
        given=_edited(kind, state.given, lambda at, group: _without(group, gone)),
        rejected={**state.rejected, kind: rejected},
    )


def put(desk: Desk, state: State, entry: Entry) -> State:
    """Features added to a group, or moved there from another: from now on they are the person's own seeds of that group."""
    kind = _seeded(state, entry["type"])
    to = entry["to"]
    features = desk.known(kind, entry["features"])
    owner = {one: at for at, group in enumerate(state.seed_groups[kind]) for one in group}
    for one in features:
        if entry["do"] == "move" and one not in owner:
            raise DataError(f"'{one}' is in no group; add it.{desk.near(one, sorted(owner))}")
        if entry["do"] == "add" and owner.get(one, to) != to:
            name = state.group_names[owner[one]]
            raise DataError(f"'{one}' is in the group '{name}' already; move it.")
    new = set(features)

    groups = _edited(
        kind,
        state.seed_groups,
        lambda at, group: _with(group, features) if at == to else _without(group, new),
    )
    groups[kind] = [by_frequency(desk, kind, group, group, None) for group in groups[kind]]
    given = _edited(
        kind,
        state.given,
        lambda at, group: _with(group, features) if at == to else _without(group, new),
    )
    rejected = state.rejected
    if new & set(rejected.get(kind, ())):
        rejected = {**rejected, kind: _without(rejected[kind], new)}
    return state.changed(seed_groups=groups, given=given, rejected=rejected)


def _with(group: Sequence[str], features: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*group, *features]))


def _without(group: Sequence[str], gone: Collection[str]) -> list[str]:
    return [one for one in group if one not in gone]


def settle(desk: Desk, state: State, entry: Entry) -> State:
    """An open cluster of features put into one group, or into none."""
    at = entry["tie"]
    to = entry["to"]
    if not 0 <= at < len(state.ties):
        raise ParameterError(
            f"There are {len(state.ties)} open clusters of features, and number {at + 1} is none of them."
        )
    tie = state.ties[at]
    kind = tie["type"]
    theirs = set(tie["features"]) - {one for group in state.given[tie["type"]] for one in group}
    ties = [
        {**one, "to": -1 if to is None else to} if other == at else one
        for other, one in enumerate(state.ties)
    ]
    own = [
        one for one in tie["features"] if one in theirs and one not in state.rejected.get(kind, ())
    ]
    groups = _edited(
        kind,
        state.seed_groups,
        lambda g, group: (
            _with(_without(group, theirs), own) if g == to else _without(group, theirs)
        ),
    )
    groups[kind] = [by_frequency(desk, kind, group, group, None) for group in groups[kind]]
    return state.changed(seed_groups=groups, ties=ties)

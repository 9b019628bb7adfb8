"""What tells the groups of a run that edits changed, and what a new one may be called; counted beside the request, and kept."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from starlette.requests import Request

from coterie.collect.named_views import ALL, names_of
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
from coterie.run.stored import Run
from coterie.show.markup import clean, clip
from coterie.web.desk import Desk, NotYet
from coterie.web.keeping import Versions, found_mark
from coterie.web.mapdata import begins
from coterie.web.standing import Standing
from coterie.workflows.key_features import KeyFeatures
from coterie.workflows.retelling import Retelling

_COUNTED = Versions(4)
_NAME = 80  # letters of a proposed name


def at_hand(request: Request, name: str) -> bool:
    """Whether the words of a run are counted already; pages that show them are made again when they are."""
    run = request.app.state.desk.finished(name)
    return _COUNTED.peek((str(run.folder), found_mark(run), "counted")) is not None


def counted(desk: Desk, run: Run) -> Retelling | None:
    """The words of a run; None where it has neither texts nor a table, and NotYet while they are counted."""
    if not run.has_collection:
        return None
    mark = found_mark(run)
    made: list[Retelling | None] | None = _COUNTED.peek((str(run.folder), mark, "counted"))
    if made is None:
        made = desk.warm(("counted", str(run.folder), mark), lambda: [_made(desk, run)])
        _COUNTED.of(str(run.folder), mark, "counted", lambda: made)
    return made[0] if made else None


def retold(desk: Desk, run: Run, standing: Standing) -> dict[int, Mapping[str, KeyFeatures]]:
    """What tells each group that is not as it was found, by its number from 1; nothing while words are counted."""
    if not len(standing.moved):
        return {}
    try:
        words = counted(desk, run)
    except NotYet:
        return {}
    labels = _labels(desk, run, standing)
    if words is None or labels is None:
        return {}
    before = np.asarray(standing.found.labels)
    moved = standing.moved
    changed = sorted(
        {*before[moved].tolist(), *standing.state.labels[moved].tolist()}
        & set(standing.state.names)
    )
    told = words.telling(labels, standing.state.last)
    return {label + 1: told[label] for label in changed}


def proposed(desk: Desk, run: Run, standing: Standing, part: np.ndarray, number: int) -> str:
    """A name for some members of a group that become one of their own; empty where nothing tells them. NotYet as above."""
    words = counted(desk, run)
    labels = _labels(desk, run, standing)
    if words is None or labels is None:
        return ""
    inside = np.flatnonzero(labels == number - 1)
    part = np.intersect1d(part, inside)
    if not 0 < len(part) < len(inside):
        return ""
    name = clip(clean(words.name(part, inside, standing.state.last)), _NAME)
    return (
        f"{name} ({standing.state.last + 1})"
        if name and standing.state.called(name) is not None
        else name
    )


def _labels(desk: Desk, run: Run, standing: Standing) -> np.ndarray | None:
    """The groups as they stand of the members that are in the collection; None where these are others."""
    collection = desk.collection(run)
    if not begins(collection, standing.found):
        return None
    labels = np.where(standing.own, standing.state.labels, -1)
    return np.asarray(labels[: len(collection)])


def _made(desk: Desk, run: Run) -> Retelling | None:
    collection = desk.collection(run)
    choices = run.request.choices
    several = names_of(choices.views)
    one = choices.view
    views = tuple(collection.views) if several == (ALL,) else several or ((one,) if one else ())
    made = Retelling.of(collection, views)
    told = [collection.view(view) for view in made.views]
    plain = all(
        isinstance(data, Text | Table) and not isinstance(data, TaggedText) for data in told
    )
    return made if plain and (told or collection.links) else None

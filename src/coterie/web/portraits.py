"""What is seen of one member: its text with the telling words marked, its sound, its picture, its trace, its row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from pydantic import BaseModel

from coterie.core.collection import Collection, View
from coterie.core.findings import Findings, Group, is_flat
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
from coterie.show.markup import clean, clip, count, figure
from coterie.web.mapdata import begins
from coterie.web.usual import Usual, usual_of

HEARD = 3000.0  # samples a second that browsers play at least
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_OCCURRENCES = 6
_TOLD = 40  # telling words of a population that are marked
Keep = Callable[
    [Any, Callable[[], Any]], Any
]  # something by its name, made where it is not at hand


def _at_once(_: Any, make: Callable[[], Any]) -> Any:
    return make()


class Part(BaseModel):
    """A piece of a text, and whether it is one of the group's telling words (or, of a mention, the member itself)."""

    text: str
    telling: bool = False


class Cell(BaseModel):
    """One column of a row, beside what is usual in the member's group."""

    name: str
    value: str
    usual: str = ""
    unusual: bool = False


class Seen(BaseModel):
    """One view of a member."""

    view: str
    kind: Literal["text", "mention", "sound", "picture", "sequence", "set", "row"]
    said: str = ""  # its size in words
    parts: list[Part] = []
    cells: list[Cell] = []
    url: str = ""
    whole: bool = True  # False where only the beginning is given


def place_in(collection: Collection | None, findings: Findings, at: int) -> int | None:
    """Where a member of the findings stands in the collection; None where it is not there."""
    if collection is None:
        return None
    member = findings.ids[at]
    if at < len(collection) and collection.ids[at] == member:
        return at
    try:
        return collection.ids.index(member)
    except ValueError:
        return None


def is_heard(view: View) -> bool:
    """Whether a view is sound that a browser can play."""
    return isinstance(view, Ragged) and view.is_sound and view.ordered and view.rate >= HEARD


def portrait(
    run: str,
    collection: Collection,
    findings: Findings,
    at: int,
    most: int = 60_000,
    columns: int = 200,
    keep: Keep = _at_once,
) -> list[Seen]:
    """All views of a member; texts are cut after `most` letters and rows after `columns` cells.

    `keep` holds what is usual in a group at hand for the next member of it.
    """
    here = place_in(collection, findings, at)
    if here is None:
        return []
    group = group_of(findings, at)
    found = []
    for number, (name, view) in enumerate(collection.views.items()):
        media = f"/media/{run}/{at}/{number}"
        called = clean(clip(name, 80))
        if isinstance(view, Text):
            found.append(_text(called, view[here], marks(group), most))
        elif isinstance(view, TaggedText):
            found.append(_tagged(called, view, here, most))
        elif isinstance(view, Pictures):
            height, width = (int(side) for side in view.sizes[here])
            found.append(
                Seen(
                    view=called,
                    kind="picture",
                    said=f"{width} × {height} pixels",
                    url=f"{media}.png",
                )
            )
        elif isinstance(view, Ragged):
            found.append(_ragged(called, view, here, media))
        else:
            usual = keep(
                ("usual", number, int(findings.labels[at])),
                partial(_usual, collection, findings, at, cast(Table, view)),
            )
            found.append(_row(called, cast(Table, view), here, usual, columns))
    return found


def group_of(findings: Findings, at: int) -> Group | None:
    """The group of a member."""
    label = int(findings.labels[at])
    return (
        next((group for group in findings.groups if group.label == label), None)
        if label >= 0
        else None
    )


def marks(group: Group | None) -> frozenset[str]:
    """The words that tell a group, as they are looked for in a text."""
    if group is None:
        return frozenset()
    rows = (rows for name, rows in group.telling.items() if name not in ("columns", "traces"))
    words = [word.casefold() for some in rows for word, strength in some[:_TOLD] if strength > 0]
    return frozenset(
        piece for word in words for piece in [word, *_WORD.findall(word)] if len(piece) > 1
    )


def marked(text: str, words: frozenset[str]) -> list[Part]:
    """A text in pieces, those that are telling words (also other forms of them) marked."""
    from coterie.represent.tokens import stem

    parts = []
    last = 0
    for found in _WORD.finditer(text) if words else ():
        word = found.group().casefold()
        if word in words or stem(word) in words:
            if found.start() > last:
                parts.append(Part(text=text[last : found.start()]))
            parts.append(Part(text=found.group(), telling=True))
            last = found.end()
    return [*parts, Part(text=text[last:])] if last < len(text) else parts


def _text(name: str, text: str, words: frozenset[str], most: int) -> Seen:
    whole = len(text) <= most
    kept = clean(text[:most] if whole else text[:most].rsplit(maxsplit=1)[0] + " …")
    said = count(len(_WORD.findall(text[:1_000_000])), "word")
    return Seen(view=name, kind="text", said=said, parts=marked(kept, words), whole=whole)


def _tagged(name: str, view: TaggedText, here: int, most: int) -> Seen:
    """The sentences in which a marked span stands, the span marked."""
    spans = np.array([here]) if view.owners is None else np.flatnonzero(view.owners == here)
    sentences = view.sentence_of()
    parts = []
    for span in spans[:_OCCURRENCES]:
        first, end = (int(v) for v in view.spans[span])
        begin, stop = (int(view.offsets[sentences[span] + step]) for step in (0, 1))
        pieces = (view.tokens[begin:first], view.tokens[first:end], view.tokens[end:stop])
        before, own, after = (clean(clip(" ".join(map(str, piece)), most)) for piece in pieces)
        parts += [Part(text=f"{before} "), Part(text=own, telling=True), Part(text=f" {after}\n")]
    return Seen(
        view=name,
        kind="mention",
        said=count(len(spans), "occurrence"),
        parts=parts,
        whole=len(spans) <= _OCCURRENCES,
    )


def _ragged(name: str, view: Ragged, here: int, media: str) -> Seen:
    steps = int(view.offsets[here + 1] - view.offsets[here])
    if is_heard(view):
        return Seen(
            view=name, kind="sound", said=f"{steps / view.rate:.2f} seconds", url=f"{media}.wav"
        )
    of = f" of {count(view.dim, 'value')}" if view.dim > 1 else ""
    lasting = f", {figure(steps / view.rate)} seconds" if view.rate > 0 else ""
    if not view.ordered:
        return Seen(view=name, kind="set", said=f"{count(steps, 'vector')}{of}", url=f"{media}.svg")
    return Seen(
        view=name, kind="sequence", said=f"{count(steps, 'step')}{of}{lasting}", url=f"{media}.svg"
    )


def _usual(collection: Collection, findings: Findings, at: int, view: Table) -> Usual:
    """What is usual in a member's group; nothing where it is alone or no groups stood out."""
    inside = np.zeros(0, dtype=np.int64)
    if not is_flat(findings) and findings.labels[at] >= 0 and begins(collection, findings):
        inside = np.flatnonzero(
            np.asarray(findings.labels)[: len(collection)] == findings.labels[at]
        )
    return usual_of(view, inside if len(inside) > 1 else inside[:0])


def _row(name: str, view: Table, here: int, usual: Usual, most: int) -> Seen:
    """The member's cells beside what its group has: the mean of numbers, the most common of words."""
    row = np.asarray(view.values[[here]].toarray() if view.sparse else view.values[here]).ravel()
    order: Iterable[int] = (
        range(len(row))
        if not view.sparse
        else np.argsort(-np.abs(row), kind="stable")[: int((row != 0).sum())]
    )
    shown = list(order)[:most]
    cells = [_cell(view, int(column), float(row[column]), usual) for column in shown]
    filled = int((row != 0).sum()) if view.sparse else len(row)
    return Seen(
        view=name, kind="row", said=count(filled, "column"), cells=cells, whole=len(shown) >= filled
    )


def _cell(view: Table, column: int, value: float, usual: Usual) -> Cell:
    name = clean(clip(view.names[column], 80))
    shown = clean(clip(view.level(column, value), 120))
    said, unusual = usual.told(view, column, value)
    return Cell(name=name, value=shown, usual=clean(clip(said, 120)), unusual=unusual)


def ties(
    collection: Collection | None, here: int | None, most: int = 24
) -> list[tuple[str, list[str]]]:
    """What a member is tied to, population by population: correspondents, tags, words of a caption; the strongest first."""
    if collection is None or here is None:
        return []
    found = []
    for (one, other), link in collection.links.items():
        if one != "members" or here >= link.shape[0] or link.rows[here] != collection.ids[here]:
            continue
        row = link.counts[[here]].tocsr()
        order = np.argsort(-row.data, kind="stable")[:most]
        names = [clean(clip(link.cols[row.indices[i]], 80)) for i in order]
        if names:
            found.append((clean(clip(other, 60)), names))
    return found

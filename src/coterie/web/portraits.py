"""What is seen of one member: its text with the telling words marked, its sound, its picture, its trace, its row."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

import numpy as np
from pydantic import BaseModel

from coterie.core.collection import Collection, View
from coterie.core.findings import Findings, Group
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
from coterie.show.flat import is_flat
from coterie.show.markup import clean, clip, count, figure

HEARD = 4000.0  # steps per second from which a trace of one value is a sound
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_OCCURRENCES = 6
_TOLD = 40  # telling words of a population that are marked


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


def is_sound(view: View) -> bool:
    """Whether a view can be heard."""
    return isinstance(view, Ragged) and view.ordered and view.dim == 1 and view.rate >= HEARD


def portrait(run: str, collection: Collection, findings: Findings, at: int, most: int = 60_000, columns: int = 200) -> list[Seen]:
    """All views of a member; texts are cut after `most` letters and rows after `columns` cells."""
    here = place_in(collection, findings, at)
    if here is None:
        return []
    group = group_of(findings, at)
    labels = np.full(len(findings), -1) if is_flat(findings) else np.asarray(findings.labels)
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
            found.append(Seen(view=called, kind="picture", said=f"{width} × {height} pixels", url=f"{media}.png"))
        elif isinstance(view, Ragged):
            found.append(_ragged(called, view, here, media))
        else:
            found.append(_row(called, view, here, labels, at, columns))
    return found


def group_of(findings: Findings, at: int) -> Group | None:
    """The group of a member."""
    label = int(findings.labels[at])
    return next((group for group in findings.groups if group.label == label), None) if label >= 0 else None


def marks(group: Group | None) -> frozenset[str]:
    """The words that tell a group, as they are looked for in a text."""
    if group is None:
        return frozenset()
    rows = (rows for name, rows in group.telling.items() if name not in ("columns", "traces"))
    words = [word.casefold() for some in rows for word, strength in some[:_TOLD] if strength > 0]
    return frozenset(piece for word in words for piece in [word, *_WORD.findall(word)] if len(piece) > 1)


def marked(text: str, words: frozenset[str]) -> list[Part]:
    """A text in pieces, those that are telling words (also other forms of them) marked."""
    from coterie.represent.porter import stem

    parts, last = [], 0
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
    sentences, parts = view.sentence_of(), []
    for span in spans[:_OCCURRENCES]:
        first, end = (int(v) for v in view.spans[span])
        begin, stop = (int(view.offsets[sentences[span] + step]) for step in (0, 1))
        pieces = (view.tokens[begin:first], view.tokens[first:end], view.tokens[end:stop])
        before, own, after = (clean(clip(" ".join(map(str, piece)), most)) for piece in pieces)
        parts += [Part(text=f"{before} "), Part(text=own, telling=True), Part(text=f" {after}\n")]
    return Seen(view=name, kind="mention", said=count(len(spans), "occurrence"), parts=parts, whole=len(spans) <= _OCCURRENCES)


def _ragged(name: str, view: Ragged, here: int, media: str) -> Seen:
    steps = int(view.offsets[here + 1] - view.offsets[here])
    if is_sound(view):
        return Seen(view=name, kind="sound", said=f"{steps / view.rate:.2f} seconds", url=f"{media}.wav")
    of = f" of {count(view.dim, 'value')}" if view.dim > 1 else ""
    lasting = f", {figure(steps / view.rate)} seconds" if view.rate > 0 else ""
    if not view.ordered:
        return Seen(view=name, kind="set", said=f"{count(steps, 'vector')}{of}", url=f"{media}.svg")
    return Seen(view=name, kind="sequence", said=f"{count(steps, 'step')}{of}{lasting}", url=f"{media}.svg")


def _row(name: str, view: Table, here: int, labels: np.ndarray, at: int, most: int) -> Seen:
    """The member's cells beside what its group has: the mean of numbers, the most common of words."""
    row = np.asarray(view.values[[here]].toarray() if view.sparse else view.values[here]).ravel()
    order: Iterable[int] = (
        range(len(row)) if not view.sparse else np.argsort(-np.abs(row), kind="stable")[: int((row != 0).sum())]
    )
    shown = list(order)[:most]
    inside = np.flatnonzero(labels == labels[at]) if labels[at] >= 0 and len(labels) == len(view) else np.zeros(0, dtype=int)
    cells = [_cell(view, column, float(row[column]), inside) for column in shown]
    filled = int((row != 0).sum()) if view.sparse else len(row)
    return Seen(view=name, kind="row", said=count(filled, "column"), cells=cells, whole=len(shown) >= filled)


def _cell(view: Table, column: int, value: float, inside: np.ndarray) -> Cell:
    name, shown = clean(clip(view.names[column], 80)), clean(clip(view.level(column, value), 120))
    if len(inside) < 2:
        return Cell(name=name, value=shown)
    others = view.values[inside][:, [column]]
    numbers = np.asarray(others.toarray() if view.sparse else others).ravel()
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return Cell(name=name, value=shown)
    if column in view.categories:
        code, many = Counter(numbers.tolist()).most_common(1)[0]
        rare = math.isfinite(value) and float((numbers == value).mean()) < 0.1
        return Cell(name=name, value=shown, usual=f"{view.level(column, code)} ({many / len(numbers):.0%})", unusual=rare)
    mean, spread = float(numbers.mean()), float(numbers.std())
    far = math.isfinite(value) and spread > 0 and abs(value - mean) > 2 * spread
    return Cell(name=name, value=shown, usual=view.level(column, mean), unusual=far)


def ties(collection: Collection | None, here: int | None, most: int = 24) -> list[tuple[str, list[str]]]:
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

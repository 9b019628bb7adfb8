"""Reuters-21578 as a collection: stories with their topics out of the SGML files reut2-000.sgm, ..., and the ModApte split."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.text import Text

_FILES = "reut2-*.sgm"
_STORY = re.compile(
    r"<REUTERS\b([^>]*)>(.*?)(?:</REUTERS>|(?=<REUTERS\b)|\Z)", re.DOTALL | re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"([A-Za-z]+)\s*=\s*\"([^\"]*)\"")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_CONTROL_ENTITY = re.compile(r"&#(?:[0-9]|1[1-9]|2[0-9]|3[01]|127);")
_LABEL = re.compile(r"<D>(.*?)</D>", re.DOTALL | re.IGNORECASE)
_INNER = re.compile(r"</?(?:TITLE|AUTHOR|DATELINE|BODY|TEXT|D)\b[^>]*>", re.IGNORECASE)
_END = re.compile(r"\s*\bReuter\s*$", re.IGNORECASE)  # how a story ends


@dataclass(frozen=True, slots=True)
class Story:
    """One story: its number, its split (LEWISSPLIT), whether indexers gave it topics (TOPICS), its topics, title, body, date."""

    number: str
    split: str
    indexed: str
    topics: tuple[str, ...]
    title: str
    body: str
    date: str

    @property
    def modapte(self) -> str:
        """'train' or 'test' by the ModApte split (Apte, Damerau and Weiss), '' where the story is in neither."""
        if self.indexed != "YES":
            return ""
        return {"TRAIN": "train", "TEST": "test"}.get(self.split, "")


def stories(text: str) -> Iterator[Story]:
    """The stories of one file; a story that is not closed ends where the next begins.

    >>> one = next(stories('<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" NEWID="1"><TOPICS><D>corn</D></TOPICS>'
    ...     '<TEXT><TITLE>CORN &lt;C></TITLE><BODY>Up. Reuter</BODY></TEXT></REUTERS>'))
    >>> one.topics, one.title, one.body, one.modapte
    (('corn',), 'CORN <C>', 'Up.', 'train')
    """
    for head, inside in _STORY.findall(text):
        said = {name.upper(): value for name, value in _ATTRIBUTE.findall(head)}
        topics = _between(inside, "TOPICS")
        whole = _between(inside, "TEXT")
        body = _between(whole, "BODY")
        unmarked = re.search(r"<TEXT\b[^>]*TYPE\s*=\s*\"UNPROC\"", inside, re.IGNORECASE)
        yield Story(
            number=said.get("NEWID", ""),
            split=said.get("LEWISSPLIT", "").upper(),
            indexed=said.get("TOPICS", "").upper(),
            topics=tuple(
                dict.fromkeys(_clean(label) for label in _LABEL.findall(topics) if _clean(label))
            ),
            title=_clean(_between(whole, "TITLE")),
            body=_END.sub("", _clean(body or (whole if unmarked else ""))),
            date=_clean(_between(inside, "DATE")),
        )


def _between(text: str, name: str) -> str:
    """What stands between the tags of that name; to the end where the second is missing."""
    found = re.search(rf"<{name}\b[^>]*>(.*?)(?:</{name}>|\Z)", text, re.DOTALL | re.IGNORECASE)
    return found[1] if found else ""


def _clean(text: str) -> str:
    """Without control characters, inner tags and entities; lines keep their ends, and a paragraph has an empty line before it.

    In the files a paragraph begins with a line that is indented.
    """
    plain = unescape(_INNER.sub(" ", _CONTROL_ENTITY.sub(" ", text)))
    lines: list[str] = []
    for line in _CONTROL.sub(" ", plain).split("\n"):
        words = " ".join(line.split())
        if not words:
            continue
        lines += ["", words] if lines and line.startswith("  ") else [words]
    return "\n".join(lines)


def read_reuters(path: str | os.PathLike[str], *, bodies: bool = False) -> Collection:
    """Reuters-21578 of a folder with reut2-000.sgm to reut2-021.sgm (or one such file), as a collection.

    The view `text` is the title and the body. Truth: `topics` (a tuple of topics per story, none for some), `split` (train or
    test by ModApte, else empty). With `bodies` stories without a body are left out.
    """
    place = Path(path).expanduser()
    if not place.exists():
        raise DataError(
            f"There is no '{place}'; Reuters-21578 is a folder with reut2-000.sgm and the files after it."
        )
    files = sorted(place.glob(_FILES)) if place.is_dir() else [place]
    if not files:
        raise DataError(
            f"The folder '{place.name}' has no file {_FILES}; unpack reuters21578.tar.gz there."
        )
    found: list[Story] = []
    for file in files:
        held = list(stories(file.read_bytes().decode("latin-1")))
        if not held:
            raise DataError(
                f"'{file.name}' has no <REUTERS> story; it is not a file of Reuters-21578."
            )
        found += held
    kept = [story for story in found if story.body or not bodies]
    if not kept:
        raise DataError(f"None of the {len(found)} stories of '{place.name}' has a body.")
    return _collected(kept, len(found), place.name if place.is_dir() else place.stem)


def _collected(kept: list[Story], read: int, name: str) -> Collection:
    ids = [story.number or f"story {at}" for at, story in enumerate(kept, 1)]
    topics = np.empty(len(kept), dtype=object)
    topics[:] = [story.topics for story in kept]
    split = np.array([story.modapte for story in kept])
    bare = sum(not story.body for story in kept)
    notes = [
        f"{int((split == 'train').sum())} stories to train and {int((split == 'test').sum())} to test by the ModApte split."
    ]
    if bare:
        notes.append(f"{bare} stories have a title and no body.")
    if len(kept) < read:
        notes.append(f"{read - len(kept)} of {read} stories have no body and were left out.")
    return Collection(
        ids=ids,
        views={"text": Text(tuple(f"{story.title}\n{story.body}".strip() for story in kept))},
        truth={"topics": topics, "split": split},
        name=name,
        notes=tuple(notes),
        cards={"title": [story.title for story in kept], "date": [story.date for story in kept]},
    )

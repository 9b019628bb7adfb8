"""Members in lists: what each is called, what it says in short, and which of its views is a picture or a sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coterie.core.collection import Collection
from coterie.core.findings import Findings
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.text import TaggedText, Text
from coterie.run.stored import Run
from coterie.show.markup import clean, clip, ended
from coterie.web.desk import Desk
from coterie.web.mapdata import lasting
from coterie.web.maps import seen
from coterie.web.portraits import is_heard, place_in
from coterie.workflows.searching import title_in

# characters of a member's line and of its title
LINE = 240
TITLE = 160
READ = 500  # characters of a text by which a person judges


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """The addresses at which members of a run are seen and heard; those that were added later have none."""

    run: str = ""
    picture: int | None = None  # numbers of views
    sound: int | None = None
    ids: Sequence[str] = ()

    def of(self, findings: Findings, at: int) -> dict[str, str]:
        """Where a member's picture and its sound are; empty where there is none."""
        there = at < len(self.ids) and self.ids[at] == findings.ids[at]
        return {
            "picture": f"/media/{self.run}/{at}/{self.picture}.png"
            if there and self.picture is not None
            else "",
            "sound": f"/media/{self.run}/{at}/{self.sound}.wav"
            if there and self.sound is not None
            else "",
        }


NOBODY = Faces()


def faces_of(desk: Desk, run: Run) -> Faces:
    """Which view of a run is a picture and which a sound; looked up once and kept."""
    made: Faces = lasting(run, "faces", lambda: _faces(run.name, seen(desk, run)))
    return made


def _faces(run: str, collection: Collection | None) -> Faces:
    if collection is None:
        return NOBODY
    views = list(enumerate(collection.views.values()))
    picture = next((number for number, view in views if isinstance(view, Pictures)), None)
    sound = next(
        (number for number, view in views if isinstance(view, Ragged) and is_heard(view)), None
    )
    return (
        NOBODY if picture is None and sound is None else Faces(run, picture, sound, collection.ids)
    )


def title_of(findings: Findings, at: int) -> str:
    """What a member is called: the subject of a mail, the title of a text; its id where it has none."""
    return clean(clip(title_in(findings.cards, at) or findings.ids[at], TITLE))


def line_of(findings: Findings, at: int, faces: Faces = NOBODY, most: int = LINE) -> dict[str, Any]:
    """What a list shows of a member, as the template member_line.html and memberline.js take it."""
    name = clean(findings.ids[at])
    title = title_of(findings, at)
    line = clean(clip(ended(findings.snippets[at]), most))
    told = _below(line, title) if title != name else line
    return {
        "at": at,
        "id": name,
        "title": title,
        "line": "" if told in (name, title, "…") else told,
        **faces.of(findings, at),
    }


def text_of(desk: Desk, run: Run, findings: Findings, at: int, most: int = READ) -> str:
    """The beginning of a member's text, long enough to judge it by; empty where it has none."""
    collection = seen(desk, run)
    here = place_in(collection, findings, at)
    if collection is None or here is None:
        return ""
    title = title_in(findings.cards, at)
    texts = [
        _below(view[here], title)
        for view in collection.views.values()
        if isinstance(view, Text) and not isinstance(view, TaggedText)
    ]
    return clean(clip(" · ".join(text for text in texts if text.strip()), most))


def _below(text: str, title: str) -> str:
    """A text under its title, where it begins with it."""
    return text.removeprefix(title).lstrip(" \n:·-–—") if title and text.startswith(title) else text

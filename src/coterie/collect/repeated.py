"""What is odd about texts as a whole, said in notes: members that repeat another word for word, and one that holds most words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from coterie.core.collection import Collection
from coterie.core.text import Text
from coterie.messages.notes import Note

_GIANT = 0.5  # share of all characters in one member that is worth a note
_DIGEST = 16  # bytes that stand for a text
_SOME = 10  # members from which a giant one is a surprise


def repeated(documents: Sequence[str]) -> list[tuple[int, int]]:
    """Each document that repeats an earlier one, with the first of its kind; white space at the ends and empty ones aside.

    >>> repeated(["one", "two", " one ", "", ""])
    [(2, 0)]
    """
    first: dict[bytes, int] = {}
    found = []
    for place, document in enumerate(documents):
        text = document.strip()
        if not text:
            continue
        key = text.encode("utf-8", "surrogatepass")
        key = (
            key if len(key) <= _DIGEST else blake2b(key, digest_size=_DIGEST).digest()
        )  # the texts may be too many to be held
        if first.setdefault(key, place) != place:
            found.append((place, first[key]))
    return found


def with_text_notes(collection: Collection) -> Collection:
    """The collection with notes on repeated and on giant texts of its main view; as it is where there are none."""
    if collection.kind != "text":
        return collection
    view = collection.view()
    notes = text_notes(view, collection.ids) if isinstance(view, Text) else ()
    return replace(collection, notes=(*collection.notes, *notes)) if notes else collection


def text_notes(text: Text, ids: Sequence[str]) -> tuple[str, ...]:
    """Sentences on the members that repeat another, and on one that is longer than all others together."""
    notes: list[str] = []
    twice = repeated(text.documents)
    if twice:
        shown = ", ".join(f"{ids[place]} = {ids[first]}" for place, first in twice[:3]) + (
            ", ..." if len(twice) > 3 else ""
        )
        many = "members repeat" if len(twice) > 1 else "member repeats"
        notes.append(
            Note(
                f"{len(twice)} {many} the text of an earlier one, which can inflate what is "
                f"measured on them: {shown}",
                "repeated",
            )
        )
    sizes = [len(document) for document in text.documents]
    if len(sizes) >= _SOME and max(sizes) > _GIANT * sum(sizes):
        giant = max(range(len(sizes)), key=sizes.__getitem__)
        notes.append(f"The member {ids[giant]} holds {sizes[giant] / sum(sizes):.0%} of all text.")
    return tuple(notes)

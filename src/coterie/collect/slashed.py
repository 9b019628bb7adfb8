"""Slashed text: words written with their tags, as in "The/at dog/nn", one sentence per line; words and tags come apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from coterie.collect.tags import FEATURE, VIEW, Tagged, free_name, tagged_view
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.text import Text

_FORM = re.compile(r"\S*\S/[^\s/]{1,16}")
_LOOKED_AT = 40  # documents, and at most
_TOKENS = 200  # tokens of each
_FEWEST = 3


def looks_slashed(documents: Sequence[str]) -> bool:
    """Whether every token of some documents, spread over all, is a word, a slash and a tag; tags must come again.

    >>> looks_slashed(["The/at dog/nn saw/vbd the/at cat/nn ./."]), looks_slashed(["and/or is a word"])
    (True, False)
    """
    step = max(1, len(documents) // _LOOKED_AT)
    seen = [
        token
        for document in documents[::step]
        for token in document[: 32 * _TOKENS].split()[:-1][:_TOKENS]
    ]
    if len(seen) < _FEWEST or not all(_FORM.fullmatch(token) for token in seen):
        return False
    return len({token.rpartition("/")[2] for token in seen}) < max(len(seen), 2)


def unslashed(collection: Collection, view: str | None = None, mark: str = "/") -> Collection:
    """The collection with the words of a view of word/tag tokens as its text, and a view "tagged" that keeps the tags."""
    name = collection.main if view is None else view
    seen = collection.view(name)
    if not isinstance(seen, Text):
        raise DataError(
            f"Words with tags are read from a text, and the view '{name}' of '{collection.name}' is {seen!r}."
        )
    lines = any("\n" in document.strip() for document in seen)
    pairs = [
        _sentences(document, member, mark, lines)
        for document, member in zip(seen, collection.ids, strict=True)
    ]
    text = Text(
        tuple(
            "\n".join(" ".join(word for word, _ in sentence) for sentence in document)
            for document in pairs
        )
    )
    tagged = tagged_view(pairs)
    kinds = len(set(tagged.features[FEATURE].tolist()) - {""})
    said = f"Words and tags of '{name}' were taken apart: {kinds} tags in {len(tagged.offsets) - 1} sentences."
    views = {key: text if key == name else value for key, value in collection.views.items()}
    return replace(
        collection,
        views={**views, free_name(VIEW, views): tagged},
        notes=(*collection.notes[:1], said, *collection.notes[1:]),
    )


def if_slashed(collection: Collection, asked: bool) -> Collection:
    """The collection with words and tags apart where its main view is written so, or where a person says that it is."""
    if not asked and (not collection.views or not isinstance(collection.view(), Text)):
        return collection
    view = collection.view()
    if asked or (isinstance(view, Text) and looks_slashed(view.documents)):
        try:
            return unslashed(collection)
        except DataError as error:
            if asked:
                raise
            return replace(
                collection,
                notes=(
                    *collection.notes,
                    f"Nearly all words carry a tag, and were left so: {error}",
                ),
            )
    return collection


def _sentences(document: str, member: str, mark: str, lines: bool) -> list[list[Tagged]]:
    """The lines of a document as (word, tag) pairs; where no document has lines, a sentence ends after the tag of a full stop."""
    found: list[list[Tagged]] = []
    for number, line in enumerate(document.split("\n"), start=1):
        row: list[Tagged] = []
        for token in line.split():
            word, slash, tag = token.rpartition(mark)
            if not (word and slash and tag):
                raise DataError(
                    f"'{token}' on line {number} of '{member}' is not a word, '{mark}' and a tag."
                )
            row.append((word, tag))
            if not lines and tag == ".":
                found.append(row)
                row = []
        if row:
            found.append(row)
    return found

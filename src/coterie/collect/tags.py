"""Tags of words: documents with a part of speech at every word, from a tagger, as a view that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from coterie.collect.tagger import Tagger
from coterie.collect.tokens import sentences
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.text import TaggedText, Text
from coterie.core.workplace import watched, workplace

VIEW = "tagged"
FEATURE = "pos"

Tagged = tuple[str, str]


def with_tags(
    collection: Collection,
    tagger: Tagger,
    view: str | None = None,
    split: Callable[[str], Sequence[Sequence[str]]] = sentences,
) -> Collection:
    """The collection with a view "tagged": the sentences of a text view (`split` cuts them) with the tags a tagger gives.

    >>> from coterie.collect.text import texts
    >>> class Lengths:
    ...     def tag(self, tokens):
    ...         return [str(len(token)) for token in tokens]
    >>> with_tags(texts(["One dog. Two cats."]), Lengths()).view("tagged").features["pos"].tolist()
    ['3', '3', '1', '3', '4', '1']
    """
    name = collection.main if view is None else view
    seen = collection.view(name)
    if not isinstance(seen, Text):
        raise DataError(
            f"Tags are given to a text, and the view '{name}' of '{collection.name}' is {seen!r}."
        )
    if not isinstance(tagger, Tagger):
        raise ParameterError(
            f"tagger must have a method tag(tokens), as Perceptron has, and was a {type(tagger).__name__}."
        )
    with watched(workplace().watch, "tagging", len(seen)) as task:
        rows = []
        for document in seen:
            rows.append(
                [_tagged(tagger, sentence) for sentence in split(document) if len(sentence)]
            )
            task.advance()
    return replace(
        collection, views={**collection.views, free_name(VIEW, collection.views): tagged_view(rows)}
    )


def _tagged(tagger: Tagger, sentence: Sequence[str]) -> list[Tagged]:
    tags = tagger.tag(sentence)
    if len(tags) != len(sentence):
        raise DataError(
            f"The tagger gave {len(tags)} tags to the {len(sentence)} words of '{' '.join(sentence)[:80]}'."
        )
    return list(zip(sentence, tags, strict=True))


def tagged_view(documents: Iterable[Sequence[Sequence[Tagged]]]) -> TaggedText:
    """One span per document, over all its sentences, with the tags as the feature "pos".

    A document without a word has one empty token with an empty tag, which is counted nowhere.
    """
    words: list[str] = []
    tags: list[str] = []
    offsets = [0]
    spans = []
    for document in documents:
        begin = len(words)
        for sentence in document if any(document) else [[("", "")]]:
            words += [word for word, _ in sentence]
            tags += [tag for _, tag in sentence]
            offsets.append(len(words))
        spans.append((begin, len(words)))
    if not spans:
        raise DataError("There are no documents: the list is empty.")
    return TaggedText(
        np.array(words, dtype=object),
        np.array(offsets),
        np.array(spans),
        {FEATURE: np.array(tags, dtype=object)},
    )


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """The name, or the first of "name 2", "name 3", ... that is not taken."""
    known = set(taken)
    names = (wanted, *(f"{wanted} {at}" for at in range(2, len(known) + 3)))
    return next(name for name in names if name not in known)

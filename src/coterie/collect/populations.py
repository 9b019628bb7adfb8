"""Populations beside the members: the words of their texts, and what link tables tie them to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from coterie.collect.links import with_links
from coterie.collect.words import FUNCTION_WORDS, count_words, link_words
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.text import Text

SHORT_TEXTS = (
    "title",
    "titles",
    "headline",
    "caption",
    "subject",
)  # columns of words, though they may be short
_MEMBERS = "members"


def with_populations(
    collection: Collection,
    links: Mapping[str, Any] | None = None,
    words: bool | Sequence[str] = False,
    both_ways: bool = False,
    min_df: int = 2,
) -> Collection:
    """The collection with the words of its texts and the others of link tables as populations, each in `min_df` members or more.

    `words` is True (all text views, and columns called title, headline or caption) or the names of views or columns: the
    view "abstract" becomes the population "abstract words", a view "text" becomes "words". `links` gives populations their
    tables (see `with_links`). Populations that are there already stay.

    >>> from coterie.collect.text import texts
    >>> papers = texts(["graphs and trees", "trees"], ["a", "b"])
    >>> sorted(with_populations(papers, {"citations": [("a", "x"), ("b", "x")]}, words=True).links)
    [('members', 'citations'), ('members', 'words')]
    """
    for view in _texts(collection, words):
        collection = _with_words(collection, view, min_df, asked=words is not True)
    for population, table in _named(links).items():
        if (_MEMBERS, population) in collection.links:
            raise ParameterError(
                f"links: '{collection.name}' has a population '{population}' already; give the table another name."
            )
        collection = with_links(collection, population, table, min_df=min_df, both_ways=both_ways)
    return collection


def with_populations_alike(
    collection: Collection,
    links: Mapping[str, Any] | None,
    words: bool | Sequence[str],
    both_ways: bool,
) -> Collection:
    """The same for members that come later: whatever is in one member counts, and a table without any of them is left out."""
    for population, table in _named(links).items():
        try:
            collection = with_populations(
                collection, {population: table}, both_ways=both_ways, min_df=1
            )
        except DataError as error:
            collection = replace(
                collection, notes=(*collection.notes, f"'{population}' was left out: {error}")
            )
    return with_populations(collection, words=words, min_df=1)


def _named(links: Mapping[str, Any] | None) -> dict[str, Any]:
    """Link tables by the names of their populations, checked."""
    if links is None:
        return {}
    if not isinstance(links, Mapping):
        raise ParameterError(
            f"links must give populations their tables, such as {{'citations': 'cites.csv'}}, and was {links!r:.80}."
        )
    for name, table in links.items():
        if not isinstance(name, str) or not name.strip() or name == _MEMBERS:
            raise ParameterError(
                f"links: a population needs a name of its own, and was called {name!r}."
            )
        if table is None or (isinstance(table, (str, os.PathLike)) and not os.fspath(table)):
            raise ParameterError(f"links: the population '{name}' has no table.")
    return dict(links)


def _texts(collection: Collection, words: bool | Sequence[str]) -> list[str]:
    """The views and columns whose words are counted."""
    if words is False:
        return []
    if words is True:
        found = [name for name, view in collection.views.items() if isinstance(view, Text)]
        found += [name for name in collection.cards if name.lower() in SHORT_TEXTS]
        if not found:
            raise DataError(
                f"words: '{collection.name}' has no text whose words can be counted; it has {collection.describe()}."
            )
        return found
    names = [words] if isinstance(words, str) else list(words)
    for name in names:
        if name not in collection.views and name not in collection.cards:
            known = ", ".join((*collection.views, *collection.cards)) or "nothing"
            raise DataError(f"words: '{collection.name}' has no text '{name}'; it has {known}.")
    return names


def _with_words(collection: Collection, name: str, min_df: int, asked: bool) -> Collection:
    """One more population of words; where nobody asked for this very text, one without a shared word is only noted."""
    population = "words" if name == "text" else f"{name} words"
    if (_MEMBERS, population) in collection.links:
        return collection
    try:
        if name in collection.views:
            return link_words(collection, name, population, min_df, FUNCTION_WORDS, clean=True)
        link = count_words(collection.cards[name], collection.ids, min_df, FUNCTION_WORDS)
        if not link.cols:
            raise DataError(
                f"No word of '{name}' of '{collection.name}' is in {min_df} or more members."
            )
    except DataError as error:
        if asked:
            raise
        return replace(
            collection, notes=(*collection.notes, f"'{population}' was left out: {error}")
        )
    return replace(collection, links={**collection.links, (_MEMBERS, population): link})

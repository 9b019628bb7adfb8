"""Searching a collection: an index of its words, a learned space beside it where one is asked for, and hits a person can read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.hits import Hit, Hits
from coterie.organize.retrieval import Combined, Expansion, Index
from coterie.organize.retrieval.role import Row, best
from coterie.workflows.search_choices import Search
from coterie.workflows.search_models import Space, learn
from coterie.workflows.search_words import Asked, as_counts, asked, counted
from coterie.workflows.snippets import clean, highlighted, snippet

_TITLES = (
    "subject",
    "title",
    "headline",
    "name",
)  # cards that are searched too, and shown above a snippet
_PEOPLE = ("sender", "from", "author", "authors")
_SHOWN = (*_PEOPLE, "date", "to", "file")
_LISTED = 12  # columns named in a sentence
_HOW = {
    "bm25": "Okapi BM25",
    "inner": "TFIDF",
    "tfidf": "share of TFIDF",
    "cosine": "cosine of counts",
}


class Searcher:
    """A collection ready to be searched; made once by `Searcher.over`, asked as often as you like.

    >>> found = Searcher.over(["the cat sat", "a dog barked", "dogs and cats"]).search("cat")
    >>> [hit.id for hit in found.hits]
    ['0', '2']
    """

    def __init__(
        self,
        collection: Collection,
        texts: Sequence[str],
        choices: Search,
        model: str | None,
        groups: Mapping[str, str],
    ) -> None:
        self.collection = collection
        self.texts = texts
        self.choices = choices
        self.groups = groups
        whole = _with_cards(collection, texts)
        self.dictionary, self.counts = counted(whole, choices.stem, collection.name)
        self.first_of = _firsts(whole)
        self.telling = self.dictionary.told
        self.index = Index(scorer=choices.scorer, k1=choices.k1, b=choices.b).fit(self.counts)
        self.space: Space | None = None
        self.combined: Combined | None = None
        if model is not None:
            self.space = learn(
                model, self.counts, self.dictionary.terms, self.telling, choices.seed
            )
            both = Combined(one=self.index, other=self.space.retriever, weight=choices.weight)
            self.combined = both.fit((self.counts, self.space.members))

    @classmethod
    def over(
        cls,
        source: Any,
        choices: Search | None = None,
        *,
        model: str | None = None,
        groups: Mapping[str, str] | None = None,
    ) -> Searcher:
        """Index a collection (or whatever `coterie.read` takes); `model` names a learned space to rank by as well.

        Texts are searched with their subject, title and sender where these are known. `groups` says the group of members (by
        id), to be shown with the hits.
        """
        settings = choices or Search()
        settings.check_params()
        collection = source if isinstance(source, Collection) else read(source)
        return cls(collection, texts_of(collection), settings, model, groups or {})

    def __len__(self) -> int:
        return len(self.collection)

    @property
    def words_how(self) -> str:
        """By what the words alone rank members."""
        return _HOW[self.choices.scorer]

    @property
    def how(self) -> str:
        """By what members are ranked, in words."""
        said = self.words_how
        if self.combined is not None and self.space is not None:
            said += f" (weight {self.combined.weight_:g}) and {self.space.name}"
        return said + (", with words added to the query" if self.choices.expand else "")

    def search(self, query: str, most: int = 10) -> Hits:
        """The members that answer a query best, with the words around what was asked."""
        begun = time.perf_counter()
        if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
            raise ParameterError(
                f"most must be a whole number from 1, and was {most!r}.", owner="Searcher"
            )
        if not isinstance(query, str):
            raise DataError(f"A query is a string, and was {type(query).__name__}.")
        said = asked(query, self.dictionary)
        weights = self.weighed([said])
        held = self._held(said)
        scores, listed = next(self.rows([said], weights))
        order, copies = self._folded(best(scores, listed, None), most)
        marks = {term: max(float(self.index.idf_[term]), 1e-6) for term in said.terms}
        added = [int(term) for term in weights.indices if int(term) not in marks]
        found = tuple(
            replace(
                self._hit(rank, at, float(scores[at]), marks, held),
                repeats=tuple(copies.get(at, ())),
            )
            for rank, at in enumerate(order, 1)
        )
        return Hits(
            query=clean(query),
            name=self.collection.name,
            members=len(self),
            matching=int(held.sum()),
            hits=found,
            words=tuple(
                (word, self._members_with(term))
                for word, term in zip(said.written, said.terms, strict=True)
            ),
            added=tuple(self._written(term) for term in added),
            notes=said.notes,
            how=self.how,
            seconds=time.perf_counter() - begun,
        )

    def scores(self, queries: Sequence[str]) -> np.ndarray:
        """Queries x members, more is better; -inf for members without a word."""
        found = [
            scores for scores, _ in self.rows([asked(query, self.dictionary) for query in queries])
        ]
        return np.stack(found) if found else np.zeros((0, len(self)))

    def weighed(self, queries: Sequence[Asked], expand: bool | None = None) -> sp.csr_array:
        """Queries x terms: what each term weighs, with the words that expansion adds (where it was chosen, or by `expand`)."""
        found = as_counts([one.terms for one in queries], len(self.dictionary.terms))
        wider = self.choices.expand if expand is None else expand
        return Expansion().expand(self.index, found, among=self.telling) if wider else found

    def rows(self, queries: Sequence[Asked], weights: Any = None) -> Iterator[Row]:
        """Of every query: the score of each member, and which match."""
        given = self.weighed(queries) if weights is None else weights
        if self.combined is None or self.space is None:
            return self.index.rows(given)
        return self.combined.rows((given, self.space.entered(given)))

    def tune(self, queries: Sequence[str], relevant: Sequence[Sequence[int]]) -> float:
        """Find the weight of words beside the learned space on development queries and their relevant members (positions)."""
        if self.combined is None or self.space is None:
            raise ParameterError(
                "There is nothing to tune without a learned space; name one, such as lsa."
            )
        given = self.weighed([asked(query, self.dictionary) for query in queries])
        return float(self.combined.tune((given, self.space.entered(given)), relevant).weight_)

    def _folded(self, order: np.ndarray, most: int) -> tuple[list[int], dict[int, list[str]]]:
        """The best that say something new, and by position the ids of those listed further down that repeat it."""
        kept: dict[int, int] = {}
        copies: dict[int, list[str]] = {}
        for at in order.tolist():
            first = int(self.first_of[at])
            if first in kept:
                copies.setdefault(kept[first], []).append(clean(str(self.collection.ids[at])))
            elif len(kept) < most:
                kept[first] = at
        return list(kept.values()), copies

    def _held(self, said: Asked) -> np.ndarray:
        """Which members hold a word of the query as it was written."""
        return next(self.index.rows(self.weighed([said], expand=False)))[1]

    def _members_with(self, term: int) -> int:
        return int(self.index.document_frequency_[term])

    def _written(self, term: int) -> str:
        """The most frequent word of a term."""
        of = np.flatnonzero(self.dictionary.term_of == term)
        return str(self.dictionary.words[int(of[np.argmax(self.dictionary.frequency[of])])])

    def _hit(
        self, rank: int, at: int, score: float, marks: Mapping[int, float], held: np.ndarray
    ) -> Hit:
        cards = self.collection.cards
        member = str(self.collection.ids[at])
        title = title_in(cards, at)
        text = _below(self.texts[at], title)
        about = [(name, clean(str(cards[name][at]))) for name in _SHOWN if name in cards]
        about += [("group", self.groups[member])] if member in self.groups else []
        return Hit(
            rank=rank,
            id=clean(member),
            position=at,
            score=score,
            snippet=snippet(text, self.dictionary.term, marks),
            title=highlighted(title, self.dictionary.term, marks),
            about=tuple(
                (name, value)
                for name, value in about
                if value and value not in (clean(member), clean(title))
            ),
            words=bool(held[at]),
        )


def title_in(cards: Mapping[str, Sequence[object]], at: int) -> str:
    """What a member is called by its cards: its subject, title, headline or name; empty where it has none of them."""
    return next(
        (
            str(cards[name][at])
            for name in _TITLES
            if name in cards and str(cards[name][at]).strip()
        ),
        "",
    )


def texts_of(collection: Collection) -> list[str]:
    """What is searched of each member: all its texts, one after the other."""
    views = list(collection.of_modality("text").values())
    if not views:
        raise DataError(
            f"'{collection.name}' has no text to search: it has {_had(collection)}.",
            parameter="text",
        )
    return (
        list(views[0])
        if len(views) == 1
        else ["\n\n".join(parts) for parts in zip(*views, strict=True)]
    )


def _had(collection: Collection) -> str:
    """What there is instead of text: the columns of a table by name, and the kind of anything else."""
    columns = [name for view in collection.of_modality("table").values() for name in view.names]
    columns += list(collection.cards) if columns else []
    if columns:
        more = f" and {len(columns) - _LISTED:,} more" if len(columns) > _LISTED else ""
        named = f"the column{'s' * (len(columns) > 1)} {', '.join(columns[:_LISTED])}{more}"
        return f"{named}; if one holds text, name it as text"
    return (
        ", ".join(
            f"{name} ({type(view).__name__.lower()})" for name, view in collection.views.items()
        )
        or "links only"
    )


def _firsts(texts: Sequence[str]) -> np.ndarray:
    """Per text the position of the first that says the same, white space aside; empty ones repeat nobody."""
    seen: dict[str, int] = {}
    words = [" ".join(text.split()) for text in texts]
    return np.array(
        [seen.setdefault(text, at) if text else at for at, text in enumerate(words)], dtype=np.int64
    )


def _with_cards(collection: Collection, texts: Sequence[str]) -> list[str]:
    """The texts with subject, title and sender before them, where they do not begin with these."""
    found = list(texts)
    for name in (*_TITLES, *_PEOPLE):
        if name in collection.cards:
            column = [str(value) for value in collection.cards[name]]
            found = [
                text if text.startswith(value) else f"{value}\n{text}"
                for text, value in zip(found, column, strict=True)
            ]
    return found


def _below(text: str, title: str) -> str:
    """The text under its title, where it begins with it and goes on."""
    rest = text[len(title) :] if title and text.startswith(title) else text
    return rest if rest.strip() else text

"""The words of a collection to be searched: what is a term, which words of a query are known, and what was meant by others."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.text import Text
from coterie.represent.stopwords import ENGLISH
from coterie.represent.terms import Terms
from coterie.represent.tokens import stem
from coterie.represent.tokens import words as words_of

_ENGLISH = 0.2  # share of the words of a text that are English function words, from which its words are cut to their stems
_LOOKED_AT = 4000  # words of the dictionary that are compared with one that is not in it


@dataclass(frozen=True, eq=False)
class Dictionary:
    """All words of a collection as they are written, and the term (the stem, or the word itself) that each belongs to."""

    words: Sequence[str]
    frequency: np.ndarray  # members that hold each word
    terms: tuple[str, ...]
    term_of: np.ndarray  # per word its term
    stemmed: bool
    place: dict[str, int] = field(repr=False)  # of every word
    columns: dict[str, int] = field(repr=False)  # of every term

    def term(self, word: str) -> int | None:
        """The column of a word in lower case; a word that nobody wrote may still have the stem of others."""
        at = self.place.get(word)
        if at is not None:
            return int(self.term_of[at])
        return self.columns.get(stem(word)) if self.stemmed else None

    @property
    def told(self) -> np.ndarray:
        """Which terms are no function words."""
        stopped = {stem(word) if self.stemmed else word for word in ENGLISH}
        return np.array([term not in stopped for term in self.terms], dtype=bool)

    def near(self, word: str) -> str | None:
        """The word of the collection that was probably meant: of the same stem, else spelled alike; the more frequent of two."""
        root = (
            "" if self.stemmed else stem(word)
        )  # where words are cut to stems, one of the same stem is known already
        same = [
            at
            for at, one in enumerate(self.words)
            if root and one[:1] == word[:1] and stem(one) == root
        ]
        if same:
            return self.words[max(same, key=lambda at: int(self.frequency[at]))]
        alike = [
            at
            for at, one in enumerate(self.words)
            if abs(len(one) - len(word)) <= 2 and one[:1] == word[:1]
        ]
        if len(alike) > _LOOKED_AT:
            alike = sorted(alike, key=lambda at: -int(self.frequency[at]))[:_LOOKED_AT]
        often = {self.words[at]: int(self.frequency[at]) for at in alike}
        found = difflib.get_close_matches(word, list(often), n=5, cutoff=0.75)
        if not found:
            return None
        match = difflib.SequenceMatcher(b=word)
        return max(found, key=lambda one: (_likeness(match, one), often[one]))


def _likeness(match: difflib.SequenceMatcher[str], word: str) -> float:
    match.set_seq1(word)
    return round(match.ratio(), 1)


@dataclass(frozen=True)
class Asked:
    """A query in words: its terms, each once, with how the person wrote them; what is unknown, and what may have been meant."""

    terms: tuple[int, ...]
    written: tuple[str, ...]
    notes: tuple[str, ...] = ()


def counted(texts: Sequence[str], how: str, name: str) -> tuple[Dictionary, Any]:
    """The dictionary of these texts and members x terms, how often; `how` is auto, porter or none."""
    model = Terms(weights="tf", stop_words="none", min_df=1)
    try:
        counts = model.fit_transform(Text(tuple(texts)))
    except DataError:
        raise DataError(
            f"'{name}' has no text to search: none of its {len(texts):,} members holds a word."
        ) from None
    words = [str(word) for word in model.terms_]
    stemmed = how == "porter" or (how == "auto" and english(words, counts))
    cut = [stem(word) for word in words] if stemmed else words
    terms = tuple(sorted(set(cut)))
    column = {term: at for at, term in enumerate(terms)}
    term_of = np.array([column[one] for one in cut], dtype=np.int64)
    if stemmed:
        join = sp.csr_array(
            (np.ones(len(words)), (np.arange(len(words)), term_of)), shape=(len(words), len(terms))
        )
        counts = sp.csr_array(counts @ join)
        counts.sort_indices()
    place = {word: at for at, word in enumerate(words)}
    return Dictionary(
        words, model.document_frequency_, terms, term_of, stemmed, place, column
    ), counts


def english(words: Sequence[str], counts: Any) -> bool:
    """Whether so many of the words are English function words that the text is English."""
    often = np.asarray(counts.sum(axis=0)).ravel()
    known = np.array([word in ENGLISH for word in words], dtype=bool)
    return bool(often[known].sum() > _ENGLISH * often.sum())


def asked(query: str, dictionary: Dictionary) -> Asked:
    """The terms of a query, function words left out where it has others; unknown words are said, with what may be meant."""
    found = list(dict.fromkeys(words_of(query)))
    if not found:
        raise DataError(
            f"'{query}' has no word to search for: words are made of letters."
            if query.strip()
            else "The query is empty."
        )
    telling = [word for word in found if word not in ENGLISH] or found
    terms = []
    written = []
    unknown = []
    for word in telling:
        term = dictionary.term(word)
        if term is None:
            unknown.append(word)
        elif term not in terms:
            terms.append(term)
            written.append(word)
    notes = [_unknown(word, dictionary) for word in unknown]
    if written and all(word in ENGLISH for word in found):
        these = " and ".join(f"'{word}'" for word in written)
        several = len(written) > 1
        which, tell = (
            ("are function words", "they tell") if several else ("is a function word", "it tells")
        )
        notes.append(
            f"{these} {which}, which most members hold: {tell} little apart, and scores are near 0."
        )
    return Asked(tuple(terms), tuple(written), tuple(notes))


def _unknown(word: str, dictionary: Dictionary) -> str:
    near = dictionary.near(word)
    return f"No member holds '{word}'" + (f"; did you mean {near}?" if near else ".")


def as_counts(queries: Sequence[Sequence[int]], width: int) -> Any:
    """Queries x terms, each term of a query once."""
    rows = np.repeat(np.arange(len(queries)), [len(one) for one in queries])
    cols = np.array([term for one in queries for term in one], dtype=np.int64)
    return sp.csr_array((np.ones(len(cols)), (rows, cols)), shape=(len(queries), width))

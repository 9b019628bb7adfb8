"""Sentences as queries for the documents they were taken from: the data of nntr-ranks, and who is found among the first ten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from coterie.collect.quotes import own_words
from coterie.collect.tokens import sentences
from coterie.core.random import stream
from coterie.core.text import Text
from coterie.organize.retrieval.combined import GRID
from coterie.parts.one_spread import one_spread
from coterie.represent.terms import Terms
from coterie_papers.experiment import Trial
from coterie_papers.reuters import read_reuters
from coterie_papers.text_data import NEWS, NEWS_FILE, columns, news_text

REUTERS = "reuters21578"
FIRST = 10  # places among which the right document counts as found
_LEAST_WORDS = 30  # of a document
_KNOWN = 3  # words of a query that the dictionary must have
_EACH = 3  # queries of one document at most, so that long documents do not count more


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Documents, sentences of them as queries, the document of each, and what is left of it without the sentence (counts)."""

    documents: Any
    queries: Any
    rest: Any
    owners: np.ndarray

    @classmethod
    def of(
        cls, texts: Sequence[str], terms: Terms, generator: np.random.Generator, each: int = _EACH
    ) -> Asked:
        """Up to three sentences of every text, drawn at random among those with three known words; something must be left."""
        pieces = [[" ".join(row) for row in sentences(text)] for text in texts]
        owner = np.repeat(np.arange(len(texts)), [len(row) for row in pieces])
        found = sp.csr_array(terms.counts([piece for row in pieces for piece in row] or [""]))
        ones = sp.csr_array(
            (np.ones(len(owner)), (owner, np.arange(len(owner)))),
            shape=(len(texts), found.shape[0]),
        )
        documents = sp.csr_array(ones @ found)
        left = (
            np.asarray(documents.sum(axis=1)).ravel()[owner]
            - np.asarray(found.sum(axis=1)).ravel()[: len(owner)]
        )
        good = np.flatnonzero((np.diff(found.indptr)[: len(owner)] >= _KNOWN) & (left >= _KNOWN))
        mixed = good[np.argsort(generator.random(len(good)), kind="stable")]
        mixed = mixed[np.argsort(owner[mixed], kind="stable")]
        place = np.arange(len(mixed)) - np.searchsorted(owner[mixed], owner[mixed])
        chosen = np.sort(mixed[place < each])
        rest = sp.csr_array(documents[owner[chosen]] - found[chosen])
        rest.eliminate_zeros()
        return cls(documents, sp.csr_array(found[chosen]), rest, owner[chosen])

    def __len__(self) -> int:
        return len(self.owners)

    def with_own(self, among: Any, own: np.ndarray) -> np.ndarray:
        """Queries x documents, with the score of what is left where the document is the one asked for."""
        found = np.array(among.toarray() if hasattr(among, "toarray") else among, dtype=np.float32)
        found[np.arange(len(self)), self.owners] = own
        lowest = np.min(found, where=np.isfinite(found), initial=0.0)
        return np.where(np.isfinite(found), found, lowest)

    def cosines(self, vectors: Callable[[Any], Any]) -> np.ndarray:
        """Cosines of queries and documents in a representation."""
        asked, given, left = (
            _unit(vectors(counts)) for counts in (self.queries, self.documents, self.rest)
        )
        own = (
            np.asarray(asked.multiply(left).sum(axis=1)).ravel()
            if hasattr(asked, "multiply")
            else (asked * left).sum(axis=1)
        )
        return self.with_own(asked @ given.T, own)

    def found(self, scores: np.ndarray) -> np.ndarray:
        """Whether each query has its document among the first ten; equal scores count against it."""
        own = scores[np.arange(len(self)), self.owners][:, None]
        return np.asarray((scores >= own).sum(axis=1) <= FIRST)


def _unit(rows: Any) -> Any:
    if hasattr(rows, "multiply"):
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        return sp.csr_array(sp.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def mixed(first: np.ndarray, second: np.ndarray, weight: float) -> np.ndarray:
    """weight * first + (1 - weight) * second, each with a standard deviation of one over the documents of a query."""
    return np.asarray(weight * one_spread(first) + (1 - weight) * one_spread(second))


def tuned(asked: Asked, first: np.ndarray, second: np.ndarray) -> tuple[float, np.ndarray]:
    """The weight of the first that finds most of these (development) queries, the largest of equal ones; and all shares."""
    shares = np.array([asked.found(mixed(first, second, weight)).mean() for weight in GRID])
    return float(GRID[np.flatnonzero(shares == shares.max())[-1]]), shares


# ---- texts ---------------------------------------------------------------------------------------------------------------


def texts_of(trial: Trial, name: str) -> list[str]:
    """The texts of a data set in an order drawn once: without headers, quotations and signatures, each text once."""
    if name == NEWS:
        raw = columns(trial, NEWS, NEWS_FILE, ("text",))["text"]
        made = [own_words(news_text(text).partition("\n")[2]) for text in raw]
    else:
        made = [
            str(text)
            for text in cast(Text, read_reuters(trial.data(REUTERS), bodies=True).view("text"))
        ]
    long = dict.fromkeys(text for text in made if len(text.split()) >= _LEAST_WORDS)
    found = list(long)
    return [found[at] for at in stream(0, len(found)).permutation(len(found))]

"""Terms: documents as weighted counts of their words, with a dictionary learned from the collection.

They are counted a block of documents at a time: the tokens of all documents are never held at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param, shown
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.workplace import bytes_of, fits, left
from coterie.core.written import Written
from coterie.parts import term_weights as weighting
from coterie.parts.term_weights import Sentences, counted
from coterie.represent.phrases import collocations, phrased
from coterie.represent.role import Representer
from coterie.represent.selection import SCORES, term_scores
from coterie.represent.stop_lists import STOP_LISTS
from coterie.represent.tokens import fragments, numbered, stem, words

# a stop word, and a word outside the dictionary
DROPPED = -1
UNKNOWN = -2
_TOKENS = 500_000  # of a block, at least
_COPIES = 5  # of the weighted terms, with what is made on the way: 52 to 55 bytes of a count were measured
_SHARE = 0.5  # of what is left of the memory given: counts that outgrow it are not held, and are counted once more


Split = Callable[[str], list[str]]  # a document as its words in their order


class Numbers(dict[str, int]):
    """The number of every word as it is written, by a rule that is asked once for each kind of word."""

    def __init__(self, rule: Callable[[str], int]) -> None:
        super().__init__()
        self.rule = rule

    def __missing__(self, kind: str) -> int:
        number = self.rule(kind)
        self[kind] = number
        return number


def numbered_blocks(
    documents: Iterable[str], numbers: Numbers, split: Split
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The numbers of the words of some documents, and where each of them ends; block after block."""
    parts: list[np.ndarray] = []
    held = 0
    for document in documents:
        found = split(document)
        parts.append(np.fromiter(map(numbers.__getitem__, found), dtype=np.int64, count=len(found)))
        held += len(found)
        if held >= _TOKENS:
            yield np.concatenate(parts), np.cumsum([len(part) for part in parts])
            parts = []
            held = 0
    if parts:
        yield np.concatenate(parts), np.cumsum([len(part) for part in parts])


@dataclass(eq=False)
class Counted:
    """What a first pass over documents finds: all terms, in how many documents each is, how long documents are.

    Of documents in memory the counts are held as well, while there is room; of those in files, and of many, they are counted
    again, for the terms that stay.
    """

    documents: Iterable[str]
    split: Split
    cut: Callable[[str], str | None]

    def __post_init__(self) -> None:
        place: dict[str, int] = {}

        def rule(kind: str) -> int:
            term = self.cut(kind)
            return DROPPED if term is None else place.setdefault(term, len(place))

        self.numbers = Numbers(rule)
        self.blocks = list[Any]()
        frequency = np.zeros(0, dtype=np.int64)
        sizes: list[np.ndarray] = []
        self.words = 0
        size = 0
        room = _SHARE * left()
        self.held = not isinstance(self.documents, Written)
        for tokens, ends in numbered_blocks(self.documents, self.numbers, self.split):
            block = _small(counted(tokens, ends, len(place)))
            here = np.bincount(block.indices, minlength=len(place))
            here[: len(frequency)] += frequency
            frequency = here
            sizes.append(np.diff(ends, prepend=0))
            self.words += int((tokens >= 0).sum())
            size += bytes_of(block)
            self.held &= size <= room
            if self.held:
                self.blocks.append(block)
            else:
                self.blocks.clear()
        names = list(place)
        self.order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        self.names = [names[at] for at in self.order.tolist()]
        self.frequency = frequency[self.order]
        self.sizes = np.concatenate(sizes) if sizes else np.zeros(0, dtype=np.int64)

    def of(self, kept: np.ndarray) -> Any:
        """Documents x these terms (positions among the names), how often; refused where the memory given is too small."""
        total = int(self.frequency[kept].sum())
        n = len(self.sizes)
        _room(total, len(kept), n)
        column = np.full(len(self.names), -1, dtype=np.int64)
        column[self.order[kept]] = np.arange(len(kept))
        return stacked(
            (_renamed(block, column, len(kept)) for block in self._again()), total, n, len(kept)
        )

    def _again(self) -> Iterator[Any]:
        """The blocks of counts: those held, each let go when it was used, or counted once more."""
        if self.held:
            yield from _let_go(self.blocks)
            return
        for tokens, ends in numbered_blocks(self.documents, self.numbers, self.split):
            yield counted(tokens, ends, len(self.names))


def counts_of(
    documents: Sequence[str], numbers: Numbers, split: Split, width: int
) -> tuple[Any, int]:
    """Documents x terms of a dictionary, how often, and how many words there are besides stop words."""
    blocks = list[Any]()
    total = 0
    found = 0
    for tokens, ends in numbered_blocks(documents, numbers, split):
        found += int((tokens != DROPPED).sum())
        blocks.append(_small(counted(tokens, ends, width)))
        total += blocks[-1].nnz
        _room(total, width, len(documents))
    return stacked(_let_go(blocks), total, len(documents), width), found


def _room(total: int, width: int, n: int) -> None:
    """Refuse counts that, with what is made of them, do not fit into the memory given."""
    said = f"The {total:,} counts of {width:,} terms in {n:,} documents"
    fits(total * 12 * _COPIES, said, "keep fewer terms (max_terms, min_df)")


def _let_go(blocks: list[Any]) -> Iterator[Any]:
    """The blocks in their order, none of them held any longer than it is used."""
    blocks.reverse()
    while blocks:
        yield blocks.pop()


def stacked(blocks: Iterator[Any], total: int, n_rows: int, width: int) -> Any:
    """Blocks of sparse rows as one matrix, filled in as they come."""
    data = np.empty(total)
    indices = np.empty(total, dtype=np.int32)
    starts = np.zeros(
        n_rows + 1, dtype=np.int32 if total < 2**31 else np.int64
    )  # of one kind with the columns: no copy
    at = row = 0
    for block in blocks:
        end = at + len(block.data)
        data[at:end] = block.data
        indices[at:end] = block.indices
        starts[row + 1 : row + 1 + block.shape[0]] = at + block.indptr[1:]
        at = end
        row = row + block.shape[0]
    return sp.csr_array((data, indices, starts), shape=(n_rows, width))


def _renamed(block: Any, column: np.ndarray, width: int) -> Any:
    """The rows of a block over other columns, in rising order; what has none is left out."""
    rows = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
    new = column[block.indices]
    known = new >= 0
    rows = rows[known]
    new = new[known]
    values = block.data[known]
    order = np.argsort(rows * max(width, 1) + new, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=block.shape[0]))])
    return sp.csr_array(
        (values[order].astype(np.float64), new[order], starts), shape=(block.shape[0], width)
    )


def _small(block: Any) -> Any:
    """The same counts in half the memory."""
    return sp.csr_array(
        (block.data.astype(np.int32), block.indices.astype(np.int32), block.indptr),
        shape=block.shape,
    )


_FLOOR = 1e-12  # least spread that a column is divided by
# share of all words in one document that is worth a warning, and documents from which it is a surprise
_GIANT = 0.5
_SOME = 10


class Terms(Representer):
    """Documents as sparse rows of weighted terms (the vector space model): binary, tf, tfidf, tfidf_var or bm25."""

    takes: ClassVar[type] = Text

    weights: str = param(
        "tfidf",
        "What a term weighs in a document.",
        choices=("binary", "tf", "tfidf", "tfidf_var", "bm25"),
    )
    sublinear: bool = param(False, "Whether tf counts as 1 + ln tf (for tf and tfidf).")
    normalize: bool | None = param(
        None,
        "Whether rows are brought to length one; None does so for tfidf and tfidf_var.",
        advanced=True,
    )
    spread: str = param(
        "deviation",
        "What tfidf_var divides a column by: its standard deviation over the documents, or its variance (Keller 2006).",
        choices=("deviation", "variance"),
        advanced=True,
    )
    lower_case: bool = param(True, "Whether words are read in lower case.", advanced=True)
    characters: int = param(
        0,
        "Letters in a row of each word that are counted instead of the word; 0 counts words.",
        ge=0,
        advanced=True,
    )
    stop_words: str | Sequence[str] = param(
        "english",
        "Words left out: a list of the house, or your own.",
        choices=(*STOP_LISTS, "none"),
    )
    stem: str = param(
        "none",
        "Whether words are cut to their stem by Porter's rules (English).",
        choices=("none", "porter"),
    )
    phrases: int = param(
        0,
        "Pairs of words in a row that are added as terms, the best by log-likelihood.",
        ge=0,
        advanced=True,
    )
    min_df: int = param(2, "Documents a term must be in.", ge=1)
    max_df: float = param(1.0, "Largest share of documents a term may be in.", gt=0, le=1)
    max_terms: int | None = param(None, "Terms kept, the best by `select`; None keeps all.", ge=1)
    select: str = param(
        "df",
        "What makes a term good: its document frequency, or a score that reads labels.",
        choices=("df", *SCORES),
        advanced=True,
    )
    pool: str = param(
        "max",
        "Over several classes: the largest score, or the mean weighted by class size.",
        choices=("max", "mean"),
        advanced=True,
    )

    scores_: np.ndarray
    terms_: np.ndarray
    dictionary_: dict[str, int]
    n_documents_: int
    document_frequency_: np.ndarray
    idf_: np.ndarray
    spread_: np.ndarray
    mean_length_: float
    empty_: np.ndarray
    unknown_share_: float

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the dictionary, and the frequencies that weights need; labels are read only where `select` says so."""
        self._learned(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, and give the weighted terms; the documents are read once."""
        return self._weighted(self._learned(X, y))

    def fit_counts(self, counts: Any, terms: Sequence[str]) -> Any:
        """Learn from documents that were counted before: documents x all their terms, in the order of their names.

        The terms come from `Terms(min_df=1)` with the same words; this dictionary keeps those that are in enough
        documents, and gives their counts. No document is read.
        """
        self.check_params()
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        kept = self._frequent(frequency, counts.shape[0])
        kept = self._best(kept, frequency[kept].astype(np.float64))
        self.terms_ = np.array([terms[at] for at in kept.tolist()], dtype=object)
        found = sp.csr_array(counts[:, kept])
        return self._learn_weights(found, counts.shape[0], float(counts.sum()))

    def fit_in_order(self, X: Any) -> tuple[Any, Sentences]:
        """Fit, and give the weighted terms and the terms in their order, as columns; the documents are read once.

        All words are held at once, so this is for a few thousand documents.
        """
        documents = self.check(X)
        kinds, tokens, ends = numbered(documents, self._split())
        terms, meaning = _meanings(kinds, self._stopped(), self.stem == "porter")
        found = meaning[tokens]
        _say_giant(ends)
        counts = self.fit_counts(counted(found, ends, len(terms)), terms)
        column = np.array([self.dictionary_.get(term, UNKNOWN) for term in terms], dtype=np.int64)
        known = found >= 0
        found[known] = column[found[known]]
        return self._weighted(counts), Sentences(found, ends, len(self.terms_))

    def weigh(self, counts: Any) -> Table:
        """Counts of the terms of the dictionary as a table of weights."""
        return Table(self._weighted(counts), tuple(str(term) for term in self.terms_))

    def _learned(self, X: Any, y: Any) -> Any:
        """Learn from the documents; the counts of their terms."""
        documents = self.check(X)
        counts, words_in = (
            self._with_phrases(documents, y) if self.phrases else self._by_blocks(documents, y)
        )
        return self._learn_weights(counts, len(documents), words_in)

    def _learn_weights(self, counts: Any, n_documents: int, words_in: float) -> Any:
        self.dictionary_ = {term: place for place, term in enumerate(self.terms_)}
        self.n_documents_ = n_documents
        self.document_frequency_ = np.bincount(counts.indices, minlength=len(self.terms_))
        self.idf_ = weighting.inverse_frequency(self.document_frequency_, self.n_documents_)
        self.mean_length_ = float(counts.sum()) / self.n_documents_
        self.empty_ = np.flatnonzero(np.diff(counts.indptr) == 0)
        self.unknown_share_ = self._unknown(words_in, counts)
        self.n_features_out_ = len(self.terms_)
        if self.weights == "tfidf_var":
            variance = mean_variance_axis(self._tfidf(counts), axis=0)[1]
            self.spread_ = np.maximum(
                variance if self.spread == "variance" else np.sqrt(variance), _FLOOR
            )
        return counts

    def _by_blocks(self, documents: Text, y: Any) -> tuple[Any, float]:
        """The counts of the terms that stay, and how many words there are; sets `terms_`."""
        stopped = self._stopped()
        stemmed = self.stem == "porter"
        found = Counted(
            documents.documents, self._split(), partial(_term, stopped=stopped, stemmed=stemmed)
        )
        _say_giant(np.cumsum(found.sizes))
        kept = self._frequent(found.frequency, len(documents))
        if self.select == "df":
            kept = self._best(kept, found.frequency[kept].astype(np.float64))
            counts = found.of(kept)
        else:
            counts = found.of(kept)
            best = self._best(np.arange(len(kept)), self._scores(counts, y))
            counts = sp.csr_array(counts[:, best])
            kept = kept[best]
        self.terms_ = np.array([found.names[at] for at in kept.tolist()], dtype=object)
        return counts, float(found.words)

    def _with_phrases(self, documents: Text, y: Any) -> tuple[Any, float]:
        """The same with pairs of words in a row, for which all words are held in their order."""
        kinds, tokens, ends = numbered(documents, self._split())
        terms, meaning = _meanings(kinds, self._stopped(), self.stem == "porter")
        found = meaning[tokens]
        _say_giant(ends)
        pairs = collocations(found, ends, len(terms), self.phrases, max(2, self.min_df))
        names = [*terms, *(f"{terms[one]} {terms[other]}" for one, other in pairs.tolist())]
        counts = counted(found, ends, len(terms))
        words_in = float(counts.sum())
        if len(pairs):
            begun = phrased(found, ends, len(terms), pairs)
            counts = sp.csr_array(sp.hstack([counts, counted(begun, ends, len(pairs))]))
            counts, names = _by_name(counts, names)
        frequency = np.bincount(counts.indices, minlength=len(names))
        kept = self._frequent(frequency, len(documents))
        scores = (
            frequency[kept].astype(np.float64)
            if self.select == "df"
            else self._scores(counts[:, kept], y)
        )
        kept = self._best(kept, scores)
        self.terms_ = np.array(names, dtype=object)[kept]
        return sp.csr_array(counts[:, kept]), words_in

    def transform(self, X: Any) -> Any:
        """Weighted terms of these documents as a sparse array; words outside the dictionary count in `unknown_share_`."""
        return self._weighted(self.counts(X))

    def known(self, X: Any) -> np.ndarray:
        """Which documents hold a term of the dictionary."""
        return np.diff(self.counts(X).indptr) > 0

    def counts(self, X: Any) -> Any:
        """How often each term of the dictionary occurs in these documents."""
        documents = self.check(X, new=True)
        if self._pairs():
            kinds, meaning, tokens, ends = self._numbered(documents)
            found = counted(meaning[tokens], ends, len(self.terms_))
            found = sp.csr_array(found + self._phrase_counts(kinds, tokens, ends))
            self.unknown_share_ = self._unknown(float((meaning[tokens] != DROPPED).sum()), found)
            return found
        found, words_in = counts_of(
            documents.documents, Numbers(self._column()), self._split(), len(self.terms_)
        )
        self.unknown_share_ = self._unknown(float(words_in), found)
        return found

    def _split(self) -> Split:
        """What cuts a document into words, or into parts of words."""
        if self.characters:
            return partial(fragments, lower=self.lower_case, characters=self.characters)
        return partial(words, lower=self.lower_case)

    def _column(self) -> Callable[[str], int]:
        """The rule from a word as it is written to its column."""
        term = partial(_term, stopped=self._stopped(), stemmed=self.stem == "porter")

        def rule(kind: str) -> int:
            word = term(kind)
            return DROPPED if word is None else self.dictionary_.get(word, UNKNOWN)

        return rule

    def tokens(self, X: Any) -> Sentences:
        """The terms of these documents in their order, as columns; below zero for stop words and words outside the dictionary."""
        _, meaning, tokens, ends = self._numbered(self.check(X, new=True))
        return Sentences(meaning[tokens], ends, len(self.terms_))

    def _numbered(self, documents: Text) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
        """The kinds of words as they are cut, the column of each, the kind of every token, and where documents end."""
        check_is_fitted(self)
        stopped = self._stopped()
        kinds, tokens, ends = numbered(documents, self._split())
        cut = stem if self.stem == "porter" else str
        known = [None if kind.lower() in stopped else cut(kind) for kind in kinds]
        columns = [
            DROPPED if word is None else self.dictionary_.get(word, UNKNOWN) for word in known
        ]
        return [word or "" for word in known], np.array(columns, dtype=np.int64), tokens, ends

    def _pairs(self) -> list[tuple[str, str]]:
        """The phrases of the dictionary, as their two words."""
        return (
            [tuple(term.split(" ")) for term in self.terms_ if " " in term] if self.phrases else []
        )

    def _phrase_counts(self, kinds: list[str], tokens: np.ndarray, ends: np.ndarray) -> Any:
        """Documents x terms, how often each phrase of the dictionary occurs."""
        names = sorted(set(kinds) - {""})
        place = {name: at for at, name in enumerate(names)}
        here = [pair for pair in self._pairs() if pair[0] in place and pair[1] in place]
        pairs = np.array(
            [[place[one], place[other]] for one, other in here], dtype=np.int64
        ).reshape(-1, 2)
        meaning = np.array([place.get(kind, DROPPED) for kind in kinds], dtype=np.int64)
        begun = phrased(meaning[tokens], ends, len(names), pairs)
        columns = np.array(
            [self.dictionary_[f"{one} {other}"] for one, other in here] + [UNKNOWN], dtype=np.int64
        )
        return counted(columns[begun], ends, len(self.terms_))

    def _unknown(self, words: float, counts: Any) -> float:
        """The share of the words (stop words aside) that found no place in the counts; phrases are no words."""
        phrases = np.array([" " in term for term in self.terms_]) if self.phrases else None
        found = float(counts.sum()) - (
            float(counts[:, np.flatnonzero(phrases)].sum()) if phrases is not None else 0.0
        )
        return 1.0 - found / words if words else 0.0

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The terms."""
        return self.terms_

    def _weighted(self, counts: Any) -> Any:
        rows = counts
        if self.weights == "binary":
            rows.data = np.ones_like(rows.data)
        elif self.weights == "bm25":
            rows = weighting.okapi(rows, self.idf_, self.mean_length_)
        elif self.weights == "tf":
            rows = weighting.dampened(rows) if self.sublinear else rows
        else:
            rows = self._tfidf(rows)
            rows = (
                weighting.by_column(rows, 1.0 / self.spread_)
                if self.weights == "tfidf_var"
                else rows
            )
        wanted = (
            self.weights in ("tfidf", "tfidf_var") if self.normalize is None else self.normalize
        )
        return weighting.unit_length(rows) if wanted else rows

    def _tfidf(self, counts: Any) -> Any:
        return weighting.by_column(
            weighting.dampened(counts) if self.sublinear else counts, self.idf_
        )

    def _stopped(self) -> frozenset[str]:
        if isinstance(self.stop_words, str):
            return STOP_LISTS.get(self.stop_words, frozenset())
        if not all(isinstance(word, str) for word in self.stop_words):
            raise ParameterError(
                f"stop_words must be a list of words, and was {shown(self.stop_words)}.",
                owner="Terms",
            )
        return frozenset(word.lower() for word in self.stop_words)

    def _frequent(self, frequency: np.ndarray, n: int) -> np.ndarray:
        """Positions of the terms that are in enough documents and not in too many, in the order of their names."""
        kept = np.flatnonzero((frequency >= self.min_df) & (frequency <= self.max_df * n + 1e-9))
        if not len(frequency):
            raise DataError(f"the {n} documents hold no words besides stop words.", owner="Terms")
        if not len(kept):
            raise DataError(
                f"none of the {len(frequency)} terms is in at least min_df={self.min_df} documents and in at most "
                f"max_df={self.max_df:g} of all {n}; lower min_df or raise max_df.",
                owner="Terms",
            )
        return kept

    def _best(self, kept: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Those of the terms with the best scores, as many as are wanted; sets `scores_`."""
        self.scores_ = scores
        if self.max_terms is not None and len(kept) > self.max_terms:
            best = np.sort(np.argsort(-scores, kind="stable")[: self.max_terms])
            kept = kept[best]
            self.scores_ = scores[best]
        return kept

    def _scores(self, counts: Any, y: Any) -> np.ndarray:
        if y is None:
            raise ParameterError(
                f"select='{self.select}' needs labels; call fit(documents, labels), or use select='df'.",
                owner="Terms",
            )
        labels = np.asarray(y)
        if labels.shape != (counts.shape[0],):
            raise DataError(
                f"there are {counts.shape[0]} documents and labels of shape {labels.shape}.",
                owner="Terms",
            )
        return term_scores(counts, labels, self.select, self.pool)


def _term(kind: str, *, stopped: frozenset[str], stemmed: bool) -> str | None:
    """The term of a word; None for a stop word."""
    return None if kind.lower() in stopped else stem(kind) if stemmed else kind


def _meanings(
    kinds: list[str], stopped: frozenset[str], stemmed: bool
) -> tuple[list[str], np.ndarray]:
    """All terms in the order of their names, and the term of every kind of word (or that it is a stop word)."""
    cut = [_term(kind, stopped=stopped, stemmed=stemmed) for kind in kinds]
    terms = sorted({term for term in cut if term is not None})
    place = {term: at for at, term in enumerate(terms)}
    return terms, np.array(
        [DROPPED if term is None else place[term] for term in cut], dtype=np.int64
    )


def _by_name(counts: Any, names: list[str]) -> tuple[Any, list[str]]:
    """The columns in the order of their names."""
    order = sorted(range(len(names)), key=names.__getitem__)
    return sp.csr_array(counts[:, order]), [names[j] for j in order]


def _say_giant(ends: np.ndarray) -> None:
    """A warning where one document of ten or more holds over half of all words."""
    sizes = np.diff(ends, prepend=0)
    if len(sizes) >= _SOME and sizes.max() > _GIANT * max(sizes.sum(), 1):
        share = sizes.max() / sizes.sum()
        warnings.warn(
            f"Terms: document {int(sizes.argmax())} holds {share:.0%} of all words.",
            UserWarning,
            stacklevel=4,
        )

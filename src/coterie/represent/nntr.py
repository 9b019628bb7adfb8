"""NNTR, a neural network for text: which word fits which document, learned from text alone; vectors of words and documents."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.random import seed_of, stream
from coterie.core.workplace import stage, steady
from coterie.parts.nets.bags import torch_here
from coterie.parts.nets.nntr import LOSSES, Plan, best, start, train
from coterie.parts.nets.pairs import NEGATIVES, Pairs
from coterie.parts.nntr import Network, weighted
from coterie.represent.counted import Counted
from coterie.represent.topical import top_columns

WEIGHTS = (
    "df",
    "idf",
    "one",
)  # of the words of a query; the first is that of equation 5.4, and of early stopping
DIRECTIONS = ("query_words", "doc_words")
_SMALL = 100  # words of a dictionary below which a warning is due
_VALIDATED = 200  # documents that are ranked after a round at most
_WORTH = 20  # documents that are ranked at least, else none is held out
# streams of a seed
_START = 1
_HELD = 2
_PAIRS = 3


class NNTR(Counted):
    """A neural network trained to tell which words fit which documents; vectors for words and documents (Keller 2006)."""

    n_units: int = param(50, "Dimensions of the vectors of words and of documents.", ge=1)
    n_hidden: int = param(50, "Hidden units between the two vectors and the score.", ge=1)
    loss: str = param(
        "hinge", "What is minimized: hinge (NNTR-W) or logistic (NNTR-P).", choices=LOSSES
    )
    word_power: float = param(
        0.75,
        "Words are drawn by df to this power; 0 is equation 5.3, 1 draws pairs evenly.",
        ge=0,
        le=1,
    )
    negatives: str = param(
        "shuffled",
        "Whether documents of negative pairs are those of other pairs, or drawn evenly.",
        choices=NEGATIVES,
    )
    balanced: bool = param(
        True,
        "Whether both kinds of pairs weigh the same; False weighs them as they occur.",
        advanced=True,
    )
    batch: int = param(
        512, "Positive pairs of one step; more for a graphics card.", ge=2, advanced=True
    )
    rate: float = param(3e-3, "Step size of Adam.", gt=0, le=10, advanced=True)
    max_iter: int = param(60, "Rounds of at most 500 steps.", ge=1)
    early_stopping: bool = param(
        True, "Whether training ends when held-out documents no longer find themselves better."
    )
    validation: float = param(
        0.1, "Share of the documents held out for that; 200 at most.", gt=0, lt=1, advanced=True
    )
    random_state: int | None = param(0, "Seed of the start and of the pairs drawn.", ge=0)

    arrays_: dict[str, np.ndarray]
    word_table_: np.ndarray
    document_table_: np.ndarray
    document_frequency_: np.ndarray
    idf_: np.ndarray
    history_: list[float]
    validation_history_: list[float]
    converged_: bool
    n_iter_: int

    least: ClassVar[int] = 2

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on a table of counts, documents x words (needs torch; everything else does not)."""
        counts = self.counted(X)
        torch_here()
        n, m = counts.shape
        if m < _SMALL:
            warnings.warn(
                f"NNTR: a dictionary of {m} words is small; fewer than {_SMALL} teach little.",
                stacklevel=2,
            )
        self.document_frequency_ = np.bincount(counts.indices, minlength=m)
        self.idf_ = np.log(n / np.maximum(self.document_frequency_, 1)) * (
            self.document_frequency_ > 0
        )
        seed = seed_of(self.random_state)
        rows = weighted(counts, self.idf_)
        held = self._held_out(counts, seed)
        kept = np.setdiff1d(np.arange(n), held)
        arrays = start(m, self.n_units, self.n_hidden, stream(seed, _START))
        pairs = Pairs.of(rows[kept], self.word_power)
        self._trained(arrays, pairs, rows[kept], counts[held], seed)
        self.n_features_out_ = self.n_units
        return self

    def _held_out(self, counts: Any, seed: int) -> np.ndarray:
        """Documents that are not trained on: none without early stopping, or where they would be too few."""
        full = np.flatnonzero(np.diff(counts.indptr) > 1)
        size = min(_VALIDATED, int(self.validation * len(full)))
        if not self.early_stopping or size < _WORTH:
            return np.zeros(0, dtype=np.int64)
        return np.sort(stream(seed, _HELD).choice(full, size=size, replace=False))

    def _trained(
        self, arrays: Mapping[str, np.ndarray], pairs: Pairs, rows: Any, held: Any, seed: int
    ) -> None:
        plan = Plan(
            self.loss,  # type: ignore[arg-type]
            self.balanced,
            self.negatives,  # type: ignore[arg-type]
            3,
            self.batch,
            self.rate,
            self.max_iter,
        )
        self.history_ = []
        self.validation_history_ = []
        self.converged_ = False
        if not len(pairs):
            warnings.warn(
                "NNTR: no word is in some documents and missing in others, so there is nothing to learn; vectors are as drawn.",
                stacklevel=3,
            )
            self._keep(arrays)
            return
        with stage("nntr"):
            rank = (lambda found: self._mean_rank(found, held)) if held.shape[0] else None
            outcome = train(
                pairs, rows, arrays, plan, int(stream(seed, _PAIRS).integers(2**31)), rank
            )
        self.history_ = outcome.history
        self.converged_ = outcome.converged
        self._keep(best(outcome.state))
        self.validation_history_ = np.asarray(outcome.state["rank_history"]).tolist()

    def _keep(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays_ = {name: np.array(value) for name, value in arrays.items()}
        self.word_table_ = self.arrays_["words"]
        self.document_table_ = self.arrays_["documents"]
        self.n_iter_ = max(
            1, len(self.history_)
        )  # scikit-learn wants one where nothing could be learned, too

    def _mean_rank(self, arrays: Mapping[str, np.ndarray], held: Any) -> float:
        """The mean rank of held-out documents among themselves, each as its own query, by what `relevance` gives."""
        found = Network.of(arrays).gathered(self._bags(held, WEIGHTS[0]), weighted(held, self.idf_))
        own = np.diag(found)[:, None]
        return float(
            ((found > own).sum(axis=1) + 0.5 * ((found == own).sum(axis=1) - 1) + 1).mean()
        )

    # ---- what it gives ---------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> np.ndarray:
        """The vectors of documents, documents x units."""
        check_is_fitted(self)
        with steady():
            return np.asarray(
                weighted(self.counted(X, new=True), self.idf_)
                @ self.document_table_.astype(np.float64)
            )

    def transform_words(self) -> np.ndarray:
        """The vectors of words, words x units."""
        check_is_fitted(self)
        return self.word_table_.astype(np.float64)

    def scores(self, words: Sequence[int | str] | np.ndarray, documents: Any) -> np.ndarray:
        """Words x documents: how well each word (its name, or its column) fits each document, the word itself taken out."""
        check_is_fitted(self)
        rows = weighted(self.counted(documents, new=True), self.idf_)
        return Network.of(self.arrays_).scores(self._columns(words), rows, label="score")

    def pair_scores(self, words: Sequence[int | str] | np.ndarray, documents: Any) -> np.ndarray:
        """How well the first word fits the first document, the second the second, and so on."""
        check_is_fitted(self)
        rows = weighted(self.counted(documents, new=True), self.idf_)
        columns = self._columns(words)
        if len(columns) != rows.shape[0]:
            raise DataError(
                f"there are {len(columns)} words for {rows.shape[0]} documents; give one word for each.",
                owner="NNTR",
            )
        return Network.of(self.arrays_).pairs(columns, rows, np.arange(len(columns)))

    def relevance(
        self, queries: Any, documents: Any, direction: str = "query_words", weight: str = WEIGHTS[0]
    ) -> np.ndarray:
        """Queries x documents: the weighted sum of the scores of the words of a query in a document (equation 5.4).

        "doc_words" turns it around: the mean score of the words of the document in the query. Weights are 1/df, idf or one.
        A query, or a document, without a known word that weighs anything gives minus infinity: it matches nothing.
        """
        check_is_fitted(self)
        self._chosen(direction, weight)
        asked = self.counted(queries, new=True)
        given = self.counted(documents, new=True)
        network = Network.of(self.arrays_)
        if direction == "query_words":
            found = network.gathered(
                self._bags(asked, weight), weighted(given, self.idf_), label="score"
            )
        else:
            bags = self._bags(given, weight)
            total = np.maximum(np.asarray(bags.sum(axis=1)).ravel(), 1e-300)
            found = (
                network.gathered(bags, weighted(asked, self.idf_), label="score") / total[:, None]
            ).T
        found[self._nothing(asked, weight)] = -np.inf
        found[:, np.diff(given.indptr) == 0] = -np.inf
        return np.asarray(found)

    def paired_relevance(
        self, queries: Any, documents: Any, weight: str = WEIGHTS[0]
    ) -> np.ndarray:
        """The relevance of the first document to the first query, of the second to the second, and so on."""
        check_is_fitted(self)
        self._chosen("query_words", weight)
        asked = self.counted(queries, new=True)
        given = self.counted(documents, new=True)
        bags = self._bags(asked, weight)
        if bags.shape[0] != given.shape[0]:
            raise DataError(
                f"there are {bags.shape[0]} queries for {given.shape[0]} documents; give one for each.",
                owner="NNTR",
            )
        at = np.repeat(np.arange(bags.shape[0]), np.diff(bags.indptr))
        found = Network.of(self.arrays_).pairs(bags.indices, weighted(given, self.idf_), at)
        total = np.bincount(at, weights=bags.data * found, minlength=bags.shape[0])
        return np.where(self._nothing(asked, weight) | (np.diff(given.indptr) == 0), -np.inf, total)

    def similar_words(self, word: int | str, n: int = 10) -> list[tuple[str, float]]:
        """The n words whose vectors have the largest cosine with that of a word, the nearest first."""
        check_is_fitted(self)
        at = int(self._columns([word])[0])
        table = self.transform_words()
        lengths = np.maximum(np.linalg.norm(table, axis=1), 1e-300)
        near = (table @ table[at]) / (lengths * lengths[at])
        order = [
            int(j)
            for j in np.argsort(-near, kind="stable")
            if j != at and self.document_frequency_[j]
        ]
        return [(str(self.words_[j]), float(near[j])) for j in order[:n]]

    def top_words(self, n: int = 10, words: Sequence[str] | None = None) -> list[list[str]]:
        """The n words with the largest value in every dimension of the vectors of words."""
        check_is_fitted(self)
        return top_columns(self.word_table_.T, self.words_ if words is None else words, n)

    def _bags(self, counts: Any, weight: str) -> Any:
        """The distinct words of each row with their weights."""
        frequency = np.maximum(self.document_frequency_, 1)
        each = {"df": 1.0 / frequency, "idf": self.idf_, "one": np.ones(len(frequency))}[weight]
        return sp.csr_array(
            (each[counts.indices], counts.indices, counts.indptr), shape=counts.shape
        )

    def _nothing(self, queries: Any, weight: str) -> np.ndarray:
        """Which queries hold no known word that weighs anything."""
        return np.asarray(self._bags(queries, weight).sum(axis=1)).ravel() <= 0

    def _columns(self, words: Sequence[int | str] | np.ndarray) -> np.ndarray:
        place = {str(name): at for at, name in enumerate(self.words_)}
        found = []
        for word in words:
            at = place.get(word, -1) if isinstance(word, str) else int(word)
            if not 0 <= at < len(self.words_):
                raise DataError(
                    f"'{word}' is not a word of the dictionary, which has {len(self.words_)}.",
                    owner="NNTR",
                )
            found.append(at)
        return np.array(found, dtype=np.int64)

    def _chosen(self, direction: str, weight: str) -> None:
        for name, value, known in (
            ("direction", direction, DIRECTIONS),
            ("weight", weight, WEIGHTS),
        ):
            if value not in known:
                raise ParameterError(
                    f"{name} must be {' | '.join(known)}, and was {value!r}.", owner="NNTR"
                )

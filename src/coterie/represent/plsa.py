"""PLSA, probabilistic latent semantic analysis: documents as shares of topics, topics as laws of words, by EM."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Dense
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.random import seed_of, stream, streams
from coterie.parts import plsa
from coterie.parts.held_out import two_words, validation_rows
from coterie.parts.iterate import best_of
from coterie.parts.plsa_kernels import similarities
from coterie.parts.plsa_training import Held, Trained, until_still, until_worse
from coterie.represent.counted import words_in
from coterie.represent.topical import Topical

_HELD = 1  # the stream that chooses what is held out; those of the starts are children of the seed itself


class PLSA(Topical):
    """Probabilistic latent semantic analysis: documents as shares of topics, fitted by (tempered) EM on counts of words.

    Learned: `topics_` (topics x words, P(w|k)), `shares_` (P(k|d) of the fitted documents), `prior_` (P(k)), `beta_`,
    `history_` (log-likelihood after every step), `validation_history_` (log-likelihood per word held out), `validation_`
    (positions of the documents held out), `n_iter_`, `converged_`, `words_`, `empty_`.
    """

    n_topics: int = param(50, "How many topics.", ge=1)
    max_iter: int = param(200, "Most steps of EM.", ge=1)
    tol: float = param(
        1e-4,
        "EM ends when the log-likelihood moves by less than this share of itself.",
        ge=0,
        advanced=True,
    )
    tempering: str = param(
        "none", "Whether EM is tempered, by words held out.", choices=("none", "held-out")
    )
    eta: float = param(
        0.9, "What beta is multiplied by when tempered EM lowers it.", gt=0, lt=1, advanced=True
    )
    early_stopping: bool = param(False, "Whether EM ends when words held out grow less likely.")
    validation: float = param(
        0.1,
        "Share of the documents held out for either, and not trained on.",
        gt=0,
        lt=1,
        advanced=True,
    )
    restarts: int = param(1, "Random starts, the best of which is kept.", ge=1)
    random_state: int | None = param(None, "Seed of the starts and of what is held out.")

    shares_: np.ndarray
    prior_: np.ndarray
    beta_: float
    validation_: np.ndarray
    validation_history_: list[float]
    n_iter_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn topics from a table of counts, documents x words."""
        counts = self.counted(X)
        say_if_many("PLSA", self.n_topics, counts.shape)
        seed = seed_of(self.random_state)
        taught = np.flatnonzero(np.diff(counts.indptr) > 0)
        self.validation_ = np.zeros(0, dtype=np.int64)
        held = None
        if self.early_stopping or self.tempering != "none":
            several = self._several(counts)
            self.validation_ = several[
                validation_rows(len(several), self.validation, stream(seed, _HELD))
            ]
            taught = np.setdiff1d(taught, self.validation_)
            self.seen_ = words_in(counts[taught])
            held = Held(counts[self.validation_], self.seen_, stream(seed, _HELD, 1))
        self._take(self._best(counts[taught], held, seed), counts, taught)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """P(k|d) by folding-in, the same for fitted and for new documents; one without known words has the prior P(k)."""
        return self._folded(self.counted(X, new=True))

    def transform_words(self) -> np.ndarray:
        """P(k|w): words x topics; a word that was never trained on has the prior P(k)."""
        check_is_fitted(self)
        return plsa.topics_of_words(self.topics_, self.prior_)

    def kernel(self, X: Any, Y: Any = None, kind: str = "k1") -> Dense:
        """Similarities of documents (to those of Y, if given): Hofmann's "k1" or "k2", or the "cosine" of their shares."""
        other = None if Y is None else self._both(Y)
        return similarities(kind, self._both(X), other, self._columns, self.prior_)

    def log_likelihood(self, X: Any) -> np.ndarray:
        """log P(words|d) of every document after folding-in on the same words, which flatters; see `held_out_score`."""
        counts = self.counted(X, new=True)
        return plsa.log_likelihoods(counts, self._folded(counts), self._columns)

    def _both(self, X: Any) -> tuple[Any, np.ndarray]:
        counts = self.counted(X, new=True)
        return counts, self._folded(counts)

    @property
    def _columns(self) -> np.ndarray:
        return np.ascontiguousarray(self.topics_.T)

    def _folded(self, counts: Any) -> np.ndarray:
        shares = plsa.fold_in(counts, self._columns, beta=self.beta_)
        shares[np.diff(counts.indptr) == 0] = self.prior_
        return shares

    @staticmethod
    def _several(counts: Any) -> np.ndarray:
        """Positions of the documents of which words can be held out."""
        found = two_words(counts)
        if len(found) < 2:
            raise DataError(
                f"{len(found)} of the documents (n_samples = {counts.shape[0]}) {'has' if len(found) == 1 else 'have'} "
                "two words or more, and at least two must: early stopping and tempering hold words of such documents out.",
                owner="PLSA",
            )
        return found

    def _best(self, counts: Any, held: Held | None, seed: int) -> Trained:
        def attempt(generator: np.random.Generator) -> tuple[float, Trained]:
            begun = plsa.start(counts, self.n_topics, generator)
            if held is None:
                found = until_still(counts, begun, max_iter=self.max_iter, tol=self.tol)
            else:
                eta = self.eta if self.tempering != "none" else None
                found = until_worse(
                    counts, held, begun, max_iter=self.max_iter, tol=self.tol, eta=eta
                )
            return found.value, found

        if self.restarts == 1:  # all workers for the one start
            return attempt(streams(seed, 1)[0])[1]
        return best_of(attempt, self.restarts, random_state=seed, label="PLSA", prefer="higher")[1]

    def _take(self, found: Trained, counts: Any, taught: np.ndarray) -> None:
        sizes = np.asarray(counts.sum(axis=1)).ravel()
        self.topics_ = np.ascontiguousarray(found.words.T)
        self.beta_ = found.beta
        self.history_ = found.history
        self.validation_history_ = found.held
        self.n_iter_ = len(found.history)
        self.converged_ = found.converged
        self.n_features_out_ = self.n_topics
        weights = sizes[taught] / sizes[taught].sum()
        self.prior_ = weights @ found.shares
        self.prior_ /= self.prior_.sum()
        self.shares_ = np.empty((counts.shape[0], self.n_topics))
        self.shares_[taught] = found.shares
        self.shares_[self.validation_] = self._folded(
            plsa.only(counts[self.validation_], self.known())
        )
        self.shares_[self.empty_] = self.prior_


def say_if_many(owner: str, n_topics: int, shape: tuple[int, int]) -> None:
    """Warn of more topics than the table can tell apart."""
    if n_topics > min(shape):
        warnings.warn(
            f"{owner}: {n_topics} topics are more than {shape[0]} documents of {shape[1]} words can tell apart.",
            stacklevel=3,
        )

"""LDA, latent Dirichlet allocation behind the interface of the other models of topics."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.links import short
from coterie.core.params import param
from coterie.core.random import small_seed, stream
from coterie.core.workplace import steady
from coterie.parts import lda
from coterie.parts.plsa import log_likelihoods, topics_of_words
from coterie.represent.plsa import say_if_many
from coterie.represent.topical import Topical


class LDA(Topical):
    """Latent Dirichlet allocation: documents as posterior mean shares of topics.

    Learned: `topics_` (topics x words, posterior mean), `weights_` (the Dirichlet weights of words in topics), `shares_` (of the
    fitted documents), `prior_` (P(k) over all words), `history_` (the bound on the log-likelihood per word, at the end, or after
    every pass where `tol` is above 0), `n_iter_`, `converged_` (true without `tol`: the passes are as many as asked for),
    `words_`, `empty_`.
    """

    n_topics: int = param(50, "How many topics.", ge=1)
    alpha: float | None = param(
        None, "Prior weight of a topic in a document; 1 / topics when left out.", gt=0, le=1
    )
    eta: float = param(0.01, "Prior weight of every word in a topic.", gt=0, le=1)
    passes: int = param(
        20, "Passes over all documents (variational Bayes, all documents at once).", ge=1
    )
    tol: float = param(
        0.0,
        "Passes end when the bound moves by less than this share of itself; 0 makes them all.",
        ge=0,
    )
    random_state: int | None = param(None, "Seed of the start.")

    weights_: np.ndarray
    shares_: np.ndarray
    prior_: np.ndarray
    n_iter_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn topics from a table of counts, documents x words."""
        counts = self.counted(X)
        say_if_many("LDA", self.n_topics, counts.shape)
        rows = short(counts)
        seed = small_seed(stream(self.random_state))
        with steady():
            self._learn(rows, seed)
            self.topics_ = self.weights_ / self.weights_.sum(axis=1, keepdims=True)
            self.shares_ = self._shares(rows)
        sizes = np.asarray(counts.sum(axis=1)).ravel()
        self.prior_ = sizes / sizes.sum() @ self.shares_
        self.n_features_out_ = self.n_topics
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Posterior mean shares of the topics; a document without words has the prior, which is even."""
        counts = self.counted(X, new=True)
        with steady():
            return self._shares(short(counts))

    def transform_words(self) -> np.ndarray:
        """P(k|w): words x topics."""
        check_is_fitted(self)
        return topics_of_words(self.topics_, self.prior_)

    def log_likelihood(self, X: Any) -> np.ndarray:
        """sum_w n(d,w) log of the mean chance of the word, with shares found on the same words, which flatters."""
        counts = self.counted(X, new=True)
        with steady():
            shares = self._shares(short(counts))
        return log_likelihoods(counts, shares, np.ascontiguousarray(self.topics_.T))

    def _learn(self, rows: Any, seed: int) -> None:
        """All passes at once, or, where the bound is looked at (which costs about as much as a pass), one at a time."""
        if self.tol > 0:
            found = lda.pass_by_pass(
                rows,
                self.n_topics,
                alpha=self._alpha,
                eta=self.eta,
                passes=self.passes,
                tol=self.tol,
                seed=seed,
            )
            self.weights_ = np.asarray(found.state["weights"])
            self.n_iter_ = found.n_iter
            self.history_ = found.history
            self.converged_ = found.converged
            return
        model = lda.learned(
            rows, self.n_topics, alpha=self._alpha, eta=self.eta, passes=self.passes, seed=seed
        )
        self.weights_ = model.weights
        self.n_iter_ = self.passes
        self.history_ = [model.bound(rows) / float(rows.sum())]
        self.converged_ = True

    @property
    def _alpha(self) -> float:
        return 1.0 / self.n_topics if self.alpha is None else self.alpha

    def _shares(self, rows: Any) -> np.ndarray:
        return lda.Topical(self.weights_, self._alpha, self.eta).shares(rows)

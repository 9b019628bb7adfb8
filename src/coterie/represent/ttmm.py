"""TTMM, the theme-topic mixture model: every document has one theme, every theme mixes topics, every topic is a law of words."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.params import param
from coterie.core.random import seed_of, stream, streams
from coterie.core.workplace import steady
from coterie.parts import ttmm
from coterie.parts.held_out import validation_rows
from coterie.parts.iterate import best_of
from coterie.parts.plsa import only, topics_of_words
from coterie.parts.ttmm_training import Trained, until_still, until_worse
from coterie.represent.counted import words_in
from coterie.represent.topical import Topical

_HELD = 1  # the stream that chooses what is held out; those of the starts are children of the seed itself
_EFFECTIVE = 0.5  # expected documents from which a theme counts


class TTMM(Topical):
    """Theme-topic mixture model: a theme per document, topics mixed by each theme; transform gives a document's topics.

    Learned: `topics_` (topics x words, P(w|T)), `mixing_` (themes x topics, P(T|H)), `prior_` (P(H)), `themes_` (P(H|d) of the
    fitted documents), `labels_` (the likeliest theme of each), `effective_themes_` (themes that hold more than half a document),
    `history_` (what EM never lowers, after every step: the log-likelihood and that of the smoothing), `validation_history_`
    (log-likelihood per word held out), `validation_` (positions of the documents held out), `n_iter_`, `converged_`, `words_`,
    `empty_`.
    """

    n_themes: int = param(100, "How many themes, of which a document has one.", ge=1)
    n_topics: int = param(50, "How many topics, which themes mix.", ge=1)
    posterior: str = param(
        "predictive",
        "What transform gives: the topic of one more word, the topics of its words, the source's formula, or the themes.",
        choices=("predictive", "token_share", "printed", "themes"),
    )
    smoothing: float = param(
        0.01, "Added to the expected count of every word in every topic; 0 is the source.", ge=0
    )
    restarts: int = param(1, "Random starts, the best of which is kept.", ge=1)
    max_iter: int = param(200, "Most steps of EM.", ge=1)
    tol: float = param(
        1e-5,
        "EM ends when the log-likelihood moves by less than this share of itself.",
        ge=0,
        advanced=True,
    )
    early_stopping: bool = param(
        False,
        "Whether EM ends when documents held out grow less likely; they choose the start, too.",
    )
    validation: float = param(
        0.1,
        "Share of the documents held out for it, and not trained on.",
        gt=0,
        lt=1,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of the starts and of what is held out.")

    prior_: np.ndarray
    mixing_: np.ndarray
    themes_: np.ndarray
    labels_: np.ndarray
    effective_themes_: int
    validation_: np.ndarray
    validation_history_: list[float]
    n_iter_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn themes and topics from a table of counts, documents x words."""
        counts = self.counted(X)
        self._say_if_many(*counts.shape)
        seed = seed_of(self.random_state)
        taught = np.flatnonzero(np.diff(counts.indptr) > 0)
        self.validation_ = np.zeros(0, dtype=np.int64)
        if self.early_stopping:
            self.validation_ = taught[
                validation_rows(len(taught), self.validation, stream(seed, _HELD))
            ]
            taught = np.setdiff1d(taught, self.validation_)
            self.seen_ = words_in(counts[taught])
        self._take(self._best(counts[taught], counts[self.validation_], seed), counts)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """P(T|d) as `posterior` says (P(H|d) for "themes"), rows of sum one; a document without known words has the prior."""
        check_is_fitted(self)
        counts = self.counted(X, new=True)
        with steady():
            if self.posterior == "printed":
                return ttmm.printed(counts, self._state)
            themes, _ = ttmm.posteriors(counts, self._state)
            if self.posterior == "themes":
                return themes
            if self.posterior == "token_share":
                return ttmm.token_share(counts, themes, self._state)
            return ttmm.predictive(themes, self._state)

    def predictive(self, X: Any) -> np.ndarray:
        """The topic of one more word of each document, whatever `posterior` says."""
        themes = self.themes(X)
        with steady():
            return ttmm.predictive(themes, self._state)

    def themes(self, X: Any) -> np.ndarray:
        """P(H|d): how probable each theme is for each document; the prior where it holds no known word."""
        check_is_fitted(self)
        counts = self.counted(X, new=True)
        with steady():
            return ttmm.posteriors(counts, self._state)[0]

    def transform_words(self) -> np.ndarray:
        """P(T|w): words x topics; a word that no topic has has the prior P(T)."""
        check_is_fitted(self)
        return topics_of_words(self.topics_, ttmm.topic_prior(self._state))

    def log_likelihood(self, X: Any) -> np.ndarray:
        """log P(d) of every document, exact; words that no document trained on has are left out."""
        check_is_fitted(self)
        counts = self.counted(X, new=True)
        with steady():
            return ttmm.posteriors(counts, self._state)[1]

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """theme0, theme1, ... or topic0, topic1, ..."""
        check_is_fitted(self)
        themes = self.posterior == "themes"
        return np.array(
            [f"{'theme' if themes else 'topic'}{j}" for j in range(self.n_features_out_)],
            dtype=object,
        )

    @property
    def n_features_out_(self) -> int:  # type: ignore[override]
        """Columns that transform gives."""
        return len(self.prior_) if self.posterior == "themes" else len(self.topics_)

    @property
    def _state(self) -> dict[str, np.ndarray]:
        return {
            "prior": self.prior_,
            "mixing": self.mixing_,
            "words": np.ascontiguousarray(self.topics_.T),
        }

    def _best(self, counts: Any, held: Any, seed: int) -> Trained:
        limits: dict[str, Any] = {
            "smoothing": self.smoothing,
            "max_iter": self.max_iter,
            "tol": self.tol,
        }
        if held.shape[0]:
            held = only(held, self.seen_)

        def attempt(generator: np.random.Generator) -> tuple[float, Trained]:
            begun = ttmm.start(counts, self.n_themes, self.n_topics, generator)
            found = (
                until_worse(counts, held, begun, **limits)
                if held.shape[0]
                else until_still(counts, begun, **limits)
            )
            return found.value, found

        if self.restarts == 1:  # all workers for the one start
            return attempt(streams(seed, 1)[0])[1]
        return best_of(attempt, self.restarts, random_state=seed, label="TTMM", prefer="higher")[1]

    def _take(self, found: Trained, counts: Any) -> None:
        self.prior_ = found.state["prior"]
        self.mixing_ = found.state["mixing"]
        self.topics_ = np.ascontiguousarray(found.state["words"].T)
        self.history_ = found.history
        self.validation_history_ = found.held
        self.n_iter_ = len(found.history)
        self.converged_ = found.converged
        with steady():
            self.themes_ = ttmm.posteriors(only(counts, self.known()), self._state)[0]
        self.labels_ = self.themes_.argmax(axis=1)
        self.effective_themes_ = int((self.themes_.sum(axis=0) > _EFFECTIVE).sum())

    def _say_if_many(self, documents: int, words: int) -> None:
        if self.n_themes > documents or self.n_topics > min(documents, words):
            warnings.warn(
                f"TTMM: {self.n_themes} themes of {self.n_topics} topics are more than {documents} documents of {words} words "
                "can tell apart.",
                stacklevel=3,
            )

"""Siamese: documents as vectors of a network that learned which paragraphs are of one document."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.random import seed_of, stream
from coterie.core.text import Text
from coterie.parts.paragraphs import Triplets, cut
from coterie.parts.siamese import judged_triplets, mapped, start
from coterie.represent.terms import Terms
from coterie.represent.topical import top_columns

_DRAWN = 5  # stream of the triplets of `triplet_loss`


class Siamese(Representer):
    """Documents as vectors of a network trained on paragraphs: two of one document are nearer than one of another.

    Learned: `terms_` (the fitted Terms), `arrays_` (of the network, by name), `history_` (the loss on triplets held out after
    every turn), `converged_`, `n_triplet_documents_` (with two paragraphs or more), `empty_` (documents without a known word,
    whose vectors are zero).
    """

    takes: ClassVar[type] = Text
    paragraphs: ClassVar[bool] = True  # a document must have several for it to learn from

    n_hidden: int = param(100, "Units between the words and the vector.", ge=1)
    n_components: int = param(50, "Length of the vector of a document.", ge=1)
    min_words: int = param(15, "Words of a paragraph; a shorter one is merged with the next.", ge=1)
    min_df: int = param(2, "Documents a term must be in.", ge=1)
    max_terms: int | None = param(
        None, "Terms kept, the most frequent; None keeps all.", ge=1, advanced=True
    )
    rate: float = param(0.003, "Size of the steps of training.", gt=0, le=10, advanced=True)
    max_iter: int = param(
        100, "Turns of training at most, each about a pass over the documents.", ge=1
    )
    patience: int = param(
        5,
        "Turns without a better loss on held-out triplets after which training ends.",
        ge=1,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of the start and of all draws.", ge=0)

    terms_: Terms
    arrays_: dict[str, np.ndarray]
    history_: list[float]
    converged_: bool
    n_triplet_documents_: int
    empty_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the dictionary, cut the documents into paragraphs and train the network; needs the extra `neural`."""
        from coterie.parts.nets.siamese import best_of, train_on_triplets

        documents = self.check(X)
        terms = Terms(min_df=self.min_df, max_terms=self.max_terms).fit(documents)
        texts, owners = cut(documents, self.min_words)
        source = Triplets.of(terms.transform(texts), owners, "Siamese")
        seed = seed_of(self.random_state)
        found = train_on_triplets(
            start(len(terms.terms_), self.n_hidden, self.n_components, 0, stream(seed)),
            source,
            rate=self.rate,
            seed=seed,
            max_iter=self.max_iter,
            patience=self.patience,
            label="Siamese",
        )
        self.terms_ = terms
        self.arrays_ = best_of(found)
        self.history_ = [-value for value in found.history]
        self.converged_ = found.converged
        self.n_triplet_documents_ = len(source.able)
        self.n_features_out_ = self.n_components
        self.empty_ = np.flatnonzero(np.diff(terms.counts(documents).indptr) == 0)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The vectors of whole documents (members x components); zero where a document has no word of the dictionary."""
        check_is_fitted(self, "arrays_")
        return self.of_terms(self.terms_.transform(self.check(X, new=True)))

    def of_terms(self, rows: Any) -> np.ndarray:
        """The vectors of rows that are already weighted terms of `terms_`."""
        check_is_fitted(self, "arrays_")
        found = mapped(self.arrays_, rows)
        found[np.diff(rows.indptr) == 0] = 0.0
        return found

    def transform_words(self) -> np.ndarray:
        """The vectors of documents of one word each, words x components."""
        check_is_fitted(self, "arrays_")
        return mapped(self.arrays_, sp.eye_array(len(self.terms_.terms_), format="csr"))

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The n words that alone give the largest value in every component; a component has no meaning beyond them."""
        return top_columns(self.transform_words().T, self.terms_.terms_, n)

    def triplet_loss(self, X: Any, n: int = 2_000) -> float:
        """The mean loss on n triplets drawn from these documents; 1 is what vectors that say nothing get."""
        check_is_fitted(self, "arrays_")
        texts, owners = cut(self.check(X, new=True), self.min_words)
        source = Triplets.of(self.terms_.transform(texts), owners, "Siamese")
        return judged_triplets(
            source.rows, source.draw(stream(seed_of(self.random_state), _DRAWN), n), self.arrays_
        )

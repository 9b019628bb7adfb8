"""Latent Dirichlet allocation through scikit-learn: variational Bayes on all rows at once, also pass by pass; from arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.parts.iterate import Outcome, State, iterate

_LEAST = 1e-100  # prior weights below it count as this much: the logarithm of their gamma function is no number


def learned(counts: Any, n_topics: int, *, alpha: float, eta: float, passes: int, seed: int) -> Any:
    """scikit-learn's model of these counts after so many passes."""
    with np.errstate(over="ignore"):  # the library ends with a perplexity that may be too large, and that nobody asks for
        return _library(n_topics, alpha, eta, passes, seed).fit(counts)


def pass_by_pass(counts: Any, n_topics: int, *, alpha: float, eta: float, passes: int, tol: float, seed: int) -> Outcome:
    """The same passes one at a time, until the bound on the log-likelihood per word moves by less than `tol` of itself.

    After the same number of passes the weights (`weights` of the state) are those of `learned`, bit for bit: an online step over
    all rows with a decay of zero forgets all that was, and is a pass. The state has the library's generator as well.
    """
    total = float(counts.sum())

    def step(state: State) -> tuple[dict[str, np.ndarray], float]:
        if state["weights"].size:
            model = from_arrays(np.array(state["weights"]), alpha, eta)
            model.exp_dirichlet_component_, model.random_state_ = np.asarray(state["laws"]), _generator(state)
            model.n_batch_iter_, model.n_iter_ = 1, 0
        else:
            model = _library(n_topics, alpha, eta, passes, seed)
        model.set_params(learning_decay=0.0, total_samples=counts.shape[0], batch_size=counts.shape[0])
        model.partial_fit(counts)
        arrays = {"weights": model.components_, "laws": model.exp_dirichlet_component_}
        return {**arrays, **_drawn(model.random_state_)}, float(model.score(counts)) / total

    return iterate(step, {"weights": np.zeros((0, 0))}, max_iter=passes, tol=tol, label="LDA")


def _drawn(generator: np.random.RandomState) -> dict[str, np.ndarray]:
    """Where a generator of the library stands, as arrays."""
    _, key, place, cached, value = generator.get_state(legacy=True)
    return {"key": np.asarray(key), "place": np.array([place, cached]), "cached": np.array([value])}


def _generator(state: State) -> np.random.RandomState:
    found = np.random.RandomState()
    place, cached = (int(value) for value in state["place"])
    found.set_state(("MT19937", np.asarray(state["key"]), place, cached, float(state["cached"][0])))
    return found


def from_arrays(weights: np.ndarray, alpha: float, eta: float) -> Any:
    """scikit-learn's model with these weights of words in topics (topics x words), as if it had been fitted."""
    from scipy.special import psi

    model = _library(len(weights), alpha, eta, 1, 0)
    model.components_, model.n_features_in_ = weights, weights.shape[1]
    model.exp_dirichlet_component_ = np.exp(psi(weights) - psi(weights.sum(axis=1, keepdims=True)))
    model.doc_topic_prior_, model.topic_word_prior_ = max(alpha, _LEAST), max(eta, _LEAST)
    return model


def short(counts: Any) -> Any:
    """The same with 32-bit positions, which is what scikit-learn takes."""
    if counts.nnz >= 2**31:
        raise DataError(f"There are {counts.nnz} counts, and scikit-learn takes at most {2**31 - 1}.")
    parts = counts.data, counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
    return sp.csr_array(parts, shape=counts.shape)


def _library(n_topics: int, alpha: float, eta: float, passes: int, seed: int) -> Any:
    from sklearn.decomposition import LatentDirichletAllocation

    return LatentDirichletAllocation(
        n_topics,
        doc_topic_prior=max(alpha, _LEAST),
        topic_word_prior=max(eta, _LEAST),
        learning_method="batch",
        max_iter=passes,
        random_state=seed,
        n_jobs=1,
    )

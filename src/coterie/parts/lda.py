"""Latent Dirichlet allocation through scikit-learn: variational Bayes on all rows at once, and a fitted model from its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError


def learned(counts: Any, n_topics: int, *, alpha: float, eta: float, passes: int, seed: int) -> Any:
    """scikit-learn's model of these counts after so many passes."""
    return _library(n_topics, alpha, eta, passes, seed).fit(counts)


def from_arrays(weights: np.ndarray, alpha: float, eta: float) -> Any:
    """scikit-learn's model with these weights of words in topics (topics x words), as if it had been fitted."""
    from scipy.special import psi

    model = _library(len(weights), alpha, eta, 1, 0)
    model.components_, model.n_features_in_ = weights, weights.shape[1]
    model.exp_dirichlet_component_ = np.exp(psi(weights) - psi(weights.sum(axis=1, keepdims=True)))
    model.doc_topic_prior_, model.topic_word_prior_ = alpha, eta
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
        doc_topic_prior=alpha,
        topic_word_prior=eta,
        learning_method="batch",
        max_iter=passes,
        random_state=seed,
        n_jobs=1,
    )

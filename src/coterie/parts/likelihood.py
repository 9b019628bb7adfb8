"""The likelihood of every sequence under every model: the costly matrix of many distances, and the divergence of its columns."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.special import logsumexp

from coterie.core.ragged import Ragged
from coterie.core.workplace import steady
from coterie.parts.hmm import Bank, chunks, forward_scores
from coterie.parts.pairwise import in_order

_DEEP = 50.0  # below the lowest finite value of its row: where a likelihood of zero is put


def likelihoods(bank: Bank, sequences: Ragged) -> np.ndarray:
    """Mean log-likelihood per frame, (models, sequences), on all workers; -inf where a model cannot make a sequence."""

    def work(chunk: tuple[int, int]) -> np.ndarray:
        part = sequences[chunk[0] : chunk[1]]
        return forward_scores(bank, part.values, part.offsets).T / part.lengths

    with steady():
        parts = list(in_order(work, chunks(sequences.offsets), "likelihoods", size=lambda chunk: chunk[1] - chunk[0]))
    return np.concatenate(parts, axis=1)


def finite(matrix: np.ndarray, owner: str = "Likelihood") -> np.ndarray:
    """The matrix with every -inf at 50 below the lowest finite value of its row, and a warning that counts them."""
    lost = ~np.isfinite(matrix)
    if not lost.any():
        return matrix
    warnings.warn(
        f"{owner}: {int(lost.sum())} of {matrix.size} likelihoods are zero (a model cannot make that sequence); they are "
        "taken as far below all others.",
        UserWarning,
        stacklevel=3,
    )
    known = np.where(lost, np.inf, matrix)
    lowest = known.min(axis=1, keepdims=True)
    lowest = np.where(np.isfinite(lowest), lowest, known[~lost].min() if (~lost).any() else 0.0)
    return np.where(lost, lowest - _DEEP, matrix)


def columns(matrix: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Logarithms of the columns brought to sum one: how the models share out each sequence."""
    scaled = matrix / temperature
    return np.asarray(scaled - logsumexp(scaled, axis=0))


def kl_ll(matrix: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Half the Jeffreys divergence between the columns of a likelihood matrix (models, sequences): (N, N).

    d_ij = 1/2 sum_m (q_mi - q_mj)(log q_mi - log q_mj) with q the columns brought to sum one; one matrix product.
    """
    logs = columns(matrix, temperature)
    with steady():
        gram = np.exp(logs).T @ logs
    own = np.diag(gram)
    found = np.maximum((own[:, None] + own[None, :] - gram - gram.T) / 2, 0.0)
    np.fill_diagonal(found, 0.0)
    return np.asarray((found + found.T) / 2)


def between(matrix: np.ndarray, other: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """The same divergence of the columns of one matrix from those of another under the same models: (n, N)."""
    first, second = columns(matrix, temperature), columns(other, temperature)
    p, q = np.exp(first), np.exp(second)
    with steady():
        cross, back = p.T @ second, (q.T @ first).T
    own, others = (p * first).sum(axis=0), (q * second).sum(axis=0)
    return np.asarray(np.maximum((own[:, None] + others[None, :] - cross - back) / 2, 0.0))

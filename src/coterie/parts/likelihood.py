"""The likelihood of every sequence under every model: the costly matrix of many distances, and the divergence of its columns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import logsumexp

from coterie.core.affinity import card_form
from coterie.core.errors import DataError
from coterie.core.ragged import Ragged
from coterie.core.table import column_blocks
from coterie.core.workplace import steady, workplace
from coterie.parts.hmm import Bank, chunks, forward_scores
from coterie.parts.hmm_training import posteriors
from coterie.parts.pairwise import pairwise
from coterie.parts.workers import in_order

_DEEP = 50.0  # below the lowest finite value of its model: where a likelihood of zero is put


def likelihoods(bank: Bank, sequences: Ragged) -> np.ndarray:
    """Mean log-likelihood per frame, (models, sequences), on all workers or a card; -inf where a model cannot make it."""
    if workplace().device != "cpu":
        from coterie.parts.gpu.likelihoods import likelihoods as on_card

        found = on_card(bank, sequences)
        if found is not None:
            return found

    def work(chunk: tuple[int, int]) -> np.ndarray:
        part = sequences[chunk[0] : chunk[1]]
        return forward_scores(bank, part.values, part.offsets).T / part.lengths

    with steady():
        parts = list(
            in_order(
                work,
                chunks(sequences.offsets),
                "likelihoods",
                size=lambda chunk: chunk[1] - chunk[0],
                travels=True,
            )
        )
    return np.concatenate(parts, axis=1)


def own_scores(bank: Bank, sequences: Ragged) -> np.ndarray:
    """The log-likelihood of sequence i under model i: (N,); -inf where it cannot make it."""
    parts = posteriors(bank, sequences.values, sequences.offsets, np.arange(len(sequences)))
    return np.concatenate([part.values for part in parts])


def own_likelihoods(bank: Bank, sequences: Ragged) -> np.ndarray:
    """Mean log-likelihood per frame of sequence i under model i: (N,)."""
    return np.asarray(own_scores(bank, sequences) / sequences.lengths)


def deepest(matrix: np.ndarray) -> np.ndarray:
    """Per model the value that stands for a likelihood of zero: 50 below its lowest finite one; (models, 1)."""
    known = np.where(np.isfinite(matrix), matrix, np.inf)
    lowest = known.min(axis=1, keepdims=True, initial=np.inf)
    rest = known.min(initial=np.inf)
    return np.where(np.isfinite(lowest), lowest, rest if np.isfinite(rest) else 0.0) - _DEEP


def finite(
    matrix: np.ndarray, owner: str = "Likelihood", at: np.ndarray | None = None
) -> np.ndarray:
    """The matrix with every likelihood of zero (-inf) at `at` (its `deepest` if left out), and a warning that counts them."""
    lost = ~np.isfinite(matrix)
    if not lost.any():
        return matrix
    warnings.warn(
        f"{owner}: {int(lost.sum())} of {matrix.size} likelihoods are zero (a model cannot make that member); they are "
        "taken as far below all others.",
        UserWarning,
        stacklevel=3,
    )
    return filled(matrix, at)


def filled(matrix: np.ndarray, at: np.ndarray | None = None) -> np.ndarray:
    """The same without a word."""
    return np.where(np.isfinite(matrix), matrix, deepest(matrix) if at is None else at)


def impossible(matrix: np.ndarray) -> np.ndarray:
    """Which sequences no model can make: (sequences,) of bool."""
    return np.asarray(~np.isfinite(matrix).any(axis=0))


def columns(matrix: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Logarithms of the columns brought to sum one: how the models share out each sequence."""
    scaled = np.asarray(matrix / temperature, dtype=np.float64)
    for some in column_blocks(*scaled.shape):
        scaled[:, some] -= logsumexp(scaled[:, some], axis=0)
    return scaled


def saturation(matrix: np.ndarray, temperature: float = 1.0) -> float:
    """The mean share of the model that has most of a sequence; near one, the divergence sees single models only."""
    tops = [
        columns(matrix[:, some], temperature).max(axis=0) for some in column_blocks(*matrix.shape)
    ]
    return float(np.exp(np.concatenate(tops)).mean())


def kl_ll(matrix: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Half the Jeffreys divergence between the columns of a likelihood matrix (models, sequences): (N, N).

    d_ij = 1/2 sum_m (q_mi - q_mj)(log q_mi - log q_mj) with q the columns brought to sum one; matrix products in tiles.
    """
    found = pairwise(
        divergence_tile, shared(matrix, temperature), kind="distance", label="kl-ll", costly=False
    ).values
    np.fill_diagonal(found, 0.0)
    return found


def between(matrix: np.ndarray, other: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """The same divergence of the columns of one matrix from those of another under the same models: (n, N)."""
    if len(matrix) != len(other):
        raise DataError(
            f"One matrix of likelihoods has {len(matrix)} models and the other {len(other)}; they must be the same."
        )
    rows = shared(matrix, temperature)
    cols = shared(other, temperature)
    return pairwise(
        divergence_tile, rows, cols, kind="distance", symmetric=False, label="kl-ll", costly=False
    ).values


def shared(
    matrix: np.ndarray, temperature: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the tile needs, a row per sequence: the shares of the models, their logarithms, and the sum of the products."""
    logs = np.ascontiguousarray(columns(matrix, temperature).T)
    shares = np.exp(logs)
    return shares, logs, np.einsum("nm,nm->n", shares, logs)


@card_form("divergence")
def divergence_tile(a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
    """Half the Jeffreys divergences of two blocks of (shares, logarithms, own products)."""
    with steady():
        found = a[0] @ b[1].T
        found += a[1] @ b[0].T
    np.subtract(a[2][:, None], found, out=found)
    found += b[2][None, :]
    found *= 0.5
    return np.maximum(found, 0.0, out=found)

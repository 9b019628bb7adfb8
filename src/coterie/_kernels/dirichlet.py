"""Loops of latent Dirichlet allocation: shares of topics, one document after the other, and the likelihood in the bound.

Counts come as sparse rows (`starts`, `columns`, `counts`). `topics` is words x topics, exp E[log phi]; `weights` is documents x
topics, the Dirichlet weights of the shares. Every document is settled by itself, so bits do not depend on how they are dealt out.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_FUSED = {"reassoc", "nsz", "contract"}
_LEAST = (
    2.0**-52
)  # added to the chance of a word, so that one that no topic of the document has counts for nothing
_EULER = 0.5772156649015329
# where psi is -1/x, and from where on its series is taken
_NEAR = 1e-6
_FAR = 6.0


@njit(cache=True, nogil=True)
def psi(x: float) -> float:
    """The derivative of log gamma above 0: the recurrence up to 6, and the asymptotic series from there on."""
    if x <= _NEAR:
        return -_EULER - 1.0 / x
    below = 0.0
    while x < _FAR:
        below += 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    series = r * (
        1 / 12
        - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12)))))
    )
    return math.log(x) - 0.5 / x - series - below


@njit(cache=True, nogil=True)
def _expected(weights: np.ndarray, d: int, out: np.ndarray) -> None:
    """exp E[log theta] of a document with these weights."""
    total = 0.0
    for k in range(len(out)):
        total += weights[d, k]
    total = psi(total)
    for k in range(len(out)):
        out[k] = math.exp(psi(weights[d, k]) - total)


@njit(cache=True, nogil=True, fastmath=_FUSED)
def _explained(
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray],
    d: int,
    share: np.ndarray,
    topics: np.ndarray,
    ratios: np.ndarray,
    out: np.ndarray,
) -> None:
    """Count over chance of every word of a document, and what the words together say of each topic."""
    starts, columns, counts = sparse
    for k in range(len(out)):
        out[k] = 0.0
    for at in range(starts[d], starts[d + 1]):
        row = topics[columns[at]]
        chance = 0.0
        for k in range(len(out)):
            chance += share[k] * row[k]
        ratio = counts[at] / (chance + _LEAST)
        ratios[at] = ratio
        for k in range(len(out)):
            out[k] += ratio * row[k]


@njit(cache=True, nogil=True)
def settled(
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray],
    topics: np.ndarray,
    alpha: float,
    limits: tuple[int, float],
    span: tuple[int, int],
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """For documents of the span: weights from those given until they move by less than the limit in the mean.

    Beside the weights, out has exp E[log theta] (documents x topics) and count over chance of every count.
    """
    weights, shares, ratios = out
    steps, tol = limits
    size = weights.shape[1]
    said = np.empty(size)
    for d in range(span[0], span[1]):
        share = shares[d]
        _expected(weights, d, share)
        for _ in range(steps):
            _explained(sparse, d, share, topics, ratios, said)
            moved = 0.0
            for k in range(size):
                fresh = alpha + share[k] * said[k]
                moved += abs(fresh - weights[d, k])
                weights[d, k] = fresh
            _expected(weights, d, share)
            if moved < tol * size:
                break
        _explained(sparse, d, share, topics, ratios, said)


@njit(cache=True, nogil=True)
def likelihoods(
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray],
    logs: tuple[np.ndarray, np.ndarray],
    span: tuple[int, int],
    out: np.ndarray,
) -> None:
    """For documents of the span: sum of count times log sum_k exp(E[log theta_k] + E[log phi_kw])."""
    starts, columns, counts = sparse
    theta, phi = logs
    for d in range(span[0], span[1]):
        total = 0.0
        for at in range(starts[d], starts[d + 1]):
            row = phi[columns[at]]
            most = theta[d, 0] + row[0]
            for k in range(1, len(row)):
                most = max(most, theta[d, k] + row[k])
            chance = 0.0
            for k in range(len(row)):
                chance += math.exp(theta[d, k] + row[k] - most)
            total += counts[at] * (most + math.log(chance))
        out[d] = total

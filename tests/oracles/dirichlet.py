"""Latent Dirichlet allocation by the formulas, one document and one step at a time; slow, dense, and easy to read."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, logsumexp, psi


def logs(weights):
    return psi(weights) - psi(weights.sum(axis=-1, keepdims=True))


def settle(counts, weights, alpha, begun):
    """Dirichlet weights of the shares of one document."""
    topics = np.exp(logs(weights))
    gamma = begun
    for _ in range(100):
        share = np.exp(logs(gamma))
        phi = share[:, None] * topics / (share @ topics + 2.0**-52)  # topics x words
        fresh = alpha + phi @ counts
        still = np.abs(fresh - gamma).mean() < 1e-3
        gamma = fresh
        if still:
            break
    return gamma


def learn(counts, n_topics, alpha, eta, passes, seed):
    """Weights of words in topics after some passes over all documents."""
    generator = np.random.RandomState(seed)
    weights = generator.gamma(100.0, 0.01, (n_topics, counts.shape[1]))
    for _ in range(passes):
        begun = generator.gamma(100.0, 0.01, (len(counts), n_topics))
        topics = np.exp(logs(weights))
        fresh = np.full_like(weights, eta)
        for row, start in zip(counts, begun, strict=True):
            share = np.exp(logs(settle(row, weights, alpha, start)))
            fresh += share[:, None] * topics * (row / (share @ topics + 2.0**-52))
        weights = fresh
    return weights


def bound(counts, weights, alpha, eta):
    """E[log p] - E[log q]: of the words, of the shares, of the topics."""
    gammas = np.array([settle(row, weights, alpha, np.ones(len(weights))) for row in counts])
    theta = logs(gammas)
    phi = logs(weights)
    total = sum(
        row @ logsumexp(one[:, None] + phi, axis=0) for row, one in zip(counts, theta, strict=True)
    )
    for laws, means, prior in ((gammas, theta, alpha), (weights, phi, eta)):
        for law, mean in zip(laws, means, strict=True):
            own = gammaln(prior * len(law)) - len(law) * gammaln(prior) + ((prior - 1) * mean).sum()
            total += own - (gammaln(law.sum()) - gammaln(law).sum() + ((law - 1) * mean).sum())
    return total

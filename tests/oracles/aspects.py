"""PLSA the long way: P(k|w,d) as a whole array, tempered or not; folding-in; Hofmann's kernels by loops over their sums."""

from __future__ import annotations

import numpy as np


def posterior(shares, topics, beta=1.0):
    """P(k|w,d), documents x words x topics."""
    joint = (shares[:, None, :] * topics.T[None, :, :]) ** beta
    return joint / joint.sum(axis=2, keepdims=True)


def step(counts, shares, topics, beta=1.0):
    """The printed E and M steps; topics x words."""
    expected = counts[:, :, None] * posterior(shares, topics, beta)
    new_shares = expected.sum(axis=1)
    new_topics = expected.sum(axis=0).T
    return new_shares / new_shares.sum(axis=1, keepdims=True), new_topics / new_topics.sum(
        axis=1, keepdims=True
    )


def objective(counts, shares, topics, beta=1.0):
    """sum n(d,w) / beta log sum_k (P(w|k) P(k|d))^beta: the log-likelihood where beta is one."""
    joint = (shares[:, None, :] * topics.T[None, :, :]) ** beta
    there = counts > 0
    return float((counts[there] * np.log(joint.sum(axis=2)[there])).sum() / beta)


def folded(counts, topics, steps, shares):
    """EM on the shares alone."""
    for _ in range(steps):
        shares = step(counts, shares, topics)[0]
    return shares


def k1(one, other, prior):
    return np.array(
        [
            [
                sum(one[i, k] * other[j, k] / prior[k] for k in range(len(prior)))
                for j in range(len(other))
            ]
            for i in range(len(one))
        ]
    )


def k2(counts, shares, topics):
    """Between all pairs of documents."""
    seen = counts / counts.sum(axis=1, keepdims=True)
    law = posterior(shares, topics)
    out = np.zeros((len(counts), len(counts)))
    for i in range(len(counts)):
        for j in range(len(counts)):
            for w in range(counts.shape[1]):
                if seen[i, w] and seen[j, w]:
                    out[i, j] += (
                        seen[i, w] * seen[j, w] * (law[i, w] * law[j, w] / topics[:, w]).sum()
                    )
    return out

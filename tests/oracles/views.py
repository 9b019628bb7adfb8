"""Slow, obvious twins of what views share: kernels by loops, the large problem, the masked one, and canonical correlations."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh


def prepared(kernel, *, center=True, scale=True):
    """A kernel centered entry by entry and divided by its mean diagonal."""
    n = len(kernel)
    found = np.array(kernel, dtype=float)
    if center:
        for i in range(n):
            for j in range(n):
                found[i, j] = (
                    kernel[i, j]
                    - kernel[i].sum() / n
                    - kernel[:, j].sum() / n
                    + kernel.sum() / n**2
                )
    return found / (np.trace(found) / n) if scale else found


def new_rows(rows, kernel, *, center=True, scale=True):
    """Kernels of new members beside a raw kernel of the fitted ones, centered with the means of the fitted ones."""
    n = len(kernel)
    found = np.array(rows, dtype=float)
    if center:
        for i in range(len(rows)):
            for j in range(n):
                found[i, j] = (
                    rows[i, j] - rows[i].sum() / n - kernel[j].sum() / n + kernel.sum() / n**2
                )
    unscaled = prepared(kernel, center=center, scale=False)
    return found / (np.trace(unscaled) / n) if scale else found


def large(kernels, tau):
    """Eigenvalues and vectors of the Vm x Vm problem (1 1' (x) I) a = lambda blockdiag(K + tau I) a, rising."""
    n = len(kernels[0])
    count = len(kernels)
    left = np.kron(np.ones((count, count)), np.eye(n))
    right = np.zeros((n * count, n * count))
    for at, kernel in enumerate(kernels):
        block = slice(at * n, (at + 1) * n)
        right[block, block] = kernel + tau * np.eye(n)
    return eigh(left, right)


def small(kernels, tau):
    """lambda (rising) and e of the sum of (K + tau I)^-1."""
    return np.linalg.eigh(
        sum(np.linalg.inv(kernel + tau * np.eye(len(kernel))) for kernel in kernels)
    )


def parallel_sum(kernels, tau):
    """A_1 : A_2 : ..., two at a time, whose largest eigenvectors are the same e."""
    first = kernels[0] + tau * np.eye(len(kernels[0]))
    for kernel in kernels[1:]:
        other = kernel + tau * np.eye(len(kernel))
        first = first @ np.linalg.solve(first + other, other)
    return (first + first.T) / 2


def masked(kernels, rows, n, tau):
    """V lambda (rising) and e, with e' D e = V, of M e = lambda D e over the members that each view has."""
    total = np.zeros((n, n))
    counts = np.zeros(n)
    for kernel, own in zip(kernels, rows, strict=True):
        total[np.ix_(own, own)] += np.linalg.inv(kernel + tau * np.eye(len(own)))
        counts[own] += 1
    values, vectors = eigh(total, np.diag(counts))
    return len(kernels) * values, np.sqrt(len(kernels)) * vectors


def canonical(one, other):
    """Canonical correlations of two tables by orthogonal bases of their centered columns."""
    bases = [np.linalg.qr(rows - rows.mean(axis=0))[0] for rows in (one, other)]
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)


def ridged_canonical(one, other, ridge):
    """The same with covariances X'X + ridge I, columns x columns."""
    x = one - one.mean(axis=0)
    y = other - other.mean(axis=0)

    def root(rows):
        values, vectors = np.linalg.eigh(rows.T @ rows + ridge * np.eye(rows.shape[1]))
        return vectors / np.sqrt(values) @ vectors.T

    return np.linalg.svd(root(x) @ x.T @ y @ root(y), compute_uv=False)


def views_of_clusters(n, seed=0, *, views=3, groups=8, hidden=10, width=150, private=1.0):
    """Section 9.1 of the specification: clusters in a few shared directions, private directions, and noise; and the clusters."""
    random = np.random.default_rng(seed)
    group = random.integers(groups, size=n)
    common = 1.5 * random.normal(size=(groups, hidden))[group] + 0.5 * random.normal(
        size=(n, hidden)
    )
    found = {}
    for at in range(views):
        shared, own = random.normal(size=(2, hidden, width)) / np.sqrt(hidden)
        found[f"v{at}"] = (
            common @ shared
            + private * random.normal(size=(n, hidden)) @ own
            + random.normal(size=(n, width))
        )
    return group, found

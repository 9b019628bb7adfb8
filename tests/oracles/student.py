"""One round of EM for a mixture of multivariate t distributions and multinomials, row by row, from the formulas."""

from __future__ import annotations

import math

import numpy as np


def log_t(z, mean, covariance, df):
    """The log density of a multivariate t distribution, and the squared Mahalanobis distance."""
    d = len(z)
    gap = z - mean
    squared = float(gap @ np.linalg.solve(covariance, gap))
    log = math.lgamma((df + d) / 2) - math.lgamma(df / 2) - d / 2 * math.log(df * math.pi)
    log -= 0.5 * math.log(np.linalg.det(covariance)) + (df + d) / 2 * math.log(1 + squared / df)
    return log, squared


def e_step(numbers, codes, weights, means, covariances, probabilities, df):
    """Shares, what each row counts in each component, log-likelihood; probabilities[c][j][level]."""
    n, d = numbers.shape
    k = len(weights)
    shares = np.zeros((n, k))
    counts = np.zeros((n, k))
    total = 0.0
    for i in range(n):
        joint = []
        for j in range(k):
            log, squared = log_t(numbers[i], means[j], covariances[j], df)
            for column, level in enumerate(codes[i]):
                if level >= 0:
                    log += math.log(probabilities[column][j][level])
            joint.append(log + math.log(weights[j]))
            counts[i, j] = (df + d) / (df + squared)
        top = max(joint)
        evidence = top + math.log(sum(math.exp(value - top) for value in joint))
        shares[i] = [math.exp(value - evidence) for value in joint]
        total += evidence
    return shares, counts, total


def m_step(numbers, codes, sizes, shares, counts, form, shrinkage):
    """Weights (one more row each), means, covariances (shrunk to the pooled one) and smoothed probabilities."""
    n, d = numbers.shape
    k = shares.shape[1]
    members = [sum(shares[i, j] for i in range(n)) for j in range(k)]
    weights = [(own + 1) / (n + k) for own in members]
    means = []
    scatters = []
    for j in range(k):
        power = [shares[i, j] * counts[i, j] for i in range(n)]
        mean = sum(p * numbers[i] for i, p in enumerate(power)) / (sum(power) + 1e-9)
        scatter = np.zeros((d, d))
        for i, p in enumerate(power):
            scatter += p * np.outer(numbers[i] - mean, numbers[i] - mean)
        means.append(mean)
        scatters.append(scatter)
    prior = 0.1 * (d + 2)
    spread = np.diag([numbers[:, a].var() for a in range(d)]) / k ** (2 / d)
    pooled = (sum(scatters) + prior * spread) / (n + prior)
    covariances = []
    for own, scatter in zip(members, scatters):
        found = pooled
        if form == "shrunk":
            found = (scatter + shrinkage * pooled) / (own + 1e-9 + shrinkage)
        covariances.append(found + 1e-6 * np.eye(d))
    probabilities = []
    for column, size in enumerate(sizes):
        margin = [sum(codes[i][column] == level for i in range(n)) + 1e-6 for level in range(size)]
        margin = [value / sum(margin) for value in margin]
        rows = []
        for j in range(k):
            seen = [
                sum(shares[i, j] for i in range(n) if codes[i][column] == level)
                + size * margin[level]
                for level in range(size)
            ]
            rows.append([value / sum(seen) for value in seen])
        probabilities.append(rows)
    return weights, means, covariances, probabilities

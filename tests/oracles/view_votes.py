"""Where the models of several views put a member, and what they agree on, written again member by member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import multivariate_t


def nearest(point: np.ndarray, centers: np.ndarray) -> int:
    """The number of the center with the least squared distance."""
    apart = [sum((a - b) ** 2 for a, b in zip(point, center, strict=True)) for center in centers]
    return int(np.argmin(apart))


def likeliest(
    point: np.ndarray,
    weights: np.ndarray,
    means: np.ndarray,
    covariances: np.ndarray,
    df: float,
) -> int:
    """The component of a mixture of t distributions that a point most probably comes from."""
    worth = [
        np.log(weight) + multivariate_t.logpdf(point, mean, covariance, df)
        for weight, mean, covariance in zip(weights, means, covariances, strict=True)
    ]
    return int(np.argmax(worth))


def label_of(voter: Any, places: Mapping[str, np.ndarray]) -> int:
    """The group of one member by one model."""
    point = places[voter.space]
    if voter.mixture is None:
        return nearest(point, voter.centers)
    found = voter.mixture
    covariances = np.broadcast_to(
        found.covariances_, (len(found.means_), *found.covariances_.shape[-2:])
    )
    return likeliest(point, found.weights_, found.means_, covariances, found.df)


def agreed(labels: Sequence[int], profiles: np.ndarray) -> int:
    """The group whose profile is nearest to the labels of a member; -1 is no label."""
    k = profiles.shape[1] // len(labels)
    apart = []
    for profile in profiles:
        total = 0.0
        for at, label in enumerate(labels):
            if label < 0:
                continue
            for group in range(k):
                total += (float(group == label) - profile[at * k + group]) ** 2
        apart.append(total)
    return int(np.argmin(apart))


def rank_sum(scores: Mapping[str, np.ndarray], neighbor: float = 0.15) -> list[float]:
    """Ranks by a low bic, a high agreement and a high excess of halves, added up and smoothed over neighbors."""

    def ranks(values: np.ndarray) -> list[float]:
        return [
            sum(other < one for other in values) + (sum(other == one for other in values) + 1) / 2
            for one in values
        ]

    columns = (-scores["bic"], scores["agreement"], scores["halves"])
    total = np.sum([ranks(values) for values in columns], axis=0)
    smoothed = []
    for at in range(len(total)):
        near = [total[min(max(j, 0), len(total) - 1)] for j in (at - 1, at + 1)]
        smoothed.append((total[at] + neighbor * sum(near)) / (1 + 2 * neighbor))
    return smoothed

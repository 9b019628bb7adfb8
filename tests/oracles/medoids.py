"""k-medoids slowly: every choice of medoids, the greedy start as it is told, and PAM that tries each exchange in full."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def total(gaps, medoids) -> float:
    """The sum of distances to the nearest medoid."""
    return float(sum(min(gaps[i][m] for m in medoids) for i in range(len(gaps))))


def exhaustive(gaps, k) -> float:
    """The least sum over all choices of k medoids."""
    return min(total(gaps, chosen) for chosen in combinations(range(len(gaps)), k))


def greedy(gaps, k) -> list[int]:
    """One medoid after the other, each the one that makes the sum least; the lowest position at a tie."""
    medoids: list[int] = []
    for _ in range(k):
        free = [j for j in range(len(gaps)) if j not in medoids]
        medoids.append(min(free, key=lambda j: (round(total(gaps, medoids + [j]), 9), j)))
    return medoids


def pam(gaps, k) -> float:
    """From the greedy start, the best of all exchanges until none helps; the sum it ends with."""
    medoids = greedy(gaps, k)
    while True:
        tried = [
            medoids[:a] + [j] + medoids[a + 1 :]
            for a in range(k)
            for j in range(len(gaps))
            if j not in medoids
        ]
        best = min(tried, key=lambda chosen: total(gaps, chosen), default=medoids)
        if total(gaps, best) >= total(gaps, medoids) - 1e-9:
            return total(gaps, medoids)
        medoids = best


def improvable(gaps, medoids) -> bool:
    """Whether one exchange of a medoid for another member makes the sum smaller."""
    now = total(gaps, medoids)
    others = [j for j in range(len(gaps)) if j not in set(medoids)]
    tried = [[*medoids[:a], j, *medoids[a + 1 :]] for a in range(len(medoids)) for j in others]
    return any(total(gaps, np.array(chosen)) < now - 1e-9 for chosen in tried)

"""Small graphs with a known build: planted groups, caves, small worlds, hubs, random weights."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def _both_ways(upper: np.ndarray) -> sp.csr_array:
    upper = np.triu(upper, 1)
    return sp.csr_array(upper + upper.T)


def planted(
    n: int, k: int, inside: float, outside: float, seed: int, weighted: bool = False
) -> sp.csr_array:
    """k equal groups; links inside with one probability, outside with another."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % k
    links = rng.random((n, n)) < np.where(group[:, None] == group[None, :], inside, outside)
    return _both_ways(links * (rng.random((n, n)) if weighted else 1.0))


def caves(n_caves: int, size: int, rewired: float, seed: int) -> sp.csr_array:
    """Complete small groups; every link goes, with some probability, to a random other member instead."""
    rng = np.random.default_rng(seed)
    n = n_caves * size
    links = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, (i // size + 1) * size):
            end = rng.integers(n) if rng.random() < rewired else j
            if end != i:
                links[min(i, end), max(i, end)] = 1.0
    return _both_ways(links)


def small_world(n: int, near: int, rewired: float, seed: int) -> sp.csr_array:
    """A ring where each member knows the nearest ones, with some links thrown elsewhere and weights."""
    rng = np.random.default_rng(seed)
    links = np.zeros((n, n))
    for i in range(n):
        for step in range(1, near // 2 + 1):
            end = int(rng.integers(n)) if rng.random() < rewired else (i + step) % n
            if end != i:
                links[min(i, end), max(i, end)] = 0.5 + rng.random()
    return _both_ways(links)


def hubs(n: int, links_each: int, seed: int) -> sp.csr_array:
    """Members arrive one by one and tie to those that have many ties already, as in a club with two leaders."""
    rng = np.random.default_rng(seed)
    links = np.zeros((n, n))
    ends = [0, 1]
    links[0, 1] = 1.0
    for new in range(2, n):
        for old in {int(ends[rng.integers(len(ends))]) for _ in range(links_each)}:
            links[old, new] = 1.0
            ends += [old, new]
    return _both_ways(links)

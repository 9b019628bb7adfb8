"""Likelihood distances, pool building and product kernels as they are defined: loops over pairs, models and sequences."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import integrate, stats


def kl_ll(l: np.ndarray, i: int, j: int, temperature: float = 1.0) -> float:
    """Half the Jeffreys divergence of two columns brought to sum one."""
    p = np.exp(l[:, i] / temperature)
    q = np.exp(l[:, j] / temperature)
    p = p / p.sum()
    q = q / q.sum()
    return 0.5 * sum(a * np.log(a / b) + b * np.log(b / a) for a, b in zip(p, q))


def yin_yang(l: np.ndarray, i: int, j: int) -> float:
    return abs(l[i, i] + l[j, j] - l[i, j] - l[j, i])


def bp(l: np.ndarray, i: int, j: int) -> float:
    found = 0.5 * ((l[i, i] - l[i, j]) / abs(l[i, i]) + (l[j, j] - l[j, i]) / abs(l[j, j]))
    return max(found, 0.0)


def bp_same_sequence(l: np.ndarray, i: int, j: int) -> float:
    found = 0.5 * ((l[i, i] - l[j, i]) / abs(l[i, i]) + (l[j, j] - l[i, j]) / abs(l[j, j]))
    return max(found, 0.0)


def porikli(l: np.ndarray, i: int, j: int) -> float:
    p = {(a, b): np.exp(l[a, b]) for a in (i, j) for b in (i, j)}
    return abs(p[i, j] + p[j, i] - p[i, i] - p[j, j]) / np.exp(l.max())


def symmetric(l: np.ndarray, i: int, j: int) -> float:
    if i == j:
        return 0.0
    n = len(l)
    top = max((l[a, b] + l[b, a]) / 2 for a in range(n) for b in range(n) if a != b)
    return top - (l[i, j] + l[j, i]) / 2


TWINS = {
    "kl-ll": kl_ll,
    "yin-yang": yin_yang,
    "bp": bp,
    "bp-same-sequence": bp_same_sequence,
    "porikli": porikli,
    "symmetric": symmetric,
}


def all_pairs(name: str, l: np.ndarray) -> np.ndarray:
    """Every pair by its formula."""
    n = l.shape[1]
    return np.array([[TWINS[name](l, i, j) if i != j else 0.0 for j in range(n)] for i in range(n)])


def pool_order(l: np.ndarray, longest: int, step: int) -> list[int]:
    """The order in which members enter a pool: the longest, then those with the least sum of likelihoods under the pool."""
    order = [longest]
    while len(order) < l.shape[1]:
        mass = {j: sum(np.exp(l[m, j]) for m in order) for j in range(l.shape[1]) if j not in order}
        order += sorted(mass, key=lambda j: mass[j])[:step]
    return order


def sequence_probability(
    start: np.ndarray, transition: np.ndarray, symbols: np.ndarray, sequence: tuple[int, ...]
) -> float:
    """The probability of a sequence of symbols, the sum over all paths."""
    total = 0.0
    for path in itertools.product(range(len(start)), repeat=len(sequence)):
        value = start[path[0]] * symbols[path[0], sequence[0]]
        for t in range(1, len(sequence)):
            value *= transition[path[t - 1], path[t]] * symbols[path[t], sequence[t]]
        total += value
    return total


def product_kernel(p: tuple[np.ndarray, ...], q: tuple[np.ndarray, ...], length: int) -> float:
    """The sum over all sequences of p(x) q(x), for models (start, transition, symbols)."""
    n = p[2].shape[1]
    every = itertools.product(range(n), repeat=length)
    return sum(sequence_probability(*p, x) * sequence_probability(*q, x) for x in every)


def path_kernel(
    p: tuple[np.ndarray, ...], q: tuple[np.ndarray, ...], length: int, power: float
) -> float:
    """The same with a power, over all sequences and both paths: what the recursion is for powers other than one."""
    total = 0.0
    states = [list(itertools.product(range(len(m[0])), repeat=length)) for m in (p, q)]
    for x in itertools.product(range(p[2].shape[1]), repeat=length):
        joint = []
        for (start, transition, symbols), paths in zip((p, q), states):
            values = [
                start[path[0]]
                * np.prod([transition[a, b] for a, b in itertools.pairwise(path)])
                * np.prod([symbols[k, v] for k, v in zip(path, x)])
                for path in paths
            ]
            joint.append(sum(value**power for value in values))
        total += joint[0] * joint[1]
    return total


def gaussian_product(
    m: np.ndarray, c: np.ndarray, n: np.ndarray, e: np.ndarray, power: float
) -> float:
    """The integral of two normal densities to a power, in one or two dimensions, by quadrature."""
    p = stats.multivariate_normal(m, c)
    q = stats.multivariate_normal(n, e)
    reach = 12 * max(np.sqrt(np.max(c)), np.sqrt(np.max(e))) / min(power, 1.0)
    low = np.minimum(m, n) - reach
    high = np.maximum(m, n) + reach
    if len(m) == 1:
        return integrate.quad(
            lambda x: (p.pdf(x) * q.pdf(x)) ** power,
            low[0],
            high[0],
            points=[m[0], n[0]],
            limit=400,
        )[0]
    axes = [np.linspace(a, b, 1201) for a, b in zip(low, high)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    values = (p.pdf(grid) * q.pdf(grid)) ** power
    return float(integrate.trapezoid(integrate.trapezoid(values, axes[1]), axes[0]))

"""Phrases: pairs of words that follow each other far more often than chance, found by the log-likelihood ratio."""

from __future__ import annotations

import numpy as np

from coterie.represent.selection import gain


def neighbors(tokens: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Positions of the tokens whose next one stands in the same document; both must be terms (from zero).

    >>> neighbors(np.array([0, 1, -1, 2, 3]), np.array([2, 5])).tolist()
    [0, 3]
    """
    if len(tokens) < 2:
        return np.zeros(0, dtype=np.int64)
    inside = np.ones(len(tokens) - 1, dtype=bool)
    last = ends[:-1] - 1
    inside[last[(last >= 0) & (last < len(tokens) - 1)]] = False
    return np.flatnonzero(inside & (tokens[:-1] >= 0) & (tokens[1:] >= 0))


def collocations(
    tokens: np.ndarray, ends: np.ndarray, width: int, most: int, least: int
) -> np.ndarray:
    """The `most` best pairs (first, second) by their log-likelihood ratio, seen in a row `least` times or more, above chance.

    Of n neighboring places, a hold the pair, b its first word alone in front, c its second alone behind, d neither:
    G = 2 sum over the four cells of cell ln(cell n / (row x column)). Pairs of equal G go by their columns.
    """
    at = neighbors(tokens, ends)
    first = tokens[at]
    second = tokens[at + 1]
    key, seen = np.unique(first * max(width, 1) + second, return_counts=True)
    front = np.bincount(first, minlength=width)
    behind = np.bincount(second, minlength=width)
    one, other = np.divmod(key, max(width, 1))
    ratio = log_likelihood(seen, front[one], behind[other], len(at))
    usable = np.flatnonzero(
        (seen >= least) & (seen * float(len(at)) > front[one] * behind[other].astype(np.float64))
    )
    best = usable[np.lexsort((key[usable], -ratio[usable]))[:most]]
    return np.stack([one[best], other[best]], axis=1)


def log_likelihood(
    together: np.ndarray, front: np.ndarray, behind: np.ndarray, n: int
) -> np.ndarray:
    """Dunning's ratio G of a pair seen `together`, whose words stand in front and behind so often, among n places.

    >>> log_likelihood(np.array([5]), np.array([10]), np.array([10]), 20).round(12).tolist()
    [0.0]
    """
    a = np.asarray(together, dtype=np.float64)
    b = front - a
    c = behind - a
    return 2.0 * n * gain(a, b, c, n - a - b - c)


def phrased(tokens: np.ndarray, ends: np.ndarray, width: int, pairs: np.ndarray) -> np.ndarray:
    """For every token the number of the pair that begins there, -1 where none does.

    >>> phrased(np.array([0, 1, 0, 1]), np.array([3, 4]), 2, np.array([[0, 1]])).tolist()
    [0, -1, -1, -1]
    """
    found = np.full(len(tokens), -1, dtype=np.int64)
    at = neighbors(tokens, ends)
    if not len(pairs) or not len(at):
        return found
    keys = pairs[:, 0] * max(width, 1) + pairs[:, 1]
    order = np.argsort(keys)
    wanted = tokens[at] * max(width, 1) + tokens[at + 1]
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found[at] = np.where(keys[order][place] == wanted, order[place], -1)
    return found

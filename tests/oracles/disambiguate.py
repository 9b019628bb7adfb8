"""Disambiguation as it is defined: pages compared two by two, components by walking, links of a cluster pair by pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def components(held: list[set[str]]) -> list[set[int]]:
    """Members that share something, over any number of steps; the largest first, of equal ones the one that begins first."""
    left = set(range(len(held)))
    found = []
    while left:
        at = min(left)
        group = {at}
        edge = [at]
        while edge:
            one = edge.pop()
            near = {other for other in left - group if held[one] & held[other]}
            group |= near
            edge += near
        left -= group
        found.append(group)
    return sorted(found, key=lambda group: (-len(group), min(group)))


def shared(held: list[set[str]], members: list[int]) -> set[str]:
    """CL: the union over pairs of members of what both link to."""
    found: set[str] = set()
    for one, other in combinations(members, 2):
        found |= held[one] & held[other]
    return found


def best_f(merges: np.ndarray, truth: np.ndarray) -> float:
    """The best F of any cluster of a tree."""
    n = len(truth)
    nodes = [{i} for i in range(n)]
    for one, other in merges[:, :2].astype(int):
        nodes.append(nodes[one] | nodes[other])
    core = set(np.flatnonzero(truth).tolist())
    return max(2 * len(node & core) / (len(node) + len(core)) for node in nodes)


def cosine(tf: np.ndarray, df: np.ndarray) -> np.ndarray:
    """Members x members: cosines of tf / ln df, with df of three at least."""
    rows = tf / np.log(np.maximum(df, 3.0))
    out = np.zeros((len(rows), len(rows)))
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            size = np.linalg.norm(one) * np.linalg.norm(other)
            out[i, j] = one @ other / size if size > 0 else 0.0
    return out

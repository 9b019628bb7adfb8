"""Markov clustering as it is defined, on a full matrix."""

from __future__ import annotations

import numpy as np


def limit_of(
    links: np.ndarray, inflation: float, prune: float, expansion: int = 2, rounds: int = 200
) -> np.ndarray:
    """Loops of the column's largest weight, then expand, inflate, prune until nothing moves."""
    flow = links.astype(float).copy()
    np.fill_diagonal(flow, 0.0)
    heaviest = flow.max(axis=0)
    np.fill_diagonal(flow, np.where(heaviest > 0, heaviest, 1.0))
    flow /= flow.sum(axis=0)
    for _ in range(rounds):
        flow = np.linalg.matrix_power(flow, expansion) ** inflation
        flow /= flow.sum(axis=0)
        flow[(flow < prune) & (flow < flow.max(axis=0))] = 0.0
        flow /= flow.sum(axis=0)
        if (flow.max(axis=0) - (flow**2).sum(axis=0)).max() < 1e-6:
            break
    return flow


def groups_of(limit: np.ndarray) -> list[frozenset[int]]:
    """Members whose flow ends at attractors that are joined; each member once, by its largest flow."""
    n = len(limit)
    solid = limit > 1e-3 * limit.max(axis=0)
    system = {int(a): {int(a)} for a in np.flatnonzero(np.diag(solid))}
    for a in list(system):
        for b in list(system):
            if solid[a, b] and system[a] is not system[b]:
                merged = system[a] | system[b]
                for member in merged:
                    system[member] = merged
    groups: dict[int, set[int]] = {}
    for j in range(n):
        flows = {min(s): sum(limit[a, j] for a in s) for s in system.values()}
        best = max(flows, key=lambda first: (flows[first], -first))
        groups.setdefault(best, set()).add(j)
    return sorted((frozenset(g) for g in groups.values()), key=min)

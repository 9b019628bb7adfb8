"""Ranking of several populations slowly: F cell by cell, and the best order of one population among all of its orders."""

from __future__ import annotations

from itertools import permutations

import numpy as np


def gain(order):
    """The gain of every element, by its place in an order."""
    n = len(order)
    return {
        element: (1 - 2 * place / (n - 1) if n > 1 else 0.0) for place, element in enumerate(order)
    }


def objective(tables, betas, orders) -> float:
    """F of orders (population -> elements, best first): cells of all tables, by both conditional laws."""
    total = 0.0
    for (one, other), table in tables.items():
        left = gain(orders[one])
        right = gain(orders[other])
        n, m = table.shape
        for x in range(n):
            for y in range(m):
                if table[x, y] > 0:
                    share = 0.5 * (
                        table[x, y] / table[x].sum() / n + table[x, y] / table[:, y].sum() / m
                    )
                    total += betas.get((one, other), 1.0) * share * left[x] * right[y]
    return total


def best_of_one(tables, betas, orders, name) -> float:
    """The largest F over all orders of one population, the others as they are."""
    return max(
        objective(tables, betas, {**orders, name: list(p)})
        for p in permutations(range(len(orders[name])))
    )


def best_of_all(tables, betas, orders, hidden) -> float:
    """The largest F over all orders of all hidden populations."""
    if not hidden:
        return objective(tables, betas, orders)
    name = hidden[0]
    rest = hidden[1:]
    tried = [
        best_of_all(tables, betas, {**orders, name: list(p)}, rest)
        for p in permutations(range(len(orders[name])))
    ]
    return float(np.max(tried))

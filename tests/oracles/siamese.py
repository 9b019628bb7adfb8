"""Slow twins of the two-task network: one member, one category and one triplet at a time, on dense rows."""

from __future__ import annotations

import math


def phi(arrays, row):
    """The vector of one dense row, unit by unit."""
    hidden = []
    for j in range(arrays["terms"].shape[1]):
        total = float(arrays["terms_bias"][j])
        for t, value in enumerate(row):
            total += float(value) * float(arrays["terms"][t, j])
        hidden.append(math.tanh(total))
    vector = []
    for c in range(arrays["units"].shape[1]):
        total = float(arrays["units_bias"][c])
        for j, value in enumerate(hidden):
            total += value * float(arrays["units"][j, c])
        vector.append(math.tanh(total))
    return vector


def psi_1(arrays, row, k):
    """The score of one category."""
    vector = phi(arrays, row)
    return float(arrays["head_bias"][k]) + sum(
        v * float(w) for v, w in zip(vector, arrays["head"][:, k], strict=True)
    )


def psi_2(arrays, x, near, far):
    """By how much x is nearer to `near` than to `far`."""
    a, b, c = (phi(arrays, row) for row in (x, near, far))
    return sum(p * q for p, q in zip(a, b, strict=True)) - sum(
        p * q for p, q in zip(a, c, strict=True)
    )


def plain(arrays, rows, indicator):
    """L1 as printed: the mean over members and categories of the hinge."""
    n, k = indicator.shape
    total = 0.0
    for i in range(n):
        for j in range(k):
            total += max(0.0, 1.0 - (1 if indicator[i, j] else -1) * psi_1(arrays, rows[i], j))
    return total / (n * k)


def balanced(arrays, rows, indicator):
    """L1' corrected: every pair over twice the number of members on its side of the category, summed over members."""
    n, k = indicator.shape
    total = 0.0
    for i in range(n):
        for j in range(k):
            side = sum(1 for other in indicator[:, j] if other == indicator[i, j])
            total += max(0.0, 1.0 - (1 if indicator[i, j] else -1) * psi_1(arrays, rows[i], j)) / (
                2 * side
            )
    return total / k


def triplets(arrays, rows, drawn):
    """L2: the mean over triplets of the hinge."""
    values = [
        max(0.0, 1.0 - psi_2(arrays, rows[a], rows[b], rows[c]))
        for a, b, c in zip(*drawn, strict=True)
    ]
    return sum(values) / len(values)

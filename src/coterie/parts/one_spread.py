"""Scores of different kinds on one scale: each list divided by its standard deviation, unless it says nothing."""

from __future__ import annotations

import numpy as np

_FLOOR = 1e-9  # of the largest score: a smaller standard deviation is rounding
_ROUNDING = 64  # units of the last place of a number type that are rounding, too


def one_spread(scores: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
    """Scores (lists along the last axis) with a standard deviation of one over the candidates; others are zero.

    Scores that are all the same but for rounding say nothing, and are all their mean, so that they move nobody.

    >>> one_spread(np.array([1.0, 3.0])).tolist(), one_spread(np.array([0.1 + 0.2, 0.3, 0.3])).std().item()
    ([1.0, 3.0], 0.0)
    """
    here = np.ones(scores.shape, dtype=bool) if among is None else among
    held = np.where(here, scores, np.zeros((), dtype=scores.dtype))
    many = np.maximum(here.sum(axis=-1, keepdims=True), 1)
    mean = held.sum(axis=-1, keepdims=True) / many
    spread = np.sqrt((np.where(here, held - mean, 0.0) ** 2).sum(axis=-1, keepdims=True) / many)
    floor = max(_FLOOR, _ROUNDING * float(np.finfo(scores.dtype).eps)) * np.abs(held).max(
        axis=-1, keepdims=True, initial=0.0
    )
    flat = spread <= floor
    return np.asarray(
        np.where(here, np.where(flat, mean, held / np.where(flat, 1.0, spread)), 0.0),
        dtype=scores.dtype,
    )

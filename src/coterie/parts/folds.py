"""Cross-validation: members dealt into folds, category by category, and parts held out; every draw from a generator given."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError


def dealt(indicator: Any, folds: int, generator: np.random.Generator) -> np.ndarray:
    """The fold (0, 1, ...) of every member: those of one category are dealt round, so that every fold has its share of each.

    `indicator` is members x categories (bool); a member of several categories is dealt with the rarest of them, a member of
    none with those of none. As many folds as members is leaving one out.
    """
    key = _rarest(indicator)
    n = len(key)
    if not 2 <= folds <= n:
        raise ParameterError(
            f"folds must be from 2 to the number of members ({n}), and was {folds}."
        )
    order = generator.permutation(n)
    order = order[np.argsort(key[order], kind="stable")]
    found = np.empty(n, dtype=np.int64)
    found[order] = np.arange(n) % folds
    return found


def drawn(
    indicator: Any, wanted: int, generator: np.random.Generator, least: int = 0
) -> np.ndarray:
    """About so many members drawn at random with the same share of every category, in rising order of position.

    A category of which `least` members are wanted gives as many, where it has them. Members of several categories are drawn
    with the rarest of them, as in `dealt`.
    """
    key = _rarest(indicator)
    n = len(key)
    if not 1 <= wanted <= n:
        raise DataError(f"{wanted} members cannot be drawn from {n}.")
    order = generator.permutation(n)
    found: list[np.ndarray] = []
    for category in np.unique(key):
        of = order[key[order] == category]
        found.append(of[: max(round(wanted * len(of) / n), min(least, len(of)))])
    return np.sort(np.concatenate(found))


def _rarest(indicator: Any) -> np.ndarray:
    """The rarest category of every member as a number; one beyond the last where a member is in none."""
    table = np.asarray(indicator, dtype=bool)
    table = table[:, None] if table.ndim == 1 else table
    size = np.where(table, table.sum(axis=0), len(table) + 1)
    return np.where(table.any(axis=1), size.argmin(axis=1), table.shape[1])

"""Orders of elements: from scores or ids, gains by rank, and those of whom nothing is known in the middle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.partition import Ranking


def ordered(scores: np.ndarray) -> np.ndarray:
    """Positions from the highest score to the lowest; equal ones in their own order.

    >>> ordered(np.array([0.5, 2.0, 0.5])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")


def gains(order: np.ndarray) -> np.ndarray:
    """What each element gains by its rank: 1 for the first, -1 for the last, in even steps; 0 for one alone.

    >>> gains(np.array([2, 0, 1])).tolist()
    [0.0, -1.0, 1.0]
    """
    n = len(order)
    found = np.zeros(len(order))
    if n > 1:
        found[order] = 1.0 - 2.0 * np.arange(n) / (n - 1)
    return found


def middled(order: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The same order with all that are not known moved to its middle.

    >>> middled(np.array([0, 1, 2, 3]), np.array([False, True, True, True])).tolist()
    [1, 2, 0, 3]
    """
    told = order[known[order]]
    half = (len(told) + 1) // 2
    return np.concatenate([told[:half], np.sort(order[~known[order]]), told[half:]])


def in_order_of(said: Any, ids: Sequence[str], where: str) -> np.ndarray:
    """Positions, best first: from ids (best first), a score each, a mapping of id to score, or a Ranking.

    Elements that are not named, or whose score is NaN, go to the middle.
    """
    if isinstance(said, Ranking):
        if sorted(said.order.tolist()) != list(range(len(ids))):
            raise DataError(
                f"{where} is a ranking of {len(said)} elements, and there are {len(ids)}."
            )
        return np.asarray(said.order, dtype=np.int64)
    if isinstance(said, Mapping):
        values = _by_name(said, ids, where)
    else:
        listed = (
            said.tolist()
            if isinstance(said, np.ndarray)
            else list(said)
            if isinstance(said, Sequence)
            else None
        )
        if listed is None or isinstance(said, str) or not listed:
            raise DataError(f"{where} must be ids, best first, or scores, and was {said!r:.60}.")
        if all(isinstance(one, str) for one in listed):
            values = _by_name({one: -float(at) for at, one in enumerate(listed)}, ids, where)
            if len(set(listed)) < len(listed):
                twice = next(one for at, one in enumerate(listed) if one in listed[:at])
                raise DataError(f"{where} names '{twice}' twice.")
        else:
            values = _numbers(listed, where)
    if len(values) != len(ids):
        raise DataError(f"{where} has {len(values)} scores, and there are {len(ids)} elements.")
    if np.isnan(values).all():
        raise DataError(
            f"{where} holds no score at all; leave it out, or give one number at least."
        )
    return middled(ordered(values), ~np.isnan(values))


def _by_name(said: Mapping[Any, Any], ids: Sequence[str], where: str) -> np.ndarray:
    place = {str(name): at for at, name in enumerate(ids)}
    strange = [str(name) for name in said if str(name) not in place]
    if strange:
        raise DataError(
            f"{where} names '{strange[0]}', which is not among the ids"
            + _others(len(strange) - 1)
            + "."
        )
    values = np.full(len(ids), np.nan)
    values[[place[str(name)] for name in said]] = _numbers(list(said.values()), where)
    return values


def _numbers(values: Sequence[Any], where: str) -> np.ndarray:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{where} must be ids, best first, or one number each.") from None
    if found.ndim != 1 or np.isinf(found).any():
        raise DataError(f"{where} must be one finite number each.")
    return found


def _others(many: int) -> str:
    return "" if many == 0 else f" (and {many} more)"

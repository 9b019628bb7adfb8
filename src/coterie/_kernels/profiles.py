"""Compiled sums over profiles: how probably two members show one class, and in how many iterations they share any."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def shared_mass(
    place: np.ndarray,
    column: np.ndarray,
    share: np.ndarray,
    starts: np.ndarray,
    member: np.ndarray,
    mass: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add share[p, c] * mass[c, q] over all classes c, class by class.

    Rows are compressed by member (`place`, `column`, `share`), columns by class (`starts`, `member`, `mass`).
    """
    for p in range(place.shape[0] - 1):
        line = out[p]
        for s in range(place[p], place[p + 1]):
            value = share[s]
            for t in range(starts[column[s]], starts[column[s] + 1]):
                line[member[t]] += value * mass[t]


@njit(cache=True, nogil=True)
def shared_any(
    place: np.ndarray,
    column: np.ndarray,
    owner: np.ndarray,
    starts: np.ndarray,
    member: np.ndarray,
    out: np.ndarray,
) -> None:
    """Count the iterations in which two members have any class in common; owner[c] is the iteration of class c.

    The classes of a row must come in rising order.
    """
    seen = np.empty(out.shape[1], np.int64)
    for p in range(place.shape[0] - 1):
        line = out[p]
        seen[:] = -1
        for s in range(place[p], place[p + 1]):
            iteration = owner[column[s]]
            for t in range(starts[column[s]], starts[column[s] + 1]):
                if seen[member[t]] != iteration:
                    seen[member[t]] = iteration
                    line[member[t]] += 1.0

"""Random streams by task index, so that no result depends on how many workers there were."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError


def seed_of(random_state: Any) -> int:
    """One whole number from a seed, a generator (advanced once), a RandomState, or None (fresh entropy)."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ParameterError(
                f"random_state must be a whole number from 0, a generator or None, and was {random_state}."
            )
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ParameterError(
        f"random_state must be a whole number from 0, a generator or None, and was {random_state!r}."
    )


def streams(random_state: Any, n: int) -> list[np.random.Generator]:
    """One independent generator per task index; stream i does not depend on n.

    >>> a, b = streams(7, 2), streams(7, 5)
    >>> bool(a[1].random() == b[1].random())
    True
    """
    return [
        np.random.Generator(np.random.PCG64(child))
        for child in np.random.SeedSequence(seed_of(random_state)).spawn(n)
    ]


def stream(random_state: Any, *key: int) -> np.random.Generator:
    """The generator of one task named by whole numbers, without making its siblings."""
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed_of(random_state), spawn_key=key))
    )


def small_seed(generator: np.random.Generator) -> int:
    """A seed for a library that takes 31-bit whole numbers."""
    return int(generator.integers(2**31 - 1))

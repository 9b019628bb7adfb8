"""Which state may follow which, from a name or a mask of one's own, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.parts.hmm import TOPOLOGIES, topology


def allowed(given: Any, n_states: int, owner: str) -> np.ndarray:
    """The steps allowed, (K, K) of bool, of a topology given by name or as a square array of yes and no."""
    if isinstance(given, str):
        if given not in TOPOLOGIES:
            names = " | ".join(sorted(TOPOLOGIES))
            raise ParameterError(
                f"topology must be {names} or a square array of yes and no, and was {given!r}.",
                owner=owner,
            )
        return topology(given, n_states)
    mask = _mask(given, owner)
    if len(mask) != n_states:
        raise ParameterError(
            f"topology must be {n_states} x {n_states}, as many as n_states, and is {len(mask)} x {len(mask)}.",
            owner=owner,
        )
    return mask


def n_states_of(given: Any, owner: str) -> int | None:
    """How many states a mask is for; None where the topology is a name."""
    return None if isinstance(given, str) else len(_mask(given, owner))


def only_ahead(mask: np.ndarray) -> bool:
    """Whether steps never go back and lead from the first state to all others: members then begin in the first state."""
    if len(mask) < 2 or np.tril(mask, -1).any():
        return False
    reached = np.eye(1, len(mask), dtype=bool)[0]
    for state in range(len(mask)):
        if reached[state]:
            reached |= mask[state]
    return bool(reached.all())


def _mask(given: Any, owner: str) -> np.ndarray:
    try:
        mask = np.asarray(given)
    except ValueError:
        mask = np.empty(0)
    if mask.ndim != 2 or mask.shape[0] != mask.shape[1] or not len(mask):
        raise ParameterError(
            f"topology must be a name or a square array of yes and no, and has the shape {mask.shape}.",
            owner=owner,
        )
    if mask.dtype != bool and not (mask.dtype.kind in "iuf" and np.isin(mask, (0, 1)).all()):
        raise ParameterError(
            "topology as an array holds yes and no (True and False, or 1 and 0) only.", owner=owner
        )
    mask = mask.astype(bool)
    stuck = np.flatnonzero(~mask.any(axis=1))
    if len(stuck):
        raise ParameterError(
            f"topology lets no state follow state {int(stuck[0])}; allow at least one step in every row.",
            owner=owner,
        )
    return mask

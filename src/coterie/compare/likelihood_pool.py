"""Models of single members and the likelihoods under them: of all members, or of a pool that grows where it explains least."""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import clone

from coterie.core.affinity import Dense
from coterie.core.ragged import Ragged
from coterie.core.workplace import once
from coterie.models.role import Model
from coterie.parts.hmm import Bank, joined
from coterie.parts.iterate import iterate
from coterie.parts.likelihood import likelihoods
from coterie.parts.spectra import largest_gap, spectra_of

STEPS = 27  # pools up to all members: each adds one 27th of them
MOST = 20  # groups considered where their number is not given
_PER_GROUP = 3  # models per group, and
_SHARE = (
    1 / 3
)  # share of the members, below which a pool is not judged: few models show a large gap whatever they say


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Models of some members, in the order they entered, and what they say of all members (models, members)."""

    members: np.ndarray
    bank: Bank
    matrix: np.ndarray

    def __len__(self) -> int:
        return len(self.members)

    def first(self, n: int) -> Pool:
        """The models that entered first."""
        return (
            self
            if n >= len(self)
            else Pool(self.members[:n], self.bank.take(np.arange(n)), self.matrix[:n])
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """All numbers by name."""
        return {"members": self.members, "matrix": self.matrix, **self.bank.arrays()}

    def with_arrays(self, arrays: Mapping[str, np.ndarray]) -> Pool:
        """A pool of the same kind with other numbers."""
        return Pool(arrays["members"], self.bank.with_arrays(arrays), arrays["matrix"])


def fingerprint(view: Ragged, *settings: Any) -> str:
    """A short name for members and settings: pieces kept for others are never taken for ours."""
    digest = hashlib.blake2b(repr((view.ordered, view.shape, settings)).encode(), digest_size=10)
    for array in (view.values, view.offsets):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def everyone(model: Model, view: Ragged, mark: str) -> Pool:
    """The models of all members, and what they say of each other."""
    bank = model.fit_each(view)
    found = once(f"likelihoods/{mark}", lambda: {"matrix": likelihoods(bank, view)})
    return Pool(np.arange(len(view)), bank, found["matrix"])


def grown(
    model: Model,
    view: Ragged,
    mark: str,
    known: Pool | None,
    most: int,
    judge: Callable[[np.ndarray], float] | None = None,
    patience: int | None = None,
) -> tuple[Pool, np.ndarray]:
    """A pool of up to `most` models: from that of the longest member on, those of the members it explains least are added.

    `judge` says how good the likelihoods under a pool are (0 where it cannot say); growth ends when no pool was better for
    `patience` steps. Gives the last pool, and (pools, 2): models of each, and what was said of it. Models in `known`, which
    grew the same way, are not trained again.
    """
    step_size = max(1, len(view) // STEPS)
    first = (
        known.first(1)
        if known is not None
        else _added(model, view, None, np.array([int(np.argmax(view.lengths))]))
    )
    model = sized(model, first.bank)

    def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        pool = first.with_arrays(state)
        n = min(len(pool) + step_size, most)
        if known is not None and len(known) >= n:
            pool = known.first(n)
        else:
            pool = _added(model, view, pool, least_explained(pool, n - len(pool)))
        value = 0.0 if judge is None else judge(pool.matrix)
        curve = np.concatenate([state["curve"], [[len(pool), value]]])
        return {**pool.arrays(), "curve": curve}, value if judge is not None else float(len(pool))

    def settled(state: Mapping[str, np.ndarray], value: float) -> bool:
        values = state["curve"][:, 1]
        since = len(values) - 1 - int(np.argmax(values))
        tired = (
            judge is not None and patience is not None and values.max() > 0 and since >= patience
        )
        return tired or len(state["members"]) >= most

    state = {
        **first.arrays(),
        "curve": np.array([[1.0, 0.0 if judge is None else judge(first.matrix)]]),
    }
    rounds = -(-(most - 1) // step_size)
    outcome = iterate(
        step, state, max_iter=rounds, tol=0.0, label=f"models/{mark}", settled=settled, quiet=True
    )
    return first.with_arrays(outcome.state), outcome.state["curve"]


def least_explained(pool: Pool, n: int) -> np.ndarray:
    """The members outside the pool that have the least likelihood under all its models together, the least first."""
    mass = np.asarray(logsumexp(pool.matrix, axis=0))
    mass[pool.members] = np.inf
    return np.argsort(mass, kind="stable")[:n]


def eigengap(distances: np.ndarray, n_groups: int | None, n_models: int) -> float:
    """The largest gap after n_groups eigenvalues over 14 kernel widths (of any number up to 20 if None).

    0 for a pool too small to be judged: fewer than three models per group, or than a third of the members.
    """
    n = len(distances)
    most = min(MOST, n_models // _PER_GROUP, n - 1) if n_groups is None else n_groups
    if most < 2 or most > n - 1 or n_models < min(max(_PER_GROUP * most, _SHARE * n), n):
        return 0.0
    _, _, gaps = largest_gap(
        spectra_of(Dense(distances, "distance"), most + 1, "eigengap"), most, n_groups
    )
    return float(gaps.max() if n_groups is None else gaps[-1]) if len(gaps) else 0.0


def sized(model: Model, bank: Bank) -> Model:
    """The same model with the number of states it chose, so that nothing is chosen again."""
    states = getattr(model, "n_states", 1)
    if isinstance(states, numbers.Integral):
        return model
    fixed: Model = clone(model).set_params(n_states=bank.n_states)
    return fixed


def _added(model: Model, view: Ragged, pool: Pool | None, members: np.ndarray) -> Pool:
    """The pool with the models of further members."""
    bank = model.fit_each(view, members)
    rows = likelihoods(bank, view)
    if pool is None:
        return Pool(members, bank, rows)
    return Pool(
        np.concatenate([pool.members, members]),
        joined([pool.bank, bank]),
        np.concatenate([pool.matrix, rows]),
    )

"""Shared axes: the components that several tables of the same members share beyond chance, as weights that place members."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.views import Views
from coterie.represent.pwca import PWCA

_BEYOND = 0.02  # consensus above that of one shuffle from which a component counts as shared by more than chance


@dataclass(frozen=True, eq=False)
class SharedAxes:
    """Per view the weights and offsets that put its members where the views agree, and how much they share.

    `shared` counts the components above views that are all shuffled, `everywhere` those lost when any one view is shuffled.
    """

    weights: Mapping[str, np.ndarray]
    offsets: Mapping[str, np.ndarray]
    consensus: np.ndarray
    chance: float
    shared: int
    everywhere: int

    @property
    def width(self) -> int:
        """How many components are kept: those that are shared, and at least two to be looked at."""
        return max(self.shared, min(2, len(self.consensus)))

    @classmethod
    def of(
        cls,
        tables: Mapping[str, Table],
        marks: Mapping[str, np.ndarray],
        *,
        n_components: int = 50,
        tau: float = 1.0,
        rank: int = 150,
        random_state: int | None = 0,
    ) -> SharedAxes:
        """Find them by pair-wise cluster analysis of members marked as seen in some view."""
        whole = all(mark.all() for mark in marks.values())
        method = PWCA(n_components=n_components, tau=tau, rank=rank, random_state=random_state)
        method.set_params(missing="drop" if whole else "mask")
        with warnings.catch_warnings():
            # what it would say is said by the caller, or is of a row of zeros
            warnings.filterwarnings("ignore", message="PWCA: ")
            known = np.flatnonzero(np.any(list(marks.values()), axis=0))
            method.fit(Views(tables, marks).take(known))
            consensus = np.asarray(method.consensus_)
            chance = _chance(method, tables, marks)
            found = cls({}, {}, consensus, chance, int((consensus > chance + _BEYOND).sum()), 0)
            kept = found.width
            return cls(
                {name: np.array(method.weights(name)[:, :kept]) for name in tables},
                {
                    name: method.transform_view(name, sp.csr_array((1, table.shape[1])))[0, :kept]
                    for name, table in tables.items()
                },
                consensus,
                chance,
                found.shared,
                int((consensus > float(method.chance_) + _BEYOND).sum()),
            )


def mean_of_views(places: Mapping[str, np.ndarray], marks: Mapping[str, np.ndarray]) -> np.ndarray:
    """Where members lie by the views that each is seen in: the mean over these; over all, where it is seen in none."""
    held = np.array([marks[name] for name in places], dtype=np.float64)
    held[:, held.sum(axis=0) == 0] = 1.0  # nothing is known, in no view more than in another
    parts = [mine[:, None] * rows for mine, rows in zip(held, places.values(), strict=True)]
    return np.asarray(np.sum(parts, axis=0) / held.sum(axis=0)[:, None])


def _chance(method: PWCA, tables: Mapping[str, Table], marks: Mapping[str, np.ndarray]) -> float:
    """The largest consensus of views that have nothing to do with each other: all but the first with their rows shuffled."""
    if len(tables) == 2:
        return float(method.chance_)
    rows = len(next(iter(tables.values())))
    orders = [
        np.arange(rows),
        *(stream(method.random_state, 13, at).permutation(rows) for at in range(1, len(tables))),
    ]
    apart = {
        name: table.take(order) for (name, table), order in zip(tables.items(), orders, strict=True)
    }
    moved = {name: mark[order] for (name, mark), order in zip(marks.items(), orders, strict=True)}
    known = np.flatnonzero(np.any(list(moved.values()), axis=0))
    alone = clone(method).set_params(n_components=1).fit(Views(apart, moved).take(known))
    return float(alone.consensus_[0])

"""Clusters of members by their components: the nearest center, the largest component, or the largest after a rotation.

Hardoon and Pelckmans take the largest component by size. Components are orthogonal and mix clusters, so k-means on the leading
ones is better, and a varimax rotation lies between the two (specification, section 4.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.workplace import steady
from coterie.parts.iterate import State, iterate
from coterie.parts.spectra import kmeans, nearest_center

METHODS = ("kmeans", "varimax", "argmax")
_ROUNDS = 500
_STILL = 1e-12


@dataclass(frozen=True, eq=False)
class Rule:
    """Which cluster rows of components belong to: by centers, else by the largest component after a turn."""

    width: int  # leading components looked at
    centers: np.ndarray | None = None
    turn: np.ndarray | None = None  # of the components brought to one length

    def labels(self, rows: np.ndarray) -> np.ndarray:
        leading = rows[:, : self.width]
        if self.centers is not None:
            return nearest_center(leading, self.centers)[0]
        with steady():
            return np.abs(leading if self.turn is None else leading @ self.turn).argmax(axis=1)


def rule(
    rows: np.ndarray,
    n_clusters: int | None,
    method: str,
    owner: str,
    *,
    centered: bool = True,
    random_state: Any = 0,
) -> Rule:
    """The rule learned from the fitted members: k clusters from k - 1 centered components, or from k others."""
    if method not in METHODS:
        raise ParameterError(
            f"method must be one of {', '.join(METHODS)}, and was {method!r}.", owner=owner
        )
    whole = isinstance(n_clusters, Integral) and not isinstance(n_clusters, bool)
    if n_clusters is not None and (not whole or n_clusters < 2):
        raise ParameterError(
            f"n_clusters must be a whole number of at least 2, and was {n_clusters!r}.", owner=owner
        )
    most = rows.shape[1]
    spare = int(centered)
    if method == "kmeans":
        count = most + spare if n_clusters is None else n_clusters
        width = max(min(count - spare, most), 1)
        return Rule(
            width, centers=kmeans(rows[:, :width], max(count, 2), random_state=random_state).centers
        )
    width = min(n_clusters or most, most)
    if method == "argmax":
        return Rule(width)
    sizes = np.maximum(np.linalg.norm(rows[:, :width], axis=0), 1e-300)
    return Rule(width, turn=varimax(rows[:, :width] / sizes) / sizes[:, None])


def varimax(rows: np.ndarray) -> np.ndarray:
    """The rotation of the columns after which their squares differ most from row to row (Kaiser 1958)."""

    def step(state: State) -> tuple[State, float]:
        turned = rows @ state["turn"]
        with steady():
            left, values, right = np.linalg.svd(
                rows.T @ (turned**3 - turned * np.mean(turned**2, axis=0))
            )
        return {"turn": left @ right}, float(values.sum())

    start = {"turn": np.eye(rows.shape[1])}
    return np.asarray(
        iterate(step, start, max_iter=_ROUNDS, tol=_STILL, label="varimax", quiet=True).state[
            "turn"
        ]
    )


def agreed(labels: Mapping[str, np.ndarray], owner: str) -> float:
    """The share of the members seen in two views or more that all of theirs put in the same cluster; -1 marks unseen."""
    found = np.stack(list(labels.values()))
    several = (found >= 0).sum(axis=0) >= 2
    if not several.any():
        raise ParameterError("agreement needs members seen in at least two views.", owner=owner)
    top = found.max(axis=0)
    return float(np.mean(np.all((found == top) | (found < 0), axis=0)[several]))

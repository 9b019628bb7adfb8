"""Further spaces of members that are grouped by their counts: rows, such as vectors of their words, that vote and place too.

Counts of a member are taken as drawn from the multinomial of its group, its rows of length one from a von Mises-Fisher
distribution of its group; members settle where both together are likeliest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.random import content_keys

_BACKGROUND = 0.3  # share of the background in the multinomial of a group
_ROUNDS = 6  # in which all members are placed at once
_STILL = 0.005  # share of the members below which a round that moves them is the last
_TRUST = 0.5  # share of the concentration that is taken
_NEARLY = 0.9999  # mean length of directions from which a group counts as a point


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Rows brought to length one; a row of zeros stays as it is."""
    rows = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def check_spaces(spaces: Sequence[np.ndarray], n: int, owner: str) -> tuple[np.ndarray, ...]:
    """Every space with rows of length one; refused where it is not a finite row for each member."""
    found = []
    for space in spaces:
        rows = np.asarray(space, dtype=np.float64)
        if rows.ndim != 2 or len(rows) != n:
            raise DataError(
                f"a space has the shape {rows.shape} where there are {n} members.", owner=owner
            )
        if not np.isfinite(rows).all():
            row = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
            raise DataError(f"row {row} of a space is not finite.", owner=owner)
        found.append(unit_rows(rows))
    return tuple(found)


def hold_anything(spaces: Sequence[np.ndarray], n: int) -> np.ndarray:
    """Which members are anything but zeros in some space."""
    found = np.zeros(n, dtype=bool)
    for space in spaces:
        found |= (space != 0).any(axis=1)
    return found


def order_with(keys: np.ndarray, spaces: Sequence[np.ndarray], seed: int) -> np.ndarray:
    """Positions in an order that depends on what members hold in all spaces."""
    for space in spaces:
        keys = keys + content_keys(space, seed)
    return np.argsort(keys, kind="stable")


def center(space: np.ndarray) -> np.ndarray:
    """Rows of length one with their mean taken out, at length one again; rows of zeros stay as they are."""
    return _without(space, space.mean(axis=0))


def _without(space: np.ndarray, middle: np.ndarray) -> np.ndarray:
    held = (space != 0).any(axis=1, keepdims=True)
    return unit_rows(np.where(held, space - middle, 0.0))


@dataclass(frozen=True, eq=False)
class Directions:
    """The groups as directions of a space: von Mises-Fisher distributions of one concentration.

    With r the mean over the members of the length of the mean vector of their group and d the dimension, the concentration is
    r (d - r^2) / (1 - r^2) (Banerjee and others 2005), of which half is taken: the numbers of a vector depend on each other, and
    all of it lets vectors outvote counts. The log-likelihood of a row x of length one is, up to a constant, the concentration
    times the cosine of x with the direction of the group.
    """

    middle: np.ndarray
    centers: np.ndarray = field(repr=False)  # groups x dimensions, of length one
    concentration: float

    @classmethod
    def of(cls, space: np.ndarray, labels: np.ndarray, k: int) -> Self:
        """From rows of length one and their groups."""
        middle = space.mean(axis=0)
        rows = _without(space, middle)
        sums = np.zeros((k, rows.shape[1]))
        np.add.at(sums, labels, rows)
        r = min(float(np.linalg.norm(sums, axis=1).sum() / max(len(rows), 1)), _NEARLY)
        return cls(middle, unit_rows(sums), _TRUST * r * (rows.shape[1] - r**2) / (1 - r**2))

    def log_likelihood(self, space: np.ndarray) -> np.ndarray:
        """Rows x groups, up to a constant of each row; zeros where a row holds nothing."""
        return self.concentration * (_without(space, self.middle) @ self.centers.T)


@dataclass(frozen=True, eq=False)
class Multinomials:
    """The groups as multinomials of their counts, mixed with that of all members (Jelinek and Mercer 1980).

    A column w has the probability 0.7 n(w, g) / n(g) + 0.3 n(w) / n in the group g.
    """

    cells: np.ndarray  # columns x groups

    @classmethod
    def of(cls, counts: Any, labels: np.ndarray, k: int) -> Self:
        """From the counts of members and their groups."""
        n = counts.shape[0]
        groups = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
        return cls((groups @ counts).toarray().T)

    def log_likelihood(self, counts: Any, labels: np.ndarray | None = None) -> np.ndarray:
        """Rows x groups; of members whose own group is given, that group without them."""
        sums = self.cells.sum(axis=0)
        background = self.cells.sum(axis=1) / max(sums.sum(), 1e-300)
        shares = self._mixed(self.cells, sums, background[:, None])
        fit = np.asarray(counts @ np.log(shares))
        if labels is None:
            return fit
        n = counts.shape[0]
        row = np.repeat(np.arange(n), np.diff(counts.indptr))
        column = counts.indices
        rest = np.maximum(self.cells[column, labels[row]] - counts.data, 0.0)
        total = sums[labels] - np.asarray(counts.sum(axis=1)).ravel()
        own = np.log(self._mixed(rest, total[row], background[column]))
        fit[np.arange(n), labels] = np.bincount(row, counts.data * own, minlength=n)
        return fit

    def _mixed(self, cells: np.ndarray, sums: np.ndarray, background: np.ndarray) -> np.ndarray:
        shares = np.divide(cells, sums, out=np.zeros_like(cells), where=sums > 1e-9)
        return np.maximum((1 - _BACKGROUND) * shares + _BACKGROUND * background, 1e-300)


def settle(counts: Any, spaces: Sequence[np.ndarray], labels: np.ndarray, k: int) -> np.ndarray:
    """Members where their counts and rows together are likeliest, until few move; a group that is left stays empty."""
    for _ in range(_ROUNDS):
        fit = Multinomials.of(counts, labels, k).log_likelihood(counts, labels)
        for space in spaces:
            fit += Directions.of(space, labels, k).log_likelihood(space)
        fit[:, np.bincount(labels, minlength=k) == 0] = -np.inf
        moved = fit.argmax(axis=1)
        share = float((moved != labels).mean())
        labels = moved
        if share <= _STILL:
            break
    return labels


def place(
    counts: Any, spaces: Sequence[np.ndarray], known: np.ndarray, labels: np.ndarray, k: int
) -> np.ndarray:
    """The groups of all members, of which those at the positions `known` have labels."""
    fit = Multinomials.of(counts[known], labels, k).log_likelihood(counts)
    for space in spaces:
        fit += Directions.of(space[known], labels, k).log_likelihood(space)
    fit[:, np.bincount(labels, minlength=k) == 0] = -np.inf
    return np.asarray(fit.argmax(axis=1))

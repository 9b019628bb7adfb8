"""Cells: members that several partitions always keep together, the chance that two cells belong together, and their groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.hints import Hints
from coterie.core.random import stream
from coterie.organize.comraf.inference import settled
from coterie.parts.moves import Counts, Rows

_MOST = 400  # cells that are looked at, the largest
_TENTH = 10  # a cell counts from this part of the mean size of a group
_SWEEPS = 30  # of the consensus
_PRIOR = 0.02  # runs that are supposed to have put two cells together, and as many that have not


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The large cells: where every member is (-1: in none), who is in each (the surest first), sizes, groups, chances."""

    of: np.ndarray
    members: tuple[np.ndarray, ...]
    sizes: np.ndarray
    groups: np.ndarray  # the group most members of each cell are in
    runs: np.ndarray  # cells x cells: partitions that put both into one group
    chance: np.ndarray  # cells x cells: that they belong together

    def __len__(self) -> int:
        return len(self.sizes)


def cells_of(
    partitions: np.ndarray,
    groups: np.ndarray,
    coarser: np.ndarray | None = None,
    confidence: np.ndarray | None = None,
) -> Cells:
    """The cells of partitions (runs x members; -1: in no group), and the groups that their members are in so far.

    The chance that two cells belong together is the square of the share of partitions that put them together: what runs that
    split them at least once agree on is true less often than that share says. `coarser` partitions (fewer groups) count there,
    and make no cells. The first of a cell is the one to stand for it: the surest, or the one in the middle.
    """
    inside = np.flatnonzero((partitions >= 0).all(axis=0))
    of = np.full(partitions.shape[1], -1, dtype=np.int64)
    n = partitions.shape[1]
    _, first, cell = np.unique(
        partitions[:, inside], axis=1, return_index=True, return_inverse=True
    )
    cell = cell.ravel()
    sizes = np.bincount(cell, minlength=len(first))
    least = max(1, n // (_TENTH * max(int(groups.max(initial=0)) + 1, 1)))
    order = np.lexsort((first, -sizes))[:_MOST]
    order = order[sizes[order] >= least]
    rank = np.full(len(first), -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    of[inside] = rank[cell]
    sure = (
        np.zeros(n)
        if confidence is None
        else np.nan_to_num(np.asarray(confidence, dtype=np.float64))
    )
    members = tuple(
        _surest(np.flatnonzero(of == c), sure, confidence is None) for c in range(len(order))
    )
    seen = (
        partitions if coarser is None or not len(coarser) else np.concatenate([partitions, coarser])
    )
    marks = seen[:, [int(some[0]) for some in members]]
    runs = sum(
        ((row[:, None] == row[None, :]) & (row >= 0)[:, None]).astype(np.int64) for row in marks
    )
    together = np.asarray(runs, dtype=np.int64).reshape(len(order), len(order))
    chance = (together**2 / len(seen) + _PRIOR) / (len(seen) + 2 * _PRIOR)
    base = np.array(
        [int(np.bincount(groups[some] + 1).argmax()) - 1 for some in members], dtype=np.int64
    )
    return Cells(of, members, sizes[order], base, together, chance)


def _surest(members: np.ndarray, sure: np.ndarray, blind: bool) -> np.ndarray:
    """The members in the order in which they stand for all; from the middle where nothing is known of them."""
    order = (
        np.roll(members, -(len(members) // 2))
        if blind
        else members[np.argsort(-sure[members], kind="stable")]
    )
    return np.asarray(order)


def agreed_groups(partitions: np.ndarray) -> np.ndarray:
    """The groups that keep most information on those of all partitions: from those of each, members move until nobody does."""
    import scipy.sparse as sp

    if len(partitions) == 1:
        return np.asarray(partitions[0])
    tables = []
    sizes = [int(row.max(initial=0)) + 1 for row in partitions]
    for row, size in zip(partitions, sizes, strict=True):
        inside = np.flatnonzero(row >= 0)
        ones = np.ones(len(inside), dtype=np.int64)
        tables.append(
            Counts.of(sp.csr_array((ones, (inside, row[inside])), shape=(len(row), size)))
        )
    rows = Rows.of(tables, [None] * len(tables), sizes, [1.0] * len(tables))
    best: tuple[float, np.ndarray] | None = None
    for at, (row, size) in enumerate(zip(partitions, sizes, strict=True)):
        found, history = settled(rows, row, size, stream(0, 1 << 24, at), _SWEEPS, "consensus")
        if best is None or history[-1] > best[0]:
            best = history[-1], found
    return np.asarray(partitions[0] if best is None else best[1])


@dataclass(frozen=True, slots=True, eq=False)
class Regrouped:
    """Cells after answers: the part each is in, which parts are apart, and the group of every cell."""

    part: np.ndarray
    apart: np.ndarray  # parts x parts
    weight: np.ndarray  # members of every part
    groups: np.ndarray


def regrouped(
    cells: Cells, together: Sequence[tuple[float, int, int]], apart: Sequence[tuple[int, int]]
) -> Regrouped:
    """Cells that answers put together are one part, unless others keep them apart; a part is in the group of most of it.

    `together` are pairs of cells with how likely each is; the likeliest come first. Of two parts that are apart in one group
    the smaller gets a group of its own.
    """
    name = np.arange(len(cells))
    far = np.zeros((len(cells), len(cells)), dtype=bool)
    for one, other in apart:
        far[one, other] = far[other, one] = True
    for _, one, other in sorted(together, key=lambda link: (-link[0], link[1], link[2])):
        a = name[one]
        b = name[other]
        if a != b and not far[a, b]:
            name[name == b] = a
            far[a] |= far[b]
            far[:, a] |= far[:, b]
    part = np.unique(name, return_inverse=True)[1]
    count = int(part.max(initial=-1)) + 1
    split = np.zeros((count, count), dtype=bool)
    for one, other in apart:
        split[part[one], part[other]] = split[part[other], part[one]] = part[one] != part[other]
    weight = np.bincount(part, weights=cells.sizes, minlength=count)
    groups, free = np.full(count, -1, dtype=np.int64), int(cells.groups.max(initial=-1)) + 1
    for at in np.argsort(-weight, kind="stable"):
        inside = np.flatnonzero((part == at) & (cells.groups >= 0))
        votes = np.bincount(cells.groups[inside], weights=cells.sizes[inside])
        taken = set(groups[split[at]].tolist())
        wanted = [
            int(g)
            for g in np.argsort(-votes, kind="stable")
            if votes[g] > 0 and int(g) not in taken
        ]
        groups[at] = wanted[0] if wanted else free
        free += not wanted
    return Regrouped(part, split, weight, groups[part])


def united_groups(
    groups: np.ndarray,
    cells: Cells,
    belief: np.ndarray,
    apart: Sequence[tuple[int, int]],
    n_groups: int,
) -> np.ndarray:
    """Groups united one pair at a time, those whose cells most likely belong together first; members apart never."""
    if n_groups < 1:
        raise ParameterError(f"n_groups must be from 1, and was {n_groups}.", owner="Questions")
    first = np.array([int(some[0]) for some in cells.members], dtype=np.int64)
    inside = np.flatnonzero(groups[first] >= 0)
    while len(names := np.unique(groups[groups >= 0])) > n_groups:
        held = np.zeros((len(names), len(cells)))
        held[np.searchsorted(names, groups[first[inside]]), inside] = cells.sizes[inside]
        mass = held.sum(axis=1)
        alike = held @ belief @ held.T / np.maximum(np.outer(mass, mass), 1.0)
        np.fill_diagonal(alike, -1.0)
        for one, other in apart:
            if min(groups[one], groups[other]) >= 0:
                a, b = np.searchsorted(names, groups[[one, other]])
                alike[a, b] = alike[b, a] = -1.0
        a, b = divmod(int(alike.argmax()), len(names))
        if alike[a, b] < 0:
            raise DataError(
                f"members that belong apart cannot be kept apart in {n_groups} groups.",
                owner="Questions",
            )
        groups = np.where(groups == names[b], names[a], groups)
    return groups


def kept_to(
    groups: np.ndarray, pairs: Hints, cells: Cells, belief: np.ndarray, most: int | None = None
) -> np.ndarray:
    """Groups that keep these pairs: who belongs together is where most of them are, and who belongs apart leaves.

    It leaves for the group its cell most likely belongs to; without `most`, which is how many groups there may be, for one of its
    own.
    """
    found = groups.copy()
    chunks = pairs.chunks()
    for chunk in np.unique(chunks[pairs.together.ravel()]):
        inside = np.flatnonzero(chunks == chunk)
        votes = np.bincount(found[inside][found[inside] >= 0])
        if len(votes):
            found[inside] = int(votes.argmax())
    for one, other in pairs.apart.tolist():
        if found[one] != found[other] or found[one] < 0:
            continue
        leaving = min((np.flatnonzero(chunks == chunks[at]) for at in (other, one)), key=len)
        ends = pairs.apart[np.isin(pairs.apart, leaving).any(axis=1)]
        taken = set(found[np.setdiff1d(ends, leaving)].tolist())
        free = int(found.max()) + 1
        there = np.unique(found[found >= 0])
        rest = [int(group) for group in there if int(group) not in taken]
        if most is None or not rest:
            if most is not None and len(there) >= most:
                raise DataError(
                    f"members that belong apart cannot be kept apart in {most} groups.",
                    owner="Questions",
                )
            found[leaving] = free
            continue
        cell = int(cells.of[leaving[0]])
        found[leaving] = (
            rest[0]
            if cell < 0
            else max(rest, key=lambda group: _near(cells, belief[cell], found, group))
        )
    return found


def _near(cells: Cells, belief: np.ndarray, groups: np.ndarray, group: int) -> float:
    """How likely a cell belongs to a group, by the cells of that group."""
    own = [c for c, some in enumerate(cells.members) if groups[some[0]] == group]
    return float(np.average(belief[own], weights=cells.sizes[own])) if own else 0.0


def checked(partitions: object, owner: str) -> np.ndarray:
    """Partitions as whole numbers, runs x members, or a sentence."""
    try:
        found = np.asarray(partitions)
        with np.errstate(invalid="ignore"):
            whole = found.astype(np.int64)
    except (ValueError, TypeError):
        raise DataError(
            "partitions must be runs x members, one whole number each.", owner=owner
        ) from None
    if found.ndim != 2 or not found.size or (whole != found).any() or whole.min() < -1:
        shape = " x ".join(map(str, found.shape)) or "a single value"
        raise DataError(
            f"partitions must be runs x members, whole numbers from -1, and were {shape}.",
            owner=owner,
        )
    return whole

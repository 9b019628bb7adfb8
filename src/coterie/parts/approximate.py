"""The nearest members of many without all pairs: random partitions give first neighbors, their neighbors better ones.

Several trees cut the members by planes between two drawn members into leaves, and all pairs inside a leaf are measured. Then, in
rounds, the neighbors of a member (and those it is a neighbor of) are measured with each other, if at least one of them is new
there. A round reads the lists of the round before only, and what it finds is taken in one order: the same bits on any number of
workers. The members of a group are measured together, so that most of the work is done in the nearest memory.

How many of the true neighbors a search found is measured on a sample of members whose rows are computed in full.
"""

from __future__ import annotations

import math
import warnings
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from coterie.core.affinity import Lazy, band_rows, cut, pick, smallest
from coterie.core.random import stream
from coterie.core.workplace import fits, watched, workplace
from coterie.parts.near_rows import NearRows
from coterie.parts.workers import in_order

FEW = 1024  # so many members are looked up one by one
LEAF = 64  # members of a leaf at most
_TREES = 8  # partitions
_WIDTH = 24  # places of a list at least
_MORE = 10  # places beyond the k asked for
_CHOSEN = 16  # neighbors taken each way in a round, new ones and old ones
_ROUNDS = 12  # at most
_LITTLE = 0.01  # a round that changes less than this share of the places is the last
_LEAVES = 64  # leaves of a task
_GROUPS = 256  # groups of a task
_BLOCK = 32768  # groups whose offers are held at once; a constant, since later groups see what earlier ones found
_BAND = 4096  # rows of a task of exact values
_BESIDE = 40  # bytes of a member beside its lists
_OFFERED = 4096  # bytes of the offers of a group, at an effort of 1; they grow with it
_SHORT = 256  # members looked up one by one after a search, at most
_POOR = 0.9  # a recall below this is said aloud
SAMPLE = 200  # members looked up
_COLS = 16384  # columns of a tile
_TIE = 1e-7  # values that differ by no more than this share are tied: a tile and a search sum in different orders
_ROUNDING = 1e-12  # and such that differ by this share of the largest value among the sample: near zero, rounding is all


class Lists:
    """The nearest found so far of every member: positions, keys and what is new, as fixed arrays."""

    def __init__(self, n: int, width: int) -> None:
        self.near = np.full((n, width), -1, dtype=np.int32)
        self.keys = np.full((n, width), np.inf, dtype=np.float32)
        self.fresh = np.zeros((n, width), dtype=np.uint8)

    @property
    def shape(self) -> tuple[int, int]:
        return self.near.shape[0], self.near.shape[1]


def searched(
    affinity: Any, k: int, effort: float = 1.0, label: str = "neighbors"
) -> tuple[np.ndarray, np.ndarray, float]:
    """Positions and values of about the k nearest of every member, and the recall measured on a sample.

    Few members are looked up one by one, and so are members of which a search found fewer than k, if these are few.
    """
    n = affinity.n
    if n <= FEW or 4 * k > n:
        return *looked_up(affinity, np.arange(n), k, label), 1.0
    rows: NearRows = affinity.search()
    index, value = near(rows, k, similar=affinity.kind == "similarity", effort=effort, label=label)
    short = np.flatnonzero(np.isnan(value[:, -1]))[:_SHORT]
    if len(short):
        index[short], value[short] = looked_up(affinity, short, k, "")
    recall = recall_of(affinity, index, value)
    if recall < _POOR:
        warnings.warn(
            f"About {recall:.0%} of the {k} nearest were found, as measured on a sample; effort={2 * effort:g} finds more of "
            "them, and approximate=False all.",
            UserWarning,
            stacklevel=3,
        )
    return index, value, recall


def near(
    rows: NearRows, k: int, *, similar: bool, effort: float = 1.0, label: str = "neighbors"
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and exact values of about the k nearest of every member, nearest first, ties to the lower position.

    Where fewer were found the last places are -1 and NaN.
    """
    trees = max(1, math.ceil(_TREES * effort))
    most = max(4, math.ceil(_CHOSEN * math.sqrt(effort)))
    width = min(max(k, math.ceil(max(_WIDTH, k + _MORE) * math.sqrt(effort))), rows.n - 1)
    each = 9 * width + 24 * most + 4 * trees + 16 * k + _BESIDE
    offered = min(rows.n, _BLOCK) * _OFFERED * max(1.0, effort)
    fits(
        rows.n * each + offered,
        f"A search among {rows.n:,} members",
        "take fewer members or less effort",
    )
    lists = Lists(rows.n, width)
    with watched(workplace().watch, label, trees + _ROUNDS + 1) as task:
        partitions = list(in_order(partial(partition, rows, LEAF), list(range(trees)), ""))
        for order, nodes in partitions:
            _join(rows, order, nodes, lists)
            task.advance()
        for turn in range(_ROUNDS):
            changed = _round(rows, lists, partitions[0][0], most, turn)
            task.advance()
            if changed < _LITTLE * rows.n * width:
                task.advance(_ROUNDS - 1 - turn)
                break
        found = _measured(rows, lists, min(k, width), similar)
        task.advance()
    return found


def partition(rows: NearRows, leaf: int, tree: int) -> tuple[np.ndarray, np.ndarray]:
    """Members in the order of the leaves of one tree, and where its leaves begin; all nodes of a level are cut at once."""
    from coterie._kernels.candidates import pivots, split

    n = rows.n
    order = np.arange(n, dtype=np.int32)
    into = np.empty(n, dtype=np.int32)
    nodes = np.array([0, n])
    margins = np.empty(n, dtype=np.float32)
    deep = (
        3 * math.ceil(math.log2(n / leaf + 1)) + 10
    )  # from here on nodes are cut by drawn numbers
    level = 0
    while np.diff(nodes).max(initial=0) > leaf:
        drawn = np.empty((len(nodes) - 1, 2), dtype=np.int32)
        pivots(order, nodes, leaf, 1009 * tree + level, drawn)
        rows.margins(order, nodes, drawn, margins)
        nodes = split(order, nodes, margins, leaf, level, deep, tree, into)
        order, into = into, order
        level += 1
    return order, nodes


def _join(rows: NearRows, order: np.ndarray, nodes: np.ndarray, lists: Lists) -> None:
    """Measure all pairs inside every leaf; leaves lie apart, so that workers write different rows of the lists."""
    from coterie._kernels.candidates import join_leaves

    def work(first: int) -> None:
        members, sizes = leaves(order, nodes[first : first + _LEAVES + 1])
        keys = np.empty((len(sizes), members.shape[1], members.shape[1]), dtype=np.float32)
        rows.measure(members, sizes, sizes, keys)
        join_leaves(members, sizes, keys, lists.near, lists.keys, lists.fresh)

    for _ in in_order(work, list(range(0, len(nodes) - 1, _LEAVES)), ""):
        pass


def leaves(order: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some leaves as rows of members, filled up with -1, and their sizes."""
    sizes = np.diff(nodes).astype(np.int32)
    members = np.full((len(sizes), int(sizes.max())), -1, dtype=np.int32)
    members[np.arange(members.shape[1]) < sizes[:, None]] = order[nodes[0] : nodes[-1]]
    return members, sizes


def _round(rows: NearRows, lists: Lists, order: np.ndarray, most: int, turn: int) -> int:
    """Measure neighbors of neighbors; gives how many places of the lists changed.

    Groups go by `order`, in which near members are mostly near, so that the rows they share are still in the cache.
    """
    from coterie._kernels.candidates import gathered, offers, take

    around = _around(lists, most, turn)
    worst = lists.keys[:, -1].copy()

    def offered(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        members = np.empty((len(at), 4 * most), dtype=np.int32)
        sizes = np.empty(len(at), dtype=np.int32)
        n_new = np.empty(len(at), dtype=np.int32)
        new, old, new_back, old_back = around
        gathered(at, new, old, new_back, old_back, members, sizes, n_new)
        keys = np.empty((len(at), int(n_new.max()), int(sizes.max())), dtype=np.float32)
        rows.measure(members, sizes, n_new, keys)
        return offers(members, sizes, n_new, keys, worst)

    def taken(found: list[tuple[np.ndarray, np.ndarray]], of: tuple[int, int]) -> int:
        arrays = lists.near, lists.keys, lists.fresh, worst
        return sum(take(pairs, keys, of[0], of[1], *arrays) for pairs, keys in found)

    changed = 0
    for first in range(0, rows.n, _BLOCK):
        block = order[first : first + _BLOCK]
        found = list(
            in_order(offered, [block[a : a + _GROUPS] for a in range(0, len(block), _GROUPS)], "")
        )
        changed += sum(in_order(partial(taken, found), _shares(rows.n), ""))
    return changed


def _around(
    lists: Lists, most: int, turn: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The neighbors every member chose and those that chose it: new, old, and the same backwards."""
    from coterie._kernels.candidates import chosen, reversed_of

    n = lists.shape[0]
    new, old, new_back, old_back = (np.empty((n, most), dtype=np.int32) for _ in range(4))

    def forward(of: tuple[int, int]) -> None:
        chosen(lists.near, lists.fresh, of[0], of[1], new, old)

    def backward(of: tuple[int, int]) -> None:
        reversed_of(new, of[0], of[1], 2 * turn, new_back)
        reversed_of(old, of[0], of[1], 2 * turn + 1, old_back)

    for work in (forward, backward):
        for _ in in_order(work, _shares(n), ""):
            pass
    return new, old, new_back, old_back


def _shares(n: int) -> list[tuple[int, int]]:
    """The members in as many parts as there are workers: every part is a worker's own, so their number changes nothing."""
    edges = np.linspace(0, n, workplace().workers + 1).astype(int).tolist()
    return list(pairwise(edges))


def _measured(rows: NearRows, lists: Lists, k: int, similar: bool) -> tuple[np.ndarray, np.ndarray]:
    """The lists with exact values, in their order, cut to k."""
    n, width = lists.shape
    index = np.empty((n, k), dtype=np.int64)
    value = np.empty((n, k))

    def work(first: int) -> None:
        here = slice(first, min(first + _BAND, n))
        near = lists.near[here]
        values = np.empty((here.stop - first, width))
        rows.values(near, first, values)
        order = np.lexsort(
            (near, np.where(np.isnan(values), np.inf, -values if similar else values)), axis=1
        )[:, :k]
        index[here] = np.take_along_axis(near, order, axis=1)
        value[here] = np.take_along_axis(values, order, axis=1)

    for _ in in_order(work, list(range(0, n, _BAND)), ""):
        pass
    return index, value


def recall_of(affinity: Lazy, index: np.ndarray, value: np.ndarray) -> float:
    """The share of the k nearest of a fixed sample of members that are listed; a listed one that is tied with the last counts.

    Pairs that were never compared (NaN) count on neither side; without any neighbor to find the recall is one.
    """
    n, k = value.shape
    chosen = (
        np.arange(n)
        if n <= SAMPLE
        else np.sort(stream(0, n, k).choice(n, size=SAMPLE, replace=False))
    )
    _, true = looked_up(affinity, chosen, k)
    toward = -1.0 if affinity.kind == "similarity" else 1.0
    there = ~np.isnan(true)
    last = np.where(there, toward * true, -np.inf).max(axis=1, initial=-np.inf)
    found = ~np.isnan(value[chosen])
    among = np.asarray(
        affinity.tile(pick(affinity.rows, chosen), pick(affinity.cols, chosen)), dtype=np.float64
    )
    little = _ROUNDING * np.abs(among[np.isfinite(among)]).max(initial=0.0)
    near = (
        np.where(found, toward * value[chosen], np.inf)
        <= (last + _TIE * np.abs(last) + little)[:, None]
    )
    wanted = int(there.sum())
    return float(np.minimum(near.sum(axis=1), there.sum(axis=1)).sum() / wanted) if wanted else 1.0


def looked_up(
    affinity: Lazy, chosen: np.ndarray, k: int, label: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and values of the k nearest of these members, exact, ties to the lower position; NaN for what is none."""
    n = affinity.n
    index = np.empty((len(chosen), k), dtype=np.int64)
    value = np.empty((len(chosen), k))
    high = band_rows(n)

    def work(first: int) -> tuple[int, np.ndarray, np.ndarray]:
        some = chosen[first : first + high]
        rows = pick(affinity.rows, some)
        values = np.empty((len(some), n))
        for start in range(0, n, _COLS):
            here = slice(start, min(start + _COLS, n))
            values[:, here] = affinity.tile(rows, cut(affinity.cols, here))
        values[np.arange(len(some)), some] = np.nan
        keys = -values if affinity.kind == "similarity" else values
        near = smallest(np.where(np.isnan(keys), np.inf, keys), k)
        return first, near, np.take_along_axis(values, near, axis=1)

    for first, near, values in in_order(
        work, list(range(0, len(chosen), high)), label, travels=True
    ):
        index[first : first + high] = near
        value[first : first + high] = values
    return index, value

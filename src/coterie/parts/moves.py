"""Moves: the elements of one population among their clusters, by the exact change of a sum of mutual informations.

Bonds say what clustered elements owe each other: equal tags attract, others repel, and pairs belong together or apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from coterie.core.workplace import workplace
from coterie.parts.contingency import Counts, log_table, phi
from coterie.parts.workers import in_order


@dataclass(frozen=True, slots=True, eq=False)
class Bonds:
    """Tags and pairs of n elements; a bond that is kept adds its weight to the objective, minus infinity is never to be broken.

    Two elements of one tag in one cluster add `pull[0]`, two of different tags take away `pull[1]`. The pairs of element x are
    `bound[x]` to `bound[x + 1]`: its mate, and what the two add where they are in one cluster (below 0: they belong apart).
    """

    tags: np.ndarray
    n_tags: int
    pull: np.ndarray
    bound: np.ndarray
    mates: np.ndarray
    ties: np.ndarray

    @classmethod
    def of(
        cls,
        n: int,
        tags: np.ndarray | None = None,
        pull: tuple[float, float] = (0.0, 0.0),
        pairs: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> Bonds:
        """From a tag per element (-1: none), and pairs of positions with what each adds where the two are together."""
        own = np.full(n, -1, dtype=np.int64) if tags is None else np.asarray(tags, dtype=np.int64)
        some = (
            np.zeros((0, 2), dtype=np.int64)
            if pairs is None
            else np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        )
        much = np.zeros(0) if weights is None else np.asarray(weights, dtype=np.float64)
        some, much = (
            some[some[:, 0] != some[:, 1]],
            much[some[:, 0] != some[:, 1]],
        )  # who is one already owes itself nothing
        both = np.concatenate([some, some[:, ::-1]])
        twice = np.concatenate([much, much])
        order = np.argsort(both[:, 0], kind="stable")
        bound = np.concatenate([[0], np.cumsum(np.bincount(both[:, 0], minlength=n))]).astype(
            np.int64
        )
        return cls(
            own,
            int(own.max(initial=-1)) + 1,
            np.array(pull, dtype=np.float64),
            bound,
            both[order, 1],
            twice[order],
        )

    def __bool__(self) -> bool:
        return bool(self.n_tags or len(self.mates))

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def touched(self) -> np.ndarray:
        """Positions of the elements that have any bond."""
        return np.flatnonzero((self.tags >= 0) | (np.diff(self.bound) > 0))

    def laws(self) -> np.ndarray:
        """Pairs of elements that must never share a cluster, each once."""
        rows = np.repeat(np.arange(len(self)), np.diff(self.bound))
        firm = np.isneginf(self.ties) & (rows < self.mates)
        pairs = [np.stack([rows[firm], self.mates[firm]], axis=1)]
        if np.isposinf(self.pull[1]):
            tagged = np.flatnonzero(self.tags >= 0)
            one, other = np.triu_indices(len(tagged), 1)
            unlike = self.tags[tagged[one]] != self.tags[tagged[other]]
            pairs.append(np.stack([tagged[one[unlike]], tagged[other[unlike]]], axis=1))
        return np.concatenate(pairs)

    def held(self, labels: np.ndarray, k: int) -> np.ndarray:
        """How many of each tag every cluster holds, and of any tag in a last column."""
        found: np.ndarray = np.zeros((k, self.n_tags + 1), dtype=np.int64)
        inside = np.flatnonzero((self.tags >= 0) & (labels >= 0))
        np.add.at(found, (labels[inside], self.tags[inside]), 1)
        found[:, -1] = found[:, :-1].sum(axis=1)
        return found

    def among(self, labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The pairs of elements as pairs of clusters: their bounds, the other cluster, the weight."""
        rows = np.repeat(np.arange(len(self)), np.diff(self.bound))
        one = labels[rows]
        other = labels[self.mates]
        inside = np.flatnonzero((one >= 0) & (other >= 0) & (one != other))
        order = inside[np.argsort(one[inside], kind="stable")]
        bound = np.concatenate([[0], np.cumsum(np.bincount(one[inside], minlength=k))]).astype(
            np.int64
        )
        return bound, other[order], self.ties[order]

    def owed(self, labels: np.ndarray, k: int) -> np.ndarray:
        """Clusters x clusters: what a union of two would add; minus infinity where it would break a law."""
        found = np.zeros((k, k))
        if self.n_tags:
            held = self.held(labels, k)
            same = held[:, :-1] @ held[:, :-1].T
            unlike = np.outer(held[:, -1], held[:, -1]) - same
            found += self.pull[0] * same
            found[unlike > 0] -= self.pull[1] * unlike[unlike > 0]
        bound, others, ties = self.among(labels, k)
        np.add.at(found, (np.repeat(np.arange(k), np.diff(bound)), others), ties)
        return found

    def value(self, labels: np.ndarray, k: int) -> float:
        """What all bonds add with these clusters; minus infinity where a law is broken."""
        total = 0.0
        if self.n_tags:
            held = self.held(labels, k)[:, :-1].astype(np.float64)
            same = float((held * (held - 1)).sum() / 2)
            size = held.sum(axis=1)
            unlike = float((size * size - (held * held).sum(axis=1)).sum() / 2)
            total += self.pull[0] * same - (self.pull[1] * unlike if unlike else 0.0)
        rows = np.repeat(np.arange(len(self)), np.diff(self.bound))
        joined = (labels[rows] == labels[self.mates]) & (labels[rows] >= 0)
        return total + float(self.ties[joined].sum() / 2)

    def take(self, chosen: np.ndarray) -> Bonds:
        """The bonds among the elements at these positions."""
        place = np.full(len(self), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        rows = np.repeat(np.arange(len(self)), np.diff(self.bound))
        kept = np.flatnonzero((place[rows] >= 0) & (place[self.mates] >= 0) & (rows < self.mates))
        pairs = np.stack([place[rows[kept]], place[self.mates[kept]]], axis=1)
        found = Bonds.of(len(chosen), self.tags[chosen], (0.0, 0.0), pairs, self.ties[kept])
        return replace(found, pull=self.pull, n_tags=self.n_tags)

    def arrays(self) -> tuple[Any, ...]:
        """Bounds, mates and weights of the pairs, as kernels take them."""
        return self.bound, self.mates, self.ties


_TRIED = 1 << 18  # trials drawn at once
_SHARD = (
    2**22
)  # gains looked at together when moves are proposed; a constant, so that results never depend on the workplace
_SLACK = 1e-12  # a gain below this share of the objective is none


@lru_cache(maxsize=2)
def _tables(size: int) -> tuple[np.ndarray, np.ndarray]:
    return log_table(size)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The elements of one population: their rows stacked over its edges, the columns summed by the clusters of the neighbors."""

    ptr: np.ndarray
    cols: np.ndarray
    vals: np.ndarray
    starts: np.ndarray  # first column of every edge, and one more
    weights: np.ndarray  # beta / N of every edge
    totals: np.ndarray  # N of every edge
    column_sums: np.ndarray

    @classmethod
    def of(
        cls,
        edges: Sequence[Counts],
        groups: Sequence[np.ndarray | None],
        sizes: Sequence[int],
        betas: Sequence[float],
    ) -> Rows:
        """From one table per edge and the clusters of its columns (None: each column by itself)."""
        from coterie._kernels.moves import distinct, gather

        n = len(edges[0])
        m = len(edges)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        labels = [
            np.arange(e.width, dtype=np.int64) if g is None else g
            for e, g in zip(edges, groups, strict=True)
        ]
        ptr = np.zeros(n * m + 1, dtype=np.int64)
        for at, (edge, label, size) in enumerate(zip(edges, labels, sizes, strict=True)):
            distinct(edge.ptr, edge.idx, label, size, m, at, ptr)
        ptr = np.cumsum(ptr)
        cols = np.empty(ptr[-1], dtype=np.int32)
        vals = np.empty(ptr[-1], dtype=np.result_type(*(edge.val.dtype for edge in edges)))
        for at, (edge, label, size) in enumerate(zip(edges, labels, sizes, strict=True)):
            gather(edge.ptr, edge.idx, edge.val, label, size, m, at, starts[at], ptr, cols, vals)
        sums = np.bincount(cols, weights=vals, minlength=int(starts[-1])).astype(np.float64)
        totals = np.array([sums[lo:hi].sum() for lo, hi in pairwise(starts)])
        return cls(
            ptr, cols, vals, starts, np.asarray(betas) / np.maximum(totals, 1e-300), totals, sums
        )

    @property
    def n_edges(self) -> int:
        return len(self.weights)

    def __len__(self) -> int:
        return (len(self.ptr) - 1) // self.n_edges

    @property
    def empty(self) -> np.ndarray:
        """Which elements meet nothing on any edge."""
        return self.ptr[:: self.n_edges][1:] == self.ptr[:: self.n_edges][:-1]


class Clusters:
    """Elements in their clusters with the tables that make every change of the objective cheap; changed in place."""

    def __init__(self, rows: Rows, labels: np.ndarray, k: int, bonds: Bonds | None = None) -> None:
        from coterie._kernels.moves import fill

        self.rows = rows
        self.k = k
        self.bonds = Bonds.of(len(labels)) if bonds is None else bonds
        self.labels = np.array(labels, dtype=np.int64)
        whole = rows.vals.dtype.kind == "i"
        self.table: np.ndarray = np.zeros((int(rows.starts[-1]), k), dtype=rows.vals.dtype)
        self.sums: np.ndarray = np.zeros((rows.n_edges, k), dtype=np.int64 if whole else np.float64)
        fill(rows.ptr, rows.cols, rows.vals, rows.n_edges, self.labels, self.table, self.sums)
        self.known = phi(self.sums)
        self.logs: np.ndarray = np.zeros(0)
        self.steps: np.ndarray = np.zeros(0)
        if whole:
            self.logs, self.steps = _tables(int(rows.totals.max()))
        self.wide = rows.column_sums >= len(self.steps)

    def informations(self) -> np.ndarray:
        """The mutual information of every edge."""
        from coterie._kernels.moves import phi_sums

        rows = self.rows
        cells = np.empty(len(self.table))
        phi_sums(self.table, self.logs, cells)
        found = np.empty(rows.n_edges)
        for e, (lo, hi) in enumerate(zip(rows.starts[:-1], rows.starts[1:], strict=True)):
            inside = (
                cells[lo:hi].sum() - phi(self.sums[e]).sum() - phi(rows.column_sums[lo:hi]).sum()
            )
            total = max(rows.totals[e], 1e-300)
            found[e] = max(inside / total + np.log(total), 0.0)
        return found

    def value(self) -> float:
        """The weighted sum of the mutual informations of the edges, and what the bonds between elements add."""
        kept = self.informations() @ (self.rows.weights * self.rows.totals)
        return float(kept) + self.bonds.value(self.labels, self.k)

    @property
    def _slack(self) -> float:
        kept = self.informations() @ (self.rows.weights * self.rows.totals)
        return _SLACK * max(1.0, abs(float(kept)))

    def _rebuild(self) -> None:
        """Tables of real weights made anew, so that what is taken out and put in leaves no trace."""
        from coterie._kernels.moves import fill

        self.table[:] = 0
        self.sums[:] = 0
        fill(
            self.rows.ptr,
            self.rows.cols,
            self.rows.vals,
            self.rows.n_edges,
            self.labels,
            self.table,
            self.sums,
        )
        self.known = phi(self.sums)

    def sweep(self, generator: np.random.Generator, passes: float = 1.0) -> int:
        """Passes over the elements, each in a new random order (part of one, where below 1); how many moved in the last."""
        from coterie._kernels.moves import sweep

        moved = 0
        slack = self._slack
        rows = self.rows
        owed = self._owed()
        while passes > 0:
            order = generator.permutation(len(self.labels))
            order = order if passes >= 1 else order[: max(1, round(passes * len(order)))]
            if rows.vals.dtype.kind == "f":
                self._rebuild()
            moved = sweep(
                rows.ptr,
                rows.cols,
                rows.vals,
                rows.n_edges,
                rows.weights,
                order,
                self.labels,
                self.table,
                self.sums,
                self.known,
                self.wide,
                self.logs,
                self.steps,
                slack,
                owed,
            )
            passes -= 1
            workplace().stop_if_asked()
        return int(moved)

    def _owed(self) -> tuple[np.ndarray, ...]:
        """What elements owe each other, as the kernels of moves take it."""
        return (
            self.bonds.tags,
            self.bonds.held(self.labels, self.k),
            self.bonds.pull,
            *self.bonds.arrays(),
        )

    def shuffle(self, generator: np.random.Generator, trials: int) -> int:
        """Single trials of a random element in a random cluster; how many moved."""
        moved = 0
        while trials > 0:
            count = min(trials, _TRIED)
            moved += self._tried(
                generator.integers(len(self.labels), size=count),
                generator.integers(self.k, size=count),
            )
            trials -= count
            workplace().stop_if_asked()
        return moved

    def shards(self, generator: np.random.Generator, passes: float = 1.0) -> int:
        """Passes in which parts of the elements propose moves side by side, against the tables as they stood; how many moved.

        Every proposal is then tried in a random order by the exact change, so that the value never falls. The parts are of one
        size, and may be looked at by workers elsewhere.
        """
        moved = 0
        while passes > 0:
            if self.rows.vals.dtype.kind == "f":
                self._rebuild()
            who, where = self._proposed()
            order = generator.permutation(len(who))
            order = order if passes >= 1 else order[: max(1, round(passes * len(order)))]
            moved = self._tried(who[order], where[order])
            passes -= 1
            workplace().stop_if_asked()
            if not moved:
                break
        return moved

    def _proposed(self) -> tuple[np.ndarray, np.ndarray]:
        """The elements whose best cluster, all others staying where they are, is another one, and that cluster."""
        rows, labels, m = self.rows, self.labels, self.rows.n_edges
        height = max(64, _SHARD // self.k)
        frozen = (self.table, self.sums, self.known)
        wide = self.wide
        logs = self.logs
        steps = self.steps

        def best(first: int) -> np.ndarray:
            from coterie._kernels.moves import gains

            last = min(first + height, len(labels))
            ptr = rows.ptr[first * m : last * m + 1]
            out = np.empty((last - first, frozen[0].shape[1]))
            table, sums, known = (
                part.copy() for part in frozen
            )  # the kernel takes an element out of them and puts it back
            gains(
                ptr,
                rows.cols,
                rows.vals,
                m,
                rows.weights,
                labels[first:last],
                table,
                sums,
                known,
                wide,
                logs,
                steps,
                out,
            )
            return out.argmax(axis=1)

        starts = list(range(0, len(labels), height))
        found = np.concatenate(
            [np.zeros(0, dtype=np.int64), *in_order(best, starts, "", travels=True)]
        )
        who = np.flatnonzero((labels >= 0) & (found != labels) & ~rows.empty)
        return who, found[who]

    def _tried(self, who: np.ndarray, where: np.ndarray) -> int:
        """Elements tried in clusters, one after the other; how many moved."""
        from coterie._kernels.moves import trials as tried

        rows = self.rows
        sizes = np.bincount(self.labels[self.labels >= 0], minlength=self.k)
        moved = tried(
            rows.ptr,
            rows.cols,
            rows.vals,
            rows.n_edges,
            rows.weights,
            who,
            where,
            self.labels,
            self.table,
            self.sums,
            self.known,
            self.wide,
            self.logs,
            sizes,
            self._slack,
            self._owed(),
        )
        return int(moved)

    def gains(self, rows: Rows | None = None) -> np.ndarray:
        """Elements x clusters: the gain of each element put there after it was pulled out of its own; of `rows`, new ones."""
        from coterie._kernels.moves import gains

        of, wide, logs = self._against(rows)
        labels = self.labels if rows is None else np.full(len(of), -1)
        out = np.empty((len(of), self.k))
        gains(
            of.ptr,
            of.cols,
            of.vals,
            of.n_edges,
            self.rows.weights,
            labels,
            self.table,
            self.sums,
            self.known,
            wide,
            logs,
            self.steps,
            out,
        )
        return out

    def _against(self, rows: Rows | None) -> tuple[Rows, np.ndarray, np.ndarray]:
        """Rows (own ones where none are given), the columns whose counts with these may leave the table of logarithms, and it."""
        if rows is None:
            return self.rows, self.wide, self.logs
        if rows.vals.dtype.kind != "i" or not len(self.logs):
            return rows, np.ones_like(self.wide), np.zeros(0)
        return rows, self.rows.column_sums + rows.vals.max(initial=0) >= len(self.steps), self.logs

    def assign(self, rows: Rows | None = None, labels: np.ndarray | None = None) -> np.ndarray:
        """Labels in which every element without one (-1) has its best cluster, the tables as they are; of `rows`, other ones."""
        from coterie._kernels.moves import assign

        of, wide, logs = self._against(rows)
        found = self.labels.copy() if labels is None else np.array(labels, dtype=np.int64)
        assign(
            of.ptr,
            of.cols,
            of.vals,
            of.n_edges,
            self.rows.weights,
            self.table,
            self.sums,
            self.known,
            wide,
            logs,
            self.steps,
            found,
        )
        return found

    def pair(
        self, generator: np.random.Generator, floor: int, taking: np.ndarray | None = None
    ) -> np.ndarray:
        """New labels after every cluster was united with its closest peer, down to `floor` clusters; `taking` part only."""
        from coterie._kernels.unions import peers

        mates = np.arange(self.k)
        visits = generator.permutation(self.k)
        visits = visits if taking is None else visits[taking[visits]]
        peers(
            visits,
            self.k - floor,
            self.rows.starts,
            self.rows.weights,
            self.table.copy(),
            self.sums.copy(),
            self.known.copy(),
            self.wide,
            self.logs,
            self.steps,
            mates,
            self.bonds.held(self.labels, self.k),
            self.bonds.pull,
            *self.bonds.among(self.labels, self.k),
        )
        heads = np.minimum(mates, np.arange(self.k))
        _, new = np.unique(heads, return_inverse=True)
        return np.where(self.labels >= 0, new[self.labels], -1)

    def unite(self) -> tuple[int, int, float]:
        """Unite the two clusters whose union loses least, bonds counted; the pair and the loss. Later ones move up.

        Where laws allow no union, nothing happens and the loss is infinite.
        """
        from coterie._kernels.unions import cheapest

        best = np.zeros(2, dtype=np.int64)
        owed = self.bonds.owed(self.labels, self.k)
        loss = cheapest(
            self.rows.starts,
            self.rows.weights,
            self.table,
            self.sums,
            self.known,
            self.wide,
            self.logs,
            self.steps,
            owed,
            best,
        )
        if best[0] == best[1]:
            return 0, 0, np.inf
        a = int(best[0])
        b = int(best[1])
        self.table[:, a] += self.table[:, b]
        self.sums[:, a] += self.sums[:, b]
        keep = np.delete(np.arange(self.k), b)
        self.table = np.ascontiguousarray(self.table[:, keep])
        self.sums = np.ascontiguousarray(self.sums[:, keep])
        self.known = phi(self.sums)
        self.k = self.k - 1
        new = np.insert(np.arange(self.k), b, a)
        self.labels = np.where(self.labels >= 0, new[self.labels], -1)
        return a, b, float(loss)


def halved(
    labels: np.ndarray,
    k: int,
    most: int,
    generator: np.random.Generator,
    taking: np.ndarray | None = None,
) -> tuple[np.ndarray, int]:
    """Every cluster of two or more split at random into halves, the largest first, until there are `most`; labels and count."""
    labels, sizes = labels.copy(), np.bincount(labels[labels >= 0], minlength=k)
    order = np.argsort(-sizes, kind="stable")
    members = np.argsort(labels, kind="stable")[int((labels < 0).sum()) :]
    first = np.concatenate([[0], np.cumsum(sizes)])
    new = k
    for c in order:
        if sizes[c] < 2 or new >= most:
            break
        if taking is not None and not taking[c]:
            continue
        mine = generator.permutation(members[first[c] : first[c + 1]])
        labels[mine[: sizes[c] // 2]] = new
        new += 1
    return labels, new


def dealt(n: int, k: int, generator: np.random.Generator) -> np.ndarray:
    """n elements dealt at random and evenly over k clusters."""
    return generator.permutation(np.arange(n) % k)

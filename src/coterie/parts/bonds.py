"""Bonds: what clustered elements owe each other: equal tags attract, others repel, and pairs belong together or apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np


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

"""Medoids: k-medoids (partitioning around medoids), with samples of the members where there are very many."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie._kernels.medoids import build, swap
from coterie.core.affinity import Graph
from coterie.core.estimator import Organizer
from coterie.core.hints import Hints
from coterie.core.params import param
from coterie.core.partition import numbered
from coterie.core.workplace import fits
from coterie.parts.bound_groups import bound_groups, bound_medoids, own_margin
from coterie.parts.constrained import Ties
from coterie.parts.distances import Distances, as_distance, links, same_kind
from coterie.parts.iterate import best_of, iterate
from coterie.parts.kept import tell_unkept
from coterie.parts.pairwise import submatrix

_WHOLE = 10_000  # members up to which all distances are held
_DRAWS = 5  # samples per start beyond that
_SAMPLE = 2_000  # members in a sample, at least


class Medoids(Organizer):
    """k-medoids: each group around its most central member.

    A medoid is a member, so any distance will do and every group has an example. `medoids_` are their positions, in the
    order of the groups, `inertia_` is the sum of distances to them. The confidence of a member is how much nearer its
    medoid is than the next one: 1 at the medoid, 0 in the middle. Of a neighbor graph the distance is the shortest path;
    who has no path to any medoid is in no group (-1). With hints, pairs without an end to their weight are kept whatever it
    costs; others cost their weight times what a member costs where all are one group.
    """

    guided: ClassVar[bool] = True

    n_groups: int = param(8, "How many groups.", ge=1)
    n_init: int = param(
        1, "Starts: the first is greedy (BUILD), further ones are drawn; the best is kept.", ge=1
    )
    max_iter: int = param(100, "Most passes of exchanges in one start.", ge=1, advanced=True)
    random_state: int | None = param(None, "Seed of the drawn starts and of the samples.")

    medoids_: np.ndarray
    inertia_: float
    kind_: str
    reach_: np.ndarray | None

    def fit(self, X: Any, y: Any = None, hints: Hints | None = None) -> Self:
        """Choose the medoids; beyond 10,000 members from samples, each judged on all members (CLARA).

        `hints` are pairs that belong together or apart, and labels, which are such pairs too (seeded: where the medoids start).
        """
        affinity = self.check_square(X)
        self.check_groups(self.n_groups, len(affinity))
        self.kind_ = affinity.kind
        gaps = Distances.of(affinity, "Medoids")
        ties = Ties.of(self.check_hints(hints, len(affinity)), "Medoids")
        if ties is None:
            medoids = self._from_all(gaps) if len(gaps) <= _WHOLE else self._from_samples(gaps)
        else:
            ties.check(self.n_groups)
            medoids, groups = self._bound(gaps, ties)
        reach = gaps.reach(medoids).T
        near = gaps.filled(reach)
        lost = ~np.isfinite(reach).any(axis=1)
        if ties is None:
            labels = near.argmin(axis=1)
            sure = _margin(near)
            labels[medoids] = np.arange(
                self.n_groups
            )  # each its own, though another one lies in the same place
        else:
            labels = groups
            sure = own_margin(near, groups)
            lost &= ~np.isin(ties.piece, ties.piece[~lost])
        self.inertia_ = float(near[np.arange(len(labels)), labels].sum())
        self.partition_, order = numbered(np.where(lost, -1, labels), np.where(lost, 0.0, sure))
        self.medoids_ = medoids[order]
        self.reach_ = reach[:, order] if isinstance(affinity, Graph) else None
        if ties is not None:
            tell_unkept(ties, self.partition_.labels)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group of the nearest medoid; of an affinity only the columns of the medoids are used.

        New members given as neighbors reach the medoids along the links of the fitted graph; -1 where no link leads to one.
        """
        queries = same_kind(self.check_queries(X), self.kind_, "Medoids")
        if isinstance(queries, Graph):
            gaps = self._along(links(queries, "Medoids"))
        else:
            part = submatrix(queries, np.arange(queries.shape[0]), self.medoids_)
            gaps = as_distance(part, queries.kind, "Medoids")
        return np.where(np.isfinite(gaps).any(axis=1), gaps.argmin(axis=1), -1).astype(np.int64)

    def _from_all(self, gaps: Distances) -> np.ndarray:
        whole = gaps.all()
        value, medoids = self._settle(whole, _greedy(whole, self.n_groups))
        if self.n_init == 1 or self.n_groups == 1:
            return medoids

        def attempt(generator: np.random.Generator) -> tuple[float, np.ndarray]:
            return self._settle(whole, _spread(whole, self.n_groups, generator))

        other, drawn = best_of(
            attempt, self.n_init - 1, random_state=self.random_state, label="starts"
        )
        return drawn if other < value - 1e-12 * value else medoids

    def _from_samples(self, gaps: Distances) -> np.ndarray:
        """The medoids of the sample that suits all members best; nothing of size n x n is held."""
        n = len(gaps)
        size = min(n, max(_SAMPLE, min(20 * self.n_groups, _WHOLE), 2 * self.n_groups))
        fits(4 * size * size * 8, f"A sample of {size} members for {self.n_groups} medoids")

        def attempt(generator: np.random.Generator) -> tuple[float, np.ndarray]:
            members = np.sort(generator.choice(n, size=size, replace=False))
            part = gaps.between(members)
            medoids = members[self._settle(part, _greedy(part, self.n_groups))[1]]
            return float(gaps.rows(medoids).min(axis=0).sum()), medoids

        found: np.ndarray = best_of(
            attempt, _DRAWS * self.n_init, random_state=self.random_state, label="samples"
        )[1]
        return found

    def _bound(self, gaps: Distances, ties: Ties) -> tuple[np.ndarray, np.ndarray]:
        """Medoids and groups under hints: of all members, or of samples with those the hints name, judged on all.

        A sample holds some of them where they are too many, and as many pieces as there are to be groups in any case.
        """
        if len(gaps) <= _WHOLE:
            _, medoids, groups = self._bound_in(gaps.all(), ties)
            return medoids, groups
        n = len(gaps)
        named = ties.touched
        size = min(n, max(_SAMPLE, min(20 * self.n_groups, _WHOLE), 2 * self.n_groups))

        def attempt(generator: np.random.Generator) -> tuple[float, tuple[np.ndarray, np.ndarray]]:
            known = (
                named if len(named) <= size else generator.choice(named, size=size, replace=False)
            )
            members = np.union1d(known, generator.choice(n, size=size, replace=False))
            members = np.union1d(members, _of_pieces(ties.piece, 2 * self.n_groups, generator))
            fits(
                4 * len(members) ** 2 * 8,
                f"A sample of {len(members)} members for {self.n_groups} medoids",
            )
            part = gaps.between(members)
            medoids = members[self._bound_in(part, ties.take(members))[1]]
            value, groups = bound_groups(
                gaps.rows(medoids).T, ties, float(part.mean(axis=1).min()), self.max_iter
            )
            return value, (medoids, groups)

        found: tuple[np.ndarray, np.ndarray] = best_of(
            attempt, _DRAWS * self.n_init, random_state=self.random_state, label="samples"
        )[1]
        return found

    def _bound_in(self, whole: np.ndarray, ties: Ties) -> tuple[float, np.ndarray, np.ndarray]:
        """The best of the starts: what is found without hints, from drawn ones too, and the middles of labels.

        Where labels are seeds, exchanges of medoids start from their middles instead of the greedy ones.
        """
        plain = [_greedy(whole, self.n_groups)]
        seeded = list[np.ndarray]()
        if ties.n_labels > 1:
            seeded = [_seeded(whole, ties, self.n_groups)]
        if seeded and not ties.pulling:
            plain = seeded
            seeded = []
        starts = [*seeded, *(self._settle(whole, start)[1] for start in plain)]
        tried = [bound_medoids(whole, start, ties, self.max_iter) for start in starts]

        def attempt(
            generator: np.random.Generator,
        ) -> tuple[float, tuple[float, np.ndarray, np.ndarray]]:
            start = self._settle(whole, _spread(whole, self.n_groups, generator))[1]
            found = bound_medoids(whole, start, ties, self.max_iter)
            return found[0], found

        if self.n_init > 1 and self.n_groups > 1:
            tried.append(
                best_of(attempt, self.n_init - 1, random_state=self.random_state, label="starts")[1]
            )
        return min(tried, key=lambda found: found[0])

    def _settle(self, gaps: np.ndarray, start: np.ndarray) -> tuple[float, np.ndarray]:
        """Exchange medoids for other members until no exchange shortens the distances."""
        if len(start) == 1:
            sums = gaps.sum(axis=1)
            return float(sums.min()), np.array([int(sums.argmin())])

        def step(state: Any) -> tuple[dict[str, np.ndarray], float]:
            medoids = state["medoids"].copy()
            swaps, total = swap(gaps, medoids)
            return {"medoids": medoids, "swaps": np.array(swaps)}, float(total)

        state = {"medoids": start, "swaps": np.array(-1)}
        outcome = iterate(
            step,
            state,
            max_iter=self.max_iter,
            tol=0.0,
            label="medoids",
            settled=lambda s, _: int(s["swaps"]) == 0,
        )
        return outcome.value, np.asarray(outcome.state["medoids"])

    def _along(self, near: Any) -> np.ndarray:
        """Queries x medoids: the shortest way over one link and on through the fitted graph."""
        reach = self.reach_
        if reach is None:
            reach = np.full((len(self.partition_), len(self.medoids_)), np.inf)
            reach[self.medoids_, np.arange(len(self.medoids_))] = 0.0
        gaps = np.full((near.shape[0], len(self.medoids_)), np.inf)
        linked = np.flatnonzero(np.diff(near.indptr) > 0)
        for group in range(len(self.medoids_) if len(linked) else 0):
            way = near.data + reach[near.indices, group]
            gaps[linked, group] = np.minimum.reduceat(way, near.indptr[linked])
        return gaps


def _greedy(gaps: np.ndarray, k: int) -> np.ndarray:
    medoids = np.empty(k, dtype=np.int64)
    build(gaps, medoids)
    return medoids


def _of_pieces(piece: np.ndarray, most: int, generator: np.random.Generator) -> np.ndarray:
    """One member each of so many pieces, or of all of them, drawn."""
    order = generator.permutation(len(piece))
    _, first = np.unique(piece[order], return_index=True)
    return order[generator.permutation(first)[:most]]


def _seeded(gaps: np.ndarray, ties: Ties, k: int) -> np.ndarray:
    """Of each label the most central labeled member, the larger labels first; the rest greedily."""
    labels = ties.labels
    tags, sizes = np.unique(labels[labels >= 0], return_counts=True)
    medoids = []
    for tag in tags[np.argsort(-sizes, kind="stable")][:k].tolist():
        own = np.flatnonzero(labels == tag)
        medoids.append(int(own[gaps[np.ix_(own, own)].sum(axis=1).argmin()]))
    while len(medoids) < k:
        near = gaps[medoids].min(axis=0)
        gain = np.maximum(near[None, :] - gaps, 0.0).sum(axis=1)
        gain[medoids] = -1.0
        medoids.append(int(gain.argmax()))
    return np.array(medoids, dtype=np.int64)


def _spread(gaps: np.ndarray, k: int, generator: np.random.Generator) -> np.ndarray:
    """Members drawn one after the other, the farther from those drawn the likelier; any other where all are as near."""
    medoids = np.empty(k, dtype=np.int64)
    medoids[0] = generator.integers(len(gaps))
    near = gaps[medoids[0]].copy()
    for at in range(1, k):
        chance = near.copy()
        chance[medoids[:at]] = 0.0
        if not chance.sum() > 0:
            chance[:] = 1.0
            chance[medoids[:at]] = 0.0
        medoids[at] = generator.choice(len(gaps), p=chance / chance.sum())
        near = np.minimum(near, gaps[medoids[at]])
    return medoids


def _margin(near: np.ndarray) -> np.ndarray:
    """1 - nearest / second nearest; 1 where there is one medoid, 0 where the two are equally near."""
    if near.shape[1] == 1:
        return np.ones(len(near))
    two = np.partition(near, 1, axis=1)
    return 1.0 - np.divide(two[:, 0], two[:, 1], out=np.ones(len(near)), where=two[:, 1] > 0)

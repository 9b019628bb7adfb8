"""Leiden: communities of a graph by local moves, refinement and graphs of groups; modularity or the constant Potts model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.estimator import Organizer
from coterie.core.hints import Hints
from coterie.core.params import param
from coterie.core.partition import numbered
from coterie.core.random import seed_of, small_seed, stream
from coterie.parts.constrained import Ties
from coterie.parts.iterate import Outcome, best_of, iterate
from coterie.parts.kept import tell_unkept
from coterie.parts.linking import Linking, Net, arrays, staying, strongest, toward
from coterie.parts.tied_weights import tied_weights

Objective = Literal["modularity", "cpm"]
_SPAN = 1e4  # resolutions tried for target_groups: from the usual one over this to that times this
_TRIES = 24  # halvings of that range


class Leiden(Organizer):
    """Communities of a graph: groups with more links inside than chance or a fixed density would give.

    Members move to the neighboring group that raises the objective most, each group is refined into parts that hold together,
    the parts become the members of a smaller graph, and so on until nothing moves; such rounds are repeated. Every group hangs
    together by its links. An affinity that is no graph is made into one of nearest neighbors first. Hints change the links, and
    pairs that are not kept all the same are told of in a warning.
    """

    guided: ClassVar[bool] = True
    cuts_graph: ClassVar[bool] = True

    objective: Objective = param(
        "modularity",
        "Links inside against those expected by chance, or (cpm) against a fixed density.",
        choices=("modularity", "cpm"),
    )
    resolution: float | None = param(
        None,
        "How fine the groups are, more being finer; None is 1, for cpm the mean weight over all pairs of members.",
        gt=0.0,
        le=1e12,
    )
    target_groups: int | None = param(
        None, "Tune the resolution to come near this many groups.", ge=1
    )
    neighbors: int = param(
        15, "Neighbors per member of the graph that is made where none is given.", ge=1
    )
    starts: int = param(1, "Independent random orders; the best objective wins.", ge=1)
    max_iter: int = param(50, "Most rounds of each start.", ge=1, advanced=True)
    tol: float = param(
        1e-5,
        "A round that raises the objective by less than this share is the last.",
        ge=0.0,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of the orders in which members are looked at.")

    quality_: float
    resolution_: float
    history_: list[float]
    linking_: Linking
    converged_: bool
    masses_: np.ndarray
    total_: float

    def fit(self, X: Any, y: Any = None, hints: Hints | None = None) -> Self:
        """Find the communities; `quality_` is the objective reached, `history_` after every round, `resolution_` what was used.

        `hints` are pairs that belong together or apart, and labels, which are such pairs too: links are made or taken away.
        """
        affinity = self.check_square(X)
        self.linking_, links = Linking.of(affinity, self.neighbors, "Leiden")
        ties = Ties.of(self.check_hints(hints, len(affinity)), "Leiden")
        links = links if ties is None else tied_weights(links, ties)
        graph = Valued.of(links, self.objective)
        self.resolution_ = self.resolution if self.resolution is not None else graph.usual
        seed = seed_of(self.random_state)
        if self.target_groups is None:
            self.quality_, outcome = self._run(graph, self.resolution_, seed)
        else:
            self.resolution_, self.quality_, outcome = self._tuned(graph, self.target_groups, seed)
        labels = np.asarray(outcome.state["labels"])
        self.history_ = outcome.history
        self.converged_ = outcome.converged
        self.partition_, old = numbered(labels, staying(graph.net, labels))
        self.masses_ = np.bincount(labels, weights=graph.mass)[old]
        self.total_ = graph.total
        if ties is not None:
            tell_unkept(
                ties,
                labels,
                "it only changes links, while Spectral and Medoids keep pairs that are laws",
            )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group that a new member raises the objective of most; -1 where it has no links, or would be better off alone."""
        rows = self.linking_.rows(self.check_queries(X))
        flow = toward(rows, self.partition_.labels, self.partition_.n_groups)
        own = (
            np.asarray(rows.sum(axis=1)).ravel()
            if self.objective == "modularity"
            else np.ones(rows.shape[0])
        )
        each = (
            self.resolution_ / self.total_ if self.objective == "modularity" else self.resolution_
        )
        flow.data -= each * np.repeat(own, np.diff(flow.indptr)) * self.masses_[flow.indices]
        best, gain = strongest(flow)
        return np.where(gain > 0, best, -1)

    def _run(
        self, graph: Valued, resolution: float, seed: int, *, quiet: bool = False
    ) -> tuple[float, Outcome]:
        def attempt(generator: np.random.Generator) -> tuple[float, Outcome]:
            start = small_seed(generator)

            def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
                at = int(state["round"])
                labels = graph.round(state["labels"], resolution, stream(start, at))
                return {"labels": labels, "round": np.array(at + 1)}, graph.quality(
                    labels, resolution
                )

            first = {"labels": np.arange(len(graph.mass), dtype=np.int32), "round": np.array(0)}
            outcome = iterate(
                step, first, max_iter=self.max_iter, tol=self.tol, label="communities", quiet=quiet
            )
            return outcome.value, outcome

        return best_of(attempt, self.starts, random_state=seed, label="starts", prefer="higher")

    def _tuned(self, graph: Valued, wanted: int, seed: int) -> tuple[float, float, Outcome]:
        """Bisection on the logarithm of the resolution; the count nearest to the wish wins, the coarser at a tie."""
        low = graph.usual / _SPAN
        high = graph.usual * _SPAN
        resolution = graph.usual
        best: tuple[int, float, float, Outcome] | None = None
        for _ in range(_TRIES):
            quality, outcome = self._run(graph, resolution, seed, quiet=True)
            found = int(np.max(outcome.state["labels"])) + 1
            if best is None or (abs(found - wanted), resolution) < best[:2]:
                best = (abs(found - wanted), resolution, quality, outcome)
            if found == wanted:
                break
            low, high = (resolution, high) if found < wanted else (low, resolution)
            resolution = float(np.sqrt(low * high))
        if best is None:
            raise DataError("Leiden tried no resolution.")
        return best[1:]


@dataclass(frozen=True, eq=False)
class Valued:
    """Links as kernels take them, what each member weighs in the objective, and the weight of all links counted both ways."""

    net: Net
    mass: np.ndarray
    total: float
    objective: Objective

    @classmethod
    def of(cls, links: Any, objective: Objective) -> Valued:
        degrees = np.asarray(links.sum(axis=1)).ravel()
        total = (
            float(degrees.sum()) or 1.0
        )  # without links nothing is earned or owed, whatever it is divided by
        mass = degrees if objective == "modularity" else np.ones(len(degrees))
        return cls(arrays(sp.csr_array(links)), mass, total, objective)

    @property
    def usual(self) -> float:
        """The resolution where none is said."""
        n = len(self.mass)
        return 1.0 if self.objective == "modularity" else self.total / max(n * (n - 1), 1)

    def round(
        self, labels: np.ndarray, resolution: float, generator: np.random.Generator
    ) -> np.ndarray:
        """Local moves, refinement and the graph of the parts, level by level, until every group is one part."""
        from coterie._kernels.communities import gather, move, pieces, refine, renumber

        each = resolution / self.total if self.objective == "modularity" else resolution
        (ptr, idx, val) = self.net
        mass = self.mass
        place = np.arange(len(mass))
        labels = labels.astype(np.int32)
        while True:
            move(ptr, idx, val, mass, each, labels, _shuffled(generator, len(mass)))
            labels, count = renumber(labels)
            if count == len(mass):
                break
            parts, few = renumber(
                refine(ptr, idx, val, mass, each, labels, _shuffled(generator, len(mass)))
            )
            if few == len(mass):  # only rounding can end it here
                break
            above = np.empty(few, dtype=np.int32)
            above[parts] = labels
            ptr, idx, val, mass = gather(ptr, idx, val, mass, parts, few)
            labels = above
            place = parts[place]
        found: np.ndarray = pieces(*self.net[:2], labels[place])[
            0
        ]  # whatever rounding did, groups hang together
        return found

    def quality(self, labels: np.ndarray, resolution: float) -> float:
        """The objective: modularity, or the weight of the links inside less the resolution for every pair inside."""
        from coterie._kernels.communities import inside

        within = float(inside(*self.net, labels)[1].sum())
        masses = np.bincount(labels, weights=self.mass)
        if self.objective == "modularity":
            return within / self.total - resolution * float(np.square(masses / self.total).sum())
        return within / 2 - resolution * float((masses * (masses - 1) / 2).sum())


def _shuffled(generator: np.random.Generator, n: int) -> np.ndarray:
    return generator.permutation(n).astype(np.int32)

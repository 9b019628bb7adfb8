"""Propagation: labels passed along links, those of a few known members or, where nothing is known, those of everybody."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.estimator import Organizer
from coterie.core.hints import Hints
from coterie.core.params import param
from coterie.core.partition import Partition, numbered
from coterie.core.random import seed_of, stream
from coterie.parts.constrained import Ties
from coterie.parts.iterate import Outcome, iterate
from coterie.parts.kept import tell_unkept
from coterie.parts.linking import Linking, Net, arrays, staying, strongest, toward
from coterie.parts.tied_weights import tied_weights
from coterie.parts.workers import in_order


class Propagation(Organizer):
    """Label propagation: labels pass along links, from a few known members or from everybody.

    With labels among the hints every other member gets the label that a walk along the links meets first, most likely. Labels
    that take more than their share are made lighter, and the share of the label is the confidence. Members that no label reaches
    are in no group. Without labels each member begins as a group of its own and takes, again and again, the group that most of
    its links go to; every group hangs together by its links. An affinity that is no graph is made into one of nearest neighbors
    first. Pairs among the hints change the links.
    """

    guided: ClassVar[bool] = True
    cuts_graph: ClassVar[bool] = True

    reach: float = param(
        0.9,
        "Share of a label that is passed on with every step; 1 lets labels reach however far.",
        gt=0.0,
        le=1.0,
    )
    balance: bool = param(
        True,
        "Let each label take a share of all members as large as its share of the given labels.",
    )
    neighbors: int = param(
        15, "Neighbors per member of the graph that is made where none is given.", ge=1
    )
    max_iter: int = param(1000, "Most rounds.", ge=1, advanced=True)
    tol: float = param(
        1e-4,
        "Labels have spread when no share moves by more than this.",
        gt=0.0,
        le=0.1,
        advanced=True,
    )
    random_state: int | None = param(
        None, "Seed of the orders in which members are looked at, and of draws between equals."
    )

    quality_: float
    history_: list[float]
    reached_: np.ndarray
    linking_: Linking
    converged_: bool
    labeled_: bool

    def fit(self, X: Any, y: Any = None, hints: Hints | None = None) -> Self:
        """Spread labels; `quality_` is the share of all links, by weight, inside groups.

        `hints` are labels, kept as they are (of a weight below 1, or where they are only the start: as their neighbors say), and
        pairs that belong together or apart. `reached_` tells how much of a walk from each member meets a label at all, and
        `history_` the largest change of a share after each round; without labels, how many members changed.
        """
        affinity = self.check_square(X)
        n = len(affinity)
        self.linking_, links = Linking.of(affinity, self.neighbors, "Propagation")
        told = self.check_hints(hints, n)
        ties = (
            None if told is None else Ties.of(replace(told, labels=np.full(n, -1)), "Propagation")
        )
        net = arrays(links if ties is None else tied_weights(links, ties))
        if told is not None and len(told.known) and told.scheme != "seeded" and told.trust > 0:
            self._spread(net, told)
        else:
            self._gather(net, np.full(n, -1) if told is None else told.labels)
        self.quality_ = _inside(net, self.partition_.labels)
        if ties is not None:
            tell_unkept(
                ties,
                self.partition_.labels,
                "it only changes links, while Spectral and Medoids keep pairs that are laws",
            )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group that most of a new member's links go to, each by the confidence of its member where labels were given.

        -1 where it has no links to any group.
        """
        rows = self.linking_.rows(self.check_queries(X))
        weights = self.partition_.confidence if self.labeled_ else None
        return strongest(toward(rows, self.partition_.labels, self.partition_.n_groups, weights))[0]

    def _gather(self, net: Net, known: np.ndarray) -> None:
        """Everybody begins alone, those of one label together, and takes what most links say."""
        from coterie._kernels.communities import pieces
        from coterie._kernels.propagation import adopt

        n = len(known)
        seed = seed_of(self.random_state)

        def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
            labels = state["labels"].copy()
            waiting = state["waiting"].copy()
            at = int(state["round"])
            generator = stream(seed, at)
            order = generator.permutation(np.flatnonzero(waiting)).astype(np.int32)
            changed = adopt(
                *net, labels, waiting, order, generator.integers(2**31, size=len(order))
            )
            return {"labels": labels, "waiting": waiting, "round": np.array(at + 1)}, float(changed)

        def at_rest(state: Mapping[str, np.ndarray], _: float) -> bool:
            return not state["waiting"].any()

        state = {"labels": _first(known), "waiting": np.ones(n, dtype=bool), "round": np.array(0)}
        outcome = iterate(
            step, state, max_iter=self.max_iter, tol=0.0, label="labels", settled=at_rest
        )
        labels = pieces(net[0], net[1], outcome.state["labels"].astype(np.int32))[0]
        self.history_ = outcome.history
        self.converged_ = outcome.converged
        self.labeled_ = False
        self.partition_, _ = numbered(labels, staying(net, labels))
        self.reached_ = np.ones(n)

    def _spread(self, net: Net, hints: Hints) -> None:
        """The given labels spread, some of them at a time; the largest share of each member wins, the lower label of equals."""
        from coterie._kernels.propagation import LANES

        n = len(hints)
        hold = np.zeros(len(hints))
        hold[hints.known] = min(1.0, hints.trust)
        blocks = list(range(0, len(hints.names), LANES))
        given = np.bincount(hints.labels[hints.known], minlength=len(hints.names))

        def block(first: int) -> Outcome:
            own = hints.labels - first
            return self._flow(
                net, np.where((own >= 0) & (own < LANES), own, -1).astype(np.int32), hold
            )

        labels = np.full(n, -1, dtype=np.int64)
        most = np.zeros(n)
        total = np.zeros(n)
        self.reached_ = np.zeros(n)
        histories = []
        self.converged_ = True
        self.labeled_ = True
        for first, outcome in zip(
            blocks, in_order(block, blocks, "labels", travels=True), strict=True
        ):
            field = outcome.state["field"]
            self.reached_ += field.sum(axis=1)
            if self.balance:
                own = np.append(given[first : first + LANES], np.zeros(LANES))[:LANES]
                field = field * np.divide(
                    own, field.sum(axis=0), out=np.zeros(LANES), where=own > 0
                )
            best = field.argmax(axis=1)
            value = field.max(axis=1)
            labels = np.where(value > most, best + first, labels)
            most = np.maximum(value, most)
            total += field.sum(axis=1)
            histories.append(outcome.history)
            self.converged_ &= outcome.converged
        self.history_ = [
            max(h[at] for h in histories if at < len(h)) for at in range(max(map(len, histories)))
        ]
        share = np.divide(most, total, out=np.zeros(n), where=total > 0)
        found, old = numbered(labels, np.minimum(share, 1.0))
        self.partition_ = Partition(
            found.labels, tuple(hints.names[at] for at in old), found.confidence
        )
        self._tell(labels, hints)

    def _flow(self, net: Net, given: np.ndarray, hold: np.ndarray) -> Outcome:
        from coterie._kernels.propagation import LANES, spread

        def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
            field = np.array(state["field"])
            at = int(state["round"])
            change = spread(*net, given, hold, self.reach, field, at % 2 == 1)
            return {"field": field, "round": np.array(at + 1)}, change

        def settled(_: Any, change: float) -> bool:
            return change <= self.tol

        field = np.zeros((len(hold), LANES))
        known = np.flatnonzero(given >= 0)
        field[known, given[known]] = hold[known]
        state = {"field": field, "round": np.array(0)}
        return iterate(
            step, state, max_iter=self.max_iter, tol=self.tol, label="spread", settled=settled
        )

    def _tell(self, labels: np.ndarray, hints: Hints) -> None:
        """Say which labels nobody has in the end, and how many members no label reaches."""
        lost = np.setdiff1d(hints.labels[hints.known], labels)
        if len(lost):
            said = "1 label is" if len(lost) == 1 else f"{len(lost)} labels are"
            warnings.warn(
                f"Propagation: {said} taken by nobody, such as '{hints.names[int(lost[0])]}'; their weight is too small.",
                UserWarning,
                stacklevel=4,
            )
        apart = np.flatnonzero(labels < 0)
        if len(apart):
            said = "1 member is" if len(apart) == 1 else f"{len(apart):,} members are"
            warnings.warn(
                f"Propagation: {said} reached by no label, such as {hints.called(int(apart[0]))}, and in no group.",
                UserWarning,
                stacklevel=4,
            )


def _first(known: np.ndarray) -> np.ndarray:
    """Each member as a group of its own, those of one label in that of the first of them."""
    labels = np.arange(len(known), dtype=np.int32)
    _, first, codes = np.unique(known, return_index=True, return_inverse=True)
    told = known >= 0
    labels[told] = first[codes[told]]
    return labels


def _inside(net: Net, labels: np.ndarray) -> float:
    """The share of all links, by weight, inside groups; 1 without links."""
    from coterie._kernels.communities import inside

    total, within = inside(*net, labels)
    return float(within[labels >= 0].sum() / total.sum()) if total.sum() > 0 else 1.0

"""Comraf, MDC and Comraf*: populations clustered together by the mutual information they keep."""

from __future__ import annotations

from typing import Any

from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.organize.comraf.graph import Net, Wishes
from coterie.organize.comraf.inference import Found, Search, cliquewise, climb, polished
from coterie.organize.comraf.role import Populations
from coterie.organize.comraf.schedule import Step, ready_made, reverse, written

_GROUPS = "Groups of the members, or a mapping of population to number; others are split as far as the schedule goes."
_GRAPH = "Pairs of populations, such as 'members-words, members-people'; all tables there are when left out."
_WEIGHTS = "Weight of each table: by its mass, all one, 1 / raw information, 1 / largest possible, or a mapping of pair to number."
_POLISH = "Sweeps at the end: icm (all populations in turn), raw (members against unclustered neighbors), or none."
_WEIGHINGS = ("mass", "one", "raw", "cap")


class Comraf(Populations):
    """Several populations clustered at once, so that their clusters keep the most mutual information (Comraf)."""

    graph: Any = param(None, _GRAPH)
    n_groups: Any = param(8, _GROUPS, ge=1)
    observed: Any = param((), "Populations that are not clustered: names, or a mapping of name to known groups.")
    weights: Any = param("mass", _WEIGHTS, choices=_WEIGHINGS)
    inference: str = param("icm", "One population against all its tables, or one table at a time.", choices=("icm", "cliquewise"))
    schedule: str = param("auto", "auto, reverse, or words such as 'words*4 (members words)*8 members!'.")
    optimize: str = param("sequential", "Passes over all elements, or random single moves.", choices=("sequential", "shuffled"))
    restarts: int = param(10, "Attempts at every iteration, the best of which is kept; cliquewise: whole attempts.", ge=1)
    passes: float = param(2.0, "Passes over the elements after each split or union; below 1 a part of them.", gt=0)
    polish: str | None = param(None, _POLISH, choices=("icm", "raw"))
    upward: Any = param(None, "Populations that start apart and unite; the members, when left out.", advanced=True)
    lead: int = param(4, "Splits of every other population before the members unite for the first time.", ge=1, advanced=True)
    last: int = param(4, "Unions go one at a time from this many times the groups asked for.", ge=1, advanced=True)
    rounds: int = param(5, "Rounds over the tables, cliquewise.", ge=1, advanced=True)
    trials: int | None = param(None, "Single moves tried, shuffled; passes * elements * clusters when left out.", ge=1, advanced=True)
    balance: float = param(0.0, "Above 0 small clusters split less often and large ones unite less often.", ge=0, advanced=True)
    anneal: float = param(
        1.0, "Weight of all tables but the main one at the first iteration, as a multiple of their last.", gt=0, advanced=True
    )
    random_state: int | None = param(None, "Seed of orders, splits and starts.")

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        reverse = self.schedule == "reverse"
        return Wishes("Comraf", self.graph, self.n_groups, self.observed, self.weights, self.upward, reverse)

    def search(self, net: Net, seed: int) -> Found:
        """Iterations over the schedule, or rounds over the tables."""
        search = Search(
            self.restarts, float(self.passes), self.optimize == "shuffled", self.trials, float(self.balance), float(self.anneal)
        )
        if self.inference == "cliquewise":
            for at in net.hidden:
                if net.nodes[at].n_groups is None:
                    raise ParameterError(f"Comraf: cliquewise needs n_groups of every population, and '{net.nodes[at].name}' has none.")
            found = cliquewise(net, search, self.rounds, seed, "Comraf")
        else:
            found = climb(net, self._steps(net), search, seed, "Comraf")
        return polished(net, found, self.polish, seed)

    def _steps(self, net: Net) -> list[Step]:
        check_directions(net, "Comraf")
        if self.schedule == "auto":
            return ready_made(net, self.lead, self.last)
        if self.schedule == "reverse":
            return reverse(net, self.lead)
        return written(self.schedule, net, "Comraf")


class MDC(Populations):
    """Multi-way distributional clustering: members unite while words and all other populations split, step by step."""

    n_groups: Any = param(8, _GROUPS, ge=1)
    graph: Any = param(None, _GRAPH)
    weights: Any = param("mass", _WEIGHTS, choices=_WEIGHINGS)
    restarts: int = param(10, "Attempts at every iteration, the best of which is kept.", ge=1)
    passes: float = param(2.0, "Passes over the elements after each split or union.", gt=0)
    polish: str | None = param("raw", _POLISH, choices=("icm", "raw"))
    random_state: int | None = param(None, "Seed of orders and splits.")

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        return Wishes("MDC", self.graph, self.n_groups, (), self.weights)

    def search(self, net: Net, seed: int) -> Found:
        """The ready-made schedule: four splits, then unions and splits in turn, then one union at a time."""
        found = climb(net, ready_made(net, 4, 4), Search(self.restarts, float(self.passes)), seed, "MDC")
        return polished(net, found, self.polish, seed)


def check_directions(net: Net, owner: str) -> None:
    """Refuse a graph in which everything starts as one cluster: the first split would be a random cut nobody corrects."""
    if not any(net.nodes[at].upward for at in net.hidden) and all(node.hidden for node in net.nodes):
        raise ParameterError(
            f"{owner}: every population would start as one cluster, and the first split could not be corrected; name one in upward, "
            "or leave one observed."
        )

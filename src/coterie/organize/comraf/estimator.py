"""Comraf, MDC and Comraf*: populations clustered together by the mutual information they keep."""

from __future__ import annotations

from typing import Any, ClassVar

from coterie.core.errors import ParameterError
from coterie.core.params import param, params_of
from coterie.organize.comraf.consensus import repeated
from coterie.organize.comraf.graph import Net, Wishes
from coterie.organize.comraf.inference import Found, Search, climb, cliquewise, polished
from coterie.organize.comraf.role import Populations
from coterie.organize.comraf.sampled import sampled
from coterie.organize.comraf.schedule import Step, ready_made, reverse, written
from coterie.organize.comraf.wishes import COUNTED, COUNTS, GRAPH, RULES, WEIGHTS

_GROUPS = "Groups of the members, or a mapping of population to number; others are split as far as the schedule goes."
_OPTIMIZE = "Passes over all elements, random single moves, or passes whose parts are looked at side by side (large collections)."
_POLISH = "Sweeps at the end: icm (all populations in turn), raw (members against unclustered neighbors), or none."
# members the schedule runs on whole, and the part of more
_WHOLE = 50_000
_SAMPLE = 20_000


class Comraf(Populations):
    """Several populations clustered at once, so that their clusters keep the most mutual information (Comraf)."""

    guided: ClassVar[bool] = True

    graph: Any = param(None, GRAPH)
    n_groups: Any = param(8, _GROUPS, ge=1)
    observed: Any = param(
        (), "Populations that are not clustered: names, or a mapping of name to known groups."
    )
    weights: Any = param("mass", WEIGHTS, choices=RULES)
    inference: str = param(
        "icm",
        "One population against all its tables, or one table at a time.",
        choices=("icm", "cliquewise"),
    )
    schedule: str = param(
        "auto", "auto, reverse, or words such as 'words*4 (members words)*8 members!'."
    )
    optimize: str = param("sequential", _OPTIMIZE, choices=("sequential", "shuffled", "sharded"))
    restarts: int = param(
        10,
        "Attempts at every iteration, the best of which is kept; cliquewise: whole attempts.",
        ge=1,
    )
    passes: float = param(
        2.0,
        "Passes over the elements after each split or union; below 1 a part of them.",
        gt=0,
        le=100,
    )
    polish: str | None = param(None, _POLISH, choices=("icm", "raw"))
    counts: str = param("occurrences", COUNTS, choices=COUNTED)
    upward: Any = param(
        None, "Populations that start apart and unite; the members, when left out.", advanced=True
    )
    lead: int = param(
        4,
        "Splits of every other population before the members unite for the first time.",
        ge=1,
        advanced=True,
    )
    last: int = param(
        4, "Unions go one at a time from this many times the groups asked for.", ge=1, advanced=True
    )
    rounds: int = param(5, "Rounds over the tables, cliquewise.", ge=1, advanced=True)
    trials: int | None = param(
        None,
        "Single moves tried, shuffled; passes * elements * clusters when left out.",
        ge=1,
        advanced=True,
    )
    balance: float = param(
        0.0,
        "Above 0 small clusters split less often and large ones unite less often.",
        ge=0,
        le=10,
        advanced=True,
    )
    anneal: float = param(
        1.0,
        "Weight of all tables but the main one at the first iteration, as a multiple of their last.",
        ge=1e-6,
        le=1e6,
        advanced=True,
    )
    on_empty: str = param(
        "apart",
        "Elements without any count: in no group, or in the largest.",
        choices=("apart", "spread"),
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of orders, splits and starts.")

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        reverse = self.schedule == "reverse"
        return Wishes(
            "Comraf",
            self.graph,
            self.n_groups,
            self.observed,
            self.weights,
            self.upward,
            reverse,
            self.counts,
        )

    def search(self, net: Net, seed: int) -> Found:
        """Iterations over the schedule, or rounds over the tables."""
        search = Search(
            self.restarts,
            float(self.passes),
            self.optimize,
            self.trials,
            float(self.balance),
            float(self.anneal),
        )
        self._check_used()
        if self.inference == "cliquewise":
            for at in net.hidden:
                if net.nodes[at].n_groups is None:
                    raise ParameterError(
                        f"cliquewise needs n_groups of every population, and '{net.nodes[at].name}' has none.",
                        owner="Comraf",
                    )
            found = cliquewise(net, search, self.rounds, seed, "Comraf")
        else:
            found = climb(net, self._steps(net), search, seed, "Comraf")
        return polished(net, found, self.polish, seed)

    def _check_used(self) -> None:
        """Refuse what was set and would change nothing."""
        idle = (
            "schedule",
            "optimize",
            "passes",
            "trials",
            "balance",
            "anneal",
            "lead",
            "last",
            "upward",
        )
        unused = (
            idle
            if self.inference == "cliquewise"
            else ("rounds",)
            if self.optimize == "shuffled"
            else ("rounds", "trials")
        )
        for info in params_of(Comraf):
            if info.name in unused and getattr(self, info.name) != info.default:
                how = (
                    "inference='cliquewise'" if self.inference == "cliquewise" else "these settings"
                )
                raise ParameterError(
                    f"{info.name} was set to {getattr(self, info.name)!r} and changes nothing with {how}.",
                    owner="Comraf",
                )

    def _steps(self, net: Net) -> list[Step]:
        check_directions(net, "Comraf")
        if self.schedule == "auto":
            return ready_made(net, self.lead, self.last)
        if self.schedule == "reverse":
            return reverse(net, self.lead)
        return written(self.schedule, net, "Comraf")


class MDC(Populations):
    """Multi-way distributional clustering: members unite while words and all other populations split, step by step."""

    guided: ClassVar[bool] = True

    n_groups: Any = param(8, _GROUPS, ge=1)
    graph: Any = param(None, GRAPH)
    weights: Any = param("mass", WEIGHTS, choices=RULES)
    runs: int = param(
        4,
        "Independent runs, from which the groups that agree most with all of them are made.",
        ge=1,
    )
    restarts: int = param(2, "Attempts at every iteration, the best of which is kept.", ge=1)
    passes: float = param(2.0, "Passes over the elements after each split or union.", gt=0, le=100)
    polish: str | None = param("raw", _POLISH, choices=("icm", "raw"))
    counts: str = param("auto", COUNTS, choices=COUNTED)
    sample: int | None = param(
        None,
        "Members the schedule runs on, the others placed after it; when left out, 20,000 of more than 50,000.",
        ge=2,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of orders and splits.")

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        return Wishes("MDC", self.graph, self.n_groups, (), self.weights, counts=self.counts)

    def search(self, net: Net, seed: int) -> Found:
        """The ready-made schedule (four splits, then unions and splits in turn, then one union at a time), several times."""
        search = Search(self.restarts, float(self.passes))
        size = len(net.nodes[net.target])
        some = self.sample or (_SAMPLE if size > _WHOLE else size)
        groups = net.nodes[net.target].n_groups or 1
        if some < size and some < 2 * groups:
            raise ParameterError(
                f"sample must be at least twice the {groups} groups asked for, and was {some}.",
                owner="MDC",
            )
        if some < size:
            found = sampled(net, some, search, self.runs, seed, "MDC")
        else:
            found = repeated(net, ready_made(net, 4, 4), search, self.runs, seed, "MDC")
        return polished(net, found, self.polish, seed)


def check_directions(net: Net, owner: str) -> None:
    """Refuse a graph in which everything starts as one cluster: the first split would be a random cut nobody corrects."""
    if any(
        all(net.nodes[at].hidden and not net.nodes[at].upward for at in part)
        for part in net.components()
    ):
        raise ParameterError(
            "every population would start as one cluster, and the first split could not be corrected; name one in "
            "upward, or leave one observed.",
            owner=owner,
        )

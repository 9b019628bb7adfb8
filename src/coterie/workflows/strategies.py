"""How members are grouped: by an ensemble of models, by how alike they are, by what they are tied to, or by what they are.

A strategy groups prepared members into any number of groups; an ensemble of models also chooses the number.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie.compare.neighborhood import Neighborhood
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Step
from coterie.core.hints import Hints
from coterie.core.links import Links
from coterie.core.partition import Partition
from coterie.organize.spectral import Spectral
from coterie.pipeline import Branch, Pipeline, by_links, by_members, represents
from coterie.workflows.choices import Choices, method
from coterie.workflows.hinted import check_guided
from coterie.workflows.modalities import modality_for
from coterie.workflows.modalities.views import chosen_views
from coterie.workflows.populations import again, steps_of, tied_organizer, used, wanted_links
from coterie.workflows.prepared import PreparedCollection
from coterie.workflows.spectral_cuts import SpectralCuts

_ROUNDS = 8  # subsamples on which the groups are looked for
_FEWER = 5  # such subsamples where each is clustered with all it is tied to


@dataclass(frozen=True, eq=False)
class Grouping:
    """Members that were grouped, and the pipeline that places new ones."""

    partition: Partition
    pipeline: Pipeline
    organizer: Any


@dataclass(frozen=True, eq=False)
class Resampling:
    """How groups are found again on subsamples: the members these are drawn of, and what groups one."""

    members: np.ndarray
    group: Callable[[np.ndarray], np.ndarray]  # positions among `members` -> labels
    rounds: int = _ROUNDS
    partial: bool = False  # whether `members` are to be counted where they are not all

    def labels(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The groups of a subsample under a name, to be kept."""
        return {"labels": self.group(rows)}


class Strategy(ABC):
    """One way to group members."""

    is_ensemble: ClassVar[bool] = False  # whether it chooses the number of groups by itself
    links: Links | None = None  # what members are grouped by, where it is what they are tied to

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def explore_numbers(self, prepared: PreparedCollection) -> Any:
        """A fitted organizer that has looked at several numbers of groups; of strategies that are ensembles."""
        raise NotImplementedError(f"{type(self).__name__} is no ensemble of models")

    @abstractmethod
    def organizer(self, k: int) -> Any:
        """What makes k groups."""

    def takes_graph(self, organizer: Any) -> bool:
        """Whether the graph of nearest neighbors is kept beside the members."""
        return True

    @abstractmethod
    def given(self, prepared: PreparedCollection, affinity: Affinity) -> Any:
        """What the organizer is given of the members, of which the affinity says how alike they are."""

    def group(
        self, prepared: PreparedCollection, k: int, constraints: Hints | None = None
    ) -> Grouping:
        """Tie the members to their neighbors and group them."""
        organizer = self.organizer(k)
        n = len(prepared)
        before = prepared.pipeline
        related: list[Any] = []
        if self.takes_graph(organizer):
            neighborhood = Neighborhood(
                neighbors=min(prepared.graph.neighbors(n), n - 1),
                scale=prepared.graph.scale,
                approximate="auto",
            )
            related = [neighborhood.fit(before.affinity_)]
        pipeline = Pipeline([*before.steps, *related, organizer])
        pipeline.steps_ = [*before.steps_, *related, organizer]
        if constraints is None and k == 1 and self.is_trivial(organizer):
            return Grouping(Partition(np.zeros(n, dtype=np.int64)), pipeline, organizer)
        guide = {} if constraints is None else {"hints": constraints}
        if guide:
            check_guided(organizer)
        data = self.given(prepared, related[-1].affinity_ if related else before.affinity_)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".* not kept, such as ")  # a note says it
            organizer.fit(data, **guide)
        return Grouping(organizer.partition_, pipeline, organizer)

    def cut(self, prepared: PreparedCollection, k: int) -> Partition:
        """The best cut, though nothing was found in it."""
        return self.group(prepared, k).partition

    def is_trivial(self, organizer: Any) -> bool:
        """Whether one group is asked for, so that nothing needs to be fitted."""
        return False

    def resampling(
        self,
        prepared: PreparedCollection,
        organizer: Any,
        k: int,
        constraints: Hints | None = None,
    ) -> Resampling | None:
        """How k groups are found again on subsamples; None where that is not looked at."""
        return None

    def steps(self, prepared: PreparedCollection, organizer: Any) -> list[Step]:
        """What was done to group the members."""
        return [_graph_step(prepared, self.choices)]


class ByAffinity(Strategy):
    """Groups by how alike members are: spectral clustering, or an organizer of affinities that was named."""

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self.is_default = not choices.organize

    def organizer(self, k: int) -> Any:
        """Spectral clustering, or the organizer that was named."""
        if self.is_default:
            return Spectral(n_groups=k, random_state=self.choices.seed)
        return named_organizer(self.choices, k)

    def given(self, prepared: PreparedCollection, affinity: Affinity) -> Any:
        """The affinity: the graph of nearest neighbors, or all pairs."""
        return affinity

    def takes_graph(self, organizer: Any) -> bool:
        """Only methods that cut a graph; the others are given all pairs, as their papers give it."""
        return bool(getattr(organizer, "cuts_graph", False))

    def steps(self, prepared: PreparedCollection, organizer: Any) -> list[Step]:
        """The graph that was cut, or that all pairs were looked at."""
        if self.takes_graph(organizer):
            return [_graph_step(prepared, self.choices)]
        return [Step("all_pairs", {"method": self.choices.organize})]

    def is_trivial(self, organizer: Any) -> bool:
        """Spectral clustering into one group."""
        return _is_spectral(organizer) and organizer.n_groups == 1

    def resampling(
        self,
        prepared: PreparedCollection,
        organizer: Any,
        k: int,
        constraints: Hints | None = None,
    ) -> Resampling | None:
        """The same cut of a subsample that is prepared by itself; of spectral clustering without constraints only."""
        if not _is_spectral(organizer) or constraints is not None:
            return None
        members = prepared.sample(self.choices.seed)

        def group(rows: np.ndarray) -> np.ndarray:
            part = prepared.take(members[rows])
            return SpectralCuts(part.affinity(), k, prepared.graph, self.choices.seed).at(k)[1]

        return Resampling(members, group)


class ByMembers(Strategy):
    """Groups by what members are: an organizer of sequences or sets."""

    def organizer(self, k: int) -> Any:
        """The organizer that was named."""
        return named_organizer(self.choices, k)

    def given(self, prepared: PreparedCollection, affinity: Affinity) -> Any:
        """The members as they were read or as the comparer was given them; refused where the organizer takes no such members."""
        organizer = self.organizer(1)
        members = prepared.data if represents(organizer) else prepared.members()
        if isinstance(members, (organizer.takes, *organizer.also)):
            return members
        named = type(organizer).__name__
        if represents(organizer):
            kinds = ", ".join(kind.__name__ for kind in (organizer.takes, *organizer.also))
            raise DataError(
                f"{named} groups {kinds}, and here members are a {type(members).__name__}; leave it out, or name another."
            )
        raise DataError(
            f"{named} groups sequences or sets of vectors, and here members are compared as a {type(members).__name__.lower()}; "
            "name a comparer that takes them as they are besides, such as Divergence or SSD.",
            parameter="compare",
        )

    def steps(self, prepared: PreparedCollection, organizer: Any) -> list[Step]:
        """The members are grouped by what they are."""
        return [_graph_step(prepared, self.choices, True)]


class ByCooccurrence(Strategy):
    """Groups by what members are tied to: words, people, citations, colors (information bottleneck, Comraf)."""

    links: Links

    def __init__(self, choices: Choices, links: Links) -> None:
        super().__init__(choices)
        self.links = links

    def organizer(self, k: int) -> Any:
        """Comraf as these links ask for it, or the organizer that was named."""
        if self.choices.organize:
            return named_organizer(self.choices, k)
        return tied_organizer(k, self.links, self.choices.seed)

    def given(self, prepared: PreparedCollection, affinity: Affinity) -> Any:
        """The links."""
        return self.links

    def is_trivial(self, organizer: Any) -> bool:
        """One group of everything."""
        return bool(organizer.n_groups == 1)

    def resampling(
        self,
        prepared: PreparedCollection,
        organizer: Any,
        k: int,
        constraints: Hints | None = None,
    ) -> Resampling | None:
        """The same organizer on subsamples, with a single run and as few attempts as do."""
        members, group = again(organizer, self.links, self.choices.seed, constraints)
        return Resampling(members, group, _FEWER, partial=True)

    def steps(self, prepared: PreparedCollection, organizer: Any) -> list[Step]:
        """By which links, and what each weighed; nothing where nothing was grouped."""
        if not hasattr(organizer, "partition_"):
            return [_graph_step(prepared, self.choices, bool(self.choices.organize))]
        return steps_of(organizer, used(organizer, self.links), self.choices.organize or "")


class ByEnsemble(Strategy):
    """Groups by the ensemble of models that suits the modality: what coterie does where no method is named."""

    is_ensemble: ClassVar[bool] = True

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self._branch: Branch | None = None

    def explore_numbers(self, prepared: PreparedCollection) -> Any:
        """The ensemble with the number of groups that was asked for, or the one it chooses."""
        self._branch = prepared.ensemble(self.choices.k, self.choices)
        return self._branch.organizer_

    def cut(self, prepared: PreparedCollection, k: int) -> Partition:
        """What the ensemble found with the number of groups it chose."""
        if self._branch is None:
            return super().cut(prepared, k)
        return self._branch.partition_

    def organizer(self, k: int) -> Any:
        """The organizer of the ensemble that was fitted."""
        return None if self._branch is None else self._branch.organizer_

    def given(self, prepared: PreparedCollection, affinity: Affinity) -> Any:
        """The members as they were read."""
        return prepared.data

    def group(
        self, prepared: PreparedCollection, k: int, constraints: Hints | None = None
    ) -> Grouping:
        """The groups of the ensemble, fitted again where it made fewer runs to choose the number."""
        before = prepared.pipeline
        if k == 1:
            everyone = Partition(np.zeros(len(prepared), dtype=np.int64))
            return Grouping(everyone, before, self.organizer(1))
        branch = self._branch
        chosen = prepared.is_thorough and branch is not None and branch.partition_.n_groups == k
        if branch is None or (self.choices.k != k and not chosen):
            branch = prepared.ensemble(k, self.choices)
        self._branch = branch
        pipeline = Pipeline([*before.steps, branch])
        pipeline.steps_ = [*before.steps_, branch]
        return Grouping(branch.partition_, pipeline, branch.organizer_)

    def resampling(
        self,
        prepared: PreparedCollection,
        organizer: Any,
        k: int,
        constraints: Hints | None = None,
    ) -> Resampling | None:
        """The same ensemble with fewer runs on subsamples."""
        members, group = prepared.regrouping(organizer, self.choices)
        return Resampling(members, group, _FEWER, partial=True)

    def steps(self, prepared: PreparedCollection, organizer: Any) -> list[Step]:
        """Which ensemble it was."""
        beside = len(getattr(organizer, "directions_", ()))
        values = {"method": type(organizer).__name__, **({"spaces": beside} if beside else {})}
        return [Step("ensemble", values), Step("affinity_beside")]


def choose_strategy(
    collection: Collection, view: str, choices: Choices, constraints: Hints | None = None
) -> Strategy:
    """By links where members are tied to something that tells, by a named organizer of members, by the ensemble of the modality, else by affinity."""
    links = None
    if _may_be_tied(collection, choices, constraints):
        links = wanted_links(collection, view, choices, constraints is not None)
    if links is not None:
        return ByCooccurrence(choices, links)
    if choices.organize and by_members(method(choices.organize, "organize")):
        return ByMembers(choices)
    if prepared_by_ensemble(collection, view, choices) and constraints is None:
        return ByEnsemble(choices)
    return ByAffinity(choices)


def _may_be_tied(collection: Collection, choices: Choices, constraints: Hints | None) -> bool:
    """Whether members could be grouped by what they are tied to: by links, by captions, or since a person asks for it."""
    if is_several(collection, choices) or _by_vectors(collection, choices):
        return False
    is_asked = bool(choices.organize) or constraints is not None
    return is_asked or bool(collection.links) or len(collection.views) > 1


def is_several(collection: Collection, choices: Choices) -> bool:
    """Whether several views are analyzed at once."""
    there_may_be = bool(choices.views) or len(collection.views) > 1
    return there_may_be and bool(chosen_views(collection, choices))


def prepared_by_ensemble(collection: Collection, view: str, choices: Choices) -> bool:
    """Whether no method was named and the modality has an ensemble of its own."""
    if choices.segment or choices.compare or choices.organize:
        return False
    if is_several(collection, choices):
        return True
    return modality_for(collection, view, choices).has_ensemble(collection.view(view))


def _by_vectors(collection: Collection, choices: Choices) -> bool:
    """Whether members are compared by vectors that were given, and not grouped by links that a person asked for."""
    if choices.view is not None or not collection.of_modality("vectors"):
        return False
    return not choices.organize or not by_links(method(choices.organize, "organize"))


def named_organizer(choices: Choices, k: int) -> Any:
    """The organizer a person named, for k groups unless it says how fine its groups are."""
    words = choices.organize or ""
    fine = any(word in words for word in ("inflation", "resolution"))  # of MCL and Leiden
    aim = {} if fine else {"target_groups": k}
    return method(words, "organize", random_state=choices.seed, n_groups=k, **aim)


def _is_spectral(organizer: Any) -> bool:
    return isinstance(organizer, Spectral)


def _graph_step(prepared: PreparedCollection, choices: Choices, by_members: bool = False) -> Step:
    values = {
        "neighbors": prepared.graph.neighbors(len(prepared)),
        "method": choices.organize or "spectral clustering",
        "by_members": by_members,
    }
    return Step("graph", values)

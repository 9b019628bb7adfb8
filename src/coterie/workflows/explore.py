"""The main analysis: prepare the members, ask whether there are groups and how many, group them, describe the groups.

`analyse` is the whole of it, for every kind of data. What differs between kinds is in `modalities`, what differs between
ways of grouping is in `strategies`; segments and several views are modalities of their own. Nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Duplicates, Evidence, Findings, Group, GroupLevel, Step
from coterie.core.hints import Hints
from coterie.core.partition import Partition
from coterie.core.pieces import once
from coterie.core.workplace import stage, steady, watched, workplace
from coterie.messages.notes import code_of
from coterie.parts.pairwise import median_distance
from coterie.pipeline import Pipeline
from coterie.workflows.choices import Choices
from coterie.workflows.describe import (
    compute_map,
    describe,
    explained,
    grids_of,
    kind_of,
    name_all,
    nearness_of,
    overview_of,
    parents_of,
    picture_of,
    points_of,
    snippets,
    strips_of,
    without_blanks,
)
from coterie.workflows.duplicates import unfolded
from coterie.workflows.evidence import judge, weigh, weigh_stability
from coterie.workflows.hinted import at_least, with_hints
from coterie.workflows.meetings import with_populations
from coterie.workflows.modalities import modality_for
from coterie.workflows.modalities.base import Modality
from coterie.workflows.modalities.views import ViewsModality, other_views
from coterie.workflows.populations import unused_ties, used
from coterie.workflows.prepared import PreparedCollection
from coterie.workflows.strategies import Grouping, Strategy, choose_strategy, is_several
from coterie.workflows.unstructured import look_closer

_LEAST = 3  # members that can be grouped
_STRANGE = 0.99  # a new member farther away than this share of the fitted ones fits nowhere


@dataclass(frozen=True, eq=False)
class Analysis:
    """An analysis that was made: the fitted pipeline, what placing new members needs, and the findings."""

    pipeline: Pipeline
    view: str
    width: float  # the distance at which nearness is 0.6
    reach: float  # mean distance to its neighbors beyond which a new member fits nowhere
    grouped: bool  # False when there was no structure and everyone is in one group
    findings: Any = None
    views: tuple[str, ...] = ()  # of an analysis of several views at once: their names
    beside: tuple[str, ...] = ()  # views that are compared with the one it started from


def analyse(collection: Collection, choices: Choices, constraints: Hints | None = None) -> Analysis:
    """Find the groups of a collection, with the person's choices and what the person knows of some members."""
    choices.check_params()
    view, modality = _modality_for(collection, choices)
    strategy = choose_strategy(collection, view, choices, constraints)
    with watched(workplace().watch, "explore", 5) as task, steady():
        everyone = modality.prepare(collection, view, choices)
        repeats = everyone.repeats()
        prepared, kept = fold(everyone, repeats, modality, strategy)
        task.advance()
        with stage("evidence"):
            evidence = prepared.adjust(weigh(prepared, strategy))
            if constraints is not None:
                evidence = at_least(evidence, constraints)
        task.advance()
        with stage("organize"):
            grouping = strategy.group(prepared, evidence.n_groups, constraints)
        evidence = _reconcile(evidence, grouping)
        with stage("stability"):
            evidence = weigh_stability(evidence, prepared, strategy, grouping, constraints)
        cut = None
        if not evidence.structured and evidence.chosen and evidence.best > 1:
            cut = strategy.cut(prepared, evidence.best)
        if prepared is not everyone:
            cut = None if cut is None else unfolded(cut, kept, repeats, len(everyone))
            grouping = unfold(grouping, everyone, kept, repeats)
            repeats = replace(repeats, folded=True)
        prepared = everyone
        kind = prepared.modality
        verdict = judge(evidence, kind, grouping.partition.labels)
        evidence = replace(evidence, verdict=verdict, modality=kind)
        task.advance()
        found = _describe(prepared, strategy, grouping, evidence, repeats, constraints, task)
        if not evidence.structured and evidence.chosen:
            found = _with_hint(found, prepared, strategy, cut, repeats)
        task.advance()
    return found


def _modality_for(collection: Collection, choices: Choices) -> tuple[str, Modality]:
    """The view to start from and how it is analysed, refused where there is too little."""
    n = len(collection)
    view = choices.view or collection.main
    if choices.k is not None and choices.k > n:
        raise DataError(f"k is {choices.k} and there are only {n} members.")
    if n < 3:
        many = "s" if n > 1 else ""
        raise DataError(f"'{collection.name}' has {n} member{many}; grouping needs at least 3.")
    if is_several(collection, choices):
        return view, ViewsModality()
    return view, modality_for(collection, view, choices)


def _with_hint(
    found: Analysis,
    prepared: PreparedCollection,
    strategy: Strategy,
    cut: Partition | None,
    repeats: Duplicates,
) -> Analysis:
    """The analysis of members in which nothing was found, with likely reasons, the best cut, and what to try next."""
    seen = found.findings
    labels = seen.labels if cut is None else cut.labels
    parts: list[Group] = []
    if cut is not None:
        features = prepared.describe(labels, cut.n_groups)
        parts, _ = describe(
            prepared.collection, prepared.view, cut, seen.neighbors, seen.nearness, features
        )
    closer = look_closer(prepared, strategy, seen.evidence, parts, labels, repeats)
    return replace(found, findings=replace(seen, unstructured=closer))


def fold(
    everyone: PreparedCollection, repeats: Duplicates, modality: Modality, strategy: Strategy
) -> tuple[PreparedCollection, np.ndarray]:
    """The members that groups are found among, and their positions: all, or where that was chosen those that repeat no other."""
    choices = strategy.choices
    rows = np.setdiff1d(np.arange(len(everyone)), repeats.members)
    if choices.duplicates == "keep" or not len(repeats) or len(rows) < _LEAST:
        return everyone, np.arange(len(everyone))
    if not strategy.is_ensemble:
        raise ParameterError.of(
            "explore",
            "duplicates",
            "can be 'fold' where groups are found by the default methods, without hints, links or views.",
        )
    return modality.prepare(everyone.collection.take(rows), everyone.view, choices), rows


def unfold(
    grouping: Grouping, everyone: PreparedCollection, kept: np.ndarray, repeats: Duplicates
) -> Grouping:
    """The same groups of all members, and the pipeline that compares new ones with all of them."""
    partition = unfolded(grouping.partition, kept, repeats, len(everyone))
    if grouping.partition.n_groups < 2:
        return Grouping(partition, everyone.pipeline, grouping.organizer)
    branch = grouping.pipeline.steps_[-1]
    pipeline = Pipeline([*everyone.pipeline.steps, branch])
    pipeline.steps_ = [*everyone.pipeline.steps_, branch]
    return Grouping(partition, pipeline, grouping.organizer)


def _reconcile(evidence: Evidence, grouping: Grouping) -> Evidence:
    """The evidence with the number of groups that the organizer made."""
    made = grouping.partition.n_groups
    if made == evidence.n_groups:
        return evidence
    name = type(grouping.organizer).__name__
    return replace(evidence, n_groups=made, made_by=name, wanted=evidence.n_groups)


def _describe(
    prepared: PreparedCollection,
    strategy: Strategy,
    grouping: Grouping,
    evidence: Evidence,
    repeats: Duplicates,
    constraints: Hints | None,
    task: Any,
) -> Analysis:
    """Everything that is shown of the groups: neighbors, map, key features, typical and borderline members."""
    collection = prepared.collection
    choices = strategy.choices
    affinity = prepared.affinity()
    neighbors, distances, recall = prepared.near()
    task.advance()
    width = median_distance(affinity) / 2 or 1.0
    nearness = nearness_of(distances, width)
    by_links = strategy.links is not None
    partition, blank = without_blanks(grouping.partition, None if by_links else prepared.blank())
    labels = partition.labels
    features = prepared.describe(labels, partition.n_groups)
    groups, confidence = describe(
        collection, prepared.view, partition, neighbors, nearness, features
    )
    groups = explained(groups, partition, prepared.comparer, collection.ids)
    if evidence.overlaps:
        pairs = zip(groups, evidence.overlaps, strict=True)
        groups = [replace(group, stability=overlap) for group, overlap in pairs]
    with stage("map"):
        points = points_of(affinity)
        places = once("layout", partial(compute_map, points, choices.seed))["map"]
    order, picture = picture_of(affinity, partition, confidence, width, choices.seed)
    comparer = prepared.comparer
    findings = Findings(
        title=collection.name,
        kind=kind_of(collection),
        ids=collection.ids,
        snippets=snippets(collection, prepared.view),
        labels=labels,
        confidence=confidence,
        map=places,
        neighbors=neighbors,
        nearness=nearness,
        matrix=picture,
        matrix_members=order,
        groups=groups,
        levels=_levels(prepared, strategy, grouping, evidence, partition, groups),
        evidence=evidence,
        overview=overview_of(collection, groups, confidence, labels),
        notes=(
            *(note for note in collection.notes if code_of(note) != "repeated"),
            *(
                unused_ties(collection, prepared.view, choices)
                if collection.links and not by_links
                else []
            ),
            *(other_views(collection, prepared.view, choices) if len(collection.views) > 1 else []),
            *blank,
        ),
        duplicates=repeats,
        cards={**collection.cards, **_truths(collection)},
        curves=comparer.curves() if hasattr(comparer, "curves") else {},
        strips=strips_of(comparer, groups, collection.ids),
        grids=grids_of(comparer, partition, groups),
        steps=[*prepared.steps, *strategy.steps(prepared, grouping.organizer), Step("map")],
    )
    if strategy.links is not None:
        organizer = grouping.organizer
        links = used(organizer, strategy.links)
        findings = with_populations(findings, organizer, links, partition, choices.seed)
    findings = prepared.finish(findings, partition)
    if constraints is not None:
        findings = with_hints(findings, constraints, grouping.organizer)
    if recall is not None:
        searched = Step("approximate_neighbors", {"recall": recall})
        findings = replace(findings, steps=[*findings.steps, searched])
    return Analysis(
        pipeline=grouping.pipeline,
        view=prepared.view,
        width=width,
        reach=float(np.quantile(distances.mean(axis=1), _STRANGE)),
        grouped=partition.n_groups > 1,
        findings=findings,
        views=prepared.views,
        beside=prepared.beside,
    )


def _levels(
    prepared: PreparedCollection,
    strategy: Strategy,
    grouping: Grouping,
    evidence: Evidence,
    partition: Partition,
    groups: Sequence[Group],
) -> tuple[GroupLevel, ...]:
    """The groups among coarser and finer ones, where an ensemble chose their number and others do about as well."""
    if not (strategy.is_ensemble and evidence.chosen and evidence.structured):
        return ()
    rows = np.where(partition.labels >= 0, prepared.levels_of(grouping.organizer), -1)
    if len(rows) < 2:
        return ()
    found: list[GroupLevel] = []
    for labels in rows:
        many = int(labels.max()) + 1
        if np.array_equal(labels, partition.labels):
            names = [group.name for group in groups]
        else:
            names = name_all(prepared.describe(labels, many))
        parents = parents_of(labels, found[-1].labels, many) if found else ()
        found.append(GroupLevel(labels, tuple(names), parents))
    return tuple(found)


def _truths(collection: Collection) -> dict[str, list[str]]:
    """Known answers, to be looked at beside the groups; nothing was fitted on them."""
    return {
        f"truth: {name}": [str(answer) for answer in answers]
        for name, answers in collection.truth.items()
    }

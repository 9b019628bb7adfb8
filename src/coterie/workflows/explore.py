"""The main analysis: prepare the members, ask whether there are groups and how many, group them, describe the groups.

`analyse` is the whole of it, for every kind of data. What differs between kinds is in `modalities`, what differs between
ways of grouping is in `strategies`; segments and several views are modalities of their own. Nothing is stored here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Evidence, Findings, Step
from coterie.core.hints import Hints
from coterie.core.watch import watched
from coterie.core.workplace import stage, steady, workplace
from coterie.parts.iterate import once
from coterie.parts.neighbors import near_ones
from coterie.parts.pairwise import median_distance
from coterie.pipeline import Pipeline
from coterie.workflows.choices import Choices
from coterie.workflows.describe import (
    compute_map,
    describe,
    explained,
    grids_of,
    kind_of,
    nearness_of,
    overview_of,
    picture_of,
    points_of,
    snippets,
    strips_of,
    without_blanks,
)
from coterie.workflows.evidence import weigh, weigh_stability
from coterie.workflows.hinted import at_least, with_hints
from coterie.workflows.meetings import with_populations
from coterie.workflows.modalities import modality_of
from coterie.workflows.modalities.base import Modality
from coterie.workflows.modalities.views import ViewsModality, chosen_views, other_views
from coterie.workflows.populations import unused_ties, used
from coterie.workflows.prepared import PreparedCollection
from coterie.workflows.strategies import Grouping, Strategy, choose_strategy
from coterie.workflows.verdict import judge

_NEAR = 12  # nearest members kept per member
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


def analyse(collection: Collection, choices: Choices, constraints: Hints | None = None) -> Analysis:
    """Find the groups of a collection, with the person's choices and what the person knows of some members."""
    choices.check_params()
    view, modality = _modality_for(collection, choices)
    strategy = choose_strategy(collection, view, choices, constraints)
    with watched(workplace().watch, "explore", 5) as task, steady():
        prepared = modality.prepare(collection, view, choices)
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
        labels = grouping.partition.labels
        evidence = replace(evidence, verdict=judge(evidence, prepared.modality, labels))
        task.advance()
        found = _describe(prepared, strategy, grouping, evidence, constraints, task)
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
    if chosen_views(collection, choices):
        return view, ViewsModality()
    return view, modality_of(collection.view(view))


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
    constraints: Hints | None,
    task: Any,
) -> Analysis:
    """Everything that is shown of the groups: neighbors, map, key features, typical and borderline members."""
    collection = prepared.collection
    choices = strategy.choices
    affinity = prepared.affinity()
    neighbors, distances, recall = near_ones(affinity, min(_NEAR, len(prepared) - 1))
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
        evidence=evidence,
        overview=overview_of(collection, groups, confidence, labels),
        notes=(
            *collection.notes,
            *([] if by_links else unused_ties(collection, prepared.view, choices)),
            *(other_views(collection, prepared.view, choices) if len(collection.views) > 1 else []),
            *blank,
        ),
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
    )


def _truths(collection: Collection) -> dict[str, list[str]]:
    """Known answers, to be looked at beside the groups; nothing was fitted on them."""
    return {
        f"truth: {name}": [str(answer) for answer in answers]
        for name, answers in collection.truth.items()
    }

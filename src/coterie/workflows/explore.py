"""One walk through the rooms: represent, compare, choose the number of groups, organize, describe. Nothing is stored here."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.compare.neighborhood import Neighborhood
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Evidence, Findings
from coterie.core.hints import Hints
from coterie.core.links import Links
from coterie.core.partition import Partition
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.watch import watched
from coterie.core.workplace import stage, steady, workplace
from coterie.judge.stability import stability
from coterie.organize.spectral import Spectral
from coterie.parts.iterate import once
from coterie.parts.neighbors import near_ones
from coterie.parts.pairwise import median_distance
from coterie.pipeline import Pipeline, by_links, by_members
from coterie.workflows import evidence as searching
from coterie.workflows.choices import Choices, method
from coterie.workflows.cut import spectral_cut
from coterie.workflows.groups import describe, explained, kind_of, loose, summarize, without_blanks
from coterie.workflows.hinted import at_least, check_guided, with_hints
from coterie.workflows.layout import lay_out
from coterie.workflows.meetings import with_populations
from coterie.workflows.pictures import grids_of, nearness_of, picture_of, points_of, strips_of
from coterie.workflows.plan import Plan, apart, plan_for
from coterie.workflows.populations import again, tied_organizer, unused_ties, used, wanted_links
from coterie.workflows.telling import snippet, telling
from coterie.workflows.view_space import SeenViews
from coterie.workflows.views import other_views, seen_in

_NEAR = 12  # nearest members kept per member
_ROUNDS = 8  # random parts on which the groups are found again
_FEWER = 5  # such parts where each is clustered with all it is tied to
_STRANGE = 0.99  # a new member farther away than this share of the fitted ones fits nowhere


@dataclass(frozen=True, eq=False)
class Walked:
    """A walk that was taken: the fitted pipeline, what placing new members needs, and the findings."""

    pipeline: Pipeline
    view: str
    width: float  # the distance at which nearness is 0.6
    reach: float  # mean distance to its neighbors beyond which a new member fits nowhere
    grouped: bool  # False when there was no structure and everyone is in one group
    findings: Any = None
    views: tuple[str, ...] = ()  # of a walk on several views at once: their names


def walk(collection: Collection, choices: Choices, hints: Hints | None = None) -> Walked:
    """Take the default walk for this collection, with the person's choices and what the person knows of some members."""
    choices.check_params()
    data = seen_in(collection, choices)
    names = tuple(data.views) if isinstance(data, SeenViews) else ()
    view = names[0] if names else choices.view or collection.main
    n = len(collection)
    if choices.k is not None and choices.k > n:
        raise DataError(f"k is {choices.k} and there are only {n} members.")
    if n < 3:
        return _too_few(collection, view)
    here = workplace()
    links = None if names else wanted_links(collection, view, choices, hints is not None)
    with watched(here.watch, "explore", 5) as task, steady():
        plan = plan_for(collection, view, choices)
        before = Pipeline([*plan.represent, plan.comparer])
        with stage("represent"):
            before.fit(data)
        plan.adopt(before.steps_[-1])
        if plan.shared:
            plan.shared.learn(before, data)
        affinity = apart(before.affinity_, type(plan.comparer).__name__)
        task.advance()
        with stage("evidence"):
            evidence = _evidence(plan, n, choices)
            evidence = at_least(plan.shared.weighed(evidence) if plan.shared else evidence, hints)
        task.advance()
        organizer = _organizer(choices, evidence, links)
        neighborhood = Neighborhood(
            neighbors=min(plan.neighbors_of(n), n - 1), scale=plan.scale, approximate="auto"
        )
        with stage("organize"):
            pipeline, partition = _organize(
                before, neighborhood, organizer, evidence, links or data, hints
            )
        evidence = _said_by(organizer, evidence, partition)
        again_by_likeness = isinstance(organizer, Spectral) and hints is None
        if choices.nulls and (links or again_by_likeness) and 1 < partition.n_groups <= n // 4:
            with stage("stability"):
                anew = again(organizer, links, choices.seed, hints) if links else None
                evidence = _stable(plan, partition, evidence, choices, anew)
        task.advance()
        neighbors, gaps, recall = near_ones(affinity, min(_NEAR, n - 1))
        task.advance()
        findings, width = _findings(
            collection,
            view,
            plan,
            before,
            affinity,
            partition,
            neighbors,
            gaps,
            evidence,
            choices,
            links is None,
        )
        findings = (
            with_populations(findings, organizer, used(organizer, links), partition, choices)
            if links
            else findings
        )
        findings = plan.shared.findings(findings, data, partition) if plan.shared else findings
        findings = _searched(with_hints(findings, hints, organizer), recall)
        task.advance()
    reach = float(np.quantile(gaps.mean(axis=1), _STRANGE))
    return Walked(pipeline, view, width, reach, partition.n_groups > 1, findings, names)


def _evidence(plan: Plan, n: int, choices: Choices) -> Evidence:
    chosen = _sample(n, plan, choices)
    part = plan.form(chosen)
    question = searching.Question(
        members=part,
        compare=plan.compare,
        cut=lambda distances, top: _cut(plan, distances, top, choices),
        nulls=plan.families(part) if choices.nulls else {},
        n=len(chosen),
    )
    return searching.seek(
        question, k=choices.k, max_k=choices.max_k, nulls=choices.nulls, seed=choices.seed
    )


def _sample(n: int, plan: Plan, choices: Choices) -> np.ndarray:
    """The members the evidence is read off: all, or a sample of a large collection."""
    return (
        np.arange(n)
        if n <= plan.most
        else np.sort(stream(choices.seed, 5).choice(n, plan.most, replace=False))
    )


def _cut(plan: Plan, distances: Affinity, top: int, choices: Choices) -> Any:
    n = distances.shape[0]
    return spectral_cut(
        distances,
        top,
        neighbors=min(plan.neighbors_of(n), n - 1),
        scale=plan.scale,
        seed=choices.seed,
    )


def _stable(
    plan: Plan, partition: Partition, evidence: Evidence, choices: Choices, tied: Any
) -> Evidence:
    """How well the groups are found again on random parts of the members, cut by likeness or by what they are tied to."""
    k = partition.n_groups
    here = workplace()
    rounds = _FEWER if tied else _ROUNDS
    everyone = _sample(len(partition), plan, choices)
    chosen, clustered = tied or (
        everyone,
        lambda part: _cut(plan, plan.compare(plan.form(everyone[part])), k, choices)[1](k)[1],
    )

    def cluster(indices: np.ndarray) -> np.ndarray:
        found = once("part", lambda: {"labels": clustered(indices)})
        task.advance()
        here.stop_if_asked()
        return np.asarray(found["labels"])

    with watched(here.watch, "stability", rounds) as task:
        found = stability(
            cluster,
            len(chosen),
            rounds=rounds,
            random_state=choices.seed,
            reference=partition.labels[chosen],
        )
    agreement = float(found.reference_ari.mean())
    weakest = min(found.groups, key=lambda group: group.jaccard)
    of = "" if len(chosen) == len(partition) or not tied else f" of {len(chosen):,}"
    said = (
        f"Found again on random parts of the members ({rounds} times 80%{of}), the groups agree by {agreement:.2f} "
        "(adjusted Rand)"
    )
    shaky = [int(group.group) + 1 for group in found.groups if group.jaccard < 0.5]
    said += (
        f"; {loose(shaky)}." if shaky else f"; the least stable overlaps by {weakest.jaccard:.0%}."
    )
    overlaps = {int(group.group): group.jaccard for group in found.groups}
    told = tuple(float(overlaps.get(g, np.nan)) for g in range(k))
    return replace(
        evidence, stability=agreement, overlaps=told, sentences=(*evidence.sentences, said)
    )


def _organizer(choices: Choices, evidence: Evidence, links: Links | None) -> Any:
    k = evidence.n_groups
    if choices.organize:
        said = any(
            word in choices.organize for word in ("inflation", "resolution")
        )  # how fine groups of MCL and Leiden are
        aim = {} if said else {"target_groups": k}
        return method(choices.organize, "organize", random_state=choices.seed, n_groups=k, **aim)
    return (
        tied_organizer(k, links, choices.seed)
        if links
        else Spectral(n_groups=k, random_state=choices.seed)
    )


def _organize(
    before: Pipeline,
    neighborhood: Neighborhood,
    organizer: Any,
    evidence: Evidence,
    view: Any,
    hints: Hints | None,
) -> tuple[Pipeline, Partition]:
    """Fit the neighborhood and the organizer on the affinity that is already there, on the members themselves or their links."""
    neighborhood.fit(before.affinity_)
    pipeline = Pipeline([*before.steps, neighborhood, organizer])
    pipeline.steps_ = [*before.steps_, neighborhood, organizer]
    if (
        hints is None
        and evidence.n_groups == 1
        and (isinstance(organizer, Spectral) or by_links(organizer))
        and organizer.n_groups == 1
    ):
        return pipeline, Partition(np.zeros(neighborhood.affinity_.shape[0], dtype=np.int64))
    guide = {} if hints is None else {"hints": hints}
    if guide:
        check_guided(organizer)
    data = view if isinstance(view, Links) else neighborhood.affinity_
    if not isinstance(view, Links) and by_members(organizer):
        data = _taken(organizer, before.members(view))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* not kept, such as ")  # the notes say it
        organizer.fit(data, **guide)
    return pipeline, organizer.partition_


def _taken(organizer: Any, members: Any) -> Any:
    if not isinstance(members, (organizer.takes, *organizer.also)):
        named = type(organizer).__name__
        raise DataError(
            f"{named} groups sequences or sets of vectors, and here members are compared as a {type(members).__name__.lower()}; "
            "name a comparer that takes them as they are besides, such as --compare Divergence or --compare SSD."
        )
    return members


def _said_by(organizer: Any, evidence: Evidence, partition: Partition) -> Evidence:
    if partition.n_groups == evidence.n_groups:
        return evidence
    asked = f"{evidence.n_groups} were {'chosen' if evidence.chosen else 'asked for'}"
    said = f"{type(organizer).__name__} made {partition.n_groups} groups where {asked}."
    return replace(evidence, n_groups=partition.n_groups, sentences=(*evidence.sentences, said))


def _findings(
    collection: Collection,
    view: str,
    plan: Plan,
    before: Pipeline,
    affinity: Affinity,
    partition: Partition,
    neighbors: np.ndarray,
    gaps: np.ndarray,
    evidence: Evidence,
    choices: Choices,
    by_words: bool,
) -> tuple[Findings, float]:
    width = median_distance(affinity) / 2 or 1.0
    nearness = nearness_of(gaps, width)
    terms = _terms(before, collection, view)
    partition, blank = without_blanks(partition, terms if by_words else None)
    labels = partition.labels
    k = partition.n_groups
    told = (
        plan.shared.telling(collection, labels, k)
        if plan.shared
        else telling(collection, view, labels, k, terms)
    )
    groups, confidence = describe(collection, view, partition, neighbors, nearness, told)
    groups = explained(groups, partition, before.steps_[-1], collection.ids)
    if evidence.overlaps:
        groups = [
            replace(group, stability=overlap)
            for group, overlap in zip(groups, evidence.overlaps, strict=True)
        ]
    with stage("map"):
        places = once("layout", lambda: {"map": lay_out(points_of(affinity), choices.seed)})["map"]
    order, picture = picture_of(affinity, partition, confidence, width, choices.seed)
    return (
        Findings(
            title=collection.name,
            kind=kind_of(collection),
            ids=collection.ids,
            snippets=snippet(collection, view),
            labels=partition.labels,
            confidence=confidence,
            map=places,
            neighbors=neighbors,
            nearness=nearness,
            matrix=picture,
            matrix_members=order,
            groups=groups,
            evidence=evidence,
            summary=summarize(collection, groups, evidence, confidence, partition.labels),
            notes=(
                *collection.notes,
                *(unused_ties(collection, view, choices) if by_words else ()),
                *other_views(collection, view, choices),
                *blank,
            ),
            cards={**collection.cards, **_truths(collection)},
            curves=before.steps_[-1].curves() if hasattr(before.steps_[-1], "curves") else {},
            strips=strips_of(before.steps_[-1], groups, collection.ids),
            grids=grids_of(before.steps_[-1], partition, groups),
            walk=[*plan.sentences, *_last_sentences(plan, partition, choices)],
        ),
        width,
    )


def _truths(collection: Collection) -> dict[str, list[str]]:
    """Known answers, to be looked at beside the groups; nothing was fitted on them."""
    return {
        f"truth: {name}": [str(answer) for answer in answers]
        for name, answers in collection.truth.items()
    }


def _terms(before: Pipeline, collection: Collection, view: str) -> Table | None:
    from coterie.represent.terms import Terms

    first = before.steps_[0]
    return (
        Table(first.counts(collection.view(view)), tuple(first.terms_))
        if isinstance(first, Terms)
        else None
    )


def _last_sentences(plan: Plan, partition: Partition, choices: Choices) -> list[str]:
    name = choices.organize or "spectral clustering"
    count = plan.neighbors_of(len(partition))
    first = f"Each member is tied to its {count} nearest neighbors, weighted by local density; {name} cuts this graph."
    if choices.organize and by_members(method(choices.organize, "organize")):
        first = f"{name} groups the members by what they are; how alike they are serves the map, the neighbors and the evidence."
    return [
        first,
        "The map is laid out by t-SNE: near members are near, but distances between far groups mean little.",
    ]


def _searched(findings: Findings, recall: float | None) -> Findings:
    """The findings with a sentence on how the neighbors of many members were found, where not all pairs were compared."""
    if recall is None:
        return findings
    said = f"There are too many pairs to compare them all: neighbors were searched for, and {recall:.0%} of the true ones found."
    return replace(findings, walk=[*findings.walk, said])


def _too_few(collection: Collection, view: str) -> Walked:
    raise DataError(
        f"'{collection.name}' has {len(collection)} member{'s' if len(collection) > 1 else ''}; grouping needs at least 3."
    )

"""How many groups, and whether there are any: what an ensemble of models says, or the separation of cuts against null models.

An ensemble chooses the number of groups and has null models of its own. Where spectral clustering cuts a graph of neighbors,
the members are cut for k = 2, 3, ..., and s is the mean silhouette of the cut times the square root of its evenness (the
effective number of groups, exp of the entropy of their shares, over k), so that a few stragglers cut off from the rest do not
count as an answer. Of a network it is the modularity of the cut. The *separation* is -ln(1.01 - s): silhouettes crowd below 1 where there are few members or dimensions, and
on this scale 0.99 stands as far above 0.9 as it should. It is taken twice: in the spectral coordinates, where the cut was made
(this decides k), and in the space of the members (a second witness of structure). The same is done on null models of one or
more families. There is structure when for both
witnesses the greatest separation above the mean of every family reaches 4 of the standard deviations of that family. The
*excess* at k is the separation minus the highest mean of any family; k is the smallest whose excess reaches 98% of the
greatest.

The *verdict* is strong, moderate, weak or none, from all the evidence; it claims that groups are found again, and no more. Each
modality has witnesses of its own (`PreparedCollection.witnesses`) and limits for them, which were chosen on labeled
collections; docs/decisions/defaults.md has the tables. Whatever the witnesses say, there is no praise where groups are not
found again on subsamples, where one group holds nearly everybody, or where many groups are unstable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from coterie.core.findings import ENOUGH, UNSTABLE, Evidence
from coterie.core.hints import Hints
from coterie.core.pieces import once
from coterie.core.random import stream, streams
from coterie.core.workplace import stage, watched, workplace
from coterie.judge.stability import compare_subsamples, draw_subsamples
from coterie.parts.groups import mean_silhouette
from coterie.parts.pairwise import submatrix
from coterie.parts.workers import in_order
from coterie.workflows.choices import Choices
from coterie.workflows.prepared import Graph, PreparedCollection
from coterie.workflows.spectral_cuts import SpectralCuts
from coterie.workflows.strategies import Grouping, Strategy
from coterie.workflows.subsets import Prepared

STRONG = "strong"
MODERATE = "moderate"
WEAK = "weak"
NONE = "none"
_LEAST_STABLE = 0.5  # adjusted Rand on subsamples below which nothing is praised
_GIANT = 0.8  # share of the members above which one group is nearly all
_MANY_UNSTABLE = 1 / 3  # share of the groups
_STABLE = 0.85  # adjusted Rand on subsamples from which a cut of an affinity is strong
_RATHER_STABLE = 0.65
_JUDGED = 1000  # members whose silhouettes are taken
_NEAR_BEST = 0.98
_ROOM = 1.01  # silhouettes end at 1; this is where the scale of separation ends


def weigh(prepared: PreparedCollection, strategy: Strategy) -> Evidence:
    """Whether there are groups and how many; with k given only whether there are."""
    if strategy.is_ensemble:
        return _weigh_ensemble(prepared, strategy)
    return _weigh_cuts(prepared, strategy.choices)


def _weigh_cuts(prepared: PreparedCollection, choices: Choices) -> Evidence:
    """The spectral cuts of the members against those of null models."""
    rows = prepared.sample(choices.seed)
    members = prepared.take(rows)
    top = min(choices.max_k, most_groups(len(rows)))
    k = choices.k
    ks = tuple(range(2, top + 1))
    own, eigenvalues = _curve(members, top, prepared.graph, choices.seed)
    if not choices.nulls or not ks:
        return replace(_without_nulls(ks, own, eigenvalues, k), measure=prepared.measure)
    families = _null_curves(members, top, prepared.graph, choices)
    means = np.array([curves.mean(axis=0) for curves in families.values()])  # families x 2 x ks
    spreads = np.maximum(
        [np.sqrt(curves.var(axis=0, ddof=1).mean(axis=1)) for curves in families.values()], 1e-3
    )
    strength = _strength(own, means, spreads)
    every = np.concatenate(list(families.values()))
    beaten = sum(_strength(curve, means, spreads) >= strength for curve in every)
    best = _smallest_near_best(ks, (own - means.max(axis=0))[0])
    structured = strength >= ENOUGH
    chosen = best if structured else 1
    return Evidence(
        n_groups=chosen if k is None else k,
        chosen=k is None,
        structured=structured,
        p_value=(1 + beaten) / (1 + len(every)),
        measure=prepared.measure,
        n_nulls=len(every),
        null_models=tuple(families),
        strength=float(strength),
        as_grouped=int(beaten),
        best=best,
        ks=ks,
        scores=tuple(map(float, own[0])),
        null_mean=tuple(map(float, means.max(axis=0)[0])),
        null_sd=tuple(float(spreads[:, 0].max()) for _ in ks),
        eigenvalues=tuple(map(float, eigenvalues)),
    )


def _weigh_ensemble(prepared: PreparedCollection, strategy: Strategy) -> Evidence:
    """What an ensemble of models says: the number of groups it chose, and what speaks for them."""
    choices = strategy.choices
    organizer = strategy.explore_numbers(prepared)
    witnesses = dict(prepared.witnesses(organizer, choices)) if choices.nulls else {}
    modality = prepared.modality
    structured = not witnesses or is_structured(modality, witnesses)
    best = organizer.partition_.n_groups
    k = choices.k
    asked = k is not None
    return Evidence(
        n_groups=k if k is not None else best if structured else 1,
        chosen=not asked,
        structured=structured,
        p_value=float("nan"),
        measure="consensus",
        best=0 if asked else best,
        ks=() if asked else tuple(map(int, organizer.candidates_)),
        scores=() if asked else tuple(map(float, prepared.scores_of(organizer))),
        witnesses=witnesses,
        limits=limits_of(modality) if witnesses else {},
    )


def most_groups(n: int) -> int:
    """The largest number of groups that so many members can speak for."""
    return max(2, min(n - 1, max(3, n // 8)))


def weigh_stability(
    evidence: Evidence,
    prepared: PreparedCollection,
    strategy: Strategy,
    grouping: Grouping,
    constraints: Hints | None,
) -> Evidence:
    """The evidence with how well the groups are found again on subsamples, where that can be asked."""
    partition = grouping.partition
    k = partition.n_groups
    seed = strategy.choices.seed
    if not strategy.choices.nulls or not 1 < k <= len(prepared) // 4:
        return evidence
    resampling = strategy.resampling(prepared, grouping.organizer, k, constraints)
    if resampling is None:
        return evidence
    here = workplace()
    members = resampling.members
    drawn = draw_subsamples(len(members), rounds=resampling.rounds, random_state=seed)
    labels = []
    with watched(here.watch, "stability", resampling.rounds) as task:
        for rows in drawn:
            labels.append(once("part", partial(resampling.labels, rows))["labels"])
            task.advance()
            here.stop_if_asked()
    found = compare_subsamples(labels, drawn, partition.labels[members], len(members))
    overlaps = {int(one.group): one.jaccard for one in found.groups}
    some = resampling.partial and len(members) < len(partition)
    return replace(
        evidence,
        stability=float(found.reference_ari.mean()),
        overlaps=tuple(float(overlaps.get(g, np.nan)) for g in range(k)),
        rounds=resampling.rounds,
        sampled=len(members) if some else 0,
    )


def _strength(curve: np.ndarray, means: np.ndarray, spreads: np.ndarray) -> float:
    """The greatest excess over a null family in its standard deviations; of the weaker witness, over the nearest family."""
    return float(((curve - means) / spreads[:, :, None]).max(axis=2).min())


def _curve(members: Prepared, top: int, graph: Graph, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(2, number of ks) separations: in the cut's own coordinates, and between the members."""
    distances = members.affinity()
    cuts = SpectralCuts(distances, top, graph, seed)
    n = distances.shape[0]
    seen = np.arange(n) if n <= _JUDGED else np.sort(stream(0, n).choice(n, _JUDGED, replace=False))
    apart = submatrix(distances, seen, seen)
    found = np.full((2, top - 1), _separation(0.0))
    for k in range(2, top + 1):
        rows, labels = cuts.at(k)
        worth = members.worth(labels)
        if worth is not None:
            found[:, k - 2] = worth
            continue
        balance = np.sqrt(evenness(labels, k))
        labels = labels[seen]
        if 1 < len(np.unique(labels)) < len(seen):
            inside = mean_silhouette(rows[seen], labels, embedded=True)
            outside = mean_silhouette(apart, labels)
            found[:, k - 2] = _separation(balance * inside), _separation(balance * outside)
        workplace().stop_if_asked()
    return found, cuts.eigenvalues


def _separation(silhouette: float) -> float:
    return float(-np.log(_ROOM - silhouette))


def _null_curves(
    members: Prepared, top: int, graph: Graph, choices: Choices
) -> Mapping[str, np.ndarray]:
    """family -> (draws, 2, ks), the count shared by the families; each draw is one task that is kept when it is done."""
    models = members.null_models()
    names = list(models)
    each = max(2, -(-choices.nulls // len(names)))  # one alone has no spread
    generators = streams(choices.seed, each * len(names))
    tasks = [(name, generators[f * each + i]) for f, name in enumerate(names) for i in range(each)]

    def work(task: tuple[str, np.random.Generator]) -> np.ndarray:
        here = workplace()
        key = here.key("null")
        kept = here.keeper.get(key)
        if kept is not None:
            return kept["curve"]
        name, generator = task
        curve, _ = _curve(models[name](generator), top, graph, choices.seed)
        here.keeper.put(key, {"curve": curve})
        return curve

    with stage("nulls"):
        curves = list(in_order(work, tasks, "null collections"))
    return {
        name: np.array([c for (owner, _), c in zip(tasks, curves, strict=True) if owner == name])
        for name in names
    }


def evenness(labels: np.ndarray, k: int) -> float:
    """The effective number of groups (exp of the entropy of their shares) over k: 1 when all are of one size."""
    shares = np.bincount(labels, minlength=k) / len(labels)
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum())) / k


def _smallest_near_best(ks: tuple[int, ...], excess: np.ndarray) -> int:
    top = float(excess.max())
    return ks[int(np.flatnonzero(excess >= top - (1 - _NEAR_BEST) * abs(top))[0])]


def _without_nulls(
    ks: tuple[int, ...], own: np.ndarray, eigenvalues: np.ndarray, k: int | None
) -> Evidence:
    best = _smallest_near_best(ks, own[0])
    return Evidence(
        n_groups=k or best,
        chosen=k is None,
        structured=True,
        p_value=float("nan"),
        best=best,
        ks=ks,
        scores=tuple(map(float, own[0])),
        eigenvalues=tuple(map(float, eigenvalues)),
    )


# ---- the verdict ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits:
    """From where the witnesses of a modality speak for groups, and from where they speak for them strongly."""

    least: Mapping[str, float]  # each of these must be reached
    any_of: Mapping[str, float]  # and one of these, where there are any
    strong: float  # of the agreements
    moderate: float
    by_lowest: bool = False  # whether the lowest of the agreements counts, and not their mean


LIMITS = {
    "text": Limits({"information": 0.05}, {"halves": 0.03, "agreement": 0.2}, 0.7, 0.4),
    "sequences": Limits({"beyond_null": 0.15, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "sets": Limits({"beyond_null": 0.2, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "sound": Limits({"beyond_null": 0.2, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "pictures": Limits({"beyond_null": 0.2, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "tagged": Limits({"beyond_null": 0.2, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "views": Limits(
        {"beyond_null": 0.1, "agreement": 0.15}, {"deviations": 4.0, "agreement": 0.8}, 0.7, 0.45
    ),
    "table": Limits({"silhouette": 4.0}, {}, 0.75, 0.5),
    "vectors": Limits({"silhouette": 4.0}, {}, 0.75, 0.5),
    "texts with word vectors": Limits({}, {"information": 0.05, "beyond_shuffled": 4.0}, 0.7, 0.4),
    "texts with vectors": Limits({}, {"information": 0.05, "silhouette": 4.0}, 0.7, 0.4),
}


def limits_of(modality: str) -> Mapping[str, float]:
    """From where each witness of a modality speaks for groups."""
    limits = LIMITS[modality]
    return {**limits.least, **limits.any_of}


def is_structured(modality: str, witnesses: Mapping[str, float]) -> bool:
    """Whether the witnesses of an ensemble speak for groups at all."""
    limits = LIMITS[modality]
    if any(witnesses[name] < least for name, least in limits.least.items()):
        return False
    some = limits.any_of.items()
    return not some or any(witnesses[name] >= least for name, least in some)


def judge(evidence: Evidence, modality: str, labels: np.ndarray) -> str:
    """The verdict on these groups; empty where nothing was looked at that could say."""
    if not evidence.structured:
        return NONE
    if evidence.n_groups < 2:
        return ""
    grade = _grade(evidence, modality)
    return WEAK if grade and _is_doubtful(evidence, labels) else grade


def _grade(evidence: Evidence, modality: str) -> str:
    witnesses = evidence.witnesses
    if witnesses:
        limits = LIMITS[modality]
        agreements = [witnesses["agreement"], witnesses.get("halves", evidence.stability)]
        value = float((np.nanmin if limits.by_lowest else np.nanmean)(agreements))
        return _step(value, limits.strong, limits.moderate)
    if np.isfinite(evidence.stability):
        return _step(evidence.stability, _STABLE, _RATHER_STABLE)
    return MODERATE if evidence.n_nulls else ""


def _step(value: float, strong: float, moderate: float) -> str:
    if value >= strong:
        return STRONG
    return MODERATE if value >= moderate else WEAK


def _is_doubtful(evidence: Evidence, labels: np.ndarray) -> bool:
    """Whether the groups are not found again, one holds nearly everybody, or many are unstable."""
    sizes = np.bincount(labels[labels >= 0])
    overlaps = np.asarray(evidence.overlaps, dtype=float)
    unstable = float((overlaps < UNSTABLE).mean()) if len(overlaps) else 0.0
    return bool(
        evidence.stability < _LEAST_STABLE
        or sizes.max(initial=0) > _GIANT * len(labels)
        or unstable >= _MANY_UNSTABLE
    )

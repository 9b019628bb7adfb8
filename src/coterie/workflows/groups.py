"""The groups as a person meets them: how sure each member is, who is typical, who is doubtful, and a name in a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.findings import Evidence, Group
from coterie.core.partition import Partition
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.parts.pairwise import submatrix
from coterie.workflows.telling import Telling, is_sound, sparks

_SHOWN = 6  # typical and doubtful members per group
_NAMED = 10  # groups that are named by their numbers in one sentence
_SURE = 0.6  # confidence from which a member can be typical, and below which it is doubtful


def confidence_of(labels: np.ndarray, neighbors: np.ndarray, nearness: np.ndarray) -> np.ndarray:
    """The share of a member's nearest neighbors, weighted by nearness, that are in its own group."""
    known = neighbors >= 0
    weight = np.where(known, np.maximum(nearness, 1e-12), 0.0)
    same = labels[np.where(known, neighbors, 0)] == labels[:, None]
    total = weight.sum(axis=1)
    share = np.where(total > 0, (weight * same).sum(axis=1) / np.maximum(total, 1e-300), 1.0)
    return np.where(labels >= 0, share, 0.0)


def centrality(labels: np.ndarray, neighbors: np.ndarray, nearness: np.ndarray) -> np.ndarray:
    """How much a member is a neighbor to others of its own group: the typical ones have the most."""
    n, m = neighbors.shape
    source = np.repeat(np.arange(n), m)
    target = neighbors.ravel()
    kept = target >= 0
    source = source[kept]
    target = target[kept]
    weight = np.maximum(nearness.ravel()[kept], 1e-12)
    inside = labels[source] == labels[target]
    return np.bincount(target[inside], weights=weight[inside], minlength=n)


def describe(
    collection: Collection,
    view: str,
    partition: Partition,
    neighbors: np.ndarray,
    nearness: np.ndarray,
    told: Sequence[Mapping[str, Telling]],
) -> tuple[list[Group], np.ndarray]:
    """Every group described, and the confidence of every member."""
    labels = partition.labels
    confidence = confidence_of(labels, neighbors, nearness)
    central = centrality(labels, neighbors, nearness)
    groups = []
    seen = collection.views.get(view)
    for g in range(partition.n_groups):
        members = partition.members(g)
        sure = members[confidence[members] >= _SURE]
        typical = (sure if len(sure) else members)[
            np.lexsort((sure, -central[sure])) if len(sure) else slice(None)
        ][:_SHOWN]
        doubt = members[np.lexsort((members, central[members], confidence[members]))]
        doubtful = [
            int(i) for i in doubt if confidence[i] < _SURE and int(i) not in set(typical.tolist())
        ][:_SHOWN]
        telling = dict(told[g]) if g < len(told) else {}
        groups.append(
            Group(
                label=g,
                name=f"like {collection.ids[int(typical[0])]}"
                if is_sound(seen) and len(typical)
                else name_of(telling, g),
                size=len(members),
                confidence=float(confidence[members].mean()) if len(members) else 0.0,
                typical=tuple(int(i) for i in typical),
                doubtful=tuple(doubtful),
                telling=telling,
                spark=sparks(seen, members[:200])
                if isinstance(seen, Ragged) and seen.ordered and not is_sound(seen)
                else (),
            )
        )
    return _distinct(groups), confidence


def name_of(telling: Mapping[str, Telling], label: int, more: int = 0) -> str:
    """A name in a few words: its most telling words, or its most telling statements, or its number."""
    of_views = [
        name for name in telling if name.endswith(")")
    ]  # of several views: words (en), words (de)
    for population in (
        "words",
        "subject words",
        "parameters",
        *(name for name in of_views if name.startswith("words (")),
    ):
        if telling.get(population):
            return ", ".join(word for word, _ in telling[population][: 4 + more])
    for population in ("columns", "traces", "sets", *of_views):
        if telling.get(population):
            return "; ".join(
                statement.split(" (")[0] for statement, _ in telling[population][: 2 + more]
            )
    return f"group {label + 1}"


def explained(
    groups: Sequence[Group], partition: Partition, comparer: Any, ids: Sequence[str]
) -> list[Group]:
    """The groups with what the comparer itself says of why their members are alike, where it can say that."""
    if not hasattr(comparer, "explain") or partition.n_groups < 2:
        return list(groups)
    found = []
    for group in groups:
        members = [int(m) for m in partition.members(group.label)]
        if len(members) < 3:
            found.append(group)
            continue
        whole = comparer.explain(members, names=ids)
        pair = (
            comparer.explain(*_nearest_two(comparer, group.typical), names=ids)
            if len(group.typical) > 1
            else None
        )
        told = () if pair is None or not pair.reasons else pair.sentences[:2]
        found.append(replace(group, why=(*whole.sentences, *told)))
    return found


def _nearest_two(comparer: Any, typical: Sequence[int]) -> tuple[int, int]:
    """The two most alike of some members."""
    places = np.array(typical)
    near = np.nan_to_num(submatrix(comparer.affinity_, places, places), nan=-1.0)
    np.fill_diagonal(near, -np.inf)
    first, second = np.unravel_index(int(near.argmax()), near.shape)
    return int(places[min(first, second)]), int(places[max(first, second)])


def _distinct(groups: list[Group]) -> list[Group]:
    """Names told apart by one or two further words where two groups would share one, else by their number."""
    for more in (1, 2):
        same = _shared([group.name for group in groups])
        groups = [
            replace(g, name=name_of(g.telling, g.label, more)) if clash else g
            for g, clash in zip(groups, same, strict=True)
        ]
    same = _shared([group.name for group in groups])
    return [
        replace(g, name=f"{g.name} ({g.label + 1})") if clash else g
        for g, clash in zip(groups, same, strict=True)
    ]


def _shared(names: list[str]) -> list[bool]:
    """Whether another name says the same words, in any order."""
    words = [tuple(sorted(name.replace(";", ",").split(", "))) for name in names]
    return [words.count(mine) > 1 for mine in words]


def without_blanks(partition: Partition, terms: Table | None) -> tuple[Partition, list[str]]:
    """Documents without a single known word are in no group (unless the group would vanish), and that is said."""
    if terms is None or partition.n_groups < 2:
        return partition, []
    blank = np.diff(terms.values.indptr) == 0
    kept = (
        np.bincount(
            partition.labels[~blank & (partition.labels >= 0)], minlength=partition.n_groups
        )
        > 0
    )
    out = blank & (partition.labels >= 0) & kept[np.maximum(partition.labels, 0)]
    if not out.any():
        return partition, []
    count = int(out.sum())
    said = (
        "1 document holds no word that another holds"
        if count == 1
        else f"{count:,} documents hold no word that others hold"
    )
    labels = np.where(out, -1, partition.labels)
    return replace(partition, labels=labels), [f"{said}: in no group."]


def kind_of(collection: Collection) -> str:
    """What the members are: pictures also where they are seen by their captions, else the kind of the main view."""
    return (
        "pictures"
        if any(isinstance(view, Pictures) for view in collection.views.values())
        else collection.kind
    )


def loose(numbers: Sequence[int]) -> str:
    """That groups of these numbers (from 1) were not found again; of very many, a few are named.

    >>> loose([3]), loose([2, 5, 6])
    ('group 3 did not hold together', 'groups 2, 5 and 6 did not hold together')
    """
    if len(numbers) > _NAMED:
        few = ", ".join(map(str, numbers[: _NAMED // 2]))
        return f"{len(numbers)} of them did not hold together, the first of which are {few}"
    many = (
        f"groups {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
        if len(numbers) > 1
        else f"group {numbers[0]}"
    )
    return f"{many} did not hold together"


def summarize(
    collection: Collection,
    groups: Sequence[Group],
    evidence: Evidence,
    confidence: np.ndarray,
    labels: np.ndarray,
) -> list[str]:
    """The plain-language summary, most important first."""
    n = len(collection)
    nouns = {
        "text": "texts",
        "table": "rows",
        "sequences": "sequences",
        "sets": "sets",
        "tagged": "mentions",
    }
    nouns["pictures"] = "pictures"
    if any(is_sound(view) for view in collection.views.values()):
        nouns["sequences"] = "recordings"
    noun = "messages" if "sender" in collection.cards else nouns.get(kind_of(collection), "members")
    sentences = []
    if not evidence.structured and evidence.chosen:
        sentences.append(f"No group structure was found in these {n:,} {noun}.")
        if evidence.n_nulls:
            sentences.append(
                "They look like one cloud: no cut into groups stands clearly above those of null collections, in which nothing "
                "belongs together."
            )
    elif len(groups) == 1 and not evidence.chosen:
        sentences.append(f"All {n:,} {noun} are in one group, as asked.")
    elif not evidence.structured:
        sentences.append(
            f"{n:,} {noun} cut into {len(groups)} groups as asked, but there is no evidence that these groups are real."
        )
    else:
        how = (
            "clearly separated"
            if confidence.mean() > 0.9
            else "well separated"
            if confidence.mean() > 0.75
            else "overlapping"
        )
        many = "1 group" if len(groups) == 1 else f"{len(groups)} groups"
        did = (
            "fall into"
            if evidence.n_nulls or evidence.p_value == evidence.p_value
            else "were cut into"
        )
        sentences.append(f"{n:,} {noun} {did} {many}, {how}.")
    if evidence.structured and len(groups) > 1:
        largest = max(groups, key=lambda group: group.size)
        told = largest.name if largest.name.startswith("like ") else f"told by: {largest.name}"
        sentences.append(f"The largest ({largest.size:,}, {largest.size / n:.0%}) is {told}.")
        doubtful = int(((confidence < 0.5) & (labels >= 0)).sum())
        if doubtful:
            who = (
                f"1 {noun[:-1]} ({1 / n:.0%}) sits"
                if doubtful == 1
                else f"{doubtful:,} {noun} ({doubtful / n:.0%}) sit"
            )
            theirs = "its" if doubtful == 1 else "their"
            sentences.append(
                f"{who} between groups: most of {theirs} neighbors are in another one."
            )
    alone = int((labels < 0).sum())
    if alone:
        sentences.append(
            f"1 {noun[:-1]} is in no group." if alone == 1 else f"{alone:,} {noun} are in no group."
        )
    sentences.extend(evidence.sentences)
    return sentences

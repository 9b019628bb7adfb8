"""The groups as a person meets them: what tells each from the rest, who is typical, who is borderline, and a name.

And the map, on which near members are near each other, the ordered matrix of nearness, and states in time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from coterie.collect.columns import display_name
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import ParameterError
from coterie.core.findings import Grid, Group, Naming, Overview, Strips
from coterie.core.links import MEMBERS, Cooccurrence
from coterie.core.partition import Partition
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.workplace import steady
from coterie.messages.notes import note_blank, write_name
from coterie.parts.neighbors import nearest_rows
from coterie.parts.pairwise import submatrix
from coterie.parts.tsne import laid_out, of_one_size
from coterie.show.markup import letter
from coterie.workflows.key_features import KeyColumns, KeyFeatures, key_columns, key_terms
from coterie.workflows.key_terms import NAMED, CountedWords, diverse_terms
from coterie.workflows.modalities import modality_of

_PICTURE = 600  # members in the picture of the affinity matrix
_TIMELINES = 12  # members whose states are drawn in time
_GRIDS = 12  # groups whose steps from state to state are drawn


def nearness_of(values: np.ndarray, width: float) -> np.ndarray:
    """Distances as a nearness from 0 to 1."""
    return np.exp(-0.5 * (values / max(width, 1e-300)) ** 2)


def strips_of(comparer: Any, groups: Sequence[Group], ids: Sequence[str]) -> tuple[Strips, ...]:
    """State timelines of typical members, a few of each group, where the comparer has states."""
    if not hasattr(comparer, "strips") or not groups:
        return ()
    each = max(1, _TIMELINES // len(groups))
    some = [(member, letter(group.label)) for group in groups for member in group.typical[:each]][
        :_TIMELINES
    ]
    names = [f"group {mark}: {ids[member]}" for member, mark in some]
    try:
        return (comparer.strips([member for member, _ in some], names),) if some else ()
    except ParameterError:  # models of one state have no course
        return ()


def grids_of(comparer: Any, partition: Partition, groups: Sequence[Group]) -> tuple[Grid, ...]:
    """Which state follows which, per group, where the comparer has states that all members share."""
    if not hasattr(comparer, "grids") or not groups:
        return ()
    return tuple(
        comparer.grids(
            partition.labels, [f"group {letter(group.label)}: {group.name}" for group in groups]
        )
    )[:_GRIDS]


def points_of(affinity: Affinity) -> np.ndarray:
    """Coordinates to draw from: those the comparer saw, or landmarks' distances where it saw none."""
    rows = (
        affinity.rows[0] if hasattr(affinity, "rows") and isinstance(affinity.rows, tuple) else None
    )
    if (
        isinstance(rows, np.ndarray)
        and rows.ndim == 2
        and rows.dtype.kind == "f"
        and np.isfinite(rows).all()
    ):
        return rows
    n = affinity.shape[0]
    marks = np.sort(stream(0, n, 3).choice(n, min(n, 100), replace=False))
    return submatrix(affinity, np.arange(n), marks)


def picture_of(
    affinity: Affinity, partition: Partition, confidence: np.ndarray, width: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Members ordered by group and certainty (a sample of them, shares kept), and their nearness to each other."""
    n = affinity.shape[0]
    chosen = (
        np.arange(n)
        if n <= _PICTURE
        else np.sort(stream(seed, 6).choice(n, _PICTURE, replace=False))
    )
    labels = np.where(partition.labels < 0, partition.n_groups, partition.labels)
    order = chosen[np.lexsort((chosen, -confidence[chosen], labels[chosen]))]
    return order, nearness_of(submatrix(affinity, order, order), width)


LANDMARKS = 2000  # members laid out together; the others are placed between them
_NEAR = 5


def lay_out(points: np.ndarray, seed: int) -> np.ndarray:
    """(n, 2) positions from coordinates; t-SNE on at most LANDMARKS members, the others between their nearest landmarks."""
    n = len(points)
    if n < 8:
        return _spread(_axes(points))
    chosen = (
        np.arange(n)
        if n <= LANDMARKS
        else np.sort(stream(seed, 71).choice(n, LANDMARKS, replace=False))
    )
    with steady():
        placed = _neighborly(points[chosen], seed)
    if len(chosen) == n:
        return placed
    found = np.empty((n, 2))
    found[chosen] = placed
    rest = np.setdiff1d(np.arange(n), chosen)
    found[rest] = between(points[rest], points[chosen], placed, seed)
    return found


def compute_map(points: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """The positions under a name, to be kept."""
    return {"map": lay_out(points, seed)}


def between(new: np.ndarray, fitted: np.ndarray, places: np.ndarray, seed: int) -> np.ndarray:
    """Positions of new members: the weighted middle of their nearest fitted members, moved a little apart."""
    near, gaps = nearest_rows(fitted, _NEAR, new)
    gaps = gaps**2
    weight = 1.0 / (gaps + 1e-3 * gaps.mean(axis=1, keepdims=True) + 1e-12) ** 2
    weight /= weight.sum(axis=1, keepdims=True)
    jitter = (
        stream(seed, 72).normal(size=(len(new), 2)) * 0.004 * (np.ptp(places, axis=0).max() + 1e-12)
    )
    return np.asarray((weight[:, :, None] * places[near]).sum(axis=1) + jitter)


def _neighborly(points: np.ndarray, seed: int) -> np.ndarray:
    points = of_one_size(points)
    start = _axes(points)
    start = start / max(float(start.std(axis=0).max()), 1e-12) * 1e-4
    start = start + stream(seed, 73).normal(size=start.shape) * 1e-6
    perplexity = float(min(30, max(2, (len(points) - 1) // 4)))
    return _spread(laid_out(points, start, perplexity))


def _axes(points: np.ndarray) -> np.ndarray:
    """The first two principal axes, signs fixed."""
    off = points - points.mean(axis=0)
    with steady():
        u, s, _ = np.linalg.svd(off, full_matrices=False)
    flat = np.zeros((len(points), 2))
    width = min(2, u.shape[1])
    flat[:, :width] = u[:, :width] * s[:width]
    for axis in range(width):
        top = int(np.argmax(np.abs(flat[:, axis])))
        flat[:, axis] *= 1.0 if flat[top, axis] >= 0 else -1.0
    return flat


def _spread(plane: np.ndarray) -> np.ndarray:
    """Centred, and within [-1, 1]."""
    plane = plane - (plane.max(axis=0) + plane.min(axis=0)) / 2
    return plane / max(float(np.abs(plane).max()), 1e-12)


_SHOWN = 6  # typical and borderline members per group
_SURE = 0.6  # confidence from which a member can be typical, and below which it is borderline
_BORDERLINE = 0.5  # confidence below which most of a member's neighbors are in other groups
_LINES = {"tagged": ("subject", "sentence")}  # columns to show that say what a member is
_NAMED = ("text", "table", "vectors")  # kinds of members that may be called by a title or a name


def gather_features(
    collection: Collection,
    view: str,
    labels: np.ndarray,
    n_groups: int,
    words: CountedWords | None = None,
) -> list[Mapping[str, KeyFeatures]]:
    """Per group, everything that tells it from the rest: words of the view, linked populations, columns, courses."""
    found: list[dict[str, KeyFeatures]] = [{} for _ in range(n_groups)]
    sources: dict[str, Sequence[KeyFeatures]] = {}
    if words is not None:
        sources["words"] = diverse_terms(words, labels, n_groups)
    for (_, population), link in collection.links.items():
        if population not in ("words", f"{view} words") or words is None:
            sources[population] = _of_link(link, collection, labels, n_groups)
    for name, other in collection.views.items():
        if other.modality == "table" and (MEMBERS, name) not in collection.links:
            sources["columns" if name == view else name] = key_columns(
                cast(Table, other), labels, n_groups
            )
    seen = collection.views.get(view)
    if seen is not None and seen.modality != "table":
        sources |= modality_of(seen).key_features(seen, labels, n_groups)
    for population, groups in sources.items():
        for g, rows in enumerate(groups):
            if rows:
                found[g][population] = rows
    return [dict(row) for row in found]


def _of_link(
    link: Cooccurrence, collection: Collection, labels: np.ndarray, n_groups: int
) -> list[KeyFeatures]:
    if list(link.rows) != list(collection.ids):
        return [() for _ in range(n_groups)]
    return key_terms(link.counts, link.cols, labels, n_groups, most=8)


def snippets(collection: Collection, view: str, most: int = 140) -> list[str]:
    """One short line per member: what it is called, where a column says that, else how it begins."""
    lines = _names_of(collection, view)
    if lines is not None:
        return [" ".join(str(line).split())[:most] for line in lines]
    if view not in collection.views:
        return [str(member)[:most] for member in collection.ids]
    return modality_of(collection.view(view)).snippets(collection, view, most)


def _names_of(collection: Collection, view: str) -> Sequence[str] | None:
    """The column that says what members are called: shown beside them, or a view that is not the one compared."""
    for card in _LINES.get(_modality(collection, view), ("subject",)):
        if card in collection.cards:
            return collection.cards[card]
    if _modality(collection, view) not in _NAMED:
        return None
    others = {
        name: seen
        for name, seen in collection.views.items()
        if name != view and seen.modality == "text"
    }
    columns: Mapping[str, Any] = {**others, **collection.cards}
    name = display_name(list(columns))
    return None if name is None else columns[name]


def _modality(collection: Collection, view: str) -> str:
    seen = collection.views.get(view)
    return "" if seen is None else seen.modality


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
    told: Sequence[Mapping[str, KeyFeatures]],
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
        typical = members[:_SHOWN]
        if len(sure):
            typical = sure[np.lexsort((sure, -central[sure]))][:_SHOWN]
        doubt = members[np.lexsort((members, central[members], confidence[members]))]
        shown = set(typical.tolist())
        doubtful = [int(i) for i in doubt if confidence[i] < _SURE and int(i) not in shown]
        features = dict(told[g]) if g < len(told) else {}
        groups.append(
            Group(
                label=g,
                name="",
                size=len(members),
                confidence=float(confidence[members].mean()) if len(members) else 0.0,
                typical=tuple(int(i) for i in typical),
                doubtful=tuple(doubtful[:_SHOWN]),
                telling={population: tuple(rows) for population, rows in features.items()},
                spark=() if seen is None else modality_of(seen).sparks(seen, members[:200]),
            )
        )
    exemplars = [str(collection.ids[g.typical[0]]) if g.typical else "" for g in groups]
    namings = choose_names(told, exemplars)
    named = zip(groups, namings, strict=True)
    return [
        replace(group, name=write_name(naming, group.label), naming=naming)
        for group, naming in named
    ], confidence


_TRAITS = 2  # of a name
_MENTIONS = 3


def choose_names(
    told: Sequence[Mapping[str, KeyFeatures]], exemplars: Sequence[str]
) -> list[Naming]:
    """What each group is called, no two the same: by its key terms, else by its traits, else by a typical member.

    A name grows by one part after the other until no other group has the same; where that is not enough it says what its
    typical member is.
    """
    pools = [_parts_of(features) for features in told]
    if (
        len(pools) == 1 and not pools[0][0].parts
    ):  # one group holds everybody: nobody is typical of it
        return [Naming("number")]
    lengths = [usual for _, usual in pools]
    most = max((len(naming.parts) for naming, _ in pools), default=0)
    for _ in range(most):
        shared = _shared([naming.parts[:n] for (naming, _), n in zip(pools, lengths, strict=True)])
        if not any(shared):
            break
        lengths = [n + clash for n, clash in zip(lengths, shared, strict=True)]
    named = [
        replace(naming, parts=naming.parts[:n], traits=naming.traits[:n])
        for (naming, _), n in zip(pools, lengths, strict=True)
    ]
    shared = _shared([naming.parts for naming in named])
    return [
        _by_exemplar(naming, exemplar, g) if clash or not naming.parts else naming
        for g, (naming, clash, exemplar) in enumerate(zip(named, shared, exemplars, strict=True))
    ]


def _by_exemplar(naming: Naming, exemplar: str, group: int) -> Naming:
    """A name with its typical member, or with its number where there is none."""
    if not exemplar:
        return replace(naming, by="number", parts=(*naming.parts, f"group {group + 1}"))
    if not naming.parts:
        return Naming("exemplar", (exemplar,))
    return replace(naming, parts=(*naming.parts, f"like {exemplar}"))


def _parts_of(features: Mapping[str, KeyFeatures]) -> tuple[Naming, int]:
    """All that a name could say of a group, the most telling first, and how much of it a name says usually."""
    of_views = [name for name in features if name.endswith(")")]  # words (en), columns (left)
    around = features.get("surroundings")
    if isinstance(around, KeyColumns) and features.get("words"):
        mentions = [name for name, _ in features["words"]]
        after = [trait.word for trait in around.traits[:1]]
        parts = (*mentions[:_MENTIONS], *after, *mentions[_MENTIONS:])
        return Naming("mentions", parts), len(mentions[:_MENTIONS]) + len(after)
    for population in (
        "words",
        "subject words",
        "parameters",
        *(name for name in of_views if name.startswith("words (")),
    ):
        if features.get(population):
            parts = tuple(term for term, _ in features[population])
            return Naming("terms", parts), NAMED
    for population in ("columns", "traces", "sets", "sounds", "looks", *of_views):
        rows = features.get(population)
        if isinstance(rows, KeyColumns) and rows.traits:
            parts = tuple(trait.word for trait in rows.traits)
            return Naming("traits", parts, rows.traits), _TRAITS
    return Naming(), 0


def _shared(names: Sequence[tuple[str, ...]]) -> list[bool]:
    """Whether another name says the same, in any order."""
    same = Counter(frozenset(parts) for parts in names if parts)
    return [same[frozenset(parts)] > 1 for parts in names]


def name_all(told: Sequence[Mapping[str, KeyFeatures]]) -> list[str]:
    """A name for every group from what tells it from the rest, no two of them the same."""
    namings = choose_names(told, [""] * len(told))
    return [write_name(naming, group) for group, naming in enumerate(namings)]


def parents_of(labels: np.ndarray, above: np.ndarray, n_groups: int) -> tuple[int, ...]:
    """Per group, the group on the level above that its members are in."""
    found = np.full(n_groups, -1, dtype=np.int64)
    inside = labels >= 0
    found[labels[inside]] = above[inside]
    return tuple(found.tolist())


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


def without_blanks(partition: Partition, blank: np.ndarray | None) -> tuple[Partition, list[str]]:
    """Members that hold nothing that is compared are in no group (unless the group would vanish), and that is said."""
    if blank is None or partition.n_groups < 2:
        return partition, []
    inside = partition.labels[~blank & (partition.labels >= 0)]
    kept = np.bincount(inside, minlength=partition.n_groups) > 0
    out = blank & ((partition.labels < 0) | kept[np.maximum(partition.labels, 0)])
    if not out.any():
        return partition, []
    labels = np.where(out, -1, partition.labels)
    return replace(partition, labels=labels), [note_blank(int(out.sum()))]


def kind_of(collection: Collection) -> str:
    """What the members are: pictures also where they are seen by their captions, else the kind of the main view."""
    pictures = any(view.modality == "pictures" for view in collection.views.values())
    return "pictures" if pictures else collection.kind


def noun_of(collection: Collection) -> str:
    """What the members are called, in the plural."""
    if "sender" in collection.cards:
        return "messages"
    kind = kind_of(collection)
    if kind == "pictures":
        return kind
    seen = list(collection.views.values())
    if kind == "sequences":
        seen = [view for view in seen if view.modality == "sound"] or seen
    return modality_of(seen[0]).noun if seen else "members"


def overview_of(
    collection: Collection, groups: Sequence[Group], confidence: np.ndarray, labels: np.ndarray
) -> Overview:
    """What the headline rests on."""
    return Overview(
        noun=noun_of(collection),
        members=len(collection),
        n_groups=len(groups),
        confidence=float(confidence.mean()),
        borderline=int(((confidence < _BORDERLINE) & (labels >= 0)).sum()),
        alone=int((labels < 0).sum()),
        largest=max(groups, key=lambda group: group.size).name if groups else "",
    )

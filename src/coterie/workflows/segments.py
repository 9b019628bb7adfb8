"""Segments: long sequences are cut where they change, and the pieces become the members that are described."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from coterie.compare.vectors import Euclidean
from coterie.core.affinity import Dense
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Axis, Evidence, Findings, Group, Segments, Step, Strips
from coterie.core.partition import Partition
from coterie.core.ragged import Ragged
from coterie.core.random import streams
from coterie.core.workplace import stage, steady, watched, workplace
from coterie.organize.segmentation import Segmentation
from coterie.parts.neighbors import nearest
from coterie.parts.pairwise import dense, distance, median_distance
from coterie.parts.segments import segments
from coterie.parts.workers import in_order
from coterie.pipeline import Pipeline
from coterie.represent.frames import Frames
from coterie.represent.shapes import Shapes
from coterie.show.clock import clock
from coterie.show.markup import letter
from coterie.workflows.choices import Choices, method
from coterie.workflows.describe import (
    describe,
    gather_features,
    lay_out,
    nearness_of,
    overview_of,
    snippets,
)
from coterie.workflows.explore import Analysis

_NEAR = 12  # nearest pieces kept per piece
_SHUFFLES = 99  # orders of the windows that the cut is set against
_KIND = "MFCC_0"  # frames of sound without their slopes: a voice or an instrument, not what it says
_SECONDS = 1.5  # of sound in a window, and
_WINDOWS = 8  # windows at least, where a recording is short
_CLOCKS = ("t", "time", "step", "index", "second", "seconds", "timestamp", "frame")
_LARGE = 600  # windows from which only as many orders are tried as there are nulls


def analyse_segments(collection: Collection, choices: Choices) -> Analysis:
    """Cut every sequence where it changes; the pieces, grouped by their sources, are the members of the findings."""
    view = choices.view or collection.main
    ids, data = traces(collection, view)
    frames = Frames(target_kind=_KIND) if data.is_sound else None
    with watched(workplace().watch, "explore", 3) as task, steady():
        with stage("represent"):
            seen = data if frames is None else frames.fit(data).represent(data)
        task.advance()
        cutter = _cutter(choices, seen, data.is_sound)
        with stage("organize"):
            cutter.fit(seen)
            shuffled = _shuffled(cutter, choices)
        task.advance()
        strips = Strips(
            "Where they change", ids, tuple(cutter.segmentations_), seen.rate, _told(cutter), True
        )
        pieces = cut_into(collection, view, strips)
        findings = _findings(
            pieces, view, cutter, strips, shuffled, choices, _steps(frames, cutter)
        )
        task.advance()
    pipeline = Pipeline([*([frames] if frames is not None else []), cutter])
    pipeline.steps_ = list(pipeline.steps)
    return Analysis(pipeline, view, 1.0, np.inf, len(findings.groups) > 1, findings)


def traces(collection: Collection, view: str) -> tuple[tuple[str, ...], Ragged]:
    """The sequences that can be cut: those of the view, or its rows as the steps of one, in the order they stand in."""
    data: Any = collection.view(view)
    if data.kind == "sequences":
        return tuple(collection.ids), data
    if data.modality != "table" or data.sparse or data.categories:
        raise DataError(
            f"segment cuts sequences, and '{view}' of '{collection.name}' holds none.",
            parameter="segment",
        )
    kept = [
        j
        for j in range(data.shape[1])
        if j not in data.dates and not _is_clock(data.names[j], data.values[:, j])
    ]
    if not kept:
        raise DataError(
            f"segment: '{view}' of '{collection.name}' has no column but the time.",
            parameter="segment",
        )
    names = tuple(data.names[j] for j in kept)
    return (collection.name,), Ragged(
        np.ascontiguousarray(data.values[:, kept]), np.array([0, len(data)]), True, names
    )


def _is_clock(name: str, column: np.ndarray) -> bool:
    """Whether a column only says when: it is called so, and never falls."""
    return (
        name.strip().lower() in _CLOCKS
        and not np.isnan(column).any()
        and bool((np.diff(column) >= 0).all())
    )


def cut_into(collection: Collection, view: str, strips: Strips) -> Collection:
    """The pieces as a collection of their own: named by where they lie, with what was seen in them."""
    _, data = traces(collection, view)
    ids = []
    whose = []
    rows = []
    for at, (name, cut) in enumerate(zip(strips.names, strips.pieces, strict=True)):
        share = (
            data.lengths[at] / cut.boundaries[-1]
        )  # steps of the data per step of the cut: samples per frame
        edges = np.round(cut.boundaries * share).astype(np.int64)
        times = [when(int(step), strips.rate) for step in cut.boundaries]
        for s in range(len(cut.labels)):
            ids.append(f"{name} {times[s]}-{times[s + 1]}")
            whose.append(name)
            rows.append(data[at][edges[s] : edges[s + 1]])
    bounds = np.concatenate([[0], np.cumsum([len(part) for part in rows])])
    pieces = Ragged(np.concatenate(rows), bounds, True, data.names, data.rate)
    cards = {"from": whose} if len(strips.names) > 1 else {}
    return Collection(
        ids, {view: pieces}, name=collection.name, notes=collection.notes, cards=cards
    )


def when(step: int, rate: float) -> str:
    """Where a step lies: a time where the rate is known, else its number.

    >>> when(7510, 100.0), when(42, 0.0)
    ('1:15.10', '42')
    """
    return clock(step / rate, 2) if rate > 0 else str(step)


def _cutter(choices: Choices, seen: Ragged, sound: bool) -> Segmentation:
    """The organizer that cuts, with the person's choices; sound is compared in windows of a second and a half."""
    comparer = (
        method(choices.compare, "compare", random_state=choices.seed) if choices.compare else None
    )
    seconds = choices.window
    if seconds is None and sound:
        seconds = min(_SECONDS, float(seen.lengths.min()) / seen.rate / _WINDOWS)
    window = None if seconds is None else max(1, round(seconds * (seen.rate or 1.0)))
    asked: dict[str, Any] = {
        "window": window,
        "n_segments": choices.pieces,
        "n_sources": choices.k,
        "comparer": comparer,
    }
    made = method(
        choices.organize or "Segmentation", "organize", random_state=choices.seed, **asked
    )
    if not isinstance(made, Segmentation):
        raise ParameterError(
            f"segment goes with organize='Segmentation(...)', and it was {choices.organize}.",
            parameter="segment",
        )
    return made


def _shuffled(cutter: Segmentation, choices: Choices) -> tuple[int, int]:
    """How many random orders of the windows could be cut as cleanly into as many pieces, and how many were tried."""
    total = sum(len(cut.labels) - 1 for cut in cutter.segmentations_)
    if not choices.nulls or not total or not hasattr(cutter, "embedding_"):
        return 0, 0
    first = np.searchsorted(cutter.windows_.offsets, cutter.members_.offsets)
    parts = [
        (cutter.embedding_[a:b], len(cut.labels))
        for a, b, cut in zip(first, first[1:], cutter.segmentations_, strict=False)
    ]
    tries = choices.nulls if max(len(rows) for rows, _ in parts) > _LARGE else _SHUFFLES

    def scatter(orders: list[np.ndarray] | None) -> float:
        found = 0.0
        for at, (rows, k) in enumerate(parts):
            cuts = segments(rows if orders is None else rows[orders[at]], k)
            found += float(cuts.costs[k - 1])
        return found

    def work(generator: np.random.Generator) -> float:
        return scatter([generator.permutation(len(rows)) for rows, _ in parts])

    own = scatter(None)
    drawn = list(in_order(work, streams(choices.seed, tries), "orders"))
    return sum(value <= own * (1 + 1e-12) for value in drawn), tries


def _told(cutter: Segmentation) -> str:
    """What the strips show, in a sentence."""
    if cutter.cost != "spectral":
        return f"Cut where the cost '{cutter.cost}' changes; every piece has a letter of its own."
    return "Every color is a source: what sounds or moves alike has one letter, here and among the groups."


def _steps(frames: Frames | None, cutter: Segmentation) -> list[Step]:
    """The steps taken."""
    found = []
    if frames is not None:
        values = {"kind": frames.target_kind, "per_second": 1000 / frames.target_rate_ms}
        found.append(Step("frames", values))
    if cutter.cost != "spectral":
        return [*found, Step("cut_by_cost", {"cost": cutter.cost})]
    named = cutter.comparer is not None
    values = {
        "method": type(cutter.comparer_).__name__ if named else "",
        "window": cutter.window_,
        "rate": float(cutter.members_.rate),
    }
    return [*found, Step("cut_windows", values), Step("cut_exactly")]


def _findings(
    pieces: Collection,
    view: str,
    cutter: Segmentation,
    strips: Strips,
    shuffled: tuple[int, int],
    choices: Choices,
    steps: list[Step],
) -> Findings:
    labels = Partition.of(cutter.labels_).labels
    sure = cutter.partition_.confidence
    partition = Partition(labels, confidence=np.ones(len(labels)) if sure is None else sure)
    affinity = _between(cutter, pieces, view)
    n = len(pieces)
    neighbors, gaps = (
        nearest(affinity, min(_NEAR, n - 1))
        if n > 1
        else (np.zeros((n, 0), dtype=np.int64), np.zeros((n, 0)))
    )
    width = (median_distance(affinity) / 2 if n > 1 else 0.0) or 1.0
    told = gather_features(pieces, view, labels, partition.n_groups)
    groups, _ = describe(pieces, view, partition, neighbors, nearness_of(gaps, width), told)
    confidence = np.asarray(partition.confidence)
    groups = [_as_source(group, partition, confidence, cutter) for group in groups]
    order = np.lexsort((np.arange(n), labels))
    evidence = _evidence(cutter, partition, shuffled)
    return Findings(
        title=pieces.name,
        kind=pieces.kind,
        ids=pieces.ids,
        snippets=snippets(pieces, view),
        labels=labels,
        confidence=confidence,
        map=lay_out(affinity.values, choices.seed),
        neighbors=neighbors,
        nearness=nearness_of(gaps, width),
        matrix=nearness_of(affinity.values[np.ix_(order, order)], width),
        matrix_members=order,
        groups=groups,
        evidence=evidence,
        overview=overview_of(pieces, groups, confidence, labels),
        segments=_segments(cutter, strips, partition, shuffled),
        notes=pieces.notes,
        cards=pieces.cards,
        curves=cutter.curves(),
        axes={name: Axis("number of segments") for name in cutter.curves()},
        strips=(strips,),
        steps=steps,
    )


def _between(cutter: Segmentation, pieces: Collection, view: str) -> Dense:
    """Distances between pieces: the mean over their windows, or of their shapes where no windows were compared."""
    if not hasattr(cutter, "affinity_"):
        return dense(Euclidean().fit(Shapes().fit_transform(pieces.view(view))).affinity_)
    between = dense(distance(cutter.affinity_)).values
    middle = cutter.windows_.offsets[:-1] + cutter.windows_.lengths // 2
    owner = np.searchsorted(cutter.pieces().offsets, middle, side="right") - 1
    share = np.zeros((len(pieces), len(between)))
    share[owner, np.arange(len(owner))] = 1.0
    share /= np.maximum(share.sum(axis=1, keepdims=True), 1.0)
    found = share @ between @ share.T
    np.fill_diagonal(found, 0.0)
    return Dense((found + found.T) / 2, "distance")


def _as_source(group: Group, partition: Partition, sure: np.ndarray, cutter: Segmentation) -> Group:
    """A group of pieces as a source: named by its letter and share of time, its typical pieces the surest and longest."""
    members = partition.members(group.label)
    lengths = np.concatenate([np.diff(cut.boundaries) for cut in cutter.segmentations_])
    order = members[np.lexsort((members, -lengths[members], -sure[members]))]
    share = lengths[members].sum() / lengths.sum()
    doubtful = tuple(int(i) for i in order[::-1] if sure[i] < 0.6)[:6]
    return replace(
        group,
        name=f"source {letter(group.label)} ({share:.0%} of the time)",
        confidence=float(sure[members].mean()),
        typical=tuple(int(i) for i in order[:6] if int(i) not in doubtful)
        or tuple(int(i) for i in order[:1]),
        doubtful=doubtful,
    )


def _evidence(cutter: Segmentation, partition: Partition, shuffled: tuple[int, int]) -> Evidence:
    as_clean, tried = shuffled
    changes = sum(len(cut.labels) - 1 for cut in cutter.segmentations_)
    spectral = cutter.cost == "spectral"
    rules = []
    if cutter.n_segments is None:
        rules.append("pieces_by_bic_merged" if spectral else "pieces_by_bic")
    if cutter.n_sources is None and changes and spectral:
        rules.append("sources_by_eigengap")
    return Evidence(
        n_groups=partition.n_groups,
        chosen=cutter.n_sources is None,
        structured=changes > 0 and (not tried or as_clean / tried <= 0.05),
        p_value=(1 + as_clean) / (1 + tried) if tried else float("nan"),
        measure="eigengap",
        n_nulls=tried,
        nulls="orders",
        eigenvalues=_eigenvalues(cutter),
        rules=tuple(rules),
    )


def _eigenvalues(cutter: Segmentation) -> tuple[float, ...]:
    layout: Any = getattr(cutter, "layout_", None)
    return (
        ()
        if layout is None or layout.spectrum is None
        else tuple(float(v) for v in layout.spectrum.values)
    )


def _segments(
    cutter: Segmentation, strips: Strips, partition: Partition, shuffled: tuple[int, int]
) -> Segments:
    """Where the sequences were cut."""
    lengths = np.concatenate([np.diff(cut.boundaries) for cut in strips.pieces])
    spectral = cutter.cost == "spectral"
    return Segments(
        sequences=len(strips.names),
        pieces=len(partition),
        sources=partition.n_groups,
        shortest=int(lengths.min()),
        longest=int(lengths.max()),
        window=int(cutter.window_) if spectral else 0,
        rate=float(strips.rate),
        spectral=spectral,
        as_clean=shuffled[0],
        tried=shuffled[1],
    )

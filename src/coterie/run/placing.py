"""New members in a stored run: placed among the groups people already know, with a word on those that fit nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.collect.joined import tables_in
from coterie.collect.people import as_known
from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Findings
from coterie.messages.notes import code_of, join_names, note_added
from coterie.organize.segmentation import Segmentation
from coterie.parts.neighbors import nearest
from coterie.parts.pairwise import distance
from coterie.pipeline import by_links
from coterie.workflows.describe import nearness_of, snippets
from coterie.workflows.modalities.views import lines_of, seen_again, seen_by
from coterie.workflows.populations import links_of, placed, with_view
from coterie.workflows.spaces import with_beside

if TYPE_CHECKING:
    from coterie.run.engine import Exploration

OF_MEMBERS = ("vectors", "names")  # files on the members of the run, which say nothing of new ones
_UNSURE = 0.34  # a member with a smaller share of its neighbors in its group fits nowhere well; none such is surer


@dataclass(frozen=True, eq=False)
class Placement:
    """Where new members went: a group each (by number and name), how sure, and whether they fit anywhere."""

    ids: tuple[str, ...]
    labels: np.ndarray
    names: tuple[str, ...]  # of all groups
    confidence: np.ndarray
    fits: np.ndarray  # False where a member is far from everyone, or its neighbors are of other groups, or no word is known
    neighbors: np.ndarray
    nearness: np.ndarray
    snippets: tuple[str, ...] = ()
    skipped: int = 0  # members that were in the run already
    path: Path | None = None
    notes: tuple[
        str, ...
    ] = ()  # what was said while the new members were read: what was skipped, what was filled
    by: tuple[
        str, ...
    ] = ()  # of a run of several views: those that each member was placed by, where some lack one

    def rows(self) -> list[tuple[str, str, float, bool]]:
        """(id, name of the group, confidence, whether it fits) per new member."""
        return [
            (i, self.names[g] if g >= 0 else "in no group", float(c), bool(f))
            for i, g, c, f in zip(self.ids, self.labels, self.confidence, self.fits, strict=True)
        ]

    def sentences(self) -> list[str]:
        """What happened, in words."""
        count = f"{len(self.ids):,} new members were" if len(self.ids) > 1 else "1 new member was"
        groups = sum(
            bool(name) for name in self.names
        )  # a group that was united into another has none
        total = f"{groups} groups" if groups != 1 else "1 group"
        found = [f"{count} placed into {len(set(self.labels.tolist()) - {-1})} of {total}."]
        if self.by:
            found.append(self._views())
        strangers = int((~self.fits).sum())
        if strangers:
            some = ", ".join(i for i, fits in zip(self.ids, self.fits, strict=True) if not fits)[
                :200
            ]
            found.append(
                f"{strangers:,} of them {'fits' if strangers == 1 else 'fit'} nowhere well: {some}."
            )
        if self.skipped:
            left = f"{self.skipped:,} members were" if self.skipped > 1 else "1 member was"
            found.append(f"{left} in the run already and left as is.")
        return found

    def _views(self) -> str:
        """How many were placed by which views, in a sentence."""
        counts = {views: self.by.count(views) for views in dict.fromkeys(self.by)}
        told = [
            f"{many:,} by {views}{'' if ' and ' in views else ' alone'}"
            for views, many in counts.items()
            if views
        ]
        return (
            f"They were placed by the views they have: {', '.join(told)}."
            if told
            else "None of them holds anything in a view."
        )

    def frame(self, backend: str | None = None) -> Any:
        """One row per new member as a frame."""
        from coterie.run.frames import frame

        groups = [self.names[g] if g >= 0 else "" for g in self.labels]
        columns = {"id": list(self.ids), "group": self.labels.tolist(), "name": groups}
        return frame(
            {**columns, "confidence": self.confidence.tolist(), "fits": self.fits.tolist()}, backend
        )


def read_alike(found: Exploration, source: Any, **given: Any) -> Collection:
    """New members read the way the fitted ones were: the same columns and people by name; rows that only have numbers go on."""
    if isinstance(source, Collection):
        return as_known(with_view(source, found.collection), found.collection)
    kept = found.request.reading.options()
    kept = {name: value for name, value in kept.items() if name not in OF_MEMBERS}
    named = {name: value for name, value in given.items() if value not in (None, [], ())}
    reading = {**{name: value for name, value in kept.items() if name != "truth"}, **named}
    new = as_known(read_later(found, source, reading), found.collection)
    if reading.get("id") or not any(
        _numbered(new.ids, first) and _numbered(found.collection.ids, first) for first in (0, 1)
    ):
        return new
    first = len(found.findings.ids) + int(new.ids[0])
    return replace(new, ids=[str(first + i) for i in range(len(new))])


def read_later(found: Exploration, source: Any, reading: Mapping[str, Any]) -> Collection:
    """Members read by the views of a run, under the names these have there; of several views one is enough."""
    views = found.analysis.views
    folder = (
        isinstance(source, (str, Path))
        and Path(source).expanduser().is_dir()
        and tables_in(Path(source).expanduser())
    )
    asked = bool(found.request.reading.views)  # else they are what any reading gives
    named = {"views": list(views)} if views and asked and not folder else {}
    like = {name: found.collection.view(name) for name in views or (found.analysis.view,)}
    return read(source, **{**reading, **named}, like=like)


def _numbered(ids: Sequence[str], first: int) -> bool:
    """Whether the ids only count the rows."""
    return all(member == str(at) for at, member in enumerate(ids, start=first))


def place(found: Exploration, new: Collection) -> Placement:
    """Place the members of a new collection; those already there are left out and counted."""
    if found.findings.strips and isinstance(found.analysis.pipeline.steps[-1], Segmentation):
        raise DataError(
            "This run cut sequences into pieces; explore the new ones as a run of their own.",
            parameter="segment",
        )
    known = set(found.findings.ids)
    fresh = [i for i, member in enumerate(new.ids) if member not in known]
    if not fresh:
        all_of = (
            f"All {len(new)} members of '{new.name}' are"
            if len(new) > 1
            else f"The only member of '{new.name}' is"
        )
        raise DataError(f"{all_of} in the run already.")
    part = new.take(fresh) if len(fresh) < len(new) else new
    analysis = found.analysis
    shown, view = seen_again(part, analysis.view, analysis.views)
    if analysis.beside:
        view = with_beside(part, analysis.view, analysis.beside)
    tied = by_links(analysis.pipeline.steps_[-1])
    links = (
        links_of(part, analysis.view, type(analysis.pipeline.steps_[-1]).__name__, new=True)
        if tied
        else None
    )
    queries = distance(analysis.pipeline.compare(view))
    index, values = nearest(queries, found.findings.neighbors.shape[1], without_self=False)
    labels = np.zeros(len(part), dtype=np.int64)
    if analysis.grouped:
        labels = (
            analysis.pipeline.predict(view) if links is None else placed(analysis.pipeline, links)
        )
    nearness = nearness_of(values, analysis.width)
    known_labels = found.findings.labels
    weight = np.maximum(nearness, 1e-12)
    same = known_labels[index] == labels[:, None]
    share = (weight * same).sum(axis=1) / weight.sum(axis=1)
    away = values.mean(axis=1)
    near = away <= analysis.reach
    said = _has_known_words(analysis.pipeline, view) & (labels >= 0)
    far = np.minimum(share * analysis.reach / np.maximum(away, 1e-300), _UNSURE)
    return Placement(
        ids=tuple(part.ids),
        labels=labels,
        names=tuple(group.name for group in found.findings.groups),
        confidence=np.where(said, np.where(near, share, far), 0.0),
        fits=near & said & (share >= _UNSURE),
        neighbors=index,
        nearness=nearness,
        snippets=tuple(
            lines_of(part, [name for name in analysis.views if name in part.views])
            if analysis.views
            else snippets(part, shown)
        ),
        skipped=len(new) - len(part),
        notes=tuple(new.notes),
        by=_placed_by(view, analysis.views),
    )


def _placed_by(view: Any, names: Sequence[str]) -> tuple[str, ...]:
    """The views that each new member is seen in; nothing where all are seen in all."""
    if not names:
        return ()
    by = tuple(seen_by(view, names))
    return by if set(by) != {join_names(names)} else ()


def _has_known_words(pipeline: Any, view: Any) -> np.ndarray:
    """Per new member, whether the run knows any of its words; always where the walk counts no words."""
    first = pipeline.steps_[0]
    return first.known(view) if hasattr(first, "known") else np.ones(len(view), dtype=bool)


def joined_findings(
    findings: Findings, placed: Placement, source: str = "", command: str = ""
) -> Findings:
    """The findings with the new members beside the old ones; groups keep their numbers and names, and grow.

    `source` and `command` are what the recipes to make it again are lengthened by.
    """
    weight = np.maximum(placed.nearness, 1e-12)[:, :, None]
    spots = (weight * findings.map[placed.neighbors]).sum(axis=1) / weight.sum(axis=1)
    grown = np.bincount(placed.labels[placed.labels >= 0], minlength=len(findings.groups))
    groups = [
        replace(group, size=group.size + int(grown[group.label])) for group in findings.groups
    ]
    told = [
        note
        for note in placed.notes
        if note not in findings.notes and code_of(note) != "lacking"  # not of this run
    ]
    blank = [""] * len(placed.ids)
    strangers = [i for i, fits in zip(placed.ids, placed.fits, strict=True) if not fits]
    added = note_added(len(placed.ids), strangers)
    return replace(
        findings,
        ids=[*findings.ids, *placed.ids],
        snippets=[*findings.snippets, *placed.snippets],
        labels=np.concatenate([findings.labels, placed.labels]),
        confidence=np.concatenate([findings.confidence, placed.confidence]),
        map=np.concatenate([findings.map, spots]),
        neighbors=np.concatenate([findings.neighbors, placed.neighbors]),
        nearness=np.concatenate([findings.nearness, placed.nearness]),
        groups=groups,
        levels=(),  # the new members are on none of them
        added=findings.added + len(placed.ids),
        cards={name: [*column, *blank] for name, column in findings.cards.items()},
        notes=[*findings.notes, *told, added],
        command=f"{findings.command}\n{command}"
        if findings.command and command
        else findings.command,
        python=f"{findings.python}\nfound.place({source!r})"
        if findings.python and source
        else findings.python,
    )

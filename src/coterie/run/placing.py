"""New members in a stored run: placed among the groups people already know, with a word on those that fit nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Findings
from coterie.parts.neighbors import nearest
from coterie.parts.pairwise import distance
from coterie.walks.explore import nearness_of
from coterie.walks.telling import snippet

if TYPE_CHECKING:
    from coterie.run.engine import Exploration


@dataclass(frozen=True, eq=False)
class Placement:
    """Where new members went: a group each (by number and name), how sure, and whether they fit anywhere."""

    ids: tuple[str, ...]
    labels: np.ndarray
    names: tuple[str, ...]  # of all groups
    confidence: np.ndarray
    fits: np.ndarray  # False where a member is farther from everyone than the fitted members are
    neighbors: np.ndarray
    nearness: np.ndarray
    snippets: tuple[str, ...] = ()
    skipped: int = 0  # members that were in the run already
    path: Path | None = None

    def rows(self) -> list[tuple[str, str, bool]]:
        """(id, name of the group, whether it fits) per new member."""
        return [
            (i, self.names[g] if g >= 0 else "in no group", bool(f))
            for i, g, f in zip(self.ids, self.labels, self.fits, strict=True)
        ]

    def sentences(self) -> list[str]:
        """What happened, in words."""
        count = f"{len(self.ids):,} new members were" if len(self.ids) > 1 else "1 new member was"
        found = [f"{count} placed into {len(set(self.labels.tolist()) - {-1})} of {len(self.names)} groups."]
        strangers = int((~self.fits).sum())
        if strangers:
            some = ", ".join(i for i, fits in zip(self.ids, self.fits, strict=True) if not fits)[:200]
            found.append(f"{strangers:,} of them {'fits' if strangers == 1 else 'fit'} nowhere well: {some}.")
        if self.skipped:
            left = f"{self.skipped:,} members were" if self.skipped > 1 else "1 member was"
            found.append(f"{left} in the run already and left as is.")
        return found

    def frame(self, backend: str | None = None) -> Any:
        """One row per new member as a frame."""
        from coterie.run.frames import frame

        groups = [self.names[g] if g >= 0 else "" for g in self.labels]
        columns = {"id": list(self.ids), "group": self.labels.tolist(), "name": groups}
        return frame({**columns, "confidence": self.confidence.tolist(), "fits": self.fits.tolist()}, backend)


def read_alike(found: Exploration, source: Any, **given: Any) -> Collection:
    """New members read the way the fitted ones were: the same columns by name; where rows only have numbers, they go on."""
    if isinstance(source, Collection):
        return source
    kept = dict(found.run.settings.get("reading", {})) if found.run is not None else {}
    reading = {**{name: value for name, value in kept.items() if name != "truth"}, **{n: v for n, v in given.items() if v}}
    view = found.walked.view
    new = read(source, **reading, like={view: found.collection.view(view)})
    if reading.get("id") or not any(_numbered(new.ids, first) and _numbered(found.collection.ids, first) for first in (0, 1)):
        return new
    first = len(found.findings.ids) + int(new.ids[0])
    return replace(new, ids=[str(first + i) for i in range(len(new))])


def _numbered(ids: Sequence[str], first: int) -> bool:
    """Whether the ids only count the rows."""
    return all(member == str(at) for at, member in enumerate(ids, start=first))


def place(found: Exploration, new: Collection) -> Placement:
    """Place the members of a new collection; those already there are left out and counted."""
    known = set(found.findings.ids)
    fresh = [i for i, member in enumerate(new.ids) if member not in known]
    if not fresh:
        raise DataError(f"All {len(new)} members of '{new.name}' are in the run already.")
    part = new.take(fresh) if len(fresh) < len(new) else new
    walked = found.walked
    if walked.view not in part.views:
        raise DataError(
            f"The run was made on the view '{walked.view}', and the new members have {', '.join(part.views) or 'none'}."
        )
    view = part.view(walked.view)
    queries = distance(walked.pipeline.compare(view))
    index, values = nearest(queries, found.findings.neighbors.shape[1], without_self=False)
    labels = walked.pipeline.predict(view) if walked.grouped else np.zeros(len(part), dtype=np.int64)
    nearness = nearness_of(values, walked.width)
    known_labels = found.findings.labels
    weight = np.maximum(nearness, 1e-12)
    same = known_labels[index] == labels[:, None]
    confidence = (weight * same).sum(axis=1) / weight.sum(axis=1)
    return Placement(
        ids=tuple(part.ids),
        labels=labels,
        names=tuple(group.name for group in found.findings.groups),
        confidence=confidence,
        fits=values.mean(axis=1) <= walked.reach,
        neighbors=index,
        nearness=nearness,
        snippets=tuple(snippet(part, walked.view)),
        skipped=len(new) - len(part),
    )


def joined_findings(findings: Findings, placed: Placement) -> Findings:
    """The findings with the new members beside the old ones; groups keep their numbers and names, and grow."""
    weight = np.maximum(placed.nearness, 1e-12)[:, :, None]
    spots = (weight * findings.map[placed.neighbors]).sum(axis=1) / weight.sum(axis=1)
    grown = np.bincount(placed.labels[placed.labels >= 0], minlength=len(findings.groups))
    strangers = [i for i, fits in zip(placed.ids, placed.fits, strict=True) if not fits]
    notes = [*findings.notes, f"{len(placed.ids)} members were added later."]
    if strangers:
        some = ", ".join(strangers[:8]) + (" ..." if len(strangers) > 8 else "")
        notes.append(f"{len(strangers)} of the members added later fit nowhere well: {some}.")
    blank = [""] * len(placed.ids)
    return replace(
        findings,
        ids=[*findings.ids, *placed.ids],
        snippets=[*findings.snippets, *placed.snippets],
        labels=np.concatenate([findings.labels, placed.labels]),
        confidence=np.concatenate([findings.confidence, placed.confidence]),
        map=np.concatenate([findings.map, spots]),
        neighbors=np.concatenate([findings.neighbors, placed.neighbors]),
        nearness=np.concatenate([findings.nearness, placed.nearness]),
        groups=[replace(group, size=group.size + int(grown[group.label])) for group in findings.groups],
        cards={name: [*column, *blank] for name, column in findings.cards.items()},
        notes=notes,
    )

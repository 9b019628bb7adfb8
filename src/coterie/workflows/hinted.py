"""Hints in a walk: what a person said of the members, how many groups that asks for, and groups that bear the labels' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Evidence, Findings, Group, Naming, Step
from coterie.core.hints import Hints
from coterie.messages.notes import code_of, note_broken_pairs
from coterie.parts.colored import clique

GUIDED = (
    "Comraf",
    "MDC",
    "SequentialIB",
    "Spectral",
    "Medoids",
    "MCL",
    "Leiden",
    "Propagation",
    "Agglomerative",
)
_LEANING = (
    "MCL",
    "Leiden",
    "Propagation",
)  # they change links, and cannot promise that a pair is kept
_GIVEN = "given label"


def hints_of(collection: Collection, said: Any) -> Hints | None:
    """What was said of these members: Hints as they are, or a mapping with labels, together and apart by id; None for nothing."""
    if said is None:
        return None
    if isinstance(said, Hints):
        found = said
    elif hasattr(said, "keys"):
        strange = set(said) - {
            "labels",
            "together",
            "apart",
            "scheme",
            "label_weight",
            "pair_weight",
        }
        if strange:
            raise ParameterError(
                f"hints hold labels, together and apart, and not '{sorted(strange)[0]}'."
            )
        found = Hints.of_record(list(collection.ids), said)
    else:
        raise ParameterError(
            f"hints must be Hints, or a mapping with labels, together and apart, and was {said!r:.60}."
        )
    if len(found) != len(collection):
        raise DataError(
            f"The hints are on {len(found)} members, and '{collection.name}' has {len(collection)}."
        )
    return found.consistent("explore", list(collection.ids)) if found else None


def check_guided(organizer: Any) -> None:
    """Refuse an organizer that cannot use what a person knows."""
    if not getattr(organizer, "guided", False):
        raise DataError(
            f"{type(organizer).__name__} takes no hints; {', '.join(GUIDED[:-1])} and {GUIDED[-1]} do."
        )


def at_least(evidence: Evidence, hints: Hints | None) -> Evidence:
    """The evidence, with at least as many groups as there are labels (two, where any pair belongs apart)."""
    if hints is None:
        return evidence
    apart = len(clique(hints.chunks()[hints.apart], len(hints)))
    least = max(len(hints.names), apart, 1)
    if evidence.n_groups >= least or not evidence.chosen:
        return evidence
    return replace(
        evidence,
        n_groups=least,
        least=least,
        least_by="labels" if len(hints.names) == least else "cannot-link",
        without=evidence.n_groups,
    )


def named_by(groups: Sequence[Group], labels: np.ndarray, hints: Hints) -> list[Group]:
    """Groups with the names of the labels most of their labeled members have; what tells them apart stays beside it."""
    owners: dict[int, str] = {}
    for group in groups:
        own = hints.labels[np.flatnonzero(labels == group.label)]
        own = own[own >= 0]
        if len(own):
            owners[group.label] = hints.names[int(np.bincount(own).argmax())]
    found = []
    for group in groups:
        name = owners.get(group.label)
        if name is None:
            found.append(group)
            continue
        several = sum(other == name for other in owners.values()) > 1
        called = f"{name}: {group.name}" if several else name
        found.append(replace(group, name=called, naming=Naming("given", (called,))))
    return found


def with_hints(findings: Findings, hints: Hints | None, organizer: Any) -> Findings:
    """The findings with names, given labels beside the members, and sentences on what was said and what was not kept."""
    if hints is None:
        return findings
    given = [hints.names[label] if label >= 0 else "" for label in hints.labels]
    told = getattr(organizer, "notes_", ())
    notes = [
        note
        for note in told
        if note not in findings.notes and code_of(note) != "broken_pairs"  # told below
    ]
    broken = hints.broken(findings.labels)
    total = len(hints.together) + len(hints.apart)
    if len(broken):
        one, other = (hints.called(int(at)) for at in broken[0])
        notes.append(note_broken_pairs(len(broken), total, one, other))
    return replace(
        findings,
        groups=named_by(findings.groups, findings.labels, hints),
        steps=[*findings.steps, constraints_step(hints, type(organizer).__name__)],
        notes=[*findings.notes, *notes],
        cards={**findings.cards, **({_GIVEN: given} if len(hints.known) else {})},
    )


def constraints_step(hints: Hints, organizer: str = "") -> Step:
    """What a person said of some members, and how it counts."""
    return Step(
        "constraints",
        {
            "method": organizer,
            "labels": len(hints.known),
            "names": len(hints.names),
            "scheme": hints.scheme,
            "label_weight": float(hints.trust),
            "together": len(hints.together),
            "apart": len(hints.apart),
            "pair_weight": float(hints.pair_weight),
            "leaning": organizer in _LEANING,
        },
    )

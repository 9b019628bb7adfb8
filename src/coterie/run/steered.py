"""Findings under a person's edits: members, sizes and names of the groups as they stand, and names carried into a new run."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from coterie.core.edits import Steered
from coterie.core.findings import Findings, Group
from coterie.run.atomic import AGAIN, write_text
from coterie.run.stored import label_columns
from coterie.walks.groups import name_of


def as_steered(findings: Findings, state: Steered) -> Findings:
    """The findings with the groups of this state; those that changed have no typical members that left them."""
    known = {group.label: group for group in findings.groups}
    groups = [_group(known.get(label), label, state, findings) for label in sorted(state.names)]
    return replace(findings, labels=state.labels, groups=groups)


def _group(known: Group | None, label: int, state: Steered, findings: Findings) -> Group:
    inside = np.flatnonzero(state.labels == label)
    sure = float(findings.confidence[inside].mean()) if len(inside) else 0.0
    here = set(inside.tolist())
    if known is None:
        order = inside[np.argsort(-findings.confidence[inside], kind="stable")]
        return Group(label, state.names[label], len(inside), sure, tuple(int(i) for i in order[:6]), ())
    typical, doubtful = (tuple(i for i in some if i in here) for some in (known.typical, known.doubtful))
    size, name = len(inside), state.names[label]
    return replace(known, name=name, size=size, confidence=sure, typical=typical, doubtful=doubtful)


def given_names(findings: Findings, state: Steered) -> dict[int, str]:
    """The names that a person gave, by the number from 0 of their group."""
    before = {group.label: group.name for group in findings.groups}
    return {label: name for label, name in state.names.items() if before.get(label) != name or label in state.locked}


def with_names(findings: Findings, labels: np.ndarray, names: Mapping[int, str]) -> Findings:
    """Groups found anew with the names a person gave to those most of their members were in; the others by what tells them.

    `labels` are the groups the same members were in before; a name is given to one group only, the one that took most.
    """
    from scipy.optimize import linear_sum_assignment

    before = sorted(names)
    counts = np.zeros((len(before), len(findings.groups)))
    for row, old in enumerate(before):
        inside = findings.labels[labels == old]
        for col, group in enumerate(findings.groups):
            counts[row, col] = float((inside == group.label).sum())
    rows, cols = linear_sum_assignment(-counts)
    called = {int(col): names[before[row]] for row, col in zip(rows, cols, strict=True) if counts[row, col] > 0}
    taken, groups = set(called.values()), []
    for col, group in enumerate(findings.groups):
        own = name_of(group.telling, group.label) if group.telling else f"group {group.label + 1}"
        if col in called:
            own = called[col]
        elif own in taken:
            own = f"{own} ({group.label + 1})"
        taken.add(own)
        groups.append(replace(group, name=own))
    return replace(findings, groups=groups)


def write_labels(findings: Findings, path: Path, *, then: str = AGAIN) -> Path:
    """Who is in which group, as CSV."""
    columns, text = label_columns(findings), io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    write_text(path, text.getvalue(), then=then)
    return path

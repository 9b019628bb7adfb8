"""Questions to a stored run: who is near a member, how the groups agree with known answers, and where new members go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.collect.reading import read_answers
from coterie.core.collection import position
from coterie.core.errors import DataError
from coterie.judge import judge_partition
from coterie.run.engine import load, open_run
from coterie.run.placing import Placement, joined_findings, place, read_alike
from coterie.run.reporting import write_report


def neighbors(name: str | None, member: str, *, most: int = 10, store: Any = True) -> list[dict[str, Any]]:
    """The members nearest to one member: id, nearness from 0 to 1, group and a line of what each is."""
    run = open_run(name, store)
    findings = run.findings()
    ids = list(findings.ids)
    at = position(ids, member, run.name)
    names = {group.label: group.name for group in findings.groups}
    rows = []
    for other, nearness in zip(findings.neighbors[at][:most], findings.nearness[at][:most], strict=True):
        if other >= 0:
            group = names.get(int(findings.labels[other]), "in no group")
            rows.append({"id": ids[other], "nearness": float(nearness), "group": group, "snippet": findings.snippets[other]})
    return rows


@dataclass(frozen=True)
class Judged:
    """A run measured against known answers."""

    run: str
    truth: str
    members: int
    unknown: int
    measures: Mapping[str, float]
    breakdown: list[list[str]]

    def sentence(self) -> str:
        """The measures in one sentence."""
        nmi, ari = self.measures["nmi"], self.measures["adjusted_rand"]
        left = f" ({self.unknown} members without an answer left out)" if self.unknown else ""
        share = f"share {nmi:.0%} of the information (NMI {nmi:.3f}, adjusted Rand {ari:.3f})"
        return f"Against '{self.truth}', the groups of {self.run} {share}{left}."

    def record(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "run": self.run,
            "truth": self.truth,
            "members": self.members,
            "unknown": self.unknown,
            "measures": dict(self.measures),
        }


def judged(name: str | None, truth: str | None = None, *, file: str | None = None, store: Any = True) -> Judged:
    """Measure a run against a column of truth kept with it, or read from a table and joined by id."""
    run = open_run(name, store)
    findings = run.findings()
    labels, column = findings.labels, truth or ""
    if file is not None:
        answers = _answers(file, truth, list(findings.ids))
        column = truth or "answers"
    else:
        kept = run.collection().truth
        if not kept:
            raise DataError(
                f"The run '{run.name}' was made without a column of truth; give a table with --from FILE --truth COLUMN."
            )
        column = truth or (next(iter(kept)) if len(kept) == 1 else "")
        if column not in kept:
            wrong = f"no column of truth '{column}'; it has" if column else "several columns of truth:"
            raise DataError(f"The run '{run.name}' has {wrong} {', '.join(kept)}; name one with --truth.")
        answers = np.asarray(kept[column], dtype=object)
        labels = labels[: len(answers)]
    known = np.array([a is not None and a == a and a != "" for a in answers.tolist()])
    if not known.any():
        raise DataError(f"The column '{column}' has no answer for any member of the run.")
    measures = judge_partition(labels[known], answers[known])
    names = [group.name for group in findings.groups]
    return Judged(
        run.name, str(column), int(known.sum()), int((~known).sum()), measures, _breakdown(labels[known], answers[known], names)
    )


def _breakdown(labels: np.ndarray, answers: np.ndarray, names: list[str]) -> list[list[str]]:
    rows = []
    for g, name in enumerate(names):
        inside = answers[labels == g]
        if len(inside):
            levels, counts = np.unique([str(a) for a in inside], return_counts=True)
            top = int(np.argmax(counts))
            rows.append([name[:50], str(len(inside)), str(levels[top]), f"{counts[top] / len(inside):.0%}"])
    return rows


def _answers(file: str, truth: str | None, ids: list[str]) -> np.ndarray:
    if truth is None:
        raise DataError("Name the column of the table that holds the answers with --truth.")
    answer = read_answers(file, truth)
    return np.array([answer.get(member) for member in ids], dtype=object)


def add(name: str, source: Any, *, store: Any = True, **reading: Any) -> Placement:
    """Place new members into a stored run: its report, labels and neighbors grow; its groups keep their names."""
    found = load(name, store=store)
    placed = place(found, read_alike(found, source, **reading))
    run = found.run
    if run is not None:
        findings = joined_findings(found.findings, placed)
        run.save_findings(findings)
        run.update(members=len(findings))
        path = run.export_labels("labels.csv")
        write_report(findings, run.path / "report.html", then=f"run: coterie report {run.name}")
        placed = replace(placed, path=path)
    return placed

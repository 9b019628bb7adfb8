"""Questions to a stored run: who is near a member, how the groups agree with known answers, and where new members go."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.reading import only_answer, read_answers
from coterie.core.errors import DataError
from coterie.core.findings import Findings
from coterie.run.answers import (
    Judged,
    bare_id,
    explain_in,
    measured,
    neighbors_in,
    place_later,
)
from coterie.run.engine import load, open_run
from coterie.run.placing import Placement, joined_findings
from coterie.run.steered import current, settle
from coterie.run.stored import write_report


def neighbors(
    name: str | None, member: str, *, most: int = 10, store: Any = True
) -> list[dict[str, Any]]:
    """The members nearest to one member: id, nearness from 0 to 1, group and a line of what each is."""
    run = open_run(name, store)
    return neighbors_in(current(run), member, most, run.name)


def explain(
    name: str | None, members: Sequence[str], *, group: int | None = None, store: Any = True
) -> list[str]:
    """Why two or more members of a stored run (their ids), or the members of a group (its number from 1), are alike."""
    found = load(name, store=store)
    return explain_in(
        found if found.run is None else replace(found, findings=current(found.run)), members, group
    )


def judged(
    name: str | None, truth: str | None = None, *, file: str | None = None, store: Any = True
) -> Judged:
    """Measure a run against a column of truth kept with it, or read from a table and joined by id."""
    run = open_run(name, store)
    findings = current(run)
    if file is not None:
        truth = truth or only_answer(file)
        return measured(findings, _answers(file, truth, list(findings.ids)), truth, run.name)
    kept = run.collection().truth
    if not kept:
        raise DataError(
            f"The run '{run.name}' was made without a column of truth; give a table that has one, and name it.",
            parameter="file",
        )
    column = truth or (next(iter(kept)) if len(kept) == 1 else "")
    if column not in kept:
        wrong = f"no column of truth '{column}'; it has" if column else "several columns of truth:"
        raise DataError(
            f"The run '{run.name}' has {wrong} {', '.join(kept)}; name one.",
            parameter="truth",
        )
    return measured(findings, np.asarray(kept[column], dtype=object), column, run.name)


def _answers(file: str, truth: str, ids: list[str]) -> np.ndarray:
    """The answers of a table for these members, joined by id; brackets around the id of a message do not matter."""
    answer = {bare_id(member): value for member, value in read_answers(file, truth).items()}
    if not any(bare_id(member) in answer for member in ids):
        theirs = f"there, such as '{next(iter(answer))}'" if answer else "there, which has no rows"
        raise DataError(
            f"'{Path(file).name}' was joined by {_joined_on(file, truth)}, and no id {theirs}, is in the run, whose ids are "
            f"such as '{ids[0]}'."
        )
    return np.array([answer.get(bare_id(member)) for member in ids], dtype=object)


def _joined_on(file: str, truth: str) -> str:
    """The column of a table that names its members, in words."""
    from coterie.collect.columns import Named, columns_of
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of

    path = Path(file).expanduser()
    if path.is_dir() or suffix_of(path) not in TABLE_SUFFIXES:
        return "the ids of its members"
    loaded = load(path)
    columns = columns_of(loaded.table, Named(truth=(truth,)), loaded.name, texts=False)
    return next(
        (f"its column '{column.name}'" for column in columns if column.role == "id"),
        "the numbers of its rows",
    )


def add(
    name: str,
    source: Any,
    *,
    store: Any = True,
    links: Mapping[str, Any] | None = None,
    **reading: Any,
) -> Placement:
    """Place new members into a stored run: its report, labels and neighbors grow; its groups keep their names.

    `links` gives populations of the run the tables of the new members; those the run was made from are not read again.
    """
    found = load(name, store=store)
    placed = place_later(found, source, links, **reading)
    run = found.run
    if run is not None:
        where = str(source) if isinstance(source, (str, Path)) else ""
        command = (
            f"coterie add {run.called} {shlex.quote(where)}{_options(reading, links)}"
            if where
            else ""
        )
        findings = joined_findings(found.findings, placed, where, command)
        run.save_findings(findings)
        now = current(run)
        path = settle(run, now, then=f"run: coterie steer {run.called}")
        write_report(now, run.path / "report.html", then=f"run: coterie report {run.called}")
        placed = replace(as_they_stand(placed, now), path=path)
    return placed


def as_they_stand(placed: Placement, findings: Findings) -> Placement:
    """A placement with the groups of findings that have these members as their last ones: after edits their names and numbers."""
    names = {group.label: group.name for group in findings.groups}
    labels = findings.labels[len(findings) - len(placed.ids) :]
    return replace(
        placed,
        labels=labels,
        names=tuple(names.get(at, "") for at in range(max(names, default=-1) + 1)),
    )


def _options(reading: Mapping[str, Any], links: Mapping[str, Any] | None) -> str:
    """How a path was read, as options of the command line."""
    given = [
        (name, value)
        for name, values in reading.items()
        for value in (values if isinstance(values, list) else [values])
    ]
    given += [
        ("link", f"{name}={table}")
        for name, table in (links or {}).items()
        if isinstance(table, (str, Path))
    ]
    return "".join(
        f" --{name} {shlex.quote(str(value))}" for name, value in given if value is not None
    )

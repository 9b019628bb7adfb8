"""The experiments as a table that fits the terminal: what each shows, its data, its minutes, and how it stands."""

from __future__ import annotations

import shutil
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from coterie.cli.say import cut, table

if TYPE_CHECKING:
    from coterie.experiments.experiment import Experiment
    from coterie.experiments.results import Results

_WIDE, _LEAST = 120, 72  # letters of a line where there is no terminal, and the fewest that a table is made for
_DATA = 22  # letters of the data sets


def listed(results: Results, folder: Path | None) -> str:
    """All experiments, by work."""
    from coterie import experiments
    from coterie.experiments.experiment import OWN

    every = experiments.every()
    works = list(dict.fromkeys(one.work for one in every if one.work != OWN))
    every.sort(key=lambda one: works.index(one.work) if one.work != OWN else len(works))
    header = ["experiment", "minutes", "data", "status", "last result", "table or figure"]
    lines = fitted(header, [_row(one, results, folder) for one in every], 0, last=True).split("\n")
    parts, at = lines[:2], 2
    for work, group in groupby(every, key=lambda one: one.work):
        count = len(list(group))
        parts += ["our own:" if work == OWN else f"{work}:", *lines[at : at + count]]
        at += count
    return "\n".join(
        [*parts, "", "To run one: coterie reproduce NAME (--quick for a small form of it); all: coterie reproduce --all"]
    )


def _row(one: Experiment, results: Results, folder: Path | None) -> list[str]:
    lost = one.lacks(folder)
    return [
        f"  {one.name}",
        f"{one.minutes:g}",
        cut(", ".join(one.sets) or "generated", _DATA),
        "ready" if not lost else cut(f"{'lacks' if len(lost) == len(one.needs) else 'without'} {_short(lost)}", _DATA + 8),
        _last(one, results),
        one.table,
    ]


def _short(lost: tuple[str, ...]) -> str:
    return ", ".join(dict.fromkeys(need.rpartition("/")[2].removesuffix(".npz") for need in lost))


def _last(one: Experiment, results: Results) -> str:
    from coterie.core.errors import DataError

    try:
        result = results.last(one.name)
    except DataError:
        return "not readable"
    if result is None:
        return "-"
    failed = len(result.relations) - result.held
    counts = f"{result.held} hold" + (f", {failed} fail{'s' if failed == 1 else ''}" if failed else "")
    return f"{counts}, {'quick ' if result.quick else ''}{result.date}".rstrip(", ")


def covered() -> str:
    """Every table and figure of the works, the experiments that show it, and what stands in for its data."""
    from coterie.experiments.coverage import COVERAGE, OWN

    parts = []
    for one in COVERAGE:
        shown = ", ".join(one.by) or "not shown"
        parts.append(f"{one.work}, section {one.section}: {one.what}\n    {shown}{f'. {one.note}' if one.note else ''}")
    return "\n".join([*parts, f"Our own: {', '.join(OWN)}"])


def fitted(header: list[str], rows: list[list[str]], words: int, *, last: bool = False) -> str:
    """A table no wider than the terminal: the first `words` columns (or the last) are cut where it would be."""
    if not sys.stdout.isatty() and not last:
        return table(header, rows)
    wide = max(shutil.get_terminal_size((_WIDE, 24)).columns if sys.stdout.isatty() else _WIDE, _LEAST)
    widths = [max(len(line[at]) for line in [header, *rows]) for at in range(len(header))]
    able = [len(header) - 1, 2, 3] if last else list(range(words))
    while sum(widths) + 2 * (len(widths) - 1) > wide:
        at = max(able, key=lambda one: widths[one])
        if widths[at] <= 8:
            break
        widths[at] -= 1
    return table(
        [cut(word, width) for word, width in zip(header, widths, strict=True)],
        [[cut(word, width) for word, width in zip(line, widths, strict=True)] for line in rows],
    )

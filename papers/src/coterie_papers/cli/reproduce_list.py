"""What `coterie reproduce` shows, made to fit the terminal: the experiments, what they cover, and the table of a result."""

from __future__ import annotations

import shutil
import sys
from itertools import groupby, zip_longest
from pathlib import Path
from textwrap import fill, wrap
from typing import TYPE_CHECKING

from coterie.cli.say import cut, table

if TYPE_CHECKING:
    from coterie_papers.experiment import Experiment
    from coterie_papers.results import Results

HEADS = ("data", "method", "measure", "ours \u00b1 s.e.", "beside", "diff.")
_LEAST = 52  # the fewest letters of a line that anything is made for
_COLUMNS = 110  # letters of a line from which on the list is in columns
_WORD = 8  # fewest letters of a column of words


def listed(results: Results, folder: Path | None) -> str:
    """All experiments, by work: a line each, and two where the terminal is too narrow for columns."""
    from coterie_papers import experiments

    every = experiments.every()
    wide = terminal()
    show = _in_pairs if wide is not None and wide < _COLUMNS else _in_columns
    further = (
        "To run one: coterie reproduce NAME (--quick for a small form of it); all: coterie reproduce --all. Where data is not "
        "here, a run says what to get, and does what needs none of it."
    )
    return f"{show(every, results, folder, wide)}\n\n{filled(further, wide)}"


def _in_columns(
    every: list[Experiment], results: Results, folder: Path | None, wide: int | None
) -> str:
    """A line per experiment under the name of its work; the data, the status and the table are cut where the terminal ends."""
    from coterie_papers.experiment import OWN
    from coterie_papers.works import WORKS

    header = ["experiment", "minutes", "data", "status", "last result", "table or figure"]
    rows = [
        [
            f"  {one.name}",
            f"{one.minutes:g}",
            _data(one),
            _status(one, folder),
            _last(one, results),
            one.table,
        ]
        for one in every
    ]
    widths = _natural(header, rows) if wide is None else _widths(header, rows, wide, (5, 2, 3))
    lines = table(
        [cut(word, width) for word, width in zip(header, widths, strict=True)],
        [[cut(word, width) for word, width in zip(line, widths, strict=True)] for line in rows],
    ).split("\n")
    parts = lines[:2]
    at = 2
    for work, group in groupby(every, key=lambda one: one.work):
        count = len(list(group))
        head = "our own:" if work == OWN else f"{work} ({WORKS[work]}):"
        parts += [filled(head, wide), *lines[at : at + count]]
        at += count
    return "\n".join(parts)


def _in_pairs(
    every: list[Experiment], results: Results, folder: Path | None, wide: int | None
) -> str:
    """Two lines per experiment: name, minutes and status, then whose table it is and its data; a third on the last result."""
    name, minutes = (
        max(map(len, words))
        for words in zip(*((one.name, f"{one.minutes:g}") for one in every), strict=True)
    )
    parts = []
    for one in every:
        parts.append(
            filled(
                f"{one.name:<{name}}  {one.minutes:>{minutes}g} min  {_status(one, folder)}",
                wide,
                "",
                "      ",
            )
        )
        parts.append(filled(f"{one.after}; data: {_data(one)}", wide, "    ", "      "))
        last = _last(one, results)
        if last != "-":
            parts.append(f"    last result: {last}")
    return "\n".join(parts)


def _data(one: Experiment) -> str:
    return ", ".join([*one.sets, *one.also]) or "generated"


def _status(one: Experiment, folder: Path | None) -> str:
    lost = one.lacks(folder)
    return f"not here: {_short(lost)}" if lost else "ready"


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
    counts = f"{result.held} hold{_s(result.held)}" + (
        f", {failed} fail{_s(failed)}" if failed else ""
    )
    form = "quick " if result.quick else ""
    part = ", in part" if result.lacked else ""
    return f"{counts}, {form}{result.date}".rstrip(", ") + part


def _s(count: int) -> str:
    return "s" if count == 1 else ""


def covered() -> str:
    """Every table and figure of the works, the experiments that show it, and what stands in for its data."""
    from coterie_papers.coverage import COVERAGE, OWN

    wide = terminal()
    parts = []
    for one in COVERAGE:
        told = f"{', '.join(one.by) or 'not shown'}{f'. {one.note}' if one.note else ''}"
        parts.append(
            filled(f"{one.work}: {one.what} (specification, {one.section})", wide, "", "  ")
        )
        parts.append(filled(told, wide, "    ", "      "))
    return "\n".join([*parts, filled(f"Our own: {', '.join(OWN)}", wide, "", "  ")])


def result_table(rows: list[list[str]]) -> str:
    """Our numbers and those beside them; rows have the cells of HEADS, and columns that are all empty are left out.

    Where the terminal is too narrow, each data set is a heading over its rows, what a number beside is stands below the table,
    and words that are still too long go on in the next line. Nothing is cut.
    """
    wide = terminal()
    kept = [at for at in range(len(HEADS)) if at < 4 or any(row[at] for row in rows)]
    head = [HEADS[at] for at in kept]
    body = [[row[at] for at in kept] for row in rows]
    if wide is None or _length(_natural(head, body)) <= wide:
        return table(head, body)
    notes: dict[str, str] = {}
    sets: dict[str, list[list[str]]] = {}
    for data, *words in body:
        if len(words) > 3:
            words[3] = _noted(words[3], notes)
        sets.setdefault(data, []).append(words)
    widths = _widths(head[1:], [row for group in sets.values() for row in group], wide - 2, (0, 1))
    parts = [*_lines(head[1:], widths), "  " + "  ".join("-" * width for width in widths)]
    for data, group in sets.items():
        parts += [filled(data, wide), *(line for row in group for line in _lines(row, widths))]
    return "\n".join(
        parts + [filled(f"{mark} {note}", wide, "", "    ") for note, mark in notes.items()]
    )


def _noted(cell: str, notes: dict[str, str]) -> str:
    """A number beside with a mark in place of what it is; `notes` has the marks."""
    number, bracket, note = cell.partition(" (")
    return (
        f"{number} {notes.setdefault(note.removesuffix(')'), f'[{len(notes) + 1}]')}"
        if bracket
        else cell
    )


def _lines(row: list[str], widths: list[int]) -> list[str]:
    """One row as lines: words that are too long for their column go on below, further in."""
    cells = [
        wrap(cell, width, subsequent_indent=" ", break_on_hyphens=False)
        for cell, width in zip(row, widths, strict=True)
    ]
    return [
        "  "
        + "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
        for line in zip_longest(*cells, fillvalue="")
    ]


def terminal() -> int | None:
    """Letters of a line of the terminal; None where there is none."""
    return max(shutil.get_terminal_size().columns, _LEAST) if sys.stdout.isatty() else None


def filled(text: str, wide: int | None, first: str = "", then: str = "") -> str:
    """The text in lines of the terminal; one line where there is none."""
    if wide is None:
        return first + text
    return fill(text, wide, initial_indent=first, subsequent_indent=then, break_on_hyphens=False)


def _natural(header: list[str], rows: list[list[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(header, *rows, strict=True)]


def _length(widths: list[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)


def _widths(
    header: list[str], rows: list[list[str]], wide: int, able: tuple[int, ...]
) -> list[int]:
    """The widths of columns so that a line fits: those that are able to are narrowed, always the widest of them."""
    widths = _natural(header, rows)
    while _length(widths) > wide and max(widths[at] for at in able) > _WORD:
        widths[max(able, key=lambda at: widths[at])] -= 1
    return widths

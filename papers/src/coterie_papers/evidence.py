"""One page of evidence from stored results: every table, the paper's number beside ours, green where its relation holds."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from pathlib import Path

from coterie.core.errors import DataError
from coterie.run.bundle import make_folder, write_text
from coterie_papers import experiments, numbers, reds
from coterie_papers.coverage import COVERAGE, Shown
from coterie_papers.experiment import OWN, Experiment, Picture, Result, Row
from coterie_papers.experiments import MODULES
from coterie_papers.page import drawings
from coterie_papers.results import Results
from coterie_papers.sources import title
from coterie_papers.works import WORKS

NOT_YET = "not run whole yet"
FIGURES = "figures"  # the folder of the drawings, beside the results
# runs that a specification asks for before one method is said to be above another: by experiment, else by work; none where the
# members of the mean are persons, weeks or searches
_ASKED = {
    "Comraf": 8,
    "core-names": 0,
    "topic-of-week": 0,
    "rankings": 0,
    "two-task": 5,
    "sic-synonyms": 3,
}
_HEAD = ("data", "method", "measure", "ours", "standard error", "beside", "difference")
_OURS = 5  # columns that every row fills
_INTRO = """# Evidence

Every experiment on the five works, and ours, from the results that are kept as files beside this page. This page is made
from them by `coterie reproduce --evidence FOLDER PAGE`: no number of a result is typed into it. The sentences on why a relation
fails, and on data, are written by hand.

A relation is a claim of the paper, or a threshold we set, checked against our numbers: <span class="coterie-holds">holds</span>
where it does, and <span class="coterie-fails">fails</span> where it does not, with a sentence on why. Where there are several
seeds, *above* often means above by more than a standard error of the difference, and *not below* below by no more than one, so a
relation can hold although the printed numbers are in the other order. Labels such as R5, H8 or bar 4 are the numbers of
requirements in the specifications that coterie was built from (one for each work); a pilot or reference run is one that was made
for them.

*Beside* is the paper's number, or what is said in brackets; the difference is ours less that number; the standard error is over
seeds (over the tasks, weeks or searches, where a row names those), and one seed has none. Micro accuracy is the share of members
that are of the most frequent class of their group; macro accuracy is the mean of that share over the groups, and is high, too,
where nearly all members are in one group and the others are tiny. Speed is measured elsewhere: [benchmarks](benchmarks.md).

Results in a *quick* form have smaller settings, with which a relation may fail; they show that the experiment runs, and no more.
Figures and tables open under each experiment. To run one: `coterie reproduce NAME`, and to see whether a stored one comes out
again: `coterie reproduce NAME --check FILE`.
"""


def stored(folder: Path) -> dict[str, Result]:
    """The results in a folder by experiment, the whole ones before the quick ones; unknown names are refused."""
    found: dict[str, Result] = {}
    for result in Results(folder).every():
        if result.experiment not in MODULES:
            raise DataError(
                f"'{folder.name}' holds a result of '{result.experiment}', which is no experiment."
            )
        if result.experiment not in found or not result.quick:
            found[result.experiment] = result
    return found


def drawn(results: Mapping[str, Result]) -> dict[str, str]:
    """Every figure of these results by the name of its file."""
    return {file: svg for result in results.values() for file, _, svg in _drawings(result)}


def write(folder: Path, target: Path) -> tuple[dict[str, Result], int]:
    """Write the page of the results in a folder, and its figures into a folder there; gives the results, and how many figures."""
    found = stored(folder)
    place = folder.absolute() / FIGURES
    text = page(found, Path(os.path.relpath(place, target.absolute().parent)).as_posix())
    figures = drawn(found)
    if figures:
        make_folder(place)
    for file, svg in figures.items():
        write_text(place / file, svg)
    for old in left_over(place, figures):
        old.unlink()
    write_text(target, text)
    return found, len(figures)


def left_over(folder: Path, figures: Collection[str]) -> list[Path]:
    """Drawings in a folder that an earlier page had and this one has not; other files are none of ours."""
    ours = re.compile(rf"({'|'.join(map(re.escape, MODULES))})-\d+\.svg")
    return [
        path
        for path in sorted(folder.glob("*.svg"))
        if ours.fullmatch(path.name) and path.name not in figures
    ]


def _drawings(result: Result) -> list[tuple[str, Picture, str]]:
    """The figures of a result that show something: the name of the file, the picture, and its drawing."""
    every = enumerate(drawings(result.pictures), 1)
    return [(f"{result.experiment}-{at}.svg", picture, svg) for at, (picture, svg) in every if svg]


def page(results: Mapping[str, Result], figures: str = f"evidence/{FIGURES}") -> str:
    """The whole page as Markdown; a relation that fails in a whole result and has no sentence is refused.

    `figures` is the way from the page to the folder of the drawings.
    """
    reds.require(results.values())
    every = experiments.every()
    parts = [_INTRO, _summary(every, results), _covered()]
    for work in dict.fromkeys(experiment.work for experiment in every):
        parts.append(f"## {_named(work)}\n")
        parts += [f"{WORKS[work]}.\n"] if work in WORKS else []
        parts += [
            _experiment(one, results.get(one.name), figures) for one in every if one.work == work
        ]
    return "\n".join(parts).rstrip() + "\n"


def _named(work: str) -> str:
    return "Our own" if work == OWN else work


def _summary(every: Sequence[Experiment], results: Mapping[str, Result]) -> str:
    rows = []
    for one in every:
        result = results.get(one.name)
        if result is None:
            rows.append(
                [_link(one.name), _named(one.work), escape(one.table), NOT_YET, "", "", "", "", ""]
            )
        else:
            how = _form(result)
            failed = len(result.relations) - result.held
            counts = [
                _count(result),
                _reds(failed),
                _beside(one, result),
                _seeds(one, result),
                f"{result.seconds / 60:.2g}",
            ]
            rows.append([_link(one.name), _named(one.work), escape(one.table), how, *counts])
    head = [
        "experiment",
        "work",
        "table or figure",
        "run",
        "hold",
        "fail",
        "numbers beside",
        "seeds",
        "minutes",
    ]
    return f"{_counted(every, results)}\n\n{_table(head, rows, 'summary')}\n"


def _counted(every: Sequence[Experiment], results: Mapping[str, Result]) -> str:
    """How many were run and hold, and which of them lacked data or have fewer seeds than they ask for."""
    whole = {
        one: results[one.name]
        for one in every
        if one.name in results and not results[one.name].quick
    }
    total, held = (
        sum(counts)
        for counts in ((len(r.relations) for r in whole.values()), (r.held for r in whole.values()))
    )
    quick = sum(result.quick for result in results.values())
    part = [one.name for one, result in whole.items() if result.lacked]
    few = [one.name for one, result in whole.items() if result.seeds < one.seeds]
    said = [
        f"{len(whole)} of {len(every)} experiments were run in their whole form; {held} of their {total} relations hold."
    ]
    said += (
        [f"Some of their data is not here, so that these are in part: {', '.join(part)}."]
        if part
        else []
    )
    said += [f"These have fewer seeds than they ask for: {', '.join(few)}."] if few else []
    once = {one.name: result.held for one, result in whole.items() if _once(one, result)}
    said += (
        [
            f"{sum(once.values())} that hold are of one run where more are asked for ({', '.join(once)})."
        ]
        if once
        else []
    )
    said += [f"{quick} more were run in their quick form."] if quick else []
    return " ".join(said)


def _beside(one: Experiment, result: Result) -> str:
    """How many numbers stand beside ours, and of how many it is said that they are not the paper's own on this data."""
    found = [row for row in one.told(result.rows) if row.paper is not None]
    other = sum(bool(row.beside) for row in found)
    of = (
        ""
        if not other
        else ", of other data or origin"
        if other == len(found)
        else f", {other} of other data or origin"
    )
    return f"{len(found)}{of}"


def _form(result: Result) -> str:
    return "quick" if result.quick else "in part" if result.lacked else "whole"


def _asked(one: Experiment, result: Result) -> int:
    """How many runs the specification asks for, where this result has fewer; else 0."""
    asked = _ASKED.get(one.name, _ASKED.get(one.work, 0))
    return asked if result.seeds < asked else 0


def _once(one: Experiment, result: Result) -> bool:
    """Whether it is of a single run where more are asked for: then any difference counts, and nothing is decided."""
    return result.seeds == 1 and _asked(one, result) > 0


def _seeds(one: Experiment, result: Result) -> str:
    return (
        f"{result.seeds} of {one.seeds}"
        if result.seeds < one.seeds and not result.quick
        else str(result.seeds)
    )


def _link(name: str) -> str:
    return f'<a href="#{name}">{escape(name)}</a>'


def _count(result: Result) -> str:
    return f'<span class="coterie-holds">{result.held}</span>' if result.held else "0"


def _reds(count: int) -> str:
    return f'<span class="coterie-fails">{count}</span>' if count else "0"


def _covered() -> str:
    rows = [
        [_named(one.work), one.section, escape(one.what), _by(one), escape(one.note)]
        for one in COVERAGE
    ]
    head = [
        "work",
        "section",
        "table or figure",
        "shown by",
        "what stands in for its data, and what is left out",
    ]
    said = "Every table and figure of the five works, by the section of its specification, and where it is shown.\n"
    return f"## What is shown where\n\n{said}\n{_table(head, rows, 'covered')}\n"


def _by(one: Shown) -> str:
    return ", ".join(map(_link, one.by)) if one.by else "not shown"


def _experiment(one: Experiment, result: Result | None, figures: str) -> str:
    head = f"### {one.name}\n\n{one.title}{'' if one.title.endswith('?') else '.'} {one.after}. {_data(one)}\n"
    if result is None:
        return f"{head}\nThis experiment was {NOT_YET}.\n"
    made = (f", {result.date}" if result.date else "") + (
        f", on {result.machine}" if result.machine else ""
    )
    version = f", coterie {result.version}" if result.version else ""
    quick = " **Quick: smaller settings, with which a relation may fail.**" if result.quick else ""
    seeds = "1 seed" if result.seeds == 1 else f"{result.seeds} seeds (0 to {result.seeds - 1})"
    few = (
        f" The specification asks for {asked} runs; with fewer a relation may hold or fail by chance."
        if (asked := _asked(one, result))
        else ""
    )
    parts = [
        head,
        f"{result.verdict()}; {seeds}{version}{made}.{quick}{few}\n",
        _relations(one, result),
    ]
    parts += [f"Left out: {escape(sentence)}\n" for sentence in result.skipped]
    return "\n".join([*parts, _figures(result, figures), _rows(one.told(result.rows))])


def _data(one: Experiment) -> str:
    names = list(dict.fromkeys([*map(title, one.needs), *one.also]))
    return f"Data: {'; '.join(names)}." if names else "All data is generated."


def _relations(one: Experiment, result: Result) -> str:
    lines = []
    once = " in one run:" if _once(one, result) else ""
    for relation in result.relations:
        if relation.holds:
            lines.append(
                f'<li><span class="coterie-holds">holds</span>{once} {_plain(relation.text)}</li>'
            )
        else:
            why = reds.why(one.name, relation.text)
            told = f'<br><span class="coterie-why">{_plain(why)}</span>' if why else ""
            lines.append(
                f'<li><span class="coterie-fails">fails</span>{once} {_plain(relation.text)}{told}</li>'
            )
    return f'<ul class="coterie-relations">\n{chr(10).join(lines)}\n</ul>\n' if lines else ""


def _figures(result: Result, folder: str) -> str:
    """The figures behind a line to open, each with its title and what is said of it."""
    shown = [
        f"![{_alone(picture.title)}]({folder}/{file})\n\n**{_plain(picture.title)}.** {_plain(picture.sentence)}".rstrip()
        + "\n"
        for file, picture, _ in _drawings(result)
    ]
    if not shown:
        return ""
    many = "1 figure" if len(shown) == 1 else f"{len(shown)} figures"
    return "\n".join([f"<details><summary>{many}</summary>\n", *shown, "</details>\n"])


def _rows(rows: Sequence[Row]) -> str:
    """Rows with a number beside stand open, all others behind a line to open and without the columns for it."""
    beside = [row for row in rows if row.paper is not None]
    others = [row for row in rows if row.paper is None]
    parts = [_behind(beside, "with a number beside", _HEAD, " open")] if beside else []
    parts += [_behind(others, "more" if beside else "", _HEAD[:_OURS])] if others else []
    return "\n".join(parts)


def _behind(rows: Sequence[Row], which: str, head: Sequence[str], how: str = "") -> str:
    many = f"{len(rows)} row{'' if len(rows) == 1 else 's'} {which}".rstrip()
    told = [[_plain(cell) for cell in _cells(row)[: len(head)]] for row in rows]
    return f"<details{how}><summary>{many}</summary>\n\n{_table(head, told)}\n\n</details>\n"


def _cells(row: Row) -> list[str]:
    ours, _, error = numbers.ours(row).partition(" \u00b1 ")
    return [
        row.data,
        row.method,
        row.measure,
        ours,
        error,
        numbers.published(row),
        numbers.difference(row),
    ]


def _alone(text: str) -> str:
    """The text without the signs that would end it inside a link."""
    return re.sub(r"[\[\]()*_`\\]", "", text)


def _plain(text: str) -> str:
    """The text as HTML that no reader of Markdown changes."""
    return re.sub(r"([*_`\\$|\[\]~])", lambda sign: f"&#{ord(sign[0])};", escape(text, quote=False))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "rows") -> str:
    """A table as HTML, a row per line, so that two versions of the page can be compared line by line."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table class="coterie evidence {kind}">\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'

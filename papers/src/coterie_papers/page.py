"""An experiment as one page that needs no network, in the look of the report: what holds, its figures, and its table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coterie.core.findings import Bars, Lines
from coterie.show import grid, lines, topics
from coterie.show.markup import bullets, esc, put
from coterie.show.shell import scrolled, sheet, shell
from coterie_papers import numbers, reds
from coterie_papers.experiment import Experiment, Picture, Relation, Result, Row

HEAD = (
    "data",
    "method",
    "measure",
    "ours \u00b1 standard error",
    "paper or known answer",
    "difference",
)
_WORDS = 3  # columns before the numbers


def page(experiment: Experiment, result: Result) -> str:
    """The whole page as text."""
    when = f", {result.date}" if result.date else ""
    prose = [
        f"Experiment {experiment.name}. {experiment.after}.",
        f"{result.seeded()[0].upper()}{result.seeded()[1:]}; {result.seconds:,.0f} s{when}.",
    ]
    body = (
        sheet(
            "What is asked of our numbers",
            "",
            _relations(experiment.name, result.relations),
            "relations",
        )
        + sheet("Figures", "", figures(result.pictures), "figures")
        + sheet(
            "Table",
            "Differences are ours less the number beside it.",
            _table(experiment.told(result.rows)),
            "table",
        )
        + sheet("Left out", "", bullets(result.skipped), "notes")
    )
    return shell(
        f"{experiment.name}: {experiment.title}",
        experiment.title,
        f"{result.verdict()}.",
        prose,
        body,
    )


def cells(row: Row) -> list[str]:
    """A row as words: data, method, measure, ours, the published number, and the difference."""
    return [
        row.data,
        row.method,
        row.measure,
        numbers.ours(row),
        numbers.published(row),
        numbers.difference(row),
    ]


def write(experiment: Experiment, result: Result, path: str | Path) -> Path:
    """Write the page aside and rename it into place."""
    return put(path, page(experiment, result))


def _relations(name: str, relations: Sequence[Relation]) -> str:
    """A table of sentences, each with whether it holds, and why not where that is known."""
    rows = []
    for relation in relations:
        why = "" if relation.holds else reds.why(name, relation.text)
        told = f'<br><span class="small">{esc(why)}</span>' if why else ""
        word = "holds" if relation.holds else "<b>FAILS</b>"
        rows.append(
            f'<tr><th scope="row">{word}</th><td class="wrap">{esc(relation.text)}{told}</td></tr>'
        )
    return (
        scrolled(f"<table><tbody>{''.join(rows)}</tbody></table>", "Relations of the paper")
        if rows
        else ""
    )


def _table(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    head = "".join(
        f'<th scope="col"{" class=n" if at >= _WORDS else ""}>{esc(word)}</th>'
        for at, word in enumerate(HEAD)
    )
    body = "".join(_row(row) for row in rows)
    return scrolled(
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
        "Ours beside the published numbers",
    )


def _row(row: Row) -> str:
    words = cells(row)
    named = "".join(f"<td>{esc(word)}</td>" for word in words[:_WORDS])
    return (
        f"<tr>{named}"
        + "".join(f'<td class="n">{esc(word)}</td>' for word in words[_WORDS:])
        + "</tr>"
    )


def figures(pictures: Sequence[Picture]) -> str:
    """All figures as one piece of a page."""
    drawn = [_figure(picture, svg) for picture, svg in drawings(pictures)]
    return f'<div class="figures">{"".join(drawn)}</div>' if drawn else ""


def drawings(pictures: Sequence[Picture]) -> list[tuple[Picture, str]]:
    """Every picture with its drawing; panels of bars wear other colors than those of the figures before them."""
    drawn = []
    worn = 0
    for picture in pictures:
        drawn.append((picture, drawing(picture, worn)))
        if isinstance(picture, Bars):
            worn += len(picture.panels)
    return drawn


def drawing(picture: Picture, first: int = 0) -> str:
    """One figure as SVG; `first` is the number of the first color of panels of bars."""
    if isinstance(picture, Bars):
        return topics.draw(picture, first)
    return lines.draw(picture) if isinstance(picture, Lines) else grid.draw(picture)


def _figure(picture: Picture, svg: str) -> str:
    said = f" {esc(picture.sentence)}" if picture.sentence else ""
    return f"<figure>{svg}<figcaption><b>{esc(picture.title)}.</b>{said}</figcaption></figure>"

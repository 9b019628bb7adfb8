"""An experiment as one page that needs no network: its table, what holds and what does not, and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coterie.core.findings import Bars, Grid, Lines
from coterie.experiments import numbers
from coterie.experiments.experiment import Experiment, Result, Row
from coterie.show import grid, lines, topics
from coterie.show.markup import esc, put

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1d1f23; background: #fff }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left; color: #5a606b }
th, td { text-align: left; padding: .15rem .9rem .15rem 0; border-bottom: 1px solid #e8e6e0 } td.n { text-align: right }
figure { display: inline-block; vertical-align: top; margin: 1rem 1.5rem 1rem 0; max-width: 100% } figcaption { max-width: 26rem }
.fails { color: #a33b00; font-weight: 600 } .small { color: #5a606b } svg { max-width: 100%; height: auto }
"""


def page(experiment: Experiment, result: Result) -> str:
    """The whole page as text."""
    relations = "".join(
        f'<li><span class="{"holds" if r.holds else "fails"}">{"holds" if r.holds else "FAILS"}:</span> {esc(r.text)}</li>'
        for r in result.relations
    )
    skipped = "".join(f"<li>left out: {esc(s)}</li>" for s in result.skipped)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{esc(experiment.name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f'<h1>{esc(experiment.title)}</h1><p class="small">Experiment {esc(experiment.name)}, after {esc(experiment.work)}, '
        f"{esc(experiment.table)}; {esc(result.seeded())}; {result.seconds:,.0f} s.</p>"
        f"{_figures(result.pictures)}"
        f"<ul>{relations}{skipped}</ul><table><caption>Ours beside the published numbers</caption><thead><tr><th>data</th>"
        "<th>method</th><th>measure</th><th>ours</th><th>paper or known answer</th></tr></thead>"
        f"<tbody>{''.join(_row(row) for row in result.rows)}</tbody></table></body></html>\n"
    )


def cells(row: Row) -> list[str]:
    """A row as words: data, method, measure, ours, and the published number."""
    return [row.data, row.method, row.measure, numbers.ours(row), numbers.published(row)]


def write(experiment: Experiment, result: Result, path: str | Path) -> Path:
    """Write the page aside and rename it into place."""
    return put(path, page(experiment, result))


def _row(row: Row) -> str:
    words = cells(row)
    return (
        "<tr>"
        + "".join(f"<td>{esc(w)}</td>" for w in words[:3])
        + "".join(f'<td class="n">{esc(w)}</td>' for w in words[3:])
        + "</tr>"
    )


def _figures(pictures: Sequence[Lines | Grid | Bars]) -> str:
    """All figures; panels of bars wear other colors than those of the figures before them."""
    drawn, worn = [], 0
    for picture in pictures:
        drawn.append(_figure(picture, worn))
        if isinstance(picture, Bars):
            worn += len(picture.panels)
    return "".join(drawn)


def _figure(picture: Lines | Grid | Bars, first: int) -> str:
    if isinstance(picture, Bars):
        drawn = topics.draw(picture, first)
    else:
        drawn = lines.draw(picture) if isinstance(picture, Lines) else grid.draw(picture)
    said = f" {esc(picture.sentence)}" if picture.sentence else ""
    return f"<figure>{drawn}<figcaption><b>{esc(picture.title)}.</b>{said}</figcaption></figure>"

"""A comparison of systems as one page that needs no network: measures with intervals, tests in words, pieces, and curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from coterie.judge.systems import SMALLER_IS_BETTER, Comparison, Measured
from coterie.show import breakdown, performance
from coterie.show.markup import bullets, esc, put
from coterie.show.shell import scrolled, sheet, shell
from coterie.workflows.system_parts import Breakdown, Confusions
from coterie.workflows.system_words import differ_on, interval, level_words, p_words, which_test
from coterie.workflows.systems import Compared

_PAIRS = 6  # sorted bars drawn at most, one picture for every two systems
_OPEN = 12  # rows of a table up to which it is unfolded
_SIZES = {"query": "relevant documents", "class": "members", "category": "positive documents"}


def page(found: Compared, level: float = 0.95) -> str:
    """The whole page as text."""
    one = found.comparison
    told = [pair.sentence(one.main, 1 - level) for pair in one.pairs]
    verdict, prose = (
        (told[0], [f"{found.headline}."]) if len(told) == 1 else (f"{found.headline}.", told)
    )
    cautions = dict.fromkeys(pair.result.caution for pair in one.pairs if pair.result.caution)
    notes = bullets([*cautions, *found.notes])
    measured = f"With {level_words(level)} intervals over {one.unit} drawn again; the best in bold."
    body = (
        sheet("Measures", measured, _measures(one))
        + sheet(f"Differences of {one.main}", which_test(one), _pairs(one, level))
        + "".join(_part(one.systems, part) for part in found.parts)
        + (_confused(one.systems, found.confused) if found.confused is not None else "")
        + sheet("Curves", "", _curves(found))
        + sheet("Notes", "", notes, "notes")
    )
    return shell("Systems compared", "Systems compared", verdict, prose, body)


def write(found: Compared, path: str | Path, level: float = 0.95) -> Path:
    """Write the page aside and rename it into place."""
    return put(path, page(found, level))


def _curves(found: Compared) -> str:
    drawn = "".join(
        f"<figure>{performance.draw(figure.curves, figure.title, chance=figure.chance)}"
        f"<figcaption><b>{esc(figure.title)}.</b> {esc(figure.sentence)}</figcaption></figure>"
        for figure in found.figures
    )
    return f'<div class="figures">{drawn}</div>' if drawn else ""


def _table(head: Sequence[str], rows: Sequence[str], name: str, words: int = 1) -> str:
    """Headings (those after the first few above numbers) and rows of markup, in a frame that scrolls."""
    cells = "".join(
        f'<th scope="col"{"" if at < words else " class=n"}>{esc(cell)}</th>'
        for at, cell in enumerate(head)
    )
    return scrolled(
        f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table>", name
    )


def _measures(one: Comparison) -> str:
    rows = [
        f'<tr><th scope="row">{esc(measure.name)}{_down(measure)}</th>{_cells(measure)}</tr>'
        for measure in one.measures
    ]
    return _table(["measure", *one.systems], rows, "Measures of the systems")


def _down(measure: Measured) -> str:
    return (
        ' <span class="small">(less is better)</span>' if measure.name in SMALLER_IS_BETTER else ""
    )


def _cells(measure: Measured) -> str:
    return "".join(
        f'<td class="n{" best" if at in measure.best else ""}">{value:.3f} '
        f'<span class="small">({interval(measure.lower[at], measure.upper[at])})</span></td>'
        for at, value in enumerate(measure.value)
    )


def _pairs(one: Comparison, level: float) -> str:
    differ = any(differ_on(one, pair) for pair in one.pairs)
    head = [
        "systems",
        "difference",
        f"{level_words(level)} interval",
        "p",
        *(["they differ on"] if differ else []),
        "test",
    ]
    rows = []
    for pair in one.pairs:
        result = pair.result
        numbers = [
            f"{result.difference:+.3f}",
            interval(result.lower, result.upper, signed=True),
            p_words(pair.p_value),
        ]
        numbers += [differ_on(one, pair)] if differ else []
        cells = "".join(f'<td class="n">{esc(number)}</td>' for number in [*numbers, result.test])
        rows.append(
            f'<tr><th scope="row">{esc(pair.first)} less {esc(pair.second)}</th>{cells}</tr>'
        )
    return _table(head, rows, f"Differences of {one.main}")


def _part(systems: Sequence[str], part: Breakdown) -> str:
    """One measure piece by piece: dots where there are few pieces, sorted bars for every two systems, and all numbers."""
    figures = (
        []
        if len(part.rows) > breakdown.MOST
        else [(breakdown.dots(part.rows, systems, part.values), "")]
    )
    if len(part.rows) > breakdown.MOST or part.of == "query":
        for i, j in list(combinations(range(len(systems)), 2))[:_PAIRS]:
            gaps = part.values[:, i] - part.values[:, j]
            told = f"<b>{esc(systems[i])} less {esc(systems[j])}</b>, sorted: {_ahead(gaps)}"
            figures.append((breakdown.bars(part.rows, gaps, systems[i], systems[j]), told))
    drawn = "".join(
        f"<figure>{picture}{f'<figcaption>{told}.</figcaption>' if told else ''}</figure>"
        for picture, told in figures
        if picture
    )
    rows = [
        f'<tr><th scope="row">{esc(name)}</th><td class="n">{size:,}</td>{_values(row)}</tr>'
        for name, size, row in zip(part.rows, part.sizes, part.values, strict=True)
    ]
    table = _table([part.of, _SIZES[part.of], *systems], rows, part.title)
    opened = " open" if len(rows) <= _OPEN else ""
    many = f"{len(rows):,} {part.of if len(rows) == 1 else {'query': 'queries', 'class': 'classes'}.get(part.of, 'categories')}"
    order = (
        "where the first system gains most comes first"
        if part.of == "query"
        else "the largest come first"
    )
    listed = f"<details{opened}><summary>All numbers</summary>{table}</details>"
    return sheet(part.title, f"{many}; {order}.", f'<div class="figures">{drawn}{listed}</div>')


def _ahead(gaps: np.ndarray) -> str:
    """How often the first of two is ahead."""
    better, worse, equal = (int(marks.sum()) for marks in (gaps > 0, gaps < 0, gaps == 0))
    return f"ahead on {better:,}, behind on {worse:,}" + (f", equal on {equal:,}" if equal else "")


def _values(row: np.ndarray) -> str:
    top = np.nanmax(row) if np.isfinite(row).any() else np.nan
    return "".join(
        f'<td class="n{" best" if value == top else ""}">{f"{value:.3f}" if np.isfinite(value) else "none"}</td>'
        for value in row
    )


def _confused(systems: Sequence[str], found: Confusions) -> str:
    rows = [
        f'<tr><th scope="row">{esc(truth)}</th><td>{esc(said)}</td>{"".join(f"<td class=n>{n:,}</td>" for n in counts)}</tr>'
        for truth, said, counts in found.rows
    ]
    if not rows:
        return sheet("Confusions", "", "<p>No label is taken for another.</p>")
    more = f" {found.more:,} rarer ones are not listed." if found.more else ""
    said = f"How often a label is taken for another, the commonest first.{more}"
    return sheet(
        "Confusions", said, _table(["truth", "taken for", *systems], rows, "Confusions", words=2)
    )

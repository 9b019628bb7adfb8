"""A comparison of systems as one page that needs no network: measures with intervals, tests in words, and curves."""

from __future__ import annotations

from pathlib import Path

from coterie.judge.systems import SMALLER_IS_BETTER, Comparison, Measured
from coterie.show import performance
from coterie.show.markup import esc, put
from coterie.walks.systems import Compared

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1d1f23; background: #fff }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left; color: #5a606b }
th, td { text-align: left; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid #e8e6e0; white-space: nowrap }
td.n { text-align: right; font-variant-numeric: tabular-nums } td.best { font-weight: 700 } .small { color: #5a606b }
figure { display: inline-block; vertical-align: top; margin: 1rem 1.5rem 1rem 0; max-width: 100% } figcaption { max-width: 26rem }
svg { max-width: 100%; height: auto } .wide { overflow-x: auto }
"""


def page(found: Compared, level: float = 0.95) -> str:
    """The whole page as text."""
    one = found.comparison
    said = "".join(f"<p>{esc(pair.sentence(one.main, 1 - level))}</p>" for pair in one.pairs)
    notes = "".join(f"<li>{esc(note)}</li>" for note in found.notes)
    figures = "".join(
        f"<figure>{performance.draw(figure.curves, figure.title, chance=figure.chance)}"
        f"<figcaption><b>{esc(figure.title)}.</b> {esc(figure.sentence)}</figcaption></figure>"
        for figure in found.figures
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Systems compared</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>{esc(found.headline)}</h1>{said}{_measures(one, level)}{_pairs(one, level)}"
        f"<p>{esc(which_test(one))}</p>{figures}" + (f"<h2>Notes</h2><ul>{notes}</ul>" if notes else "") + "</body></html>\n"
    )


def write(found: Compared, path: str | Path, level: float = 0.95) -> Path:
    """Write the page aside and rename it into place."""
    return put(path, page(found, level))


def which_test(one: Comparison) -> str:
    """Which test was made and why, and how several pairs are dealt with."""
    told = f"Differences of {one.main} are judged by {_article(one.test)}, because {one.why}."
    if len(one.pairs) > 1:
        told += f" The p-values are corrected for {len(one.pairs)} pairs (Holm)."
    return told


def _article(test: str) -> str:
    return test if test.startswith(("McNemar", "Wilcoxon")) else f"a {test}"


def _measures(one: Comparison, level: float) -> str:
    head = "".join(f"<th>{esc(name)}</th>" for name in one.systems)
    rows = "".join(f"<tr><td>{esc(measure.name)}{_down(measure)}</td>{_cells(measure)}</tr>" for measure in one.measures)
    return (
        f'<div class="wide"><table><caption>Measures with {100 * level:g} % intervals over {esc(one.unit)} drawn again; the best '
        f"in bold</caption><thead><tr><th>measure</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _down(measure: Measured) -> str:
    return ' <span class="small">(less is better)</span>' if measure.name in SMALLER_IS_BETTER else ""


def _cells(measure: Measured) -> str:
    return "".join(
        f'<td class="n{" best" if at in measure.best else ""}">{value:.3f} '
        f'<span class="small">({measure.lower[at]:.3f} to {measure.upper[at]:.3f})</span></td>'
        for at, value in enumerate(measure.value)
    )


def _pairs(one: Comparison, level: float) -> str:
    rows = "".join(
        f"<tr><td>{esc(pair.first)} less {esc(pair.second)}</td>"
        f'<td class="n">{pair.result.difference:+.3f}</td><td class="n">{pair.result.lower:+.3f} to {pair.result.upper:+.3f}</td>'
        f'<td class="n">{pair.p_value:.3g}</td><td class="n">{pair.result.discordant} of {pair.result.n}</td>'
        f"<td>{esc(pair.result.test)}</td><td>{esc(pair.result.caution)}</td></tr>"
        for pair in one.pairs
    )
    return (
        f'<div class="wide"><table><caption>Differences of {esc(one.main)}</caption><thead><tr><th>systems</th><th>'
        f"difference</th><th>{100 * level:g} % interval</th><th>p</th><th>they differ on</th><th>test</th><th></th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )

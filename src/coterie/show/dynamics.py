"""How members go in time, as a part of the report: strips of states or pieces, and matrices of what follows what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie.core.findings import Findings, Grid, Strips, is_flat
from coterie.core.partition import Segmentation
from coterie.show import grid as shaded
from coterie.show import markup, timeline
from coterie.show.clock import Axis
from coterie.show.markup import clip, count, esc, percent, slot, user

STRIPS = 60  # strips of one picture that are drawn
PIECES = 12_000  # pieces of one picture that are drawn
LISTED = 120  # pieces of one picture that are also listed in words
CELLS = 20_000  # cells of all grids that tell their values
KEY = (0.01, 0.05, 0.2, 0.5, 1.0)
_WIDE = (
    0.6,
    2.4,
    4.6,
)  # percent of the axis from which a piece has an edge, a letter on wide pages, and one on all


def section(findings: Findings) -> str:
    """The whole part, or nothing where there are neither strips nor grids."""
    pictures = [part for strips in findings.strips if (part := _strips(strips))]
    grids = _grids(findings.grids)
    if not pictures and not grids:
        return ""
    same = is_flat(findings) or any(strips.of_groups for strips in findings.strips)
    own = "" if same else "; they need not be those of the groups"
    words = f"Point at a piece or a cell to read it. Letters and colors mean what each picture says{own}."
    return (
        '<section class="sheet" id="time" aria-labelledby="time-title"><div class="sheet-head">'
        f'<h2 id="time-title">How they go in time</h2><p>{words}</p></div>{"".join(pictures)}{grids}</section>'
    )


def _said(sentence: str) -> str:
    return f'<p class="said">{user(sentence, 600)}</p>' if sentence else ""


def _strips(strips: Strips) -> str:
    """One picture of strips: rows with their names, the axis, the legend, and the pieces in words where they are few."""
    every = timeline.checked(strips.pieces, strips.names)
    if not every:
        return ""
    axis = Axis.of(every, strips.rate)
    shown = every[:STRIPS]
    names = [str(name) for name in strips.names] or [""] * len(every)
    most = max(100, min(timeline.MOST, PIECES // len(shown)))
    rows = "".join(_row(strip, name, axis, most) for strip, name in zip(shown, names, strict=False))
    bare = "" if any(names) else " bare"
    size = "" if len(shown) <= 12 else " many" if len(shown) <= 30 else " lots"
    notes = []
    if len(every) > len(shown):
        notes.append(f"The first {len(shown)} of {len(every)} are drawn.")
    if any(len(strip.labels) > most for strip in shown):
        notes.append("Very short pieces are drawn together with those beside them.")
    note = f'<p class="small">{" ".join(notes)}</p>' if notes else ""
    return (
        f'<figure class="timeline"><h3>{user(strips.title, 160)}</h3>{_said(strips.sentence)}'
        f'<div class="strips{bare}{size}">{rows}{_axis(axis, bare)}</div>{_legend(every)}{note}'
        f"{_listed(every, names, axis)}</figure>"
    )


def _row(strip: Segmentation, name: str, axis: Axis, most: int) -> str:
    few = timeline.gathered(strip, most)
    exact = few is strip
    least = (
        0.16 if len(few.labels) <= 300 else 0.0
    )  # percent: so that a short piece among long ones is seen
    drawn = [
        (label, start, stop, 100 * (stop - start) / axis.length)
        for label, start, stop in timeline.pieces(few)
    ]
    drawn.sort(key=lambda piece: piece[3] < least)  # short ones last, on top of those beside them
    parts = [_piece(piece, axis, exact, max(least, piece[3])) for piece in drawn]
    label = esc(clip(name, 200))
    title = (
        f'<span class="strip-name" title="{label}">{user(name, 60)}</span>'
        if name
        else '<span class="strip-name"></span>'
    )
    words = esc(timeline.told(strip, name))
    return f'{title}<svg class="strip" role="img" aria-label="{words}">{"".join(parts)}</svg>'


def _piece(piece: tuple[int, int, int, float], axis: Axis, exact: bool, wide: float) -> str:
    label, start, stop, true = piece
    x = min(100 * (start - axis.first) / axis.length, 100 - wide)
    letter = markup.letter(label)
    need = [_WIDE[0], _WIDE[1] * (0.4 + 0.6 * len(letter)), _WIDE[2] * (0.4 + 0.6 * len(letter))]
    rank = sum(true >= least for least in need)
    where = axis.words(start, stop)
    title = (
        f"{letter}: {where} ({axis.lasting(stop - start)})"
        if exact
        else f"mostly {letter}: {where}"
    )
    text = (
        f'<text class="t{slot(label)[1:]} w{rank}" x="{x + wide / 2:.3f}%" y="50%">{letter}</text>'
        if rank >= 2
        else ""
    )
    return (
        f'<rect class="{slot(label)} w{rank}" x="{x:.3f}%" y="-9%" width="{wide:.3f}%" height="118%"><title>{title}</title>'
        f"</rect>{text}"
    )


def _axis(axis: Axis, bare: str) -> str:
    parts = []
    lone = (
        bool(bare) and not axis.rate
    )  # the word stands at the end of the axis, where no name column is
    for at, (place, words) in enumerate(axis.ticks()):
        x = 100 * (place - axis.first) / axis.length
        side = " first" if x < 2 else " last" if x > 97 else ""
        odd = " odd" if at % 2 else ""
        parts.append(f'<line class="c-grid" x1="{x:.3f}%" x2="{x:.3f}%" y2="5"/>')
        if not lone or x < 84:
            parts.append(f'<text class="c-text{side}{odd}" x="{x:.3f}%" y="14">{esc(words)}</text>')
    name = "" if bare else f'<span class="strip-name unit">{axis.unit}</span>'
    if lone:
        parts.append('<text class="c-text last" x="100%" y="14">steps</text>')
    return f'{name}<svg class="strip-axis" aria-hidden="true">{"".join(parts)}</svg>'


def _swatch(label: int) -> str:
    square = 'width="12" height="12"'
    return f'<svg class="swatch" {square} aria-hidden="true"><rect class="{slot(label)}" {square}/></svg>'


def _legend(strips: Sequence[Segmentation]) -> str:
    """Every label with its color and the share of all steps it takes."""
    items = "".join(
        f"<li>{_swatch(label)}<b>{'in none' if label < 0 else markup.letter(label)}</b> "
        f'<span class="n">{"&lt;1%" if share < 0.005 else percent(share)}</span></li>'
        for label, share in timeline.shares(strips).items()
    )
    return (
        f'<ul class="strip-legend" aria-label="Labels and their share">{items}</ul>'
        if items
        else ""
    )


def _listed(strips: Sequence[Segmentation], names: Sequence[str], axis: Axis) -> str:
    """The pieces as a table that opens on demand, where they are few enough to be read."""
    total = sum(len(strip.labels) for strip in strips)
    if not 0 < total <= LISTED:
        return ""
    whose = len(strips) > 1 and any(names)
    rows = []
    for strip, name in zip(strips, names, strict=True):
        for label, start, stop in timeline.pieces(strip):
            one, two = axis.times(start, stop) if axis.rate else (str(start), str(stop - 1))
            who = f'<th scope="row">{user(name, 60)}</th>' if whose else ""
            rows.append(
                f"<tr>{who}<td>{_swatch(label)}{markup.letter(label)}</td><td>{one}</td><td>{two}</td>"
                f"<td>{axis.lasting(stop - start)}</td></tr>"
            )
    heads = "".join(
        f'<th scope="col">{word}</th>'
        for word in [*(["sequence"] if whose else []), "label", "from", "to", "length"]
    )
    table = f'<table class="pieces"><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return f'<details class="listed"><summary>{count(total, "piece").capitalize()} in a table</summary><div>{table}</div></details>'


def _grids(grids: Sequence[Grid]) -> str:
    """All grids side by side, each with its title, and one key to their shades."""
    if not grids:
        return ""
    room = CELLS
    parts = []
    drawn = False
    gaps = False
    for one in grids:
        values = shaded.checked(one)
        if max(values.shape) > shaded.MOST:
            rows, columns = values.shape
            body = f'<p class="small">This matrix of {rows} by {columns} cells is too large to be drawn.</p>'
        else:
            hover = values.size <= room
            room -= values.size if hover else 0
            body = f'<div class="shaded-frame">{shaded.draw(one, hover=hover, paper=False)}</div>'
            drawn = True
            gaps = gaps or bool(np.isnan(values).any())
        parts.append(
            f'<figure class="small-grid"><h3>{user(one.title, 120)}</h3>{body}{_said(one.sentence)}</figure>'
        )
    return f'<div class="grids">{"".join(parts)}</div>{_key(gaps) if drawn else ""}'


def _key(gaps: bool) -> str:
    """What the shades stand for."""
    items = "".join(
        '<li><svg class="swatch" width="14" height="14" aria-hidden="true"><g class="cells"><rect width="14" height="14" '
        f'fill-opacity="{shaded.shade(value):.2f}"/></g></svg>{value:g}</li>'
        for value in KEY
    )
    dashed = "<li>dashed: no value</li>" if gaps else ""
    return f'<ul class="strip-legend shade-key" aria-label="What the shades stand for">{items}{dashed}</ul>'

"""Panels of named bars as SVG, side by side on one scale: the likeliest words of each topic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from coterie.core.errors import DataError
from coterie.core.findings import Bars
from coterie.show import markup
from coterie.show.curves import INK, LINE, MUTED
from coterie.show.grid import fitted, width
from coterie.show.markup import clip, coordinate, esc, figure, put, slot

MOST = 200  # panels that can be drawn at all
ACROSS = 3  # panels beside each other; fewer where the names of bars need more room
_PANEL = 206
_GAP = 18
_ROW = 17
_HEAD = 24
# room for the name of a bar, at least and at most, and for its value
_NAME = 92
_LONG = 240
_VALUE = 34
_SIZE = 11.0
_TINY = 1e-3  # of the longest bar: what is shorter is not drawn, and its value is not spelled out


def draw(picture: Bars, first: int = 0) -> str:
    """All panels; bars are as long as their values say, the same in every panel, and each says its whole name on hover.

    `first` is the number of the color of the first panel, so that panels of another picture beside it can wear others.
    """
    top = max(
        (value for rows in picture.panels.values() for _, value in _checked(picture, rows)),
        default=0.0,
    )
    if not top:
        return ""
    if len(picture.panels) > MOST:
        raise DataError(
            f"{len(picture.panels)} panels of bars cannot be read; draw at most {MOST}."
        )
    parts = []
    y = 0.0
    wide = 0.0
    names = list(picture.panels)
    room = _room(picture)
    panel = _PANEL + room - _NAME
    across = max(1, int((ACROSS * (_PANEL + _GAP)) // (panel + _GAP)))
    for begin in range(0, len(names), across):
        line = names[begin : begin + across]
        for at, name in enumerate(line):
            parts.append(
                _panel(
                    first + begin + at,
                    name,
                    picture.panels[name],
                    (at * (panel + _GAP), y),
                    top,
                    room,
                )
            )
            wide = max(wide, at * (panel + _GAP) + panel)
        y += _HEAD + _ROW * max(len(picture.panels[name]) for name in line) + _GAP
    size = f'width="{coordinate(wide)}" height="{coordinate(y)}" viewBox="0 0 {coordinate(wide)} {coordinate(y)}"'
    return (
        f'<svg class="chart bars" xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" '
        f'aria-label="{esc(_said(picture))}"><rect width="{coordinate(wide)}" height="{coordinate(y)}" fill="#ffffff"/>'
        f"{''.join(parts)}</svg>"
    )


def _checked(picture: Bars, rows: Sequence[tuple[str, float]]) -> Sequence[tuple[str, float]]:
    for name, value in rows:
        if not (math.isfinite(value) and value >= 0):
            where = f"'{clip(name, 40)}' of '{clip(picture.title, 60)}'"
            raise DataError(
                f"The bar {where} has the value {value:g}; bars start at 0 and end somewhere."
            )
    return rows


def _room(picture: Bars) -> int:
    """Room for the longest name of a bar, and for that of a panel above the bars, within limits."""
    longest = max(width(word, _SIZE) + 6 for rows in picture.panels.values() for word, _ in rows)
    heading = max(width(name, _SIZE) + 30 - (_PANEL - _NAME) for name in picture.panels)
    return min(max(math.ceil(max(longest, heading)), _NAME), _LONG)


def _panel(
    label: int,
    name: str,
    rows: Sequence[tuple[str, float]],
    corner: tuple[float, float],
    top: float,
    left: int = _NAME,
) -> str:
    """A heading in the color of the panel's number, and one bar per row; `left` is the room for names."""
    x, y = corner
    color = markup.color(label)
    room = _PANEL - _NAME - _VALUE
    panel = _PANEL + left - _NAME
    parts = [
        f'<rect class="chip {slot(label)}" x="{coordinate(x)}" y="{coordinate(y + 4)}" width="10" height="10" fill="{color}"/>',
        _text(x + 15, y + 9, fitted(name, panel - 30.0, _SIZE), "start", INK, 'font-weight="600"'),
        f'<line x1="{coordinate(x)}" x2="{coordinate(x + panel)}" y1="{coordinate(y + 19)}" y2="{coordinate(y + 19)}" '
        f'stroke="{LINE}"/>',
    ]
    for at, (word, value) in enumerate(rows):
        middle = y + _HEAD + (at + 0.5) * _ROW
        long = coordinate(max(room * value / top, 0.5 if value > _TINY * top else 0.0))
        said = f"{clip(name, 40)}, {clip(word, 80)}: {figure(value, 3)}"
        named = _text(x + left - 5, middle, fitted(word, left - 6.0, _SIZE), "end", INK)
        valued = _text(x + panel, middle, _short(value, top), "end", MUTED)
        parts.append(
            f'<g><title>{esc(said)}</title>{named}<rect class="b-bar {slot(label)}" x="{coordinate(x + left)}" '
            f'y="{coordinate(middle - 5.5)}" width="{long}" height="11" fill="{color}"/>{valued}</g>'
        )
    return "".join(parts)


def _short(value: float, top: float) -> str:
    """A value beside its bar.

    >>> _short(0.0421, 0.1), _short(3e-9, 0.1), _short(0.0, 0.1)
    ('0.042', '<0.0001', '0')
    """
    return f"<{figure(_TINY * top, 1)}" if 0 < value < _TINY * top else figure(value, 2)


def _text(x: float, y: float, words: str, anchor: str, fill: str, style: str = "") -> str:
    return (
        f'<text class="c-text" x="{coordinate(x)}" y="{coordinate(y)}" text-anchor="{anchor}" dominant-baseline="central" '
        f'font-size="{_SIZE:g}" fill="{fill}"{" " + style if style else ""}>{esc(words)}</text>'
    )


def _said(picture: Bars) -> str:
    """The picture in words: its title, and what leads in the first panels."""
    leading = [
        f"{clip(name, 30)}: {clip(rows[0][0], 30)}"
        for name, rows in list(picture.panels.items())[:5]
        if rows
    ]
    more = len(picture.panels) - len(leading)
    return f"{clip(picture.title, 120)}; {', '.join(leading)}" + (
        f" and {more} more" if more > 0 else ""
    )


def save_svg(picture: Bars, path: str | Path, first: int = 0) -> Path:
    """Write the bars as an SVG picture."""
    return put(path, draw(picture, first))

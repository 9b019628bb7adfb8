"""A measure of several systems piece by piece as SVG: dots on one line per class or query, and sorted bars of a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from coterie.core.errors import DataError
from coterie.show import markup
from coterie.show.curves import INK, LINE, MUTED, ticks
from coterie.show.grid import fitted
from coterie.show.markup import clip, coordinate, esc, figure, outline

MOST = 30  # lines of dots that can be read below each other
_WIDE = 400.0
_NAMES = 118.0
_ROW = 18.0
_SIZE = 11.0
_TALL = 170.0  # of sorted bars


def dots(rows: Sequence[str], systems: Sequence[str], values: np.ndarray) -> str:
    """One line per row from 0 to 1 with a mark per system where its value is; what has no value has no mark."""
    if values.shape != (len(rows), len(systems)):
        raise DataError(
            f"There are {len(rows)} rows and {len(systems)} systems, and values of shape {values.shape}."
        )
    if len(rows) > MOST:
        raise DataError(f"{len(rows)} lines of dots cannot be read; draw at most {MOST}.")
    head, parts = _key(systems)
    tall = head + _ROW * len(rows) + 24
    for value in ticks(0.0, 1.0):
        x = coordinate(_place(value))
        parts.append(
            f'<line class="c-grid" x1="{x}" x2="{x}" y1="{coordinate(head)}" y2="{coordinate(tall - 22)}" stroke="{LINE}"/>'
        )
        parts.append(_text(_place(value), tall - 9, figure(value), "middle", "c-text", MUTED))
    for at, (name, row) in enumerate(zip(rows, values, strict=True)):
        y = head + _ROW * (at + 0.5)
        parts.append(
            _text(_NAMES - 10, y + 4, fitted(name, _NAMES - 14, _SIZE), "end", "c-ink", INK)
        )
        told = ", ".join(
            f"{clip(system, 40)} {_said(value)}" for system, value in zip(systems, row, strict=True)
        )
        marks = "".join(
            f'<path class="g{k % 16}" d="{outline(k, _place(float(value)), y, 4.2)}" fill="{markup.color(k)}"/>'
            for k, value in enumerate(row)
            if math.isfinite(value)
        )
        parts.append(f"<g><title>{esc(clip(name, 80))}: {esc(told)}</title>{marks}</g>")
    return _svg(
        _WIDE, tall, parts, f"{len(rows)} rows, {', '.join(clip(one, 40) for one in systems[:6])}"
    )


def bars(rows: Sequence[str], gaps: np.ndarray, first: str, second: str) -> str:
    """Differences as bars from the largest to the smallest: up where the first is better, down where the second is."""
    known = np.isfinite(gaps)
    order = np.flatnonzero(known)[np.argsort(-gaps[known], kind="stable")]
    if not order.size:
        return ""
    reach = float(np.abs(gaps[order]).max()) or 1.0
    left = 40.0
    middle = _TALL / 2
    half = _TALL / 2 - 16
    step = (_WIDE - left) / order.size
    parts = []
    for value in ticks(-reach, reach, about=4):
        y = coordinate(middle - half * value / reach)
        parts.append(
            f'<line class="c-grid" x1="{left:g}" x2="{_WIDE:g}" y1="{y}" y2="{y}" stroke="{LINE}"/>'
        )
        parts.append(
            _text(left - 5, float(y) + 4, f"{value:+g}" if value else "0", "end", "c-text", MUTED)
        )
    for at, row in enumerate(order.tolist()):
        gap = float(gaps[row])
        tall = half * abs(gap) / reach
        top = middle - tall if gap > 0 else middle
        css, color = ("g0", markup.color(0)) if gap > 0 else ("g1", markup.color(1))
        parts.append(
            f'<rect class="{css}" x="{left + at * step:.2f}" y="{top:.2f}" width="{max(step * 0.8, 0.6):.2f}" '
            f'height="{tall:.2f}" fill="{color}"><title>{esc(clip(rows[row], 80))}: {gap:+.3f}</title></rect>'
        )
    parts.append(_text(_WIDE, 11, f"{clip(first, 36)} is better", "end", "c-text", MUTED))
    parts.append(
        _text(left + 2, _TALL - 3, f"{clip(second, 36)} is better", "start", "c-text", MUTED)
    )
    return _svg(_WIDE, _TALL, parts, f"{clip(first, 40)} less {clip(second, 40)}, sorted")


def _key(systems: Sequence[str]) -> tuple[float, list[str]]:
    """The marks of the systems with their names, in as many lines as they need."""
    parts = []
    x = _NAMES
    y = 8.0
    for at, name in enumerate(systems):
        told = clip(name, 34)
        wide = 22 + 6.2 * len(told)
        if x + wide > _WIDE and x > _NAMES:
            x = _NAMES
            y = y + 16
        parts.append(
            f'<path class="g{at % 16}" d="{outline(at, x + 5, y, 4.2)}" fill="{markup.color(at)}"/>'
        )
        parts.append(_text(x + 14, y + 4, told, "start", "c-text", MUTED))
        x += wide
    return y + 14, parts


def _place(value: float) -> float:
    return _NAMES + min(max(value, 0.0), 1.0) * (_WIDE - _NAMES - 10)


def _said(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "none"


def _text(x: float, y: float, words: str, anchor: str, css: str, fill: str) -> str:
    return (
        f'<text class="{css}" x="{coordinate(x)}" y="{coordinate(y)}" text-anchor="{anchor}" font-size="{_SIZE:g}" '
        f'fill="{fill}">{esc(words)}</text>'
    )


def _svg(wide: float, tall: float, parts: Sequence[str], label: str) -> str:
    size = f'width="{coordinate(wide)}" height="{coordinate(tall)}" viewBox="0 0 {coordinate(wide)} {coordinate(tall)}"'
    return (
        f'<svg class="chart breakdown" xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" '
        f'aria-label="{esc(label)}"><rect class="c-paper" width="{coordinate(wide)}" height="{coordinate(tall)}" fill="#ffffff"/>'
        f"{''.join(parts)}</svg>"
    )

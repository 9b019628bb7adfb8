"""Figures of experiments as a few lines of text: curves as small bars on one scale, matrices as shades, bars as strokes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from coterie.core.findings import Bars, Grid, Lines
from coterie_papers.experiment import Picture
from coterie_papers.numbers import number

_STEPS = "▁▂▃▄▅▆▇█"
_SHADES = " ·░▒▓█"
# letters of a name, places of a curve, letters of the longest bar
_NAME = 48
_WIDE = 60
_STROKE = 24
_WORDS = 12  # bars shown of each panel
_NOUGHT = 1e-6  # a bar below this is written as 0


def sketch(picture: Picture) -> str:
    """The figure as text, its title first and what is said of it last."""
    body = (
        _lines(picture)
        if isinstance(picture, Lines)
        else _grid(picture)
        if isinstance(picture, Grid)
        else _bars(picture)
    )
    said = [f"  {picture.sentence}"] if picture.sentence else []
    return "\n".join([picture.title, *body, *said])


def _lines(picture: Lines) -> list[str]:
    """Every curve on the scale of all of them, with its first and last value, and what the axis spans."""
    scaled = {
        name: [_scaled(v, picture.logarithmic) for v in values]
        for name, values in picture.lines.items()
    }
    known = [v for values in scaled.values() for v in values if math.isfinite(v)]
    if not known:
        return ["  (nothing to draw)"]
    low = min(known)
    high = max(known)
    width = min(max(map(len, picture.lines)), _NAME)
    rows = []
    for name, values in picture.lines.items():
        steps = "".join(_step(v, low, high) for v in _thinned(scaled[name]))
        ends = [number(v) for v in values if math.isfinite(v)]
        rows.append(
            f"  {name[:width]:<{width}}  {steps}  {ends[0]} ... {ends[-1]}"
            if ends
            else f"  {name[:width]}  (no values)"
        )
    across = f"{picture.x_name or 'from left to right'}: {number(picture.x[0])} ... {number(picture.x[-1])}"
    up = f"{picture.y_name or 'height'}{', logarithms' if picture.logarithmic else ''}"
    return [*rows, f"  {across}; {up}"]


def _scaled(value: float, logarithmic: bool) -> float:
    if not logarithmic:
        return float(value)
    return math.log10(value) if math.isfinite(value) and value > 0 else math.nan


def _thinned(values: Sequence[float]) -> Sequence[float]:
    if len(values) <= _WIDE:
        return values
    return [values[round(at * (len(values) - 1) / (_WIDE - 1))] for at in range(_WIDE)]


def _step(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return " "
    return _STEPS[min(int(len(_STEPS) * (value - low) / ((high - low) or 1.0)), len(_STEPS) - 1)]


def _grid(picture: Grid) -> list[str]:
    """One letter per cell: nothing, a dot, and four shades up to all of it."""
    rows = [str(name) for name in picture.rows] or [
        str(at + 1) for at in range(len(picture.values))
    ]
    width = min(max(map(len, rows), default=0), _NAME)
    top = (
        [f"  columns: {', '.join(map(str, picture.columns))}"]
        if picture.columns and picture.columns != picture.rows
        else []
    )
    shades = ["".join(_shade(float(v)) * 2 for v in values) for values in picture.values]
    return [
        *top,
        *(
            f"  {name[:width]:<{width}}  {line}".rstrip()
            for name, line in zip(rows, shades, strict=True)
        ),
    ]


def _shade(value: float) -> str:
    if not math.isfinite(value) or value <= 0.02:
        return _SHADES[0]
    return _SHADES[min(1 + int((len(_SHADES) - 1) * value), len(_SHADES) - 1)]


def _bars(picture: Bars) -> list[str]:
    """The first bars of every panel, all on one scale."""
    highest = (
        max((value for bars in picture.panels.values() for _, value in bars), default=0.0) or 1.0
    )
    lines = []
    for name, bars in picture.panels.items():
        lines.append(f"  {name}")
        width = min(max((len(word) for word, _ in bars[:_WORDS]), default=0), _NAME)
        for word, value in bars[:_WORDS]:
            stroke = "█" * round(_STROKE * value / highest)
            lines.append(
                f"    {word[:width]:<{width}}  {stroke} {number(value) if value >= _NOUGHT else '0'}".rstrip()
            )
        if len(bars) > _WORDS:
            lines.append(f"    (and {len(bars) - _WORDS} more, which the page has)")
    return lines

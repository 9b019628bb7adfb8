"""Several curves over one axis as SVG, with their names beside them; values and places on plain or log scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coterie.core.errors import DataError
from coterie.core.findings import Lines
from coterie.show import markup
from coterie.show.curves import BOTTOM, HEIGHT, LEFT, LINE, MUTED, RIGHT, TOP, WIDTH, Frame, ticks
from coterie.show.legend import Named, legend
from coterie.show.markup import clip, coordinate, esc, figure, put

_DASHES = ("", "6 3", "2 3", "8 3 2 3")  # curves differ in dashes as well as in color
_DOTTED = 30  # places up to which every value has a dot; more of them would be a string of beads
_WIDE = 3.0  # decades from which a log axis names powers of ten only


@dataclass(frozen=True, slots=True, eq=False)
class Ruled(Lines):
    """Curves with more said of their axes: equal ratios of places as equal steps, a unit behind them, values from 0.

    On a log axis the places that were measured are the ticks.
    """

    over_logs: bool = False
    unit: str = ""
    from_zero: bool = False


def draw(picture: Lines) -> str:
    """The curves as one picture; a value that is not finite (or not above zero, on a log scale) leaves a gap."""
    for name, values in picture.lines.items():
        if len(values) != len(picture.x):
            raise DataError(
                f"The curve '{clip(name, 40)}' has {len(values)} values for {len(picture.x)} places."
            )
    ruled = (
        picture if isinstance(picture, Ruled) else Ruled(picture.title, picture.x, picture.lines)
    )
    if ruled.over_logs and min(picture.x) <= 0:
        raise DataError(
            f"The picture '{clip(picture.title, 60)}' has a place at {min(picture.x):g}; a log axis begins above 0."
        )
    over = _scaled(picture.x, ruled.over_logs)
    series = {name: _scaled(values, picture.logarithmic) for name, values in picture.lines.items()}
    heights = [v for values in series.values() for v in values if math.isfinite(v)]
    if not heights:
        return ""
    frame = Frame((min(over), max(over)), (min(heights), max(heights)), picture.title)
    if ruled.from_zero and min(heights) >= 0 and not picture.logarithmic:
        frame.y = (0.0, 1.08 * max(heights) or 1.0)
    _axes(frame, picture, ruled)
    names = []
    for at, (name, scaled) in enumerate(series.items()):
        color = markup.color(at)
        dash = _DASHES[at // 8 % len(_DASHES)]
        frame.line(over, scaled, f"c-line{at}", color, dash)
        if len(over) <= _DOTTED:
            frame.dots(over, scaled, f"c-dot{at}", color, 2.6)
        names.append(Named(name, f"c-line{at}", color, dash))
    tall = legend(frame, names, [(over, scaled) for scaled in series.values()])
    return (
        f'<svg class="chart lines" xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{tall}" '
        f'viewBox="0 0 {WIDTH} {tall}" role="img" font-family="sans-serif" aria-label="{esc(clip(picture.title, 120))}">'
        f'<rect class="c-paper" width="{WIDTH}" height="{tall}" fill="#ffffff"/>{"".join(frame.rows)}</svg>'
    )


def _scaled(values: Sequence[float], logarithmic: bool) -> list[float]:
    if not logarithmic:
        return [float(v) for v in values]
    return [math.log10(v) if math.isfinite(v) and v > 0 else math.nan for v in values]


def _axes(frame: Frame, picture: Lines, ruled: Ruled) -> None:
    for value, place in (
        _rungs(*frame.y) if picture.logarithmic else [(v, v) for v in ticks(*frame.y, about=5)]
    ):
        y = coordinate(frame.py(place))
        frame.rows.append(
            f'<line class="c-grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{LINE}" stroke-width="1"/>'
        )
        frame.text(LEFT - 6, frame.py(place) + 4, plain(value), "end")
    if ruled.over_logs:
        places = list(zip(picture.x, _scaled(picture.x, True), strict=True))
    else:
        places = [(v, v) for v in ticks(*frame.x, about=5)]
    end = -math.inf
    for value, place in places:
        words = plain(value) + ruled.unit
        half = 3.2 * len(words)
        if frame.px(place) - half > end:  # what would be written over the one before is left out
            frame.text(min(frame.px(place), WIDTH - half), HEIGHT - BOTTOM + 15, words)
            end = frame.px(place) + half + 2
    frame.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 3, clip(picture.x_name, 60))
    if picture.y_name:
        frame.rows.append(
            f'<text class="c-text" x="{LEFT}" y="{TOP - 4}" font-size="11" fill="{MUTED}">{esc(clip(picture.y_name, 60))}</text>'
        )


def _rungs(low: float, high: float) -> list[tuple[float, float]]:
    """Round values of a log axis and the powers they stand at: 1, 2 and 5 of every decade, of many decades 1 alone."""
    factors = (1,) if high - low > _WIDE else (1, 2, 5)
    step = max(1, round((high - low) / 8))
    found = [
        (factor * 10.0**power, power + math.log10(factor))
        for power in range(math.floor(low), math.ceil(high) + 1, step)
        for factor in factors
    ]
    return [(value, place) for value, place in found if low <= place <= high]


def plain(value: float) -> str:
    """A value of an axis written out, without powers of ten as long as it can be read.

    >>> plain(0.00002), plain(0.25), plain(50.0)
    ('0.00002', '0.25', '50')
    """
    if 0 < abs(value) < 1e-3 and abs(value) >= 1e-7:
        return f"{value:.{2 - math.floor(math.log10(abs(value)))}f}".rstrip("0")
    return figure(value)


def save_svg(picture: Lines, path: str | Path) -> Path:
    """Write the curves as an SVG picture."""
    return put(path, draw(picture))

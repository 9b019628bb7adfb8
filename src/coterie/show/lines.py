"""Several curves over one axis as SVG, with their names beside them; values on a plain or a log scale."""

from __future__ import annotations

import math
from pathlib import Path

from coterie.core.errors import DataError
from coterie.core.findings import Lines
from coterie.show import palette
from coterie.show.curves import HEIGHT, LEFT, LINE, MUTED, RIGHT, TOP, WIDTH, Frame, ticks
from coterie.show.markup import clip, coordinate, esc, figure, put

_DASHES = ("", "6 3", "2 3", "8 3 2 3")  # curves differ in dashes as well as in color
_ROW = 17  # height of a name in the legend


def draw(picture: Lines) -> str:
    """The curves as one picture; a value that is not finite (or not above zero, on a log scale) leaves a gap."""
    for name, values in picture.lines.items():
        if len(values) != len(picture.x):
            raise DataError(f"The curve '{clip(name, 40)}' has {len(values)} values for {len(picture.x)} places.")
    series = {name: _scaled(values, picture.logarithmic) for name, values in picture.lines.items()}
    heights = [v for values in series.values() for v in values if math.isfinite(v)]
    if not heights:
        return ""
    frame = Frame((min(picture.x), max(picture.x)), (min(heights), max(heights)), picture.title)
    _axes(frame, picture)
    for at, (name, scaled) in enumerate(series.items()):
        color, dash = palette.color(at), _DASHES[at // 8 % len(_DASHES)]
        frame.line(picture.x, scaled, f"c-line{at % 8}", color, dash)
        frame.dots(picture.x, scaled, f"c-dot{at % 8}", color, 2.6)
        y = HEIGHT + _ROW * at + 12
        frame.rows.append(
            f'<line x1="{LEFT}" x2="{LEFT + 22}" y1="{y - 4}" y2="{y - 4}" stroke="{color}" stroke-width="2"'
            + (f' stroke-dasharray="{dash}"' if dash else "")
            + "/>"
        )
        frame.text(LEFT + 28, y, clip(name, 60), "start")
    tall = HEIGHT + _ROW * len(series) + 6
    return (
        f'<svg class="chart lines" xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{tall}" '
        f'viewBox="0 0 {WIDTH} {tall}" role="img" font-family="sans-serif" aria-label="{esc(clip(picture.title, 120))}">'
        f'<rect width="{WIDTH}" height="{tall}" fill="#ffffff"/>{"".join(frame.rows)}</svg>'
    )


def _scaled(values: tuple[float, ...], logarithmic: bool) -> list[float]:
    if not logarithmic:
        return [float(v) for v in values]
    return [math.log10(v) if math.isfinite(v) and v > 0 else math.nan for v in values]


def _axes(frame: Frame, picture: Lines) -> None:
    if picture.logarithmic:
        low, high = math.floor(frame.y[0]), math.ceil(frame.y[1])
        for power in range(low, high + 1):
            for factor in (1, 2, 5):
                place = power + math.log10(factor)
                if frame.y[0] <= place <= frame.y[1]:
                    y = coordinate(frame.py(place))
                    frame.rows.append(
                        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{LINE}" stroke-width="1"/>'
                    )
                    frame.text(LEFT - 6, frame.py(place) + 4, figure(factor * 10.0**power), "end")
        for value in ticks(*frame.x, about=5):
            frame.text(frame.px(value), HEIGHT - 19, figure(value))
        frame.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 3, picture.x_name)
    else:
        frame.axes(ticks(*frame.x, about=5), picture.x_name)
    if picture.y_name:
        frame.rows.append(f'<text x="{LEFT}" y="{TOP - 3}" font-size="11" fill="{MUTED}">{esc(clip(picture.y_name, 60))}</text>')


def save_svg(picture: Lines, path: str | Path) -> Path:
    """Write the curves as an SVG picture."""
    return put(path, draw(picture))

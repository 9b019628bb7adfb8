"""Curves of performance as SVG: expected performance, ROC, precision and recall, DET, several systems with their bands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from coterie.core.errors import DataError
from coterie.show import markup
from coterie.show.curves import HEIGHT, LEFT, LINE, MUTED, RIGHT, TOP, WIDTH, Frame, ticks
from coterie.show.legend import Named, legend
from coterie.show.markup import clip, coordinate, esc, put

_MOST = 400  # points drawn of a curve
_DASHES = ("", "6 3", "2 3", "8 3 2 3")  # curves differ in dashes as well as in color
_DEVIATES = {  # shares on normal-deviate axes: where each stands
    "0.1%": -3.090,
    "1%": -2.326,
    "5%": -1.645,
    "20%": -0.842,
    "50%": 0.0,
    "80%": 0.842,
    "95%": 1.645,
    "99%": 2.326,
}


class CurveLike(Protocol):
    """What is drawn: a named line with the names of its axes, and maybe a band."""

    @property
    def name(self) -> str: ...
    @property
    def x(self) -> np.ndarray: ...
    @property
    def y(self) -> np.ndarray: ...
    @property
    def x_label(self) -> str: ...
    @property
    def y_label(self) -> str: ...
    @property
    def lower(self) -> np.ndarray | None: ...
    @property
    def upper(self) -> np.ndarray | None: ...
    @property
    def deviates(self) -> bool: ...


def draw(curves: Sequence[CurveLike], title: str = "", *, chance: bool = False) -> str:
    """The curves in one picture, bands behind the lines; `chance` adds the diagonal.

    Axes of normal deviates (DET curves) are told as shares.
    """
    if not curves:
        raise DataError("There is no curve to draw.")
    axes = {(one.x_label, one.y_label) for one in curves}
    if len(axes) > 1:
        raise DataError(
            f"Curves of different axes cannot share a picture: {' and '.join(sorted(y for _, y in axes))}."
        )
    thin = [_thinned(one) for one in curves]
    heights = np.concatenate([part for _, *parts in thin for part in parts if part is not None])
    heights = heights[np.isfinite(heights)]
    if not heights.size:
        return ""
    wide = np.concatenate([x for x, *_ in thin])
    deviates = curves[0].deviates
    shared = _range(wide, deviates, whole=True)
    (low, high) = _range(heights, deviates)
    frame = Frame(shared, (low, high), title or curves[0].y_label)
    if low == 0.0 and not deviates:
        frame.y = (low, high)
    _axes(frame, curves[0], deviates)
    drawn = [(x, part) for x, *parts in thin for part in parts if part is not None]
    if chance:
        ends = [max(shared[0], frame.y[0]), min(shared[1], frame.y[1])]
        frame.line(ends, ends, "c-null", MUTED, "2 4")
        drawn.append((np.array(ends), np.array(ends)))
    for at, (x, _, lower, upper) in enumerate(thin):
        if lower is not None and upper is not None:
            around = frame.points([*x, *x[::-1]], [*upper, *lower[::-1]])
            frame.rows.append(
                f'<polygon class="p-band{at}" points="{around}" fill="{markup.color(at)}" fill-opacity="0.16"/>'
            )
    names = []
    for at, (one, (x, y, *_)) in enumerate(zip(curves, thin, strict=True)):
        color = markup.color(at)
        dash = _DASHES[at // 8 % len(_DASHES)]
        frame.line(list(x), list(y), f"c-line{at}", color, dash)
        names.append(Named(one.name or f"curve {at + 1}", f"c-line{at}", color, dash))
    tall = legend(frame, names, drawn)
    return (
        f'<svg class="chart performance" xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{tall}" '
        f'viewBox="0 0 {WIDTH} {tall}" role="img" font-family="sans-serif" aria-label="{esc(clip(frame.label, 120))}">'
        f'<rect class="c-paper" width="{WIDTH}" height="{tall}" fill="#ffffff"/>{"".join(frame.rows)}</svg>'
    )


def _range(values: np.ndarray, deviates: bool, whole: bool = False) -> tuple[float, float]:
    """What an axis spans: rates from 0, and to 1 where they come near it (or `whole` is said), else with room for names above;
    all else what there is.
    """
    low = float(values.min())
    high = float(values.max())
    if deviates or low < 0 or (whole and high > 1):
        return low, high
    return 0.0, 1.0 if high <= 1 and (whole or high > 0.5) else min(
        1.3 * high, max(high, 1.0)
    ) or 1.0


def save_svg(
    curves: Sequence[CurveLike], path: str | Path, title: str = "", *, chance: bool = False
) -> Path:
    """Write the curves as an SVG picture."""
    return put(path, draw(curves, title, chance=chance))


def _thinned(
    curve: CurveLike,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """At most some hundred points of a curve, its ends and corners kept as well as equal steps along it can."""
    if len(curve.x) <= _MOST:
        return curve.x, curve.y, curve.lower, curve.upper
    steps = np.abs(np.diff(np.nan_to_num(curve.x))) + np.abs(np.diff(np.nan_to_num(curve.y)))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.unique(
        np.searchsorted(along, np.linspace(0.0, along[-1], _MOST)).clip(0, len(along) - 1)
    )
    return tuple(
        None if part is None else part[at] for part in (curve.x, curve.y, curve.lower, curve.upper)
    )  # type: ignore[return-value]


def _axes(frame: Frame, curve: CurveLike, deviates: bool) -> None:
    if deviates:
        for words, place in _DEVIATES.items():
            if frame.y[0] <= place <= frame.y[1]:
                y = coordinate(frame.py(place))
                grid = f'<line class="c-grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{LINE}" stroke-width="1"/>'
                frame.rows.append(grid)
                frame.text(LEFT - 6, frame.py(place) + 4, words, "end")
            if frame.x[0] <= place <= frame.x[1]:
                frame.text(frame.px(place), HEIGHT - 19, words)
        frame.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 3, clip(curve.x_label, 60))
    else:
        frame.axes(ticks(*frame.x, about=5), clip(curve.x_label, 60))
    frame.rows.append(
        f'<text class="c-text" x="{LEFT}" y="{TOP - 4}" font-size="11" fill="{MUTED}">{esc(clip(curve.y_label, 60))}</text>'
    )

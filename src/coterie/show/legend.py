"""The names of the curves of a chart: inside it where a corner is free of curves, else under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from coterie.show.curves import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Frame
from coterie.show.markup import clip

ROW = 16  # height of a name
_LETTER = 6.0  # width of a letter, nearly
_MARK = 28.0  # room for the piece of line before a name
_EDGE = 6.0  # between the corner and the names
_BETWEEN = 12  # places looked at on every piece of a curve


@dataclass(frozen=True, slots=True)
class Named:
    """One curve as the legend shows it."""

    name: str
    css: str
    color: str
    dash: str = ""


def legend(
    frame: Frame, curves: Sequence[Named], drawn: Sequence[tuple[ArrayLike, ArrayLike]]
) -> int:
    """Write the names into the freest corner that none of what was drawn touches; the height of the whole chart is given back."""
    names = [clip(one.name, 60) for one in curves]
    wide = _MARK + _LETTER * max(map(len, names)) + 6
    tall = ROW * len(names) + 4.0
    corner = None
    if wide <= 0.66 * (WIDTH - LEFT - RIGHT) and tall <= 0.6 * (HEIGHT - TOP - BOTTOM):
        corner = _free(_touched(frame, drawn), wide, tall)
    x, y = corner or (float(LEFT), HEIGHT + 2.0)
    for at, (one, name) in enumerate(zip(curves, names, strict=True)):
        middle = y + ROW * (at + 0.5) + 2
        dashed = f' stroke-dasharray="{one.dash}"' if one.dash else ""
        frame.rows.append(
            f'<line class="{one.css}" x1="{x:.1f}" x2="{x + 22:.1f}" y1="{middle:.1f}" y2="{middle:.1f}" stroke="{one.color}" '
            f'stroke-width="2"{dashed}/>'
        )
        frame.text(x + _MARK, middle + 4, name, "start")
    return HEIGHT if corner else HEIGHT + ROW * len(names) + 8


def _touched(frame: Frame, drawn: Sequence[tuple[ArrayLike, ArrayLike]]) -> np.ndarray:
    """Places of the picture that curves go through, as rows of x and y."""
    places = []
    for xs, ys in drawn:
        both = np.column_stack([np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)])
        both = both[np.isfinite(both).all(axis=1)]
        if not len(both):
            continue
        at = np.column_stack([[frame.px(x) for x in both[:, 0]], [frame.py(y) for y in both[:, 1]]])
        steps = np.linspace(0.0, 1.0, _BETWEEN)[:, None, None]
        places += [at, (at[:-1] + steps * np.diff(at, axis=0)).reshape(-1, 2)]
    return np.concatenate(places) if places else np.empty((0, 2))


def _free(touched: np.ndarray, wide: float, tall: float) -> tuple[float, float] | None:
    """The corner farthest from all curves; None where every corner is touched."""
    left = LEFT + _EDGE
    right = WIDTH - RIGHT - _EDGE - wide
    top = TOP + _EDGE
    bottom = HEIGHT - BOTTOM - _EDGE - tall
    found: list[tuple[float, float, float]] = []
    for x, y in ((right, bottom), (left, bottom), (right, top), (left, top)):
        if not len(touched):
            return x, y
        beside = np.maximum(np.maximum(x - touched[:, 0], touched[:, 0] - x - wide), 0.0)
        above = np.maximum(np.maximum(y - touched[:, 1], touched[:, 1] - y - tall), 0.0)
        found.append((float(np.hypot(beside, above).min()), x, y))
    far, x, y = max(found, key=lambda one: one[0])
    return (x, y) if far > 2.0 else None

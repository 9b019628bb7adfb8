"""Small line charts as SVG: scores over the number of groups with their null band, objectives, spectra, sparks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from coterie.core.findings import Axis, Evidence, Group
from coterie.messages.exploration import describe_measure
from coterie.show.markup import coordinate, esc, figure

WIDTH = 400
HEIGHT = 230
LEFT = 48
RIGHT = 12
TOP = 14
BOTTOM = 34
INK = "#1d1f23"
MUTED = "#5a606b"
LINE = "#d9d7d0"
BAND = "#dcdad2"
MAIN = "#0072b2"


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round values that cover a range.

    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return [low]
    raw = span / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [
        round((first + i) * step, 12) for i in range(math.floor(high / step + 1e-9) - first + 1)
    ]


class Frame:
    """The place of a chart: data to picture, axes, and the pieces drawn so far."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], label: str) -> None:
        pad = (y[1] - y[0]) * 0.08 or abs(y[0]) * 0.1 or 1.0
        self.x = x if x[1] > x[0] else (x[0] - 1, x[1] + 1)
        self.y = (y[0] - pad, y[1] + pad)
        self.label = label
        self.rows: list[str] = []

    def px(self, value: float) -> float:
        return LEFT + (value - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)

    def py(self, value: float) -> float:
        return (
            HEIGHT
            - BOTTOM
            - (value - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)
        )

    def points(self, xs: Sequence[float], ys: Sequence[float]) -> str:
        pairs = [
            (x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(x) and math.isfinite(y)
        ]
        return " ".join(f"{coordinate(self.px(x))},{coordinate(self.py(y))}" for x, y in pairs)

    def line(
        self, xs: Sequence[float], ys: Sequence[float], css: str, stroke: str, dash: str = ""
    ) -> None:
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.rows.append(
            f'<polyline class="{css}" points="{self.points(xs, ys)}" fill="none" stroke="{stroke}" stroke-width="2"{dashed} '
            'stroke-linejoin="round" stroke-linecap="round"/>'
        )

    def dots(
        self, xs: Sequence[float], ys: Sequence[float], css: str, fill: str, radius: float = 3
    ) -> None:
        for place in self.points(xs, ys).split():
            x, y = place.split(",")
            self.rows.append(
                f'<circle class="{css}" cx="{x}" cy="{y}" r="{radius}" fill="{fill}"/>'
            )

    def text(
        self, x: float, y: float, words: str, anchor: str = "middle", css: str = "c-text"
    ) -> None:
        self.rows.append(
            f'<text class="{css}" x="{coordinate(x)}" y="{coordinate(y)}" text-anchor="{anchor}" font-size="11" '
            f'fill="{MUTED}">{esc(words)}</text>'
        )

    def axes(self, xticks: Sequence[float], x_name: str) -> None:
        for value in ticks(*self.y, about=5):
            y = coordinate(self.py(value))
            self.rows.append(
                f'<line class="c-grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{LINE}" stroke-width="1"/>'
            )
            self.text(LEFT - 6, self.py(value) + 4, figure(value), "end")
        for value in xticks:
            self.text(self.px(value), HEIGHT - BOTTOM + 15, figure(value))
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 3, x_name)

    def svg(self) -> str:
        return (
            f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'font-family="sans-serif" aria-label="{esc(self.label)}">{"".join(self.rows)}</svg>'
        )


def _finite(*series: Sequence[float]) -> list[float]:
    return [float(v) for values in series for v in values if math.isfinite(v)]


def _k_ticks(ks: Sequence[int]) -> list[int]:
    step = max(1, math.ceil(len(ks) / 10))
    return list(ks)[::step]


def evidence(found: Evidence) -> str:
    """Scores over the number of groups, the null's mean and twice its deviation as a band, the chosen number marked."""
    ks = found.ks
    scores = found.scores
    if not ks or len(scores) != len(ks) or not _finite(scores):
        return ""
    has_null = len(found.null_mean) == len(ks)
    sd = found.null_sd if len(found.null_sd) == len(ks) else (0.0,) * len(ks)
    low = [m - 2 * s for m, s in zip(found.null_mean, sd, strict=True)] if has_null else []
    high = [m + 2 * s for m, s in zip(found.null_mean, sd, strict=True)] if has_null else []
    values = _finite(scores, low, high)
    frame = Frame(
        (min(ks), max(ks)),
        (min(values), max(values)),
        f"{describe_measure(found)} for each number of groups",
    )
    frame.axes(_k_ticks(ks), "number of groups")
    if has_null and _finite(low, high):
        around = frame.points([*ks, *reversed(ks)], [*high, *reversed(low)])
        frame.rows.append(f'<polygon class="c-band" points="{around}" fill="{BAND}"/>')
        frame.line(ks, found.null_mean, "c-null", MUTED, "4 4")
    if found.n_groups in ks:
        x = coordinate(frame.px(found.n_groups))
        frame.rows.append(
            f'<line class="c-chosen" x1="{x}" x2="{x}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="{INK}" '
            'stroke-width="1" stroke-dasharray="2 3"/>'
        )
    frame.line(ks, scores, "c-main", MAIN)
    frame.dots(ks, scores, "c-dot", MAIN)
    if found.n_groups in ks:
        best = scores[list(ks).index(found.n_groups)]
        frame.dots([found.n_groups], [best], "c-pick", INK, 5)
    return frame.svg()


def line_chart(
    pairs: Sequence[tuple[float, float]], name: str, x_name: str = "step", level: float = math.nan
) -> str:
    """One curve of (step, value) pairs; `level` is drawn as a dashed line across, such as that of chance."""
    rows = [(float(x), float(y)) for x, y in pairs if math.isfinite(x) and math.isfinite(y)]
    if not rows:
        return ""
    if len(rows) > 600:
        rows = [rows[i] for i in np.unique(np.linspace(0, len(rows) - 1, 600).astype(int))]
    xs = [x for x, _ in rows]
    ys = [y for _, y in rows]
    heights = _finite(ys, [level])
    frame = Frame((min(xs), max(xs)), (min(heights), max(heights)), name)
    places = ticks(*frame.x, about=5)
    if all(x.is_integer() for x in xs):
        places = [v for v in places if float(v).is_integer()]
    frame.axes(places, x_name)
    if math.isfinite(level):
        frame.line(list(frame.x), [level, level], "c-null", MUTED, "4 4")
    frame.line(xs, ys, "c-main", MAIN)
    if len(xs) <= 30:
        frame.dots(xs, ys, "c-dot", MAIN, 2.4)
    return frame.svg()


def chart_curve(pairs: Sequence[tuple[float, float]], label: str, axis: Axis | None = None) -> str:
    """A curve of a result over its axis; over steps, or plain values, where it has none of its own."""
    if axis is not None:
        return line_chart(pairs, label, axis.name, axis.chance)
    steps = all(float(x).is_integer() for x, _ in pairs)
    return line_chart(pairs, label, "step" if steps else "value")


def spectrum(values: Sequence[float], n_groups: int, limit: int = 40) -> str:
    """Eigenvalues as a strip of bars, those that stand for the groups in color."""
    heights = [v if math.isfinite(v) else 0.0 for v in values][:limit]
    if not heights:
        return ""
    top = max((abs(v) for v in heights), default=1.0) or 1.0
    step = WIDTH / max(len(heights), 12)
    rows = []
    for i, value in enumerate(heights):
        tall = max(1.0, abs(value) / top * 52)
        mine = i < n_groups
        rows.append(
            f'<rect class="{"c-eigen" if mine else "c-rest"}" x="{coordinate(i * step + 1)}" y="{coordinate(56 - tall)}" '
            f'width="{coordinate(step - 2)}" height="{coordinate(tall)}" fill="{MAIN if mine else "#b9b7b0"}">'
            f"<title>{i + 1}: {figure(value)}</title></rect>"
        )
    return (
        f'<svg class="chart strip" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 58" role="img" '
        f'aria-label="The first {len(heights)} eigenvalues; {n_groups} groups">{"".join(rows)}</svg>'
    )


def spark_ranges(groups: Sequence[Group]) -> list[tuple[float, float]]:
    """Per dimension, the range that all groups' mean traces share, so that sparks can be compared."""
    dims = max((len(group.spark) for group in groups), default=0)
    ranges = []
    for d in range(dims):
        values = _finite(*(group.spark[d] for group in groups if d < len(group.spark)))
        ranges.append((min(values), max(values)) if values else (0.0, 1.0))
    return ranges


def spark(trace: Sequence[float], low: float, high: float, css: str, stroke: str, name: str) -> str:
    """One mean trace as a small line."""
    values = np.asarray(trace, dtype=np.float64)
    if len(values) > 160:
        values = values[np.linspace(0, len(values) - 1, 160).astype(int)]
    span = (high - low) or 1.0
    places = [
        f"{coordinate(2 + 156 * i / max(len(values) - 1, 1))},{coordinate(37 - 34 * (float(v) - low) / span)}"
        for i, v in enumerate(values)
        if math.isfinite(v)
    ]
    return (
        f'<svg class="spark" viewBox="0 0 160 40" preserveAspectRatio="none" role="img" aria-label="{esc(name)}">'
        f'<polyline class="{css}" points="{" ".join(places)}" fill="none" stroke="{stroke}" stroke-width="2" '
        'vector-effect="non-scaling-stroke" stroke-linejoin="round"/></svg>'
    )

"""A small matrix as shaded cells: names along its edges, values inside where they can be read, and on hover."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unicodedata import east_asian_width

import numpy as np

from coterie.core.errors import DataError
from coterie.core.findings import Grid
from coterie.show import markup
from coterie.show.markup import clip, coordinate, esc, figure, put, slot

MOST = 200  # rows or columns that can be drawn at all
HOVER = 48  # rows or columns from which cells no longer carry their values
INK = "#1d1f23"
MUTED = "#5a606b"
LINE = "#d9d7d0"
MAIN = "#0072b2"
_LEVELS = 24  # shades of a large grid, whose cells of one shade are one path


def shade(value: float) -> float:
    """How strongly a value is drawn: its root, so that rare moves are seen beside a strong diagonal.

    >>> shade(0.0), shade(0.25), shade(1.0)
    (0.0, 0.5, 1.0)
    """
    return float(np.sqrt(min(max(value, 0.0), 1.0)))


def checked(grid: Grid) -> np.ndarray:
    """The values, where they are a matrix of numbers from 0 to 1 (or not a number) with a name per row and column."""
    values = np.asarray(grid.values, dtype=np.float64)
    title = clip(grid.title, 60)
    if values.ndim != 2 or not values.size:
        raise DataError(
            f"The grid '{title}' is not a matrix: its values have shape {values.shape}."
        )
    with np.errstate(invalid="ignore"):
        outside = np.argwhere((values < -1e-6) | (values > 1 + 1e-6))
    if len(outside):
        row, column = (int(v) for v in outside[0])
        raise DataError(
            f"The grid '{title}' has the value {values[row, column]:g} at ({row}, {column}); values go from 0 to 1."
        )
    for names, side, word in (
        (grid.rows, values.shape[0], "rows"),
        (grid.columns, values.shape[1], "columns"),
    ):
        if names and len(names) != side:
            raise DataError(
                f"The grid '{title}' has {side} {word} and {len(names)} names for them."
            )
    return np.clip(values, 0.0, 1.0)


def width(text: str, size: float) -> float:
    """About how wide a text is drawn."""
    return size * sum(1.02 if c == "…" or east_asian_width(c) in "WF" else 0.6 for c in text)


def fitted(text: str, room: float, size: float) -> str:
    """The text on one line, cut to a width."""
    line = clip(text, 40)
    return next(
        (cut for n in range(len(line), 1, -1) if width(cut := clip(line, n), size) <= room),
        line[:1],
    )


class _Edges:
    """Names of rows and columns, where they stand, and whether they are states known by their letters and colors."""

    def __init__(self, grid: Grid, shape: tuple[int, int]) -> None:
        n = max(shape)
        self.cell = float(min(40, max(11, 230 // n)) if n <= HOVER else max(3, 480 // n))
        self.size = 11.0 if self.cell >= 14 else min(9.5, self.cell - 1)
        self.named = self.cell >= 9
        self.lettered = (
            not grid.rows,
            not grid.columns and not (grid.rows and shape[0] == shape[1]),
        )
        letters = [markup.letter(i) for i in range(n)]
        square = grid.rows if shape[0] == shape[1] else ()
        self.full = (
            list(grid.rows or letters[: shape[0]]),
            list(grid.columns or square or letters[: shape[1]]),
        )
        self.rows = [fitted(name, 108.0, self.size) for name in self.full[0]]
        self.columns = [fitted(name, 100.0, self.size) for name in self.full[1]]
        self.flat = all(
            width(name, self.size) <= self.cell - 1 for name in self.columns
        )  # they need not be turned
        widest = max((width(name, self.size) for name in self.rows), default=0.0)
        tallest = (
            self.size + 2 if self.flat else max(width(name, self.size) for name in self.columns) + 2
        )
        self.left = float(np.ceil((widest + 7 if self.named else 2) + 6 * self.lettered[0]))
        self.top = float(np.ceil((tallest + 4 if self.named else 2) + 6 * self.lettered[1]))

    def drawn(self) -> str:
        """All names, and a chip of color beside each letter."""
        cell = self.cell
        parts = []
        for i, name in enumerate(self.rows):
            y = self.top + (i + 0.5) * cell
            if self.lettered[0]:
                parts.append(_chip(i, self.left - 5, y - cell / 2 + 0.5, 3.0, cell - 1))
            if self.named:
                parts.append(_name(self.left - 4 - 6 * self.lettered[0], y, name, self.size, "end"))
        for j, name in enumerate(self.columns):
            x = self.left + (j + 0.5) * cell
            y = self.top - 5 - 6 * self.lettered[1]
            if self.lettered[1]:
                parts.append(_chip(j, x - cell / 2 + 0.5, self.top - 5, cell - 1, 3.0))
            if self.named and self.flat:
                parts.append(_name(x, y - self.size / 2 + 1, name, self.size, "middle"))
            elif self.named:
                turned = f' transform="rotate(-90 {coordinate(x)} {coordinate(y)})"'
                parts.append(_name(x, y, name, self.size, "start", turned))
        return "".join(parts)


def _chip(label: int, x: float, y: float, wide: float, tall: float) -> str:
    return (
        f'<rect class="chip {slot(label)}" x="{coordinate(x)}" y="{coordinate(y)}" width="{coordinate(wide)}" '
        f'height="{coordinate(tall)}" fill="{markup.color(label)}"/>'
    )


def _name(x: float, y: float, words: str, size: float, anchor: str, turned: str = "") -> str:
    return (
        f'<text class="c-text" x="{coordinate(x)}" y="{coordinate(y)}" text-anchor="{anchor}" dominant-baseline="central" '
        f'font-size="{size:g}" fill="{MUTED}"{turned}>{esc(words)}</text>'
    )


def _number(value: float) -> str:
    """A value as short as it fits into a cell; nothing where it rounds to zero."""
    return "" if not value >= 0.005 else "1" if value >= 0.995 else f"{value:.2f}"[1:]


def _cells(values: np.ndarray, edges: _Edges) -> str:
    """One cell per value, which it tells on hover; the values inside where there is room."""
    cell = edges.cell
    parts = []
    numbers = []
    for (i, j), value in np.ndenumerate(values):
        x = edges.left + j * cell
        y = edges.top + i * cell
        said = figure(float(value), 3) if np.isfinite(value) else "no value"
        place = f"row {clip(edges.full[0][i], 40)}, column {clip(edges.full[1][j], 40)}: {said}"
        strength = shade(float(value)) if np.isfinite(value) else 0.0
        empty = "" if np.isfinite(value) else ' class="c-empty" stroke-dasharray="2 2"'
        parts.append(
            f'<rect{empty} x="{coordinate(x)}" y="{coordinate(y)}" width="{cell:g}" height="{cell:g}" '
            f'fill-opacity="{strength:.2f}"><title>{esc(place)}</title></rect>'
        )
        text = _number(float(value))
        if text and cell >= 24:
            css, fill = (
                ("v-high", "#ffffff")
                if strength > 0.84
                else ("v-mid", "#15171a")
                if strength > 0.62
                else ("v-low", INK)
            )
            numbers.append(
                f'<text class="{css}" x="{coordinate(x + cell / 2)}" y="{coordinate(y + cell / 2)}" fill="{fill}">{text}</text>'
            )
    drawn = f'<g class="cells" fill="{MAIN}" stroke="{LINE}">{"".join(parts)}</g>'
    style = 'font-size="10" text-anchor="middle" dominant-baseline="central" pointer-events="none"'
    return drawn + (f'<g class="numbers" {style}>{"".join(numbers)}</g>' if numbers else "")


def _large(values: np.ndarray, edges: _Edges) -> str:
    """The cells of each shade as one path, for grids whose cells are too small to point at."""
    level = np.rint(np.sqrt(np.nan_to_num(values)) * _LEVELS).astype(int)
    wide, tall = (coordinate(n * edges.cell) for n in values.shape[::-1])
    parts = [
        f'<rect x="{edges.left:g}" y="{edges.top:g}" width="{wide}" height="{tall}" fill-opacity="0"/>'
    ]
    side = f"h{edges.cell:g}v{edges.cell:g}h-{edges.cell:g}z"
    for strength in range(1, _LEVELS + 1):
        places = np.argwhere(level == strength) * edges.cell
        path = "".join(
            f"M{coordinate(edges.left + x)} {coordinate(edges.top + y)}{side}" for y, x in places
        )
        if path:
            parts.append(
                f'<path d="{path}" stroke="none" fill-opacity="{strength / _LEVELS:.2f}"/>'
            )
    return (
        f'<g class="cells" fill="{MAIN}" stroke="{LINE}" pointer-events="none">{"".join(parts)}</g>'
    )


def draw(grid: Grid, *, hover: bool = True, paper: bool = True) -> str:
    """The grid as SVG; rows and columns without names are states, with the letters and colors they have in strips."""
    values = checked(grid)
    if max(values.shape) > MOST:
        raise DataError(
            f"A grid of {values.shape[0]} by {values.shape[1]} cells cannot be read; draw at most {MOST} each way."
        )
    edges = _Edges(grid, (values.shape[0], values.shape[1]))
    wide = coordinate(edges.left + values.shape[1] * edges.cell + 3)
    tall = coordinate(edges.top + values.shape[0] * edges.cell + 3)
    body = _cells(values, edges) if hover and max(values.shape) <= HOVER else _large(values, edges)
    back = f'<rect width="{wide}" height="{tall}" fill="#ffffff"/>' if paper else ""
    label = f"{clip(grid.title, 80)}: {values.shape[0]} rows, {values.shape[1]} columns; {_strongest(values, edges.full)}"
    return (
        f'<svg class="shaded" xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}" '
        f'font-family="sans-serif" role="img" aria-label="{esc(label)}">{back}{edges.drawn()}{body}</svg>'
    )


def _strongest(
    values: np.ndarray, names: tuple[Sequence[str], Sequence[str]], most: int = 3
) -> str:
    """The largest values off the diagonal in words (of all, where the grid is not square)."""
    shown = np.nan_to_num(values).copy()
    square = shown.shape[0] == shown.shape[1] and len(shown) > 1
    if square:
        np.fill_diagonal(shown, 0.0)
    order = np.argsort(-shown, axis=None, kind="stable")[:most]
    cells = [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, shown.shape), strict=True)]
    said = [
        f"{clip(names[0][i], 30)} to {clip(names[1][j], 30)} {figure(float(shown[i, j]), 2)}"
        for i, j in cells
        if shown[i, j] > 0
    ]
    where = " off the diagonal" if square else ""
    return f"largest{where}: {', '.join(said)}" if said else f"nothing{where}"


def save_svg(grid: Grid, path: str | Path) -> Path:
    """Write the grid as an SVG picture."""
    return put(path, draw(grid))

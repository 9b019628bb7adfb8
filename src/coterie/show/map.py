"""All members as a still picture: the map, with a letter or number per group, and the matrix of how alike they are.

The map is SVG with one marker per member. The matrix is values as colors, colors as a PNG written by hand, and boundaries of
groups.
"""

from __future__ import annotations

import base64
import itertools
import struct
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.partition import Partition
from coterie.show import markup
from coterie.show.markup import clip, coordinate, esc, outline, put

SAMPLE = 3000  # more markers than this are a sample, the same share of every group


def sample(labels: np.ndarray, limit: int = SAMPLE) -> np.ndarray:
    """Positions of at most `limit` members, evenly through every group; the same each time.

    >>> sample(np.array([0, 0, 0, 0, 1, 1]), 3).tolist()
    [0, 2, 4]
    """
    if len(labels) <= limit:
        return np.arange(len(labels))
    order = np.argsort(labels, kind="stable")
    return np.sort(order[(np.arange(limit) * len(labels)) // limit])


def anchors(positions: np.ndarray, labels: np.ndarray) -> dict[int, tuple[float, float]]:
    """Where a group's letter stands: the member nearest to the middle of the group."""
    found: dict[int, tuple[float, float]] = {}
    for label in np.unique(labels[labels >= 0]):
        mine = positions[labels == label]
        middle = np.median(mine, axis=0)
        x, y = mine[int(np.argmin(((mine - middle) ** 2).sum(axis=1)))]
        found[int(label)] = (float(x), float(y))
    return found


def fitted(positions: np.ndarray, width: float, height: float, margin: float) -> np.ndarray:
    """Positions scaled into a frame with both axes alike; members without a finite place go to the middle."""
    places = np.asarray(positions, dtype=np.float64)
    finite = np.asarray(np.isfinite(places).all(axis=1))
    if not finite.any():
        return np.tile([width / 2, height / 2], (len(places), 1))
    low = places[finite].min(axis=0)
    high = places[finite].max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    scale = min((width - 2 * margin) / span[0], (height - 2 * margin) / span[1])
    middle = (low + high) / 2
    moved = (np.where(finite[:, None], places, middle) - middle) * scale
    return np.column_stack([width / 2 + moved[:, 0], height / 2 - moved[:, 1]])


def draw(
    positions: Any,
    partition: Any,
    *,
    width: int = 760,
    height: int = 560,
    limit: int = SAMPLE,
    numbers: bool = False,
    unstable: Collection[int] = (),
) -> str:
    """The map as SVG: markers by group (color and shape), names in the title, and a letter at the middle of each group.

    With `numbers` groups have their numbers, from 1, instead of letters. The sign of an `unstable` group ends with a question mark.
    """
    where = np.asarray(positions, dtype=np.float64)
    parts = Partition.of(partition)
    if where.ndim != 2 or where.shape[1] != 2 or len(where) != len(parts):
        raise DataError(
            f"The map needs two numbers for each of the {len(parts)} members, and got shape {where.shape}."
        )
    labels = parts.labels
    places = fitted(where, width, height, 24)
    few = sample(labels, limit)
    radius = 5.0 if len(few) <= 400 else 3.6 if len(few) <= 1500 else 2.8
    said = f" in {parts.n_groups} groups" if parts.n_groups else ""
    rows = [
        f'<svg class="still-map" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="sans-serif" aria-label="Map of {len(labels)} members{said}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for label in np.unique(labels[few]):
        mine = places[few[labels[few] == label]]
        path = "".join(outline(int(label), float(x), float(y), radius) for x, y in mine)
        name = parts.names[label] if label >= 0 else "in no group" if parts.n_groups else "members"
        rows.append(
            f'<path d="{path}" fill="{markup.color(int(label))}" stroke="{markup.edge(int(label))}" '
            f'stroke-width="0.7" fill-opacity="0.85"><title>{esc(clip(name, 120))}</title></path>'
        )
    for label, (x, y) in anchors(places, labels).items():
        sign = str(label + 1) if numbers else markup.letter(label)
        sign += "?" if label in unstable else ""
        rows.append(
            f'<text x="{coordinate(x)}" y="{coordinate(y + 6)}" text-anchor="middle" font-size="17" font-weight="700" '
            f'fill="#15171a" stroke="#ffffff" stroke-width="4" paint-order="stroke">{sign}</text>'
        )
    return "\n".join([*rows, "</svg>"])


def save_svg(positions: Any, partition: Any, path: str | Path) -> Path:
    """Write the map of these positions and groups as an SVG picture."""
    return put(path, draw(positions, partition))


def png(pixels: np.ndarray, table: np.ndarray | None = None) -> bytes:
    """A PNG of rows x columns indices into a table of up to 256 colors, or of rows x columns x 3 colors.

    >>> png(np.zeros((2, 2, 3), dtype=np.uint8))[1:4]
    b'PNG'
    """
    rows = np.ascontiguousarray(pixels, dtype=np.uint8)
    height, width = rows.shape[:2]
    kind = 2 if rows.ndim == 3 else 3
    raw = np.zeros(
        (height, 1 + rows[0].size if height else 1), dtype=np.uint8
    )  # each row begins with "no filter"
    raw[:, 1:] = rows.reshape(height, -1)

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    parts = [
        b"\x89PNG\r\n\x1a\n",
        chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)),
    ]
    if kind == 3:
        colors = markup.ramp() if table is None else table
        parts.append(chunk(b"PLTE", np.ascontiguousarray(colors, dtype=np.uint8).tobytes()))
    return b"".join([*parts, chunk(b"IDAT", zlib.compress(raw.tobytes(), 6)), chunk(b"IEND", b"")])


def reach(matrix: np.ndarray) -> tuple[float, float]:
    """The values that get the ends of the ramp: nearly the lowest and nearly the highest off the diagonal."""
    values = np.asarray(matrix, dtype=np.float64)
    off = (
        values[~np.eye(len(values), dtype=bool)]
        if values.ndim == 2 and len(values) > 1
        else values.ravel()
    )
    off = off[np.isfinite(off)]
    if not len(off):
        return 0.0, 1.0
    low, high = (float(v) for v in np.quantile(off, [0.01, 0.995]))
    if high - low < 1e-6:
        low = low - 0.5
        high = high + 0.5
    return low, high


def levels(matrix: np.ndarray, low: float, high: float) -> np.ndarray:
    """Each value as a place on the ramp, 0 to 255; what is not a number is 0."""
    scaled = (np.nan_to_num(np.asarray(matrix, dtype=np.float64), nan=low) - low) / (high - low)
    return np.rint(np.clip(scaled, 0.0, 1.0) * 255).astype(np.uint8)


def boundaries(labels: np.ndarray) -> list[tuple[int, int, int]]:
    """Runs of the same label along the matrix: (label, first, one past the last).

    >>> boundaries(np.array([0, 0, 1]))
    [(0, 0, 2), (1, 2, 3)]
    """
    if not len(labels):
        return []
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(labels)) + 1, [len(labels)]])
    return [(int(labels[a]), int(a), int(b)) for a, b in itertools.pairwise(cuts)]


def picture(matrix: Any, labels: Any = None, *, side: int = 720) -> bytes:
    """The matrix as PNG, enlarged by a whole factor up to about `side`, with a line where the group changes."""
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise DataError(f"An affinity matrix is square, and this one has shape {values.shape}.")
    if not len(values):
        return png(np.zeros((1, 1), dtype=np.uint8))
    factor = max(1, side // len(values))
    indices = np.kron(levels(values, *reach(values)), np.ones((factor, factor), dtype=np.uint8))
    if labels is not None:
        rows = Partition.of(labels).labels
        if len(rows) != len(values):
            raise DataError(f"There are {len(rows)} labels for a matrix of {len(values)} members.")
        runs = boundaries(rows)
        if len(runs) <= 64:
            table = np.vstack([markup.ramp()[:255], [[213, 94, 0]]])
            indices = np.minimum(indices, 254)
            for _, _, last in runs[:-1]:
                indices[last * factor - (factor > 1), :] = 255
                indices[:, last * factor - (factor > 1)] = 255
            return png(indices, table)
    return png(indices)


def figure(matrix: Any, labels: Any) -> str:
    """The matrix as inline SVG around a PNG: letters of the groups along the edges, a line where the group changes."""
    image = base64.b64encode(picture(matrix)).decode("ascii")
    runs = [] if np.all(np.asarray(labels) < 0) else boundaries(np.asarray(labels))
    side = 600.0
    margin = 26.0
    one = (side - margin) / max(len(labels), 1)
    parts = [
        f'<svg class="still-matrix" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side:.0f} {side:.0f}" role="img" '
        f'font-family="sans-serif" aria-label="Ordered affinity matrix of {len(labels)} members">'
        f'<image x="{margin}" y="{margin}" width="{side - margin}" height="{side - margin}" '
        f'href="data:image/png;base64,{image}"/>'
    ]
    for label, first, last in runs:
        a = margin + first * one
        b = margin + last * one
        middle = f"{(a + b) / 2:.1f}"
        fill = markup.color(label)
        parts.append(
            f'<rect x="{margin - 6}" y="{a:.1f}" width="4" height="{b - a:.1f}" fill="{fill}"/>'
            f'<rect x="{a:.1f}" y="{margin - 6}" width="{b - a:.1f}" height="4" fill="{fill}"/>'
        )
        if b - a > 13:
            style = 'text-anchor="middle" dominant-baseline="central" font-size="13" font-weight="700" fill="#15171a"'
            parts.append(f'<text x="10" y="{middle}" {style}>{markup.letter(label)}</text>')
            parts.append(f'<text x="{middle}" y="10" {style}>{markup.letter(label)}</text>')
        if last < len(labels) and len(runs) <= 64:
            parts.append(
                f'<path d="M{margin} {b:.1f}H{side}M{b:.1f} {margin}V{side}" stroke="#15171a" stroke-opacity="0.6"/>'
            )
    return "".join([*parts, "</svg>"])


def save_png(matrix: Any, path: str | Path, labels: Any = None) -> Path:
    """Write a square affinity matrix, in the order given, as a PNG picture."""
    return put(path, picture(matrix, labels))

"""The affinity matrix as a picture: values to colors, colors to PNG written by hand, boundaries of groups."""

from __future__ import annotations

import base64
import itertools
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.partition import Partition
from coterie.show import palette
from coterie.show.markup import put


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
        colors = palette.ramp() if table is None else table
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
            table = np.vstack([palette.ramp()[:255], [[213, 94, 0]]])
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
        fill = palette.color(label)
        parts.append(
            f'<rect x="{margin - 6}" y="{a:.1f}" width="4" height="{b - a:.1f}" fill="{fill}"/>'
            f'<rect x="{a:.1f}" y="{margin - 6}" width="{b - a:.1f}" height="4" fill="{fill}"/>'
        )
        if b - a > 13:
            style = 'text-anchor="middle" dominant-baseline="central" font-size="13" font-weight="700" fill="#15171a"'
            parts.append(f'<text x="10" y="{middle}" {style}>{palette.letter(label)}</text>')
            parts.append(f'<text x="{middle}" y="10" {style}>{palette.letter(label)}</text>')
        if last < len(labels) and len(runs) <= 64:
            parts.append(
                f'<path d="M{margin} {b:.1f}H{side}M{b:.1f} {margin}V{side}" stroke="#15171a" stroke-opacity="0.6"/>'
            )
    return "".join([*parts, "</svg>"])


def save_png(matrix: Any, path: str | Path, labels: Any = None) -> Path:
    """Write a square affinity matrix, in the order given, as a PNG picture."""
    return put(path, picture(matrix, labels))

"""The map of members as a still picture: one marker per member, a letter or number per group, drawn as SVG."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.partition import Partition
from coterie.show import palette
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
            f'<path d="{path}" fill="{palette.color(int(label))}" stroke="{palette.edge(int(label))}" '
            f'stroke-width="0.7" fill-opacity="0.85"><title>{esc(clip(name, 120))}</title></path>'
        )
    for label, (x, y) in anchors(places, labels).items():
        sign = str(label + 1) if numbers else palette.letter(label)
        sign += "?" if label in unstable else ""
        rows.append(
            f'<text x="{coordinate(x)}" y="{coordinate(y + 6)}" text-anchor="middle" font-size="17" font-weight="700" '
            f'fill="#15171a" stroke="#ffffff" stroke-width="4" paint-order="stroke">{sign}</text>'
        )
    return "\n".join([*rows, "</svg>"])


def save_svg(positions: Any, partition: Any, path: str | Path) -> Path:
    """Write the map of these positions and groups as an SVG picture."""
    return put(path, draw(positions, partition))

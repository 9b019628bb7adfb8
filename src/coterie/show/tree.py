"""A hierarchy as a dendrogram: members on the left, merges to the right, the groups of a cut in their colors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coterie.core.errors import DataError
from coterie.core.partition import Hierarchy
from coterie.show import markup
from coterie.show.markup import clip, coordinate, esc, put

LIMIT = 2000


def leaf_order(hierarchy: Hierarchy) -> list[int]:
    """Members in an order in which no two branches cross."""
    n = hierarchy.n_members
    order: list[int] = []
    stack = [2 * n - 2]
    while stack:
        node = stack.pop()
        if node < n:
            order.append(node)
        else:
            left, right = (int(v) for v in hierarchy.merges[node - n, :2])
            stack += [right, left]
    return order


def draw(
    hierarchy: Hierarchy, ids: Sequence[str] = (), *, n_groups: int = 1, width: int = 720
) -> str:
    """The dendrogram as SVG; with `n_groups` above one, branches inside each group take its color."""
    n = hierarchy.n_members
    if n > LIMIT:
        raise DataError(
            f"A dendrogram of {n} members cannot be read; draw at most {LIMIT}, or cut the hierarchy first."
        )
    if ids and len(ids) != n:
        raise DataError(f"There are {len(ids)} ids for a hierarchy of {n} members.")
    labels = hierarchy.cut(min(max(n_groups, 1), n)).labels
    row = 16.0 if n <= 80 else max(2.0, 1280 / n)
    named = bool(ids) and row >= 10
    left = 12.0
    right = 200.0 if named else 12.0
    top = 12.0
    heights = hierarchy.heights
    tallest = float(heights.max()) if len(heights) and heights.max() > 0 else 1.0
    order = leaf_order(hierarchy)
    y = np.zeros(2 * n - 1)
    x = np.zeros(2 * n - 1)
    group = np.full(2 * n - 1, -1)
    y[order] = top + (np.arange(n) + 0.5) * row
    group[:n] = labels if n_groups > 1 else -1
    x[:n] = width - right
    parts: list[str] = []
    for t, (a, b, height) in enumerate(hierarchy.merges[:, :3]):
        one = int(a)
        two = int(b)
        node = n + t
        x[node] = width - right - float(height) / tallest * (width - left - right)
        y[node] = (y[one] + y[two]) / 2
        same = group[one] == group[two] and t < n - n_groups
        group[node] = group[one] if same else -1
        color = markup.edge(int(group[node])) if same and group[node] >= 0 else "#3a3f47"
        parts.append(
            f'<path d="M{coordinate(x[one])} {coordinate(y[one])}H{coordinate(x[node])}V{coordinate(y[two])}'
            f'H{coordinate(x[two])}" fill="none" stroke="{color}" stroke-width="1.4"/>'
        )
    if named:
        parts += [
            f'<text x="{coordinate(width - right + 8)}" y="{coordinate(float(y[m]) + 4)}" font-size="11" fill="#1d1f23">'
            f"{esc(clip(ids[m], 30))}</text>"
            for m in order
        ]
    tall = 2 * top + n * row
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {coordinate(tall)}" font-family="sans-serif" role="img" '
        f'aria-label="Tree of {n} members"><rect width="{width}" height="{coordinate(tall)}" fill="#ffffff"/>'
        + "".join(parts)
        + "</svg>"
    )


def save_svg(
    hierarchy: Hierarchy, path: str | Path, ids: Sequence[str] = (), *, n_groups: int = 1
) -> Path:
    """Write the dendrogram as an SVG picture."""
    return put(path, draw(hierarchy, ids, n_groups=n_groups))

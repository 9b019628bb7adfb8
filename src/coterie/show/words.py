"""What sets a group apart, as labelled bars: words, correspondents, columns or any other population."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from coterie.show.markup import bar, clip, esc, figure, user

_COLOR = re.compile(r"(?<![0-9A-Za-z#&])#[0-9A-Fa-f]{6}(?![0-9A-Za-z])")


def swatches(text: str, most: int = 6) -> str:
    """A small square for every color that a name speaks of, as in "#ea6a6a"; nothing where there is none."""
    return "".join(
        f'<svg class="swatch" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" '
        f'fill="{color.lower()}"/></svg> '
        for color in _COLOR.findall(text[:400])[:most]
    )


def strengths(rows: Sequence[tuple[str, float]], limit: int = 8) -> str:
    """One labelled bar per feature, longest first as given; a negative strength is marked as 'less'."""
    rows = [row for row in rows if math.isfinite(row[1])][:limit]
    top = max((abs(value) for _, value in rows), default=0.0) or 1.0
    items = [
        f'<li><span class="feature" title="{esc(clip(name, 300))}">{swatches(name)}{user(name, 90)}'
        f"{' <em>less</em>' if value < 0 else ''}</span>"
        f'{bar(abs(value) / top, "less" if value < 0 else "")}<span class="value">{figure(value, 2)}</span></li>'
        for name, value in rows
    ]
    long = " long" if any(len(name) > 14 for name, _ in rows) else ""
    return f'<ul class="strengths{long}">{"".join(items)}</ul>' if items else ""


def telling(populations: Mapping[str, Sequence[tuple[str, float]]], limit: int = 8) -> str:
    """All populations of a group, each under its name."""
    parts = []
    for name, rows in populations.items():
        bars = strengths(rows, limit)
        if bars:
            parts.append(f'<div class="population"><h4>Telling {user(name, 60)}</h4>{bars}</div>')
    return f'<div class="telling">{"".join(parts)}</div>' if parts else ""

"""A segmentation as a strip: one colored, lettered piece per segment along the steps of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coterie.core.errors import DataError
from coterie.core.partition import Segmentation
from coterie.show import palette
from coterie.show.curves import ticks
from coterie.show.markup import clip, coordinate, esc, figure, put

_LEFT, _ROW = 120.0, 44.0


def draw(segmentations: Segmentation | Sequence[Segmentation], names: Sequence[str] = (), *, width: int = 860) -> str:
    """One strip per segmentation, on a common axis of steps."""
    strips = [segmentations] if isinstance(segmentations, Segmentation) else list(segmentations)
    if not strips:
        raise DataError("There is no segmentation to draw.")
    if names and len(names) != len(strips):
        raise DataError(f"There are {len(names)} names for {len(strips)} segmentations.")
    left = _LEFT if names else 12.0
    first = min(int(s.boundaries[0]) for s in strips)
    last = max(int(s.boundaries[-1]) for s in strips)
    scale = (width - left - 16) / max(last - first, 1)
    parts: list[str] = []
    for row, strip in enumerate(strips):
        y = 10 + row * _ROW
        if names:
            parts.append(
                f'<text x="{left - 8:.0f}" y="{y + 21:.0f}" text-anchor="end" font-size="12" fill="#1d1f23">'
                f"{esc(clip(names[row], 18))}</text>"
            )
        for label, start, stop in zip(strip.labels, strip.boundaries[:-1], strip.boundaries[1:], strict=True):
            parts.append(_piece(int(label), int(start), int(stop), left + (int(start) - first) * scale, y, scale))
    bottom = 10 + len(strips) * _ROW
    for value in ticks(first, last, about=8):
        parts.append(
            f'<text x="{coordinate(left + (value - first) * scale)}" y="{bottom + 12:.0f}" text-anchor="middle" '
            f'font-size="11" fill="#5a606b">{figure(value)}</text>'
        )
    tall = bottom + 22
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall:.0f}" font-family="sans-serif" role="img" '
        f'aria-label="{len(strips)} sequences cut into pieces"><rect width="{width}" height="{tall:.0f}" fill="#ffffff"/>'
        + "".join(parts)
        + "</svg>"
    )


def _piece(label: int, start: int, stop: int, x: float, y: float, scale: float) -> str:
    wide = (stop - start) * scale
    fill = palette.color(label)
    ink = "#ffffff" if palette.contrast(fill, "#ffffff") >= palette.contrast(fill, "#15171a") else "#15171a"
    text = ""
    if wide >= 16:
        text = (
            f'<text x="{coordinate(x + wide / 2)}" y="{y + 21:.0f}" text-anchor="middle" font-size="13" font-weight="700" '
            f'fill="{ink}">{palette.letter(label)}</text>'
        )
    return (
        f'<g><title>{palette.letter(label)}: steps {start} to {stop - 1}</title><rect x="{coordinate(x)}" y="{y:.0f}" '
        f'width="{max(wide, 0.5):.2f}" height="32" fill="{fill}" stroke="#ffffff" stroke-width="1"/>{text}</g>'
    )


def save_svg(segmentations: Segmentation | Sequence[Segmentation], path: str | Path, names: Sequence[str] = ()) -> Path:
    """Write the strips as an SVG picture."""
    return put(path, draw(segmentations, names))

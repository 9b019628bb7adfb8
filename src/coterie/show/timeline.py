"""Sequences cut into pieces as strips on a common axis: what of them is drawn, and the strips as an SVG picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from coterie.core.errors import DataError
from coterie.core.partition import Segmentation
from coterie.show import markup
from coterie.show.clock import Axis
from coterie.show.markup import clip, coordinate, count, esc, percent, put

MOST = 800  # pieces of one strip from which the shortest are drawn together
_LEFT = 130.0
_RIGHT = 16.0
_TOP = 10.0


def gathered(strip: Segmentation, most: int = MOST) -> Segmentation:
    """The strip in few enough pieces to be drawn: each of `most` equal stretches takes the label that fills most of it."""
    if len(strip.labels) <= most:
        return strip
    bounds = np.asarray(strip.boundaries, dtype=np.int64)
    labels = np.asarray(strip.labels, dtype=np.int64)
    edges = np.unique(np.rint(np.linspace(bounds[0], bounds[-1], most + 1)).astype(np.int64))
    cuts = np.union1d(edges, bounds)
    levels, codes = np.unique(labels, return_inverse=True)
    time = np.zeros((len(edges) - 1, len(levels)))
    stretch = np.searchsorted(edges, cuts[:-1], side="right") - 1
    piece = np.searchsorted(bounds, cuts[:-1], side="right") - 1
    np.add.at(time, (stretch, codes[piece]), np.diff(cuts))
    best = levels[time.argmax(axis=1)]
    keep = np.flatnonzero(np.concatenate([[True], best[1:] != best[:-1]]))
    return Segmentation(np.append(edges[keep], edges[-1]), best[keep])


def shares(strips: Sequence[Segmentation]) -> dict[int, float]:
    """The share of all steps that each label takes, labels in order and 'none' last."""
    if not strips:
        return {}
    labels = np.concatenate([np.asarray(strip.labels, dtype=np.int64) for strip in strips])
    levels, codes = np.unique(labels, return_inverse=True)
    steps = np.bincount(
        codes,
        weights=np.concatenate([np.diff(strip.boundaries) for strip in strips]),
        minlength=len(levels),
    )
    found = {
        int(label): float(share)
        for label, share in zip(levels, steps / max(steps.sum(), 1), strict=True)
    }
    return dict(sorted(found.items(), key=lambda item: (item[0] < 0, item[0])))


def told(strip: Segmentation, name: str, most: int = 6) -> str:
    """A strip in words, for those who cannot see it."""
    fractions = sorted(shares([strip]).items(), key=lambda item: -item[1])
    rest = f" and {count(len(fractions) - most, 'more label')}" if len(fractions) > most else ""
    parts = ", ".join(
        f"{markup.letter(label)} {percent(share)}" for label, share in fractions[:most]
    )
    lead = f"{clip(name, 60)}: " if name else ""
    return f"{lead}{count(len(strip.labels), 'piece')}{'; ' if parts else ''}{parts}{rest}"


def checked(strips: Sequence[Segmentation], names: Sequence[str]) -> list[Segmentation]:
    """The strips as a list, where there is a name for each or for none."""
    if names and len(names) != len(strips):
        raise DataError(f"There are {len(names)} names for {len(strips)} segmentations.")
    return list(strips)


def pieces(strip: Segmentation) -> Iterator[tuple[int, int, int]]:
    """Label, first step and one past the last of every piece."""
    for label, start, stop in zip(
        strip.labels, strip.boundaries[:-1], strip.boundaries[1:], strict=True
    ):
        yield int(label), int(start), int(stop)


def draw(
    segmentations: Segmentation | Sequence[Segmentation],
    names: Sequence[str] = (),
    *,
    rate: float = 0.0,
    width: int = 860,
) -> str:
    """One strip per segmentation on a common axis, in time where a rate (steps per second) is given, and their legend."""
    strips = checked(
        [segmentations] if isinstance(segmentations, Segmentation) else segmentations, names
    )
    if not strips:
        raise DataError("There is no segmentation to draw.")
    axis = Axis.of(strips, rate)
    left = _LEFT if names else 14.0
    scale = (width - left - _RIGHT) / axis.length
    row = 44.0 if len(strips) <= 12 else 26.0 if len(strips) <= 40 else 16.0
    parts: list[str] = []
    for at, strip in enumerate(strips):
        y = _TOP + at * row
        if names:
            parts.append(
                _text(
                    left - 8,
                    y + row / 2 - 2,
                    clip(names[at], 18),
                    "end",
                    "#1d1f23",
                    min(12.0, row - 5),
                )
            )
        parts += [
            _piece(piece, axis, left, scale, y, row * 0.73) for piece in pieces(gathered(strip))
        ]
    bottom = _TOP + len(strips) * row
    for place, words in axis.ticks():
        x = left + (place - axis.first) * scale
        parts.append(f'<path d="M{coordinate(x)} {bottom - 6:.0f}v4" stroke="#8a8f98"/>')
        parts.append(
            _text(x, bottom + 8, words, "middle" if x < width - 30 else "end", "#5a606b", 11)
        )
    legend, tall = _legend(strips, bottom + 34, left, width)
    label = f"{count(len(strips), 'sequence')} cut into pieces, in {axis.unit}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall:.0f}" font-family="sans-serif" role="img" '
        f'aria-label="{esc(label)}"><rect width="{width}" height="{tall:.0f}" fill="#ffffff"/>'
        + "".join([*parts, legend])
        + "</svg>"
    )


def _text(
    x: float, y: float, words: str, anchor: str, fill: str, size: float, weight: str = ""
) -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    return (
        f'<text x="{coordinate(x)}" y="{coordinate(y)}" text-anchor="{anchor}" dominant-baseline="central" '
        f'font-size="{size:g}" fill="{fill}"{bold}>{esc(words)}</text>'
    )


def _legend(
    strips: Sequence[Segmentation], y: float, left: float, width: float
) -> tuple[str, float]:
    """Swatch, letter and share of every label, in as many lines as they need; and the height of the picture."""
    fractions = shares(strips)
    across = max(1, int((width - left - _RIGHT) // 76))
    parts = []
    for at, (label, share) in enumerate(fractions.items()):
        x = left + at % across * 76
        line = y + at // across * 20
        parts.append(
            f'<rect x="{x:.0f}" y="{line - 6:.0f}" width="12" height="12" fill="{markup.color(label)}"/>'
        )
        parts.append(
            _text(x + 18, line, f"{markup.letter(label)} {percent(share)}", "start", "#1d1f23", 11)
        )
    return "".join(parts), y + 20 * max(1, -(-len(fractions) // across)) - 4


def _piece(
    piece: tuple[int, int, int], axis: Axis, left: float, scale: float, y: float, tall: float
) -> str:
    label, start, stop = piece
    x = left + (start - axis.first) * scale
    wide = (stop - start) * scale
    letter = markup.letter(label)
    edge = ' stroke="#ffffff" stroke-width="1"' if wide >= 4 else ""
    text = ""
    if wide >= 8 + 8 * len(letter) and tall >= 14:
        text = _text(
            x + wide / 2,
            y + tall / 2 + 0.5,
            letter,
            "middle",
            markup.ink(label),
            13 if tall > 20 else 11,
            "700",
        )
    return (
        f'<g><title>{letter}: {axis.words(start, stop)}</title><rect x="{x:.2f}" y="{coordinate(y)}" '
        f'width="{max(wide, 0.5):.2f}" height="{coordinate(tall)}" fill="{markup.color(label)}"{edge}/>{text}</g>'
    )


def save_svg(
    segmentations: Segmentation | Sequence[Segmentation],
    path: str | Path,
    names: Sequence[str] = (),
    *,
    rate: float = 0.0,
) -> Path:
    """Write the strips as an SVG picture."""
    return put(path, draw(segmentations, names, rate=rate))

"""Small pieces of HTML and SVG: escaping of untrusted text, numbers in words, markers, bars, files written aside.

And what groups look like: their colors, marker shapes and letters, and an even ramp for values; safe for color-blind readers.
"""

from __future__ import annotations

import html
import math
import os
import re
import uuid
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def clean(text: object) -> str:
    """The text without characters that no page may contain (controls, lone surrogates)."""
    return _CONTROL.sub("\ufffd", str(text))


def esc(text: object) -> str:
    """Text that is safe between tags and inside quoted attributes.

    >>> esc('<b a="1">')
    '&lt;b a=&quot;1&quot;&gt;'
    """
    return html.escape(clean(text), quote=True)


def clip(text: object, limit: int) -> str:
    """The text on one line, cut with an ellipsis when longer than the limit.

    >>> clip("a  long line", 7)
    'a long…'
    """
    line = " ".join(str(text)[: 8 * limit + 64].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def ended(snippet: object, most: int = 139) -> str:
    """A member's line, with an ellipsis where it is so long that it was surely cut from a longer text.

    >>> ended("short"), ended("x" * 140)[-2:]
    ('short', 'x…')
    """
    text = str(snippet).rstrip()
    return text + "…" if len(str(snippet)) >= most and not text.endswith("…") else text


def percent(share: float) -> str:
    """A share in percent, without a space so that no line breaks inside it.

    >>> percent(0.8), percent(float("nan"))
    ('80%', '–')
    """
    return f"{100 * share:.0f}%" if math.isfinite(share) else "–"


def user(text: object, limit: int = 400) -> str:
    """Untrusted text, cut, escaped and kept from changing the direction of what stands around it."""
    return f"<bdi>{esc(clip(text, limit))}</bdi>"


def count(n: int, noun: str = "", plural: str = "") -> str:
    """Small numbers as words, large ones with thin gaps.

    >>> count(5, "group"), count(1, "group"), count(0, "group")
    ('five groups', 'one group', 'no groups')
    """
    number = _WORDS[n] if 0 <= n < len(_WORDS) else f"{n:,}".replace(",", "\u202f")
    return number if not noun else f"{number} {noun if n == 1 else plural or noun + 's'}"


def figure(value: float, digits: int = 3) -> str:
    """A number as short as it can be read.

    >>> figure(0.25), figure(12000.0), figure(float("nan"))
    ('0.25', '12\u202f000', '–')
    """
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 1000 or float(value).is_integer():
        if abs(value) < 1e7:
            return f"{value:,.0f}".replace(",", "\u202f")
        return f"{value:.2e}"
    return f"{value:.{digits}g}"


def coordinate(value: float) -> str:
    """A coordinate with at most one decimal and no trailing zero."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def outline(label: int, x: float, y: float, radius: float) -> str:
    """The path of a group's marker at a place, as absolute SVG commands."""
    corners = shape(label)
    if not corners:
        r = coordinate(radius)
        d = coordinate(2 * radius)
        return f"M{coordinate(x - radius)} {coordinate(y)}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0-{d} 0z"
    places = [f"{coordinate(x + radius * cx)} {coordinate(y + radius * cy)}" for cx, cy in corners]
    return "M" + "L".join(places) + "z"


def marker(label: int, size: int = 14) -> str:
    """A group's marker as a small inline picture, colored by the page's style sheet where there is one."""
    half = size / 2
    return (
        f'<svg class="marker" width="{size}" height="{size}" viewBox="0 0 {size} {size}" aria-hidden="true">'
        f'<path class="{slot(label)}" d="{outline(label, half, half, half * 0.74)}" fill="{color(label)}" '
        f'stroke="{edge(label)}"/></svg>'
    )


def slot(label: int) -> str:
    """The class that carries a group's color in the page."""
    return f"g{label % 32}" if label >= 0 else "g-none"


def bar(share: float, extra: str = "") -> str:
    """A horizontal bar filled to a share of its width."""
    width = 100 * min(max(share if math.isfinite(share) else 0.0, 0.0), 1.0)
    return (
        '<svg class="bar" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 6">'
        f'<rect class="bar-rail" width="100" height="6" fill="#e8e6e0"/>'
        f'<rect class="bar-fill {extra}" width="{width:.1f}" height="6" fill="#5a606b"/></svg>'
    )


def bullets(sentences: Sequence[str], kind: str = "ul") -> str:
    """A list of sentences, or nothing at all."""
    if not sentences:
        return ""
    return (
        f"<{kind}>"
        + "".join(f'<li dir="auto">{esc(clip(s, 800))}</li>' for s in sentences)
        + f"</{kind}>"
    )


def put(path: str | Path, content: str | bytes) -> Path:
    """Write aside, then rename, so that nobody ever sees half a file."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name[:80]}.{os.getpid()}.{uuid.uuid4().hex[:8]}")
    try:
        aside.write_bytes(
            content.encode("utf-8", "replace") if isinstance(content, str) else content
        )
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)
    return target


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


# ---- colors, shapes and letters ----------------------------------------------------------------------------------------

# The eight hues of Okabe and Ito, ordered so that neighbors in the list differ in lightness as well as in hue;
# their black is a grey here, so that a lighter and a darker step of it exist.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#5F6670")
NOBODY = {False: "#8A8F98", True: "#858B96"}  # members in no group, on light and on dark paper
_STEPS = {
    False: (0.0, -0.17, 0.11, -0.09),
    True: (0.0, 0.14, -0.10, 0.07),
}  # lightness per round of eight groups
_RANGE = {False: (0.30, 0.90), True: (0.56, 0.95)}

SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),  # a circle
    ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
    ((0.0, -1.15), (1.05, 0.75), (-1.05, 0.75)),
    ((0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)),
    ((0.0, 1.15), (1.05, -0.75), (-1.05, -0.75)),
    tuple(
        (x * 1.1, y * 1.1)
        for x, y in (
            (-0.36, -1),
            (0.36, -1),
            (0.36, -0.36),
            (1, -0.36),
            (1, 0.36),
            (0.36, 0.36),
            (0.36, 1),
            (-0.36, 1),
            (-0.36, 0.36),
            (-1, 0.36),
            (-1, -0.36),
            (-0.36, -0.36),
        )
    ),
    tuple(
        (float(np.sin(a) * r), float(-np.cos(a) * r))
        for a, r in zip(np.arange(10) * np.pi / 5, [1.3, 0.55] * 5, strict=True)
    ),
    tuple(
        (float((x - y) * 0.78), float((x + y) * 0.78))
        for x, y in (
            (-0.36, -1),
            (0.36, -1),
            (0.36, -0.36),
            (1, -0.36),
            (1, 0.36),
            (0.36, 0.36),
            (0.36, 1),
            (-0.36, 1),
            (-0.36, 0.36),
            (-1, 0.36),
            (-1, -0.36),
            (-0.36, -0.36),
        )
    ),
    ((1.15, 0.0), (-0.75, 1.05), (-0.75, -1.05)),
    ((-1.15, 0.0), (0.75, 1.05), (0.75, -1.05)),
)  # unit outlines, y downwards; group g wears shape g modulo ten and hue g modulo eight

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def rgb(color: str) -> np.ndarray:
    """Three numbers from 0 to 1 of '#rrggbb'."""
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0


def hexed(color: np.ndarray) -> str:
    """'#rrggbb' of three numbers from 0 to 1."""
    return "#" + "".join(f"{round(float(v) * 255):02x}" for v in np.clip(color, 0.0, 1.0))


def oklab(color: np.ndarray) -> np.ndarray:
    """Lightness and two opponent axes in which equal steps look equal (OKLab), of sRGB rows."""
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T


def from_oklab(lab: np.ndarray) -> np.ndarray:
    """sRGB rows of OKLab rows; outside 0 to 1 where no screen can show the color."""
    linear = ((lab @ np.linalg.inv(_TO_LAB).T) ** 3) @ np.linalg.inv(_TO_LMS).T
    safe = np.maximum(linear, 0.0)
    bright = 1.055 * safe ** (1 / 2.4) - 0.055
    return np.where(linear <= 0.0031308, linear * 12.92, bright)


def shown(lightness: float, chroma: float, hue: float) -> np.ndarray:
    """The color of this lightness and hue (radians), with as much of the chroma as a screen can show."""
    low = 0.0
    high = 1.0
    best = np.full(3, lightness)
    share = 1.0
    for _ in range(
        16
    ):  # the largest share of the chroma that stays inside the screen's colors, by halving
        c = chroma * share
        color = from_oklab(np.array([lightness, c * np.cos(hue), c * np.sin(hue)]))
        if np.all((color >= -1e-4) & (color <= 1 + 1e-4)):
            best = np.clip(color, 0.0, 1.0)
            low = share
            if share == 1.0:
                break
        else:
            high = share
        share = (low + high) / 2
    return best


def contrast(one: str, other: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines, 1 to 21.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """

    def luminance(color: str) -> float:
        c = rgb(color)
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return float(linear @ np.array([0.2126, 0.7152, 0.0722]))

    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


@cache
def color(label: int, dark: bool = False) -> str:
    """The fill of a group on light or dark paper.

    >>> color(0)
    '#0072b2'
    """
    if label < 0:
        return NOBODY[dark]
    lightness, a, b = oklab(rgb(OKABE_ITO[label % 8]))
    low, high = _RANGE[dark]
    moved = float(np.clip(lightness, low, high)) + _STEPS[dark][(label // 8) % 4]
    return hexed(
        shown(
            float(np.clip(moved, low - 0.1, high)), float(np.hypot(a, b)), float(np.arctan2(b, a))
        )
    )


@cache
def edge(label: int, dark: bool = False) -> str:
    """The outline of a group's marker: same hue, at least 3 to 1 against the paper."""
    fill = oklab(rgb(color(label, dark)))
    lightness = max(float(fill[0]), 0.72) if dark else min(float(fill[0]) - 0.13, 0.58)
    return hexed(
        shown(lightness, float(np.hypot(fill[1], fill[2])), float(np.arctan2(fill[2], fill[1])))
    )


def letter(label: int) -> str:
    """A, B, ..., Z, AA, AB, ...; a dash for members in no group.

    >>> letter(0), letter(25), letter(26), letter(-1)
    ('A', 'Z', 'AA', '–')
    """
    if label < 0:
        return "–"
    text = ""
    rest = label + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        text = chr(65 + digit) + text
    return text


def shape(label: int) -> tuple[tuple[float, float], ...]:
    """The outline of a group's marker; empty for a circle."""
    return () if label < 0 else SHAPES[label % len(SHAPES)]


@cache
def _ramp(dark: bool) -> bytes:
    t = np.linspace(0.0, 1.0, 512)
    if dark:
        light = 0.20 + 0.74 * t
        chroma = 0.03 + 0.07 * np.sin(np.pi * t) ** 1.2
        hue = np.deg2rad(265 - 160 * t)
    else:
        light = 0.985 - 0.71 * t
        chroma = 0.004 + 0.10 * np.sin(np.pi * t * 0.82) ** 1.2
        hue = np.deg2rad(155 + 120 * t)
    path = np.array(
        [shown(float(s), float(c), float(h)) for s, c, h in zip(light, chroma, hue, strict=True)]
    )
    steps = np.linalg.norm(np.diff(oklab(path), axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    even = np.linspace(0.0, along[-1], 256)
    table = np.column_stack([np.interp(even, along, path[:, channel]) for channel in range(3)])
    return np.rint(table * 255).astype(np.uint8).tobytes()


def ramp(dark: bool = False) -> np.ndarray:
    """256 colors (uint8) from low to high in steps that look equal; low is near the paper's own color."""
    return np.frombuffer(_ramp(dark), dtype=np.uint8).reshape(256, 3)


@cache
def ink(label: int, dark: bool = False) -> str:
    """Black or white, whichever is easier to read on a label's color."""
    fill = color(label, dark)
    return max(("#ffffff", "#15171a"), key=lambda color: contrast(fill, color))

"""Small pieces of HTML and SVG: escaping of untrusted text, numbers in words, markers, bars, files written aside."""

from __future__ import annotations

import html
import math
import os
import re
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from coterie.show import palette

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
    corners = palette.shape(label)
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
        f'<path class="{slot(label)}" d="{outline(label, half, half, half * 0.74)}" fill="{palette.color(label)}" '
        f'stroke="{palette.edge(label)}"/></svg>'
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

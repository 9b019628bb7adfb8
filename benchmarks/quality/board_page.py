"""The page of the board: means, a picture of ours against the best rival, and a row a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

COLORS = {
    "text": "#1b6ca8",
    "tables": "#2e8540",
    "vectors": "#7fb069",
    "sequences": "#b5651d",
    "sets": "#d18f2c",
    "recordings": "#8b3a8b",
    "pictures": "#c0392b",
    "tagged names": "#555555",
    "views": "#008080",
}
MODES = {"k": "with the number of classes given", "free": "with nothing given"}


def write_page(
    rows: Sequence[Any], measured: Mapping[str, Any], bars: Sequence[Any], path: Path
) -> None:
    """Write the page as Markdown, the pictures beside it, and the same as one HTML file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pictures = {mode: draw(rows, mode) for mode in MODES if any(row.mode == mode for row in rows)}
    for mode, picture in pictures.items():
        path.with_name(f"{path.stem}-{mode}.svg").write_text(picture, encoding="utf-8")
    path.write_text(as_markdown(rows, measured, bars, path.stem, list(pictures)), encoding="utf-8")
    path.with_suffix(".html").write_text(as_html(rows, measured, bars, pictures), encoding="utf-8")


def as_markdown(
    rows: Sequence[Any],
    measured: Mapping[str, Any],
    bars: Sequence[Any],
    stem: str,
    modes: Sequence[str],
) -> str:
    """The page as Markdown."""
    parts = [
        "# The board\n",
        "What the default answer says of labelled collections that nobody tuned it on one by one, beside what people do by hand with well-known "
        "libraries on the same rows, in the same run (`make board`). Agreement with the classes is the adjusted Rand index (ARI), averaged "
        "inside families of collections first. Defaults are chosen on one half of the families and reported on the other. Classes are one "
        "right answer, not the only one.\n",
    ]
    for mode in modes:
        parts.append(f"## {MODES[mode][:1].upper()}{MODES[mode][1:]}\n")
        parts.append(f"![Ours against the best rival, {MODES[mode]}]({stem}-{mode}.svg)\n")
        parts.append(_markdown_table(MEANS, [_mean(*one) for one in _means(measured, mode)]))
        some = [row for row in rows if row.mode == mode and row.classes]
        parts.append(_markdown_table(EACH, [_each(row) for row in some]))
    parts.append("## Collections without structure\n")
    parts.append(_nothing(measured) + "\n")
    parts.append("## The bars\n")
    parts.append(_markdown_table(BARS, [_bar(bar) for bar in bars]))
    return "\n".join(parts)


def as_html(
    rows: Sequence[Any],
    measured: Mapping[str, Any],
    bars: Sequence[Any],
    pictures: Mapping[str, str],
) -> str:
    """The page as one HTML file that loads nothing."""
    parts = []
    for mode, picture in pictures.items():
        some = [row for row in rows if row.mode == mode and row.classes]
        parts += [
            f"<h2>{escape(MODES[mode][:1].upper() + MODES[mode][1:])}</h2>",
            picture,
            _html_table(MEANS, [_mean(*one) for one in _means(measured, mode)]),
            _html_table(EACH, [_each(row) for row in some]),
        ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        "<title>The board</title><style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}"
        "table{border-collapse:collapse;margin:1rem 0;font-size:14px}td,th{padding:.2rem .6rem;border-bottom:1px solid #ccc;text-align:right}"
        "td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}</style>"
        f"<h1>The board</h1>{''.join(parts)}<h2>Collections without structure</h2><p>{escape(_nothing(measured))}</p>"
        f"<h2>The bars</h2>{_html_table(BARS, [_bar(bar) for bar in bars])}</html>\n"
    )


# ---- tables -------------------------------------------------------------------------------------------------------

MEANS = (
    "",
    "half",
    "collections",
    "ours",
    "best single rival",
    "its ARI",
    "within a factor 2",
    "one group over 80%",
    "stability and ARI",
)
BARS = ("", "bar", "figure", "wanted", "held", "against it")
EACH = (
    "collection",
    "half",
    "ours",
    "best rival",
    "its ARI",
    "groups / classes",
    "largest",
    "between orders",
    "between seeds",
    "seconds",
)


def _means(measured: Mapping[str, Any], mode: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    found = []
    for name, said in measured.items():
        if name.startswith(f"{mode}/"):
            _, half, modality = name.split("/", 2)
            found.append((modality, half, said))
    return sorted(found, key=lambda one: (one[0] != "everything", one[0], one[1]))


def _mean(modality: str, half: str, said: Mapping[str, Any]) -> tuple[str, ...]:
    known = {who: value for who, value in said["rivals"].items() if value == value}
    best = max(known, key=lambda who: known[who], default="")
    single = modality != "everything" and best
    return (
        modality,
        half,
        str(said["collections"]),
        f"{said['ari']:.3f}",
        best if single else "",
        f"{known[best]:.3f}" if single else "",
        f"{said['within_factor_two']:.0%}",
        str(said["giants"]),
        _number(said["stability_and_ari"]),
    )


def _bar(bar: Any) -> tuple[str, ...]:
    held = ("yes" if bar.is_held else "no") if bar.is_measured else "not measured"
    wanted = f"{'at least' if bar.is_least else 'at most'} {bar.bar:g}"
    figure = f"{bar.figure:.3f}" if bar.is_measured else ""
    return str(bar.number), bar.name, figure, wanted, held, ", ".join(bar.names)


def _each(row: Any) -> tuple[str, ...]:
    return (
        row.name,
        row.half,
        f"{row.ari:.2f}",
        row.best,
        f"{row.rivals[row.best]:.2f}" if row.best else "",
        f"{row.groups} / {row.classes}",
        f"{row.largest:.0%}",
        _number(row.orders),
        _number(row.seeds),
        f"{row.seconds:.1f}",
    )


def _number(value: float) -> str:
    return f"{value:.2f}" if value == value else ""


def _nothing(measured: Mapping[str, Any]) -> str:
    said = measured["structureless"]
    named = ", ".join(said["called_grouped"]) or "none of them"
    return f"{len(said['called_grouped'])} of {said['collections']} are called grouped: {named}."


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(one)}</th>" for one in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


# ---- the picture --------------------------------------------------------------------------------------------------

_SIDE, _EDGE = 420, 48


def draw(rows: Sequence[Any], mode: str) -> str:
    """Ours (up) against the best rival (right), one dot a collection; above the line ours is better."""
    some = [row for row in rows if row.mode == mode and row.classes and row.best]
    low = min([0.0, *(min(row.ari, row.rivals[row.best]) for row in some)])

    def at(value: float) -> float:
        return (value - low) / (1 - low) * _SIDE

    dots = "".join(
        f'<circle cx="{_EDGE + at(row.rivals[row.best]):.1f}" cy="{_EDGE + _SIDE - at(row.ari):.1f}" r="5" '
        f'fill="{COLORS[row.modality]}" fill-opacity=".75"><title>{escape(row.name)}: ours {row.ari:.2f}, '
        f"{escape(row.best)} {row.rivals[row.best]:.2f}</title></circle>"
        for row in some
    )
    kinds = list(dict.fromkeys(row.modality for row in some))
    legend = "".join(
        f'<circle cx="{_EDGE + _SIDE + 24}" cy="{_EDGE + 12 + 22 * i}" r="5" fill="{COLORS[kind]}"/>'
        f'<text x="{_EDGE + _SIDE + 36}" y="{_EDGE + 16 + 22 * i}">{escape(kind)}</text>'
        for i, kind in enumerate(kinds)
    )
    ticks = "".join(
        f'<text x="{_EDGE + at(value):.1f}" y="{_EDGE + _SIDE + 18}" text-anchor="middle">{value:g}</text>'
        f'<text x="{_EDGE - 8}" y="{_EDGE + _SIDE - at(value) + 4:.1f}" text-anchor="end">{value:g}</text>'
        for value in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    better = sum(row.ari > row.rivals[row.best] for row in some)
    wide, tall = _EDGE + _SIDE + 150, _SIDE + 2 * _EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" role="img" aria-label="'
        f'Ours against the best rival: better on {better} of {len(some)} collections">'
        "<style>.paper{fill:#fff}.line{stroke:#8a97a5;fill:none}text{font:13px system-ui,sans-serif;fill:#15171a}"
        "@media (prefers-color-scheme:dark){.paper{fill:#14171b}text{fill:#f1f3f5}}</style>"
        f'<rect class="paper" width="{wide}" height="{tall}"/>'
        f'<rect class="line" x="{_EDGE}" y="{_EDGE}" width="{_SIDE}" height="{_SIDE}"/>'
        f'<path class="line" d="M{_EDGE} {_EDGE + _SIDE}L{_EDGE + _SIDE} {_EDGE}"/>{ticks}{dots}{legend}'
        f'<text x="{_EDGE}" y="{_EDGE - 14}">ARI of coterie (up) and of the best rival (right); better on {better} of {len(some)}</text></svg>\n'
    )

"""The report: one HTML file that holds everything an exploration found and needs no network to be read."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence, Sized
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.findings import Findings, find_unstable, is_flat, without_groups
from coterie.core.partition import Partition
from coterie.show import dynamics, markup, populations, sections
from coterie.show import map as still
from coterie.show.map import anchors, reach
from coterie.show.markup import clean, clip, ended, esc, ink, put, user
from coterie.show.sections import verdict

MATRIX_SIDE = 600
NEIGHBORS = 12
BUDGET = {
    "ids": 2_500_000,
    "snippets": 5_000_000,
    "cards": 3_000_000,
}  # bytes of text kept per page
FEW = 30  # a column with at most this many values can color the map
TRUTH = (
    "truth: "  # what members are known to be; these columns come first, also where room is short
)
_STYLES = 32
_DIGITS = re.compile(r"([0-9]{1,18})")


def packed(array: Any, kind: str) -> str:
    """Base64 of the array's numbers: 'f4', 'i4', 'u2' or 'u1', little-endian.

    >>> packed([1, 2], "u1")
    'AQI='
    """
    return base64.b64encode(
        np.ascontiguousarray(array, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
    ).decode("ascii")


def as_json(value: Any) -> str:
    """JSON that can stand inside a script element: no tag, comment or line separator can end it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def fitting(texts: Sequence[str], budget: int, lengths: Sequence[int]) -> list[str]:
    """The texts on one line each, cut to the largest of the lengths that keeps all of them within the budget."""
    kept: list[str] = []
    for length in lengths:
        kept = [clean(clip(text, length)) for text in texts]
        if (
            sum(map(len, kept)) <= budget
            and len("".join(kept).encode("utf-8", "replace")) <= budget
        ):
            break
    return kept


def _in_order(values: set[str]) -> list[str]:
    """The values as a person would sort them: as numbers, or by the numbers inside them."""
    try:
        numbers = {value: float(value) for value in values}
    except ValueError:
        return sorted(
            values,
            key=lambda value: [
                (int(p), "") if p.isdecimal() else (-1, p) for p in _DIGITS.split(value)
            ],
        )
    return sorted(
        values, key=lambda value: (numbers[value] if np.isfinite(numbers[value]) else np.inf, value)
    )


def _columns(findings: Findings) -> tuple[list[dict[str, Any]], list[str]]:
    """The card columns as values and codes, and the names of those left out because the page would grow too large."""
    kept: list[dict[str, Any]] = []
    left_out: list[str] = []
    room = BUDGET["cards"]
    for name, column in sorted(
        findings.cards.items(), key=lambda item: not str(item[0]).startswith(TRUTH)
    ):
        texts = fitting([str(v) for v in column], max(room, 1), (240, 120, 60, 30))
        values = _in_order(set(texts))
        size = len("".join(values).encode("utf-8", "replace")) + 6 * len(texts)
        if size > room:
            left_out.append(str(name))
            continue
        room -= size
        place = {value: code for code, value in enumerate(values)}
        codes = [place[text] for text in texts]
        kept.append({"name": clean(clip(name, 80)), "values": values, "codes": packed(codes, "i4")})
    return kept, left_out


def _matrix(findings: Findings) -> dict[str, Any] | None:
    values = np.asarray(findings.matrix, dtype=np.float64)
    members = np.asarray(findings.matrix_members, dtype=np.int64)
    if values.ndim != 2 or len(values) < 2:
        return None
    step = -(-len(values) // MATRIX_SIDE)
    values = np.nan_to_num(values[::step, ::step])
    members = members[::step]
    low, high = reach(values)
    least = float(values.min())
    most = float(values.max())
    scaled = (values - least) / ((most - least) or 1.0) * 65535
    return {
        "side": len(values),
        "members": packed(members, "i4"),
        "values": packed(np.rint(scaled), "u2"),
        "least": least,
        "most": most,
        "low": low,
        "high": high,
    }


def _styles(dark: bool) -> list[list[str]]:
    return [
        [markup.color(label, dark), markup.edge(label, dark)] for label in [*range(_STYLES), -1]
    ]


def data(findings: Findings) -> tuple[str, list[str]]:
    """Everything the page's script reads, as JSON, and sentences about what was left out to keep it small."""
    n = len(findings)
    near = np.asarray(findings.neighbors, dtype=np.int64).reshape(n, -1)[:, :NEIGHBORS]
    nearness = np.nan_to_num(np.asarray(findings.nearness, dtype=np.float64).reshape(n, -1))[
        :, :NEIGHBORS
    ]
    positions = np.asarray(findings.map, dtype=np.float64).reshape(n, 2)
    finite = np.asarray(np.isfinite(positions).all(axis=1))
    middle = np.median(positions[finite], axis=0) if finite.any() else np.zeros(2)
    positions = np.where(finite[:, None], positions, middle)
    labels = np.asarray(findings.labels, dtype=np.int64)
    columns, left_out = _columns(findings)
    center = anchors(positions, labels)
    lines = [
        line if line == name else ended(line)
        for name, line in zip(findings.ids, findings.snippets, strict=True)
    ]
    groups = [
        {
            "label": g.label,
            "name": clean(clip(g.name, 120)),
            "letter": markup.letter(g.label),
            "size": int(g.size),
            "unstable": g.is_unstable,
            "anchor": center.get(g.label),
        }
        for g in findings.groups
    ]
    content = {
        "ids": fitting(findings.ids, BUDGET["ids"], (240, 120, 60)),
        "snippets": fitting(lines, BUDGET["snippets"], (320, 240, 180, 140, 100, 70, 40, 20)),
        "positions": packed(positions, "f4"),
        "labels": packed(labels, "i4"),
        "confidence": packed(np.clip(np.nan_to_num(findings.confidence), 0.0, 1.0), "f4"),
        "near": {
            "width": near.shape[1],
            "members": packed(near, "i4"),
            "share": packed(np.rint(np.clip(nearness, 0, 1) * 255), "u1"),
        },
        "columns": columns,
        "few": FEW,
        "flat": is_flat(findings),
        "groups": groups,
        "matrix": _matrix(findings),
        "shapes": markup.SHAPES,
        "light": {"styles": _styles(False), "ramp": packed(markup.ramp(False), "u1")},
        "dark": {"styles": _styles(True), "ramp": packed(markup.ramp(True), "u1")},
    }
    notes = [
        f"The column '{clip(name, 60)}' is not on this page, which would grow too large with it."
        for name in left_out
    ]
    return as_json(content), notes


__all__ = ["render", "style", "verdict", "write"]

SCRIPTS = ("base.js", "map.js", "list.js", "matrix.js")  # joined in this order into one function


def _asset(name: str) -> str:
    return (files("coterie.show") / "assets" / name).read_text(encoding="utf-8")


def _script() -> str:
    """The parts of the script as one function, so that nothing of it is global."""
    return '(() => {\n"use strict";\n\n' + "\n".join(_asset(name) for name in SCRIPTS) + "})();\n"


def _colors(dark: bool) -> str:
    names = [*((str(i), i) for i in range(32)), ("-none", -1)]
    return ";".join(
        f"--g{n}:{markup.color(i, dark)};--e{n}:{markup.edge(i, dark)};--t{n}:{ink(i, dark)}"
        for n, i in names
    )


def style() -> str:
    """The style sheet with the groups' colors, for light and for dark paper."""
    classes = "".join(
        f".g{i}{{fill:var(--g{i});stroke:var(--e{i})}}.line-g{i}{{stroke:var(--e{i})}}.t{i}{{fill:var(--t{i})}}"
        for i in [*range(32), "-none"]
    )
    return (
        _asset("report.css") + f":root{{{_colors(False)}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{_colors(True)}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{_colors(True)}}}}}\n{classes}\n"
    )


def _hash(text: str) -> str:
    return (
        "'sha256-"
        + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        + "'"
    )


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _check(findings: Findings) -> None:
    """Every per-member part has a value for every member."""
    n = len(findings)
    parts: dict[str, Sized] = {
        "snippets": findings.snippets,
        "labels": findings.labels,
        "confidence": findings.confidence,
        "map": findings.map,
        "neighbors": findings.neighbors,
        "nearness": findings.nearness,
        **{f"column '{name}'": column for name, column in findings.cards.items()},
    }
    for name, part in parts.items():
        if len(part) != n:
            raise DataError(
                f"The findings have {n} members and {len(part)} values in their {name}."
            )
    if len(findings.matrix) != len(findings.matrix_members):
        raise DataError(
            f"The matrix has {len(findings.matrix)} rows and names {len(findings.matrix_members)} members."
        )


def _still_map(findings: Findings) -> str:
    labels = np.asarray(findings.labels, dtype=np.int64)
    top = int(labels.max()) + 1 if len(labels) else 0
    names = {group.label: group.name for group in findings.groups}
    partition = Partition(labels, tuple(names.get(g, f"group {g + 1}") for g in range(top)))
    shown = min(len(labels), still.SAMPLE)
    said = (
        f"A sample of {shown} of the {len(labels)} members."
        if shown < len(labels)
        else f"All {shown} members."
    )
    return f"{still.draw(findings.map, partition, unstable=find_unstable(findings))}{sections.legend(findings.groups)}<p class='small'>{said}</p>"


def _still_matrix(findings: Findings) -> str:
    values = np.asarray(findings.matrix)
    if values.ndim != 2 or len(values) < 2:
        return ""
    step = -(-len(values) // MATRIX_SIDE)
    members = np.asarray(findings.matrix_members, dtype=np.int64)[::step]
    return still.figure(values[::step, ::step], np.asarray(findings.labels)[members])


def render(findings: Findings) -> str:
    """The whole report as the text of one HTML file."""
    _check(findings)
    findings = without_groups(findings)
    flat = is_flat(findings)
    content, notes = data(findings)
    script = _script()
    look = style()
    image = _still_matrix(findings)
    time = dynamics.section(findings) if findings.strips or findings.grids else ""
    tied = populations.section(findings) if findings.populations or findings.meetings else ""
    made = " ".join(clip(findings.created, 40).replace("T", " ").split("."))[:16]
    version = findings.versions.get("coterie", "")
    first = any(
        strips.of_groups for strips in findings.strips
    )  # a cut is what such a report is about
    parts = {
        "policy": esc(_policy(script, look)),
        "style": look,
        "script": script,
        "data": content,
        "title": esc(clip(findings.title, 200)) or "coterie",
        "heading": user(findings.title, 300),
        "verdict": esc(verdict(findings)),
        "summary": sections.summary(findings),
        "banner": sections.banner(findings),
        "figures": sections.key_figures(findings),
        "still_map": _still_map(findings),
        "still_matrix": image,
        "matrix_hidden": "" if image else "hidden",
        "matrix_words": esc(sections.matrix_words(flat)),
        "through": "the members" if flat else "a group",
        "groups_hidden": "hidden" if flat else "",
        "levels": sections.levels_part(findings),
        "groups": sections.group_panels(findings),
        "populations": tied,
        "populations_hidden": "" if tied else "hidden",
        "first": time if first else "",
        "time": "" if first else time,
        "time_hidden": "" if time else "hidden",
        "evidence": sections.evidence_part(findings),
        "curves": sections.further_curves(findings),
        "making": sections.making(findings, notes),
        "footer": esc(
            " ".join(["Made by coterie", clip(version, 40)]).strip()
            + (f" on {made}" if made else "")
        ),
    }
    return Template(_asset("report.html")).substitute(parts)


def write(findings: Findings, path: str | Path) -> Path:
    """Write the report aside and rename it into place; the path is given back."""
    return put(path, render(findings))

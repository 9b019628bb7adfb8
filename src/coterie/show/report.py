"""The report: one HTML file that holds everything an exploration found and needs no network to be read."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sized
from importlib.resources import files
from pathlib import Path
from string import Template

import numpy as np

from coterie.core.errors import DataError
from coterie.core.findings import Findings, is_flat, without_groups
from coterie.core.partition import Partition
from coterie.show import dynamics, matrix, palette, populations, sections
from coterie.show import map as still
from coterie.show.embed import MATRIX_SIDE, data
from coterie.show.markup import clip, esc, put, user
from coterie.show.sections import verdict
from coterie.show.timeline import ink

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
        f"--g{n}:{palette.color(i, dark)};--e{n}:{palette.edge(i, dark)};--t{n}:{ink(i, dark)}"
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
    return f"{still.draw(findings.map, partition)}{sections.legend(findings.groups)}<p class='small'>{said}</p>"


def _still_matrix(findings: Findings) -> str:
    values = np.asarray(findings.matrix)
    if values.ndim != 2 or len(values) < 2:
        return ""
    step = -(-len(values) // MATRIX_SIDE)
    members = np.asarray(findings.matrix_members, dtype=np.int64)[::step]
    return matrix.figure(values[::step, ::step], np.asarray(findings.labels)[members])


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

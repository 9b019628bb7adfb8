"""The data inside a report: arrays as base64 of little-endian numbers, texts as JSON, kept small and harmless."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.core.findings import Findings, is_flat
from coterie.show import palette
from coterie.show.map import anchors
from coterie.show.markup import clean, clip, ended
from coterie.show.matrix import reach

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
        [palette.color(label, dark), palette.edge(label, dark)] for label in [*range(_STYLES), -1]
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
            "letter": palette.letter(g.label),
            "size": int(g.size),
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
        "shapes": palette.SHAPES,
        "light": {"styles": _styles(False), "ramp": packed(palette.ramp(False), "u1")},
        "dark": {"styles": _styles(True), "ramp": packed(palette.ramp(True), "u1")},
    }
    notes = [
        f"The column '{clip(name, 60)}' is not on this page, which would grow too large with it."
        for name in left_out
    ]
    return as_json(content), notes

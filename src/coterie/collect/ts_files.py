"""The .ts format of the UEA and UCR archives: headers with @, dimensions parted by ':', values by ',', the class last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from coterie.collect.files import text_of
from coterie.collect.sequences import sequences
from coterie.core.collection import Collection
from coterie.core.errors import DataError


def read_ts(path: Path, *, ordered: bool = True) -> Collection:
    """The cases of a .ts file as sequences; class labels (or targets) are the truth 'labels'."""
    header: dict[str, str] = {}
    cases: list[np.ndarray] = []
    labels: list[str] = []
    data = False
    text, notes = text_of(path)
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith(("#", "%")):
            continue
        if not data:
            data = _header(line, header, path.name, number)
            continue
        values, label = _case(line, header, f"Case {len(cases)} of '{path.name}' (line {number})")
        if cases and values.shape[1] != cases[0].shape[1]:
            seen = values.shape[1]
            first = cases[0].shape[1]
            raise DataError(
                f"Case {len(cases)} of '{path.name}' has {seen} dimensions where case 0 has {first}."
            )
        cases.append(values)
        labels.append(label)
    if not cases:
        raise DataError(
            f"'{path.name}' has no cases"
            + (" after @data." if data else ": the line @data is missing.")
        )
    truth = {"labels": np.array(labels)} if _labeled(header) else {}
    found = sequences(
        cases, truth=truth, ordered=ordered, name=header.get("problemname") or path.stem
    )
    return replace(found, notes=notes) if notes else found


def _header(line: str, header: dict[str, str], name: str, number: int) -> bool:
    if not line.startswith("@"):
        raise DataError(
            f"Line {number} of '{name}' stands before @data and does not begin with '@'; this is no .ts file."
        )
    key, _, value = line[1:].partition(" ")
    if key.lower() == "data":
        return True
    header[key.lower()] = value.strip()
    if key.lower() == "timestamps" and value.strip().lower() == "true":
        raise DataError(
            f"'{name}' has time stamps inside its values, which are not read; write it with @timeStamps false."
        )
    return False


def _labeled(header: dict[str, str]) -> bool:
    return any(
        header.get(key, "false").lower().split(" ")[0] == "true"
        for key in ("classlabel", "targetlabel")
    )


def _case(line: str, header: dict[str, str], where: str) -> tuple[np.ndarray, str]:
    parts = line.split(":")
    label = parts.pop().strip() if _labeled(header) else ""
    if not parts:
        raise DataError(f"{where} has a label and no values.")
    rows: list[np.ndarray] = []
    for dimension, part in enumerate(parts):
        cells = [
            "nan" if cell.strip() == "?" else cell for cell in part.strip().strip(",").split(",")
        ]
        try:
            row = np.array(cells, dtype=np.float64)
        except ValueError:
            raise DataError(
                f"{where} has something in dimension {dimension} that is no number."
            ) from None
        if np.isinf(row).any():
            raise DataError(
                f"{where} has an infinity in dimension {dimension}; put a gap ('?') there."
            )
        if rows and len(row) != len(rows[0]):
            raise DataError(
                f"{where} has {len(row)} steps in dimension {dimension} where dimension 0 has {len(rows[0])}."
            )
        rows.append(row)
    return np.stack(rows, axis=1), label

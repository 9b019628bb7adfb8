"""Results as frames: pandas, polars or arrow, whichever is wanted or there."""

from __future__ import annotations

import importlib.util
from typing import Any

from coterie.core.errors import ParameterError, need
from coterie.core.findings import Findings, find_unstable, level_columns, repeated_ids

BACKENDS = ("pandas", "polars", "arrow")


def member_frame(findings: Findings, backend: str | None = None) -> Any:
    """One row per member: id, group, name of the group, confidence, whether the group is unstable, groups on other levels, place on the map, and the shown columns."""
    names = {group.label: group.name for group in findings.groups}
    unstable = find_unstable(findings)
    columns: dict[str, Any] = {
        "id": [str(member) for member in findings.ids],
        "group": findings.labels.tolist(),
        "name": [names.get(int(label), "") for label in findings.labels],
        "confidence": findings.confidence.tolist(),
        "unstable": [int(label) in unstable for label in findings.labels],
        **level_columns(findings),
        "x": findings.map[:, 0].tolist(),
        "y": findings.map[:, 1].tolist(),
        "duplicate_of": repeated_ids(findings),
    }
    for name, column in findings.cards.items():
        columns.setdefault(name, [str(cell) for cell in column])
    return frame(columns, backend)


def frame(columns: dict[str, Any], backend: str | None = None) -> Any:
    """Columns as a frame; without a wish, pandas where it is installed, else polars, else arrow."""
    chosen = backend or next(
        (name for name in ("pandas", "polars") if importlib.util.find_spec(name)), "arrow"
    )
    if chosen not in BACKENDS:
        raise ParameterError(f"frame: backend must be {', '.join(BACKENDS)}, and was {backend!r}.")
    if chosen == "arrow":
        return need("pyarrow", extra="all").table(columns)
    return need(chosen, extra="all").DataFrame(columns)

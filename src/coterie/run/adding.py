"""New members for a run, asked for by one process and placed by another: what the web page wants, and what a worker does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coterie.core.errors import DataError
from coterie.run.questions import add
from coterie.run.store import Store
from coterie.run.stored import Run

# values kept in the run: where the new members are, and what became of them
WANTED = "adding"
ADDED = "added"
_ROWS = 40  # of the new members that are told one by one


def want_members(run: Run, source: str, called: str = "") -> None:
    """Say where the new members of a run are; `called` is what a person knows the place by."""
    if not source.strip():
        raise DataError("Say where the new members are: a file or a folder.")
    run.put_json(WANTED, {"source": source, "called": called or source})


def add_members(store: Path, target: str) -> None:
    """Place the members that were asked for, and keep what is to be said of them."""
    run = Store(store).open(target)
    wanted = run.get_json(WANTED)
    if not isinstance(wanted, dict) or not wanted.get("source"):
        raise DataError(f"Nobody said which members to add to the run '{run.name}'.")
    placed = add(run.name, wanted["source"], store=store)
    told: dict[str, Any] = {
        "called": wanted.get("called", ""),
        "sentences": placed.sentences(),
        "notes": list(placed.notes),
        "rows": [
            {"id": i, "group": g, "confidence": c, "fits": f}
            for i, g, c, f in placed.rows()[:_ROWS]
        ],
        "more": max(0, len(placed.ids) - _ROWS),
    }
    run.put_json(ADDED, told)

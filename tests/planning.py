"""Runs laid down for tests, in the words of `coterie.explore`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coterie.run.planned import plan_run
from coterie.run.store import Store
from coterie.run.stored import Run
from coterie.workflows.request import ask


def plan(source: Any, *, store: Store, hints: Mapping[str, Any] | None = None, **asked: Any) -> Run:
    """A run of what is at `source`, with nothing read yet."""
    return plan_run(ask(source, **asked), store=store, hints=hints)

"""The engine room: where runs are kept, how they survive a crash, and how their progress is shown."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.run.history import Both as Both
    from coterie.run.history import History as History
    from coterie.run.progress import Bars as Bars
    from coterie.run.progress import Lines as Lines
    from coterie.run.progress import Quiet as Quiet
    from coterie.run.progress import interruptible as interruptible
    from coterie.run.replaying import Replayed as Replayed
    from coterie.run.replaying import replay as replay
    from coterie.run.steering import Steering as Steering
    from coterie.run.store import Store as Store
    from coterie.run.stored import Pieces as Pieces
    from coterie.run.stored import Run as Run

_WHERE = {
    "Bars": "progress",
    "Both": "history",
    "History": "history",
    "Lines": "progress",
    "Pieces": "checkpoint",
    "Quiet": "progress",
    "Replayed": "replaying",
    "Run": "stored",
    "Steering": "steering",
    "Store": "store",
    "interruptible": "progress",
    "replay": "replaying",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'coterie.run' has no attribute '{name}'")
    return getattr(import_module(f"coterie.run.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_WHERE)

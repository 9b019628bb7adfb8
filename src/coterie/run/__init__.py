"""The engine room: where runs are kept, how they survive a crash, and how their progress is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Bars": "coterie.run.progress",
        "Both": "coterie.run.history",
        "History": "coterie.run.history",
        "Lines": "coterie.run.progress",
        "Pieces": "coterie.run.stored",
        "Quiet": "coterie.run.progress",
        "Replayed": "coterie.run.replaying",
        "Run": "coterie.run.stored",
        "Steering": "coterie.run.steering",
        "Store": "coterie.run.store",
        "interruptible": "coterie.run.progress",
        "replay": "coterie.run.replaying",
    },
)

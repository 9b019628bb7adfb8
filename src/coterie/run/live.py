"""Live: what a piece of work says while another process may be looking; kept in a small file, and asked to stop through one."""

from __future__ import annotations

import contextlib
import json
import math
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie.core.workplace import Task
from coterie.run.history import History

FILE = "live.json"
STOP = "stop"
_EVERY = 0.25  # seconds between two writings
# of them that are told
_TASKS = 12
_NOTES = 60


@dataclass(eq=False)
class _Told:
    """A task as others see it."""

    name: str
    total: int | None
    started: float = field(default_factory=time.time)
    done: int = 0

    def advance(self, steps: int = 1) -> None:
        self.done += int(steps)

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "done": self.done,
            "total": self.total,
            "seconds": round(time.time() - self.started, 1),
        }


class Live:
    """A watcher that writes tasks, notes and curves to `live.json` in a folder; a file `stop` beside it asks the work to end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.history = History()
        self._tasks: list[_Told] = []
        self._lock = threading.RLock()
        self._last = -math.inf
        self._looked = -math.inf
        self._asked = False
        self._write(force=True)

    def begin(self, name: str, total: int | None) -> Task:
        with self._lock:
            task = _Told(str(name), None if total is None else int(total))
            self._tasks.append(task)
        self._write()
        return task

    def end(self, task: Task) -> None:
        with self._lock:
            self._tasks = [other for other in self._tasks if other is not task]
        self._write()

    def note(self, sentence: str) -> None:
        self.history.note(sentence)
        self._write(force=True)

    def measure(self, name: str, step: int, value: float) -> None:
        if math.isfinite(value):
            self.history.measure(name, step, value)
            self._write()

    def ask_stop(self) -> None:
        """Ask the work to end at its next step."""
        self._asked = True

    def wants_stop(self) -> bool:
        now = time.monotonic()
        if not self._asked and now - self._looked > _EVERY:
            self._looked = now
            self._asked = (self.folder / STOP).exists()
            self._write()
        return self._asked

    def close(self) -> None:
        """Write the last state; nothing goes on any more."""
        with self._lock:
            self._tasks = []
        self._write(force=True)

    def _write(self, force: bool = False) -> None:
        now = time.monotonic()
        with self._lock:
            if not force and now - self._last < _EVERY:
                return
            self._last = now
            told = {
                "updated": time.time(),
                "tasks": [task.record() for task in self._tasks[:_TASKS]],
                "notes": self.history.notes[-_NOTES:],
                "curves": self.history.curves(most=3),
            }
            part = self.folder / f".{FILE}-{os.getpid()}"
            with contextlib.suppress(
                OSError, TypeError, ValueError
            ):  # progress is not worth a failed run
                part.write_text(json.dumps(told, allow_nan=False), encoding="utf-8")
                os.replace(part, self.folder / FILE)


def read_live(folder: Path) -> Mapping[str, Any]:
    """What was written last; empty where nothing was, or where it cannot be read."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

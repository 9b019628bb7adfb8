"""What a run said while it worked, kept for the report; and several watchers at once."""

from __future__ import annotations

import threading
import time

from coterie.core.workplace import Silent, Task, Watch

_POINTS = 600  # of one curve; beyond it every second point goes
_CURVES = 200  # of one name while they are collected


class _Series:
    """One curve, thinned as it grows; the last point is always there."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float]] = []
        self.last = (-1.0, 0.0)
        self.stride = 1
        self.count = 0

    def add(self, step: float, value: float) -> None:
        self.last = (step, value)
        if self.count % self.stride == 0:
            self.points.append(self.last)
        self.count += 1
        if len(self.points) > _POINTS:
            self.points = self.points[::2]
            self.stride *= 2

    def whole(self) -> list[tuple[float, float]]:
        return (
            self.points
            if self.points and self.points[-1] == self.last
            else [*self.points, self.last]
        )


class _Timed:
    def __init__(self, name: str, inner: Task) -> None:
        self.name = name
        self.inner = inner
        self.started = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        self.inner.advance(steps)


class History:
    """Collects measures, notes and times of tasks, and tells everything to another watcher."""

    def __init__(self, inner: Watch | None = None) -> None:
        self.inner: Watch = inner if inner is not None else Silent()
        self.notes: list[str] = []
        self.seconds: dict[str, float] = {}  # by name of task, summed
        self._lock = threading.Lock()
        self._series: dict[str, list[_Series]] = {}
        self._current: dict[tuple[str, int], _Series] = {}

    def begin(self, name: str, total: int | None) -> Task:
        return _Timed(name, self.inner.begin(name, total))

    def end(self, task: Task) -> None:
        if not isinstance(task, _Timed):
            return
        with self._lock:
            self.seconds[task.name] = (
                self.seconds.get(task.name, 0.0) + time.monotonic() - task.started
            )
        self.inner.end(task.inner)

    def note(self, sentence: str) -> None:
        with self._lock:
            self.notes.append(sentence)
        self.inner.note(sentence)

    def measure(self, name: str, step: int, value: float) -> None:
        """A point; a step that does not rise begins a new curve (another restart), and so does another thread."""
        key = (name, threading.get_ident())
        with self._lock:
            series = self._current.get(key)
            if series is None or step <= series.last[0]:
                series = self._current[key] = _Series()
                kept = self._series.setdefault(name, [])
                if len(kept) < _CURVES:
                    kept.append(series)
            series.add(float(step), float(value))
        self.inner.measure(name, step, value)

    def wants_stop(self) -> bool:
        return self.inner.wants_stop()

    def ask_stop(self) -> None:
        """Ask the watcher behind, where it can be asked."""
        _ask(self.inner)

    def curves(self, most: int = 8) -> dict[str, list[tuple[float, float]]]:
        """The curves by name, longest first, the same whatever the number of workers; 'EM', 'EM, 2', ..."""
        found: dict[str, list[tuple[float, float]]] = {}
        with self._lock:
            for name, series in self._series.items():
                ordered = sorted(
                    (one.whole() for one in series), key=lambda points: (-len(points), points)
                )
                for number, points in enumerate(ordered[:most], start=1):
                    found[name if number == 1 else f"{name}, {number}"] = points
        return found


class _Together:
    def __init__(self, tasks: list[Task]) -> None:
        self.tasks = tasks

    def advance(self, steps: int = 1) -> None:
        for task in self.tasks:
            task.advance(steps)


class Both:
    """Several watchers told the same; any of them may want a stop."""

    def __init__(self, *watches: Watch) -> None:
        self.watches = watches

    def begin(self, name: str, total: int | None) -> Task:
        return _Together([watch.begin(name, total) for watch in self.watches])

    def end(self, task: Task) -> None:
        if isinstance(task, _Together):
            for watch, inner in zip(self.watches, task.tasks, strict=True):
                watch.end(inner)

    def note(self, sentence: str) -> None:
        for watch in self.watches:
            watch.note(sentence)

    def measure(self, name: str, step: int, value: float) -> None:
        for watch in self.watches:
            watch.measure(name, step, value)

    def wants_stop(self) -> bool:
        return any(watch.wants_stop() for watch in self.watches)

    def ask_stop(self) -> None:
        for watch in self.watches:
            _ask(watch)


def _ask(watch: Watch) -> None:
    ask = getattr(watch, "ask_stop", None)
    if ask is not None:
        ask()

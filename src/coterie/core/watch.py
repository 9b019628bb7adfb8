"""Watching long work: progress, history and the wish to stop. The silent watcher is the default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable


class Task(Protocol):
    """One piece of work with a known or unknown number of steps."""

    def advance(self, steps: int = 1) -> None:
        """Say that some steps are done."""


@runtime_checkable
class Watch(Protocol):
    """What a method tells while it works; any object with these five methods can listen."""

    def begin(self, name: str, total: int | None) -> Task:
        """A task starts; `total` is its number of steps where that is known."""

    def end(self, task: Task) -> None:
        """The task is over, finished or not."""

    def note(self, sentence: str) -> None:
        """Something a person should read."""

    def measure(self, name: str, step: int, value: float) -> None:
        """A point of a curve: an objective, an entropy, a likelihood."""

    def wants_stop(self) -> bool:
        """True when the person asked for a stop; the loop keeps what is finished and ends."""


class _SilentTask:
    def advance(self, steps: int = 1) -> None:
        return None


class Silent:
    """Nobody watches."""

    def begin(self, name: str, total: int | None) -> Task:
        return _SilentTask()

    def end(self, task: Task) -> None:
        return None

    def note(self, sentence: str) -> None:
        return None

    def measure(self, name: str, step: int, value: float) -> None:
        return None

    def wants_stop(self) -> bool:
        return False


class Muffled:
    """Passes on measures and the wish to stop; the bars of tasks that run side by side inside another are left out."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def begin(self, name: str, total: int | None) -> Task:
        return _SilentTask()

    def end(self, task: Task) -> None:
        return None

    def note(self, sentence: str) -> None:
        self.watch.note(sentence)

    def measure(self, name: str, step: int, value: float) -> None:
        return None

    def wants_stop(self) -> bool:
        return self.watch.wants_stop()


@contextmanager
def watched(watch: Watch, name: str, total: int | None = None) -> Iterator[Task]:
    """Begin a task and end it whatever happens."""
    task = watch.begin(name, total)
    try:
        yield task
    finally:
        watch.end(task)

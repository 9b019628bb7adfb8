"""Watchers and endings: how work is shown, and how a process that is told to end is gone within seconds.

A watcher shows bars on a terminal, a plain line now and then elsewhere, JSON lines for machines, and keeps what it showed.
At Ctrl-C or SIGTERM the work is first asked to end at its next step; then it is interrupted; and work that hears neither (a
long compiled loop) ends with the process, after the runs it worked on were marked as stopped.
"""

from __future__ import annotations

import _thread
import contextlib
import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from coterie.core.workplace import Silent, Task, Watch
from coterie.run.history import Both, History

NUMBERS = (signal.SIGINT, signal.SIGTERM)
ASKED = 2.0  # seconds for the step at hand, then it is interrupted
INTERRUPTED = 1.0  # seconds for that, then the process ends
MARKED = 1.0  # seconds for marking runs as stopped
_HEARD: list[int] = []  # signals that came


class Terminated(KeyboardInterrupt):
    """The process was told to end (SIGTERM); as Ctrl-C, with the exit status of its own."""


def heard(number: int) -> None:
    """Remember a signal that came; the exit status says which."""
    _HEARD.append(int(number))


def forget() -> None:
    """Begin anew: nothing came yet."""
    _HEARD.clear()


def status() -> int:
    """The exit status by convention: 128 and the number of the signal, Ctrl-C where none came."""
    return 128 + (_HEARD[-1] if _HEARD else int(signal.SIGINT))


def raising(number: int, frame: Any = None) -> None:
    """A signal handler that interrupts what the main thread does."""
    heard(number)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Inside, SIGTERM interrupts the work as Ctrl-C does, so that whoever works can still say how it stands."""
    forget()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, raising)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)


@contextlib.contextmanager
def in_time(last: Callable[[], str] | None = None) -> Iterator[None]:
    """Inside, Ctrl-C or SIGTERM ends the process in time; `last` marks what was at work as stopped, and gives the last sentence.

    A thread of its own hears the signal, also while a compiled loop keeps the main one from hearing it.
    """
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    over = threading.Event()
    watch = threading.Thread(
        target=_listen, args=(ear, over, last or stopped), name="coterie-ending", daemon=True
    )
    before = signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    watch.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        os.write(mouth, b"\0")
        watch.join()
        os.close(ear)
        os.close(mouth)


def _listen(ear: int, over: threading.Event, last: Callable[[], str]) -> None:
    while not over.is_set():
        number = os.read(ear, 1)[0]
        if number in NUMBERS and not over.wait(ASKED):
            _thread.interrupt_main(
                signal.Signals(number)
            )  # as if it came again: the handler interrupts now
            if not over.wait(INTERRUPTED):
                _end(number, last)


def _end(number: int, last: Callable[[], str]) -> None:
    """End the process; what it was at is said, and marked where that does not take long."""
    said = ["Stopped at once; what was finished is kept."]

    def mark() -> None:
        with contextlib.suppress(Exception):
            said.append(last())

    marking = threading.Thread(target=mark, daemon=True)
    marking.start()
    marking.join(MARKED)
    cursor = b"\r\x1b[J\x1b[?25h" if os.isatty(2) else b""  # a bar may have hidden it
    with contextlib.suppress(OSError):
        os.write(2, cursor + said[-1].encode("utf-8", "replace") + b"\n")
    os._exit(128 + number)


def stopped() -> str:
    """Mark the runs this process works on as stopped; the sentence says how to go on."""
    stored = sys.modules.get("coterie.run.stored")  # never loaded: there is no run
    runs = [] if stored is None else list(stored.AT_WORK.values())
    for run in runs:
        run.update(status="stopped", problem="stopped by the person")
    how = f" Go on with: coterie resume {runs[-1].called}" if runs else ""
    return f"Stopped; what was finished is kept.{how}"


__all__ = ["Bars", "Both", "History", "Lines", "Quiet", "interruptible"]

_SHOW_AFTER = 2.0  # seconds a task lasts before it is shown
_LINE_EVERY = 10.0  # seconds between plain lines
_TICK = 0.25
_MOST_BARS = 6
_BLOCKS = 24  # of a curve beside a bar
_USUAL: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
_ASKED = "Stopping as soon as the step at hand is kept; press Ctrl-C again to stop at once."


class _Stop:
    """The wish to stop; set from a signal handler, hence nothing but a flag."""

    _asked = False

    def ask_stop(self) -> None:
        """Ask the work to end at its next step."""
        self._asked = True

    def wants_stop(self) -> bool:
        return self._asked


class Quiet(_Stop, Silent):
    """Shows nothing, and can be asked to stop."""


@dataclass(eq=False)
class _Shown:
    """A task of Bars."""

    name: str
    total: int | None
    depth: int
    started: float = field(default_factory=lambda: time.monotonic())
    done: int = 0
    bar: Any = None
    measured: str = ""  # what the curve shows
    curve: list[float] = field(default_factory=list)

    def told(self) -> str:
        """The last value of what is measured, and its course as a line of blocks; nothing where nothing is measured."""
        values = [value for value in self.curve if math.isfinite(value)]
        if not values:
            return ""
        shown = [
            values[round(at * (len(values) - 1) / max(1, min(len(values), _BLOCKS) - 1))]
            for at in range(min(len(values), _BLOCKS))
        ]
        low = min(shown)
        high = max(shown)
        steps = [round((value - low) / (high - low) * 7) if high > low else 0 for value in shown]
        return f"{self.measured} {values[-1]:.4g} {''.join(chr(0x2581 + step) for step in steps)}"

    def advance(self, steps: int = 1) -> None:
        self.done += steps

    def count(self) -> str:
        """How far it is; what is left is said only where the total is known and some of it is done."""
        spent = time.monotonic() - self.started
        if self.total is None or self.total < 1:
            return (
                f"{self.done} done in {_span(spent)}"
                if self.done
                else f"running for {_span(spent)}"
            )
        if not self.done:
            return f"0 of {self.total}, running for {_span(spent)}"
        left = spent / self.done * max(0, self.total - self.done)
        return f"{self.done} of {self.total} in {_span(spent)}, about {_span(left)} left"

    def line(self) -> str:
        told = f", {self.told()}" if self.curve else ""
        return f"{self.name}: {self.count()}{told}"


class Bars(_Stop):
    """A bar for every task longer than two seconds; where there is no terminal, one line in ten seconds at most."""

    def __init__(self, stream: IO[str] | None = None, terminal: bool | None = None) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self.terminal = self.stream.isatty() if terminal is None else terminal
        self._lock = threading.RLock()
        self._tasks: list[_Shown] = []
        self._live: Any = None
        self._ticker: threading.Thread | None = None
        self._last_line = -math.inf
        self._said = False

    def begin(self, name: str, total: int | None) -> Task:
        with self._lock:
            task = _Shown(name, total, len(self._tasks))
            self._tasks.append(task)
            if self._ticker is None:
                self._ticker = threading.Thread(target=self._tick, name="coterie-bars", daemon=True)
                self._ticker.start()
        return task

    def end(self, task: Task) -> None:
        with self._lock:
            self._tasks = [other for other in self._tasks if other is not task]
            if self._live is not None and isinstance(task, _Shown) and task.bar is not None:
                self._live.remove_task(task.bar)
            if not self._tasks:
                self._close_live()

    def note(self, sentence: str) -> None:
        with self._lock:
            if self._live is not None:
                self._live.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
            else:
                self._write(sentence)

    def measure(self, name: str, step: int, value: float) -> None:
        """A point of a curve, shown beside the bar of the innermost task."""
        with self._lock:
            if self._tasks:
                task = self._tasks[-1]
                if task.measured != name:
                    task.measured = name
                    task.curve = []
                task.curve.append(float(value))

    def wants_stop(self) -> bool:
        if self._asked and not self._said:
            self._said = True
            self.note(_ASKED)
        return self._asked

    def close(self) -> None:
        """Take the bars away; they come back with the next long task."""
        with self._lock:
            self._tasks = []
            self._close_live()

    def refresh(self) -> None:
        """Show what is due now; called four times a second while tasks are open."""
        with self._lock:
            now = time.monotonic()
            due = [task for task in self._tasks if now - task.started >= _SHOW_AFTER]
            if not due:
                return
            if self.terminal:
                self._draw(due)
            elif now - self._last_line >= _LINE_EVERY:
                self._last_line = now
                self._write("; ".join(task.line() for task in due[:3]))

    def _tick(self) -> None:
        idle = 0
        while idle < 8:
            time.sleep(_TICK)
            with self._lock:
                idle = 0 if self._tasks else idle + 1
                if idle >= 8:
                    self._ticker = None
                    return
            self.refresh()

    def _draw(self, due: list[_Shown]) -> None:
        if self._live is None:
            self._live = _rich_progress(self.stream)
            self._live.start()
        for task in due:
            words = f"{'  ' * task.depth}{task.name}  {task.told()}".rstrip()
            if task.bar is not None:
                self._live.update(
                    task.bar, completed=task.done, description=words, count=task.count()
                )
            elif sum(t.bar is not None for t in self._tasks) < _MOST_BARS:
                task.bar = self._live.add_task(
                    words, total=task.total or None, completed=task.done, count=task.count()
                )

    def _close_live(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
            for task in self._tasks:
                task.bar = None

    def _write(self, sentence: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a closed pipe is no reason to end the work
            self.stream.write(sentence + "\n")
            self.stream.flush()


class _Numbered:
    """A task of Lines."""

    def __init__(self, lines: Lines, number: int) -> None:
        self.lines = lines
        self.number = number
        self.done = 0
        self.said = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        self.done += steps
        if time.monotonic() - self.said >= self.lines.every:
            self.said = time.monotonic()
            self.lines.say({"event": "advance", "task": self.number, "done": self.done})


class Lines(_Stop):
    """One JSON object per line for every event: begin, advance (twice a second at most), end, note, measure."""

    def __init__(self, stream: IO[str] | None = None, every: float = 0.5) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self.every = every
        self._lock = threading.Lock()
        self._count = 0

    def begin(self, name: str, total: int | None) -> Task:
        with self._lock:
            self._count += 1
            task = _Numbered(self, self._count)
        self.say({"event": "begin", "task": task.number, "name": name, "total": total})
        return task

    def end(self, task: Task) -> None:
        if isinstance(task, _Numbered):
            self.say({"event": "end", "task": task.number, "done": task.done})

    def note(self, sentence: str) -> None:
        self.say({"event": "note", "sentence": sentence})

    def measure(self, name: str, step: int, value: float) -> None:
        number = float(value)
        self.say(
            {
                "event": "measure",
                "name": name,
                "step": int(step),
                "value": number if math.isfinite(number) else None,
            }
        )

    def say(self, event: Mapping[str, Any]) -> None:
        """Write one event."""
        text = json.dumps({**event, "time": round(time.time(), 3)})
        with self._lock, contextlib.suppress(OSError, ValueError):
            self.stream.write(text + "\n")
            self.stream.flush()


@contextlib.contextmanager
def interruptible(watch: Watch) -> Iterator[Watch]:
    """Inside, the first Ctrl-C (or SIGTERM) asks the watcher for a stop and the second one stops at once.

    A watcher that cannot be asked (it has no `ask_stop`), or a thread that is not the main one, leaves them as they are.
    """
    ask = getattr(watch, "ask_stop", None)
    if ask is None or threading.current_thread() is not threading.main_thread():
        yield watch
        return
    presses = 0

    def pressed(number: int, frame: Any) -> None:
        nonlocal presses
        presses += 1
        if presses > 1:
            raising(number)
        heard(number)
        ask()

    before = {number: signal.signal(number, pressed) for number in NUMBERS}
    try:
        yield watch
    finally:
        for number, handler in before.items():
            signal.signal(number, _USUAL[number] if handler is None else handler)


def _rich_progress(stream: IO[str]) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}", markup=False),
    )
    return Progress(
        *columns,
        console=Console(file=stream, force_terminal=True),
        transient=True,
        refresh_per_second=4,
    )


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"

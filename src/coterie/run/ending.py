"""Ending in time: a process that is told to end by Ctrl-C or SIGTERM is gone within seconds, whatever its work is doing.

First the work is asked to end at its next step; then it is interrupted; and work that hears neither (a long compiled loop) ends
with the process, after the runs it worked on were marked as stopped.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

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

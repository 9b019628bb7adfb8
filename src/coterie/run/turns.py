"""Turns: one at a time, among the threads of a process and among processes; a turn ends with the process that has it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from coterie.core.errors import StoreError
from coterie.run.bundle import explain

_LONGEST = 20.0  # seconds to wait for a turn
_PAUSE = 0.02
_guard = threading.Lock()


class _Own:
    """The turn of this process's threads, and how often the one that has it came in."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.depth = 0


_own: dict[Path, _Own] = {}


@contextmanager
def turn(place: Path, *, longest: float = _LONGEST) -> Iterator[None]:
    """Whoever is inside is the only one, by the file `place`, which stays empty; threads may come in again while they are.

    Who waits longer than `longest` seconds is told so in a sentence, and nothing was done.
    """
    path = place.absolute()
    with _guard:
        own = _own.setdefault(path, _Own())
    until = time.monotonic() + longest
    if not own.lock.acquire(timeout=longest):
        raise _busy()
    own.depth += 1
    try:
        if own.depth > 1:  # this thread has the turn already
            yield
            return
        try:
            file = path.open("ab")
        except OSError as error:
            raise explain(error, path) from error
        with file:
            while not _taken(file):
                if time.monotonic() > until:
                    raise _busy()
                time.sleep(_PAUSE)
            yield
    finally:
        own.depth -= 1
        own.lock.release()


def _busy() -> StoreError:
    return StoreError("Something else is being written here; try again in a moment.")


def _taken(file: IO[bytes]) -> bool:
    """Try to have the file alone; it is given back when the file is closed, or its process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

"""Workers that need the same kernel at the same time wait for the one that compiles it, and read what it kept."""

from __future__ import annotations

import getpass
import tempfile
from pathlib import Path
from typing import Any

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from coterie.run.turns import turn

_LOCKS = Path(tempfile.gettempdir()) / f"coterie-kernels-{getpass.getuser()}"
_LONGEST = 600.0  # seconds that one kernel may take


def compile_once() -> None:
    """Let one process at a time compile a function: the next finds it in numba's cache, where it would compile it again.

    The lock of this process comes first, so that no thread holds a file while it waits for a thread that waits for the file.
    """
    compiling = Dispatcher.compile
    _LOCKS.mkdir(exist_ok=True)

    def compiled(self: Dispatcher, signature: Any) -> Any:
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}".replace("/", "_")[-200:]
        with global_compiler_lock, turn(_LOCKS / name, longest=_LONGEST):
            return compiling(self, signature)

    Dispatcher.compile = compiled

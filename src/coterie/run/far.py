"""What runs on a worker elsewhere: the work unpacked once, a task done under one thread, its warnings taken along."""

from __future__ import annotations

import collections
import pickle
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.workplace import steady

_WORKS = 2  # works kept unpacked on a worker


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """What one task gave, the seconds it took, and the warnings it raised."""

    result: Any
    seconds: float
    warned: tuple[tuple[str, type[Warning]], ...] = ()

    def tell(self) -> None:
        """Raise the warnings here, where somebody reads them."""
        for text, kind in self.warned:
            warnings.warn(text, kind, stacklevel=2)


class _Warned(threading.local):
    """The warnings of the task this thread is on; None when it is on none."""

    heard: list[tuple[str, type[Warning]]] | None = None


_WARNED = _Warned()
_LOCK = threading.Lock()
_UNPACKED: collections.OrderedDict[str, Callable[[int, Any], Any]] = collections.OrderedDict()
_LISTENING: list[Any] = []


def done(mark: str, frame: np.ndarray, arrays: list[np.ndarray], index: int, task: Any) -> Done:
    """Task `index` of the work named `mark`; the work is unpacked with the first of its tasks."""
    work = _unpacked(mark, frame, arrays)
    _listen()
    _WARNED.heard, begun = [], time.perf_counter()
    try:
        with steady():
            result = work(index, task)
        return Done(result, time.perf_counter() - begun, tuple(dict.fromkeys(_WARNED.heard)))
    finally:
        _WARNED.heard = None


def versions_here() -> dict[str, str]:
    """The versions on which the bits of results depend."""
    from importlib.metadata import version

    from coterie import __version__

    python = ".".join(map(str, sys.version_info[:2]))
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")}
    return {"coterie": __version__, "Python": python, **libraries}


def _unpacked(mark: str, frame: np.ndarray, arrays: list[np.ndarray]) -> Callable[[int, Any], Any]:
    with _LOCK:
        if mark not in _UNPACKED:
            own = [array if array.flags.writeable else array.copy() for array in arrays]  # kernels are compiled for such
            _UNPACKED[mark] = pickle.loads(frame.tobytes(), buffers=own)
            while len(_UNPACKED) > _WORKS:
                _UNPACKED.popitem(last=False)
        _UNPACKED.move_to_end(mark)
        return _UNPACKED[mark]


def _listen() -> None:
    """Hear the warnings of tasks, thread by thread; all others go where they went before."""
    with _LOCK:
        if _LISTENING and warnings.showwarning is _LISTENING[0]:
            return
        before = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if _WARNED.heard is None:
                before(message, category, *where, **more)
            else:
                _WARNED.heard.append((str(message), category))

        warnings.showwarning = show
        warnings.simplefilter("always", UserWarning)
        _LISTENING[:] = [show]

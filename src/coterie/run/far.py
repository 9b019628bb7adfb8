"""What runs on a worker elsewhere: the work unpacked once, a task done under one thread, its warnings taken along."""

from __future__ import annotations

import collections
import pickle
import socket
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import ClusterError
from coterie.core.workplace import steady

_WORKS = 2  # works kept unpacked on a worker
_EVEN = 16  # an array begins at a multiple of so many bytes, as arrays of this machine do


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """What one task gave, the seconds it took, and the warnings it raised."""

    packed: bytes
    seconds: float
    warned: tuple[tuple[str, type[Warning]], ...] = ()

    @property
    def result(self) -> Any:
        """What it gave."""
        return pickle.loads(self.packed)

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


def done(
    mark: str,
    frame: np.ndarray,
    arrays: list[np.ndarray],
    index: int,
    packed: bytes,
    wanted: dict[str, str],
) -> Done:
    """Task `index` of the work named `mark`; the work is unpacked with the first of its tasks.

    Tasks and results travel as bytes: arrays that Dask lays into the midst of a message begin at odd places there, and NumPy
    sums such in another order.
    """
    import cloudpickle

    work = _unpacked(mark, frame, arrays, wanted)
    _listen()
    _WARNED.heard = []
    begun = time.perf_counter()
    try:
        with steady():
            result = work(index, pickle.loads(packed))
        seconds = time.perf_counter() - begun
        return Done(
            cloudpickle.dumps(result, protocol=5), seconds, tuple(dict.fromkeys(_WARNED.heard))
        )
    finally:
        _WARNED.heard = None


def versions_here() -> dict[str, str]:
    """The versions on which the bits of results depend."""
    from importlib.metadata import version

    from coterie import __version__

    python = ".".join(map(str, sys.version_info[:2]))
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")}
    return {"coterie": __version__, "Python": python, **libraries}


def refuse_other(worker: str, found: dict[str, str], wanted: dict[str, str]) -> None:
    """Refuse a worker with other versions than the process that asks."""
    other = [
        f"{name} {found.get(name)} where this process has {wanted[name]}"
        for name in wanted
        if found.get(name) != wanted[name]
    ]
    if other:
        raise ClusterError(
            f"The worker {worker} has {', '.join(other)}, and results would differ; install the same there."
        )


def _unpacked(
    mark: str, frame: np.ndarray, arrays: list[np.ndarray], wanted: dict[str, str]
) -> Callable[[int, Any], Any]:
    """The work of that name; it goes with its frame, which Dask lets go of when nobody asks for it any more."""
    with _LOCK:
        work = _UNPACKED.pop(mark, None)
        if work is None:
            where = f"on {socket.gethostname()}"
            refuse_other(
                where, versions_here(), wanted
            )  # it may have come after the look at all of them
            try:
                work = pickle.loads(frame.tobytes(), buffers=[_own(array) for array in arrays])
            except ImportError as error:
                raise ClusterError(
                    f"The worker {where} cannot load the work ({error}); install there what it uses."
                ) from error
            weakref.finalize(frame, _UNPACKED.pop, mark, None).atexit = False
        _UNPACKED[mark] = work
        while len(_UNPACKED) > _WORKS:
            _UNPACKED.popitem(last=False)
        return work


def _own(array: np.ndarray) -> np.ndarray:
    """The bytes of an array, where it can be written into (kernels are compiled for such) and begins at an even place."""
    return array if array.flags.writeable and array.ctypes.data % _EVEN == 0 else array.copy()


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

"""using(...): the public form of the workplace; workers, memory, progress and a store, never what is computed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

from coterie.core import workplace as core
from coterie.core.errors import ParameterError
from coterie.core.watch import Watch
from coterie.run.checkpoint import Pieces
from coterie.run.progress import Bars, Lines, Quiet
from coterie.run.store import Store
from coterie.run.stored import Run

P = ParamSpec("P")
R = TypeVar("R")
_WATCHES: dict[str, Callable[[], Watch]] = {"bars": Bars, "lines": Lines, "silent": Quiet}
_ENTERED: dict[str, int] = {}  # how often each place of the program was entered


class using:
    """Do the work inside with these circumstances; a `with` block or a decorator. Results never depend on it.

    With a store, finished pieces of the work are kept while it lasts: when the same script with the same arguments is
    killed and started again, it goes on where it stood. A block that ends well forgets its pieces. With a `Run` of a
    store the pieces are that run's and stay.

    >>> with using(n_jobs=1, memory="2GB") as here:
    ...     here.workers, here.budget
    (1, 2000000000)
    """

    def __init__(
        self,
        *,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        watch: str | Watch | None = None,
        store: Path | str | Store | Run | None = None,
        device: str | None = None,
        cluster: Any = None,
    ) -> None:
        if isinstance(watch, str) and watch not in _WATCHES:
            raise ParameterError(f"using: watch must be one of {', '.join(_WATCHES)} or a watcher, and was {watch!r}.")
        if watch is not None and not isinstance(watch, (str, Watch)):
            raise ParameterError(f"using: watch must be a watcher (see coterie.core.watch), and was a {type(watch).__name__}.")
        if device not in (None, "cpu"):
            raise ParameterError(f"using: device must be 'cpu', the only one there is now, and was {device!r}.")
        if cluster is not None:
            raise ParameterError(
                "using: cluster must be None; for a cluster, put the work inside joblib's own parallel_config(backend=...), "
                "which is honoured."
            )
        self.n_jobs, self.memory, self.watch, self.store, self.device = n_jobs, memory, watch, store, device
        self._place = _caller(2)
        self._open: list[contextlib.ExitStack] = []

    def __enter__(self) -> core.Workplace:
        stack = contextlib.ExitStack()
        with stack:
            watch = _WATCHES[self.watch]() if isinstance(self.watch, str) else self.watch
            if isinstance(self.watch, str) and isinstance(watch, Bars):
                stack.callback(watch.close)
            keeper = self._keeper(stack)
            here = stack.enter_context(
                core.using(n_jobs=self.n_jobs, memory=self.memory, watch=watch, keeper=keeper, device=self.device)
            )
            self._open.append(stack.pop_all())
        return here

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool | None:
        return self._open.pop().__exit__(kind, error, trace)

    def __call__(self, work: Callable[P, R]) -> Callable[P, R]:
        """As a decorator: every call of the function is one such block."""

        @functools.wraps(work)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            again = using(n_jobs=self.n_jobs, memory=self.memory, watch=self.watch, store=self.store, device=self.device)
            again._place = f"{self._place} {work.__qualname__}"
            with again:
                return work(*args, **kwargs)

        return inside

    def _keeper(self, stack: contextlib.ExitStack) -> Pieces | None:
        if self.store is None:
            return None
        if isinstance(self.store, Run):
            return self.store.pieces
        store = self.store if isinstance(self.store, Store) else Store(self.store)
        key, lasting = _work_key(self._place)
        pieces = store.scratch(key)

        def forget(kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
            if kind is None or not lasting:
                pieces.clear()

        stack.push(forget)
        return pieces


def _work_key(place: str) -> tuple[str, bool]:
    """What names the work of a block: the script as it is written, its arguments, the place in it and the turn.

    In a notebook or at a prompt nothing says that the work is the same, so nothing is found again.
    """
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    try:
        script = hashlib.sha256(Path(main).read_bytes()).hexdigest() if main else ""
    except OSError:
        script = ""
    if not script:
        return uuid4().hex, False
    _ENTERED[place] = _ENTERED.get(place, 0) + 1
    return "\0".join([str(main), script, *sys.argv[1:], place, str(_ENTERED[place])]), True


def _caller(depth: int) -> str:
    frame = sys._getframe(depth)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"

"""using(...): the public form of the workplace; workers, memory, progress and a store, never what is computed."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from coterie.core import workplace as core
from coterie.core.errors import ParameterError
from coterie.core.params import kind_of, refuse_unknown
from coterie.core.watch import Watch
from coterie.run.progress import Bars, Lines, Quiet
from coterie.run.store import Store
from coterie.run.stored import Run

P = ParamSpec("P")
R = TypeVar("R")
_OPTIONS = ("n_jobs", "memory", "watch", "store", "device", "cluster")
_WATCHES: dict[str, Callable[[], Watch]] = {"bars": Bars, "lines": Lines, "silent": Quiet}


class using:
    """Do the work inside with these circumstances; a `with` block or a decorator. Results never depend on it.

    With a store, every `coterie.explore` inside is a run of that store; with a `Run`, finished pieces of any work inside
    are kept in that run, so that the same work goes on where it stood.

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
        **unknown: Any,
    ) -> None:
        refuse_unknown("using", unknown, _OPTIONS)
        if isinstance(watch, str) and watch not in _WATCHES:
            raise ParameterError(f"using: watch must be one of {', '.join(_WATCHES)} or a watcher, and was {watch!r}.")
        if watch is not None and not isinstance(watch, (str, Watch)):
            raise ParameterError(f"using: watch must be a watcher (see coterie.core.watch), and was {kind_of(watch)}.")
        if device not in (None, "cpu"):
            raise ParameterError(f"using: device must be 'cpu', the only one there is now, and was {device!r}.")
        if cluster is not None:
            raise ParameterError(
                "using: cluster must be None; for a cluster, put the work inside joblib's own parallel_config(backend=...), "
                "which is honoured."
            )
        self.n_jobs, self.memory, self.watch, self.store, self.device = n_jobs, memory, watch, store, device
        self._open: list[contextlib.ExitStack] = []

    def __enter__(self) -> core.Workplace:
        stack = contextlib.ExitStack()
        with stack:
            watch = _WATCHES[self.watch]() if isinstance(self.watch, str) else self.watch
            if isinstance(self.watch, str) and isinstance(watch, Bars):
                stack.callback(watch.close)
            keeper = self.store.pieces() if isinstance(self.store, Run) else None
            store = (
                Store(self.store) if isinstance(self.store, (str, Path)) else None if isinstance(self.store, Run) else self.store
            )
            here = stack.enter_context(
                core.using(n_jobs=self.n_jobs, memory=self.memory, watch=watch, keeper=keeper, store=store, device=self.device)
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
            with again:
                return work(*args, **kwargs)

        return inside

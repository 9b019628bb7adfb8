"""using(...): the public form of the workplace; workers, memory, progress, a store, a cluster, never what is computed."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from coterie.core import workplace as core
from coterie.core.errors import ParameterError
from coterie.core.params import kind_of, refuse_unknown
from coterie.core.workplace import Watch
from coterie.parts.gpu.device import check_name
from coterie.run.progress import Bars, Lines, Quiet
from coterie.run.store import Store
from coterie.run.stored import Run

if TYPE_CHECKING:
    from coterie.run.cluster import Cluster

P = ParamSpec("P")
R = TypeVar("R")
_OPTIONS = ("n_jobs", "memory", "watch", "store", "device", "cluster")
_WATCHES: dict[str, Callable[[], Watch]] = {"bars": Bars, "lines": Lines, "silent": Quiet}


class using:
    """Do the work inside with these circumstances; a `with` block or a decorator. Results never depend on it.

    With a store, every `coterie.explore` inside is a run of that store; with a `Run`, finished pieces of any work inside
    are kept in that run, so that the same work goes on where it stood. With a `cluster` (the address of a Dask scheduler, or a
    dask Client) the large independent pieces are done by its workers. With `device="cuda"` what can be done on a graphics card
    is done there, to the tolerance its page says.

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
            raise ParameterError.of(
                "using",
                "watch",
                f"must be one of {', '.join(_WATCHES)} or a watcher, and was {watch!r}.",
            )
        if watch is not None and not isinstance(watch, (str, Watch)):
            raise ParameterError.of(
                "using",
                "watch",
                f"must be a watcher (see coterie.core.workplace), and was {kind_of(watch)}.",
            )
        if device is not None:
            check_name(device)
        self.n_jobs = n_jobs
        self.memory = memory
        self.watch = watch
        self.store = store
        self.device = device
        self.cluster = cluster
        self._open: list[contextlib.ExitStack] = []

    def __enter__(self) -> core.Workplace:
        stack = contextlib.ExitStack()
        with stack:
            watch = _WATCHES[self.watch]() if isinstance(self.watch, str) else self.watch
            if isinstance(self.watch, str) and isinstance(watch, Bars):
                stack.callback(watch.close)
            keeper = self.store.pieces() if isinstance(self.store, Run) else None
            store = (
                Store(self.store)
                if isinstance(self.store, (str, Path))
                else None
                if isinstance(self.store, Run)
                else self.store
            )
            crew = None if self.cluster is None else stack.enter_context(_crew(self.cluster))
            given: dict[str, Any] = {
                "watch": watch,
                "keeper": keeper,
                "store": store,
                "device": self.device,
                "crew": crew,
            }
            here = stack.enter_context(core.using(n_jobs=self.n_jobs, memory=self.memory, **given))
            self._open.append(stack.pop_all())
        return here

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return self._open.pop().__exit__(kind, error, trace)

    def __call__(self, work: Callable[P, R]) -> Callable[P, R]:
        """As a decorator: every call of the function is one such block."""

        @functools.wraps(work)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            circumstances: dict[str, Any] = {
                "watch": self.watch,
                "store": self.store,
                "device": self.device,
                "cluster": self.cluster,
            }
            with using(n_jobs=self.n_jobs, memory=self.memory, **circumstances):
                return work(*args, **kwargs)

        return inside


@contextlib.contextmanager
def _crew(given: Any) -> Iterator[Cluster]:
    """The workers of a cluster for one block; what was joined here is left here."""
    from coterie.run.cluster import Cluster

    cluster = Cluster.at(given)
    try:
        yield cluster
    finally:
        if cluster is not given:
            cluster.close()

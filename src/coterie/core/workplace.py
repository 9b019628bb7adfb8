"""using(...): how work is done (workers, memory, progress, where finished pieces are kept), never what is computed."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from coterie.core.errors import Interrupted, ParameterError
from coterie.core.resident import resident
from coterie.core.watch import Silent, Watch

if TYPE_CHECKING:
    from coterie.core.crew import Crew

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@runtime_checkable
class Keeper(Protocol):
    """Where finished pieces of work are kept: named bundles of arrays, written whole or not at all."""

    def get(self, key: str) -> dict[str, np.ndarray] | None:
        """The bundle of that name, or None."""

    def put(self, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep a bundle; when this returns it survives a crash."""


class Forgetful:
    """Keeps nothing."""

    def get(self, key: str) -> dict[str, np.ndarray] | None:
        return None

    def put(self, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        return None


@dataclass(frozen=True)
class Workplace:
    """The circumstances in force; read with `workplace()`, changed with `using(...)`."""

    n_jobs: int = 0
    memory: int = 0
    entered: int = (
        -1
    )  # bytes this process held when the memory was given; -1 where nothing is counted
    watch: Watch = field(default_factory=Silent)
    keeper: Keeper = field(default_factory=Forgetful)
    store: Any = None  # the store that explorations are kept in
    device: str = "cpu"
    crew: Crew | None = None  # workers elsewhere, for tasks that can travel
    scope: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    told: set[str] = field(
        default_factory=set
    )  # sentences that are said once in a block with a device

    @property
    def workers(self) -> int:
        """How many tasks run at once: the number given, else joblib's setting, else one per core."""
        if self.n_jobs > 0:
            return self.n_jobs
        if self.n_jobs < 0:
            return max(1, cores() + 1 + self.n_jobs)
        from joblib import effective_n_jobs

        asked = effective_n_jobs(None)
        return asked if asked > 1 else cores()

    @property
    def budget(self) -> int:
        """Bytes the work may take: the memory given, else half of what the machine has."""
        return self.memory or machine_memory() // 2

    def key(self, label: str) -> str:
        """A name for the next piece of work of this label in this scope; the same walk asks for the same names."""
        name = f"{self.scope}/{label}" if self.scope else label
        self.counts[name] = self.counts.get(name, 0) + 1
        return f"{name}-{self.counts[name]}"

    def stop_if_asked(self) -> None:
        """Raise Interrupted when the watcher wants a stop."""
        if self.watch.wants_stop():
            kept = (
                "nothing is kept without a store"
                if isinstance(self.keeper, Forgetful)
                else "what was finished is kept"
            )
            raise Interrupted(f"Stopped as asked; {kept}.")

    def far(self) -> Workplace:
        """The same on a worker elsewhere: nothing to show, to keep or to hand on there."""
        return replace(
            self, n_jobs=1, watch=Silent(), keeper=Forgetful(), store=None, crew=None, counts={}
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "watch": Silent(), "crew": None, "entered": -1}


_CURRENT: ContextVar[Workplace] = ContextVar("coterie_workplace")
_DEFAULT = Workplace()


def workplace() -> Workplace:
    """The workplace in force here."""
    return _CURRENT.get(_DEFAULT)


@contextlib.contextmanager
def using(
    *,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    watch: Watch | None = None,
    keeper: Keeper | None = None,
    store: Any = None,
    device: str | None = None,
    crew: Crew | None = None,
) -> Iterator[Workplace]:
    """Do the work inside with these circumstances; results are the same bits whatever they are.

    >>> with using(n_jobs=1, memory="2GB") as here:
    ...     here.budget
    2000000000
    """
    changes: dict[str, Any] = {}
    if n_jobs is not None:
        if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
            raise ParameterError.of(
                "using",
                "n_jobs",
                f"must be a whole number of workers, or -1 for one per core, and was {n_jobs!r}.",
            )
        changes["n_jobs"] = int(n_jobs)
    if memory is not None:
        changes["memory"] = parse_bytes(memory)
        changes["entered"] = resident()
    if watch is not None:
        changes["watch"] = watch
    if keeper is not None:
        changes["keeper"] = keeper
        changes["counts"] = {}
    if store is not None:
        changes["store"] = store
    if device is not None:
        changes["device"] = device
        changes["told"] = set()
    if crew is not None:
        changes["crew"] = crew
    token = _CURRENT.set(replace(workplace(), **changes))
    try:
        yield workplace()
    finally:
        _CURRENT.reset(token)


@contextlib.contextmanager
def stage(name: str) -> Iterator[Workplace]:
    """Everything kept inside is named under this stage of the walk."""
    here = workplace()
    token = _CURRENT.set(replace(here, scope=f"{here.scope}/{name}" if here.scope else name))
    try:
        yield workplace()
    finally:
        _CURRENT.reset(token)


@contextlib.contextmanager
def working_at(place: Workplace) -> Iterator[None]:
    """Work in exactly these circumstances."""
    token = _CURRENT.set(place)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class _Limits(threading.local):
    """How deep this thread is inside `steady`."""

    depth = 0


_LIMITS = _Limits()
_CONTROLLER: dict[str, Any] = {"modules": -1, "controller": None}


@contextlib.contextmanager
def steady() -> Iterator[None]:
    """One thread per BLAS or OpenMP call, so that sums have one order on any number of cores."""
    if _LIMITS.depth and _CONTROLLER["modules"] == len(sys.modules):
        yield
        return
    with _controller().limit(limits=1):
        _LIMITS.depth += 1
        try:
            yield
        finally:
            _LIMITS.depth -= 1


def _controller() -> Any:
    """threadpoolctl's view of the libraries loaded; looked up again only when modules were imported since."""
    if _CONTROLLER["modules"] != len(sys.modules):
        from threadpoolctl import ThreadpoolController

        _CONTROLLER["controller"] = ThreadpoolController()
        _CONTROLLER["modules"] = len(sys.modules)
    return _CONTROLLER["controller"]


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine_memory() -> int:
    """Bytes of memory in this machine (4 GB where it cannot be asked)."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 4 * 10**9


def parse_bytes(size: int | str) -> int:
    """A size in bytes from 4000000000 or "4GB"; anything else is refused by one sentence."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?b?)\s*", str(size), flags=re.IGNORECASE)
    if not found or not float(found[1]):
        raise ParameterError.of(
            "using", "memory", f"must be a size such as 4000000000 or '4GB', and was {size!r}."
        )
    unit = found[2].upper()
    scale = _UNITS[unit if unit in _UNITS else unit + "B"]
    return int(float(found[1]) * scale)

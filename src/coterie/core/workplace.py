"""The circumstances of work, never what is computed: workers, memory, who watches, where finished pieces are kept.

Progress is told to a watcher, and the silent one is the default. `using(...)` sets the circumstances, `Apart` is a piece of
work that runs beside others, and a crew does such pieces elsewhere.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import gc
import math
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from numbers import Integral
from typing import Any, Protocol, runtime_checkable

import numpy as np

from coterie.core.errors import Interrupted, NotEnoughMemory, ParameterError, StoreError


class Task(Protocol):
    """One piece of work with a known or unknown number of steps."""

    def advance(self, steps: int = 1) -> None:
        """Say that some steps are done."""


@runtime_checkable
class Watch(Protocol):
    """What a method tells while it works; any object with these five methods can listen."""

    def begin(self, name: str, total: int | None) -> Task:
        """A task starts; `total` is its number of steps where that is known."""

    def end(self, task: Task) -> None:
        """The task is over, finished or not."""

    def note(self, sentence: str) -> None:
        """Something a person should read."""

    def measure(self, name: str, step: int, value: float) -> None:
        """A point of a curve: an objective, an entropy, a likelihood."""

    def wants_stop(self) -> bool:
        """True when the person asked for a stop; the loop keeps what is finished and ends."""


class _SilentTask:
    def advance(self, steps: int = 1) -> None:
        return None


class Silent:
    """Nobody watches."""

    def begin(self, name: str, total: int | None) -> Task:
        return _SilentTask()

    def end(self, task: Task) -> None:
        return None

    def note(self, sentence: str) -> None:
        return None

    def measure(self, name: str, step: int, value: float) -> None:
        return None

    def wants_stop(self) -> bool:
        return False


class Muffled:
    """Passes on measures and the wish to stop; the bars of tasks that run side by side inside another are left out."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def begin(self, name: str, total: int | None) -> Task:
        return _SilentTask()

    def end(self, task: Task) -> None:
        return None

    def note(self, sentence: str) -> None:
        self.watch.note(sentence)

    def measure(self, name: str, step: int, value: float) -> None:
        return None

    def wants_stop(self) -> bool:
        return self.watch.wants_stop()


@contextmanager
def watched(watch: Watch, name: str, total: int | None = None) -> Iterator[Task]:
    """Begin a task and end it whatever happens."""
    task = watch.begin(name, total)
    try:
        yield task
    finally:
        watch.end(task)


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


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """One task that a crew has done: its place among the tasks, what it gave, and the seconds it took."""

    index: int
    result: Any
    seconds: float


@runtime_checkable
class Crew(Protocol):
    """Workers elsewhere. A task that is lost with its worker is done again by another: the results are the same."""

    def spread(
        self, work: Callable[[int, Any], Any], tasks: Iterator[tuple[int, Any]]
    ) -> Iterator[Finished]:
        """Do `work(index, task)` for all tasks, which are taken only as workers get free; they come back as they are done.

        `work` and what it holds travel once to each worker. Never more than a few tasks per worker are ahead of the first
        one that is not done, so that what waits for its turn stays small.
        """


class Apart:
    """A piece of work that runs beside others: one worker, names of its own for what it keeps, no bars.

    One that is `alone` has all the workers. It can be sent to another process; the watcher stays behind. Pieces made one after
    the other in one stage have different names, so that none of them takes up what another one kept.
    """

    def __init__(self, work: Callable[[Any], Any], alone: bool = False) -> None:
        self.work = work
        self.place = workplace()
        self.alone = alone
        self.scope = self.place.key("part")

    def on_processor(self) -> Apart:
        """The same piece of work without a card: not every worker has one, and results must not depend on who does it."""
        other = copy.copy(self)
        other.place = replace(self.place, device="cpu")
        return other

    def far(self) -> Apart:
        """The same piece of work for workers elsewhere."""
        other = copy.copy(self)
        other.place = self.place.far()
        return other

    def doing(self, work: Callable[[Any], Any]) -> Apart:
        """Other work under the same names."""
        other = copy.copy(self)
        other.work = work
        return other

    def __call__(self, index: int, task: Any) -> Any:
        scope = f"{self.scope}/{index}"
        inner = replace(self.place, scope=scope, counts={}, watch=Muffled(self.place.watch))
        inner = inner if self.alone else replace(inner, n_jobs=1, crew=None)
        with working_at(inner):
            return self.work(task)


_STATM = "/proc/self/statm"  # pages: all, in memory, of those backed by files, ...


def resident() -> int:
    """Bytes in memory that are this process's own; 0 where the system does not say.

    Pages of files (libraries, memory maps) are left out: the system takes them back whenever it needs them.
    """
    try:
        with open(_STATM, encoding="ascii") as file:
            _, inside, of_files, *_ = file.read().split()
        return (int(inside) - int(of_files)) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


_ROOMY_SHARE = 0.5  # of what is left of the memory given: a larger array goes to a file


def roomy(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """An array to be filled: in memory where it takes at most half of what is left there, else in a file; the same to use."""
    place = workplace()
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    return (
        np.empty(shape, dtype=dtype)
        if size <= _ROOMY_SHARE * max(0, place.budget - held_since(place))
        else in_file(shape, dtype)
    )


def in_file(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """A writable array of zeros in a file of the temporary folder (TMPDIR), which has no name and needs no cleaning up."""
    size = max(1, int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize)
    try:
        with tempfile.TemporaryFile(prefix="coterie-") as file:
            _reserve(file, size)
            return np.memmap(file, dtype=dtype, mode="r+", shape=shape)
    except OSError as error:
        raise StoreError(
            f"The temporary folder has no room for {size / 1e9:.2f} GB ({(error.strerror or 'it cannot be written').lower()}); "
            "name another one with the variable TMPDIR."
        ) from None


def _reserve(file: Any, size: int) -> None:
    """Room on the disk for all of it now: a page that finds none later would end the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


_TOLD = 256_000_000  # budgets below this are about the work alone: Python's own needs could not be told from it
# libraries and compiled kernels may take this, or this share of the budget, beside the data
_CODE = 200_000_000
_SHARE = 0.1


def fits(
    size: float, what: str, instead: str = "keep neighbours only with graph(affinity, k)"
) -> None:
    """Refuse, before any work, what would not fit the memory given; `instead` is what else can be done.

    `size` is all that the work adds at its peak: its result, the copies it makes, and the tiles of all workers.
    """
    place = workplace()
    size = int(size)
    budget = place.budget
    held = 0 if size > budget else held_since(place)
    if size + held > budget and held:
        _tidy()
        held = held_since(place)
    if size + held <= budget:
        return
    more = _rounded_up((size + held) * 1.05)
    beside = f", of which {sized(held, budget)} are in use" if held else ""
    raise NotEnoughMemory(
        f"{what} takes {sized(size, budget)} and {sized(budget, size)} are allowed{beside}; {instead}",
        enough=more,
    )


def held_since(place: Workplace) -> int:
    """Bytes that this process holds of the memory given, since it was given; 0 where no memory was given.

    What code takes that is loaded meanwhile is no data, and is allowed for.
    """
    if not place.memory or place.memory < _TOLD or place.entered < 0:
        return 0
    return max(0, resident() - place.entered - int(min(_CODE, _SHARE * place.memory)))


def left() -> int:
    """Bytes of the memory given that are not in use."""
    place = workplace()
    return max(0, place.budget - held_since(place))


def at_once(each: float, beside: float = 0.0) -> int:
    """How many workers may hold `each` bytes at once beside other work, at least one; results are the same bits."""
    here = workplace()
    if not here.memory or each <= 0:
        return here.workers
    return max(1, min(here.workers, int((left() - beside) // each)))


def sized(size: int, beside: int) -> str:
    """Bytes in KB, MB or GB, with as many places as tell the two sizes apart."""
    unit, name = _unit(size)
    places = 1 if name != "B" else 0
    while (
        places < 6
        and size != beside
        and f"{size / unit:.{places}f}" == f"{beside / unit:.{places}f}"
    ):
        places += 1
    return f"{size / unit:.{places}f} {name}"


def _rounded_up(size: float) -> str:
    """A size as it is written for using(memory=...), never smaller than it is."""
    unit, name = _unit(size)
    return f"{math.ceil(size / unit * 10) / 10:.1f}{name}"


def _unit(size: float) -> tuple[float, str]:
    return next(
        (unit, name)
        for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B"))
        if size >= unit or unit == 1.0
    )


def bytes_of(data: Any) -> int:
    """What an array, a sparse matrix, or a tuple of such holds in memory."""
    if isinstance(data, tuple | list):
        return sum(map(bytes_of, data))
    if hasattr(data, "indptr"):
        return int(data.data.nbytes + data.indices.nbytes + data.indptr.nbytes)
    return int(getattr(data, "nbytes", 0))


def _tidy() -> None:
    """Give back to the system what was freed and is still held for later use."""
    gc.collect()
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """The C library's own way to give memory back, where it has one."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None


def once(label: str, make: Callable[[], Mapping[str, np.ndarray]]) -> Mapping[str, np.ndarray]:
    """The named arrays that `make` gives, kept, so that a run that goes on does not make them again.

    What is kept inside `make` has names of its own: where this was made before, those names are not asked for, and must not
    become those of what is made next.
    """
    here = workplace()
    key = here.key(label)
    found = here.keeper.get(key)
    if found is None:
        with stage(own(here, key)):
            found = dict(make())
        here.keeper.put(key, found)
    return found


def own(here: Workplace, key: str) -> str:
    """A key as the name of a stage inside this one."""
    return key.removeprefix(f"{here.scope}/") if here.scope else key

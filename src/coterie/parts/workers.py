"""Tasks on workers: threads of this process, joblib's backends, or a crew elsewhere; results in order, finished ones kept."""

from __future__ import annotations

import queue
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.core.workplace import Apart, Crew, Silent, Workplace, steady, watched, workplace

_SOON = 0.25  # seconds of work here before workers elsewhere are asked
WORTH = 0.2  # seconds of work that make one array worth keeping


@dataclass(frozen=True, slots=True, eq=False)
class Keep:
    """How finished tasks are kept: a name for each, its result as named arrays and back, and from how many seconds on."""

    name: Callable[[Any], str]
    pack: Callable[[Any], Mapping[str, np.ndarray]]
    unpack: Callable[
        [Mapping[str, np.ndarray], Any], Any
    ]  # (what was kept, the task) -> the result
    worth: float = 0.0

    def get(self, place: Workplace, task: Any) -> tuple[Any] | None:
        """The result of a task that was kept, in a tuple of one; None where it was not."""
        found = place.keeper.get(self.name(task))
        return None if found is None else (self.unpack(found, task),)

    def put(self, place: Workplace, task: Any, result: Any, seconds: float) -> None:
        """Keep a result that took long enough."""
        if seconds >= self.worth:
            place.keeper.put(self.name(task), self.pack(result))

    @classmethod
    def array(cls, name: Callable[[Any], str], worth: float | None = None) -> Keep:
        """For tasks that give one array each; such are kept when they took long enough to be worth a file."""
        return cls(
            name,
            lambda values: {"tile": values},
            lambda found, task: np.asarray(found["tile"]),
            WORTH if worth is None else worth,
        )

    def around(self, work: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The same work, taken from the keeper where it was done before, and kept when it is done."""

        def keeping(task: Any) -> Any:
            place = workplace()
            found = self.get(place, task)
            if found is not None:
                return found[0]
            begun = time.perf_counter()
            result = work(task)
            self.put(place, task, result, time.perf_counter() - begun)
            return result

        return keeping


def in_order(
    work: Callable[[Any], Any],
    tasks: list[Any],
    label: str,
    *,
    size: Callable[[Any], int] | None = None,
    travels: bool = False,
    keep: Keep | None = None,
    workers: int | None = None,
) -> Iterator[Any]:
    """Run small independent tasks on the workers of the workplace; results come in the order of the tasks.

    `size` says how many steps a task counts for on the bar; one each when left out. Without a label nothing is shown:
    for small work inside a loop that has a bar of its own. Work that `travels` gives all it does as its result and changes
    nothing else, so it may be done in another process (joblib's backends) or by the crew of the workplace; other work stays
    with the threads here. Results are kept by `keep`, where it is given, as soon as they are there.
    `workers` are fewer than those of the workplace where its memory is too small for all of them (`at_once`).
    """
    here = workplace() if workers is None else replace(workplace(), n_jobs=workers)
    sizes = [1 if size is None else size(one) for one in tasks]
    with watched(here.watch if label else Silent(), label, sum(sizes)) as task, steady():
        results: Any
        if travels and here.crew is not None and len(tasks) > 1:
            results = _elsewhere(here, here.crew, Apart(work).on_processor(), tasks, keep)
        else:
            results = _here(
                here,
                Apart(work if keep is None else keep.around(work), len(tasks) == 1),
                tasks,
                travels,
            )
        try:
            for result, steps in zip(results, sizes, strict=True):
                yield result
                task.advance(steps)
                here.stop_if_asked()
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # whoever asked had enough: joblib would warn of results nobody took
                results.close()


def share_memory() -> bool:
    """Whether workers on travelling tasks can write into one array: they are threads of this process."""
    from joblib.parallel import get_active_backend

    here = workplace()
    if here.crew is not None:
        return False
    return here.workers == 1 or bool(
        getattr(get_active_backend(prefer="threads")[0], "supports_sharedmem", False)
    )


def _here(here: Workplace, apart: Apart, tasks: list[Any], travels: bool) -> Any:
    """On threads of this process, or wherever joblib's backend in force takes what can travel."""
    if here.workers == 1 or len(tasks) < 2:
        return (apart(i, t) for i, t in enumerate(tasks))
    from joblib import Parallel, delayed
    from joblib.parallel import BACKENDS, get_active_backend

    backend = get_active_backend(prefer="threads")[0]
    if not travels or type(backend) is BACKENDS["threading"]:
        return _on_threads(min(here.workers, len(tasks)), apart, tasks)
    if not getattr(backend, "supports_return_generator", True):
        return _in_blocks(here.workers, apart, tasks)
    pool = Parallel(
        n_jobs=here.workers, return_as="generator", pre_dispatch="2*n_jobs", prefer="threads"
    )
    return pool(delayed(apart)(i, t) for i, t in enumerate(tasks))


def _on_threads(n_workers: int, apart: Apart, tasks: list[Any]) -> Iterator[Any]:
    """By threads that take the next task as soon as they are free, a few ahead of whoever asks for results.

    joblib's threads do the same and look for results every hundredth of a second, which is most of the time of small tasks.
    """
    left = iter(enumerate(tasks))
    news = threading.Condition()
    ahead = threading.Semaphore(2 * n_workers)
    ready: dict[int, tuple[Any, BaseException | None]] = {}
    over = threading.Event()

    def work() -> None:
        with steady():  # limits of a thread are its own
            while True:
                ahead.acquire()
                with news:
                    index, task = next(left, (-1, None))
                if index < 0 or over.is_set():
                    return
                try:
                    found: tuple[Any, BaseException | None] = (apart(index, task), None)
                except BaseException as error:  # told to whoever waits for it
                    found = (None, error)
                with news:
                    ready[index] = found
                    news.notify()

    for number in range(n_workers):
        threading.Thread(target=work, name=f"coterie worker {number}", daemon=True).start()
    try:
        for index in range(len(tasks)):
            with news:
                while index not in ready:
                    news.wait()
                result, error = ready.pop(index)
            if error is not None:
                raise error
            ahead.release()
            yield result
    finally:
        over.set()
        ahead.release(n_workers)


def _in_blocks(n_workers: int, apart: Apart, tasks: list[Any]) -> Iterator[Any]:
    """A few tasks per worker at a time, for backends of joblib that give all results at once (such as Ray's)."""
    from joblib import Parallel, delayed

    many = 4 * n_workers
    with Parallel(n_jobs=n_workers, prefer="threads") as pool:
        for first in range(0, len(tasks), many):
            yield from pool(
                delayed(apart)(first + i, task)
                for i, task in enumerate(tasks[first : first + many])
            )


def _elsewhere(
    here: Workplace, crew: Crew, apart: Apart, tasks: list[Any], keep: Keep | None
) -> Iterator[Any]:
    """By the crew, once a quarter of a second has shown that there is much to do; until then, and meanwhile, one by one here.

    What was kept is not sent, and read only when its turn comes; what comes back is kept here before its turn comes.
    """
    near = apart if keep is None else apart.doing(keep.around(apart.work))
    ready: dict[int, Any] = {}
    kept: set[int] = set()
    turn = 0
    until = time.monotonic() + _SOON
    mine = _Begun(near, turn, tasks)
    while mine.done(until):
        yield mine.result
        turn += 1
        if turn == len(tasks):
            return
        mine = _Begun(near, turn, tasks)

    def wanted() -> Iterator[tuple[int, Any]]:
        for index in range(mine.index + 1, len(tasks)):
            if keep is None or keep.get(here, tasks[index]) is None:
                yield index, tasks[index]
            else:
                kept.add(index)

    def due() -> Iterator[Any]:
        nonlocal turn
        while turn in ready or turn in kept:
            yield ready.pop(turn) if turn in ready else near(turn, tasks[turn])
            turn += 1

    for finished in crew.spread(apart.far(), wanted()):
        if keep is not None:
            keep.put(here, tasks[finished.index], finished.result, finished.seconds)
        ready[finished.index] = finished.result
        if turn == mine.index and mine.done():
            ready[turn] = mine.result
        yield from due()
        here.stop_if_asked()
    while not mine.done(time.monotonic() + _SOON):
        here.stop_if_asked()
    ready.setdefault(mine.index, mine.result)
    yield from due()


class _Begun:
    """A task begun in a thread of this process, which may go on while others are done elsewhere."""

    def __init__(self, near: Apart, index: int, tasks: list[Any]) -> None:
        self.index = index
        self._news: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._told: tuple[Any, BaseException | None] | None = None
        threading.Thread(target=self._run, args=(near, index, tasks[index]), daemon=True).start()

    def _run(self, near: Apart, index: int, task: Any) -> None:
        try:
            with steady():  # limits of a thread are its own
                self._news.put((near(index, task), None))
        except BaseException as error:  # told to whoever waits for it
            self._news.put((None, error))

    def done(self, until: float = 0.0) -> bool:
        """Whether it is done, waiting for it until that moment; what went wrong in it is raised."""
        if self._told is None:
            try:
                self._told = self._news.get(timeout=max(until - time.monotonic(), 1e-3))
            except queue.Empty:
                return False
        if self._told[1] is not None:
            raise self._told[1]
        return True

    @property
    def result(self) -> Any:
        """What it gave, once it is done."""
        return None if self._told is None else self._told[0]

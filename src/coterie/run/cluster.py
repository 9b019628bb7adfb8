"""A Dask cluster as the crew of the workplace: data placed once, lost tasks done again, results as they are done."""

from __future__ import annotations

import hashlib
import itertools
import pickle
import queue
import time
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.errors import ClusterError
from coterie.core.workplace import Finished, workplace
from coterie.run.far import Done, done, refuse_other, versions_here
from coterie.run.joining import client_of, in_a_line

_LARGE = 2**16  # bytes from which an array travels by itself and is known again by what is in it
_WAITING = 3  # tasks per thread of the cluster that are with the workers
_AHEAD = 16  # tasks per thread that may be done before their turn
_SHARE = 0.25  # of the memory given, which results may take that wait for their turn
_WAIT = 10.0  # seconds for a scheduler or a worker to answer
_ALONE = 60.0  # seconds without any worker after which the work is given up
_TRIES = 60  # times that data is sent to workers that die meanwhile
_LOST = 500  # tasks lost one after the other, with none done, after which the work is given up
_DEADLY = 25  # times that one task may be given up by Dask because workers that had it died (four of them each time)
_KEPT = 4  # works that may pass before what only earlier ones used is forgotten
_LOOK = 0.25  # seconds between looks at what became of the tasks


@dataclass(eq=False)
class _Sent:
    """A task that was sent: where it stands among the tasks, and its future."""

    index: int
    task: Any
    future: Any
    deaths: int = 0  # times that Dask gave it up


@dataclass(eq=False)
class _Placed:
    """Work that lies on the workers: its name, the future of its frame, and those of its large arrays."""

    mark: str
    frame: Any
    arrays: list[Any]

    def whole(self) -> bool:
        """Whether all of it is still there."""
        return all(future.status == "finished" for future in (self.frame, *self.arrays))


@dataclass(eq=False)
class Cluster:
    """The workers of a Dask cluster, through a client; `owned` when the client is ours to close."""

    client: Any
    owned: bool = False
    bytes_placed: int = 0  # sent from here to workers so far
    n_sent: int = 0  # tasks sent, those sent again counted again
    n_lost: int = 0  # tasks that were lost with their worker and sent again
    _held: dict[str, tuple[Any, int]] = field(
        default_factory=dict
    )  # what lies on the workers: name -> (future, last used)
    _works: int = 0

    def __post_init__(self) -> None:
        self.name = str(
            getattr(self.client.scheduler, "address", "an address not known")
        )  # kept: a closed client forgets it
        self.versions = versions_here()

    @classmethod
    def at(cls, given: Any) -> Cluster:
        """The cluster at an address (tcp://host:port), of a dask Client, or of a dask cluster object."""
        if isinstance(given, Cluster):
            return given
        found = cls(*client_of(given))
        try:
            found.check()
        except BaseException:
            found.close()
            raise
        return found

    def check(self) -> None:
        """Refuse a cluster without workers, or whose workers have other versions of what the results depend on."""
        try:
            self.client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError as error:
            raise ClusterError(
                f"The cluster at {self.name} has no workers; start some with: dask worker {self.name}"
            ) from error
        try:
            told = self.client.run(versions_here, on_error="return")
        except Exception as error:
            raise ClusterError(
                f"The workers of the cluster at {self.name} do not answer: {in_a_line(error)}."
            ) from error
        for worker, found in told.items():
            if isinstance(found, dict):
                refuse_other(worker, found, self.versions)
            elif worker in self._workers():  # and did not die meanwhile
                why = f"it cannot load coterie ({in_a_line(found)})"
                raise ClusterError(
                    f"The worker {worker} cannot be used: {why}; install the same coterie there as here."
                )

    def alive(self) -> None:
        """Refuse to go on where the scheduler was lost."""
        if self.client.status in ("closing", "closed"):
            raise ClusterError(
                f"The scheduler of the cluster at {self.name} is gone; start it and {_RESUME}."
            )

    def threads(self) -> int:
        """Tasks that can run at once now; 0 when there is no worker."""
        return sum(int(worker["nthreads"]) for worker in self._workers().values())

    def _workers(self) -> dict[str, Any]:
        """What the scheduler says of its workers; none where it does not answer, whatever it said last."""
        found: dict[str, Any] = (
            self.client.scheduler_info(n_workers=-1)["workers"]
            if self.client.status == "running"
            else {}
        )
        return found

    def spread(
        self, work: Callable[[int, Any], Any], tasks: Iterator[tuple[int, Any]]
    ) -> Iterator[Finished]:
        """Do the tasks on the workers; see `coterie.core.crew.Crew`."""
        return _Round(self, work, tasks).finished()

    def placed(self, work: Callable[[int, Any], Any]) -> _Placed:
        """Bring work to the workers: its large arrays one by one, each only when it is not there from before."""
        large: list[Any] = []

        def aside(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < _LARGE:
                return True
            large.append(raw)
            return False

        frame = self.packed(work, aside)
        self._works += 1
        arrays = [self._put(np.frombuffer(raw, dtype=np.uint8)) for raw in large]
        mark = hashlib.blake2b(frame, digest_size=16)
        for future in arrays:
            mark.update(future.key.encode())
        found = _Placed(mark.hexdigest(), self._put(np.frombuffer(frame, dtype=np.uint8)), arrays)
        self._held = {
            key: held for key, held in self._held.items() if held[1] > self._works - _KEPT
        }
        return found

    def packed(
        self, thing: Any, aside: Callable[[pickle.PickleBuffer], bool] | None = None
    ) -> bytes:
        """Work or a task as bytes, its large buffers put aside."""
        import cloudpickle

        try:
            found: bytes = cloudpickle.dumps(thing, protocol=5, buffer_callback=aside)
        except Exception as error:
            why = f"something in it cannot be pickled: {in_a_line(error)}"
            raise ClusterError(
                f"This work cannot be sent to the cluster at {self.name} ({why}); run it without."
            ) from error
        return found

    def _put(self, raw: np.ndarray) -> Any:
        """The future of some bytes on all workers, by their content."""
        key = f"coterie-{hashlib.blake2b(raw.data, digest_size=16).hexdigest()}"
        future = self._held[key][0] if key in self._held else None
        if future is None or future.status != "finished":
            future = self._scattered(key, raw)
            self.bytes_placed += raw.nbytes
        self._held[key] = (future, self._works)
        return future

    def _scattered(self, key: str, raw: np.ndarray) -> Any:
        """Bytes brought to all workers; tried again where a worker dies meanwhile, as long as there are any."""
        seen = time.monotonic()
        problem = None
        for _ in range(_TRIES):
            try:
                return self.client.scatter({key: raw}, broadcast=True, timeout=_WAIT)[key]
            except Exception as error:
                problem = error
            self.alive()
            seen = time.monotonic() if self.threads() else seen
            if time.monotonic() - seen > _ALONE:
                break
            workplace().stop_if_asked()
            time.sleep(_LOOK)
        raise self.deserted() from problem

    def deserted(self) -> ClusterError:
        """What is said when there was no worker for too long."""
        return ClusterError(
            f"The cluster at {self.name} has no workers left; start workers and {_RESUME}."
        )

    def close(self) -> None:
        """Let go of the data on the workers, and of the client where it is ours."""
        self._held.clear()
        if self.owned:
            self.client.close(timeout=_WAIT)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("a cluster stays with the process that joined it")


_RESUME = "go on with coterie resume, or run without the cluster"


class _Round:
    """One spread: a window of tasks on the workers, watched until all are done."""

    def __init__(
        self, cluster: Cluster, work: Callable[[int, Any], Any], tasks: Iterator[tuple[int, Any]]
    ) -> None:
        self.cluster = cluster
        self.work = work
        self.tasks = tasks
        self.sent: dict[str, _Sent] = {}
        self.news: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.serial = itertools.count()
        self.name = (
            uuid.uuid4().hex
        )  # others may do the same work on this cluster, with other tasks
        self.lost = 0  # one after the other
        self.last = 0  # the task sent last
        self.largest = 0  # bytes of a result so far

    def finished(self) -> Iterator[Finished]:
        """The tasks as they are done."""
        first = next(self.tasks, None)
        if first is None:
            return
        self.tasks = itertools.chain([first], self.tasks)
        self.placed = self.cluster.placed(self.work)
        more = True
        threads = 0
        looked = 0.0
        seen = time.monotonic()
        try:
            while True:
                if (
                    time.monotonic() - looked > _LOOK
                ):  # the answer is long where there are many workers
                    threads = self.cluster.threads()
                    looked = time.monotonic()
                while more and self._room(threads):
                    more = self._send(next(self.tasks, None))
                if not self.sent:
                    return
                for sent in self._news():
                    answer = self._answer(sent)
                    if answer is not None:
                        self.lost = 0
                        yield Finished(sent.index, answer.result, answer.seconds)
                self.cluster.alive()
                seen = time.monotonic() if threads else seen
                if time.monotonic() - seen > _ALONE:
                    raise self.cluster.deserted()
                workplace().stop_if_asked()
        finally:
            left = [sent.future for sent in self.sent.values()]
            if left and self.cluster.client.status == "running":
                self.cluster.client.cancel(left, force=True)

    def _room(self, threads: int) -> bool:
        """Whether one more task may be sent: few are waiting, and none far ahead of the first that is not done."""
        many = max(threads, 1)
        ahead = self.last - min((sent.index for sent in self.sent.values()), default=self.last)
        held = ahead * self.largest  # what may come back before that first one
        return (
            len(self.sent) < _WAITING * many
            and ahead < _AHEAD * many
            and held <= _SHARE * workplace().budget
        )

    def _send(self, one: tuple[int, Any] | None) -> bool:
        if one is None:
            return False
        self._submit(*one)
        return True

    def _submit(self, index: int, task: Any, deaths: int = 0) -> None:
        self.last = max(self.last, index)
        key = f"coterie-task-{self.name}-{index}-{next(self.serial)}"
        what = (
            self.placed.mark,
            self.placed.frame,
            self.placed.arrays,
            index,
            self.cluster.packed(task),
            self.cluster.versions,
        )
        future = self.cluster.client.submit(done, *what, key=key, pure=False)
        self.sent[key] = _Sent(index, task, future, deaths)
        self.cluster.n_sent += 1
        future.add_done_callback(self.news.put)

    def _news(self) -> list[_Sent]:
        """Tasks about which something is known now; waits a little where there is none."""
        found = []
        try:
            found.append(self.news.get(timeout=_LOOK))
            while True:
                found.append(self.news.get_nowait())
        except queue.Empty:
            pass
        if not found:  # what was lost with a worker may never say so by itself
            whole = self.placed.whole()
            found = [
                sent.future
                for sent in self.sent.values()
                if not whole or sent.future.status != "pending"
            ]
        return [self.sent[future.key] for future in found if future.key in self.sent]

    def _answer(self, sent: _Sent) -> Done | None:
        """What a task gave; None where it was lost and sent again."""
        self.sent.pop(sent.future.key)
        future: Any = sent.future
        problem: BaseException | None = None
        if future.status == "finished":
            try:
                answer: Done = future.result(timeout=_ALONE)
                answer.tell()
                self.largest = max(self.largest, len(answer.packed))
                return answer
            except (
                Exception,
                CancelledError,
            ) as error:  # its worker died between the news and the asking
                problem = error
        elif future.status == "error":
            problem = future.exception(timeout=_WAIT)
        if problem is not None and type(problem).__name__ not in _OF_THE_CLUSTER:
            raise problem
        self._again(sent, problem)
        return None

    def _again(self, sent: _Sent, error: BaseException | None) -> None:
        """Send a lost task again; where the data was lost too it is placed again first."""
        self.cluster.alive()
        self.lost += 1
        self.cluster.n_lost += 1
        deaths = sent.deaths + (type(error).__name__ == "KilledWorker")
        if self.lost > _LOST:
            why = f" ({in_a_line(error)})" if error is not None else ""
            said = (
                f"The workers of the cluster at {self.cluster.name} are lost again and again{why}"
            )
            raise ClusterError(f"{said}; start workers and {_RESUME}.")
        if deaths > _DEADLY:
            said = f"Every worker of the cluster at {self.cluster.name} that takes up task {sent.index} dies"
            raise ClusterError(
                f"{said}; give the workers more memory, or fewer threads each, and {_RESUME}."
            )
        sent.future.cancel(force=True)
        if not self.placed.whole():
            self.placed = self.cluster.placed(self.work)
        self._submit(sent.index, sent.task, deaths)


_OF_THE_CLUSTER = {
    "KilledWorker",
    "FutureCancelledError",
    "CancelledError",
    "CommClosedError",
    "FutureLostError",
    "TimeoutError",
}

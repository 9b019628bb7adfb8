"""A Dask cluster as the crew of the workplace: data placed once, lost tasks done again, results as they are done."""

from __future__ import annotations

import hashlib
import itertools
import pickle
import queue
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.crew import Finished
from coterie.core.errors import ClusterError, ParameterError, need
from coterie.core.params import kind_of
from coterie.core.workplace import workplace
from coterie.run.far import Done, done, versions_here

_LARGE = 2**16  # bytes from which an array travels by itself and is known again by what is in it
_WAITING = 3  # tasks per thread of the cluster that are with the workers
_AHEAD = 16  # tasks per thread that may be done before their turn
_WAIT = 10.0  # seconds for a scheduler or a worker to answer
_ALONE = 60.0  # seconds without any worker after which the work is given up
_TRIES = 60  # times that data is sent to workers that die meanwhile
_LOST = 500  # tasks lost one after the other, with none done, after which the work is given up
_KEPT = 4  # works that may pass before what only earlier ones used is forgotten
_LOOK = 0.25  # seconds between looks at what became of the tasks


@dataclass(eq=False)
class _Sent:
    """A task that was sent: where it stands among the tasks, and its future."""

    index: int
    task: Any
    future: Any


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
    _held: dict[str, tuple[Any, int]] = field(default_factory=dict)  # what lies on the workers: name -> (future, last used)
    _works: int = 0

    @classmethod
    def at(cls, given: Any) -> Cluster:
        """The cluster at an address (tcp://host:port), of a dask Client, or of a dask cluster object."""
        if isinstance(given, Cluster):
            return given
        distributed = need("distributed", extra="dask")
        if isinstance(given, distributed.Client):
            found = cls(given)
        elif isinstance(given, (str, distributed.deploy.Cluster)):
            found = cls(_joined(distributed, given), owned=True)
        else:
            said = "the address of a Dask scheduler such as 'tcp://10.0.0.1:8786', or a Client"
            raise ParameterError(f"using: cluster must be {said}, and was {kind_of(given)}.")
        try:
            found.check()
        except BaseException:
            found.close()
            raise
        return found

    @property
    def name(self) -> str:
        """Where the scheduler is."""
        return str(getattr(self.client.scheduler, "address", "its address"))

    def check(self) -> None:
        """Refuse a cluster without workers, or whose workers have other versions of what the results depend on."""
        try:
            self.client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError as error:
            raise ClusterError(f"The cluster at {self.name} has no workers; start some with: dask worker {self.name}") from error
        try:
            told = self.client.run(versions_here, on_error="return")
        except Exception as error:
            raise ClusterError(f"The workers of the cluster at {self.name} do not answer: {_line(error)}.") from error
        wanted = versions_here()
        for worker, found in told.items():
            if not isinstance(found, dict):
                why = f"it cannot load coterie ({_line(found)})"
                raise ClusterError(f"The worker {worker} cannot be used: {why}; install the same coterie there as here.")
            other = [
                f"{name} {found.get(name)} where this process has {wanted[name]}"
                for name in wanted
                if found.get(name) != wanted[name]
            ]
            if other:
                raise ClusterError(
                    f"The worker {worker} has {', '.join(other)}, and results would differ; install the same there."
                )

    def threads(self) -> int:
        """Tasks that can run at once now; 0 when there is no worker."""
        return sum(int(worker["nthreads"]) for worker in self.client.scheduler_info(n_workers=-1)["workers"].values())

    def spread(self, work: Callable[[int, Any], Any], tasks: Iterator[tuple[int, Any]]) -> Iterator[Finished]:
        """Do the tasks on the workers; see `coterie.core.crew.Crew`."""
        return _Round(self, work, tasks).finished()

    def placed(self, work: Callable[[int, Any], Any]) -> _Placed:
        """Bring work to the workers: its large arrays one by one, each only when it is not there from before."""
        import cloudpickle

        large: list[Any] = []

        def aside(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < _LARGE:
                return True
            large.append(raw)
            return False

        frame = cloudpickle.dumps(work, protocol=5, buffer_callback=aside)
        self._works += 1
        arrays = [self._put(np.frombuffer(raw, dtype=np.uint8)) for raw in large]
        mark = hashlib.blake2b(frame, digest_size=16)
        for future in arrays:
            mark.update(future.key.encode())
        found = _Placed(mark.hexdigest(), self._put(np.frombuffer(frame, dtype=np.uint8)), arrays)
        self._held = {key: held for key, held in self._held.items() if held[1] > self._works - _KEPT}
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
        seen, problem = time.monotonic(), None
        for _ in range(_TRIES):
            try:
                return self.client.scatter({key: raw}, broadcast=True, timeout=_WAIT)[key]
            except Exception as error:
                problem = error
            seen = time.monotonic() if self.threads() else seen
            if time.monotonic() - seen > _ALONE:
                break
            workplace().stop_if_asked()
            time.sleep(_LOOK)
        raise ClusterError(f"The cluster at {self.name} has no workers left; {_RESUME}.") from problem

    def close(self) -> None:
        """Let go of the data on the workers, and of the client where it is ours."""
        self._held.clear()
        if self.owned:
            self.client.close(timeout=_WAIT)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("a cluster stays with the process that joined it")


_RESUME = "start workers and go on with coterie resume, or run without the cluster"


class _Round:
    """One spread: a window of tasks on the workers, watched until all are done."""

    def __init__(self, cluster: Cluster, work: Callable[[int, Any], Any], tasks: Iterator[tuple[int, Any]]) -> None:
        self.cluster, self.work, self.tasks = cluster, work, tasks
        self.sent: dict[str, _Sent] = {}
        self.news: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.serial = itertools.count()
        self.lost = 0  # one after the other
        self.last = 0  # the task sent last

    def finished(self) -> Iterator[Finished]:
        """The tasks as they are done."""
        first = next(self.tasks, None)
        if first is None:
            return
        self.tasks = itertools.chain([first], self.tasks)
        self.placed = self.cluster.placed(self.work)
        more, seen = True, time.monotonic()
        try:
            while True:
                threads = self.cluster.threads()
                while more and self._room(threads):
                    more = self._send(next(self.tasks, None))
                if not self.sent:
                    return
                for sent in self._news():
                    answer = self._answer(sent)
                    if answer is not None:
                        self.lost = 0
                        yield Finished(sent.index, answer.result, answer.seconds)
                seen = time.monotonic() if threads else seen
                if time.monotonic() - seen > _ALONE:
                    raise ClusterError(f"The cluster at {self.cluster.name} has no workers left; {_RESUME}.")
                workplace().stop_if_asked()
        finally:
            left = [sent.future for sent in self.sent.values()]
            if left and self.cluster.client.status == "running":
                self.cluster.client.cancel(left, force=True)

    def _room(self, threads: int) -> bool:
        """Whether one more task may be sent: few are waiting, and none far ahead of the first that is not done."""
        behind = min((sent.index for sent in self.sent.values()), default=self.last)
        return len(self.sent) < _WAITING * max(threads, 1) and self.last - behind < _AHEAD * max(threads, 1)

    def _send(self, one: tuple[int, Any] | None) -> bool:
        if one is None:
            return False
        index, task = one
        self.last = max(self.last, index)
        key = f"coterie-task-{self.placed.mark}-{index}-{next(self.serial)}"
        submit = self.cluster.client.submit
        future = submit(done, self.placed.mark, self.placed.frame, self.placed.arrays, index, task, key=key, pure=False)
        self.sent[key] = _Sent(index, task, future)
        self.cluster.n_sent += 1
        future.add_done_callback(self.news.put)
        return True

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
            found = [sent.future for sent in self.sent.values() if sent.future.status not in ("pending", "finished")]
            if not self.placed.whole():
                found = [sent.future for sent in self.sent.values() if sent.future.status != "finished"]
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
                return answer
            except (Exception, CancelledError) as error:  # its worker died between the news and the asking
                problem = error
        elif future.status == "error":
            problem = future.exception(timeout=_WAIT)
        if problem is not None and type(problem).__name__ not in _OF_THE_CLUSTER:
            raise problem
        self._again(sent, problem)
        return None

    def _again(self, sent: _Sent, error: BaseException | None) -> None:
        """Send a lost task again; where the data was lost too it is placed again first."""
        self.lost += 1
        self.cluster.n_lost += 1
        if self.lost > _LOST:
            why = f" ({_line(error)})" if error is not None else ""
            raise ClusterError(f"The workers of the cluster at {self.cluster.name} are lost again and again{why}; {_RESUME}.")
        sent.future.cancel(force=True)
        if not self.placed.whole():
            self.placed = self.cluster.placed(self.work)
        self._send((sent.index, sent.task))


_OF_THE_CLUSTER = {"KilledWorker", "FutureCancelledError", "CancelledError", "CommClosedError", "FutureLostError", "TimeoutError"}


def _joined(distributed: Any, given: Any) -> Any:
    """A client of the cluster."""
    try:
        return distributed.Client(given, timeout=_WAIT, set_as_default=False)
    except Exception as error:
        where = f"'{given}'" if isinstance(given, str) else "the cluster given"
        raise ClusterError(f"No Dask scheduler answers at {where} ({_line(error)}); start one with: dask scheduler") from error


def _line(error: Any) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__

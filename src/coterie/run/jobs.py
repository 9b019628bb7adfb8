"""Jobs: work that was asked for, done by processes of its own, one or two at a time; the queue is a folder of the store.

Whoever asks may end: a job goes on, and a queue that was left is taken up by the next one who looks after it. A job is an action
(see `coterie.run.worker`) on a target, and works in a folder of its own, where it says how far it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from coterie.core.errors import StoreError
from coterie.run.bundle import alive, birth, make_folder, write_text
from coterie.run.live import FILE, STOP, read_live
from coterie.run.turns import turn

WAITING = "waiting"
WORKING = "working"
DONE = "done"
FAILED = "failed"
GONE = "gone"
_QUEUE = ".jobs"
_AT_ONCE = 2  # jobs that work at the same time
QUICK = frozenset(
    {"look", "core", "session", "session-back"}
)  # short work: one of it goes beside those of hours
_KEPT = 60  # finished jobs that are remembered
_BIRTH = 60.0  # seconds in which a process that was started must have said a word


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work: what is done, on what, where it writes, and how it stands."""

    id: str
    action: str
    target: str
    folder: str  # below the store
    asked: float
    status: str = WAITING
    started: float = 0.0
    pid: int = 0
    birth: str = ""
    problem: str = ""

    @property
    def going(self) -> bool:
        """Whether it waits or works."""
        return self.status in (WAITING, WORKING)


def _job(said: Mapping[str, Any]) -> Job:
    """A job as it was kept; refused where a value is of another kind than it must be."""
    job = Job(**said)
    for name, kind in (
        ("id", str),
        ("action", str),
        ("target", str),
        ("folder", str),
        ("status", str),
        ("pid", int),
    ):
        if not isinstance(getattr(job, name), kind):
            raise TypeError(name)
    return replace(job, asked=float(job.asked), started=float(job.started))


class Jobs:
    """The queue of a store; every method may be called by several processes and threads at once."""

    def __init__(self, store: Path, at_once: int = _AT_ONCE) -> None:
        self.store = store
        self.at_once = at_once
        self.queue = store / _QUEUE
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    # ---- asking ---------------------------------------------------------------------------------------------------

    def ask(self, action: str, target: str, folder: Path) -> Job:
        """Put a job into the queue; one that waits or works already is given back instead."""
        make_folder(self.queue)
        with self._turn():  # two who ask at once get one job
            there = self.of(action, target)
            if there is not None and there.going:
                return there
            make_folder(folder)
            for left in (STOP, FILE):
                (folder / left).unlink(missing_ok=True)
            job = Job(
                uuid4().hex[:12], action, target, str(folder.relative_to(self.store)), time.time()
            )
            self._keep(job)
        self.look_after()
        return self.of(action, target) or job

    def stop(self, action: str, target: str) -> None:
        """Ask a job to end at its next step; one that waits is taken out of the queue."""
        if not self.queue.is_dir():
            return
        with self._turn():
            job = self.of(action, target)
            if job is None or not job.going:
                return
            if job.status == WAITING:
                self._keep(replace(job, status=GONE))
                return
            with contextlib.suppress(OSError):  # the folder may have gone with its run
                (self.store / job.folder / STOP).touch()

    def of(self, action: str, target: str) -> Job | None:
        """The last job of this kind on this target."""
        found = [job for job in self.every() if (job.action, job.target) == (action, target)]
        return max(found, key=lambda job: job.asked, default=None)

    def live(self, job: Job) -> Mapping[str, Any]:
        """What the job said last: tasks, notes, curves."""
        return read_live(self.store / job.folder)

    def every(self) -> list[Job]:
        """All jobs that are remembered, the oldest first, as they stand now."""
        found = []
        for path in self.queue.glob("[!.]*.json"):
            try:
                found.append(self._seen(_job(json.loads(path.read_text(encoding="utf-8")))))
            except (
                OSError,
                ValueError,
                TypeError,
                RecursionError,
            ):  # damaged, or by other hands: not a job of ours
                continue
        return sorted(found, key=lambda job: (job.asked, job.id))

    # ---- looking after the queue ----------------------------------------------------------------------------------

    def look_after(self) -> None:
        """Start jobs that wait, as many as may work at once, the oldest first; forget old ones."""
        if not self.queue.is_dir():
            return
        with self._turn():
            self._look_after()

    def _look_after(self) -> None:
        self._reap()
        jobs = self.every()
        for quick in (False, True):
            these = [job for job in jobs if (job.action in QUICK) is quick]
            free = (1 if quick else self.at_once) - sum(job.status == WORKING for job in these)
            for job in [job for job in these if job.status == WAITING][: max(free, 0)]:
                self._start(job)
        over = [job for job in jobs if not job.going][:-_KEPT]
        for job in over:
            self._path(job).unlink(missing_ok=True)

    def close(self) -> None:
        """Whoever looks after the queue ends; jobs that work go on by themselves."""
        self._reap()

    def _start(self, job: Job) -> None:
        self._keep(
            replace(job, status=WORKING, started=time.time())
        )  # the worker itself says which process it is
        log = self.store / job.folder / "worker.log"
        # -P: no module is ever taken from the folder it works in
        command = [
            sys.executable,
            "-P",
            "-m",
            "coterie.run.worker",
            job.action,
            str(self.store),
            job.target,
            job.id,
        ]
        try:
            with log.open("ab") as said:
                child = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    start_new_session=True,
                    cwd=str(self.store),
                )
        except OSError as error:
            self._keep(
                replace(
                    job, status=FAILED, problem=f"The work could not be begun ({error.strerror})."
                )
            )
            return
        self._children[job.id] = child

    def begun(self, name: str) -> Job | None:
        """A worker's first word on its job: this process does it."""
        for job in self.every():
            if job.id == name:
                job = replace(job, status=WORKING, pid=os.getpid(), birth=birth(os.getpid()))
                self._keep(job)
                return job
        return None

    def _reap(self) -> None:
        for name, child in list(self._children.items()):
            if child.poll() is not None:
                self._children.pop(name, None)
                for job in self.every():  # one that ended without a word, perhaps before its first
                    if job.id == name and job.status == WORKING:
                        self._keep(replace(job, status=GONE))

    def _seen(self, job: Job) -> Job:
        """The job as it stands: one whose process is gone without a word is gone."""
        if job.status != WORKING:
            return job
        child = self._children.get(job.id)
        left = child is not None and child.poll() is not None
        gone = not alive(job.pid, job.birth) if job.pid else time.time() - job.started > _BIRTH
        if gone or left:
            with contextlib.suppress(
                OSError, ValueError, TypeError
            ):  # it may have said its last word in between
                said = _job(json.loads(self._path(job).read_text(encoding="utf-8")))
                if said.status != WORKING:
                    return said
            return replace(job, status=GONE)
        return job

    def ended(self, name: str, problem: str = "") -> None:
        """A worker's last word on its job."""
        for job in self.every():
            if job.id == name:
                self._keep(replace(job, status=FAILED if problem else DONE, problem=problem))

    def kill(self, action: str, target: str) -> None:
        """End a job at once, whatever it does; what it finished is kept."""
        job = self.of(action, target)
        if job is not None and job.status == WORKING and alive(job.pid, job.birth):
            with contextlib.suppress(OSError):
                os.kill(job.pid, signal.SIGTERM)

    def _turn(self) -> contextlib.AbstractContextManager[None]:
        """One at a time among all who change the queue."""
        return turn(self.queue / ".lock")

    def _path(self, job: Job) -> Path:
        return self.queue / f"{job.id}.json"

    def _keep(self, job: Job) -> None:
        with contextlib.suppress(FileNotFoundError):
            write_text(self._path(job), json.dumps(asdict(job)))
            return
        raise StoreError("The queue of jobs is no longer there; the store was moved or removed.")

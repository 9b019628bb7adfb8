"""A Dask cluster of our own processes on this machine, started and stopped by a test; workers can be killed and replaced."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_START = 60.0  # seconds a scheduler or a worker may take to come up on a busy machine
_KILLS = 12  # at most, while a block runs


@dataclass
class Farm:
    """A scheduler and its workers, each a process."""

    folder: Path
    scheduler: subprocess.Popen[str]
    address: str
    workers: list[subprocess.Popen[str]] = field(default_factory=list)
    started: int = 0

    def add(self) -> subprocess.Popen[str]:
        """One more worker of one thread; it dies with its process."""
        self.started += 1
        words = [
            "worker",
            self.address,
            "--no-nanny",
            "--nthreads",
            "1",
            "--no-dashboard",
            "--host",
            "127.0.0.1",
        ]
        words += ["--name", f"worker-{self.started}", "--local-directory", str(self.folder)]
        worker = _process(words, self.folder / f"worker-{self.started}.log")
        self.workers.append(worker)
        return worker

    def kill(self, chance: random.Random) -> None:
        """Kill one worker with SIGKILL and start another."""
        victim = chance.choice(self.workers)
        victim.kill()
        victim.wait(_START)
        self.workers.remove(victim)
        self.add()

    @contextlib.contextmanager
    def disturbed(self, client: Any, every: float, seed: int = 0) -> Iterator[list[float]]:
        """A worker is killed every few seconds while the block runs, where others are left; gives the moments.

        Only so often: where workers take longer to start than they are left alive, nothing would ever be finished.
        """
        over = threading.Event()
        moments = list[float]()
        chance = random.Random(seed)

        def disturb() -> None:
            while len(moments) < _KILLS and not over.wait(every):
                if len(client.scheduler_info(n_workers=-1)["workers"]) > 1:
                    self.kill(chance)
                    moments.append(time.monotonic())

        thread = threading.Thread(target=disturb, daemon=True)
        thread.start()
        try:
            yield moments
        finally:
            over.set()
            thread.join(_START)

    def stop(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.send_signal(signal.SIGKILL)
        for process in [*self.workers, self.scheduler]:
            process.wait(_START)


@contextlib.contextmanager
def farm(folder: Path, n_workers: int) -> Iterator[Farm]:
    """A scheduler on a free port of this machine and so many workers."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "scheduler.log"
    words = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter"]
    scheduler = _process(words, log)
    found = Farm(folder, scheduler, "")
    try:
        found.address = _address(log, scheduler)
        for _ in range(n_workers):
            found.add()
        yield found
    finally:
        found.stop()


def _process(words: list[str], log: Path) -> subprocess.Popen[str]:
    with log.open("w") as out:
        environment = {**os.environ, "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False"}
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]],
            stdout=out,
            stderr=out,
            text=True,
            env=environment,
        )


def _address(log: Path, scheduler: subprocess.Popen[str]) -> str:
    until = time.monotonic() + _START
    while time.monotonic() < until and scheduler.poll() is None:
        found = re.search(r"tcp://127\.0\.0\.1:\d+", log.read_text())
        if found:
            return found[0]
        time.sleep(0.1)
    raise RuntimeError(f"no scheduler came up: {log.read_text()[-500:]}")

"""A server that can be killed and started again at the same address, and a visitor on the wire."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from tests.waiting import until


@contextlib.contextmanager
def held(pid: int) -> Iterator[None]:
    """A process that stands still meanwhile, so that nothing here depends on how fast it works."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


class Served:
    """`coterie serve` in a process of its own; `with Served(store) as served: served.address`."""

    def __init__(self, store: Path, *options: str) -> None:
        self.store = store
        self.options = options
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "coterie.cli.main",
            "serve",
            "--store",
            str(self.store),
            "--port",
            str(self.port),
            "--no-open",
        ]
        self.process = subprocess.Popen(
            [*command, *self.options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until(self._answers, 60, "the server does not answer")

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, "the server ended"
        try:
            return httpx.get(f"{self.address}/health", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def __enter__(self) -> Served:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()


class Caller(httpx.Client):
    """A visitor on the wire who sends the token of the forms."""

    def __init__(self, address: str) -> None:
        super().__init__(base_url=address, timeout=30)

    def change(self, path: str, body: Any = None, method: str = "POST") -> httpx.Response:
        found = re.search(r'name="csrf" content="([0-9a-f]{64})"', self.get("/docs").text)
        assert found
        return self.request(
            method, path, json={} if body is None else body, headers={"x-csrf-token": found[1]}
        )

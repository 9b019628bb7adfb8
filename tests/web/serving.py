"""Helpers of the page's tests: a store with small finished runs, a visitor without a browser, and a real server here."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient

from coterie import Store, explore
from coterie.web.app import make_app
from coterie.web.settings import Serving

PORT = 8470
RUNS = {
    "topics": "sample:topics",
    "mail": "sample:mail",
    "mixed": "sample:mixed",
    "traces": "sample:traces",
}


def filled(folder: Path, names: tuple[str, ...] = ("topics", "mail", "mixed", "traces")) -> Path:
    """A store with finished runs topics-1, mail-1, mixed-1, traces-1 (those named)."""
    for name in names:
        explore(RUNS[name], store=folder, name=name, nulls=2, max_k=9)
    explore(
        "sample:letters_in_two_languages", store=folder, name="letters", views="all", nulls=0, k=6
    )
    return folder


class Visitor(TestClient):
    """A visitor who keeps cookies and sends the form's token with every change."""

    def __init__(self, store: Path, **serving: Any) -> None:
        settings = Serving(store, **{"port": PORT, **serving})
        super().__init__(
            make_app(settings),
            base_url=f"http://127.0.0.1:{settings.port}",
            raise_server_exceptions=False,
        )
        self.store = Store(store)
        self.csrf = ""

    def token(self) -> str:
        """The token of this visitor's forms."""
        if not self.csrf:
            found = re.search(r'name="csrf" content="([0-9a-f]{64})"', self.get("/docs").text)
            assert found, "the page has no token"
            self.csrf = found.group(1)
        return self.csrf

    def change(self, path: str, body: Any = None, method: str = "POST") -> httpx.Response:
        """A change, as the page's own scripts send it."""
        return self.request(
            method, path, json={} if body is None else body, headers={"x-csrf-token": self.token()}
        )


@contextmanager
def server(store: Path, *options: str) -> Iterator[str]:
    """`coterie serve` in a process of its own on a free port; gives its address, and ends with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "coterie.cli.main",
        "serve",
        "--store",
        str(store),
        "--port",
        str(port),
        "--no-open",
        *options,
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            if process.poll() is not None:
                raise AssertionError((process.stderr.read() if process.stderr else b"").decode())
            try:
                if httpx.get(f"{address}/health", timeout=2).status_code == 200:
                    break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

"""coterie serve: what it says, which address and port it takes, and what it refuses."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from coterie.web import serving as module
from coterie.web.serving import bound
from coterie.web.settings import MEGA, Serving

from .running import coterie, refused

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")


class Server:
    """Stands for uvicorn: keeps what it would serve, and ends."""

    def __init__(self) -> None:
        self.serving: Serving | None = None
        self.opened: list[str] = []

    def served(self, serving: Serving, *, open_browser: bool, port_given: bool, say: Any) -> None:
        listening, self.serving = bound(serving, port_given)
        listening.close()
        self.opened = ["x"] if open_browser else []
        say("served")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    found = Server()
    monkeypatch.setattr(module, "serve", found.served)
    return found


def test_it_serves_this_machine_alone_without_a_token(server: Server, tmp_path: Path) -> None:
    said = coterie(
        "serve", "--store", tmp_path / "mine", "--port", 0, "--no-open", "--jobs", 3, "--upload", 7
    )
    assert (said.code, said.err) == (0, "")
    serving = server.serving
    assert serving is not None
    assert (serving.host, serving.token, serving.local) == ("127.0.0.1", "", True)
    assert serving.store == tmp_path / "mine"
    assert (serving.at_once, serving.upload) == (3, 7 * MEGA)
    assert serving.port > 0
    assert server.opened == []


@pytest.mark.parametrize("host", ["0.0.0.0"])
def test_any_other_address_gets_a_token(server: Server, tmp_path: Path, host: str) -> None:
    tokens = []
    for _ in range(2):
        assert coterie("serve", "--store", tmp_path, "--host", host, "--port", 0).code == 0
        assert server.serving is not None
        tokens.append(server.serving.token)
        assert not server.serving.local
    assert min(map(len, tokens)) >= 32
    assert tokens[0] != tokens[1]
    assert server.opened == ["x"]


def test_the_usual_port_or_the_next_and_the_one_that_was_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        listening, serving = bound(Serving(tmp_path, port=port), port_given=False)
        listening.close()
        assert port < serving.port <= port + 20
        sentence = refused("serve", "--store", tmp_path, "--port", port, "--no-open")
        assert sentence.startswith(f"The page cannot be served at 127.0.0.1:{port} (")
        assert "--port" in sentence


def test_addresses_are_written_as_a_browser_reads_them(tmp_path: Path) -> None:
    assert Serving(tmp_path, "::1", 9).address == "http://[::1]:9/"
    assert Serving(tmp_path, "0.0.0.0", 9).address == "http://127.0.0.1:9/"


@pytest.mark.parametrize(
    "words",
    [("--port", "70000"), ("--port", "x"), ("--jobs", "0"), ("--upload", "0"), ("--nothing",)],
)
def test_what_cannot_be_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert coterie("serve", "--store", tmp_path, *words).code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "is a file" in refused("serve", "--store", tmp_path / "file", "--no-open", "--port", 0)


def test_a_host_that_is_none_is_refused(tmp_path: Path) -> None:
    for host in ("", " ", "no such host", "256.256.256.256", "a" * 100):
        assert "cannot be served" in refused(
            "serve", "--store", tmp_path, "--host", host, "--no-open", "--port", 0
        )


def test_the_real_command_says_the_address_and_the_token_once_and_ends_with_ctrl_c(
    tmp_path: Path,
) -> None:
    import signal

    command = [
        sys.executable,
        "-u",
        "-m",
        "coterie.cli.main",
        "serve",
        "--store",
        str(tmp_path / "s"),
        "--host",
        "0.0.0.0",
        "--port",
        "0",
        "--no-open",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        found = re.fullmatch(
            r"coterie is at (http://127\.0\.0\.1:\d+/)\?token=([\w-]{32,})\n", first
        )
        assert found, first
        address, token = found.groups()
        import httpx

        deadline = time.monotonic() + 30
        while True:
            try:
                assert httpx.get(address, timeout=5).status_code == 401
                break
            except httpx.ConnectError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        with httpx.Client(base_url=address, follow_redirects=True, timeout=20) as visitor:
            assert visitor.get(f"/?token={token}").status_code == 200
            assert token not in str(visitor.get("/collections").url)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert token not in out + err
        assert "Traceback" not in err
        assert process.returncode in (0, 130, -2)
    finally:
        process.kill()
        process.wait()
    for path in (tmp_path / "s").rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes()  # it is kept nowhere

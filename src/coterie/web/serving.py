"""Serving: the page on an address of this machine, until it is stopped."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from coterie.core.errors import ParameterError
from coterie.web.settings import Serving

_TRIED = 20  # ports looked at when none was named


def serve(
    serving: Serving,
    *,
    open_browser: bool = True,
    port_given: bool = False,
    say: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C; says the address, and the token where one is needed, once."""
    import uvicorn

    listening, serving = bound(serving, port_given)
    from coterie.web.app import make_app

    shown = f"{serving.address}?token={serving.token}" if serving.token else serving.address
    config = uvicorn.Config(
        make_app(serving),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=3,
    )
    server = uvicorn.Server(config)
    say(f"coterie is at {shown}")
    if not serving.local and serving.names:
        say(
            f"From other machines it is at http://{serving.names[0]}:{serving.port}/ with the same token."
        )
    say("Stop it with Ctrl-C; runs that work go on by themselves.")
    if open_browser:
        timer = threading.Timer(0.8, _open, (shown,))
        timer.daemon = True
        timer.start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def _open(address: str) -> None:
    with contextlib.suppress(
        Exception
    ):  # a machine without a browser has the address on its terminal
        webbrowser.open(address)


def bound(serving: Serving, port_given: bool) -> tuple[socket.socket, Serving]:
    """A socket on the address; where no port was named and the usual one is taken, the next free one."""
    if not serving.host.strip():  # the system would take it for every address there is
        raise ParameterError(
            "The page cannot be served without an address; leave it out, or name one.",
            parameter="host",
        )
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    ports = [serving.port] if port_given else range(serving.port, serving.port + _TRIED)
    problem: Any = None
    for port in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((serving.host, port))
            listening.listen(512)
        except (OSError, UnicodeError) as error:
            listening.close()
            problem = error
            continue
        return listening, replace(serving, port=listening.getsockname()[1])
    why = getattr(problem, "strerror", None) or "this is no address"
    raise ParameterError(
        f"The page cannot be served at {serving.host}:{serving.port} ({why}); name another port.",
        parameter="port",
    )

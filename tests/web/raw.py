"""Requests as nobody's library would send them: any bytes in any header, spoken to the application itself or on the wire."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

Headers = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for key, value in self.headers if key == name]

    def one(self, name: str) -> str:
        """The value of a header that must come once."""
        (found,) = self.all(name)
        return found

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


def ask(
    app: Any, path: str, headers: Headers, method: str = "GET", chunks: Iterable[bytes] = (b"",)
) -> Answer:
    """One request to an application, with exactly these headers; what it raises is raised here."""
    place, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(place),
        "raw_path": place.encode("ascii", "replace"),
        "query_string": query.encode("latin-1"),
        "root_path": "",
        "headers": [(key.encode("latin-1"), value.encode("latin-1")) for key, value in headers],
        "client": ("127.0.0.1", 9),
        "server": ("127.0.0.1", 8470),
        "state": {},
    }
    sent: list[Any] = []
    rest = list(chunks)

    async def receive() -> Any:
        if rest:
            return {"type": "http.request", "body": rest.pop(0), "more_body": bool(rest)}
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    begun = [message for message in sent if message["type"] == "http.response.start"]
    assert len(begun) == 1, sent
    told = [
        (key.decode("latin-1").lower(), value.decode("latin-1"))
        for key, value in begun[0]["headers"]
    ]
    return Answer(begun[0]["status"], told, b"".join(message.get("body", b"") for message in sent))


def spoken(address: str, said: bytes, seconds: float = 10.0) -> bytes:
    """What a real server answers to these bytes, until it closes or says no more."""
    where = urlsplit(address)
    with socket.create_connection(
        (where.hostname or "", where.port or 80), timeout=seconds
    ) as wire:
        found = b""
        try:
            wire.sendall(said)
            wire.shutdown(socket.SHUT_WR)
        except OSError:  # it may close before everything was said
            pass
        try:
            while len(found) < 1_000_000:
                part = wire.recv(65536)
                if not part:
                    break
                found += part
        except OSError:
            pass
    return found

"""How the page is served: where the store is, which address, what may be sent, and who may come in."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path

MEGA = 1_000_000


@dataclass(frozen=True, slots=True)
class Serving:
    """The circumstances of one server; nothing here is kept."""

    store: Path
    host: str = "127.0.0.1"
    port: int = 8470
    token: str = ""  # empty: whoever reaches the address may come in (this machine alone)
    body: int = 2 * MEGA  # bytes of one request that is not an upload
    upload: int = 2_000 * MEGA  # bytes of all files of one collection
    files: int = 100_000  # of one collection
    at_once: int = 1  # jobs that work at the same time
    names: tuple[str, ...] = field(default=())  # further names the machine is called by

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def address(self) -> str:
        """What a browser on this machine opens."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "localhost") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)

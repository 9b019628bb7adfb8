"""A client of a Dask cluster, from whatever names one; what names none is refused at once, and leaves nothing behind."""

from __future__ import annotations

import re
import socket
import time
from typing import Any

from coterie.core.errors import ClusterError, ParameterError, need
from coterie.core.params import kind_of

_WAIT = 10.0  # seconds for a scheduler to answer
_LOOK = 0.25  # seconds between two knocks


def client_of(given: Any) -> tuple[Any, bool]:
    """A client of the cluster at an address (tcp://host:port), of a dask Client or a dask cluster object; whether it is ours."""
    distributed = need("distributed", extra="dask")
    if isinstance(given, distributed.Client):
        return _open(given), False
    if isinstance(given, distributed.deploy.Cluster) or (
        isinstance(given, str) and _is_address(distributed, given)
    ):
        return _joined(distributed, given), True
    said = "the address of a Dask scheduler such as 'tcp://10.0.0.1:8786', or a Client"
    was = repr(given) if isinstance(given, str) else kind_of(given)
    raise ParameterError.of("using", "cluster", f"must be {said}, and was {was}.")


def _is_address(distributed: Any, given: str) -> bool:
    """Whether some words can be the address of a scheduler; Dask itself notices late, and then waits for what was never begun."""
    scheme, rest = given.split("://", 1) if "://" in given else ("tcp", given)
    try:
        distributed.comm.registry.get_backend(scheme)
    except ValueError:
        return False
    return scheme == "inproc" or re.fullmatch(r"[^\s/]+:\d{1,5}", rest) is not None


def _joined(distributed: Any, given: Any) -> Any:
    """A client of the cluster."""
    try:
        if isinstance(given, str):
            _knock(distributed, given)
        return distributed.Client(given, timeout=_WAIT, set_as_default=False)
    except Exception as error:
        where = f"'{given}'" if isinstance(given, str) else "the cluster given"
        raise ClusterError(
            f"No Dask scheduler answers at {where} ({in_a_line(error)}); start one with: dask scheduler"
        ) from error


def _knock(distributed: Any, address: str) -> None:
    """Wait a little until something listens there: a Client that finds nothing stays half open, and blocks whoever ends it."""
    if "://" in address and not address.startswith(("tcp:", "tls:")):
        return
    place = distributed.comm.get_address_host_port(address)
    until = time.monotonic() + _WAIT
    while True:
        try:
            socket.create_connection(place, timeout=_WAIT).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
        time.sleep(_LOOK)


def _open(client: Any) -> Any:
    """A client that can be used from here."""
    if client.asynchronous:
        raise ParameterError.of(
            "using",
            "cluster",
            "must be a Client with asynchronous=False, and was one that is awaited.",
        )
    if client.status != "running":
        raise ClusterError(
            f"The dask Client given is not connected (it is {client.status}); make a new one."
        )
    return client


def in_a_line(error: Any) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__

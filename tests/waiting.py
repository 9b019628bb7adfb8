"""Wait for something that another thread or process does, with a limit; never for a time that should be enough."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(
    there: Callable[[], Any], seconds: float = 60.0, otherwise: str = "it took too long"
) -> Any:
    """Wait for something; gives it."""
    deadline = time.monotonic() + seconds
    while True:
        found = there()
        if found:
            return found
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.05)

"""CPU seconds of a piece of work, as the benchmarks beside this file measure them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def timed(work: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
    """Median CPU seconds, and what the work gave."""
    found, result = [], None
    for _ in range(times):
        begun = time.process_time()
        result = work()
        found.append(time.process_time() - begun)
    return statistics.median(found), result


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Median CPU seconds, after a first run that compiles."""
    work()
    return timed(work, times)[0]

"""How the benchmarks beside this file measure: by turns, CPU seconds of one thread; the top of benchmarks/table.py says more."""

from __future__ import annotations

import math
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from coterie.core.workplace import using

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from table import Row, amount, report

__all__ = [
    "OURS",
    "Race",
    "Row",
    "alone",
    "amount",
    "peak_since",
    "quick",
    "race",
    "report",
    "seconds",
    "sizes",
    "timed",
]

OURS = "coterie"
_SHORTEST = 0.05  # seconds; what takes less is done several times in a turn


def quick() -> bool:
    """Whether smaller sizes are asked for."""
    return "--quick" in sys.argv or bool(os.environ.get("COTERIE_BENCH_QUICK"))


def sizes(full: tuple[int, ...], small: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes to run at; numbers of the command line come first."""
    given = tuple(int(word) for word in sys.argv[1:] if word.isdigit())
    return given + (small if quick() else full)[len(given) :]


def spent() -> float:
    """CPU seconds of this process and of those it started that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def peak_since(begin: bool = False) -> float:
    """The highest memory of this process since `begin` was last said, in bytes."""
    try:
        if begin:
            Path("/proc/self/clear_refs").write_text("5")
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024.0 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    except (OSError, StopIteration):
        return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def timed(work: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
    """Median CPU seconds, and what the work gave."""
    found = []
    result = None
    for _ in range(times):
        begun = spent()
        result = work()
        found.append(spent() - begun)
    return statistics.median(found), result


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Median CPU seconds, after a first run that compiles."""
    work()
    return timed(work, times)[0]


@dataclass
class Race:
    """What was measured, by name: seconds of every turn and the last result; and the highest memory during our turns."""

    turns: dict[str, list[float]] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    scale: dict[str, float] = field(default_factory=dict)
    peak: float = 0.0
    unit: str = "CPU s"

    def taken(self, name: str = OURS) -> float:
        """Median seconds."""
        return statistics.median(self.turns[name])

    def ratios(self, peer: str) -> list[float]:
        """The peer's seconds over ours, turn by turn; a peer with fewer turns is set against our median."""
        ours = self.turns[OURS]
        theirs = self.turns[peer]
        own = ours if len(ours) == len(theirs) else [self.taken()] * len(theirs)
        return [other / max(one, 1e-9) for one, other in zip(own, theirs, strict=True)]

    def row(
        self, section: str, name: str, size: str = "", *, peer: str, note: str = "", **more: Any
    ) -> Row:
        """The row of ours against one peer."""
        if peer not in self.turns:
            own = {"ours": self.taken(), "unit": self.unit} | more
            return Row(
                section, name, size, peer=peer, failed=f"{peer} is not installed", note=note, **own
            )
        ratios = self.ratios(peer)
        times = self.scale.get(peer, 1.0)
        words = [note] if note else []
        if times != 1.0:
            words.append(f"{peer} ran on a part, times {times:.3g}")
        if len(ratios) == 1:
            words.append("one turn")
        given = {
            "ours": self.taken(),
            "theirs": self.taken(peer),
            "ratio": statistics.median(ratios),
        }
        given |= {
            "low": min(ratios),
            "high": max(ratios),
            "unit": self.unit,
            "note": "; ".join(words),
            "peak": self.peak or None,
        }
        return Row(section, name, size, peer=peer, **(given | more))


def race(
    works: Mapping[str, Callable[[], Any]],
    times: int = 3,
    *,
    warm: bool = True,
    scale: Mapping[str, float] | None = None,
    wall: bool = False,
    once: tuple[str, ...] = (),
) -> Race:
    """Every work in turn, several times, one thread each; `once` names those that are too slow for more than one turn.

    Ours is called "coterie". With `warm` a first turn of all but those is not counted. `wall` measures seconds on the clock, and
    then neither threads nor workers are limited.
    """
    found = Race(scale=dict(scale or {}), unit="wall s" if wall else "CPU s")
    if wall:
        _turns(found, works, times, warm, once, time.perf_counter)
    else:
        with using(n_jobs=1):
            _turns(found, works, times, warm, once, spent)
    return found


def _turns(
    found: Race,
    works: Mapping[str, Callable[[], Any]],
    times: int,
    warm: bool,
    once: tuple[str, ...],
    clock: Callable[[], float],
) -> None:
    again = dict.fromkeys(works, 1)
    limits = 1 if clock is spent else None
    for turn in range(-1 if warm else 0, times):
        for name, work in works.items():
            if name in once and turn != 0:
                continue
            peak_since(begin=True)
            with threadpool_limits(
                limits
            ):  # anew in every turn, for libraries that the turn before has loaded
                begun = clock()
                for _ in range(again[name]):
                    result = work()
                taken = (clock() - begun) / again[name]
            if turn < 0:
                again[name] = min(max(math.ceil(_SHORTEST / max(taken, 1e-9)), 1), 20)
            if turn >= 0:
                found.turns.setdefault(name, []).append(taken * found.scale.get(name, 1.0))
                found.results[name] = result
            if name == OURS:
                found.peak = max(found.peak, peak_since())


def alone(function: Callable[..., Any], *given: Any) -> tuple[Any, float]:
    """Run a function of a module in a fresh process: what it returned, and the highest memory of that process in bytes."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_with_peak, function, *given).result()


def _with_peak(function: Callable[..., Any], *given: Any) -> tuple[Any, float]:
    return function(*given), 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

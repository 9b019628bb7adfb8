"""Whether using(memory=...) is kept: the highest growth of the process inside the block, over the memory that was declared.

    python benchmarks/speed/memory.py [--quick] [driver ...]

Every driver runs in a process of its own: a small run first, so that libraries are loaded and kernels compiled, then the data,
then the block with its budget. The peak is the system's own (VmHWM, reset before the block) less what was held at its start;
where the driver leaves numbers in files, it is that of the process's own pages, read every 3 milliseconds: pages of files are
the system's, which takes them back when it needs them.
A driver that refuses is run again in a new process with the number that its sentence names, which must be enough and be kept.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import memory_drivers as drivers
from timing import Row, peak_since, quick, report

from coterie.core.errors import DataError
from coterie.core.workplace import _tidy, parse_bytes, resident, using

_LONGEST = 400  # seconds for one driver
_NAMED = re.compile(r"coterie\.using\(memory='([^']+)'\)")


class Own(threading.Thread):
    """The highest growth of the memory of this process without pages of files."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.begin = resident()
        self.peak = 0.0
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.003):
            self.peak = max(self.peak, resident() - self.begin)

    def __enter__(self) -> Own:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.join()


def child(name: str, size: int, budget: int) -> None:
    """One driver in this process; what was found goes out as one line of JSON."""
    warnings.simplefilter("ignore")
    make = drivers.DRIVERS[name].make
    make(drivers.DRIVERS[name].tiny)()
    work = make(size)
    _tidy()  # what was freed and is still held would hide as much of the growth
    peak_since(begin=True)
    before = peak_since()
    begun = time.perf_counter()
    found = {}
    with using(memory=budget), Own() as own:
        try:
            kept = work()  # held until the peak is read
            found["kept"] = type(kept).__name__
        except DataError as refusal:
            found["refused"] = str(refusal)
    peak = own.peak if drivers.DRIVERS[name].mapped else peak_since() - before
    found |= {"peak": max(0.0, peak), "seconds": time.perf_counter() - begun}
    print("FOUND " + json.dumps(found), flush=True)


def measured(name: str, size: int, budget: int) -> dict:
    """What the child found, or why there is none."""
    command = [
        sys.executable,
        str(Path(__file__).resolve()),
        "--child",
        name,
        str(size),
        str(budget),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"it took more than {_LONGEST} seconds"}
    line = next((line for line in done.stdout.splitlines() if line.startswith("FOUND ")), None)
    if line is None:
        return {"failed": (done.stderr.strip().splitlines() or ["no word"])[-1][:200]}
    return json.loads(line.removeprefix("FOUND "))


def judge(name: str, size: int, budget: int) -> None:
    """One row where it was kept; where it was refused, one that says so, and one with the number that was named."""
    driver = drivers.DRIVERS[name]
    what = f"{size:,} {driver.unit}"
    found = measured(name, size, budget)
    if "failed" in found:
        report(Row("memory", driver.words, what, budget=budget, failed=found["failed"]))
        return
    note = ""
    if "refused" in found:
        named = _NAMED.search(found["refused"])
        if named is None:
            report(
                Row(
                    "memory",
                    driver.words,
                    what,
                    budget=budget,
                    failed=f"refused without a number: {found['refused'][:160]}",
                )
            )
            return
        note = f"refused at {budget / 1e9:g} GB after {found['seconds']:.1f} s, and run again with the {named[1]} it names"
        budget = parse_bytes(named[1])
        found = measured(name, size, budget)
        if "refused" in found or "failed" in found:
            why = found.get("refused") or found.get("failed")
            report(
                Row(
                    "memory",
                    driver.words,
                    what,
                    budget=budget,
                    failed=f"the number named was not enough: {why[:200]}",
                )
            )
            return
    report(
        Row(
            "memory",
            driver.words,
            what,
            ours=found["seconds"],
            unit="wall s",
            peak=found["peak"],
            budget=budget,
            note=note,
        )
    )


def main() -> None:
    named = [word for word in sys.argv[1:] if not word.startswith("-")]
    for name, driver in drivers.DRIVERS.items():
        if named and name not in named:
            continue
        for size, budget in driver.sizes[:1] if quick() else driver.sizes:
            judge(name, size, int(budget))


if __name__ == "__main__":
    if "--child" in sys.argv:
        name, size, budget = sys.argv[2:5]
        child(name, int(size), int(budget))
    else:
        main()

"""The doctor on the machine: compiled kernels, threads and BLAS, memory, the graphics card, the terminal."""

from __future__ import annotations

import locale
import os
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coterie.run.doctor import Line, size

_GROUP = Path("/sys/fs/cgroup")  # limits of a container
_BEFORE = 1_735_689_600.0  # the year 2025: no clock is right that shows less


def kernels() -> Iterator[Line]:
    """Whether a compiled kernel gives the right number, and whether it has to be compiled again every time."""
    import numpy as np

    begun = time.perf_counter()
    try:
        from coterie._kernels.probe import kept_in, weighed
    except RuntimeError as error:  # numba found no folder at all
        yield Line(
            "wrong",
            f"Compiled kernels cannot be kept anywhere ({error}).",
            "Name a folder that may be written to in the environment variable NUMBA_CACHE_DIR.",
        )
        return
    found = weighed(np.arange(100.0))
    seconds = time.perf_counter() - begun
    if found != 328350.0:
        yield Line(
            "wrong",
            f"A compiled kernel gave {found} for 328350.",
            "Install numba and numpy again, in versions that match.",
        )
        return
    yield Line(
        "ok", f"A compiled kernel was loaded or made in {seconds:.1f} s and gives the right number."
    )
    folder = Path(kept_in())
    above = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if os.access(above, os.W_OK):
        yield Line("ok", f"Compiled kernels are kept in {folder}.")
    else:
        yield Line(
            "note",
            f"Compiled kernels cannot be kept in {folder}: those that are not there yet are compiled in every process.",
            "Name a folder that may be written to in the environment variable NUMBA_CACHE_DIR.",
        )


def threads() -> Iterator[Line]:
    """Cores, BLAS and its threads, and whether the number of workers changes a sum."""
    import numpy as np
    from threadpoolctl import threadpool_info

    import coterie._kernels.probe  # noqa: F401  so that numba's own threads are seen too
    from coterie.core.workplace import cores

    free = cores()
    quota = _quota()
    yield Line("ok", f"This process may use {free} of the {os.cpu_count()} cores of the machine.")
    if quota and quota < free:
        yield Line(
            "note",
            f"A limit of this container allows the time of {quota:.1f} cores, and {free} are seen.",
            f"Give --jobs {max(1, int(quota))}.",
        )
    (np.ones((8, 8)) @ np.ones((8, 8))).sum()  # loads what is loaded late
    pools = threadpool_info()
    for pool in [one for one in pools if one.get("user_api") == "blas"]:
        yield _pool(pool, free)
    if not any(pool.get("user_api") == "blas" for pool in pools):
        yield Line(
            "note",
            "No BLAS was recognized, so its threads cannot be set to one: sums may differ in their last digits.",
        )
    yield _same_sums()


def _pool(pool: dict[str, Any], free: int) -> Line:
    name = f"{pool.get('internal_api', 'a BLAS')} {pool.get('version') or ''}".strip()
    count = int(pool.get("num_threads", 1))
    if count > free:
        return Line(
            "note",
            f"{name} would start {count} threads on {free} cores; inside coterie it gets one per worker.",
            f"For your own code, set OMP_NUM_THREADS={free}.",
        )
    return Line(
        "ok",
        f"BLAS is {name} with {count} thread{'' if count == 1 else 's'}; inside coterie one per worker.",
    )


def _same_sums() -> Line:
    import numpy as np

    from coterie.core.workplace import using
    from coterie.parts.workers import in_order

    def product(seed: int) -> np.ndarray:
        values = np.random.default_rng(seed).normal(size=(97, 301))
        return values @ values.T

    found = []
    for workers in (1, 2):
        with using(n_jobs=workers):
            found.append(b"".join(one.tobytes() for one in in_order(product, list(range(4)), "")))
    if found[0] == found[1]:
        return Line("ok", "The same products on one worker and on two are the same bits.")
    return Line(
        "wrong",
        "The same products on one worker and on two differ: results depend on --jobs here.",
        "Set OMP_NUM_THREADS=1, or install numpy and scipy with another BLAS.",
    )


def memory() -> Iterator[Line]:
    """What the machine has, what coterie takes by itself, and what is free."""
    from coterie.core.workplace import Workplace, machine_memory

    whole = machine_memory()
    budget = Workplace().budget
    free = _free()
    limit = _limit()
    yield Line(
        "ok",
        f"The machine has {size(whole)} of memory; without --memory coterie takes up to {size(budget)} for a result.",
    )
    if limit and limit < 2 * budget:
        yield Line(
            "note",
            f"This container may use only {size(limit)} of it.",
            f"Give --memory {max(1, limit * 6 // 10**9) / 10:g}GB.",
        )
    if free and free < budget:
        what = (
            f"Only {size(free)} are free now, less than the {size(budget)} that a result may take."
        )
        yield Line(
            "note",
            what,
            f"Close something, or give --memory {max(1, int(free * 0.6 / 1e8)) / 10:g}GB.",
        )
    elif free:
        yield Line("ok", f"{size(free)} are free now.")


def gpu() -> Iterator[Line]:
    """The graphics card, as torch sees it."""
    if find_spec("torch") is None:
        yield Line(
            "note",
            "torch is not installed: all work is done on the processor.",
            "For a GPU: pip install 'coterie[neural]'",
        )
        return
    import torch

    if not torch.cuda.is_available():
        yield Line(
            "note",
            f"torch {torch.__version__} sees no usable graphics card: all work is done on the processor.",
        )
        return
    for number in range(torch.cuda.device_count()):
        name = torch.cuda.get_device_name(number)
        (free, whole) = torch.cuda.mem_get_info(number)
        found = float(torch.arange(1000, device=f"cuda:{number}", dtype=torch.float64).sum())
        if found == 499500.0:
            yield Line(
                "ok",
                f"cuda:{number} is {name}, {size(free)} of its {size(whole)} free, and gives the right number.",
            )
        else:
            yield Line(
                "wrong",
                f"cuda:{number} ({name}) gave {found} for 499500.",
                "Use --device cpu, and look at its driver.",
            )


def terminal() -> Iterator[Line]:
    """How text comes out, and whether the clock can be believed."""
    stream = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    names = sys.getfilesystemencoding().lower().replace("-", "")
    if stream != "utf8" or names != "utf8":
        yield Line(
            "note",
            f"Text is written as {stream or 'something unknown'} and file names are read as {names}: letters may be lost.",
            "Set PYTHONUTF8=1.",
        )
    else:
        where = (
            "a terminal" if sys.stderr.isatty() else "no terminal: progress comes as plain lines"
        )
        yield Line(
            "ok",
            f"Text and file names are UTF-8 (locale {locale.setlocale(locale.LC_CTYPE)}); output goes to {where}.",
        )
    if time.time() < _BEFORE:
        yield Line(
            "wrong",
            f"The clock of this machine shows the year {time.gmtime().tm_year}.",
            "Set it: runs are in its order.",
        )


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _quota() -> float:
    """Cores whose time a container may use; 0 for no limit."""
    words = _read(_GROUP / "cpu.max").split()
    return int(words[0]) / int(words[1]) if len(words) == 2 and words[0].isdigit() else 0.0


def _limit() -> int:
    """Bytes a container may use; 0 for no limit."""
    said = _read(_GROUP / "memory.max")
    return int(said) if said.isdigit() else 0


def _free() -> int:
    """Bytes that are free now; 0 where it cannot be asked."""
    for line in _read(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0

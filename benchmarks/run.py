"""Run every benchmark of benchmarks/speed in a process of its own, and write one table: this is `make bench`.

    python benchmarks/run.py [--quick] [--only NAME ...] [--longest SECONDS] [--aeon]
    python benchmarks/run.py --rest          goes on with a run that was stopped: the scripts that it has not measured
    python benchmarks/run.py --page          the pages again from benchmarks/results/last.json, nothing is measured
    python benchmarks/run.py --take FILE [--only gpu]     scripts measured on another machine, from its last.json

Writes benchmarks/results/last.json after every script, and from it docs/benchmarks.md and benchmarks/results/last.html. With
--quick sizes are small and results/quick.json and quick.html are written instead; --only measures some scripts again and leaves
the rows of the others. What was taken from another machine is said to be from there and is measured here only where --only
names it. A script that fails, or takes longer than it may, is a row that says so. The runner watches the memory
of all processes of a script; where a declared budget is kept, the row has the script's own peak. --aeon makes a Python of its
own for aeon in .venv/aeon, because it needs an older numba than coterie.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from pages import markdown, page, rows_of
from table import SECTIONS, Row

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS = HERE / "results"
PEERS = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "hmmlearn",
    "python-crfsuite",
    "dtaidistance",
    "tslearn",
    "sib-clustering",
    "markov-clustering",
    "pynndescent",
    "cca-zoo",
    "bm25s",
    "igraph",
    "leidenalg",
    "torch",
)
LONGEST = {
    False: 900.0,
    True: 240.0,
}  # seconds a script may take on a quiet machine, of full and of small sizes
_EVERY = 0.2  # seconds between two looks at the memory
_OUTSIDE = "it was ended from outside"
_MACHINE = re.compile(r"(?<![\w.<:/])/(?:home|root|Users|work|opt|mnt|tmp)/[\w./-]+")


def scripts() -> dict[str, Path]:
    """The benchmarks by name: the files that can be run."""
    found = sorted((HERE / "speed").glob("*.py"))
    return {
        path.stem: path
        for path in found
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
    }


def section_of(path: Path) -> str:
    """The section that a script writes to, for the row that says that it failed."""
    given = re.findall(r'(?:\brow|\bRow)\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))
    return next((name for name in [*given, path.stem] if name in SECTIONS), "other")


def memory_of(session: int) -> float:
    """Bytes held by all processes of a session."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            continue
    return float(total)


class Watch(threading.Thread):
    """Looks at the memory of a session again and again and keeps the most."""

    def __init__(self, session: int) -> None:
        super().__init__(daemon=True)
        self.session = session
        self.most = 0.0
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.wait(_EVERY):
            self.most = max(self.most, memory_of(self.session))


def probe() -> tuple[float, float]:
    """CPU seconds of a small piece of work that is always the same, and how many times as long it took on the clock."""
    wall = time.perf_counter()
    cpu = time.process_time()
    sum(i * i for i in range(1_500_000))
    cpu = time.process_time() - cpu
    return cpu, (time.perf_counter() - wall) / max(cpu, 1e-9)


def measured(
    name: str, path: Path, words: list[str], longest: float, env: dict[str, str]
) -> dict[str, Any]:
    """Run one script: its rows (and one more if it failed), seconds, peak and load."""
    load = os.getloadavg()[0]
    begun = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    longest *= max(1.0, load / (os.cpu_count() or 1))  # a busy machine gets more time
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows"
        errors = Path(folder) / "errors"
        with errors.open("w") as said:
            process = subprocess.Popen(
                [sys.executable, str(path), *words],
                env=env | {"COTERIE_BENCH_OUT": str(out)},
                stderr=said,
                start_new_session=True,
            )
            watch = Watch(process.pid)
            watch.start()
            failed = _waited(process, longest)
            watch.done.set()
        text = errors.read_text(errors="replace")
        if failed == "failed":
            print(text[-3000:], file=sys.stderr)
            failed = "it failed: " + (text.strip().splitlines() or ["no words"])[-1][:300]
        rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    if failed:
        where = rows[-1]["section"] if rows else section_of(path)
        row = Row(where, f"benchmarks/speed/{name}.py", failed=_MACHINE.sub("...", failed))
        print("  " + row.line(), flush=True)
        rows.append({"section": row.section, "name": row.name, "failed": row.failed})
    for row in rows:
        row.pop("script", None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "rows": rows,
        "seconds": time.perf_counter() - begun,
        "cpu": cpu,
        "peak": watch.most,
        "load": load,
    }


def _waited(process: subprocess.Popen[bytes], longest: float) -> str:
    """Nothing, or why there is no good end; every process of the session is ended."""
    try:
        code = process.wait(longest)
        failed = "" if code == 0 else "failed" if code > 0 else f"{_OUTSIDE}, by signal {-code}"
    except subprocess.TimeoutExpired:
        failed = f"it took longer than {longest:.0f} s and was stopped"
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return failed


def card() -> str:
    """The graphics card by name; nothing where there is none."""
    try:
        words = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        return (
            subprocess.run(words, capture_output=True, text=True, check=True, timeout=20)
            .stdout.strip()
            .partition("\n")[0]
        )
    except (OSError, subprocess.SubprocessError):
        return ""


def machine() -> dict[str, Any]:
    """What it is measured on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(
            line.partition(":")[2].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    versions = {"Python": platform.python_version()}
    for peer in PEERS:
        try:
            versions[peer] = importlib.metadata.version(peer)
        except importlib.metadata.PackageNotFoundError:
            versions[peer] = "not installed"
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.system(),
        "card": card(),
        "versions": versions,
        "load_before": os.getloadavg()[0],
        "load_after": os.getloadavg()[0],
    }


def commit() -> str:
    """The commit, and whether files differ from it."""
    try:
        words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10"]
        return (
            subprocess.run(words, capture_output=True, text=True, check=True)
            .stdout.strip()
            .replace("-dirty", " and changes")
        )
    except (OSError, subprocess.CalledProcessError):
        return "not known"


def write(results: dict[str, Any], name: str) -> None:
    """The results and their pages; the one of the docs only of full sizes."""
    RESULTS.mkdir(exist_ok=True)
    results["missing"] = [script for script in scripts() if script not in results["scripts"]]
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (RESULTS / f"{name}.html").write_text(page(results), encoding="utf-8")
    if name == "last":
        (ROOT / "docs" / "benchmarks.md").write_text(markdown(results), encoding="utf-8")


def aeon() -> str:
    """A Python with aeon, made if it is not there; nothing if it cannot be made."""
    place = ROOT / ".venv" / "aeon"
    python = place / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        if subprocess.run(
            [str(python), "-c", "import aeon.distances"], capture_output=True
        ).returncode:
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", "aeon"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"A Python for aeon could not be made: {error}", file=sys.stderr)
        return ""
    return str(python)


def now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def run(
    chosen: dict[str, Path],
    results: dict[str, Any],
    longest: float,
    env: dict[str, str],
    name: str,
    *,
    whole: bool,
) -> dict[str, Any]:
    """Every chosen script in turn; what there is so far is written after each.

    What is said of the run (noise, load, minutes) stays as it is where some scripts are measured again alone.
    """
    before = results["minutes"]
    begun = time.perf_counter()
    probes = results.get("probes", []) + [probe()]
    for script, path in chosen.items():
        print(f"== {script}", flush=True)
        probes.append(probe())
        about = {"begun": now(), "commit": commit(), "alone": not whole}
        found = measured(script, path, ["--quick"] if results["quick"] else [], longest, env)
        results["scripts"][script] = about | found
        results["scripts"] = dict(sorted(results["scripts"].items()))
        if whole:
            costs = [cpu for cpu, _ in probes]
            waited = statistics.median(times for _, times in probes)
            results["noise"] = {"least": min(costs), "most": max(costs), "waited": waited}
            results["machine"]["load_after"] = os.getloadavg()[0]
            minutes = before + (time.perf_counter() - begun) / 60
            results |= {"ended": now(), "minutes": minutes, "probes": probes}
        write(results, name)
    return results


def taken(results: dict[str, Any], file: Path, only: list[str] | None) -> dict[str, Any]:
    """The results with scripts of another machine in them, each with the machine that it ran on."""
    other = json.loads(file.read_text(encoding="utf-8"))
    about = other["machine"]
    where = ", ".join(
        part for part in (about.get("card"), about["processor"], f"{about['cores']} cores") if part
    )
    found = {
        name: script | {"on": where}
        for name, script in other["scripts"].items()
        if not only or name in only
    }
    return results | {"scripts": dict(sorted((results["scripts"] | found).items()))}


def from_elsewhere(file: Path) -> dict[str, Any]:
    """The scripts of the last table that another machine measured: a whole run here leaves them as they are."""
    scripts = json.loads(file.read_text(encoding="utf-8"))["scripts"] if file.exists() else {}
    return {name: script for name, script in scripts.items() if script.get("on")}


def stopped(script: dict[str, Any]) -> bool:
    """Whether a script did not end by itself."""
    return any(_OUTSIDE in row.get("failed", "") for row in script["rows"])


def empty(quick: bool) -> dict[str, Any]:
    """Results of nothing yet."""
    about = {
        "quick": quick,
        "begun": now(),
        "ended": now(),
        "minutes": 0.0,
        "commit": commit(),
        "machine": machine(),
    }
    return about | {"noise": {}, "scripts": {}}


def main() -> int:
    """Read the options and run."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="small sizes, for a look")
    options.add_argument(
        "--only", nargs="+", metavar="NAME", help="these scripts; the rows of the others stay"
    )
    options.add_argument("--rest", action="store_true", help="go on with a run that was stopped")
    options.add_argument(
        "--longest", type=float, help="seconds a script may take on a quiet machine"
    )
    options.add_argument(
        "--page", action="store_true", help="write the pages from the last results, measure nothing"
    )
    options.add_argument(
        "--take",
        type=Path,
        metavar="FILE",
        help="scripts of another machine's last.json, measure nothing",
    )
    options.add_argument(
        "--aeon",
        action="store_true",
        help="make a Python of its own for aeon and measure against it",
    )
    given = options.parse_args()
    name = "quick" if given.quick else "last"
    file = RESULTS / f"{name}.json"
    if given.take:
        write(taken(json.loads(file.read_text(encoding="utf-8")), given.take, given.only), name)
        return 0
    if given.page:
        write(json.loads(file.read_text(encoding="utf-8")), name)
        return 0
    there = scripts()
    if unknown := [one for one in given.only or [] if one not in there]:
        options.error(f"there is no benchmark {unknown[0]}; there are {', '.join(there)}")
    again = (given.only or given.rest) and file.exists()
    elsewhere = {} if given.only else from_elsewhere(file)
    results = (
        json.loads(file.read_text(encoding="utf-8"))
        if again
        else empty(given.quick) | {"scripts": elsewhere}
    )
    measured_before = (
        [one for one, script in results["scripts"].items() if not stopped(script)]
        if given.rest
        else elsewhere
    )
    chosen = {one: there[one] for one in given.only or there if one not in measured_before}
    env = dict(os.environ)
    if given.aeon and "dtw" in chosen:
        env["COTERIE_AEON"] = aeon()
    longest = given.longest or LONGEST[given.quick]
    results = run(chosen, results, longest, env, name, whole=not (given.only and again))
    rows = rows_of(results)
    for row in rows:
        if row.failed or row.reached() is False:
            print("- " + row.line())
    minutes = sum(script["seconds"] for script in results["scripts"].values()) / 60
    print(
        f"{len(rows)} rows in {minutes:.1f} minutes; the table is in benchmarks/results/{name}.html"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs killed (SIGKILL) at ten random moments and resumed each time give the bits of an undisturbed one, on 1 and 2 workers.

    python benchmarks/quality/kill_and_resume.py [--kills 10] [--members 400] [--seed 0] [--kinds documents rows ssd ...]

Prints one row per number of workers and kind of data, and ends with status 1 when a byte differs.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from coterie.collect.samples import sample
from coterie.run.engine import load
from coterie.run.store import Store

KINDS: dict[str, tuple[str, ...]] = {
    "documents": (),
    "rows": (),
    "ssd": ("--compare", "SSD"),
    "likelihood": ("--compare", "Likelihood"),
    "alignment": ("--compare", "Alignment"),
    "cut": ("--segment", "--window", "12"),
    "mmd": ("--kind", "sets", "--compare", "MMD"),
    "neighbors": ("--kind", "sets", "--compare", "Divergence"),
    "logistic": ("--kind", "sets", "--compare", "Divergence(f=hellinger, risk=logistic)"),
    "packing": ("--kind", "sets", "--organize", "SpherePacking"),
}
ARRAYS = ("labels", "confidence", "map", "neighbors", "nearness", "matrix", "matrix_members")


def main() -> int:
    """Run the whole bar and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--members", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["documents", "rows"])
    given = parser.parse_args()
    moments, failed = random.Random(given.seed), 0
    print(f"{'data':<10}{'workers':>8}{'kills':>7}{'runs':>6}{'alone s':>9}  result")
    with tempfile.TemporaryDirectory() as folder:
        for kind in given.kinds:
            source = write(kind, Path(folder) / kind, given.members)
            for jobs in (1, 2):
                place = Path(folder) / f"{kind}-{jobs}"
                begun = time.monotonic()
                finish(start(source, place / "alone", jobs, KINDS[kind]))
                seconds = time.monotonic() - begun
                kills, runs, differing = 0, 0, compare(Path(folder) / f"{kind}-1" / "alone", place / "alone")
                while kills < given.kills:
                    runs += 1
                    kills += disturb(source, place / f"killed-{runs}", jobs, KINDS[kind], given.kills - kills, seconds, moments)
                    differing += compare(place / "alone", place / f"killed-{runs}")
                failed += bool(differing)
                said = "same bits" if not differing else "DIFFERS in " + ", ".join(differing)
                print(f"{kind:<10}{jobs:>8}{kills:>7}{runs:>6}{seconds:>9.1f}  {said}", flush=True)
    return 1 if failed else 0


def write(kind: str, place: Path, members: int) -> Path:
    """A folder of documents, a table of rows, sequences, or sets."""
    if kind not in ("documents", "rows"):
        view = sample("bags_of_vectors" if "sets" in KINDS[kind] else "traces", members).view()
        np.savez(place.with_suffix(".npz"), values=view.values, lengths=view.lengths)
        return place.with_suffix(".npz")
    if kind == "rows":
        collection = sample("blobs", members)
        np.save(place.with_suffix(".npy"), collection.view().values)
        return place.with_suffix(".npy")
    place.mkdir()
    for at, text in enumerate(sample("topics", members).view()):
        (place / f"{at:05d}.txt").write_text(text, encoding="utf-8")
    return place


def start(source: Path, store: Path, jobs: int, more: tuple[str, ...], resume: bool = False) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    words = ["resume", "run-1"] if resume else ["explore", str(source), "--name", "run", "--nulls", "10", *more]
    command = [
        sys.executable,
        "-m",
        "coterie.cli.main",
        *words,
        "--jobs",
        str(jobs),
        "--store",
        str(store),
        "--progress",
        "silent",
    ]
    return subprocess.Popen(command, env={**os.environ}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes], limit: float = 600.0) -> bool:
    """Wait for it; False when the time is over, and it was killed."""
    try:
        _, problem = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False
    if process.returncode:
        raise SystemExit(f"The run ended with status {process.returncode}: {problem.decode()}")
    return True


def disturb(
    source: Path, store: Path, jobs: int, more: tuple[str, ...], most: int, seconds: float, moments: random.Random
) -> int:
    """Kill and resume one run until it is done; it is killed at most that often, and how often is returned."""
    kills = 0
    while True:
        begun = store.exists() and bool(Store(store).runs())
        limit = moments.uniform(0.15, 0.6) * seconds if kills < most else 600.0
        if finish(start(source, store, jobs, more, resume=begun), limit):
            return kills
        kills += 1


def compare(one: Path, other: Path) -> list[str]:
    """The names of what differs."""
    a, b = (load("run-1", store=place).findings for place in (one, other))
    found = [name for name in ARRAYS if getattr(a, name).tobytes() != getattr(b, name).tobytes()]
    found += [name for name in ("scores", "null_mean", "eigenvalues") if getattr(a.evidence, name) != getattr(b.evidence, name)]
    files = [Store(place).open("run-1").path / "labels.csv" for place in (one, other)]
    return found + (["labels.csv"] if files[0].read_bytes() != files[1].read_bytes() else [])


if __name__ == "__main__":
    sys.exit(main())

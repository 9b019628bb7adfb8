"""The same seed gives the same bits: for any number of workers, and after any number of kills."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from coterie import Store
from coterie.collect.samples import sample
from coterie.run.engine import load

from .running import explored

ARRAYS = ("labels", "confidence", "map", "neighbors", "nearness", "matrix", "matrix_members")
COMMAND = ("--nulls", "8", "--max-k", "12", "--progress", "silent", "--name", "run")


def bits(store: Path, name: str = "run-1") -> dict[str, bytes]:
    """The bytes of everything that was computed."""
    findings = load(name, store=store).findings
    found = {array: getattr(findings, array) for array in ARRAYS}
    found |= {
        part: np.array(getattr(findings.evidence, part))
        for part in ("ks", "scores", "null_mean", "null_sd", "eigenvalues")
    }
    return {part: np.ascontiguousarray(array).tobytes() for part, array in found.items()} | {
        "names": "\n".join(group.name for group in findings.groups).encode(),
        "labels.csv": (Store(store).open(name).path / "labels.csv").read_bytes(),
    }


@pytest.mark.parametrize("source", ["sample:blobs", "sample:mixed", "sample:traces"])
def test_workers_change_no_bit(source: str, tmp_path) -> None:
    for jobs in (1, 2):
        explored(
            source, "--nulls", 2, "--jobs", jobs, "--name", "run", "--store", tmp_path / str(jobs)
        )
    assert bits(tmp_path / "1") == bits(tmp_path / "2")


@pytest.fixture(scope="module")
def documents(tmp_path_factory) -> Path:
    """300 documents in a folder."""
    folder = tmp_path_factory.mktemp("documents")
    for member, text in zip(range(300), sample("topics", 300).view(), strict=True):
        (folder / f"{member:03d}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def undisturbed(documents: Path, tmp_path_factory) -> tuple[dict[str, bytes], float]:
    """What the run gives when nobody disturbs it, and the seconds it takes."""
    place = tmp_path_factory.mktemp("undisturbed") / "runs"
    begun = time.monotonic()
    _start("explore", str(documents), *COMMAND, "--jobs", "1", "--store", str(place)).wait(120)
    return bits(place), time.monotonic() - begun


def _start(*words: str) -> subprocess.Popen:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "coterie.cli.main", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _runs(place: Path) -> list[str]:
    """The names of the runs that are in a store, which may be none yet."""
    return [run.name for run in Store(place).runs()] if place.exists() else []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_killed_at_random_moments_and_resumed(jobs: str, documents, undisturbed, tmp_path) -> None:
    expected, seconds = undisturbed
    place = tmp_path / "runs"
    moments = random.Random(int(jobs))
    kills = 0
    for _ in range(8):
        begun = _runs(place)  # a kill may come before a run is one
        words = (
            ("resume", begun[0], "--progress", "silent")
            if begun
            else ("explore", str(documents), *COMMAND)
        )
        process = _start(*words, "--jobs", jobs, "--store", str(place))
        try:
            limit = moments.uniform(0.15, 0.45) * seconds if kills < 3 else 120
            if not kills:  # a fast run may be over before a share of what a slow one took: this kill follows its beginning
                while process.poll() is None and not _runs(place):
                    time.sleep(0.01)
                limit = moments.uniform(0.0, 0.3)
            assert process.wait(limit) == 0, process.stderr.read().decode()  # type: ignore[union-attr]
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    assert kills > 0
    run = Store(place).runs()[0].name
    assert Store(place).open(run).status == "done"
    assert bits(place, run) == expected
    assert not list((place / run).rglob(".part-*"))

"""Ten experiments give the numbers that were stored: `coterie reproduce NAME --check FILE`.

Two are checked whole against the published results in docs/evidence, the others in their quick form
against files/reproduce. Those that take longer than ten seconds run with COTERIE_GOLDEN_SLOW=yes only.
On the processor and versions of the stored result the numbers are the same to the last digit; on
others they are the same within the tolerance of the golden files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coterie_papers.cli.reference import REFERENCE
from tests.golden.stored import ATOL, FILES, RTOL, check, differences, small

_EVIDENCE = FILES.parents[2] / "docs" / "evidence"
_QUICK = FILES / "reproduce"
WHOLE = ("rankings", "ttmm-toy")
FAST = ("epc", "kl-estimation", "two-samples")
SLOW = (
    "gaussians-with-outliers",
    "samples",
    "sic-confidence",
    "sic-sequential",
    "smyth-hmms",
)
_UPDATING = os.environ.get("COTERIE_GOLDEN") == "update"
_slow = pytest.mark.skipif(
    os.environ.get("COTERIE_GOLDEN_SLOW") != "yes", reason="only with COTERIE_GOLDEN_SLOW=yes"
)


@pytest.mark.parametrize("name", WHOLE)
def test_a_published_result_comes_out_again(name: str, tmp_path: Path) -> None:
    same(name, _EVIDENCE / f"{name}.json", tmp_path)


@pytest.mark.parametrize("name", [*FAST, *(pytest.param(name, marks=_slow) for name in SLOW)])
def test_a_quick_result_comes_out_again(name: str, tmp_path: Path) -> None:
    if _UPDATING:
        record = made(name, tmp_path, "--quick")
        check("reproduce", name, record, rtol=0.0, atol=0.0)
    else:
        same(name, _QUICK / f"{name}.json", tmp_path)


def test_every_golden_file_has_a_case() -> None:
    assert {path.stem for path in _QUICK.iterdir()} == {*FAST, *SLOW}


def same(name: str, file: Path, folder: Path) -> None:
    """Check a stored result; where the machine is another one, compare within the tolerance."""
    assert file.exists(), f"reproduce/{name} has no golden file yet: make golden UPDATE=yes"
    said = reproduced(name, "--check", str(file))
    assert said.returncode in (0, 1), said.stderr
    if said.returncode == 0:
        return
    stored = json.loads(file.read_text(encoding="utf-8"))
    form = ("--quick",) if stored["quick"] else ("--seeds", str(stored["seeds"]))
    again = made(name, folder, *form)
    assert again["machine"] != stored["machine"], said.stdout
    check_close(name, without_circumstances(stored), again)


def check_close(name: str, stored: dict[str, Any], again: dict[str, Any]) -> None:
    """Fail with what moved beyond the tolerance; the machine is not compared."""
    again = {**again, "machine": stored["machine"]}
    moved = list(differences(small(stored), small(again), RTOL, ATOL))
    assert not moved, "golden output moved\n" + "\n".join(f"reproduce/{name}: {m}" for m in moved)


def made(name: str, folder: Path, *form: str) -> dict[str, Any]:
    """The result of an experiment, run now."""
    file = folder / f"{name}.json"
    said = reproduced(name, *form, "--store", str(folder), "--json", str(file))
    assert said.returncode == 0, said.stderr
    return without_circumstances(json.loads(file.read_text(encoding="utf-8")))


def without_circumstances(record: dict[str, Any]) -> dict[str, Any]:
    """A result without its date, its time and its pictures, which are made of its rows."""
    return {**record, "seconds": 0.0, "date": "", "pictures": []}


def reproduced(*words: str) -> subprocess.CompletedProcess[str]:
    """`coterie reproduce WORDS` in a process of its own, which can compute as the reference does."""
    here = {
        key: value
        for key, value in os.environ.items()
        if key not in (*REFERENCE, "COTERIE_DATA", "COTERIE_STORE")
    }
    command = [sys.executable, "-m", "coterie.cli.main", "reproduce", *words]
    command += ["--jobs", "1", "--progress", "silent"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=here)

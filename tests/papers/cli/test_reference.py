"""The reference processor: named before anything is loaded, never against somebody's choice, and the same digits by it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding

from coterie_papers.cli.reference import REFERENCE, settle

NEW = dict.fromkeys(("avx2", "fma", "bmi2", "f16c", "lzcnt", "movbe", "avx512f"), True)
CAN = settle(binding.get_host_cpu_features(), {}, ())


def test_a_processor_that_can_computes_as_the_reference() -> None:
    environment = {"LANG": "C"}
    assert settle(NEW, environment, ())
    assert environment == {"LANG": "C", **REFERENCE}


@pytest.mark.parametrize("lost", ["avx2", "fma"])
def test_one_that_cannot_stays_as_it_is(lost: str) -> None:
    environment: dict[str, str] = {}
    assert not settle({**NEW, lost: False}, environment, ())
    assert not settle({"neon": True}, environment, ())
    assert environment == {}


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_what_somebody_chose_is_left_to_them(name: str) -> None:
    environment = {name: "mine"}
    assert not settle(NEW, environment, ())
    assert environment == {name: "mine"}


@pytest.mark.parametrize("name", ["numpy", "numba"])
def test_nothing_is_named_too_late(name: str) -> None:
    environment: dict[str, str] = {}
    assert not settle(NEW, environment, {name: None})
    assert environment == {}


@pytest.mark.skipif(not CAN, reason="this processor lacks what the reference has")
def test_an_experiment_is_made_as_on_the_reference_and_says_so(tmp_path: Path) -> None:
    """Numpy, BLAS and the compiler all keep to it: what a wider processor would choose is not in the result."""
    environment = {name: value for name, value in os.environ.items() if name not in REFERENCE}
    file = tmp_path / "toy.json"
    words = [
        "reproduce",
        "ttmm-toy",
        "--quick",
        "--json",
        str(file),
        "--store",
        str(tmp_path / "store"),
        "--progress",
        "silent",
    ]
    code = (
        "import sys; sys.argv[0] = 'coterie'\n"
        "from coterie.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__\n"
        "wide = [n for n in __cpu_dispatch__ if n.startswith(('AVX512', 'X86_V4')) and __cpu_features__.get(n)]\n"
        "assert not wide, wide\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, *words],
        env=environment,
        check=True,
        capture_output=True,
        timeout=300,
    )
    made = json.loads(file.read_text())["machine"]
    assert made.startswith("znver3, ")
    assert "openblas for " not in made or "openblas for Haswell" in made

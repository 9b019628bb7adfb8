"""`import coterie` and `coterie --help` load nothing heavy; measured times are in benchmarks/speed/startup.py."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from coterie.cli.main import COMMANDS

HEAVY = (
    "sklearn",
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "numpy",
    "joblib",
    "rich",
    "narwhals",
    "sqlite3",
)
ASK = "import json, sys\nprint('LOADED', json.dumps([name for name in {names!r} if name in sys.modules]))"


def loaded(code: str, *arguments: str) -> list[str]:
    """Which of the heavy packages a fresh process has loaded after this code."""
    program = f"{code}\n{ASK.format(names=HEAVY)}"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    answer = next(line for line in done.stdout.splitlines() if line.startswith("LOADED"))
    found: list[str] = json.loads(answer.removeprefix("LOADED"))
    return found


def after_command(*arguments: str) -> list[str]:
    code = "from coterie.cli.main import main\ntry:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    return loaded(code, *arguments)


def test_the_probe_sees_what_is_loaded():
    assert "numpy" in loaded("import numpy")


def test_import_is_light():
    assert loaded("import coterie\nassert coterie.__version__\ndir(coterie)") == []


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], [], ["methods"], ["--install-completion", "bash"]],
    ids=" ".join,
)
def test_command_line_is_light(words):
    assert after_command(*words) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_light(name):
    assert after_command(name, "--help") == []

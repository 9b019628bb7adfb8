"""`tools/trace` counts what `coterie explore` of 240 texts runs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.architecture.pages import ROOT

# what an exploration takes may only fall; 70 files and 20 calls are the aim
MOST_FILES = 70
DEEPEST = 20


@pytest.mark.slow
def test_an_exploration_is_traced_from_the_command_down():
    command = [sys.executable, str(ROOT / "tools" / "trace"), "--json"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)
    assert made.returncode == 0, made.stderr
    found = json.loads(made.stdout)
    files = found["list"]["files"]
    assert found["files"] == len(set(files)) <= found["functions"]
    assert found["list"]["deepest"][0] == "cli/main.py:main"
    assert len(found["list"]["deepest"]) == found["depth"]
    assert {name for pair in found["list"]["both_ways"] for name in pair} <= set(files)
    assert found["list"]["both_ways"] == []
    assert found["tokenized"] == 1
    assert found["files"] <= MOST_FILES
    assert found["depth"] <= DEEPEST

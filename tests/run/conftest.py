"""Fixtures of tests that steer: one stored run per file, a copy of its store per test, and one with two edits on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from coterie.run.steering import Steering
from tests.run.steered_runs import stored


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run for all tests of a file; each gets a copy of its store."""
    return stored(store=tmp_path_factory.mktemp("store")).run.folder


@pytest.fixture
def plain(made: Path, tmp_path: Path) -> Steering:
    """That run, not yet steered."""
    shutil.copytree(made.parent, tmp_path / "runs")
    return Steering(made.name)


@pytest.fixture
def drinks(plain: Steering) -> Steering:
    """Tea and sea united and called Drinks."""
    tea, sea = (int(plain.labels[plain.ids.index(f"{topic}0-0")]) + 1 for topic in ("tea", "sea"))
    plain.merge(tea, sea)
    plain.rename(tea, "Drinks")
    return plain

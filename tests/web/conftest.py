"""What the page's tests share: one store of small finished runs, and a copy of it for those that change something."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from tests.web.serving import Visitor, filled


@pytest.fixture(scope="session")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store to look at; nothing may change it."""
    return filled(tmp_path_factory.mktemp("web") / "store")


@pytest.fixture
def store(looked: Path, tmp_path: Path) -> Path:
    """A store of one's own, with the same runs."""
    return Path(shutil.copytree(looked, tmp_path / "store"))


@pytest.fixture(scope="session")
def looking(looked: Path) -> Iterator[Visitor]:
    """A visitor who only looks."""
    with Visitor(looked) as visitor:
        yield visitor


@pytest.fixture
def visitor(store: Path) -> Iterator[Visitor]:
    """A visitor who may change everything."""
    with Visitor(store) as found:
        yield found

"""coterie explain: why members are alike, and what is said when that cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from .running import coterie, explored, refused


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    """A store with one run compared by SIC, and one that is not."""
    place = tmp_path_factory.mktemp("explained") / "runs"
    explored(
        "sample:blobs",
        "--store",
        place,
        "--k",
        5,
        "--nulls",
        0,
        "--compare",
        "SIC(n_iterations=40)",
    )
    explored("sample:moons", "--store", place, "--k", 2, "--nulls", 0)
    return place


def test_two_members_and_a_group(store: Path) -> None:
    pair = coterie("explain", "blobs-1", "blobs-000", "blobs-001", "--store", store)
    assert pair.code == 0
    assert pair.out.startswith("blobs-000 and blobs-001 got one label in ")
    group = coterie("explain", "blobs-1", "--group", 1, "--store", store)
    assert "members get one label in" in group.out.splitlines()[0]
    assert "The classifiers leaned on: " in group.out


def test_the_report_shows_it(store: Path) -> None:
    page = (store / "blobs-1" / "report.html").read_text(encoding="utf-8")
    assert page.count("Why these are alike") == 5
    assert "leaned on" in page


def test_what_cannot_be_explained(store: Path) -> None:
    assert "give" in refused("explain", "moons-1", "moons-000", "moons-001", "--store", store)
    assert "Name two members" in refused("explain", "blobs-1", "blobs-000", "--store", store)
    assert "not both" in refused("explain", "blobs-1", "blobs-000", "--group", 1, "--store", store)
    assert "There is no group 9" in refused("explain", "blobs-1", "--group", 9, "--store", store)
    assert "has no member 'blobs-999'" in refused(
        "explain", "blobs-1", "blobs-000", "blobs-999", "--store", store
    )
    assert "two different members" in refused(
        "explain", "blobs-1", "blobs-000", "blobs-000", "--store", store
    )

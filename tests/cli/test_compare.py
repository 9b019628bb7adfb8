"""coterie compare: what it says in words, tables and JSON, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sklearn.metrics import adjusted_rand_score

from coterie import Store

from .running import coterie, explored, refused


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A store with topics-1, topics-2 and traces-1."""
    place = tmp_path_factory.mktemp("kept") / "runs"
    explored("sample:topics", "--store", place, "--k", 8, "--nulls", 0)
    explored("sample:topics", "--store", place, "--k", 5, "--nulls", 0)
    explored("sample:traces", "--store", place, "--k", 3, "--nulls", 0)
    return place


def test_the_verdict_comes_first_and_who_moved_last(kept: Path):
    said = coterie("compare", "topics-1", "topics-2", "--store", kept, "--most", 3)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0].startswith("The groups are ")
    assert "stay in their group" in lines[1]
    assert any(line.startswith("adjusted Rand  ") for line in lines)
    assert "Gone. All" in said.out
    assert "Against 'group' (400 members with a known answer) topics-1 is right on" in said.out
    assert lines[-1].startswith("... and ")
    assert sum(line.startswith("topics-") for line in lines) == 3


def test_json_has_everything(kept: Path):
    found = json.loads(
        coterie("compare", "topics-1", "topics-2", "--store", kept, "--json", "--nulls", 20).out
    )
    one, two = (Store(kept).open(name).findings().labels for name in ("topics-1", "topics-2"))
    assert found["measures"][0]["value"] == pytest.approx(adjusted_rand_score(one, two))
    assert len(found["movers"]) == found["moved"] > 0
    assert found["random_groups"] == 20
    assert found["notes"] == []


def test_the_seed_decides_what_chance_is(kept: Path):
    first, again, other = (
        json.loads(
            coterie(
                "compare",
                "topics-1",
                "topics-2",
                "--store",
                kept,
                "--json",
                "--nulls",
                20,
                "--seed",
                seed,
            ).out
        )
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first["measures"][0]["chance"] != other["measures"][0]["chance"]


def test_what_cannot_be_compared_is_one_sentence(kept: Path):
    said = refused("compare", "topics-1", "traces-1", "--store", kept)
    assert (
        said
        == "topics-1 and traces-1 have no member in common (ids are such as 'topics-000' there and 'traces-000' here)."
    )
    assert "name two different ones" in refused("compare", "topics-1", "topics-1", "--store", kept)
    assert "nobody" in refused("compare", "topics-1", "nobody", "--store", kept)
    assert "Missing argument" in refused("compare", "topics-1", "--store", kept)

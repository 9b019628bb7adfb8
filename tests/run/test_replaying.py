"""Replaying: groups a person made, found again in other data, the same bytes every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import coterie
from coterie.core.errors import DataError
from coterie.run.engine import load
from coterie.run.replaying import Replayed, exemplars, replay
from coterie.run.steering import Steering
from tests.run.steered_runs import notes, stored


@pytest.fixture
def steering() -> Steering:
    made = Steering(stored().run)
    tea, sea = (int(made.labels[made.ids.index(f"{topic}0-0")]) + 1 for topic in ("tea", "sea"))
    made.merge(tea, sea)
    made.rename(tea, "Drinks")
    return made


def test_steered_groups_are_found_again_and_only_new_members_are_reported(
    steering: Steering,
) -> None:
    found = replay(steering.run, notes(1, 5, "march"))
    assert len(found.ids) == 15
    groups = {member: group for member, group, _ in found.rows()}
    assert {groups[f"tea1-{i}"] for i in range(5)} == {"Drinks"}
    assert {groups[f"sea1-{i}"] for i in range(5)} == {"Drinks"}
    assert len({groups[f"law1-{i}"] for i in range(5)} - {"Drinks"}) == 1
    assert (
        found.sentences()[0]
        == "15 new members were grouped by 30 that stand for 2 groups; 2 of these were found again."
    )
    assert found.path is not None
    lines = found.path.read_text().splitlines()
    assert len(lines) == 16
    assert all(not line.startswith("notes-1") for line in lines)
    assert found.frame("pandas").shape == (15, 4)
    kept = load(found.run.name)
    assert len(kept.collection) == 45
    assert found.run.request.before == steering.run.name


def test_the_same_log_on_the_same_data_gives_the_same_bytes(steering: Steering) -> None:
    one, other = (replay(steering.run.name, notes(1, 4)) for _ in range(2))
    assert one.run.name != other.run.name
    assert one.path.read_bytes() == other.path.read_bytes()


def test_data_is_read_as_the_run_was(tmp_path: Path) -> None:
    def table(seed: int) -> Path:
        told = notes(seed, 6)
        path = tmp_path / f"month{seed}.csv"
        rows = [f"{i},{i},{text}" for i, text in enumerate(told.view("text"))]
        path.write_text("\n".join(["number,size,said", *rows]))
        return path

    made = coterie.explore(table(0), text="said", k=3, nulls=0, store=True)
    found = replay(made.run, table(1))
    assert len(found.ids) == 18
    assert found.ids[0] == "0"  # ids of the new file, though the run has such ids too
    with pytest.raises(DataError):
        replay(made.run, tmp_path / "nothing.csv")


def test_members_named_in_edits_stand_for_their_group_first(steering: Steering) -> None:
    unsure = min(range(30), key=lambda i: steering.findings.confidence[i])
    member = steering.ids[unsure]
    other = next(number for number in steering.state.sizes if number - 1 != steering.labels[unsure])
    steering.move(member, other)
    chosen = exemplars(steering, steering.state, most=3)
    assert unsure in chosen[other - 1]
    assert all(len(some) == 3 for some in chosen.values())


def test_a_table_is_replayed_too() -> None:
    rng = np.random.default_rng(0)

    def rows(n: int) -> np.ndarray:
        return np.concatenate([rng.normal(c, 0.5, size=(n, 2)) for c in (0, 5, 10)])

    made = Steering(coterie.explore(rows(12), k=3, nulls=0, store=True).run)
    made.rename(1, "first")
    found = replay(made.run, rows(4))
    assert len(found.ids) == 12
    assert sorted(np.bincount(found.labels).tolist()) == [4, 4, 4]
    assert "first" in found.names


def test_names_of_groups_are_quoted() -> None:
    found = Replayed(
        ("a", "b"),
        np.array([0, 2]),
        ("tea, cup", "sea, boat", "new, thing"),
        (True, True, False),
        np.ones(2),
        9,
    )
    assert found.sentences()[1:] == [
        "Nobody new belongs to 'sea, boat'.",
        "New groups: 'new, thing' (1).",
    ]

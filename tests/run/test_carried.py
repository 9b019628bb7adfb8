"""What a run takes over from a steered one: stopped and resumed it is the same, and the groups keep their numbers."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import coterie
from coterie.core.errors import DataError, Interrupted, ParameterError, StoreError
from coterie.run import engine
from coterie.run.engine import load, resume
from coterie.run.replaying import replay
from coterie.run.steered import Carried
from coterie.run.steering import Steering
from coterie.run.store import Store
from tests.run.steered_runs import notes


@pytest.fixture
def steering(drinks: Steering) -> Steering:
    return drinks


def stopped(monkeypatch: pytest.MonkeyPatch, work) -> str:
    """The name of the run that was stopped in the middle of this work."""

    def stops(collection, settings, hints):
        raise Interrupted("Stopped as asked.")

    with monkeypatch.context() as patch:
        patch.setattr(engine, "analyse", stops)
        with pytest.raises(Interrupted, match="coterie resume"):
            work()
    return Store().runs()[0].name


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_a_refit_that_was_stopped_is_the_same_when_resumed(
    steering: Steering, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = steering.refit()
    name = stopped(monkeypatch, steering.refit)
    again = resume(name)
    assert [group.name for group in again.findings.groups] == [
        group.name for group in whole.findings.groups
    ]
    assert "Drinks" in [group.name for group in again.findings.groups]
    assert (again.run.path / "labels.csv").read_bytes() == (
        whole.run.path / "labels.csv"
    ).read_bytes()
    assert again.run.request == whole.run.request
    assert again.run.request.parent == steering.run.name
    assert again.run.request.source == steering.run.request.source


def test_a_replay_that_was_stopped_is_the_same_when_resumed(
    steering: Steering, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = replay(steering.run, notes(1, 5))
    name = stopped(monkeypatch, lambda: replay(steering.run, notes(1, 5)))
    again = resume(name)
    assert (again.run.path / "labels.csv").read_bytes() == whole.path.read_bytes()
    assert again.run.request == whole.run.request
    assert again.run.request.before == steering.run.name


def test_stopped_before_its_members_were_kept_says_what_to_run_again(
    steering: Steering, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self, collection):
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("coterie.run.stored.Run.save_collection", fails)
        with pytest.raises(StoreError):
            steering.refit()
    with pytest.raises(
        DataError,
        match=f"make it again from the run .* with: coterie steer {steering.run.name} --do refit",
    ):
        resume(Store().runs()[0].name)


def test_a_replayed_run_is_steered_under_the_numbers_of_its_labels(steering: Steering) -> None:
    found = replay(steering.run, notes(1, 5))
    first = rows_of(found.path)
    made = Steering(found.run)
    assert int(made.reported.sum()) == 15
    number = made.state.called("Drinks")
    assert {int(row["group"]) + 1 for row in first if row["group_name"] == "Drinks"} == {number}
    made.rename(number, "XX")
    second = rows_of(found.path)
    assert [row["id"] for row in second] == [row["id"] for row in first]
    assert [row["group"] for row in second] == [row["group"] for row in first]
    assert [row["group_name"] for row in second] == [
        row["group_name"].replace("Drinks", "XX") for row in first
    ]
    made.refit()
    assert len(rows_of(Store().latest.path / "labels.csv")) == 15


def test_groups_of_a_replay_have_the_order_of_the_steered_ones(plain: Steering) -> None:
    found = replay(plain.run, notes(1, 5))
    assert list(found.names) == [plain.state.names[g] for g in sorted(plain.state.names)]
    kept = load(found.run.name).findings
    assert [group.label for group in kept.groups] == [0, 1, 2]
    assert sum(group.size for group in kept.groups) == 45


def test_new_members_beside_those_who_stand_for_a_group_belong_to_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)

    def table(name: str, colors: list[str]) -> Path:
        rows = ["id,a,b,color"]
        for g, (x, y) in enumerate(((0, 0), (10, 0), (0, 10))):
            for i in range(20):
                a, b = rng.normal((x, y), 0.4)
                rows.append(f"{name}{g}-{i},{a:.3f},{b:.3f},{colors[g]}")
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(rows))
        return path

    made = Steering(
        coterie.explore(table("m", ["red", "blue", "green"]), k=3, nulls=0, store=True).run
    )
    for g in range(3):
        made.rename(int(made.labels[made.ids.index(f"m{g}-0")]) + 1, f"blob {g}")
    for k in (3, 4):
        found = replay(made.run, table("n", ["red", "blue", "violet"]), k=k)
        groups = {member: group for member, group, _ in found.rows()}
        for g in range(2):
            assert {groups[f"n{g}-{i}"] for i in range(20)} == {f"blob {g}"}
        assert not any(
            "Nobody new belongs to blob 0" in said or "blob 1" in said
            for said in found.sentences()[1:2]
        )


def test_who_is_nearest_overrules_what_was_found_and_is_said() -> None:
    found = coterie.explore(notes(), k=3, nulls=0).findings
    order = np.argsort(
        np.arange(30) % 10 < 5, kind="stable"
    )  # the first half of every topic stands for it
    place = np.argsort(order)
    labels = found.labels[order]
    near = np.where(found.neighbors[order] >= 0, place[found.neighbors[order]], -1)
    torn = labels.copy()
    torn[:5] = (labels[0] + 1) % 3  # new members of the first topic, found with others
    turned = replace(found, ids=[found.ids[i] for i in order], labels=torn, neighbors=near)
    old = np.where(np.arange(30) < 15, -1, labels)
    carried = Carried(old, {0: "zero", 1: "one", 2: "two"}, new=15)
    given = carried.given_to(turned)
    assert given.labels[15:].tolist() == old[15:].tolist()
    right = given.labels[:5] == labels[:5]
    assert right.sum() >= 3
    assert any("nearest to members that stand for" in note for note in given.notes)
    torn[1:5] = labels[1:5]  # one alone is where it was found
    few = carried.given_to(replace(turned, labels=torn))
    assert few.labels[0] != labels[0]
    assert list(few.notes) == list(found.notes)


def test_fewer_groups_than_were_made_are_refused(steering: Steering) -> None:
    with pytest.raises(
        ParameterError,
        match="There are 2 groups to be found again, so that k must be at least 2, and was 1",
    ):
        replay(steering.run, notes(1, 5), k=1)


def test_truth_is_kept_where_the_new_members_have_it(tmp_path: Path) -> None:
    def table(seed: int, topic: bool) -> Path:
        told = notes(seed, 6)
        rows = [
            f"{i},{text}" + (f",{i[:3]}" if topic else "")
            for i, text in zip(told.ids, told.view("text"), strict=True)
        ]
        path = tmp_path / f"month{seed}.csv"
        path.write_text("\n".join(["id,said" + (",topic" if topic else ""), *rows]))
        return path

    made = coterie.explore(table(0, True), text="said", truth="topic", k=3, nulls=0, store=True)
    found = replay(made.run, table(1, True))
    assert load(found.run.name).judge().members == 18
    assert not any("too many different words" in note for note in found.notes)
    assert len(replay(made.run, table(2, False)).ids) == 18

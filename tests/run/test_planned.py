"""Planned runs: laid down by one process with nothing read, walked by another to the same answer as `explore`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import CoterieError, DataError, Interrupted, ParameterError
from coterie.core.workplace import using
from coterie.run import engine as laying
from coterie.run.engine import explore, kept_hints, load, resume
from coterie.run.live import STOP, Live
from coterie.run.planned import copy_of, plan_run, walk_run
from coterie.run.store import Store, fingerprint_of
from coterie.workflows.choices import Choices
from coterie.workflows.request import Constraints, New
from tests.planning import plan


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    folder = tmp_path / "letters"
    folder.mkdir()
    for number in range(24):
        words = (
            "tea kettle leaves cup steep" if number % 2 else "harbor ship sail wind sea"
        ).split()
        (folder / f"{number:02d}.txt").write_text(
            " ".join(words[(number + i) % 5] for i in range(12))
        )
    return folder


def test_planning_reads_nothing(
    store: Store, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laying, "read", lambda *a, **k: pytest.fail("it was read"))
    monkeypatch.setattr(laying, "fingerprint_of", lambda *a: pytest.fail("every file was asked"))
    run = plan(letters, store=store, k=2, nulls=0)
    assert run.name == "letters-1"
    assert run.status == "new"
    assert run.request.origin == New(planned=True)
    assert not run.has_collection
    assert run.request.path == str(letters)


def test_it_is_walked_to_the_same_answer(store: Store, letters: Path) -> None:
    run = plan(letters, store=store, name="Two.drinks", k=2, nulls=0, seed=3)
    assert run.name == "two-drinks-1"
    found = walk_run(store.open(run.name))
    same = explore(letters, k=2, nulls=0, seed=3)
    assert np.array_equal(found.labels, same.labels)
    assert run.status == "done"
    assert run.request.origin == New()
    assert run.manifest["fingerprint"] == fingerprint_of(str(letters))
    assert np.array_equal(walk_run(run).labels, found.labels)  # a finished one is only loaded
    assert load(run.name, store=store).findings.ids == found.findings.ids


def test_hints_go_with_it(store: Store, letters: Path) -> None:
    ids = explore(letters, k=2, nulls=0).findings.ids
    run = plan(letters, store=store, k=2, nulls=0, hints={"labels": {ids[0]: "sea", ids[1]: "tea"}})
    assert run.request.constraints == Constraints(labels=2, checked=False)
    found = walk_run(run)
    assert {group.name for group in found.findings.groups} == {"sea", "tea"}
    assert run.request.constraints == Constraints(labels=2)
    assert (kept_hints(run) or {})["labels"] == {ids[0]: "sea", ids[1]: "tea"}


def test_the_command_resume_keeps_to_the_hints_of_a_planned_run_too(
    store: Store, letters: Path
) -> None:
    run = plan(
        letters, store=store, k=2, nulls=0, hints={"labels": {"00.txt": "sea", "01.txt": "tea"}}
    )
    found = resume(run.name, store=store)
    assert {group.name for group in found.findings.groups} == {"sea", "tea"}
    assert run.request.origin == New()


def test_members_of_another_run_are_taken_over_when_it_is_walked(
    store: Store, letters: Path
) -> None:
    before = explore(letters, k=2, nulls=0, store=store).run
    assert before is not None
    asked = copy_of(before).but(name="other", choices=Choices(k=3, nulls=0))
    again, late = (plan_run(asked, store=store) for _ in range(2))
    assert (again.name, again.has_collection, again.status) == ("other-1", False, "new")
    assert len(walk_run(again).findings.groups) == 3
    assert again.collection().ids == before.collection().ids
    store.delete(before.name)
    with pytest.raises(
        DataError, match="'letters-1', whose members 'other-2' takes, is no longer there"
    ):
        walk_run(late)
    assert late.status == "failed"


@pytest.mark.parametrize(
    ("choices", "word"),
    [
        ({"k": -1}, "k"),
        ({"k": "many"}, "k"),
        ({"nulls": 10**9}, "nulls"),
        ({"compare": "Nothing"}, "Nothing"),
        ({"colour": 1}, "colour"),
    ],
)
def test_choices_that_cannot_be_are_refused_before_anything_is_kept(
    store: Store, letters: Path, choices: dict, word: str
) -> None:
    with pytest.raises((ParameterError, DataError)) as error:
        plan(letters, store=store, **choices)
    assert word in str(error.value)
    assert len(store) == 0


@pytest.mark.parametrize("source", ["x" * 5000, "~nobody-of-this-name/x", "a\x00b"])
def test_a_place_that_cannot_be_is_a_sentence(store: Store, source: str) -> None:
    with pytest.raises(CoterieError):
        walk_run(plan(source, store=store, k=2, nulls=0))


def test_members_that_cannot_be_read_fail_with_a_sentence_and_may_be_tried_again(
    store: Store, tmp_path: Path
) -> None:
    place = tmp_path / "later.csv"
    run = plan(str(place), store=store, k=2, nulls=0)
    with pytest.raises(CoterieError) as error:
        walk_run(run)
    assert run.status == "failed"
    assert run.record().problem == str(error.value)
    rows = "".join(f"{n % 2 * 9 + n / 100},{n % 2 * 5 - n / 90}\n" for n in range(30))
    place.write_text("a,b\n" + rows)
    assert len(walk_run(run).findings.groups) == 2
    assert run.record().problem == ""


def test_one_that_is_stopped_while_it_reads_is_stopped_and_goes_on(
    store: Store, letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = plan(letters, store=store, k=2, nulls=0)

    def interrupted(*_: object, **__: object) -> None:
        raise Interrupted("Stopped as asked.")

    with monkeypatch.context() as patch:
        patch.setattr(laying, "read", interrupted)
        with pytest.raises(Interrupted):
            walk_run(run)
    assert run.status == "stopped"
    assert run.request.origin == New(planned=True)
    watch = Live(tmp_path / "work")
    (tmp_path / "work" / STOP).touch()
    with using(watch=watch), pytest.raises(Interrupted):
        walk_run(run)
    assert run.status == "stopped"
    assert len(walk_run(run).labels) == 24

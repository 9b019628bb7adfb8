"""Runs that are laid down: hints are a file and no load on the index, and one without members says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coterie
from coterie.core.errors import DataError, StoreError
from coterie.run.engine import kept_hints, resume
from coterie.run.planned import walk_run
from coterie.run.replaying import replay
from coterie.run.steering import Steering
from coterie.run.store import Store
from coterie.run.stored import Run
from coterie.workflows.request import Constraints
from tests.planning import plan

ROWS = [[i % 2 * 9 + i / 100, i % 2 * 5 - i / 90] for i in range(30)]
SAID: dict[str, Any] = {
    "labels": {"0": "low", "1": "high"},
    "together": [["2", "4"]],
    "scheme": "constrained",
    "label_weight": 0.5,
    "pair_weight": 2.0,
}

COUNTED = Constraints(labels=2, together=1, scheme="constrained")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    found = coterie.explore(
        ROWS, k=2, nulls=0, hints=SAID, store=tmp_path / "runs", name="rows"
    ).run
    assert found is not None
    return found


def test_hints_are_a_file_of_the_run_and_its_request_counts_them(run: Run) -> None:
    assert run.request.constraints == COUNTED == Constraints.of(SAID)
    assert kept_hints(run) == {**SAID, "apart": []}
    many = {"labels": {f"a member of this name {i}": "tea" for i in range(5000)}}
    plan("sample:mail", store=Store(run.folder.parent), hints=many, nulls=0)
    size = [len(str(record.request)) for record in Store(run.folder.parent).runs()]
    assert max(size) < 2000, "what people say of members fills the index"


def test_hints_go_on_into_runs_made_of_it(run: Run) -> None:
    again = Steering(run).refit(name="again").run
    assert again is not None
    assert (kept_hints(again) or {})["labels"] == SAID["labels"]
    found = replay(run, [[9.0, 5.0], [0.1, 0.1], [9.2, 4.9]], store=run.folder.parent)
    assert found.run is not None
    assert len((kept_hints(found.run) or {})["labels"]) == 30
    assert kept_hints(plan("sample:mail", store=Store(run.folder.parent))) is None


def test_hints_that_were_not_kept_before_the_end_are_missed(run: Run) -> None:
    (run.folder / "values" / "hints.json").unlink()
    run.update(status="stopped")
    with pytest.raises(
        StoreError,
        match="ended before what is known of its members was kept; delete it and make it again",
    ):
        resume(run.name, store=run.folder.parent)


def test_a_refit_that_ended_before_its_members_were_kept_says_what_to_do(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(self: Run, collection: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as there, pytest.raises(KeyboardInterrupt):
        there.setattr(Run, "save_collection", dies)
        Steering(run).prepared()
    left = Store(run.folder.parent).open("rows-2")
    for go in (lambda: walk_run(left), lambda: resume(left.name, store=run.folder.parent)):
        with pytest.raises(
            DataError,
            match=r"delete it, and make it again from the run 'rows-1' with: coterie steer",
        ):
            go()
        assert left.status == "failed"
        assert "delete it" in left.record().problem

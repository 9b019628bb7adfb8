"""Work behind the page: begun from it, paused, killed, and going on when the server is started again."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coterie import Store, explore
from coterie.run.jobs import Jobs
from tests.planning import plan
from tests.waiting import until
from tests.web.processes import Caller, Served, held
from tests.web.serving import Visitor

LONG = {"nulls": 40, "max_k": 9}  # some seconds of work


def state(visitor: Any, name: str) -> str:
    return str(visitor.get(f"/api/runs/{name}/state").json()["state"])


def resting(visitor: Any, name: str) -> bool:
    return not visitor.get(f"/api/runs/{name}/state").json()["going"]


def begun(store: Path, name: str) -> int:
    """The process that works on a run, once it has got somewhere."""
    jobs = Jobs(store)
    job = until(lambda: (found := jobs.of("walk", name)) and found.pid and found, 60)
    until(lambda: jobs.live(job).get("tasks"), 60, "nothing is told")
    until(lambda: any((store / name / "pieces").rglob("*")), 60, "nothing is finished")
    return int(job.pid)


def test_the_server_is_killed_in_the_middle_and_the_run_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "store"
    run = plan("sample:topics", store=Store(store), **LONG)
    with Served(store) as served:
        visitor = Caller(served.address)
        assert visitor.change(f"/api/runs/{run.name}/resume").status_code == 200
        with held(begun(store, run.name)):
            assert visitor.change(f"/api/runs/{run.name}/pause").status_code == 200
        until(lambda: resting(visitor, run.name), 60)
        assert state(visitor, run.name) == "paused"
        assert any((store / run.name / "pieces").rglob("*"))  # what was finished is kept
        assert visitor.change(f"/api/runs/{run.name}/resume").status_code == 200
        os.kill(begun(store, run.name), signal.SIGKILL)
        until(lambda: resting(visitor, run.name), 60)
        assert state(visitor, run.name) == "interrupted"
        assert visitor.change(f"/api/runs/{run.name}/resume").status_code == 200
        worker = begun(store, run.name)
        with held(worker):
            served.kill()
            os.kill(worker, 0)  # the work lives on without it
            served.start()
        visitor = Caller(served.address)
        assert state(visitor, run.name) in ("working", "done")
        until(lambda: state(visitor, run.name) == "done", 120)
    whole = explore("sample:topics", **LONG)
    assert np.array_equal(Store(store).open(run.name).findings().labels, whole.labels)


def test_a_run_that_cannot_be_made_says_why_without_places(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with Visitor(tmp_path / "store") as visitor:
        run = plan(tmp_path / "empty", store=visitor.store, k=2)
        assert visitor.change(f"/api/runs/{run.name}/resume").status_code == 200
        until(lambda: state(visitor, run.name) == "failed", 60)
        told = visitor.get(f"/api/runs/{run.name}/state").json()
        assert told["problem"].endswith(".")
        assert str(tmp_path) not in str(told)
        page = visitor.get(f"/runs/{run.name}", headers={"accept": "text/html"})
        assert page.status_code == 200
        assert str(tmp_path) not in page.text


def test_jobs_wait_for_their_turn_and_may_leave_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    children: list[Any] = []
    real = subprocess.Popen

    def asleep(command: list[str], **how: Any) -> Any:
        children.append(real(["sleep", "60"]))
        return children[-1]

    monkeypatch.setattr("coterie.run.jobs.subprocess.Popen", asleep)
    try:
        with Visitor(tmp_path / "store") as visitor:
            runs = [plan("sample:topics", store=visitor.store, k=2).name for _ in range(3)]
            for name in runs:
                assert visitor.change(f"/api/runs/{name}/resume").status_code == 200
            assert [state(visitor, name) for name in runs] == ["working", "waiting", "waiting"]
            assert visitor.change(f"/api/runs/{runs[1]}/resume").status_code in (
                200,
                409,
            )  # twice is once
            assert visitor.change(f"/api/runs/{runs[1]}/pause").status_code == 200
            assert state(visitor, runs[1]) not in ("working", "waiting")
            children[0].kill()
            until(lambda: state(visitor, runs[2]) == "working", 20)
            assert len(children) == 2
    finally:
        for child in children:
            child.kill()
            child.wait()


@pytest.mark.parametrize(
    "name", ["topics-9", "..", ".jobs", "index.sqlite", "uploads", "latest", "topics-1%00"]
)
def test_jobs_are_not_asked_for_by_bad_names(visitor: Visitor, name: str) -> None:
    for call in ("resume", "pause", "core"):
        assert 400 <= visitor.change(f"/api/runs/{name}/{call}").status_code < 500
    assert Jobs(visitor.store.folder).every() == []

"""A worker does one job and says how it ended, whatever happens to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coterie.core.errors import DataError, Interrupted
from coterie.core.workplace import workplace
from coterie.run import worker
from coterie.run.jobs import DONE, FAILED, Job, Jobs
from coterie.run.live import STOP, read_live
from coterie.run.store import Store
from coterie.run.worker import ACTIONS, HELD, work
from tests.planning import plan


@pytest.fixture(autouse=True)
def _signals():
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def jobs(tmp_path: Path) -> Jobs:
    found = Jobs(tmp_path)
    found.queue.mkdir()
    return found


def waiting(jobs: Jobs, action: str = "try", target: str = "a-1") -> Job:
    job = Job("0123456789ab", action, target, f"{target}/work", time.time())
    jobs._keep(job)
    return job


def does(monkeypatch: pytest.MonkeyPatch, function) -> None:
    monkeypatch.setattr(worker, "tried", function, raising=False)
    monkeypatch.setitem(ACTIONS, "try", "coterie.run.worker:tried")


def test_every_action_is_there() -> None:
    from importlib import import_module

    for place in ACTIONS.values():
        module, _, function = place.partition(":")
        assert callable(getattr(import_module(module), function)), place


def test_a_job_is_done_and_told(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    job = waiting(jobs)
    seen = []

    def tried(store: Path, target: str) -> None:
        seen.append((store, target, jobs.of("try", target).pid))
        workplace().watch.note("At work.")

    does(monkeypatch, tried)
    assert work("try", jobs.store, "a-1", job.id) == 0
    assert seen == [(jobs.store, "a-1", os.getpid())]
    assert jobs.of("try", "a-1").status == DONE
    assert read_live(jobs.store / job.folder)["notes"] == ["At work."]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (DataError("There is no such column."), "There is no such column."),
        (Interrupted("Stopped."), HELD),
        (KeyboardInterrupt(), HELD),
        (ValueError("/secret/path"), worker._BROKEN),
        (SystemExit(4), worker._BROKEN),
        (MemoryError(), worker._BROKEN),
    ],
)
def test_whatever_happens_is_one_sentence(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, error: BaseException, sentence: str
) -> None:
    job = waiting(jobs)

    def tried(store: Path, target: str) -> None:
        raise error

    does(monkeypatch, tried)
    assert work("try", jobs.store, "a-1", job.id) == 1
    assert jobs.of("try", "a-1").status == FAILED
    assert jobs.of("try", "a-1").problem == sentence


def test_an_action_that_cannot_be_loaded_is_one_sentence_too(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = waiting(jobs)
    monkeypatch.setitem(ACTIONS, "try", "coterie.run.nowhere:nothing")
    assert work("try", jobs.store, "a-1", job.id) == 1
    assert jobs.of("try", "a-1").problem == worker._BROKEN


@pytest.mark.parametrize("name", ["", "none", "../../x", "0123456789ab.json", "*"])
def test_a_job_that_nobody_asked_for_is_refused(
    jobs: Jobs, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting(jobs)
    assert work("walk", jobs.store, "a-1", name) == 2
    assert "There is no job" in capsys.readouterr().err


@pytest.mark.parametrize(
    "action", ["", "os:system", "coterie.run.worker:walk", "walk ", "__class__"]
)
def test_an_action_that_is_not_in_the_list_is_refused(jobs: Jobs, action: str) -> None:
    job = waiting(jobs, action)
    assert work(action, jobs.store, "a-1", job.id) == 2


def test_a_walk_that_breaks_leaves_a_run_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    run = plan("sample:topics", store=store, k=2, nulls=0)
    jobs = Jobs(tmp_path)
    jobs.queue.mkdir()
    job = waiting(jobs, "walk", run.name)
    monkeypatch.setattr("coterie.run.planned.walk_run", lambda run: 1 / 0)
    assert work("walk", tmp_path, run.name, job.id) == 1
    assert run.status == "failed"
    assert run.record().problem == worker._BROKEN


def test_a_real_worker_stops_when_it_is_asked_and_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = plan("sample:topics", store=store, nulls=2, max_k=9)
    jobs = Jobs(tmp_path)
    jobs.queue.mkdir()
    job = waiting(jobs, "walk", run.name)
    (tmp_path / job.folder).mkdir(parents=True)
    (tmp_path / job.folder / STOP).touch()
    command = [
        sys.executable,
        "-P",
        "-m",
        "coterie.run.worker",
        "walk",
        str(tmp_path),
        run.name,
        job.id,
    ]
    assert subprocess.run(command, cwd=tmp_path, timeout=120).returncode == 1
    assert jobs.of("walk", run.name).problem == HELD
    assert run.status == "stopped"
    (tmp_path / job.folder / STOP).unlink()
    assert subprocess.run(command, cwd=tmp_path, timeout=120).returncode == 0
    assert run.status == "done"
    assert jobs.of("walk", run.name).status == DONE

"""Jobs: a queue in the store; one job for one wish, so many at once, and nothing is lost with who looked after it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coterie.run import jobs as module
from coterie.run.jobs import DONE, FAILED, GONE, WAITING, WORKING, Job, Jobs
from coterie.run.live import FILE, STOP

Popen = subprocess.Popen


class Stage:
    """Processes that only sleep stand for workers."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.made: list[subprocess.Popen[bytes]] = []
        self.command = ["sleep", "60"]

    def open(self, command: list[str], **how: Any) -> subprocess.Popen[bytes]:
        self.asked.append(command)
        assert how["start_new_session"]  # it goes on when the server ends
        self.made.append(Popen(self.command, stdin=subprocess.DEVNULL))
        return self.made[-1]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    stage = Stage()
    monkeypatch.setattr(module.subprocess, "Popen", stage.open)
    yield stage
    for process in stage.made:
        process.kill()
        process.wait()


def asked(jobs: Jobs, *targets: str, action: str = "walk") -> list[Job]:
    return [jobs.ask(action, target, jobs.store / target / "work" / action) for target in targets]


def said(jobs: Jobs, stage: Stage, number: int) -> None:
    """The worker's first word, as it would say it of itself."""
    pid = stage.made[number].pid
    job = next(job for job in jobs.every() if job.id == stage.asked[number][-1])
    kept = {**module.asdict(job), "pid": pid, "birth": module.birth(pid)}
    (jobs.queue / f"{job.id}.json").write_text(json.dumps(kept))


def test_as_many_as_may_work_at_once_the_oldest_first(tmp_path: Path, stage: Stage) -> None:
    jobs = Jobs(tmp_path, at_once=2)
    assert [job.status for job in asked(jobs, "a-1", "b-1", "c-1", "d-1")] == [
        WORKING,
        WORKING,
        WAITING,
        WAITING,
    ]
    assert [command[-2] for command in stage.asked] == ["a-1", "b-1"]
    for name in ("a-1", "b-1"):
        jobs.ended(jobs.of("walk", name).id)
    jobs.look_after()
    assert [command[-2] for command in stage.asked] == ["a-1", "b-1", "c-1", "d-1"]
    assert [job.status for job in jobs.every()] == [DONE, DONE, WORKING, WORKING]


def test_short_work_does_not_wait_for_long_work(tmp_path: Path, stage: Stage) -> None:
    jobs = Jobs(tmp_path, at_once=1)
    asked(jobs, "a-1", "b-1")
    assert asked(jobs, "u1", "u2", action="look")[0].status == WORKING
    assert [job.status for job in jobs.every()] == [WORKING, WAITING, WORKING, WAITING]


def test_a_wish_said_twice_is_one_job(tmp_path: Path, stage: Stage) -> None:
    jobs = Jobs(tmp_path, at_once=1)
    first, again = asked(jobs, "a-1", "a-1")
    assert first.id == again.id
    jobs.ended(first.id, "It broke.")
    assert jobs.of("walk", "a-1").problem == "It broke."
    assert asked(jobs, "a-1")[0].id != first.id


def test_many_who_ask_at_once_get_one_job(tmp_path: Path, stage: Stage) -> None:
    found: list[Job] = []
    desks = [Jobs(tmp_path, at_once=2) for _ in range(4)]
    threads = [
        threading.Thread(target=lambda jobs=jobs: found.extend(asked(jobs, "a-1")))
        for jobs in desks * 4
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({job.id for job in found}) == 1
    assert len(found) == 16
    assert len(stage.asked) == 1


def test_what_an_earlier_job_left_is_gone(tmp_path: Path, stage: Stage) -> None:
    folder = tmp_path / "a-1" / "work" / "walk"
    folder.mkdir(parents=True)
    (folder / STOP).touch()
    (folder / FILE).write_text('{"notes": ["old"]}')
    jobs = Jobs(tmp_path)
    job = jobs.ask("walk", "a-1", folder)
    assert not (folder / STOP).exists()
    assert jobs.live(job) == {}


def test_stopping(tmp_path: Path, stage: Stage) -> None:
    jobs = Jobs(tmp_path, at_once=1)
    works, waits = asked(jobs, "a-1", "b-1")
    jobs.stop("walk", "a-1")
    jobs.stop("walk", "b-1")
    jobs.stop("walk", "never-asked")
    assert (tmp_path / works.folder / STOP).exists()
    assert jobs.of("walk", "b-1").status == GONE
    jobs.ended(works.id, "stopped")
    jobs.look_after()
    assert len(stage.asked) == 1  # the one that waited is not begun
    assert not waits.going or jobs.of("walk", "b-1").status == GONE


def test_stopping_where_nothing_was_ever_asked(tmp_path: Path) -> None:
    Jobs(tmp_path).stop("walk", "a-1")
    Jobs(tmp_path).look_after()
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_is_killed_is_seen_and_the_next_begins(tmp_path: Path, stage: Stage) -> None:
    jobs = Jobs(tmp_path, at_once=1)
    asked(jobs, "a-1", "b-1")
    said(jobs, stage, 0)
    assert jobs.of("walk", "a-1").status == WORKING
    stage.made[0].send_signal(signal.SIGKILL)
    stage.made[0].wait()
    assert jobs.of("walk", "a-1").status == GONE
    jobs.look_after()
    assert jobs.of("walk", "b-1").status == WORKING


def test_a_worker_that_ends_before_its_first_word_is_seen_at_once(
    tmp_path: Path, stage: Stage
) -> None:
    stage.command = [sys.executable, "-c", "raise SystemExit(3)"]
    jobs = Jobs(tmp_path, at_once=1)
    asked(jobs, "a-1")
    stage.made[0].wait()
    assert jobs.of("walk", "a-1").status == GONE
    jobs.look_after()
    assert Jobs(tmp_path).of("walk", "a-1").status == GONE  # and another server knows it too


def test_a_process_number_that_was_given_to_another_is_not_taken_for_the_worker(
    tmp_path: Path, stage: Stage
) -> None:
    jobs = Jobs(tmp_path)
    (job,) = asked(jobs, "a-1")
    (jobs.queue / f"{job.id}.json").write_text(
        json.dumps({**module.asdict(job), "pid": os.getpid(), "birth": "1"})
    )
    assert jobs.of("walk", "a-1").status == GONE
    jobs.kill("walk", "a-1")  # this process lives


def test_another_server_takes_up_the_queue(tmp_path: Path, stage: Stage) -> None:
    first = Jobs(tmp_path, at_once=1)
    asked(first, "a-1", "b-1")
    said(first, stage, 0)
    first.close()
    second = Jobs(tmp_path, at_once=1)
    second.look_after()
    assert [job.status for job in second.every()] == [WORKING, WAITING]  # what works goes on
    second.ended(second.of("walk", "a-1").id)
    second.look_after()
    assert second.of("walk", "b-1").status == WORKING
    assert len(stage.asked) == 2


def test_two_servers_begin_a_job_once(tmp_path: Path, stage: Stage) -> None:
    both = [Jobs(tmp_path, at_once=4) for _ in range(2)]
    both[0].queue.mkdir()
    for number in range(4):
        (tmp_path / f"r-{number}").mkdir()
        both[0]._keep(Job(f"{number:012d}", "walk", f"r-{number}", f"r-{number}", time.time()))
    threads = [threading.Thread(target=jobs.look_after) for jobs in both * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(command[-2] for command in stage.asked) == ["r-0", "r-1", "r-2", "r-3"]


def test_a_job_whose_folder_is_gone_fails_and_blocks_nobody(tmp_path: Path, stage: Stage) -> None:
    jobs = Jobs(tmp_path, at_once=1)
    jobs.queue.mkdir()
    jobs._keep(Job("0" * 12, "walk", "gone-1", "gone-1/work/walk", time.time() - 5))
    asked(jobs, "b-1")
    jobs.look_after()
    assert jobs.of("walk", "gone-1").status == FAILED
    assert str(tmp_path) not in jobs.of("walk", "gone-1").problem
    assert jobs.of("walk", "b-1").status == WORKING


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"x"',
        "{}",
        '{"id": 1}',
        '{"surplus": 1}',
        '{"id": "x", "pid": "all"}',
        "\x00",
        "[" * 3000,
    ],
)
def test_a_damaged_job_is_passed_over(tmp_path: Path, stage: Stage, text: str) -> None:
    jobs = Jobs(tmp_path)
    asked(jobs, "a-1")
    (jobs.queue / "damaged.json").write_text(text)
    jobs.look_after()
    assert [job.target for job in jobs.every()] == ["a-1"]


def test_old_jobs_are_forgotten_and_those_that_go_are_not(tmp_path: Path, stage: Stage) -> None:
    jobs = Jobs(tmp_path, at_once=1)
    asked(jobs, "keep-1")
    for number in range(90):
        jobs._keep(
            Job(f"{number:012d}", "walk", f"r-{number}", f"r-{number}", float(number), status=DONE)
        )
    jobs.look_after()
    left = jobs.every()
    assert len(left) == 61
    assert {"keep-1", "r-89", "r-30"} <= {job.target for job in left}
    assert "r-29" not in {job.target for job in left}


def test_no_module_is_taken_from_the_store(tmp_path: Path) -> None:
    """A file of the store that bears the name of a module of Python's is not run by a worker."""
    (tmp_path / "json.py").write_text(
        "open('taken', 'w').close()\nraise SystemExit('taken from the store')\n"
    )
    (tmp_path / "coterie").mkdir()
    (tmp_path / "coterie" / "__init__.py").write_text("open('taken', 'w').close()\n")
    jobs = Jobs(tmp_path)
    jobs.ask("walk", "nothing-1", tmp_path / "nothing-1" / "work")
    next(iter(jobs._children.values())).wait(60)
    assert not (tmp_path / "taken").exists()
    job = jobs.of("walk", "nothing-1")
    assert job.status == FAILED, (tmp_path / job.folder / "worker.log").read_text()
    assert "nothing-1" in job.problem

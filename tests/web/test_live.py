"""Progress: the state of a run from index, queue and worker; events, pause and resume; and adding members."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coterie.run.index import Record
from coterie.run.jobs import DONE, FAILED, GONE, WAITING, WORKING, Job, Jobs
from coterie.run.worker import HELD, work
from coterie.web.progress import Step, state_of, steps_of
from tests.planning import plan
from tests.web.serving import Visitor

JOB = Job("a", "walk", "x-1", "x-1/work/walk", 1.0)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks after the queue, so that jobs stay as they are put."""
    monkeypatch.setattr("coterie.run.jobs.Jobs.look_after", lambda self: None)


def told(stream: str) -> list[tuple[str, Any]]:
    """The events of a stream."""
    parts = [
        dict(line.split(": ", 1) for line in block.splitlines())
        for block in stream.strip().split("\n\n")
    ]
    return [(part["event"], json.loads(part["data"])) for part in parts if "event" in part]


@pytest.mark.parametrize(
    ("status", "job", "halting", "expected"),
    [
        ("new", None, False, "new"),
        ("new", replace(JOB, status=WAITING), False, "waiting"),
        ("running", replace(JOB, status=WORKING), False, "working"),
        ("running", replace(JOB, status=WORKING), True, "pausing"),
        ("running", None, False, "elsewhere"),
        ("stopped", replace(JOB, status=FAILED, problem=HELD), False, "paused"),
        ("stopped", replace(JOB, status=WORKING), False, "working"),
        ("interrupted", replace(JOB, status=GONE), False, "interrupted"),
        ("failed", replace(JOB, status=FAILED, problem="No."), False, "failed"),
        (
            "interrupted",
            replace(JOB, status=FAILED, problem="It cannot be read again."),
            False,
            "failed",
        ),
        ("done", replace(JOB, status=WORKING), False, "done"),
        ("done", replace(JOB, status=DONE), False, "done"),
    ],
)
def test_the_state_of_a_run(status: str, job: Job | None, halting: bool, expected: str) -> None:
    assert state_of(Record("x-1", status=status), job, halting) == expected


def test_time_left_and_words_of_a_worker_that_make_no_sense() -> None:
    fine = {"name": "nulls", "done": 2, "total": 10, "seconds": 4.0}
    odd = [
        {},
        None,
        7,
        {"name": "x", "done": "a", "total": 1, "seconds": 0},
        {**fine, "total": 0},
        {**fine, "done": 0},
    ]
    found = steps_of({"tasks": [fine, *odd]})
    assert found[0] == Step(name="Nulls", done=2, total=10, seconds=4.0, left=16.0)
    assert [(step.total, step.left) for step in found[1:]] == [(None, None), (10, None)]
    assert steps_of({"tasks": "none"}) == steps_of({}) == []


def test_the_stream_of_a_finished_run_ends_by_itself(looking: Visitor) -> None:
    answer = looking.get("/api/runs/mail-1/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = told(answer.text)
    assert [kind for kind, _ in events] == ["curves", "standing", "end"]
    assert events[1][1]["state"] == "done"
    assert events[1][1]["members"] == 200


def test_the_stream_tells_steps_notes_and_curves(visitor: Visitor, still: None) -> None:
    run = plan("sample:mail", store=visitor.store, name="slow", nulls=0)
    visitor.change(f"/api/runs/{run.name}/resume")
    jobs = Jobs(visitor.store.folder)
    job = jobs.begun(jobs.every()[-1].id)  # this process is the worker
    assert job is not None
    live = {
        "tasks": [{"name": "null collections", "done": 3, "total": 12, "seconds": 6.0}],
        "notes": ["<script>alert(1)</script> in /srv/ada/mail/inbox.mbox"],
        "curves": {"objective": [[1, 2.0], [2, 3.0]], "objective, 2": [[1, 1.0]]},
    }
    (visitor.store.folder / job.folder / "live.json").write_text(json.dumps(live))
    time.sleep(0.5)  # what was seen a moment ago is no longer told
    events = dict(told(visitor.get(f"/api/runs/{run.name}/events", params={"seconds": 0}).text))
    assert events["standing"]["state"] == "working"
    assert events["standing"]["steps"][0] == {
        "name": "Null collections",
        "done": 3,
        "total": 12,
        "seconds": 6.0,
        "left": 18.0,
    }
    assert "/srv/ada" not in json.dumps(events["standing"]["notes"])
    assert [curve["name"] for curve in events["curves"]] == ["objective"]
    assert events["curves"][0]["svg"].startswith("<svg")
    page = visitor.get(f"/runs/{run.name}").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_a_stream_ends_when_its_run_is_deleted(visitor: Visitor) -> None:
    from coterie.web.live import Follow, _stream

    run = plan("sample:mail", store=visitor.store, name="slow", nulls=0)
    follow = Follow(visitor.app.app.state.desk)  # type: ignore[attr-defined]

    async def watched() -> list[str]:
        found = []
        async for part in _stream(follow, run.name, 30):
            found.append(part)
            if "standing" in part:
                visitor.store.delete(run.name)
                follow.forget(run.name)
        return found

    import asyncio

    assert asyncio.run(watched())[-1].startswith("event: gone")


def test_many_tabs_are_one_look_at_the_store(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    from coterie.web import live

    desk = visitor.app.app.state.desk  # type: ignore[attr-defined]
    looks: list[str] = []
    real = live.standing_of
    monkeypatch.setattr(
        live, "standing_of", lambda desk, run: (looks.append(run.name), real(desk, run))[1]
    )

    async def together() -> list[Any]:
        follow = live.Follow(desk)
        return await asyncio.gather(*(follow.look("mail-1") for _ in range(200)))

    assert {one.standing.state for one in asyncio.run(together())} == {"done"}
    assert looks == ["mail-1"]


def test_pause_takes_a_waiting_run_back_and_resume_puts_it_there(
    visitor: Visitor, still: None
) -> None:
    run = plan("sample:mail", store=visitor.store, name="slow", nulls=0)
    assert visitor.change(f"/api/runs/{run.name}/resume").json()["state"] == "waiting"
    assert visitor.change(f"/api/runs/{run.name}/pause").json()["state"] == "new"
    assert visitor.change(f"/api/runs/{run.name}/resume").json()["state"] == "waiting"


def test_pause_asks_a_working_run_to_stop_and_resume_waits_for_it(
    visitor: Visitor, still: None
) -> None:
    run = plan("sample:mail", store=visitor.store, name="slow", nulls=0)
    visitor.change(f"/api/runs/{run.name}/resume")
    jobs = Jobs(visitor.store.folder)
    job = jobs.begun(jobs.every()[-1].id)
    assert job is not None
    assert visitor.change(f"/api/runs/{run.name}/pause").json()["state"] == "pausing"
    assert (visitor.store.folder / job.folder / "stop").exists()
    again = visitor.change(f"/api/runs/{run.name}/resume")
    assert again.status_code == 409
    assert "wait until it has stopped" in again.json()["detail"]
    jobs.ended(job.id, HELD)
    run.update(status="stopped")
    time.sleep(0.5)  # what was seen a moment ago is no longer told
    assert visitor.get(f"/api/runs/{run.name}/state").json()["state"] == "paused"


@pytest.mark.parametrize("deed", ["pause", "resume"])
def test_a_finished_run_can_neither_be_paused_nor_go_on(visitor: Visitor, deed: str) -> None:
    answer = visitor.change(f"/api/runs/mail-1/{deed}")
    assert answer.status_code == 409
    assert "finished" in answer.json()["detail"]


def test_a_source_that_is_not_there_is_one_sentence_without_its_place(
    visitor: Visitor, still: None, tmp_path: Path
) -> None:
    run = plan(tmp_path / "gone" / "letters.csv", store=visitor.store, name="bad", nulls=0)
    visitor.change(f"/api/runs/{run.name}/resume")
    assert (
        work("walk", visitor.store.folder, run.name, Jobs(visitor.store.folder).every()[-1].id) == 1
    )
    time.sleep(0.5)
    now = visitor.get(f"/api/runs/{run.name}/state").json()
    assert (now["state"], now["resume"]) == ("failed", True)
    assert "letters.csv" in now["problem"]
    assert str(tmp_path) not in now["problem"]


def test_new_members_are_placed_by_a_job(visitor: Visitor, still: None) -> None:
    made = visitor.change("/api/collections", {"name": "new mail"}).json()
    table = "id,text\nnew-1,klubuke stumo tagrakei klasta klubuke stumo\nnew-2,duli mokeidra rabe veste duli\n"
    sent = visitor.put(
        f"/api/uploads/{made['id']}/files",
        params={"path": "new.csv"},
        content=table,
        headers={"x-csrf-token": visitor.token()},
    )
    assert sent.status_code == 200
    run = visitor.store.open("topics-1")
    before = len(run.findings())
    assert (
        visitor.change("/api/runs/topics-1/add", {"collection": made["id"]}).json()["status"]
        == "waiting"
    )
    twice = visitor.change("/api/runs/topics-1/add", {"collection": made["id"]})
    assert twice.status_code == 409
    assert (
        work("add", visitor.store.folder, "topics-1", Jobs(visitor.store.folder).every()[-1].id)
        == 0
    )
    assert len(run.findings()) == before + 2
    now = visitor.get("/api/runs/topics-1/add").json()
    assert now["status"] == "done"
    assert now["sentence"].startswith("2 new members were placed")
    assert "new-1" in visitor.get("/runs/topics-1").text


def test_adding_refuses_collections_and_runs_that_are_not_there(visitor: Visitor) -> None:
    for name in ("nothing-123456", "../mail-1", "\x00"):
        assert visitor.change("/api/runs/mail-1/add", {"collection": name}).status_code in (
            404,
            422,
        ), name
    assert visitor.change("/api/runs/nobody-1/add", {"collection": "x"}).status_code == 404
    assert visitor.get("/api/runs/mail-1/add").json()["status"] == "none"

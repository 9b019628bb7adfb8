"""The page Core without a browser: asked for once, found by a job, moved in size without work, and sentences on misuse."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from coterie import Store
from coterie.run.coring import Way, ask_core, find_cores
from tests.web.serving import Visitor

AT = "/api/runs/topics-1/core"


@pytest.fixture(scope="module")
def cored(looked: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    import shutil

    folder = Path(shutil.copytree(looked, tmp_path_factory.mktemp("cores") / "store"))
    ask_core(Store(folder).open("topics-1"), Way("occc", "uniform"))
    find_cores(folder, "topics-1")
    with Visitor(folder) as visitor:
        yield visitor


def patient(visitor: Visitor, path: str, **query: Any) -> Any:
    for _ in range(200):
        found = visitor.get(path, params={"method": "occc", "background": "uniform", **query})
        if found.status_code != 409:
            assert found.status_code == 200, found.text
            return found
        time.sleep(0.05)
    raise AssertionError("it is being prepared for ever")


def test_the_page(looking: Visitor) -> None:
    page = looking.get("/runs/topics-1/core")
    assert page.status_code == 200
    assert 'id="method"' in page.text
    assert "core.js" in page.text
    assert "style=" not in page.text


def test_a_run_without_words_says_so(looking: Visitor) -> None:
    page = looking.get("/runs/traces-1/core")
    assert page.status_code == 200
    assert "found by words, links or counts" in page.text
    assert "core.js" not in page.text


def test_asked_for_it_is_found_by_a_job(visitor: Visitor) -> None:
    query = {"method": "kl", "background": "uniform"}
    assert visitor.get(f"{AT}/state", params=query).json()["status"] == "absent"
    assert visitor.get(AT, params=query).status_code == 404
    assert visitor.change(AT, query).json()["status"] in ("waiting", "working")
    for _ in range(600):
        state = visitor.get(f"{AT}/state", params=query).json()
        if state["status"] not in ("waiting", "working"):
            break
        time.sleep(0.1)
    assert state["status"] == "done", state
    asked = (
        (visitor.store.folder / "topics-1" / "values" / "core-kl-uniform.json").stat().st_mtime_ns
    )
    assert visitor.change(AT, query).json()["status"] == "done"  # not looked for again
    assert (
        visitor.store.folder / "topics-1" / "values" / "core-kl-uniform.json"
    ).stat().st_mtime_ns == asked


def test_asked_for_while_a_job_comes_to_its_end_it_is_found_by_the_next(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = visitor.app.app.state.desk  # type: ignore[attr-defined]
    monkeypatch.setattr("coterie.run.jobs.Jobs._start", lambda self, job: self.begun(job.id))
    run = desk.run("topics-1")
    query = {"method": "kl", "background": "uniform"}
    ending = desk.work(run, "core")  # it looked for the last time, and has not said its last word
    assert visitor.get(f"{AT}/state", params=query).json()["status"] == "absent", (
        "nobody asked for this one"
    )
    assert visitor.change(AT, query).json()["status"] == "working"
    assert desk.job(run, "core").id == ending.id
    desk.jobs.ended(ending.id)
    assert visitor.get(f"{AT}/state", params=query).json()["status"] in ("waiting", "working")
    again = desk.job(run, "core")
    assert again.id != ending.id
    desk.jobs.ended(again.id, "It broke.")
    state = visitor.get(f"{AT}/state", params=query).json()
    assert (state["status"], state["problem"]) == ("failed", "It broke.")
    assert desk.job(run, "core").id == again.id, "what fails is not begun again by itself"


def test_the_size_moves_along_the_ranking(cored: Visitor) -> None:
    found = patient(cored, AT).json()
    assert found["size"] == found["found"]
    assert found["members"] == 400
    assert found["sentences"]
    for size in (1, 37, 400):
        core = patient(cored, AT, size=size).json()
        assert core["size"] == size
        assert core["found"] == found["found"]
        assert [row["rank"] for row in core["inside"]] == list(range(max(1, size - 3), size + 1))
        assert [row["rank"] for row in core["outside"]] == list(range(size + 1, min(size + 5, 401)))
        assert len(core["rows"]) == min(20, size)
    assert patient(cored, AT, size=37).json()["rows"][0] == found["rows"][0]
    scores = [score for _, score in found["curve"]]
    assert scores == sorted(scores, reverse=True)


def test_the_verdict_says_it_and_the_core_becomes_a_group(visitor: Visitor) -> None:
    ask_core(Store(visitor.store.folder).open("topics-1"), Way("occc", "uniform"))
    find_cores(visitor.store.folder, "topics-1")
    core = patient(visitor, AT).json()
    assert f"{core['found']} of 400 members" in core["verdict"]
    places = patient(visitor, f"{AT}/places", size=30).json()
    assert places["size"] == len(set(places["members"])) == 30
    assert places["members"][:20] == [row["at"] for row in core["rows"]]
    made = visitor.change(
        "/api/runs/topics-1/edits",
        {"kind": "label", "members": places["members"], "name": "the core"},
    )
    assert made.status_code == 200, made.text
    assert made.json()["groups"][-1]["name"] == "the core"
    assert made.json()["groups"][-1]["size"] == 30


def test_pages_end_where_the_core_does(cored: Visitor) -> None:
    core = patient(cored, AT, size=45, page=99).json()
    assert (core["page"], core["pages"], len(core["rows"])) == (3, 3, 5)


def test_words_go_with_the_size(cored: Visitor) -> None:
    few, many = (patient(cored, f"{AT}/words", size=size).json() for size in (30, 200))
    assert few["size"] == 30
    assert few["words"]
    assert few["words"] != many["words"]
    found = patient(cored, AT).json()
    same = patient(cored, f"{AT}/words").json()
    assert [word for word, _ in same["words"]] == found["words"]


def test_the_file_has_everybody_with_the_core_at_that_size(cored: Visitor) -> None:
    answer = patient(cored, f"{AT}/core.csv", size=12)
    lines = answer.text.splitlines()
    assert lines[0].startswith("id,rank,core,score")
    assert len(lines) == 401
    assert sum(line.split(",")[2] == "1" for line in lines[1:]) == 12
    assert (
        answer.headers["content-disposition"]
        == 'attachment; filename="topics-1-core-occc-uniform.csv"'
    )


@pytest.mark.parametrize(
    "query",
    [
        {"method": "best"},
        {"background": "mine"},
        {"size": -1},
        {"size": 10**30},
        {"page": 0},
        {"size": "NaN"},
    ],
)
def test_misuse_is_a_sentence(cored: Visitor, query: dict[str, Any]) -> None:
    answer = cored.get(AT, params=query)
    assert answer.status_code == 422
    assert answer.json()["detail"].endswith(".")


def test_a_spoilt_record_is_a_sentence(visitor: Visitor) -> None:
    values = visitor.store.folder / "topics-1" / "values"
    values.mkdir(exist_ok=True)
    (values / "core-ltb-bundled.json").write_text('{"size": 3, "members": []}', encoding="utf-8")
    for _ in range(100):
        answer = visitor.get(AT)
        if answer.status_code != 409:
            break
        time.sleep(0.05)
    assert answer.status_code == 422
    assert "does not fit" in answer.json()["detail"]


def test_members_that_cannot_have_a_core_are_not_worked_on(visitor: Visitor) -> None:
    answer = visitor.change("/api/runs/traces-1/core", {})
    assert answer.status_code == 422
    assert not (visitor.store.folder / "traces-1" / "work" / "core").exists()

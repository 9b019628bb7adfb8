"""The list of runs and the page of one: what is said of them, what is found, what is escaped, and deleting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coterie import Store
from tests.planning import plan
from tests.web.serving import Visitor

HOSTILE = "<script>alert(1)</script>"


def test_the_list_names_every_run_with_its_state_and_summary(looking: Visitor) -> None:
    page = looking.get("/runs")
    assert page.status_code == 200
    for record in looking.store.runs():
        assert f'href="/runs/{record.name}"' in page.text
        assert record.summary in page.text
    assert page.text.count("Finished") == len(looking.store.runs())


def test_the_list_is_searched_by_all_words(looking: Visitor) -> None:
    found = [
        line["name"] for line in looking.get("/api/runs", params={"q": "messages groups"}).json()
    ]
    assert found == ["mail-1"]
    page = looking.get("/runs", params={"q": "nobody has this"})
    assert "No run has these words" in page.text
    assert 'data-name="mail-1"' not in page.text


def test_the_list_reads_the_index_once(looking: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    every = Store.runs
    monkeypatch.setattr(Store, "runs", lambda self: asked.append(1) or every(self))
    assert looking.get("/runs", params={"q": "text"}).status_code == 200
    assert asked == [1]


def test_an_empty_store_says_how_to_begin(tmp_path: Path) -> None:
    with Visitor(tmp_path / "empty") as visitor:
        page = visitor.get("/runs")
    assert "Begin with a collection" in page.text
    assert 'id="runs"' not in page.text


def test_the_list_follows_what_happens(visitor: Visitor) -> None:
    before = visitor.get("/runs").text
    plan("sample:mail", store=visitor.store, name="later", nulls=0)
    after = visitor.get("/runs").text
    assert "later-1" not in before
    assert "later-1" in after
    assert "Not begun" in after


@pytest.mark.parametrize("name", ["topics-1", "mail-1", "mixed-1", "traces-1", "letters-1"])
def test_a_finished_run_shows_verdict_groups_and_evidence(looking: Visitor, name: str) -> None:
    page = looking.get(f"/runs/{name}")
    assert page.status_code == 200
    assert re.search(r"\d+ (clear |fairly clear )?groups", page.text)
    assert f"/runs/{name}/groups/1" in page.text
    assert "How many groups, and why" in page.text
    assert "<svg" in page.text
    assert f"/new?run={name}" in page.text
    assert "style=" not in page.text
    assert "onclick" not in page.text


def test_what_people_wrote_is_escaped(visitor: Visitor) -> None:
    run = visitor.store.open("mail-1")
    run.update(title=HOSTILE, summary=HOSTILE)
    for path in ("/runs", "/runs/mail-1"):
        text = visitor.get(path).text
        assert HOSTILE not in text, path
        assert "&lt;script&gt;" in text, path


def test_a_run_that_is_not_finished_says_so_and_offers_to_begin(visitor: Visitor) -> None:
    run = plan("sample:mail", store=visitor.store, name="later", nulls=0)
    page = visitor.get(f"/runs/{run.name}")
    assert "Not begun yet" in page.text
    assert 'id="overview"' not in page.text
    assert f"/runs/{run.name}/map" not in page.text  # there is nothing to look at yet


@pytest.mark.parametrize(
    "name", ["nobody-1", "%2e%2e%2fmail-1", "MAIL-1", "mail-1%00", "%F0%9F%A6%80", "a" * 300]
)
def test_runs_that_are_not_there_are_404(looking: Visitor, name: str) -> None:
    for path in (f"/runs/{name}", f"/api/runs/{name}/state", f"/api/runs/{name}/events"):
        assert looking.get(path).status_code == 404, path


def test_a_deleted_run_is_gone_and_the_others_stay(visitor: Visitor) -> None:
    answer = visitor.change("/api/runs/mail-1", method="DELETE")
    assert answer.json() == {"deleted": "mail-1"}
    assert not (visitor.store.folder / "mail-1").exists()
    assert visitor.get("/runs/mail-1").status_code == 404
    assert visitor.get("/runs/topics-1").status_code == 200
    assert visitor.change("/api/runs/mail-1", method="DELETE").status_code == 404


def test_deleting_needs_the_form_token(visitor: Visitor) -> None:
    assert visitor.delete("/api/runs/mail-1").status_code == 403
    assert Store(visitor.store.folder).open("mail-1").status == "done"


def test_deleting_takes_a_waiting_run_out_of_the_queue(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = plan("sample:mail", store=visitor.store, name="later", nulls=0)
    monkeypatch.setattr("coterie.run.jobs.Jobs.look_after", lambda self: None)  # nobody begins it
    visitor.change(f"/api/runs/{run.name}/resume")
    assert visitor.get(f"/api/runs/{run.name}/state").json()["state"] == "waiting"
    assert visitor.change(f"/api/runs/{run.name}", method="DELETE").status_code == 200
    assert not run.folder.exists()

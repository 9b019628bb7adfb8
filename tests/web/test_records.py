"""One run as the API gives it, the way to the reference, and the table of groups as a file."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from tests.planning import plan
from tests.web.serving import Visitor


def test_a_run_is_given_as_it_is_listed(looking: Visitor) -> None:
    for line in looking.get("/api/runs").json():
        found = looking.get(f"/api/runs/{line['name']}").json()
        assert {
            key: found[key] for key in ("name", "title", "kind", "members", "groups", "created")
        } == {key: line[key] for key in ("name", "title", "kind", "members", "groups", "created")}
        assert (found["status"], found["summary"]) == (line["state"], line["said"])
        assert found["request"]["choices"]["max_k"] in (9, 30)
    assert looking.get("/api/runs/nobody-1").status_code == 404


def test_hints_and_places_of_this_machine_are_not_given(visitor: Visitor, tmp_path) -> None:  # type: ignore[no-untyped-def]
    secret = tmp_path / "somewhere" / "texts.csv"
    secret.parent.mkdir()
    secret.write_text("text\none\ntwo\nthree\n", encoding="utf-8")
    run = plan(
        secret, store=visitor.store, name="later", hints={"labels": {"0": "confidential"}}, nulls=0
    )
    answer = visitor.get(f"/api/runs/{run.name}")
    assert answer.json()["status"] == "new"
    assert "confidential" not in answer.text
    assert "somewhere" not in answer.text
    assert answer.json()["request"]["path"] == ""
    assert answer.json()["request"]["constraints"]["labels"] == 1


def test_the_api_itself_leads_to_its_reference(looking: Visitor) -> None:
    answer = looking.get("/api", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/docs")


def test_groups_are_a_table(visitor: Visitor) -> None:
    assert (
        visitor.change(
            "/api/runs/topics-1/edits", {"kind": "rename", "groups": [2], "name": 'tea, "green"'}
        ).status_code
        == 200
    )
    answer = visitor.get("/runs/topics-1/export/groups.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="topics-1-groups.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    found = visitor.store.open("topics-1").findings()
    assert [int(row["number"]) for row in rows] == list(range(1, len(found.groups) + 1))
    assert rows[1]["name"] == 'tea, "green"'
    assert [int(row["size"]) for row in rows] == np.bincount(found.labels).tolist()
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1.0)
    first = found.groups[0].telling["words"][0][0]
    assert rows[0]["telling words"].split("; ")[0] == first
    assert "/runs/topics-1/export/groups.csv" in visitor.get("/runs/topics-1/export").text

"""Exports: labels as they stand, in both forms; the report shut in; the lines that make a run again; safe names of files."""

from __future__ import annotations

import csv
import io
import os

import pytest

from coterie.run.steering import Steering
from tests.web.serving import Visitor

HOSTILE = '<script>alert("x")</script>'


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_labels_as_csv_are_those_of_the_run(looking: Visitor) -> None:
    answer = looking.get("/runs/mail-1/export/labels.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="mail-1-labels.csv"'
    assert answer.content == (looking.store.folder / "mail-1" / "labels.csv").read_bytes()


def test_labels_as_parquet_are_the_same_table(looking: Visitor) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    answer = looking.get("/runs/mail-1/export/labels.parquet")
    table = pq.read_table(io.BytesIO(answer.content)).to_pydict()
    plain = rows(looking.get("/runs/mail-1/export/labels.csv").text)
    assert table["id"] == [row["id"] for row in plain]
    assert table["group"] == [int(row["group"]) for row in plain]


def test_labels_follow_edits_by_hand(visitor: Visitor) -> None:
    Steering(visitor.store.open("mail-1")).rename(2, HOSTILE)
    found = rows(visitor.get("/runs/mail-1/export/labels.csv").text)
    assert {row["group_name"] for row in found if row["group"] == "1"} == {HOSTILE}
    page = visitor.get("/runs/mail-1/export").text
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert "/runs/mail-1/export/edits.jsonl" in page
    assert b"rename" in visitor.get("/runs/mail-1/export/edits.jsonl").content


def test_one_group_alone_with_places_and_lines(looking: Visitor) -> None:
    findings = looking.store.open("mail-1").findings()
    answer = looking.get("/runs/mail-1/export/labels.csv", params={"group": 3, "more": True})
    assert 'filename="mail-1-group-3.csv"' in answer.headers["content-disposition"]
    found = rows(answer.text)
    assert len(found) == int((findings.labels == 2).sum())
    assert {row["group"] for row in found} == {"2"}
    assert set(found[0]) == {
        "id",
        "group",
        "group_name",
        "confidence",
        "unstable",
        "duplicate_of",
        "x",
        "y",
        "line",
    }


@pytest.mark.parametrize(
    ("query", "status"),
    [("group=99", 404), ("group=-1", 422), ("group=x", 422), ("more=perhaps", 422)],
)
def test_groups_that_are_not_there_are_refused(looking: Visitor, query: str, status: int) -> None:
    assert looking.get(f"/runs/mail-1/export/labels.csv?{query}").status_code == status


def test_a_selection_in_the_order_given_and_each_once(visitor: Visitor) -> None:
    ids = visitor.store.open("mail-1").findings().ids
    answer = visitor.change("/api/runs/mail-1/labels", {"members": [7, 3, 7]})
    assert [row["id"] for row in rows(answer.text)] == [ids[7], ids[3]]
    beyond = visitor.change("/api/runs/mail-1/labels", {"members": [200]})
    assert beyond.status_code == 422
    assert "no member at place 200" in beyond.json()["detail"]
    for members in ([-1], [2**60], ["a"], [1.5], None):
        assert visitor.change("/api/runs/mail-1/labels", {"members": members}).status_code == 422, (
            members
        )


def test_the_report_is_shut_in(looking: Visitor) -> None:
    answer = looking.get("/runs/mail-1/report")
    assert answer.headers["content-security-policy"].startswith(
        "sandbox allow-scripts allow-downloads"
    )
    assert "allow-same-origin" not in answer.headers["content-security-policy"]
    assert answer.content == (looking.store.folder / "mail-1" / "report.html").read_bytes()
    kept = looking.get("/runs/mail-1/export/report.html")
    assert kept.content == answer.content
    assert "attachment" in kept.headers["content-disposition"]


def test_the_report_follows_edits_and_looking_writes_nothing(visitor: Visitor) -> None:
    run = visitor.store.open("mail-1")
    old = run.folder / "report.html"
    os.utime(old, (1, 1))
    before = old.read_bytes()
    Steering(run).rename(1, "letters on the harvest")
    for _ in range(40):  # made beside the request
        answer = visitor.get("/runs/mail-1/report")
        if "refresh" not in answer.headers:
            break
    assert "letters on the harvest" in answer.text
    assert old.read_bytes() == before


def test_lines_that_make_it_again(looking: Visitor) -> None:
    answer = looking.get("/runs/mail-1/export/again.py")
    assert 'filename="mail-1.py"' in answer.headers["content-disposition"]
    assert "coterie.explore('sample:mail'" in answer.text
    assert (
        looking.get("/runs/mail-1/export/again.sh").status_code == 404
    )  # it was not made by a command
    assert looking.get("/runs/mail-1/export/edits.jsonl").status_code == 404


@pytest.mark.parametrize("path", ["labels.exe", "labels.csv%2f..", "again.rb", "labels.csv%00"])
def test_other_files_are_not_there(looking: Visitor, path: str) -> None:
    assert looking.get(f"/runs/mail-1/export/{path}").status_code in (404, 422)

"""Faults that were found and mended: requests behind a back, marks in texts, pages of another store, a flood of makings."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from coterie.web.desk import Desk, NotYet
from coterie.web.pages import CSRF_MARK, render
from coterie.web.settings import Serving
from tests.web.serving import Visitor


@pytest.mark.parametrize(
    ("path", "mode", "status"),
    [
        ("/api/runs", "no-cors", 403),
        ("/api/runs", "navigate", 403),
        ("/runs", "no-cors", 403),
        ("/runs", "navigate", 200),
    ],
)
def test_another_page_may_lead_here_and_not_ask(
    looking: Visitor, path: str, mode: str, status: int
) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode}
    assert looking.get(path, headers=headers).status_code == status
    assert (
        looking.get(path, headers={**headers, "sec-fetch-site": "same-origin"}).status_code == 200
    )


def test_what_the_gate_refuses_is_readable(looking: Visitor) -> None:
    said = looking.get("/runs", headers={"host": "evil.example:8470", "accept": "text/html"})
    assert said.status_code == 421
    assert said.headers["content-type"].startswith("text/html")
    assert "<p>This name of a host" in said.text
    assert (
        looking.get("/runs", headers={"host": "evil.example:8470"})
        .json()["detail"]
        .startswith("This name")
    )


def test_no_text_can_hold_the_mark_of_the_token(looking: Visitor) -> None:
    assert looking.token() not in looking.get("/runs").text.replace(
        f'content="{looking.token()}"', ""
    )
    assert len(CSRF_MARK) > 30
    assert CSRF_MARK in render("error.html", status=404, sentence="%%CSRF%%")
    assert "%%CSRF%%" in render("error.html", status=404, sentence="%%CSRF%%")


def test_pages_of_one_store_are_not_shown_for_another(looked: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(looked, tmp_path / "store"))  # with the same times
    with Visitor(looked) as one, Visitor(other) as two:
        assert one.get("/runs/topics-1/groups").status_code == 200
        findings = other / "topics-1" / "findings" / "findings.json"
        kept = findings.stat()
        findings.write_text("{}")
        os.utime(findings, ns=(kept.st_atime_ns, kept.st_mtime_ns))
        assert two.get("/runs/topics-1/groups").status_code == 422


def test_few_things_are_made_at_once(looked: Path) -> None:
    desk = Desk(Serving(looked))
    gate = threading.Event()
    working = [0]
    most = [0]

    def make() -> int:
        working[0] += 1
        most[0] = max(most[0], working[0])
        gate.wait(20)
        working[0] -= 1
        return 1

    for key in range(6):
        with pytest.raises(NotYet):
            desk.warm(("flood", key), make)
    assert most[0] == 2
    gate.set()
    assert desk.warm(("flood", 0), make) == 1

"""The page of a finished run and the list: sentences once, groups by their numbers everywhere, and who works and who waits."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coterie import using
from coterie.core.workplace import Silent
from coterie.messages.exploration import explain_evidence, name_unstable
from coterie.run.planned import walk_run
from coterie.show import map as still
from tests.planning import plan
from tests.web.serving import Visitor


@pytest.mark.parametrize("name", ["topics-1", "mixed-1", "traces-1", "letters-1"])
def test_every_sentence_is_said_once(looking: Visitor, name: str) -> None:
    page = unescape(re.sub("<[^>]+>", "", looking.get(f"/runs/{name}").text))
    found = looking.store.open(name).findings()
    for sentence in explain_evidence(found.evidence):
        assert page.count(sentence) == 1, sentence


def test_groups_have_the_same_numbers_in_the_picture_and_beside_it(looking: Visitor) -> None:
    page = looking.get("/runs/topics-1").text
    numbers = [str(group.label + 1) for group in looking.store.open("topics-1").findings().groups]
    picture = page[
        page.index('<svg class="still-map"') : page.index(
            "</svg>", page.index('<svg class="still-map"')
        )
    ]
    assert sorted(re.findall(r">([^<]+)</text>", picture)) == sorted(numbers)
    assert sorted(re.findall(r'class="called"><b>(\d+)</b>', page)) == sorted(numbers)


def test_the_still_map_has_letters_unless_numbers_are_asked_for() -> None:
    where = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    labels = np.array([0, 1, -1])
    assert re.findall(r">([^<]+)</text>", still.draw(where, labels)) == ["A", "B"]
    assert re.findall(r">([^<]+)</text>", still.draw(where, labels, numbers=True)) == ["1", "2"]


def test_groups_that_did_not_hold_together_are_named() -> None:
    assert name_unstable([4]) == "group 4 is unstable"
    assert name_unstable([1, 3]) == "groups 1 and 3 are unstable"
    assert name_unstable(range(1, 31)).startswith(
        "30 groups are unstable, the first of them 1, 2, 3, 4, 5"
    )


def test_the_list_tells_who_works_from_who_waits(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coterie.run.jobs.Jobs.look_after", lambda self: None)
    for _ in range(3):
        run = plan("sample:mail", store=visitor.store, name="later", nulls=0)
        assert visitor.change(f"/api/runs/{run.name}/resume").status_code == 200
    told = re.compile(r'id="told">([^<]*)<')
    assert told.findall(visitor.get("/runs").text) == ["Eight runs, three waiting"]
    run.start()
    jobs = visitor.app.app.state.desk.jobs  # type: ignore[attr-defined]
    assert jobs.begun(jobs.of("walk", run.name).id) is not None
    assert told.findall(visitor.get("/runs").text) == ["Eight runs, one at work, two waiting"]


def test_the_button_says_where_it_leads(looking: Visitor) -> None:
    assert (
        '<a class="button" href="/collections">New run from a collection</a>'
        in looking.get("/runs").text
    )


class _Heard(Silent):
    """A watcher that keeps the names of tasks."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def begin(self, name: str, total: int | None) -> Any:
        self.names.append(name)
        return super().begin(name, total)


def test_reading_the_members_is_a_step_of_its_own(tmp_path: Path) -> None:
    from coterie import Store

    run = plan("sample:mixed", store=Store(tmp_path), name="m", nulls=0, k=3)
    heard = _Heard()
    with using(watch=heard):
        walk_run(run)
    assert heard.names[0] == "reading the members"
    assert "explore" in heard.names

"""Steering from the page: every edit, undo, several visitors at once, questions, and the new run."""

from __future__ import annotations

import csv
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from coterie import Collection, Store
from coterie.run.jobs import Jobs
from coterie.run.questions import add
from coterie.run.steering import LOCK, Steering
from coterie.run.steering_log import append_edit
from tests.web.serving import Visitor

API = "/api/runs/topics-1"


def patiently(ask: Any) -> httpx.Response:
    """What is asked for, also when it takes a moment."""
    for _ in range(100):
        answer: httpx.Response = ask()
        if answer.status_code != 409:
            return answer
        time.sleep(0.2)
    raise AssertionError(answer.text)


def labels(store: Path) -> dict[str, int]:
    with (store / "topics-1" / "labels.csv").open(newline="") as file:
        return {row["id"]: int(row["group"]) + 1 for row in csv.DictReader(file)}


def edit(visitor: Visitor, **asked: Any) -> dict[str, Any]:
    answer = patiently(lambda: visitor.change(f"{API}/edits", asked))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def sizes(state: dict[str, Any]) -> dict[int, int]:
    return {group["number"]: group["size"] for group in state["groups"]}


def test_every_edit_holds_at_once_and_is_kept(visitor: Visitor, store: Path):
    before = sizes(visitor.get(f"{API}/groups").json())
    assert (
        edit(visitor, kind="rename", groups=[1], name="  tea \n and  cake ")["groups"][0]["name"]
        == "tea and cake"
    )
    merged = edit(visitor, kind="merge", groups=[1, 2])
    assert merged["said"] == "United group 2 into group 1"
    assert sizes(merged) == {1: before[1] + before[2], **{n: before[n] for n in range(3, 9)}}
    some = visitor.get(f"{API}/groups/3/members?size=3").json()["members"]
    moved = edit(visitor, kind="move", groups=[4], members=[some[0]["at"], some[1]["id"]])
    assert sizes(moved)[4] == before[4] + 2
    assert moved["moved"] == before[2] + 2
    labeled = edit(visitor, kind="label", members=[some[2]["at"]], name="odd ones")
    assert sizes(labeled)[9] == 1
    assert next(g for g in labeled["groups"] if g["number"] == 9)["made"]
    split = edit(visitor, kind="split", groups=[5])
    assert sizes(split)[5] + sizes(split)[10] == before[5]
    assert edit(visitor, kind="lock", groups=[6])["groups"][4]["locked"]
    five, seven = (
        visitor.get(f"{API}/groups/{n}/members?size=1").json()["members"][0] for n in (5, 7)
    )
    together = edit(visitor, kind="together", members=[five["at"], seven["at"]])
    assert sizes(together)[7] == before[7] - 1
    apart = edit(visitor, kind="apart", members=[five["id"], seven["id"]])
    assert sizes(apart)[5] == sizes(split)[5]
    assert apart["edits"] == apart["lines"] == 8
    kept = labels(store)
    assert {n: list(kept.values()).count(n) for n in sizes(apart)} == sizes(apart)
    assert len(Steering("topics-1", store=store).edits()) == 8


def test_undo_and_the_log(visitor: Visitor):
    edit(visitor, kind="rename", groups=[1], name="tea")
    state = edit(visitor, kind="merge", groups=[1, 2])
    back = visitor.change(f"{API}/undo", {"seen": state["lines"]}).json()
    assert back["said"] == "Taken back: United group 2 into group 1"
    assert len(back["groups"]) == 8
    told = visitor.get(f"{API}/edits").json()
    assert [(line["kind"], line["back"]) for line in told["log"]] == [
        ("rename", False),
        ("merge", True),
        ("undo", False),
    ]
    assert [change["sentence"] for change in told["changes"]] == ["Renamed."]
    assert told["undo"] == "Called group 1 “tea”"
    visitor.change(f"{API}/undo", {})
    assert visitor.change(f"{API}/undo", {}).status_code == 422
    assert visitor.get(f"{API}/edits").json()["changes"] == []


def test_a_locked_group_is_unlocked(visitor: Visitor):
    edit(visitor, kind="lock", groups=[2])
    one = visitor.get(f"{API}/groups/2/members?size=1").json()["members"][0]["at"]
    refused = visitor.change(f"{API}/edits", {"kind": "move", "groups": [1], "members": [one]})
    assert refused.status_code == 422
    assert "unlock it" in refused.text
    state = edit(visitor, kind="unlock", groups=[2])
    assert state["said"] == "Unlocked group 2"
    assert not any(group["locked"] for group in state["groups"])
    edit(visitor, kind="move", groups=[1], members=[one])
    assert visitor.change(f"{API}/edits", {"kind": "unlock", "groups": [2]}).status_code == 422


def test_the_answer_says_who_went_where(visitor: Visitor):
    one, other = (row for row in visitor.get(f"{API}/groups/2/members?size=2").json()["members"])
    state = edit(visitor, kind="apart", members=[one["at"], other["at"]])
    there = visitor.get(f"/api/runs/topics-1/members?at={other['at']}").json()[0]
    assert there["group"] not in (0, 2)
    assert f"“{other['id']}” went to {there['group']} {there['name'][:20]}" in state["said"]
    again = edit(visitor, kind="apart", members=[one["at"], other["at"]])
    assert again["said"].endswith("; nobody had to move")
    for number in range(2, 9):
        state = edit(visitor, kind="merge", groups=[1, number])
    alone = edit(visitor, kind="apart", members=[one["at"], other["at"]])
    assert alone["said"].endswith(f"; “{other['id']}” is now in no group")
    assert alone["alone"] == 1


def test_nobody_takes_back_what_another_just_did(visitor: Visitor):
    seen = edit(visitor, kind="rename", groups=[1], name="mine")["lines"]
    edit(visitor, kind="rename", groups=[2], name="theirs")
    answer = visitor.change(f"{API}/undo", {"seen": seen})
    assert answer.status_code == 409
    assert "theirs" in answer.json()["detail"]
    assert visitor.get(f"{API}/edits").json()["edits"] == 2


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time passes between an edit being found possible and being kept, so that others can come in between."""

    def append(*given: Any, **named: Any) -> None:
        time.sleep(0.03)
        append_edit(*given, **named)

    monkeypatch.setattr("coterie.run.steering.append_edit", append)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("servers", [1, 2])
def test_no_edit_of_several_visitors_is_lost(store: Path, servers: int):
    """Two visitors of one application, or of two on one store, edit as fast as they can: splits need the next free number."""
    with Visitor(store) as one, Visitor(store) as another:
        hands = (one, one if servers == 1 else another)
        found = Store(store).open("topics-1").findings()
        asked: list[dict[str, Any]] = []
        for number in range(1, 9):
            some = [at for at, label in enumerate(found.labels.tolist()) if label == number - 1][:4]
            asked += [
                {"kind": "split", "groups": [number], "members": [at], "name": f"part {at}"}
                for at in some
            ]
        for visitor in hands:
            visitor.token()
        with ThreadPoolExecutor(6) as pool:
            said = list(
                pool.map(
                    lambda at: hands[at % 2].change(f"{API}/edits", asked[at]), range(len(asked))
                )
            )
        assert [answer.status_code for answer in said] == [200] * 32
        state = one.get(f"{API}/groups").json()
    lines = [
        json.loads(line)
        for line in (store / "topics-1" / "steering.jsonl").read_text().splitlines()
    ]
    assert sorted(line["name"] for line in lines) == sorted(one["name"] for one in asked)
    assert [line["groups"][1] for line in lines] == list(
        range(9, 41)
    )  # in the order in which they were kept
    assert {g["name"]: g["size"] for g in state["groups"] if g["made"]} == {
        one["name"]: 1 for one in asked
    }
    assert len(set(labels(store).values())) == 40


@pytest.mark.usefixtures("slow")
def test_the_second_of_two_who_merge_the_same_group_is_refused(visitor: Visitor):
    visitor.token()
    with ThreadPoolExecutor(2) as pool:
        said = list(
            pool.map(
                lambda into: visitor.change(f"{API}/edits", {"kind": "merge", "groups": [into, 3]}),
                (1, 2),
            )
        )
    assert sorted(answer.status_code for answer in said) == [200, 422]
    assert (
        "There is no group 3 any more"
        in next(a for a in said if a.status_code == 422).json()["detail"]
    )


IMPOSSIBLE: list[Any] = [
    {"kind": "vanish"},
    {},
    {"kind": "merge", "groups": [1]},
    {"kind": "merge", "groups": [1, 1]},
    {"kind": "merge", "groups": [1, 99]},
    {"kind": "move", "members": [0]},
    {"kind": "move", "members": [400], "groups": [1]},
    {"kind": "move", "members": ["nobody"], "groups": [1]},
    {"kind": "move", "members": [-1], "groups": [1]},
    {"kind": "move", "groups": [1], "members": []},
    {"kind": "split", "groups": [0]},
    {"kind": "rename", "groups": [1], "name": "  "},
    {"kind": "rename", "groups": [1], "name": "a\x00b"},
    {"kind": "rename", "groups": [1], "name": "a" * 201},
    {"kind": "lock", "groups": [10**30]},
    {"kind": "lock", "groups": []},
    {"kind": "apart", "members": [1, 1]},
    {"kind": "together", "members": [1, 2, 3]},
    {"kind": "label", "members": [1]},
    {"kind": "lock", "groups": [1], "more": 1},
    {"kind": "undo"},
    [],
    "merge",
    {"kind": "lock", "groups": [1.5]},
]


def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(visitor: Visitor, store: Path):
    folder = store / "topics-1"
    before = {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != LOCK
    }
    for asked in IMPOSSIBLE:
        answer = visitor.change(f"{API}/edits", asked)
        assert answer.status_code == 422, (asked, answer.text)
        assert answer.json()["detail"].endswith((".", "…")), asked
    assert {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != LOCK
    } == before


def test_lone_surrogates_and_numbers_that_are_none(visitor: Visitor):
    for body in (
        b'{"kind": "rename", "groups": [1], "name": "\\ud800"}',
        b'{"kind": "lock", "groups": [NaN]}',
        b"{",
        b"\xff",
    ):
        headers = {"x-csrf-token": visitor.token(), "content-type": "application/json"}
        assert visitor.post(f"{API}/edits", content=body, headers=headers).status_code in (
            400,
            422,
        ), body


def test_a_name_with_script_tags_is_text_everywhere(visitor: Visitor):
    edit(visitor, kind="rename", groups=[1], name="<script>alert(1)</script>")
    for path in ("groups", "groups/1", "groups/2", "steer"):
        page = visitor.get(f"/runs/topics-1/{path}").text
        assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in visitor.get("/runs/topics-1/groups").text


def test_pages_follow_an_edit(visitor: Visitor):
    assert "tea party" not in visitor.get("/runs/topics-1/groups").text
    edit(visitor, kind="rename", groups=[2], name="tea party")
    assert "tea party" in visitor.get("/runs/topics-1/groups").text
    edit(visitor, kind="merge", groups=[2, 1])
    assert (
        visitor.get("/runs/topics-1/groups/1", headers={"accept": "text/html"}).status_code == 404
    )
    assert "any more" in visitor.get("/runs/topics-1/groups/1").text
    first = visitor.get(f"{API}/groups/2/members?size=1").json()["members"][0]["at"]
    edit(visitor, kind="move", members=[first], groups=[0])
    assert visitor.get(f"{API}/board").json()["columns"][-1]["first"][0]["at"] == first
    assert "In no group" in visitor.get("/runs/topics-1/groups/0").text


def test_the_board_finds_and_orders(looking: Visitor):
    board = looking.get(f"{API}/board?order=sure&most=3").json()
    assert [len(column["first"]) for column in board["columns"]] == [3] * 8
    found = looking.get(f"{API}/board?find=topics-00").json()
    assert sum(column["found"] for column in found["columns"]) == 10


def test_a_question_is_asked_answered_and_skipped(visitor: Visitor, store: Path):
    visitor.get("/runs/mail-1/steer")
    api = "/api/runs/mail-1"
    first = patiently(lambda: visitor.get(f"{api}/question")).json()
    pair = [member["at"] for member in first["members"]]
    assert len(pair) == 2
    assert first["pays"]
    said = visitor.change(f"{api}/question", {"members": pair, "said": "skip"})
    assert said.json()["edits"] == 0
    second = patiently(lambda: visitor.get(f"{api}/question")).json()
    assert {member["at"] for member in second["members"]} != set(pair)
    with Visitor(store) as later:  # another server still knows what was left open
        third = patiently(lambda: later.get(f"{api}/question")).json()
        assert third == second
    state = visitor.change(f"{api}/question", {"members": pair, "said": "together"}).json()
    assert state["edits"] == 1
    steering = Steering("mail-1", store=store)
    assert steering.labels[pair[0]] == steering.labels[pair[1]]
    assert steering.edits()[0].name == "asked"
    for bad in ([0, 0], [0], [0, 10**6], [0, "1x"]):
        assert (
            visitor.change(f"{api}/question", {"members": bad, "said": "apart"}).status_code == 422
        )


def test_groups_are_found_anew_with_what_was_said(visitor: Visitor, store: Path):
    assert patiently(lambda: visitor.change(f"{API}/refit", {})).status_code == 422
    edit(visitor, kind="rename", groups=[1], name="tea")
    edit(visitor, kind="merge", groups=[2, 3])
    begun = patiently(lambda: visitor.change(f"{API}/refit", {"name": "again"}))
    assert begun.status_code == 200, begun.text
    name = begun.json()["run"]
    assert begun.json()["address"] == f"/runs/{name}"
    new = Store(store).open(name)
    assert new.request.parent == "topics-1"
    assert new.request.choices.k == 7
    assert new.request.constraints
    assert visitor.change(f"{API}/refit", {"k": 0}).status_code == 422
    jobs = Jobs(store)
    job = jobs.of("walk", name)
    assert job is not None
    assert job.problem == ""
    jobs.stop("walk", name)
    jobs.kill("walk", name)


def test_members_added_later_are_said_to_be_left_out_of_groups_found_anew(
    visitor: Visitor, store: Path
):
    assert "added later" not in visitor.get("/runs/topics-1/steer").text
    known = Store(store).open("topics-1").collection()
    add(
        "topics-1",
        Collection(["late-0", "late-1"], known.take([0, 1]).views, name="late"),
        store=store,
    )
    assert (
        "The 2 members added later are not part of it." in visitor.get("/runs/topics-1/steer").text
    )
    edit(visitor, kind="merge", groups=[2, 3])
    begun = patiently(lambda: visitor.change(f"{API}/refit", {})).json()
    jobs = Jobs(store)
    jobs.stop("walk", begun["run"])
    jobs.kill("walk", begun["run"])
    assert begun["left_out"] == "The 2 members added later are not part of it."
    assert len(Store(store).open(begun["run"]).collection()) == len(known)

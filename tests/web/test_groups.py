"""The pages of groups: what they show, in which order, of many members, and of texts that would like to be markup."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coterie import Store
from coterie.core.findings import Findings
from coterie.workflows.request import ExploreRequest
from tests.show import made
from tests.web.serving import Visitor

API = "/api/runs/topics-1"


def kept(folder: Path, name: str, findings: Findings) -> str:
    """A finished run that holds these findings."""
    run = Store(folder).create(name, source=name, request=ExploreRequest(source=name))
    run.save_findings(findings)
    run.update(status="done")
    return run.name


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("groups") / "store"
    kept(folder, "large", made.findings(21_000, 2))
    own = made.findings(60, 3)
    ids = [f"{at} {made.HOSTILE[at % len(made.HOSTILE)]}" for at in range(60)]
    lines = [made.HOSTILE[(at + 3) % len(made.HOSTILE)] for at in range(60)]
    groups = [replace(group, name=f"{made.HOSTILE[g]} {g}") for g, group in enumerate(own.groups)]
    kept(
        folder,
        "hostile",
        replace(own, ids=ids, snippets=lines, groups=groups, title=made.HOSTILE[0]),
    )
    kept(folder, "flat", made.findings(40, 1, structured=False))
    with Visitor(folder) as visitor:
        yield visitor


def members(text: str) -> list[int]:
    return [int(at) for at in re.findall(r'<input type="checkbox" value="(\d+)"', text)]


def test_every_group_is_shown_with_what_sets_it_apart(looking: Visitor):
    state = looking.get("/api/runs/mail-1/groups").json()
    page = looking.get("/runs/mail-1/groups").text
    assert page.count('<article class="group"') == len(state["groups"]) == 6
    telling = ("Telling <bdi>words", "Telling <bdi>correspondents")
    for words in (*telling, "Typical members", "Doubtful members", "Stability", "Tied to"):
        assert words in page
    assert sum(group["size"] for group in state["groups"]) == state["members"] == 200
    assert "Mean trace" in looking.get("/runs/traces-1/groups").text


def test_groups_in_the_order_asked_for(looking: Visitor):
    sizes = {
        g["number"]: g["size"] for g in looking.get("/api/runs/topics-1/groups").json()["groups"]
    }
    shown = [
        int(n)
        for n in re.findall(
            r'id="group-(\d+)"', looking.get("/runs/topics-1/groups?sort=size").text
        )
    ]
    assert [sizes[n] for n in shown] == sorted(sizes.values(), reverse=True)
    assert looking.get("/runs/topics-1/groups?sort=nonsense").status_code == 200


def test_members_of_a_group_by_confidence_and_by_their_ties(many: Visitor):
    found = Store(many.store.folder).open("large-1").findings()
    inside = np.flatnonzero(found.labels == 0)
    sure = members(many.get("/runs/large-1/groups/1?order=sure").text)
    doubtful = members(many.get("/runs/large-1/groups/1?order=doubtful").text)
    assert len(sure) == len(doubtful) == 50
    assert np.allclose(found.confidence[sure], np.sort(found.confidence[inside])[::-1][:50])
    assert np.allclose(found.confidence[doubtful], np.sort(found.confidence[inside])[:50])
    odd = members(many.get("/runs/large-1/groups/1?order=odd").text)
    own = (found.labels[found.neighbors] == found.labels[:, None]).mean(axis=1)
    assert own[odd].max() <= np.sort(own[inside])[80]
    assert set(odd) <= set(inside.tolist())


def test_a_group_of_ten_thousand_pages_through_all_of_them_once(many: Visitor):
    total = 0
    seen = list[int]()
    page = 1
    while True:
        found = many.get(
            f"/api/runs/large-1/groups/2/members?order=read&size=500&page={page}"
        ).json()
        total = found["total"]
        seen += [member["at"] for member in found["members"]]
        if page == found["pages"]:
            break
        page += 1
    assert total > 10_000
    assert len(seen) == len(set(seen)) == total
    last = many.get("/runs/large-1/groups/2?page=999999")
    assert f"Page {-(-total // 50)} of {-(-total // 50)}" in last.text
    assert len(last.text) < 120_000
    began = time.perf_counter()
    for at in range(2, 12):
        assert len(members(many.get(f"/runs/large-1/groups/2?order=odd&page={at}").text)) == 50
    assert (
        time.perf_counter() - began < 5
    )  # a tenth of a second each where nothing else works; this is no measurement


def test_members_are_found_by_words(many: Visitor):
    found = Store(many.store.folder).open("large-1").findings()
    wanted = [
        at for at in range(len(found)) if found.labels[at] == 0 and "letter-00012" in found.ids[at]
    ]
    listed = many.get("/api/runs/large-1/groups/1/members?find=LETTER-00012").json()
    assert listed["total"] == len(wanted) == 1
    assert listed["members"][0]["at"] == wanted[0]
    assert "Nobody here fits that" in many.get("/runs/large-1/groups/1?find=nothing+has+this").text


def test_texts_of_members_are_text(many: Visitor):
    for path in ("groups", "groups/1", "groups/2?order=odd", "groups/3?find=script", "steer"):
        page = many.get(f"/runs/hostile-1/{path}", headers={"accept": "text/html"})
        assert page.status_code == 200, path
        assert "<script>window" not in page.text
        assert "<img src=x" not in page.text
        assert "onerror=" not in page.text or "&lt;img" in page.text
    assert "&lt;script&gt;" in many.get("/runs/hostile-1/groups").text
    for path in ("groups", "board?most=100", "edits", "groups/1/members"):
        assert many.get(f"/api/runs/hostile-1/{path}").status_code == 200, path


def test_nothing_stood_out(many: Visitor):
    page = many.get("/runs/flat-1/groups").text
    assert "none stood out" in page
    assert '<article class="group"' not in page


def test_what_is_not_there(looking: Visitor):
    for path, status in (
        ("/runs/topics-1/groups/99", 404),
        ("/runs/topics-1/groups/-1", 422),
        ("/runs/topics-1/groups/x", 422),
        ("/runs/nothing-1/groups", 404),
        ("/api/runs/topics-1/groups/99/members", 422),
        ("/api/runs/topics-1/groups/99/halves", 422),
        ("/api/runs/topics-1/groups/0/halves", 422),
        ("/api/runs/topics-1/groups/1/members?page=0", 422),
        ("/api/runs/topics-1/groups/1/members?size=100000", 422),
        ("/runs/topics-1/groups/1?page=-7&order=x", 200),
    ):
        assert looking.get(path).status_code == status, path


def halves(visitor: Visitor) -> dict[str, Any]:
    """The two parts of the first group, also when they take a moment."""
    for _ in range(60):
        answer = visitor.get(f"{API}/groups/1/halves")
        if answer.status_code != 409:
            break
        time.sleep(0.2)
    found: dict[str, Any] = answer.json()
    return found


def test_the_two_parts_of_a_group_are_its_members(looking: Visitor):
    parts = halves(looking)
    size = looking.get("/api/runs/topics-1/groups").json()["groups"][0]["size"]
    assert parts["stays"]["size"] + parts["goes"]["size"] == size
    assert 0 < parts["goes"]["size"] <= parts["stays"]["size"]
    assert parts["next"] == 9
    assert looking.get("/api/runs/topics-1/edits").json()["lines"] == 0


def test_a_new_group_is_called_and_told_by_its_own_words(visitor: Visitor):
    found = halves(visitor)
    name = found["proposed"]
    assert name
    before = visitor.get(f"{API}/groups").json()["groups"][0]["name"]
    assert before not in name
    state = visitor.change(f"{API}/edits", {"kind": "split", "groups": [1]}).json()
    new = next(group for group in state["groups"] if group["number"] == found["next"])
    assert (new["name"], new["size"]) == (name, found["goes"]["size"])
    page = visitor.get(f"/runs/topics-1/groups/{found['next']}").text
    first = name.split(", ")[0]
    assert page.count(first) > page.count(name)  # among the telling words too
    named = visitor.change(
        f"{API}/edits",
        {"kind": "split", "groups": [2], "members": _some(visitor, 2), "name": "mine"},
    ).json()
    assert named["groups"][-1]["name"] == "mine"


def _some(visitor: Visitor, number: int) -> list[int]:
    rows = visitor.get(f"{API}/groups/{number}/members?size=4").json()["members"]
    return [row["at"] for row in rows]

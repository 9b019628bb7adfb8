"""What was said of a run, and what became of it in the groups found anew: held, in part, not, changed later; gone parents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from coterie.core.edits import Edit
from coterie.core.findings import Findings, Group
from coterie.run.steered import Carried, given_names
from coterie.run.steering import Steering
from coterie.web.taught import _Here, _then
from tests.show.made import findings as made
from tests.web.serving import Visitor

IDS = [f"m{i}" for i in range(8)]


def findings(labels: list[int], names: dict[int, str]) -> Findings:
    """Eight members in the groups given."""
    n = len(labels)
    found = np.array(labels)
    groups = [Group(g, name, int((found == g).sum()), 1.0, (), ()) for g, name in names.items()]
    return replace(made(n, len(names)), ids=IDS[:n], snippets=IDS[:n], labels=found, groups=groups)


@pytest.fixture
def before() -> Findings:
    return findings([0, 0, 0, 1, 1, 1, 2, 2], {0: "a", 1: "b", 2: "c"})


def became(before: Findings, now: Findings, *edits: Edit) -> list[tuple[str, str]]:
    """The state and the words of every edit."""
    steps = _then(before, edits, None)
    here = _Here(before, now, steps)
    return [(one.state, one.word) for one in (here.became(step) for step in steps)]


def test_each_kind_of_edit_is_looked_at(before: Findings) -> None:
    now = findings([0, 0, 1, 0, 0, 0, 1, 2], {0: "tea", 1: "x", 2: "y"})
    said = [
        (Edit("merge", groups=(1, 2)), ("partly", "Partly: 5 of 6")),
        (Edit("rename", groups=(1,), name="tea"), ("held", "Held")),
        (Edit("lock", groups=(3,)), ("partly", "Partly: 1 of 2")),
        (Edit("together", members=("m0", "m3")), ("held", "Held")),
        (Edit("apart", groups=(0,), members=("m0", "m6")), ("held", "Held")),
        (Edit("apart", groups=(0,), members=("m1", "m7")), ("held", "Held")),
    ]
    assert became(before, now, *(edit for edit, _ in said)) == [state for _, state in said]


def test_what_was_not_held_is_said(before: Findings) -> None:
    now = findings([0, 0, 0, 1, 1, 1, 2, 2], {0: "a", 1: "b", 2: "c"})
    assert became(before, now, Edit("merge", groups=(1, 2)))[0][0] == "not"
    assert became(before, now, Edit("rename", groups=(1,), name="tea"))[0][0] == "not"
    assert became(before, now, Edit("split", groups=(1, 4), members=("m0",)))[0][0] == "not"
    assert became(before, now, Edit("move", groups=(2,), members=("m0",)))[0] == ("not", "Not held")
    assert became(before, now, Edit("move", groups=(0,), members=("m0",)))[0] == ("not", "Not held")
    assert became(before, now, Edit("together", members=("m0", "m3")))[0][0] == "not"
    assert became(before, now, Edit("label", members=("m0", "m3"), name="c"))[0] == (
        "not",
        "Not held",
    )


def test_a_move_holds_with_the_others_of_the_group(before: Findings) -> None:
    now = findings([1, 0, 1, 0, 0, 0, 2, -1], {0: "b", 1: "a", 2: "c"})
    assert became(before, now, Edit("move", groups=(2,), members=("m1", "m2")))[0] == (
        "partly",
        "Partly: 1 of 2",
    )
    assert became(before, now, Edit("move", groups=(0,), members=("m7",)))[0] == ("held", "Held")
    assert became(before, now, Edit("label", members=("m1", "m2"), name="b"))[0] == (
        "partly",
        "Partly: 1 of 2",
    )


def test_what_a_later_edit_says_otherwise_is_not_counted(before: Findings) -> None:
    now = findings([2, 0, 0, 1, 1, 1, 2, 2], {0: "a", 1: "b", 2: "c"})
    moves = [Edit("move", groups=(2,), members=("m0",)), Edit("move", groups=(3,), members=("m0",))]
    assert [state for state, _ in became(before, now, *moves)] == ["changed", "held"]
    names = [Edit("rename", groups=(1,), name="one"), Edit("rename", groups=(1,), name="a")]
    assert [state for state, _ in became(before, now, *names)] == ["changed", "held"]
    halves = [Edit("split", groups=(2, 4), members=("m3",)), Edit("merge", groups=(2, 4))]
    assert [state for state, _ in became(before, now, *halves)] == ["changed", "held"]


def test_edits_made_after_the_new_run_are_not_of_it(before: Findings) -> None:
    first = Edit("move", groups=(2,), members=("m0",))
    later = Edit("merge", groups=(1, 3))
    state = _then(before, [first], None)[-1].after
    carried = Carried(state.labels, given_names(before, state))
    assert [step.edit for step in _then(before, [first, later], carried)] == [first]
    taken_back = [later, Edit("undo"), first, later]
    assert [step.edit for step in _then(before, taken_back, carried)] == [first]
    assert len(_then(before, [first, later], None)) == 2


@pytest.fixture
def anew(visitor: Visitor) -> dict[str, Any]:
    """A run found anew with three edits, and what the API says of it."""
    steering = Steering("mixed-1", visitor.store)
    steering.rename(1, "tea <b>")
    steering.together(steering.group(1)[0], steering.group(1)[1])
    steering.lock(2)
    found = steering.refit(nulls=0)
    assert found.run is not None
    return {"run": found.run.name, **visitor.get(f"/api/runs/{found.run.name}/taught").json()}


def test_a_run_found_anew_says_what_became_of_it(visitor: Visitor, anew: dict[str, Any]) -> None:
    assert anew["before"] == "mixed-1"
    assert [one["state"] for one in anew["edits"]] == ["held", "held", "held"]
    assert anew["sentence"] == "All three things you said were held to."
    page = visitor.get(f"/runs/{anew['run']}").text
    assert "What you said, and what became of it" in page
    assert f"/compare?first=mixed-1&amp;second={anew['run']}" in page
    assert "tea &lt;b&gt;" in page
    assert "tea <b>" not in page
    compared = visitor.get(f"/compare?first=mixed-1&second={anew['run']}")
    assert compared.status_code == 200


def test_a_parent_that_is_gone_is_said(visitor: Visitor, anew: dict[str, Any]) -> None:
    assert "mixed-1, of whose groups" not in visitor.get(f"/runs/{anew['run']}").text
    assert visitor.change("/api/runs/mixed-1", method="DELETE").status_code == 200
    page = visitor.get(f"/runs/{anew['run']}").text
    assert "mixed-1, of whose groups you said it, is no longer there. It taught this run" in page
    assert "/compare?first=mixed-1" not in page


def test_a_run_nobody_taught_has_no_such_part(looking: Visitor) -> None:
    assert looking.get("/api/runs/topics-1/taught").status_code == 404
    assert "what became of it" not in looking.get("/runs/topics-1").text

"""Groups against known answers: measures as judge gives them, the table, edits, several columns, and what cannot be judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coterie import Collection, Table, explore
from coterie.run.questions import judged
from coterie.web import answers
from tests.web.serving import Visitor

HOSTILE = "<script>alert(1)</script>"


def asked(visitor: Visitor, name: str) -> list[dict[str, Any]]:
    """What the API says of a run."""
    found = visitor.get(f"/api/runs/{name}/answers")
    assert found.status_code == 200, found.text
    return list(found.json())


@pytest.mark.parametrize("name", ["topics-1", "mixed-1", "traces-1"])
def test_measures_are_those_of_judge(looking: Visitor, name: str) -> None:
    (found,) = asked(looking, name)
    judge = judged(name, store=looking.store)
    assert found["column"] == "group"
    assert found["adjusted_rand"] == pytest.approx(judge.measures["adjusted_rand"])
    assert found["nmi"] == pytest.approx(judge.measures["nmi"])
    assert found["commonest"] == pytest.approx(judge.measures["micro_accuracy"])
    assert [
        (str(row["members"]), row["mostly"], f"{row['share']:.0%}") for row in found["rows"]
    ] == [tuple(row[1:]) for row in judge.breakdown]


def test_the_overview_says_it(looking: Visitor) -> None:
    page = looking.get("/runs/mixed-1").text
    (found,) = asked(looking, "mixed-1")
    assert "Against “<bdi>group</bdi>”" in page
    assert found["verdict"] in page
    assert (
        f"{found['commonest']:.0%} of the members have the answer that is commonest in their group."
        in page
    )


def test_edits_are_judged_as_they_stand(visitor: Visitor) -> None:
    (before,) = asked(visitor, "mixed-1")
    assert (
        visitor.change("/api/runs/mixed-1/edits", {"kind": "merge", "groups": [1, 2]}).status_code
        == 200
    )
    (after,) = asked(visitor, "mixed-1")
    assert after["adjusted_rand"] < before["adjusted_rand"] - 0.1
    assert len(after["rows"]) == len(before["rows"]) - 1
    assert after["verdict"] in visitor.get("/runs/mixed-1").text


def made(folder: Path, truth: dict[str, list[Any]]) -> Visitor:
    """A visitor of a store with one run of ten members in two plain groups, and these answers."""
    values = np.array([[0.0, 0.1 * i] for i in range(5)] + [[9.0, 0.1 * i] for i in range(5)])
    kept = {name: np.array(column, dtype=object) for name, column in truth.items()}
    view = {"table": Table(values, ("x", "y"))}
    explore(
        Collection([f"m{i}" for i in range(10)], view, truth=kept, name="ten"),
        store=folder,
        k=2,
        nulls=0,
    )
    return Visitor(folder)


def test_columns_that_cannot_judge_say_why_and_names_are_escaped(tmp_path: Path) -> None:
    truth = {
        "same": ["a"] * 10,
        "nobody": [None] * 10,
        HOSTILE: [HOSTILE, None, *["b"] * 3, *["c"] * 5],
    }
    with made(tmp_path / "store", truth) as visitor:
        found = {one["column"]: one for one in asked(visitor, "ten-1")}
        page = visitor.get("/runs/ten-1").text
    assert found["same"]["adjusted_rand"] is None
    assert "the same answer" in found["same"]["sentences"][0]
    assert "No member has an answer" in found["nobody"]["sentences"][0]
    mixed = next(one for name, one in found.items() if "script" in name)
    assert (mixed["members"], mixed["without"]) == (9, 1)
    assert "One member without an answer is left out." in mixed["sentences"]
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


def test_a_column_with_an_answer_of_its_own_for_everybody_is_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_CELLS", 15)
    with made(tmp_path / "store", {"names": [f"n{i}" for i in range(10)]}) as visitor:
        (found,) = asked(visitor, "ten-1")
    assert found["adjusted_rand"] is None
    assert "10 different answers, too many" in found["sentences"][0]


def test_without_known_answers_nothing_is_said(tmp_path: Path) -> None:
    with made(tmp_path / "store", {}) as visitor:
        assert asked(visitor, "ten-1") == []
        assert "Against “" not in visitor.get("/runs/ten-1").text


def test_members_are_not_read_for_their_answers(
    looking: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = looking.store.open("topics-1")
    monkeypatch.setattr(type(run), "collection", lambda self: pytest.fail("the members were read"))
    assert list(answers.truth_of(run)) == ["group"]
    assert len(answers.truth_of(run)["group"]) == 400

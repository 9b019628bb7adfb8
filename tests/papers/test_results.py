"""Stored results: a folder of them, the last of an experiment, a second run that agrees, and figures as text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.core.findings import Bars, Grid, Lines
from coterie.show.lines import Ruled
from coterie_papers.experiment import Experiment, Ledger, Relation, Result, Row, Trial
from coterie_papers.results import Results, differences, farthest, read, timed
from coterie_papers.sketch import sketch


def _run(trial: Trial, ledger: Ledger) -> None:
    ledger.add("ours", "NMI", "toy", [0.1, 0.3], paper=0.25)
    ledger.add("ours", "seconds", "toy", 3.25)
    ledger.add("ours", "NMI", "none", float("nan"))
    ledger.relate("ours is above theirs", True)
    ledger.relate("ours is faster (1.5 s, 2.5 s)", True)
    ledger.draw(Ruled("Curve", (1.0, 2.0), {"ours": (0.5, float("nan"))}, from_zero=True, unit="%"))
    ledger.draw(Grid("Confusion", np.eye(2), ("a", "b"), ("a", "b"), "All in their places."))
    ledger.draw(Bars("Topics", {"topic 1": (("kettle", 0.5), ("spout", 1e-200))}))


TOY = Experiment("toy", "A toy", "coterie", "none", (), 0.1, 2, _run)


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    result = TOY.conduct()
    again = read(Results(tmp_path).keep(result))
    assert again.to_json() == result.to_json()
    assert isinstance(again.pictures[0], Ruled)
    assert again.pictures[0].from_zero
    assert again.pictures[0].unit == "%"
    assert again.version
    assert len(again.date) == len("2026-01-31")
    assert "/" not in json.dumps({**again.record(), "pictures": []})  # nothing of the machine


def test_the_whole_result_is_the_last_one_and_quick_ones_are_kept_beside_it(tmp_path: Path) -> None:
    results = Results(tmp_path / "new")
    assert results.last("toy") is None
    results.keep(TOY.conduct(quick=True))
    assert results.last("toy").quick
    results.keep(TOY.conduct())
    assert not results.last("toy").quick
    assert sorted(path.name for path in results.folder.iterdir()) == ["toy.json", "toy.quick.json"]
    assert [one.quick for one in results.every()] == [False, True]


def test_what_is_no_result_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no result"):
        read(tmp_path / "none.json")
    (tmp_path / "other.json").write_text('{"rows": 3}')
    with pytest.raises(DataError, match=r"'other.json' is not a result"):
        read(tmp_path / "other.json")


def test_time_is_not_compared_and_all_else_is() -> None:
    result = TOY.conduct()
    assert [timed(row) for row in result.rows] == [False, True, False]
    assert [timed(relation) for relation in result.relations] == [False, True]
    assert timed(
        Row("one / other", "time of the iterations", "toy", 2.0)
    )  # a ratio of seconds, as sic-ner has it
    assert not timed(Relation("one has 1.4 times the mAP of the other", True))
    assert differences(result, TOY.conduct()) == []
    slower = replace(
        result, rows=[result.rows[0], replace(result.rows[1], ours=9.0), result.rows[2]]
    )
    assert differences(result, slower) == []
    moved = replace(
        result, rows=[replace(result.rows[0], ours=result.rows[0].ours + 1e-15), *result.rows[1:]]
    )
    assert len(differences(result, moved)) == 1
    assert "toy, ours, NMI" in differences(result, moved)[0]
    assert farthest(result, result) == farthest(result, slower) == 0
    assert farthest(result, moved) == pytest.approx(1e-15 / result.rows[0].ours, rel=0.1)
    turned = replace(
        result, relations=[Relation("ours is above theirs", False), result.relations[1]]
    )
    assert differences(result, turned) == [
        "Was: ours is above theirs (holds); now: ours is above theirs (fails)."
    ]
    more = replace(
        result, rows=[Row("a", "b", "c", 1.0), *result.rows]
    )  # one row more moves none of the others
    assert differences(more, result) == ["There is no row 'c, a, b' any more."]
    assert differences(result, more) == ["The row 'c, a, b' was not there."]
    twice, other = (
        replace(result, rows=[*result.rows, result.rows[0], *rows])
        for rows in ([], [result.rows[0]])
    )
    assert differences(twice, twice) == []
    assert len(differences(twice, other)) == 1  # rows of one name are told apart
    assert "settings differ" in differences(result, TOY.conduct(quick=True))[0]


def test_relations_are_compared_by_their_words() -> None:
    first, second, third = (
        Relation(f"at {n} labels two tasks are above one ({n}.5, 7)", True) for n in (100, 200, 500)
    )
    empty = Result("toy", [], [], [], 0.0, 1)
    told = replace(empty, relations=[first, second, third])
    assert (
        differences(told, replace(empty, relations=[third, first, second])) == []
    )  # the order tells nothing
    fewer = replace(
        empty, relations=[first, third]
    )  # one relation more or less moves none of the others
    assert differences(told, fewer) == [f"There is no relation '{second.text}' any more."]
    assert differences(fewer, told) == [f"The relation '{second.text}' was not there."]
    moved = Relation(second.text.replace("7", "7.1"), False)
    assert differences(told, replace(empty, relations=[first, moved, third])) == [
        f"Was: {second.text} (holds); now: {moved.text} (fails)."
    ]
    quick = Relation("one is faster (1.5 s, 2.5 s)", True)
    assert differences(told, replace(empty, relations=[first, second, third, quick])) == []


def test_verdicts_in_words() -> None:
    empty = Result("toy", [], [], [], 0.0, 1)
    assert empty.verdict() == "No relation was looked at"
    yes = Relation("a", True)
    no = Relation("b", False)
    assert replace(empty, relations=[yes]).verdict() == "The one relation holds"
    assert replace(empty, relations=[no]).verdict() == "The one relation fails"
    assert replace(empty, relations=[yes, yes]).verdict() == "Both relations hold"
    assert replace(empty, relations=[yes, no, no]).verdict() == "1 of 3 relations hold"


def test_curves_are_steps_on_one_scale() -> None:
    said = sketch(
        Lines(
            "Error",
            (100.0, 200.0, 500.0),
            {"ours": (1.0, 0.5, 0.0), "theirs": (1.0, float("nan"), 1.0)},
            "points",
        )
    )
    assert said.splitlines() == [
        "Error",
        "  ours    █▅▁  1 ... 0",
        "  theirs  █ █  1 ... 1",
        "  points: 100 ... 500; height",
    ]
    gone = Lines("Error", (1.0,), {"ours": (-1.0,)}, logarithmic=True)
    assert "nothing to draw" in sketch(gone)


def test_matrices_are_shades_and_bars_are_strokes() -> None:
    lines = sketch(TOY.conduct().pictures[1]).splitlines()
    assert lines == ["Confusion", "  a  ██", "  b    ██", "  All in their places."]
    lines = sketch(TOY.conduct().pictures[2]).splitlines()
    assert lines[1:] == ["  topic 1", f"    kettle  {'█' * 24} 0.5", "    spout    0"]


def test_a_run_without_its_data_does_not_take_the_place_of_one_with_more(tmp_path: Path) -> None:
    results = Results(tmp_path)
    whole = TOY.conduct()
    results.keep(whole)
    part = replace(whole, rows=whole.rows[:1], lacked=("brown",))
    assert part.less_than(whole)
    assert results.keep(part).name == "toy.part.json"
    assert read(tmp_path / "toy.part.json").lacked == ("brown",)
    assert len(results.last("toy").rows) == 3
    assert len(list(results.every())) == 1
    assert (
        results.keep(replace(whole, lacked=("brown",))).name == "toy.json"
    )  # it lacks something that it can do without
    assert Results(tmp_path / "new").keep(part).name == "toy.json"  # better than nothing


def test_figures_of_the_rows_are_drawn_when_it_ends() -> None:
    drawn = replace(
        TOY, figures=lambda rows: [Bars("All", {"toy": tuple((row.measure, 1.0) for row in rows)})]
    )
    assert drawn.conduct().pictures[-1].panels == {
        "toy": (("NMI", 1.0), ("seconds", 1.0), ("NMI", 1.0))
    }

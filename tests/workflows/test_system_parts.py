"""Systems piece by piece: every number beside a slow twin, and names, notes and numbers in words."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.judge import TestResult as Tested
from coterie.judge import auc, average_precision, decisions, eleven_point
from coterie.judge.systems import Comparison, Decided, Measured, Pair, Scored, compare_systems
from coterie.workflows.system_files import Outputs, called
from coterie.workflows.system_lists import eleven_levels
from coterie.workflows.system_parts import confusions, f1_of_each, scored_categories
from coterie.workflows.system_words import differ_on, remarks, strange


@pytest.fixture
def made():
    rng = np.random.default_rng(0)
    truth = rng.random((80, 3)) < (0.5, 0.2, 0.3)
    return truth, [np.round(rng.normal(size=(80, 3)) + gap * truth, 1) for gap in (2.0, 0.5)]


def test_scores_by_category(made):
    truth, scores = made
    truth[:, 2] = False
    judged, parts, notes = scored_categories(["a", "b", "c"], truth, scores)
    assert notes == ["Nothing can be ranked in c: all documents are positive, or none is."]
    assert [part.title for part in parts] == ["Average precision per category", "AUC per category"]
    assert parts[0].rows == ("a", "b")
    for part, single in zip(parts, (average_precision, auc), strict=True):
        twin = [[single(one[:, k], truth[:, k]) for one in scores] for k in range(2)]
        assert part.values == pytest.approx(np.array(twin))
    seen = judged.observed()
    assert seen["macro AUC"] == pytest.approx(parts[1].values.mean(axis=0))
    with pytest.raises(DataError, match="No category has both"):
        scored_categories(["a"], np.ones((80, 1), dtype=bool), [scores[0][:, :1]])


def test_every_category_sees_the_same_documents(made):
    truth, scores = made
    judged, *_ = scored_categories(["a", "b", "c"], truth, scores)
    drawn = judged.drawn(20, np.random.default_rng(3))["macro AUC"]
    each = [
        Scored(truth[:, k], [one[:, k] for one in scores]).drawn(20, np.random.default_rng(3))[
            "AUC"
        ]
        for k in range(3)
    ]
    assert drawn == pytest.approx(np.mean(each, axis=0))


def test_f1_of_each_and_confusions(made):
    truth, scores = made
    said = [one > 0.5 for one in scores]
    part = f1_of_each(["a", "b", "c"], truth, said, "category")
    assert list(part.sizes) == sorted(part.sizes, reverse=True)
    for row, name in enumerate(part.rows):
        k = "abc".index(name)
        assert part.values[row] == pytest.approx(
            [decisions(truth[:, k], one[:, k]).micro_f1 for one in said]
        )
    found = confusions(["x", "x", "y", "y"], [["x", "y", "x", "x"], ["x", "y", "z", "y"]])
    assert found.rows == (("x", "y", (1, 1)), ("y", "x", (2, 0)), ("y", "z", (0, 1)))
    many = confusions(["t"] * 30, [[f"s{i}" for i in range(30)]])
    assert (len(many.rows), many.more) == (20, 10)


def test_eleven_levels_have_the_mean_that_is_measured():
    rng = np.random.default_rng(1)
    for ties in (1, 5):
        scores = rng.integers(0, 40 // ties, 40).astype(float)
        relevant = rng.random(40) < 0.3
        total = int(relevant.sum()) + 2
        levels = eleven_levels(scores, relevant, total)
        assert levels.mean() == pytest.approx(eleven_point(scores, relevant, total=total))
        assert (np.diff(levels) <= 0).all()
    assert not eleven_levels(np.empty(0), np.empty(0, dtype=bool), 3).any()


def test_names_of_systems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b.csv").write_text("id\n")
    assert called("a=b.csv") == ("", "a=b.csv")
    assert called("with stems = c.csv") == ("with stems", " c.csv")
    assert called("=c.csv") == ("", "=c.csv")


def outputs(said, file="b.csv"):
    ids = np.array([str(i) for i in range(len(said))], dtype=object)
    return Outputs("b", file, ids, said=np.array(said, dtype=object))


def test_predictions_that_the_truth_never_has():
    hamm = outputs(["hamm"] * 3 + ["spam"])
    assert strange([hamm], {"ham", "spam"}, "spam", True) == [
        "'b.csv' predicts 'hamm' 3 times, which the truth never has: that counts as not spam."
    ]
    assert strange([hamm], {"ham", "spam"}, None, False)[0].endswith("that counts as wrong.")
    assert strange([outputs(["Yes", "FALSE", "1"])], {"0", "1"}, None, True) == []
    assert strange([outputs(["yes", "maybe"])], {"0", "1"}, None, True)[0].endswith(
        "that counts as no."
    )
    assert strange([outputs(list("abcdeu"))], {"u"}, None, False)[0].startswith(
        "'b.csv' predicts 'a' once, 'b' once, 'c' once and 2 more, which"
    )
    with pytest.raises(
        DataError,
        match="predicts 'Ham' once, which the truth never has, and nothing else; the truth has ham",
    ):
        strange([outputs(["Ham"])], {"ham"}, None, False)


def told(main, values, accuracies, lower=0.1, upper=0.9, test="bootstrap of F1", p=0.5):
    measures = tuple(
        Measured(name, np.array(v), np.full(2, lower), np.full(2, upper))
        for name, v in ((main, values), ("accuracy", accuracies))
    )
    gap = values[0] - values[1]
    pair = Pair("a", "b", Tested(test, gap, p, 50, 0.0, -0.1, 0.1, 5), p)
    return Comparison(("a", "b"), 50, "members", measures, main, (pair,), test, "it fits")


def test_remarks():
    assert remarks(told("F1", (0.8, 0.7), (0.9, 0.8)), 0.95) == []
    (said,) = remarks(told("F1", (0.8, 0.7), (0.8, 0.9)), 0.95)
    assert said == "F1 and accuracy disagree: a is ahead in F1 and b in accuracy (0.800 and 0.900)."
    assert remarks(told("HTER", (0.1, 0.2), (0.9, 0.8)), 0.95) == []
    assert remarks(told("HTER", (0.2, 0.1), (0.9, 0.8)), 0.95)[0].startswith(
        "HTER and accuracy disagree: b is ahead in HTER"
    )
    (flat,) = remarks(told("F1", (1.0, 1.0), (1.0, 1.0), 1.0, 1.0), 0.95)
    assert flat.startswith(
        "There is no interval for F1 of a, F1 of b, accuracy of a (and 1 more): every sample drawn"
    )
    (parted,) = remarks(told("F1", (0.8, 0.7), (0.9, 0.8), test="Wilcoxon", p=0.01), 0.95)
    assert parted.startswith("The test and the interval of a less b do not say the same")


def test_they_differ_only_where_it_means_something(made):
    truth, scores = made
    decided = compare_systems(
        ["a", "b"], [Decided(truth, [one > 0.5 for one in scores], "categories")], replicates=100
    )
    assert differ_on(decided, decided.pairs[0]).endswith(" of 80 documents")
    ranked = compare_systems(
        ["a", "b"], [Scored(truth[:, 0], [one[:, 0] for one in scores])], replicates=100
    )
    assert differ_on(ranked, ranked.pairs[0]) == ""

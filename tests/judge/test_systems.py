"""Systems compared: measures equal scikit-learn's, intervals and tests are those of the single functions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from coterie.core.errors import DataError, ParameterError
from coterie.judge import average_precision, count_bootstrap, mcnemar, wilcoxon
from coterie.judge.systems import Decided, Queried, Scored, compare_systems


def scored(n=300, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    return truth, [np.round(rng.normal(size=n) + gap * truth, 1) for gap in (2.0, 1.0, 0.0)]


def test_decisions_are_measured_and_tested():
    truth, scores = scored()
    said = [(one > 1)[:, None] for one in scores]
    found = compare_systems(
        ("a", "b", "c"), [Decided(truth[:, None], said, "yes/no")], replicates=3000
    )
    assert found.main == "F1"
    assert found.measure("F1").value == pytest.approx(
        [metrics.f1_score(truth, one) for one in said]
    )
    assert found.measure("accuracy").value == pytest.approx(
        [metrics.accuracy_score(truth, one) for one in said]
    )
    assert found.measure("F1").best == (0,)
    pair = found.pairs[0]
    single = count_bootstrap(said[0][:, 0], said[1][:, 0], truth, replicates=20000, random_state=5)
    assert pair.result.difference == pytest.approx(single.difference)
    assert (pair.result.lower, pair.result.upper) == pytest.approx(
        (single.lower, single.upper), abs=0.01
    )
    assert pair.result.discordant == single.discordant
    assert len(found.pairs) == 3
    assert pair.p_value >= pair.result.p_value
    accuracy = compare_systems(
        ("a", "b"), [Decided(truth[:, None], said[:2], "yes/no")], "accuracy", replicates=200
    )
    right = [one[:, 0] == truth for one in said]
    assert accuracy.pairs[0].result.p_value == mcnemar(right[0], right[1]).p_value
    assert accuracy.test == "McNemar's test"


def test_labels_and_categories():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, size=200)
    said = [
        np.where(rng.random(200) < share, truth, rng.integers(0, 3, size=200))
        for share in (0.9, 0.5)
    ]
    tables = [one[:, None] == np.arange(3) for one in (truth, *said)]
    labels = compare_systems(("a", "b"), [Decided(tables[0], tables[1:], "labels")], replicates=300)
    assert labels.measure("accuracy").value == pytest.approx(
        [np.mean(one == truth) for one in said]
    )
    assert labels.measure("macro F1").value == pytest.approx(
        [metrics.f1_score(truth, one, average="macro") for one in said]
    )
    several = compare_systems(
        ("a", "b"), [Decided(tables[0], tables[1:], "categories")], replicates=300
    )
    assert several.unit == "documents"
    assert "whole documents" in several.why


def test_scores_are_measured_as_lists_with_ties():
    truth, scores = scored()
    judged = Scored(truth, scores)
    seen = judged.observed()
    assert seen["AUC"] == pytest.approx([metrics.roc_auc_score(truth, one) for one in scores])
    assert seen["average precision"] == pytest.approx(
        [average_precision(one, truth) for one in scores]
    )
    found = compare_systems(("a", "b", "c"), [judged], replicates=300)
    assert found.measure("EER").best == (0,)
    eer = compare_systems(
        ("a", "c"), [Scored(truth, [scores[0], scores[2]])], "EER", replicates=300
    )
    assert eer.pairs[0].result.difference < 0
    assert eer.pairs[0].sentence("EER").startswith("a is better than c")


def test_weights_of_a_draw_are_copies():
    truth, scores = scored(40)
    weights = np.bincount(np.random.default_rng(2).integers(0, 40, size=40), minlength=40)
    copies = np.repeat(np.arange(40), weights)

    class Once:
        def integers(self, low, high, size):
            return copies

    drawn = Scored(truth, scores[:1]).drawn(1, Once())
    assert drawn["average precision"][0, 0] == pytest.approx(
        average_precision(scores[0][copies], truth[copies])
    )
    assert drawn["AUC"][0, 0] == pytest.approx(
        metrics.roc_auc_score(truth[copies], scores[0][copies])
    )


def test_queries_are_tested_by_wilcoxon():
    rng = np.random.default_rng(3)
    table = rng.random((40, 2)) * 0.5 + np.array([0.2, 0.0])
    found = compare_systems(
        ("a", "b"), [Queried({"mean average precision": table})], replicates=500
    )
    assert found.pairs[0].result.p_value == wilcoxon(table[:, 0], table[:, 1]).p_value
    assert found.measure("mean average precision").value == pytest.approx(table.mean(axis=0))
    few = compare_systems(
        ("a", "b"), [Queried({"mean average precision": table[:9]})], replicates=500
    )
    assert few.pairs[0].result.caution == "Only 9 queries: the p-value is unreliable."


def test_equal_systems_are_said_not_to_differ():
    truth, scores = scored(60)
    found = compare_systems(("a", "b"), [Scored(truth, [scores[0]] * 2)], replicates=200)
    assert found.pairs[0].p_value == 1
    assert (
        found.pairs[0].sentence(found.main)
        == "Nothing shows that a and b differ in average precision."
    )
    assert found.measure("AUC").best == (0, 1)


def test_what_is_undefined_is_left_out_and_what_is_wrong_refused():
    all_yes = np.ones((50, 1), dtype=bool)
    found = compare_systems(
        ("a", "b"), [Decided(all_yes, [all_yes, ~all_yes], "yes/no")], replicates=100
    )
    assert "HTER" not in [one.name for one in found.measures]
    with pytest.raises(ParameterError, match="measure must be one of F1, precision"):
        compare_systems(
            ("a", "b"), [Decided(all_yes, [all_yes, ~all_yes], "yes/no")], "AUC", replicates=100
        )
    with pytest.raises(DataError, match="at least two systems"):
        compare_systems(("a",), [Decided(all_yes, [all_yes], "yes/no")])


def test_little_data_is_not_called_a_proof():
    truth = np.arange(12) % 2 == 0
    found = compare_systems(
        ("a", "b"),
        [Decided(truth[:, None], [truth[:, None], ~truth[:, None]], "yes/no")],
        replicates=200,
    )
    assert found.pairs[0].p_value < 0.05
    assert (
        found.pairs[0].sentence("F1")
        == "a looks better than b by 1.000 in F1, on too little to be sure of it."
    )

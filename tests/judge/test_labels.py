"""Labels against the truth: how they are read, the table, the best match, and every measure beside a slow twin."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from coterie import Partition
from coterie.core.errors import DataError, ParameterError
from coterie.judge import breakdown, contingency, core_scores, match
from coterie.judge import labels as judge
from coterie.judge.labels import code_partition, code_truth
from tests.oracles import judge_partitions as slow


@pytest.mark.parametrize(
    "truth",
    [
        ["b", None, "a", ""],
        ["b", float("nan"), "a", "  "],
        np.array(["b", None, "a", np.nan], dtype=object),
        pd.Series(["b", pd.NA, "a", None]),
        pd.Series(["b", None, "a", None], dtype="string"),
        pl.Series(["b", None, "a", ""]),
    ],
)
def test_unknown_truth_in_every_dress(truth):
    coded = code_truth(truth)
    assert coded.codes.tolist() == [1, -1, 0, -1]
    assert coded.names == ("a", "b")


def test_numbers():
    assert code_truth([3.0, np.nan, 1.0]).codes.tolist() == [1, -1, 0]
    assert code_truth([1, -1]).names == (-1, 1)
    assert code_partition([1, -1, 5]).codes.tolist() == [0, -1, 1]
    assert code_partition([1.0, -1.0, np.nan]).codes.tolist() == [0, -1, -1]
    assert code_partition(["x", None, "y"]).codes.tolist() == [0, -1, 1]
    assert code_partition(pd.Series([2, None, 0], dtype="Int64")).codes.tolist() == [1, -1, 0]
    assert code_truth([True, False]).names == (False, True)
    assert code_truth([2, 10, 1, "a"]).names == (1, 2, 10, "a")


def test_a_label_that_is_a_list_is_named():
    with pytest.raises(DataError, match="Label 1 is a list"):
        code_truth(["a", ["b"]])


def test_table_counts_and_what_is_left_out():
    table = contingency([0, 0, 7, 7, -1, 7, 9], ["a", "b", "b", "b", "b", "a", None])
    assert table.clusters == (0, 7)
    assert table.classes == ("a", "b")
    assert table.table.tolist() == [[1, 1], [1, 2]]
    assert (table.n, table.unknown, table.unassigned.tolist()) == (6, 1, [0, 1])
    assert table.cluster_sizes.tolist() == [2, 3]
    assert table.class_sizes.tolist() == [2, 4]
    assert table.with_singletons().table.tolist() == [[1, 1], [1, 2], [0, 1]]
    assert contingency(table) is table


def test_arguments_are_not_changed_and_many_singletons_fit():
    n = 200_000
    labels = np.arange(n) - 1
    truth = np.arange(n)
    before = labels.copy()
    table = contingency(labels, truth)
    assert table.n == n
    assert len(table.clusters) == n - 1
    assert np.array_equal(labels, before)


labelings = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(-1, 3), min_size=n, max_size=n),
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
    )
)


@settings(max_examples=150, deadline=None)
@given(labelings)
def test_every_measure_equals_its_slow_twin(pair):
    labels, truth = pair
    assert judge.rand(labels, truth) == pytest.approx(slow.rand(labels, truth))
    assert judge.adjusted_rand(labels, truth) == pytest.approx(slow.adjusted_rand(labels, truth))
    for singleton in (0, 1):
        assert judge.adjusted_purity(labels, truth, singleton=singleton) == pytest.approx(
            slow.adjusted_purity(labels, truth, singleton)
        )
    cubed = judge.bcubed(labels, truth)
    assert (cubed.precision, cubed.recall) == pytest.approx(slow.bcubed(labels, truth))
    both, a, b, _ = slow.pair_counts(labels, truth)
    assert judge.pairwise_f1(labels, truth) == pytest.approx(
        2 * both / (2 * both + a + b) if both + a + b else 1
    )
    micro, macro = slow.accuracies(labels, truth)
    assert judge.micro_accuracy(labels, truth) == pytest.approx(micro)
    assert judge.macro_accuracy(labels, truth) == pytest.approx(macro)
    assert judge.clustering_error(labels, truth) == pytest.approx(
        slow.clustering_error(labels, truth)
    )
    assert judge.well_balanced(labels, truth) == slow.well_balanced(labels, truth)


@settings(max_examples=100, deadline=None)
@given(labelings)
def test_information_measures_equal_entropies_and_the_identity_of_v_and_nmi(pair):
    labels, truth = pair
    of_c, of_k, of_both = slow.entropies(labels, truth)
    mutual = of_c + of_k - of_both
    assert judge.homogeneity(labels, truth) == pytest.approx(mutual / of_k if of_k else 1, abs=1e-9)
    assert judge.completeness(labels, truth) == pytest.approx(
        mutual / of_c if of_c else 1, abs=1e-9
    )
    assert judge.v_measure(labels, truth) == pytest.approx(judge.nmi(labels, truth), abs=1e-9)
    if of_c and of_k:
        for mean, scale in (
            ("geometric", (of_c * of_k) ** 0.5),
            ("min", min(of_c, of_k)),
            ("max", max(of_c, of_k)),
        ):
            assert judge.nmi(labels, truth, mean=mean) == pytest.approx(mutual / scale, abs=1e-9)


def test_agrees_with_scikit_learn_at_a_larger_size():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 7, 3000)
    labels = np.where(rng.random(3000) < 0.6, truth, rng.integers(0, 11, 3000))
    assert judge.adjusted_rand(labels, truth) == pytest.approx(
        metrics.adjusted_rand_score(truth, labels)
    )
    assert judge.rand(labels, truth) == pytest.approx(metrics.rand_score(truth, labels))
    assert judge.homogeneity(labels, truth) == pytest.approx(
        metrics.homogeneity_score(truth, labels)
    )
    assert judge.completeness(labels, truth) == pytest.approx(
        metrics.completeness_score(truth, labels)
    )
    for mean in ("arithmetic", "geometric", "min", "max"):
        theirs = metrics.normalized_mutual_info_score(truth, labels, average_method=mean)
        assert judge.nmi(labels, truth, mean=mean) == pytest.approx(theirs)


def test_trivial_partitions():
    same = [0] * 5
    apart = list(range(5))
    for labels in (same, apart):
        assert judge.adjusted_rand(labels, labels) == 1
        assert judge.nmi(labels, labels) == 1
        assert judge.v_measure(labels, labels) == 1
    assert judge.adjusted_rand(same, apart) == 0
    assert judge.nmi(same, apart, mean="geometric") == 0
    assert judge.rand([0], [1]) == 1


def test_unassigned_members_never_help():
    truth = ["a", "a", "b", "b"]
    full = [0, 0, 1, 1]
    holes = [0, 0, 1, -1]
    for measure in (
        judge.adjusted_rand,
        judge.nmi,
        judge.micro_accuracy,
        judge.adjusted_purity,
        judge.pairwise_f1,
    ):
        assert measure(holes, truth) < measure(full, truth) == pytest.approx(1)
    assert judge.micro_accuracy(holes, truth) == 0.75
    assert judge.macro_accuracy(holes, truth) == 1
    assert judge.clustering_error(holes, truth) == 0.25
    assert judge.adjusted_purity(holes, truth, singleton=1) == 0.75
    assert judge.adjusted_rand(holes, truth) == judge.adjusted_rand([0, 0, 1, 2], truth)
    assert (
        judge.micro_accuracy([-1, -1], ["a", "b"])
        == judge.macro_accuracy([-1, -1], ["a", "b"])
        == 0
    )


def test_well_balanced_uses_ties_in_favor():
    assert judge.well_balanced([0, 0, 1, 1, 1], ["a", "b", "a", "a", "b"])
    assert not judge.well_balanced([0, 0, 1, 1, 2], ["a", "a", "b", "b", "a"])
    assert not judge.well_balanced([0, 0, 0, 1, 1], ["a", "a", "b", "a", "a"])
    assert not judge.well_balanced([-1, -1], ["a", "b"])


def test_battery_holds_every_measure_and_the_counts():
    result = judge.judge_partition([0, 0, 1, -1, 1], ["x", "x", "y", "y", None])
    assert all(isinstance(value, float) for value in result.values())
    assert (result["members"], result["unknown"], result["unassigned"]) == (4, 1, 1)
    assert (result["clusters"], result["classes"]) == (2, 2)
    assert result["micro_accuracy"] == 0.75
    assert result["adjusted_rand"] == judge.adjusted_rand([0, 0, 1, -1], ["x", "x", "y", "y"])


def test_objects_with_labels_pass_and_a_second_partition_is_read_as_one():
    truth = np.array(["x", "x", "y", "y"])
    assert judge.adjusted_rand(SimpleNamespace(labels=[1, 1, 0, 0]), truth) == 1
    first = Partition.of([0, 0, -1, -1])
    second = Partition.of([1, 1, -1, -1])
    assert judge.adjusted_rand(first, second) == 1
    assert judge.adjusted_rand(first, np.array([1, 1, -1, -1])) < 1


@pytest.mark.parametrize(
    ("labels", "truth", "words"),
    [
        ([0, 1], [0], "equally many"),
        ([], [], "empty"),
        ([0, 1], [None, float("nan")], "unknown"),
        ([[0, 1]], [0], "one dimension|one number or one word"),
        (np.zeros((2, 2)), [0, 1], "one dimension"),
        ("ab", ["a", "b"], "one label per member"),
    ],
)
def test_bad_input_is_one_sentence(labels, truth, words):
    with pytest.raises(DataError, match=words) as caught:
        judge.judge_partition(labels, truth)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_bad_options():
    with pytest.raises(ParameterError, match="mean must be"):
        judge.nmi([0, 1], [0, 1], mean="harmonic")
    with pytest.raises(ParameterError, match="singleton must be 0 or 1"):
        judge.adjusted_purity([0, 1], [0, 1], singleton=2)
    with pytest.raises(DataError, match="truth beside the labels"):
        judge.rand([0, 1])


def test_matching_names_the_pairs_and_who_has_no_partner():
    result = match(["p", "p", "q", "q", "r", -1], ["x", "x", "x", "y", "y", "y"])
    assert ("p", "x", 2) in result.pairs
    assert set(result.pairs) - {("p", "x", 2)} <= {("q", "y", 1), ("r", "y", 1)}
    assert len(result.pairs) == 2
    assert result.error == pytest.approx(0.5)
    assert len(result.unmatched_clusters) == 1
    wide = match([0, 0, 0], ["x", "y", "z"])
    assert wide.agreement == 1
    assert len(wide.unmatched_classes) == 2


def test_greedy_would_be_wrong():
    labels = [0] * 10 + [1] * 8
    truth = ["x"] * 6 + ["y"] * 4 + ["x"] * 8
    assert (
        match(labels, truth).agreement == 12
    )  # 4 in (0, y) and 8 in (1, x); greedy on cluster 0 gives 6


def test_breakdown_sorts_and_stars():
    rows = breakdown([0, 0, 0, 1, 1, 1, -1], ["a", "a", "b", "a", "b", "b", "b"])
    assert [str(row) for row in rows] == ["a: 2* 1", "b: 2* 1 (1 unassigned)"]
    assert rows[1].parts == ((1, 2, True), (0, 1, False))
    assert rows[1].size == 4
    tied = breakdown([0, 0], ["a", "b"])
    assert all(row.parts[0][2] for row in tied)


def test_core():
    by_id = core_scores(["m1", "m2", "m3"], ["m2", "m3", "m4"])
    assert by_id.precision == by_id.recall == by_id.f == pytest.approx(2 / 3)
    mask = core_scores(np.array([True, True, False, False]), np.array([True, False, False, False]))
    assert (mask.precision, mask.recall, mask.f) == pytest.approx((0.5, 1, 2 / 3))
    none = core_scores([], ["m1"])
    assert math.isnan(none.precision)
    assert none.recall == none.f == 0
    with pytest.raises(DataError, match="core is empty"):
        core_scores(["m1"], [])
    with pytest.raises(DataError, match="equally many"):
        core_scores([True], [True, False])
    with pytest.raises(DataError, match="same way"):
        core_scores([1, 2], [True, False])

"""Partition measures against loops over pairs, against scikit-learn, and on cases known by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from coterie import Partition
from coterie.core.errors import DataError, ParameterError
from coterie.judge import partitions as judge
from tests.oracles import judge_partitions as slow

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

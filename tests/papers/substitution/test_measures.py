"""Judging of substitutions: accuracy and precision by hand, ties, bounds, chance, and tests that draw whole sentences."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError, ParameterError
from coterie.judge.rankings import average_precision
from coterie_papers.substitution.measures import (
    _weighted,
    chance_substitutions,
    compare_substitutions,
    judge_substitutions,
    substitution_bounds,
)
from coterie_papers.substitution.places import Substitutions


def examples(labels, sizes, sentence=None) -> Substitutions:
    n = len(sizes)
    return Substitutions(
        sentences=[["w"]] * n,
        sentence=np.arange(n) if sentence is None else np.array(sentence),
        position=np.zeros(n, dtype=int),
        targets=("w",) * n,
        owners=np.repeat(np.arange(n), sizes),
        candidates=tuple(map(str, range(sum(sizes)))),
        labels=np.array(labels),
    )


def test_accuracy_and_precision_by_hand():
    found = judge_substitutions(
        examples([1, 0, 0, 1, 0, 0, 1], [2, 3, 2]), [0.9, 0.1, 0.8, 0.3, 0.2, 0.7, 0.7]
    )
    assert found.right.tolist() == [1.0, 0.0, 0.5]  # the last place is tied
    assert found.accuracy == pytest.approx(0.5)
    assert found.ap.tolist() == [1.0, 0.5, 0.75]
    assert found.mean_ap == pytest.approx(0.75)
    assert found.average_precision == pytest.approx(
        average_precision([0.9, 0.1, 0.8, 0.3, 0.2, 0.7, 0.7], [1, 0, 0, 1, 0, 0, 1])
    )


def test_bounds_hold_for_every_order():
    some = examples([1, 1, 0, 0, 0, 1, 0], [2, 2, 3])
    bounds = substitution_bounds(some)
    assert (bounds.none, bounds.all, bounds.accuracy) == (
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
        pytest.approx((1 / 3, 2 / 3)),
    )
    assert (bounds.places, bounds.candidates, bounds.acceptable) == (3, 7, pytest.approx(3 / 7))
    worst = judge_substitutions(some, -some.labels.astype(float) - np.arange(7) * 1e-3)
    best = judge_substitutions(some, some.labels.astype(float))
    assert worst.average_precision == pytest.approx(bounds.worst_ap)
    assert (worst.accuracy, best.accuracy) == pytest.approx(bounds.accuracy)
    assert best.average_precision == 1.0
    rng = np.random.default_rng(0)
    for _ in range(50):
        found = judge_substitutions(some, rng.random(7))
        assert bounds.accuracy[0] <= found.accuracy <= bounds.accuracy[1]
        assert found.average_precision >= bounds.worst_ap - 1e-12


def test_chance_is_that_of_equal_scores():
    rng = np.random.default_rng(1)
    some = examples(rng.random(300) < 0.3, [3] * 100)
    level = chance_substitutions(some, draws=400, random_state=0)
    tied = judge_substitutions(some, np.zeros(300))
    assert level.accuracy == pytest.approx(tied.accuracy, abs=0.01)
    assert level.average_precision == pytest.approx(tied.average_precision, abs=0.01)
    assert level.accuracy_level > level.accuracy
    assert level == chance_substitutions(some, draws=400, random_state=0)


def test_a_candidate_drawn_twice_counts_twice():
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 5, 40).astype(float)
    labels = rng.random(40) < 0.4
    weight = rng.integers(0, 4, 40)
    code = np.unique(-scores, return_inverse=True)[1]
    expected = average_precision(np.repeat(scores, weight), np.repeat(labels, weight))
    assert _weighted(code, weight, labels) == pytest.approx(expected, abs=1e-12)


def test_whole_sentences_are_drawn_and_flipped():
    rng = np.random.default_rng(3)
    labels = rng.random(600) < 0.3
    good = labels + rng.normal(size=600)
    noise = rng.normal(size=600)
    apart = compare_substitutions(
        examples(labels, [5] * 120), {"good": good, "noise": noise}, replicates=200, random_state=0
    )
    precision, right = apart["good", "noise"]
    assert precision.significant()
    assert right.significant()
    assert precision.lower < precision.difference < precision.upper
    judged = [judge_substitutions(examples(labels, [5] * 120), scores) for scores in (good, noise)]
    assert right.difference == pytest.approx(judged[0].accuracy - judged[1].accuracy)
    in_two = examples(labels, [5] * 120, sentence=[0] * 60 + [1] * 60)
    _, few = compare_substitutions(
        in_two, {"good": good, "noise": noise}, replicates=200, random_state=0
    )["good", "noise"]
    assert few.n == 2  # two sentences can never tell
    assert not few.significant()
    assert few.difference == pytest.approx(right.difference)
    same = compare_substitutions(
        examples(labels, [5] * 120), {"a": good, "b": good.copy()}, replicates=100, random_state=0
    )
    assert same["a", "b"][0].p_value == same["a", "b"][1].p_value == 1.0


def test_bad_input_is_one_sentence():
    some = examples([1, 0], [2])
    with pytest.raises(DataError, match="2 candidates and scores of shape"):
        judge_substitutions(some, [1.0])
    with pytest.raises(DataError, match="candidate 1 is NaN"):
        judge_substitutions(some, [1.0, np.nan])
    with pytest.raises(DataError, match="have no labels"):
        substitution_bounds(
            Substitutions([["a"]], np.array([0]), np.array([0]), ("a",), np.array([0]), ("b",))
        )
    with pytest.raises(ParameterError, match="two scorers or more"):
        compare_substitutions(some, {"one": [1, 0]})

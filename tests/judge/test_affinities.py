"""Neighbors, ROC and AUC, separation of classes, agreement of two affinities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr
from sklearn.datasets import load_wine
from sklearn.metrics import pairwise_distances, roc_auc_score, roc_curve
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from coterie import Affinity
from coterie.core.errors import DataError, ParameterError
from coterie.judge import affinities as judge
from tests.oracles import judge_rankings as slow


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, 2.0, float("nan")]), st.booleans()),
        min_size=2,
        max_size=12,
    )
)
def test_auc_equals_pairs(rows):
    scores = [s for s, _ in rows]
    marks = [m for _, m in rows]
    ours = judge.auc(scores, marks, missing="last")
    if all(marks) or not any(marks):
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(slow.auc(scores, marks))
        assert judge.roc(scores, marks, missing="last").area() == pytest.approx(ours)


def test_roc_equals_scikit_learn():
    rng = np.random.default_rng(0)
    marks = rng.random(300) < 0.3
    scores = np.round(marks + rng.normal(size=300), 1)
    fpr, tpr, _ = roc_curve(marks, scores, drop_intermediate=False)
    ours = judge.roc(scores, marks)
    assert ours.x == pytest.approx(fpr)
    assert ours.y == pytest.approx(tpr)
    assert judge.auc(scores, marks) == pytest.approx(roc_auc_score(marks, scores))
    with pytest.raises(DataError, match="one relevant and one irrelevant"):
        judge.roc([1.0, 2.0], [True, True])


def wine():
    data = load_wine()
    x = (data.data - data.data.mean(0)) / data.data.std(0)
    return pairwise_distances(x), data.target, x


def test_class_rocs_are_means_of_query_curves():
    d, truth, _ = wine()
    result = judge.class_rocs(Affinity.of(d, kind="distance"), truth, points=11)
    mine = np.flatnonzero(truth == 1)
    lines = []
    areas = []
    for i in mine:
        others = np.delete(np.arange(truth.size), i)
        curve = judge.roc(-d[i, others], truth[others] == 1)
        lines.append(curve.at(np.linspace(0, 1, 11)))
        areas.append(roc_auc_score(truth[others] == 1, -d[i, others]))
    assert result.curves[1].y == pytest.approx(np.mean(lines, axis=0))
    assert result.auc[1] == pytest.approx(np.mean(areas))
    assert result.mean_auc == pytest.approx(np.nanmean(result.auc_per_query))
    assert result.skipped == 0
    assert result.curves[1].x[[0, -1]].tolist() == [0, 1]
    assert result.curves[1].y[-1] == 1
    with pytest.raises(ParameterError, match="points"):
        judge.class_rocs(Affinity.of(d, kind="distance"), truth, points=1)
    with pytest.raises(DataError, match="no ROC curve"):
        judge.class_rocs(Affinity.of(d, kind="distance"), np.zeros(truth.size))


@pytest.mark.parametrize("k", [1, 5])
def test_neighbor_accuracy_equals_leave_one_out(k):
    d, truth, x = wine()
    ours = judge.neighbor_accuracy(Affinity.of(d, kind="distance"), truth, k)
    theirs = cross_val_score(KNeighborsClassifier(k), x, truth, cv=LeaveOneOut()).mean()
    assert ours == pytest.approx(theirs, abs=0.0 if k == 1 else 1e-12)


def test_neighbor_accuracy_with_ties_unknowns_and_bad_k():
    s = Affinity.of(np.ones((4, 4)), kind="similarity")
    assert judge.neighbor_accuracy(s, ["a", "a", "a", "b"]) == 0.75
    assert judge.neighbor_accuracy(s, ["a", "b", None, None]) == 0
    ring = np.array([[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0.0]])
    assert judge.neighbor_accuracy(
        Affinity.of(ring, kind="similarity"), ["a", "a", "b", None]
    ) == pytest.approx(0.5)
    for k in (0, 4):
        with pytest.raises(ParameterError, match="k must be from 1 to 3"):
            judge.neighbor_accuracy(s, ["a", "a", "b", "b"], k)
    with pytest.raises(DataError, match="two members"):
        judge.neighbor_accuracy(s, ["a", None, None, None])


def test_separation_equals_direct_means():
    d, truth, _ = wine()
    result = judge.separation(Affinity.of(d, kind="distance"), truth)
    same = truth[:, None] == truth[None, :]
    off = ~np.eye(truth.size, dtype=bool)
    within = d[same & off]
    between = d[~same]
    assert result.within_mean == pytest.approx(within.mean())
    assert result.between_mean == pytest.approx(between.mean())
    assert result.within_sd == pytest.approx(within.std())
    assert result.between_sd == pytest.approx(between.std())
    assert result.gap == pytest.approx(between.mean() - within.mean())
    pooled = np.sqrt((within.var() + between.var()) / 2)
    assert result.d_prime == pytest.approx(result.gap / pooled)
    assert result.class_means[0, 2] == pytest.approx(d[np.ix_(truth == 0, truth == 2)].mean())
    assert result.pairs == truth.size * (truth.size - 1)
    turned = judge.separation(Affinity.of(1 - d, kind="similarity"), truth)
    assert turned.gap == pytest.approx(result.gap)
    with pytest.raises(DataError, match="across classes"):
        judge.separation(Affinity.of(d, kind="distance"), np.zeros(truth.size))
    d[3, 5] = np.inf
    with pytest.raises(DataError, match="Member 3 has an infinite"):
        judge.separation(Affinity.of(d, kind="distance"), truth)


def test_agreement_equals_scipy_and_is_one_with_itself():
    d, _, x = wine()
    city = pairwise_distances(x, metric="cityblock")
    upper = np.triu_indices(d.shape[0], 1)
    result = judge.agreement(
        Affinity.of(d, kind="distance"), Affinity.of(-city, kind="similarity"), k=7
    )
    assert result.pearson == pytest.approx(pearsonr(d[upper], city[upper])[0])
    assert result.spearman == pytest.approx(spearmanr(d[upper], city[upper])[0])
    overlap = np.mean(
        [
            len(
                set(np.argsort(np.delete(d[i], i))[:7]) & set(np.argsort(np.delete(city[i], i))[:7])
            )
            / 7
            for i in range(d.shape[0])
        ]
    )
    assert result.neighbor_overlap == pytest.approx(overlap)
    coarse = Affinity.of(np.round(d), kind="distance")
    own = judge.agreement(coarse, coarse)
    assert (own.pearson, own.spearman, own.neighbor_overlap) == pytest.approx((1, 1, 1))
    sample = judge.agreement(
        Affinity.of(d, kind="distance"), Affinity.of(city, kind="distance"), pairs=4000
    )
    assert sample.pairs < 4001
    assert sample.spearman == pytest.approx(result.spearman, abs=0.03)


def test_agreement_refuses_what_it_cannot_compare():
    one = Affinity.of(np.eye(4), kind="similarity")
    two = Affinity.of(np.eye(5), kind="similarity")
    with pytest.raises(DataError, match="must be the same"):
        judge.agreement(one, two, k=1)
    with pytest.raises(ParameterError, match="k must be from 1 to 3"):
        judge.agreement(one, one, k=4)

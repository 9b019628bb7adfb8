"""Sums, means, memberships and silhouettes per group against plain loops, for every way an affinity is held."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples

from coterie import Partition
from coterie.core.affinity import Dense, Graph, Lazy
from coterie.core.errors import DataError
from coterie.core.partition import numbered
from coterie.parts.groups import group_means, group_sums, mean_silhouette, memberships, silhouettes

RNG = np.random.default_rng(0)
VALUES = RNG.random((30, 30))
VALUES = (VALUES + VALUES.T) / 2
LABELS = np.array([0, 2, 2, 3, -1, 3] * 5)


def forms(kind):
    lazy = Lazy(lambda a, b: VALUES[np.ix_(a, b)], np.arange(30), np.arange(30), kind)
    return [Dense(VALUES, kind), Graph(VALUES, kind), lazy]


@pytest.mark.parametrize("without_self", [False, True])
def test_sums_and_means(without_self):
    wanted = np.zeros((30, 5))
    means = np.zeros((30, 5))
    for i in range(30):
        for g in range(5):
            members = [j for j in range(30) if LABELS[j] == g and not (without_self and j == i)]
            wanted[i, g] = sum(VALUES[i, j] for j in members)
            means[i, g] = wanted[i, g] / len(members) if members else 0
    for affinity in forms("similarity"):
        assert group_sums(affinity, LABELS, 5, without_self=without_self) == pytest.approx(wanted)
        assert group_means(affinity, LABELS, 5, without_self=without_self) == pytest.approx(means)
    with pytest.raises(DataError, match="4 labels"):
        group_sums(forms("similarity")[0], LABELS[:4], 5)


def test_memberships_sum_to_one_and_follow_the_similarity():
    partition = Partition(np.array([0, 0, 1, 1]))
    values = np.array([[1, 0.9, 0.1, 0.1], [0.9, 1, 0, 0.2], [0.1, 0, 1, 0.6], [0.1, 0.2, 0.6, 1]])
    found = memberships(Dense(values, "similarity"), partition)
    assert found[0] == pytest.approx([0.9, 0.1])
    assert found.sum(axis=1) == pytest.approx(np.ones(4))
    nobody = memberships(Dense(np.zeros((2, 4)), "similarity", False), partition)
    assert nobody.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_silhouettes_are_scikit_learns():
    away = 1 - VALUES
    np.fill_diagonal(away, 0)
    inside = np.flatnonzero(LABELS >= 0)
    wanted = silhouette_samples(away[np.ix_(inside, inside)], LABELS[inside], metric="precomputed")
    found = silhouettes(Dense(away, "distance"), LABELS)
    assert found[inside] == pytest.approx(wanted)
    assert not found[LABELS < 0].any()


def test_the_mean_silhouette_is_the_mean_of_them_by_distances_and_by_rows():
    rows = np.random.default_rng(3).normal(size=(40, 3))
    labels = np.random.default_rng(4).integers(0, 5, size=40)
    labels[labels == 3] = 4  # a number without a member
    labels[0] = 5  # and a member alone
    away = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    wanted = silhouettes(Dense(away, "distance"), labels).mean()
    assert mean_silhouette(away, labels) == pytest.approx(wanted, abs=1e-14)
    assert mean_silhouette(rows, labels, embedded=True) == pytest.approx(wanted, abs=1e-14)
    assert mean_silhouette(rows, np.zeros(40), embedded=True) == 0
    assert mean_silhouette(np.zeros((4, 2)), np.array([0, 0, 1, 1]), embedded=True) == 0


def test_silhouettes_without_a_second_group_or_alone():
    away = Dense(np.ones((4, 4)) - np.eye(4), "distance")
    assert silhouettes(away, np.zeros(4, dtype=int)).tolist() == [0, 0, 0, 0]
    assert silhouettes(away, np.arange(4)).tolist() == [0, 0, 0, 0]
    assert silhouettes(away, np.full(4, -1)).tolist() == [0, 0, 0, 0]


def test_numbering_by_size_then_first_member():
    partition, old = numbered(np.array([4, 7, 7, -1, 1, 4]), np.arange(6.0))
    assert partition.labels.tolist() == [0, 1, 1, -1, 2, 0]
    assert old.tolist() == [4, 7, 1]
    assert partition.confidence.tolist() == [0, 1, 2, 3, 4, 5]

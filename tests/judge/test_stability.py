"""Stability under resampling: what is stable stays, what is random falls, each round has its stream."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from coterie.core.errors import DataError, ParameterError
from coterie.judge import stability

GROUPS = np.repeat([0, 1, 2], 20)


def test_a_fixed_partition_is_perfectly_stable():
    result = stability(lambda i: GROUPS[i], 60, rounds=6, random_state=0)
    assert result.mean_ari == 1
    assert result.compared == 15
    assert (result.reference_ari == 1).all()
    assert (result.members[~np.isnan(result.members)] == 1).all()
    assert [(g.group, g.size, g.jaccard, g.recovered, g.dissolved) for g in result.groups] == [
        (g, 20, 1, 6, 0) for g in range(3)
    ]


def noisy(indices):
    """Group 2 falls to random halves of two clusters; groups 0 and 1 stay."""
    rng = np.random.default_rng(int(indices.sum()))
    labels = GROUPS[indices].copy()
    labels[labels == 2] = rng.integers(2, 5, int(np.sum(labels == 2)))
    return labels


def test_a_weak_group_is_found_and_the_values_equal_direct_ones():
    result = stability(noisy, 60, rounds=12, fraction=0.7, random_state=1, reference=GROUPS)
    strong = result.groups[0]
    weak = result.groups[2]
    assert strong.jaccard == 1
    assert weak.jaccard < 0.75
    assert weak.recovered < 4
    assert np.nanmean(result.members[:20]) == 1
    assert np.nanmean(result.members[40:]) < 0.7
    drawn = []
    stability(
        lambda i: (drawn.append(i), noisy(i))[1],
        60,
        rounds=12,
        fraction=0.7,
        random_state=1,
        reference=GROUPS,
    )
    first = drawn[0]
    assert len(first) == 42
    assert result.reference_ari[0] == pytest.approx(
        adjusted_rand_score(GROUPS[first], noisy(first))
    )
    jaccards = []
    aris = []
    for i, a in enumerate(drawn):
        mine = set(a[GROUPS[a] == 2].tolist())
        labels = noisy(a)
        found = [set(a[labels == g].tolist()) for g in set(labels.tolist())]
        jaccards.append(max(len(mine & f) / len(mine | f) for f in found))
        for b in drawn[:i]:
            both = np.intersect1d(a, b)
            aris.append(adjusted_rand_score(noisy(a)[np.isin(a, both)], noisy(b)[np.isin(b, both)]))
    assert weak.jaccard == pytest.approx(np.mean(jaccards))
    assert result.mean_ari == pytest.approx(np.mean(aris))
    member = 45
    values = []
    for a in drawn:
        if member in a:
            labels = noisy(a)
            mine = set(a[GROUPS[a] == 2].tolist())
            found = set(a[labels == labels[a == member][0]].tolist())
            values.append(len(mine & found) / len(mine | found))
    assert result.members[member] == pytest.approx(np.mean(values))


def test_rounds_have_their_own_stream():
    short = []
    long = []
    stability(lambda i: (short.append(i.tolist()), GROUPS[i])[1], 60, rounds=2, random_state=3)
    stability(lambda i: (long.append(i.tolist()), GROUPS[i])[1], 60, rounds=5, random_state=3)
    assert short == long[:3]  # the first call is for the whole collection
    assert long[1] != long[2]


def test_unassigned_members():
    holes = GROUPS.copy()
    holes[5] = -1
    result = stability(
        lambda i: np.where(i % 10 == 0, -1, GROUPS[i]),
        60,
        rounds=4,
        random_state=0,
        reference=holes,
    )
    assert np.isnan(result.members[5])
    assert result.members[10] < 0.1
    assert 0 < result.groups[0].jaccard < 1


def test_members_without_a_group_in_the_reference_still_count_against_a_group():
    reference = np.where(GROUPS == 1, -1, GROUPS)
    result = stability(
        lambda i: GROUPS[i] // 2, 60, rounds=2, fraction=1.0, random_state=0, reference=reference
    )
    assert result.groups[0].jaccard == 0.5  # 20 of its own in a cluster of 40
    assert result.groups[1].jaccard == 1
    assert result.groups[0].dissolved == 2


def test_bad_input():
    with pytest.raises(ParameterError, match="rounds"):
        stability(lambda i: i, 10, rounds=1)
    with pytest.raises(ParameterError, match="fraction"):
        stability(lambda i: i, 10, fraction=0.0)
    with pytest.raises(DataError, match="at least 2"):
        stability(lambda i: i, 4, fraction=0.25)
    with pytest.raises(DataError, match="5 labels for 10 members"):
        stability(lambda i: i[:5], 10)

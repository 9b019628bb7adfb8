"""Matching of two partitions against every assignment; numbers that stay when groups are found again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import matching as slow

from coterie import Partition
from coterie.core.errors import DataError
from coterie.parts.matching import align, matching, overlaps

PAIRS = st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 3)), max_size=25)


@given(PAIRS)
def test_pairs_keep_as_many_together_as_any_assignment(members):
    new = [a for a, _ in members]
    old = [b for _, b in members]
    found = matching(np.array(new, dtype=int), np.array(old, dtype=int))
    mine = slow.groups(new)
    other = slow.groups(old)
    assert sum(len(mine[a] & other[b]) for a, b in found) == slow.most_together(new, old)
    assert all(mine[a] & other[b] for a, b in found), "groups that share nobody are a pair"
    assert len({a for a, _ in found}) == len({b for _, b in found}) == len(found)


@given(PAIRS)
def test_jaccard_equals_sets(members):
    new = [a for a, _ in members]
    old = [b for _, b in members]
    found = overlaps(np.array(new, dtype=int), np.array(old, dtype=int)).jaccard
    slowly = np.array(slow.jaccard(new, old)).reshape(found.shape)
    assert np.allclose(found, slowly, atol=1e-12)


@given(PAIRS)
def test_align_renames_and_nothing_else(members):
    new = np.array([a for a, _ in members], dtype=int)
    old = np.array([b for _, b in members], dtype=int)
    found = align(new, old)
    assert np.array_equal(found[:, None] == found[None, :], new[:, None] == new[None, :])
    assert np.array_equal(found < 0, new < 0)
    kept = {b: a for a, b in matching(new, old)}
    for number in set(found.tolist()) - {-1}:
        source = int(new[np.flatnonzero(found == number)[0]])
        assert kept.get(number) == source or number > old.max()


@given(PAIRS, st.permutations(range(5)))
def test_only_renamed_groups_get_their_numbers_back(members, names):
    old = np.array([a for a, _ in members], dtype=int)
    new = np.where(old >= 0, np.array(names)[old], -1)
    assert np.array_equal(align(new, old), old)


def test_between_equal_counts_the_purer_pair_wins():
    new = np.array([0, 0, 1, 1, 1, 1])
    old = np.array([3, 3, 3, 3, 5, 5])
    assert matching(new, old) == [(0, 3), (1, 5)]
    lone = matching(np.zeros(4, dtype=int), np.array([0, 1, 1, 0]))
    assert lone in ([(0, 0)], [(0, 1)])
    assert matching(np.array([0, 0, 0, 0]), np.array([4, 4, -1, -1])) == [(0, 4)]
    assert matching(np.array([0, 0, -1, 1, 1]), np.array([2, 2, 2, 2, 2])) == [(0, 2)]
    pure = np.array([0] * 2 + [1] * 2 + [1] * 3)
    assert matching(pure, np.array([9] * 4 + [-1] * 3)) == [(0, 9)], (
        "both share two members; the smaller group is the purer"
    )


def test_number_of_a_group_that_is_gone_is_not_given_again():
    assert align(np.array([0, 0, 1, 1, 1]), np.array([-1, -1, 0, 0, 7])).tolist() == [8, 8, 0, 0, 0]


def test_fresh_numbers_go_to_the_largest_first():
    assert align(np.array([0, 1, 1, 2, 2, 2]), np.full(6, -1)).tolist() == [2, 1, 1, 0, 0, 0]


def test_partitions_are_taken():
    first = Partition(np.array([0, 1, 1]))
    assert align(Partition(np.array([1, 0, 0])), first).tolist() == [0, 1, 1]


def test_nobody_in_any_group():
    assert matching([-1, -1], [-1, -1]) == []
    assert align([-1, -1], [0, 1]).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("new", "old"),
    [([0, 1], [0]), ([0.5, 1.0], [0, 1]), (["a"], ["b"]), ([[0]], [[0]]), ([-2], [0])],
)
def test_one_sentence_for_what_is_no_partition(new, old):
    with pytest.raises(DataError):
        matching(np.array(new), np.array(old))

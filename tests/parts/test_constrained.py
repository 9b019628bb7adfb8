"""Assignment under pairs against all assignments, colorings against all colorings, and who is named when it cannot be done."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import constrained as slow

from coterie import Hints
from coterie.core.errors import DataError
from coterie.parts.colored import clique, colored
from coterie.parts.constrained import Ties


def drawn(seed, n, k, weight):
    """Costs and pairs that agree with some hidden groups, so that laws can be kept."""
    generator = np.random.default_rng(seed)
    hidden = generator.integers(k, size=n)
    pairs = generator.integers(n, size=(generator.integers(1, 2 * n), 2))
    pairs = np.concatenate([[[0, 1]], pairs[pairs[:, 0] != pairs[:, 1]]])
    same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    hints = Hints.of(
        n, together=pairs[same].tolist(), apart=pairs[~same].tolist(), pair_weight=weight
    )
    return generator.random((n, k)), hints


def resting(ties, costs):
    """Sweeps until nothing moves, with the totals on the way."""
    labels = ties.start(costs)
    totals = [ties.total(costs, labels)]
    while True:
        after = ties.sweep(costs, labels)
        totals.append(ties.total(costs, after))
        if np.array_equal(after, labels):
            return after, totals
        labels = after


@settings(deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 6),
    st.integers(2, 3),
    st.sampled_from([np.inf, 0.4, 0.05]),
)
def test_no_law_is_broken_no_total_rises_and_nearly_the_best_is_found(seed, n, k, weight):
    costs, hints = drawn(seed, n, k, weight)
    ties = Ties.of(hints, "Test")
    labels, totals = resting(ties, ties.gathered(costs))
    groups = labels[ties.piece]
    assert np.all(np.diff(totals) <= 1e-12)
    if weight == np.inf:
        assert len(hints.broken(groups)) == 0
    least = slow.best(costs, hints)
    assert least - 1e-9 <= slow.cost(costs, groups, hints) <= least + 0.5 * n


def test_usually_the_best_is_found():
    hits = 0
    for seed in range(60):
        costs, hints = drawn(seed, 6, 3, np.inf)
        ties = Ties.of(hints, "Test")
        labels, _ = resting(ties, ties.gathered(costs))
        hits += slow.cost(costs, labels[ties.piece], hints) < slow.best(costs, hints) + 1e-9
    assert hits >= 54


@pytest.mark.parametrize("trust", [0.2, 2.0, np.inf])
@pytest.mark.parametrize("seed", range(8))
def test_labels_are_pairs(seed, trust):
    generator = np.random.default_rng(seed)
    costs = generator.random((6, 3))
    scheme = "constrained" if trust == np.inf else "intrinsic"
    hints = Hints.of(6, ["a", "b", "a", None, "b", None], label_weight=trust, scheme=scheme)
    ties = Ties.of(hints, "Test")
    labels, _ = resting(ties, ties.gathered(costs))
    found = slow.cost(costs, labels[ties.piece], hints)
    assert np.isfinite(found)
    assert found <= slow.best(costs, hints) * 1.3 + 1e-9
    assert (ties.bonds.n_tags > 0) == np.isfinite(trust)


def test_total_is_the_slow_one_up_to_a_constant():
    costs, hints = drawn(3, 6, 3, 0.7)
    ties = Ties.of(hints, "Test")
    generator = np.random.default_rng(0)
    tried = [generator.integers(3, size=6) for _ in range(5)]
    offsets = [slow.cost(costs, groups, hints) - ties.total(costs, groups) for groups in tried]
    assert np.allclose(offsets, offsets[0])


def test_seeded_labels_are_no_pairs_and_nothing_known_is_nothing():
    assert Ties.of(Hints.of(4), "Test") is None
    assert Ties.of(None, "Test") is None
    ties = Ties.of(Hints.of(4, ["a", "b", "a", None], scheme="seeded"), "Test")
    assert not ties.bonds
    assert not ties.pulling
    assert ties.needed() == 1


def test_a_chain_of_two_groups_changes_sides_at_once():
    hints = Hints.of(4, apart=[(0, 1), (2, 3)])
    ties = Ties.of(hints, "Test")
    costs = np.array([[5.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    after = ties.sweep(costs, np.array([0, 1, 0, 1]))
    assert after.tolist() == [1, 0, 0, 1]  # 0 is kept out by 1, and both change


def test_empty_groups_are_filled_with_the_dearest_piece():
    ties = Ties.of(Hints.of(4, together=[(0, 1)]), "Test")
    costs = np.array([[3.0, 9.0], [1.0, 9.0], [2.0, 9.0]])
    assert ties.filled(costs, np.array([0, 0, 0])).tolist() == [1, 0, 0]


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 4))
def test_a_coloring_is_found_where_there_is_one(seed, n, k):
    generator = np.random.default_rng(seed)
    pairs = generator.integers(n, size=(generator.integers(1, 3 * n), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]].reshape(-1, 2)
    labels, stuck = colored(pairs, generator.random((n, k)))
    assert (len(stuck) == 0) == slow.colorable(pairs.tolist(), n, k)
    if not len(stuck):
        assert all(
            labels[i] != labels[j] and min(labels[i], labels[j]) >= 0 for i, j in pairs.tolist()
        )
    among = clique(pairs, n)
    there = {frozenset(pair) for pair in pairs.tolist()}
    assert all(frozenset((a, b)) in there for a in among for b in among if a < b)
    assert len(among) <= slow.largest_clique(pairs.tolist(), n) if len(pairs) else among == []


def test_who_is_in_the_way_is_named():
    ties = Ties.of(Hints.of(5, apart=[(0, 1), (1, 4), (0, 4)]), "Test")
    with pytest.raises(
        DataError, match=r"Test: member 0, member 1 and member 4 all belong apart .* takes 3 groups"
    ):
        ties.check(2)
    assert ties.needed() == 3
    ring = Ties.of(Hints.of(5, apart=[(i, (i + 1) % 5) for i in range(5)]), "Test")
    ring.check(2)  # no three are all apart, and yet two groups are too few
    with pytest.raises(
        DataError,
        match=r"2 groups are too few to keep all pairs apart: member \d and member \d could not be",
    ):
        ring.start(np.zeros((5, 2)))
    with pytest.raises(
        DataError,
        match=r"n_groups is 3, and with the pairs that belong together only 2 pieces are left",
    ):
        Ties.of(Hints.of(4, together=[(0, 1), (2, 3)]), "Test").check(3)
    with pytest.raises(
        DataError,
        match=r"n_groups is 2, and with the pairs that belong together only 1 piece is left",
    ):
        Ties.of(Hints.of(2, together=[(0, 1)]), "Test").check(2)


def test_two_are_not_all_and_ids_are_used_where_they_are_known():
    two = Ties.of(Hints.of(["x", "y", "z"], apart=[("x", "z")]), "Test")
    with pytest.raises(
        DataError,
        match=r"^Test: 'x' and 'z' belong apart, which takes 2 groups, and n_groups is 1.$",
    ):
        two.check(1)
    many = Ties.of(Hints.of(14, apart=[(i, j) for i in range(12) for j in range(i)]), "Test")
    with pytest.raises(DataError, match="member 9 and 2 others all belong apart"):
        many.check(3)
    ring = [(i, (i + 1) % 5) for i in range(5)]
    late = Ties.of(Hints.of(9, apart=[(i + 4, j + 4) for i, j in ring]), "Test").take(
        np.arange(4, 9)
    )
    with pytest.raises(DataError, match=r"member [4-8] and member [4-8] could not be"):
        late.start(np.zeros((5, 2)))
    called = Ties.of(
        Hints.of(list("abcdefghi"), apart=[("efghi"[i], "efghi"[j]) for i, j in ring]), "Test"
    )
    with pytest.raises(DataError, match=r"'[e-i]' and '[e-i]' could not be"):
        called.take(np.arange(4, 9)).start(np.zeros((5, 2)))


def test_labels_that_are_laws_contradict_pairs_in_a_sentence():
    with pytest.raises(DataError, match="member 0 and member 1 are said to belong apart"):
        Ties.of(Hints.of(2, ["a", "a"], apart=[(0, 1)], scheme="constrained"), "Test")


def test_take_keeps_what_is_said_of_those_taken():
    hints = Hints.of(6, together=[(0, 3), (3, 5)], apart=[(1, 5)])
    few = Ties.of(hints, "Test").take(np.array([0, 1, 5]))
    assert few.piece.tolist() == [0, 1, 0]
    assert few.hard.tolist() == [[0, 1], [1, 0]]
    none = Ties.of(hints, "Test").take(np.array([2, 4]))
    assert none.n_pieces == 2
    assert not none.bonds


def test_many_pairs_are_done_in_reasonable_time():
    generator = np.random.default_rng(0)
    hidden = generator.integers(5, size=3000)
    pairs = generator.integers(3000, size=(4000, 2))
    apart = pairs[hidden[pairs[:, 0]] != hidden[pairs[:, 1]]]
    ties = Ties.of(Hints.of(3000, apart=apart.tolist()), "Test")
    costs = generator.random((3000, 5))
    start = ties.start(costs)
    after = ties.sweep(costs, start)
    assert ties.total(costs, after) < ties.total(costs, start)
    assert len(ties.hints.broken(after)) == 0

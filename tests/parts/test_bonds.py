"""Bonds against their definition: values, sweeps, single moves and unions that obey laws and weigh pairs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import bonds as twin
from tests.oracles.moves import Side

from coterie.parts.bonds import Bonds
from coterie.parts.contingency import Counts
from coterie.parts.moves import Clusters, Rows, dealt


def case(seed, n=24, m=15, k=4, laws=False):
    draw = np.random.default_rng(seed)
    sides = [Side(draw.poisson(1.0, (n, m)), dealt(m, 5, draw), 5, beta) for beta in (1.0, 0.4)]
    tags = np.where(draw.random(n) < 0.4, draw.integers(3, size=n), -1)
    pairs = np.array([draw.choice(n, 2, replace=False) for _ in range(9)])
    weights = draw.normal(0, 0.02, 9)
    labels = dealt(n, k, draw)
    if (
        laws
    ):  # three that the first clusters keep, so that differences of the whole objective are finite
        weights[np.flatnonzero(labels[pairs[:, 0]] != labels[pairs[:, 1]])[:3]] = -np.inf
        order = np.argsort(weights, kind="stable")
        pairs = pairs[order]
        weights = weights[order]
    return sides, labels, tags, (0.01, 0.02), pairs, weights


def clusters(sides, labels, k, bonds):
    tables = [Counts.of(sp.csr_array(side.table)) for side in sides]
    rows = Rows.of(
        tables,
        [side.groups for side in sides],
        [side.size for side in sides],
        [side.beta for side in sides],
    )
    return Clusters(rows, labels, k, bonds)


def test_the_value_of_bonds_is_that_of_all_pairs():
    for seed in range(5):
        _, labels, tags, pull, pairs, weights = case(seed)
        bonds = Bonds.of(len(labels), tags, pull, pairs, weights)
        assert bonds.value(labels, 4) == pytest.approx(
            twin.value(tags, pull, pairs, weights, labels), abs=1e-12
        )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("laws", [False, True])
def test_a_sweep_is_that_of_the_whole_objective(seed, laws):
    sides, labels, tags, pull, pairs, weights = case(seed, laws=laws)
    bonds = Bonds.of(len(labels), tags, pull, pairs, weights)
    found = clusters(sides, labels, 4, bonds)
    found.sweep(np.random.default_rng(seed))
    order = np.random.default_rng(seed).permutation(len(labels))
    expected = twin.sweep(sides, labels, 4, order, tags, pull, pairs, weights, 1e-12)
    assert found.labels.tolist() == expected.tolist()


@pytest.mark.parametrize("shuffled", [False, True])
def test_moves_never_lower_the_objective_and_never_break_a_law_that_was_kept(shuffled):
    for seed in range(8):
        sides, _, tags, pull, pairs, weights = case(seed, laws=True)
        bonds = Bonds.of(len(tags), tags, pull, pairs, weights)
        found = clusters(
            sides, np.arange(len(tags)) % len(tags), len(tags), bonds
        )  # everyone apart: no law is broken
        values = [found.value()]
        for step in range(4):
            draw = np.random.default_rng([seed, step])
            found.shuffle(draw, 300) if shuffled else found.sweep(draw)
            values.append(found.value())
        assert np.isfinite(values).all()
        assert (np.diff(values) > -1e-12).all()


def test_closest_peers_and_cheapest_unions_respect_what_is_owed():
    for seed in range(6):
        sides, _, tags, _, pairs, weights = case(seed, laws=True)
        n = len(tags)
        hard = Bonds.of(n, tags, (0.0, np.inf), pairs[:3], weights[:3])
        found = clusters(sides, np.arange(n), n, hard)
        paired = found.pair(np.random.default_rng(seed), 2)
        assert hard.value(paired, int(paired.max()) + 1) == 0.0
        assert paired.max() + 1 < n
        while found.k > 6:
            before = found.value()
            owed = hard.owed(found.labels, found.k)
            a, b, lost = found.unite()
            assert np.isfinite(owed[a, b])
            assert before - found.value() == pytest.approx(lost, abs=1e-12)


def test_the_cheapest_union_counts_the_weights_of_pairs():
    sides, _, tags, pull, pairs, weights = case(3)
    n = len(tags)
    bonds = Bonds.of(n, tags, pull, pairs, weights)
    found = clusters(sides, np.arange(n), n, bonds)
    losses = []
    for a in range(n):
        for b in range(a + 1, n):
            tried = np.where(np.arange(n) == b, a, np.arange(n))
            losses.append(found.value() - clusters(sides, tried, n, bonds).value())
    assert found.unite()[2] == pytest.approx(min(losses), abs=1e-12)


def test_a_union_that_no_law_allows_changes_nothing():
    sides, _, _, _, _, _ = case(0, n=3)
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    bonds = Bonds.of(3, pairs=pairs, weights=np.full(3, -np.inf))
    found = clusters(sides, np.arange(3), 3, bonds)
    assert found.unite() == (0, 0, np.inf)
    assert (found.k, found.labels.tolist()) == (3, [0, 1, 2])


def test_laws_are_pairs_and_tags_that_may_never_meet():
    bonds = Bonds.of(
        5,
        np.array([0, 0, 1, -1, -1]),
        (0.0, np.inf),
        np.array([[3, 4], [0, 3], [2, 2]]),
        np.array([-np.inf, -1.0, 5.0]),
    )
    assert sorted(map(tuple, bonds.laws().tolist())) == [(0, 2), (1, 2), (3, 4)]
    assert bonds.value(np.zeros(5, dtype=int), 1) == -np.inf
    assert len(bonds.mates) == 4  # who is one already owes itself nothing


def test_bonds_of_a_part():
    bonds = Bonds.of(
        6,
        np.array([0, -1, 1, -1, 0, 2]),
        (0.1, 0.2),
        np.array([[0, 3], [2, 5], [1, 4]]),
        np.array([1.0, -2.0, 3.0]),
    )
    part = bonds.take(np.array([0, 2, 3, 5]))
    assert part.tags.tolist() == [0, 1, -1, 2]
    assert part.bound.tolist() == [0, 1, 2, 3, 4]
    assert part.mates.tolist() == [2, 3, 0, 1]
    assert part.ties.tolist() == [1.0, -2.0, 1.0, -2.0]
    assert bonds.touched.tolist() == [0, 1, 2, 3, 4, 5]

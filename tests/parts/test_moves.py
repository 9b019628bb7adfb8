"""Moves against their definition: every change of the objective, sweeps bit for bit, unions, splits; counts and real weights."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import bonds as twin
from tests.oracles import moves as slow
from tests.oracles.moves import Side

from coterie.core.workplace import using
from coterie.parts import contingency
from coterie.parts import moves as fast
from coterie.parts.contingency import Counts, log_table
from coterie.parts.moves import Bonds, Clusters, Rows, dealt, halved

SIZES = (60, 80, 25)
K = (7, 9, 5)


def loop(seed, real=False):
    """Three populations in a loop with weights of very different size, and a row that is empty on all its edges."""
    draw = np.random.default_rng(seed)
    tables = [draw.poisson(0.7, (SIZES[i], SIZES[j])) for i, j in ((0, 1), (1, 2), (0, 2))]
    if real:
        tables = [table * draw.uniform(0.01, 3.0, table.shape) for table in tables]
    tables[0][11] = tables[2][11] = 0
    labels = [dealt(n, k, draw) for n, k in zip(SIZES, K, strict=True)]
    edges = list(zip((0, 1, 0), (1, 2, 2), tables, (1.0, 100.0, 0.37), strict=True))
    return edges, labels, draw


def sides_of(edges, labels, node):
    found = []
    for i, j, table, beta in edges:
        if node in (i, j):
            other = j if node == i else i
            found.append(
                Side(table if node == i else table.T.copy(), labels[other], K[other], beta)
            )
    return found


def clusters_of(sides, labels, k):
    rows = Rows.of(
        [Counts.of(sp.csr_array(s.table)) for s in sides],
        [s.groups for s in sides],
        [s.size for s in sides],
        [s.beta for s in sides],
    )
    return Clusters(rows, labels, k)


def one_node(seed, n=40, m=30, k=5, size=6, real=False, rate=1.0):
    draw = np.random.default_rng(seed)
    sides = []
    for beta in (1.0, 0.4):
        table = draw.poisson(rate, (n, m)) * (draw.uniform(0.1, 2.0, (n, m)) if real else 1)
        sides.append(Side(table, dealt(m, size, draw), size, beta))
    return sides, dealt(n, k, draw), draw


@pytest.mark.parametrize("real", [False, True])
def test_thousands_of_moves_equal_recomputation(real):
    edges, labels, draw = loop(5, real)
    now = slow.objective(edges, labels, K)
    worst = 0.0
    start = now
    total = 0.0
    for turn in range(60):
        node = turn % 3
        clusters = clusters_of(sides_of(edges, labels, node), labels[node], K[node])
        changes = clusters.gains()
        for x in draw.permutation(SIZES[node])[:6]:
            for c in range(K[node]):
                moved = [z.copy() for z in labels]
                moved[node][x] = c
                claimed = changes[x, c] - changes[x, labels[node][x]]
                worst = max(worst, abs(slow.objective(edges, moved, K) - now - claimed))
        x = int(draw.integers(SIZES[node]))
        c = int(draw.integers(K[node]))
        total += changes[x, c] - changes[x, labels[node][x]]
        labels[node][x] = c
        now = slow.objective(edges, labels, K)
    assert worst < 1e-12
    assert abs(start + total - now) < 1e-12


@pytest.mark.parametrize("real", [False, True])
def test_random_moves_by_trials_keep_the_tables_of_a_rebuild(real):
    """Single trials on all populations in turn: the objective after them is that of the definition, the tables are exact."""
    edges, labels, draw = loop(6, real)
    for turn in range(9):
        node = turn % 3
        sides = sides_of(edges, labels, node)
        clusters = clusters_of(sides, labels[node], K[node])
        clusters.shuffle(draw, 600)
        labels[node] = clusters.labels.copy()
        fresh = clusters_of(sides, labels[node], K[node])
        if not real:
            assert np.array_equal(fresh.table, clusters.table)
            assert np.array_equal(fresh.sums, clusters.sums)
        assert np.allclose(fresh.table, clusters.table, atol=1e-12)
        assert abs(clusters.value() - slow.value(sides, labels[node], K[node])) < 1e-12 * max(
            1.0, clusters.value()
        )


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 25),
    m=st.integers(2, 25),
    k=st.integers(1, 6),
    size=st.integers(1, 6),
    real=st.booleans(),
    rate=st.sampled_from([0.1, 1.0, 30.0]),
)
def test_any_gain_equals_recomputation(seed, n, m, k, size, real, rate):
    sides, labels, _ = one_node(seed, n, m, min(k, n), min(size, m), real, rate)
    sides = [side for side in sides if side.table.sum() > 0]
    if not sides:
        return
    k = min(k, n)
    found = clusters_of(sides, labels, k).gains()
    for x in range(0, n, 3):
        assert np.allclose(found[x], slow.gains(sides, labels, k, x), atol=1e-12, rtol=0)


def test_gains_of_an_empty_row_are_nothing():
    sides, labels, _ = one_node(1)
    for side in sides:
        side.table[3] = 0
    clusters = clusters_of(sides, labels, 5)
    assert not clusters.gains()[3].any()
    assert clusters.rows.empty.tolist() == [x == 3 for x in range(40)]


def exact_gain(table, labels, x, k):
    """Put one element into every cluster, with integers and many digits: D(C, v) by exact rational arguments of one log."""
    from decimal import Decimal, getcontext

    getcontext().prec = 60

    def phi(n):
        return Decimal(int(n)) * Decimal(int(n)).ln() if n > 0 else Decimal(0)

    others = np.array([y for y in range(len(table)) if y != x])
    found = []
    for c in range(k):
        cells = table[others[labels[others] == c]].sum(axis=0)
        found.append(
            sum(phi(t + v) - phi(t) for t, v in zip(cells, table[x], strict=True))
            - phi(cells.sum() + table[x].sum())
            + phi(cells.sum())
        )
    return [float(Decimal(g) / Decimal(int(table.sum()))) for g in found]


def test_counts_near_a_trillion_keep_their_digits():
    draw = np.random.default_rng(0)
    table = draw.integers(5 * 10**11, 2 * 10**12, (12, 4))
    labels = np.arange(12) % 3
    side = Side(table, np.arange(4), 4)
    found = clusters_of([side], labels, 3).gains()
    for x in range(12):
        assert np.allclose(found[x], exact_gain(table, labels, x, 3), rtol=0, atol=1e-12)


def test_a_light_element_among_heavy_ones_is_scored_to_its_own_digits():
    draw = np.random.default_rng(1)
    table = draw.integers(5 * 10**11, 2 * 10**12, (9, 4))
    table[4] = [3, 0, 1, 2]
    labels = np.arange(9) % 3
    found = clusters_of([Side(table, np.arange(4), 4)], labels, 3).gains()[4]
    wanted = exact_gain(table, labels, 4, 3)
    assert np.allclose(found, wanted, rtol=1e-12, atol=0)


@pytest.mark.parametrize("seed", range(4))
def test_a_sweep_equals_its_twin_bit_for_bit(seed):
    sides, labels, _ = one_node(seed, n=50, m=40, k=6)
    clusters = clusters_of(sides, labels, 6)
    logs, _ = log_table(max(s.table.sum() for s in sides))
    slack = 1e-12 * max(1.0, clusters.value())
    twin = labels
    for turn in range(3):
        order = np.random.default_rng([seed, turn]).permutation(50)
        moved = clusters.sweep(np.random.default_rng([seed, turn]))
        twin, tables, count = slow.sweep(sides, twin, 6, order, logs, slack)
        assert moved == count
        assert np.array_equal(clusters.labels, twin)
        assert np.array_equal(clusters.table, np.concatenate(tables))


def test_a_sweep_over_columns_wider_than_the_table_of_logarithms_equals_its_twin(monkeypatch):
    """Some columns hold more than the table of n log n, some less; both sides take the form that keeps its digits."""
    fast._tables.cache_clear()
    monkeypatch.setattr(contingency, "_LARGEST", 60)
    sides, labels, _ = one_node(3, n=50, m=40, k=6, rate=2.0)
    for side in sides:
        side.table[:, :10] = side.table[:, :10] % 2 * (np.arange(50)[:, None] % 5 == 0)
        side.groups = np.concatenate([np.zeros(10, dtype=int), 1 + np.arange(30) % 5])
    clusters = clusters_of(sides, labels, 6)
    fast._tables.cache_clear()
    assert clusters.wide.any()
    assert not clusters.wide.all()
    logs = clusters.logs
    assert len(logs) == 62
    twin = labels
    for turn in range(3):
        order = np.random.default_rng([7, turn]).permutation(50)
        clusters.sweep(np.random.default_rng([7, turn]))
        twin, tables, _ = slow.sweep(
            sides, twin, 6, order, logs, 1e-12 * max(1.0, clusters.value())
        )
        assert np.array_equal(clusters.labels, twin)
        assert np.array_equal(clusters.table, np.concatenate(tables))
    for x in range(0, 50, 7):
        assert np.allclose(clusters.gains()[x], slow.gains(sides, twin, 6, x), atol=1e-12, rtol=0)
    assert clusters.unite()[2] == pytest.approx(slow.cheapest(sides, twin, 6)[2], abs=1e-13)


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("how", ["sweep", "shuffle"])
@pytest.mark.parametrize("seed", range(5))
def test_no_search_lowers_the_objective_or_loses_a_cluster(seed, how, real):
    sides, labels, draw = one_node(seed, n=60, m=30, k=9, real=real, rate=0.4)
    clusters = clusters_of(sides, labels, 9)
    before = clusters.value()
    for _ in range(6):
        clusters.sweep(draw) if how == "sweep" else clusters.shuffle(draw, 400)
        after = clusters.value()
        assert after >= before - 1e-13
        assert len(np.unique(clusters.labels)) == 9
        before = after
    assert clusters.value() == pytest.approx(slow.value(sides, clusters.labels, 9), abs=1e-12)
    assert clusters.value() > slow.value(sides, labels, 9) + 1e-3


def test_real_weights_do_not_drift_over_many_passes():
    """Tenths have no exact form: what is put in and taken out a thousand times must still be a table without ghosts."""
    draw = np.random.default_rng(3)
    table = draw.integers(0, 4, (40, 12)) / 10
    sides = [Side(table, np.arange(12), 12)]
    clusters = clusters_of(sides, dealt(40, 20, draw), 20)
    for _ in range(25):
        clusters.sweep(draw, 2)
        clusters.shuffle(draw, 500)
    assert np.isfinite(clusters.known).all()
    assert clusters.table.min() >= -1e-15
    assert clusters.value() == pytest.approx(slow.value(sides, clusters.labels, 20), abs=1e-12)
    fresh = clusters_of(sides, clusters.labels, 20)
    assert np.allclose(fresh.gains(), clusters.gains(), atol=1e-12)


def test_a_sum_a_little_below_nothing_is_nothing():
    """What is left of real weights may be -1e-17; no table of logarithms may be read there."""
    from coterie._kernels.moves import phi

    behind = np.full(4, 1e300)
    assert phi(-1e-17, behind[:0]) == 0.0
    assert phi(0.5, behind[:0]) == 0.5 * math.log(0.5)


def test_part_of_a_pass_moves_part_of_the_elements():
    sides, labels, _ = one_node(2, n=400, m=60, k=8)
    clusters = clusters_of(sides, labels, 8)
    moved = clusters.sweep(np.random.default_rng(0), 0.25)
    assert 0 < moved <= 100
    assert np.sum(clusters.labels != labels) <= 100


def test_elements_in_no_cluster_stay_there_and_count_for_nothing():
    sides, labels, draw = one_node(4)
    labels[:5] = -1
    clusters = clusters_of(sides, labels, 5)
    clusters.sweep(draw, 3)
    clusters.shuffle(draw, 300)
    assert (clusters.labels[:5] == -1).all()
    assert (clusters.labels[5:] >= 0).all()
    assert clusters.table.sum() == sum(side.table[5:].sum() for side in sides)


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_cheapest_union_loses_what_it_says(seed, real):
    sides, labels, _ = one_node(seed, n=30, k=7, real=real)
    clusters = clusters_of(sides, labels, 7)
    before = slow.value(sides, labels, 7)
    a, b, lost = clusters.unite()
    assert (a, b) == slow.cheapest(sides, labels, 7)[:2]
    assert lost == pytest.approx(slow.loss(sides, labels, 7, a, b), abs=1e-13)
    assert before - slow.value(sides, clusters.labels, 6) == pytest.approx(lost, abs=1e-12)
    fresh = clusters_of(sides, clusters.labels, 6)
    assert np.allclose(fresh.table, clusters.table)
    assert np.allclose(fresh.sums, clusters.sums)
    assert np.allclose(fresh.known, clusters.known)
    assert clusters.k == len(np.unique(clusters.labels)) == 6


@pytest.mark.parametrize("floor", [1, 6, 10])
@pytest.mark.parametrize("k", [11, 12])
@pytest.mark.parametrize("seed", range(3))
def test_peers_are_those_of_the_definition(seed, k, floor):
    sides, labels, _ = one_node(seed, n=33, k=k, rate=3.0)
    labels[4] = -1
    visits = np.random.default_rng(seed).permutation(k)
    found = clusters_of(sides, labels, k).pair(np.random.default_rng(seed), floor)
    assert np.array_equal(found, slow.paired(sides, labels, k, visits, floor))
    assert found.max() + 1 == max(floor, math.ceil(k / 2))
    assert found[4] == -1


def test_many_singletons_halve():
    sides, _, draw = one_node(8, n=301, m=40, rate=0.5)
    clusters = clusters_of(sides, np.arange(301), 301)
    table = clusters.table.copy()
    found = clusters.pair(draw, 1)
    assert np.bincount(found).tolist().count(2) == 150
    assert found.max() + 1 == 151
    assert np.array_equal(clusters.table, table)


@pytest.mark.parametrize("most", [5, 7, 10, 100])
def test_the_largest_clusters_are_split_first(most):
    labels = np.repeat([0, 1, 2, 3, 4, -1], [1, 9, 4, 6, 2, 3])
    found, k = halved(labels, 5, most, np.random.default_rng(0))
    wanted = slow.halved(labels, 5, most)
    assert k == 5 + len(wanted)
    assert [int((found == 5 + at).sum()) for at in range(len(wanted))] == [
        half for _, half in wanted
    ]
    assert (found[labels < 0] == -1).all()
    assert (found[:1] == 0).all()
    kept = found < 5
    assert np.array_equal(found[kept], labels[kept])


def test_a_split_is_random_and_repeats_with_its_seed():
    labels = np.zeros(50, dtype=int)
    one, two, three = (halved(labels, 1, 2, np.random.default_rng(seed))[0] for seed in (0, 0, 1))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, three)
    assert one.sum() == 25


def test_dealing_is_even():
    assert np.bincount(dealt(23, 5, np.random.default_rng(0))).tolist() == [5, 5, 5, 4, 4]


def test_new_rows_are_scored_against_the_tables_as_they_are():
    sides, labels, _ = one_node(9)
    clusters = clusters_of(sides, labels, 5)
    own = clusters.table.copy()
    extra = [np.random.default_rng(i).poisson(1.0, (4, 30)) for i in range(2)]
    new = Rows.of(
        [Counts.of(sp.csr_array(t)) for t in extra], [s.groups for s in sides], [6, 6], [1.0, 0.4]
    )
    found = clusters.gains(new)
    grown = [
        Side(
            np.vstack([s.table, t]), s.groups, 6, s.beta * (s.table.sum() + t.sum()) / s.table.sum()
        )
        for s, t in zip(sides, extra, strict=True)
    ]
    for x in range(4):
        inside = np.concatenate([labels, [-1] * 4])
        assert np.allclose(found[x], slow.gains(grown, inside, 5, 40 + x), atol=1e-12)
    assert np.array_equal(clusters.table, own)


def test_new_rows_of_real_weights_are_not_rounded():
    sides, labels, _ = one_node(9)
    clusters = clusters_of(sides, labels, 5)
    part = [np.full((1, 30), 0.3) * (np.arange(30) < 7) for _ in sides]
    new = Rows.of(
        [Counts.of(sp.csr_array(t)) for t in part], [s.groups for s in sides], [6, 6], [1.0, 0.4]
    )
    grown = [
        Side(
            np.vstack([s.table, t]), s.groups, 6, s.beta * (s.table.sum() + t.sum()) / s.table.sum()
        )
        for s, t in zip(sides, part, strict=True)
    ]
    assert np.allclose(
        clusters.gains(new)[0], slow.gains(grown, np.append(labels, -1), 5, 40), atol=1e-12
    )


def test_the_value_is_that_of_the_clusters_where_some_columns_are_in_none():
    sides, labels, _ = one_node(5)
    sides = sides[:1]
    sides[0].groups[sides[0].groups == 2] = -1
    clusters = clusters_of(sides, labels, 5)
    assert clusters.value() == pytest.approx(slow.value(sides, labels, 5), abs=1e-12)


def test_two_clusters_that_share_no_column_keep_log_two():
    """A table known by hand: two clusters that never meet the other's columns."""
    side = Side(np.array([[3, 0], [3, 0], [0, 6]]), np.arange(2), 2)
    clusters = clusters_of([side], np.array([0, 0, 1]), 2)
    assert clusters.value() == pytest.approx(math.log(2), abs=1e-15)
    assert clusters.informations().tolist() == [pytest.approx(math.log(2), abs=1e-15)]


@pytest.mark.parametrize("real", [False, True])
def test_shards_never_lower_the_value_and_do_not_depend_on_workers(real, monkeypatch):
    monkeypatch.setattr(fast, "_SHARD", 64 * 5)  # parts of 64 elements
    sides, labels, _ = one_node(3, n=300, real=real)
    found = []
    for jobs in (1, 2):
        clusters = clusters_of(sides, labels, 5)
        draw = np.random.default_rng(0)
        values = [clusters.value()]
        with using(n_jobs=jobs):
            while clusters.shards(draw) and len(values) < 50:
                values.append(clusters.value())
        assert len(values) > 2
        assert all(after > before for before, after in itertools.pairwise(values))
        assert values[-1] == pytest.approx(
            clusters_of(sides, clusters.labels, 5).value(), rel=1e-10
        )
        found.append(clusters.labels.tobytes())
    assert found[0] == found[1]
    rested = clusters_of(sides, np.frombuffer(found[0], dtype=np.int64), 5)
    assert (
        rested.sweep(np.random.default_rng(1)) == 0
    )  # where no proposal holds, no single move gains


def test_proposals_are_the_best_clusters_by_definition():
    sides, labels, _ = one_node(4, n=70)
    clusters = clusters_of(sides, labels, 5)
    who, where = clusters._proposed()
    gains = clusters.gains()
    best = gains.argmax(axis=1)
    assert np.array_equal(who, np.flatnonzero(best != labels))
    assert np.array_equal(where, best[who])


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

"""Closed-form sampling: equal to all subsamples and to drawn ones in all four cases, and tables equal to quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import sampling as slow

from coterie import Ragged
from coterie.core.workplace import using
from coterie.parts.fdivergences import CATALOGUE, fdivergence
from coterie.parts.orders import Orders, orders_of
from coterie.parts.sampling import (
    Nodes,
    divergences,
    errors_at,
    levels,
    nodes_of,
    risk_at,
    tables,
    weighted_errors,
)


def null_at(n: int, m: int, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The level of no learning at single priors."""
    each = [Nodes(p[[k]], q[[k]], np.ones(1)) for k in range(len(p))]
    return np.array([levels(np.array([n]), np.array([m]), one)[0, 0] for one in each])


def two(n, m, gap=0.7, dim=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, dim)), rng.normal(size=(m, dim)) + gap


def seen(*sets):
    return orders_of(Ragged.of(list(sets), ordered=False))


def at(orders, i, j, p):
    """Mean errors of points of i and of j at the prior p of i."""
    p, q = np.array([p]), np.array([1.0 - p])
    first = errors_at(orders.own_counts(i, j), orders.other_counts(i, j), p, q)
    return first[0], errors_at(orders.own_counts(j, i), orders.other_counts(j, i), q, p)[0]


@pytest.mark.parametrize("gap", [0.0, 0.7, 9.0])
@pytest.mark.parametrize(("n", "m"), [(6, 4), (7, 7), (5, 9)])
def test_the_four_cases_are_the_mean_over_all_subsamples(n, m, gap):
    x, y = two(n, m, gap, seed=n)
    orders = seen(x, y)
    for kept in range(1, n + 1):  # the first set is thinned: both its points and those of the other
        p = kept / (kept + m)
        found = at(orders, 0, 1, p)
        assert found == pytest.approx(slow.enumerated(x, y, kept), abs=1e-12)
        mean = p * found[0] + (1 - p) * found[1]
        assert risk_at(orders, orders, 0, 1, np.array([p]))[0] == pytest.approx(mean, abs=1e-15)
    for kept in range(1, m + 1):  # the second is
        second, first = slow.enumerated(y, x, kept)
        assert at(orders, 0, 1, n / (n + kept)) == pytest.approx((first, second), abs=1e-12)


def test_the_four_cases_lie_within_what_draws_say():
    x, y = two(30, 22, 0.9, seed=3)
    orders = seen(x, y)
    rng = np.random.default_rng(0)
    for kept, swap in ((6, False), (14, False), (5, True), (12, True)):
        runs = (
            slow.drawn(y, x, kept, 1200, rng)[:, ::-1]
            if swap
            else slow.drawn(x, y, kept, 1200, rng)
        )
        p = 30 / (30 + kept) if swap else kept / (kept + 22)
        off = np.abs(np.array(at(orders, 0, 1, p)) - runs.mean(axis=0))
        assert (off < 4 * runs.std(axis=0) / np.sqrt(len(runs))).all()
        assert runs.std(axis=0).min() > 0  # points of either set can be wrong, and can be right


def test_ties_are_taken_in_expectation():
    x = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array([[1.0], [2.0], [5.0]])
    orders = seen(x, y)
    assert at(orders, 0, 1, 4 / 7) == pytest.approx(
        tuple(e.mean() for e in slow.one_left_out(x, y)), abs=1e-12
    )
    for kept in (1, 2, 3):
        assert at(orders, 0, 1, kept / (kept + 3))[0] == pytest.approx(
            slow.enumerated(x, y, kept)[0], abs=1e-12
        )


def test_the_risk_is_that_of_the_table_at_any_prior():
    x, y = two(9, 14, 0.8, seed=5)
    priors = np.array([1e-3, 0.02, 0.07, 0.2, 0.39, 0.5, 0.71, 0.95, 0.999])
    found = risk_at(seen(x, y), seen(x, y), 0, 1, priors)
    assert found == pytest.approx([slow.risk(x, y, p) for p in priors], abs=1e-12)


def test_less_than_one_point_left_is_wrong_for_certain():
    x, y = two(6, 6, 50.0)
    first, second = at(seen(x, y), 0, 1, 0.01)
    assert (first, second) == (1.0, 0.0)
    assert at(seen(x, y), 0, 1, 2 / 8) == (0.0, 0.0)


@pytest.mark.parametrize(("n", "m"), [(5, 8), (20, 20), (3, 40), (1, 6), (1, 1), (2, 2), (90, 80)])
def test_the_null_level_is_the_mean_over_orders(n, m):
    p = np.array([1e-3, 0.03, 0.2, 0.44, 0.5, 0.7, 0.97, 0.999])
    assert null_at(n, m, p, 1 - p) == pytest.approx([slow.null(n, m, one) for one in p], abs=1e-12)
    for kept in range(1, min(n, 5) + 1):  # 2 p q n' / (n' - 1) where whole points are kept
        p = np.array([kept / (kept + m)])
        if n + m > 2:
            level = 2 * p * (1 - p) * (kept + m) / (kept + m - 1)
            assert null_at(n, m, p, 1 - p) == pytest.approx(level, abs=1e-12)


def test_one_law_gives_zero_on_average():
    rng = np.random.default_rng(7)
    for n, m in ((20, 20), (6, 25)):
        parts = [seen(rng.normal(size=(n, 2)), rng.normal(size=(m, 2))) for _ in range(200)]
        for name in ("jeffreys", "kl", "hellinger"):
            nodes = nodes_of(CATALOGUE[name])
            runs = np.array([_uncut(one, nodes) for one in parts])
            assert abs(runs.mean()) < 4 * runs.std() / np.sqrt(len(runs))
            plain = np.array([_uncut(one, nodes, False) for one in parts])
            assert plain.mean() < runs.mean() - 0.02


def _uncut(orders, nodes, corrected=True):
    level = levels(orders.sizes, orders.others, nodes, corrected)[0, 1]
    return (
        level - weighted_errors(orders, nodes)[0, 1] - weighted_errors(orders, nodes.mirrored)[1, 0]
    )


@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize(
    "name", ["kl", "reverse-kl", "jeffreys", "js", "hellinger", "variational", "triangular"]
)
def test_the_additive_form_is_the_quadrature(name, corrected):
    sets = [
        two(n, 2, gap, seed=n)[1 if n < 3 else 0] + gap
        for n, gap in ((6, 0), (9, 1), (1, 0.5), (9, 0.3), (17, 0.6))
    ]
    f = CATALOGUE[name]
    found = divergences(seen(*sets), None, f, nodes_of(f, 31), corrected)
    for i, x in enumerate(sets):
        for j, y in enumerate(sets):
            expected = (
                0.0 if i == j else min(slow.divergence(x, y, f, 31, corrected=corrected), f.most)
            )
            assert found[i, j] == pytest.approx(expected, abs=1e-12)
    assert np.array_equal(found, found.T) == f.symmetric


def test_rows_and_columns_apart_agree_with_the_square():
    sets = [two(n, 1, seed=n)[0] + n / 9 for n in (6, 9, 12, 9, 5)]
    view = Ragged.of(sets, ordered=False)
    square = orders_of(view)
    for name in ("kl", "jeffreys", "variational"):
        f = CATALOGUE[name]
        there = orders_of(view[:2], view[2:])
        back = orders_of(view[2:], view[:2])
        found = divergences(there, back, f, nodes_of(f))
        assert found == pytest.approx(divergences(square, None, f, nodes_of(f))[:2, 2:], abs=1e-12)


def test_tables_count_what_a_point_is_worth():
    x, y = two(8, 13)
    orders = seen(x, y)
    nodes = nodes_of(CATALOGUE["kl"])
    own, other = tables(8, 13, nodes)
    mean = (orders.own_counts(0, 1) @ own + orders.other_counts(0, 1) @ other) / 8
    assert mean == pytest.approx(weighted_errors(orders, nodes)[0, 1], abs=1e-13)
    assert (np.diff(own) <= 0).all()
    assert (np.diff(other) >= 0).all()


def test_counts_beyond_those_that_occur_do_not_matter():
    """Tables are as long as counts go: a set that is far from all and one that is near give what each gives alone."""
    sets = [two(12, 1, seed=s)[0] + gap for s, gap in ((0, 0.0), (1, 0.1), (2, 80.0), (3, 0.2))]
    f = CATALOGUE["jeffreys"]
    found = divergences(seen(*sets), None, f, nodes_of(f))
    for i, j in ((0, 1), (0, 2), (2, 3)):
        assert found[i, j] == pytest.approx(
            divergences(seen(sets[i], sets[j]), None, f, nodes_of(f))[0, 1], abs=1e-13
        )


def test_grids_agree_and_have_their_ends():
    f = CATALOGUE["kl"]
    x, y = two(40, 40, 0.6, dim=1, seed=8)
    orders = seen(x, y)
    fine = divergences(orders, None, f, nodes_of(f, 1001))[0, 1]
    assert divergences(orders, None, f, nodes_of(f))[0, 1] == pytest.approx(fine, abs=0.02)
    assert divergences(orders, None, f, nodes_of(f, 4001, spacing="uniform"))[
        0, 1
    ] == pytest.approx(fine, abs=0.02)
    for spacing in ("logit", "uniform"):
        nodes = nodes_of(f, 11, 0.01, spacing)
        assert (nodes.priors.min(), nodes.priors.max()) == pytest.approx((0.01, 0.99), abs=1e-12)
        assert nodes.priors + nodes.rest == pytest.approx(np.ones(11), abs=1e-15)
    assert nodes_of(CATALOGUE["triangular"]).priors.tolist() == [0.5]


def test_atoms_of_a_function_of_ones_own_are_taken():
    f = fdivergence(lambda t: abs(t - 0.25), "test")
    x, y = two(20, 25, 1.0)
    orders = seen(x, y)
    nodes = nodes_of(f)
    prior, mass = f.square_kinks[0]
    assert prior == pytest.approx(0.8, abs=1e-3)
    p = np.array([prior])
    info = (null_at(20, 25, p, 1 - p) - risk_at(orders, orders, 0, 1, p)) / 2
    assert divergences(orders, None, f, nodes)[0, 1] == pytest.approx(
        float(mass * info[0]), rel=1e-2
    )


def test_many_sizes_give_the_same_bits_for_any_number_of_workers():
    sets = [two(n, 1, seed=n)[0] for n in range(3, 80)]
    orders = seen(*sets)
    nodes = nodes_of(CATALOGUE["kl"])
    alone = weighted_errors(orders, nodes)
    with using(n_jobs=2):
        assert np.array_equal(weighted_errors(orders, nodes), alone)


def test_large_sets_keep_their_precision():
    rng = np.random.default_rng(0)
    n = 4000
    m = 2500
    own = np.zeros(n)
    other = np.zeros(m + 1)
    np.add.at(own, rng.geometric(0.01, size=1000).clip(max=n - 1), 3.0)
    own[0] = 1000.0
    other[0] = 3000.0
    np.add.at(other, rng.geometric(0.02, size=1000).clip(max=m), 1.0)
    for p in (1e-3, 0.1, 0.4, 0.9, 0.998):
        found = errors_at(own, other, np.array([p]), np.array([1 - p]))[0]
        if p < n / (n + m):
            expected = (
                sum(
                    own[r] * slow.chance(r, n - 1, min(n - m * p / (1 - p), n - 1))
                    for r in np.flatnonzero(own)
                )
                / n
            )
        else:
            s = m - n * (1 - p) / p
            expected = sum(other[r] * (1 - slow.chance(r, m, s)) for r in np.flatnonzero(other)) / n
        assert found == pytest.approx(expected, rel=1e-9)


def test_orders_of_no_overlap_are_capped_by_the_margin():
    n = 12
    own = np.zeros((2 * n, 2))
    other = np.zeros((2, 2 * n + 2))
    own[n - 1, 1] = own[2 * n - 1, 0] = n
    other[0, n + 1] = other[1, 0] = n
    orders = Orders(own, other, np.array([n, n]), np.array([n, n]), np.zeros((2, 2)))
    f = CATALOGUE["kl"]
    found = divergences(orders, None, f, nodes_of(f), corrected=False)[0, 1]
    assert found < np.log(999.0)
    assert found == pytest.approx(np.log(999.0), rel=0.35)

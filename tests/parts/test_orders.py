"""Neighbor orders against every order of tied points, one pair of sets at a time."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import orders as slow

import coterie.parts.orders as module
import coterie.parts.sweeps as sweeps
from coterie import Ragged
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.orders import nearest_logs, orders_of


def smooth(seed: int, sizes: list[int], d: int = 3) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(n, d)) + 0.7 * rng.normal(size=d) for n in sizes], ordered=False
    )


def lattice(seed: int, sizes: list[int]) -> Ragged:
    """Whole numbers: many ties and twins."""
    rng = np.random.default_rng(seed)
    return Ragged.of([rng.integers(0, 3, size=(n, 2)).astype(float) for n in sizes], ordered=False)


def same(found, rows: Ragged, cols: Ragged, square: bool) -> None:
    for i in range(len(rows)):
        for j in range(len(cols)):
            if square and i == j:
                assert not found.own_counts(i, j).any()
                assert not found.other_counts(i, j).any()
                continue
            own, other = slow.order_counts(rows[i], cols[j])
            assert np.allclose(found.own_counts(i, j), own, atol=1e-12)
            assert np.allclose(found.other_counts(i, j), other, atol=1e-12)
            twins = [any((x == y).all() for y in cols[j]) for x in rows[i]]
            assert found.twins[i, j] == pytest.approx(np.mean(twins))


@pytest.mark.parametrize("sizes", [[4, 1, 9, 2], [17, 70, 1]])
def test_orders_are_those_of_a_double_loop(sizes):
    rows = smooth(0, sizes)
    same(orders_of(rows), rows, rows, True)


@pytest.mark.parametrize("seed", range(4))
def test_ties_are_averaged_over_all_orders(seed):
    rows = lattice(seed, [4, 3, 1, 4])
    same(orders_of(rows), rows, rows, True)


def test_rows_among_other_sets():
    rows = lattice(7, [4, 2])
    cols = lattice(8, [1, 3, 4])
    same(orders_of(rows, cols), rows, cols, False)
    same(orders_of(cols, rows), cols, rows, False)


def test_long_sets_that_are_sorted_and_searched(monkeypatch):
    rows = smooth(1, [30, 20, 9])
    plain = orders_of(rows)
    monkeypatch.setattr(module, "_MANY", 0)
    monkeypatch.setattr(module, "_LONG", 0)
    searched = orders_of(rows)
    assert np.array_equal(plain.own, searched.own)
    assert np.array_equal(plain.other, searched.other)
    tied = lattice(2, [4, 3, 4])
    same(orders_of(tied), tied, tied, True)


def test_sets_that_are_cut_into_pieces(monkeypatch):
    rows = smooth(2, [40, 3, 25, 1, 60])
    whole = orders_of(rows)
    logs = nearest_logs(rows)
    monkeypatch.setattr(sweeps, "_CELLS", 1)
    pieces = orders_of(rows)
    again = nearest_logs(rows)
    assert np.array_equal(whole.own, pieces.own)
    assert np.array_equal(whole.other, pieces.other)
    assert np.allclose(logs.far[0], again.far[0], atol=1e-13)


def test_every_point_is_counted_once():
    rows = lattice(3, [4, 9, 1, 30])
    found = orders_of(rows)
    for i in range(4):
        for j in range(4):
            expected = 0 if i == j else len(rows[i])
            assert found.own_counts(i, j).sum() == pytest.approx(expected)
            assert found.other_counts(i, j).sum() == pytest.approx(expected)


def test_scaling_shift_and_rotation_change_nothing():
    rows = smooth(4, [12, 7, 20])
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    base = orders_of(rows)
    for factor in (1.0, 3e-170, 5e95):
        moved = orders_of(rows.with_values((rows.values @ turn) * factor + 4 * factor))
        assert np.array_equal(base.own, moved.own)
        assert np.array_equal(base.other, moved.other)


def test_ties_survive_a_distant_member():
    rows = lattice(5, [4, 3])
    away = Ragged.of([*rows, np.full((2, 2), 1e7)], ordered=False)
    near = orders_of(rows)
    far = orders_of(away)
    assert np.allclose(near.own_counts(0, 1), far.own_counts(0, 1), atol=1e-12)
    assert np.allclose(near.other_counts(1, 0), far.other_counts(1, 0), atol=1e-12)


@pytest.mark.parametrize("name", ["cityblock", "chebyshev"])
def test_other_metrics(name):
    rows = smooth(6, [9, 5, 8])
    power = {"cityblock": 1, "chebyshev": np.inf}[name]
    found = orders_of(rows, metric=name)
    own, other = slow.order_counts(
        rows[0], rows[2], lambda x, y: float(np.linalg.norm(x - y, power))
    )
    assert np.allclose(found.own_counts(0, 2), own)
    assert np.allclose(found.other_counts(0, 2), other)


@pytest.mark.parametrize("k", [1, 2, 7])
@pytest.mark.parametrize("make", [smooth, lattice])
def test_mean_logs_are_those_of_a_double_loop(k, make):
    rows = make(9, [8, 1, 12])
    cols = make(10, [9, 3])
    found = nearest_logs(rows, cols, k)
    for i in range(3):
        for j in range(2):
            far, near, skipped = slow.mean_logs(rows[i], cols[j], k)
            assert found.far[i, j] == pytest.approx(far, abs=1e-12, nan_ok=True)
            assert found.near[i, j] == pytest.approx(near, abs=1e-12, nan_ok=True)
            assert found.skipped[i, j] == pytest.approx(skipped)


def test_mean_logs_inside_the_own_set():
    rows = smooth(11, [20, 6])
    found = nearest_logs(rows)
    inside = [
        np.mean([np.log(np.sort(np.linalg.norm(one - x, axis=1))[1]) for x in one]) for one in rows
    ]
    assert np.allclose([found.near[0, 1], found.near[1, 0]], inside, atol=1e-12)
    assert not found.own_skipped.any()
    copies = Ragged.of([np.repeat(rows[0][:1], 8, axis=0), rows[1]], ordered=False)
    assert nearest_logs(copies).own_skipped.tolist() == [1.0, 0.0]
    assert not np.diag(found.far).any()
    assert not np.diag(found.skipped).any()


def test_mean_logs_of_cosine_and_small_values():
    from scipy.spatial.distance import cdist

    rows = smooth(12, [9, 7])
    found = nearest_logs(rows, metric="cosine").far[0, 1]
    assert found == pytest.approx(
        np.log(cdist(rows[0], rows[1], "cosine").min(axis=1)).mean(), abs=1e-10
    )
    small = nearest_logs(rows.with_values(rows.values * 1e-200)).far[0, 1]
    assert small == pytest.approx(nearest_logs(rows).far[0, 1] - 200 * np.log(10), abs=1e-9)


def test_workers_change_nothing(monkeypatch):
    monkeypatch.setattr(sweeps, "_CELLS", 2**9)
    rows = smooth(13, [30, 12, 18, 5])
    with using(n_jobs=1):
        one = orders_of(rows)
        logs = nearest_logs(rows)
    with using(n_jobs=2):
        two = orders_of(rows)
        again = nearest_logs(rows)
    assert one.own.tobytes() == two.own.tobytes()
    assert one.other.tobytes() == two.other.tobytes()
    assert logs.far.tobytes() == again.far.tobytes()


def test_bad_input_is_one_sentence():
    rows = smooth(14, [3, 4])
    gappy = rows.with_values(np.where(np.arange(7)[:, None] == 5, np.nan, rows.values))
    with pytest.raises(DataError, match="Mine: member 1 has a missing value"):
        orders_of(gappy, owner="Mine")
    with pytest.raises(DataError, match="member 1 has a missing value"):
        orders_of(rows, gappy)
    with pytest.raises(DataError, match="3 values per vector and others 2"):
        orders_of(rows, lattice(0, [3]))
    with pytest.raises(ParameterError, match="k must be from 1"):
        nearest_logs(rows, k=0)
    with (
        using(memory="1KB"),
        pytest.raises(DataError, match="neighbor orders of 2 sets among 2 takes"),
    ):
        orders_of(smooth(0, [90, 90]))

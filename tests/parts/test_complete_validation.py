"""Complete cross-validation in closed form against every training part there is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import orders as slow

import coterie.parts.sweeps as sweeps
from coterie import Ragged
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.complete_validation import METHODS, complete_errors, complete_risks, survival
from coterie.parts.orders import orders_of


def smooth(seed: int, sizes: list[int], d: int = 2) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(n, d)) + 0.5 * rng.normal(size=d) for n in sizes], ordered=False
    )


def lattice(seed: int, sizes: list[int]) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of([rng.integers(0, 3, size=(n, 2)).astype(float) for n in sizes], ordered=False)


def expected(own: np.ndarray, other: np.ndarray, train: float, method: str) -> float:
    n = len(own)
    m = len(other)
    if method == "leave-one-out":
        return slow.complete_error(own, other, n + m - 1)
    if method == "complete":
        return slow.complete_error(own, other, min(max(round(train * (n + m)), 1), n + m - 1))
    a, b = (n, m) if method == "stratified" else (min(n, m), min(n, m))
    return slow.stratified_error(
        own, other, min(max(round(train * a), 1), n - 1), max(round(train * b), 1)
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("train", [0.5, 0.2, 0.8])
@pytest.mark.parametrize("make", [smooth, lattice])
def test_errors_are_those_of_all_training_parts(method, train, make):
    rows = make(3, [4, 1, 6, 2, 5])
    found = complete_errors(rows, train=train, method=method).means
    for i in range(len(rows)):
        for j in range(len(rows)):
            wanted = 0.0 if i == j else expected(rows[i], rows[j], train, method)
            assert found[i, j] == pytest.approx(wanted, abs=1e-13)


def test_whole_twin_sets_and_large_tie_groups():
    one = np.array([[0.0], [1.0], [1.0], [2.0]])
    rows = Ragged.of([one, one, np.ones((5, 1)), np.ones((3, 1))], ordered=False)
    for method in METHODS:
        found = complete_errors(rows, method=method)
        for i in range(4):
            for j in range(4):
                if i != j:
                    assert found.means[i, j] == pytest.approx(
                        expected(rows[i], rows[j], 0.5, method), abs=1e-13
                    )
        assert found.twins[0, 1] == 1.0
        assert found.twins[0, 2] == 0.5
        assert found.twins[2, 0] == 1.0


@pytest.mark.parametrize("sizes", [[60, 40, 25], [3, 150, 90]])
def test_longer_sets_by_the_weights_of_ranks(sizes):
    rows = smooth(5, sizes, d=4)
    risks = complete_risks(rows).means
    for i in range(3):
        for j in range(i):
            n = sizes[i]
            m = sizes[j]
            size = round((n + m) / 2)
            there = slow.weighted_error(rows[i], rows[j], size)
            back = slow.weighted_error(rows[j], rows[i], size)
            assert risks[i, j] == pytest.approx((n * there + m * back) / (n + m), abs=1e-12)
            assert risks[i, j] == risks[j, i]
            assert complete_risks(rows, balanced=True).means[i, j] == pytest.approx(
                (there + back) / 2, abs=1e-12
            )
    assert np.array_equal(np.diag(risks), np.full(3, 0.5))


def test_rows_among_other_sets_are_the_square_cut_in_two():
    rows = smooth(6, [9, 14, 5, 11])
    for method in METHODS:
        whole = complete_risks(rows, method=method).means
        part = complete_risks(rows[:2], rows[2:], method=method).means
        assert np.allclose(part, whole[:2, 2:], atol=1e-13)


def test_leave_one_out_is_what_orders_count():
    rows = lattice(7, [9, 14, 5])
    counts = orders_of(rows)
    found = complete_errors(rows, method="leave-one-out").means
    for i in range(3):
        for j in range(3):
            assert found[i, j] == pytest.approx(
                counts.own_counts(i, j)[0] / len(rows[i]) if i != j else 0.0
            )


def test_one_law_gives_the_share_of_the_other_set():
    """Where both sets are of one law, the nearest training point is any of the others alike."""
    rng = np.random.default_rng(8)
    found = []
    for _ in range(300):
        rows = Ragged.of([rng.normal(size=(6, 2)), rng.normal(size=(10, 2))], ordered=False)
        found.append(complete_errors(rows).means[0, 1])
    assert np.mean(found) == pytest.approx(10 / 15, abs=4 * np.std(found) / np.sqrt(300))


def test_survival_is_a_ratio_of_binomials():
    from math import comb

    found = survival(np.array([9, 5, 0]), np.array([4, 5, 0]))
    for r in range(7):
        assert found[0, r] == pytest.approx(comb(9 - r, 4) / comb(9, 4) if r <= 5 else 0.0)
    assert found[1, :2].tolist() == [1.0, 0.0]
    assert found[2, 0] == 1.0


def test_pieces_and_workers_change_nothing(monkeypatch):
    rows = smooth(9, [33, 4, 20, 12])
    whole = complete_errors(rows).means
    monkeypatch.setattr(sweeps, "_CELLS", 2**9)
    with using(n_jobs=1):
        one = complete_errors(rows).means
    with using(n_jobs=2):
        two = complete_errors(rows).means
    assert one.tobytes() == two.tobytes()
    assert np.allclose(one, whole, atol=1e-14)


def test_scaling_and_rotation_change_nothing():
    rows = smooth(10, [12, 9, 15], d=3)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    moved = rows.with_values(7.3 * rows.values @ turn - 11.0)
    assert np.allclose(complete_risks(rows).means, complete_risks(moved).means, atol=1e-13)
    uneven = rows.with_values(rows.values * np.array([1.0, 30.0, 0.1]))
    assert not np.allclose(complete_risks(rows).means, complete_risks(uneven).means, atol=1e-3)


def test_bad_input_is_one_sentence():
    rows = smooth(11, [3, 4])
    for train in (0.0, 1.0, -1.0):
        with pytest.raises(ParameterError, match="train must be above 0 and below 1"):
            complete_risks(rows, train=train)
    with pytest.raises(ParameterError, match=r"method must be complete \| stratified"):
        complete_risks(rows, method="half")
    with (
        using(memory="1KB"),
        pytest.raises(DataError, match="The errors of 30 sets among 30 takes"),
    ):
        complete_errors(smooth(0, [2] * 30))

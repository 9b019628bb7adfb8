"""When enough classifiers have voted: curves on codes with and without signal, and the rules that stop a run."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr
from tests.oracles.sic_laws import planted

from coterie.compare.sic.codes import Codes
from coterie.compare.sic.convergence import (
    Entropy,
    Reliability,
    StopRule,
    Tally,
    curve,
    entropy,
    pearson,
    stepped_up,
    stop_rule,
)
from coterie.core.errors import DataError, ParameterError


def shuffled(n: int, n_iterations: int, seed: int, tested: float = 1.0) -> Codes:
    """Codes without any signal: the labels of each iteration among the members at random."""
    rows, _ = planted(n, 5, n_iterations, seed, tested)
    random = np.random.default_rng(seed)
    return Codes(np.array([random.permutation(row) for row in rows]))


def test_entropy_by_hand():
    assert entropy([0.0, 1.0]) == 0
    assert entropy([0.5]) == pytest.approx(np.log(2))
    assert entropy([0.25, np.nan, 0.0]) == pytest.approx(
        -(0.25 * np.log(0.25) + 0.75 * np.log(0.75)) / 2
    )
    assert np.isnan(entropy([np.nan]))
    with pytest.raises(DataError, match=r"1\.5"):
        entropy([0.2, 1.5])


def test_curve_is_what_counting_from_the_start_gives():
    rows, _ = planted(40, 4, 33, 1, 0.7)
    codes = Codes(rows)
    found = curve(codes, every=10)
    assert found.iterations.tolist() == [10, 20, 30, 33]
    assert found.n_pairs == 780
    first, second = np.triu_indices(40, 1)
    same, both = codes.pairs(first, second)

    def share(chosen):
        with np.errstate(invalid="ignore"):
            return same[:, chosen].sum(axis=1) / both[:, chosen].sum(axis=1)

    last = share(np.arange(33))
    for at, n in enumerate(found.iterations):
        now = share(np.arange(n))
        odd = share(np.arange(0, n, 2))
        even = share(np.arange(1, n, 2))
        known = ~np.isnan(now)
        assert found.entropy[at] == pytest.approx(entropy(now))
        assert found.pearson[at] == pytest.approx(np.corrcoef(now[known], last[known])[0, 1])
        assert found.spearman[at] == pytest.approx(
            spearmanr(now[known], last[known]).statistic, abs=1e-12
        )
        halves = ~(np.isnan(odd) | np.isnan(even))
        r = np.corrcoef(odd[halves], even[halves])[0, 1]
        assert found.reliability[at] == pytest.approx(2 * r / (1 + r))
    assert found.pearson[-1] == pytest.approx(1)
    assert found.spearman[-1] == pytest.approx(1)
    assert f"{found.reliability[-1]:.3f}" in found.sentence


def test_ranks_counted_by_value_are_average_ranks():
    rows, _ = planted(50, 4, 25, 2, 0.3)
    first, second = np.triu_indices(50, 1)
    tally = Tally(first, second)
    for row in rows[:12]:
        tally.add(row)
    shares = tally.shares()
    assert np.isnan(shares).any()
    assert np.array_equal(tally.ranks(), rankdata(shares, nan_policy="omit"), equal_nan=True)
    assert len(np.unique(shares[~np.isnan(shares)])) > 6
    soft = Tally(first, second)
    soft.add_similarities(np.linspace(0, 1, first.size), np.ones(first.size, bool))
    assert np.array_equal(soft.ranks(), np.arange(1, first.size + 1))


def test_c22_correlation_with_the_end_is_flattered_and_split_halves_are_not():
    found = curve(shuffled(500, 400, 3), every=50)
    at = {int(n): j for j, n in enumerate(found.iterations)}
    for n in (50, 100, 200):
        assert found.pearson[at[n]] == pytest.approx(np.sqrt(n / 400), abs=0.02)
        assert found.spearman[at[n]] == pytest.approx(np.sqrt(n / 400), abs=0.03)
    assert found.n_pairs >= 10**5
    assert np.abs(found.reliability[1:]).max() < 0.02


def test_h8_split_half_reliability_rises_with_signal():
    rows, _ = planted(200, 5, 120, 4, 0.75)
    found = curve(Codes(rows), every=20)
    assert (np.diff(found.reliability) > 0).all()
    assert found.reliability[-1] > 0.75
    assert found.pearson[1] > np.sqrt(40 / 120) + 0.1
    assert (np.diff(found.entropy) > 0).all()


def test_curve_on_drawn_pairs_control_iterations_and_nothing():
    rows, _ = planted(120, 4, 40, 5)
    whole = curve(Codes(rows))
    part = curve(Codes(rows), pairs=2000, random_state=1)
    assert part.n_pairs == 2000
    assert part.reliability[-1] == pytest.approx(whole.reliability[-1], abs=0.05)
    control = np.arange(40) < 20
    some = curve(Codes(rows, control=control))
    assert some.iterations[-1] == 20
    assert some.entropy[-1] == pytest.approx(curve(Codes(rows[:20])).entropy[-1])
    still = curve(Codes(np.zeros((10, 6), int)))
    assert (still.entropy == 0).all()
    assert np.isnan(still.reliability).all()
    assert "nothing varies" in still.sentence
    missing = curve(Codes(np.where(np.arange(6) < 3, 0, -1) * np.ones((4, 1), int)))
    assert missing.missing == 12
    with pytest.raises(DataError, match="1 members"):
        curve(Codes(np.zeros((5, 1), int)))
    with pytest.raises(DataError, match="control"):
        curve(Codes(rows, control=np.zeros(40, bool)))
    with pytest.raises(ParameterError, match="every and pairs"):
        curve(Codes(rows), every=0)


def run(rule: StopRule, rows: np.ndarray) -> tuple[int, list[tuple[int, float]]]:
    watcher = rule.watch(rows.shape[1], 0)
    for n, row in enumerate(rows, start=1):
        if watcher.add(row):
            return n, watcher.history
    return 0, watcher.history


def test_entropy_rule_stops_after_three_small_moves_in_a_row():
    rows, _ = planted(150, 5, 400, 6)
    stopped, history = run(Entropy(threshold=5e-4), rows)
    values = np.array([value for _, value in history])
    small = np.abs(np.diff(values)) < 5e-4
    assert [n for n, _ in history] == list(range(5, stopped + 1, 5))
    assert small[-3:].all()
    assert not any(
        small[j - 2 : j + 1].all() for j in range(5, len(small) - 1)
    )  # from iteration 30 on, not before
    assert run(Entropy(threshold=5e-4, consecutive=1), rows)[0] < stopped
    expected = curve(Codes(rows[:stopped])).entropy
    assert values == pytest.approx(expected)


def test_entropy_step_is_mostly_bookkeeping():
    """The step near n is about 2.5 f / n^2 whatever the data, so that the threshold sets the length of the run."""
    rows, _ = planted(150, 5, 400, 7)
    early = run(Entropy(threshold=1e-3, consecutive=3), rows)[0]
    late = run(Entropy(threshold=1e-4, consecutive=3), rows)[0]
    assert 30 <= early < 120
    assert late == 0 or late > 1.5 * early


def test_least_iterations_are_made_in_any_case():
    still = np.zeros((60, 5), int)
    assert run(Entropy(), still)[0] == 30
    assert run(Entropy(least=7, every=2, consecutive=2), still)[0] == 8
    assert run(Entropy(least=1, every=1), still)[0] == 4
    twins = np.tile(np.repeat([0, 1], 3), (60, 1))
    assert run(Reliability(), twins)[0] == 30


def test_reliability_rule():
    rows, _ = planted(150, 5, 300, 8)
    stopped, history = run(Reliability(level=0.9), rows)
    assert 30 <= stopped < 300
    assert history[-1][1] >= 0.9
    assert all(value < 0.9 for n, value in history[:-1] if n >= 30)
    assert history[-1][1] == pytest.approx(curve(Codes(rows[:stopped])).reliability[-1])
    assert run(Reliability(level=0.9), shuffled(150, 100, 9).labels)[0] == 0


def test_failed_rows_are_passed_over_and_profiles_are_taken():
    rows, _ = planted(30, 3, 60, 10, 0.8)
    with_gaps = np.insert(rows, [3, 20, 20], -1, axis=0)
    assert run(Entropy(threshold=1e-3), with_gaps)[1] == run(Entropy(threshold=1e-3), rows)[1]
    hard = Entropy().watch(30, 1)
    soft = Entropy().watch(30, 1)
    for row in rows:
        same, both = (part[:, 0] for part in Codes(row[None]).pairs(soft.first, soft.second))
        assert hard.add(row) == soft.add_similarities(same.astype(float), both)
    assert hard.history == soft.history


def test_rules_look_at_a_fixed_draw_of_pairs():
    a = Entropy(pairs=500).watch(100, 3)
    b = Entropy(pairs=500).watch(100, 3)
    assert np.array_equal(a.first, b.first)
    assert a.first.size == 500
    assert Entropy().watch(100, 3).first.size == 4950


def test_what_counts_as_a_rule():
    assert stop_rule(None) is None
    assert stop_rule(0.01).threshold == 0.01
    rule = Reliability(level=0.8)
    assert stop_rule(rule) is rule
    for wrong in ("entropy", True, [1e-4], object()):
        with pytest.raises(ParameterError, match="stop must be None"):
            stop_rule(wrong)
    with pytest.raises(ParameterError, match="threshold must be above 0"):
        stop_rule(-1.0)
    with pytest.raises(ParameterError, match="every must be at least 1"):
        stop_rule(Reliability(every=0))
    assert repr(rule) == "Reliability(level=0.8)"


def test_correlations_without_spread_are_not_defined():
    assert np.isnan(pearson(np.ones(4), np.arange(4.0)))
    assert np.isnan(stepped_up(-1.0))
    assert stepped_up(1.0) == 1.0
    assert pearson(np.array([1.0, 2, np.nan, 3]), np.array([2.0, 4, 9, 6])) == pytest.approx(1)

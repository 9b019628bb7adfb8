"""The mixture of similar and dissimilar pairs: against plain EM, on simulated pairs, and on codes with known classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from tests.oracles import sic_laws as slow

from coterie import using
from coterie.compare.sic import laws
from coterie.compare.sic import mixture as module
from coterie.compare.sic import pairs as packing
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.mixture import Mixture, fit_mixture, fit_pairs, tail_p_values, threshold
from coterie.compare.sic.pairs import Words, drawn_pairs
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import Silent

FIGURE5 = Mixture(
    0.798, 0.202, np.full(60, 0.0263), np.full(60, 0.148), 0.0, (), True, True, 1, np.ones(60, bool)
)


class Listening(Silent):
    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, sentence: str) -> None:
        self.said.append(sentence)


def simulated(
    n_pairs: int, n: int, seed: int, tested: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    similar = random.random(n_pairs) < 0.202
    both = random.random((n_pairs, n)) < tested
    return (
        (random.random((n_pairs, n)) < np.where(similar, 0.148, 0.0263)[:, None]) & both,
        both,
        similar,
    )


def with_classes(n_iterations: int = 30, seed: int = 1, tested: float = 1.0):
    rows, truth = slow.planted(300, 6, n_iterations, seed, tested)
    codes = Codes(rows)
    same, both = codes.pairs(*np.triu_indices(300, 1))
    similar = truth[np.triu_indices(300, 1)[0]] == truth[np.triu_indices(300, 1)[1]]
    p0, p1 = ((same[kind].sum(axis=0) / both[kind].sum(axis=0)) for kind in (~similar, similar))
    return codes, same, both, similar, p0, p1


def test_packed_pairs_sum_like_full_matrices():
    random = np.random.default_rng(0)
    both = random.random((500, 17)) < 0.6
    both[3] = False
    same = (random.random((500, 17)) < 0.4) & both
    words = Words([(same[:200], both[:200]), (same[200:], both[200:])])
    keep = both.any(axis=1)
    same = same[keep]
    both = both[keep]
    weights = random.normal(size=17)
    offsets = random.normal(size=17)
    shares = random.random(len(same))
    assert words.n_pairs == len(same) == 499
    assert np.allclose(
        words.over_iterations(weights, offsets), same @ weights + both @ offsets, atol=1e-13
    )
    found = words.over_pairs(shares)
    assert np.allclose(found[0], shares @ same, atol=1e-11)
    assert np.allclose(found[1], shares @ both, atol=1e-11)
    assert np.allclose(words.shares, same.sum(axis=1) / both.sum(axis=1))


def test_draws_of_pairs_are_even_and_without_repeats():
    first, second = drawn_pairs(40, 10**6)
    assert first.size == 780
    first, second = drawn_pairs(40, 500, 3)
    assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == 500
    assert (first < second).all()
    assert first.min() >= 0
    assert second.max() < 40
    counts = np.zeros((40, 40))
    for seed in range(300):
        counts[drawn_pairs(40, 100, seed)] += 1
    assert (
        abs(counts[np.triu_indices(40, 1)].std() / np.sqrt(300 * 100 / 780 * (1 - 100 / 780)) - 1)
        < 0.15
    )
    first, second = drawn_pairs(3_000_000, 1000, 1)
    assert (first < second).all()
    assert second.max() < 3_000_000


def test_log_odds_are_the_direct_product():
    random = np.random.default_rng(2)
    p0 = random.uniform(0.01, 0.2, 20)
    p1 = random.uniform(0.1, 0.6, 20)
    both = random.random((200, 20)) < 0.7
    same = (random.random((200, 20)) < 0.3) & both
    found = Mixture(0.8, 0.2, p0, p1, 0.0, (), True, True, 200, np.ones(20, bool))
    assert (
        np.abs(found.posterior(same, both) - slow.by_products(same, both, 0.2, p0, p1)).max()
        < 1e-14
    )
    assert np.isnan(found.log_odds(same[:1], np.zeros((1, 20), bool))).all()


def test_thousands_of_iterations_do_not_underflow():
    n = 2000
    long = Mixture(
        0.8, 0.2, np.full(n, 0.25), np.full(n, 0.3), 0.0, (), True, True, 1, np.ones(n, bool)
    )
    same = np.random.default_rng(3).random((50, n)) < 0.275
    odds = long.log_odds(same, np.ones_like(same))
    assert np.isfinite(odds).all()
    assert np.corrcoef(odds, same.sum(axis=1))[0, 1] > 1 - 1e-12


def test_fit_is_the_best_of_three_plain_ems():
    same, both, _ = simulated(2500, 20, 4, 0.75)
    keep = both.any(axis=1)
    plain = [slow.em(same[keep], both[keep], quantile, 200) for quantile in (0.7, 0.85, 0.95)]
    best = max(plain, key=lambda found: slow.log_likelihood(same, both, *found))
    fitted = fit_pairs(same, both)
    assert fitted.pi1 == pytest.approx(best[0], abs=2e-3)
    assert np.abs(fitted.p0 - best[1]).max() < 1e-3
    assert np.abs(fitted.p1 - best[2]).max() < 5e-3
    assert fitted.log_likelihood == pytest.approx(
        slow.log_likelihood(same, both, fitted.pi1, fitted.p0, fitted.p1), rel=1e-11
    )


def test_homogeneous_pairs_are_recovered():
    same, _, similar = simulated(100_000, 60, 5)
    fitted = fit_pairs(same)
    truth = 1 - similar.mean(), same[~similar].mean(), same[similar].mean()
    assert (fitted.pi0, *fitted.means()) == pytest.approx((0.796, 0.0270, 0.1468), abs=3e-3)
    assert (fitted.pi0, *fitted.means()) == pytest.approx(truth, abs=1.5e-3)
    assert fitted.converged
    assert fitted.separable


def test_uneven_pairs_leave_only_the_easiest_in_the_similar_kind():
    random = np.random.default_rng(6)
    similar = random.random(50_000) < 0.202
    chance = np.where(
        similar,
        random.beta(0.8, 0.8 * (1 / 0.148 - 1), 50_000),
        random.beta(0.5, 0.5 * (1 / 0.0263 - 1), 50_000),
    )
    fitted = fit_pairs(random.random((50_000, 60)) < chance[:, None])
    assert fitted.pi0 > 0.798 + 0.02
    assert fitted.means()[1] > 0.148 + 0.05
    assert fitted.means()[0] < 0.0263


def test_c11_mask_is_mandatory():
    same, both, _ = simulated(40_000, 60, 7, 0.56)
    masked = fit_pairs(same, both)
    bare = fit_pairs(same)
    assert masked.means()[1] == pytest.approx(0.147, abs=4e-3)
    assert bare.means()[1] == pytest.approx(0.082, abs=4e-3)
    assert bare.means()[0] == pytest.approx(0.0263 * 0.56, abs=2e-3)


def test_likelihood_never_falls():
    for seed in range(3):
        same, both, _ = simulated(1500, 12, seed, 0.6)
        history = np.array(fit_pairs(same, both).history)
        assert np.diff(history).min() >= -1e-12 * abs(history[-1])
        assert history[-1] > history[0]


def test_marginal_invariant_on_fully_tested_pairs():
    same, both, _ = simulated(20_000, 30, 8)
    fitted = fit_pairs(same, both)
    assert np.abs(fitted.pi1 * fitted.p1 + fitted.pi0 * fitted.p0 - same.mean(axis=0)).max() < 1e-13


def test_ties_at_the_start_do_not_trap_it_in_the_saddle():
    random = np.random.default_rng(9)
    similar = random.random(5000) < 0.025
    same = random.random((5000, 12)) < np.where(similar, 0.4, 0.0005)[:, None]
    both = np.ones_like(same)
    assert np.quantile(same.mean(axis=1), 0.95) == 0
    trapped = [slow.em(same, both, 0.85, rounds, strict=False) for rounds in (2, 10)]
    assert np.abs(trapped[1][2] - trapped[1][1]).max() < 1e-7
    before, after = (slow.log_likelihood(same, both, *found) for found in trapped)
    assert abs(after - before) < 1e-9 * abs(after)  # the loop would end here
    assert slow.em(same, both, 0.85, 10)[2].mean() > 0.3
    fitted = fit_pairs(same, both)
    assert fitted.separable
    assert fitted.means() == pytest.approx((same[~similar].mean(), same[similar].mean()), abs=0.02)
    assert fitted.pi1 == pytest.approx(similar.mean(), abs=3e-3)


def test_h5_em_is_nearer_to_the_truth_and_separates_better_than_shares():
    codes, same, both, similar, p0, _ = with_classes()
    fitted = fit_mixture(codes)
    rates = codes.rates()
    assert np.abs(fitted.p0 - p0).mean() < 0.1 * np.abs(rates - p0).mean()
    assert fitted.pi0 == pytest.approx(1 - similar.mean(), abs=0.01)
    assert np.abs(fitted.pi1 * fitted.p1 + fitted.pi0 * fitted.p0 - rates).max() < 1e-13

    def gap(values):
        a = values[similar]
        b = values[~similar]
        return (a.mean() - b.mean()) / np.sqrt((a.var() + b.var()) / 2)

    assert gap(fitted.posterior(same, both)) > gap(same.sum(axis=1) / both.sum(axis=1)) + 0.2


@pytest.mark.parametrize(("n", "tested"), [(30, 1.0), (60, 0.75)])
def test_h6_independence_is_too_high_and_dissimilar_pairs_peak_below_zero(n, tested):
    codes, same, both, similar, p0, _ = with_classes(n, 2, tested)
    rates = codes.rates()
    assert (rates >= p0).all()
    score = (both * (same - rates) / np.sqrt(rates * (1 - rates))).sum(axis=1) / both.sum(axis=1)
    assert score[~similar].mean() == pytest.approx(laws.off_center(p0, rates)[0], abs=0.005)
    assert score[~similar].mean() < -0.08
    fitted = fit_mixture(codes).p0
    centered = (both * (same - fitted) / np.sqrt(fitted * (1 - fitted))).sum(axis=1) / both.sum(
        axis=1
    )
    assert abs(centered[~similar].mean()) < 0.02


def test_equal_chances_order_pairs_like_shares():
    same, both, _ = simulated(2000, 60, 10)
    odds = FIGURE5.log_odds(same, both)
    assert np.array_equal(
        np.argsort(odds, kind="stable"), np.argsort(same.sum(axis=1), kind="stable")
    )
    assert np.allclose(expit(odds), FIGURE5.posterior(same, both))


def test_drawn_pairs_say_the_same_as_all_and_blocks_do_not_matter(monkeypatch):
    codes = with_classes(20)[0]
    whole = fit_mixture(codes)
    part = fit_mixture(codes, max_pairs=15_000, random_state=1)
    assert (whole.n_pairs, part.n_pairs) == (44_850, 15_000)
    assert part.means() == pytest.approx(whole.means(), abs=6e-3)
    monkeypatch.setattr(packing, "BLOCK", 1000)
    again = fit_mixture(codes)
    assert np.array_equal(again.p1, whole.p1)
    assert again.log_likelihood == whole.log_likelihood


def test_only_control_iterations_are_used():
    rows, _ = slow.planted(60, 4, 24, 11)
    control = np.arange(24) % 2 == 0
    lies = rows.copy()
    lies[~control] = 0
    alone = fit_mixture(Codes(rows[control]))
    beside = fit_mixture(Codes(lies, control=control))
    assert np.array_equal(beside.p1[control], alone.p1)
    assert np.array_equal(beside.informative, control)
    assert (beside.weights[~control] == 0).all()
    assert (beside.offsets[~control] == 0).all()
    same, both = Codes(lies).pairs(np.array([0]), np.array([1]))
    assert beside.log_odds(same, both) == pytest.approx(
        alone.log_odds(same[:, control], both[:, control])
    )


def test_uninformative_and_failed_iterations_weigh_nothing():
    rows, _ = slow.planted(60, 4, 15, 12)
    more = np.vstack([rows, np.zeros((1, 60), int), np.arange(60)[None], np.full((1, 60), -1)])
    plain = fit_mixture(Codes(rows))
    fitted = fit_mixture(Codes(more))
    assert not fitted.informative[15:].any()
    assert (fitted.weights[15:] == 0).all()
    assert fitted.p0[:15] == pytest.approx(plain.p0, abs=1e-3)
    assert np.isfinite(fitted.p0).all()
    first = np.array([0, 3])
    second = np.array([59, 4])
    assert tail_p_values(Codes(more), first, second, fitted) == pytest.approx(
        tail_p_values(Codes(rows), first, second, plain), rel=0.1
    )


def test_one_kind_of_pairs_is_called_so():
    same = np.tile(
        np.eye(12, dtype=bool), (40, 1)
    )  # every pair has one common code: nothing tells pairs apart
    watch = Listening()
    with using(watch=watch):
        fitted = fit_pairs(same)
    assert not fitted.separable
    assert any("one kind" in sentence for sentence in watch.said)


def test_too_little_is_refused_or_noted():
    rows = slow.planted(20, 3, 9, 13)[0]
    with pytest.raises(DataError, match="at least 4 members, and there are 3"):
        fit_mixture(Codes(rows[:, :3]))
    with pytest.raises(DataError, match="at least 3 iterations, and there are 2"):
        fit_mixture(Codes(rows[:2]))
    with pytest.raises(DataError, match="ever tested together"):
        fit_mixture(Codes(np.where(np.arange(20) == np.arange(9)[:, None], 0, -1)))
    with pytest.raises(DataError, match="hard codes"):
        fit_mixture(object())
    with pytest.raises(ParameterError, match="max_pairs"):
        fit_mixture(Codes(rows), max_pairs=0)
    with pytest.raises(DataError, match="9 iterations"):
        fit_mixture(Codes(rows)).log_odds(np.ones((2, 4), bool), np.ones((2, 4), bool))
    watch = Listening()
    with using(watch=watch):
        fit_mixture(Codes(rows))
        fitted = fit_mixture(Codes(np.zeros((12, 8), int)))
    assert "9 iterations only" in watch.said[0]
    assert "Only 0 of 12 iterations" in watch.said[-1]
    assert not fitted.separable
    with pytest.raises(DataError, match="no law"):
        fitted.densities()


def test_densities_are_the_law_of_the_shares():
    found = FIGURE5.densities()
    assert found.x[[0, 1, -1]] == pytest.approx([0, 1 / 60, 1])
    assert found.similar.sum() == pytest.approx(0.202)
    assert found.dissimilar.sum() == pytest.approx(0.798)
    same, _, _ = simulated(100_000, 60, 14)
    seen = np.bincount(same.sum(axis=1), minlength=61) / 100_000
    assert np.abs(seen - found.similar - found.dissimilar).max() < 5e-3
    assert FIGURE5.densities(20).x.size == 21
    with pytest.raises(ParameterError, match="from 1 to 60"):
        FIGURE5.densities(61)


def test_p_values_are_exact_and_the_switch_is_near():
    codes, _, _, similar, _, _ = with_classes(40, 3, 0.75)
    fitted = fit_mixture(codes)
    first, second = np.triu_indices(300, 1)
    exact = tail_p_values(codes, first, second, fitted)
    same, both = codes.pairs(first[:50], second[:50])
    assert exact[:50] == pytest.approx(
        [laws.tail(fitted.p0[m], o.sum()) for o, m in zip(same, both, strict=True)], rel=1e-12
    )
    mixed = tail_p_values(codes, first, second, fitted, most_exact=9000)
    small = np.argsort(mixed)[:6000]
    assert (mixed[small] == exact[small]).all()
    assert np.abs(mixed - exact).max() < 0.06
    assert (mixed != exact).any()
    passed = laws.benjamini_hochberg(exact, 0.05)
    assert (~similar)[passed].mean() < 0.06
    assert passed[similar].mean() > 0.3
    assert np.isnan(
        tail_p_values(Codes(np.full((3, 5), -1)), np.array([0]), np.array([1]), fitted_of(3))
    )


def fitted_of(n: int) -> Mixture:
    return Mixture(
        0.8, 0.2, np.full(n, 0.1), np.full(n, 0.5), 0.0, (), True, True, 1, np.ones(n, bool)
    )


@pytest.mark.parametrize("tests", [60, 35])
def test_threshold_holds_its_risk_and_says_what_it_means(tests):
    found = threshold(FIGURE5, 0.05, n_tests=tests)
    random = np.random.default_rng(15)
    apart, alike = (random.binomial(tests, p, 200_000) / tests for p in (0.0263, 0.148))
    assert found.risk <= 0.05
    assert (apart >= found.value - 1e-12).mean() == pytest.approx(found.risk, abs=2e-3)
    assert (apart >= found.value - 1e-12 - 1 / tests).mean() > 0.05
    assert (alike >= found.value - 1e-12).mean() == pytest.approx(found.recall, abs=4e-3)
    assert found.precision == pytest.approx(laws.precision_of(found.risk, found.recall, 0.202))
    assert f"{tests} common tests" in found.sentence


def test_threshold_of_the_weighted_score_and_counts():
    found = threshold(FIGURE5, 0.05, score="weighted", p_values=np.array([1e-6, 0.5, np.nan]))
    assert found.value == pytest.approx(1.645 / np.sqrt(60), abs=1e-3)
    assert found.recall == pytest.approx(0.97, abs=0.02)
    assert (found.passing, found.n_pairs) == (1, 2)
    assert "1 of 2 pairs pass Benjamini-Hochberg" in found.sentence
    none = threshold(fitted_of(2), 0.001)
    assert (none.value, none.recall) == (np.inf, 0.0)
    assert "make more iterations" in none.sentence
    with pytest.raises(ParameterError, match=r"share \| weighted"):
        threshold(FIGURE5, score="em")
    with pytest.raises(ParameterError, match="risk must be"):
        threshold(FIGURE5, 1.0)


def test_planned_iterations_reach_the_recall():
    n = laws.iterations_needed(0.05, 0.95, 0.0263, 0.148)
    assert threshold(FIGURE5, 0.05, n_tests=n, score="weighted").recall >= 0.95
    assert threshold(FIGURE5, 0.05, n_tests=n - 3, score="weighted").recall < 0.95


def test_module_keeps_to_the_given_generator():
    codes = with_classes(12)[0]
    a, b, c = (fit_mixture(codes, max_pairs=5000, random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(a.p0, b.p0)
    assert not np.array_equal(a.p0, c.p0)
    with using(n_jobs=2):
        assert np.array_equal(module.fit_mixture(codes, max_pairs=5000, random_state=1).p0, a.p0)

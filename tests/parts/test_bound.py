"""The bound of two moments: below the truth, equal to its slow twins, and right where covariances cannot be known."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import bound as slow

import coterie.parts.risks.bound as module
from coterie import Ragged
from coterie.compare import Bound, FDivergence
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.fdivergences import CATALOGUE, fdivergence
from coterie.parts.risks.bound import Moments, Seen, _roots


def moments(means: np.ndarray, spreads: np.ndarray) -> Moments:
    sizes = np.full(len(means), 100)
    return Moments(means, spreads, _roots(spreads, sizes, "Test"), sizes)


def drawn(rng: np.random.Generator, n: int, d: int, spread: float = 1.0) -> Moments:
    half = rng.normal(size=(n, d, d))
    covariances = half @ np.swapaxes(half, 1, 2) / d + 0.05 * np.eye(d) * rng.random((n, 1, 1))
    return moments(spread * rng.normal(size=(n, d)), covariances)


def sets(seed: int, n: int = 9, d: int = 3, low: int = 2, high: int = 20) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(int(rng.integers(low, high)), d)) + rng.normal(size=d) for _ in range(n)],
        ordered=False,
    )


@pytest.mark.parametrize(
    "f", ["kl", "reverse-kl", "jeffreys", "hellinger", "js", "triangular", "variational"]
)
@pytest.mark.parametrize(("d", "spread"), [(1, 0.1), (2, 1.0), (5, 1.0), (4, 30.0)])
def test_it_is_the_adaptive_integral(f, d, spread):
    law = drawn(np.random.default_rng(d), 4, d, spread)
    which = CATALOGUE[f]
    found = Bound().divergences(Seen(law, None), which)
    assert (np.diagonal(found) == 0).all()
    for i, j in ((0, 1), (1, 0), (2, 3)):
        expected = slow.bound(
            which.square,
            which.square_atom,
            law.means[i] - law.means[j],
            law.spreads[i],
            law.spreads[j],
        )
        assert found[i, j] == pytest.approx(expected, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("f", ["kl", "reverse-kl", "jeffreys"])
def test_it_is_exact_where_two_means_meet(f):
    """R8: of Gaussian laws with one covariance, bound over truth goes to 1 as the means come together."""
    ratios = []
    for apart in (1.0, 0.1, 0.01):
        law = moments(np.array([[0.0, 0.0], [apart, 0.0]]), np.stack([np.eye(2)] * 2))
        truth = apart**2 / 2 * (2 if f == "jeffreys" else 1)
        ratios.append(float(Bound().divergences(Seen(law, None), CATALOGUE[f])[0, 1]) / truth)
    assert ratios[0] < ratios[1] < ratios[2] <= 1
    assert ratios[2] == pytest.approx(1, abs=1e-3)


def test_it_never_exceeds_the_divergence_of_gaussian_laws():
    rng = np.random.default_rng(0)
    met = 0
    for d in (1, 2, 3, 6, 12):
        first = drawn(rng, 20, d, 0.3 + d / 4)
        second = drawn(rng, 20, d, 1.0)
        seen = Seen(first, second)
        kl, jeffreys = (Bound().divergences(seen, CATALOGUE[name]) for name in ("kl", "jeffreys"))
        for i in range(20):
            for j in range(20):
                gap = first.means[i] - second.means[j]
                forth = slow.gaussian_kl(gap, first.spreads[i], second.spreads[j])
                back = slow.gaussian_kl(gap, second.spreads[j], first.spreads[i])
                assert 0 < kl[i, j] <= forth * (1 + 1e-12)
                assert 0 < jeffreys[i, j] <= (forth + back) * (1 + 1e-12)
                met += 1
    assert met == 2000


@pytest.mark.parametrize("far", [1e-6, 1e-2, 1.0, 100.0, 1e4, 1e8])
def test_equal_covariances_have_a_closed_form(far):
    rng = np.random.default_rng(1)
    half = rng.normal(size=(3, 3))
    spread = half @ half.T + np.eye(3)
    gap = rng.normal(size=3)
    gap *= np.sqrt(far / slow.distance(0.5, gap, spread, spread))
    seen = Seen(moments(np.stack([gap, np.zeros(3)]), np.stack([spread, spread])), None)
    jeffreys = Bound().divergences(seen, CATALOGUE["jeffreys"])[0, 1]
    assert jeffreys == pytest.approx(slow.equal_spreads(far), rel=1e-9 if far < 1e6 else 1e-7)
    assert Bound().divergences(seen, CATALOGUE["kl"])[0, 1] == pytest.approx(
        jeffreys / 2, rel=1e-9 if far < 1e6 else 1e-7
    )
    if far == 1.0:
        assert jeffreys == pytest.approx(0.861, abs=5e-4)
    if far == 100.0:
        assert jeffreys == pytest.approx(9.07, abs=5e-3)
    if far < 1e-5:
        assert jeffreys == pytest.approx(far, rel=1e-5)  # the truth: tight for sets that lie near


def test_kinks_of_a_function_of_ones_own_count_at_their_priors():
    law = drawn(np.random.default_rng(12), 2, 3)
    kinked = FDivergence(
        "own",
        np.abs,
        np.zeros_like,
        square=np.zeros_like,
        exact=True,
        square_kinks=((0.2, 3.0), (0.7, 1.5)),
    )
    found = Bound().divergences(Seen(law, None), kinked)[0, 1]
    gap = law.means[0] - law.means[1]
    learned = {
        p: p * (1 - p) - slow.affine_risk(p, gap, law.spreads[0], law.spreads[1])
        for p in (0.2, 0.7)
    }
    assert found == pytest.approx(3.0 * learned[0.2] + 1.5 * learned[0.7], rel=1e-12)


def test_equal_means_are_at_zero_whatever_the_covariances():
    law = drawn(np.random.default_rng(2), 5, 4)
    same = moments(np.repeat(law.means[:1], 5, axis=0), law.spreads)
    assert (Bound().divergences(Seen(same, None), CATALOGUE["jeffreys"]) == 0).all()


def test_the_curve_is_twice_the_risk_of_the_best_affine_function():
    law = drawn(np.random.default_rng(3), 3, 4)
    priors = np.array([0.001, 0.2, 0.5, 0.9])
    found = Bound().curve(Seen(law, None), 0, 2, priors)
    gap = law.means[0] - law.means[2]
    expected = [2 * slow.affine_risk(p, gap, law.spreads[0], law.spreads[2]) for p in priors]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert (found < 2 * priors * (1 - priors)).all()


def test_moments_are_those_of_the_sets_shrunk_to_what_is_common():
    view = sets(4)
    risk = Bound(shrink=0.25, ridge=0.5)
    inside = np.concatenate([x - x.mean(axis=0) for x in view])
    pooled = inside.T @ inside / (len(inside) - len(view)) + np.diag(1e-6 * view.values.var(axis=0))
    common = risk.learned(view)
    np.testing.assert_allclose(common.spread * common.scale**2, pooled, rtol=1e-10)
    seen = risk.look(view, None, common)
    expected = (
        0.75 * np.cov(view[3].T) + 0.25 * pooled + 0.5 * np.diagonal(pooled).mean() * np.eye(3)
    )
    np.testing.assert_allclose(seen.rows.spreads[3] * common.scale**2, expected, rtol=1e-10)
    np.testing.assert_allclose(seen.rows.means[3] * common.scale, view[3].mean(axis=0))


@pytest.mark.parametrize("factor", [3e-200, 1e95])
def test_tiny_and_large_values_are_those_of_ordinary_ones(factor):
    view = sets(13)
    risk = Bound()
    plain, other = (
        risk.divergences(risk.look(v, None, risk.learned(v)), CATALOGUE["jeffreys"])
        for v in (view, view.with_values(view.values * factor))
    )
    assert plain[0, 1] > 0.1
    np.testing.assert_allclose(other, plain, rtol=1e-9)


def _true(own, gap: float) -> float:
    """Of N(0, 1) from N(gap, 1), by a sum."""
    x = np.linspace(-12.0, 12.0 + gap, 40001)
    q = np.exp(-((x - gap) ** 2) / 2) / np.sqrt(2 * np.pi)
    return float((q * (own(np.exp(gap * gap / 2 - gap * x)) - own(1.0))).sum() * (x[1] - x[0]))


OWN = {
    "t^1.5": lambda t: t**1.5,
    "t^1.5 + kl": lambda t: t**1.5 + t * np.log(t),
    "t^1.9": lambda t: t**1.9,
    "kl + kink": lambda t: t * np.log(t) + np.maximum(t - 3.0, 0.0),
    "kl + variational": lambda t: t * np.log(t) + abs(t - 1.0),
    "variational": lambda t: abs(t - 1.0),
}


@pytest.mark.parametrize("name", list(OWN))
def test_it_never_exceeds_a_divergence_of_ones_own(name):
    f = fdivergence(OWN[name], "Test")
    for gap in (0.1, 0.5, 1.0, 2.0):
        seen = Seen(moments(np.array([[0.0], [gap]]), np.ones((2, 1, 1))), None)
        found = Bound().divergences(seen, f)[0, 1]
        true = _true(OWN[name], gap)
        assert 0 < found < true
        assert found > 0.05 * true or name == "variational"  # a bound that says something
    assert bool(Bound().notes(seen, f)) is not f.exact


def test_a_function_of_ones_own_that_has_no_bound_is_refused():
    for own in (lambda t: np.sqrt(1 + t * t), lambda t: np.maximum(t - 2.0, 0.0)):
        with pytest.raises(
            ParameterError,
            match=r"^Test: what own induces in the square loss can be any number of times own",
        ):
            Bound().check_f(fdivergence(own, "Test"), "Test")


def test_two_samples_without_anything_learned_share_what_is_common_to_both():
    view = sets(5, n=2)
    risk = Bound()
    alone = risk.divergences(risk.look(view[:1], view[1:]), CATALOGUE["kl"])[0, 0]
    together = risk.divergences(risk.look(view, None, risk.learned(view)), CATALOGUE["kl"])[0, 1]
    assert alone == pytest.approx(together, rel=1e-12)


def test_rows_against_columns_agree_with_the_square_in_any_blocks(monkeypatch):
    view = sets(6, n=40)
    risk = Bound()
    learned = risk.learned(view)
    square = risk.divergences(risk.look(view, None, learned), CATALOGUE["jeffreys"])
    assert np.array_equal(square, square.T)
    with using(n_jobs=2):
        assert np.array_equal(
            square, risk.divergences(risk.look(view, None, learned), CATALOGUE["jeffreys"])
        )
    monkeypatch.setattr(module, "_CELLS", 1)
    oblong = risk.divergences(risk.look(view[3:9], view, learned), CATALOGUE["jeffreys"])
    np.testing.assert_allclose(oblong, square[3:9], rtol=1e-9, atol=1e-12)
    monkeypatch.setattr(module, "_CELLS", 128 * 7)  # seven columns at a time
    oblong = risk.divergences(risk.look(view[3:9], view, learned), CATALOGUE["jeffreys"])
    np.testing.assert_allclose(oblong, square[3:9], rtol=1e-9, atol=1e-12)


def test_asymmetric_divergences_are_of_the_row_from_the_column():
    view = sets(7, n=5)
    risk = Bound()
    seen = risk.look(view, None, risk.learned(view))
    forth, back, both = (
        risk.divergences(seen, CATALOGUE[name]) for name in ("kl", "reverse-kl", "jeffreys")
    )
    np.testing.assert_allclose(forth, back.T, rtol=1e-9)
    np.testing.assert_allclose(forth + back, both, rtol=1e-9)
    assert np.abs(forth - forth.T).max() > 1e-3


def test_few_vectors_in_many_values_and_single_vectors():
    rng = np.random.default_rng(8)
    view = Ragged.of(
        [rng.normal(size=(n, 6)) + 3 * (n % 2) for n in (4, 5, 1, 6, 3, 4, 5)], ordered=False
    )
    risk = Bound()
    learned = risk.learned(view)
    seen = risk.look(view, None, learned)
    found = risk.divergences(seen, CATALOGUE["jeffreys"])
    assert np.isfinite(found).all()
    assert (found[~np.eye(7, dtype=bool)] > 0).all()
    np.testing.assert_allclose(seen.rows.spreads[2], learned.spread)
    assert any("member 2 has one vector only" in note for note in risk.notes(seen))
    assert not any("too few" in note for note in risk.notes(risk.look(sets(9), None, None)))
    few = view[:3]
    assert np.count_nonzero(risk.learned(few).spread) == 6
    assert any("only variances count" in note for note in risk.notes(risk.look(few, None, None)))


def test_sets_of_one_vector_each_take_the_covariance_of_all():
    points = np.random.default_rng(10).normal(size=(30, 2))
    view = Ragged(points, np.arange(31), ordered=False)
    expected = np.cov(points.T) + np.diag(1e-6 * points.var(axis=0))
    common = Bound().learned(view)
    np.testing.assert_allclose(common.spread * common.scale**2, expected, rtol=1e-10)


def test_constant_and_repeated_values_do_no_harm():
    view = sets(11)
    wide = view.with_values(
        np.concatenate(
            [view.values, np.full((len(view.values), 1), 7.0), view.values[:, :1]], axis=1
        )
    )
    risk = Bound()
    plain, padded = (
        risk.divergences(risk.look(v, None, None), CATALOGUE["jeffreys"]) for v in (view, wide)
    )
    np.testing.assert_allclose(padded, plain, rtol=1e-3)


def test_no_inverse_and_no_square_loss_are_refused():
    with pytest.raises(DataError, match=r"member 1 \(3 vectors\) has no inverse"):
        Bound(shrink=0.0).look(
            Ragged.of([np.random.default_rng(0).normal(size=(9, 4)), np.ones((3, 4))])
        )
    with pytest.raises(ParameterError, match="chi2 is infinite"):
        Bound().divergences(Bound().look(sets(0)), CATALOGUE["chi2"])
    with (
        using(memory="1KB"),
        pytest.raises(DataError, match="The covariances of 9 sets of 3 values"),
    ):
        Bound().look(sets(0))
    with pytest.raises(ParameterError, match="shrink"):
        Bound(shrink=1.5).check_params()

"""Tests of the f-divergences: every row of the table by quadrature, powers, and functions and weights of one's own."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy.stats import norm
from tests.oracles import fdivergences as slow

from coterie.compare import FDivergence, divergence_of
from coterie.core.errors import ParameterError
from coterie.parts.fdivergences import (
    CATALOGUE,
    atoms_of,
    eigenvalue,
    fdivergence,
    log_odds_rule,
    power,
)
from coterie.parts.losses import information

P = np.array([0.5, 0.3, 0.15, 0.05])
Q = np.array([0.1, 0.2, 0.3, 0.4])
T = np.geomspace(1e-3, 1e3, 61)


def _gauss(m: float, s: float) -> tuple[np.ndarray, np.ndarray]:
    x = np.linspace(-14.0, 16.0, 3001)
    return norm.pdf(x) * 0.01, norm.pdf(x, m, s) * 0.01


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_every_row_of_the_table_is_its_definition_and_its_integral(name):
    f = CATALOGUE[name]
    true = slow.defined(name, P, Q)
    assert divergence_of(P, Q, f) == pytest.approx(true, rel=1e-12)
    assert divergence_of(P, Q, f, "zero-one") == pytest.approx(true, rel=1e-9)
    if name != "variational":
        assert slow.integral(slow.WEIGHTS[name], "zero-one", P, Q) == pytest.approx(true, rel=1e-6)
        grid = np.linspace(0.01, 0.99, 50)
        np.testing.assert_allclose(
            f.weight(grid), [slow.WEIGHTS[name](p) for p in grid], rtol=1e-12
        )
    if f.exact:
        assert divergence_of(P, Q, f, "square") == pytest.approx(true, rel=1e-9)


@pytest.mark.parametrize("name", ["kl", "js", "hellinger", "triangular", "jeffreys"])
def test_square_loss_forms_by_a_slow_integral(name):
    f = CATALOGUE[name]
    found = slow.integral(lambda p: float(f.square(np.array([p]))[0]), "square", P, Q)
    found += f.square_atom * slow.information("square", 0.5, P, Q)
    assert found == pytest.approx(slow.defined(name, P, Q), rel=1e-5)


def test_variational_in_the_square_loss_is_half_the_triangular_one_and_smaller():
    induced = divergence_of(P, Q, CATALOGUE["variational"], "square")
    assert induced == pytest.approx(slow.defined("triangular", P, Q) / 2, rel=1e-12)
    assert induced < slow.defined("variational", P, Q)
    assert not CATALOGUE["variational"].exact


@pytest.mark.parametrize(("m", "s"), [(1.0, 1.0), (2.0, 0.7), (-1.5, 1.8)])
def test_gaussians_by_square_loss_risks_are_their_closed_forms(m, s):
    p, q = _gauss(m, s)
    kl = math.log(s) + (1 + m * m) / (2 * s * s) - 0.5
    back = -math.log(s) + (s * s + m * m) / 2 - 0.5
    near = 2 - 2 * math.sqrt(2 * s / (1 + s * s)) * math.exp(-m * m / (4 * (1 + s * s)))
    for name, true in (
        ("kl", kl),
        ("reverse-kl", back),
        ("jeffreys", kl + back),
        ("hellinger", near),
    ):
        assert divergence_of(p, q, CATALOGUE[name], "square") == pytest.approx(true, abs=1e-6), name


def test_grid_of_priors_and_atoms_sums_to_the_divergence():
    for name in ("kl", "js", "hellinger", "triangular"):
        f = CATALOGUE[name]
        priors, rest, masses = log_odds_rule(f.squared("Test"), 401, 1e-6)
        np.testing.assert_allclose(priors + rest, 1.0, rtol=1e-15)
        found = masses @ information("square", priors, P, Q)
        found += sum(
            mass * information("square", at, P, Q)
            for at, mass in atoms_of(f.square_atom, f.square_kinks)
        )
        assert found == pytest.approx(slow.defined(name, P, Q), rel=2e-4), name
    assert atoms_of(4.0, ((0.2, 1.0),)) == ((0.5, 4.0), (0.2, 1.0))
    assert atoms_of(0.0, ()) == ()
    with pytest.raises(ParameterError, match="Test: chi2 has no finite form"):
        CATALOGUE["chi2"].squared("Test")


def test_symmetry_and_the_most_a_divergence_can_be():
    apart = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    for name, f in CATALOGUE.items():
        assert (divergence_of(P, Q, f) == pytest.approx(divergence_of(Q, P, f))) is f.symmetric, (
            name
        )
        assert divergence_of(*apart, f) == pytest.approx(f.most), name


@pytest.mark.parametrize("a", [-0.6, 0.0, 0.3, 0.5, 1.0, 1.6])
def test_power_divergences_and_their_eigenvalue(a):
    f = power(a)
    true = divergence_of(P, Q, f)
    plain = slow.integral(lambda p: p ** (-1 - a) * (1 - p) ** (a - 2), "square", P, Q)
    assert plain / true == pytest.approx(eigenvalue(a), rel=1e-2 if a in (-0.6, 1.6) else 1e-5)
    assert divergence_of(P, Q, f, "square") == pytest.approx(true, rel=1e-9)
    named = {0.0: ("reverse-kl", 1.0), 1.0: ("kl", 1.0), 0.5: ("hellinger", 2.0)}
    if a in named:
        name, times = named[a]
        assert true == pytest.approx(times * slow.defined(name, P, Q), rel=1e-12)
    assert fdivergence(f"power:{a}", "Test").order == a


def test_power_of_two_is_half_of_chi2_and_has_no_square_form():
    assert divergence_of(P, Q, power(2)) == pytest.approx(slow.defined("chi2", P, Q) / 2, rel=1e-12)
    assert power(2).square is None
    assert eigenvalue(2.0) is None
    assert eigenvalue(1.5, "log") is None
    assert power(0.3).most == pytest.approx(divergence_of([1.0, 0.0], [0.0, 1.0], power(0.3)))


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_generator_to_weight_to_generator(name):
    f = CATALOGUE[name]
    own = FDivergence.of_generator(f.generator, name)
    priors = 1 / (1 + T)
    np.testing.assert_allclose(own.weight(priors), f.weight(priors), rtol=1e-6)
    assert own.atom == pytest.approx(f.atom, abs=1e-8)
    assert own.kinks == ()
    assert own.symmetric is f.symmetric
    assert own.most == pytest.approx(f.most, rel=1e-6)
    assert (own.square is None) is (f.square is None)
    back = FDivergence.of_weight(own.weight, name, atom=own.atom)
    step = 1e-6
    slope = (
        0.0
        if name == "variational"
        else float(np.diff(f.generator(np.array([1 - step, 1 + step])))[0] / (2 * step))
    )
    np.testing.assert_allclose(
        back.generator(T), f.generator(T) - slope * (T - 1), rtol=1e-6, atol=1e-9
    )
    assert divergence_of(P, Q, back) == pytest.approx(slow.defined(name, P, Q), rel=1e-7)


def test_kinks_anywhere_become_atoms():
    own = fdivergence(
        lambda t: np.maximum(t - 2.5, 0) + 3 * np.maximum(0.3 - t, 0) + t * np.log(t) + 7.0, "Test"
    )
    places = dict(own.kinks)
    assert own.atom == 0.0
    assert sorted(places) == pytest.approx([1 / 3.5, 1 / 1.3], rel=1e-6)
    assert [places[p] for p in sorted(places)] == pytest.approx([3.5, 3.9], rel=1e-6)
    priors = 1 / (1 + T)
    np.testing.assert_allclose(own.weight(priors), CATALOGUE["kl"].weight(priors), rtol=1e-5)
    direct = sum(
        q * (max(p / q - 2.5, 0) + 3 * max(0.3 - p / q, 0)) + p * math.log(p / q)
        for p, q in zip(P, Q, strict=True)
    )
    assert divergence_of(P, Q, own) == pytest.approx(direct, rel=1e-12)
    assert divergence_of(P, Q, own, "zero-one") == pytest.approx(direct, rel=1e-5)
    assert not own.exact  # kinks have no exact form in the square loss


def test_functions_of_single_numbers_and_second_derivatives_of_ones_own():
    own = fdivergence(lambda t: t * math.log(t) if t > 0 else 0.0, "Test")
    assert divergence_of(P, Q, own, "square") == pytest.approx(slow.defined("kl", P, Q), rel=1e-5)
    exact = FDivergence.of_generator(CATALOGUE["kl"].generator, derivative2=lambda t: 1 / t)
    np.testing.assert_allclose(
        exact.weight(np.array([1e-6, 0.5, 0.999])),
        CATALOGUE["kl"].weight(np.array([1e-6, 0.5, 0.999])),
    )
    assert own.exact


OWN = {
    "kl": lambda t: t * np.log(t),
    "reverse-kl": lambda t: -np.log(t) + 3.0 * t,
    "jeffreys": lambda t: (t - 1) * np.log(t),
    "js": CATALOGUE["js"].generator,
    "hellinger": lambda t: -2.0 * np.sqrt(t) + 1.0,
    "triangular": lambda t: (t - 1) ** 2 / (t + 1),
}


@pytest.mark.parametrize("name", list(OWN))
def test_a_catalogue_divergence_as_a_function_of_ones_own_is_exact(name):
    own = fdivergence(OWN[name], "Test")
    f = CATALOGUE[name]
    assert own.exact
    assert own.order == f.order
    priors = np.array([1e-9, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-9])
    np.testing.assert_allclose(own.squared("Test")(priors), f.squared("Test")(priors), rtol=1e-6)
    assert own.square_atom == pytest.approx(f.square_atom, rel=1e-6)
    assert divergence_of(P, Q, own, "square") == pytest.approx(slow.defined(name, P, Q), rel=1e-6)


@pytest.mark.parametrize("a", [-0.6, 1 / 3, 1.5])
def test_powers_and_sums_of_ones_own_are_exact(a):
    own = fdivergence(lambda t: np.sign(a * (a - 1)) * t**a, "Test")
    assert own.order == pytest.approx(a, abs=1e-6)
    assert own.exact
    assert divergence_of(P, Q, own, "square") == pytest.approx(divergence_of(P, Q, own), rel=1e-6)
    summed = fdivergence(
        lambda t: 3 * t * np.log(t) + 2 * (np.sqrt(t) - 1) ** 2 + (t - 1) ** 2 / (t + 1), "Test"
    )
    true = sum(
        by * slow.defined(name, P, Q)
        for name, by in (("kl", 3), ("hellinger", 2), ("triangular", 1))
    )
    assert summed.exact
    assert divergence_of(P, Q, summed, "square") == pytest.approx(true, rel=1e-6)


def test_what_is_no_sum_of_known_ones_is_not_taken_for_one():
    for f in (
        lambda t: np.sqrt(1 + t * t),
        lambda t: t**1.5 + t * np.log(t),
        lambda t: -np.log(1 + t),
        lambda t: abs(t - 1),
    ):
        assert not fdivergence(f, "Test").exact
    bounded = FDivergence.of_weight(
        lambda p: 0.5 * (p * (1 - p)) ** -1.5 + np.where(p < 0.3, 0.01, 0.0)
    )
    assert not bounded.exact
    assert FDivergence.of_weight(lambda p: 0.7 * (p * (1 - p)) ** -1.5).exact


def test_what_is_no_divergence_is_refused_in_a_sentence():
    for wrong, why in (
        (lambda t: np.sin(t), "must be convex"),
        (lambda t: -((t - 1) ** 2), "must be convex"),
        (lambda t: t * np.nan, "must be finite"),
        (lambda t: 3 * t - 3, "straight line"),
        (lambda t: t + 1j, "one real number"),
        (lambda t: "no", "one real number"),
        (lambda t: 1 / 0, "cannot be computed"),
        ("entropy", "f must be kl"),
        ("power:x", "power:0.5"),
        (7, "f must be kl"),
    ):
        with pytest.raises(ParameterError, match=why) as caught:
            fdivergence(wrong, "Test")
        assert str(caught.value).startswith("Test: ")
    with pytest.raises(ParameterError, match="a weight must be"):
        FDivergence.of_weight(lambda p: p - 0.5)
    with pytest.raises(ParameterError, match="an atom must be"):
        FDivergence.of_weight(lambda p: np.ones_like(p), atom=-1.0)


def test_own_chi2_has_no_square_form_and_catalogue_pickles():
    assert fdivergence(lambda t: (t - 1) ** 2, "Test").square is None
    for f in (*CATALOGUE.values(), power(0.4)):
        again = pickle.loads(pickle.dumps(f))
        assert divergence_of(P, Q, again) == divergence_of(P, Q, f)

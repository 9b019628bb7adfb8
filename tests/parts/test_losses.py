"""Tests of losses, the information they gain, and the divergences that f and a loss induce."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.oracles import fdivergences as slow

from coterie.compare import LOSSES, divergence_of, induced
from coterie.core.errors import DataError, ParameterError
from coterie.parts.fdivergences import CATALOGUE, eigenvalue, fdivergence, log_odds_rule, power
from coterie.parts.induced import excess, kernel
from coterie.parts.losses import Loss, form, information, loss_for, standing

P = np.array([0.5, 0.3, 0.15, 0.05])
Q = np.array([0.1, 0.2, 0.3, 0.4])
PRIORS = np.array([0.05, 0.3, 0.5, 0.62, 0.9])


@pytest.mark.parametrize("name", list(LOSSES))
def test_risk_is_that_of_the_best_forecast(name):
    loss = LOSSES[name]
    forecasts = np.linspace(0.0005, 0.9995, 1000)
    for costs in ((1.0, 1.0), (3.0, 0.5)):
        costly = loss.costing(*costs)
        on_p, on_q = costly.losses(forecasts)
        for eta in (0.03, 0.4, 0.5, 0.8):
            assert float(costly.risk(eta)) == pytest.approx(
                (eta * on_p + (1 - eta) * on_q).min(), abs=1e-5
            )
    assert float(loss.risk(0.3)) == pytest.approx(slow.RISKS[name](0.3))


def _bent(loss: Loss, eta: np.ndarray) -> np.ndarray:
    """-L'' with costs, by differences of the risk."""
    step = 1e-4
    return -(loss.risk(eta + step) - 2 * loss.risk(eta) + loss.risk(eta - step)) / step**2


@pytest.mark.parametrize("name", list(LOSSES))
def test_a_turned_loss_exchanges_the_two_laws(name):
    costly = LOSSES[name].costing(3.0, 0.5)
    own = replace(costly, name="own")  # the same without a name
    for loss in (costly, own):
        np.testing.assert_allclose(loss.turned.risk(PRIORS), loss.risk(1 - PRIORS), rtol=1e-12)
        on_p, on_q = loss.losses(PRIORS)
        other_q, other_p = loss.turned.losses(1 - PRIORS)
        np.testing.assert_allclose(np.stack([on_p, on_q]), np.stack([other_p, other_q]), rtol=1e-12)
    assert not costly.symmetric
    assert LOSSES[name].symmetric
    assert information(pickle.loads(pickle.dumps(costly)), 0.3, P, Q) == information(
        costly, 0.3, P, Q
    )


@pytest.mark.parametrize("name", list(LOSSES))
def test_information_is_prior_risk_less_posterior_risk(name):
    found = information(name, PRIORS, P, Q)
    assert found == pytest.approx([slow.information(name, p, P, Q) for p in PRIORS], abs=1e-12)
    assert (found >= 0).all()
    same = Loss("own", LOSSES[name].least, LOSSES[name].curve, LOSSES[name].kink)
    assert information(same, PRIORS, P, Q) == pytest.approx(found, abs=1e-12)


def test_e18_no_information_at_one_prior_does_not_mean_equal_laws():
    p = [0.6, 0.4]
    q = [0.4, 0.6]
    assert (
        float(information("zero-one", 0.1, p, q)) == 0.0
    )  # Bayes error is exactly the prior, and the laws differ
    assert float(information("zero-one", 0.5, p, q)) == pytest.approx(0.1)
    assert float(information("square", 0.1, p, q)) > 1e-3
    assert divergence_of(p, q, CATALOGUE["variational"], "zero-one") == pytest.approx(0.4)


@pytest.mark.parametrize("name", list(LOSSES))
def test_common_transformation_never_increases_information(name):
    merged = [np.array([p[0] + p[2], p[1], p[3]]) for p in (P, Q)]
    assert (information(name, PRIORS, *merged) <= information(name, PRIORS, P, Q) + 1e-15).all()


@pytest.mark.parametrize(
    ("name", "loss"),
    [("kl", "square"), ("jeffreys", "square"), ("hellinger", "square"), ("hellinger", "log")],
)
def test_power_weights_are_eigenfunctions(name, loss):
    f = CATALOGUE[name]
    value = {"kl": 1.0, "jeffreys": 1.0, "hellinger": math.pi / 4 if loss == "square" else math.pi}[
        name
    ]
    np.testing.assert_allclose(induced(f, loss).weight(PRIORS), value * f.weight(PRIORS), rtol=1e-8)


def test_eigenvalues_of_the_spec():
    for a in (-0.4, 0.7, 1.5):
        lam = math.pi * a * (1 - a) / math.sin(math.pi * a)
        assert eigenvalue(a) == pytest.approx(lam)
        np.testing.assert_allclose(
            induced(power(a), "square").weight(PRIORS), lam * power(a).weight(PRIORS), rtol=1e-7
        )
        assert (divergence_of(P, Q, power(a)) * lam) == pytest.approx(
            divergence_of(P, Q, induced(power(a), "square")), rel=1e-6
        )
    assert eigenvalue(0.3, "log") == pytest.approx(math.pi / math.sin(0.3 * math.pi))
    np.testing.assert_allclose(
        induced(power(0.3), "log").weight(PRIORS),
        eigenvalue(0.3, "log") * power(0.3).weight(PRIORS),
        rtol=1e-6,
    )


def test_kernels_in_closed_form_and_by_curvature():
    p = PRIORS
    at = np.array([0.2, 0.4, 0.5, 0.7, 0.99])
    mix = p + at - 2 * p * at
    np.testing.assert_allclose(kernel("square", p, at), 2 * at**2 * (1 - at) ** 2 / mix**3)
    by_curve = Loss("own", LOSSES["log"].least, LOSSES["log"].curve)
    np.testing.assert_allclose(kernel("log", p, at), kernel(by_curve, p, at), rtol=1e-12)
    costly = LOSSES["square"].costing(3.0, 0.5)
    eta = at * (1 - p) / mix
    np.testing.assert_allclose(
        kernel(costly, p, at), _bent(costly, eta) * (at * (1 - at)) ** 2 / mix**3, rtol=1e-5
    )


@pytest.mark.parametrize("name", list(CATALOGUE))
@pytest.mark.parametrize("loss", ["square", "log", "zero-one", "hinge"])
def test_induced_divergence_is_the_integral_of_the_loss(name, loss):
    f = CATALOGUE[name]
    infinite = {"square": ("chi2",), "log": ("chi2", "kl", "reverse-kl", "jeffreys")}.get(loss, ())
    if name in infinite:
        assert standing(f, loss) == "infinite"
        with pytest.raises(ParameterError, match="infinite for any two laws that differ"):
            induced(f, loss)
        with pytest.raises(ParameterError, match=f"Test: {name} with the {loss} loss is infinite"):
            form(f, loss, "Test")
        return
    weight = slow.WEIGHTS.get(name, lambda p: 0.0)
    true = slow.integral(
        weight, loss, P, Q, 1e-10 if loss == "log" else 1e-7
    ) + f.atom * slow.information(loss, 0.5, P, Q)
    assert divergence_of(P, Q, induced(f, loss)) == pytest.approx(true, rel=1e-4)
    if loss == "hinge":
        assert true == pytest.approx(2 * slow.defined(name, P, Q), rel=1e-5)
    if standing(f, loss) == "exact":
        assert divergence_of(P, Q, f, loss) == pytest.approx(slow.defined(name, P, Q), rel=1e-9)
    else:
        assert divergence_of(P, Q, f, loss) == pytest.approx(true, rel=1e-4)


def test_log_loss_gives_js_at_one_half_and_hellinger_over_pi():
    assert float(information("log", 0.5, P, Q)) == pytest.approx(
        slow.defined("js", P, Q), rel=1e-12
    )
    whole = slow.integral(slow.WEIGHTS["hellinger"], "log", P, Q, 1e-13)
    assert whole / math.pi == pytest.approx(slow.defined("hellinger", P, Q), rel=1e-5)
    assert form(CATALOGUE["js"], "log").atoms == ((0.5, 1.0),)


@pytest.mark.parametrize("loss", ["zero-one", "square", "log"])
def test_costs_move_the_prior(loss):
    costly = LOSSES[loss].costing(2.0, 0.5)
    size = 2.0 * PRIORS + 0.5 * (1 - PRIORS)
    expected = size * [slow.information(loss, p, P, Q) for p in 2.0 * PRIORS / size]
    assert information(costly, PRIORS, P, Q) == pytest.approx(expected, abs=1e-12)
    f = CATALOGUE["js"]
    assert divergence_of(P, Q, induced(f, costly)) == pytest.approx(
        divergence_of(P, Q, f, costly), rel=1e-6
    )
    assert standing(f, costly) == "induced"


def test_losses_never_rank_a_larger_divergence_below_at_every_prior():
    near = 0.5 * P + 0.5 * Q
    for loss in ("square", "log"):
        assert divergence_of(P, near, CATALOGUE["hellinger"], loss) < divergence_of(
            P, Q, CATALOGUE["hellinger"], loss
        )
        assert (information(loss, PRIORS, P, near) < information(loss, PRIORS, P, Q)).any()


def test_laws_that_are_not_dominated():
    p = [0.5, 0.5, 0.0]
    q = [0.0, 0.5, 0.5]
    assert divergence_of(p, q, CATALOGUE["kl"]) == math.inf
    assert divergence_of(p, q, CATALOGUE["kl"], "square") == math.inf
    for name, true in (
        ("js", math.log(2) / 2),
        ("hellinger", 1.0),
        ("triangular", 1.0),
        ("variational", 1.0),
    ):
        assert divergence_of(p, q, CATALOGUE[name]) == pytest.approx(true)
        assert divergence_of(p, q, CATALOGUE[name], "zero-one") == pytest.approx(true, rel=1e-9)
    for name in ("js", "hellinger", "triangular"):
        assert divergence_of(p, q, CATALOGUE[name], "square") == pytest.approx(
            divergence_of(p, q, CATALOGUE[name]), rel=1e-9
        )


@pytest.mark.parametrize("name", ["kl", "hellinger", "variational", "js", "triangular"])
def test_class_restricted_divergences_lie_between_zero_and_the_whole_and_grow_with_the_class(name):
    rng = np.random.default_rng(5)
    f = CATALOGUE[name]
    priors, _, masses = log_odds_rule(f.weight, 81, 1e-2)
    priors = np.append(priors, 0.5)
    masses = np.append(masses, f.atom)
    for _ in range(5):
        p, q = rng.dirichlet(np.ones(5), size=2)
        found = []
        for rules in (
            [(), (0, 1, 2, 3, 4)],
            [(), (0, 1), (0, 1, 2, 3, 4)],
            slow.threshold_rules(5),
            slow.threshold_rules(5, False),
        ):
            found.append(masses @ [slow.restricted(rules, x, p, q) for x in priors])
        assert found[0] == pytest.approx(0.0, abs=1e-12)
        assert all(a <= b + 1e-12 for a, b in pairwise(found))
        assert found[-1] == pytest.approx(masses @ information("zero-one", priors, p, q), rel=1e-9)
        assert found[2] > 0  # linear rules see any difference of laws at a prior of one half


def test_excess_is_the_most_that_the_square_loss_makes_of_f():
    rng = np.random.default_rng(6)
    for own, most in (
        (lambda t: t**1.5 + t * np.log(t), eigenvalue(1.5)),
        (lambda t: t * np.log(t) + np.maximum(t - 3.0, 0.0), None),
        (lambda t: -(t**0.3) - t**0.5, 1.0),
        (lambda t: abs(t - 1.0), 1.0),
    ):
        f = fdivergence(own, "Test")
        found = excess(f)
        assert most is None or found == pytest.approx(most, rel=2e-3)
        for _ in range(20):
            p, q = rng.dirichlet(np.full(4, 0.4), size=2) * 0.99 + 0.0025
            assert divergence_of(p, q, f, "square") <= found * divergence_of(p, q, f) * (1 + 1e-3)
    for own in (
        lambda t: np.sqrt(1 + t * t),
        lambda t: np.maximum(t - 2.0, 0.0),
        lambda t: -np.log(1 + t),
    ):
        assert excess(fdivergence(own, "Test")) == np.inf
    assert excess(CATALOGUE["kl"]) == pytest.approx(1.0)


def test_bad_laws_priors_and_losses_are_refused():
    with pytest.raises(DataError, match="first law must be probabilities"):
        information("square", 0.5, [0.5, 0.6], [0.5, 0.5])
    with pytest.raises(DataError, match="over the same outcomes"):
        divergence_of([1.0], [0.5, 0.5], CATALOGUE["kl"])
    with pytest.raises(ParameterError, match="prior must lie"):
        information("square", 1.0, P, Q)
    with pytest.raises(ParameterError, match="Test: loss must be"):
        loss_for("cubic", "Test")
    with pytest.raises(ParameterError, match="costs must be"):
        LOSSES["square"].costing(0.0, 1.0)
    with pytest.raises(ParameterError, match="no branches"):
        Loss("own", LOSSES["log"].least, LOSSES["log"].curve).losses(P)


def test_own_function_in_every_loss():
    own = fdivergence(lambda t: np.maximum(t - 2.0, 0.0), "Test")
    mass = 3.0
    prior = 1 / 3
    for loss in ("square", "log"):
        assert divergence_of(P, Q, own, loss) == pytest.approx(
            mass * slow.information(loss, prior, P, Q), rel=1e-6
        )
    direct = sum(max(p - 2 * q, 0) for p, q in zip(P, Q, strict=True))
    assert divergence_of(P, Q, own, "hinge") == pytest.approx(direct, rel=1e-6)

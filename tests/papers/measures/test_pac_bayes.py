"""The bounds against their definition, the numbers of the specification, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coterie.core.errors import DataError, ParameterError
from coterie_papers.measures.pac_bayes import (
    best_weighting,
    binary_kl,
    budget,
    lower,
    relative_entropy,
    upper,
    xi,
)


@pytest.mark.parametrize("q", [0.0, 0.02, 0.3, 0.97, 1.0])
@pytest.mark.parametrize("c", [1e-4, 0.01, 0.4])
def test_the_ends_lie_at_the_distance_asked_for(q, c):
    for end, edge in ((upper(q, c), 1.0), (lower(q, c), 0.0)):
        if q != edge and end != edge:
            assert abs(binary_kl(q, end) - c) < 1e-9
    assert lower(q, c) <= q <= upper(q, c)


def test_the_number_of_the_realizable_case():
    divergence = math.log(100 / 20)
    bound = upper(0.0, budget(divergence, 500, 0.05, exact=False))
    assert abs(bound - 0.01667) < 1e-5
    assert (
        abs(bound - (1 - math.exp(-(divergence + math.log(2 * math.sqrt(500) / 0.05)) / 500)))
        < 1e-9
    )


def test_xi_against_its_sum():
    for n in (8, 30):
        slow = sum(math.comb(n, k) * (k / n) ** k * (1 - k / n) ** (n - k) for k in range(n + 1))
        assert abs(xi(n) - slow) < 1e-9 * slow
    assert xi(10_000) < 2 * math.sqrt(10_000)


def test_the_bound_falls_with_pairs_and_grows_with_divergence():
    assert budget(1.0, 100, 0.05) > budget(1.0, 400, 0.05)
    assert budget(2.0, 100, 0.05) > budget(1.0, 100, 0.05)


def test_relative_entropy_is_at_most_that_of_the_squared_norm():
    random = np.random.default_rng(0)
    for _ in range(200):
        weights = random.dirichlet(np.full(12, 0.3))
        assert (
            relative_entropy(weights, np.full(12, 1 / 12))
            <= math.log(12 * np.square(weights).sum()) + 1e-12
        )
    even = np.array([0.25] * 4 + [0.0] * 8)
    assert (
        abs(relative_entropy(even, np.full(12, 1 / 12)) - math.log(12 * np.square(even).sum()))
        < 1e-12
    )


def test_the_bound_holds_in_simulation():
    random = np.random.default_rng(1)
    true = random.uniform(0.02, 0.4, size=50)
    held = 0
    for _ in range(100):
        found = best_weighting(random.binomial(200, true) / 200, 200, 0.05)
        held += float(found.weights @ true) <= found.bound
        assert found.risk <= found.bound
    assert held >= 95


def test_weights_go_to_the_candidates_that_are_not_contradicted():
    risks = np.array([0.0, 0.0, 0.5, 0.5])
    found = best_weighting(risks, 2000, 0.05)
    assert found.weights[:2].sum() > 0.99
    assert found.bound < 0.01


def test_beside_chance_the_weights_follow_risk_over_chance():
    """Every beta of the grid tried one by one: none has a smaller bound beside the weighted chance."""
    risks = np.array([0.02, 0.1, 0.3])
    chance = np.array([0.04, 0.5, 0.5])
    plain = best_weighting(risks, 400, 0.05)
    beside = best_weighting(risks, 400, 0.05, chance=chance)
    assert plain.weights.argmax() == 0
    assert beside.weights.argmax() == 1
    slow = []
    for beta in [0.0, *np.geomspace(0.1, 1e4, 60)]:
        weights = [math.exp(-beta * (r / c - 0.2)) / 3 for r, c in zip(risks, chance, strict=True)]
        weights = np.array(weights) / sum(weights)
        divergence = sum(w * math.log(3 * w) for w in weights if w > 0)
        slow.append(
            upper(float(weights @ risks), budget(max(divergence, 0.0), 400, 0.05))
            / float(weights @ chance)
        )
    assert beside.bound / float(beside.weights @ chance) == pytest.approx(min(slow), rel=1e-9)
    np.testing.assert_array_equal(
        best_weighting(risks, 400, 0.05, chance=np.full(3, 1.0)).weights, plain.weights
    )


def test_bad_input_is_one_sentence():
    with pytest.raises(DataError, match="no candidates to weight"):
        best_weighting(np.zeros(0), 70, 0.05)
    with pytest.raises(DataError, match="at least 8 pairs"):
        budget(0.0, 7, 0.05)
    with pytest.raises(ParameterError, match="delta must lie between 0 and 1"):
        budget(0.0, 70, 1.5)
    with pytest.raises(ParameterError, match="share lies in 0 to 1"):
        upper(1.2, 0.1)

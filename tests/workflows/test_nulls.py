"""Null models of sets: sizes stay, and whatever held the members together is gone."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Ragged
from coterie.workflows import null_models


def groups(dim: int, *, apart: float = 0.0, wide: float = 1.0, n: int = 60) -> Ragged:
    """Sets of two kinds: the second lies elsewhere, or is wider along its first axis."""
    generator = np.random.default_rng(0)
    sets = []
    for i in range(n):
        rows = generator.normal(size=(int(generator.integers(20, 60)), dim))
        rows[:, 0] = rows[:, 0] * (wide if i % 2 else 1.0) + (apart if i % 2 else 0.0)
        sets.append(rows)
    return Ragged.of(sets, ordered=False)


def means(sets: Ragged) -> np.ndarray:
    return np.array([one[:, 0].mean() for one in sets])


def spreads(sets: Ragged) -> np.ndarray:
    return np.log([one[:, 0].std() for one in sets])


def hollow(values: np.ndarray) -> float:
    """Share of the values in the middle third between the lowest and the highest tenth: small for two clouds."""
    low, high = np.quantile(values, [0.1, 0.9])
    third = (high - low) / 3
    return float(np.mean((values > low + third) & (values < high - third)))


@pytest.mark.parametrize("dim", [2, 30])
@pytest.mark.parametrize(
    ("law", "seen"), [({"apart": 8.0}, means), ({"wide": 6.0}, spreads)], ids=["means", "spreads"]
)
def test_one_cloud_of_sets_has_no_gap_where_the_sets_had_one(dim: int, law: dict, seen) -> None:
    sets = groups(dim, **law)
    null = null_models.one_law(sets)(np.random.default_rng(1))
    assert hollow(seen(sets)) < 0.02
    assert hollow(seen(null)) > 0.15
    assert np.array_equal(null.lengths, sets.lengths)
    assert seen(null).std() == pytest.approx(seen(sets).std(), rel=0.5)


def test_whole_covariances_are_drawn_in_few_dimensions() -> None:
    generator = np.random.default_rng(0)
    tilt = np.array([[1.0, 0.9], [0.0, 0.435]])
    sets = Ragged.of(
        [generator.normal(size=(40, 2)) @ (tilt if i % 2 else tilt * [1, -1]) for i in range(60)],
        ordered=False,
    )

    def tilts(view: Ragged) -> np.ndarray:
        return np.array([np.corrcoef(one.T)[0, 1] for one in view])

    assert hollow(tilts(sets)) < 0.02
    assert hollow(tilts(null_models.one_law(sets)(np.random.default_rng(1)))) > 0.1


@pytest.mark.parametrize("dim", [2, 30])
def test_sets_of_one_vector_and_constant_values_have_finite_nulls(dim: int) -> None:
    generator = np.random.default_rng(0)
    sets = [generator.normal(size=(1 if i < 5 else 8, dim)) for i in range(20)]
    for one in sets:
        one[:, 1] = 3.0
    for draw in null_models.of_sets(Ragged.of(sets, ordered=False)).values():
        made = draw(np.random.default_rng(2))
        assert np.isfinite(made.values).all()
        assert np.abs(made.values[:, 1] - 3.0).max() < 1e-6


def test_dealing_anew_keeps_every_vector() -> None:
    sets = groups(2)
    made = null_models.dealt(sets)(np.random.default_rng(0))
    assert np.array_equal(np.sort(made.values[:, 0]), np.sort(sets.values[:, 0]))
    assert not np.array_equal(made.values, sets.values)

"""Gaussian: exact at once, with gaps, of sets, and beside whole covariances of few frames."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone

from coterie import Ragged
from coterie.core.errors import DataError, ParameterError
from coterie.models import Gaussian


def members(n=6, length=40, d=3, seed=0):
    generator = np.random.default_rng(seed)
    mix = generator.normal(size=(d, d))
    return Ragged.of(
        [generator.normal(size=(length, d)) @ mix + generator.normal(size=d) for _ in range(n)]
    )


def test_moments_are_exact():
    data = members()
    found = Gaussian().fit(data)
    np.testing.assert_allclose(found.mean_, data.values.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.covariance_, np.cov(data.values.T, bias=True), atol=1e-12)
    expected = multivariate_normal(found.mean_, found.covariance_).logpdf(data.values)
    np.testing.assert_allclose(
        found.score(data), np.add.reduceat(expected, data.offsets[:-1]), rtol=1e-10
    )
    assert found.converged_
    assert found.history_ == [pytest.approx(expected.sum())]
    assert found.n_parameters_ == 3 + 6
    assert found.bic(data) == pytest.approx(-2 * expected.sum() + 9 * np.log(240))


@pytest.mark.parametrize(("form", "free"), [("diagonal", 6), ("spherical", 4), ("tied", 9)])
def test_other_forms(form, free):
    data = members()
    found = Gaussian(covariance=form).fit(data)
    spread = data.values.var(axis=0)
    expected = {
        "diagonal": spread,
        "spherical": np.full(3, spread.mean()),
        "tied": np.cov(data.values.T, bias=True),
    }[form]
    np.testing.assert_allclose(found.covariance_, expected, atol=1e-10)
    assert found.n_parameters_ == free


def test_each_has_its_own_moments():
    data = members()
    bank = Gaussian(floor=0.0).fit_each(data)
    laws = bank.emissions.arrays()
    for at, member in enumerate(data):
        np.testing.assert_allclose(laws["means"][at, 0], member.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(laws["spreads"][at, 0], np.cov(member.T, bias=True), atol=1e-10)


def test_few_frames_keep_whole_covariances():
    data = Ragged.of([member[: 2 + at] for at, member in enumerate(members())])
    laws = Gaussian().fit_each(data).emissions.arrays()["spreads"]
    assert laws.shape == (6, 1, 3, 3)
    assert np.linalg.eigvalsh(laws[:, 0]).min() > 0
    assert (np.abs(laws[0, 0][~np.eye(3, dtype=bool)]) > 0).any()


def test_gaps_are_expected():
    data = members(20, 100)
    holes = np.random.default_rng(1).random(data.values.shape) < 0.15
    gappy = data.with_values(np.where(holes, np.nan, data.values))
    whole = Gaussian().fit(data)
    found = Gaussian().fit(gappy)
    np.testing.assert_allclose(found.mean_, whole.mean_, atol=0.15)
    np.testing.assert_allclose(found.covariance_, whole.covariance_, atol=0.35)
    assert np.diff(found.history_).min(initial=0.0) > -1e-7 * abs(found.history_[-1])
    for form in ("diagonal", "spherical"):
        plain = Gaussian(covariance=form).fit(gappy)
        np.testing.assert_allclose(plain.mean_, np.nanmean(gappy.values, axis=0), atol=1e-12)


def test_sets_are_members_too():
    data = members()
    sets = Ragged(data.values, data.offsets, ordered=False)
    np.testing.assert_array_equal(
        Gaussian().fit(sets).score(sets), Gaussian().fit(data).score(data)
    )
    drawn, states = Gaussian().fit(sets).sample(3, [5, 2, 9], random_state=0)
    assert drawn.lengths.tolist() == [5, 2, 9]
    assert not drawn.ordered
    assert set(np.concatenate(states)) == {0}


def test_bad_input_and_manners():
    with pytest.raises(ParameterError, match="covariance"):
        Gaussian(covariance="round").fit(members())
    with pytest.raises(DataError, match="member 0 has an infinite value"):
        Gaussian().fit([[[np.inf]]])
    with pytest.raises(DataError, match="no values per step"):
        Gaussian().fit([np.empty((3, 0))])
    assert repr(clone(Gaussian(covariance="tied"))) == "Gaussian(covariance='tied')"

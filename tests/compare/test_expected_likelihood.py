"""The expected likelihood of sets against integrals of the products of their fitted densities."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import integrate, stats

from coterie import Ragged
from coterie.compare import ExpectedLikelihood, ProductKernel
from coterie.core.errors import DataError, ParameterError
from coterie.models import GMM, HMM, Gaussian
from coterie.testing import promises


def bags(seed: int = 0, n: int = 6, d: int = 2) -> Ragged:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(20, 40, size=n)
    return Ragged.of(
        [
            rng.normal(size=(size, d)) + np.sign(rng.normal(size=(size, 1))) + i % 2
            for i, size in enumerate(sizes)
        ]
    )


def density(fitted: ExpectedLikelihood, i: int, x: float) -> float:
    laws = fitted.kernel_.bank_.emissions
    parts = zip(laws.weights[i, 0], laws.means[i, 0, :, 0], laws.spreads[i, 0, :, 0, 0])
    return sum(w * stats.norm.pdf(x, m, np.sqrt(v)) for w, m, v in parts)


def test_distance_is_minus_log_of_the_normalized_integral_of_products():
    fitted = ExpectedLikelihood(random_state=0).fit(bags(1, d=1))

    def product(i: int, j: int) -> float:
        return integrate.quad(
            lambda x: density(fitted, i, x) * density(fitted, j, x), -12, 12, limit=200
        )[0]

    for i, j in ((0, 1), (2, 5), (3, 4)):
        expected = -np.log(product(i, j) / np.sqrt(product(i, i) * product(j, j)))
        assert fitted.affinity_.values[i, j] == pytest.approx(expected, abs=1e-7)
    assert (np.diagonal(fitted.affinity_.values) == 0).all()


def test_kernel_is_the_mean_density_of_one_under_draws_of_the_other():
    rng = np.random.default_rng(2)
    fitted = ExpectedLikelihood(model=Gaussian()).fit(bags(2))
    laws = fitted.kernel_.bank_.emissions
    n = 200_000
    normal = [stats.multivariate_normal(laws.means[i, 0], laws.spreads[i, 0]) for i in range(2)]
    cross = normal[1].pdf(normal[0].rvs(n, random_state=rng)).mean()
    own = [one.pdf(one.rvs(n, random_state=rng)).mean() for one in normal]
    assert fitted.affinity_.values[0, 1] == pytest.approx(
        -np.log(cross / np.sqrt(own[0] * own[1])), abs=0.02
    )


def test_default_is_two_components_with_full_covariances():
    view = bags(3)
    found = ExpectedLikelihood(random_state=4).fit(view).affinity_.values
    model = GMM(n_components=2, covariance="full")
    assert np.array_equal(
        found, ProductKernel(model=model, length=7, random_state=4).fit(view).affinity_.values
    )
    assert np.array_equal(
        found, ExpectedLikelihood(model=model, random_state=4).fit(view).affinity_.values
    )
    assert found[0, 2] < found[0, 1]


def test_missing_values_are_left_to_the_models():
    view = bags(5)
    holes = view.values.copy()
    holes[::7, 0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ExpectedLikelihood(model=Gaussian()).fit(view.with_values(holes)).affinity_.values
    whole = ExpectedLikelihood(model=Gaussian()).fit(view).affinity_.values
    assert np.isfinite(found).all()
    assert np.corrcoef(found.ravel(), whole.ravel())[0, 1] > 0.9


@pytest.mark.parametrize("model", ["gmm", HMM(), GMM])
def test_models_with_time_and_what_is_no_model_are_refused(model):
    with pytest.raises(
        ParameterError, match=r"ExpectedLikelihood: model must be GMM\(\.\.\.\) or Gaussian\(\)"
    ):
        ExpectedLikelihood(model=model).fit(bags())


def test_members_are_named_under_its_own_name():
    with pytest.raises(DataError, match="ExpectedLikelihood: member 1 is empty"):
        ExpectedLikelihood().fit([np.ones((3, 2)), np.ones((0, 2))])
    with pytest.raises(
        DataError,
        match="ExpectedLikelihood: new members have 3 values per step where the fitted ones have 2",
    ):
        ExpectedLikelihood(random_state=0).fit(bags()).compare([np.ones((30, 3))])


@pytest.mark.parametrize("promise", promises(ExpectedLikelihood()), ids=str)
def test_promise(promise):
    promise()

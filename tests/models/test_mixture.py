"""GMM: the density of scikit-learn's mixture, recovery, components of frames, and few frames."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.mixture import GaussianMixture

from coterie import Ragged
from coterie.models import GMM


def two_clouds(n=10, length=60, seed=0):
    generator = np.random.default_rng(seed)
    kinds = [generator.random(length) < 0.3 for _ in range(n)]
    clouds = [
        np.where(kind[:, None], [4.0, 4.0], [0.0, 0.0]) + generator.normal(size=(length, 2))
        for kind in kinds
    ]
    return Ragged.of(clouds, ordered=False), np.concatenate(kinds)


@pytest.mark.parametrize(
    ("covariance", "theirs", "free"), [("diagonal", "diag", 9), ("full", "full", 11)]
)
def test_as_scikit_learn(covariance, theirs, free):
    data, kinds = two_clouds()
    found = GMM(covariance=covariance, random_state=0).fit(data)
    peer = GaussianMixture(2, covariance_type=theirs, tol=1e-8, max_iter=500, random_state=0).fit(
        data.values
    )
    np.testing.assert_allclose(np.sort(found.weights_), np.sort(peer.weights_), atol=0.01)
    assert found.score(data).sum() == pytest.approx(peer.score_samples(data.values).sum(), rel=1e-4)
    peer.weights_ = found.weights_
    peer.means_ = found.means_
    peer.covariances_ = found.covariances_
    inverse = np.linalg.inv(found.covariances_) if covariance == "full" else 1 / found.covariances_
    peer.precisions_cholesky_ = (
        np.linalg.cholesky(inverse) if covariance == "full" else np.sqrt(inverse)
    )
    np.testing.assert_allclose(
        found.score(data),
        np.add.reduceat(peer.score_samples(data.values), data.offsets[:-1]),
        rtol=1e-9,
    )
    np.testing.assert_allclose(
        np.concatenate(found.posterior(data)), peer.predict_proba(data.values), atol=1e-8
    )
    place = int(np.argmax(found.means_[:, 0]))
    assert ((found.predict(data) == place) == kinds).mean() > 0.98
    assert found.n_parameters_ == free
    assert np.diff(found.history_).min() > -1e-8 * abs(found.history_[-1])


def test_one_component_is_a_gaussian():
    data, _ = two_clouds()
    found = GMM(n_components=1, covariance="full").fit(data)
    np.testing.assert_allclose(found.means_[0], data.values.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(found.covariances_[0], np.cov(data.values.T, bias=True), atol=1e-9)


def test_each_and_few_frames():
    data, _ = two_clouds(4, 30)
    short = Ragged.of([*data, np.array([[1.0, 2.0], [0.0, 1.0]])])
    with pytest.warns(UserWarning, match=r"GMM: 1 of 5 members \(the first is 4\)"):
        bank = GMM(covariance="full", random_state=0).fit_each(short)
    assert bank.emissions.arrays()["spreads"].shape == (5, 1, 2, 2, 2)
    assert bank.start.shape == (5, 1)
    with pytest.warns(UserWarning, match="2 steps of 2 values are too few for full covariances"):
        assert GMM(covariance="full", random_state=0).fit(short[4:]).covariances_.shape == (2, 2)


def test_manners():
    data, _ = two_clouds(3, 20)
    one = GMM(random_state=4).fit(data)
    two = clone(GMM(random_state=4)).fit(data)
    np.testing.assert_array_equal(one.means_, two.means_)
    drawn, _ = one.sample(2, 500, random_state=1)
    np.testing.assert_allclose(drawn.values.mean(axis=0), one.weights_ @ one.means_, atol=0.3)
    assert repr(GMM(n_components=3)) == "GMM(n_components=3)"

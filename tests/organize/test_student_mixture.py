"""StudentMixture: groups, parameters in the units of the columns, mixed tables, new members, starts, and any order of rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_t
from sklearn.metrics import adjusted_rand_score
from tests.golden import materials as made

from coterie import read
from coterie.core.errors import DataError
from coterie.organize import StudentMixture


@pytest.fixture(scope="module")
def clouds() -> tuple[np.ndarray, np.ndarray]:
    """Three groups of unlike shape in columns of unlike units, with a few wild rows."""
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1, 2], [80, 120, 60])
    roots = np.array([[[1, 0], [0.9, 0.3]], [[1, 0], [-0.9, 0.3]], [[0.4, 0], [0, 0.4]]])
    centers = np.array([[0, 0], [4, 0], [2, 3]])
    rows = np.einsum("nij,nj->ni", roots[truth], rng.normal(size=(260, 2))) + centers[truth]
    rows[::40] += rng.normal(size=(7, 2)) * 4
    return rows * [1, 1000] + [0, 5e4], truth


@pytest.mark.parametrize("covariance", ["tied", "shrunk"])
def test_groups_are_found(clouds, covariance):
    rows, truth = clouds
    model = StudentMixture(covariance=covariance, random_state=0).fit(rows)
    assert adjusted_rand_score(truth, model.labels_) > (0.7 if covariance == "tied" else 0.85)
    assert model.partition_.sizes.tolist() == sorted(model.partition_.sizes, reverse=True)
    assert np.allclose(model.probabilities_.sum(axis=1), 1)
    assert np.array_equal(model.probabilities_.argmax(axis=1), model.labels_)
    assert np.allclose(model.partition_.confidence, model.probabilities_.max(axis=1))


def test_parameters_are_in_the_units_of_the_columns(clouds):
    rows, _ = clouds
    model = StudentMixture(random_state=0).fit(rows)
    density = sum(
        weight * multivariate_t(mean, covariance, df=4).pdf(rows)
        for weight, mean, covariance in zip(
            model.weights_, model.means_, model.covariances_, strict=True
        )
    )
    assert np.isclose(np.log(density).sum(), model.log_likelihood_)
    expected = -2 * model.log_likelihood_ + model.n_parameters_ * np.log(len(rows))
    assert np.isclose(model.bic_, expected)
    tied = StudentMixture(covariance="tied", random_state=0).fit(rows)
    assert np.allclose(tied.covariances_, tied.covariances_[0])
    assert tied.n_parameters_ == 2 + 6 + 3


def test_the_order_of_the_rows_changes_no_bit(clouds):
    rows, _ = clouds
    other = np.random.default_rng(9).permutation(len(rows))
    one = StudentMixture(random_state=0).fit(rows)
    two = StudentMixture(random_state=0).fit(rows[other])
    assert np.array_equal(one.labels_[other], two.labels_)
    assert one.probabilities_[other].tobytes() == two.probabilities_.tobytes()
    assert one.means_.tobytes() == two.means_.tobytes()


def test_more_likely_than_any_single_start(clouds):
    rows, truth = clouds
    whole = StudentMixture(random_state=0).fit(rows)
    thirds = np.arange(len(rows)) % 3
    one = StudentMixture(random_state=0).fit(rows, starts=[thirds])
    assert whole.log_likelihood_ >= one.log_likelihood_
    known = StudentMixture(random_state=0).fit(rows, starts=[thirds, truth])
    assert known.log_likelihood_ >= one.log_likelihood_
    assert adjusted_rand_score(truth, known.labels_) > 0.85


def test_categories_and_missing_values():
    table = read(made.frame(200), id="id", truth="class")
    model = StudentMixture(random_state=0).fit(table.view(table.main))
    assert adjusted_rand_score(table.truth["class"], model.labels_) > 0.95
    colors = model.level_probabilities_["color"]
    assert colors.shape == (3, 4)
    assert np.allclose(colors.sum(axis=1), 1)
    assert set(colors.argmax(axis=1)) == {0, 1, 3} or len(set(colors.argmax(axis=1))) == 3


def test_new_members(clouds):
    rows, truth = clouds
    model = StudentMixture(random_state=0).fit(rows[::2])
    assert np.array_equal(model.predict(rows[::2]), model.labels_)
    assert np.allclose(model.predict_proba(rows[::2]), model.probabilities_)
    assert adjusted_rand_score(truth[1::2], model.predict(rows[1::2])) > 0.85


def test_one_group_and_as_many_as_rows():
    rows = made.vectors(12, 3, 2)
    assert StudentMixture(n_groups=1).fit_predict(rows).tolist() == [0] * 12
    assert StudentMixture(n_groups=12, random_state=0).fit(rows).partition_.n_groups <= 12
    with pytest.raises(DataError, match="n_groups is 13"):
        StudentMixture(n_groups=13).fit(rows)


@pytest.mark.parametrize(
    "starts", [[], [[0, 1]], [np.full(12, 3)], [np.full(12, -1)], [np.zeros(12)]]
)
def test_starts_are_looked_at(starts):
    with pytest.raises(DataError) as refused:
        StudentMixture(n_groups=3).fit(made.vectors(12, 3, 2), starts=starts)
    assert refused.value.parameter == "starts"

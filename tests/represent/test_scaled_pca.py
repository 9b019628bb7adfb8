"""ScaledPCA: skew, clipping, one unit, categories beside, and rows that come later."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import skew
from sklearn.decomposition import PCA

from coterie.represent import ScaledPCA


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(2).normal([5, -3, 0], [1, 20, 0.1], size=(60, 3))


def test_plain_columns_are_principal_components_of_z_scores(rows):
    scores = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    assert np.abs(scores).max() < 3
    model = ScaledPCA().fit(rows)
    theirs = PCA().fit(scores)
    assert np.allclose(np.abs(model.components_), np.abs(theirs.components_))
    assert np.allclose(model.variance_share_, np.cumsum(theirs.explained_variance_ratio_))
    assert np.allclose(np.abs(model.transform(rows)), np.abs(theirs.transform(scores)))
    assert (model.components_[np.arange(3), np.abs(model.components_).argmax(axis=1)] > 0).all()


def test_all_dimensions_up_to_12_and_beyond_as_many_as_hold_the_variance():
    rng = np.random.default_rng(3)
    few = rng.normal(size=(80, 12)) * np.arange(1, 13) ** 3
    assert ScaledPCA().fit(few).n_features_out_ == 12
    flat = rng.normal(size=(200, 40))
    assert ScaledPCA().fit(flat).n_features_out_ == 20
    thin = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 30)) + 1e-3 * rng.normal(size=(200, 30))
    assert ScaledPCA().fit(thin).n_features_out_ == 3
    assert ScaledPCA(n_components=7).fit(flat).n_features_out_ == 7
    assert ScaledPCA().fit(rng.normal(size=(10, 40))).n_features_out_ <= 9


def test_skewed_columns_are_straightened_and_far_values_cut(rows):
    income = np.exp(np.random.default_rng(4).normal(9, 1, size=60))
    table = pd.DataFrame({"a": rows[:, 0], "income": income, "b": rows[:, 1]})
    model = ScaledPCA().fit(table)
    assert model.straightened_ == ("income",)
    at = list(model.model_.numeric).index(1)
    numbers = table.to_numpy()
    assert abs(skew(model.model_.scaled(numbers)[:, at])) < 0.5 * skew(income)
    assert ScaledPCA(straighten=False).fit(table).straightened_ == ()
    wild = numbers.copy()
    wild[0, 0] = 1e6
    assert np.abs(ScaledPCA(straighten=False).fit(wild).model_.scaled(wild)[:, 0]).max() > 1
    assert np.abs(ScaledPCA().fit(numbers).model_.scaled(wild)[:, 0]).max() < 3.2


def test_columns_of_one_unit_keep_their_proportions():
    rng = np.random.default_rng(5)
    pixels = rng.uniform(0, 16, size=(100, 9)) * np.linspace(0.5, 1, 9)
    model = ScaledPCA().fit(pixels)
    assert model.shares_unit_
    ratio = pdist(model.transform(pixels)) / pdist(pixels)
    assert np.allclose(ratio, ratio[0])
    assert not ScaledPCA().fit(pixels[:, :7]).shares_unit_
    assert not ScaledPCA().fit(pixels * 10.0 ** np.arange(9)).shares_unit_


def test_categories_stand_beside_with_columns_of_two_values():
    rng = np.random.default_rng(6)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=40),
            "smokes": rng.integers(2, size=40) * 5.0,
            "town": rng.choice(["Oslo", "Rome"], size=40),
            "same": np.ones(40),
        }
    )
    model = ScaledPCA().fit(table)
    found = model.represent(table)
    assert found.names == ("component0", "smokes", "town")
    assert found.categories == {1: ("0", "5"), 2: ("Oslo", "Rome")}
    assert np.array_equal(found.values[:, 1], table["smokes"] / 5)
    later = table.head(2).assign(smokes=[5.0, 2.0], town=["Bonn", "Rome"])
    assert model.transform(later)[:, 1:].tolist() == [[1, -1], [-1, 1]]
    codes = model.represent(later).values[:, 1:]
    assert np.array_equal(codes, [[1, np.nan], [np.nan, 1]], equal_nan=True)


def test_missing_numbers_are_the_mean(rows):
    holed = rows.copy()
    holed[3] = np.nan
    model = ScaledPCA().fit(holed)
    assert np.allclose(model.model_.scaled(holed)[3], 0)
    assert np.isfinite(model.transform(holed)).all()


def test_nothing_but_constant_columns():
    assert ScaledPCA().fit_transform(np.ones((5, 3))).shape == (5, 0)

"""Scaling: every method by hand, gaps, words, constant columns, and tables that come later."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from sklearn.preprocessing import RobustScaler

from coterie.core.errors import DataError
from coterie.represent import Scaling


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(2).normal([5, -3, 0], [1, 20, 0.1], size=(60, 3))


def test_each_method(rows):
    standard = Scaling(method="standard").fit_transform(rows)
    assert np.allclose(standard.mean(axis=0), 0)
    assert np.allclose(standard.std(axis=0), 1)
    ranged = Scaling(method="range").fit_transform(rows)
    assert np.allclose([ranged.min(axis=0), ranged.max(axis=0)], [[0, 0, 0], [1, 1, 1]])
    assert np.allclose(
        Scaling(method="robust").fit_transform(rows), RobustScaler().fit_transform(rows)
    )
    assert np.array_equal(Scaling(method="none").fit_transform(rows), rows)


def test_auto_looks_at_the_spreads(rows):
    assert Scaling().fit(rows).method_ == "standard"
    alike = Scaling().fit(rows / [1, 20, 0.1])
    assert alike.method_ == "center"
    assert np.allclose(
        alike.transform(rows / [1, 20, 0.1]),
        rows / [1, 20, 0.1] - (rows / [1, 20, 0.1]).mean(axis=0),
    )
    assert Scaling(factor=1000.0).fit(rows).method_ == "center"


def test_constant_columns_become_zero_and_are_named(rows):
    table = np.hstack([rows, np.full((60, 1), 1e9 / 3)])
    model = Scaling(method="standard").fit(table)
    assert model.constant_ == ("x3",)
    assert not model.transform(table + 1)[:, 3].any()
    half = np.array([[0.0], [0.0], [0.0], [0.0], [8.0]])
    assert np.allclose(Scaling(method="robust").fit_transform(half).std(), 1)


def test_gaps_are_filled_by_the_median():
    table = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan], [10.0, np.nan]])
    model = Scaling(method="none").fit(table)
    assert model.transform(table)[:, 0].tolist() == [1, 3, 3, 10]
    assert model.gaps_.tolist() == [0.25, 1.0]
    assert not model.transform(table)[:, 1].any()


def test_words_become_levels_one_unit_apart():
    frame = pd.DataFrame({"size": [1.0, 1.0, 3.0], "town": ["Oslo", "Rome", None]})
    model = Scaling(method="none").fit(frame)
    found = model.transform(frame)
    assert list(model.get_feature_names_out()) == ["size", "town=Oslo", "town=Rome"]
    assert pdist(found[:2]) == pytest.approx([1.0])
    assert found[2].tolist() == [3, 0, 0]
    later = model.transform(pd.DataFrame({"size": [1.0, 1.0], "town": ["Rome", "Bonn"]}))
    assert np.allclose(later[0], found[1])
    assert later[1, 1:].tolist() == [0, 0]
    assert model.represent(frame).names == ("size", "town=Oslo", "town=Rome")
    with pytest.raises(DataError, match="holds words now"):
        Scaling().fit([[1.0], [2.0]]).transform([["a"]])

"""Hamming and Gower on numbers, words and gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.oracles import vectors as slow

from coterie.compare import Gower, Hamming
from coterie.core.errors import DataError, ParameterError


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [20.0, 40.0, None, 60.0],
            "town": ["Oslo", "Rome", "Oslo", None],
            "same": [1.0, 1.0, 1.0, 1.0],
        }
    )


def test_gower_by_hand(frame):
    found = Gower().fit_transform(frame)
    assert found[0, 1] == pytest.approx((0.5 + 1 + 0) / 3)
    assert found[0, 2] == pytest.approx(0)
    assert found[0, 3] == pytest.approx((1 + 0) / 2)
    assert found[2, 3] == 0
    assert (np.diagonal(found) == 0).all()


def test_gower_against_slow_twin():
    random = np.random.default_rng(5)
    values = random.normal(size=(30, 6))
    values[random.random(values.shape) < 0.3] = np.nan
    values[:, 0] = np.arange(30)
    comparer = Gower(weights={"x2": 3.0, "x4": 0.0}).fit(values)
    width = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    new = values[:5] * 1.5
    expected = slow.all_pairs(slow.gower(width, np.array([1, 1, 3, 1, 0, 1.0])), new, values)
    assert np.allclose(comparer.transform(new), expected)
    assert comparer.transform(new + 1e6).max() <= 1.0 + 1e-12


def test_words_of_later_tables_are_matched_by_name(frame):
    later = pd.DataFrame({"age": [20.0, 40.0], "town": ["Rome", "Ankara"], "same": [1.0, 1.0]})
    gower = Gower().fit(frame)
    assert gower.transform(later)[0] == pytest.approx([1 / 3, 0.5 / 3, 0.5, 0.5])
    assert gower.transform(later)[1] == pytest.approx([1.5 / 3, 1 / 3, 0.5, 0.25])
    words = pd.DataFrame({"a": ["x", "y"], "b": ["p", "q"]})
    assert Hamming().fit(words).transform(pd.DataFrame({"a": ["y"], "b": ["z"]})).tolist() == [
        [1.0, 0.5]
    ]


def test_pairs_without_a_common_column_are_farthest():
    rows = [[1.0, np.nan], [np.nan, 2.0]]
    assert Gower().fit_transform(rows).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_bad_input_is_named(frame):
    with pytest.raises(ParameterError, match="'size'"):
        Gower(weights={"size": 2.0}).fit(frame)
    with pytest.raises(ParameterError, match="at least one column"):
        Gower(weights={"x0": 0.0}).fit([[1.0], [2.0]])
    with pytest.raises(DataError, match="row 1 has no value"):
        Gower().fit([[1.0, 2.0], [np.nan, np.nan]])
    with pytest.raises(DataError, match="holds words now"):
        Gower().fit([[1.0], [2.0]]).compare([["a"]])

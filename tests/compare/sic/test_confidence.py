"""Confidence of members against one-by-one formulas, and what it does with gaps, constants and distances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kurtosis, skew
from tests.oracles.sic_laws import planted, row_confidence

from coterie import Affinity, using
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.confidence import KINDS, confidence, confidences
from coterie.core.affinity import Dense, Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import Silent


class Listening(Silent):
    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, sentence: str) -> None:
        self.said.append(sentence)


def similarities(n: int = 60, seed: int = 1, tested: float = 0.4) -> np.ndarray:
    rows, _ = planted(n, 4, 12, seed, tested)
    codes = Codes(rows)
    first, second = np.triu_indices(n, 1)
    same, both = codes.pairs(first, second)
    out = np.eye(n)
    with np.errstate(invalid="ignore"):
        out[first, second] = out[second, first] = same.sum(axis=1) / both.sum(axis=1)
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_against_one_row_at_a_time(kind):
    values = similarities()
    assert np.isnan(values).any()
    expected = [row_confidence(np.delete(row, j), kind) for j, row in enumerate(values)]
    found = confidence(Dense(values, "similarity"), kind)
    assert np.allclose(found, expected, rtol=1e-10, equal_nan=True)
    assert np.isfinite(found).sum() > 50
    assert np.array_equal(confidences(Dense(values, "similarity"))[kind], found, equal_nan=True)


def test_against_scipy():
    values = np.random.default_rng(2).random((20, 31))
    found = confidences(Dense(values, "similarity", symmetric=False, own=False))
    assert found["skewness_all"] == pytest.approx(skew(values, axis=1))
    corrected = skew(values, axis=1, bias=False) ** 2 + 1
    assert found["bimodality"] == pytest.approx(
        corrected / (kurtosis(values, axis=1, bias=False) + 3 * 30**2 / (29 * 28))
    )
    assert found["variance"] == pytest.approx(values.var(axis=1))
    assert found["max"] == pytest.approx(values.max(axis=1))


def test_c17_long_right_tail_is_positive_skewness():
    random = np.random.default_rng(3)
    values = random.exponential(size=(1, 400))
    values /= values.max()
    found = confidences(Dense(values, "similarity", own=False))
    assert found["skewness_all"][0] > 1
    assert found["skewness"][0] < 0


def test_bimodality_of_even_and_of_two_heaps():
    even = np.linspace(0, 1, 4000)
    heaps = np.concatenate([np.linspace(0, 0.1, 2000), np.linspace(0.9, 1, 2000)])
    found = confidence(Dense(np.stack([even, heaps]), "similarity", own=False), "bimodality")
    assert found[0] == pytest.approx(5 / 9, abs=1e-3)
    assert found[1] > 0.9


def test_bands_do_not_change_anything():
    values = similarities(700, 4, 1.0)
    lazy = Lazy(lambda a, b: values[np.ix_(a, b)], np.arange(700), np.arange(700), "similarity")
    whole = confidences(Dense(values, "similarity"))
    streamed = confidences(lazy)
    for kind in KINDS:
        assert np.array_equal(whole[kind], streamed[kind], equal_nan=True)
    with using(n_jobs=2):
        assert np.array_equal(confidence(lazy, "bimodality"), whole["bimodality"], equal_nan=True)


def test_undefined_rows_are_nan_and_counted():
    values = np.full((6, 6), np.nan)
    values[0, 1:] = 0.25  # constant
    values[1, 2:5] = [0.1, 0.2, 0.9]  # three values only
    values[2, [0, 1, 3, 4]] = [0.1, 0.1, 0.1, 0.9]  # one value above the mean
    values[3] = 0.1 * np.arange(6)
    watch = Listening()
    with using(watch=watch):
        found = confidences(Dense(values, "similarity", symmetric=False))
    assert np.isnan(found["max"]).tolist() == [False] * 4 + [True] * 2
    assert found["variance"][0] == pytest.approx(0)
    assert np.isnan(found["skewness_all"]).tolist() == [True, True, False, False, True, True]
    assert np.isnan(found["bimodality"]).tolist() == [True, True, False, False, True, True]
    assert np.isnan(found["skewness"]).tolist() == [True, True, True, False, True, True]
    assert "2 of 6 members have no 'max'" in watch.said[0]
    assert len(watch.said) == 5


def test_quality_goes_with_max_on_planted_classes():
    """Members whose codes are noise have a lower largest similarity."""
    rows, _ = planted(120, 4, 80, 5)
    random = np.random.default_rng(6)
    noisy = np.arange(120) % 3 == 0
    rows[:, noisy] = random.integers(0, 25, (80, int(noisy.sum())))
    codes = Codes(rows)
    first, second = np.triu_indices(120, 1)
    same, _ = codes.pairs(first, second)
    values = np.eye(120)
    values[first, second] = values[second, first] = same.mean(axis=1)
    found = confidence(Dense(values, "similarity"))
    assert found[noisy].max() < found[~noisy].min()


def test_refusals():
    with pytest.raises(ParameterError, match=r"max \| variance"):
        confidence(Affinity.of(np.eye(5), "similarity"), "best")
    with pytest.raises(DataError, match="this is a distance"):
        confidence(Affinity.of(1 - np.eye(5), "distance"))

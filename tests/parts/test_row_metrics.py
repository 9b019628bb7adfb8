"""Distances of vectors inside sets against scipy, with twins, ties, far values, and functions of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from coterie import Ragged
from coterie.core.errors import DataError, ParameterError
from coterie.parts.row_metrics import NAMES, row_metric


def sets(seed: int, sizes: list[int], d: int = 4) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of([rng.random(size=(n, d)) + 0.1 for n in sizes], ordered=False)


@pytest.mark.parametrize("name", NAMES)
def test_distances_are_those_of_scipy(name):
    rows = sets(0, [5, 9])
    cols = sets(1, [7])
    found = row_metric(name, rows, cols).between(rows.values, cols.values)
    assert np.allclose(found, cdist(rows.values, cols.values, name), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_keys_rise_with_distances_and_padding_is_infinite(name):
    rows = sets(2, [5, 9, 1])
    metric = row_metric(name, rows)
    points = metric.side(rows, pad=1)
    cols = metric.side(rows)
    keys = metric.keys(points, slice(3, 11), cols)
    assert keys.shape == (8, 8 + 16 + 8)
    real = np.concatenate([np.arange(s.start, s.stop) for s in (cols.span(i) for i in range(3))])
    assert np.isinf(np.delete(keys, real, axis=1)).all()
    far = cdist(rows.values[3:11], rows.values, name)
    off = far > 1e-9
    assert np.array_equal(np.argsort(keys[:, real][off]), np.argsort(far[off]))
    with np.errstate(divide="ignore"):
        logs = metric.slope * np.log(keys[:, real]) + metric.shift
    assert np.allclose(logs[off], np.log(far[off]), atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_twins_are_at_distance_zero_wherever_they_lie(name):
    base = sets(3, [40], d=17).values
    rows = Ragged.of([base + 1e3, np.concatenate([base[::-1] + 1e3, base[:3]])], ordered=False)
    found = row_metric(name, rows).between(rows[0], rows[1])
    assert not found[np.arange(40), 39 - np.arange(40)].any()


def test_euclidean_keeps_its_digits_far_from_the_middle():
    rng = np.random.default_rng(4)
    rows = Ragged.of(
        [1e6 + rng.normal(size=(30, 3)), 1e-3 * rng.normal(size=(30, 3)) - 1e6], ordered=False
    )
    metric = row_metric("euclidean", rows)
    for one in rows:
        found = metric.between(one, one)
        wanted = cdist(one, one)
        assert np.allclose(found, wanted, rtol=1e-13, atol=0)


def test_whole_numbers_tie():
    rng = np.random.default_rng(5)
    rows = Ragged.of(
        [rng.integers(0, 50, size=(200, 6)).astype(float) for _ in range(2)], ordered=False
    )
    metric = row_metric("euclidean", rows)
    squares = (metric.between(rows[0], rows[1]) ** 2).ravel()
    whole = np.rint(squares)
    assert np.abs(squares - whole).max() <= metric.tie / 2 * whole.max()


def test_parallel_vectors_have_one_direction():
    rows = Ragged.of(
        [
            np.array([[0.1, 0.7, 0.3]]),
            3.0 * np.array([[0.1, 0.7, 0.3]]),
            np.array([[1.0, 0.0, 0.0]]),
        ]
    )
    found = row_metric("cosine", rows).between(rows.values, rows.values)
    assert found[0, 1] == 0.0
    assert found[0, 2] > 0.1


def test_very_large_and_very_small_values():
    rows = sets(6, [4, 5])
    for factor in (1e140, 1e-250):
        found = row_metric("euclidean", rows.with_values(rows.values * factor)).between(
            rows[0] * factor, rows[1] * factor
        )
        assert np.allclose(found / factor, cdist(rows[0], rows[1]), rtol=1e-9)


def test_a_function_of_two_arrays():
    rows = sets(7, [3, 4])
    found = row_metric(lambda a, b: np.abs(a[:, None, 0] - b[None, :, 0]), rows).between(
        rows[0], rows[1]
    )
    assert np.allclose(found, np.abs(rows[0][:, :1] - rows[1][:, 0]))


def test_what_is_no_metric_is_refused_by_one_sentence():
    rows = sets(8, [3, 4])
    for wrong in ("mahalanobis", "nearest", 3):
        with pytest.raises(
            ParameterError,
            match=r"Mine: metric must be euclidean \| .* or a function of two arrays, and was",
        ):
            row_metric(wrong, rows, owner="Mine")
    with pytest.raises(
        ParameterError, match=r"one distance per pair of vectors, \(3, 4\) here, and gave \(3,\)"
    ):
        row_metric(lambda a, b: a[:, 0], rows).between(rows[0], rows[1])
    with pytest.raises(ParameterError, match="the distance -1, and none is below 0"):
        row_metric(lambda a, b: np.full((len(a), len(b)), -1.0), rows).between(rows[0], rows[1])


def test_members_without_a_distance_are_named():
    rows = Ragged.of(
        [np.ones((2, 3)), np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), np.ones((1, 3))]
    )
    with pytest.raises(DataError, match="Mine: member 1 has a vector of zeros"):
        row_metric("cosine", rows, owner="Mine")
    with pytest.raises(DataError, match="member 0 has a vector whose values are all equal"):
        row_metric("correlation", rows)
    metric = row_metric("braycurtis", Ragged.of([rows[2], rows[0] * 0]), owner="Mine")
    side = metric.side(Ragged.of([rows[2], rows[0], rows[0] * 0]))
    with pytest.raises(
        DataError, match="Mine: a vector of member 2 has no distance by the metric 'braycurtis'"
    ):
        metric.keys(side, slice(16, 18), side)
    own = row_metric(lambda a, b: np.where(b[None, :, 0] > 1.5, np.nan, 1.0) + 0 * a[:, :1], rows)
    side = own.side(Ragged.of([rows[0], rows[0], 2 * rows[0]]))
    with pytest.raises(DataError, match="a vector of member 2 has no distance"):
        own.keys(side, slice(0, 2), side)

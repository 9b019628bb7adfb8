"""Squared distances of two blocks against sums of differences."""

from __future__ import annotations

import numpy as np
import pytest

from coterie._kernels.vectors import finish_squares
from coterie.parts.squares import squared_lengths, squares


def exact(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [[sum((x - y) ** 2 for x, y in zip(one, two, strict=True)) for two in b] for one in a]
    )


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e8])
def test_near_rows_far_from_the_origin_keep_their_digits(shift):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(9, 3)) + shift
    b = np.concatenate(
        [a[:4] + rng.normal(size=(4, 3)) * 1e-3, rng.normal(size=(3, 3)) * 50 + shift, a[5:6]]
    )
    found = squares(a, b)
    np.testing.assert_allclose(found, exact(a, b), rtol=1e-9)
    assert found[5, 7] == 0.0
    assert np.array_equal(found, squares(a, b, squared_lengths(a), squared_lengths(b)))


def test_rows_need_not_be_contiguous_doubles():
    rng = np.random.default_rng(1)
    a = rng.integers(-5, 6, size=(4, 8))
    b = rng.normal(size=(3, 8))[::-1]
    np.testing.assert_allclose(
        squares(a[:, ::2], b[:, ::2]), exact(a[:, ::2], b[:, ::2]), rtol=1e-12
    )


def test_the_kernel_snaps_what_is_near_and_leaves_padding_infinite():
    a = np.array([[1.0, 0.0], [0.0, 0.0]])
    b = np.array([[1.0 + 1e-9, 0.0], [1.0, 0.01], [0.0, 0.0]])
    lengths = np.array([*squared_lengths(b[:2]), np.inf])
    for snap, least in ((0.0, (1e-9) ** 2), (1e-12, 0.0)):
        out = a @ b.T
        finish_squares(a, b, squared_lengths(a), lengths, 1e-3, snap, out)
        np.testing.assert_allclose(
            out, [[least, 1e-4, np.inf], [(1 + 1e-9) ** 2, 1.0001, np.inf]], rtol=1e-6
        )

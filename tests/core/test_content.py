"""Members by what they hold: keys, orders and samples that follow the rows wherever they stand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.random import content_keys, content_order, content_sample


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_keys_follow_the_rows(form):
    generator = np.random.default_rng(0)
    rows = generator.poisson(1.0, size=(50, 6)).astype(float)
    order = generator.permutation(50)
    keys = content_keys(form(rows), 3)
    np.testing.assert_array_equal(keys[order], content_keys(form(rows[order]), 3))
    same = (rows[:, None] == rows[None]).all(axis=2)
    np.testing.assert_array_equal(keys[:, None] == keys[None], same)
    assert (content_keys(form(rows), 4) != keys).all()


def test_order_and_sample_hold_the_same_members_in_any_order():
    rows = np.random.default_rng(1).normal(size=(40, 3))
    order = np.random.default_rng(2).permutation(40)
    np.testing.assert_array_equal(
        rows[content_order(rows, 1)], rows[order][content_order(rows[order], 1)]
    )
    drawn = {tuple(row) for row in rows[content_sample(rows, 7, 1)]}
    again = {tuple(row) for row in rows[order][content_sample(rows[order], 7, 1)]}
    assert drawn == again
    assert len(drawn) == 7


def test_minus_zero_is_zero():
    assert content_keys(np.array([[-0.0]])) == content_keys(np.array([[0.0]]))

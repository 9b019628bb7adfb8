"""Members are dealt into folds category by category, and drawn with the share of every category."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.parts.folds import dealt, drawn


def test_every_fold_has_its_share_of_every_category():
    yes = np.repeat([True, False], [10, 90])
    fold = dealt(np.stack([yes, ~yes], axis=1), 5, stream(0))
    assert np.bincount(fold).tolist() == [20] * 5
    assert np.bincount(fold[yes]).tolist() == [2] * 5


def test_a_rare_category_is_dealt_even_where_its_members_have_others_too():
    table = np.zeros((100, 2), dtype=bool)
    table[:, 0] = True
    table[:10, 1] = True
    fold = dealt(table, 5, stream(1))
    assert np.bincount(fold[:10], minlength=5).tolist() == [2] * 5


def test_as_many_folds_as_members_leaves_one_out():
    assert sorted(dealt(np.ones(7, dtype=bool), 7, stream(0)).tolist()) == list(range(7))


def test_same_generator_same_folds_and_another_differs():
    yes = np.arange(40) % 3 == 0
    assert np.array_equal(dealt(yes, 4, stream(5)), dealt(yes, 4, stream(5)))
    assert not np.array_equal(dealt(yes, 4, stream(5)), dealt(yes, 4, stream(6)))


@pytest.mark.parametrize("folds", [1, 11])
def test_too_few_or_too_many_folds_are_refused(folds):
    with pytest.raises(ParameterError, match="from 2 to the number of members"):
        dealt(np.ones(10, dtype=bool), folds, stream(0))


def test_drawn_keeps_shares_and_the_least_of_each():
    yes = np.repeat([True, False], [5, 95])
    found = drawn(np.stack([yes, ~yes], axis=1), 20, stream(0))
    assert len(found) == 20
    assert int(yes[found].sum()) == 1
    assert np.array_equal(found, np.unique(found))
    assert int(yes[drawn(np.stack([yes, ~yes], axis=1), 20, stream(0), least=3)].sum()) == 3
    with pytest.raises(DataError, match="cannot be drawn"):
        drawn(yes, 101, stream(0))

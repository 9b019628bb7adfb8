"""Numbers and yes/no as a person gives them: taken as meant, or refused with the place; nothing becomes yes by being no zero."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.core.given import numbers_of, whole_of, yes_no_of


def test_what_is_meant_is_taken():
    assert numbers_of([True, 2, 0.5], "x").tolist() == [1.0, 2.0, 0.5]
    assert np.isnan(numbers_of([1, None], "x")[1])
    assert numbers_of([], "x").shape == (0,)
    assert whole_of([1.0, 2], "x").tolist() == [1, 2]
    for given in ([1, 0], [1.0, 0.0], [True, False], np.array([True, 0], dtype=object)):
        assert yes_no_of(given, "x").tolist() == [True, False]
    assert yes_no_of([], "x").shape == (0,)


@pytest.mark.parametrize(
    ("taken", "given", "said"),
    [
        (numbers_of, ["a"], "x must be numbers, and value 0 is 'a'"),
        (numbers_of, [[1, 2], [3]], "rows of unequal length"),
        (numbers_of, np.array([1, "2"], dtype=object), "value 1 is '2'"),
        (numbers_of, [1j], "value 0 is 1j"),
        (whole_of, [1, 1.7], "whole numbers, and value 1 is 1.7"),
        (whole_of, [np.inf], "value 0 is inf"),
        (yes_no_of, ["yes", "no"], "yes or no .* and value 0 is 'yes'"),
        (yes_no_of, ["1", "0"], "value 0 is '1'"),
        (yes_no_of, [1, 2], "value 1 is 2"),
        (yes_no_of, [[0, 1], [0, np.nan]], "the value in row 1, column 1 is nan"),
        (yes_no_of, [True, None], "value 1 is None"),
        (yes_no_of, 3, "it is 3"),
    ],
)
def test_the_rest_is_refused_with_its_place(taken, given, said):
    with pytest.raises(DataError, match=said):
        taken(given, "x")

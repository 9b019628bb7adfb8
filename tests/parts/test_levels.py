"""Codes of later tables in the levels that were seen first."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Table
from coterie.core.errors import DataError
from coterie.parts.levels import recoded


def test_codes_follow_names_and_new_words_get_new_codes():
    later = Table.of([["b", 1.0], ["z", 2.0], [None, 3.0], ["y", 4.0]])
    found = recoded(later, {0: ("a", "b")}, "Here")
    assert found[[0, 1, 3], 0].tolist() == [1.0, 3.0, 2.0]
    assert np.isnan(found[2, 0])
    assert found[:, 1].tolist() == [1, 2, 3, 4]
    assert later.values[0, 0] == 0


def test_a_column_of_numbers_is_matched_by_its_digits():
    assert recoded(Table.of([[7.0], [1.0]]), {0: ("1", "7", "x")}, "Here").ravel().tolist() == [
        1,
        0,
    ]


def test_words_where_numbers_were_are_refused():
    with pytest.raises(DataError, match="Here: column 'x0' held numbers"):
        recoded(Table.of([["a"]]), {}, "Here")

"""Sequences checked before anything is learned from them."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Ragged
from coterie.core.errors import DataError
from coterie.parts.sequences import checked

FINE = Ragged.of([[[1.0, np.nan], [2.0, 3.0]], [[4.0, 5.0]]])


def test_what_is_fine_passes_as_float64():
    kept = checked(
        Ragged(FINE.values.astype(np.float32), FINE.offsets, True, ("a", "b"), 10.0), "Method"
    )
    assert kept.values.dtype == np.float64
    assert (kept.names, kept.rate) == (("a", "b"), 10.0)
    assert np.isnan(kept.values[0, 1])


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (Ragged(np.zeros((2, 1)), np.array([0, 2, 2])), "Method: member 1 is empty"),
        (Ragged.of([[[1.0]], [[0.0], [np.inf]]]), "Method: member 1 has an infinite value"),
        (Ragged.of([[[1.0]], [[np.nan], [np.nan]]]), "Method: member 1 has no value at any step"),
        (Ragged(np.zeros((2, 0)), np.array([0, 2])), "no values per step"),
        (Ragged.of([[[1.0]]], ordered=False), "Method takes sequences, and these members are sets"),
        (FINE, "new members have 2 values per step where the fitted ones have 3"),
    ],
)
def test_every_refusal_names_the_method_and_the_member(view, said):
    with pytest.raises(DataError, match=said):
        checked(view, "Method", ordered=True, dim=3 if view is FINE else None)


def test_members_without_a_value_pass_where_they_may():
    blank = Ragged.of([[[np.nan], [np.nan]]])
    assert len(checked(blank, "Method", blank=True)) == 1

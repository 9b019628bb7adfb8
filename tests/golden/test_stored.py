"""The golden files themselves: what is small, what counts as moved, and that a moved number fails."""

from __future__ import annotations

import numpy as np
import pytest

from tests.golden import stored


def test_a_number_within_the_tolerance_has_not_moved():
    old = stored.small({"score": 1.0, "labels": np.array([0, 1, 1])})
    new = stored.small({"score": 1.0 + 1e-9, "labels": np.array([0, 1, 1])})
    assert not list(stored.differences(old, new, stored.RTOL, stored.ATOL))


def test_one_label_that_moved_is_found_however_long_the_array():
    labels = np.zeros(5000, dtype=int)
    other = labels.copy()
    other[4321] = 1
    moved = stored.differences(stored.small(labels), stored.small(other), 0.0, 0.0)
    assert len(list(moved)) == 1


def test_an_entry_outside_the_sample_moves_the_norm():
    values = np.random.default_rng(0).normal(size=1000)
    other = values.copy()
    other[17] += 1.0
    moved = stored.differences(stored.small(values), stored.small(other), 1e-5, 1e-7)
    assert list(moved)


def test_what_moved_fails_and_names_the_place(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "FILES", tmp_path)
    monkeypatch.setenv("COTERIE_GOLDEN", "update")
    stored.check("area", "case", {"evidence": {"stability": 0.5}})
    monkeypatch.setenv("COTERIE_GOLDEN", "")
    stored.check("area", "case", {"evidence": {"stability": 0.5}})
    with pytest.raises(AssertionError, match=r"evidence\.stability: 0\.5 before, 0\.6 now"):
        stored.check("area", "case", {"evidence": {"stability": 0.6}})


def test_a_case_without_a_file_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "FILES", tmp_path)
    monkeypatch.delenv("COTERIE_GOLDEN", raising=False)
    with pytest.raises(AssertionError, match="no golden file yet"):
        stored.check("area", "new", 1)

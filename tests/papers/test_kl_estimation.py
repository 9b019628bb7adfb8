"""The experiment on divergences of known laws: samples have those laws, and the table and its relations are there."""

from __future__ import annotations

import json

import numpy as np
import pytest

from coterie_papers.kl_estimation import (
    CUBE,
    EXPERIMENT,
    RISKS,
    cube,
    estimates,
    risk_of_law,
    scaled,
    shifted,
)


def test_samples_have_the_laws_they_are_named_for():
    pair = shifted(0.75, 3, 4000, 0)
    assert pair.lengths.tolist() == [4000, 4000]
    assert pair[0].mean(axis=0) == pytest.approx(np.zeros(3), abs=0.07)
    assert pair[1].mean(axis=0) == pytest.approx(np.full(3, 0.75), abs=0.07)
    box = cube(2000, 0)[1]
    assert (box.min() > -3, box.max() < 3) == (True, True)
    assert box.std() == pytest.approx(np.sqrt(3), abs=0.05)
    assert scaled(2000, 0)[1].std() == pytest.approx(2.0, abs=0.05)
    assert pytest.approx(1.1185, abs=1e-3) == CUBE
    assert not np.array_equal(shifted(0.5, 2, 50, 0).values, shifted(0.5, 2, 50, 1).values)


def test_the_limit_of_the_risk():
    found = risk_of_law(np.array([1e-6, 0.3, 0.5, 0.7]))
    assert found[2] == pytest.approx(0.398, abs=1e-3)
    assert found[1] == pytest.approx(found[3], abs=1e-9)
    assert found[0] < 1e-5
    assert risk_of_law(np.array([0.3]), shift=0.0)[0] == pytest.approx(0.42, abs=1e-6)


def test_every_estimate_gives_a_number_that_does_not_depend_on_the_day():
    pair = shifted(0.75, 5, 120, 3)
    first = estimates(pair)
    assert set(first) == set(RISKS)
    assert first == estimates(shifted(0.75, 5, 120, 3))
    assert all(0 < value < 7 for value in first.values())


def test_a_quick_run_fills_the_table():
    result = EXPERIMENT.conduct(quick=True)
    assert {row.method for row in result.rows} == set(RISKS)
    assert all(np.isfinite(row.ours) for row in result.rows)
    assert any(row.paper is not None for row in result.rows)
    held = [one for one in result.relations if "D = 10" in one.text]
    assert len(held) == 4
    assert all(one.holds for one in held)
    assert len(result.pictures) == 3
    assert all(row["ours"] is not None for row in json.loads(result.to_json())["rows"])

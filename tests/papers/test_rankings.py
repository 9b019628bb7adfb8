"""The experiment on hidden orders runs in its quick form, and every relation it states is one of its numbers."""

from __future__ import annotations

import numpy as np

from coterie_papers import rankings
from coterie_papers.experiment import Ledger
from coterie_papers.rankings import COUNT, EXPERIMENT, HIDDEN, MEAN, METHODS, NOISES, OURS


def test_quick_form_recovers_the_orders_better_than_counting():
    result = EXPERIMENT.conduct(quick=True, seeds=2)
    assert len(result.rows) == len(METHODS) * len(NOISES) * 2 * 2
    assert all(
        relation.holds
        for relation in result.relations
        if "counting" in relation.text or "F never" in relation.text
    )
    ours = {
        row.data: row.ours for row in result.rows if row.method == OURS and row.measure == "Kendall"
    }
    counted = {
        row.data: row.ours
        for row in result.rows
        if row.method == COUNT and row.measure == "Kendall"
    }
    assert all(ours[data] > counted[data] for data in ours)
    assert result.pictures[0].x == NOISES


def test_the_mean_rank_is_asked_at_every_noise_and_may_be_better():
    found = {(method, name): [0.2, 0.3] for method in METHODS for name in HIDDEN}
    found |= {(OURS, name): [0.6, 0.7] for name in HIDDEN} | {(MEAN, "directors"): [0.8, 0.9]}
    for noise in NOISES:
        ledger = Ledger()
        rankings._relations(ledger, noise, found)
        asked = {
            relation.text: relation.holds
            for relation in ledger.relations
            if "mean rank" in relation.text
        }
        assert asked == {
            f"actors, noise {noise:g}: better than the mean rank of the movies (0.65, 0.25)": True,
            f"directors, noise {noise:g}: better than the mean rank of the movies (0.65, 0.85)": False,
        }
        assert sum("table of actors" in relation.text for relation in ledger.relations) == 2


def test_above_asks_for_twice_the_standard_error():
    found = {("a", "x"): [1.0, 0.0, 1.0], ("b", "x"): [0.5, 0.5, 0.5], ("c", "x"): [0.0, -1.0, 0.0]}
    assert not rankings._above(found, "x", "a", "b")
    assert rankings._above(found, "x", "a", "c")
    assert np.isclose(np.mean(found["a", "x"]), 2 / 3)

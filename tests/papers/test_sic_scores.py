"""sic-scores on a few digits: like and unlike pairs once each, shapes that add up, and relations that hold there."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from coterie.core.affinity import Dense
from coterie.core.table import Table
from coterie_papers import sic_scores
from coterie_papers.experiments import find
from coterie_papers.sic_collections import Bed


def test_pairs_are_told_apart_once_and_missing_ones_left_out() -> None:
    values = np.array([[9.0, 1.0, 2.0], [1.0, 9.0, np.nan], [2.0, np.nan, 9.0]])
    like, unlike = sic_scores.pairs(Dense(values, "similarity"), np.array([0, 0, 1]))
    assert like.tolist() == [1.0]
    assert unlike.tolist() == [2.0]


def test_shapes_are_shares_over_one_axis() -> None:
    drawn = np.random.default_rng(0)
    found = sic_scores.shapes("toy", drawn.normal(2, 1, 400), drawn.normal(size=500))
    assert [sum(line) for line in found.lines.values()] == [pytest.approx(1), pytest.approx(1)]
    assert np.argmax(found.lines["like pairs"]) > np.argmax(found.lines["unlike pairs"])
    assert (
        sic_scores.from_normal(drawn.normal(size=4000))
        < 0.03
        < sic_scores.from_normal(drawn.exponential(size=4000))
    )
    assert abs(sic_scores.peak(np.append(drawn.uniform(-1, 1, 50), np.full(100, 0.5))) - 0.5) < 0.03


def test_relations_hold_on_a_few_digits(monkeypatch) -> None:
    rows, classes = load_digits(return_X_y=True)
    bed = Bed(
        "digits",
        Table.of(rows[:150]),
        classes[:150],
        {"diverter": "nearest", "train_size": 0.1, "n_labels": 20},
    )
    monkeypatch.setattr(sic_scores, "beds", lambda trial, ledger: [bed])
    found = find("sic-scores").conduct(quick=True)
    assert [relation.text for relation in found.relations if not relation.holds] == []
    assert len(found.relations) == 3
    assert len(found.pictures) == 2

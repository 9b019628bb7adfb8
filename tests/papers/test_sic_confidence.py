"""sic-confidence on a few digits under other names: both columns of the source for recordings stand beside the same runs."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_digits

from coterie.core.table import Table
from coterie_papers import sic_confidence
from coterie_papers.experiments import find
from coterie_papers.sic_collections import Bed


@pytest.fixture(scope="module")
def result():
    rows, classes = load_digits(return_X_y=True)
    settings = {"diverter": "nearest", "train_size": 0.1, "n_labels": 20}
    names = ("generated mentions", "digits, 600", "JapaneseVowels")
    beds = [Bed(name, Table.of(rows[:150]), classes[:150], settings) for name in names]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sic_confidence, "beds", lambda trial, ledger: beds)
        return find("sic-confidence").conduct(quick=True)


def test_both_columns_of_recordings_stand_beside_the_same_runs(result) -> None:
    rows = {(row.method, row.measure): row for row in result.rows if row.data == "JapaneseVowels"}
    assert len(rows) == 16
    wanted = {
        "max": (0.416, 0.381),
        "variance": (-0.04, -0.036),
        "skewness": (0.542, 0.536),
        "bimodality": (-0.508, -0.556),
    }
    for kind, numbers in wanted.items():
        for measure, number in zip(("Pearson with AP", "Spearman with AP"), numbers, strict=True):
            tiny = rows[kind, measure]
            large = rows[f"{kind} (beside AUDIO)", measure]
            assert large.paper == number != tiny.paper
            assert (large.ours, large.se) == (tiny.ours, tiny.se)
    assert rows["max", "Pearson with AP"].paper == 0.470


def test_other_data_have_one_column_or_none(result) -> None:
    rows = [row for row in result.rows if row.data != "JapaneseVowels"]
    assert len(rows) == 16
    assert not any("beside" in row.method for row in rows)
    assert {row.paper is None for row in rows if row.data == "digits, 600"} == {True}
    assert [row.paper for row in rows if row.data == "generated mentions"][:2] == [0.367, 0.330]


def test_max_is_asked_once_for_each_data_set(result) -> None:
    assert [relation.text.split(":")[0] for relation in result.relations] == [
        "generated mentions",
        "digits, 600",
        "JapaneseVowels",
    ]
    assert len(result.pictures) == 3
    rank = next(
        row.ours for row in result.rows if (row.method, row.measure) == ("max", "Spearman with AP")
    )
    assert result.relations[0].holds == (rank >= 0.2)
    assert f"Spearman {rank:.2f}" in result.relations[0].text

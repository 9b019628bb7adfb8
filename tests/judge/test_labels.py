"""Reading of labels: unknown truth, unassigned members, missing values of other libraries, the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from coterie.core.errors import DataError
from coterie.judge import contingency
from coterie.judge.labels import code_partition, code_truth


@pytest.mark.parametrize(
    "truth",
    [
        ["b", None, "a", ""],
        ["b", float("nan"), "a", "  "],
        np.array(["b", None, "a", np.nan], dtype=object),
        pd.Series(["b", pd.NA, "a", None]),
        pd.Series(["b", None, "a", None], dtype="string"),
        pl.Series(["b", None, "a", ""]),
    ],
)
def test_unknown_truth_in_every_dress(truth):
    coded = code_truth(truth)
    assert coded.codes.tolist() == [1, -1, 0, -1]
    assert coded.names == ("a", "b")


def test_numbers():
    assert code_truth([3.0, np.nan, 1.0]).codes.tolist() == [1, -1, 0]
    assert code_truth([1, -1]).names == (-1, 1)
    assert code_partition([1, -1, 5]).codes.tolist() == [0, -1, 1]
    assert code_partition([1.0, -1.0, np.nan]).codes.tolist() == [0, -1, -1]
    assert code_partition(["x", None, "y"]).codes.tolist() == [0, -1, 1]
    assert code_partition(pd.Series([2, None, 0], dtype="Int64")).codes.tolist() == [1, -1, 0]
    assert code_truth([True, False]).names == (False, True)
    assert code_truth([2, 10, 1, "a"]).names == (1, 2, 10, "a")


def test_a_label_that_is_a_list_is_named():
    with pytest.raises(DataError, match="Label 1 is a list"):
        code_truth(["a", ["b"]])


def test_table_counts_and_what_is_left_out():
    table = contingency([0, 0, 7, 7, -1, 7, 9], ["a", "b", "b", "b", "b", "a", None])
    assert table.clusters == (0, 7)
    assert table.classes == ("a", "b")
    assert table.table.tolist() == [[1, 1], [1, 2]]
    assert (table.n, table.unknown, table.unassigned.tolist()) == (6, 1, [0, 1])
    assert table.cluster_sizes.tolist() == [2, 3]
    assert table.class_sizes.tolist() == [2, 4]
    assert table.with_singletons().table.tolist() == [[1, 1], [1, 2], [0, 1]]
    assert contingency(table) is table


def test_arguments_are_not_changed_and_many_singletons_fit():
    n = 200_000
    labels = np.arange(n) - 1
    truth = np.arange(n)
    before = labels.copy()
    table = contingency(labels, truth)
    assert table.n == n
    assert len(table.clusters) == n - 1
    assert np.array_equal(labels, before)

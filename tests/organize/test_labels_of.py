"""Categories are read from one label each, several each, or a table, and given back in the same form."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from coterie import Partition
from coterie.core.errors import DataError
from coterie.organize import Categories
from coterie.organize.labels_of import as_array


def test_one_label_each():
    said = Categories.of(np.array(["b", "a", "b"]))
    assert said.names == ("a", "b")
    assert said.single
    assert said.codes.tolist() == [1, 0, 1]
    assert said.sizes.tolist() == [1, 2]
    assert said.given_back(said.indicator).tolist() == ["b", "a", "b"]


@pytest.mark.parametrize("nothing", [None, "", "  ", float("nan")])
def test_unknown_members_are_marked(nothing):
    said = Categories.of(["x", nothing, "y"])
    assert said.known.tolist() == [True, False, True]
    assert said.codes.tolist() == [0, -1, 1]


def test_several_labels_each_and_none():
    said = Categories.of([["a", "b"], set(), None, ("b",)])
    assert not said.single
    assert said.known.tolist() == [True, True, False, True]
    assert said.sizes.tolist() == [1, 2]
    assert said.given_back(said.indicator) == [("a", "b"), (), (), ("b",)]


@pytest.mark.parametrize(
    "form",
    [np.array, sp.csr_array, lambda rows: rows, lambda rows: [np.array(row) for row in rows]],
)
def test_a_table_in_all_its_forms(form):
    rows = [[1, 0, 1], [0, 0, 1]]
    said = Categories.of(form(rows))
    assert said.form == "table"
    assert said.names == (0, 1, 2)
    assert said.given_back(said.indicator).tolist() == rows


def test_names_fix_the_order_and_refuse_others():
    assert Categories.of(["b", "a"], names=["b", "c", "a"]).codes.tolist() == [0, 2]
    with pytest.raises(DataError, match="member 1 is labeled 'z', which is none of the categories"):
        Categories.of(["a", "z"], names=["a", "b"])
    with pytest.raises(DataError, match="3 categories and there are 2 names"):
        Categories.of(np.zeros((2, 3)), names=["a", "b"])


def test_a_partition_is_labels_too():
    assert Categories.of(Partition.of(["x", None, "y"])).known.tolist() == [True, False, True]


def test_a_column_of_labels_is_taken_and_said():
    with pytest.warns(DataConversionWarning, match="column-vector"):
        assert Categories.of(np.array([[3], [4]])).names == (3, 4)
    assert Categories.of(np.array([[0], [1]])).form == "table"


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([], "there are no labels"),
        ([None, ""], "none of the 2 members has a label"),
        ("abc", "labels are a list or an array"),
        (3, "labels are a list or an array"),
        ([["a"], "b"], "the label of member 1 is 'b'; put it in a list"),
        ([["a", None]], "a label of member 0 is None"),
        ([0.5, 1.0], "member 0 is 0.5; labels are words or whole numbers, and not continuous"),
        (np.array([[0, 2]]), "0 or 1 in every cell, and member 0 has"),
        (np.array([["a", "b"]]), "0 or 1 in every cell"),
        (np.zeros((2, 2, 2)), "one or two dimensions"),
    ],
)
def test_bad_labels_are_one_sentence(labels, sentence):
    with pytest.raises(DataError, match=sentence):
        Categories.of(labels)


def test_names_keep_what_they_are():
    assert as_array([1, 2]).dtype.kind == "i"
    assert as_array(["a", "b"]).dtype.kind == "U"
    assert as_array([1, "b"]).tolist() == [1, "b"]


def test_complex_labels_are_refused() -> None:
    with pytest.raises(DataError, match="a label of member 0 is"):
        Categories.of(np.array([1j, 2j]))

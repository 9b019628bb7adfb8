"""Labels and pairs from files: two columns, one of several, empty ones, two labels for one member."""

from __future__ import annotations

import pytest

from coterie.collect.hints import read_hints, read_labels, read_pairs
from coterie.core.errors import DataError


def written(folder, name, *lines):
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def test_two_columns_are_members_and_labels_and_empty_ones_are_unknown(tmp_path):
    path = written(tmp_path, "labels.csv", "id,label", "a,tea", "b,", "c,coffee", "a,tea")
    assert read_labels(path) == {"a": "tea", "c": "coffee"}


def test_one_column_of_a_wider_table(tmp_path):
    path = written(tmp_path, "labels.csv", "id,group,kind", "a,1,tea", "b,2,", "c,1,coffee")
    assert read_labels(path, "kind") == {"a": "tea", "c": "coffee"}
    with pytest.raises(
        DataError, match=r"has 3 columns \(id, group, kind\); name the one that holds the labels"
    ):
        read_labels(path)


def test_a_member_has_one_label(tmp_path):
    path = written(tmp_path, "labels.csv", "id,label", "a,tea", "a,coffee")
    with pytest.raises(DataError, match="labels 'a' both 'tea' and 'coffee'"):
        read_labels(path)


def test_pairs_and_settings_become_hints(tmp_path):
    pairs = written(tmp_path, "pairs.csv", "one,other", "a,b", "c,d")
    labels = written(tmp_path, "labels.csv", "id,label", "a,tea")
    assert read_pairs(pairs) == [("a", "b"), ("c", "d")]
    assert read_hints(labels=labels, apart=pairs, scheme="constrained", pair_weight=None) == {
        "labels": {"a": "tea"},
        "apart": [("a", "b"), ("c", "d")],
        "scheme": "constrained",
    }
    with pytest.raises(DataError, match="no file of labels"):
        read_hints(label_column="kind")
    with pytest.raises(DataError, match="gone"):
        read_labels(tmp_path / "gone.csv")


def test_a_file_without_a_head_loses_no_row(tmp_path):
    labels = written(tmp_path, "bare.csv", "a,tea", "b,coffee", "c,tea")
    assert read_labels(labels) == {"a": "tea", "b": "coffee", "c": "tea"}
    pairs = written(tmp_path, "pairs.csv", "a,b", "b,c")
    assert read_pairs(pairs) == [("a", "b"), ("b", "c")]


def test_a_file_that_labels_nobody_is_refused(tmp_path):
    for lines in (("id,label",), ("id,label", "a,", "b,")):
        with pytest.raises(DataError, match=r"none\.csv"):
            read_labels(written(tmp_path, "none.csv", *lines))
    with pytest.raises(DataError, match="has no column 'nope'; it has id, label"):
        read_labels(written(tmp_path, "some.csv", "id,label", "a,x"), "nope")

"""The shared types: what they accept, what they refuse and with which sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coterie import Affinity, Collection, Cooccurrence, Partition, Ragged, Table, TaggedText, Text
from coterie.core.affinity import Condensed, Dense, Graph, Lazy
from coterie.core.collection import as_view
from coterie.core.errors import DataError
from coterie.core.partition import Hierarchy, Segmentation


@given(st.lists(st.lists(st.floats(-5, 5), max_size=6), min_size=1, max_size=8), st.data())
def test_ragged_is_a_list_of_arrays(rows, data):
    members = [np.array(row, dtype=float).reshape(-1, 1) for row in rows]
    ragged = Ragged.of(members)
    assert len(ragged) == len(members)
    for mine, theirs in zip(ragged, members, strict=True):
        assert np.array_equal(mine, theirs)
    start = data.draw(st.integers(0, len(members)))
    stop = data.draw(st.integers(0, len(members)))
    for mine, theirs in zip(ragged[start:stop], members[start:stop], strict=True):
        assert np.array_equal(mine, theirs)
    order = data.draw(st.permutations(range(len(members))))
    for mine, place in zip(ragged.take(order), order, strict=True):
        assert np.array_equal(mine, members[place])


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ([], "empty"),
        ([[1.0], [[1.0, 2.0]]], "Member 1 has 2 values per step where member 0 has 1"),
        ([["a"]], "Member 0 cannot be read as numbers"),
    ],
)
def test_ragged_refuses(members, sentence):
    with pytest.raises(DataError, match=sentence):
        Ragged.of(members)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_become_tables(make):
    table = Table.of(make({"size": [1.5, 2.5, 3.0], "colour": ["red", None, "blue"]}))
    assert table.names == ("size", "colour")
    assert table.categories == {1: ("blue", "red")}
    assert table.values[:, 0].tolist() == [1.5, 2.5, 3.0]
    assert table.values[0, 1] == 1.0
    assert np.isnan(table.values[1, 1])


def test_sparse_and_lists_become_tables():
    assert Table.of(sp.csr_matrix(np.eye(3))).sparse
    assert Table.of([[1, 2], [3, 4]]).values.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(DataError, match="different lengths"):
        Table.of([[1, 2], [3]])
    with pytest.raises(DataError, match="Complex"):
        Table.of(np.array([[1j]]))


def test_collection_refuses_duplicate_ids_and_ragged_columns():
    text = Text.of(["a", "b"])
    with pytest.raises(DataError, match="have the id 'x'"):
        Collection(ids=["x", "x"], views={"text": text})
    with pytest.raises(
        DataError, match="'label' has 3 rows where the collection 'collection' has 2 members"
    ):
        Collection(ids=["x", "y"], views={"text": text}, truth={"label": np.zeros(3)})
    with pytest.raises(DataError, match="has no members"):
        Collection(ids=[], views={"text": text})


def test_collection_take_keeps_everything_aligned():
    link = Cooccurrence.of([(0, "u", 2), (2, "v", 1)], rows=["a", "b", "c"])
    whole = Collection(
        ids=["a", "b", "c"],
        views={
            "text": Text.of(["A", "B", "C"]),
            "table": Table.of([[0.0], [1.0], [2.0]]),
            "trace": Ragged.of([[1.0], [2.0, 2.0], [3.0]]),
        },
        links={("members", "words"): link},
        truth={"group": np.array([0, 1, 1])},
        cards={"file": ["f0", "f1", "f2"]},
    )
    part = whole.take([2, 0])
    assert part.ids == ("c", "a")
    assert part.views["text"].documents == ("C", "A")
    assert part.views["table"].values.ravel().tolist() == [2.0, 0.0]
    assert part.views["trace"][0].ravel().tolist() == [3.0]
    assert part.links["members", "words"].counts.toarray().tolist() == [[0, 1], [2, 0]]
    assert part.truth["group"].tolist() == [1, 0]
    assert part.cards["file"] == ["f2", "f0"]
    with pytest.raises(DataError, match=r"no member 'd'"):
        whole.position("d")


def test_as_view_says_what_is_taken():
    with pytest.raises(DataError, match="LSA takes Table, and was given Text"):
        as_view(Text.of(["a"]), Table, "LSA")


def test_tagged_text_names_a_span_outside():
    with pytest.raises(DataError, match="span 1 goes from token 2 to 9"):
        TaggedText(np.array(["a", "b", "c"]), np.array([0, 3]), np.array([[0, 1], [2, 9]]))


def test_affinities_agree_on_blocks():
    values = np.random.default_rng(0).random((7, 7))
    values = values + values.T
    np.fill_diagonal(values, 0)
    forms = [
        Dense(values, "distance"),
        Condensed(values[np.triu_indices(7, 1)], 7, "distance"),
        Lazy(lambda a, b: values[np.ix_(a, b)], np.arange(7), np.arange(7), "distance"),
        Graph(sp.csr_array(values), "distance"),
    ]
    for form in forms:
        assert form.shape == (7, 7)
        assert np.allclose(form.block(slice(1, 4), slice(2, 7)), values[1:4, 2:7])


def test_a_graph_says_far_for_what_it_does_not_hold():
    graph = Graph(sp.csr_array(([2.0], ([0], [1])), shape=(3, 3)), "distance")
    assert graph.block(slice(0, 3), slice(0, 3)).tolist() == [
        [0, 2, np.inf],
        [np.inf, 0, np.inf],
        [np.inf, np.inf, 0],
    ]


def test_affinity_of_names_the_nan():
    with pytest.raises(DataError, match="NaN at row 1, column 0"):
        Affinity.of([[0, 1], [np.nan, 0]], kind="distance")
    with pytest.raises(DataError, match="kind must be"):
        Affinity.of([[0.0]], kind="closeness")  # type: ignore[arg-type]


def test_partition_sizes_and_names():
    partition = Partition(np.array([2, 2, 0, -1, 1, 2, 1]))
    assert partition.sizes.tolist() == [1, 2, 3]
    assert partition.members(2).tolist() == [0, 1, 5]
    assert Partition.of(["b", None, "a"]).names == ("a", "b")
    with pytest.raises(DataError):
        Partition(np.array([-2]))


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_hierarchy_cut_equals_scipy(n, seed):
    from scipy.cluster.hierarchy import fcluster, linkage

    merges = linkage(np.random.default_rng(seed).random((n, 2)), "average")
    for k in range(1, n + 1):
        mine = Hierarchy(merges).cut(k).labels
        theirs = fcluster(merges, k, "maxclust")
        assert np.array_equal(mine[:, None] == mine, theirs[:, None] == theirs)


def test_segmentation_needs_rising_boundaries():
    assert Segmentation(np.array([0, 2, 5]), np.array([1, 0])).per_step().tolist() == [
        1,
        1,
        0,
        0,
        0,
    ]
    with pytest.raises(DataError):
        Segmentation(np.array([0, 2, 2]), np.array([1, 0]))


def test_ragged_keeps_the_names_of_its_values() -> None:
    ragged = Ragged(np.arange(8.0).reshape(4, 2), np.array([0, 1, 4]), True, ("ax", "ay"))
    for part in (
        ragged[:1],
        ragged[[1, 0]],
        ragged.take([1]),
        ragged.with_values(ragged.values * 2),
        Ragged.of(ragged),
    ):
        assert part.names == ("ax", "ay")
    assert ragged.with_values(ragged.values[:, :1]).names == ()
    assert Ragged(ragged.values, ragged.offsets).names == ()
    with pytest.raises(DataError, match="3 names for 2 values"):
        Ragged(ragged.values, ragged.offsets, True, ("a", "b", "c"))


def test_a_frame_whose_columns_are_called_by_numbers() -> None:
    pd = pytest.importorskip("pandas")
    found = Table.of(pd.DataFrame(np.arange(6.0).reshape(3, 2)))
    assert found.names == ("0", "1")
    assert found.values.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]

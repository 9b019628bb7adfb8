"""What fuzzing found in the views and in the checks all methods share: each refused in a sentence, or read as it is meant."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from coterie import Affinity, Cooccurrence, Ragged, Table, TaggedText, Text
from coterie.compare import Cosine, Euclidean, ProductKernel
from coterie.core.affinity import Condensed, Dense, Graph
from coterie.core.collection import as_view
from coterie.core.errors import DataError, ParameterError
from coterie.core.pictures import Pictures
from coterie.organize import (
    Agglomerative,
    KMeans,
    Rankings,
    Segmentation,
    SequentialIB,
    Spectral,
    TwoTask,
)
from coterie.parts.pairwise import median_distance
from coterie.parts.sequences import checked
from coterie.represent import CCA, NNTR, Embedding, Integration, Shapes, Siamese, Terms


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"bytes", "given a bytes"),
        (object(), "given an object"),
        (None, "given a NoneType"),
        (np.zeros((2, 2), dtype=[("a", "f8")]), "given a ndarray"),
        (np.array([[1j, "a"]], dtype=object), "Complex data"),
        (np.array([[np.complex128(1j), 2.0]], dtype=object), "Complex data"),
        (sp.coo_array(np.ones(3)), "sparse array of 1"),
        (
            pd.DataFrame(np.ones((2, 2)), columns=["same", "same"]),
            "Two columns of the table are called 'same'",
        ),
    ],
)
def test_what_is_no_table_is_refused(data, sentence) -> None:
    with pytest.raises(DataError, match=sentence):
        Table.of(data)


@pytest.mark.parametrize(
    "cell", [np.ones(2), [1, 2], {"a": 1}, np.zeros((), dtype=[("a", "f8")])[()]], ids=repr
)
def test_a_cell_that_holds_several_values_is_refused(cell) -> None:
    column = np.empty((2, 1), dtype=object)
    column[0, 0] = cell
    column[1, 0] = 1.0
    with pytest.raises(DataError, match="A table cell must be a number or a word"):
        Table.of(column)


def test_a_whole_number_beyond_all_is_infinite() -> None:
    with pytest.raises(DataError, match="infinity at row 0"):
        Euclidean().fit([[10**400], [1]])


def test_the_missing_value_of_pandas_is_a_gap() -> None:
    table = Table.of(pd.DataFrame({"a": [pd.NA, "word", ""]}, dtype=object))
    assert np.isnan(table.values[:, 0]).tolist() == [True, False, True]


def test_a_table_is_made_of_numbers() -> None:
    with pytest.raises(DataError, match=r"use Table\.of"):
        Table(np.array([["a"]]), ("x0",))


def test_a_missing_date_in_an_array_is_a_gap() -> None:
    days = np.array([["NaT", "1970-01-02"], ["1970-01-01", "1970-01-01"]], dtype="datetime64[ns]")
    assert np.array_equal(Table.of(days).values, [[np.nan, 86400.0], [0.0, 0.0]], equal_nan=True)


def test_a_sparse_table_is_put_in_order_in_a_copy() -> None:
    given = sp.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    given.indices[:2] = [1, 0]
    given.data[:2] = [2.0, 1.0]
    given.has_sorted_indices = False
    before = given.indices.copy()
    assert np.array_equal(
        Cosine().fit_transform(given), Cosine().fit_transform(np.array([[1.0, 2.0], [0.0, 3.0]]))
    )
    assert np.array_equal(given.indices, before)


@pytest.mark.parametrize("data", [3.5, object(), Dense(np.zeros((1, 1)), "distance")])
def test_texts_must_be_listed(data) -> None:
    with pytest.raises(DataError, match="list of documents"):
        Text.of(data)


@pytest.mark.parametrize("data", [Table, "word", Dense(np.zeros((1, 1)), "distance")])
def test_sequences_must_be_listed(data) -> None:
    with pytest.raises(DataError, match="list of arrays"):
        Ragged.of(data)


def test_an_array_of_arrays_holds_sequences() -> None:
    held = np.empty(2, dtype=object)
    held[:] = [np.ones((2, 1)), np.ones((3, 1))]
    assert Ragged.of(held).lengths.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"values": np.array([["a"]])}, "real numbers"),
        ({"values": np.array([[1j]])}, "real numbers"),
        ({"rate": np.nan}, "rate must be"),
        ({"rate": -1.0}, "rate must be"),
    ],
)
def test_sequences_hold_real_numbers_at_a_rate(told, sentence) -> None:
    with pytest.raises(DataError, match=sentence):
        Ragged(**({"values": np.ones((1, 1)), "offsets": np.array([0, 1])} | told))


def test_a_list_of_uneven_rows_is_named() -> None:
    with pytest.raises(DataError, match="Member 0"):
        as_view([[[1.0], [[2.0], [3.0]]]], Ragged, "Test")


def test_sequences_above_the_largest_number_are_refused() -> None:
    with pytest.raises(DataError, match="member 1 has a value above 1e100"):
        checked(Ragged.of([[1.0], [1e200]]), "Test")


def test_pictures_must_be_listed() -> None:
    with pytest.raises(DataError, match="list of arrays"):
        Pictures.of(Dense(np.zeros((1, 1)), "distance"))


@pytest.mark.parametrize("offsets", [[0], [0, 2], [1, 3], [0, 2, 1, 3], []])
def test_sentences_cover_all_tokens(offsets) -> None:
    with pytest.raises(DataError, match="offsets must rise from 0"):
        TaggedText(np.array(["a", "b", "c"]), np.array(offsets, dtype=np.int64), np.array([[0, 1]]))


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        (np.array([["a"]]), "table of numbers"),
        (np.array([[1j]]), "must be numbers"),
        (np.array([[1e200]]), "must be at most 1e"),
    ],
)
def test_counts_are_numbers_that_can_be_added(counts, sentence) -> None:
    with pytest.raises(DataError, match=sentence):
        Cooccurrence(counts, ["a"], ["b"])


def test_an_empty_population_is_named() -> None:
    with pytest.raises(DataError, match="population 'columns' is empty"):
        KMeans(n_groups=2).fit(sp.csr_array((4, 0)))


def test_tables_above_the_largest_number_are_refused_by_place() -> None:
    with pytest.raises(DataError, match=r"above 1e.*row 1, column 'x0'"):
        Euclidean().fit([[1.0], [1e300]])
    with pytest.raises(DataError, match="above 1e"):
        Euclidean().fit(sp.csr_array([[1.0], [1e300]]))
    assert np.array_equal(Cosine().fit_transform([[1e300], [1.0]]), np.ones((2, 2)))


@pytest.mark.parametrize(
    ("affinity", "sentence"),
    [
        (Dense(np.array([["a"]]), "distance"), "holds numbers"),
        (Dense(np.array([[0.0, np.nan], [np.nan, 0.0]]), "distance"), "NaN at row 0, column 1"),
        (Condensed(np.array([np.nan]), 2, "distance"), "NaN"),
        (Dense(np.full((2, 2), 1e200), "distance"), "above 1e"),
        (Dense(np.full((2, 2), 1e-200), "distance"), "below 1e-100"),
        (Dense(np.full((2, 2), -np.inf), "distance"), "infinite"),
        (Dense(np.full((2, 2), np.inf), "similarity"), "infinite"),
        (Graph(sp.csr_array(np.full((2, 2), 1e200)), "distance"), "above 1e"),
    ],
)
def test_an_affinity_that_no_method_can_use_is_refused(affinity, sentence) -> None:
    with pytest.raises(DataError, match=sentence):
        Agglomerative(n_groups=1).fit(affinity)


def test_column_names_of_words_and_numbers_are_refused_as_data() -> None:
    with pytest.raises(DataError, match="string names"):
        Euclidean().fit(pd.DataFrame(np.ones((2, 2)), columns=["a", 1]))


@pytest.mark.parametrize(
    "values",
    [[["a", "b"]], [[1.0], [1.0, 2.0]], [[1j]], [[None]], [[10**400]], [["2020-01-01"]], {}],
)
def test_what_is_no_affinity_is_refused(values) -> None:
    with pytest.raises(
        DataError, match=r"An affinity (is a table of real numbers|has two dimensions)|NaN at row 0"
    ):
        Affinity.of(values, kind="distance")
    with pytest.raises(DataError, match="real numbers"):
        Affinity.of(np.zeros((2, 2), dtype="datetime64[s]"), kind="distance")


def test_a_graph_leaves_the_matrix_it_is_made_of_as_it_is() -> None:
    matrix = sp.csr_array(
        (np.array([2.0, 1.0]), np.array([1, 0]), np.array([0, 2, 2])), shape=(2, 2)
    )
    graph = Graph(matrix, "distance", symmetric=False)
    assert matrix.indices.tolist() == [1, 0]
    assert graph.values.indices.tolist() == [0, 1]


def test_the_median_distance_of_one_member_is_none() -> None:
    assert median_distance(Condensed(np.zeros(0), 1, "distance")) == 0.0


@pytest.mark.parametrize("words", [[3], np.array([1, 2]), ["the", None]])
def test_stop_words_that_are_no_words_are_refused(words) -> None:
    with pytest.raises(ParameterError, match="stop_words must be a list of words"):
        Terms(min_df=1, stop_words=words).fit(["a b", "a c"])


def test_weights_that_are_an_array_are_refused() -> None:
    for method in (
        SequentialIB(n_groups=2, weights=np.array([1, 2])),
        Rankings(weights=np.array([1, 2])),
    ):
        with pytest.raises(ParameterError, match=r"weights must be .* and was array"):
            method.fit(np.ones((4, 3)))


def test_steps_without_a_direction_are_refused_where_directions_are_read() -> None:
    trace = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 0.0], [0.0, 1.0], [0.1, 1.0], [0.0, 1.0]])
    with pytest.raises(DataError, match="step 2 has none"):
        Segmentation(cost="cosine", window=2).fit([trace])
    assert not np.isnan(Segmentation(cost="cosine", window=2).fit([trace + 0.01]).curves_[0]).any()


@pytest.mark.filterwarnings("error::RuntimeWarning", "ignore:Spectral:UserWarning")
@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1e300])
def test_a_scale_whose_square_is_no_number_leaves_finite_weights(scale: float) -> None:
    apart = 3.0 * (1.0 - np.eye(6))
    for affinity in (Dense(apart, "distance"), Graph(sp.csr_array(apart), "distance")):
        assert len(Spectral(n_groups=2, scale=scale).fit(affinity).labels_) == 6


@pytest.mark.filterwarnings("error")
def test_large_values_have_a_fourth_moment() -> None:
    trace = np.array([[0.0], [2.0], [1.0], [5.0]])
    plain, large = (
        Shapes(dims=1).fit_transform([trace * size, trace * size * 2]) for size in (1.0, 1e90)
    )
    assert np.isfinite(large).all()
    assert large.shape == plain.shape
    for size, dtype in ((1.0, np.float32), (1e90, np.float64)):
        Shapes(dims=1).fit(Ragged.of([trace.astype(dtype) * size, trace.astype(dtype) * size * 2]))
    with pytest.raises(DataError, match="Shapes: member 1 has a value above 1e100"):
        Shapes().fit([trace, trace * 1e300])


@pytest.mark.parametrize("owner", [NNTR, Siamese])
def test_steps_of_training_beyond_all_sense_are_refused(owner: type) -> None:
    with pytest.raises(ParameterError, match="rate must be above 0 and at most 10"):
        owner(rate=1e300).fit(["a b", "a c"])


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_an_affinity_of_small_floats_without_any_likeness_has_one_place() -> None:
    found = Embedding(n_components=2).fit_transform(
        Dense(np.zeros((6, 6), dtype=np.float32), "similarity")
    )
    assert np.array_equal(found, np.zeros((6, 2)))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_views_and_vectors_of_enormous_values() -> None:
    generator = np.random.default_rng(0)
    one = generator.normal(size=(6, 2))
    two = generator.normal(size=(6, 3))
    with pytest.raises(DataError, match="view 'two' has values whose squares are too large"):
        CCA(n_components=2, rank=2).fit({"one": one, "two": two * 1e300})
    plain, large = (
        Integration(fewest=2, order=1, scale="standard").fit([one * size, two[:, :2] * size])
        for size in (1.0, 1e90)
    )
    assert np.isfinite(large.spread_).all()
    assert (large.spread_ > plain.spread_).any()


@pytest.mark.parametrize("power", [5e-324, 1e300])
def test_a_power_that_leaves_no_numbers_is_refused(power: float) -> None:
    with pytest.raises(ParameterError, match="ProductKernel: power must be from 1e-06"):
        ProductKernel(power=power).fit([np.zeros((3, 1)), np.ones((3, 1))])


def test_rows_that_a_network_cannot_add_up_are_refused() -> None:
    rows = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(DataError, match="TwoTask: a value is above 1e\\+15"):
        TwoTask(max_iter=1).fit(rows * 1e90, ["a", "b"] * 3)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_counts_next_to_nothing_are_grouped_without_a_warning() -> None:
    counts = np.random.default_rng(0).random((6, 3)) * 1e-300
    assert len(KMeans(n_groups=2, components=1).fit(counts).labels_) == 6

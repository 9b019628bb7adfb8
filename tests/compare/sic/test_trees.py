"""Trees: what scikit-learn would say, blind to monotone changes, gaps, words, ranges drawn anew, reasons, and quiet."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.tree import DecisionTreeClassifier

from coterie import Table
from coterie.compare.sic.quiet import quiet
from coterie.compare.sic.trees import Forest, Tree
from coterie.core.errors import DataError, ParameterError
from coterie.core.random import small_seed


def codes(
    diverter: Tree, table: Table, train: np.ndarray, labels: np.ndarray, seed: int = 0
) -> np.ndarray:
    data = diverter.prepare(table)
    generator = np.random.default_rng(seed)
    trained = diverter.train(data, train, labels, diverter.draw(data, generator), generator)
    return diverter.apply(trained, data, np.arange(len(table)))


def numbers(n: int = 80, width: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, width))


@pytest.mark.parametrize(
    "diverter", [Tree(), Tree(splitter="random"), Tree(leaves=True), Forest(n_trees=5)]
)
def test_blind_to_monotone_changes(diverter: Tree) -> None:
    values = numbers()
    train = np.arange(20)
    bent = np.column_stack(
        [
            np.exp(values[:, 0]),
            values[:, 1] ** 3,
            1e8 * values[:, 2] - 5,
            np.tanh(values[:, 3]),
            values[:, 4],
        ]
    )
    first = codes(diverter, Table.of(values), train, train % 9)
    assert len(np.unique(first)) > 3
    assert np.array_equal(first, codes(diverter, Table.of(bent), train, train % 9))


def test_is_scikit_learns_tree_on_ranks() -> None:
    values = numbers()
    train = np.arange(30)
    labels = np.arange(30) % 4
    ranks = np.argsort(np.argsort(values, axis=0), axis=0).astype(np.float32)
    for leaves in (False, True):
        said = codes(Tree(leaves=leaves, min_leaf=2), Table.of(values), train, labels)
        seed = small_seed(np.random.default_rng(0))
        twin = DecisionTreeClassifier(
            max_features="sqrt", min_samples_leaf=2, random_state=seed
        ).fit(ranks[train], labels)
        assert np.array_equal(said, twin.apply(ranks) if leaves else twin.predict(ranks))


def test_words_and_gaps() -> None:
    rng = np.random.default_rng(1)
    color = np.repeat([0.0, 1.0, 2.0], 20)
    values = np.column_stack([rng.normal(size=60), color])
    values[rng.random(60) < 0.2, 0] = np.nan
    table = Table(values, ("noise", "color"), {1: ("blue", "green", "red")})
    for gaps in ("median", "own"):
        said = codes(Tree(gaps=gaps, max_features=1.0), table, np.arange(60), color.astype(int))
        assert np.array_equal(said, color.astype(int))
    many = Table(
        np.column_stack([np.arange(60.0) % 40]),
        ("name",),
        {0: tuple(f"n{k:02d}" for k in range(40))},
    )
    assert Tree().prepare(many).rows.shape == (60, 1)
    assert np.array_equal(
        codes(Tree(), many, np.arange(40), np.arange(40) // 20), (np.arange(60) % 40) // 20
    )


def test_a_gap_is_read_as_the_median() -> None:
    values = np.arange(21.0)[:, None]
    gap = np.vstack([values, [[np.nan]]])
    said = codes(Tree(), Table.of(gap), np.array([5, 10, 15]), np.array([0, 1, 2]))
    assert said[-1] == said[10]


def test_duplicates_share_their_code() -> None:
    rng = np.random.default_rng(2)
    which = rng.integers(7, size=100)
    table = Table.of(numbers(7)[which])
    for diverter in (Tree(), Tree(leaves=True), Forest(n_trees=3)):
        said = codes(diverter, table, rng.choice(100, 30, replace=False), rng.integers(50, size=30))
        assert all(len(set(said[which == row])) == 1 for row in range(7))


def test_constant_columns_change_nothing() -> None:
    values = numbers()
    flat = np.column_stack([values, np.ones(len(values))])
    diverter = Tree(max_features=1.0, max_depth=4)
    train = np.arange(25)
    data = diverter.prepare(Table.of(flat))
    trained = diverter.train(data, train, train % 5, {}, np.random.default_rng(0))
    assert not (trained.tree_.feature == 5).any()


def test_ranges_are_drawn_anew_and_used() -> None:
    diverter = Tree(max_depth=(1, 3), min_leaf=(1, 4), max_features=(0.2, 0.9))
    data = diverter.prepare(Table.of(numbers()))
    drawn = [diverter.draw(data, np.random.default_rng(seed)) for seed in range(30)]
    assert {d["max_depth"] for d in drawn} == {1, 2, 3}
    assert {d["min_leaf"] for d in drawn} == {1, 2, 3, 4}
    assert all(0.2 <= d["max_features"] <= 0.9 for d in drawn)
    train = np.arange(40)
    depths = [
        diverter.train(data, train, train, d, np.random.default_rng(0)).get_depth() for d in drawn
    ]
    assert depths == [d["max_depth"] for d in drawn]
    assert Tree().draw(data, np.random.default_rng(0)) == {}
    with pytest.raises(ParameterError, match="min_leaf must be one number or two rising ones"):
        Tree(min_leaf=(4, 1)).check_params()


def test_sparse_tables() -> None:
    dense = np.random.default_rng(3).poisson(0.5, size=(60, 12)).astype(float)
    train = np.arange(20)
    assert np.array_equal(
        codes(Tree(), Table.of(sp.csr_array(dense)), train, train),
        codes(Tree(), Table.of(dense), train, train),
    )


def test_reasons_are_conditions_in_words() -> None:
    rng = np.random.default_rng(4)
    alcohol = np.r_[rng.uniform(11, 12, 50), rng.uniform(13, 14, 50)]
    table = Table(
        np.column_stack([alcohol, np.repeat([0, 1], 50)]),
        ("alcohol", "color"),
        {1: ("red", "white")},
    )
    diverter = Tree(max_features=1.0)
    for columns, words in (([0], "alcohol above 12."), ([0, 1], None)):
        part = Table(
            table.values[:, columns],
            tuple(table.names[j] for j in columns),
            {1: ("red", "white")} if words is None else {},
        )
        data = diverter.prepare(part)
        trained = diverter.train(
            data, np.arange(100), np.repeat([0, 1], 50), {}, np.random.default_rng(0)
        )
        told = diverter.reasons(trained, data, np.arange(50, 60))
        assert len(told) == 1
        assert told[0][1] == pytest.approx(0.5)
        assert words is None or told[0][0].startswith(words)
    only = Table(table.values[:, [1]], ("color",), {0: ("red", "white")})
    data = diverter.prepare(only)
    trained = diverter.train(
        data, np.arange(100), np.repeat([0, 1], 50), {}, np.random.default_rng(0)
    )
    assert diverter.reasons(trained, data, np.arange(10))[0][0] in (
        "color is red",
        "color is not white",
    )
    forest = Forest(n_trees=4)
    trained = forest.train(
        data, np.arange(100), np.repeat([0, 1], 50), {}, np.random.default_rng(0)
    )
    assert forest.reasons(trained, data, np.arange(10))


def test_bad_tables_are_refused_in_a_sentence() -> None:
    values = numbers(6, 2)
    values[3, 1] = np.inf
    with pytest.raises(DataError, match="infinity at row 3, column 'x1'"):
        Tree().prepare(Table.of(values))
    values[:, 1] = np.nan
    with pytest.raises(DataError, match="column 'x1' has no value in any row"):
        Tree().prepare(Table.of(values))


def test_quiet_silences_remarks_on_labels_and_nothing_else() -> None:
    values = numbers(40)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        codes(Tree(), Table.of(values), np.arange(40), np.arange(40))
        assert heard == []
        with quiet():
            warnings.warn("something else", UserWarning, stacklevel=1)
        DecisionTreeClassifier().fit(values, np.arange(40))
    assert [str(w.message)[:29] for w in heard] == [
        "something else",
        "The number of unique classes ",
    ]

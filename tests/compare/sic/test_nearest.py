"""Nearest: brute force with gaps and words, ties and duplicates, scales, drawn columns, sparse tables, reasons in words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.sic_tables import encoded, nearest

from coterie import Table
from coterie.compare.sic.nearest import Nearest
from coterie.core.errors import DataError, ParameterError


def mixed(n: int = 60, gaps: float = 0.15, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    values = np.column_stack(
        [
            rng.normal(size=n),
            1000 * rng.normal(size=n),
            rng.integers(3, size=n),
            rng.integers(2, size=n),
        ]
    )
    values[rng.random(values.shape) < gaps] = np.nan
    values[:, 1] = np.where(np.isnan(values).all(axis=1), 1.0, values[:, 1])
    return Table(
        values, ("small", "large", "color", "kind"), {2: ("blue", "green", "red"), 3: ("a", "b")}
    )


def codes(
    diverter: Nearest, table: Table, train: np.ndarray, labels: np.ndarray, seed: int = 0
) -> np.ndarray:
    data = diverter.prepare(table)
    generator = np.random.default_rng(seed)
    trained = diverter.train(data, train, labels, diverter.draw(data, generator), generator)
    return diverter.apply(trained, data, np.arange(len(table)))


@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("scale", ["auto", "none"])
def test_equals_brute_force(gaps: float, scale: str) -> None:
    table = mixed(gaps=gaps)
    train = np.arange(0, 60, 5)
    rows = encoded(np.asarray(table.values), {2: 3, 3: 2}, standard=scale == "auto")
    said = codes(Nearest(scale=scale), table, train, np.arange(len(train)))
    assert said.tolist() == [nearest(rows, train, member) for member in range(60)]


def test_alike_spreads_are_kept_and_unlike_ones_are_not() -> None:
    rng = np.random.default_rng(1)
    alike = rng.normal(size=(50, 3)) * np.array([1.0, 2.0, 3.0])
    train = np.arange(10)
    raw = [nearest(alike, train, p) for p in range(50)]
    assert codes(Nearest(), Table.of(alike), train, train).tolist() == raw
    assert codes(Nearest(scale="standard"), Table.of(alike), train, train).tolist() != raw
    unlike = alike * np.array([1.0, 1.0, 500.0])
    assert np.array_equal(
        codes(Nearest(), Table.of(unlike), train, train),
        codes(Nearest(scale="standard"), Table.of(alike), train, train),
    )


def test_ranks_do_not_see_a_monotone_change() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50, 4))
    train = np.arange(12)
    first = codes(Nearest(scale="rank"), Table.of(values), train, train)
    assert np.array_equal(
        first, codes(Nearest(scale="rank"), Table.of(np.exp(values)), train, train)
    )


def test_duplicates_share_their_label_whatever_the_ties() -> None:
    rng = np.random.default_rng(3)
    few = rng.integers(2, size=(6, 5)).astype(float)
    few[rng.random(few.shape) < 0.2] = np.nan
    few[:, 0] = 1.0
    which = rng.integers(6, size=300)
    table = Table.of(few[which])
    train = rng.choice(300, 40, replace=False)
    for seed in range(5):
        said = codes(Nearest(), table, train, np.arange(40), seed)
        assert all(len(set(said[which == row])) == 1 for row in range(6))


def test_ties_do_not_go_by_the_order_of_the_file() -> None:
    table = Table.of([[0.0], [-1.0], [1.0]])
    said = {
        int(codes(Nearest(), table, np.array([1, 2]), np.array([1, 2]), seed)[0])
        for seed in range(20)
    }
    assert said == {1, 2}


def test_drawn_columns_are_the_only_ones_seen() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(40, 4))
    diverter = Nearest(columns=0.25)
    train = np.arange(10)
    data = diverter.prepare(Table.of(values))
    drawn = [diverter.draw(data, np.random.default_rng(seed)) for seed in range(8)]
    single = [[nearest(values[:, [j]], train, p) for p in range(40)] for j in range(4)]
    found = set()
    for one in drawn:
        trained = diverter.train(data, train, train, one, np.random.default_rng(0))
        found.add(single.index(diverter.apply(trained, data, np.arange(40)).tolist()))
    assert len(found) > 1


def test_neighbors_vote() -> None:
    table = Table.of([[0.0], [1.0], [1.1], [-0.9], [5.0]])
    train = np.array([1, 2, 3, 4])
    labels = np.array(["far", "far", "near", "other"])
    assert codes(Nearest(n_neighbors=1), table, train, labels)[0] == "near"
    assert codes(Nearest(n_neighbors=3), table, train, labels)[0] == "far"
    assert (
        codes(Nearest(n_neighbors=9), table, np.array([1, 3]), np.array(["far", "near"]))[0]
        == "near"
    )


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_equals_dense(metric: str) -> None:
    rng = np.random.default_rng(5)
    dense = rng.poisson(0.4, size=(80, 30)).astype(float) * rng.random((80, 30))
    train = np.flatnonzero(dense.any(axis=1))[:15]
    said = codes(Nearest(metric=metric), Table.of(sp.csr_array(dense)), train, np.arange(15))
    if metric == "cosine":
        unit = dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-300)
        wanted = (unit @ unit[train].T).argmax(axis=1)
    else:
        wanted = np.array([nearest(dense, train, p) for p in range(80)])
    sure = dense.any(axis=1)
    assert np.array_equal(said[sure], wanted[sure])
    half = codes(
        Nearest(metric=metric, columns=0.5), Table.of(sp.csr_array(dense)), train, np.arange(15)
    )
    assert not np.array_equal(half, said)


def test_constant_columns_weigh_nothing() -> None:
    table = mixed()
    values = np.column_stack([table.values, np.full(60, 0.1)])
    more = Table(values, (*table.names, "flat"), table.categories)
    train = np.arange(9)
    assert np.array_equal(
        codes(Nearest(), table, train, train), codes(Nearest(), more, train, train)
    )


def test_new_members_are_read_in_the_same_way() -> None:
    table = mixed()
    diverter = Nearest()
    data = diverter.prepare(table)
    some = np.array([3, 5, 8])
    again = diverter.prepare(table.take(some), like=data)
    assert np.array_equal(again.rows, data.rows[some])
    assert np.array_equal(again.known, data.known[some])


def test_bad_tables_are_refused_in_a_sentence() -> None:
    values = np.zeros((4, 2))
    values[2] = np.nan
    with pytest.raises(DataError, match="row 2 has no value in any column"):
        Nearest().prepare(Table.of(values))
    values[2] = [0.0, np.inf]
    with pytest.raises(DataError, match="infinity at row 2, column 'x1'"):
        Nearest().prepare(Table.of(values))
    with pytest.raises(ParameterError, match="columns must be above 0 and at most 1"):
        Nearest(columns=0).check_params()


def test_reasons_name_the_columns_that_are_close() -> None:
    rng = np.random.default_rng(6)
    values = np.column_stack(
        [
            np.repeat([0.0, 9.0], 30) + 0.01 * rng.normal(size=60),
            rng.normal(size=60),
            np.repeat([0, 1], 30),
        ]
    )
    table = Table(values, ("height", "noise", "color"), {2: ("blue", "red")})
    diverter = Nearest()
    data = diverter.prepare(table)
    trained = diverter.train(
        data, np.array([0, 59]), np.array([0, 1]), {}, np.random.default_rng(0)
    )
    told = diverter.reasons(trained, data, np.arange(1, 20))
    assert [words.split()[0] for words, _ in told[:2]] in (["height", "color"], ["color", "height"])
    assert "color is blue" in dict(told)
    assert dict(told)["color is blue"] > 0.9

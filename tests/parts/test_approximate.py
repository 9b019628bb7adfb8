"""Approximate graphs: how much of the exact ones they find, on easy and hard rows; the same bits on any number of workers."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import searches as oracle

from coterie.compare import (
    SIC,
    Chord,
    Cosine,
    Euclidean,
    Gaussian,
    Mahalanobis,
    Minkowski,
    Neighborhood,
)
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.scores import Binary, Weighted
from coterie.compare.ssd import bhattacharyya_tile
from coterie.compare.walk_rows import WalkRows
from coterie.core import affinity as core_affinity
from coterie.core.affinity import Lazy
from coterie.core.errors import DataError, Interrupted, ParameterError
from coterie.core.workplace import Silent, using
from coterie.parts import approximate as search
from coterie.parts.approximate import looked_up, recall_of
from coterie.parts.near_rows import CodeRows, DenseRows, SparseRows, as_cosine
from coterie.parts.neighbors import near_ones, nearest
from coterie.parts.pairwise import dense, distance, graph, similarity

N = 1500


@pytest.fixture
def random():
    return np.random.default_rng(3)


def clustered(random, n=N, columns=12):
    return 4.0 * random.normal(size=(40, columns))[random.integers(40, size=n)] + random.normal(
        size=(n, columns)
    )


def documents(random, n=N, width=400, words=20):
    own = random.integers(20, size=n)[:, None] * 20 + random.integers(20, size=(n, words))
    column = np.where(random.random((n, words)) < 0.6, own, random.integers(width, size=(n, words)))
    table = sp.csr_array(
        (random.random(n * words), column.ravel(), np.arange(0, n * words + 1, words)),
        shape=(n, width),
    )
    table.sum_duplicates()
    return table


def coded(random, n=N, iterations=90, kinds=50, noise=0.4, untested=0.0):
    labels = random.integers(8, size=(iterations, kinds))[:, random.integers(kinds, size=n)]
    labels = np.where(
        random.random(labels.shape) < noise, random.integers(8, size=labels.shape), labels
    )
    return np.where(random.random(labels.shape) < untested, -1, labels)


def same_bits(a, b):
    parts = (
        (getattr(a.values, name), getattr(b.values, name)) for name in ("data", "indices", "indptr")
    )
    return all(one.tobytes() == two.tobytes() for one, two in parts)


KINDS = {
    "euclidean": lambda random: Euclidean().fit(clustered(random)).affinity_,
    "mahalanobis": lambda random: Mahalanobis().fit(clustered(random)).affinity_,
    "gaussian": lambda random: Gaussian().fit(clustered(random)).affinity_,
    "cosine": lambda random: Cosine().fit(clustered(random)).affinity_,
    "sparse chord": lambda random: Chord().fit(documents(random)).affinity_,
    "sparse cosine": lambda random: Cosine().fit(documents(random)).affinity_,
    "sparse euclidean": lambda random: Euclidean().fit(documents(random)).affinity_,
    "codes": lambda random: Binary().affinity(Codes(coded(random))),
    "codes with gaps": lambda random: Binary().affinity(Codes(coded(random, untested=0.3))),
    "wide codes": lambda random: Binary().affinity(Codes(coded(random) * 100)),
    "codes as distances": lambda random: distance(Binary().affinity(Codes(coded(random)))),
    "distances as similarities": lambda random: similarity(
        Euclidean().fit(clustered(random)).affinity_
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_most_of_the_nearest_are_found_with_their_exact_values(name, random):
    affinity = KINDS[name](random)
    found = graph(affinity, 10, approximate=True)
    every = dense(affinity).values
    assert found.recall is not None
    assert found.recall >= 0.95
    rows = np.repeat(np.arange(N), np.diff(found.values.indptr))
    assert np.array_equal(np.diff(found.values.indptr), np.full(N, 10))
    assert not (rows == found.values.indices).any()
    gap = np.abs(every[rows, found.values.indices] - found.values.data).max()
    assert gap == 0.0 if "codes" in name else gap < 1e-7
    assert (found.kind, found.own, found.symmetric) == (affinity.kind, True, False)


@pytest.mark.parametrize("name", KINDS)
def test_workers_change_no_bit(name, random):
    affinity = KINDS[name](random)
    with using(n_jobs=1):
        alone = graph(affinity, 8, approximate=True)
    for n_jobs in (2, 3):
        with using(n_jobs=n_jobs):
            beside = graph(affinity, 8, approximate=True)
        assert same_bits(alone, beside)
        assert alone.recall == beside.recall


def test_rows_without_any_structure_are_found_too(random):
    found = graph(Euclidean().fit(random.normal(size=(2500, 12))).affinity_, 10, approximate=True)
    assert found.recall is not None
    assert 0.9 <= found.recall <= 1.0


def test_the_recall_said_is_the_recall(random):
    affinity = Euclidean().fit(random.normal(size=(2000, 14))).affinity_
    index, value, said = search.searched(affinity, 10)
    true = nearest(affinity, 10)[1]
    assert abs(said - oracle.recall(true * (1 + 1e-9), value)) < 0.02
    worse = value.copy()
    worse[:, 5:] = np.sort(dense(affinity).values, axis=1)[:, 500:505]
    assert recall_of(affinity, index, worse) == pytest.approx(said / 2, abs=0.03)


@pytest.mark.parametrize("scale", [1e-60, 1e-14, 1.0, 1e60])
def test_lists_of_anybody_are_no_recall_at_any_scale(scale, random):
    affinity = Euclidean().fit(scale * random.normal(size=(1200, 6))).affinity_
    index = random.integers(1200, size=(1200, 10))
    value = np.take_along_axis(dense(affinity).values, index, axis=1)
    assert recall_of(affinity, index, value) < 0.1
    assert recall_of(affinity, *nearest(affinity, 10)) == 1.0


def test_more_effort_finds_more(random):
    affinity = Euclidean().fit(random.normal(size=(2500, 24))).affinity_
    with pytest.warns(UserWarning, match="nearest were found"):
        little = graph(affinity, 10, approximate=True, effort=0.1).recall
    much = graph(affinity, 10, approximate=True, effort=3.0).recall
    assert little < 0.9 <= much


def test_a_poor_recall_is_said_with_what_to_do(random, monkeypatch):
    monkeypatch.setattr(search, "_ROUNDS", 0)
    with pytest.warns(
        UserWarning,
        match=r"About \d+% of the 10 nearest were found.*effort=2 finds more.*approximate=False all",
    ):
        found = graph(
            Euclidean().fit(random.normal(size=(2500, 24))).affinity_, 10, approximate=True
        )
    assert found.recall < 0.9


def test_many_equal_members(random):
    rows = clustered(random)
    rows[::2] = rows[0]
    found = graph(Euclidean().fit(rows).affinity_, 10, approximate=True)
    assert found.recall >= 0.95
    assert found.values[[0]].data.max() == 0.0
    assert len(found.values[[0]].data) == 10
    alike = graph(Binary().affinity(Codes(np.zeros((30, N), dtype=np.int16))), 10, approximate=True)
    assert alike.recall == 1.0
    assert (alike.values.data == 1.0).all()
    assert alike.values.nnz == 10 * N


def test_few_codes_tie_everywhere(random):
    codes = Codes(random.integers(2, size=(6, N)))
    found = graph(Binary().affinity(codes), 10, approximate=True)
    exact = graph(Binary().affinity(codes), 10)
    assert found.recall == 1.0
    assert np.array_equal(
        found.values.data.reshape(N, 10).min(axis=1), exact.values.data.reshape(N, 10).min(axis=1)
    )


def test_rows_of_zeros_are_far_from_all(random):
    rows = np.abs(clustered(random))
    rows[:30] = 0.0
    for values in (rows, sp.csr_array(rows)):
        found = graph(Chord().fit(values).affinity_, 10, approximate=True)
        assert found.recall >= 0.95
        assert np.allclose(found.values[:30].data, np.sqrt(2.0))
        assert not (found.values[30:].indices < 30).any()


def test_members_never_tested_have_no_neighbors(random):
    labels = coded(random, untested=0.2)
    labels[:, [3, 700]] = -1
    found = graph(Binary().affinity(Codes(labels)), 10, approximate=True)
    degrees = np.diff(found.values.indptr)
    assert degrees[3] == degrees[700] == 0
    assert (np.delete(degrees, [3, 700]) == 10).all()
    assert not np.isin(found.values.indices, [3, 700]).any()
    assert found.recall >= 0.95


def test_members_that_few_were_tested_with_are_looked_up(random):
    labels = coded(random, iterations=40)
    labels[:, 5] = -1
    labels[0, :] = -1
    labels[0, [5, 6, 7, 8, 9]] = [0, 0, 0, 1, 1]
    found = graph(Binary().affinity(Codes(labels)), 10, approximate=True)
    assert found.values[[5]].indices.tolist() == [6, 7, 8, 9]


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 5), (40, 39), (1100, 300)])
def test_few_members_and_many_neighbors_are_exact(n, k, random):
    affinity = Euclidean().fit(random.normal(size=(n, 3))).affinity_
    found = graph(affinity, k, approximate=True)
    exact = graph(affinity, k)
    assert found.recall == 1.0
    assert np.array_equal(found.values.indices, exact.values.indices)
    assert np.allclose(found.values.data, exact.values.data, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-90, 1e90])
def test_scale_does_not_matter(scale, random):
    rows = random.normal(size=(1200, 6))
    plain, scaled = (
        graph(Euclidean().fit(rows * times).affinity_, 5, approximate=True)
        for times in (1.0, scale)
    )
    assert scaled.recall >= 0.95
    assert np.mean(plain.values.indices == scaled.values.indices) > 0.95


def test_groups_far_apart_keep_their_near_ones(random):
    rows = 1e6 * random.normal(size=(12, 5))[random.integers(12, size=N)] + 1e-3 * random.normal(
        size=(N, 5)
    )
    assert graph(Euclidean().fit(rows).affinity_, 10, approximate=True).recall >= 0.95


def test_auto_searches_many_members_only(random, monkeypatch):
    affinity = Euclidean().fit(clustered(random)).affinity_
    assert graph(affinity, 5, approximate="auto").recall is None
    assert same_bits(graph(affinity, 5, approximate="auto"), graph(affinity, 5))
    monkeypatch.setattr(core_affinity, "AUTO", N - 1)
    assert graph(affinity, 5, approximate="auto").recall >= 0.95
    assert graph(Minkowski().fit(clustered(random)).affinity_, 5, approximate="auto").recall is None


def test_what_cannot_be_searched_is_refused_by_name(random):
    rows = clustered(random, 60)
    fitted = Euclidean().fit(rows)
    refused = (
        Minkowski().fit(rows).affinity_,
        dense(fitted.affinity_),
        fitted.compare(rows[:5]),
        Weighted().affinity(Codes(coded(random, 60))),
    )
    for affinity in refused:
        with pytest.raises(
            ParameterError, match=r"approximate=True is for members as Euclidean, .*SIC"
        ):
            graph(affinity, 3, approximate=True)
    with pytest.raises(
        ParameterError, match="approximate must be True, False or 'auto', and was 'yes'"
    ):
        graph(fitted.affinity_, 3, approximate="yes")
    with pytest.raises(
        ParameterError, match="approximate must be True, False or 'auto', and was 2"
    ):
        graph(fitted.affinity_, 3, approximate=2)
    for k in (0, 2.5, True, "ten"):
        with pytest.raises(ParameterError, match="k must be a whole number from 1, and was"):
            graph(fitted.affinity_, k, approximate=True)
    with pytest.raises(DataError, match=r"graph takes an affinity, .*and was given ndarray"):
        graph(rows, 3)
    for effort in (0.0, -1, float("inf"), float("nan"), 1e308, "more", True):
        with pytest.raises(ParameterError, match="effort must be a number above 0"):
            graph(fitted.affinity_, 3, approximate=True, effort=effort)


def test_memory_that_is_too_small_is_said_before_the_work(random):
    affinity = Euclidean().fit(clustered(random)).affinity_
    with using(memory="1MB"), pytest.raises(DataError, match="A search among 1,500 members takes"):
        graph(affinity, 10, approximate=True)
    with using(memory="10MB"):
        assert graph(affinity, 10, approximate=True).recall > 0.9
        with pytest.raises(
            DataError, match="take fewer members or less effort"
        ):  # what a round holds grows with it
            graph(affinity, 10, approximate=True, effort=4.0)


class Impatient(Silent):
    def wants_stop(self) -> bool:
        return True


def test_a_search_stops_when_asked(random):
    affinity = Euclidean().fit(clustered(random)).affinity_
    with using(watch=Impatient()), pytest.raises(Interrupted):
        graph(affinity, 10, approximate=True)


def test_sic_gives_such_graphs(random, monkeypatch):
    monkeypatch.setattr(search, "FEW", 100)
    sic = SIC(n_iterations=40, stop=None, random_state=0).fit(clustered(random, 300, 4))
    found = sic.graph(10, approximate=True)
    exact = sic.graph(10)
    assert found.recall >= 0.95
    assert exact.recall is None
    rows = np.repeat(np.arange(300), np.diff(found.values.indptr))
    assert np.array_equal(
        dense(sic.affinity_).values[rows, found.values.indices], found.values.data
    )
    assert same_bits(sic.graph(10, approximate="auto"), exact)


def test_neighborhoods_by_search(random):
    affinity = Euclidean().fit(clustered(random)).affinity_
    found, exact = (Neighborhood(approximate=how).fit(affinity) for how in (True, False))
    assert found.recall_ >= 0.95
    assert exact.recall_ is None
    both = (found.affinity_.values > 0).multiply(exact.affinity_.values > 0).sum()
    assert both >= 0.95 * exact.affinity_.values.nnz
    index, gaps, recall = near_ones(affinity, 7, True)
    assert index.shape == gaps.shape == (N, 7)
    assert recall >= 0.95
    assert near_ones(affinity, 7)[2] is None


def test_walks_of_several_models_are_searched_by_their_own_distance(random):
    roots = []
    for _ in range(3):
        steps = random.dirichlet(np.full(5, 0.5), size=(N, 5))
        roots.append(np.sqrt(steps / 5).reshape(N, -1))
    rows = (*roots, np.arange(N))
    tile = partial(bhattacharyya_tile, n_models=3, how="all")
    affinity = Lazy(tile, rows, rows, "distance", True, partial(WalkRows, roots, 1e-12))
    found = graph(affinity, 5, approximate=True, effort=2.0)
    at = np.repeat(np.arange(N), np.diff(found.values.indptr))
    assert np.allclose(
        dense(affinity).values[at, found.values.indices], found.values.data, atol=1e-12
    )
    assert found.recall >= 0.9


def test_measures_are_those_of_the_oracle(random):
    labels = coded(random, 30, 70, untested=0.5)
    labels[:, 4] = -1
    members = np.array([random.permutation(30)[:12] for _ in range(4)], dtype=np.int32)
    sizes = np.array([12, 7, 1, 12], dtype=np.int32)
    new = np.array([12, 3, 1, 5], dtype=np.int32)
    for untested in (True, False):
        shown = labels if untested else np.abs(labels)
        side = Binary().affinity(Codes(shown)).search()
        assert isinstance(side, CodeRows)
        by_codes = partial(lambda s, p, q: -oracle.share(s[:, p], s[:, q]), shown)
        _compare(side, members, sizes, new, by_codes)
    rows = random.normal(size=(30, 6)) + 50.0
    _compare(
        DenseRows(rows, np.sqrt),
        members,
        sizes,
        new,
        lambda p, q: np.square(rows[p] - rows[q]).sum() / rows.max() ** 2,
    )
    table = documents(random, 30)
    full = table.toarray()
    far = lambda p, q: np.square(full[p] - full[q]).sum() / full.max() ** 2  # noqa: E731
    _compare(SparseRows(table, np.sqrt), members, sizes, new, far)


def _compare(rows, members, sizes, new, key):
    out = np.full((4, 12, 12), -9.0, dtype=np.float32)
    rows.measure(members, sizes, new, out)
    for g in range(4):
        for a in range(new[g]):
            for b in range(a + 1, sizes[g]):
                wanted = key(members[g, a], members[g, b])
                assert (
                    np.isinf(out[g, a, b])
                    if np.isnan(wanted)
                    else out[g, a, b] == pytest.approx(wanted, abs=1e-6)
                )


def test_leaves_and_rounds_are_those_of_the_oracle(random):
    rows = DenseRows(random.normal(size=(90, 5)), np.sqrt)
    keys = np.square(rows.rows[:, None] - rows.rows[None]).sum(axis=2)
    lists = search.Lists(90, 6)
    slow = oracle.Lists(keys, 6)
    for tree in range(2):
        order, nodes = search.partition(rows, 12, tree)
        assert sorted(order.tolist()) == list(range(90))
        assert np.diff(nodes).max() <= 12
        search._join(rows, order, nodes, lists)
        slow.leaves([order[a:b].tolist() for a, b in itertools.pairwise(nodes)])
        assert [row[row >= 0].tolist() for row in lists.near] == slow.lists
    for turn in range(3):
        search._round(rows, lists, order, 90, turn)
        slow.round()
        assert [row[row >= 0].tolist() for row in lists.near] == slow.lists
        assert [
            set(row[flags > 0].tolist()) for row, flags in zip(lists.near, lists.fresh, strict=True)
        ] == slow.fresh


def test_partitions_end_with_equal_members():
    order, nodes = search.partition(DenseRows(np.ones((3000, 2)), np.sqrt), 64, 0)
    assert np.diff(nodes).max() <= 64
    assert len(np.unique(order)) == 3000


def test_rows_looked_up_are_exact(random):
    affinity = Cosine().fit(clustered(random, 300)).affinity_
    index, value = looked_up(affinity, np.array([7, 3]), 5)
    exact = nearest(affinity, 5)
    assert np.array_equal(index, exact[0][[7, 3]])
    assert np.allclose(value, exact[1][[7, 3]], atol=1e-12)
    assert np.allclose(as_cosine(np.array([0.0, 2.0, 4.0])), [1.0, 0.0, -1.0])

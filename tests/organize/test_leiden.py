"""Leiden against its definition with dictionaries and against the best of all partitions; known graphs, edges of its input."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.communities import (
    best_partition,
    in_one_piece,
    karate,
    leiden_round,
    modularity,
    potts,
    ring_of_cliques,
    rows_of,
)
from tests.oracles.graphs import caves, hubs, planted
from tests.run.examples import stored_again

from coterie import Affinity, Hints
from coterie.compare import Euclidean
from coterie.compare.vectors import euclidean_tile
from coterie.core import affinity
from coterie.core.affinity import Dense, Graph, Lazy
from coterie.core.errors import DataError, NotConverged, ParameterError
from coterie.core.workplace import using
from coterie.judge import adjusted_rand
from coterie.organize import Leiden, Propagation
from coterie.organize.leiden import Valued


def graph(links, **more):
    return Graph(links, "similarity", **more)


def sets(labels):
    return sorted(
        (frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)), key=min
    )


def random_links(n, seed, share=0.3):
    rng = np.random.default_rng(seed)
    upper = np.triu((rng.random((n, n)) < share) * rng.integers(1, 9, size=(n, n)) / 8, 1)
    return upper + upper.T


@pytest.mark.parametrize(
    ("objective", "resolution"),
    [("modularity", 1.0), ("modularity", 0.4), ("modularity", 3.0), ("cpm", 0.2)],
)
@pytest.mark.parametrize("seed", range(6))
def test_rounds_are_those_of_the_definition(seed, objective, resolution):
    links = random_links(12 + 3 * seed, seed, 0.25)
    found = Valued.of(sp.csr_array(links), objective)
    each = resolution / links.sum() if objective == "modularity" else resolution
    labels = np.arange(len(links), dtype=np.int32)
    wanted = list(range(len(links)))
    for turn in range(3):
        labels = found.round(labels, resolution, np.random.default_rng(turn))
        wanted = leiden_round(
            rows_of(links), found.mass.tolist(), each, wanted, np.random.default_rng(turn)
        )
        assert sets(labels) == sets(np.array(wanted))
        wanted = labels.tolist()
    by_definition = modularity if objective == "modularity" else potts
    assert found.quality(labels, resolution) == pytest.approx(
        by_definition(links, labels, resolution), abs=1e-12
    )


@pytest.mark.parametrize(
    ("objective", "resolution", "score"), [("modularity", 1.0, modularity), ("cpm", 0.3, potts)]
)
@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_partitions_of_a_small_graph_is_found(seed, objective, resolution, score):
    links = random_links(7, 40 + seed, 0.5)
    best = best_partition(7, lambda labels: score(links, labels, resolution))
    found = Leiden(objective=objective, resolution=resolution, starts=10, random_state=0).fit(
        graph(links)
    )
    assert found.quality_ == pytest.approx(best, abs=1e-12)
    assert score(links, found.labels_, resolution) == pytest.approx(best, abs=1e-12)


def test_the_karate_club_reaches_the_known_optimum():
    links = karate()
    assert links.sum() == 2 * 78
    found = Leiden(starts=10, random_state=0).fit(graph(links))
    assert found.quality_ == pytest.approx(0.4197896, abs=1e-7)  # shown to be the largest there is
    assert found.partition_.sizes.tolist() == [12, 11, 6, 5]
    split = Leiden(resolution=0.5, starts=10, random_state=0).fit(graph(links)).labels_
    assert split[0] != split[33]  # the two leaders


def test_resolution_limit_of_modularity_and_not_of_the_potts_model():
    links = ring_of_cliques(30, 5)
    cliques = sets(np.arange(150) // 5)
    merged = Leiden(random_state=0, starts=3).fit(graph(links))
    assert (
        merged.partition_.n_groups < 30
    )  # modularity gains by joining neighbors: 0.8879 against 0.8758
    assert (
        merged.quality_ > modularity(links, np.arange(150) // 5) == pytest.approx(0.8758, abs=1e-4)
    )
    assert (
        sets(Leiden(objective="cpm", resolution=0.5, random_state=0).fit(graph(links)).labels_)
        == cliques
    )
    assert sets(Leiden(resolution=4.0, random_state=0).fit(graph(links)).labels_) == cliques
    tuned = Leiden(target_groups=30, random_state=0).fit(graph(links))
    assert sets(tuned.labels_) == cliques
    assert tuned.resolution_ > 1
    assert Leiden(target_groups=1, random_state=0).fit(graph(links)).partition_.n_groups == 1


def test_groups_hang_together_where_louvain_leaves_one_in_two_pieces():
    links = hubs(60, 2, 227).toarray()
    each = 1 / links.sum()
    labels = list(range(60))
    for turn in range(3):
        labels = leiden_round(
            rows_of(links),
            links.sum(axis=1).tolist(),
            each,
            labels,
            np.random.default_rng(turn),
            refined=False,
        )
        labels = [sorted(set(labels)).index(label) for label in labels]
    louvain = [np.flatnonzero(np.array(labels) == g) for g in set(labels)]
    assert not all(in_one_piece(links, members) for members in louvain)
    found = Valued.of(sp.csr_array(links), "modularity")
    own = np.array(labels, dtype=np.int32)
    begun = found.quality(own, 1.0)
    own = found.round(own, 1.0, np.random.default_rng(9))  # even when it starts from there
    assert all(in_one_piece(links, np.flatnonzero(own == g)) for g in np.unique(own))
    assert found.quality(own, 1.0) > begun


@pytest.mark.parametrize("objective", ["modularity", "cpm"])
def test_every_group_hangs_together(objective):
    for seed in range(5):
        links = planted(150, 5, 0.1, 0.02, seed, weighted=True).toarray()
        found = Leiden(objective=objective, random_state=seed, max_iter=20, tol=0.01).fit(
            graph(links)
        )
        assert all(
            in_one_piece(links, np.flatnonzero(found.labels_ == g))
            for g in range(found.partition_.n_groups)
        )


def test_planted_groups_are_found_and_history_rises():
    links = planted(600, 6, 0.2, 0.02, 1)
    found = Leiden(random_state=0).fit(graph(links))
    assert sets(found.labels_) == sets(np.arange(600) % 6)
    assert found.converged_
    assert (
        found.history_[-1]
        == found.quality_
        == pytest.approx(modularity(links.toarray(), found.labels_), abs=1e-12)
    )
    hard = Leiden(random_state=0, tol=0.0).fit(graph(planted(400, 8, 0.08, 0.03, 2)))
    assert len(hard.history_) > 2
    assert np.all(np.diff(hard.history_) >= -1e-12)


def test_same_bits_for_any_number_of_workers_and_the_best_start_wins():
    links = graph(planted(400, 8, 0.08, 0.03, 2, weighted=True))
    results = []
    for workers in (1, 3):
        with using(n_jobs=workers):
            found = Leiden(starts=4, random_state=5).fit(links)
        results.append((found.labels_.tolist(), found.history_))
    assert results[0] == results[1]
    assert found.quality_ >= Leiden(starts=1, random_state=5).fit(links).quality_
    one, other = (Leiden(random_state=seed).fit(links).history_ for seed in (1, 2))
    assert one != other


def test_weights_count():
    square = np.array([[0, 5, 0, 1], [5, 0, 1, 0], [0, 1, 0, 5], [1, 0, 5, 0.0]])
    assert sets(Leiden(random_state=0).fit(graph(square)).labels_) == [{0, 1}, {2, 3}]
    turned = np.array([[0, 1, 0, 5], [1, 0, 5, 0], [0, 5, 0, 1], [5, 0, 1, 0.0]])
    assert sets(Leiden(random_state=0).fit(graph(turned)).labels_) == [{0, 3}, {1, 2}]
    for scale in (1e-30, 1e30):  # modularity has no unit
        assert Leiden(random_state=0).fit(graph(scale * square)).quality_ == pytest.approx(
            modularity(square, [0, 0, 1, 1])
        )


def test_members_without_links_are_alone_and_pieces_stay_apart():
    links = sp.block_diag([caves(3, 5, 0.0, 0), sp.csr_array((2, 2)), caves(1, 4, 0.0, 0)]).tocsr()
    found = Leiden(random_state=0).fit(graph(links))
    assert sets(found.labels_) == sets(np.repeat([0, 1, 2, 3, 4, 5], [5, 5, 5, 1, 1, 4]))
    assert found.partition_.confidence.tolist() == [1.0] * 21
    nothing = Leiden(random_state=0).fit(graph(sp.csr_array((4, 4))))
    assert (nothing.partition_.n_groups, nothing.quality_) == (4, 0.0)
    assert Leiden().fit(graph(sp.csr_array((1, 1)))).labels_.tolist() == [0]


def test_links_of_a_member_with_itself_say_nothing():
    links = karate()
    plain, loops = (Leiden(random_state=0).fit(graph(links + add * np.eye(34))) for add in (0, 9))
    assert np.array_equal(plain.labels_, loops.labels_)
    assert plain.quality_ == loops.quality_


def test_negative_and_huge_weights_are_refused():
    links = ring_of_cliques(3, 4)
    links[2, 5] = links[5, 2] = -1.0
    with pytest.raises(
        DataError, match="from member 2 to 5 has the weight -1; links are from 0 up"
    ):
        Leiden().fit(graph(links))
    with pytest.raises(DataError, match="scale it first"):
        Leiden().fit(graph(np.abs(links) * 1e200))
    with pytest.raises(ParameterError, match="resolution"):
        Leiden(resolution=0.0).fit(graph(np.abs(links)))


def test_a_directed_graph_is_used_both_ways_and_said():
    links = ring_of_cliques(4, 5)
    with pytest.warns(UserWarning, match="the graph is directed"):
        found = Leiden(random_state=0).fit(graph(np.triu(links)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wanted = Leiden(random_state=0).fit(graph(links))
        Leiden(random_state=0).fit(graph(links, symmetric=False))  # said to be directed, and is not
    assert np.array_equal(found.labels_, wanted.labels_)
    assert found.quality_ == wanted.quality_


def test_anything_but_a_graph_is_made_into_one_of_near_neighbors():
    rng = np.random.default_rng(0)
    points = np.repeat(rng.normal(size=(4, 3)) * 20, 30, axis=0) + rng.normal(size=(120, 3))
    gaps = np.sqrt(np.square(points[:, None] - points[None]).sum(axis=-1))
    lazy = Lazy(lambda a, b: gaps[np.ix_(a, b)], np.arange(120), np.arange(120), "distance")
    for given in (
        Dense(gaps, "distance"),
        lazy,
        Dense(np.exp(-gaps), "similarity"),
        Graph(np.where(gaps < 3, gaps, 0), "distance"),
    ):
        found = Leiden(random_state=0, neighbors=8, resolution=0.3).fit(given)
        assert sets(found.labels_) == sets(np.arange(120) // 30)
        queries = Affinity.of(
            given.block(slice(0, 120, 30), slice(0, 120)), given.kind, False, own=False
        )
        assert np.array_equal(found.predict(queries), found.labels_[::30])
    with pytest.raises(DataError, match="fitted on a distance"):
        found.predict(Affinity.of(np.ones((1, 120)), "similarity"))


def test_newcomers_go_where_the_objective_rises_most():
    found = Leiden(objective="cpm", resolution=0.5, random_state=0).fit(
        graph(ring_of_cliques(4, 6))
    )
    new = np.zeros((4, 24))
    new[0, [1, 2, 3, 4]] = 1.0
    new[1, [6, 7, 8, 9, 10, 0]] = 1.0
    new[2, 20] = 1.0  # one link to six members is less than half of them
    assert found.predict(graph(new, own=False)).tolist() == [
        found.labels_[0],
        found.labels_[6],
        -1,
        -1,
    ]
    by_chance = Leiden(random_state=0).fit(graph(ring_of_cliques(4, 6)))
    assert by_chance.predict(graph(new, own=False)).tolist()[2:] == [by_chance.labels_[20], -1]


def test_hints_lean_and_what_is_not_kept_is_told():
    links = caves(2, 5, 0.0, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Leiden(random_state=0).fit(
            graph(links), hints=Hints.of(10, together=[(0, 1)], apart=[(4, 5)])
        )
    assert sets(found.labels_) == sets(np.arange(10) // 5)
    with pytest.warns(UserWarning, match="Leiden: 1 pair of the hints was not kept"):
        Leiden(random_state=0).fit(graph(links), hints=Hints.of(10, apart=[(0, 1)]))
    lone = sp.csr_array((4, 4))
    assert Leiden().fit(graph(lone), hints=Hints.of(4, together=[(2, 3)])).labels_.tolist() == [
        1,
        2,
        0,
        0,
    ]


def test_it_can_be_stored_and_placed_newcomers_are_the_same():

    gaps = np.abs(
        np.subtract.outer(
            np.repeat([0.0, 50.0], 9) + np.arange(18), np.repeat([0.0, 50.0], 9) + np.arange(18)
        )
    )
    found = Leiden(random_state=0).fit(Dense(gaps, "distance"))
    new = Affinity.of(gaps[[1, 15]] + 0.5, "distance", False, own=False)
    assert (
        stored_again(found).predict(new).tolist()
        == found.predict(new).tolist()
        == found.labels_[[1, 15]].tolist()
    )


def test_few_rounds_are_said():
    with pytest.warns(NotConverged, match="communities did not converge in 1"):
        Leiden(max_iter=1, random_state=0).fit(graph(karate()))


@pytest.mark.parametrize("method", [Leiden, Propagation])
def test_neighbors_of_many_members_are_searched_for_and_not_compared_all(method, monkeypatch):
    random = np.random.default_rng(0)
    truth = random.integers(12, size=1500)
    rows = 8.0 * random.normal(size=(12, 5))[truth] + random.normal(size=(1500, 5))
    compare = Euclidean().fit(rows)
    asked = list[int]()

    def counted(rows, cols):
        asked.append(len(rows[0]) * len(cols[0]))
        return euclidean_tile(rows, cols)

    watched = replace(compare.affinity_, tile=counted)
    exact = method(random_state=0).fit(watched)
    assert sum(asked) >= 1500**2
    asked.clear()
    monkeypatch.setattr(affinity, "AUTO", 1400)
    found = method(random_state=0).fit(watched)
    assert sum(asked) < 1500**2 / 4
    assert adjusted_rand(exact.labels_, found.labels_) > 0.9
    assert np.mean(found.predict(compare.compare(rows[:50])) == found.labels_[:50]) > 0.9

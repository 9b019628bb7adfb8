"""Propagation against a linear system and by hand; communities without labels; edges of its input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.communities import in_one_piece, karate, ring_of_cliques, spread_labels
from tests.oracles.graphs import caves, planted

from coterie import Affinity, Hints
from coterie.core.affinity import Dense, Graph
from coterie.core.errors import DataError, NotConverged, ParameterError
from coterie.core.workplace import using
from coterie.organize import Propagation


def graph(links, **more):
    return Graph(links, "similarity", **more)


def sets(labels):
    return sorted(
        (frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)), key=min
    )


def path(n):
    return sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()


@pytest.mark.parametrize("reach", [0.5, 0.9, 1.0])
@pytest.mark.parametrize(("weight", "balance"), [(None, False), (0.4, False), (None, True)])
def test_labels_spread_as_the_linear_system_says(reach, weight, balance):
    links = planted(80, 4, 0.3, 0.04, 3, weighted=True).toarray()
    codes = np.full(80, -1)
    codes[:24] = np.arange(24) % 12  # more labels than are spread at once
    hints = Hints.of(80, codes, label_weight=weight)
    found = Propagation(reach=reach, balance=balance, tol=1e-9, max_iter=5000).fit(
        graph(links), hints=hints
    )
    wanted = spread_labels(
        links, codes, np.where(codes >= 0, 1.0 if weight is None else weight, 0.0), reach
    )
    assert np.allclose(found.reached_, wanted.sum(axis=1), rtol=1e-5)
    if balance:
        wanted *= np.bincount(codes[:24]) / wanted.sum(axis=0)
    assert np.allclose(
        found.partition_.confidence, wanted.max(axis=1) / wanted.sum(axis=1), rtol=1e-5
    )
    assert [found.partition_.names[g] for g in found.labels_] == [
        str(label) for label in wanted.argmax(axis=1)
    ]
    assert found.history_[-1] <= 1e-9


def test_between_two_labels_on_a_path_shares_fall_evenly():
    found = Propagation(reach=1.0, tol=1e-10, max_iter=10_000).fit(
        graph(path(11)), hints=Hints.of(11, {0: "left", 10: "right"})
    )
    left = np.array([found.partition_.names[g] == "left" for g in found.labels_])
    assert np.allclose(
        np.where(left, found.partition_.confidence, 1 - found.partition_.confidence),
        1 - np.arange(11) / 10,
    )
    assert np.allclose(found.reached_, 1.0)
    near = Propagation(reach=0.5).fit(graph(path(11)), hints=Hints.of(11, {0: "left", 10: "right"}))
    assert near.reached_[5] < near.reached_[2] < 0.5
    assert near.partition_.confidence[2] > found.partition_.confidence[2]


def test_one_label_each_finds_planted_groups():
    links = planted(600, 6, 0.2, 0.02, 1)
    truth = np.arange(600) % 6
    hints = Hints.of(600, {member: f"group {member}" for member in range(6)})
    found = Propagation().fit(graph(links), hints=hints)
    names = np.array(found.partition_.names)[found.labels_]
    right = np.mean(names == np.array([f"group {t}" for t in truth]))
    heavy = Propagation(balance=False).fit(
        graph(links), hints=hints
    )  # labels of members with many links win too much
    assert (
        right
        > 0.9
        > np.mean(
            np.array(heavy.partition_.names)[heavy.labels_]
            == np.array([f"group {t}" for t in truth])
        )
    )
    assert np.all(found.labels_[:6] >= 0)
    assert found.partition_.confidence[:6].tolist() == [1.0] * 6  # given labels are kept
    assert 1 / 6 < found.partition_.confidence[6:].min() < found.partition_.confidence[6:].max() < 1


def test_labels_of_little_weight_may_be_overruled():
    links = caves(2, 8, 0.0, 0)
    labels = dict.fromkeys(range(4), "one") | dict.fromkeys(range(8, 12), "two") | {4: "two"}
    kept = Propagation().fit(graph(links), hints=Hints.of(16, labels))
    leaned = Propagation().fit(graph(links), hints=Hints.of(16, labels, label_weight=0.1))
    assert kept.labels_[4] == kept.labels_[8]
    assert leaned.labels_[4] == leaned.labels_[0]
    wrong = dict.fromkeys(range(7), "most") | {7: "lost"}
    with pytest.warns(UserWarning, match="1 label is taken by nobody, such as 'lost'"):
        alone = Propagation().fit(graph(links[:8, :8]), hints=Hints.of(8, wrong, label_weight=0.1))
    assert alone.partition_.names == ("most",)


def test_members_no_label_reaches_are_in_no_group_and_said():
    links = sp.block_diag([caves(2, 5, 0.0, 0), sp.csr_array((1, 1))]).tocsr()
    with pytest.warns(UserWarning, match="6 members are reached by no label, such as member 5"):
        found = Propagation().fit(graph(links), hints=Hints.of(11, {0: "here"}))
    assert found.labels_.tolist() == [0] * 5 + [-1] * 6
    assert found.partition_.confidence[5:].tolist() == [0.0] * 6
    assert found.partition_.names == ("here",)
    assert found.quality_ == 0.5


def test_communities_without_labels():
    links = ring_of_cliques(20, 6)
    links[links * (np.arange(120)[:, None] // 6 != np.arange(120) // 6) > 0] = (
        0.5  # lighter than the links of a clique
    )
    found = Propagation(random_state=0).fit(graph(links))
    assert sets(found.labels_) == sets(np.arange(120) // 6)
    assert found.quality_ == pytest.approx(15 / 15.5)
    assert found.history_[0] > 0
    assert found.converged_
    blocks = planted(400, 4, 0.3, 0.01, 0)
    assert sets(Propagation(random_state=1).fit(graph(blocks)).labels_) == sets(np.arange(400) % 4)


@pytest.mark.parametrize("seed", range(5))
def test_everybody_is_where_most_of_its_links_go_and_groups_hang_together(seed):
    links = karate()
    found = Propagation(random_state=seed).fit(graph(links))
    for member, label in enumerate(found.labels_):
        sums = np.bincount(found.labels_, weights=links[member])
        assert sums[label] == sums.max()
    assert all(
        in_one_piece(links, np.flatnonzero(found.labels_ == g))
        for g in range(found.partition_.n_groups)
    )


def test_a_group_in_two_pieces_becomes_two():
    links = sp.block_diag([caves(1, 4, 0.0, 0), caves(1, 4, 0.0, 0)]).tocsr()
    seeded = Hints.of(8, dict.fromkeys(range(8), "same"), scheme="seeded")
    assert (
        Propagation(random_state=0).fit(graph(links), hints=seeded).labels_.tolist()
        == [0] * 4 + [1] * 4
    )


def test_seeded_labels_are_only_where_it_starts():
    links = caves(2, 5, 0.0, 0)
    found = Propagation(random_state=0).fit(
        graph(links), hints=Hints.of(10, {0: "a", 5: "a", 6: "b"}, scheme="seeded")
    )
    assert found.labels_.tolist() == [0] * 5 + [1] * 5
    assert found.partition_.names == ("group 1", "group 2")


def test_same_bits_for_any_number_of_workers():
    links = graph(planted(300, 5, 0.1, 0.02, 2, weighted=True))
    hints = Hints.of(300, {member: str(member % 20) for member in range(40)})
    results = []
    for workers in (1, 3):
        with using(n_jobs=workers):
            spread = Propagation(random_state=0).fit(links, hints=hints)
            free = Propagation(random_state=0).fit(links)
        results.append(
            (
                spread.labels_.tolist(),
                spread.history_,
                spread.reached_.tobytes(),
                free.labels_.tolist(),
                free.history_,
            )
        )
    assert results[0] == results[1]


def test_newcomers_follow_their_links():
    links = caves(3, 6, 0.0, 0)
    new = np.zeros((3, 18))
    new[0, [1, 2, 14]] = [1.0, 1.0, 1.5]
    new[1, 14] = 0.1
    free = Propagation(random_state=0).fit(graph(links))
    assert free.predict(graph(new, own=False)).tolist() == [free.labels_[1], free.labels_[14], -1]
    with pytest.warns(UserWarning, match="reached by no label"):
        told = Propagation().fit(graph(links), hints=Hints.of(18, {0: "a"}))
    assert told.predict(graph(new, own=False)).tolist() == [0, -1, -1]
    with pytest.raises(DataError, match="fitted on a similarity"):
        free.predict(Affinity.of(new, kind="distance"))


def test_pairs_change_links_and_what_is_not_kept_is_told():
    links = caves(2, 5, 0.0, 0)
    lone = sp.csr_array((4, 4))
    assert Propagation(random_state=0).fit(
        graph(lone), hints=Hints.of(4, together=[(2, 3)])
    ).labels_.tolist() == [1, 2, 0, 0]
    with pytest.warns(UserWarning, match="Propagation: 1 pair of the hints was not kept"):
        Propagation(random_state=0).fit(
            graph(links), hints=Hints.of(10, {0: "a", 5: "b"}, apart=[(1, 2)])
        )


@pytest.mark.parametrize(
    ("values", "groups"), [(np.zeros((1, 1)), 1), (np.zeros((4, 4)), 4), (np.ones((5, 5)), 1)]
)
def test_degenerate_affinities(values, groups):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (Dense(values, "similarity"), graph(values)):
            found = Propagation(random_state=0).fit(given)
            assert found.partition_.n_groups == groups
            assert np.isfinite(found.partition_.confidence).all()
            assert np.isfinite(found.quality_)


def test_bad_input_is_refused():
    links = ring_of_cliques(3, 4)
    with pytest.raises(ParameterError, match="reach"):
        Propagation(reach=1.5).fit(graph(links))
    with pytest.raises(DataError, match="has the weight -1"):
        Propagation().fit(graph(-links))
    with pytest.warns(UserWarning, match="Propagation: the graph is directed"):
        Propagation().fit(graph(np.triu(links)))
    with pytest.warns(NotConverged, match="spread did not converge in 2"):
        Propagation(max_iter=2).fit(graph(links), hints=Hints.of(12, {0: "a"}))

"""Hints for organizers of an affinity: laws kept or refused by name, weights, labels, seeds, samples, and no hints at all."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from coterie import Hints
from coterie.core.affinity import Dense, Graph
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.organize import MCL, Agglomerative, Density, Medoids, Spectral
from coterie.organize import medoids as medoids_module
from coterie.parts.pairwise import graph, similarity

N = 150
TRUTH = np.arange(N) % 3
KEEPING = [Spectral(n_groups=3, random_state=0), Medoids(n_groups=3, n_init=2, random_state=0)]
GUIDED = [*KEEPING, MCL(), Agglomerative(n_groups=12)]


def cloud(seed=0, apart=2.2):
    points = apart * np.array([[0, 0], [1, 0], [0, 1]])[TRUTH] + np.random.default_rng(seed).normal(
        size=(N, 2)
    )
    return Dense(cdist(points, points), "distance")


def pairs(many, seed=1):
    generator = np.random.default_rng(seed)
    drawn = np.array([generator.choice(N, 2, replace=False) for _ in range(many)])
    same = TRUTH[drawn[:, 0]] == TRUTH[drawn[:, 1]]
    return {"together": drawn[same].tolist(), "apart": drawn[~same].tolist()}


def named(estimators):
    return {"argvalues": estimators, "ids": lambda e: type(e).__name__}


def again(estimator):
    return type(estimator)(**estimator.get_params())


@pytest.mark.parametrize("estimator", **named(GUIDED))
def test_hints_that_say_nothing_change_nothing(estimator):
    away = cloud()
    plain = again(estimator).fit(away)
    empty = again(estimator).fit(away, hints=Hints.of(N))
    assert plain.labels_.tobytes() == empty.labels_.tobytes()
    assert plain.partition_.confidence is None or np.array_equal(
        plain.partition_.confidence, empty.partition_.confidence
    )


@pytest.mark.parametrize("form", ["distance", "similarity", "graph"])
@pytest.mark.parametrize("estimator", **named(KEEPING))
def test_laws_are_kept_in_every_form(estimator, form):
    away = cloud()
    given = {
        "distance": away,
        "similarity": similarity(away),
        "graph": graph(similarity(away), 10),
    }[form]
    hints = Hints.of(N, **pairs(120))
    plain = again(estimator).fit(given)
    found = again(estimator).fit(given, hints=hints)
    assert len(hints.broken(plain.labels_)) > 0
    assert len(hints.broken(found.labels_)) == 0
    assert found.partition_.n_groups == 3
    assert (
        adjusted_rand_score(TRUTH, found.labels_) > adjusted_rand_score(TRUTH, plain.labels_) + 0.03
    )
    sure = found.partition_.confidence
    assert ((sure >= 0) & (sure <= 1)).all()


@pytest.mark.filterwarnings("ignore:.* not kept")
@pytest.mark.parametrize("estimator", **named(KEEPING))
def test_weights_lie_between_nothing_and_laws(estimator):
    away = cloud()
    counts = []
    for weight in (0.0, 0.2, 1.0, np.inf):
        hints = Hints.of(N, **pairs(120), pair_weight=weight)
        counts.append(len(hints.broken(again(estimator).fit(away, hints=hints).labels_)))
    plain = again(estimator).fit(away).labels_
    assert counts[0] == len(hints.broken(plain))
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 0 < counts[0]


@pytest.mark.parametrize("scheme", ["intrinsic", "constrained"])
@pytest.mark.parametrize("estimator", **named(KEEPING))
def test_labels_are_pairs(estimator, scheme):
    labels = [f"kind {TRUTH[i]}" if i < 60 else None for i in range(N)]
    hints = Hints.of(N, labels, scheme=scheme)
    found = again(estimator).fit(cloud(), hints=hints).labels_
    assert adjusted_rand_score(TRUTH[:60], found[:60]) > (0.999 if scheme == "constrained" else 0.9)


@pytest.mark.parametrize("estimator", **named(KEEPING))
def test_seeds_only_say_where_to_start(estimator):
    away = cloud(apart=9.0)
    hints = Hints.of(N, [str(TRUTH[i]) if i < 6 else None for i in range(N)], scheme="seeded")
    wrong = Hints.of(
        N, ["0"] * 3 + [None] * (N - 3), scheme="seeded"
    )  # three of different groups: no pairs
    assert adjusted_rand_score(TRUTH, again(estimator).fit(away, hints=hints).labels_) == 1.0
    assert adjusted_rand_score(TRUTH, again(estimator).fit(away, hints=wrong).labels_) == 1.0


@pytest.mark.parametrize("estimator", **named(KEEPING))
def test_laws_against_all_appearance(estimator):
    away = cloud(apart=8.0)
    hints = Hints.of(N, together=[(0, 1)], apart=[(2, 5), (5, 8)])
    found = again(estimator).fit(away, hints=hints).labels_
    assert len(hints.broken(found)) == 0
    others = np.arange(9, N)
    assert adjusted_rand_score(TRUTH[others], found[others]) == 1.0


@pytest.mark.parametrize("estimator", **named(KEEPING))
def test_too_few_groups_are_refused_by_name(estimator):
    with pytest.raises(
        DataError,
        match=r"member 0, member 1, member 2 and member 3 all belong apart .* n_groups is 3",
    ):
        again(estimator).fit(
            cloud(), hints=Hints.of(N, apart=[(i, j) for i in range(4) for j in range(i)])
        )
    with pytest.raises(DataError, match=r"the hints are on 7 members, and there are 150"):
        again(estimator).fit(cloud(), hints=Hints.of(7, together=[(0, 1)]))
    with pytest.raises(ParameterError, match="hints must be"):
        again(estimator).fit(cloud(), hints={"together": []})
    with pytest.raises(DataError, match="member 0 and member 2 are said to belong apart"):
        again(estimator).fit(cloud(), hints=Hints.of(N, together=[(0, 1), (1, 2)], apart=[(0, 2)]))


@pytest.mark.parametrize("jobs", [1, 2])
def test_same_bits_for_any_number_of_workers(jobs):
    hints = Hints.of(N, **pairs(60))
    with using(n_jobs=jobs):
        found = [again(e).fit(cloud(), hints=hints).labels_.tobytes() for e in KEEPING]
    assert found == [again(e).fit(cloud(), hints=hints).labels_.tobytes() for e in KEEPING]


@pytest.mark.filterwarnings("ignore:.* not kept")
def test_spectral_takes_at_least_as_many_groups_as_the_hints_need():
    hints = Hints.of(N, apart=[(i, j) for i in range(5) for j in range(i)])
    found = Spectral(random_state=0).fit(cloud(apart=8.0), hints=hints)
    assert found.partition_.n_groups >= 5
    assert len(hints.broken(found.labels_)) == 0
    few = Spectral(random_state=0).fit(
        cloud(apart=8.0), hints=Hints.of(N, ["a", "b", "c", "d"] + [None] * (N - 4))
    )
    assert few.partition_.n_groups >= 4


def test_spectral_tells_identical_members_apart_by_hints_only():
    hints = Hints.of(6, apart=[(0, 1)], together=[(1, 2)])
    with pytest.warns(UserWarning, match="only the hints tell them apart"):
        found = Spectral(random_state=0).fit(Dense(np.zeros((6, 6)), "distance"), hints=hints)
    assert len(hints.broken(found.labels_)) == 0


def test_a_hint_links_a_member_that_is_like_nobody():
    alike = np.kron(np.eye(2), np.ones((4, 4)))
    alike[7, :] = 0.0
    alike[:, 7] = 0.0
    found = Spectral(n_groups=2, random_state=0).fit(
        Dense(alike, "similarity"), hints=Hints.of(8, together=[(7, 0)])
    )
    assert found.labels_[7] == found.labels_[0] != found.labels_[4]


def test_samples_keep_laws_over_all_members(monkeypatch):
    monkeypatch.setattr(medoids_module, "_WHOLE", 60)
    monkeypatch.setattr(medoids_module, "_SAMPLE", 40)
    hints = Hints.of(N, **pairs(80))
    found = Medoids(n_groups=3, random_state=0).fit(cloud(), hints=hints)
    assert len(hints.broken(found.labels_)) == 0
    assert adjusted_rand_score(TRUTH, found.labels_) > adjusted_rand_score(
        TRUTH, Medoids(n_groups=3, random_state=0).fit(cloud()).labels_
    )


def test_medoids_are_the_most_central_of_their_groups():
    away = cloud()
    hints = Hints.of(N, **pairs(60))
    found = Medoids(n_groups=3).fit(away, hints=hints)
    for group, medoid in enumerate(found.medoids_.tolist()):
        own = np.flatnonzero(found.labels_ == group)
        sums = away.values[np.ix_(own, own)].sum(axis=1)
        assert medoid in own
        assert sums[own.tolist().index(medoid)] <= sums.min() + 1e-9
    total = sum(away.values[found.medoids_[g], i] for i, g in enumerate(found.labels_.tolist()))
    assert np.isclose(found.inertia_, total)


def test_a_member_without_a_path_goes_where_its_piece_goes():
    links = sp.csr_array(([1.0, 1.0], ([0, 1], [1, 2])), shape=(5, 5))
    found = Medoids(n_groups=1).fit(Graph(links, "distance"), hints=Hints.of(5, together=[(0, 3)]))
    assert found.labels_.tolist() == [0, 0, 0, 0, -1]


def test_mcl_follows_links_and_warns_of_what_it_could_not_keep():
    caves = np.kron(np.eye(2), np.ones((5, 5)))
    caves[4, 5] = caves[5, 4] = 0.2
    given = Graph(sp.csr_array(caves - np.eye(10) * caves.diagonal()), "similarity")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = MCL().fit(given, hints=Hints.of(10, apart=[(4, 5)], together=[(0, 1)]))
    assert found.labels_.tolist() == [0] * 5 + [1] * 5
    with pytest.warns(
        UserWarning, match=r"1 pair of the hints was not kept, such as member 0 and member 1"
    ):
        MCL().fit(given, hints=Hints.of(10, apart=[(0, 1)]))
    lone = Graph(sp.csr_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(4, 4)), "similarity")
    assert MCL().fit(lone).partition_.n_groups == 3
    assert MCL().fit(lone, hints=Hints.of(4, together=[(2, 3)])).labels_.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("how", ["average", "complete"])
def test_a_tree_keeps_laws_or_says_how_many_groups_would(how):
    hints = Hints.of(N, together=[(0, 1), (1, 4)], apart=[(0, 3), (2, 5)])
    found = Agglomerative(linkage=how).fit(cloud(), hints=hints)
    assert len(hints.broken(found.labels_)) == 0
    assert np.all(np.diff(found.hierarchy_.heights) >= -1e-12)
    assert found.hierarchy_.heights[-1] <= cloud().values.max()
    with pytest.raises(
        DataError,
        match=r"1 groups do not keep member \d+ and member \d+ apart; ask for [23]|n_groups is 1",
    ):
        Agglomerative(n_groups=1, linkage=how).fit(cloud(), hints=hints)


@pytest.mark.parametrize("kind", ["distance", "similarity"])
@pytest.mark.parametrize("estimator", **named([Spectral(n_groups=3, random_state=0), MCL()]))
def test_members_apart_that_no_link_joins(estimator, kind):
    away = cloud(apart=20.0)
    given = graph(away if kind == "distance" else similarity(away), 8)
    far = Hints.of(N, apart=[(0, 1)])
    labeled = Hints.of(N, ["a", "b"] + [None] * (N - 2), scheme="constrained")
    assert given.values[0, 1] == given.values[1, 0] == 0
    plain = again(estimator).fit(given).labels_
    for hints in (far, labeled):
        found = again(estimator).fit(given, hints=hints).labels_
        assert found[0] != found[1]
        assert adjusted_rand_score(plain, found) == 1.0


@pytest.mark.parametrize("n_groups", [None, 2])
@pytest.mark.parametrize("links", [[], [(0, 1)]])
def test_spectral_keeps_laws_where_no_links_are_left(links, n_groups):
    one, other = np.array(links, dtype=int).reshape(-1, 2).T
    given = Graph(
        sp.csr_array((np.ones(2 * len(one)), (np.r_[one, other], np.r_[other, one])), shape=(4, 4)),
        "similarity",
    )
    with pytest.warns(
        UserWarning, match="no two members are alike at all, and only the hints tell them apart"
    ):
        found = Spectral(n_groups=n_groups, random_state=0).fit(
            given, hints=Hints.of(4, apart=[(0, 1)])
        )
    assert found.labels_[0] != found.labels_[1]
    assert (found.labels_ >= 0).all()


@pytest.mark.parametrize("estimator", **named([*KEEPING, Agglomerative(n_groups=3)]))
def test_weighted_pairs_that_are_not_kept_are_told(estimator):
    away = cloud(apart=20.0)
    ids = [f"m{i}" for i in range(N)]
    light = Hints.of(
        ids, together=[("m0", "m1"), ("m0", "m3")], apart=[("m2", "m5")], pair_weight=1e-3
    )
    with pytest.warns(UserWarning, match="were not kept") as told:
        again(estimator).fit(away, hints=light)
    owner = type(estimator).__name__
    sentence = "2 pairs of the hints were not kept, such as 'm0' and 'm1'; a larger weight keeps more, and laws are always kept."
    assert [str(one.message) for one in told] == [f"{owner}: {sentence}"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again(estimator).fit(
            away,
            hints=Hints.of(ids, together=[("m0", "m3")], apart=[("m0", "m1")], pair_weight=1e-3),
        )
        again(estimator).fit(
            away, hints=Hints.of(ids, together=[("m0", "m3")], apart=[("m0", "m1")])
        )


@pytest.mark.parametrize("estimator", **named([*KEEPING, Agglomerative(n_groups=3)]))
def test_weighted_labels_that_are_not_kept_are_told(estimator):
    hints = Hints.of(N, ["a", "a"] + [None] * (N - 2), label_weight=1e-3)
    with pytest.warns(
        UserWarning, match="1 pair of the hints was not kept, such as member 0 and member 1"
    ):
        again(estimator).fit(cloud(apart=20.0), hints=hints)


@pytest.mark.parametrize("estimator", **named([*KEEPING, Agglomerative(n_groups=3)]))
def test_members_are_called_by_their_ids(estimator):
    ids = [f"m{i}" for i in range(N)]
    four = [(f"m{i}", f"m{j}") for i in range(4) for j in range(i)]
    with pytest.raises(
        DataError,
        match=r"'m0', 'm1', 'm2' and 'm3' all belong apart from each other, which takes 4 groups",
    ):
        again(estimator).fit(cloud(), hints=Hints.of(ids, apart=four))
    with pytest.raises(
        DataError, match=r": 'm0' and 'm1' belong apart, which takes 2 groups, and n_groups is 1"
    ):
        type(estimator)(n_groups=1).fit(cloud(), hints=Hints.of(ids, apart=[("m0", "m1")]))


def test_mcl_and_a_tree_call_members_by_their_ids():
    ids = list("abcdefghij")
    full = Graph(sp.csr_array(np.ones((10, 10)) - np.eye(10)), "similarity")
    with pytest.warns(
        UserWarning,
        match="MCL: 1 pair of the hints was not kept, such as 'a' and 'b'; it only changes links",
    ):
        MCL().fit(full, hints=Hints.of(ids, apart=[("a", "b")]))
    line = np.array([0.0, 5.0, 9.0, 0.5])[
        :, None
    ]  # a and d are merged first, and then b and c need a group each
    path = Hints.of(list("abcd"), apart=[("a", "b"), ("b", "c"), ("c", "d")])
    with pytest.raises(
        DataError, match=r"in the tree, 2 groups do not keep '[abcd]' and '[abcd]' apart; ask for 3"
    ):
        Agglomerative(n_groups=2).fit(Dense(cdist(line, line), "distance"), hints=path)


def test_samples_hold_someone_of_every_piece(monkeypatch):
    monkeypatch.setattr(medoids_module, "_WHOLE", 60)
    monkeypatch.setattr(medoids_module, "_SAMPLE", 40)
    hints = Hints.of(N, ["a"] * 70 + ["b"] * (N - 71) + ["once"], scheme="constrained")
    for seed in range(5):
        found = Medoids(n_groups=3, random_state=seed).fit(cloud(), hints=hints).labels_
        assert sorted(np.bincount(found).tolist()) == [1, 70, N - 71]


def test_spectral_calls_members_as_they_are_though_some_are_like_nobody():
    near = np.ones((7, 7)) - np.eye(7)
    near[:2] = 0.0
    near[:, :2] = 0.0
    ring = [(2 + i, 2 + (i + 1) % 5) for i in range(5)]
    with pytest.raises(
        DataError, match=r"2 groups are too few .*: member [2-6] and member [2-6] could not be"
    ):
        Spectral(n_groups=2, random_state=0).fit(
            Dense(near, "similarity"), hints=Hints.of(7, apart=ring)
        )
    ids = list("abcdefg")
    with pytest.warns(
        UserWarning,
        match="Spectral: 2 members, the first of them 'a', are like nobody and in no group",
    ):
        Spectral(n_groups=2, random_state=0).fit(
            Dense(near, "similarity"), hints=Hints.of(ids, apart=[("c", "d")])
        )


def test_other_linkages_and_other_organizers_take_no_hints():
    hints = Hints.of(N, together=[(0, 1)])
    with pytest.raises(
        ParameterError, match="hints take linkage='average' or 'complete', and it was 'ward'"
    ):
        Agglomerative(n_groups=3, linkage="ward").fit(cloud(), hints=hints)
    assert not Density.guided
    with pytest.raises(ParameterError, match="Density takes no hints"):
        Density().check_hints(hints, N)

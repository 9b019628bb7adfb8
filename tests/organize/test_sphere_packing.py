"""Sphere packing: known groups of sets and of points, labels that never meet, new members, the cut, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import dendrogram

from coterie import Ragged, Table
from coterie.core.errors import DataError, NotConverged, ParameterError
from coterie.core.workplace import using
from coterie.organize import SpherePacking
from coterie.testing import promises


def sets(each=8, seed=0, centers=((0, 0), (6, 0), (0, 6))):
    generator = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(centers)), each)
    made = [generator.normal(size=(generator.integers(5, 30), 2)) * 0.8 + centers[t] for t in truth]
    return Ragged.of(made, ordered=False), truth


def points(seed=0):
    generator = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 15)
    return Table.of(
        generator.normal(size=(45, 2)) * 0.5 + np.array([[0, 0], [6, 0], [0, 6]])[truth]
    ), truth


@pytest.mark.parametrize("form", [{}, {"nu": 0}, {"C": 0.2}, {"kernel": "linear"}], ids=str)
def test_promises(form):
    for promise in promises(SpherePacking(**form)):
        promise()


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "linear", "polynomial"])
@pytest.mark.parametrize("nu", [0.0, 0.1, 0.4])
def test_known_groups_of_sets(kernel, nu):
    members, truth = sets()
    found = SpherePacking(n_groups=3, nu=nu, kernel=kernel).fit(members)
    np.testing.assert_array_equal(found.labels_, truth)
    new, expected = sets(seed=3)
    np.testing.assert_array_equal(found.predict(new), expected)
    assert found.outside_ <= nu
    assert found.radii_.shape == (3,)
    assert found.centers_.shape == (3, 24)
    np.testing.assert_allclose(found.centers_.sum(axis=1), 1.0)
    assert ((found.partition_.confidence >= 0) & (found.partition_.confidence <= 1)).all()


def test_the_number_of_groups_by_the_largest_gap():
    members, truth = sets()
    found = SpherePacking(kernel="linear").fit(members)
    np.testing.assert_array_equal(found.labels_, truth)
    assert max(found.gaps_, key=lambda k: found.gaps_[k]) == 3
    assert (np.diff(found.hierarchy_.heights) >= 0).all()
    dendrogram(found.hierarchy_.merges, no_plot=True)  # a tree as SciPy knows it


def test_every_group_holds_the_balls_of_its_members():
    members, _ = sets(seed=4)
    found = SpherePacking(n_groups=4, kernel="linear").fit(members)
    centers = np.array(
        [b.T[0] @ s for b, s in zip(found.balls_.weights, found.balls_.support, strict=True)]
    )
    groups = found.centers_ @ centers
    reach = np.linalg.norm(centers - groups[found.labels_], axis=1) + found.balls_.radii
    assert (reach <= found.radii_[found.labels_] + 1e-9).all()
    np.testing.assert_allclose(found.norms_, np.square(groups).sum(axis=1), atol=1e-9)


def test_rows_of_a_table_are_single_points():
    table, truth = points()
    found = SpherePacking(n_groups=3).fit(table)
    np.testing.assert_array_equal(found.labels_, truth)
    np.testing.assert_array_equal(found.balls_.radii, 0.0)
    np.testing.assert_array_equal(found.predict(table), truth)
    with pytest.raises(DataError, match="features"):
        found.predict(Table.of(np.zeros((1, 3))))


def test_linear_balls_do_not_mind_where_the_origin_is():
    members, _ = sets(seed=5)
    found = SpherePacking(n_groups=3, kernel="linear").fit(members)
    moved = SpherePacking(n_groups=3, kernel="linear").fit(
        members.with_values(members.values + 1e6)
    )
    np.testing.assert_array_equal(moved.labels_, found.labels_)
    np.testing.assert_allclose(moved.hierarchy_.heights, found.hierarchy_.heights, atol=1e-4)


def test_labels_never_meet():
    table, truth = points()
    told = np.full(45, None, dtype=object)
    told[[0, 1, 15]] = ["b", "b", "a"]
    found = SpherePacking(n_groups=3).fit(table, told)
    np.testing.assert_array_equal(found.labels_, truth)
    assert found.partition_.names == ("b", "a", "group 3")
    assert len(found.balls_) == 44
    assert found.ball_of_[0] == found.ball_of_[1]
    assert found.balls_.radii[found.ball_of_[0]] > 0
    assert found.hierarchy_.n_members == 45
    assert found.hierarchy_.heights[0] == 0
    near = told.copy()
    near[2] = "c"  # in the middle of the group of b
    apart = SpherePacking(n_groups=3).fit(table, near)
    assert len({apart.labels_[0], apart.labels_[2], apart.labels_[15]}) == 3
    assert apart.labels_[0] == apart.labels_[1]
    assert apart.labels_[40] in (apart.labels_[0], apart.labels_[2], apart.labels_[15])


def test_labels_of_sets_are_one_ball():
    members, truth = sets()
    told = np.full(24, -1)
    told[[0, 1, 2, 8, 9]] = [5, 5, 5, 7, 7]
    found = SpherePacking(n_groups=3).fit(members, told)
    np.testing.assert_array_equal(found.labels_, truth)
    assert found.partition_.names[:2] == ("5", "7")
    assert len(found.balls_) == 21
    np.testing.assert_array_equal(found.predict(members), truth)
    everyone = SpherePacking().fit(members, truth)
    np.testing.assert_array_equal(everyone.labels_, truth)
    assert len(everyone.balls_) == 3


def test_members_of_one_vector_and_identical_members():
    same = Ragged.of(
        [np.array([[0.0, 0.0]])] * 3
        + [np.array([[4.0, 0.0], [4.0, 0.0]])] * 2
        + [np.array([[2.0, 9.0]])]
    )
    found = SpherePacking(n_groups=3).fit(same)
    assert found.labels_.tolist() == [0, 0, 0, 1, 1, 2]
    np.testing.assert_allclose(found.radii_, 0.0, atol=1e-7)
    assert found.predict(Ragged.of([np.array([[4.0, 0.1]])])).tolist() == [1]
    whole = SpherePacking(n_groups=1).fit(Ragged.of([np.array([[0.0, 1.0], [1.0, 0.0]])]))
    assert whole.labels_.tolist() == [0]
    assert whole.partition_.confidence.tolist() == [1.0]


def test_workers_change_no_bit():
    members, _ = sets(each=40)
    trees = []
    for n_jobs in (1, 2):
        with using(n_jobs=n_jobs):
            trees.append(SpherePacking(n_groups=3).fit(members).hierarchy_.merges.tobytes())
    assert trees[0] == trees[1]


def test_bad_input_is_refused_in_a_sentence():
    members, _ = sets()
    gaps = members.with_values(members.values.copy())
    gaps.values[members.offsets[3]] = np.nan
    with pytest.raises(DataError, match="member 3 has a missing value"):
        SpherePacking().fit(gaps)
    with pytest.raises(DataError, match="n_groups is 30 and there are only 24 members"):
        SpherePacking(n_groups=30).fit(members)
    with pytest.raises(
        ParameterError, match="n_groups must be at least 2, since there are so many labels"
    ):
        SpherePacking(n_groups=1).fit(members, [0, 1] + [-1] * 22)
    with pytest.raises(DataError, match="3 labels for 24 members"):
        SpherePacking().fit(members, [0, 1, 1])
    with pytest.raises(ParameterError, match="kernel"):
        SpherePacking(kernel="cubic").fit(members)
    with pytest.raises(DataError, match="identical"):
        SpherePacking().fit([np.ones((3, 2)), np.ones((2, 2))])
    found = SpherePacking(n_groups=3).fit(members)
    with pytest.raises(DataError, match="3 values per step where the fitted ones have 2"):
        found.predict([np.zeros((4, 3))])


def test_notes_are_given():
    members, _ = sets()
    with pytest.warns(UserWarning, match=r"C = 0.05 was raised to 1/n in \d+ of 24 sets"):
        SpherePacking(C=0.05).fit(members)
    with pytest.warns(NotConverged, match="did not settle in 2 steps"):
        SpherePacking(max_iter=2).fit(members)


def test_a_kernel_of_ones_own():
    members, truth = sets()
    own = SpherePacking(n_groups=3, kernel=lambda a, b: a @ b.T).fit(members)
    np.testing.assert_array_equal(own.labels_, truth)
    np.testing.assert_array_equal(own.predict(members), truth)


def test_a_width_beside_a_kernel_that_has_none_is_refused():
    for kernel in ("linear", lambda a, b: a @ b.T):
        with pytest.raises(ParameterError, match=r"SpherePacking: width = 2.0 .*; leave it out"):
            SpherePacking(kernel=kernel, width=2.0).fit(sets()[0])


def test_new_members_are_of_the_kind_that_was_fitted() -> None:
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(6, 2)) + 9 * (i % 2) for i in range(8)]
    packed = SpherePacking(n_groups=2).fit(sets)
    with pytest.raises(DataError, match="SpherePacking takes Ragged, and was given Table"):
        packed.predict(Table.of(sets[0]))
    rows = np.concatenate([one[:1] for one in sets])
    points = SpherePacking(n_groups=2).fit(Table.of(rows))
    assert points.predict(rows).tolist() == points.labels_.tolist()


def test_labels_in_two_dimensions_are_refused() -> None:
    with pytest.raises(DataError, match="labels must be one per member, and have 2 dimensions"):
        SpherePacking(n_groups=2).fit([[[0.0]], [[1.0]], [[2.0]]], np.zeros((3, 2)))

"""Alignment against its slow twin and against dtaidistance; gaps, bands, open ends, and every refusal."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.oracles import warping as slow

import coterie.compare.alignment as alignment
from coterie.compare.alignment import Alignment, warped_tile
from coterie.core.affinity import Dense, Lazy
from coterie.core.errors import DataError, MissingExtra, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.workplace import using
from coterie_papers.baselines import dtw

LENGTHS = (7, 1, 12, 2, 140, 3, 9, 30, 5, 9, 21, 4)


def drawn(lengths=LENGTHS, d=6, seed=0) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [
        np.cumsum(random.normal(size=(length, d)), axis=0) + random.normal(size=d)
        for length in lengths
    ]


def gappy(members, share=0.3, seed=1) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [np.where(random.random(one.shape) < share, np.nan, one) for one in members]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"inner": "squared"},
        {"normalize": "none"},
        {"inner": "squared", "normalize": "none", "window": 1.0},
        {"window": 0.0},
        {"window": 0.1, "inner": "squared"},
        {"window": 0.4, "measure": "derivative"},
        {"measure": "derivative"},
    ],
    ids=str,
)
@pytest.mark.parametrize("d", [2, 14])
def test_against_slow_twin(settings, d):
    members = drawn(d=d)
    fitted = Alignment(**settings).fit(members)
    assert isinstance(fitted.affinity_, Dense)
    assert fitted.affinity_.kind == "distance"
    assert fitted.affinity_.symmetric
    values = fitted.affinity_.values
    assert np.array_equal(values, values.T)
    assert (np.diagonal(values) == 0).all()
    np.testing.assert_allclose(
        values, slow.all_pairs(members, members, **settings), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize(
    "settings", [{}, {"measure": "derivative", "inner": "squared", "window": 0.2}], ids=str
)
def test_new_sequences(settings):
    members = drawn()
    new = drawn((3, 1, 133, 8), seed=5)
    found = Alignment(**settings).fit(members).compare(new)
    assert found.shape == (4, 12)
    assert not found.square
    np.testing.assert_allclose(
        found.values, slow.all_pairs(new, members, **settings), rtol=1e-10, atol=1e-12
    )


def test_the_order_of_members_is_kept_across_tiles(monkeypatch):
    members = drawn(d=8)
    whole = Alignment().fit_transform(members)
    monkeypatch.setattr(alignment, "_TILE", (3, 5))
    with using(n_jobs=1):
        one = Alignment().fit_transform(members)
    with using(n_jobs=2):
        two = Alignment().fit_transform(members)
    assert np.array_equal(one, two)
    np.testing.assert_allclose(one, whole, rtol=1e-12)


def test_finished_tiles_are_kept(monkeypatch):
    class Shelf(dict):
        def put(self, key, arrays):
            self[key] = arrays

    monkeypatch.setattr("coterie.parts.workers.WORTH", -1.0)
    shelf = Shelf()
    with using(keeper=shelf):
        first = Alignment().fit(drawn())
    for kept in shelf.values():
        kept["tile"] = kept["tile"] + 1.0
    with using(keeper=shelf):
        again = Alignment().fit(drawn())
    assert np.allclose(again.affinity_.values, first.affinity_.values + 1.0), (
        "what was kept was computed anew"
    )


def test_a_single_row_of_a_tile_knows_itself():
    members = Ragged.of(drawn())
    side = (members, np.arange(len(members)))
    tile = Lazy(
        lambda a, b: warped_tile(a, b, share=1.0, squared=False, by_length=True),
        side,
        side,
        "distance",
    )
    np.testing.assert_allclose(
        tile.block(slice(4, 5), slice(0, 12)), Alignment().fit_transform(members)[4:5], rtol=1e-10
    )


@pytest.mark.parametrize("inner", ["euclidean", "squared"])
@pytest.mark.parametrize("d", [1, 13])
def test_against_the_library(inner, d):
    library = pytest.importorskip("dtaidistance.dtw_ndim")
    members = drawn(tuple(range(20, 60)), d=d)
    name = "euclidean" if inner == "euclidean" else "squared euclidean"
    wanted = library.distance_matrix_fast(members, parallel=False, inner_dist=name)
    wanted = np.where(np.isfinite(wanted), wanted, 0.0)
    wanted = np.maximum(wanted, wanted.T)
    np.fill_diagonal(wanted, 0.0)
    found = Alignment(inner=inner, normalize="none").fit_transform(members)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def test_bands_against_the_library():
    library = pytest.importorskip("dtaidistance.dtw_ndim")
    members = drawn((40, 40, 40, 31, 22, 40))
    for share, steps in ((0.0, 1), (0.1, 5), (0.25, 11)):
        found = Alignment(window=share, normalize="none").fit_transform(members)
        for j in range(1, 6):
            wanted = library.distance_fast(
                members[0], members[j], window=steps, inner_dist="euclidean"
            )
            assert found[0, j] == pytest.approx(wanted, abs=1e-10)
    sums = np.add.outer(*[np.array([len(one) for one in members])] * 2)
    banded = dtw(Ragged.of(members), window=5).values
    assert banded[0, 4] * sums[0, 4] == pytest.approx(
        library.distance_fast(members[0], members[4], window=5, inner_dist="euclidean"), abs=1e-10
    )
    assert np.array_equal(dtw(Ragged.of(members)).values, Alignment().fit_transform(members))
    with pytest.raises(ParameterError, match="window must be from 1"):
        dtw(Ragged.of(members), window=0)


@pytest.mark.parametrize(
    "settings",
    [
        {"open_ends": 0.2},
        {"open_ends": 0.34, "inner": "squared", "measure": "derivative"},
        {"penalty": 0.7},
        {"penalty": 0.7, "inner": "squared", "normalize": "none"},
        {"open_ends": 0.3, "penalty": 0.2, "window": 0.4},
    ],
    ids=str,
)
def test_open_ends_and_penalties_against_slow_twin(settings):
    pytest.importorskip("dtaidistance")
    members = drawn((7, 1, 12, 2, 21, 3, 9), d=3)
    new = drawn((5, 10), d=3, seed=3)
    fitted = Alignment(**settings).fit(members)
    wanted = slow.all_pairs(members, members, **settings)
    np.fill_diagonal(wanted, 0.0)
    np.testing.assert_allclose(fitted.affinity_.values, wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        fitted.transform(new), slow.all_pairs(new, members, **settings), rtol=1e-10, atol=1e-12
    )


def test_open_ends_forgive_what_is_before_and_after():
    pytest.importorskip("dtaidistance")
    middle = drawn((20,))[0]
    longer = np.concatenate([np.full((5, 6), 50.0), middle, np.full((5, 6), -50.0)])
    assert Alignment(open_ends=0.2).fit_transform([middle, longer])[0, 1] == 0
    assert Alignment().fit_transform([middle, longer])[0, 1] > 1


def test_without_the_library_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "dtaidistance.dtw_ndim", None)
    assert Alignment().fit_transform(drawn((3, 4))).shape == (2, 2)
    with pytest.raises(MissingExtra, match=r"coterie\[series\]"):
        Alignment(penalty=1.0).fit(drawn((3, 4)))


def test_equal_and_stretched_sequences_are_at_zero():
    random = np.random.default_rng(3)
    one = random.normal(size=(40, 20)) + 1e5
    stretched = np.repeat(one, random.integers(1, 4, size=40), axis=0)
    found = Alignment().fit_transform([one, one + 1e-3, one.copy(), stretched])
    assert found[0, 2] == 0
    assert found[0, 3] == 0
    assert found[0, 1] == pytest.approx(40 * 1e-3 * np.sqrt(20) / 80, rel=1e-6)


def test_slopes_forget_the_level():
    members = drawn((12, 2, 9, 1))
    moved = [one + 10.0 * i for i, one in enumerate(members)]
    found = Alignment(measure="derivative").fit_transform(moved)
    np.testing.assert_allclose(
        found, Alignment(measure="derivative").fit_transform(members), atol=1e-10
    )
    assert not np.allclose(Alignment().fit_transform(moved), Alignment().fit_transform(members))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"inner": "squared", "normalize": "none"},
        {"window": 0.1},
        {"measure": "derivative", "window": 0.3},
    ],
    ids=str,
)
@pytest.mark.parametrize("d", [2, 6])
def test_gaps_against_slow_twin(settings, d):
    members = gappy(drawn((7, 5, 12, 9, 30, 6), d=d), share=0.15 if "measure" in settings else 0.3)
    members[2][3:5] = np.nan
    members[0][2] = np.arange(d)
    new = gappy(drawn((8, 15), d=d, seed=9), share=0.2)
    fitted = Alignment(**settings).fit(members)
    wanted = slow.all_pairs(members, members, **settings)
    np.fill_diagonal(wanted, 0.0)
    np.testing.assert_allclose(fitted.affinity_.values, wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        fitted.transform(new), slow.all_pairs(new, members, **settings), rtol=1e-10, atol=1e-12
    )


def test_one_gap_changes_nothing_among_the_others():
    members = drawn()
    before = Alignment().fit_transform(members)
    members[0][0, 0] = np.nan
    np.testing.assert_allclose(
        Alignment().fit_transform(members)[1:, 1:], before[1:, 1:], rtol=1e-10
    )


def test_steps_without_a_value_are_left_out():
    members = drawn((9, 6))
    holes = [np.insert(members[0], 4, np.nan, axis=0), members[1]]
    np.testing.assert_allclose(
        Alignment().fit_transform(holes), Alignment().fit_transform(members), rtol=1e-12
    )


def test_what_cannot_be_aligned_is_named():
    members = drawn((4, 3, 5), d=2)
    fitted = Alignment().fit(members)
    with pytest.raises(DataError, match="these members are sets"):
        Alignment().fit(Ragged.of(members, ordered=False))
    with pytest.raises(DataError, match="member 1 is empty"):
        Alignment().fit([members[0], np.empty((0, 2)), members[1]])
    with pytest.raises(DataError, match="no values per step"):
        Alignment().fit(Ragged(np.empty((3, 0)), np.array([0, 3])))
    with pytest.raises(DataError, match="3 values per step where the fitted ones have 2"):
        fitted.compare(drawn((4,), d=3))
    with pytest.raises(DataError, match="member 2 has an infinite value"):
        Alignment().fit([members[0], members[1], np.full((2, 2), np.inf)])
    with pytest.raises(DataError, match="member 1 has no value at any step"):
        Alignment().fit([members[0], np.full((3, 2), np.nan)])
    with pytest.raises(DataError, match="member 0 has no slope"):
        Alignment(measure="derivative").fit(
            [np.array([[1.0, np.nan], [np.nan, 1.0], [2.0, np.nan]]), members[0]]
        )
    with pytest.raises(DataError, match="Ragged"):
        Alignment().fit(object())


def test_pairs_without_a_common_channel_are_named():
    left = np.array([[1.0, np.nan], [2.0, np.nan]])
    right = np.array([[np.nan, 1.0]])
    with pytest.raises(DataError, match="member 1 and member 2 have no channel in common"):
        Alignment().fit([np.ones((2, 2)), left, right])
    with pytest.raises(DataError, match="new member 1 and member 0 have no channel in common"):
        Alignment().fit([left, left]).compare([np.ones((2, 2)), right])
    pytest.importorskip("dtaidistance")
    with pytest.raises(DataError, match="member 1 has missing values, and open ends"):
        Alignment(open_ends=0.1).fit([np.ones((2, 2)), left])


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("measure", "edit"),
        ("window", 1.5),
        ("inner", "l1"),
        ("normalize", "path"),
        ("open_ends", 0.5),
        ("penalty", -1),
    ],
)
def test_bad_parameters_are_named(name, bad):
    with pytest.raises(ParameterError, match=name):
        Alignment(**{name: bad}).fit(drawn((3, 4)))

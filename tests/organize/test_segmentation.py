"""Cuts of sequences with known boundaries: windows, sources that come back, refinement, classical costs, bad input."""

from __future__ import annotations

import builtins
import importlib

import numpy as np
import pytest
from tests.oracles import segments as slow

from coterie import Ragged
from coterie.core.affinity import Dense
from coterie.core.errors import CoterieError, DataError, MissingExtra, ParameterError
from coterie.core.estimator import Estimator
from coterie.core.params import param
from coterie.judge import boundary_scores, segmentation_error
from coterie.models import HMM, Gaussian
from coterie.organize import Segmentation
from coterie.organize.change_points import change_points, criterion
from coterie.organize.cuts import guessed_window, likeliest, refined, windows
from coterie.organize.layouts import layouts
from coterie.testing import promises

TRUE = np.array([0, 97, 203, 301, 410])


def recording(seed=0, bounds=TRUE, order=(0, 1, 2, 0), dim=2, away=3.0):
    """Stretches of noise around the level of their source."""
    generator = np.random.default_rng(seed)
    levels = away * np.eye(3, dim)
    return np.concatenate(
        [
            levels[s] + generator.normal(size=(n, dim))
            for s, n in zip(order, np.diff(bounds), strict=True)
        ]
    )


def dynamics(seed=0, bounds=(0, 300, 640, 900)):
    """Two sources of the same values that only differ in how often they change."""
    generator = np.random.default_rng(seed)
    parts = []
    for s, n in enumerate(np.diff(bounds)):
        flips = generator.random(n) < (0.1 if s % 2 == 0 else 0.9)
        parts.append(4.0 * (np.cumsum(flips) % 2)[:, None] + generator.normal(size=(n, 1)))
    return np.concatenate(parts)


class Means(Estimator):
    """Distances of the means of windows; cannot place new ones."""

    scale: float = param(1.0, "Factor of all distances.", gt=0)

    def fit(self, X, y=None):
        means = np.array([part.mean(axis=0) for part in X])
        gaps = np.sqrt(((means[:, None] - means[None]) ** 2).sum(-1))
        self.affinity_ = Dense(self.scale * gaps, "distance")
        return self


@pytest.mark.parametrize(
    "promise", [*promises(Segmentation()), *promises(Segmentation(cost="l2"))], ids=str
)
def test_promise(promise):
    promise()


def test_windows_tile_each_sequence_and_the_last_partial_one_joins():
    found = windows(Ragged.of([np.arange(7.0), np.arange(2.0), np.arange(3.0)]), 3)
    assert found.lengths.tolist() == [3, 4, 2, 3]
    assert found[1].ravel().tolist() == [3, 4, 5, 6]
    assert guessed_window(Ragged.of([np.zeros((10_000, 1))])) == 100
    assert guessed_window(Ragged.of([np.zeros((20, 5))])) == 8


@pytest.mark.parametrize("seed", range(3))
def test_known_segments_and_sources_are_found_to_the_step(seed):
    found = Segmentation(window=15, n_segments=4, n_sources=3, random_state=seed).fit(
        recording(seed)
    )
    assert np.abs(found.segmentation_.boundaries - TRUE).max() <= 2
    assert found.labels_[0] == found.labels_[3]
    assert len(set(found.labels_.tolist())) == 3
    assert found.partition_.names == ("source 1", "source 2", "source 3")
    assert found.partition_.confidence.min() > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_number_of_segments_and_of_sources_are_found(seed):
    found = Segmentation(random_state=seed).fit(recording(seed))
    assert len(found.labels_) == 4
    assert found.embedding_.shape[1] == 3
    assert (
        boundary_scores(found.segmentation_, np.repeat(np.arange(4), np.diff(TRUE)), tolerance=3).f
        == 1.0
    )


def test_noise_alone_is_one_segment_and_so_is_a_constant():
    noise = np.random.default_rng(0).normal(size=(600, 2))
    assert len(Segmentation(window=20, random_state=0).fit(noise).labels_) == 1
    still = Segmentation(window=10, random_state=0).fit(np.full((80, 2), 3.0))
    assert still.segmentation_.boundaries.tolist() == [0, 80]
    assert still.labels_.tolist() == [0]


def test_dynamics_alone_tell_sources_apart():
    truth = np.repeat([0, 1, 2], [300, 340, 260])
    found = Segmentation(window=50, n_segments=3, n_sources=2, random_state=0).fit(dynamics())
    assert segmentation_error(found.segmentation_, truth) < 0.02
    assert found.labels_[0] == found.labels_[2] != found.labels_[1]
    static = Segmentation(
        window=50, n_segments=3, n_sources=2, comparer=Gaussian(), refine=False
    ).fit(dynamics())
    assert segmentation_error(static.segmentation_, truth) > 0.05


def test_several_sequences_share_their_sources():
    one = recording(0)
    two = recording(1, np.array([0, 120, 260]), (2, 1))
    found = Segmentation(window=15, n_segments=[4, 2], n_sources=3, random_state=0).fit([one, two])
    assert [len(cut.labels) for cut in found.segmentations_] == [4, 2]
    first, second = (cut.labels for cut in found.segmentations_)
    assert second.tolist() == [first[2], first[1]]
    assert found.owners_.tolist() == [0, 0, 0, 0, 1, 1]
    pieces = found.pieces()
    assert len(pieces) == 6
    assert np.array_equal(pieces.values, np.concatenate([one, two]))
    assert pieces.lengths.tolist() == [
        *np.diff(found.segmentations_[0].boundaries),
        *np.diff(found.segmentations_[1].boundaries),
    ]


def test_new_sequences_are_cut_into_the_fitted_sources():
    found = Segmentation(window=15, n_segments=4, n_sources=3, random_state=0).fit(recording(0))
    again, other = found.predict([recording(5), recording(6, np.array([0, 150, 290]), (2, 0))])
    assert again.labels.tolist() == found.labels_.tolist()
    assert np.abs(again.boundaries - TRUE).max() <= 2
    assert other.labels.tolist() == [found.labels_[2], found.labels_[0]]
    assert found.predict(recording(7, np.array([0, 60]), (1,)))[0].boundaries.tolist() == [0, 60]


def test_refinement_moves_boundaries_to_the_step_and_never_further_than_a_window():
    values = recording(0)
    rough = Segmentation(window=25, n_segments=4, n_sources=3, refine=False, random_state=0).fit(
        values
    )
    fine = Segmentation(window=25, n_segments=4, n_sources=3, random_state=0).fit(values)
    assert np.all(rough.segmentation_.boundaries[:-1] % 25 == 0)
    assert (
        np.abs(rough.segmentation_.boundaries - TRUE).sum()
        > 4 * np.abs(fine.segmentation_.boundaries - TRUE).sum()
    )
    moved = refined(values, np.array([0, 90, 215, 295, 410]), 25, HMM(random_state=0))
    assert np.abs(moved - TRUE).max() <= 2
    assert np.all(
        np.diff(refined(values, np.array([0, 95, 105, 200, 410]), 10, HMM(random_state=0))) > 0
    )


def test_a_wide_window_is_searched_coarsely_first():
    values = recording(3, np.array([0, 1000, 2000]), (0, 1), away=6.0)
    assert refined(values, np.array([0, 700, 2000]), 600, HMM(random_state=0)).tolist() == [
        0,
        1000,
        2000,
    ]


def test_missing_values_are_taken_as_such():
    values = recording(0)
    values[np.random.default_rng(1).random(values.shape) < 0.2] = np.nan
    values[30:50] = np.nan
    found = Segmentation(window=15, n_segments=4, n_sources=3, random_state=0).fit(values)
    assert np.abs(found.segmentation_.boundaries - TRUE).max() <= 5


def test_any_comparer_of_windows_will_do():
    found = Segmentation(
        window=10, n_segments=4, n_sources=3, comparer=Means(), random_state=0
    ).fit(recording(0))
    assert np.abs(found.segmentation_.boundaries - TRUE).max() <= 2
    with pytest.raises(DataError, match="cannot compare new windows"):
        found.predict(recording(1))
    near = Dense(np.exp(-found.affinity_.values), "similarity")
    assert [layout.kernel for layout in layouts(near, 3, np.array([0, near.shape[0]]), 0)] == [None]
    assert len(layouts(found.affinity_, 3, np.array([0, found.affinity_.shape[0]]), 0)) > 2


def test_of_several_cuts_the_one_that_explains_the_steps_is_taken():
    parts = windows(Ragged.of([recording(0, np.array([0, 100, 200]), (0, 1))]), 10)
    cuts = [np.array([0, 4, 20]), np.array([0, 10, 20]), np.array([0, 15, 20])]
    assert likeliest(parts, cuts, HMM(random_state=0)) == 1
    assert likeliest(parts, cuts[::-1], HMM(random_state=0)) == 1
    assert likeliest(parts, cuts[:1], HMM(random_state=0)) == 0


def test_the_cut_of_windows_is_the_exact_one():
    values = recording(0, np.array([0, 40, 90, 120]), (0, 1, 2))
    found = Segmentation(window=10, n_segments=3, n_sources=3, refine=False, random_state=0).fit(
        values
    )
    _, bounds = slow.best_cut(found.embedding_, 3, 2)
    assert (found.segmentation_.boundaries // 10).tolist() == bounds


def test_one_window_one_step_and_more_segments_than_pairs_of_windows():
    assert Segmentation(window=9).fit(np.arange(9.0)[:, None]).labels_.tolist() == [0]
    short = Segmentation(random_state=0).fit([np.array([1.0]), recording(0)[:, 0]])
    assert short.segmentations_[0].boundaries.tolist() == [0, 1]
    many = Segmentation(window=10, n_segments=6, n_sources=2, random_state=0).fit(recording(0)[:70])
    assert len(many.labels_) == 6


def test_curves_are_told_per_sequence():
    found = Segmentation(window=15, random_state=0).fit([recording(0), recording(1)])
    assert list(found.curves()) == [
        "BIC by number of segments, sequence 1",
        "BIC by number of segments, sequence 2",
    ]
    curve = found.curves()["BIC by number of segments, sequence 1"]
    assert min(curve, key=lambda point: point[1])[0] == len(found.segmentations_[0].labels)
    assert len(found.curve_) == len(curve)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"window": 411}, "window must be from 1 to 410"),
        ({"window": 100, "n_segments": 5}, "n_segments must be from 1 to 4 for sequence 0"),
        ({"n_segments": [2, 3]}, "2 numbers for 1 sequences"),
        ({"window": 200, "n_sources": 3}, "n_sources must be from 1 to 2"),
        ({"comparer": 3}, "comparer must be a comparer or a model"),
        ({"cost": "l2", "n_segments": 500}, "from 1 to 410"),
        ({"cost": "ar"}, "takes one value per step"),
        ({"cost": "rbf", "search": "pelt", "n_segments": 2}, "leave n_segments None"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        Segmentation(**options).fit(recording(0))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (Ragged(np.zeros((4, 1)), np.array([0, 0, 4])), "member 0 is empty"),
        (np.array([[1.0], [np.inf]]), "member 0 has an infinite value"),
        (Ragged(np.zeros((4, 1)), np.array([0, 4]), ordered=False), "are sets"),
    ],
)
def test_bad_data_is_refused_in_one_sentence(data, words):
    with pytest.raises(DataError, match=words):
        Segmentation().fit(data)


def test_new_sequences_of_another_width_are_refused():
    found = Segmentation(window=15, n_segments=4, random_state=0).fit(recording(0))
    with pytest.raises(DataError, match="3 values per step where the fitted ones have 2"):
        found.predict(np.zeros((40, 3)))


@pytest.mark.parametrize("cost", ["l1", "l2", "mahalanobis", "normal", "rank", "rbf", "cosine"])
def test_classical_costs_find_the_number_and_the_steps(cost):
    pytest.importorskip("ruptures")
    values = recording(1, np.array([0, 60, 100, 180]), (0, 1, 0), away=4.0)
    found = Segmentation(
        cost=cost, search="bottom-up" if cost in ("l1", "normal", "rank", "mahalanobis") else "best"
    ).fit(values)
    assert np.abs(found.segmentation_.boundaries - [0, 60, 100, 180]).max() <= 2
    assert found.labels_.tolist() == [0, 1, 2]
    assert found.curve_[2] == found.curve_.min()
    assert found.predict([values, values[:60]])[1].boundaries.tolist() == [0, 60]


@pytest.mark.parametrize("search", ["dynamic", "pelt", "binary", "window", "bottom-up"])
def test_every_search_allows_every_step(search):
    pytest.importorskip("ruptures")
    values = recording(2, np.array([0, 53, 101]), (0, 1), away=5.0)
    found = change_points(values, "l2", search, None, 10)
    assert np.abs(found.boundaries[1] - 53) <= 1
    assert len(found.boundaries) == 3


def test_linear_and_autoregressive_costs():
    pytest.importorskip("ruptures")
    generator = np.random.default_rng(0)
    x = generator.normal(size=200)
    y = np.where(np.arange(200) < 90, 2 * x, -2 * x) + 0.1 * generator.normal(size=200)
    assert (
        abs(change_points(np.column_stack([y, x]), "linear", "binary", 2, 10).boundaries[1] - 90)
        <= 2
    )
    with pytest.raises(ParameterError, match="the value to explain"):
        change_points(x[:, None], "linear", "binary", 2, 10)
    wave = np.where(
        np.arange(400) < 210, np.sin(np.arange(400) * 0.3), np.sin(np.arange(400) * 1.5)
    ) + 0.01 * generator.normal(size=400)
    assert abs(change_points(wave[:, None], "ar", "binary", 2, 10).boundaries[1] - 210) <= 6


def test_squared_distances_need_no_library(monkeypatch):
    real = builtins.__import__, importlib.import_module

    def blocked(name, *args, **kwargs):
        if name.split(".")[0] == "ruptures":
            raise ImportError(name)
        return real[1](name, *args, **kwargs)

    monkeypatch.setattr(importlib, "import_module", blocked)
    values = recording(0, np.array([0, 60, 100, 180]), (0, 1, 0), away=4.0)
    found = Segmentation(cost="l2").fit(values)
    exact = slow.best_cut(values[50:62], 2)
    assert np.abs(found.segmentation_.boundaries - [0, 60, 100, 180]).max() <= 1
    assert change_points(values[50:62], "l2", "best", 2, 5).boundaries.tolist() == exact[1]
    with pytest.raises(MissingExtra, match="series"):
        Segmentation(cost="l1").fit(values)


def test_classical_costs_on_constants_gaps_and_single_steps():
    assert Segmentation(cost="l2").fit([np.ones((30, 1)), np.zeros((1, 1))]).labels_.tolist() == [
        0,
        1,
    ]
    with pytest.raises(DataError, match="takes no missing values"):
        Segmentation(cost="l2").fit(np.array([[1.0], [np.nan], [2.0]]))


def test_the_criterion_of_a_normal_scatter_counts_a_boundary_twice():
    n = 50
    d = 2
    k = 3
    scatter = 12.5
    expected = n * d * np.log(scatter / (n * d)) + k * (d + 2) * np.log(n)
    assert np.isclose(criterion("l2", scatter, k, n, d), expected)
    assert np.isclose(criterion("normal", -40.0, k, n, d), -40.0 + k * 7 * np.log(n))


def test_the_same_seed_gives_the_same_cut_and_errors_are_ours():
    first, second = (Segmentation(window=15, random_state=4).fit(recording(0)) for _ in range(2))
    assert np.array_equal(first.segmentation_.boundaries, second.segmentation_.boundaries)
    assert np.array_equal(first.embedding_, second.embedding_)
    with pytest.raises(CoterieError):
        Segmentation().fit("no data")

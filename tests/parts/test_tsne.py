"""Exact t-SNE against its slow twin and scikit-learn's; affinities of one perplexity; members that coincide or lie far away."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import tsne as slow

from coterie._kernels.tsne import rounds
from coterie.core.errors import Interrupted, ParameterError
from coterie.core.workplace import Silent, steady, using
from coterie.parts import tsne
from coterie.parts.tsne import affinities, calibrated, laid_out


def blobs(seed, n=120, apart=2.0):
    """Members of four clouds in six dimensions, and which cloud each is of."""
    draw = np.random.default_rng(seed)
    labels = np.arange(n) % 4
    return apart * draw.normal(size=(4, 6))[labels] + draw.normal(size=(n, 6)), labels


def begun(points, seed=0):
    """A start in the plane."""
    return np.random.default_rng(seed).normal(size=(len(points), 2)) * 1e-4


def entropies(weights):
    logs = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    return -(weights * logs).sum(axis=1)


@pytest.mark.parametrize(
    ("count", "rate", "stress"), [(1, 50.0, 12.0), (5, 50.0, 12.0), (40, 0.5, 1.0)]
)
@pytest.mark.parametrize("scale", [1e-4, 1.0, 30.0])
def test_rounds_are_those_of_the_slow_twin(count, rate, stress, scale):
    near = affinities(np.random.default_rng(0).normal(size=(37, 4)), 7.0)
    start = np.random.default_rng(1).normal(size=(37, 2)) * scale
    plane = np.ascontiguousarray(start.T, dtype=np.float32)
    steps = np.zeros_like(plane)
    gains = np.random.default_rng(2).uniform(0.01, 1.0, plane.shape).astype(np.float32)
    gains[:, ::5] = 0.01  # the least they may be
    told = slow.rounds(
        near, start, np.zeros_like(start), gains.T.astype(np.float64), rate, 0.8, stress, count
    )
    rounds(near, plane, steps, gains, rate, 0.8, stress, count)
    for found, wanted in zip((plane, steps, gains), told, strict=True):
        assert np.abs(found.T - wanted).max() < 1e-5 * np.abs(wanted).max()
    assert np.abs(plane.T - start).max() > 1e-3 * scale  # they did move


def test_affinities_are_those_of_the_slow_twin():
    points = np.random.default_rng(2).normal(size=(40, 3)) * [1.0, 5.0, 0.1]
    found = affinities(points, 9.0)
    assert np.abs(found - slow.affinities(points, 9.0)).max() < 1e-5 * found.max()
    assert np.array_equal(found, found.T)
    assert not found.diagonal().any()
    assert found.sum(dtype=np.float64) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("perplexity", [2.0, 7.5, 30.0])
def test_every_row_has_the_perplexity(perplexity):
    gaps = np.random.default_rng(3).lognormal(sigma=4.0, size=(200, 60))
    gaps[0, 0] = 1e12  # one that is far away
    gaps[1] = 1e9 + np.arange(60)  # all far away, and nearly as far
    found = calibrated(gaps, perplexity)
    assert np.abs(entropies(found) - np.log(perplexity)).max() <= 1.1e-5
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12


def test_more_coincide_than_the_perplexity():
    gaps = np.array([[0.0, 0.0, 0.0, 0.0, 1.0], [3.0, 3.0, 3.0, 3.0, 3.0]])
    assert np.array_equal(calibrated(gaps, 3.0), [[0.25, 0.25, 0.25, 0.25, 0.0], [0.2] * 5])


def test_blocks_do_not_change_affinities(monkeypatch):
    points, _ = blobs(4)
    whole = affinities(points, 20.0)
    monkeypatch.setattr(tsne, "_CELLS", 7 * len(points))
    assert np.abs(affinities(points, 20.0) - whole).max() < 1e-8


def test_perplexity_that_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="between 1 and 7 for 8 members"):
        affinities(np.eye(8), 8.0)


def test_maps_are_as_good_as_those_of_scikit_learn():
    from sklearn.manifold import TSNE

    ours = theirs = 0.0
    for seed in range(3):  # which minimum is found is chance, so that one map alone says little
        points, _ = blobs(seed)
        start = begun(points)
        near = affinities(points, 29.0)
        peer = TSNE(
            perplexity=29.0,
            init=start,
            max_iter=500,
            learning_rate="auto",
            n_jobs=1,
            random_state=0,
        )
        with steady():
            theirs += slow.divergence(near, peer.fit_transform(points.astype(np.float32)))
        ours += slow.divergence(near, laid_out(points, start, 29.0))
    assert ours <= 1.05 * theirs


def test_clouds_stay_apart_and_the_map_has_the_same_bits_twice():
    points, labels = blobs(5, apart=6.0)
    found = laid_out(points, begun(points), 20.0)
    gaps = np.linalg.norm(found[:, None] - found[None], axis=2)
    nearest = np.argsort(gaps, axis=1)[:, 1:6]
    assert (labels[nearest] == labels[:, None]).all()
    with using(n_jobs=2):
        assert laid_out(points, begun(points), 20.0).tobytes() == found.tobytes()


def _outlier():
    points = np.random.default_rng(6).normal(size=(40, 3))
    points[7] = 1e9
    return points


ODD = {
    "all equal": np.ones((30, 4)),
    "half equal": np.repeat(np.random.default_rng(7).normal(size=(21, 3)), [20] + [1] * 20, axis=0),
    "two places": np.arange(40.0)[:, None] % 2,
    "eight": np.random.default_rng(8).normal(size=(8, 3)),
    "an outlier": _outlier(),
    "huge": np.random.default_rng(9).normal(size=(30, 3)) * 1e307,
    "tiny": np.random.default_rng(9).normal(size=(30, 3)) * 1e-307,
    "far from the origin": np.random.default_rng(10).normal(size=(30, 3)) + 1e9,
    "one column": np.arange(25.0)[:, None],
}


@pytest.mark.parametrize("name", ODD)
def test_odd_members_have_places(name, recwarn):
    points = ODD[name]
    found = laid_out(points, begun(points), 2.0 if len(points) == 8 else 5.0)
    assert np.isfinite(found).all()
    assert np.ptp(found) > 0.1
    assert np.abs(found).max() < 1e5
    assert not recwarn.list


def test_scale_and_place_of_members_do_not_matter():
    points, _ = blobs(11, n=40)
    assert np.abs(affinities(points * 1e250 + 1e250, 9.0) - affinities(points, 9.0)).max() < 1e-7


def test_members_that_coincide_end_side_by_side():
    points = np.repeat(np.random.default_rng(12).normal(size=(40, 5)) * 3, 2, axis=0)
    found = laid_out(points, begun(points), 10.0)
    gaps = np.linalg.norm(found[:, None] - found[None], axis=2)
    twins = gaps[np.arange(0, 80, 2), np.arange(1, 80, 2)]
    assert twins.max() < 0.2 * np.median(gaps)


def test_a_stop_is_heard_between_rounds():
    class Impatient(Silent):
        asked = 0

        def wants_stop(self):
            self.asked += 1
            return self.asked == 3

    points, _ = blobs(13, n=20)
    with using(watch=Impatient()) as here, pytest.raises(Interrupted):
        laid_out(points, begun(points), 5.0)
    assert here.watch.asked == 3

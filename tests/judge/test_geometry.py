"""Dunn's index against loops and the silhouette against scikit-learn; strips of any height give the same."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances, silhouette_samples

from coterie import Affinity
from coterie.core import affinity as tiles
from coterie.core.affinity import Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.judge import dunn, silhouette
from tests.oracles import judge_partitions as slow


def points(n=40, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) + rng.integers(0, 3, n)[:, None] * 2
    labels = rng.integers(-1, 3, n)
    labels[0] = 5
    return pairwise_distances(x), labels


@pytest.mark.parametrize("between", ["medoid", "min", "mean"])
@pytest.mark.parametrize("within", ["max", "mean"])
@pytest.mark.parametrize("strip", [512, 3])
def test_dunn_equals_loops(between, within, strip, monkeypatch):
    monkeypatch.setattr(tiles, "ROWS", strip)
    d, labels = points()
    ours = dunn(labels, Affinity.of(d, kind="distance"), between=between, within=within)
    assert ours == pytest.approx(slow.dunn(labels.tolist(), d.tolist(), between, within))


def test_dunn_of_points_is_infinite_and_errors_are_sentences():
    d = np.array([[0.0, 1], [1, 0]])
    assert dunn([0, 1], Affinity.of(d, kind="distance")) == float("inf")
    with pytest.raises(DataError, match="two groups"):
        dunn([0, 0], Affinity.of(d, kind="distance"))
    with pytest.raises(DataError, match="similarities"):
        dunn([0, 1], Affinity.of(d, kind="similarity"))
    with pytest.raises(ParameterError, match="between must be"):
        dunn([0, 1], Affinity.of(d, kind="distance"), between="max")
    with pytest.raises(ParameterError, match="within must be"):
        dunn([0, 1], Affinity.of(d, kind="distance"), within="min")


@pytest.mark.parametrize("strip", [512, 3])
def test_silhouette_equals_scikit_learn_on_assigned_members(strip, monkeypatch):
    monkeypatch.setattr(tiles, "ROWS", strip)
    d, labels = points()
    ours = silhouette(labels, Affinity.of(d, kind="distance"))
    kept = labels >= 0
    theirs = silhouette_samples(d[np.ix_(kept, kept)], labels[kept], metric="precomputed")
    assert ours.values[kept] == pytest.approx(theirs)
    assert np.isnan(ours.values[~kept]).all()
    assert ours.mean == pytest.approx(theirs.mean())
    assert ours.groups[5] == 0
    assert ours.unassigned == int((~kept).sum())


def test_silhouette_of_similarities_reads_them_as_distances_from_the_top():
    d, labels = points()
    near = Affinity.of(7.0 - d, kind="similarity")
    assert silhouette(labels, near).values == pytest.approx(
        silhouette(labels, Affinity.of(d, kind="distance")).values, nan_ok=True
    )
    assert silhouette(labels, near, top=9.0).mean != pytest.approx(silhouette(labels, near).mean)


def test_silhouette_does_not_look_at_the_diagonal():
    d, labels = points()
    s = 7.0 - d
    empty = s.copy()
    np.fill_diagonal(empty, 0.0)
    ours = silhouette(labels, Affinity.of(empty, kind="similarity"), top=7.0)
    assert ours.mean == pytest.approx(silhouette(labels, Affinity.of(s, kind="similarity")).mean)


def test_bad_affinities():
    labels = [0, 0, 1]
    d = np.ones((3, 3))
    with pytest.raises(DataError, match=r"Affinity.of"):
        silhouette(labels, d)
    with pytest.raises(DataError, match="3 columns, but there are 2 labels"):
        silhouette([0, 1], Affinity.of(d, kind="distance"))
    d[1, 2] = np.nan
    holes = Lazy(
        lambda a, b: d[a[:, 0]][:, b[:, 0]],
        np.arange(3)[:, None],
        np.arange(3)[:, None],
        "distance",
    )
    with pytest.raises(DataError, match="members 1 and 2 is nan"):
        silhouette(labels, holes)
    assert silhouette([0, 1, -1], holes).mean == 0  # pairs with an unassigned member do not matter


def test_no_block_is_larger_than_a_strip(monkeypatch):
    monkeypatch.setattr(tiles, "ROWS", 2)
    sizes = []
    d, labels = points()

    def tile(a, b):
        sizes.append(a.shape[0] * b.shape[0])
        return d[np.ix_(a[:, 0], b[:, 0])]

    everybody = np.arange(40)[:, None]
    silhouette(labels, Lazy(tile, everybody, everybody, "distance"))
    dunn(labels, Lazy(tile, everybody, everybody, "distance"))
    assert max(sizes) <= 100

"""Groupings to start from: what each finds, and that the order of rows is forgotten."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score
from tests.golden import materials as made

from coterie.parts import starts


def test_every_start_finds_what_is_plain():
    points = made.vectors(120, 4, 5, spread=0.3)
    found = starts.make_starts(points, 4, seed=1)
    assert len(found) == 7
    for labels in found:
        assert adjusted_rand_score(made.planted(120, 4), labels) == 1.0


def test_rings_are_found_by_the_spectral_cut_only():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 300)
    radius = np.where(np.arange(300) < 100, 1.0, 4.0)
    rings = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    rings += 0.05 * rng.normal(size=rings.shape)
    truth = radius > 2
    assert adjusted_rand_score(truth, starts.SpectralCut(rings, 2)(2)) == 1.0
    assert adjusted_rand_score(truth, starts.kmeans(rings, 2)) < 0.5


def test_whitened_directions_have_variance_one():
    points = made.vectors(100, 3, 6) * [1, 10, 100, 1, 1, 0]
    white = starts.whitened(points)
    assert white.shape == (100, 5)
    assert np.allclose(white.T @ white / 100, np.eye(5))


def test_ranks_keep_the_spread_and_lose_the_shape():
    column = np.exp(np.random.default_rng(3).normal(size=(400, 1)))
    found = starts.ranked(column)
    assert np.isclose(found.std(), column.std())
    assert np.allclose(found, starts.ranked(column**3) * column.std() / (column**3).std())


def test_fewer_distinct_rows_than_groups():
    points = np.repeat([[0.0, 1.0], [5.0, 2.0]], 10, axis=0)
    for labels in starts.make_starts(points, 3)[:-1]:  # the spectral cut parts equal rows
        assert adjusted_rand_score(np.repeat([0, 1], 10), labels) == 1.0


def test_finer_groups_are_merged_as_wards_criterion_says():
    points = made.vectors(80, 4, 3, seed=5)
    fine = starts.kmeans(points, 9, seed=0)
    merged = starts.merge_groups(points, fine, 8)
    pairs = {}
    for a in range(9):
        for b in range(a):
            both = points[(fine == a) | (fine == b)]
            apart = [points[fine == g] for g in (a, b)]
            pairs[a, b] = squares(both) - sum(map(squares, apart))
    a, b = min(pairs, key=pairs.get)
    expected = np.where(fine == a, b, fine)
    assert adjusted_rand_score(merged, expected) == 1.0
    assert len(np.unique(starts.merge_groups(points, fine, 4))) == 4
    assert adjusted_rand_score(starts.merge_groups(points, fine, 9), fine) == 1.0


def squares(rows):
    return float(((rows - rows.mean(axis=0)) ** 2).sum())


def test_merged_starts_have_the_groups_that_were_asked_for():
    points = made.vectors(80, 4, 3, seed=5)
    for labels in starts.merged_starts(points, 4):
        assert sorted(np.unique(labels)) == [0, 1, 2, 3]
    assert starts.merged_starts(points[:8], 4) == []

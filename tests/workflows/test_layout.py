"""The map: a large collection is laid out by landmarks, the rest lie between their nearest ones."""

from __future__ import annotations

import numpy as np

from coterie.core.workplace import using
from coterie.workflows import describe as layout
from coterie.workflows.describe import between, lay_out


def test_the_rest_lie_by_their_own_landmarks(monkeypatch) -> None:
    monkeypatch.setattr(layout, "LANDMARKS", 60)
    labels = np.arange(200) % 2
    points = np.random.default_rng(0).normal(size=(200, 3)) + labels[:, None] * 30
    places = {}
    for jobs in (1, 2):
        with using(n_jobs=jobs):
            places[jobs] = lay_out(points, 0)
    assert places[1].tobytes() == places[2].tobytes()
    middles = np.array([places[1][labels == g].mean(axis=0) for g in (0, 1)])
    gaps = np.linalg.norm(places[1][:, None] - middles[None], axis=2)
    assert (gaps.argmin(axis=1) == labels).all()


def test_a_member_at_a_landmark_is_put_beside_it() -> None:
    fitted = np.random.default_rng(1).normal(size=(30, 2))
    places = np.random.default_rng(2).uniform(-1, 1, size=(30, 2))
    assert np.abs(between(fitted[:5], fitted, places, 0) - places[:5]).max() < 0.05

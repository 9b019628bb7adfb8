"""Rules of clusters by hand, the varimax criterion against every planar turn, and agreement counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import ParameterError
from coterie.parts.view_groups import agreed, rule, varimax


def _criterion(rows):
    return np.var(rows**2, axis=0).sum()


def test_no_planar_turn_improves_on_varimax():
    random = np.random.default_rng(0)
    rows = (
        np.linalg.qr(random.gamma(0.3, size=(60, 4)))[0]
        @ np.linalg.qr(random.normal(size=(4, 4)))[0]
    )
    turn = varimax(rows)
    np.testing.assert_allclose(turn.T @ turn, np.eye(4), atol=1e-12)
    best = _criterion(rows @ turn)
    assert best > 1.05 * _criterion(rows)
    for i in range(4):
        for j in range(i):
            for angle in np.linspace(-np.pi, np.pi, 61):
                plane = np.eye(4)
                plane[[i, i, j, j], [i, j, i, j]] = (
                    np.cos(angle),
                    np.sin(angle),
                    -np.sin(angle),
                    np.cos(angle),
                )
                assert _criterion(rows @ turn @ plane) <= best + 1e-9


def test_varimax_undoes_a_turn_of_members_that_lie_on_axes():
    group = np.arange(30) % 3
    mixed = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    rows = (np.eye(3)[group] @ mixed) * [5.0, 2.0, 1.0]  # whatever the components weigh
    found = rule(rows, 3, "varimax", "X").labels(rows)
    assert len({(a, b) for a, b in zip(group.tolist(), found.tolist(), strict=True)}) == 3
    largest = rule(rows, 3, "argmax", "X").labels(rows)
    np.testing.assert_array_equal(
        largest, [max(range(3), key=lambda j, row=row: abs(row[j])) for row in rows]
    )


@pytest.mark.parametrize("centered", [True, False])
def test_k_means_looks_at_one_component_fewer_than_clusters_when_centered(centered):
    random = np.random.default_rng(2)
    group = np.arange(60) % 3
    rows = np.hstack(
        [
            np.array([[0, 0], [4, 0], [0, 4]])[group] + 0.1 * random.normal(size=(60, 2)),
            50 * random.normal(size=(60, 1)),
        ]
    )
    found = rule(rows, 3, "kmeans", "X", centered=centered)
    assert found.width == (2 if centered else 3)
    pairs = {(a, b) for a, b in zip(group.tolist(), found.labels(rows).tolist(), strict=True)}
    assert (len(pairs) == 3) == centered  # the third component is noise, and large
    assert len(rule(rows, None, "kmeans", "X", centered=centered).centers) == (4 if centered else 3)


def test_agreement_is_counted_over_members_in_two_views_or_more():
    labels = {
        "a": np.array([0, 1, 2, -1, 0]),
        "b": np.array([0, 2, -1, -1, 0]),
        "c": np.array([0, 1, 2, 1, 1]),
    }
    assert agreed(labels, "X") == pytest.approx(2 / 4)  # members 0 and 2 of 0, 1, 2 and 4
    with pytest.raises(ParameterError, match="seen in at least two views"):
        agreed({"a": np.array([0, -1]), "b": np.array([-1, 1])}, "X")

"""Whole covariances: factors that do not exist, few and many frames, missing values in any pattern, and floors."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import emissions as slow

from coterie.core.errors import DataError
from coterie.parts.covariances import floored, roots, whole_own, whole_rows, whole_sums
from coterie.parts.emissions import Normal


def test_a_covariance_without_a_factor_is_named():
    laws = slow.drawn_laws("full", 3, 2, 2)
    laws.spreads[2, 1] = [[1.0, 2.0], [2.0, 1.0]]
    with pytest.raises(DataError, match="state 1 of model 2"):
        laws.rows(np.zeros((1, 2)))


def test_factors_are_the_inverses_of_those_of_cholesky():
    laws = slow.drawn_laws("full", 5, 3, 7)
    kept = roots(laws.means, laws.spreads)
    factors = np.linalg.cholesky(laws.spreads)
    np.testing.assert_allclose(
        kept.inverses @ factors, np.broadcast_to(np.eye(7), factors.shape), atol=1e-12
    )
    np.testing.assert_allclose(
        kept.sizes, np.linalg.slogdet(2 * np.pi * laws.spreads)[1], rtol=1e-12
    )


def test_models_with_many_frames_are_as_those_with_few():
    """From some number of frames on a model goes another way; missing values go a third."""
    rng = np.random.default_rng(0)
    laws = slow.drawn_laws("full", 4, 2, 3)
    owners = np.repeat([0, 2, 1, 3], [600, 20, 300, 5])
    frames = rng.normal(size=(len(owners), 3))
    shares = rng.dirichlet([1.0, 1.0], len(owners))
    frames[rng.random(frames.shape) < 0.05] = np.nan
    own = whole_own(frames, owners, laws.means, laws.spreads, roots(laws.means, laws.spreads))
    whole = whole_sums(frames, owners, shares, laws.means, laws.spreads)
    few = np.concatenate([np.flatnonzero(owners == m)[:5] for m in range(4)])
    wanted = [[slow.density_of(laws, owners[t])(k, frames[t]) for k in range(2)] for t in few]
    np.testing.assert_allclose(own[few], wanted, atol=1e-10)
    parts = [slice(lo, lo + 50) for lo in range(0, len(owners), 50)]
    small = [
        whole_sums(frames[part], owners[part], shares[part], laws.means, laws.spreads)
        for part in parts
    ]
    for name, array in whole.items():
        np.testing.assert_allclose(array, sum(one[name] for one in small), rtol=1e-10, atol=1e-10)


def test_all_patterns_of_missing_values():
    laws = slow.drawn_laws("full", 2, 2, 4)
    known = np.array([[(n >> j) & 1 for j in range(4)] for n in range(16)], dtype=bool)
    frames = np.where(known, np.random.default_rng(0).normal(size=(16, 4)), np.nan)
    rows = whole_rows(frames, laws.means, laws.spreads, roots(laws.means, laws.spreads))
    wanted = [[slow.density_of(laws, m)(k, x) for k in range(2) for m in range(2)] for x in frames]
    np.testing.assert_allclose(rows, wanted, atol=1e-12)
    shares = np.random.default_rng(1).random((16, 2))
    owners = np.tile([1, 0], 8)
    found = whole_sums(frames, owners, shares, laws.means, laws.spreads)
    for m in range(2):
        mine = [t for t in np.flatnonzero(owners == m) if known[t].any()]
        for k in range(2):
            parts = [
                (*slow.complete(frames[t], laws.means[m, k], laws.spreads[m, k]), shares[t, k])
                for t in mine
            ]
            gaps = [full - laws.means[m, k] for full, _, _ in parts]
            np.testing.assert_allclose(
                found["seen"][m, k], sum(share for _, _, share in parts), atol=1e-12
            )
            np.testing.assert_allclose(
                found["total"][m, k], sum(p[2] * gap for p, gap in zip(parts, gaps)), atol=1e-12
            )
            products = sum(p[2] * (np.outer(gap, gap) + p[1]) for p, gap in zip(parts, gaps))
            np.testing.assert_allclose(found["square"][m, k], products, atol=1e-12)


def test_only_what_is_below_the_floor_is_lifted():
    least = np.array([0.01, 1.0])
    fine = np.array([[1.0, 0.2], [0.2, 9.0]])
    thin = np.array([[1.0, 3.0], [3.0, 9.0]])
    found = floored(np.array([fine, thin]), least)
    np.testing.assert_array_equal(found[0], fine)
    scale = np.sqrt(np.outer(least, least))
    before = np.linalg.eigvalsh(thin / scale)
    after = np.linalg.eigvalsh(found[1] / scale)
    assert before[0] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(after, [1.0, before[1]], rtol=1e-9)
    np.testing.assert_array_equal(floored(np.array([thin]), np.zeros(2)), [thin])


def test_laws_are_factored_once_and_forgotten_with_them():
    from coterie.parts import emissions

    laws = slow.drawn_laws("full", 2, 2, 3)
    laws.rows(np.zeros((2, 3)))
    first = emissions._ROOTS[laws]
    laws.rows(np.ones((2, 3)))
    assert emissions._ROOTS[laws] is first
    before = len(emissions._ROOTS)
    del laws
    assert len(emissions._ROOTS) < before


def test_ill_conditioned_covariances_keep_their_digits():
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    spread = (turn * np.logspace(-8, 0, 6)) @ turn.T
    spread = (spread + spread.T) / 2
    laws = Normal(np.zeros((1, 1, 6)), spread[None, None], "full")
    frames = rng.normal(size=(50, 6)) @ np.linalg.cholesky(spread).T
    values, vectors = np.linalg.eigh(spread)
    wanted = -0.5 * (
        ((frames @ vectors) ** 2 / values).sum(axis=1) + np.log(2 * np.pi * values).sum()
    )
    np.testing.assert_allclose(laws.rows(frames)[:, 0], wanted, rtol=1e-6)

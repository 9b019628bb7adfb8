"""Kernel CCA on thin factors against the large generalized problem, and against canonical correlations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from coterie.parts.consensus import Spectrum
from coterie.parts.kernel_cca import correlated


def _kernels(count, n=18, width=30, seed=0):
    random = np.random.default_rng(seed)
    common = random.normal(size=(n, 3))
    rows = [np.hstack([common, random.normal(size=(n, width))]) for _ in range(count)]
    rows = [view - view.mean(axis=0) for view in rows]
    return [view @ view.T / width for view in rows]


def _spectrum(kernel):
    values, vectors = np.linalg.eigh(kernel)
    keep = values > 1e-10 * values.max()
    return Spectrum(vectors[:, keep][:, ::-1], values[keep][::-1])


def _large(kernels, kappa, ridge):
    n = len(kernels[0])
    v = len(kernels)
    left = np.zeros((n * v, n * v))
    right = np.zeros((n * v, n * v))
    for i in range(v):
        for j in range(v):
            own = kernels[i] + kappa * np.eye(n)
            block = (
                (kernels[i] @ own if ridge else own @ own) if i == j else kernels[i] @ kernels[j]
            )
            left[i * n : (i + 1) * n, j * n : (j + 1) * n] = (
                (block + block.T) / 2 if i == j else block
            )
            if i == j:
                right[i * n : (i + 1) * n, i * n : (i + 1) * n] = (block + block.T) / 2
    return left, right + (1e-12 * np.eye(n * v) if ridge else 0)


@pytest.mark.parametrize("ridge", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_rho_and_weights_are_those_of_the_large_problem(count, ridge):
    kernels = _kernels(count)
    kappa = 0.4
    left, right = _large(kernels, kappa, ridge)
    found = correlated([_spectrum(kernel) for kernel in kernels], kappa, 5, ridge=ridge)
    if not ridge:
        np.testing.assert_allclose(
            found.rho, eigh(left, right, eigvals_only=True)[::-1][:5], rtol=1e-8
        )
    whole = np.vstack(found.duals)
    np.testing.assert_allclose(left @ whole, right @ whole * found.rho, atol=1e-7)
    np.testing.assert_allclose(whole.T @ right @ whole, np.eye(5), atol=1e-7)


def test_little_regularization_gives_canonical_correlations():
    random = np.random.default_rng(3)
    common = random.normal(size=(80, 2))
    rows = [
        np.hstack([common + 0.4 * random.normal(size=(80, 2)), random.normal(size=(80, 2))])
        for _ in range(2)
    ]
    rows = [view - view.mean(axis=0) for view in rows]
    bases = [np.linalg.qr(view)[0] for view in rows]
    wanted = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
    found = correlated([_spectrum(view @ view.T) for view in rows], 1e-7, 4)
    np.testing.assert_allclose(found.rho, 1 + wanted, atol=1e-5)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("kappa", [1e3, 1e6, 1e9])
def test_strong_regularization_keeps_the_directions_of_its_limit(count, kappa):
    """As kappa grows, H becomes K / kappa: kappa^2 (rho - 1) are the eigenvalues of the blocks K_u K_v, none of them lost."""
    kernels = _kernels(count)
    n = len(kernels[0])
    blocks = np.block(
        [
            [kernels[u] @ kernels[v] if u != v else np.zeros((n, n)) for v in range(count)]
            for u in range(count)
        ]
    )
    found = correlated([_spectrum(kernel) for kernel in kernels], kappa, n)
    assert len(found.above) == n - 1
    np.testing.assert_allclose(
        kappa**2 * found.above,
        np.linalg.eigvalsh((blocks + blocks.T) / 2)[::-1][: n - 1],
        rtol=20 / kappa,
    )


@pytest.mark.parametrize("ridge", [False, True])
@pytest.mark.parametrize("count", [2, 3])
def test_views_that_share_nothing_have_no_direction(count, ridge):
    columns = np.linalg.qr(np.random.default_rng(0).normal(size=(40, 12)))[0]
    spectra = [
        Spectrum(columns[:, 4 * at : 4 * at + 4], np.array([4.0, 3.0, 2.0, 1.0]))
        for at in range(count)
    ]
    for kappa in (0.1, 1e7):
        assert not len(correlated(spectra, kappa, 5, ridge=ridge).above)

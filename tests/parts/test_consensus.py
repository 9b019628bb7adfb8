"""The three routes to common components against each other, the large generalized problem, and known limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from coterie.core.errors import DataError
from coterie.parts.centered import centering, checked_kernel, positive_part
from coterie.parts.consensus import Components, Spectrum, of_hats, of_spectra


def _views(n=30, widths=(40, 50, 60), seed=0):
    random = np.random.default_rng(seed)
    return [random.normal(size=(n, width)) for width in widths]


def _kernel(rows):
    kernel = rows @ rows.T
    return centering(kernel, "A view").fitted(kernel)


def of_kernels(kernels, tau, k):
    """The same by plain inverses: the smallest eigenvalues of sum_v (K_v + tau I)^-1."""
    total = sum(np.linalg.inv(kernel + tau * np.eye(len(kernel))) for kernel in kernels)
    values, vectors = np.linalg.eigh((total + total.T) / 2)
    mu = len(kernels) - tau * values[:k]
    keep = mu > 1e-8 * len(kernels)
    return Components(vectors[:, :k][:, keep], mu[keep], tau, len(kernels))


def _spectrum(kernel, rank=None):
    values, vectors = np.linalg.eigh(kernel)
    keep = values > 1e-10 * values.max()
    values = values[keep][::-1]
    vectors = vectors[:, keep][:, ::-1]
    return Spectrum(vectors[:, :rank], values[:rank])


def _large(kernels, tau):
    """Eigenvalues and first blocks of the Vm x Vm problem (1 1' (x) I) a = lambda blockdiag(A) a."""
    n = len(kernels[0])
    v = len(kernels)
    left = np.kron(np.ones((v, v)), np.eye(n))
    right = np.zeros((n * v, n * v))
    for at, kernel in enumerate(kernels):
        right[at * n : (at + 1) * n, at * n : (at + 1) * n] = kernel + tau * np.eye(n)
    return eigh(left, right)


@pytest.mark.parametrize("tau", [0.001, 0.1, 1.0])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_small_problem_has_the_nonzero_eigenvalues_of_the_large_one(count, tau):
    kernels = [_kernel(rows) for rows in _views(20, (30,) * count)]
    values, _ = _large(kernels, tau)
    assert (np.abs(values[: 20 * (count - 1)]) < 1e-8).all()
    found = of_kernels(kernels, tau, 20)
    wanted = np.sort(values[20 * (count - 1) :])[: len(found.mu)]
    np.testing.assert_allclose(found.energies, wanted, rtol=1e-8)


def test_the_dual_weights_of_every_view_give_the_same_scores():
    kernels = [_kernel(rows) for rows in _views()]
    tau = 0.3
    found = of_kernels(kernels, tau, 6)
    duals = [_spectrum(kernel).dual(found.scores, tau) for kernel in kernels]
    for kernel, dual in zip(kernels, duals, strict=True):
        np.testing.assert_allclose(kernel @ dual + tau * dual, found.scores, atol=1e-9)
    np.testing.assert_allclose(sum(duals), found.scores * found.energies, atol=1e-9)
    np.testing.assert_allclose(found.scores.T @ found.scores, np.eye(6), atol=1e-10)


def _same_space(one: Components, other: Components):
    np.testing.assert_allclose(one.mu, other.mu, atol=1e-9)
    np.testing.assert_allclose(one.scores @ one.scores.T, other.scores @ other.scores.T, atol=1e-6)


@pytest.mark.parametrize("rank", [None, 9])
def test_three_routes_agree(rank):
    tau = 0.2
    spectra = [_spectrum(_kernel(rows), rank) for rows in _views()]
    kernels = [view.vectors * view.values @ view.vectors.T for view in spectra]
    hats = [
        lambda e, view=view: view.vectors @ (view.shrunk(tau)[:, None] * (view.vectors.T @ e))
        for view in spectra
    ]
    first = of_kernels(kernels, tau, 5)
    _same_space(first, of_spectra(spectra, tau, 5))
    _same_space(first, of_hats(hats, 30, tau, 5))


def test_consensus_lies_between_its_bounds():
    kernels = [_kernel(rows) for rows in _views()]
    tau = 0.5
    found = of_kernels(kernels, tau, 30)
    assert (found.mu >= 0).all()
    assert (found.mu <= 3).all()
    top = max(np.linalg.eigvalsh(kernel).max() for kernel in kernels)
    assert (found.energies >= 3 / (top + tau) - 1e-9).all()
    assert (found.energies <= 3 / tau + 1e-9).all()
    assert ((found.consensus > 0) & (found.consensus <= 1)).all()


def test_copies_of_one_view_give_its_principal_components():
    kernel = _kernel(_views()[0])
    tau = 0.4
    values, vectors = np.linalg.eigh(kernel)
    found = of_kernels([kernel, kernel, kernel], tau, 4)
    np.testing.assert_allclose(found.energies, 3 / (values[::-1][:4] + tau), rtol=1e-9)
    np.testing.assert_allclose(
        np.abs(np.sum(found.scores * vectors[:, ::-1][:, :4], axis=0)), 1.0, atol=1e-8
    )


def test_much_regularization_gives_the_components_of_the_sum():
    kernels = [_kernel(rows) for rows in _views()]
    found = of_kernels(kernels, 1e6, 3)
    vectors = np.linalg.eigh(sum(kernels))[1][:, ::-1][:, :3]
    np.testing.assert_allclose(np.abs(np.sum(found.scores * vectors, axis=0)), 1.0, atol=1e-4)


def test_little_regularization_of_views_of_low_rank_gives_canonical_correlations():
    random = np.random.default_rng(2)
    common = random.normal(size=(60, 3))
    rows = [
        np.hstack([common + 0.3 * random.normal(size=(60, 3)), random.normal(size=(60, 2))])
        for _ in range(2)
    ]
    kernels = [_kernel(view) for view in rows]
    bases = [np.linalg.qr(view - view.mean(axis=0))[0] for view in rows]
    correlations = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
    found = of_spectra([_spectrum(kernel) for kernel in kernels], 1e-6, 5)
    np.testing.assert_allclose(found.mu, 1 + correlations, atol=1e-4)


def test_new_rows_are_centered_as_the_fitted_ones():
    rows = _views()[0] + 3.0
    kernel = rows @ rows.T
    found = centering(kernel, "A view")
    np.testing.assert_allclose(found.rows(kernel[4:9]), found.fitted(kernel)[4:9], atol=1e-12)
    centered = rows - rows.mean(axis=0)
    np.testing.assert_allclose(found.fitted(kernel) * found.scale, centered @ centered.T, atol=1e-9)
    assert np.isclose(np.trace(found.fitted(kernel)), len(kernel))


def test_bad_kernels_are_one_sentence():
    with pytest.raises(DataError, match="View 'en' carries no variation"):
        centering(np.ones((4, 4)), "View 'en'")
    for wrong in (-np.eye(4), np.array([[0.0, 1.0], [1.0, 0.0]]), np.diag([1.0, -1.0, 0.0])):
        with pytest.raises(
            DataError,
            match="View 'en': the kernel has the eigenvalue -1; a kernel has none below zero",
        ):
            centering(wrong, "View 'en'", center=False)
    with pytest.raises(
        DataError,
        match=r"View 'en': the kernel has the eigenvalue -1; a kernel has none below zero",
    ):
        centering(-np.eye(4), "View 'en'")
    with pytest.raises(DataError, match=r"not symmetric; entries \(0, 1\) and \(1, 0\) differ"):
        checked_kernel([[1.0, 0.5], [0.1, 1.0]], "View 'en'")
    with pytest.raises(DataError, match="not a finite number at row 1, column 1"):
        checked_kernel([[1.0, 0.5], [0.5, np.nan]], "View 'en'")
    with pytest.raises(DataError, match="square"):
        checked_kernel(np.ones((2, 3)), "View 'en'")
    with pytest.raises(DataError, match="none below zero"):
        positive_part(np.array([1.0, -0.5]), "View 'en'")
    np.testing.assert_array_equal(positive_part(np.array([1.0, -1e-12]), "View 'en'"), [1.0, 0.0])

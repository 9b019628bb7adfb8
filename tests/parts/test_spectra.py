"""Eigenpairs against full decompositions: dense, Lanczos, sparse pieces; extension of the rows; fixed bits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.graphs import planted
from tests.oracles.spectra import normalized_pairs

from coterie.parts import spectra
from coterie.parts.spectra import spectrum, top_pairs


def weights_of(n, seed=0):
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(size=(n // 2, 3)), 4 + rng.normal(size=(n - n // 2, 3))])
    weights = np.exp(-((points[:, None] - points[None]) ** 2).sum(-1) / 4)
    np.fill_diagonal(weights, 0)
    return weights


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("small", [1500, 20])
def test_pairs_are_those_of_the_whole_matrix(form, small, monkeypatch):
    monkeypatch.setattr(spectra, "DENSE", small)
    weights = weights_of(90)
    found = spectrum(form(weights), 5)
    values, vectors = normalized_pairs(weights)
    assert found.values == pytest.approx(values[:5], abs=1e-9)
    assert np.abs(np.sum(found.vectors * vectors[:, :5], axis=0)) == pytest.approx(
        np.ones(5), abs=1e-6
    )
    largest = np.abs(found.vectors).argmax(axis=0)
    assert (found.vectors[largest, np.arange(5)] > 0).all()


def test_pieces_of_a_sparse_graph_give_all_their_ones(monkeypatch):
    monkeypatch.setattr(spectra, "DENSE", 30)
    graph = sp.csr_array(sp.block_diag([planted(60, 1, 0.5, 0.5, seed) for seed in range(4)]))
    found = spectrum(graph, 6)
    assert found.values[:4] == pytest.approx(np.ones(4))
    assert found.values[4] < 0.9
    assert np.allclose(found.vectors.T @ found.vectors, np.eye(6), atol=1e-8)


def test_lanczos_that_misses_a_copy_is_found_out(monkeypatch):
    monkeypatch.setattr(spectra, "DENSE", 30)
    block = np.ones((40, 40)) - np.eye(40)
    weights = np.kron(np.eye(5), block)
    assert spectrum(weights, 6).values == pytest.approx([1, 1, 1, 1, 1, -1 / 39], abs=1e-8)


def test_dense_solver_takes_over_when_lanczos_gives_up(monkeypatch):
    monkeypatch.setattr(spectra, "DENSE", 30)
    monkeypatch.setattr(spectra, "_lanczos", lambda *_, **__: None)
    weights = weights_of(80)
    assert top_pairs(weights, 3)[0] == pytest.approx(np.linalg.eigvalsh(weights)[::-1][:3])


@pytest.mark.parametrize("variant", ["njw", "ncut"])
def test_extension_of_a_member_is_its_own_row(variant):
    weights = weights_of(50)
    found = spectrum(weights, 4)
    assert found.extended(weights, 3, variant) == pytest.approx(found.rows(3, variant), abs=1e-8)
    assert found.extended(sp.csr_array(weights), 3, variant) == pytest.approx(
        found.rows(3, variant), abs=1e-8
    )
    assert found.extended(np.zeros((1, 50)), 3, variant).tolist() == [
        [0.0] * (3 if variant == "njw" else 2)
    ]


def test_gaps_are_of_two_and_more():
    found = spectrum(weights_of(30), 5)
    assert found.gaps(4) == pytest.approx(
        [found.values[k - 1] - found.values[k] for k in (2, 3, 4)]
    )
    assert len(found.gaps(99)) == 3


def test_isolated_members_are_named_and_harmless():
    weights = np.pad(weights_of(20), (0, 2))
    found = spectrum(weights, 3)
    assert found.isolated.tolist() == [20, 21]
    assert np.isfinite(found.vectors).all()
    assert found.rows(3)[20].tolist() == [0, 0, 0]
    assert spectrum(np.zeros((3, 3)), 2).isolated.tolist() == [0, 1, 2]


def test_more_pairs_than_members():
    assert len(spectrum(weights_of(4), 9).values) == 4

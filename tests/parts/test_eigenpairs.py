"""Some eigenpairs are found also where the quick way gives up."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg

from coterie.parts import spectra as module
from coterie.parts.spectra import eigenpairs, kmeans, top_pairs


def matrix() -> np.ndarray:
    rows = np.random.default_rng(0).normal(size=(9, 9))
    return rows + rows.T


def given_up(*args, **told):
    if "subset_by_index" in told:
        raise scipy.linalg.LinAlgError("Internal Error.")
    return np.linalg.eigh(args[0])


@pytest.mark.parametrize("quick", [True, False])
def test_the_pairs_asked_for_are_found_either_way(quick, monkeypatch) -> None:
    if not quick:
        monkeypatch.setattr(module.scipy.linalg, "eigh", given_up)
    values, vectors = eigenpairs(matrix(), 3, 6)
    assert np.allclose(values, np.linalg.eigvalsh(matrix())[3:7])
    assert np.allclose(matrix() @ vectors, vectors * values)


def test_a_spectrum_does_not_fail_where_the_quick_way_does(monkeypatch) -> None:
    expected = top_pairs(matrix(), 4)
    monkeypatch.setattr(module.scipy.linalg, "eigh", given_up)
    found = top_pairs(matrix(), 4)
    assert np.allclose(found[0], expected[0])
    assert np.allclose(found[1], expected[1])


def test_rows_that_differ_by_a_rounding_warn_of_nothing() -> None:
    rows = np.repeat(np.eye(3), 4, axis=0)
    rows[::2] += 1e-16 * np.arange(6)[:, None]
    rows[0, 1] = 1e-300
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = kmeans(rows, 4, random_state=0)
    assert len(np.unique(found.labels)) == 3

"""Scores of terms against sums over single documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import mutual_info_score

from coterie.represent.selection import term_scores

RANDOM = np.random.default_rng(8)
COUNTS = RANDOM.poisson(0.7, size=(50, 6))
LABELS = RANDOM.integers(0, 3, size=50)


def slow(score: str, term: int, label: int) -> float:
    a = b = c = d = 0
    for count, own in zip(COUNTS[:, term], LABELS, strict=True):
        a += count > 0 and own == label
        b += count > 0 and own != label
        c += count == 0 and own == label
        d += count == 0 and own != label
    n = a + b + c + d
    if score == "chi2":
        return n * (a * d - b * c) ** 2 / ((a + c) * (b + d) * (a + b) * (c + d))
    if score == "pmi":
        return math.log(a * n / ((a + c) * (a + b)))
    return mutual_info_score(COUNTS[:, term] > 0, label == LABELS)


@pytest.mark.parametrize("score", ["chi2", "gain", "pmi"])
def test_against_sums_over_documents(score):
    expected = np.array([[slow(score, term, label) for term in range(6)] for label in range(3)])
    prior = np.bincount(LABELS) / 50
    counts = sp.csr_array(COUNTS)
    assert term_scores(counts, LABELS, score, "max") == pytest.approx(expected.max(axis=0))
    assert term_scores(counts, LABELS, score, "mean") == pytest.approx(prior @ expected)


def test_a_term_that_every_document_has_scores_nothing():
    counts = sp.csr_array(np.array([[1, 1], [1, 0], [1, 1], [1, 0]]))
    labels = np.array([0, 1, 0, 1])
    assert term_scores(counts, labels, "chi2", "max").tolist() == [0, 4]
    assert term_scores(counts, labels, "gain", "max") == pytest.approx([0, math.log(2)])
    assert np.isfinite(term_scores(counts, labels, "pmi", "mean")).all()

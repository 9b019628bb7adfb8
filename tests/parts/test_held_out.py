"""What is held out: halves add up and differ by at most a word, shares of documents, many words, parts of counts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.parts import held_out
from coterie.parts.held_out import halved, two_words, validation_rows


def table(seed=0):
    counts = np.random.default_rng(seed).poisson(0.7, size=(50, 20)).astype(float)
    counts[4] = 0
    return sp.csr_array(counts)


def test_halves_add_up_and_are_halves():
    counts = table()
    first, second = halved(counts, np.random.default_rng(1))
    assert np.array_equal((first + second).toarray(), counts.toarray())
    gap = np.asarray((first - second).sum(axis=1)).ravel()
    assert set(gap.tolist()) <= {0.0, 1.0}
    assert np.array_equal(gap, np.asarray(counts.sum(axis=1)).ravel() % 2)
    assert (first.data > 0).all()
    assert (second.data > 0).all()


def test_every_word_is_as_likely_in_either_half():
    counts = sp.csr_array(np.tile([[3.0, 1.0, 2.0]], (4000, 1)))
    first, _ = halved(counts, np.random.default_rng(2))
    assert np.asarray(first.mean(axis=0)).ravel() == pytest.approx([1.5, 0.5, 1.0], abs=0.05)


def test_the_same_generator_gives_the_same_halves():
    one, other = (halved(table(), np.random.default_rng(3))[0].toarray() for _ in range(2))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, halved(table(), np.random.default_rng(4))[0].toarray())


def test_parts_of_counts_add_up():
    counts = sp.csr_array(np.array([[0.5, 2.25, 0.0], [0.0, 0.0, 0.75]]))
    first, second = halved(counts, np.random.default_rng(0))
    assert (first + second).toarray() == pytest.approx(counts.toarray())
    assert first.toarray().min() >= 0
    assert second.toarray().min() >= 0


def test_more_words_than_can_be_dealt_one_by_one(monkeypatch):
    monkeypatch.setattr(held_out, "_MANY", 10)
    counts = sp.csr_array(np.full((3, 4), 1e9))
    first, second = halved(counts, np.random.default_rng(0))
    assert (first + second).toarray() == pytest.approx(counts.toarray())
    assert first.toarray() == pytest.approx(np.full((3, 4), 5e8), rel=1e-3)


def test_documents_held_out():
    rows = validation_rows(40, 0.25, np.random.default_rng(0))
    assert len(set(rows.tolist())) == 10
    assert (np.diff(rows) > 0).all()
    assert len(validation_rows(3, 0.01, np.random.default_rng(0))) == 1
    assert len(validation_rows(3, 0.99, np.random.default_rng(0))) == 2
    with pytest.raises(DataError, match="at least two"):
        validation_rows(1, 0.5, np.random.default_rng(0))


def test_documents_of_two_words():
    assert two_words(
        sp.csr_array(np.array([[0, 0], [1, 0], [2, 0], [1, 1], [0.2, 0.2]]))
    ).tolist() == [2, 3, 4]

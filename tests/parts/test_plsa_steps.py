"""PLSA: sparse steps against the long way, likelihoods that never fall, symmetries, folding-in, Hofmann's kernels, workers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import aspects

from coterie.core.errors import ParameterError
from coterie.core.workplace import using
from coterie.parts import plsa
from coterie.parts.plsa_kernels import similarities


def made(seed=0, n=30, m=40, k=4, empty=False):
    random = np.random.default_rng(seed)
    counts = random.poisson(random.gamma(0.3, 2.0, size=(n, m))).astype(float)
    counts[:, 0] += 1  # every document holds a word
    counts[0] += 1  # every word is in a document
    if empty:
        counts[3] = 0
    return sp.csr_array(counts), *plsa.start(counts, k, random)


@pytest.mark.parametrize("beta", [1.0, 0.7])
def test_a_step_is_that_of_the_long_way(beta):
    table, shares, words = made()
    fresh, law, value = plsa.step(plsa.Counts.of(table), shares, words, beta)
    slow_shares, slow_topics = aspects.step(table.toarray(), shares, words.T, beta)
    assert np.abs(fresh - slow_shares).max() < 1e-12
    assert np.abs(law.T - slow_topics).max() < 1e-12
    assert value == pytest.approx(
        aspects.objective(table.toarray(), shares, words.T, beta), rel=1e-12
    )
    assert plsa.log_likelihoods(table, shares, words).sum() == pytest.approx(
        aspects.objective(table.toarray(), shares, words.T), rel=1e-12
    )


@pytest.mark.parametrize("beta", [1.0, 0.8, 0.5])
def test_the_tempered_likelihood_never_falls_and_rows_are_laws(beta):
    table, shares, words = made(1)
    counts = plsa.Counts.of(table)
    values = []
    for _ in range(60):
        shares, words, value = plsa.step(counts, shares, words, beta)
        values.append(value)
    assert (np.diff(values) >= -1e-8 * abs(values[-1])).all()
    assert values[-1] > values[0] + 1
    assert shares.min() >= 0
    assert words.min() >= 0
    assert shares.sum(axis=1) == pytest.approx(np.ones(30), abs=1e-12)
    assert words.sum(axis=0) == pytest.approx(np.ones(4), abs=1e-12)


def run(table, shares, words, steps=20):
    counts = plsa.Counts.of(table)
    for _ in range(steps):
        shares, words, _ = plsa.step(counts, shares, words)
    return shares, words


def test_permutations_of_topics_documents_and_words_permute_what_comes_out():
    table, shares, words = made(2)
    random = np.random.default_rng(0)
    d = random.permutation(30)
    w = random.permutation(40)
    k = random.permutation(4)
    plain = run(table, shares, words)
    mixed = run(
        sp.csr_array(table.toarray()[d][:, w]), shares[d][:, k].copy(), words[w][:, k].copy()
    )
    assert np.abs(mixed[0] - plain[0][d][:, k]).max() < 1e-9
    assert np.abs(mixed[1] - plain[1][w][:, k]).max() < 1e-9


def test_counts_times_a_number_change_nothing():
    table, shares, words = made(3)
    one = run(table, shares, words)
    seven = run(table * 7, shares, words)
    assert np.abs(one[0] - seven[0]).max() < 1e-9
    assert np.abs(one[1] - seven[1]).max() < 1e-9


def test_a_document_without_words_and_a_topic_without_any_keep_what_they_had():
    table, shares, words = made(4, empty=True)
    shares[:, 1] = 0
    shares /= shares.sum(axis=1, keepdims=True)
    fresh, law, value = plsa.step(plsa.Counts.of(table), shares, words)
    assert np.array_equal(fresh[3], shares[3])
    assert np.array_equal(law[:, 1], words[:, 1])
    assert np.isfinite(value)
    assert np.isfinite(fresh).all()
    assert np.isfinite(law).all()


class TestFoldingIn:
    def test_it_is_em_on_the_shares_alone(self):
        table, shares, words = made(5)
        found = plsa.fold_in(table, words, steps=7, tol=0, shares=shares)
        assert np.abs(found - aspects.folded(table.toarray(), words.T, 7, shares)).max() < 1e-12

    def test_the_likelihood_reached_does_not_depend_on_the_start(self):
        table, shares, words = made(6)
        words = run(table, shares, words)[1]
        random = np.random.default_rng(1)
        ends = [
            plsa.log_likelihoods(
                table, plsa.fold_in(table, words, steps=20_000, tol=1e-12, shares=start), words
            )
            for start in (None, random.dirichlet(np.ones(4), 30), random.dirichlet(np.ones(4), 30))
        ]
        assert ends[1] == pytest.approx(ends[0], rel=1e-8)
        assert ends[2] == pytest.approx(ends[0], rel=1e-8)

    @pytest.mark.parametrize("beta", [1.0, 0.8])
    def test_a_fitted_document_gets_its_shares_again_where_em_has_converged(self, beta):
        table, shares, words = made(7, k=3)
        counts = plsa.Counts.of(table)
        for _ in range(5000):
            shares, words, _ = plsa.step(counts, shares, words, beta)
        again = plsa.fold_in(table, words, beta=beta, steps=50_000, tol=1e-13)
        assert np.abs(again - shares).max() < 1e-3
        assert plsa.log_likelihoods(table, again, words).sum() == pytest.approx(
            plsa.log_likelihoods(table, shares, words).sum(), rel=1e-8
        )

    def test_a_document_does_not_depend_on_the_others(self):
        table, _, words = made(8)
        assert np.array_equal(plsa.fold_in(table, words)[5:9], plsa.fold_in(table[5:9], words))

    def test_very_long_documents_stay_finite(self):
        table, _, words = made(9)
        found = plsa.fold_in(table * 1e5, words)
        assert np.isfinite(found).all()
        assert np.isfinite(plsa.log_likelihoods(table * 1e5, found, words)).all()


def test_words_left_out():
    table = sp.csr_array(np.array([[1.0, 2, 0], [0, 0, 3]]))
    assert plsa.only(table, np.array([True, False, True])).toarray().tolist() == [
        [1, 0, 0],
        [0, 0, 3],
    ]
    assert plsa.only(table, np.ones(3, dtype=bool)) is table


def test_pieces_and_workers_change_no_bit(monkeypatch):
    table, shares, words = made(10, n=90)
    with using(n_jobs=1):
        whole = (
            run(table, shares, words, 5),
            plsa.fold_in(table, words),
            plsa.log_likelihoods(table, shares, words),
        )
    monkeypatch.setattr(plsa, "_PIECE", 200)
    for workers in (1, 2):
        with using(n_jobs=workers):
            cut = (
                run(table, shares, words, 5),
                plsa.fold_in(table, words),
                plsa.log_likelihoods(table, shares, words),
            )
        assert [a.tobytes() for a in (*whole[0], *whole[1:])] == [
            a.tobytes() for a in (*cut[0], *cut[1:])
        ]


class TestKernels:
    def test_against_their_sums(self):
        table, shares, words = made(11, n=12)
        shares, words = run(table, shares, words)
        prior = np.array([0.1, 0.2, 0.3, 0.4])
        both = table, shares
        first = similarities("k1", both, None, words, prior)
        assert first.values == pytest.approx(aspects.k1(shares, shares, prior), rel=1e-10)
        second = similarities("k2", both, None, words, prior)
        assert second.values == pytest.approx(
            aspects.k2(table.toarray(), shares, words.T), rel=1e-10
        )
        unit = shares / np.linalg.norm(shares, axis=1, keepdims=True)
        assert similarities("cosine", both, None, words, prior).values == pytest.approx(
            unit @ unit.T, rel=1e-10
        )
        for found in (first, second):
            assert found.symmetric
            assert found.kind == "similarity"
            assert np.linalg.eigvalsh(found.values).min() > -1e-8 * np.abs(found.values).max()

    def test_new_documents_beside_others(self):
        table, shares, words = made(12, n=12)
        prior = np.full(4, 0.25)
        for kind in ("k1", "k2", "cosine"):
            whole = similarities(kind, (table, shares), None, words, prior).values
            part = similarities(kind, (table[:5], shares[:5]), (table, shares), words, prior).values
            assert part == pytest.approx(whole[:5], rel=1e-12)

    def test_a_document_without_words_is_like_nothing(self):
        table, shares, words = made(13, n=12, empty=True)
        for kind in ("k1", "k2", "cosine"):
            found = similarities(kind, (table, shares), None, words, np.full(4, 0.25)).values
            assert not found[3].any()
            assert found[2, 2] > 0

    def test_no_such_kernel(self):
        table, shares, words = made(14, n=5)
        with pytest.raises(ParameterError, match=r"k1 \| k2 \| cosine"):
            similarities("k3", (table, shares), None, words, np.full(4, 0.25))

"""LTB: the log domain against plain products, a likelihood that never falls, long members, learned shares, new members."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import one_class as slow

from coterie.core.workplace import using
from coterie.parts import latent_topic
from coterie.parts.latent_topic import STARTS, best_start, learned_size, ltb
from coterie.parts.one_class import row_sums, word_scores


def pool(seed: int, n: int = 200, share: float = 0.3, m: int = 600, length: int = 60):
    """Members of whom a share draw a third of their words from 40 topic words; who they are; scores against the true law."""
    generator = np.random.default_rng(seed)
    law = 1.0 / np.arange(1, m + 1)
    law /= law.sum()
    topic = law * 0.65
    topic[generator.choice(m, 40, replace=False)] += 0.35 / 40
    core = generator.permutation(n) < share * n
    counts = np.array(
        [generator.multinomial(length, topic if one else law) for one in core]
    ).astype(float)
    return sp.csr_array(counts), core, word_scores(counts.sum(axis=0), 1e5 * law)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("iterations", [1, 2, 6])
def test_is_the_model_of_plain_products(seed: int, iterations: int) -> None:
    generator = np.random.default_rng(seed)
    counts = generator.poisson(0.7, size=(9, 8)).astype(float)
    counts[0] += 1
    counts[4] = 0
    scores = word_scores(counts.sum(axis=0), generator.integers(1, 30, size=8).astype(float))
    ours = ltb(sp.csr_array(counts), scores, 0.3, 0.4, iterations)
    theirs = slow.ltb(counts.tolist(), scores.tolist(), 0.3, 0.4, iterations)
    assert ours.log_odds == pytest.approx(theirs["odds"], abs=1e-10)
    assert ours.posterior == pytest.approx(theirs["alpha"], abs=1e-10)
    assert ours.likelihoods == pytest.approx(theirs["likelihoods"], abs=1e-10)
    assert np.exp(ours.log_topic) == pytest.approx(theirs["p_r"], abs=1e-10)
    assert np.exp(ours.log_general) == pytest.approx(theirs["p_g"], abs=1e-10)
    used = counts.sum(axis=1) > 0
    assert ours.pi[used] == pytest.approx(np.array(theirs["pi"])[used], abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pi", [0.05, 0.5, 0.9])
def test_the_likelihood_never_falls(seed: int, pi: float) -> None:
    counts, _, scores = pool(seed)
    found = np.array(ltb(counts, scores, 0.3, pi, 30).likelihoods)
    assert (np.diff(found) >= -1e-6).all()
    assert found[-1] > found[0] + 1


def test_members_of_a_hundred_thousand_words_do_not_underflow() -> None:
    counts, core, scores = pool(0, n=40, m=200, length=100_000)
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        found = ltb(counts, scores, 0.3, 0.5, 8)
    assert np.isfinite(found.log_odds).all()
    assert np.isfinite(found.log_topic).all()
    assert (
        found.posterior[core] == 1.0
    ).all()  # saturated, which is why members are ranked by their log-odds
    assert len(np.unique(found.log_odds[core])) == core.sum()
    assert found.log_odds[core].min() > found.log_odds[~core].max()


def test_an_empty_member_has_the_odds_of_the_prior() -> None:
    counts, _, scores = pool(1)
    rows = sp.csr_array(sp.vstack([counts, sp.csr_array((1, counts.shape[1]))]))
    found = ltb(rows, scores, 0.25, 0.5, 5)
    assert found.log_odds[-1] == pytest.approx(np.log(1 / 3))
    assert found.place(sp.csr_array((2, counts.shape[1]))) == pytest.approx(np.log(1 / 3))


def test_members_are_placed_as_they_were_fitted_to_the_bit() -> None:
    counts, _, scores = pool(2)
    found = ltb(counts, scores, 0.3, 0.5, 5)
    assert np.array_equal(found.place(counts), found.log_odds)
    assert np.array_equal(found.place(counts[50:60]), found.log_odds[50:60])


def test_bands_and_workers_change_nothing_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, _, scores = pool(3)
    whole = ltb(counts, scores, 0.3, 0.5, 5)
    monkeypatch.setattr(latent_topic, "_BAND", 500)
    with using(n_jobs=1):
        one = ltb(counts, scores, 0.3, 0.5, 5)
    with using(n_jobs=2):
        two = ltb(counts, scores, 0.3, 0.5, 5)
    assert np.array_equal(one.log_odds, two.log_odds)
    assert one.log_odds == pytest.approx(whole.log_odds, abs=1e-9)


def test_a_member_longer_than_a_band_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, _, scores = pool(3)
    whole = ltb(counts, scores, 0.3, 0.5, 3).log_odds
    monkeypatch.setattr(latent_topic, "_BAND", 5)
    assert ltb(counts, scores, 0.3, 0.5, 3).log_odds == pytest.approx(whole, abs=1e-9)


def test_the_best_start_has_the_highest_likelihood() -> None:
    counts, _, scores = pool(4)
    best = best_start(counts, scores, 0.3, 5)
    assert best.likelihood == max(ltb(counts, scores, 0.3, pi, 5).likelihood for pi in STARTS)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7])
def test_the_size_is_learned(share: float) -> None:
    counts, core, scores = pool(5, n=300, share=share, length=120)
    model = best_start(counts, scores, 0.3, 5, learn_share=True)
    assert learned_size(model, row_sums(counts)) == pytest.approx(core.sum(), abs=0.05 * len(core))


def test_hardly_anyone_is_of_a_core_that_is_not_there() -> None:
    counts, _, _ = pool(6, n=600, share=0.0, m=8000, length=150)
    there = sp.csr_array((counts > 0).astype(float))
    totals = np.asarray(there.sum(axis=0)).ravel()
    there = sp.csr_array(there[:, totals >= 3])
    scores = word_scores(totals[totals >= 3], 1e6 / np.arange(1, 8001)[totals >= 3])
    model = best_start(there, scores, 0.3, 5, learn_share=True)
    assert learned_size(model, row_sums(there)) <= 0.1 * 600

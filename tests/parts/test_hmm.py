"""Banks of hidden Markov models against every path by name, against hmmlearn, and on the promises of training."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import hmm as slow

import coterie.parts.hmm as parts
from coterie.core.errors import DataError, ParameterError
from coterie.parts.emissions import Normal
from coterie.parts.hmm import Bank, best_path, forward_scores, log_densities, topology, viterbi_scores
from coterie.parts.hmm_training import fit_bank, train_bank

NAMES = ("left-right", "skips", "ergodic")


def drawn(seed: int, n: int, width: int, low: int, high: int, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(low, high + 1, n))])
    return rng.normal(size=(offsets[-1], width)) * scale + 5.0, offsets


def bank_of(name: str, n_models: int, n_states: int, width: int, seed: int = 0) -> Bank:
    rng = np.random.default_rng(seed)
    weights = rng.random((n_models, n_states, n_states)) * topology(name, n_states)
    start = rng.random((n_models, n_states)) if name == "ergodic" else np.eye(1, n_states).repeat(n_models, 0)
    return Bank(
        start / start.sum(axis=1, keepdims=True),
        weights / weights.sum(axis=2, keepdims=True),
        Normal(rng.normal(size=(n_models, n_states, width)) + 5.0, rng.random((n_models, n_states, width)) + 0.3),
        name,
    )


def model(bank: Bank, m: int) -> slow.Model:
    return slow.Model(bank.start[m], bank.transition[m], bank.emissions.means[m], bank.emissions.spreads[m])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_states", [1, 2, 3])
def test_scores_are_those_of_every_path_by_name(name, n_states):
    values, offsets = drawn(1, 5, 2, 1, 5)
    bank = bank_of(name, 3, n_states, 2)
    best, total = viterbi_scores(bank, values, offsets), forward_scores(bank, values, offsets)
    for n in range(5):
        sequence = values[offsets[n] : offsets[n + 1]]
        for m in range(3):
            assert best[n, m] == pytest.approx(slow.best(model(bank, m), sequence), abs=1e-10)
            assert total[n, m] == pytest.approx(slow.total(model(bank, m), sequence), abs=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_scores_equal_hmmlearn(name):
    peers = pytest.importorskip("hmmlearn.hmm")
    values, offsets = drawn(2, 8, 5, 3, 60, scale=3.0)
    bank = bank_of(name, 4, 6, 5)
    best, total = viterbi_scores(bank, values, offsets), forward_scores(bank, values, offsets)
    for m in range(4):
        peer = peers.GaussianHMM(6, covariance_type="diag")
        peer.n_features, peer.startprob_, peer.transmat_ = 5, bank.start[m], bank.transition[m]
        peer.means_, peer.covars_ = bank.emissions.means[m], bank.emissions.spreads[m]
        for n in range(8):
            sequence = values[offsets[n] : offsets[n + 1]]
            assert total[n, m] == pytest.approx(peer.score(sequence), abs=1e-8)
            assert best[n, m] == pytest.approx(peer.decode(sequence)[0], abs=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_blocks_do_not_show(name, monkeypatch):
    values, offsets = drawn(3, 9, 3, 1, 150)
    bank = bank_of(name, 3, 4, 3)
    whole = viterbi_scores(bank, values, offsets), forward_scores(bank, values, offsets)
    monkeypatch.setattr(parts, "_CELLS", 1)
    cut = viterbi_scores(bank, values, offsets), forward_scores(bank, values, offsets)
    assert len(values) > 4 * 32, "the blocks are too large to cut a sequence"
    for one, other in zip(whole, cut):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_a_state_that_must_be_passed_is_passed_however_unlikely():
    """A chain whose middle state fits nothing: shares would vanish, logarithms do not."""
    values = np.array([[0.0], [0.0], [0.0], [100.0], [100.0], [100.0]])
    bank = Bank(
        np.array([[1.0, 0.0, 0.0]]),
        np.array([[[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]]),
        Normal(np.array([[[0.0], [-50.0], [100.0]]]), np.ones((1, 3, 1))),
        "left-right",
    )
    offsets = np.array([0, 6])
    assert forward_scores(bank, values, offsets)[0, 0] == pytest.approx(slow.total(model(bank, 0), values), rel=1e-12)
    assert list(best_path(bank, 0, values)) == [0, 0, 1, 2, 2, 2]
    sparse = Bank(bank.start, bank.transition, bank.emissions, "ergodic")
    assert forward_scores(sparse, values, offsets)[0, 0] == pytest.approx(slow.total(model(bank, 0), values), rel=1e-12)


def test_best_path_and_densities_make_the_score():
    values, offsets = drawn(4, 1, 3, 12, 12)
    bank = bank_of("skips", 2, 4, 3)
    states = best_path(bank, 1, values)
    steps = np.log(bank.start[1, states[0]]) + np.log(bank.transition[1, states[:-1], states[1:]]).sum()
    made = steps + log_densities(bank, 1, states, values).sum()
    assert made == pytest.approx(viterbi_scores(bank, values, offsets)[0, 1], abs=1e-10)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("training", ["viterbi", "baum-welch"])
def test_a_round_of_training_is_that_of_every_path_by_name(name, training):
    values, offsets = drawn(5, 6, 2, 4, 6)
    classes = np.array([0, 1, 0, 1, 1, 0])
    begun = fit_bank(values, offsets, classes, 2, n_states=3, rounds=0, topology=name, generator=np.random.default_rng(0))
    now, _ = train_bank(begun, values, offsets, classes, rounds=1, training=training)
    least = 0.05 * values.var(axis=0)
    for m in (0, 1):
        mine = [values[offsets[n] : offsets[n + 1]] for n in range(6) if classes[n] == m]
        wanted = slow.trained(model(begun, m), mine, least, hard=training == "viterbi")
        np.testing.assert_allclose(now.start[m], wanted.start, atol=1e-10)
        np.testing.assert_allclose(now.transition[m], wanted.transition, atol=1e-10)
        np.testing.assert_allclose(now.emissions.means[m], wanted.means, atol=1e-9)
        np.testing.assert_allclose(now.emissions.spreads[m], wanted.variances, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("training", ["viterbi", "baum-welch"])
def test_likelihood_never_falls(name, training):
    values, offsets = drawn(6, 30, 3, 5, 20)
    classes = np.arange(30) % 4
    begun = fit_bank(values, offsets, classes, 4, n_states=4, rounds=0, topology=name, generator=np.random.default_rng(1))
    _, outcome = train_bank(begun, values, offsets, classes, rounds=15, training=training, tol=0.0)
    gains = np.diff(outcome.history)
    assert len(gains) > 3
    assert gains.min() > -1e-8 * abs(outcome.value)
    assert outcome.history[-1] > outcome.history[0]


def test_uniform_start_cuts_sequences_evenly():
    values = np.concatenate([np.repeat([0.0, 10.0, 20.0], 2), np.repeat([0.0, 10.0, 20.0], 3)])[:, None]
    bank = fit_bank(values, np.array([0, 6, 15]), np.zeros(2, dtype=int), 1, n_states=3, rounds=0)
    np.testing.assert_allclose(bank.emissions.means[0, :, 0], [0.0, 10.0, 20.0], atol=1e-12)
    assert np.all(bank.transition[0][~topology("left-right", 3)] == 0.0)
    np.testing.assert_allclose(bank.emissions.spreads[0, :, 0], 0.05 * values.var())


def test_a_model_has_no_more_states_than_its_shortest_sequence():
    values, offsets = np.arange(14.0)[:, None] % 5, np.array([0, 2, 8, 14])
    bank = fit_bank(values, offsets, np.array([0, 0, 1]), 2, n_states=4)
    assert np.isfinite(viterbi_scores(bank, values, offsets)).all()
    assert bank.transition[0, 1].tolist() == [0.0, 1.0, 0.0, 0.0], "class 0 has two states"
    assert bank.transition[1, 2, 3] > 0, "class 1 keeps four"
    assert best_path(bank, 0, values[2:8]).max() == 1


def test_constant_values_and_shifts_change_nothing():
    values, offsets = drawn(7, 20, 2, 6, 12)
    classes = np.arange(20) % 3
    bank = fit_bank(values, offsets, classes, 3, n_states=3)
    wider = np.hstack([values, np.full((len(values), 1), 7.0)])
    widened = fit_bank(wider, offsets, classes, 3, n_states=3)
    gap = viterbi_scores(widened, wider, offsets) - viterbi_scores(bank, values, offsets)
    np.testing.assert_allclose(gap - gap[:, :1], 0.0, atol=1e-8)
    moved = fit_bank(values + 1e4, offsets, classes, 3, n_states=3)
    np.testing.assert_allclose(viterbi_scores(moved, values + 1e4, offsets), viterbi_scores(bank, values, offsets), atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_training_finds_the_models_that_made_the_sequences(name):
    rng = np.random.default_rng(8)
    sequences, classes = [], np.arange(40) % 2
    for label in classes:
        middle = np.array([0.0, 4.0, 8.0]) if label else np.array([8.0, 4.0, 0.0])
        sequences.append(np.repeat(middle, rng.integers(2, 6, 3))[:, None] + rng.normal(size=(1, 1)) * 0.1)
    values, offsets = np.concatenate(sequences), np.concatenate([[0], np.cumsum([len(s) for s in sequences])])
    bank = fit_bank(values, offsets, classes, 2, n_states=3, topology=name, generator=rng, rounds=10)
    assert (viterbi_scores(bank, values, offsets).argmax(axis=1) == classes).all()
    assert (forward_scores(bank, values, offsets).argmax(axis=1) == classes).all()


def test_refusals_are_sentences():
    values, offsets = drawn(9, 3, 1, 3, 3)
    with pytest.raises(DataError, match="Class 2 has no sequence"):
        fit_bank(values, offsets, np.array([0, 1, 1]), 3, n_states=2)
    with pytest.raises(DataError, match="Sequence 1 is empty"):
        fit_bank(values, np.array([0, 4, 4, 9]), np.array([0, 1, 1]), 2, n_states=2)
    with pytest.raises(ParameterError, match="left-right"):
        fit_bank(values, offsets, np.array([0, 1, 1]), 2, n_states=2, topology="ring")
    with pytest.raises(ParameterError, match="baum-welch"):
        fit_bank(values, offsets, np.array([0, 1, 1]), 2, n_states=2, training="annealing")
    with pytest.raises(ParameterError, match="n_states"):
        fit_bank(values, offsets, np.array([0, 1, 1]), 2, n_states=0)
    bad = values.copy()
    bad[4] = np.nan
    with pytest.raises(DataError, match="Frame 4"):
        fit_bank(bad, offsets, np.array([0, 1, 1]), 2, n_states=2)

"""Banks of hidden Markov models against every path by name, against hmmlearn, and on the promises of training."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import hmm as slow
from tests.oracles.hmm import bank_of, drawn, hard_cases, masked, model

import coterie.parts.hmm as parts
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.emissions import Floors, Normal
from coterie.parts.hmm import (
    Bank,
    best_path,
    forward_scores,
    log_densities,
    passed,
    topology,
    viterbi_scores,
)
from coterie.parts.hmm_training import fit_bank, induced, steps_of, train_bank
from coterie.parts.symbols import Categorical

NAMES = ("left-right", "skips", "ergodic")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_states", [1, 2, 3])
def test_scores_are_those_of_every_path_by_name(name, n_states):
    values, offsets = drawn(1, 5, 2, 1, 5)
    bank = bank_of(name, 3, n_states, 2)
    best = viterbi_scores(bank, values, offsets)
    total = forward_scores(bank, values, offsets)
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
    best = viterbi_scores(bank, values, offsets)
    total = forward_scores(bank, values, offsets)
    for m in range(4):
        peer = peers.GaussianHMM(6, covariance_type="diag")
        peer.n_features = 5
        peer.startprob_ = bank.start[m]
        peer.transmat_ = bank.transition[m]
        peer.means_ = bank.emissions.means[m]
        peer.covars_ = bank.emissions.spreads[m]
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
    assert forward_scores(bank, values, offsets)[0, 0] == pytest.approx(
        slow.total(model(bank, 0), values), rel=1e-12
    )
    assert list(best_path(bank, 0, values)) == [0, 0, 1, 2, 2, 2]
    sparse = Bank(bank.start, bank.transition, bank.emissions, "ergodic")
    assert forward_scores(sparse, values, offsets)[0, 0] == pytest.approx(
        slow.total(model(bank, 0), values), rel=1e-12
    )


def test_best_path_and_densities_make_the_score():
    values, offsets = drawn(4, 1, 3, 12, 12)
    bank = bank_of("skips", 2, 4, 3)
    states = best_path(bank, 1, values)
    steps = (
        np.log(bank.start[1, states[0]]) + np.log(bank.transition[1, states[:-1], states[1:]]).sum()
    )
    made = steps + log_densities(bank, 1, states, values).sum()
    assert made == pytest.approx(viterbi_scores(bank, values, offsets)[0, 1], abs=1e-10)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("training", ["viterbi", "baum-welch"])
def test_a_round_of_training_is_that_of_every_path_by_name(name, training):
    values, offsets = drawn(5, 6, 2, 4, 6)
    classes = np.array([0, 1, 0, 1, 1, 0])
    begun = fit_bank(
        values,
        offsets,
        classes,
        2,
        n_states=3,
        rounds=0,
        topology=name,
        generator=np.random.default_rng(0),
    )
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
    begun = fit_bank(
        values,
        offsets,
        classes,
        4,
        n_states=4,
        rounds=0,
        topology=name,
        generator=np.random.default_rng(1),
    )
    _, outcome = train_bank(begun, values, offsets, classes, rounds=15, training=training, tol=0.0)
    gains = np.diff(outcome.history)
    assert len(gains) > 3
    assert gains.min() > -1e-8 * abs(outcome.value)
    assert outcome.history[-1] > outcome.history[0]


def test_uniform_start_cuts_sequences_evenly():
    values = np.concatenate([np.repeat([0.0, 10.0, 20.0], 2), np.repeat([0.0, 10.0, 20.0], 3)])[
        :, None
    ]
    bank = fit_bank(values, np.array([0, 6, 15]), np.zeros(2, dtype=int), 1, n_states=3, rounds=0)
    np.testing.assert_allclose(bank.emissions.means[0, :, 0], [0.0, 10.0, 20.0], atol=1e-12)
    assert np.all(bank.transition[0][~topology("left-right", 3)] == 0.0)
    np.testing.assert_allclose(bank.emissions.spreads[0, :, 0], 0.05 * values.var())


def test_a_model_has_no_more_states_than_its_shortest_sequence():
    values = np.arange(14.0)[:, None] % 5
    offsets = np.array([0, 2, 8, 14])
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
    np.testing.assert_allclose(
        viterbi_scores(moved, values + 1e4, offsets),
        viterbi_scores(bank, values, offsets),
        atol=1e-5,
    )


@pytest.mark.parametrize("name", NAMES)
def test_training_finds_the_models_that_made_the_sequences(name):
    rng = np.random.default_rng(8)
    sequences = []
    classes = np.arange(40) % 2
    for label in classes:
        middle = np.array([0.0, 4.0, 8.0]) if label else np.array([8.0, 4.0, 0.0])
        sequences.append(
            np.repeat(middle, rng.integers(2, 6, 3))[:, None] + rng.normal(size=(1, 1)) * 0.1
        )
    values = np.concatenate(sequences)
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in sequences])])
    bank = fit_bank(
        values, offsets, classes, 2, n_states=3, topology=name, generator=rng, rounds=10
    )
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


def both(
    bank: Bank, values: np.ndarray, offsets: np.ndarray, owners: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Log-likelihoods, posteriors and expected steps per model, in lanes over sequences and one model at a time."""
    parts = [
        passed(bank, values, offsets, owners, 0, len(owners), lanes=lanes)
        for lanes in (True, False)
    ]
    assert [len(part.steps) > 0 for part in parts] == [True, False], (
        "the two ways were not both tried"
    )
    return [(part.values, part.shares, steps_of(bank, part)) for part in parts]


@pytest.mark.parametrize("name", [*NAMES, "mask"])
@pytest.mark.parametrize("length", [5, 3, 1])
def test_forward_and_backward_are_every_path_by_name(name, length):
    values, offsets = drawn(11, 9, 2, length, length)
    bank = masked(3, 2) if name == "mask" else bank_of(name, 3, 3, 2)
    owners = np.arange(9) % 3
    for found, shares, steps in both(bank, values, offsets, owners):
        wanted = np.zeros((3, 3, 3))
        for n, m in enumerate(owners):
            sequence = values[offsets[n] : offsets[n + 1]]
            share, moves = slow.shared(model(bank, m), sequence)
            wanted[m] += moves
            assert found[n] == pytest.approx(slow.total(model(bank, m), sequence), rel=1e-13)
            np.testing.assert_allclose(shares[offsets[n] : offsets[n + 1]], share, atol=1e-14)
        np.testing.assert_allclose(steps, wanted, atol=1e-13)
        assert steps.sum() == pytest.approx(9 * (length - 1)), (
            "steps are those between frames, none from or to nowhere"
        )
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-13)


@pytest.mark.parametrize("case", list(hard_cases()))
def test_what_scaling_would_lose_is_found_in_logarithms(case):
    bank, sequence = hard_cases()[case]
    value, shares, steps = slow.in_logs(
        bank.start[0], bank.transition[0], bank.emissions.rows(sequence)
    )
    assert np.isfinite(value)
    values = np.tile(sequence, (8, 1))
    offsets = np.arange(9) * len(sequence)
    np.testing.assert_allclose(forward_scores(bank, values, offsets)[:, 0], value, rtol=1e-12)
    for found, posterior, moves in both(bank, values, offsets, np.zeros(8, dtype=np.int64)):
        np.testing.assert_allclose(found, value, rtol=1e-12)
        np.testing.assert_allclose(posterior, np.tile(shares, (8, 1)), rtol=1e-8, atol=1e-250)
        np.testing.assert_allclose(moves[0], 8 * np.exp(steps), rtol=1e-8, atol=1e-250)


@pytest.mark.parametrize("n_states", [3, 12])
def test_expected_transitions_are_exact_however_rare_a_state_is(n_states):
    rng = np.random.default_rng(13)
    links = rng.dirichlet(np.ones(n_states), n_states) * (
        rng.random((n_states, n_states)) < 0.7
    ) + 0.1 * np.eye(n_states)
    laws = Normal(rng.normal(size=(1, n_states, 2)) * 8, rng.random((1, n_states, 2)) * 0.05 + 0.01)
    bank = Bank(
        np.full((1, n_states), 1 / n_states), (links / links.sum(axis=1, keepdims=True))[None], laws
    )
    values, offsets = drawn(14, 24, 2, 1, 40, scale=6.0)
    found = induced(bank, values, offsets)
    least = 0.0
    for n in range(24):
        sequence = values[offsets[n] : offsets[n + 1]]
        value, shares, steps = slow.in_logs(
            bank.start[0], bank.transition[0], bank.emissions.rows(sequence)
        )
        total = np.logaddexp.reduce(steps, axis=1)
        there = np.isfinite(total)
        assert found.values[n] == pytest.approx(value, rel=1e-12)
        assert found.empty[n].tolist() == (~there).tolist()
        np.testing.assert_allclose(
            found.steps[n][there], np.exp(steps - total[:, None])[there], atol=1e-10
        )
        np.testing.assert_allclose(found.occupancy[n], shares.sum(axis=0), rtol=1e-9, atol=1e-200)
        least = min(least, total[there].min(initial=0.0))
    assert least < -750, "no row was rare enough to be lost by scaling"
    assert found.empty[np.diff(offsets) == 1].all()


def test_a_sequence_that_cannot_be_is_minus_infinity_and_is_refused_by_training():
    laws = Categorical(np.array([[[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]]]).repeat(2, axis=0), (3,))
    bank = Bank(np.full((2, 2), 0.5), np.full((2, 2, 2), 0.5), laws)
    values = np.tile([[0.0], [1.0], [0.0]], (9, 1))
    offsets = np.arange(10) * 3
    values[13] = 2.0
    owners = np.arange(9) % 2
    impossible = np.arange(9) == 4
    for scores in (forward_scores(bank, values, offsets), viterbi_scores(bank, values, offsets)):
        assert (scores[4] == -np.inf).all()
        assert np.isfinite(scores[~impossible]).all()
    for found, shares, steps in both(bank, values, offsets, owners):
        assert found[4] == -np.inf
        assert (shares[12:15] == 0.0).all()
        assert np.isfinite(steps).all()
    one = induced(bank.take(np.array([0])), values, offsets)
    assert one.empty.all(axis=1).tolist() == impossible.tolist()
    assert one.values[4] == -np.inf
    for training in ("viterbi", "baum-welch"):
        with pytest.raises(DataError, match="Sequence 4 cannot come from its model"):
            train_bank(bank, values, offsets, owners, training=training)


def test_one_long_sequence():
    values, offsets = drawn(15, 1, 1, 100_000, 100_000)
    bank = bank_of("ergodic", 2, 3, 1)
    scores = forward_scores(bank, values, offsets)[0]
    for m in (0, 1):
        part = passed(bank, values, offsets, np.array([m]), 0, 1, lanes=True)
        assert part.values[0] == pytest.approx(scores[m], rel=1e-12)
        np.testing.assert_allclose(part.shares.sum(axis=1), 1.0, atol=1e-9)
        assert steps_of(bank, part).sum() == pytest.approx(99_999, rel=1e-9)


@pytest.mark.parametrize("n_states", [2, 10])
def test_results_are_the_same_bits_for_any_number_of_workers(n_states, monkeypatch):
    monkeypatch.setattr(parts, "_CELLS", 2**12)
    values, offsets = drawn(16, 150, 2, 30, 90)
    begun = bank_of("ergodic", 1, n_states, 2)
    found = []
    for workers in (1, 2, 3):
        with using(n_jobs=workers):
            bank, outcome = train_bank(
                begun, values, offsets, np.zeros(150, dtype=int), rounds=3, training="baum-welch"
            )
            found.append(
                (
                    *bank.arrays().values(),
                    np.array(outcome.history),
                    induced(bank, values, offsets).steps,
                )
            )
    assert len(parts.chunks(offsets, n_states)) > 3, "one chunk shows nothing"
    for other in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(found[0], other))


@pytest.mark.parametrize("n_states", [2, 5, 10])
def test_a_model_is_the_same_bits_alone_and_among_others(n_states):
    values, offsets = drawn(17, 45, 2, 5, 40)
    begun = bank_of("ergodic", 45, n_states, 2)
    options = {"rounds": 9, "training": "baum-welch", "prior": 1e-3, "tol": 1e-3}
    whole, _ = train_bank(begun, values, offsets, np.arange(45), **options)
    for some in ([0], [7, 31], list(range(20, 44))):
        part = np.concatenate([values[offsets[n] : offsets[n + 1]] for n in some])
        bounds = np.concatenate([[0], np.cumsum(np.diff(offsets)[some])])
        floors = Floors.of(values, 0.05)
        owners = np.arange(len(some))
        apart, _ = train_bank(
            begun.take(np.array(some)), part, bounds, owners, floors=floors, **options
        )
        for name, array in apart.arrays().items():
            np.testing.assert_array_equal(array, whole.arrays()[name][some])

"""Where training begins: clusters, components, symbols by their surroundings; small inputs; no model depends on another."""

from __future__ import annotations

import numpy as np
import pytest

import coterie.parts.hmm_start as parts
from coterie.parts.emissions import Floors, blank_normal
from coterie.parts.hmm import Bank, forward_scores
from coterie.parts.hmm import topology as follows
from coterie.parts.hmm_start import started
from coterie.parts.hmm_training import train_bank
from coterie.parts.mixtures import blank_mixture
from coterie.parts.symbols import Categorical, blank_categorical, blank_counts


def begun(
    values, offsets, owners, n_states, blank=None, even=False, name="ergodic", seeds=None
) -> Bank:
    floors = Floors.of(values, 0.05)
    n_models = int(np.max(owners)) + 1 if seeds is None else len(seeds)
    laws = (blank or blank_normal)(n_models, n_states, values, floors)
    keys = [(7, m) for m in range(n_models)] if seeds is None else seeds
    return started(
        values,
        np.asarray(offsets),
        np.asarray(owners),
        blank=laws,
        allowed=follows(name, n_states),
        floors=floors,
        seeds=keys,
        even=even,
        topology=name,
    )


def islands(n: int, centers: list[float], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=n) * 0.1 + np.array(centers)[rng.integers(len(centers), size=n)])[
        :, None
    ]


def test_states_begin_at_the_clusters_of_the_frames_of_their_model():
    values = np.concatenate([islands(200, [0.0, 5.0]), islands(200, [-7.0, 20.0], seed=1)])
    bank = begun(values, [0, 100, 200, 400], [0, 0, 1], 2)
    np.testing.assert_allclose(
        np.sort(bank.emissions.means[..., 0], axis=1), [[0.0, 5.0], [-7.0, 20.0]], atol=0.05
    )
    np.testing.assert_array_equal(bank.start, 0.5)
    np.testing.assert_allclose(bank.transition.sum(axis=2), 1.0)
    assert bank.transition.min() > 0


def test_components_begin_at_the_clusters_of_their_state():
    values = islands(400, [0.0, 1.0, 10.0, 11.0])
    bank = begun(values, [0, 400], [0], 2, blank=blank_mixture)
    order = np.argsort(bank.emissions.means[0, :, :, 0].mean(axis=1))
    found = np.sort(bank.emissions.means[0, order, :, 0], axis=1)
    np.testing.assert_allclose(found, [[0.0, 1.0], [10.0, 11.0]], atol=0.05)
    np.testing.assert_allclose(bank.emissions.weights, 0.5, atol=0.1)


def test_a_mixture_is_learned_from_there():
    """Two states of two components each that overlap in the mean: training finds all four."""
    rng = np.random.default_rng(3)
    states = np.repeat(np.tile([0, 1], 20), 25)
    centers = np.array([[-1.0, 1.0], [8.0, 12.0]])
    values = (centers[states, rng.integers(2, size=1000)] + 0.3 * rng.normal(size=1000))[:, None]
    bank = begun(values, [0, 1000], [0], 2, blank=blank_mixture)
    trained, outcome = train_bank(
        bank,
        values,
        np.array([0, 1000]),
        np.array([0]),
        rounds=50,
        training="baum-welch",
        floor=0.001,
    )
    assert outcome.value > outcome.history[0]
    np.testing.assert_allclose(
        np.sort(trained.emissions.means.ravel()), [-1.0, 1.0, 8.0, 12.0], atol=0.1
    )
    np.testing.assert_allclose(trained.transition[0].diagonal(), 24 / 25, atol=0.01)


@pytest.mark.parametrize("name", ["left-right", "skips"])
@pytest.mark.parametrize("blank", [None, blank_mixture, blank_counts])
def test_chains_begin_with_even_pieces(name, blank):
    values = np.repeat([1.0, 5.0, 9.0], 10)[:, None]
    bank = begun(np.tile(values, (2, 1)), [0, 30, 60], [0, 0], 3, blank=blank, even=True, name=name)
    np.testing.assert_array_equal(bank.start, [[1.0, 0.0, 0.0]])
    assert (bank.transition[0] > 0).tolist() == follows(name, 3).tolist()
    laws = bank.emissions
    means = (
        laws.rates
        if blank is blank_counts
        else laws.means
        if blank is None
        else laws.means[:, :, 0]
    )
    np.testing.assert_allclose(means[0, :, 0], [1.0, 5.0, 9.0])


def test_every_state_may_emit_every_symbol_of_its_model_at_first():
    values = np.random.default_rng(0).integers(0, 6, 300).astype(float)[:, None]
    bank = begun(values, [0, 300], [0], 3, blank=blank_categorical)
    assert bank.emissions.probabilities.min() > 0.01
    assert np.abs(np.diff(bank.emissions.probabilities[0], axis=0)).max() > 0.05, (
        "the states begin alike"
    )


def test_symbols_that_stand_together_begin_together():
    """Long stretches of {0, 1, 2} and of {3, 4, 5}: no symbol says so, its surroundings do."""
    rng = np.random.default_rng(0)
    values = (rng.integers(0, 3, 600) + 3 * np.repeat(np.tile([0, 1], 10), 30)).astype(float)[
        :, None
    ]
    bank = begun(values, [0, 600], [0], 2, blank=blank_categorical)
    first = bank.emissions.probabilities[0, :, :3].sum(axis=1)
    assert first.max() > 0.75
    assert first.min() < 0.25


def test_surroundings_stop_at_the_ends_of_a_sequence():
    codes = np.array([[0], [1], [2], [3]])
    found = parts._surroundings(codes, np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]))
    np.testing.assert_array_equal(found, [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2]])


def test_alphabets_too_large_to_tell_apart_are_taken_too():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 1000, 400).astype(float)[:, None]
    bank = begun(values, [0, 400], [0], 2, blank=blank_categorical)
    assert np.isfinite(bank.emissions.rows(values)).all()


def test_the_two_sources_with_the_same_frequencies_are_told_apart():
    """1010.. and 1100..: only what follows what differs."""
    values = np.concatenate([np.tile([1.0, 0.0], 40), np.tile([1.0, 1.0, 0.0, 0.0], 20)])[:, None]
    offsets = np.array([0, 80, 160])
    floors = Floors.of(values, 0.05)
    blank = blank_categorical(2, 2, values, floors)
    assert isinstance(blank, Categorical)
    bank = started(
        values,
        offsets,
        np.array([0, 1]),
        blank=blank,
        allowed=np.ones((2, 2), dtype=bool),
        floors=floors,
        seeds=[(0, 0), (0, 1)],
    )
    trained, _ = train_bank(
        bank,
        values,
        offsets,
        np.array([0, 1]),
        rounds=100,
        training="baum-welch",
        prior=1e-3,
        floors=floors,
    )
    scores = forward_scores(trained, values, offsets)
    assert scores[0, 0] > scores[0, 1] + 5
    assert scores[1, 1] > scores[1, 0] + 5


@pytest.mark.parametrize("blank", [None, blank_mixture, blank_categorical, blank_counts])
def test_a_model_does_not_depend_on_the_others(blank):
    rng = np.random.default_rng(0)
    offsets = np.array([0, 30, 75, 90, 140])
    values = rng.integers(0, 5, (140, 1)).astype(float)
    floors = Floors.of(values, 0.05)
    laws = blank or blank_normal

    def of(members: list[int]) -> Bank:
        rows = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in members])
        bounds = np.concatenate([[0], np.cumsum([offsets[i + 1] - offsets[i] for i in members])])
        bank = started(
            values[rows],
            bounds,
            np.arange(len(members)),
            blank=laws(len(members), 2, values, floors),
            allowed=np.ones((2, 2), dtype=bool),
            floors=floors,
            seeds=[(3, i) for i in members],
        )
        return train_bank(
            bank,
            values[rows],
            bounds,
            np.arange(len(members)),
            rounds=7,
            training="baum-welch",
            floors=floors,
            tol=1e-4,
        )[0]

    every = of([0, 1, 2, 3]).arrays()
    some = of([3, 1]).arrays()
    for name, array in some.items():
        np.testing.assert_array_equal(array, every[name][[3, 1]], err_msg=name)


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("blank", [None, blank_mixture, blank_categorical, blank_counts])
def test_small_and_strange_inputs_give_finite_numbers(blank, even):
    """Sequences of one frame, fewer frames than states, a constant column, a missing frame."""
    values = np.array([[1.0, 4.0], [np.nan, np.nan], [3.0, 4.0], [2.0, 4.0]])
    offsets = np.array([0, 1, 2, 4])
    name = "left-right" if even else "ergodic"
    bank = begun(values, offsets, [0, 1, 2], 3, blank=blank, even=even, name=name)
    floors = Floors.of(values, 0.05)
    trained, outcome = train_bank(
        bank,
        values,
        offsets,
        np.array([0, 1, 2]),
        rounds=5,
        training="baum-welch",
        floors=floors,
        prior=1e-3,
    )
    assert np.isfinite(outcome.value)
    for array in trained.arrays().values():
        assert np.isfinite(array).all()
    found = forward_scores(trained, values, offsets)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(
        found[1], 0.0, atol=1e-12
    )  # nothing was seen, so nothing was unlikely


def test_many_frames_are_looked_at_in_part(monkeypatch):
    monkeypatch.setattr(parts, "_FRAMES", 50)
    values = islands(1000, [0.0, 5.0])
    bank = begun(values, [0, 1000], [0], 2)
    np.testing.assert_allclose(np.sort(bank.emissions.means[0, :, 0]), [0.0, 5.0], atol=0.1)
    again = begun(values, [0, 1000], [0], 2)
    np.testing.assert_array_equal(again.emissions.means, bank.emissions.means)


def test_the_tightest_of_some_tries_stays(monkeypatch):
    """Eight clusters that a single try misses now and then: with more tries every start finds them."""
    values = islands(80, [0.0, 1.0, 10.0, 11.0, 20.0, 21.0, 30.0, 31.0])

    def scatter(seed: int) -> float:
        means = begun(values, [0, 80], [0], 8, seeds=[(seed, 0)]).emissions.means[0, :, 0]
        return float(np.square(values - means).min(axis=1).sum())

    several = [scatter(seed) for seed in range(20)]
    monkeypatch.setattr(parts, "_TRIES", 1)
    single = [scatter(seed) for seed in range(20)]
    assert max(several) < 1.0
    assert max(single) > 3.0


def test_models_with_many_frames_have_fewer_tries(monkeypatch):
    monkeypatch.setattr(parts, "_FRAMES", 100)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(140, 2))
    owners = np.repeat([0, 1], [20, 120])
    labels = parts._clustered(points, owners, 3, [(1, 0), (1, 1)], 0)
    alone = parts._clustered(points[20:], np.zeros(120, dtype=np.int64), 3, [(1, 1)], 0)
    np.testing.assert_array_equal(labels[20:], alone)
    monkeypatch.setattr(parts, "_TRIES", 1)
    np.testing.assert_array_equal(
        parts._clustered(points[20:], np.zeros(120, dtype=np.int64), 3, [(1, 1)], 0), alone
    )

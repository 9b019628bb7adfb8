"""Likelihoods of hidden Markov models in torch against the compiled recursion."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from coterie import Ragged
from coterie.core.workplace import using
from coterie.parts.emissions import Normal, gaussians
from coterie.parts.hmm import Bank, forward_scores, topology
from coterie.parts.likelihood import likelihoods

torch = pytest.importorskip("torch")

from coterie.parts.gpu import likelihoods as card  # noqa: E402


def sequences(n=14, d=3, seed=0):
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 25, n)
    return random.normal(size=(int(lengths.sum()), d)), np.concatenate([[0], np.cumsum(lengths)])


def bank(values, k=4, models=9, form="ergodic", seed=1):
    random = np.random.default_rng(seed)
    d = values.shape[1]
    links = random.dirichlet(np.ones(k), (models, k)) * topology(form, k)
    start = (
        random.dirichlet(np.ones(k), models)
        if form == "ergodic"
        else np.tile(np.eye(k)[0], (models, 1))
    )
    laws = Normal(random.normal(size=(models, k, d)), random.uniform(0.3, 2.0, (models, k, d)))
    return Bank(start, links / links.sum(axis=2, keepdims=True), laws, form)


def close(found, known):
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(known))
    some = np.isfinite(known)
    np.testing.assert_allclose(found[some], known[some], rtol=1e-12)


@pytest.mark.parametrize("form", ["ergodic", "left-right", "skips"])
@pytest.mark.parametrize("k", [1, 4])
def test_scores_are_those_of_the_compiled_recursion(form, k):
    values, offsets = sequences()
    models = bank(values, k, form=form)
    close(
        card.forward_scores_on("cpu", models, values, offsets),
        forward_scores(models, values, offsets),
    )


def test_missing_values_and_states_far_from_the_others():
    values, offsets = sequences()
    values[3, 1] = values[8] = np.nan
    models = bank(values)
    means = models.emissions.means.copy()
    means[2, 1] += 1e5
    far = Bank(models.start, models.transition, Normal(means, models.emissions.spreads))
    for one in (models, far):
        close(
            card.forward_scores_on("cpu", one, values, offsets),
            forward_scores(one, values, offsets),
        )


def test_what_scaling_could_lose_is_done_again(monkeypatch):
    values, offsets = sequences()
    models = bank(values, form="left-right")
    narrow = Normal(models.emissions.means * 9, models.emissions.spreads * 1e-4)
    hard = Bank(models.start, models.transition, narrow, "left-right")
    known = forward_scores(hard, values, offsets)
    asked = []
    real = card.redone
    monkeypatch.setattr(card, "redone", lambda *given: (asked.append(len(given[3])), real(*given)))
    close(card.forward_scores_on("cpu", hard, values, offsets), known)
    assert len(asked) == 1
    assert 0 < asked[0] < known.size


def test_a_model_that_cannot_make_a_sequence_gives_minus_infinity():
    values, offsets = sequences()
    models = bank(values, form="left-right")
    stuck = Bank(
        models.start,
        np.where(np.arange(9)[:, None, None] == 2, 0.0, models.transition),
        models.emissions,
    )
    found = card.forward_scores_on("cpu", stuck, values, offsets)
    close(found, forward_scores(stuck, values, offsets))
    assert np.isneginf(found[np.diff(offsets) > 1, 2]).all()


def test_pieces_of_models_and_sequences_change_nothing_but_rounding(monkeypatch):
    values, offsets = sequences()
    models = bank(values)
    monkeypatch.setattr(card, "_BYTES", 8 * 4 * 30 * 2)
    close(
        card.forward_scores_on("cpu", models, values, offsets),
        forward_scores(models, values, offsets),
    )


def test_the_matrix_comes_from_the_card_where_one_is_asked_for(stand_in, monkeypatch):
    values, offsets = sequences()
    models = bank(values)
    view = Ragged(values, offsets)
    known = likelihoods(models, view)
    asked = []
    real = card.forward_scores_on
    monkeypatch.setattr(
        card, "forward_scores_on", lambda *given: (asked.append(given[0].type), real(*given))[1]
    )
    with using(device="cuda"):
        close(likelihoods(models, view), known)
    assert asked == ["cpu"]


def test_other_laws_are_done_here_with_one_sentence(stand_in):
    values, offsets = sequences()
    plain = bank(values)
    full = Bank(
        plain.start,
        plain.transition,
        gaussians(plain.emissions.means, plain.emissions.spreads, "full"),
    )
    view = Ragged(values, offsets)
    known = likelihoods(full, view)
    with using(device="cuda"), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(likelihoods(full, view), known)
        likelihoods(full, view)
    assert len(said) == 1
    assert "Gaussian states with variances" in str(said[0].message)

"""Training of PLSA: values after every step, what held-out words choose, tempering, and a run that was stopped goes on alike."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import aspects
from tests.parts.test_pairwise import Memory, StopAfter

from coterie.core.errors import DataError, Interrupted, NotConverged
from coterie.core.workplace import using
from coterie.parts import iterate as loop
from coterie.parts import plsa
from coterie.parts.plsa_training import Held, until_still, until_worse


def made(seed=0, n=80, m=60):
    """Short documents of four topics: easily overfitted."""
    random = np.random.default_rng(seed)
    topics = random.dirichlet(np.full(m, 0.1), size=4)
    shares = random.dirichlet(np.full(4, 0.3), size=n)
    counts = np.array([random.multinomial(25, law) for law in shares @ topics]).astype(float)
    return sp.csr_array(counts), plsa.start(counts, 8, random)


def split(seed=0):
    counts, begun = made(seed)
    known = np.asarray(counts[:60].sum(axis=0)).ravel() > 0
    return (
        counts[:60],
        Held(counts[60:], known, np.random.default_rng(1)),
        (begun[0][:60], begun[1]),
    )


def test_plain_training_ends_and_tells_the_likelihood_of_what_it_gives():
    counts, begun = made()
    found = until_still(counts, begun, max_iter=500, tol=1e-5)
    assert found.converged
    assert len(found.history) < 500
    assert found.history[-1] == pytest.approx(
        aspects.objective(counts.toarray(), found.shares, found.words.T), rel=1e-12
    )
    assert (np.diff(found.history) >= 0).all()
    assert found.value == found.history[-1]


def test_the_first_value_is_that_after_the_first_step():
    counts, begun = made()
    with pytest.warns(NotConverged):
        found = until_still(counts, begun, max_iter=2, tol=0)
    shares, topics = aspects.step(counts.toarray(), begun[0], begun[1].T)
    assert found.history[0] == pytest.approx(
        aspects.objective(counts.toarray(), shares, topics), rel=1e-12
    )


def test_held_out_words_choose_when_to_end():
    counts, held, begun = split()
    found = until_worse(counts, held, begun, max_iter=300, tol=1e-6, eta=None)
    assert found.converged
    assert found.beta == 1.0
    assert found.value == max(found.held)
    assert held.value(found.words, 1.0) == pytest.approx(max(found.held), abs=1e-5)
    long = until_still(counts, begun, max_iter=2000, tol=1e-8)
    assert held.value(long.words, 1.0) < found.value - 0.01
    assert len(found.held) == len(found.history)


def test_tempering_lowers_beta_as_long_as_it_helps():
    counts, held, begun = split()
    plain = until_worse(counts, held, begun, max_iter=500, tol=1e-6, eta=None)
    warm = until_worse(counts, held, begun, max_iter=500, tol=1e-6, eta=0.9)
    assert warm.beta < 1
    assert np.log(warm.beta) / np.log(0.9) == pytest.approx(round(np.log(warm.beta) / np.log(0.9)))
    assert warm.value > plain.value
    assert held.value(warm.words, warm.beta) == pytest.approx(warm.value, abs=1e-5)
    assert warm.held[: len(plain.held)] == plain.held


@pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")
def test_a_training_that_was_stopped_goes_on_to_the_same_bits(monkeypatch):
    monkeypatch.setattr(loop, "_KEEP_EVERY", -1.0)
    counts, held, begun = split()
    limits = {"max_iter": 60, "tol": 1e-6, "eta": 0.9}
    whole = until_worse(counts, held, begun, **limits)
    keeper = Memory()
    with using(keeper=keeper, watch=StopAfter(7)), pytest.raises(Interrupted):
        until_worse(counts, held, begun, **limits)
    with using(keeper=keeper):
        again = until_worse(counts, held, begun, **limits)
    assert again.words.tobytes() == whole.words.tobytes()
    assert again.history == whole.history
    assert again.held == whole.held


def test_held_out_words_that_no_other_document_has():
    counts = sp.csr_array(np.array([[3.0, 0], [0, 3]]))
    with pytest.raises(DataError, match="none of the words"):
        Held(counts[1:], np.array([True, False]), np.random.default_rng(0))

"""The one loop: convergence, the warning, checkpoints, restarts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.parts.test_pairwise import Memory, StopAfter

from coterie.core.errors import Interrupted, NotConverged
from coterie.core.workplace import using
from coterie.parts import iterate as loop
from coterie.parts.iterate import best_of, iterate


def halve(state):
    x = state["x"] / 2
    return {"x": x}, float(np.abs(x).sum())


def test_it_ends_when_nothing_moves():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcome = iterate(
            halve, {"x": np.ones(3)}, max_iter=100, tol=1e-6, label="halving", relative=False
        )
    assert outcome.converged
    assert outcome.history == sorted(outcome.history, reverse=True)
    assert (
        abs(outcome.history[-1] - outcome.history[-2])
        <= 1e-6
        < abs(outcome.history[-2] - outcome.history[-3])
    )


def test_it_warns_when_it_did_not_converge():
    with pytest.warns(NotConverged, match="halving did not converge in 3 iterations"):
        outcome = iterate(halve, {"x": np.ones(3)}, max_iter=3, tol=0.0, label="halving")
    assert not outcome.converged
    assert outcome.n_iter == 3


def test_a_method_may_bring_its_own_test():
    outcome = iterate(
        halve,
        {"x": np.ones(1)},
        max_iter=50,
        tol=0,
        label="halving",
        settled=lambda state, value: value < 0.1,
    )
    assert outcome.history == [0.5, 0.25, 0.125, 0.0625]


def test_an_interrupted_loop_goes_on_with_the_same_bits(monkeypatch):
    monkeypatch.setattr(loop, "_KEEP_EVERY", -1.0)
    whole = iterate(
        halve, {"x": np.ones(3)}, max_iter=100, tol=1e-9, label="halving", relative=False
    )
    keeper = Memory()
    with using(keeper=keeper, watch=StopAfter(5)), pytest.raises(Interrupted):
        iterate(halve, {"x": np.ones(3)}, max_iter=100, tol=1e-9, label="halving", relative=False)
    calls = []

    def counted(state):
        calls.append(1)
        return halve(state)

    with using(keeper=keeper):
        again = iterate(
            counted, {"x": np.ones(3)}, max_iter=100, tol=1e-9, label="halving", relative=False
        )
    assert again.history == whole.history
    assert np.array_equal(again.state["x"], whole.state["x"])
    assert len(calls) == whole.n_iter - 6


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_best_restart_wins_for_any_number_of_workers(jobs):
    with using(n_jobs=jobs):
        low = best_of(
            lambda generator: (float(generator.random()), "low"), 20, random_state=5, label="try"
        )
        high = best_of(
            lambda generator: (float(generator.random()), "high"),
            20,
            random_state=5,
            label="try",
            prefer="higher",
        )
    draws = [
        best_of(
            lambda generator: (float(generator.random()), None), 1, random_state=5, label="try"
        )[0]
    ]
    assert low[0] <= draws[0] <= high[0]
    with using(n_jobs=1):
        assert low == best_of(
            lambda generator: (float(generator.random()), "low"), 20, random_state=5, label="try"
        )


def test_attempts_of_one_stage_never_take_up_each_others_loops(monkeypatch):
    """Two searches under one name, one after the other, as the steps of a chain are: the second begins at its own start."""
    monkeypatch.setattr(loop, "_KEEP_EVERY", -1.0)

    def attempt(size):
        def tried(generator):
            outcome = iterate(
                lambda state: ({"x": state["x"] + 1}, float(state["x"].sum())),
                {"x": np.zeros(size)},
                max_iter=3,
                tol=0.0,
                label="sweeps",
                quiet=True,
            )
            return outcome.value, outcome.state["x"]

        return tried

    with using(keeper=Memory()):
        sizes = [
            len(best_of(attempt(size), 2, random_state=0, label="chain")[1]) for size in (4, 9)
        ]
    assert sizes == [4, 9]

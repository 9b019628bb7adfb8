"""The estimate by nearest neighbors: what it gives of known laws, and what it does with sets that are out of the ordinary."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.oracles import sampling as slow

from coterie import Ragged
from coterie.compare import NN
from coterie.core.errors import ParameterError
from coterie.parts.fdivergences import CATALOGUE, fdivergence

EXACT = ("kl", "reverse-kl", "jeffreys", "js", "hellinger", "triangular")


def sets_of(*sizes, gap=0.4, dim=2, seed=0):
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(n, dim)) + gap * k for k, n in enumerate(sizes)], ordered=False
    )


def found(view, name="jeffreys", risk=None):
    risk = NN() if risk is None else risk
    return risk.divergences(risk.look(view, learned=risk.learned(view)), CATALOGUE[name])


def test_it_is_the_slow_twin():
    view = sets_of(8, 11, 5)
    for name in ("kl", "hellinger"):
        expected = slow.divergence(view[0], view[1], CATALOGUE[name])
        assert found(view, name)[0, 1] == pytest.approx(expected, abs=1e-12)
    plain = slow.divergence(view[0], view[2], CATALOGUE["kl"], 41, 0.01, corrected=False)
    assert found(view, "kl", NN(priors=41, margin=0.01, corrected=False))[0, 2] == pytest.approx(
        plain, abs=1e-12
    )


@pytest.fixture(scope="module")
def pairs():
    """Twenty samples of 500 of N(0, 1), and of N(1.2, 1): the risk of each pair in turn."""
    rng = np.random.default_rng(4)
    gap = np.array([0.0, 1.2])[None, :, None, None]
    return [Ragged.of(list(one), ordered=False) for one in rng.normal(size=(20, 2, 500, 1)) + gap]


@pytest.mark.parametrize("name", EXACT)
def test_divergences_of_known_laws_are_those_on_average(name, pairs):
    x = np.linspace(-8, 9, 4001)
    p = np.exp(-(x**2) / 2)
    q = np.exp(-((x - 1.2) ** 2) / 2)
    truth = float((q * CATALOGUE[name].generator(p / q)).sum() / q.sum())
    runs = np.array([found(view, name)[0, 1] for view in pairs])
    assert runs.mean() == pytest.approx(truth, abs=4 * runs.std(ddof=1) / np.sqrt(len(runs)))
    assert runs.std() < 0.5 * truth


@pytest.mark.parametrize("name", [*EXACT, "variational"])
def test_zero_diagonal_symmetry_and_bounds(name):
    view = sets_of(8, 11, 5, 30, 8, gap=0.8)
    values = found(view, name)
    f = CATALOGUE[name]
    assert (np.diagonal(values) == 0).all()
    assert (values >= 0).all()
    assert (values <= f.most).all()
    assert np.array_equal(values, values.T) == f.symmetric


def test_reverse_is_the_other_way_and_jeffreys_the_sum():
    view = sets_of(38, 51, 45, gap=1.2)
    forth = found(view, "kl")
    back = found(view, "reverse-kl")
    assert forth == pytest.approx(back.T, abs=1e-12)
    assert (forth > 0).sum() == 6  # none was cut at zero
    assert found(view, "jeffreys") == pytest.approx(forth + back, abs=1e-12)
    assert abs(forth - forth.T).max() > 0.01


def test_sets_far_apart_reach_the_cap_of_their_size():
    caps = [8.9, 9.6, 10.4, 11.1]
    for n, cap in zip((8, 16, 32, 64), caps, strict=True):
        view = sets_of(n, n, gap=500.0)
        assert found(view, "jeffreys", NN(corrected=False))[0, 1] == pytest.approx(cap, abs=0.08)
        assert found(view, "kl", NN(corrected=False))[0, 1] < np.log(999)
        assert found(view, "kl")[0, 1] == pytest.approx(found(view, "reverse-kl")[0, 1], abs=1e-9)
    assert found(sets_of(40, 40, gap=500.0), "jeffreys", NN(margin=0.01, corrected=False))[
        0, 1
    ] < 2 * np.log(99)
    assert found(sets_of(40, 40, gap=500.0), "js")[0, 1] <= np.log(2)


def test_identical_sets_are_at_zero_and_new_ones_agree():
    rng = np.random.default_rng(0)
    members = [rng.normal(size=(n, 3)) for n in (2, 5, 9, 1, 14)]
    members[2][:4] = members[2][5]
    view = Ragged.of(members, ordered=False)
    risk = NN()
    middle = risk.learned(view)
    for name in (*EXACT, "variational"):
        square = risk.divergences(risk.look(view, learned=middle), CATALOGUE[name])
        again = risk.divergences(risk.look(view, view, middle), CATALOGUE[name])
        assert again == pytest.approx(square, abs=1e-9)


def test_sets_of_one_vector():
    view = Ragged.of(
        [[[0.0]], [[5.0]], [[0.1], [0.2], [0.3], [0.25], [-0.2]], [[9.0], [9.1], [9.3]]],
        ordered=False,
    )
    for name in ("kl", "jeffreys", "hellinger"):
        values = found(view, name)
        assert np.isfinite(values).all()
        assert values[0, 1] == 0.0  # two single vectors tell nothing
        assert values[0, 3] > values[0, 2]


def test_ties_do_not_depend_on_the_order_of_vectors():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 3, size=(12, 2))
    y = rng.integers(1, 4, size=(15, 2))
    first = found(Ragged.of([x, y], ordered=False))
    second = found(Ragged.of([x[rng.permutation(12)], y[rng.permutation(15)]], ordered=False))
    assert first == pytest.approx(second, abs=1e-12)
    assert first[0, 1] > 0


def test_common_shift_scale_and_rotation_change_nothing():
    view = sets_of(12, 20, 9, gap=0.7)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0]
    moved = view.with_values(40.0 * view.values @ turn + 7.0)
    assert found(moved) == pytest.approx(found(view), abs=1e-9)


def test_the_curve_is_the_risk_and_ends_at_zero():
    view = sets_of(12, 20, gap=0.7)
    risk = NN()
    seen = risk.look(view)
    priors = np.array([0.01, 0.2, 0.5, 0.9])
    curve = risk.curve(seen, 0, 1, priors)
    assert curve == pytest.approx([slow.risk(view[0], view[1], p) for p in priors], abs=1e-12)
    assert curve == pytest.approx(risk.curve(seen, 1, 0, 1 - priors), abs=1e-12)
    apart = risk.look(view[:1], view[1:])
    assert risk.curve(apart, 0, 0, priors) == pytest.approx(curve, abs=1e-12)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        risk.curve(seen, 0, 1, [0.0])


def test_what_cannot_be_given_is_refused_in_a_sentence():
    with pytest.raises(ParameterError, match=r"^Divergence: chi2 has no finite estimate"):
        NN().check_f(CATALOGUE["chi2"], "Divergence")
    with pytest.raises(ParameterError, match=r"^mine: chi2"):
        NN().divergences(NN().look(sets_of(4, 5)), CATALOGUE["chi2"], owner="mine")
    for wrong in ({"priors": 2}, {"margin": 0.5}, {"margin": 0.0}, {"spacing": "log"}):
        with pytest.raises(ParameterError):
            NN(**wrong).check_params()
    with pytest.raises(ParameterError, match="metric must be"):
        NN(metric="far").look(sets_of(4, 5), owner="Divergence")


def test_notes_tell_of_sizes_and_shared_vectors():
    view = sets_of(40, 50)
    assert NN().notes(NN().look(view), CATALOGUE["kl"]) == []
    sizes, few = NN().notes(NN().look(sets_of(3, 90)), CATALOGUE["kl"])
    assert "3 to 90 vectors" in sizes
    assert "smallest set has 3 vectors" in few
    (sizes,) = NN().notes(NN().look(sets_of(3, 90)), CATALOGUE["hellinger"])
    assert "3 to 90 vectors" in sizes
    (small,) = NN().notes(NN().look(sets_of(12, 40)), CATALOGUE["jeffreys"])
    assert "12 vectors" in small
    assert "hellinger" in small
    assert NN().notes(NN().look(sets_of(12, 40)), CATALOGUE["hellinger"]) == []
    shared = Ragged.of([view[0], np.concatenate([view[1], view[0][:20]])], ordered=False)
    (twins,) = NN().notes(NN().look(shared))
    assert "50 %" in twins


def test_sets_of_one_vector_are_told_of():
    for name in ("hellinger", "kl"):
        (note,) = NN().notes(NN().look(sets_of(12, 1, 15)), CATALOGUE[name])
        assert note.startswith("member 1 has one vector only, of which neighbors say nothing")
    (note,) = NN().notes(NN().look(sets_of(1, 12, 1, 15, 1)), CATALOGUE["js"])
    assert note.startswith("member 0 and 2 others have one vector only")
    (note,) = NN().notes(NN().look(sets_of(12, 1), sets_of(13, 14)))
    assert note.startswith("new member 1 has one vector")


def test_a_divergence_that_is_only_induced_is_told_of():
    seen = NN().look(sets_of(40, 50))
    for f in (CATALOGUE["variational"], fdivergence(lambda t: np.sqrt(1 + t * t), "Test")):
        (note,) = NN().notes(seen, f)
        assert note.startswith(f"{f.name} has no exact form in the square loss")
    for name in EXACT:
        assert NN().notes(seen, CATALOGUE[name]) == []
    assert NN().notes(seen, fdivergence(lambda t: t**1.5, "Test")) == []


def test_functions_of_ones_own_are_estimated_as_they_are():
    seen = NN().look(sets_of(60, 70, gap=2.0))
    for own, f, by in (
        (
            lambda t: t**1.5,
            fdivergence("power:1.5", "Test"),
            0.75,
        ),  # the induced one is 2.36 times that
        (lambda t: (np.sqrt(t) - 1) ** 2, CATALOGUE["hellinger"], 1.0),
        (lambda t: t * np.log(t) - np.log(t), CATALOGUE["jeffreys"], 1.0),
    ):
        expected = by * NN().divergences(seen, f)
        assert expected[0, 1] > 0.1
        assert NN().divergences(seen, fdivergence(own, "Test")) == pytest.approx(expected, rel=1e-6)


def test_other_metrics_and_no_warnings():
    view = sets_of(15, 22, 9, dim=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = found(view, "kl", NN(metric="cityblock"))
    assert np.isfinite(values).all()
    assert abs(values - found(view, "kl")).max() > 1e-6


def test_grids_of_the_source_come_near():
    view = sets_of(60, 60, gap=0.9)
    uniform = found(view, "hellinger", NN(spacing="uniform", priors=999))[0, 1]
    assert uniform == pytest.approx(found(view, "hellinger")[0, 1], abs=0.03)

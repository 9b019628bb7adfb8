"""Distances of one likelihood matrix against their formulas, pools of models, new members, and bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.oracles import likelihoods as slow

from coterie import Ragged
from coterie.compare import Likelihood, likelihood_pool
from coterie.compare.likelihood_pool import eigengap, grown
from coterie.compare.likelihoods import DISTANCES, from_likelihoods
from coterie.core.errors import DataError, ParameterError
from coterie.models import GMM, HMM, Gaussian
from coterie.parts.likelihood import likelihoods
from coterie.testing import promises

KEPT = ("workers_change_nothing", "survives_pickle", "new_members_agree")


def matrix(seed: int, n: int = 7, m: int = 7) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(m, n)) - 6.0
    found[np.arange(min(n, m)), np.arange(min(n, m))] += 2.0
    return found


def sequences(seed: int, n: int = 12, shift: float = 3.0) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(int(rng.integers(6, 15)), 2)) + shift * (i % 3) for i in range(n)]
    )


def chains(seed: int, n: int = 16, length: int = 150) -> tuple[Ragged, np.ndarray]:
    """Two states that stay or that change: what is seen is the same, only its order differs."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    stays = np.where(truth == 0, 0.85, 0.15)
    found = [
        rng.normal(size=length) + 4 * (np.cumsum(rng.random(length) > stay) % 2) for stay in stays
    ]
    return Ragged.of(found), truth


def fitted(view: Ragged, **settings) -> Likelihood:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Likelihood(**{"random_state": 0, **settings}).fit(view)


@pytest.mark.parametrize("name", DISTANCES)
def test_every_distance_is_its_formula(name):
    l = matrix(0)
    found = from_likelihoods(l, name)
    np.testing.assert_allclose(found.values, slow.all_pairs(name, l), atol=1e-10)
    assert found.kind == "distance"
    assert np.array_equal(found.values, found.values.T)
    assert found.values.min() >= 0


def test_positive_densities_keep_the_order_of_bp():
    l = matrix(1) + 9.0
    assert (np.diagonal(l) > 0).all()
    np.testing.assert_allclose(
        from_likelihoods(l, "bp").values, slow.all_pairs("bp", l), atol=1e-10
    )


@pytest.mark.parametrize("name", ["kl-ll", "yin-yang"])
def test_units_do_not_matter(name):
    view = sequences(2)
    model = HMM(tol=0.0, max_iter=12)
    here = fitted(view, distance=name, model=model)
    there = fitted(view.with_values(view.values * 1000.0), distance=name, model=model)
    np.testing.assert_allclose(
        there.likelihoods_, here.likelihoods_ - 2 * np.log(1000.0), atol=1e-6
    )
    np.testing.assert_allclose(there.affinity_.values, here.affinity_.values, rtol=1e-6, atol=1e-8)
    assert not np.allclose(
        from_likelihoods(there.likelihoods_, "bp").values,
        from_likelihoods(here.likelihoods_, "bp").values,
    )


def test_saturated_kl_ll_is_half_of_yin_yang_and_is_said():
    rng = np.random.default_rng(3)
    view = Ragged.of([rng.normal(size=(10, 2)) + 40 * i for i in range(6)])
    with pytest.warns(UserWarning, match="little more than yin-yang"):
        found = Likelihood(model=Gaussian(covariance="diagonal", floor=1e-5), random_state=0).fit(
            view
        )
    assert found.saturation_ > 1 - 1e-12
    np.testing.assert_allclose(
        found.affinity_.values, found.distances("yin-yang").values / 2, rtol=1e-9
    )
    assert found.distances(temperature=1e6).values.max() < found.affinity_.values.max()


def test_only_the_order_differs_and_models_of_order_see_it():
    view, truth = chains(4)
    same = truth[:, None] == truth[None, :]
    np.fill_diagonal(same, False)
    other = truth[:, None] != truth[None, :]
    by_order = fitted(view, model=HMM(n_states=2)).affinity_.values
    assert np.median(by_order[other]) > 5 * np.median(by_order[same])
    still = fitted(view, model=GMM(n_components=2)).affinity_.values
    assert np.median(still[other]) < 2 * np.median(still[same])


def test_likelihoods_are_those_of_the_models_on_the_members():
    view = sequences(5)
    found = fitted(view)
    np.testing.assert_allclose(found.likelihoods_, likelihoods(found.bank_, view), atol=1e-12)
    assert found.chosen_.tolist() == list(range(12))
    assert found.bank_.n_models == 12


@pytest.mark.parametrize("name", DISTANCES)
def test_new_members_are_compared_by_the_same_rules(name):
    view = sequences(6)
    found = fitted(view[:8], distance=name)
    rows = found.compare(view[8:]).values
    assert rows.shape == (4, 8)
    again = found.compare(view[:8]).values
    off = ~np.eye(8, dtype=bool)
    np.testing.assert_allclose(again[off], found.affinity_.values[off], atol=1e-7)
    moved = found.compare(view.take([5, 0, 8])).values
    np.testing.assert_allclose(moved[0, off[5]], found.affinity_.values[5, off[5]], atol=1e-7)
    np.testing.assert_allclose(moved[2], rows[0], atol=1e-7)


@pytest.mark.parametrize("name", DISTANCES)
def test_identical_members_are_at_distance_zero(name):
    view = sequences(7).take([0, 1, 2, 3, 1])
    found = fitted(view, distance=name).affinity_.values
    if name != "symmetric":  # whose origin is the likest pair
        assert found[1, 4] == pytest.approx(0.0, abs=1e-9)
    assert found[1, 4] <= found[1, [0, 2, 3]].min() + 1e-12
    np.testing.assert_allclose(found[1, [0, 2, 3]], found[4, [0, 2, 3]], atol=1e-9)


def test_another_distance_trains_nothing(monkeypatch):
    view = sequences(8)
    comparer = fitted(view)
    expected = fitted(view, distance="yin-yang").affinity_.values
    monkeypatch.setattr(
        likelihood_pool, "likelihoods", lambda *_: pytest.fail("it was trained again")
    )
    assert np.array_equal(comparer.distances("yin-yang").values, expected)
    again = comparer.set_params(distance="yin-yang", temperature=2.0).fit(view)
    assert np.array_equal(again.affinity_.values, expected)
    with pytest.raises(BaseException, match="trained again"):
        comparer.set_params(model=HMM(n_states=1)).fit(view)


def test_pool_grows_where_it_explains_least(monkeypatch):
    view = sequences(9)
    whole = fitted(view)
    monkeypatch.setattr(likelihood_pool, "STEPS", 4)
    order = slow.pool_order(whole.likelihoods_, int(np.argmax(view.lengths)), 3)
    found = fitted(view, models=7)
    assert found.chosen_.tolist() == order[:7]
    np.testing.assert_allclose(found.likelihoods_, whole.likelihoods_[order[:7]], atol=1e-8)
    np.testing.assert_allclose(
        found.affinity_.values, from_likelihoods(whole.likelihoods_[order[:7]]).values, atol=1e-7
    )
    assert fitted(view, models=0.5).chosen_.tolist() == order[:6]
    assert fitted(view, models=1.0).chosen_.tolist() == order
    np.testing.assert_allclose(
        fitted(view, models=12).affinity_.values, whole.affinity_.values, atol=1e-8
    )


def test_pool_of_the_largest_eigengap_stays(monkeypatch):
    monkeypatch.setattr(likelihood_pool, "STEPS", 6)
    view = sequences(10, n=24)
    found = fitted(view, models="eigengap", n_groups=3)
    judged = found.pool_curve_[found.pool_curve_[:, 0] >= 9]
    assert (found.pool_curve_[found.pool_curve_[:, 0] < 8, 1] == 0).all(), (
        "a pool too small was judged"
    )
    assert found.pool_curve_[:, 0].tolist() == [1, 5, 9, 13, 17, 21, 24]
    assert len(found.chosen_) == judged[np.argmax(judged[:, 1]), 0]
    gaps = [
        eigengap(from_likelihoods(found.pool_.matrix[: int(n)]).values, 3, int(n))
        for n in judged[:, 0]
    ]
    np.testing.assert_allclose(judged[:, 1], gaps, atol=1e-12)
    assert found.curves()["Eigengap against the number of models"] == [
        tuple(row) for row in judged.tolist()
    ]
    assert fitted(view, models="eigengap").likelihoods_.shape[1] == 24


def test_patience_ends_the_search(monkeypatch):
    monkeypatch.setattr(likelihood_pool, "STEPS", 12)
    view = sequences(11)
    model = HMM(random_state=0)
    gaps = {3: 0.2, 4: 0.5, 5: 0.4, 6: 0.3, 7: 0.9}
    _, curve = grown(model, view, "a", None, 12, lambda part: gaps.get(len(part), 0.0), patience=2)
    assert curve[:, 0].tolist() == [1, 2, 3, 4, 5, 6]
    pool, curve = grown(model, view, "b", None, 12, lambda part: gaps.get(len(part), 0.0))
    assert len(curve) == len(pool) == 12


def test_likelihoods_of_zero_and_members_no_model_can_make():
    l = matrix(12, n=5)
    l[0, 1] = -np.inf
    with pytest.warns(UserWarning, match="1 of 35 likelihoods are zero"):
        found = from_likelihoods(l).values
    deep = l.copy()
    deep[0, 1] = np.delete(l[0], 1).min() - 50
    np.testing.assert_allclose(found, slow.all_pairs("kl-ll", deep), atol=1e-8)
    l[:, 3] = -np.inf
    with pytest.warns(UserWarning, match=r"no model can make 1 of the members \(the first is 3\)"):
        found = from_likelihoods(l).values
    rest = np.delete(np.delete(found, 3, 0), 3, 1)
    assert (np.delete(found[3], 3) == rest.max()).all()
    assert found[3, 3] == 0
    assert np.isfinite(found).all()


def test_bp_does_not_divide_by_nothing():
    l = matrix(13, n=3, m=3)
    l[1, 1] = 1e-9
    with pytest.warns(UserWarning, match="use distance='yin-yang'"):
        assert np.isfinite(from_likelihoods(l, "bp").values).all()


def test_members_of_length_one_are_compared():
    rng = np.random.default_rng(14)
    view = Ragged.of([rng.normal(size=(n, 2)) for n in (1, 6, 1, 9, 7)])
    for name in DISTANCES:
        assert np.isfinite(fitted(view, distance=name).affinity_.values).all()


def test_sets_get_a_gaussian_and_sequences_states():
    view = sequences(15)
    bags = Ragged(view.values, view.offsets, ordered=False)
    assert isinstance(fitted(bags).model_, Gaussian)
    assert isinstance(fitted(view).model_, HMM)
    chosen = fitted(view[:6], model=HMM(n_states="bic", max_iter=5), distance="yin-yang")
    assert chosen.model_.n_states == chosen.bank_.n_states
    assert chosen.compare(view[6:8]).shape == (2, 6)


def test_strips_show_the_states_of_own_models():
    view, _ = chains(16, n=6)
    found = fitted(view, models=2)
    strips = found.strips([4, 1], names=["e", "b"])
    assert strips.names == ("e", "b")
    assert [int(piece.boundaries[-1]) for piece in strips.pieces] == [150, 150]
    steps = strips.pieces[0].per_step()
    levels = [float(view[4][steps == state].mean()) for state in np.unique(steps)]
    assert max(levels) - min(levels) > 3
    assert all((np.diff(piece.labels) != 0).all() for piece in strips.pieces)
    assert len(found.strips().pieces) == 6
    with pytest.raises(ParameterError, match="only one"):
        fitted(view, model=Gaussian()).strips()
    with pytest.raises(ParameterError, match="positions from 0 to 5"):
        found.strips([6])


def test_bad_input_is_named():
    view = sequences(17)
    with pytest.raises(ParameterError, match="model must be a model such as HMM"):
        Likelihood(model="hmm").fit(view)
    with pytest.raises(ParameterError, match="yin-yang needs the model of every member"):
        Likelihood(models=5, distance="yin-yang").fit(view)
    with pytest.raises(ParameterError, match="share up to 1"):
        Likelihood(models=1.5).fit(view)
    with pytest.raises(ParameterError, match="at most 12"):
        Likelihood(models=13).fit(view)
    with pytest.raises(ParameterError, match="n_states"):
        Likelihood(model=HMM(n_states=0)).fit(view)
    with pytest.raises(DataError, match="member 1 is empty"):
        Likelihood().fit([np.ones((3, 1)), np.ones((0, 1))])
    with pytest.raises(DataError, match="3 values per step where the fitted ones have 2"):
        fitted(view).compare([np.ones((4, 3))])
    with pytest.raises(ParameterError, match="distance must be"):
        from_likelihoods(matrix(0), "kl")
    with pytest.raises(DataError, match="one model of each member, and there are 5 for 7"):
        from_likelihoods(matrix(0, m=5), "bp")
    with pytest.raises(DataError, match="without NaN"):
        from_likelihoods(np.full((2, 2), np.nan))


@pytest.mark.parametrize(
    "promise",
    [p for p in promises(Likelihood(models="eigengap", n_groups=3)) if p.name in KEPT],
    ids=str,
)
def test_promise_of_chosen_models(promise):
    promise()


@pytest.mark.parametrize("temperature", [5e-324, 1e300])
def test_a_temperature_that_likelihoods_cannot_be_divided_by_is_refused(temperature) -> None:
    with pytest.raises(ParameterError, match="temperature must be from"):
        Likelihood(temperature=temperature).fit([np.arange(5.0), np.arange(6.0)])

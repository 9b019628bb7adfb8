"""HMM against hmmlearn for given numbers, recovery of known models, how many states, paths, and bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from coterie import Ragged
from coterie.core.errors import DataError, NotConverged, ParameterError
from coterie.core.workplace import using
from coterie.models import GMM, HMM, Gaussian
from coterie.parts.likelihood import kl_ll, likelihoods
from tests.models.made import CENTERS, RING, alternating, three_state_members, three_states


def spd(n, d, seed):
    roots = np.random.default_rng(seed).normal(size=(n, d, d))
    return roots @ np.swapaxes(roots, 1, 2) + 0.5 * np.eye(d)


def peer(kind, **numbers):
    hmmlearn = pytest.importorskip("hmmlearn.hmm")
    found = getattr(hmmlearn, kind)
    options = {
        "GaussianHMM": {"covariance_type": numbers.pop("form", "diag")},
        "GMMHMM": {"n_mix": 2, "covariance_type": "diag"},
    }
    model = found(n_components=3, **options.get(kind, {}))
    model.startprob_ = np.array([0.5, 0.3, 0.2])
    model.transmat_ = RING
    for name, value in numbers.items():
        setattr(model, f"{name}_", np.asarray(value))
    return model


def agrees(ours, theirs, members):
    whole = (
        members.values.astype(int)
        if ours.emissions in ("categorical", "poisson")
        else members.values
    )
    parts = [whole[a:b] for a, b in zip(members.offsets[:-1], members.offsets[1:], strict=True)]
    np.testing.assert_allclose(
        ours.score(members), [theirs.score(part) for part in parts], rtol=1e-10, atol=1e-8
    )
    paths, values = ours.decode(members)
    for part, path, value, shares in zip(
        parts, paths, values, ours.posterior(members), strict=True
    ):
        expected, states = theirs.decode(part, algorithm="viterbi")
        assert value == pytest.approx(expected, abs=1e-8)
        np.testing.assert_array_equal(path, states)
        np.testing.assert_allclose(shares, theirs.predict_proba(part), atol=1e-8)


class TestAgainstPeer:
    """The same numbers give the same likelihoods, paths and posteriors as in hmmlearn."""

    start = (0.5, 0.3, 0.2)

    @pytest.mark.parametrize(
        ("form", "theirs"),
        [("diagonal", "diag"), ("spherical", "spherical"), ("full", "full"), ("tied", "tied")],
    )
    def test_gaussian(self, form, theirs):
        covariances = {
            "diagonal": [[1.0, 0.5], [0.5, 2.0], [1.0, 1.0]],
            "spherical": [1.0, 0.5, 2.0],
            "full": spd(3, 2, 1),
        }
        numbers = covariances.get(form, spd(1, 2, 2)[0])
        ours = HMM.of(self.start, RING, CENTERS, numbers, emissions=form)
        members, _ = ours.sample(5, [30, 1, 17, 60, 2], random_state=4)
        np.testing.assert_array_equal(ours.covariances_, numbers)
        agrees(ours, peer("GaussianHMM", means=CENTERS, covars=numbers, form=theirs), members)

    def test_mixture(self):
        generator = np.random.default_rng(3)
        weights = generator.dirichlet([2, 2], size=3)
        means = generator.normal(size=(3, 2, 2)) * 4
        spreads = generator.gamma(2.0, size=(3, 2, 2))
        ours = HMM.of(self.start, RING, means, spreads, weights=weights)
        members, _ = ours.sample(4, 25, random_state=4)
        agrees(
            ours,
            peer("GMMHMM", weights=weights, means=means, covars=spreads, n_features=2),
            members,
        )
        assert ours.n_parameters_ == 2 + 6 + 3 * (2 * (2 * 2 + 1) - 1)

    def test_categorical(self):
        chances = np.random.default_rng(3).dirichlet(np.ones(4), size=3)
        ours = HMM.of(self.start, RING, probabilities=chances)
        members, _ = ours.sample(4, 25, random_state=4)
        agrees(ours, peer("CategoricalHMM", emissionprob=chances, n_features=4), members)

    def test_poisson(self):
        rates = np.random.default_rng(3).gamma(3.0, size=(3, 2))
        ours = HMM.of(self.start, RING, rates=rates)
        members, _ = ours.sample(4, 25, random_state=4)
        agrees(ours, peer("PoissonHMM", lambdas=rates, n_features=2), members)

    def test_one_round_is_theirs(self):
        members, _ = three_state_members(6, 40)
        theirs = peer("GaussianHMM", means=CENTERS + 0.5, covars=np.ones((3, 2)))
        theirs.set_params(n_iter=1, init_params="", covars_prior=0.0, covars_weight=0.0)
        theirs.fit(members.values, members.lengths)
        from coterie.parts.hmm_training import train_bank

        begun = HMM.of(self.start, RING, CENTERS + 0.5, np.ones((3, 2))).bank_
        owners = np.zeros(len(members), dtype=np.int64)
        ours, _ = train_bank(
            begun, members.values, members.offsets, owners, rounds=1, training="baum-welch"
        )
        np.testing.assert_allclose(ours.start[0], theirs.startprob_, atol=1e-8)
        np.testing.assert_allclose(ours.transition[0], theirs.transmat_, atol=1e-8)
        np.testing.assert_allclose(ours.emissions.arrays()["means"][0], theirs.means_, atol=1e-8)


class TestFit:
    def test_known_model_is_found(self):
        members, states = three_state_members(30, 100)
        found = HMM(n_states=3, random_state=0).fit(members)
        place = np.argmin(((found.means_[:, None] - CENTERS[None]) ** 2).sum(axis=2), axis=0)
        np.testing.assert_allclose(found.means_[place], CENTERS, atol=0.15)
        np.testing.assert_allclose(found.transition_[np.ix_(place, place)], RING, atol=0.04)
        np.testing.assert_allclose(found.start_[place], [0.5, 0.3, 0.2], atol=0.25)
        assert (place[np.concatenate(states)] == found.predict(members)).mean() > 0.97
        assert found.score(members).sum() > three_states().score(members).sum()

    @pytest.mark.parametrize("emissions", ["diagonal", "spherical", "full", "tied", "mixture"])
    @pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")
    def test_likelihood_never_falls(self, emissions):
        members, _ = three_state_members(8, 40)
        found = HMM(n_states=3, emissions=emissions, random_state=0).fit(members)
        assert np.diff(found.history_).min() > -1e-8 * abs(found.history_[-1])
        assert (
            found.converged_ or emissions == "mixture"
        )  # two laws for one round cloud move for long

    @pytest.mark.parametrize("emissions", ["categorical", "poisson"])
    def test_symbols_and_counts_are_learned(self, emissions):
        numbers = (
            {"probabilities": [[0.8, 0.15, 0.05], [0.05, 0.15, 0.8]]}
            if emissions == "categorical"
            else {"rates": [[1.0], [9.0]]}
        )
        truth = HMM.of([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], **numbers)
        members, _ = truth.sample(30, 80, random_state=3)
        found = HMM(n_states=2, emissions=emissions, random_state=0).fit(members)
        name = next(iter(numbers))
        learned = getattr(found, f"{name}_")
        order = np.argsort(learned[:, -1])
        np.testing.assert_allclose(
            learned[order], numbers[name], atol=0.06 if emissions == "categorical" else 0.3
        )
        assert found.score(members).sum() > truth.score(members).sum() - 1

    def test_drawn_members_score_alike(self):
        members, _ = three_state_members(20, 60)
        found = HMM(n_states=3, random_state=0).fit(members)
        again, _ = found.sample(20, 60, random_state=9)
        assert abs(found.score(again).mean() - found.score(members).mean()) < 8

    def test_missing_values_are_left_out(self):
        members, _ = three_state_members(20, 80)
        holes = np.random.default_rng(0).random(members.values.shape) < 0.2
        gappy = members.with_values(np.where(holes, np.nan, members.values))
        for emissions in ("diagonal", "full"):
            found = HMM(n_states=3, emissions=emissions, random_state=0).fit(gappy)
            place = np.argmin(((found.means_[:, None] - CENTERS[None]) ** 2).sum(axis=2), axis=0)
            np.testing.assert_allclose(found.means_[place], CENTERS, atol=0.25)
            assert np.isfinite(found.score(gappy)).all()

    def test_ends_with_a_warning_when_rounds_are_few(self):
        members, _ = three_state_members(4, 40)
        with pytest.warns(NotConverged, match="HMM did not converge in 2 rounds"):
            HMM(n_states=3, max_iter=2, random_state=0).fit(members)

    def test_so_do_models_of_each(self):
        members, _ = three_state_members(4, 40)
        with pytest.warns(NotConverged, match="4 of 4 models did not converge in 2 rounds"):
            HMM(n_states=3, max_iter=2, random_state=0).fit_each(members)

    def test_workers_change_nothing(self):
        members, _ = three_state_members(10, 50)
        with using(n_jobs=1):
            one = HMM(n_states=3, random_state=0).fit(members)
        with using(n_jobs=2):
            two = HMM(n_states=3, random_state=0).fit(members)
        for name, array in one.bank_.arrays().items():
            assert array.tobytes() == two.bank_.arrays()[name].tobytes()


class TestEach:
    def test_models_do_not_depend_on_who_was_chosen(self):
        members, _ = three_state_members(6, 40)
        every = HMM(random_state=3).fit_each(members)
        some = HMM(random_state=3).fit_each(members, [4, 1])
        for name, array in some.arrays().items():
            np.testing.assert_allclose(array, every.arrays()[name][[4, 1]], atol=1e-10)

    def test_new_members_are_modeled_like_the_old(self):
        members, _ = three_state_members(8, 40)
        old = members[:6]
        every = HMM(random_state=3, n_states=2).fit_each(old)
        again = HMM(random_state=3, n_states=2).fit_each(old[:3], like=old)
        for name, array in again.arrays().items():
            np.testing.assert_allclose(array, every.arrays()[name][:3], atol=1e-10)
        symbols = HMM(emissions="categorical", random_state=0).fit_each(
            [np.zeros((4, 1))], like=[np.array([[0.0], [2.0]])]
        )
        assert symbols.arrays()["probabilities"].shape == (1, 2, 3)
        model = HMM(n_states=(1, 3), random_state=0)
        assert model.fit_each(members[6:], like=old).n_states == model.choice_.best
        with pytest.raises(DataError, match="`like` has 1"):
            HMM().fit_each(members, like=[np.ones((3, 1))])

    def test_chosen_must_be_there(self):
        members, _ = three_state_members(3, 10)
        with pytest.raises(DataError, match="positions from 0 to 2"):
            HMM().fit_each(members, [3])

    def test_few_steps_make_diagonal_models(self):
        generator = np.random.default_rng(0)
        members = Ragged.of([generator.normal(size=(n, 3)) for n in (30, 3, 40, 2)])
        with pytest.warns(
            UserWarning, match=r"2 of 4 members \(the first is 1\) have no more steps than values"
        ):
            bank = HMM(n_states=1, emissions="full", random_state=0).fit_each(members)
        spreads = bank.emissions.arrays()["spreads"][:, 0]
        away = ~np.eye(3, dtype=bool)
        assert (spreads[[1, 3]][:, away] == 0).all()
        assert (np.abs(spreads[[0, 2]][:, away]) > 0).all()

    def test_one_size_for_all_is_chosen(self):
        members, _ = three_state_members(8, 120)
        model = HMM(n_states=(1, 4), random_state=0)
        assert model.fit_each(members, [0, 5]).start.shape == (2, 3)
        assert model.choice_.best == 3


class TestHowMany:
    def test_bic_finds_three(self):
        members, _ = three_state_members(20, 80)
        found = HMM(n_states="bic", random_state=0).fit(members)
        assert found.choice_.best == 3
        assert found.bank_.n_states == 3
        assert [row.n_states for row in found.choice_.tried] == [1, 2, 3, 4, 5]
        assert found.choice_.tried[2].bic == pytest.approx(found.bic(members))
        assert found.choice_.tried[2].aic == pytest.approx(found.aic(members))
        assert "3" in str(found.choice_).splitlines()[3]
        assert clone(found).n_states == "bic"

    def test_range_is_kept(self):
        members, _ = three_state_members(10, 60)
        found = HMM(n_states=(2, 3, "aic"), random_state=0).fit(members)
        assert [row.n_states for row in found.choice_.tried] == [2, 3]
        assert found.choice_.by == "aic"
        assert found.predict(members).max() == 2

    def test_criteria_are_those_of_the_book(self):
        members, _ = three_state_members(5, 30)
        for emissions, each in (("diagonal", 4), ("full", 5), ("spherical", 3)):
            found = HMM(n_states=3, emissions=emissions, random_state=0).fit(members)
            free = 2 + 6 + 3 * each
            assert found.n_parameters_ == free
            assert found.bic(members) == pytest.approx(
                -2 * found.score(members).sum() + free * np.log(150)
            )
            assert found.aic(members) == pytest.approx(-2 * found.score(members).sum() + 2 * free)

    @pytest.mark.parametrize(
        "wrong", [0, 2.5, "mdl", (3, 2), (0, 3), (1, 2, "mdl"), (1,), (1.0, 2.0), True, None]
    )
    def test_nonsense_is_refused(self, wrong):
        with pytest.raises(ParameterError, match="n_states"):
            HMM(n_states=wrong).fit([[[1.0], [2.0]]])


class TestTopology:
    def test_left_right_goes_ahead(self):
        generator = np.random.default_rng(0)
        members = Ragged.of(
            [np.repeat([0.0, 4.0, 8.0], generator.integers(5, 12, 3)) for _ in range(10)]
        )
        members = members.with_values(
            members.values + generator.normal(size=members.values.shape) * 0.3
        )
        found = HMM(n_states=3, topology="left-right", random_state=0).fit(members)
        np.testing.assert_allclose(found.means_.ravel(), [0, 4, 8], atol=0.2)
        np.testing.assert_array_equal(found.start_, [1, 0, 0])
        assert (np.tril(found.transition_, -1) == 0).all()
        assert [len(piece.labels) for piece in found.segmentations(members)] == [3] * 10
        assert found.n_parameters_ == 2 + 6

    def test_more_states_than_steps(self):
        members = [np.array([[0.0], [3.0]]), np.array([[0.1], [3.1]])]
        found = HMM(n_states=5, topology="left-right", random_state=0).fit(members)
        assert np.isfinite(found.score(members)).all()
        assert found.predict(members).max() <= 1
        assert found.bank_.n_states == 5

    def test_mask_is_kept(self):
        mask = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
        members, _ = three_state_members(10, 50)
        found = HMM(n_states=3, topology=mask, random_state=0).fit(members)
        assert (found.transition_[~mask] == 0).all()
        assert (found.transition_[mask] > 0).all()
        assert found.n_parameters_ == 2 + 3 + 12
        assert "topology=array" in repr(found)

    def test_mask_that_leads_ahead_begins_in_its_first_state(self):
        members = [np.array([[0.0], [0.1], [3.0], [3.1], [6.0]])] * 3
        found = HMM(n_states=3, topology=np.triu(np.ones((3, 3))), random_state=0).fit(members)
        np.testing.assert_array_equal(found.start_, [1, 0, 0])
        np.testing.assert_array_equal(found.decode(members)[0][0], [0, 0, 1, 1, 2])

    @pytest.mark.parametrize(
        ("mask", "said"),
        [
            (np.ones((2, 2), dtype=bool), "3 x 3"),
            (np.ones((3, 2), dtype=bool), "square"),
            ([[1, 1, 0], [0, 0, 0], [0, 1, 1]], "no state follow state 1"),
            ([[1, 2, 0], [0, 1, 1], [0, 1, 1]], "yes and no"),
            ([[True], [True, False]], "square"),
            ("circle", "topology must be"),
        ],
    )
    def test_bad_masks_are_refused(self, mask, said):
        with pytest.raises(ParameterError, match=said):
            HMM(n_states=3, topology=mask).fit([[[1.0], [2.0]]])

    def test_mask_fixes_the_number(self):
        with pytest.raises(ParameterError, match="n_states must be 2"):
            HMM(n_states="bic", topology=np.ones((2, 2), dtype=bool)).fit([[[1.0], [2.0]]])


class TestStates:
    def test_forms(self):
        members, _ = three_state_members(4, 30)
        model = three_states()
        paths, values = model.decode(members)
        assert [len(path) for path in paths] == [30] * 4
        assert values.shape == (4,)
        np.testing.assert_array_equal(model.predict(members), np.concatenate(paths))
        for path, piece in zip(paths, model.segmentations(members), strict=True):
            np.testing.assert_array_equal(piece.per_step(), path)
        for shares in model.posterior(members):
            np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert (values <= model.score(members)).all()

    def test_what_cannot_be_made_is_named(self):
        model = HMM.of([1.0, 0.0], [[0.0, 1.0], [1.0, 0.0]], probabilities=[[1.0, 0.0], [0.0, 1.0]])
        members = [np.array([[0.0], [1.0]]), np.array([[0.0], [0.0]])]
        assert model.score(members).tolist() == [0.0, -np.inf]
        for ask in (model.decode, model.posterior):
            with pytest.raises(DataError, match="member 1 cannot be made"):
                ask(members)

    def test_other_numbers_are_not_there(self):
        with pytest.raises(AttributeError, match="has no rates_"):
            _ = three_states().rates_


class TestBadInput:
    def test_members(self):
        good = np.ones((4, 2))
        with pytest.raises(DataError, match="member 1 has an infinite value"):
            HMM().fit([good, np.array([[1.0, np.inf]])])
        with pytest.raises(DataError, match="member 1 is empty"):
            HMM().fit([good, np.empty((0, 2))])
        with pytest.raises(DataError, match=r"sets \(ordered=False\)"):
            HMM().fit(Ragged.of([good], ordered=False))
        with pytest.raises(DataError, match="3 values per step where the fitted ones have 2"):
            three_states().score([np.ones((2, 3))])
        with pytest.raises(NotFittedError):
            HMM().score([good])

    def test_symbols(self):
        model = HMM(emissions="categorical", random_state=0)
        with pytest.raises(DataError):
            model.fit([[[0.5], [1.0]]])
        with pytest.raises(DataError):
            model.fit([[[-1.0], [1.0]]])
        model.fit([[[0.0], [1.0], [1.0], [0.0]]])
        with pytest.raises(DataError):
            model.score([[[7.0]]])

    @pytest.mark.parametrize(
        "given",
        [
            {"start": [0.5, 0.6]},
            {"transition": [[0.5, 0.5], [0.5, 0.6]]},
            {"transition": [[0.5, 0.5]]},
            {"means": [[0.0]]},
            {"covariances": [[0.0], [1.0]]},
            {"covariances": [1.0, 1.0]},
            {"rates": [[1.0], [1.0]]},
            {"emissions": "gamma"},
        ],
    )
    def test_given_numbers(self, given):
        numbers = {
            "start": [0.5, 0.5],
            "transition": np.full((2, 2), 0.5),
            "means": [[0.0], [1.0]],
            "covariances": [[1.0], [1.0]],
        }
        with pytest.raises(ParameterError):
            HMM.of(**{**numbers, **given})

    def test_little_and_constant_data_pass(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for members in (
                [np.ones((6, 2))] * 3,
                [np.array([[2.0]])],
                [np.array([[1.0], [np.nan]])],
                [np.full((3, 1), np.nan)],
            ):
                found = HMM(n_states=2, random_state=0).fit(members)
                assert np.isfinite(found.score(members)).all()
                assert np.isfinite(found.transition_).all()


def test_manners():
    model = HMM(n_states=(2, 4), emissions="full", random_state=1)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert repr(model) == "HMM(n_states=(2, 4), emissions='full', random_state=1)"
    assert repr(HMM()) == "HMM()"


def test_order_tells_what_frequencies_do_not():
    """1010.. and 1100..: a chain of observed symbols tells them apart without a fault, laws of the symbols cannot."""
    members, truth = alternating()
    chains = HMM(n_states=2, emissions="categorical", random_state=0).fit_each(members)
    values = likelihoods(chains, members)
    same = truth[:, None] == truth[None, :]
    others = np.where(np.eye(len(truth), dtype=bool), -np.inf, values)
    np.testing.assert_array_equal(truth[others.argmax(axis=0)], truth)
    distances = kl_ll(values)
    assert distances[same].max() < distances[~same].min()
    for model in (Gaussian(), GMM(random_state=0)):
        bank = model.fit_each(members)
        assert np.ptp(likelihoods(bank, members)) < 1e-9


def test_symbols_and_counts_are_named_by_member_and_step():
    members = [np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [1.0], [0.0]])]
    model = HMM(emissions="categorical", random_state=0).fit(members)
    with pytest.raises(
        DataError,
        match="member 1 has 7 at step 2, and symbols are the codes 0 to 2 of the fitted members",
    ):
        model.score([members[0], np.array([[0.0], [1.0], [7.0]])])
    with pytest.raises(
        DataError, match=r"member 0 has 0\.5 at step 1, and symbols are whole numbers from 0"
    ):
        HMM(emissions="categorical").fit([np.array([[0.0], [0.5]])])
    with pytest.raises(
        DataError, match="member 1 has -1 at step 0, and counts are whole numbers from 0"
    ):
        HMM(emissions="poisson").fit([np.array([[3.0]]), np.array([[-1.0]])])
    open_minded = HMM(emissions="categorical", unknown="extra", random_state=0).fit(members)
    assert np.isfinite(open_minded.score([np.array([[0.0], [7.0], [9.0]])])).all()

"""Divergence: the right estimate for the right pair, any f of what was seen once, and sets that are hard to compare."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.oracles import bound as slow
from tests.run.examples import stored_again

from coterie.compare import FDivergence
from coterie.compare.divergence import Divergence
from coterie.core.errors import DataError, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.workplace import using
from coterie.parts.fdivergences import CATALOGUE
from coterie.parts.losses import LOSSES
from coterie.parts.risks import NN, Bound, Classified
from coterie.testing import promises


def sets(
    seed: int = 0, n: int = 8, d: int = 2, shift: float = 3.0, low: int = 12, high: int = 25
) -> Ragged:
    rng = np.random.default_rng(seed)
    members = [
        rng.normal(size=(int(rng.integers(low, high)), d)) + shift * (i % 2) for i in range(n)
    ]
    return Ragged.of(members, ordered=False)


@pytest.mark.parametrize("risk", ["nn", "bound", NN(priors=61), Bound(shrink=0.3)])
def test_sets_of_one_law_are_nearer_than_those_of_two(risk):
    found = Divergence(risk=risk).fit(sets()).affinity_
    assert found.kind == "distance"
    assert found.symmetric
    assert (np.diagonal(found.values) == 0).all()
    same = np.equal.outer(np.arange(8) % 2, np.arange(8) % 2)
    assert found.values[same].max() < found.values[~same].min()


def test_the_bound_of_a_pair_is_that_of_its_moments():
    view = sets(1)
    fitted = Divergence(f="jeffreys", risk="bound").fit(view)
    moments = fitted.seen_.rows
    gap = moments.means[2] - moments.means[5]
    which = CATALOGUE["jeffreys"]
    expected = slow.bound(which.square, 0.0, gap, moments.spreads[2], moments.spreads[5])
    assert fitted.divergences_[2, 5] == pytest.approx(expected, rel=1e-8)
    assert fitted.affinity_.values[2, 5] == pytest.approx(np.sqrt(expected), rel=1e-8)


def test_large_samples_come_near_the_truth():
    rng = np.random.default_rng(2)
    view = Ragged.of([rng.normal(size=(1500, 1)), rng.normal(size=(1500, 1)) + 1.0], ordered=False)
    for risk, tolerance in (("nn", 0.25), ("bound", 0.2)):
        found = Divergence(f="kl", risk=risk, distance="plain").fit(view).divergences_
        assert found[0, 1] == pytest.approx(0.5, abs=tolerance)


@pytest.mark.parametrize("risk", ["nn", "bound"])
def test_another_f_is_read_without_looking_again(risk, monkeypatch):
    view = sets(3)
    fitted = Divergence(risk=risk).fit(view)
    fresh = {f: Divergence(f=f, risk=risk).fit(view) for f in ("kl", "hellinger", "js")}
    monkeypatch.setattr(
        type(fitted.risk_), "look", lambda *a, **k: pytest.fail("the data were looked at again")
    )
    for f, other in fresh.items():
        assert np.array_equal(fitted.read(f).values, other.affinity_.values)
        assert np.array_equal(fitted.read(f, "plain").values, other.divergences_)
    assert np.array_equal(fitted.read().values, fitted.affinity_.values)
    assert np.array_equal(fitted.read(distance="plain").values, fitted.divergences_)
    assert not fitted.read("kl").symmetric
    parts = [fitted.read(f, "plain").values for f in ("kl", "reverse-kl")]
    above = (parts[0] > 0) & (parts[1] > 0)  # neither was cut at zero
    np.testing.assert_allclose((parts[0] + parts[1])[above], fitted.divergences_[above], rtol=1e-6)
    assert above.sum() > 20


def test_root_is_the_root_of_the_plain_distance():
    view = sets(4)
    root, plain = (Divergence(distance=how).fit(view) for how in ("root", "plain"))
    np.testing.assert_allclose(root.affinity_.values**2, plain.affinity_.values, atol=1e-12)
    assert np.array_equal(plain.affinity_.values, plain.divergences_)


@pytest.mark.parametrize("risk", ["nn", "bound"])
def test_kl_is_that_of_the_row_from_the_column(risk):
    rng = np.random.default_rng(5)
    view = Ragged.of(
        [rng.normal(size=(300, 1)), 0.4 + 0.3 * rng.normal(size=(300, 1))], ordered=False
    )
    fitted = Divergence(f="kl", risk=risk).fit(view)
    assert not fitted.affinity_.symmetric
    assert fitted.divergences_[0, 1] != pytest.approx(fitted.divergences_[1, 0], rel=0.02)
    np.testing.assert_allclose(
        fitted.compare(view[:1]).values[0, 1], fitted.affinity_.values[0, 1], atol=1e-9
    )


def test_a_convex_function_of_ones_own():
    view = sets(6, shift=2.0)
    named = Divergence(f="hellinger", risk="bound").fit(view)
    own = named.read(lambda t: (np.sqrt(t) - 1.0) ** 2, "plain").values
    np.testing.assert_allclose(own, named.divergences_, rtol=1e-6)
    np.testing.assert_allclose(
        named.read("power:0.5", "plain").values, 2 * named.divergences_, rtol=1e-9
    )


@pytest.mark.parametrize("risk", ["nn", "bound"])
def test_what_is_only_induced_is_said(risk):
    with pytest.warns(
        UserWarning,
        match=r"^Divergence: variational has no exact form in the square loss; .*[^.]\.$",
    ):
        Divergence(f="variational", risk=risk).fit(sets(6, low=40, high=50))


def test_sets_of_one_vector_are_said_whatever_the_sizes():
    rng = np.random.default_rng(3)
    view = [rng.normal(size=(12, 2)), [[1000.0, 1000.0]], rng.normal(size=(12, 2)) + 50]
    with pytest.warns(
        UserWarning,
        match=r"^Divergence: member 1 has one vector only, of which neighbors say nothing",
    ):
        Divergence(f="hellinger").fit(view)


def test_nothing_is_said_of_a_fitted_member_that_comes_again():
    view = sets(7)
    fitted = Divergence(f="hellinger").fit(view)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.compare(view[2:4])
    mixed = Ragged.of([np.concatenate([view[0], view[1][:9]])], ordered=False)
    with pytest.warns(UserWarning, match="sets share vectors"):
        fitted.compare(mixed)


def test_costs_that_differ_make_an_affinity_that_is_not_symmetric():
    risk = Classified(loss=LOSSES["square"].costing(3.0, 1.0), priors=21)
    fitted = Divergence(f="js", risk=risk, random_state=0).fit(sets(7, n=4, shift=1.0))
    assert not fitted.affinity_.symmetric
    assert not fitted.read("hellinger").symmetric
    assert np.abs(fitted.divergences_ - fitted.divergences_.T).max() > 1e-3
    stored = stored_again(fitted)
    assert np.array_equal(
        stored.compare(sets(12, n=2)).values, fitted.compare(sets(12, n=2)).values
    )


def test_a_classifier_is_a_risk():
    fitted = Divergence(risk=LogisticRegression(), f="jeffreys", random_state=0).fit(sets(7, n=4))
    assert fitted.divergences_[0, 1] > fitted.divergences_[0, 2]
    again = Divergence(risk=LogisticRegression(), f="jeffreys", random_state=0).fit(sets(7, n=4))
    assert np.array_equal(fitted.divergences_, again.divergences_)


@pytest.mark.parametrize("risk", ["nn", "bound"])
def test_single_vectors_different_sizes_and_twins(risk):
    rng = np.random.default_rng(8)
    big = rng.normal(size=(120, 3))
    view = Ragged.of(
        [
            big,
            big,
            rng.normal(size=(1, 3)) + 4,
            rng.normal(size=(5, 3)),
            rng.normal(size=(30, 3)) + 4,
        ],
        ordered=False,
    )
    with pytest.warns(UserWarning, match=r"^Divergence: .*[^.]\.$"):
        found = Divergence(f="hellinger", risk=risk).fit(view).affinity_.values
    assert found[0, 1] == 0.0
    assert np.isfinite(found).all()
    assert found[0, 3] < found[0, 4]
    assert found[2, 4] < found[2, 0]


@pytest.mark.parametrize("risk", ["nn", "bound"])
def test_order_and_a_common_motion_do_not_matter(risk):
    view = sets(9)
    rng = np.random.default_rng(9)
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    mixed = Ragged.of([3.0 * rng.permutation(x) @ turn + [5.0, -70.0] for x in view], ordered=True)
    there, moved = (Divergence(risk=risk).fit(v).affinity_.values for v in (view, mixed))
    np.testing.assert_allclose(there, moved, atol=1e-4)


def test_the_curve_of_a_pair():
    fitted = Divergence(risk="bound").fit(sets(10))
    priors, risks = fitted.curve(0, 1)
    assert ((risks > 0) & (risks < 2 * priors * (1 - priors))).all()
    np.testing.assert_allclose(
        fitted.curve(0, 1, [0.3])[1], fitted.curve(1, 0, [0.7])[1], rtol=1e-9
    )
    near = Divergence(risk="nn").fit(sets(10)).curve(0, 1, [0.5])[1]
    assert near[0] < 0.25
    with pytest.raises(ParameterError, match="no member 8"):
        fitted.curve(0, 8)
    with pytest.raises(ParameterError, match="both were 3"):
        fitted.curve(3, 3)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        fitted.curve(0, 1, [0.0])


@pytest.mark.parametrize("risk", ["nn", "bound"])
def test_what_was_seen_is_not_stored_and_found_again(risk):
    fitted = Divergence(risk=risk).fit(sets(11))
    copy = pickle.loads(pickle.dumps(fitted))
    assert "_seen" not in vars(copy)
    assert len(pickle.dumps(fitted)) < 20_000
    assert np.array_equal(copy.read("hellinger").values, fitted.read("hellinger").values)
    assert np.array_equal(copy.compare(sets(12)).values, fitted.compare(sets(12)).values)
    stored = stored_again(fitted)
    assert np.array_equal(stored.read("js").values, fitted.read("js").values)


def test_workers_change_nothing_in_what_is_read():
    view = sets(13, n=40)
    with using(n_jobs=2):
        two = Divergence(risk="bound").fit(view).read("hellinger").values
    assert np.array_equal(Divergence(risk="bound").fit(view).read("hellinger").values, two)


def test_bad_input_is_named():
    view = sets(14)
    with pytest.raises(DataError, match="member 1 has a missing value"):
        Divergence().fit([np.ones((3, 2)), [[1.0, 2.0], [np.nan, 1.0]]])
    with pytest.raises(DataError, match="member 0 has an infinite value"):
        Divergence().fit([[[np.inf, 2.0]], np.ones((3, 2))])
    with pytest.raises(DataError, match="3 values per step where the fitted ones have 2"):
        Divergence(risk="bound").fit(view).compare([np.ones((4, 3))])
    with pytest.raises(ParameterError, match="f must be"):
        Divergence(f="chi").fit(view)
    with pytest.raises(ParameterError, match="risk must be"):
        Divergence(risk="best").fit(view)
    with pytest.raises(ParameterError, match="chi2"):
        Divergence(f="chi2").fit(view)
    with pytest.raises(ParameterError, match="distance must be"):
        Divergence(risk="bound").fit(view).read("kl", "square")  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "promise", [*promises(Divergence()), *promises(Divergence(f="kl", risk="bound"))], ids=str
)
def test_promise(promise):
    promise()


def test_nothing_is_said_of_ordinary_sets():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Divergence(risk="bound").fit(sets(15))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Divergence(f=None).fit([[[0.0], [1.0]], [[2.0], [3.0]]]),
            "f must be given, and was None",
        ),
        (
            lambda: Divergence().fit([[[0.0], [1.0]], [[2.0], [3.0]]]).curve("a", 1),
            "named by its position, from 0, and was 'a'",
        ),
        (lambda: FDivergence.of_weight(3), "a weight must be a function of the prior, and was 3"),
        (
            lambda: FDivergence.of_generator(3),
            "f must be a function of the density ratio, and was 3",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_no_function_and_no_position_is_refused_in_a_sentence(make, said) -> None:
    with pytest.raises(ParameterError, match=said):
        make()

"""NearestRisk: from errors to an affinity, new members, warnings and refusals."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.oracles import orders as slow

from coterie import Ragged
from coterie.compare import NearestRisk
from coterie.core.errors import DataError, ParameterError
from coterie.testing import promises

FORMS = [
    NearestRisk(),
    NearestRisk(method="stratified", train=0.3, distance="similarity"),
    NearestRisk(method="balanced", metric="cosine", distance="root"),
    NearestRisk(method="leave-one-out", weights="points", distance="log"),
]


def sets(seed: int, sizes: list[int], shift: float = 0.8, d: int = 3) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(n, d)) + shift * (i % 2) for i, n in enumerate(sizes)], ordered=False
    )


@pytest.mark.parametrize("promise", [p for form in FORMS for p in promises(form)], ids=str)
def test_promise(promise):
    promise()


def test_risks_weigh_the_two_sets_or_all_vectors():
    view = sets(0, [9, 20, 12])
    by_set = NearestRisk().fit(view).risks_
    by_point = NearestRisk(weights="points").fit(view).risks_
    for i in range(3):
        for j in range(i):
            n = len(view[i])
            m = len(view[j])
            size = round((n + m) / 2)
            there = slow.weighted_error(view[i], view[j], size)
            back = slow.weighted_error(view[j], view[i], size)
            assert by_set[i, j] == pytest.approx((there + back) / 2, abs=1e-12)
            assert by_point[i, j] == pytest.approx((n * there + m * back) / (n + m), abs=1e-12)
    assert np.array_equal(by_set, by_set.T)
    assert np.array_equal(by_point, by_point.T)


def test_sets_of_one_size_have_one_risk():
    view = sets(1, [15] * 4)
    assert np.allclose(
        NearestRisk().fit(view).risks_, NearestRisk(weights="points").fit(view).risks_, atol=1e-15
    )


def test_one_law_is_near_whatever_the_sizes():
    """The mean over all vectors would take sets of one law for far ones where their sizes differ."""
    rng = np.random.default_rng(2)
    small = [rng.normal(size=(10, 2)) for _ in range(15)]
    large = [rng.normal(size=(90, 2)) for _ in range(15)]
    by_set = NearestRisk().fit([*small, *large]).risks_[:15, 15:].mean()
    by_point = NearestRisk(weights="points").fit([*small, *large]).risks_[:15, 15:].mean()
    assert by_set == pytest.approx(0.5, abs=0.03)
    assert by_point == pytest.approx(2 * 0.1 * 0.9, abs=0.03)


def test_far_sets_and_the_forms_of_the_affinity():
    view = sets(3, [12, 13, 14], shift=2.0)
    found = {
        form: NearestRisk(distance=form).fit(view)
        for form in ("plain", "root", "log", "similarity")
    }
    risks = np.minimum(found["plain"].risks_, 0.5)
    assert np.allclose(found["similarity"].affinity_.values, risks)
    assert found["similarity"].affinity_.kind == "similarity"
    assert np.allclose(found["plain"].affinity_.values, 0.5 - risks)
    assert np.allclose(found["root"].affinity_.values, np.sqrt(0.5 - risks))
    assert np.allclose(found["log"].affinity_.values, -np.log(2 * risks))
    for form in ("plain", "root", "log"):
        values = found[form].affinity_.values
        assert not np.diag(values).any()
        assert values[0, 1] > values[0, 2]
    apart = (
        NearestRisk(method="leave-one-out", distance="log")
        .fit(sets(3, [12, 13], shift=1e3))
        .affinity_.values[0, 1]
    )
    assert apart == pytest.approx(12 * np.log(10))


def test_risk_is_near_that_of_the_laws():
    """Two normal laws: the risk of many vectors is the integral of p q / (p + q)."""
    rng = np.random.default_rng(4)
    view = [rng.normal(size=(1500, 1)), rng.normal(size=(1500, 1)) + 1.0]
    x = np.linspace(-8, 9, 20001)
    p = np.exp(-(x**2) / 2)
    q = np.exp(-((x - 1) ** 2) / 2)
    wanted = np.sum(p * q / (p + q)) * (x[1] - x[0]) / np.sqrt(2 * np.pi)
    for method in ("complete", "balanced", "leave-one-out"):
        assert NearestRisk(method=method).fit(view).risks_[0, 1] == pytest.approx(wanted, abs=0.02)


def test_training_alike_gives_the_risk_of_equal_priors():
    """As many training vectors of both sets estimate the risk at 1/2, whatever the sizes; a share of all does not."""
    rng = np.random.default_rng(5)
    view = [rng.normal(size=(2000, 1)), rng.normal(size=(200, 1)) + 1.0]
    x = np.linspace(-8, 9, 20001)
    p = np.exp(-(x**2) / 2)
    q = np.exp(-((x - 1) ** 2) / 2)
    step = (x[1] - x[0]) / np.sqrt(2 * np.pi)
    even = np.sum(p * q / (p + q)) * step
    uneven = np.sum(p * q / (2 * (p * 10 + q) / 11)) * step
    assert NearestRisk(method="balanced").fit(view).risks_[0, 1] == pytest.approx(even, abs=0.025)
    assert NearestRisk().fit(view).risks_[0, 1] == pytest.approx(uneven, abs=0.025)
    assert abs(even - uneven) > 0.05


@pytest.mark.parametrize("weights", ["sets", "points"])
def test_sets_of_one_vector_are_at_distance_zero_and_said(weights):
    rng = np.random.default_rng(3)
    view = [rng.normal(size=(12, 2)), [[1000.0, 1000.0]], rng.normal(size=(12, 2)) + 50]
    with pytest.warns(
        UserWarning,
        match=r"^NearestRisk: member 1 has one vector only, of which neighbors say nothing: .*[^.]\.$",
    ):
        found = NearestRisk(weights=weights).fit(view)
    assert (found.affinity_.values[1] == 0).all() == (weights == "sets")
    assert found.affinity_.values[0, 2] > 0.4
    with pytest.warns(
        UserWarning, match=r"^NearestRisk: new member 0 and 1 other have one vector only"
    ):
        found.compare([[[1.0, 2.0]], [[3.0, 4.0]]])


@pytest.mark.filterwarnings("ignore:NearestRisk. (new )?member")
def test_new_members_agree_with_fitted_ones():
    view = sets(6, [9, 1, 14, 6, 11])
    for form in FORMS:
        fitted = form.fit(view)
        again = form.compare(view[1:3])
        assert not again.symmetric
        off = ~np.eye(5, dtype=bool)[1:3]
        assert np.allclose(again.values[off], fitted.affinity_.values[1:3][off], atol=1e-12)


def test_ordered_sequences_are_taken_as_bags():
    view = sets(7, [9, 8, 14])
    turned = Ragged.of([one[::-1] for one in view], ordered=True)
    assert np.allclose(NearestRisk().fit(view).risks_, NearestRisk().fit(turned).risks_, atol=1e-13)


def test_shared_vectors_and_uneven_sizes_are_said():
    view = sets(8, [8, 9])
    shared = Ragged.of([view[0], np.concatenate([view[1], view[0][:2]]), view[0]], ordered=False)
    with pytest.warns(
        UserWarning,
        match=r"members share vectors \(100 % of those of member 0 are found in member 2\)",
    ):
        fitted = NearestRisk().fit(shared)
    assert fitted.risks_[0, 2] > 0.5
    assert fitted.affinity_.values[0, 2] == 0.0
    with pytest.warns(
        UserWarning, match=r"^NearestRisk: the sets have 4 to 88 vectors, and little .* smallest\.$"
    ):
        NearestRisk().fit(sets(9, [4, 88]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NearestRisk().fit(view).compare(view)


def test_bad_input_is_one_sentence():
    view = sets(10, [3, 4, 5])
    gappy = view.with_values(np.where(np.arange(12)[:, None] == 4, np.nan, view.values))
    with pytest.raises(DataError, match="NearestRisk: member 1 has a missing value"):
        NearestRisk().fit(gappy)
    with pytest.raises(ParameterError, match="NearestRisk: metric must be euclidean"):
        NearestRisk(metric="mahalanobis").fit(view)
    with pytest.raises(ParameterError, match="train must be"):
        NearestRisk(train=1.0).fit(view)
    with pytest.raises(
        DataError, match="new members have 2 values per step where the fitted ones have 3"
    ):
        NearestRisk().fit(view).compare([np.ones((4, 2))])
    with pytest.raises(DataError, match="NearestRisk: member 0 has a vector of zeros"):
        NearestRisk(metric="cosine").fit([np.zeros((2, 2)), np.ones((3, 2))])

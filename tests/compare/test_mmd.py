"""Maximum mean discrepancies against loops over vectors, and what they must hold to."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.oracles import mmd as slow

import coterie.compare.mmd as module
import coterie.parts.random_features as features
from coterie import Ragged
from coterie.compare import MMD
from coterie.compare import Gaussian as GaussianRows
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.testing import promises


def bags(seed: int = 0, n: int = 9, least: int = 1, most: int = 9, d: int = 3) -> Ragged:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(least, most + 1, size=n)
    return Ragged.of(
        [rng.normal(size=(size, d)) + i % 3 for i, size in enumerate(sizes)], ordered=False
    )


@pytest.mark.parametrize("estimate", ["biased", "unbiased"])
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_equals_the_loop_over_vectors(kernel, estimate, monkeypatch):
    view = bags(least=2)
    monkeypatch.setattr(module, "_TILE", (8, 16))
    fitted = MMD(kernel=kernel, estimate=estimate, distance="plain").fit(view)
    pair = partial(getattr(slow, kernel), width=fitted.kernel_.width)
    expected = [
        [max(slow.squared(x, y, pair, estimate == "unbiased"), 0.0) for y in view] for x in view
    ]
    off = ~np.eye(len(view), dtype=bool)
    np.testing.assert_allclose(fitted.affinity_.values[off], np.array(expected)[off], atol=1e-14)
    assert (np.diagonal(fitted.affinity_.values) == 0).all()
    root = MMD(kernel=kernel, estimate=estimate).fit(view).affinity_.values
    np.testing.assert_allclose(root**2, fitted.affinity_.values, atol=1e-14)
    if kernel == "gaussian":
        assert fitted.kernel_.width == pytest.approx(slow.median_width(view.values), rel=1e-12)


def test_linear_kernel_is_the_distance_of_means_even_far_from_the_origin():
    view = bags(1)
    for shift in (0.0, 1e6):
        moved = view.with_values(view.values + shift)
        means = np.array([one.mean(axis=0) for one in moved])
        expected = np.linalg.norm(means[:, None] - means, axis=2)
        fitted = MMD(kernel="linear").fit(moved)
        np.testing.assert_allclose(fitted.affinity_.values, expected, atol=1e-7)
        np.testing.assert_allclose(fitted.transform(moved), expected, atol=1e-7)


def test_a_function_named_as_a_kernel_is_not_taken_for_it():
    def linear(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.asarray((1 + x @ y.T) ** 2)

    view = bags(2)
    same = MMD(kernel="polynomial", width=1.0).fit_transform(view)
    np.testing.assert_allclose(MMD(kernel=linear).fit_transform(view), same, atol=1e-7)
    assert np.abs(same - MMD(kernel="linear").fit_transform(view)).max() > 0.1
    with pytest.raises(ParameterError, match="features need kernel 'gaussian' or 'laplacian'"):
        MMD(kernel=linear, features=5).fit(view)


def test_a_comparer_of_tables_is_a_kernel():
    view = bags(3)
    found = MMD(kernel=GaussianRows(width=0.7)).fit_transform(view)
    np.testing.assert_allclose(found, MMD(width=0.7 * np.sqrt(2)).fit_transform(view), atol=1e-7)


def test_twin_sets_are_at_zero_and_order_inside_a_set_does_not_matter():
    view = bags(4, least=3)
    twins = Ragged.of([*view, view[4][::-1], view[4]], ordered=False)
    found = MMD().fit(twins).affinity_.values
    assert found[4, 9] == found[4, 10] == found[9, 10] == 0.0
    np.testing.assert_allclose(found[4], found[10], atol=1e-12)
    doubled = Ragged.of([*view, np.concatenate([view[4], view[4]])], ordered=False)
    assert MMD().fit(doubled).affinity_.values[4, 9] == 0.0  # the same law, twice as many vectors
    assert np.array_equal(
        MMD().fit_transform(view),
        MMD().fit_transform(Ragged(view.values, view.offsets, ordered=True)),
    )


def test_it_is_a_metric_and_sees_what_means_and_covariances_do_not():
    rng = np.random.default_rng(5)
    found = MMD().fit(bags(6, n=12)).affinity_.values
    detours = found[:, :, None] + found[None]
    assert (found <= detours.min(axis=1) + 1e-12).all()
    flat = [rng.uniform(-np.sqrt(3), np.sqrt(3), size=(400, 1)) for _ in range(3)]
    two = [np.resize([-1.0, 1.0], (size, 1)) for size in (400, 300, 200)]
    seen = MMD().fit([*flat, *two]).affinity_.values
    assert seen[:3, 3:].min() > 2 * max(seen[:3, :3].max(), seen[3:, 3:].max())


def test_single_vectors_work_and_the_unbiased_estimate_refuses_them():
    rows = np.random.default_rng(7).normal(size=(5, 2))
    found = MMD(width=1.0).fit([row[None] for row in rows]).affinity_.values
    squares = ((rows[:, None] - rows) ** 2).sum(axis=2)
    np.testing.assert_allclose(found, np.sqrt(2 - 2 * np.exp(-squares)), atol=1e-7)
    assert MMD(width=1.0).fit([rows]).affinity_.values.tolist() == [[0.0]]
    with pytest.raises(
        DataError, match="member 1 has one vector, and the unbiased estimate needs two"
    ):
        MMD(estimate="unbiased").fit([rows, rows[:1]])
    with pytest.raises(DataError, match="new member 0 has one vector"):
        MMD(estimate="unbiased").fit([rows, rows[1:]]).compare([rows[:1]])


def test_unbiased_discrepancies_of_one_law_are_zero_on_average_and_biased_ones_are_not():
    rng = np.random.default_rng(8)
    pairs = rng.normal(size=(100, 2, 6, 2))
    biased, unbiased = (
        [slow.squared(x, y, partial(slow.gaussian, width=1.5), flag) for x, y in pairs]
        for flag in (False, True)
    )
    for name, expected in (("biased", biased), ("unbiased", unbiased)):
        comparer = MMD(width=1.5, estimate=name, distance="plain")
        found = [comparer.fit([x, y]).affinity_.values[0, 1] for x, y in pairs]
        np.testing.assert_allclose(found, np.maximum(expected, 0), atol=1e-13)
    assert min(unbiased) < -0.01
    assert np.mean(biased) > 0.1
    assert abs(np.mean(unbiased)) < 0.02


@pytest.mark.parametrize("estimate", ["biased", "unbiased"])
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_random_features_come_near_the_exact_values(kernel, estimate, monkeypatch):
    view = bags(9, n=12, least=4, most=20)
    monkeypatch.setattr(features, "_CELLS", 2**14)
    monkeypatch.setattr(features, "_VECTORS", 32)
    exact = MMD(kernel=kernel, estimate=estimate).fit_transform(view)
    gaps = []
    for count in (50, 5000):
        found = [
            MMD(kernel=kernel, estimate=estimate, features=count, random_state=s).fit_transform(
                view
            )
            for s in range(4)
        ]
        gaps.append(float(np.mean([np.abs(one - exact).mean() for one in found])))
    assert gaps[1] < 0.2 * gaps[0]
    assert gaps[1] < 0.02 * exact.mean() + 0.01
    fitted = MMD(kernel=kernel, estimate=estimate, features=40, random_state=0).fit(view)
    np.testing.assert_allclose(fitted.transform(view[3:5]), fitted.affinity_.values[3:5], atol=1e-7)


def test_random_features_follow_the_seed_and_refuse_other_kernels():
    view = bags(10)
    one, same, other = (MMD(features=20, random_state=s).fit_transform(view) for s in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    for kernel in ("linear", GaussianRows()):
        with pytest.raises(ParameterError, match="leave features out"):
            MMD(kernel=kernel, features=20).fit(view)


def test_new_sets_are_compared_with_the_fitted_width():
    view = bags(11)
    fitted = MMD().fit(view[:6])
    found = fitted.compare(view[6:])
    pair = partial(slow.gaussian, width=fitted.kernel_.width)
    expected = [[np.sqrt(max(slow.squared(x, y, pair), 0)) for y in view[:6]] for x in view[6:]]
    np.testing.assert_allclose(found.values, expected, atol=1e-7)
    assert not found.square
    with pytest.raises(DataError, match="4 values per step where the fitted ones have 3"):
        fitted.compare([np.ones((2, 4))])
    with pytest.raises(DataError, match="new member 1 has a missing value"):
        fitted.compare([np.ones((2, 3)), np.full((2, 3), [1, np.nan, 1])])


def test_any_number_of_workers_gives_the_same_bits():
    view = bags(12, n=150, most=40)
    found = []
    for workers in (1, 2):
        with using(n_jobs=workers):
            found.append(MMD().fit_transform(view).tobytes())
    assert found[0] == found[1]


def test_what_cannot_be_is_refused():
    view = bags(13)
    for wrong, sentence in (
        (MMD(kernel="rbf"), "kernel must be"),
        (MMD(width=0), "width"),
        (MMD(features=2.5), "features"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            wrong.fit(view)
    with pytest.raises(DataError, match="MMD: all vectors of all members are identical"):
        MMD().fit([np.ones((3, 2)), np.ones((2, 2))])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("estimate", ["biased", "unbiased"])
def test_kernels_too_large_for_a_number_are_refused_by_member(estimate):
    rng = np.random.default_rng(14)
    large = [
        rng.normal(size=(4, 2)),
        rng.normal(size=(3, 2)) * 1e90,
        rng.normal(size=(2, 2)) * 1e95,
    ]
    comparer = MMD(kernel="polynomial", width=1.0, estimate=estimate)
    for sets in (
        large,
        [large[0], np.full((200, 1), 0.9) ** 0.5 * [[1e75, 1e75]]],
    ):  # one value, or the sum of all
        with pytest.raises(
            DataError,
            match="MMD: the kernel of the vectors of member 1 is too large for a number; scale",
        ):
            comparer.fit(sets)
    with pytest.raises(DataError, match="of new member 1 is too large"):
        comparer.fit([large[0], large[0] + 1]).compare(large)
    assert np.isfinite(MMD(kernel="polynomial", estimate=estimate).fit_transform(large)).all()
    assert np.isfinite(
        MMD(kernel="linear", estimate=estimate).fit_transform([one * 1e4 for one in large])
    ).all()


def test_a_width_beside_a_kernel_that_has_none_is_refused():
    view = bags(15)
    for kernel in ("linear", GaussianRows(), lambda x, y: x @ y.T):
        with pytest.raises(
            ParameterError,
            match=r"MMD: width = 2.0 .*(leave it out|write kernel=Gaussian\(width=...\))",
        ):
            MMD(kernel=kernel, width=2.0).fit(view)


CASES = (MMD(), MMD(features=64, estimate="unbiased"), MMD(kernel=GaussianRows(), distance="plain"))


@pytest.mark.parametrize(
    "promise", [promise for case in CASES for promise in promises(case)], ids=str
)
def test_promise(promise):
    promise()

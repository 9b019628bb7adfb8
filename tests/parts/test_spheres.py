"""Enclosing balls: all inside, few outside, primal and dual, a general solver, two balls in one, packing against all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.spheres import around, dual, packed

from coterie import Ragged
from coterie.core.errors import DataError, NotConverged
from coterie.core.workplace import using
from coterie.parts.row_kernels import RowKernel
from coterie.parts.spheres import Softness, balls_of, center_products, center_weights, pack

GAUSSIAN = RowKernel("gaussian", 1.5)
LINEAR = RowKernel("linear")


def clouds(n, seed, low=3, high=40, dim=2):
    generator = np.random.default_rng(seed)
    sizes = generator.integers(low, high, size=n)
    return Ragged.of(
        [generator.normal(size=(m, dim)) + 2 * generator.normal(size=dim) for m in sizes],
        ordered=False,
    )


def away(sets, balls, kernel, i):
    """Squared distances of the vectors of set i from the center of its ball."""
    points = balls.support[i]
    weights = balls.weights[i][:, 0]
    inner = kernel.block(sets[i], points) @ weights
    return kernel.diagonal(sets[i]) - 2 * inner + weights @ kernel.block(points, points) @ weights


@pytest.mark.parametrize("kernel", [GAUSSIAN, LINEAR])
def test_a_hard_ball_holds_all_vectors(kernel):
    sets = clouds(12, 0)
    balls = balls_of(sets, kernel, Softness(0.0), "Test")
    for i in range(len(sets)):
        gaps = away(sets, balls, kernel, i)
        size = max(1.0, gaps.max())
        assert gaps.max() <= balls.radii[i] ** 2 + 2e-6 * size
        assert gaps.max() >= balls.radii[i] ** 2 - 2e-6 * size  # and none larger than it must be
        assert balls.weights[i].sum() == pytest.approx(1.0, abs=1e-12)
        assert (balls.weights[i] > 0).all()
    assert balls.outside.sum() == 0


@pytest.mark.parametrize("nu", [0.05, 0.1, 0.3, 0.7])
def test_a_soft_ball_leaves_few_outside(nu):
    sets = clouds(10, 1, low=5, high=60)
    balls = balls_of(sets, GAUSSIAN, Softness(nu), "Test")
    for i in range(len(sets)):
        n = len(sets[i])
        assert balls.outside[i] <= nu * n + 1e-9
        assert balls.outside[i] == np.sum(
            away(sets, balls, GAUSSIAN, i) > balls.radii[i] ** 2 + 1e-5
        )
        assert len(balls.support[i]) >= nu * n - 1e-9  # a multiplier is at most 1 / (nu n)
    assert balls.outside.sum() > 0 or nu < 0.3


@pytest.mark.parametrize("nu", [0.0, 0.1, 0.4])
def test_primal_is_dual(nu):
    sets = clouds(8, 2)
    balls = balls_of(sets, GAUSSIAN, Softness(nu), "Test")
    bounds = Softness(nu).bounds(sets.lengths)
    for i in range(len(sets)):
        gaps = away(sets, balls, GAUSSIAN, i)
        square = balls.radii[i] ** 2
        points = balls.support[i]
        weights = balls.weights[i][:, 0]
        best = (
            weights @ GAUSSIAN.diagonal(points) - weights @ GAUSSIAN.block(points, points) @ weights
        )
        primal = (
            gaps.max()
            if bounds[i] >= 1
            else square + bounds[i] * np.maximum(gaps - square, 0).sum()
        )
        assert primal == pytest.approx(best, abs=2e-6)


@pytest.mark.parametrize("kernel", [GAUSSIAN, LINEAR])
@pytest.mark.parametrize("bound", [1.0, 0.4, 0.15])
def test_the_exchange_finds_what_a_general_solver_finds(kernel, bound):
    sets = clouds(5, 3, low=8, high=14)
    balls = balls_of(sets, kernel, Softness(C=bound), "Test")
    for i in range(len(sets)):
        gram = kernel.block(sets[i], sets[i])
        weights, best = dual(gram, max(bound, 1 / len(gram)))
        own = balls.weights[i][:, 0]
        inner = kernel.block(balls.support[i], balls.support[i])
        assert own @ np.diagonal(inner) - own @ inner @ own == pytest.approx(
            best, abs=3e-6 * max(1, abs(best))
        )
        center = own @ balls.support[i]
        other = weights @ sets[i]
        if kernel is LINEAR:
            np.testing.assert_allclose(center, other, atol=5e-3)
            assert balls.norms[i] == pytest.approx(center @ center)


def test_the_ball_of_a_square_and_of_a_line():
    square = Ragged.of(
        [np.array([[0.0, 0], [2, 0], [0, 2], [2, 2], [1, 1]]), np.array([[0.0, 0], [6, 8], [3, 4]])]
    )
    balls = balls_of(square, LINEAR, Softness(0.0), "Test")
    np.testing.assert_allclose(balls.radii, [np.sqrt(2), 5.0], atol=1e-6)
    for i, center in enumerate([[1, 1], [3, 4]]):
        np.testing.assert_allclose(balls.weights[i][:, 0] @ balls.support[i], center, atol=1e-4)


def test_one_vector_equal_vectors_and_every_vector_at_its_bound():
    sets = Ragged.of(
        [np.array([[1.0, 2.0]]), np.full((5, 2), 3.0), np.array([[0.0, 0.0], [0.0, 2.0]])]
    )
    balls = balls_of(sets, GAUSSIAN, Softness(0.1), "Test")
    np.testing.assert_allclose(balls.radii[:2], 0.0, atol=1e-7)
    assert balls.support[0].tolist() == [[1.0, 2.0]]
    all_at_bound = balls_of(clouds(3, 5), LINEAR, Softness(1.0), "Test")
    assert np.isfinite(all_at_bound.radii).all()
    assert (all_at_bound.radii > 0).all()
    for i, rows in enumerate(clouds(3, 5)):
        np.testing.assert_allclose(
            all_at_bound.weights[i][:, 0] @ all_at_bound.support[i], rows.mean(axis=0), atol=1e-12
        )


def test_bounds_stay_between_one_over_n_and_one():
    sizes = np.array([1, 5, 20, 100])
    np.testing.assert_allclose(Softness(0.1).bounds(sizes), [1.0, 1.0, 0.5, 0.1])
    np.testing.assert_allclose(Softness(0.0).bounds(sizes), 1.0)
    np.testing.assert_allclose(Softness(C=0.05).bounds(sizes), [1.0, 0.2, 0.05, 0.05])
    assert Softness(C=0.05).raised(sizes) == 2
    assert Softness(0.1).raised(sizes) == 0


def test_who_does_not_settle_is_named_and_nonsense_refused():
    with pytest.warns(NotConverged, match="sets 0, 1, 2 did not settle in 1 steps"):
        found = balls_of(clouds(3, 6, low=20), GAUSSIAN, Softness(0.1), "Test", max_iter=1)
    assert found.unsettled.tolist() == [0, 1, 2]
    assert found.take(np.array([2, 0])).unsettled.tolist() == [0, 1]
    with pytest.raises(DataError, match="member 1 is too large for a number"):
        balls_of(
            Ragged.of([np.ones((2, 2)), np.full((3, 2), 1e200)]),
            RowKernel("polynomial"),
            Softness(),
            "Test",
        )


def test_products_of_centers():
    sets = clouds(30, 7)
    others = clouds(5, 8)
    balls, new = (balls_of(s, LINEAR, Softness(0.2), "Test") for s in (sets, others))
    centers, further = (
        np.array([b.weights[i][:, 0] @ b.support[i] for i in range(len(b))]) for b in (balls, new)
    )
    np.testing.assert_allclose(center_products(balls, LINEAR), centers @ centers.T, atol=1e-10)
    np.testing.assert_allclose(center_products(new, LINEAR, balls), further @ centers.T, atol=1e-10)
    with using(n_jobs=2):
        two = center_products(balls, GAUSSIAN)
    with using(n_jobs=1):
        np.testing.assert_array_equal(center_products(balls, GAUSSIAN), two)
    np.testing.assert_allclose(np.diagonal(center_products(balls, LINEAR)), balls.norms, atol=1e-10)


def test_a_pack_covers_both_balls():
    generator = np.random.default_rng(9)
    for _ in range(50):
        centers = generator.normal(size=(2, 3))
        radii = generator.exponential(size=2)
        found = pack(centers @ centers.T, radii)
        center = center_weights(found, 1)[:, 0] @ centers
        radius = found.merges[0, 2]
        for c, r in zip(centers, radii, strict=True):
            assert np.linalg.norm(center - c) + r <= radius + 1e-9
        wanted, size = around(centers[0], radii[0], centers[1], radii[1])
        np.testing.assert_allclose(center, wanted, atol=1e-9)
        assert radius == pytest.approx(size, abs=1e-12)


@pytest.mark.parametrize(("radii", "keeps"), [((1.0, 0.2), 0), ((0.2, 1.0), 1)])
def test_a_ball_inside_another_changes_nothing(radii, keeps):
    centers = np.array(
        [[0.0, 0.0], [0.1, 0.0]]
    )  # the plain formula would give 0.65, smaller than one of the two
    found = pack(centers @ centers.T, np.array(radii))
    assert found.merges[0, 2] == 1.0
    np.testing.assert_array_equal(center_weights(found, 1)[:, 0], [1.0 - keeps, float(keeps)])


def test_balls_in_one_place():
    found = pack(np.full((3, 3), 2.0), np.array([0.5, 0.5, 0.2]))
    np.testing.assert_array_equal(found.merges[:, 2], 0.5)


@pytest.mark.parametrize("labels", [None, [0, -1, 1, -1, -1, 2, *[-1] * 19]])
@pytest.mark.parametrize("seed", range(4))
def test_packing_as_all_pairs_would_do_it(seed, labels):
    generator = np.random.default_rng(seed)
    centers = generator.normal(size=(25, 3))
    radii = generator.exponential(size=25) * (seed % 2)
    kinds = None if labels is None else np.array(labels)
    found = pack(centers @ centers.T, radii, kinds)
    for k in (3, 6, 12):
        slow, heights = packed(centers, radii, k, labels)
        np.testing.assert_allclose(found.merges[: 25 - k, 2], heights, atol=1e-9)
        weights = center_weights(found, k)
        assert {frozenset(np.flatnonzero(_groups(found.merges, k) == g)) for g in range(k)} == {
            g for g, _, _ in slow
        }
        for members, center, _ in slow:
            column = _groups(found.merges, k)[min(members)]
            np.testing.assert_allclose(weights[:, column] @ centers, center, atol=1e-7)
    assert (np.diff(found.merges[:, 2]) >= 0).all()
    assert found.allowed == (24 if labels is None else 22)
    assert found.merges[-1, 3] == 25


def _groups(merges, k):
    from coterie.core.partition import Hierarchy

    return Hierarchy(merges).cut(k).labels

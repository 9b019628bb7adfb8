"""The relations that pair-wise cluster analysis must keep (specification, section 10, relations 1 to 12)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.oracles import views as slow

from coterie.core.errors import DataError
from coterie.core.views import Views
from coterie.parts.mates import both_ways, mate_ranks
from coterie.represent import CCA, PWCA

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def rows_of(n=24, widths=(30, 40, 50, 35), count=3, seed=0):
    random = np.random.default_rng(seed)
    common = random.normal(size=(n, 3))
    return {
        f"v{at}": np.hstack([common, random.normal(size=(n, widths[at]))]) for at in range(count)
    }


def kernels_of(views, **how):
    return [slow.prepared(rows @ rows.T, **how) for rows in views.values()]


def same_space(one, other, atol=1e-6):
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=atol)


@pytest.mark.parametrize("tau", [0.001, 0.1, 1.0])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_1_the_small_problem_is_the_large_one(count, tau):
    views = rows_of(count=count)
    kernels = kernels_of(views)
    n = 24
    values, vectors = slow.large(kernels, tau)
    zeros = n * (count - 1)
    assert (np.abs(values[:zeros]) < 1e-8).all()
    assert values[zeros] > 1e-6
    fitted = PWCA(n_components=5, tau=tau, scale="unit").fit(views)
    np.testing.assert_allclose(fitted.energies_, values[zeros : zeros + 5], rtol=1e-8)
    for at, kernel in enumerate(kernels):
        scores = (kernel + tau * np.eye(n)) @ vectors[at * n : (at + 1) * n, zeros : zeros + 5]
        same_space(fitted.factors_, scores / np.linalg.norm(scores, axis=0))


@pytest.mark.parametrize("count", [2, 3])
def test_2_consensus_and_energies_keep_their_bounds(count):
    views = rows_of(count=count)
    for tau in (0.01, 0.5, 20.0):
        fitted = PWCA(n_components="all", tau=tau).fit(views)
        top = max(np.linalg.eigvalsh(kernel).max() for kernel in kernels_of(views))
        np.testing.assert_allclose(fitted.consensus_, 1 - tau * fitted.energies_ / count, atol=1e-9)
        assert ((fitted.consensus_ > 0) & (fitted.consensus_ <= 1)).all()
        assert (fitted.energies_ >= count / (top + tau) * (1 - 1e-9)).all()
        assert (fitted.energies_ <= count / tau * (1 + 1e-9)).all()
        assert (np.diff(fitted.energies_) >= -1e-9).all()


def test_3_scores_are_orthonormal_and_weights_solve_their_equations():
    views = rows_of()
    tau = 0.3
    fitted = PWCA(n_components=6, tau=tau, scale="unit").fit(views)
    e = fitted.factors_
    np.testing.assert_allclose(e.T @ e, np.eye(6), atol=1e-10)
    for kernel, dual in zip(kernels_of(views), fitted.duals_.values(), strict=True):
        np.testing.assert_allclose(dual, np.linalg.solve(kernel + tau * np.eye(24), e), atol=1e-9)
        np.testing.assert_allclose(kernel @ dual, e - tau * dual, atol=1e-9)
    np.testing.assert_allclose(sum(fitted.duals_.values()), e * fitted.energies_, atol=1e-9)
    same_space(e, np.linalg.eigh(slow.parallel_sum(kernels_of(views), tau))[1][:, ::-1][:, :6])


@pytest.mark.parametrize("tau", [0.05, 2.0])
def test_3_ridge_meaning_of_the_energy(tau):
    views = rows_of(count=2)
    fitted = PWCA(n_components=3, tau=tau, scale="unit").fit(views)
    cost = np.zeros(3)
    for rows in views.values():
        x = rows - rows.mean(axis=0)
        x /= np.sqrt(np.square(x).sum() / len(x))
        w = np.linalg.solve(x.T @ x + tau * np.eye(x.shape[1]), x.T @ fitted.factors_)
        cost += np.sum(w**2, axis=0) + np.sum((fitted.factors_ - x @ w) ** 2, axis=0) / tau
    np.testing.assert_allclose(cost, fitted.energies_, rtol=1e-9)


def test_4_stacked_factors_are_the_eigenvector_route_and_weights_are_those_of_the_columns():
    views = {name: rows[:, :12] for name, rows in rows_of(n=40).items()}
    dense, thin = (PWCA(n_components=5, tau=0.4, rank=rank).fit(views) for rank in (None, 12))
    np.testing.assert_allclose(thin.energies_, dense.energies_, rtol=1e-8)
    np.testing.assert_allclose(thin.factors_, dense.factors_, atol=1e-7)
    for name, rows in views.items():
        x = rows - rows.mean(axis=0)
        wanted = x.T @ dense.duals_[name] / (np.square(x).sum() / len(x))
        np.testing.assert_allclose(dense.weights(name), wanted, atol=1e-10)
        np.testing.assert_allclose(thin.weights(name), wanted, atol=1e-6)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("given", ["rows", "kernels"])
def test_5_fitted_members_are_placed_where_they_were_fitted(given, center):
    views = {name: rows + 0.5 for name, rows in rows_of().items()}
    data = views if given == "rows" else {name: rows @ rows.T for name, rows in views.items()}
    fitted = PWCA(
        n_components=5, center=center, kernel="linear" if given == "rows" else "precomputed"
    ).fit(data)
    for (name, kernel), rows in zip(
        zip(views, kernels_of(views, center=center), strict=True), data.values(), strict=True
    ):
        inside = kernel @ fitted.duals_[name]
        np.testing.assert_allclose(fitted.transform_view(name, rows), inside, atol=1e-10)
        np.testing.assert_allclose(
            inside, fitted.factors_ - fitted.tau_ * fitted.duals_[name], atol=1e-9
        )
    np.testing.assert_allclose(
        fitted.transform(data), fitted.factors_ * fitted.consensus_, atol=1e-9
    )
    np.testing.assert_allclose(fitted.common, fitted.transform(data), atol=1e-9)


def test_6_invariances():
    views = rows_of(count=2)
    base = PWCA(n_components=4).fit(views)
    order = np.random.default_rng(0).permutation(24)
    moved = PWCA(n_components=4).fit({name: rows[order] for name, rows in views.items()})
    np.testing.assert_allclose(moved.factors_, base.factors_[order], atol=1e-8)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(33, 33)))[0]
    turned = PWCA(n_components=4).fit({"v0": views["v0"] @ turn, "v1": views["v1"]})
    np.testing.assert_allclose(turned.factors_, base.factors_, atol=1e-8)
    swapped = PWCA(n_components=4).fit({"v1": views["v1"], "v0": views["v0"]})
    np.testing.assert_allclose(swapped.factors_, base.factors_, atol=1e-8)
    larger = {"v0": 10.0 * views["v0"], "v1": views["v1"]}
    np.testing.assert_allclose(PWCA(n_components=4).fit(larger).factors_, base.factors_, atol=1e-8)
    plain, unlike = (
        PWCA(n_components=4, scale_kernels=False).fit(data).factors_ for data in (views, larger)
    )
    assert np.abs(plain - unlike).max() > 1e-3


@pytest.mark.parametrize("count", [2, 3])
def test_7_copies_of_one_view_give_its_principal_components(count):
    rows = rows_of()["v0"]
    tau = 0.4
    fitted = PWCA(n_components=4, tau=tau, scale="unit").fit(
        {f"copy {at}": rows for at in range(count)}
    )
    values, vectors = np.linalg.eigh(slow.prepared(rows @ rows.T))
    np.testing.assert_allclose(fitted.energies_, count / (values[::-1][:4] + tau), rtol=1e-9)
    np.testing.assert_allclose(
        np.abs(np.sum(fitted.factors_ * vectors[:, ::-1][:, :4], axis=0)), 1.0, atol=1e-8
    )


def test_8_much_regularization_gives_the_components_of_the_sum_and_little_gives_canonical_correlations():
    views = rows_of()
    fitted = PWCA(n_components=3, tau=1e6, scale="unit").fit(views)
    same_space(
        fitted.factors_, np.linalg.eigh(sum(kernels_of(views)))[1][:, ::-1][:, :3], atol=1e-4
    )
    low = {
        name: rows[:, :5] + 0.3 * np.random.default_rng(7 + at).normal(size=(24, 5))
        for at, (name, rows) in enumerate(rows_of(count=2).items())
    }
    wanted = slow.canonical(*low.values())
    little = PWCA(n_components=5, tau=1e-6).fit(low)
    np.testing.assert_allclose(2 * little.consensus_, 1 + wanted, atol=1e-4)
    np.testing.assert_allclose(
        CCA(n_components=5, kappa=0.0).fit(low).correlations_, wanted, atol=1e-8
    )


def test_8_without_regularization_the_parallel_sum_of_the_kernels():
    views = rows_of(count=2)
    kernels = kernels_of(views, center=False)
    fitted = PWCA(n_components=4, tau=0.0, center=False, scale="unit").fit(views)
    values, vectors = np.linalg.eigh(slow.parallel_sum(kernels, 0.0))
    np.testing.assert_allclose(1 / fitted.energies_, values[::-1][:4], rtol=1e-8)
    same_space(fitted.factors_, vectors[:, ::-1][:, :4])
    for name, rows in views.items():  # K a = e in every view, exactly
        np.testing.assert_allclose(fitted.transform_view(name, rows), fitted.factors_, atol=1e-8)
    chance = PWCA(tau=0.0, center=False).fit(views)
    assert 1 <= chance.n_features_out_ < 24
    with pytest.raises(
        DataError, match=r"cannot be solved with tau = 0: its kernel is singular.*take tau = 0.001"
    ):
        PWCA(tau=0.0).fit(views)
    with pytest.raises(DataError, match="cannot be solved with tau = 0"):
        PWCA(tau=0.0, center=False).fit({name: rows[:, :10] for name, rows in views.items()})


def test_9_shuffled_rows_share_less_and_find_no_mates():
    _, views = slow.views_of_clusters(500)
    train, test = (
        {name: rows[part] for name, rows in views.items()}
        for part in (slice(0, 300), slice(300, None))
    )
    fitted = PWCA(n_components=10, tau=0.3).fit({name: train[name] for name in ("v0", "v1")})
    order = np.random.default_rng(0).permutation(300)
    lost = PWCA(n_components=10, tau=0.3).fit({"v0": train["v0"], "v1": train["v1"][order]})
    assert fitted.consensus_[0] > 0.95
    assert lost.consensus_[0] < fitted.consensus_[0] - 0.1
    mates = [model.transform_view("v0", test["v0"]) for model in (fitted, lost)]
    others = [model.transform_view("v1", test["v1"]) for model in (fitted, lost)]
    found, gone = (mate_ranks(one, other) for one, other in zip(mates, others, strict=True))
    assert found.average_precision > 0.4
    assert gone.chance / 2 < gone.average_precision < 2 * gone.chance


def test_10_all_components_with_energy_need_no_eigenvectors():
    for count in (2, 3):
        views = rows_of(count=count)
        fitted = PWCA(n_components="all", tau=0.7).fit(views)
        tau = 0.7
        new = [
            np.random.default_rng(at).normal(size=(6, rows.shape[1]))
            for at, rows in enumerate(views.values())
        ]
        raw = [rows @ rows.T for rows in views.values()]
        placed = [
            slow.new_rows(x @ rows.T, kernel)
            for x, rows, kernel in zip(new, views.values(), raw, strict=True)
        ]
        inverses = [np.linalg.inv(kernel + tau * np.eye(24)) for kernel in kernels_of(views)]
        wanted = placed[0] @ inverses[0] @ np.linalg.solve(sum(inverses), inverses[1] @ placed[1].T)
        np.testing.assert_allclose(
            fitted.similarity("v0", new[0], "v1", new[1], "signed"), wanted, atol=1e-9
        )
        if count == 2:
            both = sum(kernels_of(views)) + 2 * tau * np.eye(24)
            np.testing.assert_allclose(
                placed[0] @ np.linalg.solve(both, placed[1].T), wanted, atol=1e-9
            )


def test_11_clusters_by_k_means_are_found_and_by_the_largest_component_are_not():
    group, views = slow.views_of_clusters(300, seed=1)
    for tau in (0.1, 1.0):
        fitted = PWCA(n_components=10, tau=tau).fit(views)
        found = {
            method: fitted.assign(views, 8, method)["v0"]
            for method in ("kmeans", "varimax", "argmax")
        }
        value = {method: adjusted_rand_score(group, labels) for method, labels in found.items()}
        assert value["kmeans"] >= 0.85
        assert value["argmax"] < value["varimax"] < value["kmeans"]


def test_12_energy_finds_more_mates_than_unit_and_a_third_view_does_not_harm():
    _, views = slow.views_of_clusters(900)
    train, test = (
        {name: rows[part] for name, rows in views.items()}
        for part in (slice(0, 300), slice(300, None))
    )

    def found(names, scale):
        fitted = PWCA(n_components=10, tau=0.1, scale=scale).fit(
            {name: train[name] for name in names}
        )
        return both_ways([fitted.transform_view(name, test[name]) for name in ("v0", "v1")])

    two = found(("v0", "v1"), "energy")
    three = found(("v0", "v1", "v2"), "energy")
    assert two >= found(("v0", "v1"), "unit") + 0.05
    assert three >= two - 0.02


@pytest.mark.parametrize("rank", [None, 20])
def test_members_that_a_view_lacks_count_by_the_views_they_are_in(rank):
    views = {name: rows[:, :20] for name, rows in rows_of(n=40).items()}
    seen = {name: np.arange(40) % (at + 4) != at + 1 for at, name in enumerate(views)}
    fitted = PWCA(n_components=4, tau=0.5, missing="mask", scale="unit", rank=rank).fit(
        Views(Views.of(views).tables, seen)
    )
    rows = [np.flatnonzero(mark) for mark in seen.values()]
    kernels = [
        slow.prepared(x[own] @ x[own].T) for x, own in zip(views.values(), rows, strict=True)
    ]
    values, vectors = slow.masked(kernels, rows, 40, 0.5)
    np.testing.assert_allclose(fitted.energies_, values[:4], rtol=1e-8)
    same_space(fitted.factors_, vectors[:, :4])
    np.testing.assert_allclose(
        fitted.transform(Views(Views.of(views).tables, seen)), fitted.common, atol=1e-6
    )
    np.testing.assert_allclose(sum(fitted.shares_.values()), 3 * fitted.consensus_, atol=1e-9)
    whole, plain = (
        PWCA(n_components=4, missing=how, rank=rank).fit(views) for how in ("mask", "drop")
    )
    np.testing.assert_allclose(whole.factors_, plain.factors_, atol=1e-9)

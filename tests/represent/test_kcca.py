"""KCCA and CCA: correlations against independent ones, weights, kappa chosen by mates, missing views, and bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import views as slow

from coterie.core.errors import DataError, ParameterError
from coterie.core.views import Views
from coterie.represent import CCA, KCCA


def shared(n=120, views=3, width=40):
    return slow.views_of_clusters(n, views=views, width=width, hidden=5, groups=4)[1]


@pytest.mark.parametrize(
    "method",
    [
        KCCA(n_components=6),
        KCCA(n_components=6, kernel="gaussian", ridge=True),
        CCA(n_components=6),
    ],
)
def test_fitted_members_are_placed_where_they_were_fitted(method):
    views = shared()
    fitted = method.fit(views)
    placed = [fitted.transform_view(name, rows) for name, rows in views.items()]
    np.testing.assert_allclose(np.mean(placed, axis=0), fitted.factors_, atol=1e-9)
    np.testing.assert_allclose(fitted.transform(views), fitted.common, atol=1e-9)


@pytest.mark.parametrize("count", [2, 3])
def test_kernels_solve_the_large_problem(count):
    views = shared(n=25, views=count)
    kappa = 0.4
    fitted = KCCA(n_components=4, kappa=kappa).fit(views)
    kernels = [slow.prepared(rows @ rows.T) for rows in views.values()]
    own = [(kernel + kappa * np.eye(25)) @ (kernel + kappa * np.eye(25)) for kernel in kernels]
    left = np.block(
        [
            [own[u] if u == v else kernels[u] @ kernels[v] for v in range(count)]
            for u in range(count)
        ]
    )
    right = np.zeros_like(left)
    for u in range(count):
        right[25 * u : 25 * u + 25, 25 * u : 25 * u + 25] = own[u]
    whole = sum(
        fitted.duals_[name].T @ block @ fitted.duals_[name]
        for name, block in zip(views, own, strict=True)
    )
    np.testing.assert_allclose(
        whole, count * np.eye(4), atol=1e-8
    )  # scale="unit": a' B a is one for each view on the mean
    weighted = KCCA(n_components=4, kappa=kappa, scale="correlation").fit(views)
    np.testing.assert_allclose(
        weighted.duals_["v1"], fitted.duals_["v1"] * fitted.correlations_, atol=1e-12
    )
    rho = np.sort(np.real(np.linalg.eigvals(np.linalg.solve(right, left))))[::-1][:4]
    np.testing.assert_allclose(1 + (count - 1) * fitted.correlations_, rho, atol=1e-8)


def test_classical_correlations_and_ridged_ones():
    views = {name: rows[:, :6] for name, rows in shared(views=2).items()}
    found = CCA(n_components=6, kappa=0.0).fit(views)
    np.testing.assert_allclose(found.correlations_, slow.canonical(*views.values()), atol=1e-9)
    one, other = (found.transform_view(name, rows) for name, rows in views.items())
    np.testing.assert_allclose(np.sum(one * other, axis=0), found.correlations_, atol=1e-9)
    np.testing.assert_allclose(one.T @ one, np.eye(6), atol=1e-8)
    plain = CCA(n_components=6, kappa=2.0, scale_kernels=False).fit(views)
    np.testing.assert_allclose(
        plain.correlations_, slow.ridged_canonical(*views.values(), 2.0), atol=1e-9
    )


@pytest.mark.parametrize("count", [3, "all"])
@pytest.mark.parametrize("rank", [None, 20])
def test_sparse_rows_are_never_filled_in(monkeypatch, rank, count):
    random = np.random.default_rng(0)
    views = {
        name: sp.random_array((60, 5000), density=0.01, rng=random, format="csr")
        for name in ("a", "b")
    }
    dense = {name: rows.toarray() for name, rows in views.items()}
    other = CCA(n_components=count, rank=rank).fit(dense)
    wanted = other.transform_view("a", dense["a"])
    for kind in (sp.csr_array, sp.csc_array):
        for name in ("toarray", "todense"):
            plain = getattr(kind, name)

            def watched(self, *args, plain=plain, **options):
                assert 5000 not in self.shape, "rows were filled in"
                return plain(self, *args, **options)

            monkeypatch.setattr(kind, name, watched)
    with pytest.raises(AssertionError, match="filled in"):
        views["a"].toarray()
    one = CCA(n_components=count, rank=rank).fit(views)
    np.testing.assert_allclose(one.correlations_, other.correlations_, atol=1e-9)
    np.testing.assert_allclose(one.transform_view("a", views["a"]), wanted, atol=1e-8)


def test_weights_of_columns_place_members():
    views = shared()
    for scale in ("unit", "correlation", "length"):
        fitted = KCCA(n_components=4, scale=scale).fit(views)
        rows = views["v1"] - views["v1"].mean(axis=0)
        np.testing.assert_allclose(
            rows @ fitted.weights("v1"), fitted.transform_view("v1", views["v1"]), atol=1e-9
        )
        variance = np.square(rows).sum() / len(rows)
        if scale == "length":
            np.testing.assert_allclose(
                np.sum(fitted.weights("v1") ** 2, axis=0) * variance, 1.0, atol=1e-9
            )
    with pytest.raises(ParameterError, match="linear kernel"):
        KCCA(kernel="gaussian", n_components=2).fit(views).weights("v1")


@pytest.mark.parametrize("method", [KCCA, CCA])
def test_kappa_is_chosen_by_mates_held_out(method):
    views = shared(n=160)
    fitted = method(n_components=6, kappa="held-out").fit(views)
    assert fitted.kappa_ == max(fitted.tried_, key=fitted.tried_.__getitem__)
    assert len(set(fitted.tried_.values())) > 1
    given = method(n_components=6, kappa=fitted.kappa_).fit(views)
    np.testing.assert_array_equal(given.factors_, fitted.factors_)
    assert given.tried_ == {}


@pytest.mark.parametrize("method", [KCCA, CCA])
def test_views_that_share_nothing_are_refused_and_strong_regularization_is_not(method):
    columns = np.linalg.qr(
        np.column_stack([np.ones(40), np.random.default_rng(0).normal(size=(40, 4))])
    )[0][:, 1:]
    with pytest.raises(
        DataError,
        match=f"{method.__name__}: the views have nothing in common that is above rounding",
    ):
        method(n_components=2).fit({"a": columns[:, :2], "b": columns[:, 2:]})
    views = shared(n=40)
    for kappa in (1e6, 1e14):
        fitted = method(n_components="all", kappa=kappa).fit(views)
        assert fitted.n_features_out_ == 39
        assert (np.linalg.norm(fitted.transform(views), axis=0) > 0).all()


def test_correlations_that_columns_alone_make_are_said():
    random = np.random.default_rng(0)
    views = {name: random.normal(size=(20, 12)) for name in ("a", "b")}
    with pytest.warns(
        UserWarning,
        match="12 and 12 independent columns, more together than 20 members allow, so that 5 of",
    ):
        found = CCA(kappa=0.0, n_components=12).fit(views)
    np.testing.assert_allclose(found.correlations_[:5], 1.0, atol=1e-12)
    assert found.correlations_[5] < 0.99
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CCA(kappa=0.0, n_components=9).fit({name: rows[:, :9] for name, rows in views.items()})
        CCA(kappa=0.1, n_components=12).fit(views)


def test_members_missing_in_a_view():
    views = shared()
    seen = {"v0": np.arange(120) % 2 == 0}
    with pytest.warns(UserWarning, match="KCCA: 60 of 120 members are not in every view"):
        fitted = KCCA(n_components=3).fit(Views(Views.of(views).tables, seen))
    assert fitted.factors_.shape == (60, 3)
    alone = fitted.transform({"v1": views["v1"]})
    np.testing.assert_array_equal(alone, fitted.transform_view("v1", views["v1"]))


def test_bad_input_is_one_sentence():
    views = shared(n=30)
    with pytest.raises(
        DataError,
        match=r"view 'v0' has as many independent columns as there are members.*give kappa above 0",
    ):
        CCA(kappa=0.0).fit(views)
    with pytest.raises(ParameterError, match="kappa must be above 0"):
        KCCA(kappa=0.0).fit(views)
    with pytest.raises(ParameterError, match="must be a whole number from 1, or 'all'"):
        KCCA(n_components="chance").fit(views)
    with pytest.warns(UserWarning, match="50 components were asked for, and there are 29"):
        assert KCCA().fit(views).n_features_out_ == 29
    with pytest.warns(UserWarning, match="kappa = 1e-10 is so small"):
        KCCA(kappa=1e-10, n_components=2).fit(views)

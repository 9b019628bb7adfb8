"""Members seen in one view: what is unknown of them, retrieval, clusters by view and their agreement, and wrong shapes."""

from __future__ import annotations

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import views as slow

from coterie.core.errors import DataError, ParameterError
from coterie.core.views import Views
from coterie.parts.mates import scores_between
from coterie.represent import PWCA


@pytest.fixture(scope="module")
def seen():
    group, views = slow.views_of_clusters(240, width=40, hidden=5, groups=4)
    return (
        group,
        views,
        PWCA(n_components=6, tau=0.3).fit({name: rows[:160] for name, rows in views.items()}),
    )


def counted(n=80, words=60, seed=0):
    """Two views of counts, and one more column in each that no fitted member has."""
    random = np.random.default_rng(seed)
    topics = random.dirichlet(np.full(words, 0.05), size=4)
    group = np.arange(n) % 4
    return {
        name: sp.csr_array(np.hstack([random.poisson(30 * topics[group]), np.zeros((n, 1))]))
        for name in ("en", "de")
    }


def test_any_view_alone_is_enough_and_several_are_averaged(seen):
    _, views, fitted = seen
    new = {name: rows[160:] for name, rows in views.items()}
    alone = {name: fitted.transform_view(name, rows) for name, rows in new.items()}
    np.testing.assert_array_equal(fitted.transform({"v1": new["v1"]}), alone["v1"])
    some = Views(
        Views.of({name: new[name] for name in ("v0", "v1")}).tables, {"v0": np.arange(80) % 2 == 0}
    )
    mixed = fitted.transform(some)
    np.testing.assert_allclose(mixed[1], alone["v1"][1], atol=1e-12)
    np.testing.assert_allclose(mixed[0], (alone["v0"][0] + alone["v1"][0]) / 2, atol=1e-12)
    with pytest.raises(DataError, match="member 3 is seen in no view"):
        fitted.transform(Views(Views.of({"v0": new["v0"]}).tables, {"v0": np.arange(80) != 3}))


def test_rows_of_which_nothing_is_known_are_said_and_ranked_last():
    views = counted()
    for kernel in ("linear", "precomputed"):
        data = (
            views
            if kernel == "linear"
            else {name: (rows @ rows.T).toarray() for name, rows in views.items()}
        )
        fitted = PWCA(n_components=3, kernel=kernel).fit(data)
        new = views["de"][:10].toarray()
        new[4] = 0.0
        new[7] = 0.0
        new[7, -1] = 5.0  # a word that no fitted member has
        rows = new if kernel == "linear" else new @ views["de"].toarray().T
        np.testing.assert_array_equal(np.flatnonzero(fitted.blank("de", rows)), [4, 7])
        with pytest.warns(
            UserWarning, match="2 of 10 rows of view 'de' hold nothing that was fitted, row 4 first"
        ):
            placed = fitted.transform_view("de", rows)
        assert np.abs(placed[4]).max() > 0  # the centered zero row, as the formula says
        np.testing.assert_allclose(placed[4], placed[7], atol=1e-12)
        queries = data["en"] if kernel == "linear" else data["en"][:3]
        found = fitted.similarity("en", queries, "de", rows)
        assert np.isneginf(found[:, [4, 7]]).all()
        assert np.isfinite(np.delete(found, [4, 7], axis=1)).all()
        order, scores = fitted.retrieve("en", queries, "de", rows, most=10)
        assert {*order[0, -2:]} == {4, 7}
        assert np.isneginf(scores[0, -2:]).all()
        assert np.isfinite(fitted.similarity("en", queries, "de", rows, "signed")).all()
        with pytest.warns(
            UserWarning,
            match="2 of 10 queries hold nothing that was fitted, query 4 first, and find nobody",
        ):
            order, scores = fitted.retrieve("de", rows, "en", queries, most=2)
        assert (order[[4, 7]] == -1).all()
        assert np.isneginf(scores[[4, 7]]).all()
        assert (np.delete(order, [4, 7], axis=0) >= 0).all()


def test_retrieval_is_the_order_of_similarity(seen):
    _, views, fitted = seen
    one = views["v0"][160:]
    other = views["v2"][160:]
    for measure in ("cosine", "abs", "signed"):
        whole = scores_between(
            fitted.transform_view("v0", one), fitted.transform_view("v2", other), measure
        )
        order, scores = fitted.retrieve("v0", one, "v2", other, most=7, measure=measure)
        np.testing.assert_array_equal(order, np.argsort(-whole, axis=1, kind="stable")[:, :7])
        np.testing.assert_allclose(scores, np.sort(whole, axis=1)[:, ::-1][:, :7], atol=1e-12)
    assert (
        np.mean(fitted.retrieve("v0", one, "v2", other, most=5)[0] == np.arange(80)[:, None]) * 5
        > 0.4
    )
    assert fitted.retrieve("v0", one, "v2", other[:3], most=9)[0].shape == (80, 3)
    for most in (0, 2.5):
        with pytest.raises(
            ParameterError, match=f"most must be a whole number of at least 1, and was {most}"
        ):
            fitted.retrieve("v0", one, "v2", other, most=most)


def test_clusters_of_each_view_and_their_agreement(seen):
    group, views, fitted = seen
    new = {name: rows[160:] for name, rows in views.items()}
    found = fitted.assign(new, 4)
    assert set(found) == set(views)
    for labels in found.values():
        together = labels[:, None] == labels
        assert np.mean(together == (group[160:, None] == group[160:])) > 0.95
    by_hand = np.mean((found["v0"] == found["v1"]) & (found["v1"] == found["v2"]))
    assert fitted.agreement(new, 4) == pytest.approx(by_hand)
    assert fitted.agreement(new, 4) > 0.9
    largest = fitted.assign(new, method="argmax")
    np.testing.assert_array_equal(
        largest["v1"], np.abs(fitted.transform_view("v1", new["v1"])).argmax(axis=1)
    )
    assert (
        len(np.unique(fitted.assign(new)["v0"])) > 4
    )  # left out: one more than there are components
    some = Views(Views.of(new).tables, {"v0": np.arange(80) < 20})
    assert (fitted.assign(some, 4)["v0"][20:] == -1).all()
    part = np.r_[
        (found["v0"] == found["v1"])[:20] & (found["v1"] == found["v2"])[:20],
        (found["v1"] == found["v2"])[20:],
    ]
    assert fitted.agreement(some, 4) == pytest.approx(part.mean())
    with pytest.raises(ParameterError, match="agreement needs members seen in at least two views"):
        fitted.agreement({"v0": new["v0"]}, 4)
    with pytest.raises(ParameterError, match="method must be one of kmeans, varimax, argmax"):
        fitted.assign(new, method="best")
    for count in (1, 2.5, "3", True):
        with pytest.raises(
            ParameterError,
            match=f"n_clusters must be a whole number of at least 2, and was {count!r}",
        ):
            fitted.assign(new, count)


def test_sparse_rows_are_kept_where_weights_of_columns_would_be_larger():
    """With all components, columns x components is larger than the rows themselves: they are kept, and nothing else changes."""
    random = np.random.default_rng(0)
    n = 100
    columns = 60_000
    views = {
        name: sp.random_array((n, columns), density=0.001, rng=random, format="csr")
        for name in ("en", "de")
    }
    new = sp.random_array((8, columns), density=0.001, rng=random, format="csr")
    tracemalloc.start()
    fitted = PWCA(n_components="all").fit(views)
    placed = fitted.transform_view("en", new)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8 * columns * n / 2
    few = PWCA(n_components=2).fit(views)
    assert few.places_["en"].weights.shape == (columns, 2)  # small, so that no row is kept
    np.testing.assert_allclose(placed[:, :2], few.transform_view("en", new), atol=1e-10)
    rows = new.toarray() - views["en"].mean(axis=0)
    np.testing.assert_allclose(placed, rows @ fitted.weights("en"), atol=1e-10)
    np.testing.assert_allclose(fitted.weights("en")[:, :2], few.weights("en"), atol=1e-10)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(fitted)).transform_view("en", new), placed
    )


def test_wrong_views_and_shapes(seen):
    _, views, fitted = seen
    with pytest.raises(DataError, match="no view 'v9'; it has v0, v1, v2"):
        fitted.transform_view("v9", views["v0"])
    with pytest.raises(DataError, match="39 columns, and 40 were fitted"):
        fitted.transform_view("v0", views["v0"][:, 1:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = PWCA(n_components=2, kernel="precomputed").fit(
            {name: rows[:30] @ rows[:30].T for name, rows in views.items()}
        )
    with pytest.raises(
        DataError, match=r"5 columns, and 30 were fitted; a kernel of n new members .* n x 30"
    ):
        given.transform_view("v0", np.ones((30, 5)))
    for columns in (20, 60):
        wrong = {name: np.ones((30, columns)) for name in views}
        with pytest.raises(
            DataError,
            match=f"view 'v0': a kernel of the fitted members is square, and this has 30 rows and {columns}",
        ):
            PWCA(kernel="precomputed").fit(wrong)
    with pytest.raises(DataError, match="column 'x0' holds words"):
        PWCA().fit({"a": [["1", "a"]] * 30, "b": views["v0"][:30]})

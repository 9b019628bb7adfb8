"""PWCA and KCCA: fitted factors, new members from any view, invariances, what chance shares, and bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import DataError, ParameterError
from coterie.core.views import Views
from coterie.parts.mates import both_ways
from coterie.represent.kcca import KCCA
from coterie.represent.pwca import PWCA

warnings.simplefilter("ignore")


def shared(n=120, views=3, width=40, seed=0, private=1.0, hidden=5, groups=4):
    """Views of the specification: a few shared directions, private ones, and noise."""
    random = np.random.default_rng(seed)
    group = random.integers(groups, size=n)
    common = 1.5 * random.normal(size=(groups, hidden))[group] + 0.5 * random.normal(size=(n, hidden))

    def seen():
        turns = random.normal(size=(2, hidden, width)) / np.sqrt(hidden)
        return common @ turns[0] + private * random.normal(size=(n, hidden)) @ turns[1] + random.normal(size=(n, width))

    return group, {f"v{at}": seen() for at in range(views)}


@pytest.mark.parametrize("method", [PWCA(n_components=6), KCCA(n_components=6)])
@pytest.mark.parametrize("kernel", ["linear", "gaussian", "polynomial"])
def test_transform_of_fitted_members_gives_their_factors(method, kernel):
    _, views = shared()
    fitted = type(method)(n_components=6, kernel=kernel).fit(views)
    for name in views:
        side = fitted.sides_[name]
        np.testing.assert_allclose(fitted.transform_view(name, views[name]), side.kernel @ fitted.duals_[name], atol=1e-9)
    if isinstance(fitted, PWCA):  # K a = e - tau a
        scores = fitted.factors_ - fitted.tau_ * fitted.duals_["v0"]
        np.testing.assert_allclose(fitted.transform_view("v0", views["v0"]), scores, atol=1e-9)


def test_kernels_given_are_the_same_as_rows():
    _, views = shared()
    kernels = {name: rows @ rows.T for name, rows in views.items()}
    one, other = PWCA(n_components=5).fit(views), PWCA(n_components=5, kernel="precomputed").fit(kernels)
    np.testing.assert_allclose(one.factors_, other.factors_, atol=1e-8)
    new = np.random.default_rng(1).normal(size=(7, 40))
    np.testing.assert_allclose(one.transform_view("v1", new), other.transform_view("v1", new @ views["v1"].T), atol=1e-8)


def test_factors_of_full_rank_are_the_same_as_kernels():
    _, views = shared(n=60, width=20)
    one, other = PWCA(n_components=5).fit(views), PWCA(n_components=5, rank=20).fit(views)
    np.testing.assert_allclose(np.abs(one.factors_), np.abs(other.factors_), atol=1e-6)
    sparse = {name: sp.csr_array(rows) for name, rows in views.items()}
    third = PWCA(n_components=5, rank=20).fit(sparse)
    new = np.random.default_rng(2).normal(size=(4, 20))
    np.testing.assert_allclose(np.abs(third.transform_view("v0", new)), np.abs(one.transform_view("v0", new)), atol=1e-6)


def test_all_components_with_energy_need_no_eigenvectors():
    _, views = shared(n=40, views=2)
    fitted, tau = PWCA(n_components="all", tau=0.7).fit(views), 0.7
    new = [np.random.default_rng(at).normal(size=(6, 40)) for at in (5, 6)]
    sides = list(fitted.sides_.values())
    rows = [side.centering.rows(x @ side.rows.T) for side, x in zip(sides, new, strict=True)]
    wanted = rows[0] @ np.linalg.solve(sides[0].kernel + sides[1].kernel + 2 * tau * np.eye(40), rows[1].T)
    found = fitted.similarity("v0", new[0], "v1", new[1], measure="signed")
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_invariances():
    _, views = shared(views=2)
    base = PWCA(n_components=4).fit(views)
    order = np.random.default_rng(0).permutation(120)
    moved = PWCA(n_components=4).fit({name: rows[order] for name, rows in views.items()})
    np.testing.assert_allclose(moved.factors_, base.factors_[order], atol=1e-7)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(40, 40)))[0]
    turned = PWCA(n_components=4).fit({"v0": 3.0 * views["v0"] @ turn, "v1": views["v1"]})
    np.testing.assert_allclose(turned.factors_, base.factors_, atol=1e-7)
    swapped = PWCA(n_components=4).fit({"v1": views["v1"], "v0": views["v0"]})
    np.testing.assert_allclose(swapped.factors_, base.factors_, atol=1e-7)


def test_mates_are_found_and_shuffled_ones_are_not():
    _, views = shared(n=400, width=150, hidden=10)
    train = {name: rows[:200] for name, rows in views.items()}
    test = {name: rows[200:] for name, rows in views.items()}
    fitted = PWCA(n_components=10, tau=0.3).fit(train)
    found = both_ways([fitted.transform_view(name, rows) for name, rows in test.items()])
    shuffled = {**train, "v2": train["v2"][np.random.default_rng(0).permutation(200)]}
    lost = PWCA(n_components=10, tau=0.3).fit(shuffled)
    assert lost.consensus_[0] < fitted.consensus_[0]
    mates = both_ways([lost.transform_view(name, test[name]) for name in ("v0", "v2")])
    assert found > 0.3
    assert mates < 0.08


def test_energy_finds_more_mates_than_unit():
    _, views = shared(n=1300, seed=1, width=150, hidden=10, groups=8)
    train = {name: rows[:300] for name, rows in views.items()}
    test = {name: rows[300:] for name, rows in views.items()}
    found = {}
    for scale in ("energy", "unit"):
        fitted = PWCA(n_components=10, tau=0.1, scale=scale).fit(train)
        found[scale] = both_ways([fitted.transform_view(name, rows) for name, rows in test.items()])
    assert found["energy"] >= found["unit"] + 0.05


def test_as_many_components_as_are_shared():
    _, views = shared(n=300, private=1.0)
    fitted = PWCA(tau=0.3).fit(views)
    assert 3 <= fitted.n_features_out_ <= 7
    assert (fitted.consensus_ > fitted.chance_).all()
    random = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="no component is shared by more than chance"):
        noise = PWCA(tau=0.3).fit({"a": random.normal(size=(80, 30)), "b": random.normal(size=(80, 30))})
    assert noise.n_features_out_ == 1


def test_tau_is_chosen_by_mates_held_out():
    _, views = shared(n=200)
    fitted = PWCA(n_components=6, tau="held-out").fit(views)
    assert fitted.tau_ == max(fitted.tried_, key=fitted.tried_.__getitem__)
    assert len(fitted.tried_) == 6


def test_a_member_may_be_missing_in_some_views():
    _, views = shared()
    fitted = PWCA(n_components=4).fit(views)
    alone = fitted.transform({"v1": views["v1"]})
    np.testing.assert_allclose(alone, fitted.transform_view("v1", views["v1"]), atol=1e-12)
    seen = {"v0": np.arange(120) % 2 == 0, "v1": np.ones(120, dtype=bool)}
    mixed = fitted.transform(Views.of({"v0": views["v0"], "v1": views["v1"]}).__class__(
        Views.of({"v0": views["v0"], "v1": views["v1"]}).tables, seen))  # fmt: skip
    np.testing.assert_allclose(mixed[1], alone[1], atol=1e-12)
    np.testing.assert_allclose(mixed[0], (alone[0] + fitted.transform_view("v0", views["v0"])[0]) / 2, atol=1e-12)
    with pytest.warns(UserWarning, match="60 of 120 members are not in every view"):
        PWCA(n_components=3).fit(Views(Views.of(views).tables, {"v0": seen["v0"]}))


def test_views_agree_on_clusters_more_than_chance():
    _, views = shared(n=300)
    fitted = PWCA(n_components=3, tau=0.3).fit(views)
    assert set(fitted.assign(views)) == set(views)
    assert fitted.agreement(views) > 0.4


def test_bad_input_is_one_sentence():
    _, views = shared(n=30)
    with pytest.raises(DataError, match="needs at least two views"):
        PWCA().fit({"a": views["v0"]})
    with pytest.raises(DataError, match="'a' has 30, 'b' has 20"):
        PWCA().fit({"a": views["v0"], "b": views["v1"][:20]})
    with pytest.raises(DataError, match="view 'b' carries no variation"):
        PWCA().fit({"a": views["v0"], "b": np.ones((30, 3))})
    with pytest.raises(ParameterError, match="tau must be above 0"):
        PWCA(tau=0.0).fit(views)
    with pytest.raises(ParameterError, match="'all' or 'chance'"):
        PWCA(n_components="many").fit(views)
    bad = views["v1"].copy()
    bad[3, 2] = np.nan
    with pytest.raises(DataError, match="view 'b': there is a value that is NaN"):
        PWCA().fit({"a": views["v0"], "b": bad})
    fitted = PWCA(n_components=2).fit(views)
    with pytest.raises(DataError, match="no view 'v9'"):
        fitted.transform_view("v9", views["v0"])
    with pytest.raises(DataError, match="39 columns, and 40 were fitted"):
        fitted.transform_view("v0", views["v0"][:, 1:])
    given = PWCA(n_components=2, kernel="precomputed").fit({name: rows @ rows.T for name, rows in views.items()})
    with pytest.raises(DataError, match="29 columns, and 30 were fitted"):
        given.transform_view("v0", np.ones((5, 29)))

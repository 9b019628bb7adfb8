"""PWCA: its routes, what chance shares, missing views, tau chosen by mates, its report, and bad input."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from tests.oracles import mates
from tests.oracles import views as slow

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.views import Views
from coterie.represent import PWCA, shared_views


def shared(n=120, views=3, width=40, **how):
    return slow.views_of_clusters(n, views=views, width=width, **{"hidden": 5, "groups": 4, **how})


def some_missing(views, share=3):
    n = len(next(iter(views.values())))
    return Views(
        Views.of(views).tables, {"v0": np.arange(n) % share != 1, "v1": np.arange(n) % share != 2}
    )


@pytest.mark.parametrize("kernel", ["linear", "gaussian", "polynomial"])
def test_fitted_members_are_placed_where_they_were_fitted(kernel):
    _, views = shared()
    fitted = PWCA(n_components=6, kernel=kernel).fit(views)
    for name, rows in views.items():  # K a = e - tau a
        wanted = fitted.factors_ - fitted.tau_ * fitted.duals_[name]
        np.testing.assert_allclose(fitted.transform_view(name, rows), wanted, atol=1e-9)


def test_kernels_given_are_the_same_as_rows_also_with_members_missing():
    _, views = shared()
    kernels = {name: rows @ rows.T for name, rows in views.items()}
    new = np.random.default_rng(1).normal(size=(7, 40))
    for data, given in ((views, kernels), (some_missing(views), some_missing(kernels))):
        for missing in ("drop", "mask"):
            one = PWCA(n_components=5, missing=missing)
            other = PWCA(n_components=5, missing=missing, kernel="precomputed")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one.fit(data)
                other.fit(given)
            np.testing.assert_allclose(one.factors_, other.factors_, atol=1e-8)
            np.testing.assert_allclose(
                one.transform_view("v1", new),
                other.transform_view("v1", new @ views["v1"].T),
                atol=1e-8,
            )


def test_sparse_rows_and_landmarks():
    _, views = shared(n=60, width=20)
    one = PWCA(n_components=5).fit(views)
    third = PWCA(n_components=5, rank=20).fit(
        {name: sp.csr_array(rows) for name, rows in views.items()}
    )
    new = np.random.default_rng(2).normal(size=(4, 20))
    np.testing.assert_allclose(
        third.transform_view("v0", new), one.transform_view("v0", new), atol=1e-6
    )
    assert third.kept_["v0"] == pytest.approx(1.0)
    exact, few = (
        PWCA(n_components=3, kernel="gaussian", rank=rank).fit(views) for rank in (None, 40)
    )
    assert 0.5 < few.kept_["v1"] < 1.0
    bases = [np.linalg.qr(fitted.factors_)[0] for fitted in (exact, few)]
    assert np.linalg.svd(bases[0].T @ bases[1], compute_uv=False).min() > 0.9
    again = pickle.loads(pickle.dumps(few))
    np.testing.assert_array_equal(again.transform_view("v0", new), few.transform_view("v0", new))


@pytest.mark.parametrize("columns", [10, 2400])
@pytest.mark.parametrize("missing", ["drop", "mask"])
def test_products_alone_give_what_whole_kernels_give(monkeypatch, columns, missing):
    """Columns x columns are factored where they are few; where they are many, conjugate gradients solve."""
    _, views = shared(n=90, width=10)
    turn = np.eye(columns)[:, np.random.default_rng(0).permutation(columns)[:10]]
    views = {name: sp.csr_array(rows @ turn.T) for name, rows in views.items()}
    data = (
        views
        if missing == "drop"
        else some_missing({name: rows.toarray() for name, rows in views.items()}, 9)
    )
    dense = PWCA(n_components=4, tau=0.5, missing=missing).fit(data)
    monkeypatch.setattr(shared_views, "WHOLE", 50)
    far = PWCA(n_components=4, tau=0.5, missing=missing, rank="all").fit(data)
    np.testing.assert_allclose(far.energies_, dense.energies_, rtol=1e-7)
    np.testing.assert_allclose(far.factors_, dense.factors_, atol=1e-6)
    np.testing.assert_allclose(far.transform(data), dense.transform(data), atol=1e-6)
    assert far.chance_ == pytest.approx(dense.chance_, abs=1e-6)
    assert len(far.places_["v0"].weights) == columns
    with pytest.raises(ParameterError, match="all components of 90 members cannot be found"):
        PWCA(n_components="all", rank="all", missing=missing).fit(data)


def test_many_members_are_seen_through_factors(monkeypatch):
    _, views = shared(n=90, width=30)
    dense = PWCA(n_components=4).fit(views)
    monkeypatch.setattr(shared_views, "WHOLE", 50)
    thin = PWCA(n_components=4).fit(views)  # few columns: nothing is lost
    np.testing.assert_allclose(thin.factors_, dense.factors_, atol=1e-6)
    monkeypatch.setattr(shared_views, "_RANK", 8)
    rough = PWCA(n_components=4).fit(views)
    assert 0.3 < rough.kept_["v0"] < 0.99
    with monkeypatch.context() as place:
        place.setattr(shared_views, "workplace", lambda: type("Small", (), {"budget": 1000})())
        with pytest.raises(
            DataError, match=r"kernels of 90 members need 0.0 GB.*give a number as rank"
        ):
            PWCA(kernel="gaussian", rank="all").fit(views)
        with pytest.raises(
            DataError, match=r"kernels of 90 members need 0.0 GB.*fit on fewer members"
        ):
            PWCA(kernel="precomputed").fit({name: rows @ rows.T for name, rows in views.items()})


def test_as_many_components_as_are_shared():
    _, views = shared(n=300)
    fitted = PWCA(tau=0.3).fit(views)
    assert 3 <= fitted.n_features_out_ <= 7
    assert (fitted.consensus_ > fitted.chance_).all()
    random = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="no component is shared by more than chance"):
        noise = PWCA(tau=0.3).fit(
            {"a": random.normal(size=(80, 30)), "b": random.normal(size=(80, 30))}
        )
    assert noise.n_features_out_ == 1
    with pytest.warns(UserWarning, match="500 components were asked for, and there are 79"):
        PWCA(n_components=500).fit(
            {"a": random.normal(size=(80, 90)), "b": random.normal(size=(80, 90))}
        )


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_tau_is_chosen_by_mates_held_out(kernel):
    _, views = shared(n=160)
    data = views if kernel == "linear" else {name: rows @ rows.T for name, rows in views.items()}
    fitted = PWCA(n_components=6, tau="held-out", kernel=kernel).fit(data)
    assert fitted.tau_ == max(fitted.tried_, key=fitted.tried_.__getitem__)
    assert list(fitted.tried_) == list(shared_views.GRID)
    if kernel == "precomputed":
        rows = PWCA(n_components=6, tau="held-out").fit(views)
        np.testing.assert_allclose(
            list(rows.tried_.values()), list(fitted.tried_.values()), atol=1e-9
        )
    held = np.sort(stream(0, 5).permutation(160)[:40])  # one entry by hand
    rest = np.setdiff1d(np.arange(160), held)
    alone = PWCA(n_components=6, tau=0.3).fit({name: rows[rest] for name, rows in views.items()})
    placed = {name: alone.transform_view(name, rows[held]) for name, rows in views.items()}
    pairs = [(one, other) for one in placed for other in placed if one != other]
    wanted = np.mean([mates.average_precision(placed[one], placed[other]) for one, other in pairs])
    assert fitted.tried_[0.3] == pytest.approx(wanted, abs=1e-9)
    with pytest.raises(DataError, match="needs more members seen in every view than 4"):
        PWCA(tau="held-out").fit({name: rows[:4] for name, rows in views.items()})


def test_members_held_out_of_which_nothing_is_known_are_ranked_last():
    """Their factors are all the same: compared by these, one blank row would be found for another."""
    _, views = shared(n=40, views=2)
    held = np.sort(stream(0, 5).permutation(40)[:10])
    for rows in views.values():
        rows[held[:8]] = 0.0
    fitted = PWCA(n_components=4, tau="held-out").fit(views)
    rest = np.setdiff1d(np.arange(40), held)
    alone = PWCA(n_components=4, tau=1.0).fit({name: rows[rest] for name, rows in views.items()})
    one, other = (alone.directed(name, rows[held]) for name, rows in views.items())
    np.testing.assert_array_equal(one[:8], 0.0)
    known = (
        mates.average_precision(one[8:], other[8:]) + mates.average_precision(other[8:], one[8:])
    ) / 2
    assert fitted.tried_[1.0] == pytest.approx(
        (8 / 10 + 2 * known) / 10, abs=1e-9
    )  # eight are the last of ten


def test_the_mean_of_views_that_are_not_centered_is_no_cluster():
    """The first component is nearly constant, in shuffled views too: chance is what the others share."""
    _, views = shared(n=200)
    away = {name: rows + 20.0 for name, rows in views.items()}
    centered = PWCA(tau=0.3, scale_kernels=False).fit(views)
    with pytest.warns(
        UserWarning,
        match="component 1 is nearly the same for all members and tells none of them apart",
    ):
        fitted = PWCA(tau=0.3, scale_kernels=False, center=False).fit(away)
    ones = np.ones(200) / np.sqrt(200)
    lengths = np.linalg.norm(fitted.factors_, axis=0)
    cosines = np.abs(ones @ fitted.factors_) / lengths
    assert cosines[0] > 0.95
    assert (cosines[1:] < 0.2).all()
    assert fitted.n_features_out_ == centered.n_features_out_ + 1
    assert fitted.chance_ == pytest.approx(centered.chance_, abs=0.02)
    random = np.random.default_rng(0)
    noise = {name: 10 + random.normal(size=(80, 30)) for name in "ab"}
    with pytest.warns(UserWarning, match="PWCA: ") as said:
        assert PWCA(tau=0.3, center=False, scale_kernels=False).fit(noise).n_features_out_ == 2
    assert "no component is shared by more than chance" in str(said[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PWCA(n_components=3, center=False).fit(
            {name: rows - rows.mean(axis=0) for name, rows in views.items()}
        )


@pytest.mark.parametrize("missing", ["drop", "mask"])
def test_a_fitted_member_is_placed_at_consensus_times_its_common_scores(missing):
    _, views = shared()
    fitted = PWCA(n_components=5, tau=0.4, missing=missing).fit(views)
    np.testing.assert_allclose(
        fitted.transform(views), fitted.consensus_ * fitted.factors_, atol=1e-10
    )
    np.testing.assert_array_equal(fitted.common, fitted.consensus_ * fitted.factors_)
    np.testing.assert_allclose(
        np.linalg.norm(fitted.factors_, axis=0), 1 / np.sqrt(fitted.energies_), atol=1e-10
    )
    with pytest.raises(NotFittedError):
        _ = PWCA().common


def test_members_missing_in_a_view():
    _, views = shared()
    data = some_missing(views)
    with pytest.warns(
        UserWarning, match="80 of 120 members are not in every view and were left out"
    ):
        dropped = PWCA(n_components=3).fit(data)
    assert dropped.factors_.shape == (40, 3)
    np.testing.assert_array_equal(dropped.rows_, np.arange(0, 120, 3))
    whole = PWCA(n_components=3, missing="mask").fit(data)
    assert whole.factors_.shape == (120, 3)
    full = PWCA(n_components=3).fit(views)

    goal = full.transform(views)

    def off(found):
        placed = found.transform(views)
        return np.linalg.norm(
            placed - goal @ np.linalg.lstsq(goal, placed, rcond=None)[0]
        ) / np.linalg.norm(placed)

    assert off(whole) < off(
        dropped
    )  # what the incomplete members tell brings it nearer to the whole
    alone = Views(Views.of(views).tables, {"v0": np.arange(120) < 90, "v1": np.arange(120) < 100})
    with pytest.warns(UserWarning, match="20 members are in one view only"):
        PWCA(n_components=3, missing="mask").fit(alone)
    none = Views(Views.of(views).tables, {name: np.arange(120) != 5 for name in views})
    with pytest.raises(DataError, match="member 5 is seen in no view"):
        PWCA(missing="mask").fit(none)
    with pytest.raises(DataError, match="view 'v0' has 2 members, and needs at least 3"):
        PWCA(missing="mask").fit(Views(Views.of(views).tables, {"v0": np.arange(120) < 2}))
    with pytest.raises(DataError, match="at least 3 members seen in every view, and got 2"):
        PWCA().fit(Views(Views.of(views).tables, {"v0": np.arange(120) < 2}))


def test_a_view_may_hold_anything_where_it_does_not_have_a_member():
    _, views = shared()
    data = some_missing(views)
    broken = {name: rows.copy() for name, rows in views.items()}
    broken["v0"][1] = np.nan
    fitted = PWCA(n_components=3, missing="mask").fit(Views(Views.of(broken).tables, data.seen))
    np.testing.assert_array_equal(
        fitted.factors_, PWCA(n_components=3, missing="mask").fit(data).factors_
    )


def test_the_report_of_consensus():
    _, views = shared()
    fitted = PWCA(n_components=5, tau=0.5).fit(views)
    report = fitted.consensus()
    assert report.names == ("consensus", "energy", "in v0", "in v1", "in v2")
    np.testing.assert_allclose(report.values[:, 2:].mean(axis=1), fitted.consensus_, atol=1e-9)
    kernel = slow.prepared(views["v1"] @ views["v1"].T)
    e = fitted.factors_[:, 0] / np.linalg.norm(fitted.factors_[:, 0])
    wanted = e @ kernel @ np.linalg.solve(kernel + 0.5 * np.eye(120), e)
    assert report.column("in v1")[0] == pytest.approx(wanted, abs=1e-9)


def test_scales_of_components():
    _, views = shared()
    energy, unit, consensus = (
        PWCA(n_components=4, scale=scale).fit(views) for scale in ("energy", "unit", "consensus")
    )
    np.testing.assert_allclose(unit.factors_ / np.sqrt(unit.energies_), energy.factors_, atol=1e-12)
    np.testing.assert_allclose(
        unit.factors_ * np.sqrt(3 * unit.consensus_), consensus.factors_, atol=1e-12
    )
    np.testing.assert_allclose(
        unit.duals_["v1"] / np.sqrt(unit.energies_), energy.duals_["v1"], atol=1e-12
    )


def test_what_deserves_a_warning():
    _, views = shared(n=40)
    with pytest.warns(UserWarning, match="'v0' is far smaller than 'v1' and will decide alone"):
        PWCA(n_components=2, scale_kernels=False).fit({"v0": 0.01 * views["v0"], "v1": views["v1"]})
    with pytest.warns(
        UserWarning,
        match="tau = 1e-09 is so small beside the mean variance 1 that rounding may decide",
    ):
        PWCA(n_components=2, tau=1e-9, rank=30).fit(views)


def test_bad_input_is_one_sentence():
    _, views = shared(n=30)
    with pytest.raises(DataError, match="needs at least two views"):
        PWCA().fit({"a": views["v0"]})
    with pytest.raises(DataError, match="'a' has 30, 'b' has 20"):
        PWCA().fit({"a": views["v0"], "b": views["v1"][:20]})
    with pytest.raises(DataError, match="view 'b' carries no variation"):
        PWCA().fit({"a": views["v0"], "b": np.ones((30, 3))})
    for tau, said in (
        (-1.0, "tau must be at least 0"),
        (np.inf, "tau must be finite"),
        ("best", "held-out or a number from 0"),
        (None, "held-out or a number from 0, and was None"),
    ):
        with pytest.raises(ParameterError, match=said):
            PWCA(tau=tau).fit(views)
    with pytest.raises(ParameterError, match="tau = 0 needs whole kernels"):
        PWCA(tau=0.0, rank=5).fit(views)
    for rank in ("x", True):
        with pytest.raises(
            ParameterError, match=f"rank must be all or a number from 1, and was {rank!r}"
        ):
            PWCA(rank=rank).fit(views)
    with pytest.warns(
        UserWarning, match="rank is not used, because kernels that are given are held whole"
    ):
        PWCA(rank=3, n_components=2, kernel="precomputed").fit(
            {name: rows @ rows.T for name, rows in views.items()}
        )
    for wrong in ("many", 0, 2.5, None):
        with pytest.raises(ParameterError, match="'chance' or 'all'"):
            PWCA(n_components=wrong).fit(views)
    bad = views["v1"].copy()
    bad[3, 2] = np.nan
    for rows in (bad, sp.csr_array(bad)):
        with pytest.raises(
            DataError,
            match="view 'b': there is a value that is NaN or infinite, at row 3, column 'x2'",
        ):
            PWCA().fit({"a": views["v0"], "b": rows})
    uneven = views["v0"] @ views["v0"].T
    uneven[0, 1] += 1.0
    with pytest.raises(DataError, match="view 'a': the kernel is not symmetric"):
        PWCA(kernel="precomputed").fit({"a": uneven, "b": uneven})
    negative = {"a": np.diag(np.r_[-5.0, np.ones(9)]), "b": np.eye(10)}
    with pytest.raises(DataError, match="none below zero"):
        PWCA(kernel="precomputed", center=False).fit(negative)
    with pytest.raises(DataError, match="none below zero"):
        PWCA(kernel="precomputed").fit({"a": -np.eye(10), "b": np.eye(10)})

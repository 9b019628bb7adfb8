"""Forms and routes of views against plain inverses: products, landmarks, shuffles, members some views lack, singular kernels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import views as slow

from coterie.core.errors import DataError
from coterie.parts import view_forms
from coterie.parts.view_forms import Landmarks, Products, Whole
from coterie.parts.view_places import place_of
from coterie.parts.view_routes import ByFactors, ByInverses, ByProducts, Seats, inverse


def inner(one, other):
    return np.asarray((one @ other.T).toarray() if sp.issparse(one) else one @ other.T)


def tables(n=30, width=12, count=3, seed=0):
    random = np.random.default_rng(seed)
    common = random.normal(size=(n, 3))
    return [
        np.hstack([common + 0.5 * random.normal(size=(n, 3)), random.normal(size=(n, width))])
        for _ in range(count)
    ]


@pytest.fixture(params=["all members", "some missing"])
def seats(request):
    keep = [np.flatnonzero(np.arange(30) % (5 + at) != at) for at in range(3)]
    return (
        Seats(30, tuple(keep))
        if request.param == "some missing"
        else Seats(30, (np.arange(30),) * 3)
    )


@pytest.mark.parametrize("small", [0, 2000])
def test_three_routes_give_one_answer_also_shuffled(seats, small, monkeypatch):
    monkeypatch.setattr(view_forms, "_SMALL", small)
    rows = [table[own] for table, own in zip(tables(), seats.rows, strict=True)]
    how = {"center": True, "scale": True}
    whole = [Whole.of(table, inner, "A view", **how) for table in rows]
    products = [Products.of(sp.csr_array(table), "A view", random_state=0, **how) for table in rows]
    tau = 0.3
    order = np.random.default_rng(3).permutation(len(seats.rows[1]))
    routes = [
        ByInverses.of([form.kernel for form in whole], seats, tau, "X"),
        ByFactors(tuple(form.spectrum for form in whole), seats, tau),
        ByProducts(products, seats, tau, 0),
    ]
    values, vectors = slow.masked(
        [slow.prepared(table @ table.T) for table in rows], seats.rows, 30, tau
    )
    mixed = [table[order] if at == 1 else table for at, table in enumerate(rows)]
    shuffled, _ = slow.masked(
        [slow.prepared(table @ table.T) for table in mixed], seats.rows, 30, tau
    )
    for route in routes:
        found = route.found(4)
        np.testing.assert_allclose(found.energies, values[:4], rtol=1e-7)
        np.testing.assert_allclose(
            found.scores @ found.scores.T, vectors[:, :4] @ vectors[:, :4].T, atol=1e-6
        )
        np.testing.assert_allclose(route.found(2, (1, order)).energies, shuffled[:2], rtol=1e-7)
        for at, form in enumerate(whole):
            own = form.kernel + tau * np.eye(form.n)
            np.testing.assert_allclose(
                own @ route.dual(at, found.scores), found.scores[seats.rows[at]], atol=1e-7
            )


def test_products_know_their_trace_and_kernel():
    table = tables()[0]
    form = Products.of(sp.csr_array(table), "A view", center=True, scale=False, random_state=0)
    kernel = slow.prepared(table @ table.T, scale=False)
    np.testing.assert_allclose(form.times(np.eye(30)), kernel, atol=1e-9)
    assert form.trace == pytest.approx(np.trace(kernel))
    assert Whole.of(table, inner, "A view", center=True, scale=True).trace == pytest.approx(30)


def test_every_form_places_members_alike():
    table = tables()[0]
    new = tables(seed=4)[0][:5]
    duals = np.random.default_rng(5).normal(size=(30, 2))
    duals -= duals.mean(axis=0)
    wanted = slow.new_rows(new @ table.T, table @ table.T) @ duals
    how = {"center": True, "scale": True}
    whole = Whole.of(table, inner, "A view", **how)
    given = Whole.of(table @ table.T, None, "A view", **how)
    far = Products.of(sp.csr_array(table), "A view", random_state=0, **how)
    np.testing.assert_allclose(place_of(whole, duals, linear=True).place(new), wanted, atol=1e-10)
    np.testing.assert_allclose(
        place_of(whole, duals, linear=True).place(sp.csr_array(new)), wanted, atol=1e-10
    )
    np.testing.assert_allclose(place_of(whole, duals, linear=False).place(new), wanted, atol=1e-10)
    np.testing.assert_allclose(
        place_of(given, duals, linear=False).place(new @ table.T), wanted, atol=1e-10
    )
    np.testing.assert_allclose(place_of(far, duals, linear=True).place(new), wanted, atol=1e-10)


def test_landmarks_of_all_members_give_the_kernel_itself():
    table = tables()[0]
    marks = Landmarks.of(table, lambda a, b: np.exp(-((a[:, None] - b) ** 2).sum(-1) / 20), 30, 0)
    wanted = np.exp(-((table[:, None] - table) ** 2).sum(-1) / 20)
    np.testing.assert_allclose(marks(table) @ marks(table).T, wanted, atol=1e-8)
    few = Landmarks.of(table, lambda a, b: np.exp(-((a[:, None] - b) ** 2).sum(-1) / 20), 10, 0)
    assert few(table).shape == (30, 10)
    assert (np.square(few(table)).sum(axis=1) <= 1 + 1e-9).all()


def test_kernels_that_cannot_be_inverted_are_refused_by_name():
    fine = np.diag([3.0, 2.0, 1.0])
    np.testing.assert_allclose(inverse(fine, 0.0, "X"), np.diag([1 / 3, 1 / 2, 1.0]), atol=1e-15)
    for bad in (np.ones((3, 3)), np.diag([1.0, 1.0, 1e-14])):
        with pytest.raises(DataError, match="view 'en' cannot be solved with tau = 0"):
            inverse(bad, 0.0, "view 'en'")
    with pytest.raises(
        DataError,
        match=r"view 'en': its kernel plus tau is not positive definite; take a tau above 0.5",
    ):
        inverse(np.diag([1.0, -1.0]), 0.5, "view 'en'")


def test_equations_that_do_not_settle_are_said(monkeypatch):
    monkeypatch.setattr(view_forms, "_SMALL", 0)
    monkeypatch.setattr(view_forms, "_GUIDE", 2)
    monkeypatch.setattr(view_forms, "_MOST", 3)
    form = Products.of(sp.csr_array(tables()[0]), "A view", center=True, scale=True, random_state=0)
    with pytest.raises(DataError, match="tau = 1e-06 is too small for so many members"):
        form.solver(1e-6)(np.random.default_rng(0).normal(size=(30, 1)))

"""Kernels of mean monomials against lists of monomials and an inverted matrix."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from tests.oracles import mmd as slow

import coterie.compare.glds as module
from coterie import Ragged
from coterie.compare import GLDS
from coterie.compare.glds import Expansion, moments
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.testing import promises


def bags(seed: int = 0, n: int = 7, d: int = 3) -> Ragged:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 15, size=n)
    return Ragged.of(
        [rng.normal(size=(size, d)) * (1 + i % 2) + 5 for i, size in enumerate(sizes)],
        ordered=False,
    )


def expected(view: Ragged, degree: int, ridge: float = 1e-3) -> np.ndarray:
    members = list(view)
    return np.array([[slow.glds(members, x, y, degree, ridge) for y in members] for x in members])


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_equals_the_list_of_monomials(degree, monkeypatch):
    monkeypatch.setattr(module, "_CELLS", 100)
    monkeypatch.setattr(module, "_STRIPE", 6)
    monkeypatch.setattr(module, "_CHUNK", 20)
    view = bags(1)
    kernel = expected(view, degree)
    np.testing.assert_allclose(
        GLDS(degree=degree, measure="kernel").fit_transform(view), kernel, rtol=1e-8
    )
    own = np.diagonal(kernel)
    np.testing.assert_allclose(
        GLDS(degree=degree).fit_transform(view),
        kernel / np.sqrt(own[:, None] * own),
        rtol=1e-8,
        atol=1e-12,
    )
    squares = own[:, None] + own - 2 * kernel
    np.testing.assert_allclose(
        GLDS(degree=degree, measure="distance").fit_transform(view) ** 2,
        squares,
        rtol=1e-7,
        atol=1e-9,
    )


@pytest.mark.parametrize(
    ("cells", "stripe", "chunk"), [(2**20, 512, 2**14), (60, 3, 17), (1, 20, 1), (45, 1, 100)]
)
def test_second_moments_do_not_depend_on_the_pieces(cells, stripe, chunk, monkeypatch):
    for name, value in (("_CELLS", cells), ("_STRIPE", stripe), ("_CHUNK", chunk)):
        monkeypatch.setattr(module, name, value)
    view = bags(10)
    expansion = Expansion.of(view, 3)
    terms = expansion(view.values)
    found = moments(expansion, view.values)
    np.testing.assert_allclose(
        np.tril(found), np.tril(terms.T @ terms / len(terms)), rtol=1e-10, atol=1e-12
    )


def test_second_moments_take_little_more_than_themselves():
    view = Ragged.of(
        [np.random.default_rng(11).normal(size=(400, 22)) for _ in range(8)], ordered=False
    )
    expansion = Expansion.of(view, 3)
    size = 8 * expansion.count**2
    assert size > 40e6
    with using(n_jobs=2):
        tracemalloc.start()
        moments(expansion, view.values)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < size + 150e6  # a matrix of all terms for each piece would be four or more of them
    with using(memory="1MB"), pytest.raises(DataError, match="second moments of 2,300 terms takes"):
        moments(expansion, view.values)


@pytest.mark.parametrize(("d", "degree"), [(1, 4), (2, 3), (4, 2), (3, 1)])
def test_terms_are_all_products_once(d, degree):
    rows = np.random.default_rng(2).normal(size=(6, d))
    expansion = Expansion.of(Ragged.of([rows]), degree)
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    np.testing.assert_allclose(
        expansion(rows), [slow.monomials(x, degree) for x in scaled], rtol=1e-12
    )
    assert expansion.count == len(slow.monomials(rows[0], degree))


def test_kinds_and_diagonals():
    view = bags(3)
    for measure, kind, own in (("cosine", "similarity", 1.0), ("distance", "distance", 0.0)):
        found = GLDS(measure=measure).fit(view).affinity_
        assert found.kind == kind
        assert (np.diagonal(found.values) == own).all()
    assert GLDS(measure="kernel").fit(view).affinity_.kind == "similarity"


def test_units_of_the_values_do_not_matter():
    view = bags(4)
    other = view.with_values(view.values * [1000.0, 0.01, -3.0] + [7.0, 0.0, 1.0])
    np.testing.assert_allclose(GLDS().fit_transform(other), GLDS().fit_transform(view), atol=1e-9)


def test_what_a_degree_sees():
    rng = np.random.default_rng(5)
    wide = [rng.normal(size=(300, 2)) for _ in range(4)]
    tied = [rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=300) for _ in range(4)]
    skew = [rng.exponential(size=(300, 2)) - 1 for _ in range(4)]

    def told(one: list[np.ndarray], two: list[np.ndarray], degree: int) -> bool:
        found = GLDS(degree=degree, measure="distance").fit([*one, *two]).affinity_.values
        return bool(found[:4, 4:].min() > max(found[:4, :4].max(), found[4:, 4:].max()))

    assert [told(wide, tied, degree) for degree in (1, 2)] == [False, True]
    assert [told(wide, skew, degree) for degree in (1, 2, 3)] == [False, False, True]


def test_new_sets_are_compared_in_the_fitted_metric():
    view = bags(6)
    fitted = GLDS(measure="kernel", degree=2).fit(view[:5])
    found = fitted.compare(view[5:])
    naive = [[slow.glds(list(view[:5]), x, y, 2, 1e-3) for y in view[:5]] for x in view[5:]]
    np.testing.assert_allclose(found.values, naive, rtol=1e-8)
    with pytest.raises(DataError, match="2 values per step where the fitted ones have 3"):
        fitted.compare([np.ones((4, 2))])
    with pytest.raises(DataError, match="new member 0 has a missing value"):
        fitted.compare([np.full((1, 3), np.nan), np.full((4, 3), [np.nan, 1, 1])][1:])


def test_too_many_terms_are_refused_with_the_degree_that_fits():
    for d, degree, sentence in (
        (
            30,
            3,
            "degree 3 of 30 values makes 5,456 terms, and at most 5,000 are possible; the largest degree that fits is 2",
        ),
        (6000, 1, "no degree fits; keep fewer values per vector"),
        (12, 9, "the largest degree that fits is 4"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            GLDS(degree=degree).fit([np.ones((2, d)), np.zeros((1, d))])
    assert Expansion.of(Ragged.of([np.eye(28)]), 3).count == 4495


def test_dependent_terms_need_a_ridge_and_constant_values_do_not_hurt():
    few = [np.eye(2), np.ones((1, 2))]
    with pytest.raises(
        DataError, match=r"GLDS: the 10 terms depend on one another .* ridge must be above 0"
    ):
        GLDS(ridge=0.0).fit(few)
    assert np.isfinite(GLDS().fit_transform(few)).all()
    view = bags(7)
    flat = view.with_values(np.column_stack([view.values, np.full(len(view.values), 3.0)]))
    assert np.isfinite(GLDS(measure="distance").fit_transform(flat)).all()


def test_values_far_from_all_others_are_named():
    fitted = GLDS(degree=4).fit(bags(8))
    with pytest.raises(DataError, match="new member 1 has values so far from the others"):
        fitted.compare([np.ones((2, 3)), np.full((1, 3), 1e90)])
    with pytest.raises(DataError, match="GLDS: member 1 has a missing value"):
        GLDS().fit([np.ones((2, 2)), np.array([[1.0, np.nan]])])


def test_any_number_of_workers_gives_the_same_bits(monkeypatch):
    for name, value in (("_CELLS", 2000), ("_STRIPE", 8), ("_CHUNK", 100)):
        monkeypatch.setattr(module, name, value)
    found = []
    for workers in (1, 2):
        with using(n_jobs=workers):
            found.append(GLDS().fit_transform(bags(9, n=60)).tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "promise",
    [p for m in ("cosine", "kernel", "distance") for p in promises(GLDS(measure=m))],
    ids=str,
)
def test_promise(promise):
    promise()

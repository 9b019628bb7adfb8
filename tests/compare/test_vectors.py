"""Distances and kernels between rows against slow twins and SciPy, on members and on members that come later."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.base import clone
from tests.oracles import vectors as slow

from coterie.compare import (
    ChiSquare,
    Chord,
    Cosine,
    Euclidean,
    Gaussian,
    Gower,
    Hamming,
    JensenShannon,
    Laplacian,
    Linear,
    Mahalanobis,
    Minkowski,
    Polynomial,
)
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.pairwise import dense

ALL = [
    Euclidean(),
    Cosine(),
    Minkowski(),
    Minkowski(p=2.5),
    Minkowski(p=np.inf),
    Mahalanobis(),
    JensenShannon(),
    ChiSquare(),
    Hamming(),
    Gower(),
    Linear(),
    Polynomial(),
    Gaussian(),
    Laplacian(),
]
NAMES = [repr(c) for c in ALL]


@pytest.fixture
def rows() -> np.ndarray:
    random = np.random.default_rng(3)
    values = np.round(random.gamma(1.0, size=(40, 7)), 1)
    values[values < 0.3] = 0.0
    values[5] = values[2]
    return values


@pytest.mark.parametrize("comparer", ALL, ids=NAMES)
def test_members_and_queries_agree(comparer, rows):
    comparer = clone(comparer)
    square = comparer.fit_transform(rows)
    assert np.array_equal(square, square.T)
    assert np.allclose(square, comparer.transform(rows), rtol=1e-9, atol=1e-12)
    one = comparer.transform(rows[7:8])
    assert one.shape == (1, 40)
    assert np.allclose(one[0], square[7], rtol=1e-9, atol=1e-12)
    assert comparer.affinity_.kind == comparer.kind == comparer.compare(rows).kind
    if comparer.kind == "distance":
        assert (np.diagonal(square) == 0).all()
        assert square[2, 5] == 0
        assert square.min() >= 0


@pytest.mark.parametrize("comparer", ALL, ids=NAMES)
def test_same_bits_for_any_number_of_workers(comparer):
    rows = np.random.default_rng(0).random((1300, 5))
    found = []
    for n_jobs in (1, 2):
        with using(n_jobs=n_jobs):
            found.append(clone(comparer).fit_transform(rows).tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("comparer", ALL, ids=NAMES)
def test_survives_pickling(comparer, rows):
    fitted = clone(comparer).fit(rows)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.transform(rows[:3] + 0.5), fitted.transform(rows[:3] + 0.5))


@pytest.mark.parametrize(
    ("comparer", "pair", "name"),
    [
        (Euclidean(), slow.euclidean, "euclidean"),
        (Minkowski(), slow.minkowski(1), "cityblock"),
        (Minkowski(p=np.inf), slow.minkowski(np.inf), "chebyshev"),
        (Minkowski(p=3.0), slow.minkowski(3), None),
        (JensenShannon(), slow.jensen_shannon, None),
        (ChiSquare(normalize=False), slow.chi_square, None),
        (Hamming(), slow.hamming, "hamming"),
        (Cosine(), slow.cosine, None),
    ],
    ids=lambda value: str(value) if not callable(value) else "",
)
def test_against_slow_twin_and_scipy(comparer, pair, name, rows):
    rows = rows[rows.sum(axis=1) > 0]
    new = np.vstack([rows[:4], rows[4:9] + 0.25])
    comparer = clone(comparer).fit(rows)
    assert np.allclose(
        comparer.transform(new), slow.all_pairs(pair, new, rows), rtol=1e-9, atol=1e-9
    )
    if name:
        assert np.allclose(comparer.transform(new), cdist(new, rows, name), rtol=1e-9, atol=1e-12)


def test_jensen_shannon_agrees_with_scipy_and_keeps_small_differences():
    random = np.random.default_rng(1)
    p = random.dirichlet(np.ones(12), size=6)
    nats = cdist(p[::-1], p, "jensenshannon")
    assert np.allclose(
        JensenShannon().fit(p).transform(p[::-1]), nats / np.sqrt(np.log(2)), atol=1e-7
    )
    near = p[:1] * (1 + 1e-6 * np.linspace(-1, 1, 12))
    near /= near.sum()
    gap = near - p[:1]
    expected = np.sqrt((gap**2 / (p[:1] + near)).sum() / 4 / np.log(2))  # first term of the series
    assert JensenShannon().fit(p[:1]).transform(near)[0, 0] == pytest.approx(expected, rel=1e-5)


def test_rows_of_zeros():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    assert Cosine().fit_transform(rows).tolist() == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]
    assert Cosine().fit(rows).transform([[0.0, 0.0]]).tolist() == [[0, 0, 0, 0]]
    assert JensenShannon().fit_transform(rows)[0] == pytest.approx([0, 1, 0, 1])
    assert ChiSquare().fit_transform(rows)[0] == pytest.approx([0, 1, 0, 1])


def test_euclidean_is_accurate_far_from_the_origin_and_for_near_twins():
    random = np.random.default_rng(2)
    rows = 1e7 + random.normal(size=(60, 4))
    assert np.allclose(Euclidean().fit_transform(rows), cdist(rows, rows), rtol=1e-7, atol=1e-9)
    twins = np.vstack([random.normal(size=(3, 4)) * 1e3] * 2)
    twins[3:] += 1e-7
    assert np.allclose(Euclidean().fit_transform(twins), cdist(twins, twins), rtol=1e-6)
    assert Euclidean().fit_transform(sp.csr_array(twins)) == pytest.approx(
        cdist(twins, twins), rel=1e-6
    )


@pytest.mark.parametrize(
    "comparer", [Cosine(), Euclidean(), Linear(), Polynomial(), Gaussian()], ids=repr
)
def test_sparse_equals_dense(comparer, rows):
    full = clone(comparer).fit(rows)
    thin = clone(comparer).fit(sp.csr_matrix(rows))
    assert np.allclose(full.fit_transform(rows), dense(thin.affinity_).values, atol=1e-9)
    assert np.allclose(
        full.transform(rows[:6] + 1), thin.transform(sp.csr_array(rows[:6] + 1)), atol=1e-9
    )


def test_mahalanobis_without_shrinkage_is_the_textbook_one(rows):
    inverse = np.linalg.inv(np.cov(rows.T, bias=True))
    assert np.allclose(
        Mahalanobis(shrinkage=0.0).fit_transform(rows),
        cdist(rows, rows, "mahalanobis", VI=inverse),
        rtol=1e-8,
    )
    white = Mahalanobis(shrinkage=1.0).fit(rows)
    assert np.allclose(
        white.fit_transform(rows), cdist(rows, rows) / np.sqrt(rows.var(axis=0).mean()), rtol=1e-8
    )
    few = Mahalanobis().fit(rows[:3])
    assert 0 < few.shrinkage_ <= 1
    assert np.isfinite(few.fit_transform(rows[:3])).all()


def test_kernels_by_hand(rows):
    far = cdist(rows, rows)
    median = np.median(far[~np.eye(len(far), dtype=bool)])
    gaussian = Gaussian().fit(rows)
    assert gaussian.width_ == pytest.approx(median)
    assert np.allclose(gaussian.fit_transform(rows), np.exp(-(far**2) / (2 * median**2)))
    assert np.allclose(
        Laplacian(width=2.0).fit_transform(rows), np.exp(-cdist(rows, rows, "cityblock") / 2)
    )
    assert np.allclose(
        Polynomial(degree=3, scale=0.5, offset=2.0).fit_transform(rows),
        (0.5 * rows @ rows.T + 2) ** 3,
    )
    assert np.linalg.eigvalsh(gaussian.fit_transform(rows))[0] > -1e-9


def test_width_when_most_members_are_identical():
    rows = np.zeros((10, 2))
    assert Gaussian().fit(rows).width_ == 1.0
    rows[0, 0] = 3.0
    assert Gaussian().fit(rows).width_ == 3.0


def test_in_a_scikit_learn_pipeline():
    from sklearn.cluster import SpectralClustering
    from sklearn.pipeline import make_pipeline

    random = np.random.default_rng(0)
    rows = np.vstack([random.normal(0, 0.3, (15, 2)), random.normal(5, 0.3, (15, 2))])
    found = make_pipeline(
        Gaussian(), SpectralClustering(2, affinity="precomputed", random_state=0)
    ).fit_predict(rows)
    assert len(set(found[:15])) == len(set(found[15:])) == 1
    assert found[0] != found[15]


def test_bad_input_is_named():
    with pytest.raises(DataError, match="row 1, column 'x0' is below 0"):
        JensenShannon().fit([[1.0, 2.0], [-1.0, 2.0]])
    with pytest.raises(ParameterError, match="p must be at least 1"):
        Minkowski(p=0.5).fit([[1.0], [2.0]])
    with pytest.raises(ParameterError, match="width"):
        Gaussian(width=0.0).fit([[1.0], [2.0]])
    with pytest.raises(ParameterError, match="width must be median"):
        Gaussian(width="mean").fit([[1.0], [2.0]])
    with pytest.raises(DataError, match="sparse"):
        Minkowski().fit(sp.csr_array(np.eye(3)))
    with pytest.raises(DataError, match="words"):
        Euclidean().fit([["a"], ["b"]])


def test_chord_is_euclidean_on_unit_rows_and_zeros_are_far():
    rows = np.random.default_rng(0).normal(size=(30, 4))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    found = Chord().fit(rows)
    assert np.allclose(dense(found.affinity_).values, cdist(unit, unit), atol=1e-7)
    blank = dense(found.compare(np.zeros((1, 4)))).values
    assert np.allclose(blank, np.sqrt(2.0))
    twins = Chord().fit_transform([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0], [0.0, 0.0]])
    assert twins[0, 1] == 0.0
    assert twins[2, 3] == pytest.approx(np.sqrt(2.0))
    assert (np.diag(twins) == 0).all()

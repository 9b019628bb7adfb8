"""HOG, random patches and Lab histograms against pixel-by-pixel twins; sizes, shear, order, workers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import pictures as slow

from coterie.core.errors import DataError, ParameterError
from coterie.core.pictures import Pictures
from coterie.core.workplace import using
from coterie.represent import HOG, LabHistogram, RandomPatches
from coterie.represent.gradients import gray_square, oriented, to_square, upright
from coterie.testing import promises

ALL = (HOG, LabHistogram, RandomPatches)


def pictures(n: int = 12, seed: int = 0, side: int = 20) -> Pictures:
    random = np.random.default_rng(seed)
    sizes = random.integers(side - 4, side + 9, size=(n, 2))
    return Pictures.of([random.integers(0, 256, size=(h, w, 3)).astype(np.uint8) for h, w in sizes])


def bar(lean: float, size: int = 32) -> np.ndarray:
    """A bright bar that leans by so many columns a row."""
    down, right = np.mgrid[:size, :size]
    middle = (size - 1) / 2
    inside = (np.abs(right - middle - lean * (down - middle)) < 2) & (np.abs(down - middle) < 11)
    return inside.astype(np.float64)


def made(kind: type, **settings: object):
    own = {"random_state": 0, "n_filters": 10} if kind is RandomPatches else {}
    return kind(**{**own, **settings})


@pytest.mark.parametrize(
    "promise", [promise for kind in ALL for promise in promises(made(kind))], ids=str
)
def test_promise(promise):
    promise()


@pytest.mark.parametrize(("cell", "bins"), [(4, 6), (8, 9)])
def test_gradients_are_those_of_the_slow_twin(cell, bins):
    gray = np.random.default_rng(cell).random((16, 16))
    assert np.allclose(oriented(gray, cell, bins), slow.gradients(gray.tolist(), cell, bins))


def test_edges_fall_into_the_bin_of_their_direction():
    right = np.tile(np.linspace(0, 1, 32), (32, 1))
    for gray, place in ((right, 0), (right.T, 4)):  # of nine bins; 90 degrees lie between two
        cells = oriented(gray, 8, 9).reshape(-1, 9).mean(axis=0)
        assert int(cells.argmax()) == place


@pytest.mark.parametrize("many", [3, 8, 13, 40])
def test_squares_keep_the_mean_of_areas_and_lines(many):
    flat = np.full((many, many + 2), 3.0)
    assert np.allclose(to_square(flat, 8), 3.0)
    if many >= 8:
        values = np.random.default_rng(0).random((many, many))
        assert to_square(values, 8).mean() == pytest.approx(values.mean())
    assert np.array_equal(to_square(np.eye(8), 8), np.eye(8))


def test_what_leans_stands_upright():
    leaning = upright(bar(0.4))
    straight = upright(bar(0.0))
    assert np.abs(leaning - straight).mean() < 0.4 * np.abs(bar(0.4) - bar(0.0)).mean()
    assert np.array_equal(upright(np.full((9, 9), 0.3)), np.full((9, 9), 0.3))


def test_lab_histograms_are_those_of_the_slow_twin():
    random = np.random.default_rng(1)
    picture = random.integers(0, 256, size=(8, 8, 3), dtype=np.uint8)
    found = LabHistogram(size=8).fit_transform([picture])[0]
    assert np.allclose(found, slow.lab_shares(picture, 4, 6))
    assert (found**2).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("color", [False, True])
def test_patches_are_those_of_the_slow_twin(color):
    members = pictures(6, side=16)
    method = RandomPatches(n_filters=4, patch=3, grid=3, size=10, color=color, random_state=0).fit(
        members
    )
    assert np.allclose(np.linalg.norm(method.filters_, axis=1), 1.0)
    row = method.transform(members)[2].reshape(9, 4)
    seen = (
        to_square(members[2].astype(np.float64) / 255.0, 10)
        if color
        else gray_square(members[2], 10)[:, :, None]
    )
    responses = []
    for i in range(8):
        for j in range(8):
            patch = seen[i : i + 3, j : j + 3].transpose(2, 0, 1).ravel()
            responses.append(
                slow.patch_response(
                    patch.tolist(), method.mean_, method.whitening_, method.filters_
                )
            )
    assert np.allclose(row, slow.pooled(responses, 8, 3))


def test_whitening_makes_the_patches_nearly_round():
    method = RandomPatches(patch=3, size=16, random_state=0).fit(pictures(30))
    seen = np.concatenate([method._patches(p) for p in pictures(30)])
    off = seen - seen.mean(axis=1, keepdims=True)
    normal = off / np.sqrt((off**2).mean(axis=1, keepdims=True) + 0.01)
    values = np.linalg.eigvalsh(np.cov(((normal - method.mean_) @ method.whitening_).T))
    assert values[-1] < 1.05
    assert values[1] > 0.3  # the first belongs to the mean, which every patch has lost


@pytest.mark.parametrize("kind", ALL)
def test_rows_do_not_depend_on_their_order_or_on_workers(kind):
    members = pictures(40)
    order = np.random.default_rng(1).permutation(40)
    with using(n_jobs=1):
        rows = made(kind).fit_transform(members)
    with using(n_jobs=2):
        again = made(kind).fit_transform(members)
        turned = made(kind).fit_transform(members.take(order))
    assert np.array_equal(rows, again)
    assert np.allclose(turned, rows[order], atol=1e-9)


def test_sizes_that_do_not_go_together_are_refused():
    with pytest.raises(ParameterError, match="size must be a multiple of cell"):
        HOG(cell=5).fit(pictures(2))
    with pytest.raises(ParameterError, match="patch must leave 4 places"):
        RandomPatches(size=8, patch=7).fit(pictures(2))
    with pytest.raises(ParameterError, match="deskew must be False where color is True"):
        RandomPatches(color=True, deskew=True).fit(pictures(2))
    with pytest.raises(DataError, match="all pictures are plain"):
        RandomPatches(random_state=0).fit([np.full((9, 9, 3), 7, dtype=np.uint8)] * 3)

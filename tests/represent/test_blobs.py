"""Blobs: kinds of regions that are known, counts against a loop, how many there are, and new pictures."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.core.pictures import Pictures
from coterie.represent import Blobs, RegionFeatures
from coterie.testing import promises

COLOURS = np.array([[220, 60, 40], [40, 200, 80], [50, 70, 220]])


def plain(kinds: list[int], seed: int = 0) -> np.ndarray:
    """Pictures of one colour each, with a little noise."""
    noise = np.random.default_rng(seed).integers(-6, 7, size=(len(kinds), 64, 96, 3))
    return (COLOURS[kinds][:, None, None] + noise).astype(np.uint8)


def quilts(n: int, seed: int = 0) -> Pictures:
    """Pictures of 24 plain squares in three colours."""
    generator = np.random.default_rng(seed)
    tints = COLOURS[generator.integers(3, size=(n, 4, 6))].repeat(16, axis=1).repeat(16, axis=2)
    return Pictures.of((tints + generator.integers(-6, 7, size=(n, 64, 96, 3))).astype(np.uint8))


@pytest.mark.parametrize("promise", promises(Blobs()), ids=str)
def test_promise(promise):
    promise()


def test_regions_of_known_kinds_are_counted():
    kinds = [0, 1, 2] * 4
    fitted = Blobs(n_blobs=3, random_state=0)
    counts = fitted.fit_transform(Pictures.of(plain(kinds))).toarray()
    own = counts[:3].argmax(axis=1)
    assert sorted(own) == [0, 1, 2]
    assert np.array_equal(counts, 24 * np.eye(3)[own[kinds]])
    halves = np.concatenate([plain([0], 1)[:, :, :48], plain([2], 2)[:, :, 48:]], axis=2)
    assert fitted.transform(halves).toarray()[0, own].tolist() == [12, 0, 12]


def test_every_region_goes_to_the_nearest_center():
    pictures = quilts(6)
    fitted = Blobs(n_blobs=10, random_state=1).fit(pictures)
    regions = RegionFeatures().fit_transform(pictures)
    expected = np.zeros((6, 10))
    for at, own in enumerate(regions):
        for region in (own - fitted.mean_) / fitted.spread_:
            expected[
                at,
                min(
                    range(10), key=lambda blob: float(((region - fitted.centers_[blob]) ** 2).sum())
                ),
            ] += 1
    assert np.array_equal(fitted.transform(pictures).toarray(), expected)
    rows = (regions.values - fitted.mean_) / fitted.spread_
    assert np.allclose(rows.mean(axis=0), 0, atol=1e-9)


def test_without_a_number_there_is_a_blob_for_ten_regions():
    pictures = quilts(10)
    table = Blobs(random_state=0).fit(pictures).represent(pictures)
    assert table.shape == (10, 24)
    assert table.names[:2] == ("blob 1", "blob 2")
    assert table.values.sum(axis=1).tolist() == [24.0] * 10


def test_no_more_blobs_than_regions_that_differ():
    grey = [np.full((8, 12, 3), 90, dtype=np.uint8)] * 4
    assert Blobs(n_blobs=5, random_state=0).fit_transform(grey).toarray().tolist() == [[24.0]] * 4


def test_a_picture_with_too_few_pixels_is_named():
    with pytest.raises(DataError, match="Blobs: picture 0 has 5 x 8 pixels"):
        Blobs().fit([np.zeros((8, 5, 3), dtype=np.uint8)])

"""Regions: thirty numbers against loops, tables of counts, grids that do not divide evenly, and pictures too small."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import pictures as slow

from coterie.core.errors import DataError
from coterie.core.pictures import Pictures
from coterie.represent import RegionFeatures, region_tables
from coterie.represent.regions import FEATURES
from coterie.represent.texture import NAMES
from coterie.testing import promises


def drawn(*sizes: tuple[int, int], seed: int = 0) -> Pictures:
    generator = np.random.default_rng(seed)
    return Pictures.of(
        [generator.integers(0, 256, size=(*size, 3), dtype=np.uint8) for size in sizes]
    )


@pytest.mark.parametrize("promise", promises(RegionFeatures()), ids=str)
def test_promise(promise):
    promise()


def test_every_number_of_every_region_is_its_slow_twin():
    pictures = drawn((9, 13), (10, 7))
    found = RegionFeatures(columns=3, rows=2).fit_transform(pictures)
    assert (len(found), found.dim, found.ordered) == (2, 30, False)
    assert found.names == FEATURES
    for picture, regions in zip(pictures, found, strict=True):
        assert regions.shape == (6, 30)
        assert np.allclose(regions, slow.features(picture, 2, 3), atol=2e-3)


def test_six_columns_and_four_rows_are_the_default():
    assert RegionFeatures().fit_transform(drawn((8, 12), (50, 9))).lengths.tolist() == [24, 24]


def test_a_constant_region_has_no_spread_and_no_skewness():
    plain = np.full((8, 12, 3), [17, 200, 91], dtype=np.uint8)
    values = RegionFeatures().fit_transform([plain]).values
    assert np.isfinite(values).all()
    assert np.allclose(values[:, 18:], 0.0, atol=1e-9)
    assert np.allclose(values[:, :12], 0.0, atol=1e-3)
    assert np.allclose(values[:, 12:15], [17, 200, 91])


def test_tables_count_the_pixels_of_every_region():
    pictures = drawn((9, 14), (20, 12))
    tables = region_tables(pictures, ["a", "b"], colours=2, threshold=30.0)
    inside, colour, texture = (
        tables[pair]
        for pair in (("members", "regions"), ("regions", "region colours"), ("regions", "texture"))
    )
    assert inside.shape == (2, 48)
    assert np.array_equal(inside.counts.toarray(), np.kron(np.eye(2), np.ones(24)))
    assert list(inside.cols) == list(colour.rows) == list(texture.rows)
    assert (inside.cols[0], inside.cols[47]) == ("a 1,1", "b 4,6")
    assert tuple(texture.cols) == NAMES
    for p, picture in enumerate(pictures):
        codes = slow.texture(picture, 30.0)
        cells = [
            (down, across)
            for down in slow.grid(picture.shape[0], 4)
            for across in slow.grid(picture.shape[1], 6)
        ]
        for r, (down, across) in enumerate(cells):
            part = picture[down.start : down.stop, across.start : across.stop]
            counts = colour.counts[[24 * p + r]].toarray().reshape(2, 2, 2)
            assert {tuple(map(int, at)): counts[tuple(at)] for at in np.argwhere(counts)} == dict(
                slow.colours(part, 2)
            )
            own = codes[down.start : down.stop, across.start : across.stop]
            assert np.array_equal(
                texture.counts[[24 * p + r]].toarray()[0], np.bincount(own.ravel(), minlength=13)
            )


def test_a_picture_with_too_few_pixels_is_named():
    pictures = drawn((8, 12), (3, 30))
    for work in (RegionFeatures().fit, lambda seen: region_tables(seen, ["a", "b"])):
        with pytest.raises(
            DataError, match="picture 1 has 30 x 3 pixels, too few for 6 x 4 regions"
        ):
            work(pictures)
    fitted = RegionFeatures().fit(drawn((8, 12)))
    with pytest.raises(DataError, match="picture 0 has 5 x 8 pixels"):
        fitted.transform(drawn((8, 5)))

"""Texture: Gabor filters against sums over frequencies, waves that are known, flat grounds and workers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import pictures as slow

from coterie.core.errors import ParameterError
from coterie.core.pictures import Pictures
from coterie.core.workplace import using
from coterie.represent import Texture
from coterie.represent.texture import ANGLES, FILTERS, NAMES, WAVES, magnitudes, texture_codes
from coterie.testing import promises


def striped(
    wave: float, angle: float, height: float = 40.0, size: tuple[int, int] = (60, 72)
) -> np.ndarray:
    down, right = np.mgrid[0 : size[0], 0 : size[1]]
    turn = np.deg2rad(angle)
    grey = 128 + height * np.sin(2 * np.pi * (right * np.cos(turn) + down * np.sin(turn)) / wave)
    return np.repeat(np.round(grey).astype(np.uint8)[:, :, None], 3, axis=2)


@pytest.mark.parametrize("promise", promises(Texture()), ids=str)
def test_promise(promise):
    promise()


def test_every_filter_is_its_slow_twin():
    picture = np.random.default_rng(0).integers(0, 256, size=(7, 10, 3), dtype=np.uint8)
    expected = slow.waves(picture)
    found = list(magnitudes(picture))
    assert len(found) == len(expected) == 12
    for one, other in zip(found, expected, strict=True):
        assert np.allclose(one, other, atol=1e-3)


def test_every_pixel_has_the_texture_of_its_slow_twin():
    picture = np.random.default_rng(1).integers(70, 170, size=(6, 8, 3), dtype=np.uint8)
    codes = texture_codes(picture, 8.0)
    assert np.array_equal(codes, slow.texture(picture, 8.0))
    assert len(np.unique(codes)) > 2


@pytest.mark.parametrize("wave", WAVES)
@pytest.mark.parametrize("angle", ANGLES)
def test_a_wave_is_found_by_the_filter_of_its_direction_and_length(wave, angle):
    picture = striped(wave, angle)
    heights = [float(np.median(response)) for response in magnitudes(picture)]
    assert FILTERS[int(np.argmax(heights))] == f"stripes of {wave} px, {angle}°"
    assert max(heights) == pytest.approx(40.0, rel=0.08)
    counts = Texture().fit_transform([picture])[0]
    assert NAMES[int(counts.argmax())] == f"stripes of {wave} px, {angle}°"
    assert counts.sum() == picture.shape[0] * picture.shape[1]


def test_a_plain_ground_is_flat_and_the_threshold_says_what_is():
    plain = np.full((20, 30, 3), 200, dtype=np.uint8)
    assert Texture().fit_transform([plain])[0].tolist() == [600.0] + [0.0] * 12
    faint = striped(6, 0, height=5.0)
    assert Texture(threshold=8.0).fit_transform([faint])[0, 0] == faint.shape[0] * faint.shape[1]
    assert (
        Texture(threshold=2.0).fit_transform([faint])[0, 0] < 0.03 * faint.shape[0] * faint.shape[1]
    )


def test_very_small_and_larger_pictures_have_their_pixels_counted():
    generator = np.random.default_rng(2)
    pictures = [
        generator.integers(0, 256, size=size, dtype=np.uint8)
        for size in ((1, 1, 3), (2, 300, 3), (520, 530, 3))
    ]
    counts = Texture().fit_transform(pictures)
    assert counts.sum(axis=1).tolist() == [1, 600, 520 * 530]


def test_workers_change_no_bit():
    generator = np.random.default_rng(3)
    pictures = Pictures.of(
        [generator.integers(0, 256, size=(20 + i, 30, 3), dtype=np.uint8) for i in range(40)]
    )
    results = []
    for jobs in (1, 2):
        with using(n_jobs=jobs):
            results.append(Texture().fit_transform(pictures).tobytes())
    assert results[0] == results[1]


def test_a_negative_threshold_is_refused():
    with pytest.raises(ParameterError, match="threshold"):
        Texture(threshold=-1.0).fit([striped(3, 0)])

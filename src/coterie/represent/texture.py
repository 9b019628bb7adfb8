"""Texture: Gabor filters of four directions and three scales on the luminance, and pictures as counts of the strongest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.represent.pixels import each_picture, luminance

ANGLES = (0, 45, 90, 135)  # degrees in which the brightness changes: 0 for upright stripes
WAVES = (3, 6, 12)  # pixels from stripe to stripe
FILTERS = tuple(f"stripes of {wave} px, {angle}°" for wave in WAVES for angle in ANGLES)
NAMES = ("flat", *FILTERS)
THRESHOLD = 8.0  # of 255 levels of brightness: weaker waves count as flat
_ALONG = (1 / 3) / np.sqrt(
    2 * np.log(2)
)  # spread of a filter in frequency, as a share of its own: one octave at half height
_ACROSS = np.tan(np.pi / 8) / np.sqrt(2 * np.log(2))  # neighbors in direction meet at half height
_MARGIN = 16  # pixels that a picture is mirrored beyond its edges
_SMALL = 2**18  # pixels up to which filters are kept for the next picture of that size


class Texture(Representer):
    """Pictures as counts of pixels by their texture: the strongest of 12 Gabor filters, or flat.

    Four directions and three scales; a pixel whose strongest wave is weaker than the threshold is flat. Nothing is
    learned from the members.
    """

    takes: ClassVar[type] = Pictures

    threshold: float = param(
        THRESHOLD, "Amplitude, of 255 levels of brightness, below which a pixel is flat.", ge=0
    )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the pictures; nothing else is learned."""
        self.check(X)
        self.n_features_out_ = len(NAMES)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Pictures x 13 textures, how many pixels."""
        pictures = self.check(X, new=True)
        rows = each_picture(
            lambda picture: counted(texture_codes(picture, self.threshold), len(NAMES)),
            pictures,
            "texture",
        )
        return np.array(list(rows), dtype=np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """flat, and the distance and direction of the stripes."""
        return np.array(NAMES, dtype=object)


def counted(codes: np.ndarray, width: int) -> np.ndarray:
    """How often each number below `width` occurs."""
    return np.bincount(codes.ravel(), minlength=width)


def texture_codes(picture: np.ndarray, threshold: float) -> np.ndarray:
    """Per pixel 0 where it is flat, else one more than the place of the strongest filter; ties go to the finer one."""
    return strongest(magnitudes(picture), threshold)


def strongest(waves: Iterator[np.ndarray], threshold: float) -> np.ndarray:
    """The texture of every pixel from the magnitudes of the filters, which come one by one."""
    best = next(waves)
    codes = np.ones(best.shape, dtype=np.int64)
    for number, wave in enumerate(waves, start=2):
        better = wave > best
        codes[better] = number
        best = np.maximum(best, wave)
    return np.where(best < np.float64(threshold), 0, codes)


def magnitudes(picture: np.ndarray) -> Iterator[np.ndarray]:
    """The amplitude of each filter's wave at every pixel, filter by filter: a wave like the filter's own gives its height."""
    import scipy.fft

    height, width = picture.shape[:2]
    shape = tuple(scipy.fft.next_fast_len(side + 2 * _MARGIN) for side in (height, width))
    pads = [
        (_MARGIN, full - side - _MARGIN) for full, side in zip(shape, (height, width), strict=True)
    ]
    spectrum = scipy.fft.fft2(np.pad(luminance(picture), pads, mode="symmetric"))
    make = _kept if shape[0] * shape[1] <= _SMALL else gabor
    for number in range(len(FILTERS)):
        response = scipy.fft.ifft2(spectrum * make(shape[0], shape[1], number), overwrite_x=True)
        yield np.abs(response[_MARGIN : _MARGIN + height, _MARGIN : _MARGIN + width])


def gabor(height: int, width: int, number: int) -> np.ndarray:
    """One filter in the frequencies of a picture of this size: a Gaussian bump beside zero, without any answer to a constant."""
    wave = WAVES[number // len(ANGLES)]
    angle = np.deg2rad(ANGLES[number % len(ANGLES)])
    down = np.fft.fftfreq(height)[:, None]
    right = np.fft.fftfreq(width)[None, :]
    along = right * np.cos(angle) + down * np.sin(angle)
    across = down * np.cos(angle) - right * np.sin(angle)
    f = 1.0 / wave
    bump = np.exp(-0.5 * (((along - f) / (_ALONG * f)) ** 2 + (across / (_ACROSS * f)) ** 2))
    middle = np.exp(
        -0.5 * ((along / (_ALONG * f)) ** 2 + (across / (_ACROSS * f)) ** 2 + (1 / _ALONG) ** 2)
    )
    return np.asarray(2.0 * (bump - middle), dtype=np.float32)


_kept = lru_cache(maxsize=8 * len(FILTERS))(gabor)

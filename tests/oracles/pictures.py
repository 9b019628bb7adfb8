"""Pictures pixel by pixel: colours, Lab, Gabor filters by sums over frequencies, and regions by loops."""

from __future__ import annotations

import cmath
import math
from collections import Counter

import numpy as np
from scipy.fft import next_fast_len

WAVES = (3, 6, 12)
ANGLES = (0, 45, 90, 135)
MARGIN = 16


def colours(picture: np.ndarray, bins: int) -> Counter[tuple[int, int, int]]:
    """How many pixels have which bins of red, green and blue."""
    return Counter(tuple(int(v) * bins // 256 for v in pixel) for row in picture for pixel in row)


def lab(red: int, green: int, blue: int) -> tuple[float, float, float]:
    """CIE L, a, b of one pixel of sRGB, light D65."""
    r, g, b = (
        v / 255 / 12.92 if v / 255 <= 0.04045 else ((v / 255 + 0.055) / 1.055) ** 2.4
        for v in (red, green, blue)
    )
    x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.9504700
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.0888300
    fx, fy, fz = (
        t ** (1 / 3) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29 for t in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def grid(size: int, parts: int) -> list[range]:
    """Equal stretches; what is left over is in the last."""
    step = size // parts
    return [range(p * step, size if p == parts - 1 else (p + 1) * step) for p in range(parts)]


def waves(picture: np.ndarray) -> list[np.ndarray]:
    """The amplitude of each filter at each pixel, by transforms that are written out as sums."""
    height, width = picture.shape[:2]
    tall = next_fast_len(height + 2 * MARGIN)
    wide = next_fast_len(width + 2 * MARGIN)
    whole = np.empty((tall, wide))
    for i in range(tall):
        for j in range(wide):
            r, g, b = (
                float(v)
                for v in picture[_mirrored(i - MARGIN, height), _mirrored(j - MARGIN, width)]
            )
            whole[i, j] = 0.299 * r + 0.587 * g + 0.114 * b
    down = _sums(tall)
    across = _sums(wide)
    spectrum = down @ whole @ across
    found = []
    for wave in WAVES:
        for angle in ANGLES:
            bump = np.array(
                [
                    [
                        _bump(_frequency(i, tall), _frequency(j, wide), wave, angle)
                        for j in range(wide)
                    ]
                    for i in range(tall)
                ]
            )
            back = np.conj(down) @ (spectrum * bump) @ np.conj(across) / (tall * wide)
            found.append(np.abs(back[MARGIN : MARGIN + height, MARGIN : MARGIN + width]))
    return found


def _mirrored(at: int, size: int) -> int:
    at %= 2 * size
    return at if at < size else 2 * size - 1 - at


def _sums(n: int) -> np.ndarray:
    return np.array([[cmath.exp(-2j * math.pi * i * j / n) for j in range(n)] for i in range(n)])


def _frequency(at: int, n: int) -> float:
    return (at if at < (n + 1) // 2 else at - n) / n


def _bump(v: float, u: float, wave: int, angle: int) -> float:
    f = 1 / wave
    turn = math.radians(angle)
    along = u * math.cos(turn) + v * math.sin(turn)
    across = v * math.cos(turn) - u * math.sin(turn)
    a = f * (1 / 3) / math.sqrt(2 * math.log(2))
    b = f * math.tan(math.pi / 8) / math.sqrt(2 * math.log(2))
    side = math.exp(-(across**2) / (2 * b**2))
    at_zero = math.exp(-(f**2) / (2 * a**2)) * math.exp(-(along**2) / (2 * a**2))
    return 2 * side * (math.exp(-((along - f) ** 2) / (2 * a**2)) - at_zero)


def texture(picture: np.ndarray, threshold: float) -> np.ndarray:
    """0 for flat, else one more than the place of the strongest filter."""
    found = waves(picture)
    codes = np.zeros(picture.shape[:2], dtype=int)
    for i in range(picture.shape[0]):
        for j in range(picture.shape[1]):
            heights = [wave[i, j] for wave in found]
            if max(heights) >= threshold:
                codes[i, j] = 1 + heights.index(max(heights))
    return codes


def features(picture: np.ndarray, rows: int, columns: int) -> list[list[float]]:
    """Thirty numbers of every region."""
    found = []
    answers = waves(picture)
    for down in grid(picture.shape[0], rows):
        for across in grid(picture.shape[1], columns):
            pixels = [tuple(int(v) for v in picture[i, j]) for i in down for j in across]
            channels = list(zip(*[(*pixel, *lab(*pixel)) for pixel in pixels], strict=True))
            textures = [
                float(np.mean([wave[i, j] for i in down for j in across])) for wave in answers
            ]
            moments = [_moments(channel) for channel in channels]
            found.append(
                [
                    *textures,
                    *(m[0] for m in moments),
                    *(m[1] for m in moments),
                    *(m[2] for m in moments),
                ]
            )
    return found


def _moments(values: tuple[float, ...]) -> tuple[float, float, float]:
    n = len(values)
    mean = sum(values) / n
    spread = math.sqrt(sum((v - mean) ** 2 for v in values) / n)
    return (
        mean,
        spread,
        0.0 if spread < 1e-6 else sum((v - mean) ** 3 for v in values) / n / spread**3,
    )

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


def gradients(gray: list[list[float]], cell: int, bins: int) -> list[float]:
    """Histograms of oriented gradients of a square of gray, pixel by pixel and block by block."""
    size = len(gray)
    many = size // cell
    cells = [[[0.0] * bins for _ in range(many)] for _ in range(many)]
    for i in range(size):
        for j in range(size):
            up, down = max(i - 1, 0), min(i + 1, size - 1)
            left, right = max(j - 1, 0), min(j + 1, size - 1)
            dy = (gray[down][j] - gray[up][j]) / (down - up)
            dx = (gray[i][right] - gray[i][left]) / (right - left)
            place = (math.atan2(dy, dx) % math.pi) / math.pi * bins
            low = int(place) % bins
            share = place - int(place)
            strength = math.hypot(dx, dy)
            cells[i // cell][j // cell][low] += strength * (1 - share)
            cells[i // cell][j // cell][(low + 1) % bins] += strength * share
    found = []
    for i in range(many - 1):
        for j in range(many - 1):
            block = [v for a in (0, 1) for b in (0, 1) for v in cells[i + a][j + b]]
            for limit in (0.2, math.inf):
                length = math.sqrt(sum(v * v for v in block) + 0.01)
                block = [min(v / length, limit) for v in block]
            found += block
    return found


def lab_shares(picture: np.ndarray, lightness: int, bins: int) -> list[float]:
    """The root of the share of pixels in every bin of L, a and b."""
    counts: Counter[int] = Counter()
    pixels = picture.reshape(-1, 3)
    for pixel in pixels:
        light, a, b = lab(*(int(v) for v in pixel))
        codes = [
            min(max(math.floor(value * many), 0), many - 1)
            for value, many in (
                (light / 100, lightness),
                ((a + 60) / 120, bins),
                ((b + 60) / 120, bins),
            )
        ]
        counts[(codes[0] * bins + codes[1]) * bins + codes[2]] += 1
    return [math.sqrt(counts[code] / len(pixels)) for code in range(lightness * bins * bins)]


def patch_response(
    patch: list[float], mean: np.ndarray, whitening: np.ndarray, filters: np.ndarray
) -> list[float]:
    """What every filter says of one patch: normalized, whitened, inner product."""
    middle = sum(patch) / len(patch)
    off = [value - middle for value in patch]
    contrast = math.sqrt(sum(value * value for value in off) / len(off) + 0.01)
    normal = [value / contrast - m for value, m in zip(off, mean, strict=True)]
    white = [sum(v * w for v, w in zip(normal, column, strict=True)) for column in whitening.T]
    return [sum(v * w for v, w in zip(white, own, strict=True)) for own in filters]


def pooled(responses: list[list[float]], side: int, grid: int) -> list[list[float]]:
    """Per cell of a grid over side x side places, the root of the mean response over a limit; cells may share places."""
    high = []
    for row in responses:
        mean = sum(row) / len(row)
        spread = math.sqrt(sum((v - mean) ** 2 for v in row) / len(row))
        high.append([max(v - mean - 0.5 * spread, 0.0) for v in row])
    width = side / grid
    found = []
    for a in range(grid):
        for b in range(grid):
            total = [0.0] * len(high[0])
            for i in range(side):
                tall = max(0.0, min((a + 1) * width, i + 1) - max(a * width, i))
                for j in range(side):
                    wide = max(0.0, min((b + 1) * width, j + 1) - max(b * width, j))
                    for f, v in enumerate(high[i * side + j]):
                        total[f] += v * tall * wide
            found.append([math.sqrt(v / width**2) for v in total])
    return found

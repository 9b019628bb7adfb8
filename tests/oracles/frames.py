"""Short-time features step by step: loops over frames and samples, the transform by its sum, prediction by a linear system."""

from __future__ import annotations

import cmath
import math

import numpy as np

SCALE = 32768.0
FLOOR = 1.0


def framed(samples: np.ndarray, window: int, step: int) -> list[list[float]]:
    """Every whole window, in 16-bit units; a short recording is filled up with zeros."""
    x = [float(v) * SCALE for v in samples]
    if len(x) < window:
        return [x + [0.0] * (window - len(x))]
    return [x[a : a + window] for a in range(0, len(x) - window + 1, step)]


def hamming(n: int) -> list[float]:
    return [0.54 - 0.46 * math.cos(2 * math.pi * t / (n - 1)) for t in range(n)]


def prepared(frame: list[float], coefficient: float) -> list[float]:
    """Pre-emphasis and window."""
    first = [frame[0] - coefficient * frame[0]]
    rest = [frame[t] - coefficient * frame[t - 1] for t in range(1, len(frame))]
    return [v * w for v, w in zip(first + rest, hamming(len(frame)), strict=True)]


def magnitudes(frame: list[float]) -> list[float]:
    """|sum_t x_t exp(-2 pi i k t / N)| for k up to N / 2, N the power of two that holds the frame."""
    n = 1
    while n < len(frame):
        n *= 2
    return [
        abs(sum(x * cmath.exp(-2j * math.pi * k * t / n) for t, x in enumerate(frame)))
        for k in range(n // 2 + 1)
    ]


def to_mel(hz: float) -> float:
    return 1127 * math.log(1 + hz / 700)


def mel_filter(j: int, hz: float, chans: int, low: float, high: float) -> float:
    """The height at a frequency of triangle j (from 1), whose corners are equally spaced in mel."""
    width = (to_mel(high) - to_mel(low)) / (chans + 1)
    middle = to_mel(low) + j * width
    return max(0.0, 1 - abs(to_mel(hz) - middle) / width)


def log_filters(
    frame: list[float], rate: float, chans: int, low: float, high: float, power: bool
) -> list[float]:
    found = magnitudes(frame)
    bins = [(k * rate / (2 * (len(found) - 1)), m**2 if power else m) for k, m in enumerate(found)]
    totals = [
        sum(mel_filter(j, hz, chans, low, high) * m for hz, m in bins) for j in range(1, chans + 1)
    ]
    return [math.log(max(total, FLOOR)) for total in totals]


def cosine_cepstra(logs: list[float], n_ceps: int) -> list[float]:
    """c0, c1, ... by the sum of cosines."""
    n = len(logs)
    return [
        math.sqrt(2 / n)
        * sum(m * math.cos(math.pi * i / n * (j - 0.5)) for j, m in enumerate(logs, start=1))
        for i in range(n_ceps + 1)
    ]


def liftered(cepstra: list[float], length: int) -> list[float]:
    """c0 stays, the others are weighted."""
    if length == 0:
        return cepstra
    return [
        c * (1 + length / 2 * math.sin(math.pi * n / length)) if n else c
        for n, c in enumerate(cepstra)
    ]


def predicted(lags: list[float], order: int) -> tuple[list[float], float]:
    """Coefficients of A(z) from the normal equations, solved as any linear system, and the energy of the error."""
    lags = [max(lags[0], FLOOR), *lags[1:]]
    system = np.array([[lags[abs(i - j)] for j in range(order)] for i in range(order)])
    found = np.linalg.solve(system, -np.array(lags[1 : order + 1]))
    return found.tolist(), lags[0] + sum(a * r for a, r in zip(found, lags[1:], strict=False))


def autocorrelated(frame: list[float], order: int) -> list[float]:
    return [sum(frame[t] * frame[t + k] for t in range(len(frame) - k)) for k in range(order + 1)]


def spectral_cepstra(
    coefficients: list[float], error: float, n_ceps: int, points: int = 65536
) -> list[float]:
    """c0 = ln error, and the cepstrum of 1 / A(z) as the inverse transform of its logarithm on a fine grid."""
    polynomial = np.fft.fft([1.0, *coefficients], points)
    found = np.fft.ifft(-np.log(np.abs(polynomial))).real
    return [math.log(error), *(2 * found[1 : n_ceps + 1])]


def to_bark(hz: float) -> float:
    return 6 * math.log(hz / 600 + math.sqrt((hz / 600) ** 2 + 1))


def masking(difference: float) -> float:
    """The masking curve; `difference` is the band's center less the frequency, in Bark."""
    if difference < -1.3 or difference > 2.5:
        return 0.0
    if difference < -0.5:
        return 10 ** (2.5 * (difference + 0.5))
    return 1.0 if difference <= 0.5 else 10 ** -(difference - 0.5)


def auditory_lags(
    frame: list[float], rate: float, low: float, high: float, order: int
) -> list[float]:
    """Critical bands, equal loudness, cube root, both ends copied, inverse transform of the even spectrum."""
    powers = [
        m**2 for m in magnitudes([v * w for v, w in zip(frame, hamming(len(frame)), strict=True)])
    ]
    bands = math.ceil(to_bark(high) - to_bark(low)) + 1
    heard = []
    for b in range(bands):
        center = to_bark(low) + b * (to_bark(high) - to_bark(low)) / (bands - 1)
        hz = 600 * math.sinh(center / 6)
        total = sum(
            masking(center - to_bark(k * rate / (2 * (len(powers) - 1)))) * power
            for k, power in enumerate(powers)
        )
        loud = hz**4 * (hz**2 + 1.44e6) / ((hz**2 + 1.6e5) ** 2 * (hz**2 + 9.61e6))
        heard.append(total * loud)
    heard = [heard[1], *heard[1:-1], heard[-2]]
    loudness = [max(v, FLOOR) ** (1 / 3) for v in heard]
    whole = loudness + loudness[-2:0:-1]
    n = len(whole)
    return [
        sum(v * math.cos(2 * math.pi * k * t / n) for k, v in enumerate(whole)) / n
        for t in range(order + 1)
    ]


def differenced(rows: list[list[float]], window: int) -> list[list[float]]:
    """Regression slopes, the first and the last row repeated beyond the ends."""
    bottom = 2 * sum(s * s for s in range(1, window + 1))
    last = len(rows) - 1
    return [
        [
            sum(
                s * (rows[min(t + s, last)][d] - rows[max(t - s, 0)][d])
                for s in range(1, window + 1)
            )
            / bottom
            for d in range(len(rows[0]))
        ]
        for t in range(len(rows))
    ]


def family(frame: list[float], base: str, rate: float, given: dict) -> list[float]:
    """c0 (where there is one) and the coefficients of one frame."""
    ready = prepared(frame, given["preem_coef"])
    low, high, order, n_ceps = *given["band"], given["lpc_order"], given["num_ceps"]
    if base in ("MFCC", "FBANK"):
        logs = log_filters(ready, rate, given["num_chans"], low, high, given["use_power"])
        return (
            [0.0, *logs]
            if base == "FBANK"
            else liftered(cosine_cepstra(logs, n_ceps), given["cep_lifter"])
        )
    if base == "PLP":
        found, error = predicted(auditory_lags(frame, rate, low, high, order), order)
    else:
        found, error = predicted(autocorrelated(ready, order), order)
    if base == "LPC":
        return [error, *found]
    return liftered(spectral_cepstra(found, error, n_ceps), given["cep_lifter"])


def features(samples: np.ndarray, rate: float, kind: str, given: dict) -> np.ndarray:
    """The features of one recording for one family with its qualifiers."""
    base, *letters = kind.split("_")
    frames = framed(samples, given["window"], given["step"])
    rows = []
    for frame in frames:
        coefficients = family(frame, base, rate, given)
        rows.append(coefficients[1:] + ([coefficients[0]] if "0" in letters else []))
    if "Z" in letters:
        means = [sum(row[d] for row in rows) / len(rows) for d in range(len(rows[0]))]
        rows = [[v - m for v, m in zip(row, means, strict=True)] for row in rows]
    if "E" in letters:
        energies = [math.log(max(sum(v * v for v in frame), FLOOR)) for frame in frames]
        if given["normalize_energy"]:
            top = max(energies)
            energies = [1 - 0.1 * (top - max(e, top - 50 * math.log(10) / 10)) for e in energies]
        rows = [[*row, e] for row, e in zip(rows, energies, strict=True)]
    delta = differenced(rows, given["delta_window"])
    second = differenced(delta, given["acc_window"])
    wanted = [rows, *([delta] if "D" in letters else []), *([second] if "A" in letters else [])]
    return np.concatenate([np.array(part) for part in wanted], axis=1)

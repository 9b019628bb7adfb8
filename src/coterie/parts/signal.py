"""Signals: frames of waveforms, mel and Bark filters, linear prediction, cepstra and differences; every formula once."""

from __future__ import annotations

import numpy as np

_LEAST_ERROR = (
    1e-12  # of the energy of a frame: below it nothing is left to predict, and rounding would rule
)


def frame_counts(lengths: np.ndarray, window: int, step: int) -> np.ndarray:
    """How many whole windows fit, one every `step` samples; one where the recording is shorter than a window.

    >>> frame_counts(np.array([100, 200, 279, 280]), 200, 80).tolist()
    [1, 1, 1, 2]
    """
    return np.asarray(np.maximum(1, (np.asarray(lengths) - window) // step + 1))


def cut(samples: np.ndarray, starts: np.ndarray, ends: np.ndarray, window: int) -> np.ndarray:
    """Windows that begin at `starts` of one flat array, one per row; what lies beyond `ends` is zero."""
    inside = starts + window <= ends
    if inside.all():
        return np.array(np.lib.stride_tricks.sliding_window_view(samples, window)[starts])
    places = starts[:, None] + np.arange(window)
    return np.asarray(
        np.where(places < ends[:, None], samples[np.minimum(places, ends[:, None] - 1)], 0.0)
    )


def emphasized(frames: np.ndarray, coefficient: float) -> np.ndarray:
    """x_t - k x_{t-1} inside every frame; the sample before the first one is taken to equal it.

    >>> emphasized(np.array([[1.0, 1.0, 3.0]]), 0.5).tolist()
    [[0.5, 0.5, 2.5]]
    """
    out = np.empty_like(frames)
    out[:, 1:] = frames[:, 1:] - coefficient * frames[:, :-1]
    out[:, 0] = (1.0 - coefficient) * frames[:, 0]
    return out


def spectrum(frames: np.ndarray, n_fft: int, power: bool) -> np.ndarray:
    """Magnitudes (or their squares) of the discrete Fourier transform, at n_fft / 2 + 1 frequencies."""
    found = np.fft.rfft(frames, n_fft, axis=1)
    squared = found.real**2 + found.imag**2
    return np.asarray(squared if power else np.sqrt(squared))


def mel(hertz: np.ndarray | float) -> np.ndarray:
    """The mel scale, 1127 ln(1 + f / 700).

    >>> float(mel(1000.0).round(1))
    1000.0
    """
    return np.asarray(1127.0 * np.log1p(np.asarray(hertz) / 700.0))


def bark(hertz: np.ndarray | float) -> np.ndarray:
    """The Bark scale, 6 arsinh(f / 600)."""
    return np.asarray(6.0 * np.arcsinh(np.asarray(hertz) / 600.0))


def triangles(n_filters: int, n_fft: int, rate: float, low: float, high: float) -> np.ndarray:
    """Triangular filters (frequencies, filters), equally spaced and straight on the mel scale, overlapping by half."""
    edges = np.linspace(mel(low), mel(high), n_filters + 2)
    at = mel(np.arange(n_fft // 2 + 1) * (rate / n_fft))[:, None]
    rising = (at - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - at) / (edges[2:] - edges[1:-1])
    return np.asarray(np.maximum(0.0, np.minimum(rising, falling)))


def critical_centers(low: float, high: float) -> np.ndarray:
    """Center frequencies in Hz from `low` to `high`, equally spaced on the Bark scale, at most one Bark apart."""
    first = float(bark(low))
    last = float(bark(high))
    return np.asarray(
        600.0 * np.sinh(np.linspace(first, last, int(np.ceil(last - first)) + 1) / 6.0)
    )


def critical_bands(centers: np.ndarray, n_fft: int, rate: float) -> np.ndarray:
    """Masking curves (frequencies, bands): flat over one Bark, 10 dB per Bark below their center and 25 dB above it."""
    at = bark(np.arange(n_fft // 2 + 1) * (rate / n_fft))[:, None]
    apart = bark(centers) - at  # positive where the frequency lies below the center
    steep = 10.0 ** (2.5 * (apart + 0.5))
    slow = 10.0 ** (0.5 - apart)
    curve = np.where(apart < -0.5, steep, np.where(apart > 0.5, slow, 1.0))
    return np.asarray(np.where((apart >= -1.3) & (apart <= 2.5), curve, 0.0))


def equal_loudness(hertz: np.ndarray) -> np.ndarray:
    """How loud a frequency sounds at 40 dB, as a factor of its power."""
    square = np.asarray(hertz, dtype=np.float64) ** 2
    return np.asarray((square / (square + 1.6e5)) ** 2 * (square + 1.44e6) / (square + 9.61e6))


def cosines(n_filters: int, n_ceps: int) -> np.ndarray:
    """The cosine transform (filters, 1 + n_ceps) that turns logarithms of filters into cepstra; column 0 gives c0."""
    phase = np.pi * np.outer(np.arange(n_filters) + 0.5, np.arange(n_ceps + 1)) / n_filters
    return np.asarray(np.sqrt(2.0 / n_filters) * np.cos(phase))


def lifter(n_ceps: int, length: int) -> np.ndarray:
    """Weights 1 + L/2 sin(pi n / L) of c1 ... cn, which bring cepstra to comparable size; ones where L is 0."""
    return (
        np.ones(n_ceps)
        if length == 0
        else 1.0 + length / 2 * np.sin(np.pi * np.arange(1, n_ceps + 1) / length)
    )


def autocorrelation(frames: np.ndarray, order: int) -> np.ndarray:
    """Sums of x_t x_{t+k} for k from 0 to `order`, one row per frame."""
    width = frames.shape[1]
    lags = [
        np.einsum("ij,ij->i", frames[:, : max(width - k, 0)], frames[:, k:])
        for k in range(order + 1)
    ]
    return np.stack(lags, axis=1)


def levinson(correlations: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients a1 ... ap of A(z) = 1 + sum a_k z^-k that predict best, and the energy of the error, row by row.

    A row whose error has fallen below 1e-12 of its energy is predicted perfectly; its recursion ends there.
    """
    found = np.zeros((len(correlations), order))
    error = correlations[:, 0].copy()
    least = _LEAST_ERROR * np.abs(error)
    for m in range(order):
        miss = correlations[:, m + 1] + np.einsum("ij,ij->i", found[:, :m], correlations[:, m:0:-1])
        going = error > least
        reflection = -np.divide(miss, error, out=np.zeros_like(miss), where=going)
        found[:, :m] += reflection[:, None] * found[:, :m][:, ::-1].copy()
        found[:, m] = reflection
        error *= 1.0 - reflection**2
    return found, np.maximum(error, least)


def prediction_cepstra(coefficients: np.ndarray, error: np.ndarray, n_ceps: int) -> np.ndarray:
    """c0 ... cn of the spectrum of error / |A(z)|^2, by recursion: c_n = -a_n - sum_k (k / n) c_k a_{n-k}; c0 = ln error."""
    order = coefficients.shape[1]
    out = np.zeros((len(coefficients), n_ceps + 1))
    out[:, 0] = np.log(error)
    for n in range(1, n_ceps + 1):
        first = max(1, n - order)
        k = np.arange(first, n)
        total = np.einsum("ij,ij,j->i", out[:, first:n], coefficients[:, n - k - 1], k / n)
        out[:, n] = -total - (coefficients[:, n - 1] if n <= order else 0.0)
    return out


def differences(values: np.ndarray, offsets: np.ndarray, window: int) -> np.ndarray:
    """Slopes of a regression over `window` frames on both sides; the first and last frame of a member repeat beyond it.

    >>> differences(np.arange(6.0)[:, None], np.array([0, 6]), 1)[:, 0].tolist()
    [0.5, 1.0, 1.0, 1.0, 1.0, 0.5]
    """
    counts = np.diff(offsets)
    first = np.repeat(offsets[:-1], counts)
    last = np.repeat(offsets[1:] - 1, counts)
    at = np.arange(len(values))
    out = np.zeros_like(values)
    for shift in range(1, window + 1):
        out += shift * (
            values[np.minimum(at + shift, last)] - values[np.maximum(at - shift, first)]
        )
    return out / (2.0 * sum(shift**2 for shift in range(1, window + 1)))

"""What can be measured of sequences, sets, recordings and pictures at once, and what low and high values are called.

By these a person tells groups apart without knowing how they were found: "short, low", "dark, round", "rising".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.parts.sequences import filled
from coterie.workflows.key_features import AttributeWords

_FRAME = 1024  # samples of a recording whose spectrum is taken
_FRAMES = 24  # of a recording, evenly spread
_PITCH = (60.0, 1000.0)  # Hz
_VOICED = 0.3  # autocorrelation from which there is a pitch
_NEARLY = 0.85  # of the highest peak
_PIXELS = 64  # longest edge at which a picture is looked at
_COLORED = 0.15  # chroma from which a pixel has a hue
_HUES = {  # degrees
    "red": (330.0, 20.0),
    "yellow": (20.0, 70.0),
    "green": (70.0, 170.0),
    "blue": (170.0, 260.0),
    "purple": (260.0, 330.0),
}


@dataclass(frozen=True, eq=False)
class Measurements:
    """Members x what was measured of them, and what low and high values are called; an empty word names no group."""

    table: Table
    words: AttributeWords


def measure_traces(sequences: Ragged) -> Measurements:
    """Length, mean, spread, change per step and rise of sequences; number, mean and spread of sets."""
    sequences = filled(sequences)
    n = len(sequences)
    lengths = np.maximum(sequences.lengths, 1)
    known = list(getattr(sequences, "names", ()))
    single = sequences.dim == 1 and not known
    dims = known or [f"dimension {d + 1}" for d in range(sequences.dim)]
    dims = ["value"] if single else dims
    owner = np.repeat(np.arange(n), sequences.lengths)
    mean = _sum_by(owner, sequences.values, n) / lengths[:, None]
    off = sequences.values - mean[owner]
    spread = np.sqrt(_sum_by(owner, off**2, n) / lengths[:, None])
    columns = [sequences.lengths.astype(float)[:, None], mean, spread]
    called = ["" if single else f"{dim.replace('_', ' ')} " for dim in dims]
    means = {
        f"mean of {dim}": (f"{own}low", f"{own}high") for dim, own in zip(dims, called, strict=True)
    }
    if not sequences.ordered:
        names = ["number of vectors", *means, *(f"spread of {dim}" for dim in dims)]
        words = {"number of vectors": ("few vectors", "many vectors"), **means}
        for dim, own in zip(dims, called, strict=True):
            words[f"spread of {dim}"] = (f"{own}narrow", f"{own}wide")
        return Measurements(Table(np.hstack(columns), tuple(names)), words)
    inner = owner[1:] == owner[:-1]
    steps = np.abs(np.diff(sequences.values, axis=0))[inner]
    columns.append(_sum_by(owner[1:][inner], steps, n) / np.maximum(lengths - 1, 1)[:, None])
    time = np.arange(len(owner)) - np.repeat(sequences.offsets[:-1], sequences.lengths)
    time = time - (lengths[owner] - 1) / 2
    slope = _sum_by(owner, off * time[:, None], n) / np.maximum(
        _sum_by(owner, time[:, None] ** 2, n), 1e-12
    )
    columns.append(slope * (lengths - 1)[:, None])
    names = ["length", *means]
    words = {"length": ("short", "long"), **means}
    for what, low, high in (
        ("spread", "steady", "varied"),
        ("change per step", "smooth", "jagged"),
        ("rise", "falling", "rising"),
    ):
        for dim, own in zip(dims, called, strict=True):
            names.append(f"{what} of {dim}")
            words[names[-1]] = (f"{own}{low}", f"{own}{high}")
    return Measurements(Table(np.hstack(columns), tuple(names)), words)


def _sum_by(owner: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """The sums of the rows of each owner."""
    total = np.zeros((n, values.shape[1]))
    np.add.at(total, owner, values)
    return total


def measure_sound(sound: Ragged) -> Measurements:
    """What can be heard at once: how long a recording is, how loud, how high, how bright and how noisy.

    Pitch is the strongest period of the autocorrelation between 60 and 1000 Hz, brightness the center of gravity of the
    power spectrum, noisiness the ratio of its geometric to its arithmetic mean; each over frames spread over the recording,
    weighted by their power.
    """
    seconds = np.maximum(sound.lengths, 1) / sound.rate
    rows = [_heard(sound[at][:, 0], float(sound.rate)) for at in range(len(sound))]
    names = ("seconds", "loudness in dB", "pitch in Hz", "spectral centroid in Hz", "noisiness")
    words = {
        "seconds": ("short", "long"),
        "loudness in dB": ("quiet", "loud"),
        "pitch in Hz": ("low", "high"),
        "spectral centroid in Hz": ("dull", "bright"),
        "noisiness": ("clear", "noisy"),
    }
    return Measurements(Table(np.column_stack([seconds, np.array(rows)]), names), words)


def _heard(wave: np.ndarray, rate: float) -> tuple[float, float, float, float]:
    """Loudness in dB, pitch and centroid in Hz, noisiness; NaN for what silence has not."""
    power = float(np.mean(wave**2)) if len(wave) else 0.0
    loudness = 10 * float(np.log10(max(power, 1e-12)))
    size = min(_FRAME, len(wave))
    if power <= 1e-12 or size < 32:
        return loudness, np.nan, np.nan, np.nan
    starts = np.unique(np.linspace(0, len(wave) - size, _FRAMES).astype(np.int64))
    frames = wave[starts[:, None] + np.arange(size)] * np.hanning(size)
    spectrum = np.abs(np.fft.rfft(frames, 2 * size, axis=1)) ** 2
    weight = spectrum.sum(axis=1)
    weight = weight / weight.sum()
    hertz = np.fft.rfftfreq(2 * size, 1 / rate)
    mean = weight @ (spectrum / np.maximum(spectrum.sum(axis=1, keepdims=True), 1e-30))
    center = float((mean * hertz).sum())
    floor = 1e-12 * float(spectrum.max()) + 1e-30
    flat = np.exp(np.log(spectrum + floor).mean(axis=1)) / (spectrum + floor).mean(axis=1)
    lags = np.fft.irfft(spectrum, axis=1)[:, :size]
    window = np.correlate(np.hanning(size), np.hanning(size), "full")[size - 1 :]
    alike = weight @ (lags / np.maximum(lags[:, :1], 1e-30))
    pitch = _pitch(alike / np.maximum(window / window[0], 0.05), rate)
    return loudness, pitch, center, float(weight @ flat)


def _pitch(alike: np.ndarray, rate: float) -> float:
    """Of the peaks of an autocorrelation that are nearly as high as the highest, the one with the shortest period; else NaN."""
    low, high = (int(rate / limit) for limit in (_PITCH[1], _PITCH[0]))
    lags = np.arange(max(low, 2), min(high, len(alike) - 2) + 1)
    if not len(lags):
        return np.nan
    here = alike[lags]
    peaks = (here > alike[lags - 1]) & (here >= alike[lags + 1]) & (here >= _VOICED)
    if not peaks.any():
        return np.nan
    return rate / int(lags[peaks & (here >= _NEARLY * here[peaks].max())][0])


def measure_pictures(pictures: Pictures) -> Measurements:
    """What can be seen at once: brightness, contrast, color, and the form of what differs from the edge.

    The figure is how far each pixel is from the mean of the edge; its elongation is one minus the ratio of the shorter to
    the longer axis of its ellipse of inertia, its height the logarithm of its extent from top to bottom over that from side
    to side.
    """
    rows = np.array([_seen(picture) for picture in pictures])
    names = (
        "brightness",
        "contrast",
        "color",
        *(f"share of {hue}" for hue in _HUES),
        "elongation",
        "height to width",
        "detail",
    )
    words = {
        "brightness": ("dark", "bright"),
        "contrast": ("low contrast", "high contrast"),
        "color": ("gray", "colorful"),
        **{f"share of {hue}": ("", hue) for hue in _HUES},
        "elongation": ("round", "long"),
        "height to width": ("wide", "tall"),
        "detail": ("smooth", "detailed"),
    }
    return Measurements(Table(rows, names), words)


def _seen(picture: np.ndarray) -> list[float]:
    """The attributes of one picture."""
    step = max(1, -(-max(picture.shape[:2]) // _PIXELS))
    colors = picture[::step, ::step].astype(np.float64) / 255
    light = colors @ np.array([0.299, 0.587, 0.114])
    most = colors.max(axis=2)
    chroma = most - colors.min(axis=2)
    red, green, blue = colors[..., 0], colors[..., 1], colors[..., 2]
    some = np.maximum(chroma, 1e-12)
    hue = np.where(
        most == red,
        (green - blue) / some % 6,
        np.where(most == green, (blue - red) / some + 2, (red - green) / some + 4),
    )
    hue = 60 * hue
    colored = chroma >= _COLORED
    shares = []
    for low, high in _HUES.values():
        inside = (hue >= low) & (hue < high) if low < high else (hue >= low) | (hue < high)
        shares.append(float((inside & colored).mean()))
    edge = np.concatenate([light[0], light[-1], light[:, 0], light[:, -1]]).mean()
    figure = np.abs(light - edge)
    y, x = np.indices(light.shape)
    total = max(float(figure.sum()), 1e-12)
    y = y - (figure * y).sum() / total
    x = x - (figure * x).sum() / total
    yy, xx, xy = (float((figure * part).sum()) / total for part in (y * y, x * x, x * y))
    root = float(np.hypot((yy - xx) / 2, xy))
    long, short = (yy + xx) / 2 + root, max((yy + xx) / 2 - root, 0.0)
    elongation = 1 - float(np.sqrt(short / long)) if long > 1e-9 else 0.0
    height = 0.5 * float(np.log((yy + 1e-3) / (xx + 1e-3)))
    down = np.abs(np.diff(light, axis=0)).mean() if len(light) > 1 else 0.0
    across = np.abs(np.diff(light, axis=1)).mean() if light.shape[1] > 1 else 0.0
    detail = float(down + across) / max(float(light.std()), 1e-3)
    return [
        float(light.mean()),
        float(light.std()),
        float(chroma.mean()),
        *shares,
        elongation,
        height,
        detail,
    ]

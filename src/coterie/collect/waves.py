"""Waves: samples of sound files; soundfile reads all formats, and .wav is read without it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from coterie.core.errors import DataError, MissingExtra, need

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".aif")
_LEVELS = {
    "u1": 128.0,
    "i2": 2.0**15,
    "i4": 2.0**31,
    "i8": 2.0**63,
}  # what a full amplitude is, by the type of a .wav


@dataclass(frozen=True, slots=True)
class Header:
    """What is known of a sound file before its samples are read."""

    frames: int
    rate: int
    channels: int


def header_of(path: Path) -> Header:
    """Length, rate and channels of a sound file; DataError where it is none."""
    library = _library(path)
    if library is None:
        rate, samples = _plain_wav(path)
        return Header(len(samples), rate, samples.shape[1])
    try:
        found = library.info(str(path))
    except (RuntimeError, OSError, ValueError, TypeError) as error:
        raise DataError(f"'{path.name}' cannot be read as sound: {_reason(error)}.") from None
    return Header(int(found.frames), int(found.samplerate), int(found.channels))


def pieces_of(path: Path, spans: Sequence[tuple[int, int]]) -> list[np.ndarray]:
    """The samples (steps, channels) of some spans of a file, as numbers in [-1, 1]; a span may come out shorter."""
    library = _library(path)
    if library is None:
        _, samples = _plain_wav(path)
        return [_scaled(samples[a:b]) for a, b in spans]
    found = []
    try:
        with library.SoundFile(str(path)) as file:
            for start, end in spans:
                if start:
                    file.seek(start)
                found.append(file.read(end - start, dtype="float64", always_2d=True))
    except (RuntimeError, OSError, ValueError, TypeError) as error:
        raise DataError(f"'{path.name}' cannot be read as sound: {_reason(error)}.") from None
    return found


def mono(samples: np.ndarray) -> np.ndarray:
    """The mean of all channels."""
    return samples[:, 0] if samples.shape[1] == 1 else samples.mean(axis=1)


def resampled_length(frames: int, source: int, target: int) -> int:
    """Samples that a recording has at another rate.

    >>> resampled_length(441, 44100, 8000)
    80
    """
    return -(-frames * target // source)


def resampled(samples: np.ndarray, source: int, target: int) -> np.ndarray:
    """The same sound at another rate, by a polyphase filter that keeps out what the new rate cannot hold."""
    if source == target:
        return samples
    from scipy.signal import resample_poly

    common = math.gcd(source, target)
    return np.asarray(resample_poly(samples, target // common, source // common))


def _library(path: Path) -> ModuleType | None:
    """soundfile; None where it is missing and the file is a .wav, which can do without."""
    try:
        return need("soundfile", extra="audio")
    except MissingExtra:
        if path.suffix.lower() != ".wav":
            raise
    except OSError:  # the package is there and the C library it needs is not
        if path.suffix.lower() != ".wav":
            raise MissingExtra(
                "This needs the C library 'libsndfile', which the package soundfile cannot find."
            ) from None
    return None


def _plain_wav(path: Path) -> tuple[int, np.ndarray]:
    """Rate and raw samples (steps, channels) of a .wav, through SciPy."""
    from scipy.io import wavfile

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            rate, samples = wavfile.read(path)
        except Exception as error:  # SciPy raises ValueError, struct.error, UnboundLocalError and more on a broken file
            raise DataError(f"'{path.name}' cannot be read as sound: {_reason(error)}.") from None
    return int(rate), np.asarray(samples)[:, None] if np.ndim(samples) == 1 else np.asarray(samples)


def _scaled(samples: np.ndarray) -> np.ndarray:
    """Whole numbers as parts of the largest; real numbers as they are."""
    full = _LEVELS.get(samples.dtype.str[1:])
    values: np.ndarray[Any, np.dtype[np.float64]] = samples.astype(np.float64)
    if full is None:
        return values
    return (values - full) / full if samples.dtype.kind == "u" else values / full


def _reason(error: BaseException) -> str:
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    return said.rsplit(": ", 1)[-1].rstrip(". ") or "it is damaged"

"""TrimSilence: recordings at one peak level, without the silence before and after what is heard."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.errors import DataError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.parts.sequences import owner_of

_STEP = 0.01  # seconds of the stretches whose loudness is compared
_RATE = 8000.0  # samples a second where the recordings do not say it


class TrimSilence(Representer):
    """Recordings without offset, at a peak of one, and without the silence before and after.

    Silence is every stretch of 10 ms whose mean square is more than `threshold` decibels below the loudest one of the
    recording. What is silent in the middle stays, and a recording without any sound stays whole.
    """

    takes: ClassVar[type] = Ragged
    gives: ClassVar[type] = Ragged
    sound: ClassVar[bool] = True  # sequences must be waveforms: one value per step, and a rate

    threshold: float = param(
        45.0, "Decibels below the loudest stretch from which on it is silent.", gt=0
    )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the recordings; nothing else is learned."""
        self._checked(X)
        self.n_features_out_ = 1
        return self

    def transform(self, X: Any) -> Ragged:
        """The recordings without their silence."""
        sound = self._checked(X, new=True)
        step = max(1, round((sound.rate or _RATE) * _STEP))
        parts = [trim_silence(wave[:, 0], step, self.threshold) for wave in sound]
        offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        return Ragged(np.concatenate(parts)[:, None], offsets, rate=sound.rate)

    def represent(self, X: Any) -> Ragged:
        """What `transform` gives."""
        return self.transform(X)

    def _checked(self, X: Any, *, new: bool = False) -> Ragged:
        sound: Ragged = self.check(X, new=new)
        if sound.dim != 1 or not sound.ordered:
            raise DataError(
                "TrimSilence takes waveforms, one amplitude per step, and was given "
                f"{sound.kind} of {sound.dim} values."
            )
        if (sound.lengths == 0).any():
            raise DataError(
                f"TrimSilence: recording {int(np.argmin(sound.lengths))} has no samples."
            )
        bad = ~np.isfinite(sound.values[:, 0])
        if bad.any():
            raise DataError(f"TrimSilence: recording {owner_of(sound, bad)} has NaN or infinity.")
        return sound


def trim_silence(wave: np.ndarray, step: int, threshold: float) -> np.ndarray:
    """A wave without its mean, at a peak of one, from its first to its last stretch that is not silent.

    >>> trim_silence(np.array([0.0, 0.0, 2.0, -2.0, 0.0, 0.0]), 2, 45.0).tolist()
    [1.0, -1.0]
    """
    off = np.asarray(wave, dtype=np.float64) - np.mean(wave, dtype=np.float64)
    peak = np.abs(off).max()
    if peak < 1e-12:
        return off
    off = off / peak
    starts = np.arange(0, len(off), step)
    power = np.add.reduceat(off**2, starts) / np.diff(np.append(starts, len(off)))
    loud = np.flatnonzero(power >= power.max() * 10.0 ** (-threshold / 10.0))
    return np.asarray(off[starts[loud[0]] : starts[loud[-1]] + step])

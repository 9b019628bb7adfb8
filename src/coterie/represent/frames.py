"""Frames: waveforms as sequences of short-time features (MFCC, PLP, LPC, LPC cepstra, filters), as HTK defines them."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Representer
from coterie.core.params import Settings, param
from coterie.core.ragged import Ragged
from coterie.core.workplace import fits
from coterie.parts import signal
from coterie.parts.workers import in_order
from coterie.represent.cepstra import Coder, Kind, kinds_of

_LONGEST = 2**20  # samples of a window at most
_BLOCK = 4096  # frames at a time; a constant, so that results never depend on the workplace
_ENERGY_SCALE = 0.1  # of a normalized energy (ESCALE)
_SILENCE = (
    50.0 * np.log(10.0) / 10.0
)  # 50 dB below the loudest frame, everything is silence (SILFLOOR)


class FrameSettings(Settings):
    """What is seldom changed of short-time features, with the defaults of HTK."""

    preem_coef: float = param(
        0.97, "Pre-emphasis: how much of a sample is taken off the next (PREEMCOEF).", ge=0, le=1
    )
    cep_lifter: int = param(
        22,
        "Length of the lifter that brings cepstra to comparable size; 0 for none (CEPLIFTER).",
        ge=0,
    )
    lpc_order: int = param(
        12,
        "Samples that linear prediction looks back, for LPC, LPCEPSTRA and PLP (LPCORDER).",
        ge=1,
    )
    delta_window: int = param(
        2, "Frames on both sides that a difference is made of (DELTAWINDOW).", ge=1
    )
    acc_window: int = param(
        2, "Frames on both sides that a second difference is made of (ACCWINDOW).", ge=1
    )
    band: tuple[float, float] | None = param(
        None,
        "Lowest and highest frequency of the filters in Hz; None: 0 to half the samples per second (LOFREQ, HIFREQ).",
    )
    window_shape: str = param(
        "hamming", "What every frame is multiplied with.", choices=("hamming", "hann")
    )
    use_power: bool = param(
        False, "MFCC and FBANK from powers instead of magnitudes (USEPOWER).", choices=(False, True)
    )
    normalize_energy: bool = param(
        True,
        "Energies relative to the loudest frame of the recording, which has 1.0 (ENORMALISE).",
        choices=(False, True),
    )

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range."""
        wanted = (0.0, 1.0) if self.band is None else self.band
        if not (
            isinstance(wanted, (tuple, list))
            and len(wanted) == 2
            and all(isinstance(hz, (int, float)) for hz in wanted)
        ):
            raise ParameterError(
                f"band must be two frequencies in Hz, and was {self.band!r}.", owner="FrameSettings"
            )
        super().check_params()


class Frames(Representer):
    """Waveforms as sequences of short-time features: MFCC, PLP, LPC, LPC cepstra or mel filters, with differences.

    The features of a recording depend on nothing but the recording; `fit` keeps the samples per second, so that later
    recordings of another rate are refused.
    """

    takes: ClassVar[type] = Ragged
    gives: ClassVar[type] = Ragged
    sound: ClassVar[bool] = True  # sequences must be waveforms: one value per step, and a rate

    target_kind: str = param(
        "MFCC_D_A_Z",
        "Families MFCC, PLP, LPC, LPCEPSTRA, FBANK joined by '+', each with qualifiers: _E energy, _0 zeroth, _D and _A "
        "differences, _Z mean of zero.",
    )
    target_rate_ms: float = param(
        10.0, "Milliseconds from one frame to the next (TARGETRATE).", gt=0
    )
    window_size_ms: float = param(25.0, "Milliseconds that a frame lasts (WINDOWSIZE).", gt=0)
    num_ceps: int = param(12, "Cepstra of MFCC, PLP and LPCEPSTRA, c0 not counted (NUMCEPS).", ge=1)
    num_chans: int = param(26, "Mel filters of MFCC and FBANK (NUMCHANS).", ge=2)
    rate: float | None = param(
        None, "Samples per second, where the recordings do not say it.", gt=0
    )
    settings: FrameSettings | None = param(
        None, "What is seldom changed, as FrameSettings(...).", advanced=True
    )

    rate_: float
    names_: tuple[str, ...]

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range, settings included."""
        super().check_params()
        if self.settings is not None and not isinstance(self.settings, FrameSettings):
            raise ParameterError(
                f"settings must be a FrameSettings(...), and was {self.settings!r}.", owner="Frames"
            )
        self._settings.check_params()
        kinds_of(self.target_kind)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the settings against the samples per second; nothing else is learned."""
        sound = self._checked(X)
        self.rate_ = self._rate_of(sound)
        coder = self._coder(self.rate_)
        self.names_ = tuple(name for kind in coder.kinds for name in _names(coder, kind))
        self.n_features_out_ = len(self.names_)
        return self

    def transform(self, X: Any) -> Ragged:
        """A sequence of frames per recording; a recording shorter than a window is filled up with silence."""
        sound = self._checked(X, new=True)
        if sound.rate and sound.rate != self.rate_:
            raise DataError(
                f"Frames was fitted on {self.rate_:g} samples per second, and these recordings have {sound.rate:g}; "
                "read them with rate=."
            )
        coder = self._coder(self.rate_)
        counts = signal.frame_counts(sound.lengths, coder.window, coder.step)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        fits(
            int(offsets[-1]) * (len(self.names_) + 26) * 8,
            f"Features of {len(sound)} recordings",
            "take fewer of them",
        )
        static = _coded(sound, coder, counts, offsets)
        values = self._finished(static, offsets, coder)
        return Ragged(values, offsets, True, self.names_, coder.rate / coder.step)

    def represent(self, X: Any) -> Ragged:
        """What `transform` gives: its values have their names already."""
        return self.transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names such as mfcc:c1, mfcc:E, mfcc:c1_D and mfcc:c1_A."""
        return np.array(self.names_, dtype=object)

    @property
    def _settings(self) -> FrameSettings:
        return FrameSettings() if self.settings is None else self.settings

    def _checked(self, X: Any, *, new: bool = False) -> Ragged:
        sound: Ragged = self.check(X, new=new)
        if sound.dim != 1 or not sound.ordered:
            shown = (
                "sets without an order"
                if not sound.ordered
                else f"sequences of {sound.dim} values per step"
            )
            raise DataError(
                f"Frames takes waveforms, one amplitude per step, and was given {shown}."
            )
        empty = np.flatnonzero(sound.lengths == 0)
        if len(empty):
            raise DataError(f"recording {empty[0]} has no samples.", owner="Frames")
        if not np.isfinite(sound.values).all():
            at = int(np.argmin(np.isfinite(sound.values[:, 0])))
            member = int(np.searchsorted(sound.offsets, at, side="right") - 1)
            raise DataError(
                f"recording {member} has NaN or infinity at sample {at - int(sound.offsets[member])}.",
                owner="Frames",
            )
        if np.abs(sound.values).max() > self.largest:
            raise DataError(
                f"an amplitude is above {self.largest:g}, and its powers too large; scale the recordings first.",
                owner="Frames",
            )
        return sound

    def _rate_of(self, sound: Ragged) -> float:
        if sound.rate and self.rate and sound.rate != self.rate:
            raise ParameterError(
                f"rate must be that of the recordings, {sound.rate:g} samples per second, and was {self.rate:g}.",
                owner="Frames",
            )
        if not (sound.rate or self.rate):
            raise ParameterError(
                "rate must be given, because the recordings do not say their samples per second.",
                owner="Frames",
            )
        return float(sound.rate or self.rate or 0.0)

    def _coder(self, rate: float) -> Coder:
        chosen = self._settings
        low, high = (0.0, rate / 2) if chosen.band is None else chosen.band
        if not max(self.window_size_ms, self.target_rate_ms) * rate / 1000.0 <= _LONGEST:
            raise ParameterError(
                f"window_size_ms and target_rate_ms must be at most {_LONGEST * 1000.0 / rate:g} at {rate:g} samples per "
                f"second ({_LONGEST:,} samples), and were {self.window_size_ms:g} and {self.target_rate_ms:g}.",
                owner="Frames",
            )
        return Coder(
            kinds=kinds_of(self.target_kind),
            rate=rate,
            window=int(self.window_size_ms * rate / 1000.0 + 1e-6),
            step=int(self.target_rate_ms * rate / 1000.0 + 1e-6),
            num_ceps=self.num_ceps,
            num_chans=self.num_chans,
            lpc_order=chosen.lpc_order,
            cep_lifter=chosen.cep_lifter,
            preem_coef=chosen.preem_coef,
            band=(float(low), float(high)),
            use_power=chosen.use_power,
            window_shape=chosen.window_shape,
        )

    def _finished(self, static: np.ndarray, offsets: np.ndarray, coder: Coder) -> np.ndarray:
        """Energies and means normalized within each recording, then the differences of every family."""
        chosen = self._settings
        parts = []
        at = 0
        for kind in coder.kinds:
            width = len(coder.names(kind))
            own = static[:, at : at + width]
            at += width
            if kind.energy and chosen.normalize_energy:
                own[:, -1] = _relative(own[:, -1], offsets)
            if kind.centered:
                cepstra = own[:, : width - 1] if kind.energy else own
                means = np.add.reduceat(cepstra, offsets[:-1], axis=0) / np.diff(offsets)[:, None]
                cepstra -= np.repeat(means, np.diff(offsets), axis=0)
            parts.append(own)
            if kind.delta:
                parts.append(signal.differences(own, offsets, chosen.delta_window))
            if kind.acceleration:
                parts.append(signal.differences(parts[-1], offsets, chosen.acc_window))
        return np.concatenate(parts, axis=1)


def _names(coder: Coder, kind: Kind) -> list[str]:
    """The static names of a family, then those of its differences."""
    static = coder.names(kind)
    ends = ["", *(["_D"] * kind.delta), *(["_A"] * kind.acceleration)]
    return [name + end for end in ends for name in static]


def _coded(sound: Ragged, coder: Coder, counts: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The static coefficients of all recordings, block by block of frames."""
    samples = np.ascontiguousarray(sound.values[:, 0], dtype=np.float64)
    total = int(offsets[-1])
    starts = (
        np.repeat(sound.offsets[:-1] - offsets[:-1] * coder.step, counts)
        + np.arange(total) * coder.step
    )
    ends = np.repeat(sound.offsets[1:], counts)
    blocks = [slice(a, min(a + _BLOCK, total)) for a in range(0, total, _BLOCK)]
    found = in_order(
        lambda block: coder.code(signal.cut(samples, starts[block], ends[block], coder.window)),
        blocks,
        "frames",
    )
    out = np.empty((total, sum(len(coder.names(kind)) for kind in coder.kinds)))
    for block, values in zip(blocks, found, strict=True):
        out[block] = values
    return out


def _relative(energy: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Logarithms of energy as 1.0 less a tenth of their distance to the loudest frame of the recording, at most 50 dB."""
    below = np.repeat(np.maximum.reduceat(energy, offsets[:-1]), np.diff(offsets)) - energy
    return np.asarray(1.0 - _ENERGY_SCALE * np.minimum(below, _SILENCE))

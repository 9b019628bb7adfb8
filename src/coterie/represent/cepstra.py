"""Cepstra: raw frames of samples as the coefficients of a family (MFCC, PLP, LPC, LPCEPSTRA, FBANK), named as HTK names them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coterie.core.errors import ParameterError
from coterie.parts import signal

BASES = ("MFCC", "PLP", "LPC", "LPCEPSTRA", "FBANK")
SCALE = (
    32768.0  # amplitudes are taken from [-1, 1] to whole numbers of 16 bits, the unit of the floor
)
FLOOR = 1.0  # the least energy of a filter or a frame: silence has finite logarithms and no noise need be added
_LETTERS = {"E": "energy", "0": "zeroth", "D": "delta", "A": "acceleration", "Z": "centered"}
_PREDICTED = ("LPC", "LPCEPSTRA")
_FILTERED = ("MFCC", "FBANK")


@dataclass(frozen=True, slots=True)
class Kind:
    """One family with its qualifiers: MFCC_E_D_A_Z is energy, differences of both orders, and a mean of zero."""

    base: str
    energy: bool = False
    zeroth: bool = False
    delta: bool = False
    acceleration: bool = False
    centered: bool = False


def kinds_of(target_kind: str) -> tuple[Kind, ...]:
    """The families that a target kind names, joined by '+'; what HTK knows and this does not is refused by its letter.

    >>> kinds_of("MFCC_D+plp")[1]
    Kind(base='PLP', energy=False, zeroth=False, delta=False, acceleration=False, centered=False)
    """
    if not isinstance(target_kind, str):
        raise ParameterError(
            f"target_kind must be words such as 'MFCC_D_A_Z', and was {target_kind!r}.",
            owner="Frames",
        )
    kinds = tuple(_kind(part.strip().upper()) for part in target_kind.split("+"))
    bases = [kind.base for kind in kinds]
    twice = next((base for base in bases if bases.count(base) > 1), None)
    if twice:
        raise ParameterError(
            f"target_kind names {twice} twice, and was '{target_kind}'; name every family once.",
            owner="Frames",
        )
    return kinds


def _kind(word: str) -> Kind:
    base, *letters = word.split("_")
    if base not in BASES:
        raise ParameterError(
            f"target_kind must begin with one of {', '.join(BASES)}, and was '{word}'.",
            owner="Frames",
        )
    if "N" in letters:
        raise ParameterError(
            f"target_kind cannot drop the absolute energy (_N), and was '{word}'; leave out _E.",
            owner="Frames",
        )
    for letter in letters:
        if letter not in _LETTERS or letters.count(letter) > 1:
            known = ", ".join(f"_{known}" for known in _LETTERS)
            raise ParameterError(
                f"target_kind takes {known}, each once, and was '{word}'.", owner="Frames"
            )
    if "A" in letters and "D" not in letters:
        raise ParameterError(
            f"target_kind needs _D where it has _A, and was '{word}'.", owner="Frames"
        )
    if "0" in letters and base in ("LPC", "FBANK"):
        raise ParameterError(
            f"target_kind has a zeroth coefficient (_0) for cepstra only, and was '{word}'.",
            owner="Frames",
        )
    return Kind(base, **{_LETTERS[letter]: True for letter in letters})


@dataclass(frozen=True)
class Coder:
    """Turns raw frames into coefficients; everything that does not depend on the frames is made once."""

    kinds: tuple[Kind, ...]
    rate: float
    window: int  # samples
    step: int  # samples
    num_ceps: int
    num_chans: int
    lpc_order: int
    cep_lifter: int
    preem_coef: float
    band: tuple[float, float]  # Hz
    use_power: bool
    window_shape: str = "hamming"

    def __post_init__(self) -> None:
        """Raise one sentence where the settings and the rate of the samples do not go together."""
        bases = {kind.base for kind in self.kinds}
        milliseconds = f"{1000 * self.window / self.rate:g} ms at {self.rate:g} samples per second"
        if self.step < 1 or self.window < 2:
            raise ParameterError(
                f"target_rate_ms must be at least one sample and window_size_ms two; at {self.rate:g} samples per "
                f"second they are {self.step} and {self.window}.",
                owner="Frames",
            )
        if not 0 <= self.band[0] < self.band[1] <= self.rate / 2:
            raise ParameterError(
                f"band must lie between 0 and {self.rate / 2:g} Hz, half the samples per second, and was "
                f"{self.band[0]:g} to {self.band[1]:g}.",
                owner="Frames",
            )
        if "MFCC" in bases and self.num_ceps >= self.num_chans:
            raise ParameterError(
                f"num_ceps must be below num_chans ({self.num_chans}), and was {self.num_ceps}.",
                owner="Frames",
            )
        if bases & set(_PREDICTED) and self.lpc_order >= self.window:
            raise ParameterError(
                f"lpc_order must be below the {self.window} samples of a window ({milliseconds}).",
                owner="Frames",
            )
        if "PLP" in bases and self.lpc_order >= len(self.centers):
            raise ParameterError(
                f"lpc_order must be below the {len(self.centers)} critical bands of {self.band[0]:g} to "
                f"{self.band[1]:g} Hz for PLP, and was {self.lpc_order}.",
                owner="Frames",
            )
        if bases & set(_FILTERED):
            empty = np.flatnonzero(self.triangles.max(axis=0) <= 0.0)
            if len(empty):
                raise ParameterError(
                    f"num_chans is too large: filter {empty[0] + 1} of {self.num_chans} holds no frequency of a window "
                    f"of {milliseconds}.",
                    owner="Frames",
                )

    @cached_property
    def n_fft(self) -> int:
        """The power of two that holds a window."""
        return int(2 ** np.ceil(np.log2(self.window)))

    @cached_property
    def taper(self) -> np.ndarray:
        """The window every frame is multiplied with."""
        return np.hanning(self.window) if self.window_shape == "hann" else np.hamming(self.window)

    @cached_property
    def triangles(self) -> np.ndarray:
        """The mel filters."""
        return signal.triangles(self.num_chans, self.n_fft, self.rate, *self.band)

    @cached_property
    def centers(self) -> np.ndarray:
        """The centers of the critical bands in Hz."""
        return signal.critical_centers(*self.band)

    @cached_property
    def critical(self) -> np.ndarray:
        """The critical bands, weighted by how loud they sound."""
        return signal.critical_bands(self.centers, self.n_fft, self.rate) * signal.equal_loudness(
            self.centers
        )

    def names(self, kind: Kind) -> list[str]:
        """Names of the static coefficients of a family: its own, then c0 and the energy where they are asked for."""
        letter, many = {"FBANK": ("m", self.num_chans), "LPC": ("a", self.lpc_order)}.get(
            kind.base, ("c", self.num_ceps)
        )
        own = [f"{letter}{n}" for n in range(1, many + 1)]
        return [
            f"{kind.base.lower()}:{name}"
            for name in (*own, *(["c0"] * kind.zeroth), *(["E"] * kind.energy))
        ]

    def code(self, raw: np.ndarray) -> np.ndarray:
        """The static coefficients of all families side by side, from raw frames (frames, window) in [-1, 1]."""
        frames = raw * SCALE
        energy = np.log(np.maximum(np.einsum("ij,ij->i", frames, frames), FLOOR))[:, None]
        windowed = signal.emphasized(frames, self.preem_coef) * self.taper
        found = self._families(frames, windowed)
        parts = []
        for kind in self.kinds:
            own = found[kind.base]
            parts += [own[:, 1:], own[:, :1]] if kind.zeroth else [own[:, 1:]]
            parts += [energy] if kind.energy else []
        return np.concatenate(parts, axis=1)

    def _families(self, frames: np.ndarray, windowed: np.ndarray) -> dict[str, np.ndarray]:
        """By family: c0 (or a column to be left out), then its coefficients."""
        bases = {kind.base for kind in self.kinds}
        found: dict[str, np.ndarray] = {}
        if bases & set(_FILTERED):
            bands = signal.spectrum(windowed, self.n_fft, self.use_power) @ self.triangles
            logs = np.log(np.maximum(bands, FLOOR))
            found["FBANK"] = np.concatenate([np.zeros((len(logs), 1)), logs], axis=1)
            if "MFCC" in bases:
                found["MFCC"] = self._liftered(logs @ signal.cosines(self.num_chans, self.num_ceps))
        if bases & set(_PREDICTED):
            lags = signal.autocorrelation(windowed, self.lpc_order)
            coefficients, error = self._predicted(lags)
            found["LPC"] = np.concatenate([error[:, None], coefficients], axis=1)
            found["LPCEPSTRA"] = self._prediction_cepstra(coefficients, error)
        if "PLP" in bases:
            found["PLP"] = self._prediction_cepstra(*self._predicted(self._auditory(frames)))
        return found

    def _predicted(self, lags: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lags[:, 0] = np.maximum(lags[:, 0], FLOOR)
        return signal.levinson(lags, self.lpc_order)

    def _prediction_cepstra(self, coefficients: np.ndarray, error: np.ndarray) -> np.ndarray:
        return self._liftered(signal.prediction_cepstra(coefficients, error, self.num_ceps))

    def _auditory(self, frames: np.ndarray) -> np.ndarray:
        """Autocorrelations of the spectrum as it is heard: critical bands, equal loudness, cube root, inverse transform."""
        bands = signal.spectrum(frames * self.taper, self.n_fft, power=True) @ self.critical
        bands[:, 0], bands[:, -1] = bands[:, 1], bands[:, -2]
        return np.asarray(
            np.fft.irfft(np.cbrt(np.maximum(bands, FLOOR)), axis=1)[:, : self.lpc_order + 1]
        )

    def _liftered(self, cepstra: np.ndarray) -> np.ndarray:
        cepstra[:, 1:] *= signal.lifter(self.num_ceps, self.cep_lifter)
        return cepstra

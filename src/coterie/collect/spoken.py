"""Spoken: invented words said by invented speakers, made of formants and noise, as a Collection of waveforms.

A word is a few sounds, each with its resonances. A speaker has a pitch, a length of the vocal tract that moves all
resonances, a tempo, an accent that moves the vowels, and a microphone that colors everything; a take has its own timing,
emphasis and noise. Nothing is recorded and nothing is learned from recordings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import ParameterError
from coterie.core.partition import Segmentation
from coterie.core.ragged import Ragged
from coterie.core.random import stream

RATE = 8000.0  # samples per second
# samples that are filtered at once, and from one filter to the next
_WINDOW = 256
_STEP = 64
_FLOOR = 0.01  # loudness of what is no sound at all: breath
_WIDTHS = (80.0, 120.0, 180.0)  # Hz of the three resonances of a voiced sound
_VOWELS = {
    "a": (730, 1090, 2440),
    "e": (530, 1840, 2480),
    "i": (270, 2290, 3010),
    "o": (570, 840, 2410),
    "u": (300, 870, 2240),
}
_VOICED = {
    "m": (250, 1100, 2200),
    "n": (260, 1600, 2600),
    "l": (360, 1300, 2700),
    "r": (400, 1250, 1600),
}
_HISSED = {"s": (3500, 3700, 3900), "sh": (2200, 2700, 3300), "f": (1500, 2600, 3600)}
_STOPPED = {"p": (700, 1100, 2300), "t": (2700, 3300, 3700), "k": (1500, 1900, 2800)}


@dataclass(frozen=True, slots=True)
class _Sound:
    """One stretch of a word: resonances in Hz, share of voice in it, loudness and usual length in seconds."""

    peaks: tuple[int, ...]
    voice: float
    level: float
    seconds: float
    vowel: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Speaker:
    pitch: float  # Hz
    tract: float  # factor on all resonances
    tempo: float  # factor on all lengths
    accent: np.ndarray  # factor on the resonances of every vowel
    coloring: np.ndarray  # decibels of the microphone and the room, by frequency


def words(n: int = 240, random_state: Any = 0) -> Collection:
    """Spoken words: ten invented words said again and again by six invented speakers, each over a microphone of their own."""
    if n < 10:
        raise ParameterError(f"n must be at least the number of groups, 10, and was {n}.")
    made = spoken_words(10, 6, -(-n // 60), random_state)
    order = (
        np.arange(len(made)).reshape(10, 6, -1).transpose(2, 1, 0).ravel()[:n]
    )  # every word before any is said again
    return made.take(stream(random_state, 3).permutation(order))


def spoken_words(
    n_words: int = 10, n_speakers: int = 6, takes: int = 8, random_state: Any = 0
) -> Collection:
    """`n_words` invented words, each said `takes` times by each of `n_speakers`: view "sound", truth "group", card "speaker"."""
    for name, value, least in (
        ("n_words", n_words, 2),
        ("n_speakers", n_speakers, 1),
        ("takes", takes, 1),
    ):
        if value < least:
            raise ParameterError(
                f"{name} must be a whole number from {least}, and was {value}.",
                owner="spoken_words",
            )
    lexicon = _lexicon(n_words, stream(random_state, 0))
    people = [_speaker(stream(random_state, 1, j)) for j in range(n_speakers)]
    rows = []
    ids = []
    said = []
    who = []
    for i, (word, sounds) in enumerate(lexicon.items()):
        for j, speaker in enumerate(people):
            for k in range(takes):
                rows.append(_take(sounds, speaker, stream(random_state, 2, i, j, k)))
                ids.append(f"{word}-{j + 1}-{k + 1}")
                said.append(word)
                who.append(f"speaker {j + 1}")
    sound = Ragged.of(rows)
    view = Ragged(sound.values, sound.offsets, True, ("amplitude",), RATE)
    return Collection(
        ids, {"sound": view}, truth={"group": np.array(said)}, name="words", cards={"speaker": who}
    )


def conversation(
    n_speakers: int = 3, turns: int = 12, seconds: float = 5.0, random_state: Any = 0
) -> tuple[Collection, Segmentation]:
    """One recording in which invented speakers take turns of about so many seconds, and where who speaks."""
    for name, value, least in (("n_speakers", n_speakers, 1), ("turns", turns, 1)):
        if value < least:
            raise ParameterError(
                f"conversation: {name} must be a whole number from {least}, and was {value}."
            )
    generator = stream(random_state, 4)
    sounds = list(_lexicon(40, stream(random_state, 0)).values())
    people = [_speaker(stream(random_state, 1, j)) for j in range(n_speakers)]
    waves: list[np.ndarray] = []
    ends = [0]
    who = list[int]()
    for turn in range(turns):
        others = [j for j in range(n_speakers) if not who or j != who[-1]]
        who.append(int(generator.choice(others or [0])) if turn >= n_speakers else turn)
        wanted = seconds * generator.uniform(0.6, 1.4) * RATE
        said = 0
        while said < wanted:
            waves.append(_take(sounds[generator.integers(len(sounds))], people[who[-1]], generator))
            said += len(waves[-1])
        ends.append(ends[-1] + said)
    view = Ragged(
        np.concatenate(waves)[:, None], np.array([0, ends[-1]]), True, ("amplitude",), RATE
    )
    return Collection(["conversation"], {"sound": view}, name="conversation"), Segmentation(
        np.array(ends), np.array(who)
    )


def _lexicon(n: int, generator: np.random.Generator) -> dict[str, list[_Sound]]:
    """Different words of one or two syllables, spelled as they sound."""
    onsets = [*_VOICED, *_HISSED, *_STOPPED]
    vowels = list(_VOWELS)
    found: dict[str, list[_Sound]] = {}
    while len(found) < n:
        spelled = [
            str(part[generator.integers(len(part))])
            for _ in range(generator.integers(1, 3))
            for part in (onsets, vowels)
        ]
        if generator.random() < 0.5:
            spelled.append(str(onsets[generator.integers(len(onsets))]))
        found["".join(spelled)] = [sound for letter in spelled for sound in _sounds(letter)]
    return found


def _sounds(letter: str) -> list[_Sound]:
    if letter in _VOWELS:
        return [_Sound(_VOWELS[letter], 1.0, 1.0, 0.11, vowel=True)]
    if letter in _VOICED:
        return [_Sound(_VOICED[letter], 1.0, 0.4, 0.06)]
    if letter in _HISSED:
        return [_Sound(_HISSED[letter], 0.0, 0.25, 0.09)]
    return [_Sound(_STOPPED[letter], 0.0, 0.01, 0.04), _Sound(_STOPPED[letter], 0.0, 0.5, 0.02)]


def _speaker(generator: np.random.Generator) -> _Speaker:
    bands = np.linspace(0.0, 1.0, _WINDOW // 2 + 1)
    waves = np.cos(np.pi * np.arange(1, 5)[:, None] * bands)
    return _Speaker(
        pitch=float(generator.uniform(90, 230)),
        tract=float(generator.uniform(0.8, 1.2)),
        tempo=float(generator.uniform(0.8, 1.25)),
        accent=1.0 + 0.1 * generator.standard_normal((len(_VOWELS), 3)),
        coloring=generator.normal(scale=4.0, size=4) @ waves,
    )


def _take(sounds: list[_Sound], speaker: _Speaker, generator: np.random.Generator) -> np.ndarray:
    """One recording: the sounds laid out in time, glided from one to the next, voiced or hissed, filtered, and noise."""
    length = (
        np.array([sound.seconds for sound in sounds])
        * speaker.tempo
        * np.exp(0.25 * generator.standard_normal(len(sounds)))
    )
    edge = generator.uniform(0.01, 0.08, size=2)  # what the cutter left before and after the word
    ends = edge[0] + np.cumsum(length)
    count = int((ends[-1] + edge[1]) * RATE / _STEP) + 1
    time = np.arange(count) * _STEP / RATE
    peaks = np.array([_peaks(sound, speaker) for sound in sounds]) * (
        1.0 + 0.03 * generator.standard_normal((len(sounds), 3))
    )
    level = np.array([sound.level for sound in sounds]) * np.exp(
        0.25 * generator.standard_normal(len(sounds))
    )
    middle = ends - length / 2
    at = np.searchsorted(ends, time).clip(0, len(sounds) - 1)
    track = np.stack(
        [np.interp(time, middle, peaks[:, k]) for k in range(3)], axis=1
    )  # resonances glide, loudness does not
    inside = (time >= edge[0]) & (time < ends[-1])
    loud = np.where(inside, level[at], _FLOOR)
    voice = np.where(inside, np.array([sound.voice for sound in sounds])[at], 0.0)
    wave = _filtered(
        _excited(np.repeat(voice, _STEP), speaker, generator), track, loud, speaker.coloring
    )
    wave *= 10 ** generator.uniform(-0.9, -0.3) / max(float(np.abs(wave).max()), 1e-12)
    noise = 10 ** (-generator.uniform(15, 35) / 20) * float(np.sqrt(np.mean(wave**2)))
    return np.asarray(wave + noise * generator.standard_normal(len(wave)))


def _peaks(sound: _Sound, speaker: _Speaker) -> np.ndarray:
    shift = speaker.accent[list(_VOWELS.values()).index(sound.peaks)] if sound.vowel else 1.0  # type: ignore[arg-type]
    return np.minimum(np.asarray(sound.peaks) * speaker.tract * shift, 0.49 * RATE)


def _excited(voice: np.ndarray, speaker: _Speaker, generator: np.random.Generator) -> np.ndarray:
    """Pulses of the glottis, falling and trembling in pitch, where there is voice; noise where there is none."""
    n = len(voice)
    fall = np.linspace(generator.uniform(1.0, 1.2), generator.uniform(0.8, 1.0), n)
    phase = np.cumsum(speaker.pitch * fall / RATE) + generator.random()
    pulses = np.diff(np.floor(phase), prepend=np.floor(phase[0])) * np.sqrt(RATE / speaker.pitch)
    hiss = generator.standard_normal(n)
    return voice * (pulses + 0.05 * hiss) + (1.0 - voice) * hiss


def _filtered(
    source: np.ndarray, track: np.ndarray, loud: np.ndarray, coloring: np.ndarray
) -> np.ndarray:
    """The source through resonances that move, block by overlapping block, and through the microphone."""
    count = len(track)
    padded = np.pad(source, _WINDOW // 2)
    starts = np.arange(count)[:, None] * _STEP + np.arange(_WINDOW)
    fade = np.hanning(_WINDOW + 1)[:-1]
    hz = np.linspace(0.0, RATE / 2, _WINDOW // 2 + 1)
    gain = np.ones((count, len(hz)))
    for k, width in enumerate(_WIDTHS):
        center = track[:, k, None]
        gain *= center**2 / np.sqrt((hz**2 - center**2) ** 2 + (width * hz) ** 2 + 1.0)
    gain /= np.sqrt(np.mean(gain**2, axis=1, keepdims=True))
    spectrum = (
        np.fft.rfft(padded[starts] * fade, axis=1) * gain * loud[:, None] * 10 ** (coloring / 20)
    )
    out = np.zeros(len(padded))
    np.add.at(out, starts, np.fft.irfft(spectrum, n=_WINDOW, axis=1))
    return out[_WINDOW // 2 : _WINDOW // 2 + len(source)]

"""Audio: a folder of sound files, or intervals of long recordings listed in a table, as a Collection of waveforms."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from coterie.collect.columns import Named
from coterie.collect.files import TABLE_SUFFIXES, load, notes_on_strays, suffix_of
from coterie.collect.recordings import Pieces, from_files, from_intervals, index_of
from coterie.collect.text import SUFFIXES, files_of, left_out
from coterie.collect.waves import (
    AUDIO_SUFFIXES,
    Header,
    header_of,
    mono,
    pieces_of,
    resampled,
    resampled_length,
)
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.workplace import fits, watched, workplace

SHORTEST = 0.025  # seconds: what is shorter does not fill one frame


def read_audio(
    path: str | os.PathLike[str],
    *,
    rate: int | None = None,
    intervals: str | os.PathLike[str] | None = None,
    named: Named | None = None,
) -> Collection:
    """Sound files as a Collection with the view "sound": one waveform in [-1, 1] per member, all at one rate.

    `path` is a folder (one member per file, sub-folders as truth, columns of an index table as cards), a sound file, or a
    table with the columns file, start and end (seconds): one member per row. `intervals` is such a table for the folder or
    file given as `path`. All recordings are brought to `rate`, or to the rate that most of them have.
    """
    place = Path(path)
    named = named or Named()
    if rate is not None and not (
        isinstance(rate, (int, float, np.integer)) and rate >= 1 and rate == int(rate)
    ):
        raise ParameterError(
            f"rate must be a whole number of samples per second, and was {rate!r}.",
            owner="read_audio",
        )
    if not place.exists():
        raise DataError(f"There is no file or folder '{place}'.")
    pieces = _pieces(place, None if intervals is None else Path(intervals), named)
    kept, sound, notes = _sound(pieces, None if rate is None else int(rate))
    return _collection(pieces, kept, sound, named, place, notes)


def audio_files(path: Path) -> list[Path]:
    """The sound files of a folder and of its sub-folders, in a fixed order."""
    return [file for file in files_of(path) if file.suffix.lower() in AUDIO_SUFFIXES]


def is_audio_folder(path: Path) -> bool:
    """Whether a folder holds sound files, and no more documents than these."""
    suffixes = Counter(file.suffix.lower() for file in files_of(path))
    sounds = sum(suffixes[suffix] for suffix in AUDIO_SUFFIXES)
    return sounds > 0 and sounds >= sum(suffixes[suffix] for suffix in SUFFIXES)


def _pieces(place: Path, intervals: Path | None, named: Named) -> Pieces:
    """What is to be read: which file, from where to where, and what a table says of it."""
    if intervals is not None:
        return from_intervals(load(intervals), intervals.parent, place, named)
    if place.is_file() and suffix_of(place) in TABLE_SUFFIXES:
        return from_intervals(load(place), place.parent, place.parent, named)
    if place.is_file():
        return from_files(place.parent, [place], None, named)
    files = audio_files(place)
    if not files:
        known = " ".join(AUDIO_SUFFIXES)
        raise DataError(
            f"The folder '{place.resolve().name}' has no sound files; the suffixes read are {known}."
        )
    index = index_of(place, files)
    if index is not None and index.has_intervals:
        return from_intervals(index.loaded, index.folder, place, named)
    used = index.loaded.file if index is not None and index.folder == place else ""
    found = from_files(place, files, index, named)
    return replace(found, notes=(*found.notes, *notes_on_strays(place, used, "recordings")))


@dataclass(slots=True)
class _Left:
    """Names of what could not be used, by the reason."""

    unreadable: list[str]
    short: list[str]
    broken: list[str]
    cut: list[str]

    def notes(self) -> tuple[str, ...]:
        return (
            *left_out(
                self.unreadable,
                "recording",
                "was",
                "left out for a file that cannot be read as sound",
            ),
            *left_out(
                self.short,
                "recording",
                "was",
                f"left out, empty or shorter than {1000 * SHORTEST:g} ms",
            ),
            *left_out(
                self.broken, "recording", "was", "left out for samples that are no finite numbers"
            ),
            *left_out(self.cut, "interval", "was", "cut at the end of the recording"),
        )


def _sound(pieces: Pieces, rate: int | None) -> tuple[np.ndarray, Ragged, tuple[str, ...]]:
    """Positions of the pieces that could be read, their waveforms, and what is to be said of them."""
    left = _Left([], [], [], [])
    headers = _headers(pieces.files)
    common = rate or _most_common([h.rate for h in headers.values() if h is not None])
    spans = _spans(pieces, headers, left)
    lengths = _lengths(pieces, headers, spans, common)
    fits(
        int(lengths.sum()) * 8,
        f"The sound of {len(lengths)} recordings",
        "read fewer of them, or at a lower rate",
    )
    values, got = _filled(pieces, headers, spans, lengths, common, left)
    kept = np.flatnonzero(got)
    if not len(kept):
        raise DataError(f"No recording of '{pieces.where}' can be used: {'; '.join(left.notes())}.")
    sound = Ragged(
        values, np.concatenate([[0], np.cumsum(got[kept])]), True, ("amplitude",), float(common)
    )
    silent = [pieces.keys[i] for i, wave in zip(kept, sound, strict=True) if not wave.any()]
    said = (
        *_changed(pieces, headers, kept, common),
        *left_out(silent, "recording", "is", "silent throughout, and kept"),
    )
    return kept, sound, (*left.notes(), *said)


def _headers(files: Sequence[Path]) -> dict[Path, Header | None]:
    """The header of every file, None where it is no sound; what needs an extra says so."""
    found: dict[Path, Header | None] = {}
    for file in dict.fromkeys(files):
        try:
            found[file] = header_of(file) if file.is_file() else None
        except DataError:
            found[file] = None
    return found


def _most_common(rates: Sequence[int]) -> int:
    """The rate that most files have; of several, the lowest."""
    return min(Counter(rates).items(), key=lambda pair: (-pair[1], pair[0]), default=(1, 0))[0]


def _spans(
    pieces: Pieces, headers: dict[Path, Header | None], left: _Left
) -> list[tuple[int, int] | None]:
    """First and last sample of every piece; None for what cannot be used."""
    found: list[tuple[int, int] | None] = []
    for key, file, (start, end) in zip(pieces.keys, pieces.files, pieces.spans, strict=True):
        header = headers[file]
        found.append(None)
        if header is None:
            left.unreadable.append(key)
            continue
        first = round(start * header.rate)
        last = header.frames if end is None else min(round(end * header.rate), header.frames)
        if last - first < SHORTEST * header.rate:
            left.short.append(key)
            continue
        if end is not None and end * header.rate > header.frames + 1:
            left.cut.append(key)
        found[-1] = (first, last)
    return found


def _lengths(
    pieces: Pieces,
    headers: dict[Path, Header | None],
    spans: Sequence[tuple[int, int] | None],
    rate: int,
) -> np.ndarray:
    """Samples that every piece will have at the common rate; 0 for what is left out."""
    found = np.zeros(len(spans), dtype=np.int64)
    for i, (file, span) in enumerate(zip(pieces.files, spans, strict=True)):
        header = headers[file]
        if header is not None and span is not None:
            found[i] = resampled_length(span[1] - span[0], header.rate, rate)
    return found


def _filled(
    pieces: Pieces,
    headers: dict[Path, Header | None],
    spans: Sequence[tuple[int, int] | None],
    lengths: np.ndarray,
    rate: int,
    left: _Left,
) -> tuple[np.ndarray, np.ndarray]:
    """All samples in one array, file by file, and how many every piece has; 0 for what turned out to be unusable."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    values = np.empty((int(starts[-1]), 1))
    got = np.zeros(len(lengths), dtype=np.int64)
    by_file: dict[Path, list[int]] = {}
    for i, file in enumerate(pieces.files):
        if spans[i] is not None:
            by_file.setdefault(file, []).append(i)
    here = workplace()
    with watched(here.watch, "reading", len(by_file)) as task:
        for file, rows in by_file.items():
            header = headers[file]
            try:
                found = pieces_of(file, [span for i in rows if (span := spans[i]) is not None])
            except DataError:
                left.unreadable += [pieces.keys[i] for i in rows]
                found = []
            for i, samples in zip(rows, found, strict=False):
                wave = resampled(mono(samples), header.rate if header else rate, rate)[: lengths[i]]
                if len(wave) < SHORTEST * rate or not np.isfinite(wave).all():
                    (left.short if len(wave) < SHORTEST * rate else left.broken).append(
                        pieces.keys[i]
                    )
                    continue
                got[i] = len(wave)
                values[starts[i] : starts[i] + got[i], 0] = wave
            task.advance()
            here.stop_if_asked()
    if np.array_equal(got, lengths):
        return values, got
    whole = (
        np.concatenate([np.arange(a, a + n) for a, n in zip(starts, got, strict=False)])
        if got.any()
        else np.arange(0)
    )
    return values[whole], got


def _changed(
    pieces: Pieces, headers: dict[Path, Header | None], kept: np.ndarray, rate: int
) -> tuple[str, ...]:
    """What was done to the recordings that came at another rate or in stereo."""
    other = []
    several = []
    for i in kept:
        header = headers[pieces.files[i]]
        if header is not None and header.rate != rate:
            other.append(pieces.keys[i])
        if header is not None and header.channels > 1:
            several.append(pieces.keys[i])
    return (
        *left_out(other, "recording", "was", f"resampled to {rate} samples per second"),
        *left_out(several, "recording", "has", "several channels, of which the mean was taken"),
    )


def _collection(
    pieces: Pieces,
    kept: np.ndarray,
    sound: Ragged,
    named: Named,
    place: Path,
    notes: tuple[str, ...],
) -> Collection:
    cards, truth = pieces.told(kept, named)
    return Collection(
        ids=[pieces.ids[i] for i in kept],
        views={"sound": sound},
        truth=truth,
        name=(place.resolve().name if place.is_dir() else place.stem) or "sound",
        notes=(*pieces.notes, *notes),
        cards=cards,
    )

"""Twenty generated collections without any structure, in the form of the board: an answer other than "no groups" is wrong.

Every kind has its own: independent and correlated columns, skewed and heavy-tailed ones, categories, unit vectors, one process for
all sequences, one distribution for all sets, one distribution of words, one noise for pictures and recordings. The seeds are
fixed; no default was chosen on them.
"""

from __future__ import annotations

import csv
import json
import wave
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20260

Random = np.random.Generator
_WORDS = 600  # different words of a text


def write_nothing(folder: Path) -> None:
    """Write all twenty, a folder each."""
    for at, (name, (kind, write)) in enumerate(NOTHING.items()):
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        file, members = write(place, np.random.default_rng([SEED, at]))
        said = {
            "name": name,
            "family": "generated",
            "kind": kind,
            "file": file,
            "read": {},
            "label_column": None,
            "labels": None,
            "other_labels": [],
            "n": members,
            "classes": None,
            "tags": ["structureless", "strict", "synthetic", "generated"],
        }
        (place / "meta.json").write_text(json.dumps(said, indent=1), encoding="utf-8")


# ---- tables -------------------------------------------------------------------------------------------------------


def _rows(place: Path, columns: Sequence[Any]) -> tuple[str, int]:
    with (place / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"column_{at}" for at in range(len(columns))])
        writer.writerows(
            [value if isinstance(value, str) else f"{value:.5g}" for value in row]
            for row in zip(*columns, strict=True)
        )
    return "rows.csv", len(columns[0])


def _independent(place: Path, random: Random) -> tuple[str, int]:
    return _rows(place, list(random.normal(size=(7, 300))))


def _correlated(place: Path, random: Random) -> tuple[str, int]:
    return _rows(place, list((random.normal(size=(250, 3)) @ random.normal(size=(3, 9))).T))


def _skewed(place: Path, random: Random) -> tuple[str, int]:
    return _rows(place, list(np.exp(random.normal(size=(5, 400)))))


def _heavy(place: Path, random: Random) -> tuple[str, int]:
    return _rows(place, list(random.standard_t(2.5, size=(6, 350))))


def _square(place: Path, random: Random) -> tuple[str, int]:
    return _rows(place, list(random.uniform(size=(2, 240))))


def _mixed(place: Path, random: Random) -> tuple[str, int]:
    letters = [list(random.choice(list("abcd"), 320)), list(random.choice(["yes", "no"], 320))]
    return _rows(place, [*random.normal(size=(4, 320)), *letters])


def _ages(place: Path, random: Random) -> tuple[str, int]:
    counts = random.poisson([[3.0], [12.0], [40.0]], size=(3, 280)).astype(float)
    return _rows(place, list(counts))


def _array(place: Path, rows: np.ndarray) -> tuple[str, int]:
    np.save(place / "rows.npy", rows)
    return "rows.npy", len(rows)


def _directions(place: Path, random: Random) -> tuple[str, int]:
    rows = random.normal(size=(400, 64)) / np.sqrt(np.arange(1, 65))
    return _array(place, rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _sphere(place: Path, random: Random) -> tuple[str, int]:
    rows = random.normal(size=(300, 24))
    return _array(place, rows / np.linalg.norm(rows, axis=1, keepdims=True))


# ---- sequences and sets -------------------------------------------------------------------------------------------


def _stacked(place: Path, members: Sequence[np.ndarray]) -> tuple[str, int]:
    lengths = np.array([len(one) for one in members])
    np.savez(place / "members.npz", values=np.concatenate(members), lengths=lengths)
    return "members.npz", len(members)


def _noise(place: Path, random: Random) -> tuple[str, int]:
    return _stacked(place, list(random.normal(size=(150, 60, 2))))


def _walks(place: Path, random: Random) -> tuple[str, int]:
    lengths = random.integers(50, 90, 160)
    return _stacked(place, [random.normal(size=(n, 1)).cumsum(axis=0) for n in lengths])


def _autoregression(place: Path, random: Random) -> tuple[str, int]:
    made = np.zeros((140, 80, 2))
    law = np.array([[0.7, 0.3], [-0.3, 0.7]])
    for t in range(1, 80):
        made[:, t] = made[:, t - 1] @ law + random.normal(size=(140, 2))
    return _stacked(place, list(made))


def _phases(place: Path, random: Random) -> tuple[str, int]:
    times = np.arange(100) / 10
    starts = random.uniform(0, 2 * np.pi, size=(150, 1))
    waves = np.sin(times + starts) + 0.3 * random.normal(size=(150, 100))
    return _stacked(place, list(waves[:, :, None]))


def _clouds(place: Path, random: Random) -> tuple[str, int]:
    sizes = random.integers(15, 40, 140)
    return _stacked(place, [random.normal(size=(n, 4)) for n in sizes])


def _moved_clouds(place: Path, random: Random) -> tuple[str, int]:
    middles = random.normal(size=(160, 1, 3))
    return _stacked(place, [middle + random.normal(size=(30, 3)) for middle in middles])


# ---- texts, names, pictures, recordings ---------------------------------------------------------------------------


def _vocabulary(random: Random) -> tuple[np.ndarray, np.ndarray]:
    letters = list("abcdefghilmnoprstu")
    words = ["".join(random.choice(letters, random.integers(3, 9))) for _ in range(_WORDS)]
    often = 1.0 / np.arange(2, _WORDS + 2)
    return np.array(words), often / often.sum()


def _lines(place: Path, texts: Sequence[Sequence[str]]) -> tuple[str, int]:
    with (place / "texts.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"])
        writer.writerows((f"t{at}", " ".join(words)) for at, words in enumerate(texts))
    return "texts.csv", len(texts)


def _long_texts(place: Path, random: Random) -> tuple[str, int]:
    words, often = _vocabulary(random)
    sizes = random.integers(60, 160, 250)
    return _lines(place, [list(random.choice(words, n, p=often)) for n in sizes])


def _short_texts(place: Path, random: Random) -> tuple[str, int]:
    words, often = _vocabulary(random)
    sizes = random.integers(6, 14, 400)
    return _lines(place, [list(random.choice(words, n, p=often)) for n in sizes])


def _smooth(random: Random, side: int) -> np.ndarray:
    rows = np.fft.rfft2(random.normal(size=(side, side)))
    across = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :])
    field = np.fft.irfft2(rows / (across + 0.05), s=(side, side))
    return (field - field.mean()) / field.std()


def _gray_pictures(place: Path, random: Random) -> tuple[str, int]:
    return _pictures(place, [np.repeat(_smooth(random, 40)[..., None], 3, -1) for _ in range(130)])


def _color_pictures(place: Path, random: Random) -> tuple[str, int]:
    fields = [np.stack([_smooth(random, 40) for _ in range(3)], -1) for _ in range(130)]
    return _pictures(place, fields)


def _pictures(place: Path, fields: Sequence[np.ndarray]) -> tuple[str, int]:
    from PIL import Image

    (place / "images").mkdir(exist_ok=True)
    for at, field in enumerate(fields):
        pixels = np.clip(128 + 48 * field, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(place / "images" / f"p{at:03}.png")
    return "images", len(fields)


def _hiss(place: Path, random: Random) -> tuple[str, int]:
    (place / "data" / "audio").mkdir(parents=True, exist_ok=True)
    for at in range(80):
        noise = random.normal(size=8000 + int(random.integers(0, 1600)))
        samples = np.clip(3000 * np.convolve(noise, [0.5, 0.3, 0.2], "same"), -32768, 32767)
        with wave.open(str(place / "data" / "audio" / f"h{at:03}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(samples.astype("<i2").tobytes())
    return "data/audio", 80


Write = Callable[[Path, Random], tuple[str, int]]
NOTHING: dict[str, tuple[str, Write]] = {
    "made_independent": ("table", _independent),
    "made_correlated": ("table", _correlated),
    "made_skewed": ("table", _skewed),
    "made_heavy": ("table", _heavy),
    "made_square": ("table", _square),
    "made_mixed": ("table", _mixed),
    "made_counts": ("table", _ages),
    "made_directions": ("table", _directions),
    "made_sphere": ("table", _sphere),
    "made_noise": ("sequences", _noise),
    "made_walks": ("sequences", _walks),
    "made_autoregression": ("sequences", _autoregression),
    "made_phases": ("sequences", _phases),
    "made_clouds": ("sets", _clouds),
    "made_moved_clouds": ("sets", _moved_clouds),
    "made_long_texts": ("text", _long_texts),
    "made_short_texts": ("text", _short_texts),
    "made_gray_pictures": ("pictures", _gray_pictures),
    "made_color_pictures": ("pictures", _color_pictures),
    "made_hiss": ("audio", _hiss),
}

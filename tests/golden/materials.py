"""Small generated collections with known groups, in memory and as files: what the golden explorations are of.

Everything is drawn from fixed seeds, so that a collection is the same on every machine.
"""

from __future__ import annotations

import json
import mailbox
import wave
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from PIL import Image

SUBJECTS = (
    "kettle teapot infusion leaves oolong steep brew teacup saucer jasmine honey lemon",
    "engine piston gearbox clutch turbine diesel brake axle throttle exhaust carburetor torque",
    "violin sonata choir melody rhythm orchestra cello tempo concert harmony chord flute",
    "harbor anchor sailor rudder tide lighthouse vessel mast cargo captain voyage deck",
)
SHARED = (
    "window garden letter winter morning paper silver bridge corner market village pocket basket "
    "mirror candle ladder blanket button ribbon cellar fence gravel hammer lantern meadow orchard "
    "pigeon quarry saddle timber"
)
GERMAN = (
    "kessel kanne aufguss blatt oolongtee ziehen gebräu tasse untertasse jasmin honig zitrone",
    "motor kolben getriebe kupplung turbine diesel bremse achse gas auspuff vergaser drehmoment",
    "geige sonate chor melodie rhythmus orchester cello tempo konzert harmonie akkord flöte",
    "hafen anker matrose ruder flut leuchtturm schiff mast fracht kapitän reise deck",
)
GERMAN_SHARED = (
    "fenster garten brief winter morgen papier silber brücke ecke markt dorf tasche korb spiegel "
    "kerze leiter decke knopf band keller zaun kies hammer laterne wiese obstgarten taube "
    "steinbruch sattel holz"
)


def planted(n: int, k: int, seed: int = 0) -> np.ndarray:
    """The known group of every member: of unequal sizes, in random order."""
    rng = np.random.default_rng(seed)
    shares = np.arange(k, 0, -1) + k
    return rng.permutation(
        np.repeat(np.arange(k), np.ceil(n * shares / shares.sum()).astype(int))[:n]
    )


def texts(
    n: int = 90,
    k: int = 3,
    *,
    own: float = 0.6,
    length: int = 30,
    seed: int = 0,
    subjects: Sequence[str] = SUBJECTS,
    shared: str = SHARED,
) -> list[str]:
    """Texts of which a share of the words belongs to the subject of the group."""
    rng = np.random.default_rng(seed + 1)
    return [_text(rng, subjects[group], shared, own, length) for group in planted(n, k, seed)]


def _text(rng: np.random.Generator, subject: str, shared: str, own: float, length: int) -> str:
    words = [
        rng.choice(subject.split() if rng.random() < own else shared.split()) for _ in range(length)
    ]
    return " ".join(words).capitalize() + "."


def vectors(
    n: int = 120, k: int = 4, d: int = 5, *, spread: float = 1.0, seed: int = 0
) -> np.ndarray:
    """Gaussian clouds around centers far from each other."""
    rng = np.random.default_rng(seed + 2)
    centers = rng.normal(size=(k, d)) * 6
    return centers[planted(n, k, seed)] + spread * rng.normal(size=(n, d))


def cloud(n: int = 120, d: int = 4, seed: int = 0) -> np.ndarray:
    """One round cloud: there are no groups."""
    return np.random.default_rng(seed + 3).normal(size=(n, d))


def frame(n: int = 100, k: int = 3, seed: int = 0) -> pd.DataFrame:
    """Numbers of unlike units, categories, a date, missing cells, an id and the known group."""
    rng = np.random.default_rng(seed + 4)
    groups = planted(n, k, seed)
    height = np.array([150.0, 170.0, 190.0, 160.0])[groups] + 3 * rng.normal(size=n)
    income = np.exp(np.array([9.0, 10.5, 8.0, 10.0])[groups] + 0.2 * rng.normal(size=n))
    color = np.where(rng.random(n) < 0.85, np.array([*"rgbw"])[groups], rng.choice([*"rgbw"], n))
    height[rng.random(n) < 0.08] = np.nan
    return pd.DataFrame(
        {
            "id": [f"person-{i:03d}" for i in range(n)],
            "height": height,
            "income": income,
            "visits": rng.poisson(np.array([2, 9, 4, 6])[groups]),
            "color": [None if rng.random() < 0.05 else name for name in color],
            "club": np.array(["chess", "rowing", "chess", "opera"])[groups],
            "class": np.array(["low", "middle", "high", "other"])[groups],
        }
    )


def counts(n: int = 90, k: int = 3, seed: int = 0) -> sp.csr_array:
    """A sparse table of counts whose groups use columns of their own."""
    rng = np.random.default_rng(seed + 5)
    groups = planted(n, k, seed)
    rates = np.full((k, 60), 0.15)
    for group in range(k):
        rates[group, 12 * group : 12 * group + 12] = 1.6
    return sp.csr_array(rng.poisson(rates[groups]).astype(float))


def sequences(
    n: int = 60, k: int = 3, *, equal: bool = False, ordered: bool = True, seed: int = 0
) -> list[np.ndarray]:
    """Courses of two values: swings of unlike pace; sets when not ordered, told apart by their shape."""
    rng = np.random.default_rng(seed + 6)
    found = []
    for group in planted(n, k, seed):
        length = 40 if equal else int(rng.integers(25, 60))
        if ordered:
            phase = rng.uniform(0, 2 * np.pi)
            angle = phase + np.arange(length) * (0.15, 0.6, 1.4, 2.2)[group]
            values = np.stack([np.sin(angle), np.cos(angle)], axis=1)
            found.append(values + 0.2 * rng.normal(size=(length, 2)))
        else:
            shape = np.array([[2.0, 0.5], [0.5, 2.0], [1.0, 1.0], [0.4, 0.4]])[group]
            found.append(shape * rng.normal(size=(length, 2)))
    return found


def changing(n: int = 3, seed: int = 0) -> list[np.ndarray]:
    """Long traces that go from one of three states to another a few times."""
    rng = np.random.default_rng(seed + 7)
    levels = np.array([[0.0, 0.0], [4.0, 1.0], [-3.0, 5.0]])
    found = []
    for at in range(n):
        states = [(at + s) % 3 for s in range(4)]
        lengths = rng.integers(40, 80, size=4)
        means = np.concatenate(
            [np.tile(levels[s], (m, 1)) for s, m in zip(states, lengths, strict=True)]
        )
        found.append(means + 1.5 * rng.normal(size=means.shape))
    return found


def waves(
    folder: Path, n: int = 36, k: int = 3, *, seconds: float = 0.4, rate: int = 8000, seed: int = 0
) -> Path:
    """A folder of recordings: buzzes of unlike pitch and noise."""
    rng = np.random.default_rng(seed + 8)
    folder.mkdir(parents=True)
    for at, group in enumerate(planted(n, k, seed)):
        time = np.arange(int(rate * seconds * rng.uniform(0.8, 1.2))) / rate
        pitch = (220.0, 800.0, 2400.0, 1500.0)[group] * rng.uniform(0.97, 1.03)
        sound = sum(np.sin(2 * np.pi * pitch * h * time) / h for h in (1, 2, 3) if pitch * h < 3900)
        sound = sound * (1 + 0.5 * np.sin(2 * np.pi * 5 * time)) + 0.05 * rng.normal(size=len(time))
        write_wave(folder / f"sound-{at:02d}.wav", sound, rate)
    return folder


def recording(path: Path, *, seconds: float = 3.0, rate: int = 8000, seed: int = 0) -> Path:
    """One long recording that goes from one sound to another and back."""
    rng = np.random.default_rng(seed + 9)
    path.parent.mkdir(parents=True, exist_ok=True)
    time = np.arange(int(rate * seconds)) / rate
    sounds = [
        np.sin(2 * np.pi * 300 * time),
        np.sign(np.sin(2 * np.pi * 900 * time)),
        rng.normal(size=len(time)),
    ]
    parts = [sounds[s] + 0.02 * rng.normal(size=len(time)) for s in (0, 1, 0, 2, 1)]
    return write_wave(path, np.concatenate(parts), rate)


def write_wave(path: Path, sound: np.ndarray, rate: int) -> Path:
    """A mono file of 16 bits."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        scaled = np.round(sound / np.abs(sound).max() * 20000)
        file.writeframes(scaled.astype("<i2").tobytes())
    return path


def pictures(
    folder: Path, n: int = 40, k: int = 3, *, captions: bool = False, seed: int = 0
) -> Path:
    """A folder of small pictures of unlike colors, with a file of captions if wished."""
    rng = np.random.default_rng(seed + 10)
    folder.mkdir(parents=True)
    tints = np.array([[210, 60, 50], [50, 170, 70], [60, 80, 220], [220, 210, 90]])
    rows = []
    for at, group in enumerate(planted(n, k, seed)):
        tint = tints[group] + rng.normal(size=3) * 25
        pixels = np.clip(tint + rng.integers(-70, 71, size=(20, 24, 3)), 0, 255)
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"picture-{at:02d}.png")
        said = _text(rng, SUBJECTS[group], SHARED, 0.6, 16)
        rows.append({"file": f"picture-{at:02d}.png", "caption": said})
    if captions:
        pd.DataFrame(rows).to_csv(folder / "captions.csv", index=False)
    return folder


ENDINGS = ("son", "burg", "ville")


def tagged(path: Path, n: int = 90, k: int = 3, seed: int = 0, *, is_spelled: bool = False) -> Path:
    """Marked names in running text, one token per line: told by the words around them, or by how they end too."""
    rng = np.random.default_rng(seed + 11)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for at, group in enumerate(planted(n, k, seed)):
        around = SUBJECTS[group].split()
        before = rng.choice(around, 4)
        after = rng.choice(around, 4)
        lines += [f"{word} NN O" for word in before]
        end = ENDINGS[group] if is_spelled else ""
        lines += [f"Name{at % 17}{end} NNP B-ENTITY", f"Other{at % 5}{end} NNP I-ENTITY"]
        lines += [f"{word} NN O" for word in after]
        lines += [". . O", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def mail(folder: Path, n: int = 80, k: int = 3, seed: int = 0) -> Path:
    """A mail folder: messages within circles of people, each with its subject."""
    rng = np.random.default_rng(seed + 12)
    folder.mkdir(parents=True)
    box = mailbox.mbox(str(folder / "letters.mbox"))
    for at, group in enumerate(planted(n, k, seed)):
        sender, receiver = rng.choice(6, size=2, replace=False)
        message = EmailMessage()
        message["From"] = f"Person {group}{sender} <p{group}{sender}@example.org>"
        message["To"] = f"Person {group}{receiver} <p{group}{receiver}@example.org>"
        message["Subject"] = " ".join(rng.choice(SUBJECTS[group].split(), 3))
        message["Date"] = f"Mon, {at % 28 + 1:02d} Jan 2001 {at % 24:02d}:00:00 +0000"
        message["Message-ID"] = f"<{at}@example.org>"
        message.set_content(_text(rng, SUBJECTS[group], SHARED, 0.6, 40))
        entry = mailbox.mboxMessage(message)
        entry.set_from("letters@example.org Mon Jan 01 08:00:00 2001")
        box.add(entry)
    box.close()
    return folder


def text_folder(folder: Path, n: int = 60, k: int = 3, seed: int = 0) -> Path:
    """One document per file, in a folder per known group."""
    groups = planted(n, k, seed)
    for at, (text, group) in enumerate(zip(texts(n, k, seed=seed), groups, strict=True)):
        path = folder / "abcd"[group] / f"document-{at:03d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def text_lines(path: Path, n: int = 60, k: int = 3, seed: int = 0) -> Path:
    """One document per line."""
    path.write_text("\n".join(texts(n, k, seed=seed)), encoding="utf-8")
    return path


def text_csv(path: Path, n: int = 80, k: int = 3, seed: int = 0) -> Path:
    """A table of running text with an id, a day and the known group."""
    rows = pd.DataFrame(
        {
            "id": [f"doc-{i}" for i in range(n)],
            "body": texts(n, k, seed=seed),
            "day": pd.date_range("2020-01-01", periods=n).astype(str),
            "topic": np.array(["tea", "cars", "music", "sea"])[planted(n, k, seed)],
        }
    )
    rows.to_csv(path, index=False)
    return path


def text_jsonl(path: Path, n: int = 60, k: int = 3, seed: int = 0) -> Path:
    """One record with a text per line."""
    rows = [json.dumps({"key": i, "text": text}) for i, text in enumerate(texts(n, k, seed=seed))]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def table_csv(path: Path, n: int = 100, k: int = 3, seed: int = 0) -> Path:
    """The frame of mixed columns as a file."""
    frame(n, k, seed).to_csv(path, index=False)
    return path


def long_csv(path: Path, n: int = 40, k: int = 3, seed: int = 0) -> Path:
    """Sequences as one long table: a row per step."""
    rows = [
        {"series": f"s{i:02d}", "time": t, "x": step[0], "y": step[1]}
        for i, course in enumerate(sequences(n, k, seed=seed))
        for t, step in enumerate(course)
    ]
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def languages(folder: Path, n: int = 60, k: int = 3, seed: int = 0) -> Path:
    """The same documents in two languages: two folders of files with the same names."""
    views = {
        "en": texts(n, k, seed=seed),
        "de": texts(n, k, seed=seed, subjects=GERMAN, shared=GERMAN_SHARED),
    }
    for name, rows in views.items():
        (folder / name).mkdir(parents=True)
        for at, text in enumerate(rows):
            (folder / name / f"doc{at:03d}.txt").write_text(text, encoding="utf-8")
    return folder


def aligned(n: int = 90, k: int = 3, seed: int = 0) -> dict[str, Any]:
    """Two tables of the same members, which share the groups and nothing else."""
    rng = np.random.default_rng(seed + 13)
    hidden = vectors(n, k, 3, seed=seed)
    return {
        "left": hidden @ rng.normal(size=(3, 6)) + 0.3 * rng.normal(size=(n, 6)),
        "right": np.tanh(hidden / 4) @ rng.normal(size=(3, 5)) + 0.1 * rng.normal(size=(n, 5)),
    }


def tables(folder: Path, n: int = 60, k: int = 3, seed: int = 0) -> Path:
    """Several aligned tables as files with the same ids; a few members are in one only."""
    folder.mkdir(parents=True)
    for name, values in aligned(n, k, seed).items():
        rows = pd.DataFrame(values, columns=[f"{name}{j}" for j in range(values.shape[1])])
        rows.insert(0, "id", [f"m{i:03d}" for i in range(n)])
        (rows.iloc[2:] if name == "right" else rows).to_csv(folder / f"{name}.csv", index=False)
    return folder


def citations(n: int = 90, k: int = 3, seed: int = 0) -> pd.DataFrame:
    """What the texts cite: mostly works of their own group."""
    rng = np.random.default_rng(seed + 14)
    rows = [
        {
            "id": str(i),
            "cited": f"work-{group if rng.random() < 0.9 else rng.integers(k)}-{rng.integers(8)}",
        }
        for i, group in enumerate(planted(n, k, seed))
        for _ in range(6)
    ]
    return pd.DataFrame(rows)


def replies(n: int = 90, k: int = 3, seed: int = 0) -> pd.DataFrame:
    """Which texts answer which: mostly others of their own group."""
    rng = np.random.default_rng(seed + 15)
    groups = planted(n, k, seed)
    rows = []
    for i in range(n):
        others = np.flatnonzero(groups == groups[i]) if rng.random() < 0.9 else np.arange(n)
        rows += [{"id": str(i), "answers": str(other)} for other in rng.choice(others, 3)]
    return pd.DataFrame(rows)

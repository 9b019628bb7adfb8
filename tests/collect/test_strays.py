"""Tables beside recordings or pictures that do not tell of them are skipped, and that is said."""

from __future__ import annotations

import wave

import numpy as np
import pytest

import coterie
from coterie.messages.notes import code_of

STRAYS = {"meta.json": '{"version": 3}', "index.json": "[1, 2", "labels.csv": "a,b\n1,2,3\n4\n"}


def fill(folder):
    folder.mkdir()
    for name, content in STRAYS.items():
        (folder / name).write_text(content)


def skipped(found):
    return [note.values["names"] for note in found.notes if code_of(note) == "skipped"]


def test_beside_recordings(tmp_path):
    folder = tmp_path / "sound"
    fill(folder)
    for at in range(4):
        with wave.open(str(folder / f"r{at}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(np.random.default_rng(at).integers(-99, 99, 800).astype("<i2"))
    found = coterie.read(folder)
    assert len(found) == 4
    assert skipped(found) == [("index.json", "labels.csv", "meta.json")]
    (folder / "labels.csv").write_text("file,kind\n" + "".join(f"r{i}.wav,a\n" for i in range(4)))
    found = coterie.read(folder)
    assert found.cards["kind"] == ["a"] * 4
    assert skipped(found) == [("index.json", "meta.json")]


def test_beside_one_table(tmp_path):
    (tmp_path / "meta.json").write_text(STRAYS["meta.json"])
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n3,5\n4,4\n")
    found = coterie.read(tmp_path)
    assert found.view().names == ("a", "b")
    assert skipped(found) == [("meta.json",)]


def test_beside_pictures(tmp_path):
    image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "pictures"
    fill(folder)
    for at in range(4):
        pixels = np.random.default_rng(at).integers(0, 255, (16, 16, 3)).astype(np.uint8)
        image.fromarray(pixels).save(folder / f"p{at}.png")
    found = coterie.read(folder)
    assert (found.kind, len(found)) == ("pictures", 4)
    assert skipped(found) == [("index.json", "labels.csv", "meta.json")]

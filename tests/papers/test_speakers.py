"""The experiment on speakers, on small stand-ins: every row and relation is there, and bags are what they are said to be."""

from __future__ import annotations

import wave

import numpy as np
import pytest

from coterie.collect.audio import read_audio
from coterie.collect.columns import Named
from coterie_papers import speakers
from coterie_papers.speakers import DIGITS, EXPERIMENT, PAPER, digits, divergences, errors

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
_SPEAKERS = 2
_DIGITS = 3
_TAKES = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Speakers, motions and rings in the form and the place of the real ones, and hummed digits as .wav files."""
    rng = np.random.default_rng(0)
    root = tmp_path_factory.mktemp("data")
    (root / "sequences").mkdir()
    for name, kinds in (("JapaneseVowels", 3), ("BasicMotions", 2), ("ERing", 2)):
        labels = np.repeat(np.arange(kinds), 6)
        levels = 4.0 * rng.normal(size=(kinds, 3))
        members = [levels[s] + 0.5 * rng.normal(size=(rng.integers(10, 16), 3)) for s in labels]
        np.savez(
            root / "sequences" / f"{name}.npz",
            values=np.concatenate(members).astype(np.float32),
            lengths=np.array([len(m) for m in members]),
            labels=labels.astype(str),
            split=np.where(np.arange(len(labels)) % 6 < 5, "train", "test"),
        )
    place = root / DIGITS
    place.mkdir()
    lines = ["file,digit,speaker,take"]
    for i in range(_SPEAKERS * _DIGITS * _TAKES):
        speaker = i % _SPEAKERS
        digit = i // _SPEAKERS % _DIGITS
        take = i // _SPEAKERS // _DIGITS
        time = np.arange(1600 + 200 * digit) / 8000
        sound = 0.3 * np.sin(2 * np.pi * (300 + 900 * speaker) * time) + 0.05 * rng.normal(
            size=len(time)
        )
        with wave.open(str(place / f"{i:02d}.wav"), "wb") as file:
            file.setparams((1, 2, 8000, len(sound), "NONE", ""))
            file.writeframes((sound * 32767).astype("<i2").tobytes())
        lines.append(f"{i:02d}.wav,{digit},{'ab'[speaker]},{take}")
    (place / "index.csv").write_text("\n".join(lines))
    return root


def test_bags_are_the_recordings_of_one_speaker(folder):
    sound = read_audio(folder / DIGITS, named=Named(truth=("speaker",)))
    view, truth = digits(sound, 2, 1)
    assert np.bincount(truth).tolist() == [6, 6]
    whole, labels = digits(sound, _TAKES, 2)
    assert np.bincount(labels).tolist() == [5, 5]
    everything, _ = digits(sound, _TAKES, 1)
    assert np.array_equal(whole[0], np.concatenate([everything[0], everything[1]]))
    assert np.array_equal(whole[4], everything[8])
    assert np.array_equal(whole[5], np.concatenate([everything[9], everything[10]]))
    assert not view.ordered
    found = errors(view, truth, 1)
    assert set(PAPER) - {"SSD"} <= set(found)
    assert found["bound-J"] == [0.0]
    assert found["NN risk"] == [0.0]


def test_root_and_plain_are_of_one_matrix(folder):
    view, _ = digits(read_audio(folder / DIGITS, named=Named(truth=("speaker",))), 1, 1)
    root = divergences(view, distance="root")
    plain = divergences(view, distance="plain")
    assert set(root) == set(plain)
    for name in ("NN-J", "Wang-J", "bound-Hellinger", "MMD"):
        np.testing.assert_allclose(root[name].values ** 2, plain[name].values, atol=1e-9)


def test_the_experiment_fills_its_table(folder, monkeypatch):
    plain = speakers.SSD
    monkeypatch.setattr(
        speakers,
        "SSD",
        lambda n_states, n_models, random_state: plain(n_states=3, random_state=random_state),
    )
    found = EXPERIMENT.conduct(seeds=1, quick=True, folder=folder)
    assert not found.skipped
    assert all(np.isfinite(row.ours) for row in found.rows)
    assert {
        row.method for row in found.rows if row.data == speakers.DATA and row.paper is not None
    } == {
        *PAPER,
        "explore",
        "explore, moments",
    }
    assert {row.data for row in found.rows if row.method == "bound-J, root"} == {
        speakers.DATA,
        "speakers of digits",
        "BasicMotions",
        "ERing",
    }
    assert len(found.relations) == 11
    chosen = [row for row in found.rows if row.measure == "groups chosen"]
    assert {row.method for row in chosen} == {"explore", "explore, moments"}
    assert all(relation.holds for relation in found.relations if "bound-J has" in relation.text)


def test_without_data_it_says_so():
    found = EXPERIMENT.conduct(seeds=1, quick=True)
    assert found.rows == []
    assert len(found.skipped) == 4

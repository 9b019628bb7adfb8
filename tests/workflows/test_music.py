"""The analysis of longer recordings: which windows, two kinds of music found, one kind left alone, and comparers of one's own."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Ragged
from coterie.compare import MMD, SIC
from coterie.compare.divergence import Divergence
from coterie.judge import adjusted_rand
from coterie.messages.exploration import describe_steps
from coterie.represent import Frames, Integration
from coterie.show import render
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse
from coterie.workflows.modalities import modality_of
from coterie.workflows.modalities.sound import is_long, windows_for

RATE = 8000.0


def band(n: int, seconds: float = 5.0, seed: int = 0) -> Collection:
    """Pieces of slow swelling chords, and (the second kind) of quick strokes; each in a key and a tempo of its own."""
    generator = np.random.default_rng(seed)
    waves = []
    for i in range(n):
        steps = int(RATE * seconds * generator.uniform(0.85, 1.15))
        time = np.arange(steps) / RATE
        root = generator.uniform(90, 180)
        level = generator.uniform(0.1, 0.4)
        if i % 2 == 0:
            tones = [
                np.sin(2 * np.pi * root * h * time + generator.uniform(0, 6)) / h
                for h in range(1, 6)
            ]
            wave = np.sum(tones, axis=0) * (
                1.2 + np.sin(2 * np.pi * generator.uniform(1.5, 2) * time)
            )
        else:
            since = (time * generator.uniform(5, 7)) % 1.0
            wave = np.exp(-6 * since) * (
                generator.normal(size=steps) + np.sin(2 * np.pi * 8 * root * time)
            )
        wave = wave + 0.02 * generator.normal(size=steps)
        waves.append(level * wave / np.abs(wave).max())
    made = Ragged.of(waves)
    sound = Ragged(made.values, made.offsets, names=("amplitude",), rate=RATE)
    ids = [f"piece-{i:02d}" for i in range(n)]
    return Collection(ids, {"sound": sound}, truth={"kind": np.arange(n) % 2}, name="band")


@pytest.fixture(scope="module")
def two():
    return band(24)


def test_two_kinds_of_music_are_found(two):
    found = analyse(two, Choices(nulls=8)).findings
    assert found.evidence.structured
    assert found.evidence.n_groups == 2
    assert adjusted_rand(found.labels, two.truth["kind"]) == 1.0
    said = " ".join(describe_steps(found.steps))
    assert "six cepstra" in said
    assert "A recording is a set of windows of 0." in said
    assert "MMD" in said
    assert "divided by its standard deviation" in said
    page = render(found)
    assert "piece-00" in page
    assert "A recording is a set of windows of 0." in page


def test_one_kind_of_music_is_left_alone():
    both = band(48, seed=1)
    found = analyse(
        both.take(np.flatnonzero(np.asarray(both.truth["kind"]) == 1)), Choices()
    ).findings
    assert not found.evidence.structured
    assert found.evidence.n_groups == 1


def test_new_pieces_are_placed_by_the_same_windows(two):
    walked = analyse(two, Choices(k=2, nulls=0))
    fresh = band(6, seed=7)
    labels = walked.pipeline.predict(fresh.view())
    old = walked.findings.labels
    of_kind = np.array(
        [
            np.bincount(old[np.asarray(two.truth["kind"]) == kind], minlength=2).argmax()
            for kind in (0, 1)
        ]
    )
    assert np.array_equal(labels, of_kind[np.asarray(fresh.truth["kind"])])


def _steps(collection: Collection, **choices: str) -> list[type]:
    prepared = modality_of(collection.view()).prepare(collection, "sound", Choices(**choices))
    return [type(step) for step in prepared.pipeline.steps]


def test_words_stay_with_sic_and_music_does_not(two):
    short = band(6, seconds=1.0)
    assert not is_long(short.view())
    assert _steps(short) == [Frames, SIC]
    assert _steps(two) == [Frames, Integration, MMD]
    assert _steps(two, compare="SIC(n_iterations=20)") == [Frames, SIC]


def test_a_comparer_of_ones_own_gets_the_windows(two):
    assert _steps(two, compare="Divergence(risk=bound)") == [Frames, Integration, Divergence]
    found = analyse(two, Choices(compare="Divergence(risk=bound)", k=2, nulls=0)).findings
    assert any("Divergence" in sentence for sentence in describe_steps(found.steps))
    assert adjusted_rand(found.labels, two.truth["kind"]) == 1.0


def test_windows_follow_the_length_of_the_recordings():
    minute = windows_for(60.0)
    excerpt = windows_for(6.0)
    short = windows_for(4.0)
    assert (minute.window, minute.order) == (2.0, 3)
    assert (excerpt.window, excerpt.hop, excerpt.order) == (1.0, 0.1, 1)
    assert (short.window, short.order) == (0.75, 1)
    for seconds in (4.0, 6.0, 30.0, 60.0, 600.0):
        made = windows_for(seconds)
        assert 30 <= (seconds - made.window) / made.hop + 1 <= 60
        assert int(made.window / 0.015) >= 6 * (6 * made.order + 1)  # equations for every number

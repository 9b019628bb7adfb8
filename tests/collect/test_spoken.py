"""Spoken words: the same for the same seed, of the shape promised, and speakers that differ as much as words do."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Ragged
from coterie.collect.spoken import RATE, spoken_words, words
from coterie.core.errors import ParameterError


def loudness(sound: np.ndarray) -> np.ndarray:
    """Mean decibels in 16 bands of the whole recording: a poor description that knows no time."""
    power = np.abs(np.fft.rfft(sound[:, 0], n=8192)) ** 2
    return np.array([10 * np.log10(part.mean()) for part in np.array_split(power, 16)])


def test_recordings_are_as_promised() -> None:
    made = spoken_words(3, 2, 4, 1)
    again = spoken_words(3, 2, 4, 1)
    other = spoken_words(3, 2, 4, 2)
    sound = made.view("sound")
    assert isinstance(sound, Ragged)
    assert len(made) == 24
    assert sound.rate == RATE
    assert np.array_equal(sound.values, again.view().values)  # type: ignore[union-attr]
    assert not np.array_equal(sound.values[:500], other.view().values[:500])  # type: ignore[union-attr]
    assert np.unique(made.truth["group"], return_counts=True)[1].tolist() == [8, 8, 8]
    assert sorted(set(made.cards["speaker"])) == ["speaker 1", "speaker 2"]
    peaks = np.array([np.abs(member).max() for member in sound])
    assert np.isfinite(sound.values).all()
    assert 0.1 < peaks.min() < peaks.max() < 1.0
    assert 0.12 * RATE < sound.lengths.min() < sound.lengths.max() < 1.5 * RATE
    assert len(set(sound.lengths.tolist())) > 12, "takes have their own timing"


def test_a_recording_does_not_depend_on_how_many_others_there_are() -> None:
    few = spoken_words(2, 2, 2, 5)
    many = spoken_words(2, 3, 3, 5)
    for name in few.ids:
        first = few.view()[few.ids.index(name)]  # type: ignore[index,attr-defined]
        assert np.array_equal(first, many.view()[many.ids.index(name)])  # type: ignore[index,attr-defined]


def test_a_speaker_has_a_channel_that_is_heard_in_every_word() -> None:
    made = spoken_words(4, 4, 3, 0)
    bands = np.array([loudness(sound) for sound in made.view()])  # type: ignore[union-attr]
    bands -= bands.mean(axis=1, keepdims=True)
    who = np.array(made.cards["speaker"])
    what = made.truth["group"]
    by_speaker = np.mean([bands[who == s].mean(axis=0).std() for s in set(made.cards["speaker"])])
    pure = np.array(
        [bands[(who == s) & (what == w)].std(axis=0).mean() for s in set(who) for w in set(what)]
    )
    across = np.array([bands[what == w].std(axis=0).mean() for w in set(what)])
    assert by_speaker > 1.0
    assert across.mean() > 1.5 * pure.mean(), (
        "one word differs more between speakers than between takes of one"
    )


def test_a_sample_of_any_size_has_all_words() -> None:
    for n in (10, 40, 61):
        made = words(n, random_state=3)
        assert len(made) == n
        assert len(np.unique(made.truth["group"])) == 10
    with pytest.raises(ParameterError, match="n must be at least"):
        words(9)
    with pytest.raises(ParameterError, match="takes must be"):
        spoken_words(3, 2, 0)

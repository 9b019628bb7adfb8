"""TrimSilence: what is silent before and after goes, the peak is one, nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.core.ragged import Ragged
from coterie.represent import TrimSilence
from coterie.testing import promises


def recordings(waves: list[np.ndarray], rate: float = 8000.0) -> Ragged:
    return Ragged(
        np.concatenate(waves)[:, None],
        np.concatenate([[0], np.cumsum([len(wave) for wave in waves])]),
        rate=rate,
    )


@pytest.mark.parametrize("promise", promises(TrimSilence()), ids=str)
def test_promise(promise):
    promise()


@pytest.mark.parametrize("loudness", [0.001, 1.0, 30.0])
def test_silence_goes_and_the_peak_is_one(loudness):
    tone = np.sin(np.arange(800) * 0.5)
    quiet = np.zeros(400)
    wave = loudness * np.concatenate([quiet, tone, quiet, tone, quiet]) + 5.0
    sound = recordings([wave, tone])
    trimmed = TrimSilence().fit(sound).transform(sound)
    assert trimmed.rate == 8000.0
    assert abs(int(trimmed.lengths[0]) - 2000) <= 80  # the silence in the middle stays
    assert np.abs(trimmed[0]).max() == pytest.approx(1.0)


def test_the_threshold_says_what_is_silent():
    loud = np.sin(np.arange(800) * 0.5)
    wave = np.concatenate([0.03 * loud, loud])  # 30 dB below
    sound = recordings([wave])
    assert len(TrimSilence(threshold=45).fit(sound).transform(sound).values) == 1600
    assert len(TrimSilence(threshold=20).fit(sound).transform(sound).values) == 800


def test_a_recording_without_sound_stays_whole():
    sound = recordings([np.full(500, 0.25), np.sin(np.arange(300))])
    trimmed = TrimSilence().fit(sound).transform(sound)
    assert trimmed.lengths.tolist() == [500, 300]
    assert not trimmed[0].any()


def test_what_is_no_recording_is_refused():
    with pytest.raises(DataError, match="recording 1 has NaN or infinity"):
        TrimSilence().fit(recordings([np.ones(9), np.array([1.0, np.nan])]))
    with pytest.raises(DataError, match="takes waveforms"):
        TrimSilence().fit([np.zeros((5, 2))])

"""Recordings: short ones by what models of their spectra take for one another, longer ones as sets of windows.

**Which window for longer recordings?** A recording gives about fifty of them. A window lasts a sixth of the median
recording, from 0.75 to 2 seconds, and looks back as many frames (at most three) as leave six equations for every number
that is estimated. At 60 seconds that is what Meng et al. and García-García take for music: 2 seconds and order 3; at 6
seconds it is 1 second and order 1.

**Which comparer?** MMD. Divergences by nearest neighbors end where two sets do not overlap, and two pieces of music
seldom do: nearly all pairs would be equally far. The bound of two moments does not end there, but takes several times as
long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from coterie.compare.mmd import MMD
from coterie.compare.sic.estimator import SIC
from coterie.core.collection import Collection
from coterie.core.findings import Step
from coterie.core.ragged import Ragged
from coterie.represent.frames import Frames, FrameSettings
from coterie.represent.integration import Integration
from coterie.represent.shapes import Shapes
from coterie.workflows import null_models
from coterie.workflows.attributes import measure_sound
from coterie.workflows.choices import Choices
from coterie.workflows.key_features import KeyFeatures, key_columns
from coterie.workflows.modalities.base import takes_whole
from coterie.workflows.modalities.sequences import (
    SequenceModality,
    comparer_of_members,
    null_models_of_sequences,
)
from coterie.workflows.modalities.whole import ITERATIONS, PreparedWhole
from coterie.workflows.prepared import PreparedCollection, compared_whole

_LONG = 4.0  # seconds of a median recording from which it is more than a word
_SAMPLE = 200  # longer recordings the evidence is read off
_SHORTEST = 0.75  # seconds of a window
_LONGEST = 2.0
_SHARE = 6  # of the median recording that a window lasts
_WINDOWS = 50  # of a median recording
_EQUATIONS = 6  # for every number that an autoregression estimates
_ORDER = 3
_STEP = 0.015  # seconds from frame to frame
_CEPSTRA = 6


class SoundModality(SequenceModality):
    """Waveforms: one value per step, and thousands of steps a second."""

    noun: ClassVar[str] = "recordings"
    features: ClassVar[str] = "sounds"

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedCollection:
        """Frames of short recordings by SIC, windows of longer ones by MMD, unless a comparer of shapes was named."""
        data = cast(Ragged, collection.view(view))
        comparer = comparer_of_members(choices)
        if comparer is not None and not takes_whole(comparer, data):
            return super().prepare(collection, view, choices)
        if is_long(data) and type(comparer).__name__ != "SIC":
            return _prepare_long(collection, view, comparer or MMD())
        comparer = comparer or SIC(n_iterations=ITERATIONS, random_state=choices.seed)
        return _prepare_short(collection, view, comparer)

    def has_ensemble(self, data: Any) -> bool:
        """They are grouped by a vote over several representations."""
        return True

    def describe_data(self, data: Ragged) -> str:
        """How long the recordings are."""
        short, long = (data.lengths.min() / data.rate, data.lengths.max() / data.rate)
        return f"sound, {short:.1f} to {long:.1f} seconds long"

    def snippets(self, collection: Collection, view: str, most: int) -> list[str]:
        """How long each recording is."""
        data = cast(Ragged, collection.view(view))
        return [f"{length / data.rate:.2f} s of sound" for length in data.lengths]

    def key_features(
        self, data: Any, labels: np.ndarray, n_groups: int
    ) -> Mapping[str, Sequence[KeyFeatures]]:
        """What can be heard at once: length, loudness, pitch, brightness, noisiness."""
        found = measure_sound(data)
        return {self.features: key_columns(found.table, labels, n_groups, words=found.words)}

    def sparks(self, data: Any, members: np.ndarray) -> tuple[tuple[float, ...], ...]:
        """The mean of waveforms says nothing."""
        return ()

    def representers(self, data: Any, view: str) -> list[Any]:
        """Shapes of frames."""
        return [Frames(), Shapes()]


def is_long(data: Ragged) -> bool:
    """Whether recordings are long enough to be sets of windows."""
    return float(np.median(data.lengths)) / data.rate >= _LONG


def _prepare_short(collection: Collection, view: str, comparer: Any) -> PreparedWhole:
    frames = Frames()
    data = cast(Ragged, collection.view(view))
    form = frames.fit(data).represent(data)
    values = {"kind": frames.target_kind, "per_second": 1000 / frames.target_rate_ms}
    steps = [Step("frames", values), compared_whole(comparer)]
    return PreparedWhole(
        collection, view, [frames], comparer, steps, form, null_models_of_sequences
    )


def _prepare_long(collection: Collection, view: str, comparer: Any) -> PreparedWhole:
    data = cast(Ragged, collection.view(view))
    seconds = float(np.median(data.lengths)) / data.rate
    frames = music_frames()
    integration = windows_for(seconds)
    heard = frames.fit(data).transform(data)
    form = integration.fit(heard).transform(heard)
    values = {
        "window": integration.window,
        "hop": integration.hop,
        "order": integration.order,
        "count": int(np.median(form.lengths)),
        "numbers": form.dim,
    }
    steps = [
        Step("music_frames", {"seconds": seconds}),
        Step("music_windows", values),
        compared_whole(comparer),
    ]
    return PreparedWhole(
        collection,
        view,
        [frames, integration],
        comparer,
        steps,
        form,
        null_models.of_sets,
        min(_SAMPLE, comparer.often),
    )


def music_frames() -> Frames:
    """Six cepstra of 30 mel filters in Hann windows of 30 ms, every 15 ms; how loud it is is left out."""
    plain = FrameSettings(preem_coef=0.0, cep_lifter=0, window_shape="hann")
    return Frames(
        target_kind="MFCC",
        target_rate_ms=1000 * _STEP,
        window_size_ms=30.0,
        num_ceps=_CEPSTRA,
        num_chans=30,
        settings=plain,
    )


def windows_for(seconds: float) -> Integration:
    """The windows of recordings of about so many seconds; every number has one scale, since their units differ."""
    window = float(np.clip(round(seconds / _SHARE, 2), _SHORTEST, _LONGEST))
    hop = max(window / 10, round((seconds - window) / _WINDOWS, 3))
    steps = int(window / _STEP)
    orders = [p for p in range(1, _ORDER + 1) if (steps - p) / (p * _CEPSTRA + 1) >= _EQUATIONS]
    return Integration(window=window, hop=hop, order=max(orders, default=1), scale="standard")

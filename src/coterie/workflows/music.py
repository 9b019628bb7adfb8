"""The walk on longer recordings (music, noises, talk): each becomes a set of windows, and the sets are compared.

Which window? A recording gives about fifty of them. A window lasts a sixth of the median recording, from 0.75 to 2 seconds,
and looks back as many frames (at most three) as leave six equations for every number that is estimated. At 60 seconds that
is what Meng et al. and García-García take for music: 2 seconds and order 3; at 6 seconds it is 1 second and order 1.

Which comparer? MMD. Divergences by nearest neighbors end where two sets do not overlap, and two pieces of music seldom do:
nearly all pairs would be equally far. The bound of two moments does not end there, but takes several times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.compare.mmd import MMD
from coterie.compare.sic.estimator import SIC
from coterie.core.ragged import Ragged
from coterie.represent.frames import Frames, FrameSettings
from coterie.represent.integration import Integration
from coterie.workflows import nulls
from coterie.workflows.learned import planned, said_of
from coterie.workflows.plan import Plan

_LONG = 4.0  # seconds of a median recording from which it is more than a word
_MOST = 200  # recordings the evidence is read off
# seconds of a window
_SHORTEST = 0.75
_LONGEST = 2.0
_SHARE = 6  # of the median recording that a window lasts
_WINDOWS = 50  # of a median recording
_EQUATIONS = 6  # for every number that an autoregression estimates
_ORDER = 3


def is_music(data: Ragged, comparer: Any = None) -> bool:
    """Whether these waveforms are long enough to be sets of windows; SIC hears frames, however long."""
    return float(np.median(data.lengths)) / data.rate >= _LONG and not isinstance(comparer, SIC)


def pieces(data: Ragged, comparer: Any = None) -> Plan:
    """Recordings as sets of windows, by how far the laws of these sets are apart (or by a comparer of one's own)."""
    comparer = comparer or MMD()
    frames = music_frames()
    integration = windows_for(float(np.median(data.lengths)) / data.rate)
    heard = frames.fit(data).transform(data)
    seen = integration.fit(heard).transform(heard)
    said = [*_said(data, seen, integration), said_of(comparer)]
    return planned(
        [frames, integration], comparer, said, seen.take, nulls.of_sets, min(_MOST, comparer.often)
    )


def music_frames() -> Frames:
    """Six cepstra of 30 mel filters in Hann windows of 30 ms, every 15 ms; how loud it is is left out."""
    plain = FrameSettings(preem_coef=0.0, cep_lifter=0, window_shape="hann")
    return Frames(
        target_kind="MFCC",
        target_rate_ms=15.0,
        window_size_ms=30.0,
        num_ceps=6,
        num_chans=30,
        settings=plain,
    )


def windows_for(seconds: float) -> Integration:
    """The windows of recordings of about so many seconds; every number has one scale, since their units differ."""
    window = float(np.clip(round(seconds / _SHARE, 2), _SHORTEST, _LONGEST))
    hop = max(window / 10, round((seconds - window) / _WINDOWS, 3))
    steps = int(window / 0.015)
    width = 6
    orders = [p for p in range(1, _ORDER + 1) if (steps - p) / (p * width + 1) >= _EQUATIONS]
    return Integration(window=window, hop=hop, order=max(orders, default=1), scale="standard")


def _said(data: Ragged, seen: Ragged, integration: Integration) -> list[str]:
    length = float(np.median(data.lengths)) / data.rate
    many = int(np.median(seen.lengths))
    return [
        f"Recordings of {length:.1f} s (median) are heard in frames of 30 ms every 15 ms: six cepstra of 30 mel filters, "
        "without their loudness.",
        f"A recording is a set of windows of {integration.window:g} s, one every {integration.hop:.2g} s ({many} in the median "
        f"one); a window is {seen.dim} numbers: how its frames follow from the {_before(integration.order)}, their level, and "
        "the covariance of what does not follow. Each number is divided by its standard deviation over all windows.",
    ]


def _before(order: int) -> str:
    return "one before" if order == 1 else f"{order} before"

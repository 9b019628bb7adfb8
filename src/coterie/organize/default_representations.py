"""What members are represented by when nobody says it, for each modality: spaces that mixtures are fitted in, and which mixtures.

Chosen by the mean adjusted Rand index, within families first, on one half of a board of labeled collections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.text import TaggedText
from coterie.represent.convolutions import RandomConvolutions
from coterie.represent.frames import Frames
from coterie.represent.gradients import HOG
from coterie.represent.lab_colors import LabHistogram
from coterie.represent.mentions import SpellingByContext, SpellingCounts
from coterie.represent.patches import RandomPatches
from coterie.represent.series import Means, Paths, PowerSpectrum, Quantiles
from coterie.represent.silence import TrimSilence

_COLORED = 0.02  # share of colored pixels from which a picture has color
_SHADE = 8  # levels by which red, green and blue of a gray pixel may differ


@dataclass(frozen=True)
class Representations:
    """Spaces, each with the representations that stand side by side in it, and the covariances of the mixtures in each."""

    spaces: list[Any]
    covariances: tuple[str, ...] = ("shrunk",)


def default_representations(members: Ragged | Pictures | TaggedText) -> Representations:
    """The spaces and mixtures for these members."""
    if isinstance(members, Pictures):
        return _of_color() if has_color(members) else _of_gray()
    if isinstance(members, TaggedText):
        return _of_names()
    if members.is_sound:
        return _of_sound()
    return _of_sequences() if members.ordered else _of_sets()


def _of_sequences() -> Representations:
    convolutions = RandomConvolutions(standardize=True)
    shape = RandomConvolutions(standardize=True, level="standardize")
    quantiles = Quantiles(standardize=True)
    return Representations(
        [
            convolutions,
            [convolutions, quantiles],
            [convolutions, PowerSpectrum()],
            [convolutions, quantiles, PowerSpectrum(), Paths()],
            [convolutions, PowerSpectrum(level="standardize")],
            shape,
            quantiles,
        ]
    )


def _of_sets() -> Representations:
    means = Means(standardize=True)
    quantiles = Quantiles(standardize=True)
    moments = Means(covariances=True, standardize=True)
    return Representations([Means(), means, [means, quantiles], quantiles, moments])


def _of_sound() -> Representations:
    heard = TrimSilence()
    cepstra = (heard, Frames(target_kind="MFCC_0", num_ceps=13))
    filters = (heard, Frames(target_kind="FBANK", num_chans=32))
    of_cepstra = (*cepstra, RandomConvolutions(units=1.0, standardize=True))
    of_filters = (*filters, RandomConvolutions(same_level=True, standardize=True))
    quantiles = (*cepstra, Quantiles(units=1.0, standardize=True))
    return Representations(
        [[of_cepstra, quantiles], [of_filters, quantiles], [of_cepstra, of_filters]],
        ("tied", "shrunk"),
    )


def _of_names() -> Representations:
    return Representations(
        [
            SpellingByContext(side="spelling"),
            SpellingByContext(side="spelling", n_components=40),
            SpellingByContext(side="spelling", n_components=10, prior=20.0),
            SpellingCounts(),
        ]
    )


def _of_gray() -> Representations:
    edges = HOG()
    upright = HOG(deskew=True)
    patches = RandomPatches()
    upright_patches = RandomPatches(deskew=True)
    return Representations([edges, upright, patches, upright_patches, [upright, upright_patches]])


def _of_color() -> Representations:
    edges = HOG()
    patches = RandomPatches()
    colors = LabHistogram()
    return Representations(
        [edges, patches, [edges, colors], [patches, colors], [edges, patches, colors]]
    )


def has_color(pictures: Pictures) -> bool:
    """Whether a tenth of the pictures or more have colored pixels."""
    colored = [
        float((np.ptp(picture.reshape(-1, 3).astype(np.int16), axis=1) > _SHADE).mean()) > _COLORED
        for picture in pictures
    ]
    return float(np.mean(colored)) >= 0.1

"""The room where what is seen of the members becomes tables of numbers; names are imported when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "Representer": "coterie.represent.role",
    "Terms": "coterie.represent.terms",
    "LSA": "coterie.represent.lsa",
    "ScaledPCA": "coterie.represent.scaled_pca",
    "Scaling": "coterie.represent.scaling",
    "Shapes": "coterie.represent.shapes",
    "RandomConvolutions": "coterie.represent.convolutions",
    "Means": "coterie.represent.series",
    "Quantiles": "coterie.represent.series",
    "PowerSpectrum": "coterie.represent.series",
    "Paths": "coterie.represent.series",
    "TrimSilence": "coterie.represent.silence",
    "HOG": "coterie.represent.gradients",
    "RandomPatches": "coterie.represent.patches",
    "LabHistogram": "coterie.represent.lab_colors",
    "SpellingByContext": "coterie.represent.mentions",
    "SpellingCounts": "coterie.represent.mentions",
    "Frames": "coterie.represent.frames",
    "FrameSettings": "coterie.represent.frames",
    "Integration": "coterie.represent.integration",
    "Contexts": "coterie.represent.contexts",
    "Attributes": "coterie.represent.contexts",
    "Embedding": "coterie.represent.embedding",
    "Colours": "coterie.represent.colours",
    "Texture": "coterie.represent.texture",
    "RegionFeatures": "coterie.represent.regions",
    "region_tables": "coterie.represent.regions",
    "Blobs": "coterie.represent.blobs",
    "stop_list": "coterie.represent.stop_lists",
    "TTMM": "coterie.represent.ttmm",
    "topic_bars": "coterie.represent.topic_pictures",
    "theme_bars": "coterie.represent.topic_pictures",
    "Siamese": "coterie.represent.siamese",
    "WordVectors": "coterie.represent.word_vectors",
    "PLSA": "coterie.represent.plsa",
    "LDA": "coterie.represent.lda",
    "held_out_score": "coterie.represent.hidden_words",
    "NNTR": "coterie.represent.nntr",
    "PWCA": "coterie.represent.pwca",
    "KCCA": "coterie.represent.kcca",
    "CCA": "coterie.represent.cca",
}

if TYPE_CHECKING:
    from coterie.represent.blobs import Blobs as Blobs
    from coterie.represent.cca import CCA as CCA
    from coterie.represent.colours import Colours as Colours
    from coterie.represent.contexts import Attributes as Attributes
    from coterie.represent.contexts import Contexts as Contexts
    from coterie.represent.convolutions import RandomConvolutions as RandomConvolutions
    from coterie.represent.embedding import Embedding as Embedding
    from coterie.represent.frames import Frames as Frames
    from coterie.represent.frames import FrameSettings as FrameSettings
    from coterie.represent.gradients import HOG as HOG
    from coterie.represent.hidden_words import held_out_score as held_out_score
    from coterie.represent.integration import Integration as Integration
    from coterie.represent.kcca import KCCA as KCCA
    from coterie.represent.lab_colors import LabHistogram as LabHistogram
    from coterie.represent.lda import LDA as LDA
    from coterie.represent.lsa import LSA as LSA
    from coterie.represent.mentions import SpellingByContext as SpellingByContext
    from coterie.represent.mentions import SpellingCounts as SpellingCounts
    from coterie.represent.nntr import NNTR as NNTR
    from coterie.represent.patches import RandomPatches as RandomPatches
    from coterie.represent.plsa import PLSA as PLSA
    from coterie.represent.pwca import PWCA as PWCA
    from coterie.represent.regions import RegionFeatures as RegionFeatures
    from coterie.represent.regions import region_tables as region_tables
    from coterie.represent.role import Representer as Representer
    from coterie.represent.scaled_pca import ScaledPCA as ScaledPCA
    from coterie.represent.scaling import Scaling as Scaling
    from coterie.represent.series import Means as Means
    from coterie.represent.series import Paths as Paths
    from coterie.represent.series import PowerSpectrum as PowerSpectrum
    from coterie.represent.series import Quantiles as Quantiles
    from coterie.represent.shapes import Shapes as Shapes
    from coterie.represent.siamese import Siamese as Siamese
    from coterie.represent.silence import TrimSilence as TrimSilence
    from coterie.represent.stop_lists import stop_list as stop_list
    from coterie.represent.terms import Terms as Terms
    from coterie.represent.texture import Texture as Texture
    from coterie.represent.topic_pictures import theme_bars as theme_bars
    from coterie.represent.topic_pictures import topic_bars as topic_bars
    from coterie.represent.ttmm import TTMM as TTMM
    from coterie.represent.word_vectors import WordVectors as WordVectors

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

"""SIC: similarity by iterative classifications; annotator x diverter x score over one matrix of codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "SIC": "coterie.compare.sic.estimator",
    "OneVersusAll": "coterie.compare.sic.ova",
    "RandomLabels": "coterie.compare.sic.annotators",
    "Sequential": "coterie.compare.sic.sequential",
    "Contrast": "coterie.compare.sic.contrast",
    "Nearest": "coterie.compare.sic.nearest",
    "Tree": "coterie.compare.sic.trees",
    "Forest": "coterie.compare.sic.trees",
    "Classifier": "coterie.compare.sic.classifiers",
    "CRF": "coterie.compare.sic.crf",
    "HMM": "coterie.compare.sic.hmm",
    "Annotator": "coterie.compare.sic.roles",
    "Diverter": "coterie.compare.sic.roles",
    "Binary": "coterie.compare.sic.scores",
    "Occurrence": "coterie.compare.sic.scores",
    "Shared": "coterie.compare.sic.scores",
    "Weighted": "coterie.compare.sic.scores",
    "Randomized": "coterie.compare.sic.scores",
    "Posterior": "coterie.compare.sic.scores",
    "Entropy": "coterie.compare.sic.convergence",
    "Reliability": "coterie.compare.sic.convergence",
    "Codes": "coterie.compare.sic.codes",
    "Profiles": "coterie.compare.sic.profiles",
    "Explanation": "coterie.compare.sic.explain",
    "Mixture": "coterie.compare.sic.mixture",
    "fit_mixture": "coterie.compare.sic.mixture",
}

if TYPE_CHECKING:
    from coterie.compare.sic.annotators import RandomLabels as RandomLabels
    from coterie.compare.sic.classifiers import Classifier as Classifier
    from coterie.compare.sic.codes import Codes as Codes
    from coterie.compare.sic.contrast import Contrast as Contrast
    from coterie.compare.sic.convergence import Entropy as Entropy
    from coterie.compare.sic.convergence import Reliability as Reliability
    from coterie.compare.sic.crf import CRF as CRF
    from coterie.compare.sic.estimator import SIC as SIC
    from coterie.compare.sic.explain import Explanation as Explanation
    from coterie.compare.sic.hmm import HMM as HMM
    from coterie.compare.sic.mixture import Mixture as Mixture
    from coterie.compare.sic.mixture import fit_mixture as fit_mixture
    from coterie.compare.sic.nearest import Nearest as Nearest
    from coterie.compare.sic.ova import OneVersusAll as OneVersusAll
    from coterie.compare.sic.profiles import Profiles as Profiles
    from coterie.compare.sic.roles import Annotator as Annotator
    from coterie.compare.sic.roles import Diverter as Diverter
    from coterie.compare.sic.scores import Binary as Binary
    from coterie.compare.sic.scores import Occurrence as Occurrence
    from coterie.compare.sic.scores import Posterior as Posterior
    from coterie.compare.sic.scores import Randomized as Randomized
    from coterie.compare.sic.scores import Shared as Shared
    from coterie.compare.sic.scores import Weighted as Weighted
    from coterie.compare.sic.sequential import Sequential as Sequential
    from coterie.compare.sic.trees import Forest as Forest
    from coterie.compare.sic.trees import Tree as Tree

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

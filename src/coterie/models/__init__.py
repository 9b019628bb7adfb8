"""Probabilistic models of sequences and sets, fitted to one collection or to each member, and handed to comparers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "Model": "coterie.models.role",
    "HMM": "coterie.models.hmm",
    "GMM": "coterie.models.mixture",
    "Gaussian": "coterie.models.gaussian",
}

if TYPE_CHECKING:
    from coterie.models.gaussian import Gaussian as Gaussian
    from coterie.models.hmm import HMM as HMM
    from coterie.models.mixture import GMM as GMM
    from coterie.models.role import Model as Model

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

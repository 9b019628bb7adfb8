"""Estimates of divergences from samples: nearest neighbors, k-NN densities, the bound of two moments, any classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "Risk": "coterie.parts.risks.role",
    "NN": "coterie.parts.risks.nn",
    "Wang": "coterie.parts.risks.wang",
    "Bound": "coterie.parts.risks.bound",
    "Classified": "coterie.parts.risks.classified",
    "risk_for": "coterie.parts.risks.naming",
}

if TYPE_CHECKING:
    from coterie.parts.risks.role import Risk as Risk

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

"""Retrieval: members ranked for a query, by the words they share, by a learned space, by any affinity, or by two of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "Retriever": "coterie.organize.retrieval.role",
    "Index": "coterie.organize.retrieval.index",
    "Latent": "coterie.organize.retrieval.latent",
    "Given": "coterie.organize.retrieval.given",
    "Combined": "coterie.organize.retrieval.combined",
    "Expansion": "coterie.organize.retrieval.expansion",
    "Mates": "coterie.organize.retrieval.mates",
}

if TYPE_CHECKING:
    from coterie.organize.retrieval.combined import Combined as Combined
    from coterie.organize.retrieval.expansion import Expansion as Expansion
    from coterie.organize.retrieval.given import Given as Given
    from coterie.organize.retrieval.index import Index as Index
    from coterie.organize.retrieval.latent import Latent as Latent
    from coterie.organize.retrieval.mates import Mates as Mates
    from coterie.organize.retrieval.role import Retriever as Retriever

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

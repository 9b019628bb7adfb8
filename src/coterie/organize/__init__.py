"""The room where members are grouped: from how alike they are to who is together; names are imported when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "Organizer": "coterie.organize.role",
    "Spectral": "coterie.organize.spectral",
    "MCL": "coterie.organize.mcl",
    "Medoids": "coterie.organize.medoids",
    "Agglomerative": "coterie.organize.agglomerative",
    "Density": "coterie.organize.density",
    "HMMMixture": "coterie.organize.hmm_mixture",
    "SpherePacking": "coterie.organize.sphere_packing",
    "Segmentation": "coterie.organize.segmentation",
    "Comraf": "coterie.organize.comraf.estimator",
    "MDC": "coterie.organize.comraf.estimator",
}

if TYPE_CHECKING:
    from coterie.organize.agglomerative import Agglomerative as Agglomerative
    from coterie.organize.comraf.estimator import MDC as MDC
    from coterie.organize.comraf.estimator import Comraf as Comraf
    from coterie.organize.density import Density as Density
    from coterie.organize.hmm_mixture import HMMMixture as HMMMixture
    from coterie.organize.mcl import MCL as MCL
    from coterie.organize.medoids import Medoids as Medoids
    from coterie.organize.role import Organizer as Organizer
    from coterie.organize.segmentation import Segmentation as Segmentation
    from coterie.organize.spectral import Spectral as Spectral
    from coterie.organize.sphere_packing import SpherePacking as SpherePacking

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

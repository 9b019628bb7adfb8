"""The room where members are grouped: from how alike they are to who is together; names are imported when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "Organizer": "coterie.organize.role",
    "Spectral": "coterie.organize.spectral",
    "MCL": "coterie.organize.mcl",
    "Leiden": "coterie.organize.leiden",
    "Propagation": "coterie.organize.propagation",
    "Medoids": "coterie.organize.medoids",
    "Agglomerative": "coterie.organize.agglomerative",
    "Density": "coterie.organize.density",
    "RepresentationVote": "coterie.organize.representation_vote",
    "HMMMixture": "coterie.organize.hmm_mixture",
    "StudentMixture": "coterie.organize.student_mixture",
    "ViewsConsensus": "coterie.organize.views_consensus",
    "MixtureConsensus": "coterie.organize.mixture_consensus",
    "SpherePacking": "coterie.organize.sphere_packing",
    "Segmentation": "coterie.organize.segmentation",
    "Comraf": "coterie.organize.comraf.estimator",
    "MDC": "coterie.organize.comraf.estimator",
    "ComrafStar": "coterie.organize.comraf.star",
    "Questions": "coterie.organize.asking",
    "Question": "coterie.organize.asking",
    "again_with": "coterie.organize.asking",
    "Core": "coterie.organize.core_of",
    "background_of": "coterie.organize.background",
    "Rankings": "coterie.organize.comraf.ranking",
    "as_star_chain": "coterie.organize.comraf.star",
    "choose_graph": "coterie.organize.comraf.structure",
    "GraphChoice": "coterie.organize.comraf.choice",
    "view_report": "coterie.organize.comraf.tables_report",
    "SequentialIB": "coterie.organize.bottleneck",
    "AgglomerativeIB": "coterie.organize.bottleneck",
    "ConsensusIB": "coterie.organize.consensus_ib",
    "ITCC": "coterie.organize.itcc",
    "Topics": "coterie.organize.counted",
    "KMeans": "coterie.organize.counted",
    "Categorize": "coterie.organize.categorize",
    "Categories": "coterie.organize.labels_of",
    "TwoTask": "coterie.organize.two_task",
}

if TYPE_CHECKING:
    from coterie.organize.agglomerative import Agglomerative as Agglomerative
    from coterie.organize.asking import Question as Question
    from coterie.organize.asking import Questions as Questions
    from coterie.organize.asking import again_with as again_with
    from coterie.organize.background import background_of as background_of
    from coterie.organize.bottleneck import AgglomerativeIB as AgglomerativeIB
    from coterie.organize.bottleneck import SequentialIB as SequentialIB
    from coterie.organize.categorize import Categorize as Categorize
    from coterie.organize.comraf.choice import GraphChoice as GraphChoice
    from coterie.organize.comraf.estimator import MDC as MDC
    from coterie.organize.comraf.estimator import Comraf as Comraf
    from coterie.organize.comraf.ranking import Rankings as Rankings
    from coterie.organize.comraf.star import ComrafStar as ComrafStar
    from coterie.organize.comraf.star import as_star_chain as as_star_chain
    from coterie.organize.comraf.structure import choose_graph as choose_graph
    from coterie.organize.comraf.tables_report import view_report as view_report
    from coterie.organize.consensus_ib import ConsensusIB as ConsensusIB
    from coterie.organize.core_of import Core as Core
    from coterie.organize.counted import KMeans as KMeans
    from coterie.organize.counted import Topics as Topics
    from coterie.organize.density import Density as Density
    from coterie.organize.hmm_mixture import HMMMixture as HMMMixture
    from coterie.organize.itcc import ITCC as ITCC
    from coterie.organize.labels_of import Categories as Categories
    from coterie.organize.leiden import Leiden as Leiden
    from coterie.organize.mcl import MCL as MCL
    from coterie.organize.medoids import Medoids as Medoids
    from coterie.organize.mixture_consensus import MixtureConsensus as MixtureConsensus
    from coterie.organize.propagation import Propagation as Propagation
    from coterie.organize.representation_vote import RepresentationVote as RepresentationVote
    from coterie.organize.role import Organizer as Organizer
    from coterie.organize.segmentation import Segmentation as Segmentation
    from coterie.organize.spectral import Spectral as Spectral
    from coterie.organize.sphere_packing import SpherePacking as SpherePacking
    from coterie.organize.student_mixture import StudentMixture as StudentMixture
    from coterie.organize.two_task import TwoTask as TwoTask
    from coterie.organize.views_consensus import ViewsConsensus as ViewsConsensus

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

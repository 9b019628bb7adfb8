"""The room where members are compared: from what is seen of them to how alike they are; names are imported when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "Neighborhood": "coterie.compare.neighborhood",
    "Comparer": "coterie.compare.role",
    "Euclidean": "coterie.compare.vectors",
    "Cosine": "coterie.compare.vectors",
    "Chord": "coterie.compare.vectors",
    "Minkowski": "coterie.compare.vectors",
    "Mahalanobis": "coterie.compare.vectors",
    "JensenShannon": "coterie.compare.histograms",
    "ChiSquare": "coterie.compare.histograms",
    "Hamming": "coterie.compare.mixed",
    "Gower": "coterie.compare.mixed",
    "Linear": "coterie.compare.kernels",
    "Polynomial": "coterie.compare.kernels",
    "Gaussian": "coterie.compare.kernels",
    "Laplacian": "coterie.compare.kernels",
    "Alignment": "coterie.compare.alignment",
    "Likelihood": "coterie.compare.likelihoods",
    "ProductKernel": "coterie.compare.product_kernel",
    "SSD": "coterie.compare.ssd",
    "NearestRisk": "coterie.compare.nearest_risk",
    "Divergence": "coterie.compare.divergence",
    "NN": "coterie.parts.risks.nn",
    "Wang": "coterie.parts.risks.wang",
    "Bound": "coterie.parts.risks.bound",
    "Classified": "coterie.parts.risks.classified",
    "FDivergence": "coterie.parts.fdivergences",
    "LOSSES": "coterie.parts.losses",
    "divergence_of": "coterie.parts.induced",
    "induced": "coterie.parts.induced",
    "MMD": "coterie.compare.mmd",
    "ExpectedLikelihood": "coterie.compare.expected_likelihood",
    "GLDS": "coterie.compare.glds",
    "fuse": "coterie.compare.fusion",
    "SIC": "coterie.compare.sic.estimator",
    "OneVersusAll": "coterie.compare.sic.ova",
}

if TYPE_CHECKING:
    from coterie.compare.alignment import Alignment as Alignment
    from coterie.compare.divergence import Divergence as Divergence
    from coterie.compare.expected_likelihood import ExpectedLikelihood as ExpectedLikelihood
    from coterie.compare.fusion import fuse as fuse
    from coterie.compare.glds import GLDS as GLDS
    from coterie.compare.histograms import ChiSquare as ChiSquare
    from coterie.compare.histograms import JensenShannon as JensenShannon
    from coterie.compare.kernels import Gaussian as Gaussian
    from coterie.compare.kernels import Laplacian as Laplacian
    from coterie.compare.kernels import Linear as Linear
    from coterie.compare.kernels import Polynomial as Polynomial
    from coterie.compare.likelihoods import Likelihood as Likelihood
    from coterie.compare.mixed import Gower as Gower
    from coterie.compare.mixed import Hamming as Hamming
    from coterie.compare.mmd import MMD as MMD
    from coterie.compare.nearest_risk import NearestRisk as NearestRisk
    from coterie.compare.neighborhood import Neighborhood as Neighborhood
    from coterie.compare.product_kernel import ProductKernel as ProductKernel
    from coterie.compare.role import Comparer as Comparer
    from coterie.compare.sic.estimator import SIC as SIC
    from coterie.compare.sic.ova import OneVersusAll as OneVersusAll
    from coterie.compare.ssd import SSD as SSD
    from coterie.compare.vectors import Chord as Chord
    from coterie.compare.vectors import Cosine as Cosine
    from coterie.compare.vectors import Euclidean as Euclidean
    from coterie.compare.vectors import Mahalanobis as Mahalanobis
    from coterie.compare.vectors import Minkowski as Minkowski
    from coterie.parts.fdivergences import FDivergence as FDivergence
    from coterie.parts.induced import divergence_of as divergence_of
    from coterie.parts.induced import induced as induced
    from coterie.parts.losses import LOSSES as LOSSES
    from coterie.parts.risks.bound import Bound as Bound
    from coterie.parts.risks.classified import Classified as Classified
    from coterie.parts.risks.nn import NN as NN
    from coterie.parts.risks.wang import Wang as Wang

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

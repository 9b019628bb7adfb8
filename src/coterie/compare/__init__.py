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

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)

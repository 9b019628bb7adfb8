"""Spectral: clustering by the leading eigenvectors of the affinity (Ng, Jordan and Weiss; or normalized cut)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.affinity import Affinity, Dense, Graph
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.organize.role import Organizer
from coterie.parts.groups import numbered, silhouettes
from coterie.parts.pairwise import dense
from coterie.parts.scales import Kernel, even, member_weights, typical_distance, width_grid
from coterie.parts.spectra import Spectrum, gaps, round_rows, spectrum


@dataclass(frozen=True, eq=False)
class _Cut:
    """One way of making weights, its spectrum and (once rounded) its groups."""

    kernel: Kernel | None
    weights: Any
    found: Spectrum


class Spectral(Organizer):
    """Spectral clustering: groups that a random walk rarely leaves.

    A distance becomes weights exp(-d^2 / (2 s^2)) with an empty diagonal; the width s comes from a grid of 14 values
    around the median distance. A similarity is taken as weights. Rows of the leading eigenvectors of D^-1/2 W D^-1/2
    are grouped by k-means. Without a number of groups, the largest gap between eigenvalues chooses it.
    """

    least: ClassVar[int] = 1

    n_groups: int | None = param(None, "How many groups; by the largest eigengap when None.", ge=1)
    scale: float | str = param(
        "two-candidate",
        "How a distance gets its kernel width, or the width itself.",
        choices=("two-candidate", "eigengap", "silhouette", "local"),
        gt=0,
    )
    variant: str = param("njw", "Rows of length one (Ng-Jordan-Weiss), or generalized vectors (normalized cut).", choices=("njw", "ncut"))
    max_groups: int = param(20, "Largest number of groups looked at when it is chosen.", ge=2, advanced=True)
    n_restarts: int = param(10, "Starts of k-means; the least distortion wins.", ge=1, advanced=True)
    random_state: int | None = param(None, "Seed of the starts.", ge=0)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Group the members; sets `eigenvalues_`, `gaps_`, `embedding_`, `scale_` (the width used, 0 where none was)."""
        affinity = self.check_square(X)
        n = len(affinity)
        if self.n_groups is not None and self.n_groups > n:
            raise ParameterError(f"Spectral: n_groups is {self.n_groups} and there are only {n} members.")
        most = self.n_groups or max(1, min(self.max_groups, n - 1))
        cuts = self._cuts(affinity, min(most + 1, n))
        k, candidates = self._candidates(cuts, most)
        cut, labels, self.centers_ = self._best(candidates, k, affinity)
        self.kernel_, self.kind_, self.spectrum_ = cut.kernel, affinity.kind, cut.found
        self.scale_ = 0.0 if cut.kernel is None or cut.kernel.local is not None else cut.kernel.width
        self.eigenvalues_ = cut.found.values
        self.embedding_ = cut.found.rows(k, self.variant)
        self.partition_, old = numbered(labels, _margin(self.embedding_, self.centers_))
        self.centers_ = self.centers_[old]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The nearest group of new members, from their affinity to the fitted ones (Nystroem extension)."""
        queries = self.check_queries(X)
        if queries.kind != self.kind_:
            raise DataError(f"Spectral was fitted on a {self.kind_}, and predict was given a {queries.kind}.")
        if self.partition_.n_groups == 1:
            return np.zeros(len(queries), dtype=np.int64)
        rows = self.spectrum_.extend(self._query_weights(queries), self._wide(), self.variant)
        return np.argmin(_squares(rows, self.centers_), axis=1)

    def _wide(self) -> int:
        return self.embedding_.shape[1] + (self.variant == "ncut")

    def _cuts(self, affinity: Affinity, m: int) -> list[_Cut]:
        """Weights and spectra of every width that may be chosen."""
        kernels: list[Kernel | None]
        if affinity.kind == "similarity":
            weights = member_weights(affinity)
            _refuse_empty(weights)
            return [_Cut(None, weights, spectrum(weights, m))]
        gap: Any = affinity.values if isinstance(affinity, Graph) else even(dense(affinity))
        if not isinstance(self.scale, str):
            kernels = [Kernel(float(self.scale))]
        elif self.scale == "local" and not isinstance(affinity, Graph):
            kernels = [Kernel.own_widths(gap)]
        elif isinstance(affinity, Graph):
            kernels = [Kernel(typical_distance(affinity) or 1.0)]
        else:
            kernels = [Kernel(float(width)) for width in width_grid(affinity)] or [Kernel(1.0)]
        made = [(kernel, kernel.members(gap)) for kernel in kernels if kernel is not None]
        return [_Cut(kernel, weights, spectrum(weights, m)) for kernel, weights in made]

    def _candidates(self, cuts: list[_Cut], most: int) -> tuple[int, list[_Cut]]:
        """The number of groups, and the widths worth rounding at it."""
        curves = np.array([gaps(cut.found.values) for cut in cuts])  # widths x (k - the gap after the k-th value)
        self.gaps_ = curves.max(axis=0)
        if self.n_groups is not None:
            k = self.n_groups
        else:
            k = 1 + int(np.argmax(self.gaps_[2 : most + 1])) + 1 if len(self.gaps_) > 2 else 1
        at = min(k, curves.shape[1] - 1)
        widest = cuts[int(np.argmax(curves[:, at]))]
        if self.scale == "silhouette":
            return k, cuts
        if self.scale == "two-candidate":
            positive = [cut for cut in cuts if len(cut.found.values) >= k and cut.found.values[k - 1] > 0]
            return k, [widest, *positive[-1:]]
        return k, [widest]

    def _best(self, candidates: list[_Cut], k: int, affinity: Affinity) -> tuple[_Cut, np.ndarray, np.ndarray]:
        """The candidate whose groups have the larger mean silhouette; the first at a tie."""
        rounded = [(cut, *round_rows(cut.found.rows(k, self.variant), k, self.n_restarts, self.random_state)) for cut in candidates]
        if len(rounded) == 1 or k == 1:
            return rounded[0][:3]
        apart = Dense(even(dense(affinity)), "distance")
        scores = [float(silhouettes(apart, labels).mean()) for _, labels, _, _ in rounded]
        return rounded[int(np.argmax(scores))][:3]

    def _query_weights(self, queries: Affinity) -> Any:
        if self.kernel_ is None:
            return queries.values if isinstance(queries, Graph) else np.maximum(dense(queries).values, 0.0)
        if isinstance(queries, Graph):
            weights = queries.values.copy()
            width = self.kernel_.width
            weights.data = np.exp(-0.5 * (weights.data / width) ** 2)
            return weights
        return self.kernel_.queries(dense(queries).values)


def _refuse_empty(weights: Any) -> None:
    if weights.shape[0] > 1 and float(weights.max() if not sp.issparse(weights) else weights.max() if weights.nnz else 0.0) <= 0:
        raise DataError("Spectral: no two members have a positive similarity, so nothing ties any of them together.")


def _squares(rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    return np.maximum((rows**2).sum(axis=1)[:, None] - 2 * rows @ centers.T + (centers**2).sum(axis=1)[None, :], 0.0)


def _margin(rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """1 - (distance to the own center) / (distance to the next): 1 at the center, 0 on the border."""
    if len(centers) < 2:
        return np.ones(len(rows))
    two = np.sqrt(np.partition(_squares(rows, centers), 1, axis=1)[:, :2])
    return 1.0 - np.divide(two[:, 0], two[:, 1], out=np.ones(len(rows)), where=two[:, 1] > 0)

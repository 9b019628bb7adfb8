"""Spectral clustering: rows of the leading eigenvectors of the normalized affinity, rounded by k-means."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.affinity import Affinity, Dense, Graph
from coterie.core.errors import DataError
from coterie.core.estimator import Organizer
from coterie.core.hints import Hints
from coterie.core.params import param
from coterie.core.partition import numbered
from coterie.core.workplace import fits
from coterie.parts.bound_groups import bound_kmeans, own_margin
from coterie.parts.constrained import Ties
from coterie.parts.groups import silhouettes
from coterie.parts.kept import tell_unkept
from coterie.parts.neighbors import Kernel
from coterie.parts.pairwise import dense, reduce_bands, tile_bytes
from coterie.parts.spectra import (
    Rounded,
    Spectrum,
    Variant,
    kmeans,
    largest_gap,
    nearest_center,
    spectra_of,
    squared,
    widest,
)
from coterie.parts.tied_weights import tied_weights


class Spectral(Organizer):
    """Spectral clustering: groups that a random walk rarely leaves.

    A distance becomes weights exp(-d^2 / (2 s^2)) without a diagonal; the width s is looked for on a grid of 14 values
    around the median distance. A similarity is taken as weights as it is. The rows of the leading eigenvectors of
    D^-1/2 W D^-1/2 are grouped by k-means; without a number of groups the largest eigengap chooses it. Members without
    any weight are in no group. With hints the weights of pairs are changed, and the rows are grouped so that pairs are kept:
    those without an end to their weight whatever it costs.
    """

    guided: ClassVar[bool] = True
    cuts_graph: ClassVar[bool] = True

    n_groups: int | None = param(None, "How many groups; None takes the largest eigengap.", ge=1)
    scale: float | str = param(
        "two-candidate",
        "Kernel width for distances: a rule, or the width itself.",
        gt=0.0,
        choices=("two-candidate", "eigengap", "silhouette", "local"),
    )
    variant: Variant = param(
        "njw",
        "Rows of unit length (njw) or generalized eigenvectors (ncut).",
        choices=("njw", "ncut"),
    )
    n_restarts: int = param(
        10, "Starts of the k-means that rounds the eigenvectors.", ge=1, advanced=True
    )
    max_groups: int = param(20, "Most groups considered when n_groups is None.", ge=2)
    random_state: int | None = param(None, "Seed of the starts.")

    kind_: str
    gaps_: np.ndarray
    kernel_: Kernel | None
    spectrum_: Spectrum
    scale_: float | None
    eigenvalues_: np.ndarray
    isolated_: np.ndarray
    embedding_: np.ndarray
    centers_: np.ndarray

    def fit(self, X: Any, y: Any = None, hints: Hints | None = None) -> Self:
        """Group the members; `gaps_[k - 2]` is the gap after k eigenvalues, `scale_` the kernel width used.

        `hints` are pairs that belong together or apart, and labels, which are such pairs too (seeded: where k-means starts).
        """
        affinity = self.check_square(X)
        n = affinity.shape[0]
        self.check_groups(self.n_groups, n)
        known = self.check_hints(hints, n)
        ties = Ties.of(known, "Spectral") if known else None
        least = 1 if ties is None else ties.needed()
        if ties is not None:
            ties.check(self.n_groups or least)
        self.kind_ = affinity.kind
        if affinity.kind == "distance" and not isinstance(affinity, Graph):
            if not isinstance(affinity, Dense):
                fits(
                    3 * 8 * n * n + tile_bytes(affinity),
                    f"The eigenvectors of {n} members",
                    "keep neighbors first with compare.Neighborhood",
                )
            affinity = dense(affinity)
        most = self.n_groups or max(least, min(self.max_groups, n - 1))
        found = spectra_of(
            affinity,
            most + 1,
            self.scale,
            None if ties is None else partial(tied_weights, ties=ties),
        )
        k, chosen, self.gaps_ = largest_gap(found, most, self.n_groups)
        if self.n_groups is None and k < least:
            k, chosen, _ = largest_gap(found, most, least)
        if affinity.kind == "distance" and found[0][0] is None and n > 1:
            said = "so all are one group" if ties is None else "and only the hints tell them apart"
            warnings.warn(
                f"Spectral: all members are identical, {said}.", UserWarning, stacklevel=2
            )
            k = least
        self.kernel_, self.spectrum_, rounded = self._best(affinity, found, chosen, k, ties)
        self.scale_ = (
            None if self.kernel_ is None or self.kernel_.local is not None else self.kernel_.width
        )
        self.eigenvalues_ = self.spectrum_.values
        self.isolated_ = self.spectrum_.isolated
        self.embedding_ = self.spectrum_.rows(k, self.variant)
        self._keep(rounded, ties)
        if ties is not None:
            tell_unkept(ties, self.partition_.labels)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group whose center is nearest to a new member's extended row; -1 for one that is like nobody."""
        queries = self.check_queries(X)
        if queries.kind != self.kind_:
            raise DataError(
                f"Spectral was fitted on a {self.kind_}, and predict was given a {queries.kind}."
            )
        if isinstance(queries, Graph):
            weights = queries.values.copy()
            weights.data = np.maximum(self._weigh(weights.data, sparse=True), 0.0)
            return self._place(weights)
        labels = np.empty(queries.shape[0], dtype=np.int64)
        for rows, part in reduce_bands(
            lambda values, *_: (self._place(self._weigh(values)),), queries, label="predict"
        ):
            labels[rows] = part
        return labels

    def _weigh(self, values: np.ndarray, *, sparse: bool = False) -> np.ndarray:
        if self.kernel_ is None:
            return np.maximum(values, 0.0) if self.kind_ == "similarity" else np.ones_like(values)
        if sparse and self.kernel_.local is not None:
            raise DataError(
                "local widths need every distance of a new member; pass a dense affinity to predict.",
                owner="Spectral",
            )
        return self.kernel_.queries(values)

    def _place(self, weights: Any) -> np.ndarray:
        linked = np.asarray(weights.sum(axis=1)).ravel() > 0
        if self.partition_.n_groups == 1:
            return np.where(linked, 0, -1)
        k = self.embedding_.shape[1] + (1 if self.variant == "ncut" else 0)
        rows = self.spectrum_.extended(weights, k, self.variant)
        return np.where(linked, nearest_center(rows, self.centers_)[0], -1)

    def _best(
        self,
        affinity: Affinity,
        found: list[tuple[Kernel | None, Spectrum]],
        chosen: int,
        k: int,
        ties: Ties | None,
    ) -> tuple[Kernel | None, Spectrum, Rounded]:
        """Round the spectrum of the largest gap, and its rivals where the rule names them; the best silhouette stays."""
        candidates = [chosen]
        judged = (
            affinity.kind == "distance"
            and not isinstance(affinity, Graph)
            and k > 1
            and len(found) > 1
        )
        if judged and self.scale == "two-candidate":
            wide = widest(found, k)
            candidates += [wide[-1]] if wide and wide[-1] != chosen else []
        elif judged and self.scale == "silhouette":
            candidates = list(range(len(found)))
        rounded = [self._round(found[at][1], k, ties) for at in candidates]
        best = 0
        if len(candidates) > 1:
            scores = [float(silhouettes(affinity, r.labels).mean()) for r in rounded]
            best = int(np.argmax(scores))
        kernel, chosen_spectrum = found[candidates[best]]
        return kernel, chosen_spectrum, rounded[best]

    def _round(self, found: Spectrum, k: int, ties: Ties | None) -> Rounded:
        n = len(found.degrees)
        labels = np.zeros(n, dtype=np.int64)
        inside = np.setdiff1d(np.arange(n), found.isolated)
        if len(inside) == 0:
            # nobody is alone where all are; only hints tell them apart
            inside = np.arange(n)
            k = 1 if ties is None else k
        else:
            labels[found.isolated] = -1
        if k == 1:
            return Rounded(labels, np.zeros((1, 1)), 0.0)
        rows = found.rows(k, self.variant)[inside]
        starts = self.n_restarts
        if ties is None:
            rounded = kmeans(rows, k, n_restarts=starts, random_state=self.random_state)
        else:
            own = ties.take(inside)
            k = min(k, own.n_pieces)
            own.check(k)
            rounded = bound_kmeans(rows, k, own, n_restarts=starts, random_state=self.random_state)
        labels[inside] = rounded.labels
        return Rounded(labels, rounded.centers, rounded.distortion)

    def _keep(self, rounded: Rounded, ties: Ties | None) -> None:
        """Number the groups from the largest; confidence is the margin between the nearest and the second center."""
        alone = self.isolated_
        n = len(rounded.labels)
        confidence = np.ones(n)
        if len(rounded.centers) > 1:
            confidence = nearest_center(self.embedding_, rounded.centers)[1]
            if ties is not None:
                away = np.sqrt(squared(self.embedding_, rounded.centers))
                confidence = own_margin(away, np.maximum(rounded.labels, 0))
        confidence[alone] = 0.0
        if len(alone) == n and n > 1:
            said = (
                "so all are one group"
                if rounded.labels.max() == 0
                else "and only the hints tell them apart"
            )
            warnings.warn(
                f"Spectral: no two members are alike at all, {said}.", UserWarning, stacklevel=3
            )
        elif len(alone) and n > 1:
            first = (
                f"the first at position {alone[0]}"
                if ties is None
                else f"the first of them {ties.called(int(alone[0]))}"
            )
            warnings.warn(
                f"Spectral: {len(alone)} members, {first}, are like nobody and in no group.",
                UserWarning,
                stacklevel=3,
            )
        self.partition_, old = numbered(rounded.labels, confidence)
        self.centers_ = rounded.centers[old] if len(rounded.centers) > 1 else rounded.centers

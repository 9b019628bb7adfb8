"""NearestRisk: sets are alike when the nearest neighbor rule cannot tell their vectors apart."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from coterie.compare.role import Comparer
from coterie.core.affinity import Dense
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.parts.complete_validation import METHODS, Errors, complete_risks
from coterie.parts.risks.role import alone, uneven
from coterie.parts.sequences import whole_sets
from coterie.parts.sweeps import center_of

_MOST = 0.5  # the risk of two sets of one law
_NOTHING = 1e-12  # risks below this share of the most are equally far


class NearestRisk(Comparer):
    """Nearest neighbor risk: how often vectors of two sets are told apart wrongly by their neighbors; 1/2 if of one law.

    The risk is the exact mean over all ways to draw training vectors, and never above 1/2 in the affinity. Its values
    before that cut are `risks_`.
    """

    takes: ClassVar[type] = Ragged
    by_order: ClassVar[bool] = False

    method: str = param(
        "complete",
        "Training vectors: a share of both sets together, of each set, as many of both, or all but one.",
        choices=METHODS,
    )
    train: float = param(
        0.5, "Share of the vectors that train; not used by leave-one-out.", gt=0, lt=1
    )
    weights: str = param(
        "sets",
        "What counts alike: the two sets, whatever their sizes, or all vectors of both.",
        choices=("sets", "points"),
    )
    metric: Any = param(
        "euclidean",
        "Distance of two vectors: euclidean, cityblock, chebyshev, cosine, ..., or a function of two arrays.",
    )
    distance: str = param(
        "plain",
        "What is given: 1/2 - risk, its root, minus the logarithm of 2 risk, or the risk as a similarity.",
        choices=("plain", "root", "log", "similarity"),
    )

    affinity_: Dense
    risks_: np.ndarray
    center_: np.ndarray | None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the risk of every pair of members."""
        self.members_: Ragged = whole_sets(self.check(X), "NearestRisk")
        self.center_ = center_of(self.members_, self.metric, "NearestRisk")
        self.risks_, twins = self._risks(self.members_)
        self._warn(twins, self.members_.lengths)
        self.affinity_ = self._affinity(self.risks_, own=True)
        return self

    def compare(self, X: Any) -> Dense:
        """New members against the fitted ones: queries x members."""
        new = whole_sets(self.check_alike(X), "NearestRisk", dim=self.members_.dim, new=True)
        risks, twins = self._risks(new, self.members_)
        # a fitted member that comes again is no surprise
        self._warn(np.where(twins == 1.0, 0.0, twins), new.lengths, self.members_.lengths)
        return self._affinity(risks, own=False)

    def _risks(self, rows: Ragged, cols: Ragged | None = None) -> Errors:
        return complete_risks(
            rows,
            cols,
            float(self.train),
            self.metric,
            method=self.method,
            balanced=self.weights == "sets",
            center=self.center_,
            owner="NearestRisk",
        )

    def _affinity(self, risks: np.ndarray, *, own: bool) -> Dense:
        risks = np.minimum(risks, _MOST)
        if self.distance == "similarity":
            return Dense(risks, "similarity", own, own)
        if self.distance == "log":
            return Dense(np.log(_MOST / np.maximum(risks, _MOST * _NOTHING)), "distance", own, own)
        gaps = _MOST - risks
        return Dense(np.sqrt(gaps) if self.distance == "root" else gaps, "distance", own, own)

    def _warn(self, twins: np.ndarray, sizes: np.ndarray, fitted: np.ndarray | None = None) -> None:
        most = float(twins.max(initial=0.0))
        found = []
        if most > 0:
            i, j = np.unravel_index(int(np.argmax(twins)), twins.shape)
            found.append(
                f"members share vectors ({100 * most:.0f} % of those of member {i} are found in member {j}); where they do, the "
                "risk is too high, and it is cut at 1/2"
            )
        far = (
            "at distance 0 from all others"
            if self.weights == "sets"
            else "as far from others as sizes say"
        )
        found += alone(
            sizes, f"of which neighbors say nothing: such a set comes out {far}", fitted is not None
        )
        found += uneven(sizes if fitted is None else np.concatenate([sizes, fitted]))
        for sentence in found:
            warnings.warn(f"NearestRisk: {sentence}.", UserWarning, stacklevel=3)

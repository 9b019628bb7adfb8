"""NearestRisk: sets are alike when the nearest neighbor rule cannot tell their vectors apart."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from coterie.compare.role import Comparer
from coterie.core.affinity import Dense
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.parts.complete_validation import METHODS, Errors, complete_errors
from coterie.parts.row_metrics import row_metric
from coterie.parts.sequences import whole_sets

_MOST = 0.5  # the risk of two sets of one law
_NOTHING = 1e-12  # risks below this share of the most are equally far
_UNEVEN = 20  # times that one set may have the vectors of another


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
    train: float = param(0.5, "Share of the vectors that train; not used by leave-one-out.", gt=0, lt=1)
    weights: str = param(
        "sets", "What counts alike: the two sets, whatever their sizes, or all vectors of both.", choices=("sets", "points")
    )
    metric: Any = param("euclidean", "Distance of two vectors: euclidean, a name that scipy knows, or a function of two arrays.")
    distance: str = param(
        "plain",
        "What is given: 1/2 - risk, its root, minus the logarithm of 2 risk, or the risk as a similarity.",
        choices=("plain", "root", "log", "similarity"),
    )

    affinity_: Dense
    risks_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the risk of every pair of members."""
        self.members_: Ragged = whole_sets(self.check(X), "NearestRisk")
        self.center_ = row_metric(self.metric, self.members_, owner="NearestRisk").center
        errors = self._errors(self.members_)
        self._warn(errors.twins, self.members_.lengths)
        self.risks_ = self._risks(errors.means, errors.means.T, self.members_.lengths)
        np.fill_diagonal(self.risks_, _MOST)
        self.affinity_ = self._affinity(self.risks_, own=True)
        return self

    def compare(self, X: Any) -> Dense:
        """New members against the fitted ones: queries x members."""
        new = whole_sets(self.check_alike(X), "NearestRisk", dim=self.members_.dim, new=True)
        there, back = self._errors(new, self.members_), self._errors(self.members_, new)
        copies = there.twins == 1.0  # a fitted member that comes again is no surprise
        self._warn(np.where(copies, 0.0, there.twins), np.concatenate([new.lengths, self.members_.lengths]))
        return self._affinity(self._risks(there.means, back.means.T, new.lengths), own=False)

    def _errors(self, rows: Ragged, cols: Ragged | None = None) -> Errors:
        share, center = float(self.train), self.center_
        return complete_errors(rows, cols, share, self.metric, method=self.method, center=center, owner="NearestRisk")

    def _risks(self, there: np.ndarray, back: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The errors of both sides as one risk; the same bits whichever side comes first."""
        if self.weights == "sets":
            return (there + back) / 2
        own, other = sizes[:, None], self.members_.lengths
        return np.asarray((own * there + other * back) / (own + other))

    def _affinity(self, risks: np.ndarray, *, own: bool) -> Dense:
        risks = np.minimum(risks, _MOST)
        if self.distance == "similarity":
            return Dense(risks, "similarity", own, own)
        if self.distance == "log":
            return Dense(-np.log(np.maximum(risks, _MOST * _NOTHING) / _MOST), "distance", own, own)
        gaps = _MOST - risks
        return Dense(np.sqrt(gaps) if self.distance == "root" else gaps, "distance", own, own)

    def _warn(self, twins: np.ndarray, sizes: np.ndarray) -> None:
        most = float(twins.max(initial=0.0))
        if most > 0:
            i, j = np.unravel_index(int(np.argmax(twins)), twins.shape)
            warnings.warn(
                f"NearestRisk: members share vectors ({100 * most:.0f} % of those of member {i} are found in member {j}); where "
                "they do, the risk is too high, and it is cut at 1/2.",
                UserWarning,
                stacklevel=3,
            )
        ratio = sizes.max() / sizes.min()
        if ratio > _UNEVEN:
            warnings.warn(
                f"NearestRisk: the largest member has {ratio:.0f} times the vectors of the smallest; the risk of such a pair "
                "says little of the smaller one.",
                UserWarning,
                stacklevel=3,
            )

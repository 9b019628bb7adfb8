"""Wang: the Kullback-Leibler divergence from distances to the k-th neighbor (Wang, Kulkarni and Verdú), a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import MemberError, ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.parts.fdivergences import FDivergence
from coterie.parts.orders import NearestLogs, nearest_logs
from coterie.parts.risks.role import Risk
from coterie.parts.sweeps import center_of

_KNOWN = ("kl", "reverse-kl", "jeffreys")
_METRICS = ("euclidean", "cityblock", "chebyshev")
_WORTH = 0.01  # share of skipped vectors that is worth a word


@dataclass(frozen=True, eq=False)
class Seen:
    """Mean log distances of the rows into the columns, of the columns into the rows (None: the same), and sizes."""

    there: NearestLogs
    back: NearestLogs | None
    sizes: np.ndarray
    others: np.ndarray
    dim: int


class Wang(Risk):
    """KL(P, Q) = (D / n) sum of ln(nu_k / rho_k) + ln(m / (n - 1)): densities are 1 / distance^D to the k-th neighbor.

    nu is the distance into the other set and rho that inside the own; D is the number of values of a vector. The volume
    of a ball is that of the unit ball times distance^D in any norm, so euclidean, cityblock and chebyshev will do.
    """

    k: int = param(1, "Which neighbor's distance is taken.", ge=1)
    metric: str = param(
        "euclidean", "Distance between vectors, one that a norm gives.", choices=_METRICS
    )

    def learned(self, members: Ragged) -> np.ndarray | None:
        """What vectors are moved by before distances are taken."""
        return center_of(members, self.metric, "Wang")

    def look(
        self,
        rows: Ragged,
        cols: Ragged | None = None,
        learned: Any = None,
        *,
        seed: int = 0,
        owner: str = "Divergence",
    ) -> Seen:
        """The mean log distances both ways; sets with too few vectors, or of copies of one, are refused by member."""
        for sets in (rows,) if cols is None else (rows, cols):
            few = np.flatnonzero(sets.lengths <= self.k)
            if len(few):
                size = int(sets.lengths[few[0]])
                raise MemberError(
                    f"{{}} has {size} vector{'s' if size > 1 else ''}, and the estimate of Wang with "
                    f"k={self.k} needs {self.k + 1}",
                    int(few[0]),
                    owner=owner,
                    instead="take risk='nn'",
                    parameter="risk",
                )
        there = nearest_logs(rows, cols, self.k, self.metric, center=learned, owner=owner)
        back = (
            None
            if cols is None
            else nearest_logs(cols, rows, self.k, self.metric, center=learned, owner=owner)
        )
        for found in (there,) if back is None else (there, back):
            alike = np.flatnonzero(found.own_skipped >= 1)
            if len(alike):
                raise MemberError(
                    "the vectors of {} are copies of one another, of which Wang has no density",
                    int(alike[0]),
                    owner=owner,
                    instead="take risk='nn'",
                    parameter="risk",
                )
        return Seen(there, back, rows.lengths, (rows if cols is None else cols).lengths, rows.dim)

    def check_f(self, f: FDivergence, owner: str) -> None:
        """Refuse everything but the Kullback-Leibler divergence, its reverse and their sum."""
        if f.name not in _KNOWN:
            raise ParameterError(
                f"the estimate of Wang is that of {', '.join(_KNOWN)}, and f was {f.name}.",
                owner=owner,
            )

    def divergences(self, seen: Seen, f: FDivergence, *, owner: str = "Divergence") -> np.ndarray:
        """All pairs; only the end is cut at zero."""
        self.check_f(f, owner)
        forth = _kl(seen.there, seen.sizes, seen.others, seen.dim)
        back = forth if seen.back is None else _kl(seen.back, seen.others, seen.sizes, seen.dim)
        out = forth if f.name == "kl" else back.T if f.name == "reverse-kl" else forth + back.T
        out = np.maximum(out, 0.0)
        if seen.back is None:
            np.fill_diagonal(out, 0.0)
        return out

    def notes(self, seen: Seen, f: FDivergence | None = None) -> list[str]:
        """The share of vectors that had no positive distance to go by."""
        every = (
            [seen.there.skipped] if seen.back is None else [seen.there.skipped, seen.back.skipped.T]
        )
        most = float(max(one.max() for one in every))
        if most < _WORTH:
            return []
        mean = float(np.mean([one.mean() for one in every]))
        return [
            f"vectors with copies were skipped ({100 * mean:.1f} % on average, up to {100 * most:.0f} % of a set in a pair)"
        ]


def _kl(logs: NearestLogs, sizes: np.ndarray, others: np.ndarray, dim: int) -> np.ndarray:
    """The formula for all pairs; of a set whose every vector the other has too nothing can be told, and it counts as zero."""
    out = dim * (logs.far - logs.near) + np.log(others[None, :] / (sizes[:, None] - 1.0))
    return np.where(logs.skipped >= 1, 0.0, out)

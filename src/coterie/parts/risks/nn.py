"""NN: divergences from the errors of nearest neighbors at every prior, with nothing drawn and no density estimated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.messages.notes import Note
from coterie.parts.fdivergences import FDivergence
from coterie.parts.orders import Orders, orders_of
from coterie.parts.risks.role import Risk, alone, induced_note, uneven
from coterie.parts.sampling import divergences, nodes_of, risk_at
from coterie.parts.sweeps import center_of

_SHARED = 0.1  # share of points of a set that another set has too
_SMALL = 30  # points below which the unbounded divergences depend much on the size


@dataclass(frozen=True, eq=False)
class Seen:
    """The neighbor orders of the rows among the columns, and of the columns among the rows (None: they are the same)."""

    there: Orders
    back: Orders | None


class NN(Risk):
    """The risk of the nearest-neighbor rule at every prior, by closed-form sampling of the neighbor orders.

    Twice the square-loss risk in the limit, so that kl, reverse-kl, jeffreys, js, hellinger and triangular are estimated
    as they are; so are powers between -1 and 2, and functions of one's own that are sums of these. Others are replaced by
    the divergence that f and the square loss induce, which can be larger or smaller; a note says so.
    """

    metric: Any = param(
        "euclidean",
        "Distance of two vectors: euclidean, cityblock, chebyshev, cosine, ..., or a function of two arrays.",
    )
    priors: int = param(121, "Priors at which the risk is taken.", ge=3)
    margin: float = param(
        1e-3,
        "Priors nearer than this to 0 and 1 are left out, which caps kl and jeffreys.",
        gt=0,
        lt=0.5,
    )
    corrected: bool = param(
        True, "Whether the mean risk of two samples of one law counts as nothing learned."
    )
    spacing: str = param(
        "logit",
        "Where the priors lie: even in log odds, or even.",
        choices=("logit", "uniform"),
        advanced=True,
    )

    def learned(self, members: Ragged) -> np.ndarray | None:
        """What vectors are moved by before distances are taken."""
        return center_of(members, self.metric, "NN")

    def look(
        self,
        rows: Ragged,
        cols: Ragged | None = None,
        learned: Any = None,
        *,
        seed: int = 0,
        owner: str = "Divergence",
    ) -> Seen:
        """The neighbor orders both ways; nothing is random here."""
        there = orders_of(rows, cols, self.metric, center=learned, owner=owner)
        return Seen(
            there,
            None
            if cols is None
            else orders_of(cols, rows, self.metric, center=learned, owner=owner),
        )

    def check_f(self, f: FDivergence, owner: str) -> None:
        """Refuse a divergence whose square-loss form is not finite (chi2)."""
        if f.square is None:
            raise ParameterError(
                f"{f.name} has no finite estimate from nearest neighbors; take kl, jeffreys, js or "
                "hellinger, or a risk in the 0-1 loss, such as risk='svm'.",
                owner=owner,
                parameter="risk",
            )

    def divergences(self, seen: Seen, f: FDivergence, *, owner: str = "Divergence") -> np.ndarray:
        """All pairs from what was seen: tables per pair of sizes, summed over counts."""
        self.check_f(f, owner)
        return divergences(
            seen.there,
            seen.back,
            f,
            nodes_of(f, self.priors, self.margin, self.spacing),
            self.corrected,
        )

    def curve(self, seen: Seen, i: int, j: int, priors: Any) -> np.ndarray:
        """The nearest-neighbor risk of row i and column j at each of some priors (of the row), between 0 and 1."""
        p = np.atleast_1d(np.asarray(priors, dtype=np.float64))
        if not ((p > 0) & (p < 1)).all():
            raise ParameterError("priors must lie between 0 and 1, the ends left out.", owner="NN")
        return risk_at(seen.there, seen.there if seen.back is None else seen.back, i, j, p)

    def notes(self, seen: Seen, f: FDivergence | None = None) -> list[str]:
        """Single vectors, very different sizes, vectors that are in two sets, and what is to be known of f.

        A fitted member that is compared as a new one is no surprise, and its copies are not told of.
        """
        there = seen.there
        apart = seen.back is not None
        sizes = np.concatenate([there.sizes, there.others])
        found = induced_note(f, "square", f is None or f.exact)
        found += alone(
            there.sizes,
            "of which neighbors say nothing; leave such sets out, or take risk='bound'",
            apart,
        )
        found += uneven(sizes)
        least = int(sizes.min())
        if f is not None and np.isinf(f.most) and 1 < least < _SMALL:
            found.append(
                f"the smallest set has {least} vectors; below {_SMALL} f='hellinger' is the safer choice"
            )
        twins = np.where(there.twins == 1.0, 0.0, there.twins) if apart else there.twins
        pairs = int((twins >= _SHARED).sum())
        if pairs:
            share = 100 * float(twins.max())
            found.append(
                Note(
                    f"sets share vectors (up to {share:.0f} % of a set; {pairs} times a tenth or "
                    "more), which makes them alike",
                    "shared_vectors",
                )
            )
        return found

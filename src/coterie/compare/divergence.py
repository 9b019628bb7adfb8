"""Divergence: how differently two sets of vectors are distributed, by any f-divergence and any estimate of it."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self

import numpy as np

from coterie.compare.role import Comparer
from coterie.core.affinity import Dense
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.parts.fdivergences import CATALOGUE, FDivergence, fdivergence
from coterie.parts.risks.naming import NAMES, risk_for
from coterie.parts.risks.role import Risk
from coterie.parts.sequences import whole_sets

Distance = Literal["root", "plain"]


class Divergence(Comparer):
    """f-divergence between sets of vectors (Jeffreys, KL, Hellinger, ...), from the risk of telling two sets apart.

    `risk` says how it is estimated: by nearest neighbors, by the k-NN densities of Wang et al., by the bound of two means
    and covariances, or by any classifier. The estimate looks at the sets once; `read` gives any other f of what it saw.
    An f that is not symmetric (kl) gives an affinity that is not: row from column.
    """

    takes: ClassVar[type] = Ragged
    by_order: ClassVar[bool] = False
    transient: ClassVar[tuple[str, ...]] = ("_seen",)  # looked at again when needed

    f: Any = param(
        "jeffreys",
        f"Which divergence: {', '.join(CATALOGUE)}, power:A, or a convex function of one's own.",
    )
    risk: Any = param(
        "nn",
        "How it is estimated: a name, a risk with its settings, or a classifier.",
        choices=NAMES,
    )
    distance: Distance = param(
        "root",
        "The root of the divergence as a distance, or the divergence itself.",
        choices=("root", "plain"),
    )
    random_state: int | None = param(None, "Seed of what a classifier draws.")

    affinity_: Dense
    divergences_: np.ndarray
    risk_: Risk
    learned_: Any
    seed_: int

    @property
    def often(self) -> int:  # type: ignore[override]
        """Members at most where all pairs are compared a dozen times over: few where classifiers are trained."""
        return risk_for(self.risk, "Divergence").often

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at all pairs of sets, and read the divergence off."""
        self.members_: Ragged = whole_sets(self.check(X), "Divergence")
        f = fdivergence(self.f, "Divergence")
        self.risk_ = risk_for(self.risk, "Divergence")
        self.risk_.check_f(f, "Divergence")
        self.seed_ = seed_of(self.random_state)
        self.learned_ = self.risk_.learned(self.members_)
        self._seen = self._looked()
        self._tell(self._seen, f)
        self.divergences_ = self._divergences(self._seen, f)
        self.affinity_ = Dense(
            _as_distance(self.divergences_, self.distance), "distance", self.risk_.symmetric(f)
        )
        return self

    @property
    def seen_(self) -> Any:
        """What the estimate saw of all pairs; found again where it was not kept (after pickling, or from a store)."""
        if getattr(self, "_seen", None) is None:
            self._seen = self._looked()
        return self._seen

    def compare(self, X: Any) -> Dense:
        """The divergence of new sets from the fitted ones, as a distance."""
        new = whole_sets(self.check_alike(X), "Divergence", dim=self.members_.dim, new=True)
        seen = self.risk_.look(
            new, self.members_, self.learned_, seed=self.seed_, owner="Divergence"
        )
        f = fdivergence(self.f, "Divergence")
        self._tell(seen, f)
        found = self._divergences(seen, f)
        return Dense(_as_distance(found, self.distance), "distance", symmetric=False, own=False)

    def read(self, f: Any = None, distance: Distance | None = None) -> Dense:
        """Members x members by another f, or as another distance; the data are not looked at again.

        `read("kl", "plain").values` are the divergences themselves.
        """
        how = self.distance if distance is None else distance
        if how not in ("root", "plain"):
            raise ParameterError(
                f"distance must be root | plain, and was {distance!r}.", owner="Divergence"
            )
        which = fdivergence(self.f if f is None else f, "Divergence")
        self.risk_.check_f(which, "Divergence")
        found = self.divergences_ if f is None else self._divergences(self.seen_, which)
        return Dense(_as_distance(found, how), "distance", self.risk_.symmetric(which))

    def curve(self, i: int, j: int, priors: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Priors of member i, and the risk of telling it from member j at each, as this estimate sees it."""
        draw = getattr(self.risk_, "curve", None)
        if draw is None:
            raise ParameterError(
                f"{type(self.risk_).__name__} has no risk at a prior; take risk='nn' or 'bound'.",
                owner="Divergence",
            )
        for one in (i, j):
            if not isinstance(one, (int, np.integer)):
                raise ParameterError(
                    f"a member is named by its position, from 0, and was {one!r}.",
                    owner="Divergence",
                )
            if not 0 <= one < len(self.members_):
                raise ParameterError(
                    f"there is no member {one}; there are {len(self.members_)}, from 0.",
                    owner="Divergence",
                )
        if i == j:
            raise ParameterError(
                f"a risk is that of two members, and both were {i}.", owner="Divergence"
            )
        p = np.linspace(0.01, 0.99, 99) if priors is None else np.asarray(priors, dtype=np.float64)
        if not ((p > 0) & (p < 1)).all():
            raise ParameterError("priors must lie between 0 and 1.", owner="Divergence")
        return p, np.asarray(draw(self.seen_, i, j, p))

    def _looked(self) -> Any:
        return self.risk_.look(
            self.members_, None, self.learned_, seed=self.seed_, owner="Divergence"
        )

    def _divergences(self, seen: Any, f: FDivergence) -> np.ndarray:
        found = self.risk_.divergences(seen, f, owner="Divergence")
        if not np.isfinite(found).all():
            i, j = np.argwhere(~np.isfinite(found))[0]
            raise DataError(
                f"that of member {i} from member {j} is not a finite number by {type(self.risk_).__name__}; leave "
                "one out, or take another risk.",
                owner="Divergence",
            )
        return found

    def _tell(self, seen: Any, f: FDivergence) -> None:
        for note in self.risk_.notes(seen, f):
            warnings.warn(f"Divergence: {note.rstrip('.')}.", UserWarning, stacklevel=3)

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self.transient}


def _as_distance(divergences: np.ndarray, distance: str) -> np.ndarray:
    return np.sqrt(divergences) if distance == "root" else divergences.copy()

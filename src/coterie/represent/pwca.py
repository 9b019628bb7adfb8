"""PWCA, pair-wise cluster analysis: components that show up in every view of the same members."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.views import Views
from coterie.parts.consensus import Components, nearly_constant
from coterie.parts.sides import FeatureSide
from coterie.parts.view_forms import Products, Whole
from coterie.parts.view_routes import ByFactors, ByInverses, ByProducts, Costed, Route, Seats
from coterie.represent.shared_views import Forms, KernelViews

_LOOKED = 100  # components looked at for chance when they are found one by one


class PWCA(KernelViews):
    """Pair-wise cluster analysis: components present in every view of the same members, from two views on.

    Learned: `factors_` (members x components: the common scores e of the fitted members, of length one in each component, times
    what the component weighs by `scale`), `consensus_` (c, from 0 to 1), `energies_` (lambda), `shares_` (e' H e by view),
    `chance_` (the consensus of views with shuffled rows), `tau_`, and what all representations of views learn.

    A fitted member is not placed at its row of `factors_`: by view v, `transform_view` gives K_v a_v = factors_ - tau duals_[v],
    and by all its views `transform` gives consensus_ * factors_ exactly, shorter where a component is shared less. `common` has
    these rows, in the order of `rows_`.
    """

    by_products: ClassVar[bool] = True
    counts: ClassVar[tuple[str, ...]] = ("chance", "all")

    n_components: int | str = param(
        "chance", "How many components: a number, all, or those above what chance shares."
    )
    tau: float | str = param(
        1.0,
        "Regularization beside a mean variance of one; held-out chooses it by finding mates.",
        ge=0,
        choices=("held-out",),
    )
    scale: str = param(
        "energy",
        "What a component weighs: its energy, its consensus, or one.",
        choices=("energy", "consensus", "unit"),
    )
    missing: str = param(
        "drop",
        "Members that some view lacks: left out, or used as far as they are seen.",
        choices=("drop", "mask"),
    )

    consensus_: np.ndarray
    energies_: np.ndarray
    shares_: dict[str, np.ndarray]
    chance_: float
    tau_: float

    def solve(self, forms: Forms, seats: Seats, value: float, notes: list[str]) -> None:
        """Find the components for one tau, how many of them chance does not explain, and their weights."""
        wanted = self.wanted()
        route = self._route(forms, seats, value)
        most = self._most(route, wanted)
        found = route.found(most)
        if not len(found.mu):
            raise DataError(
                "the views have nothing in common that is above rounding; take a smaller tau.",
                owner="PWCA",
            )
        level = self._chance(route)
        self.chance_ = 1 - value * level / len(forms)
        keep = self._kept(found, wanted, level, most, notes)
        found = _first(found, keep)
        scale = {
            "energy": 1 / np.sqrt(np.maximum(found.energies, 1e-300)),
            "consensus": np.sqrt(found.mu),
            "unit": np.ones(keep),
        }[self.scale]
        self.tau_ = value
        self.factors_ = found.scores * scale
        self.energies_ = found.energies
        self.consensus_ = found.consensus
        self.strength_ = found.consensus
        duals = [route.dual(at, found.scores) for at in range(len(forms))]
        own = [found.scores[rows] for rows in seats.rows]
        held = [np.sum(e * (e - value * a), axis=0) for e, a in zip(own, duals, strict=True)]
        self.shares_ = dict(zip(forms, held, strict=True))
        self.learned(forms, [dual * scale for dual in duals])

    @property
    def common(self) -> np.ndarray:
        """The fitted members as `transform` places them: the mean of K a = e - tau a over their views is consensus times e."""
        check_is_fitted(self)
        return self.factors_ * self.consensus_

    def consensus(self) -> Table:
        """One row per component: its consensus and energy, and the share of it that every view holds (e' H e)."""
        check_is_fitted(self)
        names = ("consensus", "energy", *(f"in {name}" for name in self.names_))
        return Table(
            np.column_stack([self.consensus_, self.energies_, *self.shares_.values()]), names
        )

    def used(self, views: Views, notes: list[str]) -> np.ndarray:
        """The members to fit on: those that every view has, or with a mask all that any view has."""
        if self.missing == "drop":
            return super().used(views, notes)
        counts = np.sum(list(views.seen.values()), axis=0)
        if (counts == 0).any():
            raise DataError(f"member {int(np.argmin(counts))} is seen in no view.", owner="PWCA")
        for name, seen in views.seen.items():
            if seen.sum() < self.least:
                raise DataError(
                    f"view '{name}' has {int(seen.sum())} members, and needs at least {self.least}.",
                    owner="PWCA",
                )
        if (counts == 1).any():
            notes.append(
                f"{int((counts == 1).sum())} members are in one view only and tell nothing of what views share."
            )
        return np.arange(len(views))

    def _route(self, forms: Forms, seats: Seats, tau: float) -> Route:
        """Inverses of whole kernels, thin factors, or products."""
        whole = [form for form in forms.values() if isinstance(form, Whole)]
        if len(whole) == len(forms):
            return ByInverses.of(
                [form.kernel for form in whole], seats, tau, whole[0].owner if tau == 0 else "PWCA"
            )
        if tau == 0:
            raise ParameterError(
                "tau = 0 needs whole kernels of full rank; give a tau above 0, or leave rank out.",
                owner="PWCA",
            )
        products = [form for form in forms.values() if isinstance(form, Products)]
        if products:
            return ByProducts(products, seats, tau, self.random_state)
        return ByFactors(
            tuple(form.spectrum for form in forms.values() if isinstance(form, FeatureSide)),
            seats,
            tau,
        )

    def _most(self, route: Route, wanted: int | None) -> int:
        """How many components are asked of the route."""
        n = route.seats.n
        if not isinstance(route, ByProducts):
            return n if wanted is None else wanted
        if self.n_components == "all":
            raise ParameterError(
                f"all components of {n} members cannot be found with rank='all'; give a number of them.",
                owner="PWCA",
            )
        return min(_LOOKED, n - 1) if wanted is None else wanted

    def _kept(
        self, found: Components, wanted: int | None, level: float, most: int, notes: list[str]
    ) -> int:
        """How many components are kept: at least one that tells members apart, where there is one."""
        if self.n_components == "chance":
            telling = np.flatnonzero(self._telling(found))
            above = telling[found.energies[telling] < level]
            if not len(above):
                notes.append("no component is shared by more than chance; one is kept.")
            if len(found.mu) == most < len(self.rows_) and 0 < len(above) == len(telling):
                notes.append(
                    f"all {most} components looked at are shared by more than chance; there may be more."
                )
            return int(above[-1] if len(above) else telling[0] if len(telling) else 0) + 1
        if wanted is not None and len(found.mu) < wanted:
            notes.append(f"{wanted} components were asked for, and there are {len(found.mu)}.")
        return len(found.mu)

    def _chance(self, route: Route) -> float:
        """The least energy when the rows of one view are shuffled: the median over which view it is.

        Without centering the first component is the mean of the views, which no shuffle moves: it is passed over.
        """
        levels = []
        for at, rows in enumerate(route.seats.rows):
            order = stream(self.random_state, 7, at).permutation(len(rows))
            found = route.found(1 if self.center else 2, (at, order))
            telling = np.flatnonzero(self._telling(found))
            levels.append(found.energies[telling[0] if len(telling) else -1])
        return float(np.median(levels))

    def _telling(self, found: Components) -> np.ndarray:
        """Marks of the components that are not nearly the same for all members; centered ones never are."""
        return np.ones(len(found.mu), dtype=bool) if self.center else ~nearly_constant(found.scores)


def _first(found: Components, keep: int) -> Components:
    """The first so many components."""
    few: dict[str, Any] = {"scores": found.scores[:, :keep], "mu": found.mu[:keep]}
    if isinstance(found, Costed):
        few["costs"] = found.costs[:keep]
    return replace(found, **few)

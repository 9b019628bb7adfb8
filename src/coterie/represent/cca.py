"""CCA, canonical correlation analysis: the most correlated directions of the columns of two and more views."""

from __future__ import annotations

from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.parts.sides import FeatureSide
from coterie.parts.view_forms import Whole
from coterie.parts.view_routes import Seats
from coterie.represent.kcca import Correlating
from coterie.represent.shared_views import Forms


class CCA(Correlating):
    """Canonical correlation analysis of two or more tables of the same members, dense or sparse; classical at kappa = 0."""

    kappa: float | str = param(
        0.1,
        "Ridge beside a mean variance of one; 0 is classical, held-out chooses it by mates.",
        ge=0,
        choices=("held-out",),
    )

    def solve(self, forms: Forms, seats: Seats, value: float, notes: list[str]) -> None:
        """Find the most correlated directions for one ridge; without one, refuse views in which everything correlates."""
        if value == 0:
            self._count_columns(forms, seats.n - int(self.center), notes)
        super().solve(forms, seats, value, notes)

    def _count_columns(self, forms: Forms, free: int, notes: list[str]) -> None:
        """Classical correlations are 1 by counting alone where two views have more independent columns than members allow."""
        ranks = {
            name: len(form.spectrum.values)
            for name, form in forms.items()
            if isinstance(form, Whole | FeatureSide)
        }
        one, other = sorted(ranks, key=lambda name: -ranks[name])[:2]
        if ranks[one] >= free:
            raise DataError(
                f"view '{one}' has as many independent columns as there are members ({ranks[one]}), so that every "
                "correlation is 1; give kappa above 0.",
                owner="CCA",
            )
        forced = ranks[one] + ranks[other] - free
        if forced > 0:
            notes.append(
                f"views '{one}' and '{other}' have {ranks[one]} and {ranks[other]} independent columns, more together than "
                f"{len(self.rows_)} members allow, so that {forced} of their correlations are 1 whatever the members are; give "
                "kappa above 0."
            )

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
        0.1, "Ridge beside a mean variance of one; 0 is classical, held-out chooses it by mates.", ge=0, choices=("held-out",)
    )

    def solve(self, forms: Forms, seats: Seats, value: float, notes: list[str]) -> None:
        """Find the most correlated directions for one ridge; without one, refuse views in which everything correlates."""
        for name, form in forms.items():
            free = len(form.spectrum.values) if isinstance(form, Whole | FeatureSide) else 0
            if value == 0 and free >= seats.n - int(self.center):
                raise DataError(
                    f"CCA: view '{name}' has as many independent columns as there are members ({free}), so that every "
                    "correlation is 1; give kappa above 0."
                )
        super().solve(forms, seats, value, notes)

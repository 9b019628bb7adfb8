"""ScaledPCA: skewed columns straightened, all scaled and clipped, then a few principal components; categories beside."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.table import Table
from coterie.core.workplace import steady
from coterie.parts.components import MixedComponents


class ScaledPCA(Representer):
    """Skewed columns as logarithms, all scaled and clipped, then principal components; categories and two-valued columns beside.

    Columns with a skewness above one are straightened by log(1 + x) where that helps; then every column is centered, brought
    to deviation one and cut at `clip` deviations. Where at least eight columns seem to share a unit and there are no
    categories, they keep their proportions and are not cut. Missing numbers are the mean. The components come first, falling
    by variance; then a column of codes for every category (`represent` gives them as categories). Learned: `components_`
    (directions in the scaled columns), `variance_share_` (up to each), `straightened_` (names of the skewed columns),
    `shares_unit_`, `levels_` (of the categories, by column).
    """

    gaps: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    n_components: int | None = param(
        None,
        "How many components; None keeps all dimensions up to 12, of more 95% of the variance and at most 20.",
        ge=1,
    )
    clip: float = param(3.0, "Deviations beyond which a value is cut.", gt=0)
    straighten: bool = param(True, "Whether skewed columns are taken as logarithms.")

    components_: np.ndarray
    variance_share_: np.ndarray
    straightened_: tuple[str, ...]
    shares_unit_: bool
    levels_: dict[int, Any]
    names_in_: tuple[str, ...]
    model_: MixedComponents

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn how every column is scaled, and the directions of the components."""
        table = self.check(X)
        with steady():
            self.model_ = MixedComponents.of(
                table,
                n_components=self.n_components,
                clip=self.clip,
                straighten=self.straighten,
            )
        self.components_ = self.model_.axes
        self.variance_share_ = self.model_.energy
        self.straightened_ = tuple(
            table.names[self.model_.numeric[at]] for at in self.model_.straightenings
        )
        self.shares_unit_ = self.model_.shares_unit
        self.levels_ = dict(self.model_.levels)
        self.names_in_ = table.names
        self.n_features_out_ = self.model_.width
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Components of these rows, then codes of their categories; -1 where one is missing or was not seen before."""
        table = self.check(X, new=True)
        with steady():
            return self.model_.transform(table, "ScaledPCA")

    def represent(self, X: Any) -> Table:
        """Components as numbers, then the categories with their levels; NaN where one is missing or was not seen before."""
        table = self.check(X, new=True)
        with steady():
            return self.model_.table(table, "ScaledPCA")

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """component0, component1 ..., then the names of the categories."""
        return np.array(self.model_.names(self.names_in_), dtype=object)

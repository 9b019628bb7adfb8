"""What every representer is: a view in, a table or ragged of numbers out."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import TransformerMixin

from coterie.core.estimator import Estimator
from coterie.core.table import Table


class Representer(TransformerMixin, Estimator):
    """A view -> Table or Ragged: `fit`, `transform`, `fit_transform`; `represent` keeps the names of the columns."""

    n_features_out_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the members."""
        raise NotImplementedError(f"{type(self).__name__} does not define fit")

    def transform(self, X: Any) -> Any:
        """The numbers of these members as an array or sparse matrix."""
        raise NotImplementedError(f"{type(self).__name__} does not define transform")

    def represent(self, X: Any) -> Any:
        """What `transform` gives as a Table whose columns have names."""
        values = self.transform(X)
        names = tuple(str(name) for name in self.get_feature_names_out())
        return Table(values, names) if len(names) == values.shape[1] else Table.of(values)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns that `transform` gives."""
        import numpy as np

        width = getattr(self, "n_features_out_", 0)
        return np.array([f"{type(self).__name__.lower()}{j}" for j in range(width)], dtype=object)

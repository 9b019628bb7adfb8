"""ExpectedLikelihood: the distance of two sets by how likely the vectors of one model are under the other."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from coterie.compare.product_kernel import ProductKernel
from coterie.compare.role import Comparer
from coterie.core.affinity import Dense
from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.models.role import Model
from coterie.parts.sequences import checked


class ExpectedLikelihood(Comparer):
    """Expected likelihood kernel between mixtures of normal laws, one of each set: a distance, -log of the normalized kernel.

    The product kernel of power one for models without time, in closed form. Missing values are left to the models.
    """

    takes: ClassVar[type] = Ragged
    by_order: ClassVar[bool] = False
    gaps: ClassVar[bool] = True

    model: Any = param(
        None,
        "The model of a set: GMM(...) or Gaussian(); two components with full covariances if left out.",
    )
    random_state: int | None = param(None, "Seed of the models, unless the model has its own.")

    affinity_: Dense
    members_: Ragged
    kernel_: ProductKernel

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train a model of every set and take the distances of all pairs of models."""
        view = checked(self.check(X), "ExpectedLikelihood")
        self.kernel_ = ProductKernel(
            model=self._model(), power=1.0, length=1, random_state=self.random_state
        ).fit(view)
        self.affinity_ = self.kernel_.affinity_
        self.members_ = self.kernel_.members_
        return self

    def compare(self, X: Any) -> Dense:
        """New sets against the fitted ones, by models of their own that are trained as those of the fitted ones were."""
        return self.kernel_.compare(
            checked(self.check_alike(X), "ExpectedLikelihood", dim=self.members_.dim)
        )

    def _model(self) -> Model:
        if self.model is None:
            from coterie.models.mixture import GMM

            return GMM(n_components=2, covariance="full")
        if (
            not isinstance(self.model, Model)
            or self.model.ordered
            or hasattr(self.model, "n_states")
        ):
            raise ParameterError(
                f"model must be GMM(...) or Gaussian(), a model without time, and was {self.model!r}; use "
                "ProductKernel for hidden Markov models.",
                owner="ExpectedLikelihood",
            )
        return self.model

"""StudentMixture: rows of numbers and categories grouped by a mixture of multivariate Student t distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.core.estimator import Organizer
from coterie.core.params import param
from coterie.core.partition import Partition, numbered
from coterie.core.random import content_order, seed_of
from coterie.core.table import Table
from coterie.core.workplace import stage, steady
from coterie.parts.starts import make_starts
from coterie.parts.student import (
    EM,
    Coding,
    Fitted,
    StudentComponents,
    bic,
    count_parameters,
)


class StudentMixture(Organizer):
    """Rows grouped by a mixture of multivariate Student t distributions, with multinomials for categories.

    Heavy tails keep rows far out from making groups of their own. EM runs from several groupings (k-means, Ward and a
    spectral cut, of the rows as they are, whitened, and by ranks) and the likeliest end is kept; the order of the rows does
    not matter. A missing number is the mean of its column; a missing category is ignored, or a level of its own where over a
    tenth are missing. Learned: `partition_`, `probabilities_` (members x groups), `weights_`, `means_`, `covariances_`,
    `level_probabilities_` (by column), `log_likelihood_`, `n_parameters_`, `bic_` (lower is better), `n_iter_`, `converged_`.
    """

    takes: ClassVar[type] = Table
    gaps: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    least: ClassVar[int] = 2

    n_groups: int = param(3, "How many groups.", ge=1)
    covariance: Literal["tied", "shrunk"] = param(
        "shrunk",
        "One covariance for all groups (tied), or each its own, shrunk to the one of all.",
        choices=("tied", "shrunk"),
    )
    df: float = param(4.0, "Degrees of freedom; the fewer, the less a row far out counts.", gt=0)
    shrinkage: float | None = param(
        None,
        "How many rows the pooled covariance counts as; None is the number of columns + 2.",
        gt=0,
    )
    n_init: int = param(10, "Starts of each k-means among the groupings to start from.", ge=1)
    max_iter: int = param(100, "Rounds of EM from each grouping, at most.", ge=1, advanced=True)
    tol: float = param(
        1e-5,
        "EM ends when the mean log-likelihood of a row gains less.",
        gt=0,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of the k-means to start from.")

    probabilities_: np.ndarray
    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray
    level_probabilities_: dict[str, np.ndarray]
    log_likelihood_: float
    n_parameters_: float
    bic_: float
    n_iter_: int
    converged_: bool
    coding_: Coding
    components_: StudentComponents

    def fit(self, X: Any, y: Any = None, starts: Sequence[np.ndarray] | None = None) -> Self:
        """Fit the mixture by EM from the groupings that are given in `starts`, or from those that are made."""
        table = self.check(X)
        self.check_groups(self.n_groups, len(table))
        order = content_order(table.values)
        table = table.take(order)
        self.coding_ = Coding.of(table, "StudentMixture")
        rows = self.coding_.rows(table, "StudentMixture")
        with stage("StudentMixture"), steady():
            if starts is None:
                made = make_starts(
                    self.coding_.points(rows),
                    self.n_groups,
                    seed=seed_of(self.random_state),
                    n_init=self.n_init,
                )
            else:
                made = [labels[order] for labels in self._given(starts, len(order))]
            fitted = EM(self.df, self.covariance, self.shrinkage, self.max_iter, self.tol).best(
                rows, made, self.n_groups
            )
        self._keep(table, fitted, order)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest group of new members."""
        shares = self.predict_proba(X)
        return shares[:, : self.partition_.n_groups].argmax(axis=1).astype(np.int64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every group for new members; rows sum to one."""
        check_is_fitted(self, "partition_")
        rows = self.coding_.rows(self.check(X, new=True), "StudentMixture")
        with steady():
            return self.components_.responsibilities(rows)[0]

    def _given(self, starts: Sequence[np.ndarray], n: int) -> list[np.ndarray]:
        """Groupings to start from, checked: whole numbers below the number of groups, one per member."""
        found = []
        for at, labels in enumerate(starts):
            given = np.asarray(labels)
            whole = given.ndim == 1 and given.dtype.kind in "iu"
            if not whole or len(given) != n or given.min() < 0 or given.max() >= self.n_groups:
                raise DataError(
                    f"StudentMixture: start {at} must be one whole number from 0 to {self.n_groups - 1} for each of the "
                    f"{n} members.",
                    parameter="starts",
                )
            found.append(given.astype(np.int64))
        if not found:
            raise DataError(
                "StudentMixture: starts is empty; give one at least.", parameter="starts"
            )
        return found

    def _keep(self, table: Table, fitted: Fitted, order: np.ndarray) -> None:
        """Number the groups by size, and bring numbers back to the units of the columns and to the order of the rows."""
        shares = fitted.responsibilities
        sizes = self.coding_.sizes
        self.log_likelihood_ = fitted.log_likelihood - len(shares) * float(
            np.log(self.coding_.scale).sum()
        )
        self.n_parameters_ = count_parameters(fitted, sizes, self.covariance, self.shrinkage)
        jacobian = fitted.log_likelihood - self.log_likelihood_
        self.bic_ = bic(fitted, sizes, self.covariance, self.shrinkage) + 2 * jacobian
        self.n_iter_ = fitted.n_iter
        self.converged_ = fitted.converged
        ranked, used = numbered(shares.argmax(axis=1))
        groups = np.concatenate([used, np.setdiff1d(np.arange(shares.shape[1]), used)])
        found = fitted.components
        self.components_ = replace(
            found,
            weights=found.weights[groups],
            means=found.means[groups],
            covariances=np.ascontiguousarray(found.covariances[groups]),
            probabilities=found.probabilities[groups],
        )
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        self.partition_ = Partition(ranked.labels[back], (), shares.max(axis=1)[back])
        self.probabilities_ = shares[back][:, groups]
        self.weights_ = self.components_.weights
        self.means_ = self.components_.means * self.coding_.scale + self.coding_.center
        units = self.coding_.scale[:, None] * self.coding_.scale[None, :]
        self.covariances_ = self.components_.covariances * units
        ends = np.cumsum(sizes).astype(int)
        parts = np.split(self.components_.probabilities, ends[:-1], axis=1)
        names = [table.names[column] for column in self.coding_.levels]
        self.level_probabilities_ = dict(zip(names, parts, strict=False))

"""SpherePacking: sets of vectors as balls in kernel space, packed two by two into the least larger ones."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.collection import as_view
from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Organizer
from coterie.core.params import param
from coterie.core.partition import Hierarchy, Partition, numbered
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.workplace import fits, stage, steady
from coterie.organize.agglomerative import relative_gaps, widest
from coterie.parts.row_kernels import RowKernel, kernel_of
from coterie.parts.sequences import whole_sets
from coterie.parts.spheres import (
    Balls,
    Packing,
    Softness,
    balls_of,
    center_products,
    center_weights,
    pack,
)


class SpherePacking(Organizer):
    """Sets grouped by packing balls: each set is its smallest enclosing ball in kernel space, the least common ball first.

    Rows of a table are balls of radius 0. With labels (`fit(X, y)`, -1 or None where there is none) all vectors of one label
    are one ball, and balls of two labels never meet. Learned: `hierarchy_` (heights are radii), `radii_` and `centers_` of
    the groups (a center is a row of weights of the balls), `balls_`, `ball_of_` (the ball of each member), `outside_` (share
    of vectors outside their ball), `gaps_`.
    """

    takes: ClassVar[type] = Ragged
    also: ClassVar[tuple[type, ...]] = (Table,)

    n_groups: int | None = param(
        None, "How many groups; None cuts in the largest relative gap of the radii.", ge=1
    )
    nu: float = param(
        0.1,
        "Share of the vectors of a set that may lie outside its ball; 0 encloses all.",
        ge=0,
        le=1,
    )
    C: float | None = param(
        None,
        "Largest multiplier of a vector, instead of nu; at least 1/n in a set of n.",
        gt=0,
        le=1,
    )
    kernel: Any = param(
        "gaussian",
        "Kernel of two vectors: gaussian, laplacian, linear, polynomial, a comparer of tables, or a function of two arrays.",
    )
    width: float | str = param(
        "median",
        "Width of a kernel by name, but for linear; median is that of all distances.",
        gt=0,
        choices=("median",),
    )
    tol: float = param(
        1e-6,
        "A ball is settled when an exchange of weight gains less than this share.",
        gt=0,
        advanced=True,
    )
    max_iter: int = param(100_000, "Most exchanges for one ball.", ge=1, advanced=True)

    hierarchy_: Hierarchy
    radii_: np.ndarray
    centers_: np.ndarray
    balls_: Balls
    ball_of_: np.ndarray
    outside_: float
    gaps_: dict[int, float]
    kernel_: RowKernel
    kind_: type
    dim_: int
    origin_: np.ndarray
    norms_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the balls, pack them into one tree, and cut it."""
        taken = self.check(X)
        self.kind_, view = type(taken), self._sets(taken)
        known = _labels(y, len(view))
        self._check_counts(known, len(view))
        self.dim_ = view.dim
        self.kernel_ = kernel_of(self.kernel, self.width, view.values, "SpherePacking")
        self.origin_ = (
            view.values.mean(axis=0) if self.kernel_.name == "linear" else np.zeros(view.dim)
        )
        sets, self.ball_of_, kinds = _joined(view, known)
        fits(16 * len(sets) ** 2, f"The products of {len(sets)} centers", "use fewer members")
        with stage("SpherePacking"):
            self.balls_ = self._balls(sets)
            products = center_products(self.balls_, self.kernel_)
            packing = pack(products, self.balls_.radii, kinds)
        self.outside_ = float(self.balls_.outside.sum() / len(sets.values))
        self.hierarchy_ = Hierarchy(_of_members(packing, self.ball_of_))
        least = max(known.n_groups, 1)
        self.gaps_ = {
            k: gap for k, gap in relative_gaps(self.hierarchy_.heights).items() if k >= least
        }
        groups = self.n_groups if self.n_groups is not None else max(widest(self.gaps_), least)
        self._keep(packing, products, groups, known)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group whose ball must grow least to hold the ball of a new member; inside several, the one it lies deepest in."""
        check_is_fitted(self, "partition_")
        view = self._sets(self.check(as_view(X, self.kind_, "SpherePacking"), new=True), self.dim_)
        balls = self._balls(view)
        used = np.flatnonzero(self.centers_.any(axis=0))
        products = (
            center_products(balls, self.kernel_, self.balls_.take(used)) @ self.centers_[:, used].T
        )
        away = np.sqrt(np.maximum(balls.norms[:, None] + self.norms_ - 2.0 * products, 0.0))
        deep = away + balls.radii[:, None] - self.radii_
        grown = np.maximum(np.maximum(deep / 2.0, balls.radii[:, None] - self.radii_), 0.0)
        tied = grown <= grown.min(axis=1, keepdims=True) + 1e-12
        return np.where(tied, deep, np.inf).argmin(axis=1)

    def _sets(self, view: Ragged | Table, dim: int | None = None) -> Ragged:
        if isinstance(view, Table):
            view = Ragged(np.asarray(view.values), np.arange(len(view) + 1), ordered=False)
        return whole_sets(view, "SpherePacking", dim=dim, new=dim is not None)

    def _check_counts(self, known: Partition, n: int) -> None:
        self.check_groups(self.n_groups, n)
        if self.n_groups is not None and self.n_groups < known.n_groups:
            raise ParameterError(
                f"n_groups must be at least {known.n_groups}, since there are so many labels, and was "
                f"{self.n_groups}.",
                owner="SpherePacking",
            )

    def _balls(self, sets: Ragged) -> Balls:
        softness = Softness(float(self.nu), self.C)
        raised = softness.raised(sets.lengths[sets.lengths > 1])
        if raised:
            warnings.warn(
                f"SpherePacking: C = {self.C:g} was raised to 1/n in {raised} of {len(sets)} sets, which have too few vectors "
                "for it; nu follows the size of each set.",
                UserWarning,
                stacklevel=3,
            )
        sets = sets.with_values(sets.values - self.origin_)
        return balls_of(
            sets, self.kernel_, softness, "SpherePacking", tol=self.tol, max_iter=self.max_iter
        )

    def _keep(self, packing: Packing, products: np.ndarray, groups: int, known: Partition) -> None:
        """Number the groups from the largest, and keep the ball of each; confidence is the margin in radii."""
        weights = center_weights(packing, groups)
        cut = self.hierarchy_.cut(groups).labels
        with steady():
            cross = products @ weights
            norms = np.einsum("bg,bg->g", weights, cross)
        away = (
            np.sqrt(np.maximum(np.diagonal(products)[:, None] + norms - 2.0 * cross, 0.0))
            + self.balls_.radii[:, None]
        )
        of_balls = np.empty(len(self.balls_), dtype=np.int64)
        of_balls[self.ball_of_] = cut
        radii = _radii(packing, self.balls_.radii, of_balls, groups)
        partition, old = numbered(cut, _margins(away, radii, of_balls)[self.ball_of_])
        self.radii_ = radii[old]
        self.norms_ = norms[old]
        self.centers_ = weights.T[old]
        names = list(partition.names)
        for group in range(len(names)):
            seeds = np.unique(known.labels[(partition.labels == group) & (known.labels >= 0)])
            names[group] = known.names[int(seeds[0])] if len(seeds) else names[group]
        self.partition_ = Partition(partition.labels, tuple(names), partition.confidence)


def _labels(y: Any, n: int) -> Partition:
    """The labels that are known; one per member, -1 or None where there is none."""
    if y is None:
        return Partition(np.full(n, -1))
    if np.ndim(y) != 1:
        raise DataError(
            f"labels must be one per member, and have {np.ndim(y)} dimensions.",
            owner="SpherePacking",
        )
    known = Partition.of(y)
    if len(known) != n:
        raise DataError(f"there are {len(known)} labels for {n} members.", owner="SpherePacking")
    return known


def _joined(view: Ragged, known: Partition) -> tuple[Ragged, np.ndarray, np.ndarray | None]:
    """The sets that get a ball (members of one label are one set), the ball of every member, and the label of every ball."""
    labels = known.labels
    if known.n_groups == 0:
        return view, np.arange(len(view)), None
    first = {label: int(np.argmax(labels == label)) for label in range(known.n_groups)}
    leaders = np.array([first[int(label)] if label >= 0 else i for i, label in enumerate(labels)])
    heads, ball_of = np.unique(leaders, return_inverse=True)
    order = np.argsort(ball_of, kind="stable")
    members = view.take(order)
    ends = np.cumsum(np.bincount(ball_of, weights=view.lengths)).astype(np.int64)
    sets = Ragged(members.values, np.concatenate([[0], ends]), view.ordered, view.names, view.rate)
    return sets, ball_of, labels[heads]


def _of_members(packing: Packing, ball_of: np.ndarray) -> np.ndarray:
    """The merges of members: those of one ball first, at height 0, then the merges of the balls."""
    n = len(ball_of)
    merges = packing.merges
    n_balls = int(ball_of.max()) + 1
    if n == n_balls:
        return merges
    rows: list[tuple[float, float, float, float]] = []
    node = np.empty(n_balls, dtype=np.int64)
    size = np.zeros(n_balls)
    for member, ball in enumerate(ball_of):
        if size[ball]:
            rows.append((min(node[ball], member), max(node[ball], member), 0.0, size[ball] + 1))
        node[ball] = n + len(rows) - 1 if size[ball] else member
        size[ball] += 1
    node = np.append(node, n + len(rows) + np.arange(len(merges)))
    size = np.append(size, np.zeros(len(merges)))
    for t, (a, b, height, _) in enumerate(merges):
        size[n_balls + t] = size[int(a)] + size[int(b)]
        one = node[int(a)]
        other = node[int(b)]
        rows.append((min(one, other), max(one, other), height, size[n_balls + t]))
    return np.array(rows, dtype=np.float64).reshape(n - 1, 4)


def _radii(packing: Packing, own: np.ndarray, groups: np.ndarray, n_groups: int) -> np.ndarray:
    """The radius of the ball of every group: its last merge, or its only ball."""
    n = len(own)
    found = np.zeros(n_groups)
    member = np.append(groups, np.zeros(n - 1, dtype=np.int64))
    np.maximum.at(found, groups, own)
    for t in range(n - n_groups):
        member[n + t] = member[int(packing.merges[t, 0])]
        found[member[n + t]] = max(found[member[n + t]], packing.merges[t, 2])
    return found


def _margins(away: np.ndarray, radii: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """1 - own / next: how far each ball reaches from the center of its group and of the next one, in radii of the groups."""
    if len(radii) == 1:
        return np.ones(len(groups))
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.where(away <= 1e-12, 0.0, away / radii)
    rows = np.arange(len(groups))
    own = reach[rows, groups]
    reach[rows, groups] = np.inf
    other = reach.min(axis=1)
    with np.errstate(invalid="ignore"):
        shares = np.where(
            np.isinf(other), 0.0, np.divide(own, other, out=np.ones_like(own), where=other > 0)
        )
    return np.clip(1.0 - shares, 0.0, 1.0)

"""MMD: the distance of two sets of vectors as that of their means in the space of a kernel."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from coterie.compare.role import Comparer
from coterie.core.affinity import Dense, Tile, card_form
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.parts.pairwise import pairwise
from coterie.parts.random_features import Fourier, batches, feature_means, fourier
from coterie.parts.row_kernels import MOST, RowKernel, kernel_of
from coterie.parts.sequences import whole_sets
from coterie.parts.squares import squared_norms, squares
from coterie.parts.workers import in_order

_ROUNDING = (
    1e-14  # squared values below this share of the sets' own kernel means cannot be told from zero
)
_TILE = (512, 4096)  # vectors of the rows and the columns of a tile, about


class MMD(Comparer):
    """Maximum mean discrepancy: how far apart the means of two sets of vectors lie in the space of a kernel.

    It sees every difference of two laws when the kernel is gaussian or laplacian; order is ignored. The width is learned from
    the fitted members, and new ones are compared with it.
    """

    takes: ClassVar[type] = Ragged
    by_order: ClassVar[bool] = False

    kernel: Any = param(
        "gaussian",
        "Kernel of two vectors: gaussian, laplacian, linear, polynomial, a comparer of tables, or a function of two arrays.",
    )
    width: float | str = param(
        "median",
        "Width of a kernel by name, but for linear; 'median' is the median distance of the vectors.",
        choices=("median",),
        gt=0,
    )
    estimate: str = param(
        "biased",
        "Mean over all pairs of a set's vectors, or (unbiased) over pairs of different ones.",
        choices=("biased", "unbiased"),
    )
    features: int | None = param(
        None,
        "Random directions that stand for the kernel, for very many vectors; left out, the kernel is exact.",
        ge=1,
    )
    distance: str = param(
        "root", "The distance itself, or (plain) its square.", choices=("root", "plain")
    )
    random_state: int | None = param(None, "Seed of the random directions; not used without them.")

    affinity_: Dense
    members_: Ragged
    kernel_: RowKernel
    features_: Fourier | None
    center_: np.ndarray
    sides_: tuple[Any, ...]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the width and take the distances of all pairs of sets."""
        members = self._sets(self.check(X))
        self.kernel_ = kernel_of(self.kernel, self.width, members.values, "MMD")
        self.features_ = None
        if self.features is not None:
            self.features_ = fourier(
                self.kernel_, members.values, int(self.features), seed_of(self.random_state), "MMD"
            )
        self.members_ = members
        self.center_ = members.values.mean(axis=0)
        self.sides_ = self._side(members)
        found = pairwise(
            self._tile(), self.sides_, kind="distance", label="mmd", shape=self._shape()
        ).values
        np.fill_diagonal(found, 0.0)
        self.affinity_ = Dense(found, "distance")
        return self

    def compare(self, X: Any) -> Dense:
        """Distances of new sets to the fitted ones, with the width of those: queries x members."""
        new = self._sets(self.check_alike(X), new=True)
        return pairwise(
            self._tile(),
            self._side(new, "new member"),
            self.sides_,
            kind="distance",
            symmetric=False,
            label="mmd",
            shape=self._shape(),
        )

    def _sets(self, view: Ragged, new: bool = False) -> Ragged:
        sets = whole_sets(view, "MMD", dim=self.members_.dim if new else None, new=new)
        single = sets.lengths < 2
        if self.estimate == "unbiased" and single.any():
            who = "new member" if new else "member"
            raise DataError(
                f"{who} {int(np.argmax(single))} has one vector, and the unbiased estimate needs two; use "
                "estimate='biased', or leave it out.",
                owner="MMD",
            )
        return sets

    def _side(self, sets: Ragged, who: str = "member") -> tuple[Any, ...]:
        """What the tile needs of sets: their vectors (or mean features) and their kernel with themselves."""
        if self.features_ is not None:
            means = feature_means(self.features_, self.features_.count, sets, "mmd")
            norms = squared_norms(means)
            n = sets.lengths
            return (
                means,
                norms,
                np.zeros(len(sets)) if self.estimate == "biased" else (norms - 1.0) / (n - 1),
            )
        if self.kernel_.name == "linear" and self.kernel_.function is None:
            sets = sets.with_values(sets.values - self.center_)  # the same distances, less rounding
        work = partial(own_means, sets=sets, kernel=self.kernel_, same=self.estimate == "biased")
        own = np.concatenate(list(in_order(work, batches(sets), "mmd")))
        lost = ~(
            np.abs(own) <= MOST
        )  # NaN too; the kernel of two sets is never larger than the larger of their own
        if lost.any():
            raise DataError(
                f"the kernel of the vectors of {who} {int(np.argmax(lost))} is too large for a number; scale the values "
                "first, or give a larger width.",
                owner="MMD",
            )
        return sets, own

    def _tile(self) -> Tile:
        root = self.distance == "root"
        if self.features_ is not None:
            return partial(feature_tile, root=root)
        return partial(kernel_tile, kernel=self.kernel_, root=root)

    def _shape(self) -> tuple[int, int] | None:
        """Sets of a tile, by how many vectors the members have; a matter of the data alone."""
        if self.features_ is not None:
            return None
        mean = len(self.members_.values) / len(self.members_)
        return max(1, round(_TILE[0] / mean)), max(1, round(_TILE[1] / mean))


def own_means(some: slice, sets: Ragged, kernel: RowKernel, same: bool) -> np.ndarray:
    """The mean kernel of the vectors of each of some sets; a vector with itself counts only where `same` says so."""
    out = np.empty(some.stop - some.start)
    for at in range(some.start, some.stop):
        one = sets[at : at + 1]
        n = len(one.values)
        total = float(kernel.sums(one, one)[0, 0])
        with np.errstate(over="ignore"):
            itself = 0.0 if same else float(kernel.diagonal(one.values).sum())
        out[at - some.start] = total / n**2 if same else (total - itself) / (n * (n - 1))
    return out


@card_form("mmd")
def kernel_tile(
    a: tuple[Any, ...], b: tuple[Any, ...], kernel: RowKernel, root: bool
) -> np.ndarray:
    """Discrepancies of two blocks of (sets, own kernel means)."""
    x = a[0]
    y = b[0]
    out = kernel.sums(x, y)
    out /= x.lengths[:, None] * y.lengths.astype(np.float64)
    out *= -2.0
    own = a[1][:, None] + b[1]
    out += own
    out[out < _ROUNDING * np.abs(own)] = 0.0
    return np.asarray(np.sqrt(out, out=out) if root else out)


@card_form("mmd features")
def feature_tile(a: tuple[Any, ...], b: tuple[Any, ...], root: bool) -> np.ndarray:
    """Discrepancies of two blocks of (mean features, squared norms, what pairs of a vector with itself add)."""
    out = squares(a[0], b[0], a[1], b[1])
    out += a[2][:, None] + b[2]
    np.maximum(out, 0.0, out=out)
    return np.asarray(np.sqrt(out, out=out) if root else out)

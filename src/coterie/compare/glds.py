"""GLDS: sets compared by the mean of all products of their values up to a degree, scaled by how these vary together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from math import comb
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from coterie.compare.role import Comparer
from coterie.core.affinity import Dense, Kind, Tile
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.workplace import fits, steady
from coterie.parts.pairwise import pairwise
from coterie.parts.random_features import feature_means
from coterie.parts.sequences import whole_sets
from coterie.parts.squares import inner, squared_norms, squares
from coterie.parts.workers import in_order

_MOST = 5000  # terms of the expansion
_CELLS = 2**20  # terms of single vectors held at once
_STRIPE = 512  # columns of the second moments that are one piece of work
_CHUNK = 2**14  # vectors summed in one piece of work


class GLDS(Comparer):
    """Generalized linear discriminant sequence kernel: mean monomials of the vectors of a set, in the metric of all vectors.

    With degree 1 it compares means, with 2 covariances too, with 3 skewness too. Values are brought to mean 0 and spread 1 first.
    """

    takes: ClassVar[type] = Ragged
    by_order: ClassVar[bool] = False

    degree: int = param(3, "Most factors of a term.", ge=1)
    measure: str = param(
        "cosine",
        "The kernel over that of both sets with themselves, the kernel as it is, or the distance that belongs to it.",
        choices=("cosine", "kernel", "distance"),
    )
    ridge: float = param(
        1e-3, "Added to the second moments, as a share of their mean.", ge=0, advanced=True
    )

    affinity_: Dense
    members_: Ragged
    expansion_: Expansion
    factor_: np.ndarray
    sides_: tuple[Any, ...]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn scale and second moments of the terms from all vectors, and compare all pairs of sets."""
        members = whole_sets(self.check(X), "GLDS")
        self.members_ = members
        self.expansion_ = Expansion.of(members, int(self.degree))
        self.factor_ = self._factor(moments(self.expansion_, members.values))
        self.sides_ = self._side(members)
        found = pairwise(
            self._tile, self.sides_, kind=self._kind, label="glds", costly=False
        ).values
        if self.measure != "kernel":
            np.fill_diagonal(found, 0.0 if self.measure == "distance" else 1.0)
        self.affinity_ = Dense(found, self._kind)
        return self

    def compare(self, X: Any) -> Dense:
        """New sets against the fitted ones, in the metric of those: queries x members."""
        new = self._side(
            whole_sets(self.check_alike(X), "GLDS", dim=self.members_.dim, new=True), "new member"
        )
        return pairwise(
            self._tile,
            new,
            self.sides_,
            kind=self._kind,
            symmetric=False,
            label="glds",
            costly=False,
        )

    @property
    def _kind(self) -> Kind:
        return "distance" if self.measure == "distance" else "similarity"

    @property
    def _tile(self) -> Tile:
        tiles: dict[str, Tile] = {
            "cosine": cosine_tile,
            "kernel": kernel_tile,
            "distance": distance_tile,
        }
        return tiles[self.measure]

    def _factor(self, second: np.ndarray) -> np.ndarray:
        """The lower factor of the second moments with their ridge, in the place of these."""
        n = len(second)
        second[np.diag_indices(n)] += self.ridge * float(np.trace(second)) / n
        try:
            with steady():
                return np.asarray(cholesky(second, lower=True, overwrite_a=True))
        except np.linalg.LinAlgError:
            raise DataError(
                f"the {n} terms depend on one another (as with fewer vectors than terms), so that ridge must be above "
                f"{self.ridge:g}.",
                owner="GLDS",
            ) from None

    def _side(self, sets: Ragged, who: str = "member") -> tuple[np.ndarray, ...]:
        """Mean terms of the sets where the metric is the usual one, and their squared lengths."""
        means = feature_means(self.expansion_, self.expansion_.count, sets, "glds")
        lost = ~np.isfinite(means).all(axis=1)
        if lost.any():
            raise DataError(
                f"{who} {int(np.argmax(lost))} has values so far from the others that their powers overflow.",
                owner="GLDS",
            )
        with steady():
            flat = np.ascontiguousarray(solve_triangular(self.factor_, means.T, lower=True).T)
        return flat, squared_norms(flat)


@dataclass(frozen=True, eq=False)
class Expansion:
    """All products of at most `degree` values of a vector, the empty one first; each from a shorter one and one value."""

    center: np.ndarray
    scale: np.ndarray
    ends: tuple[int, ...]  # where the terms of every degree end
    parent: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, sets: Ragged, degree: int) -> Expansion:
        """For vectors of these sets, whose mean becomes 0 and whose spread becomes 1."""
        d = sets.dim
        if comb(d + degree, degree) > _MOST:
            fits = len(list(takewhile(lambda k: comb(d + k, k) <= _MOST, range(1, degree))))
            advice = (
                f"the largest degree that fits is {fits}"
                if fits
                else "no degree fits; keep fewer values per vector"
            )
            terms = comb(d + degree, degree)
            raise ParameterError(
                f"degree {degree} of {d} values makes {terms:,} terms, and at most {_MOST:,} are possible; {advice}.",
                owner="GLDS",
            )
        spread = sets.values.std(axis=0)
        parent = [0]
        value = [0]
        ends = [1]
        front = [(0, 0)]
        for _ in range(degree):
            front = [(at, j) for at, least in front for j in range(least, d)]
            parent += [at for at, _ in front]
            value += [j for _, j in front]
            front = [(ends[-1] + k, j) for k, (_, j) in enumerate(front)]
            ends.append(len(parent))
        return cls(
            sets.values.mean(axis=0),
            np.where(spread > 0, spread, 1.0),
            tuple(ends),
            np.array(parent),
            np.array(value),
        )

    @property
    def count(self) -> int:
        """Terms of a vector."""
        return self.ends[-1]

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """The terms of every row: (rows, count)."""
        scaled = (rows - self.center) / self.scale
        out = np.ones((len(rows), self.count))
        with np.errstate(over="ignore", invalid="ignore"):
            for first, last in zip(self.ends[:-1], self.ends[1:], strict=True):
                out[:, first:last] = (
                    out[:, self.parent[first:last]] * scaled[:, self.value[first:last]]
                )
        return out


def moments(expansion: Expansion, rows: np.ndarray) -> np.ndarray:
    """The mean over all vectors of the products of any two terms, (count, count), of which only the lower triangle counts.

    The pieces of work are stripes of it over some of the vectors, and go into the one matrix in a fixed order.
    """
    count = expansion.count
    fits(
        8 * count**2, f"The matrix of second moments of {count:,} terms", "choose a smaller degree"
    )
    total = np.zeros((count, count), order="F")  # as its factor is made, without a copy
    tasks = [
        (left, first) for left in range(0, count, _STRIPE) for first in range(0, len(rows), _CHUNK)
    ]
    work = partial(_products, expansion=expansion, rows=rows)
    for (left, _), part in zip(tasks, in_order(work, tasks, "glds"), strict=True):
        total[left:, left : left + _STRIPE] += part
    total /= len(rows)
    return total


def _products(task: tuple[int, int], expansion: Expansion, rows: np.ndarray) -> np.ndarray:
    """Sums over a chunk of vectors of the products of the terms of a stripe with those from there on."""
    (left, first) = task
    step = max(1, _CELLS // expansion.count)
    out = np.zeros((expansion.count - left, min(_STRIPE, expansion.count - left)))
    last = min(first + _CHUNK, len(rows))
    for low in range(first, last, step):
        terms = expansion(rows[low : min(low + step, last)])
        out += terms[:, left:].T @ terms[:, left : left + _STRIPE]
    return out


def distance_tile(a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> np.ndarray:
    """Distances of two blocks of (rows, squared lengths)."""
    out = squares(a[0], b[0], a[1], b[1])
    return np.asarray(np.sqrt(out, out=out))


def kernel_tile(a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> np.ndarray:
    """Inner products of two blocks of (rows, squared lengths)."""
    return inner(a[0], b[0])


def cosine_tile(a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> np.ndarray:
    """Cosines of two blocks of (rows, squared lengths), which are never zero: the empty product is one."""
    out = inner(a[0], b[0])
    out /= np.sqrt(a[1])[:, None] * np.sqrt(b[1])
    return np.clip(out, -1.0, 1.0, out=out)

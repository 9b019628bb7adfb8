"""Smallest enclosing balls of sets in kernel space, the products of their centers, and their packing into larger balls."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np

from coterie.core.errors import DataError, NotConverged
from coterie.core.ragged import Ragged
from coterie.core.workplace import fits, steady, watched, workplace
from coterie.parts.pairwise import pairwise
from coterie.parts.row_kernels import MOST, RowKernel
from coterie.parts.workers import in_order

_BLOCK = 16  # sets whose balls are one piece of work
_TILE = (64, 256)  # sets in a tile of products of centers
_CELLS = 2**21  # kernel values held at once in a tile
_BURST = 256  # merges between two looks at the watcher
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Softness:
    """How many vectors may lie outside: a share `nu` of each set (0: none), or one bound `C` of every multiplier."""

    nu: float = 0.1
    C: float | None = None

    def bounds(self, sizes: np.ndarray) -> np.ndarray:
        """The largest multiplier of a vector in sets of these sizes: never below 1/n, never above 1.

        >>> Softness(0.1).bounds(np.array([5, 20, 100])).round(3).tolist()
        [1.0, 0.5, 0.1]
        """
        if self.C is not None:
            return np.clip(np.full(len(sizes), float(self.C)), 1.0 / sizes, 1.0)
        return np.clip(1.0 / np.maximum(self.nu * sizes, 1e-300), 1.0 / sizes, 1.0)

    def raised(self, sizes: np.ndarray) -> int:
        """Of how many sets the bound had to be raised, since fewer than 1/C vectors cannot carry a weight of one."""
        return int(np.sum(self.C * sizes < 1.0 - 1e-12)) if self.C is not None else 0


@dataclass(frozen=True, eq=False)
class Balls:
    """The ball of every set: its radius, and its center as weights (above zero, of sum one) of vectors of the set."""

    radii: np.ndarray
    support: Ragged  # the vectors that carry the centers
    weights: Ragged  # their multipliers
    norms: np.ndarray  # <c, c> of every center
    outside: np.ndarray  # vectors of each set that lie outside its ball
    unsettled: np.ndarray  # sets whose multipliers still moved at the last step

    def __len__(self) -> int:
        return len(self.radii)

    def take(self, chosen: np.ndarray) -> Balls:
        """The balls at these positions."""
        centers = (self.support.take(chosen), self.weights.take(chosen), self.norms[chosen])
        return Balls(
            self.radii[chosen],
            *centers,
            self.outside[chosen],
            np.flatnonzero(np.isin(chosen, self.unsettled)),
        )


@dataclass(frozen=True, eq=False)
class Packing:
    """All merges in SciPy's form (heights are radii), and the share of the second ball's center in each new center."""

    merges: np.ndarray
    shares: np.ndarray
    allowed: int  # merges that join no two kinds; the others only complete the tree


def balls_of(
    sets: Ragged,
    kernel: RowKernel,
    softness: Softness,
    owner: str,
    *,
    tol: float = 1e-6,
    max_iter: int = 100_000,
) -> Balls:
    """The smallest ball of every set in the space of the kernel, by its dual: maximize sum a_i k_ii - a'Ka.

    A ball is settled when no exchange of weight between two vectors would gain more than `tol` of half the squared size of
    the set. Sets that are not settled after `max_iter` exchanges are named in a warning.
    """
    bounds = softness.bounds(sets.lengths)
    most = int(sets.lengths.max())
    fits(most * most * 8, f"The kernel matrix of a set of {most} vectors", "use smaller sets")

    def work(first: int) -> list[_Ball]:
        return [
            _ball(sets[i], kernel, float(bounds[i]), tol, max_iter)
            for i in range(first, min(first + _BLOCK, len(sets)))
        ]

    found = [
        ball
        for part in in_order(work, list(range(0, len(sets), _BLOCK)), "enclosing balls")
        for ball in part
    ]
    blank = [i for i, ball in enumerate(found) if not np.isfinite(ball.radius)]
    if blank:
        raise DataError(
            f"the kernel of the vectors of member {blank[0]} is too large for a number; scale the values first.",
            owner=owner,
        )
    unsettled = np.array([i for i, ball in enumerate(found) if not ball.settled], dtype=np.int64)
    if len(unsettled):
        named = ", ".join(map(str, unsettled[:5])) + (
            f" and {len(unsettled) - 5} more" if len(unsettled) > 5 else ""
        )
        warnings.warn(
            f"{owner}: the balls of the sets {named} did not settle in {max_iter} steps; allow more with max_iter.",
            NotConverged,
            stacklevel=3,
        )
    offsets = np.concatenate([[0], np.cumsum([len(ball.rows) for ball in found])])
    at = np.concatenate([sets.offsets[i] + ball.rows for i, ball in enumerate(found)])
    return Balls(
        np.array([ball.radius for ball in found]),
        Ragged(sets.values[at], offsets, ordered=False),
        Ragged(np.concatenate([ball.weights for ball in found])[:, None], offsets, ordered=False),
        np.array([ball.norm for ball in found]),
        np.array([ball.outside for ball in found], dtype=np.int64),
        unsettled,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Ball:
    radius: float
    rows: np.ndarray
    weights: np.ndarray
    norm: float
    outside: int
    settled: bool


def _ball(rows: np.ndarray, kernel: RowKernel, bound: float, tol: float, max_iter: int) -> _Ball:
    n = len(rows)
    if n == 1:
        norm = float(kernel.diagonal(rows)[0])
        return _Ball(
            0.0 if abs(norm) <= MOST else np.nan,
            np.zeros(1, dtype=np.int64),
            np.ones(1),
            norm,
            0,
            True,
        )
    from coterie._kernels.spheres import enclose

    with steady():
        gram = np.ascontiguousarray(kernel.block(rows, rows))
    if not max(gram.max(), -gram.min()) <= MOST:  # NaN too
        return _Ball(np.nan, np.arange(n), np.ones(n), np.nan, 0, True)
    own = np.diagonal(gram)
    size = float(np.max(own - 2.0 * gram[0] + own[0]))
    stop = max(0.5 * tol * size, 64 * _EPS * float(np.abs(own).max()))
    weights = np.empty(n)
    _, gap = enclose(gram, bound, stop, max_iter, weights)
    with steady():
        reach = gram @ weights
    norm = float(weights @ reach)
    away = np.maximum(
        own - 2.0 * reach + norm, 0.0
    )  # squared distances of the vectors from the center
    square = _square_radius(away, weights, float(weights @ own) - norm, bound)
    outside = int(np.sum(away > square + 2.0 * stop))
    kept = np.flatnonzero(weights > 0)
    return _Ball(float(np.sqrt(max(square, 0.0))), kept, weights[kept], norm, outside, gap <= stop)


def _square_radius(away: np.ndarray, weights: np.ndarray, optimum: float, bound: float) -> float:
    """Hard: the optimum of the dual. Soft: the mean over vectors on the ball; without one, midway between in and out."""
    if bound >= 1.0:
        return optimum
    free = (weights > 0) & (weights < bound)
    if free.any():
        return float(away[free].mean())
    inside = away[weights == 0]
    out = away[weights >= bound]
    return float((inside.max() + out.min()) / 2) if len(inside) else float(out.min())


def center_products(balls: Balls, kernel: RowKernel, others: Balls | None = None) -> np.ndarray:
    """Inner products of the centers of balls, with one another or with those of others, from their supports only."""
    tile = partial(_products, kernel=kernel)
    rows = (balls.support, balls.weights)
    cols = None if others is None else (others.support, others.weights)
    single = (
        max(len(b.support.values) / len(b) for b in (balls, others or balls)) == 1
    )  # centers that are vectors
    shape = None if single else _TILE
    return pairwise(
        tile,
        rows,
        cols,
        kind="similarity",
        symmetric=others is None,
        label="ball centers",
        shape=shape,
    ).values


def _products(a: tuple[Ragged, Ragged], b: tuple[Ragged, Ragged], kernel: RowKernel) -> np.ndarray:
    out = np.empty((len(a[0]), len(b[0])))
    starts = b[0].offsets[:-1]
    weights = b[1].values[:, 0]
    height = max(1, _CELLS // max(len(weights), 1))
    first = 0
    with steady():
        while first < len(out):
            last = max(
                first + 1,
                int(np.searchsorted(a[0].offsets, a[0].offsets[first] + height, side="right")) - 1,
            )
            part = a[0][first:last]
            values = kernel.block(part.values, b[0].values)
            values *= weights
            values = np.add.reduceat(values, starts, axis=1)
            values *= a[1][first:last].values
            out[first:last] = np.add.reduceat(values, part.offsets[:-1], axis=0)
            first = last
    return out


def pack(products: np.ndarray, radii: np.ndarray, kinds: np.ndarray | None = None) -> Packing:
    """Merge the two balls with the least common ball until one is left; `kinds` from 0 never meet another kind.

    The ball around two balls at distance d has the radius max(r_i, r_j, (d + r_i + r_j) / 2): the first two where one
    contains the other. Balls that are left because they are of different kinds are joined in the end, no lower than the
    last merge before, so that the tree is whole.
    """
    from coterie._kernels.spheres import look_all, pack_some

    n = len(radii)
    gram = products.copy()
    sizes = np.ones(n)
    alive = np.ones(n, dtype=np.bool_)
    nodes = np.arange(n)
    radii = radii.astype(np.float64)
    kinds = np.full(n, -1) if kinds is None else kinds.astype(np.int64)
    merges = np.empty((n - 1, 4))
    shares = np.empty(n - 1)
    partner = np.empty(n, dtype=np.int64)
    least = np.empty(n)
    state = (gram, radii, kinds, alive, partner, least)
    look_all(*state)
    made = 0
    allowed = -1
    here = workplace()
    with watched(here.watch, "packing", n - 1) as task:
        while made < n - 1:
            goal = min(made + _BURST, n - 1)
            done = pack_some(*state, nodes, sizes, merges, shares, made, goal)
            task.advance(done - made)
            here.stop_if_asked()
            made = done
            if done < goal:
                allowed = done
                kinds[:] = -1
                look_all(*state)
    if n > 1:
        merges[:, 2] = np.maximum.accumulate(
            merges[:, 2]
        )  # they rise anyway, but for rounding and for balls of two kinds
    return Packing(merges, shares, n - 1 if allowed < 0 else allowed)


def center_weights(packing: Packing, n_groups: int) -> np.ndarray:
    """The centers of the packs when so many are left, as weights of the centers of all balls: (balls, packs).

    Packs are numbered by their first ball.
    """
    n = len(packing.merges) + 1
    weights = np.zeros(2 * n - 1)
    root = np.full(2 * n - 1, -1)
    made = n - n_groups
    for node in range(n + made - 1, -1, -1):
        if root[node] < 0:
            root[node] = node
            weights[node] = 1.0
        if node >= n:
            a, b = (int(v) for v in packing.merges[node - n, :2])
            root[a] = root[b] = root[node]
            share = packing.shares[node - n]
            weights[a], weights[b] = weights[node] * (1.0 - share), weights[node] * share
    _, first, code = np.unique(root[:n], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    found = np.zeros((n, len(first)))
    found[np.arange(n), rank[code]] = weights[:n]
    return found

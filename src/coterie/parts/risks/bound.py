"""The bound of two means and two covariances: what a divergence of two sets is at least, whatever their laws are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import MemberError, ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.workplace import fits, steady
from coterie.parts.fdivergences import FDivergence, atoms_of
from coterie.parts.induced import excess
from coterie.parts.pairwise import pairwise
from coterie.parts.risks.role import Risk, alone

_REACH = 32.0  # priors from logit -32 to 32: what is left out is below Delta^2 times 3e-14
# Gauss-Legendre nodes in every stretch of 8 in the logit; one stretch ends at a prior of 1/2
_PANELS = 8
_NODES = 16
_CELLS = 2**19  # numbers held at once; a constant, so that results never depend on the workplace
_SHAPE = (32, 2048)  # sets of a tile: low, so that of a square little more than one half is done
_FLOOR = 1e-6  # share of its variance over all vectors that a value varies by at least inside a set
_ENOUGH = 2  # vectors to spare, per value, from which the covariance inside the sets is believed


@dataclass(frozen=True, eq=False)
class Common:
    """What all members have in common: by what values are divided, and the covariance inside the sets after that."""

    scale: float
    spread: np.ndarray  # (D, D)


@dataclass(frozen=True, eq=False)
class Moments:
    """Means, covariances and roots of their inverses (L^-1 where the covariance is L L'), per set."""

    means: np.ndarray  # (N, D)
    spreads: np.ndarray  # (N, D, D)
    roots: np.ndarray  # (N, D, D)
    sizes: np.ndarray  # vectors per set


@dataclass(frozen=True, eq=False)
class Seen:
    """The moments of the rows, and of the columns where they are other sets."""

    rows: Moments
    cols: Moments | None


class Bound(Risk):
    """What two means and two covariances alone say: a lower bound of the divergence, by the best affine function.

    L_NN(p) <= 2 p (1 - p) / (1 + p (1 - p) Delta^2(p)), Delta^2(p) = d' (p S_P + (1 - p) S_Q)^-1 d, with d the difference
    of the means (García-García 2011, 5.42 and 5.43). It is exactly the least-squares risk of the best affine function.
    A function of one's own without an exact form in the square loss is divided by the most that what it induces there can
    be in shares of it, so that the bound stays one; where that has no end it is refused.
    """

    often: ClassVar[int] = 150

    shrink: float = param(
        0.1, "Share of the covariance inside all sets in that of every set.", ge=0, le=1
    )
    ridge: float = param(
        0.0,
        "Added to every variance, as a share of the mean variance inside the sets.",
        ge=0,
        advanced=True,
    )

    def learned(self, members: Ragged) -> Common:
        """The covariance inside the sets, over all of them; only variances where there are few vectors to spare."""
        sizes = members.lengths
        scale = (
            2.0 ** np.frexp(np.abs(members.values - members.values[0]).max())[1]
        )  # so that no square is too small or large
        values = members.values / scale
        values = values - values.mean(axis=0)
        total = np.square(values).mean(axis=0)
        starts = members.offsets[:-1]
        inside = values - np.repeat(np.add.reduceat(values, starts) / sizes[:, None], sizes, axis=0)
        spare = int(sizes.sum() - len(sizes))
        if spare == 0:
            inside = values
            spare = max(len(values) - 1, 1)
        with steady():
            pooled = inside.T @ inside / spare
        if spare < _ENOUGH * members.dim:
            pooled = np.diag(np.diagonal(pooled))
        return Common(float(scale), pooled + np.diag(_FLOOR * np.where(total > 0, total, 1.0)))

    def look(
        self,
        rows: Ragged,
        cols: Ragged | None = None,
        learned: Any = None,
        *,
        seed: int = 0,
        owner: str = "Divergence",
    ) -> Seen:
        """The moments of every set; no pair is looked at yet."""
        if learned is None:
            learned = self.learned(rows if cols is None else _both(rows, cols))
        first = self._moments(rows, learned, owner)
        return Seen(first, None if cols is None else self._moments(cols, learned, owner))

    def _moments(self, sets: Ragged, common: Common, owner: str) -> Moments:
        sizes = sets.lengths
        pooled = common.spread
        what = f"The covariances of {len(sets)} sets of {sets.dim} values"
        instead = "take fewer values, or risk='nn'"
        fits(3 * 8 * len(sets) * sets.dim**2, what, instead)
        means = np.empty((len(sets), sets.dim))
        spreads = np.empty((len(sets), sets.dim, sets.dim))
        with steady():
            for at, one in enumerate(sets):
                values = one / common.scale
                means[at] = values.mean(axis=0)
                inside = values - means[at]
                spreads[at] = inside.T @ inside / (len(values) - 1) if len(values) > 1 else pooled
        spreads += self.shrink * (pooled - spreads)
        spreads += self.ridge * float(np.diagonal(pooled).mean()) * np.eye(sets.dim)
        return Moments(means, spreads, _roots(spreads, sizes, owner), sizes)

    def check_f(self, f: FDivergence, owner: str) -> None:
        """It must have a finite form in the square loss, and one that is not without an end above it."""
        if f.square is None:
            raise ParameterError(
                f"{f.name} is infinite in the square loss, of which the bound is one; take 'jeffreys'.",
                owner=owner,
            )
        if not f.exact and np.isinf(excess(f)):
            raise ParameterError(
                f"what {f.name} induces in the square loss can be any number of times {f.name} itself, so that there is "
                "no bound; take risk='nn', or a classifier.",
                owner=owner,
            )

    def divergences(self, seen: Seen, f: FDivergence, *, owner: str = "Divergence") -> np.ndarray:
        """The bound on the divergence of every pair."""
        self.check_f(f, owner)
        priors, weights = quadrature(f, owner)
        tile = partial(bound_tile, priors=priors, weights=weights)
        rows = _arrays(seen.rows)
        square = seen.cols is None
        cols = None if seen.cols is None else _arrays(seen.cols)
        symmetric = square and f.symmetric
        found = pairwise(
            tile, rows, cols, kind="distance", symmetric=symmetric, label="bound", shape=_SHAPE
        ).values
        if square:
            np.fill_diagonal(found, 0.0)
        return found

    def curve(self, seen: Seen, i: int, j: int, priors: np.ndarray) -> np.ndarray:
        """The bound on the nearest-neighbor risk of sets i and j at these priors of i."""
        p = np.asarray(priors, dtype=np.float64)
        other = seen.rows if seen.cols is None else seen.cols
        levels, parts = spectra(
            seen.rows.means[[i]], seen.rows.spreads[[i]], other.means[[j]], other.roots[[j]]
        )
        gap = (parts[0, 0] / (np.multiply.outer(p, levels[0, 0]) + (1.0 - p)[..., None])).sum(
            axis=-1
        )
        return np.asarray(2 * p * (1 - p) / (1 + p * (1 - p) * gap))

    def notes(self, seen: Seen, f: FDivergence | None = None) -> list[str]:
        """Sets of one vector, too few vectors to know how values vary together, and an f that is only bounded in two steps."""
        sizes = (seen.rows if seen.cols is None else seen.cols).sizes
        why = "for which the covariance inside the other sets was taken"
        found = alone(seen.rows.sizes, why, seen.cols is not None)
        if sizes.sum() - len(sizes) < _ENOUGH * seen.rows.means.shape[1]:
            found.append(
                "there are too few vectors to know how values vary together inside the sets, so only variances count"
            )
        if f is not None and not f.exact:
            by = (
                ""
                if excess(f) == 1.0
                else f", divided by {excess(f):.3g} so that it stays below {f.name}"
            )
            found.append(
                f"{f.name} has no exact form in the square loss; the bound is that of what f and the square loss induce{by}, and "
                "may be far below"
            )
        return found


def quadrature(f: FDivergence, owner: str) -> tuple[np.ndarray, np.ndarray]:
    """Priors and weights such that the bound of f is the sum of w Delta^2 / (1 + p (1 - p) Delta^2).

    In the logit of the prior the only singularities lie at an imaginary part of pi, however far apart the sets are, so
    that 16 nodes in every stretch of 8 give ten digits; in the prior itself they come as near as 1 / Delta^2.
    """
    points, steps = np.polynomial.legendre.leggauss(_NODES)
    half = _REACH / _PANELS
    logits = ((2 * np.arange(_PANELS) + 1 - _PANELS)[:, None] * half + half * points).ravel()
    p = 1 / (1 + np.exp(-logits))
    q = 1 / (1 + np.exp(logits))
    by = 1.0 if f.exact else excess(f)
    weights = (
        np.tile(steps * half, _PANELS)
        * f.squared(owner)(np.minimum(p, q) if f.symmetric else p)
        * (p * q) ** 3
        / by
    )
    if not np.isfinite(weights).all():
        wrong = float(p[~np.isfinite(weights)][0])
        raise ParameterError(
            f"the weight of {f.name} at a prior of {wrong:.3g} is not a number.", owner=owner
        )
    kept = weights != 0
    p = p[kept]
    weights = weights[kept]
    kinks = tuple((at, mass / by) for at, mass in f.square_kinks)
    at, mass = np.array(atoms_of(f.square_atom, kinks), dtype=np.float64).reshape(-1, 2).T
    return np.concatenate([p, at]), np.concatenate([weights, mass * (at * (1.0 - at)) ** 2])


def bound_tile(
    a: tuple[Any, ...], b: tuple[Any, ...], priors: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The bound of two blocks of (means, covariances, roots)."""
    pairs = max(1, _CELLS // max(a[0].shape[1] ** 2, len(priors)))
    width = min(pairs, max(len(b[0]), 1))
    height = max(1, pairs // width)
    out = np.empty((len(a[0]), len(b[0])))
    with steady():
        for lo in range(0, len(out), height):
            for left in range(0, out.shape[1], width):
                some = slice(lo, lo + height)
                others = slice(left, left + width)
                levels, parts = spectra(a[0][some], a[1][some], b[0][others], b[2][others])
                out[some, others] = _summed(levels, parts, priors, weights)
    return np.maximum(out, 0.0, out=out)


def _summed(
    levels: np.ndarray, parts: np.ndarray, priors: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The sum over the priors of every pair, (rows, columns)."""
    gaps = np.zeros((*levels.shape[:2], len(priors)))
    for k in range(levels.shape[2]):
        gaps += parts[:, :, k, None] / (levels[:, :, k, None] * priors + (1.0 - priors))
    gaps /= 1.0 + priors * (1.0 - priors) * gaps
    return np.asarray(gaps @ weights)


def spectra(
    means: np.ndarray, spreads: np.ndarray, others: np.ndarray, roots: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Levels l and parts c of every pair, (rows, columns, values): Delta^2(p) is the sum of c / (p l + 1 - p)."""
    whitened = roots[None] @ spreads[:, None] @ np.swapaxes(roots, 1, 2)[None]
    levels, axes = np.linalg.eigh((whitened + np.swapaxes(whitened, 2, 3)) / 2)
    gaps = (roots[None] @ (means[:, None] - others[None])[..., None])[..., 0]
    parts = np.square(np.einsum("ijd,ijdk->ijk", gaps, axes))
    return np.maximum(levels, 0.0), parts


def _roots(spreads: np.ndarray, sizes: np.ndarray, owner: str) -> np.ndarray:
    """L^-1 of every covariance; one that has none is named."""
    try:
        factors = np.linalg.cholesky(spreads)
    except np.linalg.LinAlgError:
        wrong = int(np.argmin(np.linalg.eigvalsh(spreads)[:, 0]))
        raise MemberError(
            f"the covariance of {{}} ({sizes[wrong]} vectors) has no inverse; the bound needs "
            "shrink or ridge",
            wrong,
            owner=owner,
        ) from None
    return np.asarray(np.linalg.inv(factors))


def _both(rows: Ragged, cols: Ragged) -> Ragged:
    offsets = np.concatenate([rows.offsets, cols.offsets[1:] + rows.offsets[-1]])
    return Ragged(np.concatenate([rows.values, cols.values]), offsets, ordered=False)


def _arrays(of: Moments) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return of.means, of.spreads, of.roots

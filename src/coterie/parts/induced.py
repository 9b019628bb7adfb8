"""The divergence of two known laws as an integral of what a loss learns, and the f-divergence that f and a loss induce."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.parts.fdivergences import FDivergence, atoms_of, settles
from coterie.parts.fweights import limit_of
from coterie.parts.losses import BLIND, FURTHEST, Loss, form, gained, laws, loss_for

_REACH = 60.0  # log odds, for laws whose ratios are moderate
_SEEN = 9.0  # log odds up to which a weight of one's own is good
# Gauss-Legendre nodes of a panel of one unit of log odds, and of one between two steps
_NODES = 12
_HALF = 6


def kernel(loss: Any, p: np.ndarray, at: np.ndarray) -> np.ndarray:
    """phi(p, at): what information of the loss at the prior `at` weighs at p, in information of the 0-1 loss (smooth losses).

    The prior at which the loss is taken comes second (García-García 2011, equation 5.36, mixes the two).
    """
    loss = loss_for(loss, "kernel")
    at, size = loss.shifted(at)
    mix = p + at - 2.0 * p * at
    if loss.name == "log":
        return np.asarray(size * at * (1.0 - at) / (p * (1.0 - p) * mix))
    return np.asarray(size * loss.curve(at * (1.0 - p) / mix) * (at * (1.0 - at)) ** 2 / mix**3)


class _Smoothed:
    """The weight of f seen through a smooth loss."""

    def __init__(self, f: FDivergence, loss: Loss) -> None:
        self.f = f
        self.loss = loss

    def __call__(self, p: np.ndarray) -> np.ndarray:
        p = np.asarray(p, dtype=np.float64)
        flat = p.reshape(-1, 1)
        total = _integral(
            lambda at, rest: kernel(self.loss, flat, at) * self.f.weight(at), right=BLIND
        )
        for prior, mass in atoms_of(self.f.atom, self.f.kinks):
            total = total + mass * kernel(self.loss, flat, np.array([prior]))[:, 0]
        return np.asarray(total.reshape(p.shape))


class _Moved:
    """The weight of f seen through a loss that only counts errors: costs move the prior, and nothing is smoothed."""

    def __init__(self, f: FDivergence, loss: Loss) -> None:
        self.f = f
        self.loss = loss

    def __call__(self, p: np.ndarray) -> np.ndarray:
        of_p, of_q = self.loss.costs
        at = of_q * p / (of_q * p + of_p * (1.0 - p))
        size = of_p * at + of_q * (1.0 - at)
        return np.asarray(self.loss.kink / 2.0 * self.f.weight(at) * size**3 / (of_p * of_q))


def induced(f: FDivergence, loss: Any, owner: str = "induced") -> FDivergence:
    """The f-divergence that the integral of the loss's information with the weight of f is, with weight and generator."""
    loss = loss_for(loss, owner)
    name = f"{f.name} x {loss.name}"
    if not loss.order:
        moved = [
            (loss.shifted(prior), mass * loss.kink / 2.0)
            for prior, mass in atoms_of(f.atom, f.kinks)
        ]
        kinks = tuple((float(at), float(mass * size)) for (at, size), mass in moved)
        return FDivergence.of_weight(_Moved(f, loss), name, kinks=kinks, owner=owner)
    if not settles(f.weight, loss.order):
        raise ParameterError(
            f"{f.name} with the {loss.name} loss is infinite for any two laws that differ.",
            owner=owner,
        )
    return FDivergence.of_weight(_Smoothed(f, loss), name, owner=owner)


@lru_cache(maxsize=16)
def excess(f: FDivergence) -> float:
    """How many times what f and the square loss induce can be f itself; 1 where it is never above, infinite without an end.

    The atom at 1/2 is left out: there the square loss learns half of what the 0-1 loss learns at most. The weight of the
    rest is smoothed, and the most that it then is in shares of what it was is looked for over the prior.
    """
    rest = replace(f, atom=0.0)
    odds = np.linspace(-_SEEN, _SEEN, 73)
    p = 1.0 / (1.0 + np.exp(-odds))
    with np.errstate(all="ignore"):
        plain = np.asarray(rest.weight(p))
        smooth = _Smoothed(rest, loss_for("square", "excess"))(p)
        shares = np.where(smooth > 0, smooth / plain, 0.0)
    if not np.isfinite(shares).all():
        return float("inf")
    ends = [
        side for side in (shares[[16, 8, 0]], shares[[-17, -9, -1]]) if side[2] > side[1]
    ]  # log odds of 5, 7 and 9
    return max(1.0, float(shares.max()), *(limit_of(side) for side in ends))


def divergence_of(p: Any, q: Any, f: FDivergence, loss: Any = None) -> float:
    """The divergence of two discrete laws: E_q f(p/q), or the integral of the loss's information with the weights of `form`."""
    p, q = laws(p, q)
    if loss is None:
        return _defined(p, q, f)
    loss = loss_for(loss, "divergence_of")
    how = form(f, loss, "divergence_of")
    if np.isinf(f.most) and how.exact and np.isinf(_defined(p, q, f)):
        return float("inf")
    both = (p > 0) & (q > 0)
    ratios = np.log(q[both] / p[both])
    tilt = np.log(loss.costs[0] / loss.costs[1])
    breaks = np.append(ratios, 0.0) - tilt if loss.kink else np.empty(0)
    reach = float(min(max(_REACH, np.abs(ratios).max(initial=0.0) + 40.0), FURTHEST))
    total = _integral(
        lambda at, rest: gained(loss, at, rest, p, q) * how.at(at, rest),
        breaks,
        reach,
        min(reach, how.sees),
    )
    half = sum(
        mass * gained(loss, np.array([at]), np.array([1.0 - at]), p, q)[0] for at, mass in how.atoms
    )
    return float(total + half)


def _defined(p: np.ndarray, q: np.ndarray, f: FDivergence) -> float:
    shared = q > 0
    lost = float(p[~shared].sum())
    with np.errstate(all="ignore"):
        total = float((q[shared] * f.generator(p[shared] / q[shared])).sum())
        far = np.array([1e8, 1e10, 1e12])
        return total + lost * limit_of(f.generator(far) / far) if lost else total


def _integral(
    value: Callable[[np.ndarray, np.ndarray], np.ndarray],
    breaks: np.ndarray | None = None,
    left: float = _REACH,
    right: float = _REACH,
) -> Any:
    """The integral over the prior, in panels of log odds that end at the breaks; both tails by the rate they fall with."""
    steps = breaks is not None and len(breaks) > 0
    edges = np.arange(-np.ceil(left), np.ceil(right) + 0.5)
    if breaks is not None and steps:
        edges = np.unique(np.append(edges, breaks[(breaks > edges[0]) & (breaks < edges[-1])]))
    x, w = np.polynomial.legendre.leggauss(_HALF if steps else _NODES)
    half = np.diff(edges)[:, None] / 2.0
    ends = [edges[0], edges[0] + 1.0, edges[-1] - 1.0, edges[-1]]
    odds = np.concatenate([(edges[:-1, None] + half * (x + 1.0)).ravel(), ends])
    at = 1.0 / (1.0 + np.exp(-odds))
    rest = 1.0 / (1.0 + np.exp(odds))
    values = value(at, rest) * at * rest
    total = values[..., :-4] @ (half * w).ravel()
    for end, before in ((-4, -3), (-1, -2)):
        with np.errstate(all="ignore"):
            tail = values[..., end] / np.log(values[..., before] / values[..., end])
        total = total + np.where(np.isfinite(tail) & (tail > 0), tail, 0.0)
    return total

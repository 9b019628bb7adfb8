"""Losses of classifiers, what they learn of two laws, and how an f-divergence is read off the information of a loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.parts.fdivergences import (
    CATALOGUE,
    FDivergence,
    atoms_of,
    eigenvalue,
    settles,
)
from coterie.parts.fweights import Function, Kinks

FURTHEST = 220.0  # log odds up to which integrals over the prior are taken
BLIND = 24.0  # log odds where a weight that is only known by p has few digits of 1 - p left


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss by its least risk L(eta) where a point is of P with chance eta, and by its two branches for a forecast v.

    `curve` is -L'' and `kink` its mass at eta = 1/2 besides. Costs scale the branches: that of points of P, that of Q.
    Information falls like prior^`order` at the ends (0: it is zero there already), which decides what is finite.
    """

    name: str
    least: Function
    curve: Function
    kink: float = 0.0
    one: Function | None = None  # the loss of a forecast v, where the point is of P
    zero: Function | None = None
    order: int = 2
    costs: tuple[float, float] = (1.0, 1.0)

    def costing(self, of_p: float, of_q: float) -> Loss:
        """The same loss where errors on points of P cost `of_p` and those on points of Q cost `of_q`."""
        if not (np.isfinite([of_p, of_q]).all() and of_p > 0 and of_q > 0):
            raise ParameterError(
                f"{self.name}: costs must be two numbers above 0, and were {of_p!r} and {of_q!r}."
            )
        return replace(self, costs=(float(of_p), float(of_q)))

    def shifted(self, eta: Any) -> tuple[np.ndarray, np.ndarray]:
        """The best forecast where the chance is eta, which costs move away from eta; and the mean cost there."""
        eta = np.asarray(eta, dtype=np.float64)
        size = self.costs[0] * eta + self.costs[1] * (1.0 - eta)
        return self.costs[0] * eta / size, size

    def risk(self, eta: Any) -> np.ndarray:
        """The least expected loss where a point is of P with chance eta."""
        at, size = self.shifted(eta)
        return np.asarray(size * self.least(at))

    @property
    def symmetric(self) -> bool:
        """Whether it treats the two laws alike."""
        return self.name in LOSSES and self.costs[0] == self.costs[1]

    @property
    def turned(self) -> Loss:
        """The same loss with the two laws exchanged."""
        swapped = replace(self, costs=self.costs[::-1])
        if self.name in LOSSES:
            return swapped
        one, zero = (None if side is None else _Mirror(side) for side in (self.zero, self.one))
        return replace(
            swapped, least=_Mirror(self.least), curve=_Mirror(self.curve), one=one, zero=zero
        )

    def losses(self, forecast: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The loss of forecasts on points of P, and that on points of Q."""
        if self.one is None or self.zero is None:
            raise ParameterError(f"{self.name}: this loss has no branches to judge forecasts by.")
        return self.costs[0] * self.one(forecast), self.costs[1] * self.zero(forecast)


class _Mirror:
    """A function of a chance, as one of the other chance."""

    def __init__(self, of: Function) -> None:
        self.of = of

    def __call__(self, chance: np.ndarray) -> np.ndarray:
        return self.of(1.0 - chance)


def _smaller(eta: np.ndarray) -> np.ndarray:
    return np.minimum(eta, 1.0 - eta)


def _entropy(eta: np.ndarray) -> np.ndarray:
    from scipy.special import entr

    return np.asarray(entr(eta) + entr(1.0 - eta))


def _none(eta: np.ndarray) -> np.ndarray:
    return np.zeros_like(eta)


def _spread(eta: np.ndarray) -> np.ndarray:
    return eta * (1.0 - eta)


def _two(eta: np.ndarray) -> np.ndarray:
    return np.full_like(eta, 2.0)


def _steep(eta: np.ndarray) -> np.ndarray:
    return 1.0 / (eta * (1.0 - eta))


def _short(v: np.ndarray) -> np.ndarray:
    return (1.0 - v) ** 2


def _over(v: np.ndarray) -> np.ndarray:
    return v**2


def _unlikely(v: np.ndarray) -> np.ndarray:
    return -np.log(v)


def _likely(v: np.ndarray) -> np.ndarray:
    return -np.log1p(-v)


def _twice_smaller(eta: np.ndarray) -> np.ndarray:
    return 2.0 * _smaller(eta)


def _twice_missed(v: np.ndarray) -> np.ndarray:
    return 2.0 * _missed(v)


def _twice_taken(v: np.ndarray) -> np.ndarray:
    return 2.0 * _taken(v)


def _missed(v: np.ndarray) -> np.ndarray:
    return (v < 0.5) + 0.5 * (v == 0.5)


def _taken(v: np.ndarray) -> np.ndarray:
    return (v > 0.5) + 0.5 * (v == 0.5)


LOSSES: dict[str, Loss] = {
    one.name: one
    for one in (
        Loss("zero-one", _smaller, _none, 2.0, _missed, _taken, order=0),
        Loss("square", _spread, _two, 0.0, _short, _over),
        Loss("log", _entropy, _steep, 0.0, _unlikely, _likely, order=1),
        Loss("hinge", _twice_smaller, _none, 4.0, _twice_missed, _twice_taken, order=0),
    )
}


def loss_for(loss: Any, owner: str) -> Loss:
    """The loss of that name; a Loss stays."""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str) and loss in LOSSES:
        return LOSSES[loss]
    raise ParameterError(
        f"loss must be {' | '.join(LOSSES)} or a Loss, and was {loss!r}.", owner=owner
    )


@dataclass(frozen=True, eq=False)
class Form:
    """By what the information of a loss is weighed at every prior, and whether the sum is the divergence itself."""

    weight: Function
    atoms: Kinks
    exact: bool
    symmetric: bool = False
    order: float | None = None

    def at(self, prior: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """The weight where 1 - prior is known better than the difference tells."""
        if self.order is not None:
            scale = self.weight(np.array([0.5]))[0] / 8.0
            return np.asarray(scale * prior ** (-1.0 - self.order) * rest ** (self.order - 2.0))
        return self.weight(np.minimum(prior, rest) if self.symmetric else prior)

    @property
    def sees(self) -> float:
        """How far in log odds the weight is good on the side of 1."""
        return FURTHEST if self.symmetric or self.order is not None else BLIND


def _scaled(weight: Function, by: float) -> Function:
    return weight if by == 1.0 else lambda p: by * weight(p)


def form(f: FDivergence, loss: Any, owner: str = "form") -> Form:
    """How the divergence is read off the information of that loss: itself where it can be, else the induced one.

    Refused in one sentence where the integral is infinite for any two laws that differ.
    """
    loss = loss_for(loss, owner)
    atoms = atoms_of(f.atom, f.kinks)
    plain = loss.costs == (1.0, 1.0)
    if plain and loss.name in ("zero-one", "hinge"):
        by = 2.0 / loss.kink
        return Form(
            _scaled(f.weight, by), tuple((p, by * m) for p, m in atoms), True, f.symmetric, f.order
        )
    if plain and loss.name == "square" and f.square is not None:
        return Form(
            f.square, atoms_of(f.square_atom, f.square_kinks), f.exact, f.symmetric, f.order
        )
    if plain and loss.name == "log" and f is CATALOGUE["js"]:
        return Form(_none, ((0.5, 1.0),), True, True)
    if plain and loss.name == "log" and f.order is not None and 0.0 < f.order < 1.0:
        return Form(
            _scaled(f.weight, 1.0 / (eigenvalue(f.order, "log") or 1.0)),
            (),
            True,
            f.symmetric,
            f.order,
        )
    if loss.order and not settles(f.weight, loss.order):
        raise ParameterError(
            f"{f.name} with the {loss.name} loss is infinite for any two laws that differ; "
            f"take {'hellinger or js, or the square loss' if loss.name == 'log' else 'kl, jeffreys or hellinger'}.",
            owner=owner,
        )
    return Form(f.weight, atoms, not loss.order and plain, f.symmetric, f.order)


def standing(f: FDivergence, loss: Any) -> str:
    """ "exact", "induced" (another divergence, that of f and the loss) or "infinite"."""
    try:
        return "exact" if form(f, loss).exact else "induced"
    except ParameterError:
        return "infinite"


def information(loss: Any, prior: Any, p: Any, q: Any) -> np.ndarray:
    """L(prior) less the risk given the point: what the loss gains from two discrete laws, or densities times cell widths."""
    loss = loss_for(loss, "information")
    p, q = laws(p, q)
    at = np.asarray(prior, dtype=np.float64)
    if not ((at > 0) & (at < 1)).all():
        raise ParameterError("information: the prior must lie between 0 and 1.")
    return np.asarray(gained(loss, at.ravel(), 1.0 - at.ravel(), p, q).reshape(at.shape))


def laws(p: Any, q: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two discrete laws over the same outcomes, checked."""
    p = np.asarray(p, dtype=np.float64)
    q = np.asarray(q, dtype=np.float64)
    if p.ndim != 1 or p.shape != q.shape:
        raise DataError("Two laws must be two rows of probabilities over the same outcomes.")
    for name, law in (("first", p), ("second", q)):
        if not np.isfinite(law).all() or (law < 0).any() or abs(law.sum() - 1.0) > 1e-6:
            raise DataError(
                f"The {name} law must be probabilities from 0 that add up to 1, and adds up to {law.sum():.6g}."
            )
    some = (p > 0) | (q > 0)
    return p[some], q[some]


def gained(
    loss: Loss, prior: np.ndarray, rest: np.ndarray, p: np.ndarray, q: np.ndarray
) -> np.ndarray:
    """The information of the loss at every prior (and its rest to 1) of two laws that were checked."""
    of_p, of_q = loss.costs
    size = of_p * prior + of_q * rest
    ways: dict[str, Callable[..., np.ndarray]] = {
        "zero-one": _counted,
        "hinge": _counted,
        "square": _squared,
        "log": _told,
    }
    gain = ways.get(loss.name)
    out = np.empty(len(prior))
    for first in range(0, len(prior), 256):
        part = slice(first, first + 256)
        x = (of_p * prior / size)[part, None]
        y = (of_q * rest / size)[part, None]
        if gain is not None:
            out[part] = gain(x, y, p, q) * (loss.kink / 2.0 if loss.kink else 1.0)
        else:
            mixed = x * p + y * q
            out[part] = loss.least(x[:, 0]) - (mixed * loss.least(x * p / mixed)).sum(axis=1)
    return np.asarray(out * size)


def _counted(x: np.ndarray, y: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    ahead = np.where(
        x <= y, x * p - y * q, y * q - x * p
    )  # sums of what is positive: nothing cancels
    return np.asarray(np.maximum(ahead, 0.0).sum(axis=1))


def _squared(x: np.ndarray, y: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.asarray((((p - q) ** 2 / (x * p + y * q)).sum(axis=1)) * (x * y)[:, 0] ** 2)


def _told(x: np.ndarray, y: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        of_p = np.where(p > 0, p * np.log1p(y * (q / p - 1.0)), 0.0)
        of_q = np.where(q > 0, q * np.log1p(x * (p / q - 1.0)), 0.0)
    return np.asarray(-(x * of_p + y * of_q).sum(axis=1))

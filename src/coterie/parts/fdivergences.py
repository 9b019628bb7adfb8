"""f-divergences as weighted sums of what a classifier can learn: generators, weights over the prior, and square-loss forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie.core.errors import ParameterError
from coterie.parts.fweights import (
    Function,
    GeneratorOf,
    Kinks,
    Ratios,
    WeightOf,
    extremes,
    kinks_of,
)

_ALIKE = 1e-5  # share to which a weight must agree with a known one


@dataclass(frozen=True, eq=False)
class FDivergence:
    """I_f(P, Q) = E_Q f(dP/dQ), and the same as an integral over the prior p of P of the information of a classifier.

    With the 0-1 loss the information at p counts by `weight(p)` and, at p = 1/2, by `atom` besides. With the square loss,
    which nearest neighbors estimate, it counts by `square(p)` and `square_atom`; where `exact` is False that sum is the
    divergence induced by f and the square loss, which is another one and can be larger or smaller. A function of one's
    own can have atoms at other priors: `kinks` and `square_kinks`, as (prior, mass). Its square-loss form is exact where
    it is a power divergence or a sum of those in the catalogue, times any numbers (`recognized`).
    """

    name: str
    generator: Function
    weight: Function
    atom: float = 0.0
    square: Function | None = None  # None: no finite square-loss form
    square_atom: float = 0.0
    exact: bool = False
    symmetric: bool = False
    most: float = np.inf  # value of laws that do not overlap
    kinks: Kinks = ()
    square_kinks: Kinks = ()
    order: float | None = (
        None  # a, where the weight is that of a power divergence, p^(-1-a) (1-p)^(a-2), times a number
    )

    @classmethod
    def of_generator(
        cls,
        f: Callable[[Any], Any],
        name: str = "own",
        derivative2: Function | None = None,
        owner: str = "FDivergence",
    ) -> FDivergence:
        """From a convex function of the density ratio; f(1) is subtracted, and its kinks become atoms.

        The second derivative is taken numerically (to about eight places for ratios between 1e-3 and 1e3) unless given.
        """
        if not callable(f):
            raise ParameterError(
                f"f must be a function of the density ratio, and was {f!r}.", owner=owner
            )
        generator = Ratios(f, owner)
        found = kinks_of(generator)
        weight = WeightOf(generator, found, derivative2)
        atoms = tuple((1.0 / (1.0 + place), jump * (1.0 + place)) for place, jump in found)
        return cls._own(name, generator, weight, atoms, extremes(generator))

    @classmethod
    def of_weight(
        cls,
        gamma: Function,
        name: str = "own",
        atom: float = 0.0,
        kinks: Kinks = (),
        owner: str = "FDivergence",
    ) -> FDivergence:
        """From a weight over the prior of P, with an atom at 1/2 and others at `kinks`; f(1) = f'(1) = 0."""
        if not callable(gamma):
            raise ParameterError(
                f"a weight must be a function of the prior, and was {gamma!r}.", owner=owner
            )
        grid = np.linspace(0.001, 0.999, 999)
        values = np.broadcast_to(np.asarray(gamma(grid)), grid.shape)
        if values.dtype.kind not in "fiu" or not np.isfinite(values).all() or (values < 0).any():
            raise ParameterError(
                "a weight must be a finite number from 0 at every prior between 0 and 1.",
                owner=owner,
            )
        atoms = (
            *((p, m) for p, m in kinks if p != 0.5),
            (0.5, float(atom) + sum(m for p, m in kinks if p == 0.5)),
        )
        if any(not (0.0 < p < 1.0 and m >= 0.0) for p, m in atoms):
            raise ParameterError(
                "an atom must be a prior between 0 and 1 with a mass from 0.", owner=owner
            )
        generator = GeneratorOf(gamma, atoms)
        return cls._own(name, generator, gamma, atoms, extremes(generator))

    @classmethod
    def _own(
        cls, name: str, generator: Function, weight: Function, atoms: Kinks, most: float
    ) -> FDivergence:
        atom = sum(mass for prior, mass in atoms if prior == 0.5)
        kinks = tuple((prior, mass) for prior, mass in atoms if prior != 0.5)
        tried = np.array([1e-2, 0.1, 0.3, 0.45])
        ahead = np.asarray(weight(tried))
        behind = np.asarray(weight(1.0 - tried))
        mirrored = tuple(sorted((1.0 - prior, mass) for prior, mass in kinks))
        same = np.allclose(ahead, behind, rtol=1e-6) and np.allclose(
            sorted(kinks), mirrored, rtol=1e-6
        )
        known = recognized(weight) if not kinks and not atom else None
        if known is not None:
            square = known.square
            return cls(
                name,
                generator,
                weight,
                0.0,
                square,
                known.atom,
                square is not None,
                same,
                most,
                order=known.order,
            )
        whole = weight if settles(weight, 2) else None
        return cls(
            name,
            generator,
            weight,
            atom,
            whole,
            atom,
            symmetric=same,
            most=most,
            kinks=kinks,
            square_kinks=kinks,
        )

    def squared(self, owner: str) -> Function:
        """`square`, or one sentence where there is none."""
        if self.square is None:
            raise ParameterError(f"{self.name} has no finite form in the square loss.", owner=owner)
        return self.square


def log_odds_rule(
    weight: Function, nodes: int, margin: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Priors p even in log odds from margin to 1 - margin, 1 - p, and their masses by the trapezoid rule."""
    reach = np.log((1.0 - margin) / margin)
    odds = np.linspace(-reach, reach, nodes)
    p = 1.0 / (1.0 + np.exp(-odds))
    q = 1.0 / (1.0 + np.exp(odds))
    steps = np.full(nodes, odds[1] - odds[0])
    steps[[0, -1]] /= 2.0
    return p, q, steps * p * q * weight(p)


def atoms_of(atom: float, kinks: Kinks) -> Kinks:
    """The atom at 1/2, where there is one, and the others."""
    return ((0.5, atom), *kinks) if atom else kinks


def settles(weight: Function, order: int) -> bool:
    """Whether the integral of information that falls like prior^order at both ends is finite with that weight."""
    near = np.array([1e-3, 1.0 - 1e-3])
    far = np.array([1e-4, 1.0 - 1e-4])
    size = (near * (1.0 - near)) ** (order + 1) * weight(near)
    then = (far * (1.0 - far)) ** (order + 1) * weight(far)
    return bool(((then < 0.9 * size) | (then < 1e-9)).all())


def _none(p: np.ndarray) -> np.ndarray:
    return np.zeros_like(np.asarray(p, dtype=np.float64))


def _kl(t: np.ndarray) -> np.ndarray:
    from scipy.special import xlogy

    return np.asarray(xlogy(t, t))


def _kl_weight(p: np.ndarray) -> np.ndarray:
    return 1.0 / (p**2 * (1.0 - p))


def _reverse(t: np.ndarray) -> np.ndarray:
    return -np.log(t)


def _reverse_weight(p: np.ndarray) -> np.ndarray:
    return 1.0 / (p * (1.0 - p) ** 2)


def _jeffreys(t: np.ndarray) -> np.ndarray:
    return (t - 1.0) * np.log(t)


def _jeffreys_weight(p: np.ndarray) -> np.ndarray:
    return 1.0 / (p * (1.0 - p)) ** 2


def _js(t: np.ndarray) -> np.ndarray:
    from scipy.special import xlogy

    return np.asarray(xlogy(t, t) / 2 - xlogy(t + 1.0, t + 1.0) / 2 + np.log(2.0))


def _js_weight(p: np.ndarray) -> np.ndarray:
    return 0.5 / (p * (1.0 - p))


def _js_square(p: np.ndarray) -> np.ndarray:
    return 0.5 / (np.minimum(p, 1.0 - p) * np.maximum(p, 1.0 - p) ** 2)


def _hellinger(t: np.ndarray) -> np.ndarray:
    return (np.sqrt(t) - 1.0) ** 2


def _hellinger_weight(p: np.ndarray) -> np.ndarray:
    return 0.5 * (p * (1.0 - p)) ** -1.5


def _hellinger_square(p: np.ndarray) -> np.ndarray:
    return 4.0 / np.pi * _hellinger_weight(p)


def _variational(t: np.ndarray) -> np.ndarray:
    return np.abs(t - 1.0)


def _triangular(t: np.ndarray) -> np.ndarray:
    return (t - 1.0) ** 2 / (t + 1.0)


def _triangular_weight(p: np.ndarray) -> np.ndarray:
    return np.full_like(np.asarray(p, dtype=np.float64), 8.0)


def _chi2(t: np.ndarray) -> np.ndarray:
    return (t - 1.0) ** 2


def _chi2_weight(p: np.ndarray) -> np.ndarray:
    return 2.0 / p**3


class _PowerWeight:
    def __init__(self, a: float, scale: float = 1.0) -> None:
        self.a = a
        self.scale = scale

    def __call__(self, p: np.ndarray) -> np.ndarray:
        return np.asarray(self.scale * p ** (-1.0 - self.a) * (1.0 - p) ** (self.a - 2.0))


class _Power:
    """(t^a - a t - (1 - a)) / (a (a - 1)), whose second derivative is t^(a-2)."""

    def __init__(self, a: float) -> None:
        self.a = a

    def __call__(self, t: np.ndarray) -> np.ndarray:
        from scipy.special import xlogy

        a = self.a
        t = np.asarray(t, dtype=np.float64)
        with np.errstate(all="ignore"):
            if a in (0.0, 1.0):
                return np.asarray(xlogy(t, t) - t + 1.0 if a else t - 1.0 - np.log(t))
            if a < 0.5:
                value = (np.expm1(a * np.log(t)) - a * (t - 1.0)) / (a * (a - 1.0))
            else:
                value = (t * np.expm1((a - 1.0) * np.log(t)) - (a - 1.0) * (t - 1.0)) / (
                    a * (a - 1.0)
                )
        return np.asarray(np.where(t == 0.0, 1.0 / a if a > 0.0 else np.inf, value))


def power(a: float) -> FDivergence:
    """The power divergence of order a: 1 is KL, 0 reverse KL, 1/2 twice Hellinger, 2 half of chi2.

    Every order is an eigenfunction of the square loss, with the value pi a (1-a) / sin(pi a); finite for -1 < a < 2.
    """
    a = float(a)
    if not np.isfinite(a):
        raise ParameterError(f"power: the order must be a finite number, and was {a!r}.")
    found = eigenvalue(a)
    square = None if found is None else _PowerWeight(a, 1.0 / found)
    most = 1.0 / (a * (1.0 - a)) if 0.0 < a < 1.0 else np.inf
    whole = _PowerWeight(a)
    return FDivergence(
        f"power:{a:g}",
        _Power(a),
        whole,
        square=square,
        exact=found is not None,
        symmetric=a == 0.5,
        most=most,
        order=a,
    )


def eigenvalue(a: float, loss: str = "square") -> float | None:
    """By what the information of a loss multiplies the power divergence of order a; None where it is infinite."""
    if loss == "log":
        return float(np.pi / np.sin(np.pi * a)) if 0.0 < a < 1.0 else None
    if not -1.0 < a < 2.0:
        return None
    return 1.0 if a in (0.0, 1.0) else float(np.pi * a * (1.0 - a) / np.sin(np.pi * a))


CATALOGUE: dict[str, FDivergence] = {
    one.name: one
    for one in (
        FDivergence("kl", _kl, _kl_weight, square=_kl_weight, exact=True, order=1.0),
        FDivergence(
            "reverse-kl", _reverse, _reverse_weight, square=_reverse_weight, exact=True, order=0.0
        ),
        FDivergence(
            "jeffreys",
            _jeffreys,
            _jeffreys_weight,
            square=_jeffreys_weight,
            exact=True,
            symmetric=True,
        ),
        FDivergence(
            "js",
            _js,
            _js_weight,
            square=_js_square,
            exact=True,
            symmetric=True,
            most=float(np.log(2.0)),
        ),
        FDivergence(
            "hellinger",
            _hellinger,
            _hellinger_weight,
            square=_hellinger_square,
            exact=True,
            symmetric=True,
            most=2.0,
            order=0.5,
        ),
        FDivergence(
            "variational",
            _variational,
            _none,
            atom=4.0,
            square=_none,
            square_atom=4.0,
            symmetric=True,
            most=2.0,
        ),
        FDivergence(
            "triangular",
            _triangular,
            _triangular_weight,
            square=_none,
            square_atom=8.0,
            exact=True,
            symmetric=True,
            most=2.0,
        ),
        FDivergence("chi2", _chi2, _chi2_weight, order=2.0),
    )
}


def fdivergence(f: Any, owner: str) -> FDivergence:
    """The divergence of that name ("power:0.3" too), or that of a convex function of one's own; an FDivergence stays."""
    if isinstance(f, FDivergence):
        return f
    if isinstance(f, str) and f in CATALOGUE:
        return CATALOGUE[f]
    if isinstance(f, str) and f.startswith("power:"):
        try:
            return power(float(f.removeprefix("power:")))
        except ValueError:
            raise ParameterError(
                f"a power divergence is written power:0.5, and f was {f!r}.", owner=owner
            ) from None
    if callable(f):
        return FDivergence.of_generator(f, owner=owner)
    raise ParameterError(
        f"f must be {' | '.join(CATALOGUE)} | power:A or a convex function, and was {f!r}.",
        owner=owner,
    )


class Known(NamedTuple):
    """The square-loss form of a weight that was recognized, and the order where it is that of one power divergence."""

    square: Function | None  # None: infinite in the square loss
    atom: float = 0.0
    order: float | None = None


class _Sum:
    """A sum of weights, each times a number."""

    def __init__(self, parts: tuple[tuple[float, Function], ...]) -> None:
        self.parts = parts

    def __call__(self, p: np.ndarray) -> np.ndarray:
        return np.asarray(sum((by * weight(p) for by, weight in self.parts), np.zeros(np.shape(p))))


def recognized(weight: Function) -> Known | None:
    """The exact square-loss form of a smooth weight: that of a power divergence, or a sum of those in the catalogue.

    Ratios of densities from 1e-3 to 1e3 are looked at, and the weight must agree there to a share of 1e-5.
    """
    from scipy.optimize import nnls

    t = np.geomspace(1e-3, 1e3, 25)
    p = 1.0 / (1.0 + t)
    with np.errstate(all="ignore"):
        given = np.broadcast_to(np.asarray(weight(p), dtype=np.float64), p.shape)
    if not (np.isfinite(given) & (given > 0)).all():
        return None
    bent = np.log(given * p**3)
    slope, height = np.polyfit(np.log(t), bent, 1)
    if np.abs(height + slope * np.log(t) - bent).max() < _ALIKE:
        a = float(slope) + 2.0
        a = round(a, 3) if abs(a - round(a, 3)) < _ALIKE else a
        form = power(a).square
        by = float(np.exp(height))
        return Known(None if form is None else _Sum(((by, form),)), order=a)
    known = [one for one in CATALOGUE.values() if one.exact]
    shares = np.stack([one.weight(p) / given for one in known], axis=1)
    counts = nnls(shares, np.ones(len(p)))[0]
    if np.abs(shares @ counts - 1.0).max() > _ALIKE:
        return None
    chosen = [
        (float(by), one)
        for by, one in zip(counts, known, strict=True)
        if by > _ALIKE * counts.max()
    ]
    square = _Sum(tuple((by, one.square) for by, one in chosen if one.square is not None))
    return Known(square, sum(by * one.square_atom for by, one in chosen))

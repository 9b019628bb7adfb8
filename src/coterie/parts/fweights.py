"""From a convex function to its weight over the prior and back, numerically: second derivatives, kinks, double integrals."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError

Function = Callable[[np.ndarray], np.ndarray]
Kinks = tuple[tuple[float, float], ...]
_REACH = 1e4  # ratios of densities at which a function of one's own is looked at: from 1 / _REACH to _REACH
_GRID = 801
_STEP = 0.04  # of the stencil, as a share of t
_HALVINGS = 15  # down to a kink; what does not shrink with the interval is one
_EDGE = 1e-13  # p is not told from 1 beyond it


class Ratios:
    """A person's f of the density ratio t, taken on whole arrays, with f(1) subtracted; one sentence where it is not convex."""

    def __init__(self, f: Callable[[Any], Any], owner: str) -> None:
        self.f = f
        self.whole = _takes_arrays(f)
        self.shift = 0.0
        t = np.geomspace(1.0 / _REACH, _REACH, _GRID)
        values = self._checked(t, owner)
        self.shift = float(values[_GRID // 2])
        bend = _bend(t[:-2], values[:-2], t[1:-1], values[1:-1], t[2:], values[2:])
        room = (
            1e-12
            * (np.abs(values[:-2]) + 2.0 * np.abs(values[1:-1]) + np.abs(values[2:]))
            / (t[2:] - t[:-2])
            * 4.0
        )
        if (bend < -room).any():
            at = t[1:-1][int(np.argmin(bend + room))]
            raise ParameterError(f"f must be convex, and bends down at t = {at:.4g}.", owner=owner)
        if not (bend > room).any():
            raise ParameterError(
                "f is a straight line, whose divergence is 0 for all laws.", owner=owner
            )

    def __call__(self, t: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return (
                np.asarray(self._raw(np.asarray(t, dtype=np.float64)), dtype=np.float64)
                - self.shift
            )

    def _raw(self, t: np.ndarray) -> Any:
        if self.whole:
            return self.f(t)
        return np.array([self.f(float(one)) for one in t.ravel()]).reshape(t.shape)

    def _checked(self, t: np.ndarray, owner: str) -> np.ndarray:
        try:
            with np.errstate(all="ignore"):
                values = np.asarray(self._raw(t))
        except (TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise ParameterError(
                f"f cannot be computed for ratios t from 1e-4 to 1e4: {error}.", owner=owner
            ) from error
        if values.dtype.kind not in "fiub" or values.shape != t.shape:
            raise ParameterError("f must give one real number for every t above 0.", owner=owner)
        if not np.isfinite(values).all():
            at = t[int(np.argmin(np.isfinite(values)))]
            raise ParameterError(
                f"f must be finite for ratios t from 1e-4 to 1e4, and is not at t = {at:.4g}.",
                owner=owner,
            )
        return values.astype(np.float64)


def _takes_arrays(f: Callable[[Any], Any]) -> bool:
    probe = np.array([0.5, 1.0, 2.0])
    try:
        with np.errstate(all="ignore"):
            return np.shape(f(probe)) == probe.shape
    except (
        Exception
    ):  # whatever it says, it is asked again number by number, and then refused in words
        return False


def _bend(a: Any, fa: Any, m: Any, fm: Any, b: Any, fb: Any) -> Any:
    """How much steeper the chord after m is than the one before."""
    return (fb - fm) / (b - m) - (fm - fa) / (m - a)


def kinks_of(f: Function) -> Kinks:
    """Where the slope of f jumps, as (t, jump): what a bend is still worth after its interval was halved many times."""
    t = np.geomspace(1.0 / _REACH, _REACH, _GRID)
    a = t[:-2].copy()
    b = t[2:].copy()
    whole = _bend(a, f(a), t[1:-1], f(t[1:-1]), b, f(b))
    for _ in range(_HALVINGS):
        width = (b - a) / 4.0
        places = a[:, None] + width[:, None] * np.arange(5)
        values = f(places)
        bends = np.stack([_bend(*_trio(places, values, at)) for at in (0, 1, 2)], axis=1)
        best = np.argmax(bends, axis=1)
        a, b = a + best * width, a + (best + 2) * width
    left = bends[np.arange(len(a)), best]
    size = np.abs(f(a)) / a + np.abs(f(np.ones(1)))[0] + 1e-300
    found = (left > 0.1 * whole) & (left > 1e-7 * size) & (left > 0)
    return _measured(f, np.sort((a + b)[found] / 2.0))


def _trio(places: np.ndarray, values: np.ndarray, at: int) -> list[np.ndarray]:
    return [column for k in range(at, at + 3) for column in (places[:, k], values[:, k])]


def _measured(f: Function, spots: np.ndarray) -> Kinks:
    """Each kink once, its place where the two sides meet and its jump from slopes of either side."""
    found: list[tuple[float, float]] = []
    for spot in spots:
        if found and spot < found[-1][0] * (1.0 + 1e-4):
            continue
        for _ in range(3):  # the place moves by less than a thousandth of the step each time
            left, below = _side(f, spot, -1.0)
            right, above = _side(f, spot, 1.0)
            jump = right - left
            spot = spot + (below - above) / jump if jump > 0 else spot
        spot = 1.0 if abs(spot - 1.0) < 1e-7 else float(spot)
        if jump > 1e-8:
            found.append((spot, float(jump)))
    return tuple(found)


def _side(f: Function, spot: float, sign: float) -> tuple[float, float]:
    """Slope and value at `spot`, carried over from one side."""
    places = np.arange(1, 8) * sign
    powers = np.vander(places, 7, increasing=True)
    step = 0.004 * spot
    line = np.linalg.solve(powers, f(spot + step * places))
    return float(line[1]) / step, float(line[0])


@lru_cache(maxsize=1)
def _stencils() -> np.ndarray:
    """Weights of the second derivative on nine equal steps, one row for each number of steps to the left."""
    rows = []
    for before in range(9):
        places = np.arange(9.0) - before
        target = np.zeros(9)
        target[2] = 2.0
        rows.append(np.linalg.solve(np.vander(places, 9, increasing=True).T, target))
    return np.array(rows)


def second_derivative(f: Function, t: np.ndarray, kinks: Kinks = ()) -> np.ndarray:
    """f''(t) by nine points whose steps grow with t and that never reach across a kink; zero where it is below rounding."""
    flat = np.asarray(t, dtype=np.float64).ravel()
    ends = np.array([0.0, *(place for place, _ in kinks), np.inf])
    at = np.clip(np.searchsorted(ends, flat, side="right") - 1, 0, len(ends) - 2)
    low = ends[at]
    high = ends[at + 1]
    step = np.minimum(_STEP * flat, np.where(np.isinf(high), np.inf, (high - low) / 8.5))
    left = np.minimum(4, np.floor((flat - low) / step))
    right = np.minimum(8, np.where(np.isinf(high), 8.0, np.floor((high - flat) / step)))
    before = np.clip(np.maximum(left, 8.0 - right), 0, 8).astype(np.int64)
    places = flat[:, None] + step[:, None] * (np.arange(9.0) - before[:, None])
    values = f(np.maximum(places, 1e-300))
    by = _stencils()[before]
    bent = np.einsum("ij,ij->i", values - values[:, [4]], by) / step**2
    noise = 1e-15 * np.einsum("ij,ij->i", np.abs(values), np.abs(by)) / step**2
    return np.where(bent > noise, bent, 0.0).reshape(np.shape(t))


class WeightOf:
    """The weight p^-3 f''((1-p)/p) of a function, without its kinks."""

    def __init__(self, f: Function, kinks: Kinks, derivative2: Function | None = None) -> None:
        self.f = f
        self.kinks = kinks
        self.derivative2 = derivative2

    def __call__(self, p: np.ndarray) -> np.ndarray:
        p = np.asarray(p, dtype=np.float64)
        t = (1.0 - p) / p
        bent = (
            second_derivative(self.f, t, self.kinks)
            if self.derivative2 is None
            else np.asarray(self.derivative2(t))
        )
        return np.asarray(bent / p**3)


class GeneratorOf:
    """The convex function of a weight: f(t) = integral from 1 to t of (t - s) f''(s), so that f(1) = f'(1) = 0."""

    def __init__(self, weight: Function, atoms: Kinks) -> None:
        self.weight = weight
        self.atoms = atoms
        self.nodes, self.masses = _panels(48, 16)

    def __call__(self, t: np.ndarray) -> np.ndarray:
        t = np.asarray(t, dtype=np.float64)
        flat = np.maximum(t.ravel(), _EDGE)
        log = np.log(flat)[:, None]
        s = np.exp(log * self.nodes)
        p = np.minimum(1.0 / (1.0 + s), 1.0 - _EDGE)
        total = (log * s * (flat[:, None] - s) * p**3 * self.weight(p)) @ self.masses
        for prior, mass in self.atoms:
            place = (1.0 - prior) / prior
            jump = mass * prior
            side = np.sign(place - 1.0)
            total += jump * (
                np.maximum(side * (flat - place), 0.0) if side else np.abs(flat - 1.0) / 2.0
            )
        return np.asarray(total.reshape(t.shape))


def _panels(count: int, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and masses on equal panels of [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(order)
    starts = np.arange(count)[:, None]
    return ((starts + (x + 1.0) / 2.0) / count).ravel(), np.tile(w / (2.0 * count), count)


def limit_of(values: np.ndarray) -> float:
    """Where three values at ratios a hundredfold apart are going; infinity where they do not settle."""
    first = values[1] - values[0]
    second = values[2] - values[1]
    if not np.isfinite(values).all():
        return float("inf")
    if abs(second) <= 1e-9 * (1.0 + abs(values[2])):
        return float(values[2])
    if abs(second) < 0.9 * abs(first):
        return float(values[2] + second * second / (first - second))
    return float("inf")


def extremes(f: Function) -> float:
    """f(0) and the slope at infinity together: the divergence of laws that do not overlap."""
    tiny = np.array([1e-8, 1e-10, 1e-12])
    return limit_of(f(tiny)) + limit_of(f(1.0 / tiny) * tiny)

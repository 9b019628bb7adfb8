"""Classical change points: a cost of a stretch of steps (mean, spread, kernel, ...) and a search, by the library ruptures.

The exact search for the squared distance to the mean ("l2") is our own and needs no library. Every step may be a boundary.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError, need
from coterie.parts.segments import FLOOR, segments

COSTS = ("l1", "l2", "mahalanobis", "normal", "rank", "rbf", "cosine", "linear", "ar")
SEARCHES = ("best", "dynamic", "pelt", "binary", "window", "bottom-up")
_OWN = 20_000  # steps up to which our exact search is taken by "best"
_KERNEL = (
    3_000  # steps up to which the exact search of a kernel is taken by "best": all pairs are held
)
_EXACT = 400  # steps up to which any other exact search is
_MOST = 30  # segments looked at when their number is to be found
_ORDER = 4  # of the autoregression
_PENALTIES = 12


@dataclass(frozen=True, eq=False)
class Found:
    """The boundaries from 0 to the number of steps, and the criterion per number of segments, lower is better."""

    boundaries: np.ndarray
    curve: dict[int, float]


def change_points(values: np.ndarray, cost: str, search: str, k: int | None, width: int) -> Found:
    """Cut one sequence by a classical cost into k segments, or into as many as the criterion says."""
    n, d = values.shape
    if np.isnan(values).any():
        raise DataError(
            f"cost='{cost}' takes no missing values; fill them, or use cost='spectral'.",
            owner="Segmentation",
        )
    if cost == "cosine" and not np.linalg.norm(values, axis=1).all():
        step = int(np.argmin(np.linalg.norm(values, axis=1)))
        raise DataError(
            f"cost='cosine' reads directions, and step {step} has none: all its values are 0.",
            owner="Segmentation",
        )
    if cost == "ar" and d > 1:
        raise ParameterError(
            f"cost='ar' takes one value per step, and there are {d}.", owner="Segmentation"
        )
    if cost == "linear" and d < 2:
        raise ParameterError(
            "cost='linear' takes the value to explain and one or more that explain it.",
            owner="Segmentation",
        )
    if search == "pelt" and k is not None:
        raise ParameterError(
            "search='pelt' finds the number of segments; leave n_segments None, or use 'dynamic'.",
            owner="Segmentation",
        )
    longest = max(1, n // _smallest(cost, d))
    if k is not None and k > longest:
        raise ParameterError(
            f"n_segments must be from 1 to {longest} with cost='{cost}', and was {k}.",
            owner="Segmentation",
        )
    if n < 2 * _smallest(cost, d) or bool((values == values[0]).all()):
        even = np.linspace(0, n, (k or 1) + 1).round().astype(np.int64)
        return Found(even, {k or 1: 0.0})
    most = min(longest, max(_MOST, k or 1))
    way = _way(cost, search, n)
    if cost == "l2" and way == "dynamic":
        return _own(values, most, k)
    return _by_library(values, cost, way, k, most, width)


def _own(values: np.ndarray, most: int, k: int | None) -> Found:
    """The exact cut by squared distances to the mean, for every number of segments at once."""
    n, d = values.shape
    found = segments(values, most)
    scores = {
        at + 1: criterion("l2", float(value), at + 1, n, d) for at, value in enumerate(found.costs)
    }
    return Found(found.boundaries(k or min(scores, key=lambda at: (scores[at], at))), scores)


def _by_library(
    values: np.ndarray, cost: str, way: str, k: int | None, most: int, width: int
) -> Found:
    n, d = values.shape
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        algorithm = _algorithm(cost, way, d, width).fit(values)
        if way == "pelt":
            whole = abs(float(np.squeeze(algorithm.cost.sum_of_costs([n])))) + n
            cuts = [algorithm.predict(pen=whole * 0.5**at) for at in range(1, _PENALTIES + 1)]
        else:
            cuts = [
                algorithm.predict(n_bkps=count - 1) if count > 1 else [n]
                for count in ([k] if k else range(1, most + 1))
            ]
        dims = effective(values, algorithm) if cost in ("rbf", "cosine") else d
        scored = {}
        for ends in [[n], *cuts]:
            value = float(np.squeeze(algorithm.cost.sum_of_costs([int(end) for end in ends])))
            scored[len(ends)] = (
                criterion(cost, value, len(ends), n, dims),
                [0, *(int(end) for end in ends)],
            )
    chosen = k if k in scored else min(scored, key=lambda at: (scored[at][0], at))
    return Found(np.array(scored[chosen][1]), {at: scored[at][0] for at in sorted(scored)})


def criterion(cost: str, value: float, k: int, n: int, d: float) -> float:
    """The Bayesian information criterion of k segments of n steps whose costs sum up to `value`, lower is better.

    Costs that are log-likelihoods (normal, rank) are taken as they are; scatters are those of errors of unknown size. A
    boundary counts as two free numbers, since it is looked for among all steps. For kernels d is `effective`.
    """
    free = {"normal": d + d * (d + 1) / 2, "ar": _ORDER + 1}.get(cost, d)
    penalty = k * (free + 2) * np.log(n)
    if cost in ("normal", "rank"):
        return float(value + penalty)
    cells = n if cost in ("linear", "ar") else n * d
    scatter = max(value + (n if cost == "cosine" else 0.0), FLOOR)
    return float((2.0 if cost == "l1" else 1.0) * cells * np.log(scatter / cells) + penalty)


def effective(values: np.ndarray, algorithm: Any) -> float:
    """How many values per step a kernel sees: (trace of the centered kernel)^2 over its sum of squares, from 1."""
    if algorithm.cost.model == "rbf":
        kernel = np.array(algorithm.cost.gram)
        np.fill_diagonal(kernel, 1.0)
    else:
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        unit = values / np.where(lengths > 0, lengths, 1.0)
        kernel = unit @ unit.T
    kernel -= kernel.mean(axis=0)
    kernel -= kernel.mean(axis=1, keepdims=True)
    return max(1.0, float(np.trace(kernel)) ** 2 / max(float(np.square(kernel).sum()), FLOOR))


def _way(cost: str, search: str, n: int) -> str:
    if search != "best":
        return search
    limit = _OWN if cost == "l2" else _KERNEL if cost in ("rbf", "cosine") else _EXACT
    return "dynamic" if n <= limit else "bottom-up"


def _smallest(cost: str, d: int) -> int:
    """Steps that a segment needs for this cost."""
    return {
        "l2": 1,
        "rbf": 2,
        "cosine": 2,
        "normal": d + 2,
        "ar": 2 * _ORDER + 2,
        "linear": d + 1,
    }.get(cost, 2)


def _algorithm(cost: str, way: str, d: int, width: int) -> Any:
    library = need("ruptures", extra="series")
    if cost in ("rbf", "cosine", "l2") and way in ("dynamic", "pelt"):
        return library.KernelCPD(
            kernel="linear" if cost == "l2" else cost, min_size=_smallest(cost, d), jump=1
        )
    options: dict[str, Any] = {"model": cost, "min_size": _smallest(cost, d), "jump": 1}
    if cost == "ar":
        options["params"] = {"order": _ORDER}
    if way == "window":
        return library.Window(width=2 * max(width, _smallest(cost, d)), **options)
    return {
        "dynamic": library.Dynp,
        "pelt": library.Pelt,
        "binary": library.Binseg,
        "bottom-up": library.BottomUp,
    }[way](**options)

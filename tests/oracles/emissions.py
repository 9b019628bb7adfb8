"""What states emit as it is defined, frame by frame: densities from scipy, every path by name, and one round of training."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from scipy import stats

Density = Callable[[int, np.ndarray], float]


def normal(x: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> float:
    """The log-density of what is there of a frame; 0 for a frame of which nothing is."""
    there = ~np.isnan(x)
    if not there.any():
        return 0.0
    return float(
        stats.multivariate_normal.logpdf(x[there], mean[there], covariance[np.ix_(there, there)])
    )


def mixture(
    x: np.ndarray, weights: np.ndarray, means: np.ndarray, covariances: np.ndarray
) -> float:
    """The log-density under several Gaussians with weights."""
    parts = [
        np.log(w) + normal(x, mean, spread)
        for w, mean, spread in zip(weights, means, covariances)
        if w > 0
    ]
    return float(np.logaddexp.reduce(parts))


def symbols(x: np.ndarray, probabilities: np.ndarray) -> float:
    """The log-probability of one symbol."""
    return 0.0 if np.isnan(x[0]) else float(np.log(probabilities[int(x[0])]))


def counts(x: np.ndarray, rates: np.ndarray) -> float:
    """The log-probability of counts."""
    return float(
        sum(
            stats.poisson.logpmf(value, rate)
            for value, rate in zip(x, rates)
            if not np.isnan(value)
        )
    )


def paths(
    start: np.ndarray, transition: np.ndarray, density: Density, sequence: np.ndarray
) -> dict[tuple[int, ...], float]:
    """The log-likelihood of every path of possible steps."""
    table = np.array([[density(k, x) for k in range(len(start))] for x in sequence])
    found = {}
    for path in itertools.product(range(len(start)), repeat=len(sequence)):
        steps = [start[path[0]], *(transition[a, b] for a, b in itertools.pairwise(path))]
        if all(step > 0 for step in steps):
            found[path] = float(np.log(steps).sum() + table[np.arange(len(path)), list(path)].sum())
    return found


def total(
    start: np.ndarray, transition: np.ndarray, density: Density, sequence: np.ndarray
) -> float:
    """The log-likelihood over all paths."""
    return float(np.logaddexp.reduce(list(paths(start, transition, density, sequence).values())))


def shares(
    start: np.ndarray, transition: np.ndarray, density: Density, sequence: np.ndarray
) -> np.ndarray:
    """How likely each state is at each frame, (T, K), over every path by name."""
    found = paths(start, transition, density, sequence)
    norm = np.logaddexp.reduce(list(found.values()))
    out = np.zeros((len(sequence), len(start)))
    for path, value in found.items():
        out[np.arange(len(path)), list(path)] += np.exp(value - norm)
    return out


def complete(
    x: np.ndarray, mean: np.ndarray, covariance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What is expected of a frame given what is there, and the covariance that is left."""
    there = ~np.isnan(x)
    rest = np.zeros_like(covariance)
    away = ~there
    inverse = np.linalg.inv(covariance[np.ix_(there, there)])
    link = covariance[np.ix_(away, there)] @ inverse
    full = x.copy()
    full[away] = mean[away] + link @ (x[there] - mean[there])
    rest[np.ix_(away, away)] = (
        covariance[np.ix_(away, away)] - link @ covariance[np.ix_(there, away)]
    )
    return full, rest


def gaussian_round(
    frames: np.ndarray,
    weights: np.ndarray,
    mean: np.ndarray,
    covariance: np.ndarray,
    diagonal: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The next mean and covariance of one state from frames with weights; what is missing is expected from the rest.

    Diagonal: the values that are there, each for itself.
    """
    if diagonal:
        there = ~np.isnan(frames)
        w = np.where(there, weights[:, None], 0.0)
        x = np.where(there, frames, 0.0)
        center = (w * x).sum(axis=0) / w.sum(axis=0)
        return center, np.diag((w * (x - center) ** 2).sum(axis=0) / w.sum(axis=0))
    rows = [t for t in range(len(frames)) if not np.isnan(frames[t]).all()]
    filled = {t: complete(frames[t], mean, covariance) for t in rows}
    size = sum(weights[t] for t in rows)
    center = sum(weights[t] * filled[t][0] for t in rows) / size
    gaps = {t: filled[t][0] - center for t in rows}
    return center, sum(
        weights[t] * (np.outer(gaps[t], gaps[t]) + filled[t][1]) for t in rows
    ) / size


FAMILIES = (
    "diagonal",
    "spherical",
    "full",
    "tied",
    "mixture",
    "mixture-full",
    "categorical",
    "two alphabets",
    "counts",
)


def covariances(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Drawn covariances (..., d, d), none near singular."""
    roots = rng.normal(size=(*shape, shape[-1]))
    return roots @ np.swapaxes(roots, -1, -2) / shape[-1] + 0.3 * np.eye(shape[-1])


def drawn_laws(family: str, n_models: int, n_states: int, d: int, seed: int = 0):
    """Laws of a family with drawn numbers: d values, or alphabets of 5 and 3 symbols."""
    from coterie.parts.emissions import Normal
    from coterie.parts.mixtures import Mixture
    from coterie.parts.symbols import Categorical, Counts

    rng = np.random.default_rng(seed)
    shape = (n_models, n_states, d)
    if family in ("diagonal", "spherical"):
        spreads = (
            rng.random(shape) + 0.3
            if family == "diagonal"
            else np.repeat(rng.random((*shape[:2], 1)) + 0.3, d, axis=2)
        )
        return Normal(rng.normal(size=shape) * 2, spreads, family)
    if family in ("full", "tied"):
        whole = covariances(rng, *shape)
        return Normal(
            rng.normal(size=shape) * 2,
            whole if family == "full" else np.repeat(whole[:, :1], n_states, axis=1),
            family,
        )
    if family.startswith("mixture"):
        wide = (n_models, n_states, 3, d)
        weights = rng.dirichlet(np.full(3, 3.0), (n_models, n_states))
        if family == "mixture":
            return Mixture(weights, rng.normal(size=wide) * 2, rng.random(wide) + 0.3)
        return Mixture(weights, rng.normal(size=wide) * 2, covariances(rng, *wide), "full")
    if family == "counts":
        return Counts(rng.gamma(2.0, 2.0, shape) + 0.1)
    sizes = (5,) if family == "categorical" else (5, 3)
    parts = [rng.dirichlet(np.ones(size), (n_models, n_states)) for size in sizes]
    return Categorical(np.concatenate(parts, axis=2), sizes)


def density_of(laws, m: int) -> Density:
    """The log-density of a frame in a state of model m, by the definitions above."""
    if laws.name == "gaussian":
        spreads = laws.spreads if laws.square else laws.spreads[..., None] * np.eye(laws.dim)
        return lambda k, x: normal(x, laws.means[m, k], spreads[m, k])
    if laws.name == "mixture":
        spreads = (
            laws.spreads if laws.spreads.ndim == 5 else laws.spreads[..., None] * np.eye(laws.dim)
        )
        return lambda k, x: mixture(x, laws.weights[m, k], laws.means[m, k], spreads[m, k])
    if laws.name == "counts":
        return lambda k, x: counts(x, laws.rates[m, k])
    parts = laws.columns()
    return lambda k, x: sum(
        symbols(x[j : j + 1], laws.probabilities[m, k, part]) for j, part in enumerate(parts)
    )


def no_floors(d: int):
    """Floors that are never reached, and no pseudo-counts."""
    from coterie.parts.emissions import Floors

    return Floors(np.full(d, 1e-12), np.ones(d), pseudo=0.0)


def bank_of(family: str, n_models: int, n_states: int, d: int = 3, seed: int = 0):
    """Models of a family with drawn numbers."""
    from coterie.parts.hmm import Bank

    rng = np.random.default_rng(seed + 1)
    start = rng.dirichlet(np.ones(n_states), n_models)
    transition = rng.dirichlet(np.ones(n_states), (n_models, n_states))
    return Bank(start, transition, drawn_laws(family, n_models, n_states, d, seed))


def seen(
    bank, lengths: list[int], missing: float = 0.0, seed: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of frames drawn from the states of model 0; a share of the values missing."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = bank.emissions.drawn(0, rng.integers(bank.n_states, size=offsets[-1]), rng)
    values[rng.random(values.shape) < missing] = np.nan
    return values, offsets


def maximized(
    family: str, laws, m: int, frames: np.ndarray, shares: np.ndarray
) -> dict[str, np.ndarray]:
    """One round of training of model m by the formulas."""
    there = ~np.isnan(frames)
    k_all = range(laws.n_states)
    if family == "counts":
        filled = np.where(there, frames, 0.0)
        return {"rates": np.stack([shares[:, k] @ filled / (shares[:, k] @ there) for k in k_all])}
    if family in ("categorical", "two alphabets"):
        parts = []
        for j, size in enumerate(laws.sizes):
            count = np.stack(
                [[shares[frames[:, j] == v, k].sum() for v in range(size)] for k in k_all]
            )
            parts.append(count / count.sum(axis=1, keepdims=True))
        return {"probabilities": np.concatenate(parts, axis=1)}
    diagonal = laws.spreads.shape[-1] != laws.spreads.shape[-2] or family in (
        "diagonal",
        "spherical",
        "mixture",
    )
    if family.startswith("mixture"):
        parts = [
            [component(laws, m, k, c, frames, shares[:, k], diagonal) for c in range(3)]
            for k in k_all
        ]
        weights = np.array([[part[2] for part in row] for row in parts])
        means = np.array([[part[0] for part in row] for row in parts])
        spreads = np.array([[p[1] for p in row] for row in parts])
        if diagonal:
            spreads = np.diagonal(spreads, axis1=2, axis2=3)
        return {
            "weights": weights / weights.sum(axis=1, keepdims=True),
            "means": means,
            "spreads": spreads,
        }
    laws_k = [laws.spreads[m, k] if laws.square else np.diag(laws.spreads[m, k]) for k in k_all]
    found = [
        gaussian_round(frames, shares[:, k], laws.means[m, k], laws_k[k], diagonal) for k in k_all
    ]
    means = np.array([one for one, _ in found])
    spreads = np.array([two for _, two in found])
    some = shares[there.any(axis=1)].sum(axis=0)
    if family == "tied":
        spreads[:] = (some[:, None, None] * spreads).sum(axis=0) / some.sum()
    if diagonal:
        spreads = np.diagonal(spreads, axis1=1, axis2=2).copy()
    if family == "spherical":
        size = shares.T @ there
        spreads[:] = ((spreads * size).sum(axis=1) / size.sum(axis=1))[:, None]
    return {"means": means, "spreads": spreads}


def component(laws, m: int, k: int, c: int, frames: np.ndarray, share: np.ndarray, diagonal: bool):
    """The next mean, covariance and size of one component."""
    whole = np.diag(laws.spreads[m, k, c]) if diagonal else laws.spreads[m, k, c]
    density = density_of(laws, m)
    part = [
        np.log(laws.weights[m, k, c]) + normal(x, laws.means[m, k, c], whole) - density(k, x)
        for x in frames
    ]
    weights = share * np.exp(part)
    return (*gaussian_round(frames, weights, laws.means[m, k, c], whole, diagonal), weights.sum())

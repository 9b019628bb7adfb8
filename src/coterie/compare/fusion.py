"""Several affinities of the same members into one: by mean, product, ranks, or similarity network fusion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from coterie.compare.network import network_fusion
from coterie.core.affinity import Affinity, Dense, Graph, Kind, Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.parts.pairwise import dense, median_distance, reduce_bands, similarity

How = Literal["mean", "product", "rank", "network"]


def fuse(
    affinities: Sequence[Affinity],
    weights: Sequence[float] | None = None,
    *,
    how: How = "mean",
    neighbors: int = 20,
) -> Affinity:
    """One affinity out of several of the same members.

    - "mean": weighted mean. Distances are divided by their median first; of mixed kinds all become similarities.
    - "product": weighted geometric mean of similarities (distances become Gaussian similarities first).
    - "rank": weighted mean of each member's neighbour ranks, from 0 (nearest) to 1; a distance, free of all scales.
    - "network": similarity network fusion; `neighbors` is the size of a neighbourhood there.

    Mean and product of affinities that compute when asked compute when asked; ranks and networks are dense.

    >>> a = Affinity.of([[1.0, 0.2], [0.2, 1.0]], kind="similarity")
    >>> b = Affinity.of([[1.0, 0.6], [0.6, 1.0]], kind="similarity")
    >>> fuse([a, b], how="mean").block(slice(0, 1), slice(0, 2)).round(3).tolist()
    [[1.0, 0.4]]
    """
    shares = _shares(affinities, weights)
    _check(affinities, how)
    if how == "rank":
        return _by_rank(affinities, shares)
    if how == "network":
        return network_fusion(affinities, shares, neighbors)
    if how == "product":
        alike = [similarity(a) for a in affinities]
        return _combined(alike, shares, np.ones(len(alike)), "product", "similarity")
    if len({a.kind for a in affinities}) == 2:
        affinities = [similarity(a) for a in affinities]
    kind = affinities[0].kind
    scales = [1.0 if kind == "similarity" else _scale(a, at) for at, a in enumerate(affinities)]
    return _combined(affinities, shares, 1.0 / np.array(scales), "mean", kind)


def _combined(
    affinities: Sequence[Affinity], shares: np.ndarray, factors: np.ndarray, how: str, kind: Kind
) -> Affinity:
    tile = _Combination(tuple(affinities), shares, factors, how)
    n, m = affinities[0].shape
    lazy = Lazy(tile, np.arange(n), np.arange(m), kind, all(a.symmetric for a in affinities))
    return dense(lazy, label="fuse") if all(isinstance(a, Dense) for a in affinities) else lazy


class _Combination:
    """The tile of a mean or product of affinities, over positions of rows and columns."""

    stored_fields: ClassVar[tuple[str, ...]] = ("affinities", "shares", "factors", "how")

    def __init__(
        self, affinities: tuple[Affinity, ...], shares: np.ndarray, factors: np.ndarray, how: str
    ) -> None:
        self.affinities = affinities
        self.shares = shares
        self.factors = factors
        self.how = how

    def __call__(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        total = np.zeros((len(rows), len(cols)))
        for affinity, share, factor in zip(self.affinities, self.shares, self.factors, strict=True):
            if share == 0:
                continue
            values = _values(affinity, rows, cols)
            if self.how == "mean":
                total += share * factor * values
                continue
            if values.size and values.min() < 0:
                raise DataError(
                    "a product needs similarities from 0, and one is below; use how='mean' or 'rank'.",
                    owner="fuse",
                )
            with np.errstate(divide="ignore"):
                total += share * np.log(values)
        return total if self.how == "mean" else np.exp(total)


def _values(affinity: Affinity, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """The values at these positions; the smallest block around them, and then the positions within it."""
    if not len(rows) or not len(cols):
        return np.zeros((len(rows), len(cols)))
    top = int(rows.min())
    left = int(cols.min())
    block = affinity.block(slice(top, int(rows.max()) + 1), slice(left, int(cols.max()) + 1))
    if block.shape == (len(rows), len(cols)):
        return block
    return block[np.ix_(rows - top, cols - left)]


def _by_rank(affinities: Sequence[Affinity], shares: np.ndarray) -> Dense:
    n, m = affinities[0].shape
    total = np.zeros((n, m))
    for affinity, share in zip(affinities, shares, strict=True):
        for rows, ranks in reduce_bands(_ranks, affinity, label="rank"):
            total[rows] += share * ranks
    square = n == m
    return Dense((total + total.T) / 2 if square else total, "distance", square)


def _ranks(values: np.ndarray, rows: slice, affinity: Affinity) -> tuple[np.ndarray]:
    """Ranks within each row as shares, ties at their mean; a member is always nearest to itself."""
    from scipy.stats import rankdata

    far = values if affinity.kind == "distance" else -values
    if affinity.square:
        own = np.arange(rows.start, rows.stop)
        far[own - rows.start, own] = -np.inf
    ranks = rankdata(far, axis=1) - 1.0
    return (ranks / max(affinity.shape[1] - 1, 1),)


def _scale(affinity: Affinity, at: int) -> float:
    scale = median_distance(affinity)
    if not scale > 0:
        raise DataError(
            f"affinity {at} has no positive median distance to scale it by; use how='rank'.",
            owner="fuse",
        )
    return scale


def _shares(affinities: Sequence[Affinity], weights: Sequence[float] | None) -> np.ndarray:
    if not len(affinities):
        raise ParameterError("give at least one affinity.", owner="fuse")
    given = np.ones(len(affinities)) if weights is None else np.asarray(weights, dtype=np.float64)
    if (
        given.shape != (len(affinities),)
        or not np.isfinite(given).all()
        or given.min() < 0
        or given.sum() <= 0
    ):
        must = f"{len(affinities)} numbers from 0, not all 0"
        raise ParameterError(f"weights must be {must}, and were {weights!r}.", owner="fuse")
    return given / given.sum()


def _check(affinities: Sequence[Affinity], how: str) -> None:
    if how not in ("mean", "product", "rank", "network"):
        raise ParameterError(
            f"how must be mean | product | rank | network, and was {how!r}.", owner="fuse"
        )
    for at, affinity in enumerate(affinities):
        if not isinstance(affinity, Affinity):
            raise DataError(
                f"item {at} is a {type(affinity).__name__} and not an Affinity; "
                "say what it is with Affinity.of(array, kind=...).",
                owner="fuse",
            )
        if affinity.shape != affinities[0].shape:
            (n, m) = affinities[0].shape
            (rows, cols) = affinity.shape
            raise DataError(
                f"affinity {at} is {rows} x {cols}, and the first is {n} x {m}.", owner="fuse"
            )
        if isinstance(affinity, Graph) and affinity.kind == "distance":
            raise DataError(
                f"affinity {at} is a graph of distances that knows neighbours only; "
                "fuse the full affinities and take the graph after.",
                owner="fuse",
            )

"""Spectra of an affinity at several kernel widths, and the number of groups with the largest eigengap among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie.core.affinity import Affinity, Dense, Graph
from coterie.core.errors import DataError
from coterie.parts.budget import at_once, fits
from coterie.parts.pairwise import tile_bytes
from coterie.parts.scales import (
    Kernel,
    even,
    member_weights,
    typical_distance,
    undirected,
    width_grid,
)
from coterie.parts.spectra import Spectrum, spectrum
from coterie.parts.workers import in_order

_ALONE = (
    1500  # members from which kernels of different widths are tried one after the other, for memory
)

Found = list[tuple[Kernel | None, Spectrum]]


def spectra_of(
    affinity: Affinity, pairs: int, scale: float | str, change: Callable[[Any], Any] | None = None
) -> Found:
    """One spectrum of so many eigenpairs per kernel width to be tried; a single one for similarities.

    `scale` is a width, "local" for widths of the members' own, or any other word for the grid around the median distance.
    `change` makes other weights of the weights between members (as hints do).
    """
    used = change or _as_they_are
    n = affinity.shape[0]
    if not isinstance(affinity, Graph):
        own = 0 if isinstance(affinity, Dense) else 1
        copies = 2 + own + (0 if affinity.symmetric else 1) + (2 if change else 0)
        fits(
            copies * 8 * n * n + tile_bytes(affinity),
            f"The eigenvectors of {n} members",
            "keep neighbors first with compare.Neighborhood",
        )
    if affinity.kind == "similarity":
        return [(None, spectrum(used(member_weights(affinity)), pairs, used_up=True))]
    if typical_distance(affinity) == 0:
        return [(None, spectrum(used(_all_alike(affinity)), pairs, used_up=True))]
    values = even(affinity) if isinstance(affinity, Dense) else affinity.values  # type: ignore[attr-defined]
    kernels = _kernels(affinity, values, scale)

    def work(kernel: Kernel) -> tuple[Kernel | None, Spectrum]:
        return kernel, spectrum(used(kernel.members(values)), pairs, used_up=True)

    if values.shape[0] > _ALONE:
        return [work(kernel) for kernel in kernels]
    return list(in_order(work, kernels, "kernel widths", workers=at_once(3 * 8 * n * n)))


def _as_they_are(weights: Any) -> Any:
    return weights


def largest_gap(found: Found, most: int, n_groups: int | None) -> tuple[int, int, np.ndarray]:
    """How many groups, which spectrum, and the largest gaps: every k is judged at the width where its own gap is largest."""
    curves = np.array([s.gaps(most) for _, s in found])
    if curves.shape[1] == 0:
        return (n_groups or 1), 0, np.empty(0)
    best = curves.max(axis=0)
    if n_groups is not None:
        at = min(max(n_groups - 2, 0), curves.shape[1] - 1)
        return n_groups, int(np.argmax(curves[:, at])), best
    at = int(np.argmax(best))
    k = at + 2 if best[at] > 1e-9 else 1
    return k, int(np.argmax(curves[:, at])), best


def widest(found: Found, k: int) -> list[int]:
    """Positions of the kernels with k positive eigenvalues, from the narrowest to the widest."""
    return [at for at, (_, s) in enumerate(found) if len(s.values) >= k and s.values[k - 1] > 0]


def _kernels(affinity: Affinity, values: Any, scale: float | str) -> list[Kernel]:
    if not isinstance(scale, str):
        return [Kernel(float(scale))]
    if scale == "local":
        if isinstance(affinity, Graph):
            raise DataError(
                "scale='local' needs every distance; make the graph with Neighborhood, which scales locally.",
                owner="Spectral",
            )
        return [Kernel.own_widths(values)]
    return [Kernel(float(width)) for width in width_grid(affinity)]


def _all_alike(affinity: Affinity) -> Any:
    """Weights of members that are all identical."""
    if isinstance(affinity, Graph):
        matrix = affinity.values.copy()
        matrix.data = np.ones_like(matrix.data)
        return undirected(matrix)
    n = affinity.shape[0]
    return np.ones((n, n)) - np.eye(n)

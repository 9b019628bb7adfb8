"""Where windows lie: the leading eigenvectors of their affinity at several kernel widths, and how many sources there are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from coterie.core.affinity import Affinity, Dense, Graph
from coterie.core.random import seed_of, stream
from coterie.parts.neighbors import Kernel
from coterie.parts.pairwise import dense
from coterie.parts.segments import Cuts, segments
from coterie.parts.spectra import Found, Spectrum, largest_gap, spectra_of, widest

NOISE = 0.02  # least variance of an embedded value that is believed when the number of segments is chosen
MOST = 60  # segments looked at, unless more are asked for
_SOURCES = 12  # sources looked at
_ORDERS = 10  # random orders of the windows that a cut is set against
_CLEAR = 0.7  # of the clearest: how clear a cut must be for its number of sources to be taken
_NEARLY = 0.55  # the same, for the number with the largest eigengap
_SURELY = 3.5  # how clear is clear enough for that: a scatter 33 times as small as in random orders
_LITTLE = 1e-6


def cuts_of(rows: np.ndarray, k: int | None) -> Cuts:
    """All cuts of one sequence of windows; segments have two windows or more where there are enough."""
    return segments(rows, max(MOST, k or 1), 2 if len(rows) >= 2 * (k or 1) else 1)


@dataclass(frozen=True, eq=False)
class Layout:
    """Where windows lie: rows of as many leading eigenvectors as there are sources, scaled to length one."""

    rows: np.ndarray  # (windows, sources)
    gaps: np.ndarray  # after 2, 3, ... eigenvalues
    kernel: Kernel | None = None
    spectrum: Spectrum | None = None

    def placed(self, queries: Affinity) -> np.ndarray:
        """Where new windows lie: (queries, sources)."""
        if self.spectrum is None:
            return np.ones((queries.shape[0], 1))
        values = dense(queries).values
        weights = (
            self.kernel.queries(values) if self.kernel is not None else np.maximum(values, 0.0)
        )
        return self.spectrum.extended(weights, self.rows.shape[1])


def layouts(
    affinity: Affinity, n_sources: int | None, first: np.ndarray, random_state: Any
) -> list[Layout]:
    """The windows laid out for `n_sources` sources, or for as many as can be told; from the widest kernel on.

    Kernels are those of Spectral's grid with as many positive eigenvalues as sources, and the one of local widths. A narrow
    kernel makes sharp groups, and a few odd windows take an eigenvector for themselves; a wide one keeps what most share.
    `first` says where the windows of each sequence begin.
    """
    n = affinity.shape[0]
    one = [Layout(np.ones((n, 1)), np.empty(0))]
    if n < 2 or n_sources == 1:
        return one
    looked = n_sources or max(1, min(_SOURCES, n - 1))
    if affinity.kind == "distance" and not isinstance(affinity, Graph):
        affinity = dense(affinity)
    found = spectra_of(affinity, looked + 1, "eigengap")
    k, best, gaps = largest_gap(found, looked, n_sources)
    if k == 1 or (affinity.kind == "distance" and found[0][0] is None):
        return one
    if n_sources is None:
        k = clearest(found, looked, k, first, random_state) or k
    kept = [found[at] for at in reversed(widest(found, k))] or [found[best]]
    if isinstance(affinity, Dense) and affinity.kind == "distance":
        kept += spectra_of(affinity, k + 1, "local")
    return [Layout(spectrum.rows(k), gaps, kernel, spectrum) for kernel, spectrum in kept]


def clearest(found: Found, most: int, gap: int, first: np.ndarray, random_state: Any) -> int:
    """The most sources whose cut is nearly as clear as the clearest; 0 where no number gives any cut.

    `gap`, the number with the largest eigengap, is taken where it is more and its cut a little less clear.

    How clear a cut is: the logarithm of the scatter that is left when the windows are put in random orders and cut into as
    many segments, over the scatter that is left in their own order; in the coordinates of the widest kernel.
    """
    clear = np.zeros(most + 1)
    for k in range(2, most + 1):
        wide = widest(found, k)
        if not wide:
            break
        rows = found[wide[-1]][1].rows(k)
        parts = [rows[a:b] for a, b in pairwise(first)]
        cuts = [cuts_of(part, None) for part in parts]
        counts = [int(np.argmin(cut.bic(NOISE))) + 1 for cut in cuts]
        if sum(counts) == len(parts):
            if k > 4 and not clear[k - 2 : k].any():
                break
            continue
        own = sum(float(cut.costs[count - 1]) for cut, count in zip(cuts, counts, strict=True))
        generators = [
            stream(seed_of(random_state) if random_state is not None else 0, k, turn)
            for turn in range(_ORDERS)
        ]
        mixed = [
            sum(
                float(cuts_of(part[generator.permutation(len(part))], count).costs[count - 1])
                for part, count in zip(parts, counts, strict=True)
            )
            for generator in generators
        ]
        clear[k] = np.log((np.mean(mixed) + _LITTLE) / (own + _LITTLE))
    top = clear.max()
    if top <= 0:
        return 0
    number = int(np.flatnonzero(clear >= _CLEAR * top).max())
    return max(number, gap) if clear[gap] >= _NEARLY * min(top, _SURELY) else number

"""Distances between members changed by hints for a tree: none where two belong together, out of reach where they are apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import squareform

from coterie.parts.constrained import Ties
from coterie.parts.tied_weights import apart_pieces, together

_FLOOR = (
    1e-12  # of the largest distance: nobody else is as near as those who belong together by law
)


def tied_distances(half: np.ndarray, ties: Ties) -> tuple[np.ndarray, float]:
    """A condensed triangle after the hints, and the height above which a union would break a law.

    By law together is 0, by law apart so far that a mean over all pairs still tells. Pairs with a weight below one go that share
    of the way, to 0 or to twice the largest distance.
    """
    away = squareform(half)
    n = len(ties.piece)
    top = float(half.max(initial=0.0)) or 1.0
    pairs, share = together(ties)
    one, other = pairs.T
    away[one, other] *= 1.0 - share
    away[other, one] = away[one, other]
    if ties.bonds.n_tags:
        tags = ties.labels
        share_apart = min(1.0, float(ties.bonds.pull[1]))
        known = np.flatnonzero(tags >= 0)
        block = away[np.ix_(known, known)]
        unlike = tags[known][:, None] != tags[known][None, :]
        away[np.ix_(known, known)] = np.where(
            unlike, block + share_apart * (2.0 * top - block), block
        )
    np.maximum(away, _FLOOR * top, out=away)
    order = np.argsort(ties.piece, kind="stable")
    parts = np.split(order, np.searchsorted(ties.piece[order], np.arange(1, ties.n_pieces)))
    apart = apart_pieces(ties)
    laws = {(int(a), int(b)) for a, b in ties.hard}
    for at in np.flatnonzero(np.diff(apart.indptr) > 0).tolist():
        span = slice(apart.indptr[at], apart.indptr[at + 1])
        for mate, some in zip(apart.indices[span].tolist(), apart.data[span].tolist(), strict=True):
            cells = np.ix_(parts[at], parts[mate])
            away[cells] = (
                4.0 * top * n * n
                if (at, mate) in laws
                else away[cells] + some * (2.0 * top - away[cells])
            )
    for part in parts:
        if len(part) > 1:
            away[np.ix_(part, part)] = 0.0
    np.fill_diagonal(away, 0.0)
    return np.asarray(squareform(away, checks=False)), 3.0 * top


def true_heights(
    merges: np.ndarray, half: np.ndarray, limit: float, far: Callable[[np.ndarray], float]
) -> tuple[np.ndarray, int]:
    """The merges with the heights their groups really have where a union breaks a law, and how many groups keep all laws.

    `far` tells how far two groups are from the distances between their members.
    """
    late = np.flatnonzero(merges[:, 2] > limit)
    if not len(late):
        return merges, 1
    merges, away, n = merges.copy(), squareform(half), len(merges) + 1
    for t in late.tolist():
        two = [members_of(merges, int(merges[t, side]), n) for side in (0, 1)]
        merges[t, 2] = max(far(away[np.ix_(*two)]), float(merges[t - 1, 2]) if t else 0.0)
    return merges, len(late) + 1


def members_of(merges: np.ndarray, cluster: int, n: int) -> np.ndarray:
    """The members below one cluster of a tree."""
    found = []
    ahead = [cluster]
    while ahead:
        at = ahead.pop()
        if at < n:
            found.append(at)
        else:
            ahead += [int(merges[at - n, 0]), int(merges[at - n, 1])]
    return np.array(sorted(found), dtype=np.int64)

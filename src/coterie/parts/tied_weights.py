"""Weights between members changed by hints: links made heavy where two belong together, taken away where they belong apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.parts.constrained import Ties

_WHOLE = 200  # members of a piece up to which all its pairs are linked; beyond, each to half as many on either side


def tied_weights(weights: Any, ties: Ties) -> Any:
    """Symmetric weights (dense or sparse) after Kamvar, Klein and Manning.

    Two that belong together get the heaviest weight either has (the heaviest of all where neither has any), two that belong
    apart none; a pair with a weight below one goes that share of the way. What follows from pairs over several steps is
    changed too where the pairs are laws.
    """
    sparse = sp.issparse(weights)
    found: Any = weights.tocsr(copy=True) if sparse else np.array(weights, dtype=np.float64)
    if not sparse:
        top = found.max(axis=1, initial=0.0)
    else:
        top = (
            np.asarray(found.max(axis=1).todense()).ravel()
            if found.nnz
            else np.zeros(found.shape[0])
        )
    if not top.max(initial=0.0) > 0:
        top = np.ones(len(top))
    found = _joined(found, ties, top)
    return _parted_sparse(found, ties) if sparse else _parted_dense(found, ties)


def _joined(weights: Any, ties: Ties, top: np.ndarray) -> Any:
    pairs, share = together(ties)
    if not len(pairs):
        return weights
    one, other = pairs.T
    wanted = np.maximum(top[one], top[other])
    wanted = np.where(wanted > 0, wanted, top.max())
    now = np.asarray(weights[one, other]).ravel()
    more = share * np.maximum(wanted - now, 0.0)
    if sp.issparse(weights):
        added = sp.coo_array((more, (one, other)), shape=weights.shape).tocsr()
        return (weights + added + added.T).tocsr()
    weights[one, other] += more
    weights[other, one] += more
    return weights


def together(ties: Ties) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of members that belong together, each once, and how far each is to be followed, from 0 to 1."""
    hints = ties.hints
    pairs = [_within(ties.piece)]
    shares = [np.ones(len(pairs[0]))]
    if np.isfinite(hints.pair_weight):
        pairs.append(hints.together)
        shares.append(np.full(len(hints.together), min(1.0, hints.pair_weight)))
    if ties.pulling and np.isfinite(hints.trust):
        pairs.append(_within(hints.labels))
        shares.append(np.full(len(pairs[-1]), min(1.0, hints.trust)))
    every = np.sort(np.concatenate(pairs), axis=1)
    share = np.concatenate(shares)
    every, share = every[every[:, 0] != every[:, 1]], share[every[:, 0] != every[:, 1]]
    order = np.lexsort((-share, every[:, 1], every[:, 0]))
    every = every[order]
    share = share[order]
    new = np.ones(len(every), dtype=bool)
    new[1:] = (np.diff(every, axis=0) != 0).any(axis=1)
    return every[new], share[new]


def _within(parts: np.ndarray) -> np.ndarray:
    """Pairs of members of the same part (-1 is none): all where there are few, else each with the next ones around."""
    order = np.argsort(parts, kind="stable")
    order = order[parts[order] >= 0]
    _, starts, sizes = np.unique(parts[order], return_index=True, return_counts=True)
    found = [np.zeros((0, 2), dtype=np.int64)]
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        own = order[start : start + size]
        if size <= _WHOLE:
            found.append(own[np.stack(np.triu_indices(size, 1), axis=1)])
        else:
            step = np.arange(1, _WHOLE // 2 + 1)
            found.append(
                np.stack(
                    [
                        np.repeat(own, len(step)),
                        own[(np.arange(size)[:, None] + step) % size].ravel(),
                    ],
                    axis=1,
                )
            )
    return np.concatenate(found)


def apart_pieces(ties: Ties) -> Any:
    """Pieces x pieces: how far two pieces are to be kept apart, from 0 to 1."""
    bonds = ties.bonds
    rows = np.repeat(np.arange(ties.n_pieces), np.diff(bonds.bound))
    below = bonds.ties < 0
    values = np.minimum(1.0, -bonds.ties[below])
    found = sp.coo_array(
        (values, (rows[below], bonds.mates[below])), shape=(ties.n_pieces,) * 2
    ).tocsr()
    found.data = np.minimum(found.data, 1.0)
    return found


def _parted_dense(weights: np.ndarray, ties: Ties) -> np.ndarray:
    apart = apart_pieces(ties)
    order = np.argsort(ties.piece, kind="stable")
    starts = np.searchsorted(ties.piece[order], np.arange(ties.n_pieces + 1))
    for at in np.flatnonzero(np.diff(apart.indptr) > 0).tolist():
        own = order[starts[at] : starts[at + 1]]
        span = slice(apart.indptr[at], apart.indptr[at + 1])
        for mate, share in zip(
            apart.indices[span].tolist(), apart.data[span].tolist(), strict=True
        ):
            weights[np.ix_(own, order[starts[mate] : starts[mate + 1]])] *= 1.0 - share
    if ties.bonds.n_tags:
        tags = ties.labels
        keep = 1.0 - min(1.0, float(ties.bonds.pull[1]))
        for tag in np.unique(tags[tags >= 0]).tolist():
            weights[np.ix_(tags == tag, (tags >= 0) & (tags != tag))] *= keep
    return weights


def _parted_sparse(weights: Any, ties: Ties) -> Any:
    apart = apart_pieces(ties)
    entries = weights.tocoo()
    rows = entries.row
    cols = entries.col
    data = entries.data.copy()
    if apart.nnz:
        bound = np.diff(apart.indptr) > 0
        at = np.flatnonzero(bound[ties.piece[rows]] & bound[ties.piece[cols]])
        if len(at):  # no cells at all would come back as a sparse array
            data[at] *= 1.0 - np.asarray(apart[ties.piece[rows[at]], ties.piece[cols[at]]]).ravel()
    if ties.bonds.n_tags:
        one = ties.labels[rows]
        other = ties.labels[cols]
        data[(one >= 0) & (other >= 0) & (one != other)] *= 1.0 - min(
            1.0, float(ties.bonds.pull[1])
        )
    found = sp.coo_array((data, (rows, cols)), shape=weights.shape).tocsr()
    found.eliminate_zeros()
    found.sort_indices()
    return found

"""Members that repeat another one, exactly or nearly; and groups found without the repeats, which then join the member they repeat.

Texts are the same where they are so without capitals and white space, and nearly the same where their sets of words A and B
have a Jaccard index |A and B| / |A or B| of at least .8. A pair of such sets shares l of the |A| - ceil(.8 |A|) + l rarest
words of either (Chaudhuri, Ganti and Kaushik 2006), so only pairs that do, with l = 3, are compared. Members of other kinds are the same where
they hold the same numbers, and nearly the same where one is the nearest neighbor of another at a distance of nearly zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.findings import Duplicates
from coterie.core.partition import Partition
from coterie.core.random import content_keys

ALIKE = 0.8  # Jaccard index from which two texts are nearly the same
_LEAST_WORDS = 4  # of a text that can be nearly the same as another
_LEAST_FRAGMENTS = 8
_POSTINGS = (
    50  # texts that share a word and are all compared; of more, those of about one length are
)
_SHARED = 3  # of the rarest words that two texts must share to be compared
_BESIDE = 10  # of these, on either side
_BYTES = 16
_PAIRS = 200_000  # compared at a time


def repeats_of_texts(
    documents: Sequence[str], counts: Any, *, fragments: bool = False
) -> Duplicates:
    """Which texts repeat another; `counts` are those of their words (or of parts of words), which were counted before.

    Of texts that are alike the longest is the one that others repeat; of those that are equal, the first.
    """
    keys: list[bytes] = []
    sizes = np.empty(len(documents), dtype=np.int64)
    for at, document in enumerate(documents):
        plain = " ".join(document.casefold().split()).encode("utf-8", "surrogatepass")
        keys.append(blake2b(plain, digest_size=_BYTES).hexdigest().encode())
        sizes[at] = len(plain)
    filled = sizes > 0
    same = np.unique(np.array(keys), return_inverse=True)[1]
    first = _first_of(same)
    able = np.flatnonzero(filled & (first == np.arange(len(keys))))
    least = _LEAST_FRAGMENTS if fragments else _LEAST_WORDS
    pairs = able[similar_sets(counts[able], ALIKE, least)]
    heads = _components(len(keys), np.concatenate([pairs, _links(first, filled)]))
    leaders = _leaders(heads, np.lexsort((np.arange(len(keys)), same, -sizes)))
    return _duplicates(leaders, same[leaders] == same)


def repeats_of_members(
    data: Any, neighbors: np.ndarray, distances: np.ndarray, nearly: float
) -> Duplicates:
    """Which members hold the same as an earlier one, or lie at most `nearly` median distances to the nearest from one.

    `data` is None where members cannot be set against each other by what they hold.
    """
    n = len(neighbors)
    held = np.arange(n) if data is None else np.unique(content_keys(data), return_inverse=True)[1]
    first = _first_of(held)
    usual = float(np.median(distances[:, 0])) if distances.size else 0.0
    at, column = np.nonzero((distances <= nearly * usual) & (neighbors >= 0) & (nearly > 0))
    near = np.stack([at, neighbors[at, column]], axis=1)
    heads = _components(n, np.concatenate([near, _links(first, np.ones(n, dtype=bool))]))
    leaders = _leaders(heads, np.arange(n))
    return _duplicates(leaders, held[leaders] == held)


def similar_sets(counts: Any, threshold: float, least: int = 1) -> np.ndarray:
    """(m, 2) pairs of rows whose sets of columns have a Jaccard index of at least the threshold; sets smaller than `least` have none.

    Of columns that more than fifty rows share as one of their rarest, rows of about one size are compared, ten on either side.

    >>> similar_sets(np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, 0], [0, 0, 1, 1, 1]]), 0.8).tolist()
    [[0, 1]]
    """
    rows = sp.csr_array(counts)
    n = rows.shape[0]
    sizes = np.diff(rows.indptr)
    owner = np.repeat(np.arange(n), sizes)
    frequency = np.bincount(rows.indices, minlength=rows.shape[1])
    order = np.lexsort((rows.indices, frequency[rows.indices], owner))
    rank = np.arange(len(order)) - np.repeat(rows.indptr[:-1], sizes)
    shared = int(min(_SHARED, np.ceil(threshold * least - 1e-9)))
    overlap = np.ceil(threshold * sizes - 1e-9).astype(np.int64)  # with any set that is alike
    length = np.where(sizes >= least, sizes - overlap + shared, 0)
    rare = order[(rank < length[owner]) & (frequency[rows.indices[order]] > 1)]
    marks = np.random.Generator(np.random.PCG64(0)).integers(2**62, size=rows.shape[1])
    content = np.bincount(owner, weights=marks[rows.indices], minlength=n)
    found = _sharing(rows.indices[rare], owner[rare], sizes, content, threshold, shared)
    ones = sp.csr_array((np.ones(len(rows.indices)), rows.indices, rows.indptr), rows.shape)
    kept = []
    for start in range(0, len(found), _PAIRS):
        some = found[start : start + _PAIRS]
        both = np.asarray(ones[some[:, 0]].multiply(ones[some[:, 1]]).sum(axis=1)).ravel()
        union = sizes[some].sum(axis=1) - both
        kept.append(some[both >= threshold * union - 1e-9])
    return np.concatenate(kept) if kept else np.zeros((0, 2), dtype=np.int64)


def _sharing(
    columns: np.ndarray,
    owners: np.ndarray,
    sizes: np.ndarray,
    content: np.ndarray,
    threshold: float,
    shared: int,
) -> np.ndarray:
    """Pairs of owners of about one size that stand together at so many columns, each once, the smaller first."""
    order = np.lexsort((owners, content[owners], sizes[owners], columns))
    columns = columns[order]
    owners = owners[order]
    counts = np.unique(columns, return_counts=True)[1]
    held = np.repeat(counts, counts)
    n = len(sizes)
    pairs: list[np.ndarray] = []
    for step in range(1, min(int(counts.max(initial=1)), _POSTINGS)):
        one = owners[:-step]
        other = owners[step:]
        reach = (columns[:-step] == columns[step:]) & (
            (held[:-step] <= _POSTINGS) | (step <= _BESIDE)
        )
        reach &= sizes[one] >= threshold * sizes[other] - 1e-9  # sizes rise within a column
        pairs.append(np.minimum(one, other)[reach] * n + np.maximum(one, other)[reach])
    if not pairs:
        return np.zeros((0, 2), dtype=np.int64)
    codes, times = np.unique(np.concatenate(pairs), return_counts=True)
    return np.stack(np.divmod(codes[times >= shared], n), axis=1)


def _first_of(kinds: np.ndarray) -> np.ndarray:
    """For each member the position of the first of its kind."""
    return np.unique(kinds, return_index=True)[1][kinds]


def _links(first: np.ndarray, able: np.ndarray) -> np.ndarray:
    """Members and the first of their kind, as pairs."""
    later = np.flatnonzero((first != np.arange(len(first))) & able)
    return np.stack([first[later], later], axis=1)


def _components(n: int, pairs: np.ndarray) -> np.ndarray:
    """The component of every member in the graph of these pairs."""
    graph = sp.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return sp.csgraph.connected_components(graph, directed=False)[1]


def _leaders(components: np.ndarray, order: np.ndarray) -> np.ndarray:
    """For every member the one of its component that comes first in an order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    best = np.full(components.max(initial=-1) + 1, len(order))
    np.minimum.at(best, components, place)
    return order[best[components]]


def _duplicates(leaders: np.ndarray, exact: np.ndarray) -> Duplicates:
    members = np.flatnonzero(leaders != np.arange(len(leaders)))
    return Duplicates(members, leaders[members], exact[members])


# ---- groups without repeats -----------------------------------------------------------------------------------------


def unfolded(partition: Partition, kept: np.ndarray, repeats: Duplicates, n: int) -> Partition:
    """The groups of the members that were kept, with every other one in the group of the member that it repeats."""
    labels = np.full(n, -1, dtype=np.int64)
    labels[kept] = partition.labels
    labels[repeats.members] = labels[repeats.of]
    confidence = None
    if partition.confidence is not None:
        confidence = np.zeros(n)
        confidence[kept] = partition.confidence
        confidence[repeats.members] = confidence[repeats.of]
    return replace(partition, labels=labels, confidence=confidence)

"""Halves: members or counts dealt in two, what clusters found on one half tell of the other, and whether two agree."""

from __future__ import annotations

import numpy as np

from coterie.core.links import Cooccurrence, Links
from coterie.core.random import stream
from coterie.organize.comraf.wishes import Wishes
from coterie.parts.contingency import Counts, information, raw_information, united


def taken(links: Links, wishes: Wishes) -> Links:
    """The tables the way they are to count: as they are, or whether there at all; said of the whole, before it is dealt."""
    tables = dict[tuple[str, str], Cooccurrence]()
    for pair, table in links.tables.items():
        counts = Counts.of(table.counts)
        tables[pair] = Cooccurrence(
            (counts.presence() if wishes.present(counts) else counts).matrix, table.rows, table.cols
        )
    return Links(tables, links.target)


def members_dealt(links: Links, generator: np.random.Generator) -> tuple[Links, Links]:
    """The members in two halves, at random; every one keeps all its counts.

    Stability is measured on these and not on halves of the counts: a population that each member meets once, such as the
    sender, is in one half of the counts only, so that nothing could agree however good it is.
    """
    order = generator.permutation(len(links))
    cut = len(order) // 2
    return links.take(np.sort(order[:cut])), links.take(np.sort(order[cut:]))


def counts_dealt(links: Links, seed: int, split: int) -> tuple[Links, Links]:
    """Every count dealt to one of two halves by a fair coin; what is no whole number goes as a piece."""
    import scipy.sparse as sp

    one = dict[tuple[str, str], Cooccurrence]()
    other = dict[tuple[str, str], Cooccurrence]()
    for at, (pair, table) in enumerate(links.tables.items()):
        generator = stream(seed, 2, split, at)
        counts = table.counts
        whole = np.floor(counts.data)
        first = generator.binomial(whole.astype(np.int64), 0.5) + (counts.data - whole) * (
            generator.random(len(whole)) < 0.5
        )
        for side, values in ((one, first), (other, counts.data - first)):
            dealt = sp.csr_array(
                (values, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape
            )
            dealt.eliminate_zeros()
            side[pair] = Cooccurrence(dealt, table.rows, table.cols)
    return Links(one, links.target), Links(other, links.target)


def held_out(
    groups: np.ndarray, counts: Counts, generator: np.random.Generator, shuffles: int = 5
) -> tuple[float, float]:
    """The share of a table's raw information that groups of its rows tell, less what as large groups at random would.

    Rows in no group tell nothing. The second number is the standard deviation of the share over random groups.
    """
    raw = raw_information(counts)
    k = int(groups.max(initial=-1)) + 1
    placed = np.flatnonzero(groups >= 0)
    sums = np.diff(np.concatenate([[0.0], np.cumsum(counts.val)])[counts.ptr])
    covered = float(sums[placed].sum() / counts.total) if counts.total > 0 else 0.0
    if raw <= 0 or covered <= 0:
        return 0.0, 0.0
    apart = np.arange(counts.width)
    dealt = list[float]()
    told = information(united(counts, groups, k, apart, counts.width))
    for _ in range(shuffles):
        other = groups.copy()
        other[placed] = generator.permutation(groups[placed])
        dealt.append(information(united(counts, other, k, apart, counts.width)))
    return float(covered * (told - np.mean(dealt)) / raw), float(
        covered * np.std(dealt, ddof=1) / raw
    )


def agreement(one: np.ndarray, other: np.ndarray) -> float:
    """The adjusted Rand index of two clusterings; who is in no cluster is alone."""
    from sklearn.metrics import adjusted_rand_score

    def alone(groups: np.ndarray) -> np.ndarray:
        return np.where(groups < 0, np.arange(len(groups)) + groups.max(initial=-1) + 1, groups)

    if (one < 0).all() or (other < 0).all():
        return 0.0
    return float(adjusted_rand_score(alone(one), alone(other)))


def matched(groups: np.ndarray, known: np.ndarray) -> float:
    """The share of labels that the other labels of the same group guess by majority; a tie is shared, a lone one is wrong."""
    there = known >= 0
    codes = known[there]
    placed = groups[there]
    table = np.zeros((int(placed.max(initial=-1)) + 2, int(known.max(initial=0)) + 1))
    np.add.at(table, (placed, codes), 1)
    votes = table[placed]
    votes[np.arange(len(codes)), codes] -= 1
    top = votes.max(axis=1, keepdims=True)
    right = (votes[np.arange(len(codes)), codes] == top[:, 0]) & (top[:, 0] > 0) & (placed >= 0)
    return float((right / np.maximum((votes == top).sum(axis=1), 1)).mean())

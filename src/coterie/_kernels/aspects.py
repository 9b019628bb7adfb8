"""Loops of PLSA over the counts that are there: one EM step by documents and by words, folding-in, words shared by pairs.

Counts come as sparse rows (`starts`, `columns`, `counts`). `shares` is documents x topics and `words` is words x topics, both
already raised to beta where EM is tempered. Every row is summed by itself, so bits do not depend on how rows are dealt out.
Sums are loose (in the order that fits the registers), so helpers are inlined into their callers: compiled by itself and inside
a caller such a helper need not sum in the same order, and which of the two is called depends on what is in the cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FUSED = {"reassoc", "nsz", "contract"}
_LEAST = 1e-300  # a count that the model gives no chance at all has this one


@njit(cache=True, nogil=True, inline="always", fastmath=_FUSED)
def _chance(one: np.ndarray, i: int, other: np.ndarray, j: int) -> float:
    """The inner product of row i of one and row j of the other; never nothing."""
    total = 0.0
    for k in range(one.shape[1]):
        total += one[i, k] * other[j, k]
    return max(total, _LEAST)


@njit(cache=True, nogil=True, inline="always", fastmath=_FUSED)
def _ratios(
    shares: np.ndarray,
    d: int,
    words: np.ndarray,
    columns: np.ndarray,
    counts: np.ndarray,
    span: tuple[int, int],
    out: np.ndarray,
) -> None:
    """Count over chance of the counts of the span, all of one document; four at a time, so that a share is read once for them."""
    at = span[0]
    while at + 4 <= span[1]:
        a = columns[at]
        b = columns[at + 1]
        c = columns[at + 2]
        e = columns[at + 3]
        one = two = three = four = 0.0
        for k in range(shares.shape[1]):
            share = shares[d, k]
            one += share * words[a, k]
            two += share * words[b, k]
            three += share * words[c, k]
            four += share * words[e, k]
        out[at] = counts[at] / max(one, _LEAST)
        out[at + 1] = counts[at + 1] / max(two, _LEAST)
        out[at + 2] = counts[at + 2] / max(three, _LEAST)
        out[at + 3] = counts[at + 3] / max(four, _LEAST)
        at += 4
    while at < span[1]:
        out[at] = counts[at] / _chance(shares, d, words, columns[at])
        at += 1


@njit(cache=True, nogil=True, inline="always", fastmath=_FUSED)
def _gather(
    weights: np.ndarray, rows: np.ndarray, which: np.ndarray, span: tuple[int, int], out: np.ndarray
) -> None:
    """The sum of the rows named in the span, each times its weight; four at a time, so that the sum is written once for them."""
    for k in range(len(out)):
        out[k] = 0.0
    at = span[0]
    while at + 4 <= span[1]:
        a = which[at]
        b = which[at + 1]
        c = which[at + 2]
        e = which[at + 3]
        one = weights[at]
        two = weights[at + 1]
        three = weights[at + 2]
        four = weights[at + 3]
        for k in range(len(out)):
            out[k] += (one * rows[a, k] + two * rows[b, k]) + (
                three * rows[c, k] + four * rows[e, k]
            )
        at += 4
    while at < span[1]:
        weight = weights[at]
        a = which[at]
        for k in range(len(out)):
            out[k] += weight * rows[a, k]
        at += 1


@njit(cache=True, nogil=True, inline="always", fastmath=_FUSED)
def _share(laws: np.ndarray, i: int, gathered: np.ndarray, old: np.ndarray, j: int) -> None:
    """Row i of the laws times what was gathered, brought to sum one, in place; row j of the old where that is nothing."""
    total = 0.0
    for k in range(len(gathered)):
        gathered[k] *= laws[i, k]
        total += gathered[k]
    for k in range(len(gathered)):
        gathered[k] = gathered[k] / total if total > 0 else old[j, k]


@njit(cache=True, nogil=True, fastmath=_FUSED)
def by_documents(
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray],
    laws: tuple[np.ndarray, np.ndarray],
    old: np.ndarray,
    span: tuple[int, int],
    out: tuple[np.ndarray, np.ndarray],
) -> None:
    """For documents of the span: count over chance of every count, and new shares."""
    starts, columns, counts = sparse
    shares, words = laws
    ratios, fresh = out
    gathered = np.empty(shares.shape[1])
    for d in range(span[0], span[1]):
        own = (starts[d], starts[d + 1])
        _ratios(shares, d, words, columns, counts, own, ratios)
        _gather(ratios, words, columns, own, gathered)
        _share(shares, d, gathered, old, d)
        for k in range(len(gathered)):
            fresh[d, k] = gathered[k]


@njit(cache=True, nogil=True, fastmath=_FUSED)
def by_words(
    posted: tuple[np.ndarray, np.ndarray],
    ratios: np.ndarray,
    laws: tuple[np.ndarray, np.ndarray],
    span: tuple[int, int],
    out: np.ndarray,
) -> None:
    """For words of the span: expected counts in every topic; `posted` has the documents of a word, `ratios` are in its order."""
    starts, documents = posted
    shares, words = laws
    gathered = np.empty(shares.shape[1])
    for w in range(span[0], span[1]):
        _gather(ratios, shares, documents, (starts[w], starts[w + 1]), gathered)
        for k in range(len(gathered)):
            out[w, k] = gathered[k] * words[w, k]


@njit(cache=True, nogil=True, fastmath=_FUSED)
def chances_of(
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray],
    laws: tuple[np.ndarray, np.ndarray],
    span: tuple[int, int],
    out: np.ndarray,
) -> None:
    """For documents of the span: the chance of every word that is there."""
    starts, columns, _ = sparse
    shares, words = laws
    for d in range(span[0], span[1]):
        for at in range(starts[d], starts[d + 1]):
            out[at] = _chance(shares, d, words, columns[at])


@njit(cache=True, nogil=True, fastmath=_FUSED)
def folded(
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray],
    words: np.ndarray,
    beta: float,
    limits: tuple[int, float],
    span: tuple[int, int],
    out: tuple[np.ndarray, np.ndarray],
) -> None:
    """New shares of the documents of the span, words as they are: EM from the shares given, until none moves by the limit."""
    shares, ratios = out
    starts, columns, counts = sparse
    steps, tol = limits
    gathered = np.empty(shares.shape[1])
    law = np.empty((1, shares.shape[1]))
    for d in range(span[0], span[1]):
        own = (starts[d], starts[d + 1])
        for _ in range(steps):
            for k in range(len(gathered)):
                law[0, k] = shares[d, k] if beta == 1.0 else shares[d, k] ** beta
            _ratios(law, 0, words, columns, counts, own, ratios)
            _gather(ratios, words, columns, own, gathered)
            _share(law, 0, gathered, shares, d)
            moved = 0.0
            for k in range(len(gathered)):
                moved = max(moved, abs(gathered[k] - shares[d, k]))
                shares[d, k] = gathered[k]
            if moved < tol:
                break


@njit(cache=True, nogil=True, fastmath=_FUSED)
def shared_words(
    one: tuple[np.ndarray, np.ndarray, np.ndarray],
    other: tuple[np.ndarray, np.ndarray, np.ndarray],
    laws: tuple[np.ndarray, np.ndarray, np.ndarray],
    out: np.ndarray,
) -> None:
    """For all pairs of rows: the sum over shared words of both values times sum_k share share' word_k; columns rise in rows."""
    starts, columns, values = one
    other_starts, other_columns, other_values = other
    shares, other_shares, words = laws
    both = np.empty((1, shares.shape[1]))
    for i in range(len(shares)):
        for j in range(len(other_shares)):
            for k in range(both.shape[1]):
                both[0, k] = shares[i, k] * other_shares[j, k]
            total = 0.0
            a = starts[i]
            b = other_starts[j]
            while a < starts[i + 1] and b < other_starts[j + 1]:
                if columns[a] == other_columns[b]:
                    total += values[a] * other_values[b] * _chance(both, 0, words, columns[a])
                    a += 1
                    b += 1
                elif columns[a] < other_columns[b]:
                    a += 1
                else:
                    b += 1
            out[i, j] = total

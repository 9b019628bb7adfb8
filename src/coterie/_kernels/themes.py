"""Loops of TTMM: sparse counts times a block of themes, the same where few themes matter, shares of topics.

Counts come as sparse rows (`starts`, `columns`, `counts`). `words` is words x topics, `mixing` themes x topics, and what
belongs to a block of themes has a column per theme. Every row is summed by itself, so bits do not depend on who works on
which block.
"""

from __future__ import annotations

import numpy as np
from numba import njit

WIDTH = 64  # themes of a block: eight rows of them stay in the first cache, and the loop over them is unrolled
_FUSED = {"contract", "nsz"}
_LEAST = 1e-20  # a theme less probable than this does not move the share of a topic


@njit(cache=True, nogil=True, inline="always")
def _products(
    starts: np.ndarray,
    columns: np.ndarray,
    counts: np.ndarray,
    block: np.ndarray,
    out: np.ndarray,
    width: int,
) -> None:
    for d in range(len(starts) - 1):
        line = out[d]
        for j in range(width):
            line[j] = 0.0
        at = starts[d]
        end = starts[d + 1]
        while at + 8 <= end:
            a = columns[at]
            b = columns[at + 1]
            c = columns[at + 2]
            d4 = columns[at + 3]
            e = columns[at + 4]
            f = columns[at + 5]
            g = columns[at + 6]
            h = columns[at + 7]
            va = counts[at]
            vb = counts[at + 1]
            vc = counts[at + 2]
            vd = counts[at + 3]
            ve = counts[at + 4]
            vf = counts[at + 5]
            vg = counts[at + 6]
            vh = counts[at + 7]
            for j in range(width):
                first = (va * block[a, j] + vb * block[b, j]) + (
                    vc * block[c, j] + vd * block[d4, j]
                )
                second = (ve * block[e, j] + vf * block[f, j]) + (
                    vg * block[g, j] + vh * block[h, j]
                )
                line[j] += first + second
            at += 8
        while at < end:
            a = columns[at]
            va = counts[at]
            for j in range(width):
                line[j] += va * block[a, j]
            at += 1


@njit(cache=True, nogil=True, fastmath=_FUSED)
def products(
    starts: np.ndarray, columns: np.ndarray, counts: np.ndarray, block: np.ndarray, out: np.ndarray
) -> None:
    """out = sparse rows times a dense block with one column per theme."""
    if block.shape[1] == WIDTH:
        _products(starts, columns, counts, block, out, WIDTH)
    else:
        _products(starts, columns, counts, block, out, block.shape[1])


@njit(cache=True, nogil=True)
def kept(
    shares: np.ndarray, least: np.ndarray, starts: np.ndarray, theme: np.ndarray, share: np.ndarray
) -> None:
    """The shares that reach the least of their theme, as sparse rows; `theme` and `share` have room for them all."""
    at = 0
    starts[0] = 0
    for d in range(shares.shape[0]):
        for j in range(shares.shape[1]):
            if shares[d, j] >= least[j] and shares[d, j] > 0.0:
                theme[at] = j
                share[at] = shares[d, j]
                at += 1
        starts[d + 1] = at


@njit(cache=True, nogil=True, fastmath=_FUSED)
def sparse_products(
    starts: np.ndarray,
    columns: np.ndarray,
    counts: np.ndarray,
    shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    out: np.ndarray,
) -> None:
    """The same as `products` for a block of which `kept` gave the sparse rows."""
    first, theme, share = shares
    for w in range(len(starts) - 1):
        line = out[w]
        line[:] = 0.0
        for at in range(starts[w], starts[w + 1]):
            d = columns[at]
            n = counts[at]
            for s in range(first[d], first[d + 1]):
                line[theme[s]] += n * share[s]


@njit(cache=True, nogil=True)
def divide(values: np.ndarray, by: np.ndarray) -> None:
    """values / by in place; zero where there is nothing to divide by."""
    for w in range(values.shape[0]):
        for j in range(values.shape[1]):
            values[w, j] = values[w, j] / by[w, j] if by[w, j] > 0.0 else 0.0


@njit(cache=True, nogil=True, fastmath={"contract", "nsz", "reassoc"})
def token_shares(
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray],
    themes: np.ndarray,
    laws: tuple[np.ndarray, np.ndarray],
    span: tuple[int, int],
    out: np.ndarray,
) -> None:
    """For documents of the span: the expected number of words per topic over the number of words.

    A word that a theme cannot give is dealt out as the theme's topics are. Documents without words are left as they are.
    """
    starts, columns, counts = sparse
    words, mixing = laws
    topics = mixing.shape[1]
    gathered = np.empty(topics)
    for d in range(span[0], span[1]):
        total = 0.0
        for at in range(starts[d], starts[d + 1]):
            total += counts[at]
        if total <= 0.0:
            continue
        out[d, :] = 0.0
        for j in range(len(mixing)):
            if themes[d, j] < _LEAST:
                continue
            gathered[:] = 0.0
            for at in range(starts[d], starts[d + 1]):
                row = words[columns[at]]
                chance = 0.0
                for k in range(topics):
                    chance += mixing[j, k] * row[k]
                if chance > 0.0:
                    ratio = counts[at] / chance
                    for k in range(topics):
                        gathered[k] += ratio * row[k]
                else:
                    for k in range(topics):
                        gathered[k] += counts[at]
            for k in range(topics):
                out[d, k] += themes[d, j] * mixing[j, k] * gathered[k]
        for k in range(topics):
            out[d, k] /= total

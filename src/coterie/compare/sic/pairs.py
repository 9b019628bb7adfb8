"""Pairs of members: drawing some of them, and packing what every iteration says of them into a few whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from coterie.compare.sic.codes import Codes
from coterie.core.errors import DataError
from coterie.core.random import stream

BLOCK = 50_000  # pairs read off the codes at once
_DIGITS = 7  # iterations in one word: 3^7 = 2187 patterns


def drawn_pairs(n_members: int, most: int, random_state: Any = 0) -> tuple[np.ndarray, np.ndarray]:
    """All pairs p < q of the members, or `most` of them drawn evenly without repeats, in order."""
    total = n_members * (n_members - 1) // 2
    if total <= most:
        first, second = np.triu_indices(n_members, 1)
        return first.astype(np.int64), second.astype(np.int64)
    place = np.sort(
        stream(random_state, n_members, most).choice(total, size=most, replace=False, shuffle=False)
    )
    second = ((1.0 + np.sqrt(1.0 + 8.0 * place)) / 2.0).astype(
        np.int64
    )  # pairs (0,1), (0,2), (1,2), (0,3) ...
    second -= second * (second - 1) // 2 > place
    second += second * (second + 1) // 2 <= place
    return place - second * (second - 1) // 2, second


class Words:
    """Pairs x iterations with three states (not tested, apart, same), seven iterations to a whole number.

    A sum over iterations is one table look-up per word, a sum over pairs one weighted count per word: exact, in one
    order on any machine, and an eighth of the memory of floating-point matrices. Pairs never tested together are left out.
    """

    def __init__(self, blocks: Iterable[tuple[np.ndarray, np.ndarray]]) -> None:
        found = [_packed(same, both) for same, both in blocks]
        if not sum(shares.size for _, shares, _, _ in found):
            raise DataError(
                "No two members were ever tested together, so no two kinds of pairs can be told apart."
            )
        self.packed = np.concatenate(
            [packed for packed, _, _, _ in found], axis=1
        )  # (words, pairs)
        self.shares = np.concatenate([shares for _, shares, _, _ in found])  # k / t
        self.n_same = np.sum([same for _, _, same, _ in found], axis=0)  # per iteration
        self.n_both = np.sum([both for _, _, _, both in found], axis=0)
        self.n = int(self.n_same.size)
        self.n_pairs = int(self.shares.size)
        digits = np.arange(3**_DIGITS)[:, None] // 3 ** np.arange(_DIGITS) % 3
        self.patterns = np.concatenate([digits == 2, digits > 0], axis=1).astype(
            np.float64
        )  # same, both

    @classmethod
    def of_codes(cls, codes: Codes, first: np.ndarray, second: np.ndarray) -> Words:
        """What the codes say of these pairs, a block of pairs at a time."""
        return cls(
            codes.pairs(first[at : at + BLOCK], second[at : at + BLOCK])
            for at in range(0, first.size, BLOCK)
        )

    def over_iterations(self, weights: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """Per pair: the sum of the weights where the code is the same and of the offsets where both were tested."""
        space = np.zeros((2, len(self.packed) * _DIGITS))
        space[0, : self.n] = weights
        space[1, : self.n] = offsets
        tables = np.concatenate(list(space.reshape(2, -1, _DIGITS)), axis=1) @ self.patterns.T
        total = np.zeros(self.n_pairs)
        part = np.empty(self.n_pairs)
        for table, word in zip(tables, self.packed, strict=True):
            total += np.take(table, word, out=part, mode="clip")
        return total

    def over_pairs(self, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Per iteration: the sum of these shares over pairs with the same code, and over pairs tested together."""
        counts = np.stack(
            [np.bincount(word, weights=shares, minlength=3**_DIGITS) for word in self.packed]
        )
        sums = counts @ self.patterns
        return sums[:, :_DIGITS].ravel()[: self.n], sums[:, _DIGITS:].ravel()[: self.n]


def _packed(
    same: np.ndarray, both: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The words of some pairs, their shares k / t, and per iteration the pairs with one code and those tested together."""
    t = both.sum(axis=1)
    same = same[t > 0]
    both = both[t > 0]
    t = t[t > 0]
    states = same.astype(np.uint8) + both
    words = [
        states[:, at : at + _DIGITS].astype(np.int64) for at in range(0, same.shape[1], _DIGITS)
    ]
    packed = np.stack([word @ 3 ** np.arange(word.shape[1]) for word in words])
    return (
        packed,
        same.sum(axis=1) / t,
        same.sum(axis=0).astype(np.float64),
        both.sum(axis=0).astype(np.float64),
    )

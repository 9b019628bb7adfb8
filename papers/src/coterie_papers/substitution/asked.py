"""Substitutions as numbers: the context of every place as counts, every candidate and every target as a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie_papers.substitution.places import Substitutions

UNKNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Which words might stand where: `contexts` places x words (counts of the other words of the sentence), `owners` the place of
    every candidate, `words` its column (-1 where the dictionary lacks it), `targets` the column of the word at every place.
    """

    contexts: Any
    owners: np.ndarray
    words: np.ndarray
    targets: np.ndarray
    examples: Substitutions

    @classmethod
    def of(cls, examples: Substitutions, index: Any) -> Asked:
        """The examples in the columns of an index that has `counts(documents)`, such as a fitted `Terms`."""
        return cls(
            contexts=sp.csr_array(index.counts(examples.contexts())),
            owners=examples.owners,
            words=columns_of(examples.candidates, index),
            targets=columns_of(examples.targets, index),
            examples=examples,
        )

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def unknown_share(self) -> float:
        """The share of candidates that the dictionary lacks."""
        return float(np.mean(self.words < 0))


def columns_of(words: Any, index: Any) -> np.ndarray:
    """The column of each word; -1 for what the dictionary lacks and for what is more than one word."""
    kinds, back = np.unique(
        np.array([str(word) for word in words], dtype=object).astype(str), return_inverse=True
    )
    counts = sp.csr_array(index.counts(kinds.tolist()))
    spaced = np.array([len(kind.split()) != 1 for kind in kinds])
    single = (np.diff(counts.indptr) == 1) & (np.asarray(counts.sum(axis=1)).ravel() == 1) & ~spaced
    columns = np.full(len(kinds), UNKNOWN, dtype=np.int64)
    columns[single] = counts.indices[counts.indptr[:-1][single]]
    return columns[back]

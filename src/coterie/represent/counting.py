"""Counting of terms in documents a block at a time: the tokens of all documents are never held at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.written import Written
from coterie.parts.budget import bytes_of, fits, left
from coterie.parts.sentences import counted
from coterie.represent.tokens import words

# a stop word, and a word outside the dictionary
DROPPED = -1
UNKNOWN = -2
_TOKENS = 500_000  # of a block, at least
_COPIES = 5  # of the weighted terms, with what is made on the way: 52 to 55 bytes of a count were measured
_SHARE = 0.5  # of what is left of the memory given: counts that outgrow it are not held, and are counted once more


class Numbers(dict[str, int]):
    """The number of every word as it is written, by a rule that is asked once for each kind of word."""

    def __init__(self, rule: Callable[[str], int]) -> None:
        super().__init__()
        self.rule = rule

    def __missing__(self, kind: str) -> int:
        number = self.rule(kind)
        self[kind] = number
        return number


def numbered_blocks(
    documents: Iterable[str], numbers: Numbers, lower: bool
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The numbers of the words of some documents, and where each of them ends; block after block."""
    parts: list[np.ndarray] = []
    held = 0
    for document in documents:
        found = words(document, lower)
        parts.append(np.fromiter(map(numbers.__getitem__, found), dtype=np.int64, count=len(found)))
        held += len(found)
        if held >= _TOKENS:
            yield np.concatenate(parts), np.cumsum([len(part) for part in parts])
            parts = []
            held = 0
    if parts:
        yield np.concatenate(parts), np.cumsum([len(part) for part in parts])


@dataclass(eq=False)
class Counted:
    """What a first pass over documents finds: all terms, in how many documents each is, how long documents are.

    Of documents in memory the counts are held as well, while there is room; of those in files, and of many, they are counted
    again, for the terms that stay.
    """

    documents: Iterable[str]
    lower: bool
    cut: Callable[[str], str | None]

    def __post_init__(self) -> None:
        place: dict[str, int] = {}

        def rule(kind: str) -> int:
            term = self.cut(kind)
            return DROPPED if term is None else place.setdefault(term, len(place))

        self.numbers = Numbers(rule)
        self.blocks = list[Any]()
        frequency = np.zeros(0, dtype=np.int64)
        sizes: list[np.ndarray] = []
        self.words = 0
        size = 0
        room = _SHARE * left()
        self.held = not isinstance(self.documents, Written)
        for tokens, ends in numbered_blocks(self.documents, self.numbers, self.lower):
            block = _small(counted(tokens, ends, len(place)))
            here = np.bincount(block.indices, minlength=len(place))
            here[: len(frequency)] += frequency
            frequency = here
            sizes.append(np.diff(ends, prepend=0))
            self.words += int((tokens >= 0).sum())
            size += bytes_of(block)
            self.held &= size <= room
            if self.held:
                self.blocks.append(block)
            else:
                self.blocks.clear()
        names = list(place)
        self.order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        self.names = [names[at] for at in self.order.tolist()]
        self.frequency = frequency[self.order]
        self.sizes = np.concatenate(sizes) if sizes else np.zeros(0, dtype=np.int64)

    def of(self, kept: np.ndarray) -> Any:
        """Documents x these terms (positions among the names), how often; refused where the memory given is too small."""
        total = int(self.frequency[kept].sum())
        n = len(self.sizes)
        _room(total, len(kept), n)
        column = np.full(len(self.names), -1, dtype=np.int64)
        column[self.order[kept]] = np.arange(len(kept))
        return stacked(
            (_renamed(block, column, len(kept)) for block in self._again()), total, n, len(kept)
        )

    def _again(self) -> Iterator[Any]:
        """The blocks of counts: those held, each let go when it was used, or counted once more."""
        if self.held:
            yield from _let_go(self.blocks)
            return
        for tokens, ends in numbered_blocks(self.documents, self.numbers, self.lower):
            yield counted(tokens, ends, len(self.names))


def counts_of(
    documents: Sequence[str], numbers: Numbers, lower: bool, width: int
) -> tuple[Any, int]:
    """Documents x terms of a dictionary, how often, and how many words there are besides stop words."""
    blocks = list[Any]()
    total = 0
    found = 0
    for tokens, ends in numbered_blocks(documents, numbers, lower):
        found += int((tokens != DROPPED).sum())
        blocks.append(_small(counted(tokens, ends, width)))
        total += blocks[-1].nnz
        _room(total, width, len(documents))
    return stacked(_let_go(blocks), total, len(documents), width), found


def _room(total: int, width: int, n: int) -> None:
    """Refuse counts that, with what is made of them, do not fit into the memory given."""
    said = f"The {total:,} counts of {width:,} terms in {n:,} documents"
    fits(total * 12 * _COPIES, said, "keep fewer terms (max_terms, min_df)")


def _let_go(blocks: list[Any]) -> Iterator[Any]:
    """The blocks in their order, none of them held any longer than it is used."""
    blocks.reverse()
    while blocks:
        yield blocks.pop()


def stacked(blocks: Iterator[Any], total: int, n_rows: int, width: int) -> Any:
    """Blocks of sparse rows as one matrix, filled in as they come."""
    data = np.empty(total)
    indices = np.empty(total, dtype=np.int32)
    starts = np.zeros(
        n_rows + 1, dtype=np.int32 if total < 2**31 else np.int64
    )  # of one kind with the columns: no copy
    at = row = 0
    for block in blocks:
        end = at + len(block.data)
        data[at:end] = block.data
        indices[at:end] = block.indices
        starts[row + 1 : row + 1 + block.shape[0]] = at + block.indptr[1:]
        at = end
        row = row + block.shape[0]
    return sp.csr_array((data, indices, starts), shape=(n_rows, width))


def _renamed(block: Any, column: np.ndarray, width: int) -> Any:
    """The rows of a block over other columns, in rising order; what has none is left out."""
    rows = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
    new = column[block.indices]
    known = new >= 0
    rows = rows[known]
    new = new[known]
    values = block.data[known]
    order = np.argsort(rows * max(width, 1) + new, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=block.shape[0]))])
    return sp.csr_array(
        (values[order].astype(np.float64), new[order], starts), shape=(block.shape[0], width)
    )


def _small(block: Any) -> Any:
    """The same counts in half the memory."""
    return sp.csr_array(
        (block.data.astype(np.int32), block.indices.astype(np.int32), block.indptr),
        shape=block.shape,
    )

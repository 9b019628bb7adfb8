"""Text and TaggedText: documents as strings, and sentences as tokens with features and marked spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.params import kind_of


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """One string per member."""

    documents: Sequence[str]

    @classmethod
    def of(cls, documents: Any) -> Text:
        """From a list or column of strings; anything that is not a string is named by its position."""
        if isinstance(documents, str):
            raise DataError("Text takes a list of documents, and was given one string; put it in a list.")
        rows = list(documents)
        for index, row in enumerate(rows):
            if not isinstance(row, str):
                raise DataError(f"Document {index} is {kind_of(row)} and not a string.")
        if not rows:
            raise DataError("There are no documents: the list is empty.")
        return cls(tuple(rows))

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[str]:
        return iter(self.documents)

    def __getitem__(self, index: int) -> str:
        return self.documents[index]

    def take(self, indices: Sequence[int] | np.ndarray) -> Text:
        return Text(tuple(self.documents[i] for i in indices))

    def __repr__(self) -> str:
        return f"Text({len(self)} documents)"


@dataclass(frozen=True, slots=True, eq=False)
class TaggedText:
    """Sentences of tokens with features; the members are spans of tokens, `spans[m] = (first, end)` in the flat token list."""

    tokens: np.ndarray
    offsets: np.ndarray
    spans: np.ndarray
    features: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, column in self.features.items():
            if len(column) != len(self.tokens):
                raise DataError(
                    f"TaggedText: feature '{name}' has {len(column)} values where there are {len(self.tokens)} tokens."
                )
        spans = np.asarray(self.spans, dtype=np.int64).reshape(-1, 2)
        object.__setattr__(self, "spans", spans)
        bad = np.flatnonzero((spans[:, 0] < 0) | (spans[:, 1] > len(self.tokens)) | (spans[:, 0] >= spans[:, 1]))
        if len(bad):
            raise DataError(
                f"TaggedText: member {bad[0]} spans tokens {spans[bad[0], 0]} to {spans[bad[0], 1]}, outside the text."
            )

    def __len__(self) -> int:
        return len(self.spans)

    def surface(self, member: int) -> str:
        """The words of a member."""
        first, end = self.spans[member]
        return " ".join(map(str, self.tokens[first:end]))

    def take(self, indices: Sequence[int] | np.ndarray) -> TaggedText:
        """The members at these positions; the sentences around them stay, since methods learn from them."""
        return TaggedText(self.tokens, self.offsets, self.spans[np.asarray(indices, dtype=np.int64)], self.features)

    def __repr__(self) -> str:
        return f"TaggedText({len(self)} spans in {len(self.offsets) - 1} sentences, {len(self.tokens)} tokens)"

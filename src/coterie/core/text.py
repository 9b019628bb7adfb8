"""Text and TaggedText: documents as strings, and sentences as tokens with features and marked spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import DataError
from coterie.core.params import kind_of
from coterie.core.written import Written


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """One string per member; `Written` ones stay in their files and are read when asked."""

    kind: ClassVar[str] = "text"
    modality: ClassVar[str] = "text"

    documents: Sequence[str]

    @classmethod
    def of(cls, documents: Any) -> Text:
        """From a list or column of strings; anything that is not a string is named by its position."""
        if isinstance(documents, Written) and len(documents):
            return cls(documents)
        if isinstance(documents, str):
            raise DataError(
                "Text takes a list of documents, and was given one string; put it in a list."
            )
        try:
            rows = list(documents)
        except TypeError:
            raise DataError(
                f"Text takes a list of documents, and was given {kind_of(documents)}."
            ) from None
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
        if isinstance(self.documents, Written):
            return Text(self.documents.take(indices))
        return Text(tuple(self.documents[i] for i in indices))

    def __repr__(self) -> str:
        return f"Text({len(self)} documents)"


@dataclass(frozen=True, slots=True, eq=False)
class TaggedText:
    """Sentences of tokens with features; members are marked spans of tokens, `spans[s] = (first, end)` in the flat list.

    A span is a member by itself, unless `owners[s]` names the member it is an occurrence of (every word a member, with
    all the places where it stands).
    """

    kind: ClassVar[str] = "tagged"
    modality: ClassVar[str] = "tagged"

    tokens: np.ndarray
    offsets: np.ndarray
    spans: np.ndarray
    features: Mapping[str, np.ndarray] = field(default_factory=dict)
    owners: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name, column in self.features.items():
            if len(column) != len(self.tokens):
                raise DataError(
                    f"feature '{name}' has {len(column)} values where there are {len(self.tokens)} tokens.",
                    owner="TaggedText",
                )
        offsets = np.asarray(self.offsets, dtype=np.int64)
        object.__setattr__(self, "offsets", offsets)
        if (
            offsets.ndim != 1
            or not len(offsets)
            or offsets[0] != 0
            or offsets[-1] != len(self.tokens)
            or (np.diff(offsets) < 0).any()
        ):
            raise DataError(
                f"offsets must rise from 0 to the number of tokens, {len(self.tokens)}.",
                owner="TaggedText",
            )
        spans = np.asarray(self.spans, dtype=np.int64).reshape(-1, 2)
        object.__setattr__(self, "spans", spans)
        bad = np.flatnonzero(
            (spans[:, 0] < 0) | (spans[:, 1] > len(self.tokens)) | (spans[:, 0] >= spans[:, 1])
        )
        if len(bad):
            raise DataError(
                f"span {bad[0]} goes from token {spans[bad[0], 0]} to {spans[bad[0], 1]}, outside the text.",
                owner="TaggedText",
            )
        if self.owners is not None:
            object.__setattr__(
                self, "owners", _checked_owners(np.asarray(self.owners, dtype=np.int64), len(spans))
            )

    def __len__(self) -> int:
        return len(self.spans) if self.owners is None else int(self.owners.max(initial=-1)) + 1

    def surface(self, member: int) -> str:
        """The words of a member (of its first occurrence)."""
        first, end = self.spans[
            member if self.owners is None else int(np.argmax(self.owners == member))
        ]
        return " ".join(map(str, self.tokens[first:end]))

    def sentence_of(self) -> np.ndarray:
        """The sentence in which each span stands."""
        return np.searchsorted(self.offsets, self.spans[:, 0], side="right") - 1

    def forms(self) -> np.ndarray:
        """One whole number per span, the same for spans of the same words; numbered as they first appear."""
        words: dict[tuple[str, ...], int] = {}
        return np.array(
            [
                words.setdefault(tuple(map(str, self.tokens[a:b])), len(words))
                for a, b in self.spans
            ],
            dtype=np.int64,
        )

    def by_form(self) -> TaggedText:
        """The same text with one member per surface form, each with all its occurrences."""
        return TaggedText(self.tokens, self.offsets, self.spans, self.features, self.forms())

    def take(self, indices: Sequence[int] | np.ndarray) -> TaggedText:
        """The members at these positions; the sentences around them stay, since methods learn from them."""
        chosen = np.asarray(indices, dtype=np.int64)
        if self.owners is None:
            return TaggedText(self.tokens, self.offsets, self.spans[chosen], self.features)
        order = np.argsort(self.owners, kind="stable")
        count = np.bincount(self.owners, minlength=len(self))
        first = np.concatenate([[0], np.cumsum(count)])
        spans = (
            np.concatenate([order[first[m] : first[m + 1]] for m in chosen])
            if len(chosen)
            else chosen
        )
        owners = np.repeat(np.arange(len(chosen)), count[chosen])
        return TaggedText(self.tokens, self.offsets, self.spans[spans], self.features, owners)

    def __repr__(self) -> str:
        what = (
            f"{len(self)} spans"
            if self.owners is None
            else f"{len(self)} members with {len(self.spans)} spans"
        )
        return f"TaggedText({what} in {len(self.offsets) - 1} sentences, {len(self.tokens)} tokens)"


def _checked_owners(owners: np.ndarray, n_spans: int) -> np.ndarray:
    """Members of the spans, numbered from 0 without a gap."""
    if owners.shape != (n_spans,):
        raise DataError(f"there are {owners.size} owners for {n_spans} spans.", owner="TaggedText")
    if n_spans and (owners.min() < 0 or (np.bincount(owners) == 0).any()):
        lost = int(np.argmin(np.bincount(owners))) if owners.min() >= 0 else int(owners.min())
        raise DataError(
            f"member {lost} owns no span; owners number the members from 0 without a gap.",
            owner="TaggedText",
        )
    return owners

"""Substitutions: places in sentences, words that might stand there instead, and which are acceptable; and senses of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from coterie.core.errors import DataError
from coterie.core.given import whole_of, yes_no_of


@dataclass(frozen=True, slots=True, eq=False)
class Substitutions:
    """Candidates for places in sentences: example e asks whether `candidates[e]` may stand at the place `owners[e]`.

    A place is a token of a sentence (`sentence`, `position` counted from 0) with the word that stands there as a dictionary
    writes it (`targets`) and its part of speech where it is known (`kinds`: n, v, a, r or "").
    """

    sentences: Sequence[Sequence[str]]
    sentence: np.ndarray
    position: np.ndarray
    targets: Sequence[str]
    owners: np.ndarray
    candidates: Sequence[str]
    labels: np.ndarray | None = None
    kinds: Sequence[str] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("sentence", "position", "owners"):
            object.__setattr__(self, name, whole_of(getattr(self, name), f"Substitutions: {name}"))
        if not self.kinds:
            object.__setattr__(self, "kinds", ("",) * len(self.targets))
        n = len(self.targets)
        if not (len(self.sentence) == len(self.position) == len(self.kinds) == n) or len(
            self.owners
        ) != len(self.candidates):
            raise DataError(
                "Substitutions: every place needs a sentence, a position and a word, every candidate a place."
            )
        if not len(self.owners):
            raise DataError("Substitutions: there is no candidate.")
        if self.owners.min() < 0 or self.owners.max() >= n or (np.diff(self.owners) < 0).any():
            raise DataError(
                "Substitutions: the candidates must stand in the order of their places."
            )
        empty = np.flatnonzero(np.bincount(self.owners, minlength=n) == 0)
        if len(empty):
            raise DataError(f"Substitutions: place {empty[0]} has no candidate.")
        self._check_places()
        if self.labels is not None:
            labels = yes_no_of(self.labels, "Substitutions: the labels")
            object.__setattr__(self, "labels", labels)
            if labels.shape != self.owners.shape:
                raise DataError(
                    f"Substitutions: there are {len(self.owners)} candidates and {labels.size} labels."
                )

    def _check_places(self) -> None:
        """Every candidate is a word, and every place is a token of a sentence that is there."""
        for at, word in enumerate(self.candidates):
            if not isinstance(word, str) or not word.strip():
                raise DataError(
                    f"Substitutions: candidate {at} is {word!r}; a candidate is a word."
                )
        lost = np.flatnonzero((self.sentence < 0) | (self.sentence >= len(self.sentences)))
        if len(lost):
            raise DataError(
                f"Substitutions: place {lost[0]} is in sentence {self.sentence[lost[0]]}, and there are "
                f"{len(self.sentences)} sentences, counted from 0."
            )
        for place in range(len(self.targets)):
            if not 0 <= self.position[place] < len(self.sentences[self.sentence[place]]):
                size = len(self.sentences[self.sentence[place]])
                raise DataError(
                    f"Substitutions: place {place} is token {self.position[place]} of a sentence of {size} tokens; "
                    "positions are counted from 0."
                )

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def n_places(self) -> int:
        return len(self.targets)

    def contexts(self) -> list[str]:
        """The sentence of every place without the word that stands there."""
        found = []
        for at, place in zip(self.sentence, self.position, strict=True):
            row = self.sentences[at]
            found.append(" ".join([*row[:place], *row[place + 1 :]]))
        return found

    def groups(self) -> np.ndarray:
        """The sentence of every candidate."""
        return np.asarray(self.sentence[self.owners])

    def take(self, places: np.ndarray) -> Substitutions:
        """The places of these numbers with their candidates."""
        chosen = np.asarray(places, dtype=np.int64)
        first = np.searchsorted(self.owners, chosen, side="left")
        size = np.searchsorted(self.owners, chosen, side="right") - first
        rows = np.repeat(first - np.concatenate([[0], np.cumsum(size)[:-1]]), size) + np.arange(
            size.sum()
        )
        return replace(
            self,
            sentence=self.sentence[chosen],
            position=self.position[chosen],
            targets=tuple(self.targets[i] for i in chosen),
            kinds=tuple(self.kinds[i] for i in chosen),
            owners=np.repeat(np.arange(len(chosen)), size),
            candidates=tuple(self.candidates[i] for i in rows),
            labels=None if self.labels is None else self.labels[rows],
        )

    def __repr__(self) -> str:
        return f"Substitutions({len(self)} candidates for {self.n_places} places in {len(np.unique(self.sentence))} sentences)"


@dataclass(frozen=True, slots=True, eq=False)
class Senses:
    """The senses of words: for each sense (a name that ends in ".n", ".v", ".a", ".s" or ".r") its words.

    `seen` says how often a word was found in a sense, where a text with marked senses was counted.
    """

    words: Mapping[str, Sequence[str]]
    seen: Mapping[tuple[str, str], float] = field(default_factory=dict)
    by_word: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        by_word: dict[str, list[str]] = {}
        for sense, words in self.words.items():
            for word in dict.fromkeys(words):
                by_word.setdefault(word, []).append(sense)
        object.__setattr__(self, "by_word", by_word)

    def of(self, word: str, kind: str = "") -> list[str]:
        """The senses of a word, of one part of speech where it is given."""
        wanted = {"a": ("a", "s"), "s": ("a", "s")}.get(kind, (kind,))
        return [
            sense
            for sense in self.by_word.get(word, ())
            if not kind or sense.rpartition(".")[2] in wanted
        ]

    def synonyms(self, word: str, kind: str = "") -> list[str]:
        """The words that share a sense with this one, each once."""
        return [
            other
            for other in dict.fromkeys(
                w for sense in self.of(word, kind) for w in self.words[sense]
            )
            if other != word
        ]

    def shared(self, word: str, other: str, kind: str = "") -> float:
        """The share of the occurrences of a word in a sense that the other word has too; of its senses where none was seen.

        >>> Senses({"1.n": ["car", "auto"], "2.n": ["car", "wagon"]}).shared("car", "auto", "n")
        0.5
        """
        own = self.of(word, kind)
        if not own:
            return 0.0
        theirs = set(self.of(other, kind))
        weights = [self.seen.get((word, sense), 0.0) for sense in own]
        if not sum(weights):
            weights = [1.0] * len(own)
        return sum(
            weight for sense, weight in zip(own, weights, strict=True) if sense in theirs
        ) / sum(weights)

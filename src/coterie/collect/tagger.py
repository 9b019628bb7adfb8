"""Taggers: what gives words their parts of speech, and an averaged perceptron that can be trained, kept and loaded."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from coterie.core.errors import DataError

START = "-START-"
BEFORE = "-START2-"
END = "-END-"
AFTER = "-END2-"

Sentence = Sequence[tuple[str, str]]  # words with their tags


@runtime_checkable
class Tagger(Protocol):
    """Anything that gives every word of one sentence a tag; write your own around any library."""

    def tag(self, tokens: Sequence[str]) -> list[str]:
        """One tag per word, in their order."""


@dataclass(frozen=True, slots=True, eq=False)
class Perceptron:
    """An averaged perceptron that tags a sentence from left to right, by the words around and the two tags before.

    >>> tagger = Perceptron.train([[("the", "DT"), ("dog", "NN"), ("barks", "VBZ")]], epochs=3, random_state=0)
    >>> tagger.tag(["the", "dog", "barks"])
    ['DT', 'NN', 'VBZ']
    """

    weights: Mapping[str, Mapping[str, float]]  # feature -> tag -> weight
    tagdict: Mapping[str, str]  # frequent words that always have one tag
    classes: tuple[str, ...]
    name: str = field(default="perceptron", kw_only=True)
    _kept: dict[str, Any] = field(
        default_factory=dict, init=False, repr=False
    )  # sums of weights met before

    @classmethod
    def train(
        cls, sentences: Iterable[Sentence], epochs: int = 5, random_state: Any = 0
    ) -> Perceptron:
        """A tagger learned from sentences of (word, tag) pairs; the order of the sentences is drawn anew in every epoch."""
        from coterie.collect.tagger_training import trained

        weights, tagdict, classes = trained(sentences, epochs, random_state)
        return cls(weights, tagdict, classes)

    def tag(self, tokens: Sequence[str]) -> list[str]:
        """The tags of one sentence."""
        from coterie.collect.tagger_scores import Scores

        scores = self._kept.get("scores") or self._kept.setdefault(
            "scores", Scores(self.weights, self.classes)
        )
        found: list[str] = []
        context = framed(tokens)
        last = START
        before = BEFORE
        for at, word in enumerate(tokens):
            tag = self.tagdict.get(word)
            if tag is None:
                tag = scores.best(at, word, context, last, before)
            found.append(tag)
            last, before = tag, last
        return found

    def accuracy(self, sentences: Iterable[Sentence]) -> float:
        """The share of the words of tagged sentences that get their own tag."""
        right = total = 0
        for sentence in sentences:
            guessed = self.tag([word for word, _ in sentence])
            right += sum(tag == own for tag, (_, own) in zip(guessed, sentence, strict=True))
            total += len(guessed)
        if not total:
            raise DataError("There is no word to measure the tagger on.")
        return right / total

    def save(self, path: str | Path) -> Path:
        """Write the tagger as JSON (keys weights, tagdict, classes), compressed where the name ends with .gz."""
        place = Path(path)
        text = json.dumps(
            {"weights": self.weights, "tagdict": self.tagdict, "classes": sorted(self.classes)},
            sort_keys=True,
        )
        data = text.encode("utf-8")
        place.write_bytes(
            gzip.compress(data, mtime=0) if place.name.lower().endswith(".gz") else data
        )
        return place

    @classmethod
    def load(cls, path: str | Path) -> Perceptron:
        """A tagger from a JSON file (also .gz) with the keys weights (feature -> tag -> weight), tagdict and classes."""
        place = Path(path)
        try:
            data = place.read_bytes()
            made = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        except FileNotFoundError:
            raise DataError(f"There is no file '{place}'.") from None
        except (OSError, EOFError, zlib.error, ValueError, RecursionError):
            raise DataError(f"'{place.name}' is no tagger: it cannot be read as JSON.") from None
        return cls(*_checked(made, place.name), name=place.name.split(".")[0])

    def __repr__(self) -> str:
        return f"Perceptron('{self.name}', {len(self.classes)} tags, {len(self.weights)} features)"


def framed(tokens: Sequence[str]) -> list[str]:
    """The words in the form in which they are compared, with two marks on either side."""
    return [START, BEFORE, *(shape(word) for word in tokens), END, AFTER]


def shape(word: str) -> str:
    """A word as the features see it: in lower case; hyphens, years and other numbers are one word each.

    >>> [shape(word) for word in ("Dog", "well-known", "1987", "3,000")]
    ['dog', '!HYPHEN', '!YEAR', '!DIGITS']
    """
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word[:1].isdigit():
        return "!YEAR" if word.isdigit() and len(word) == 4 else "!DIGITS"
    return word.lower()


def features(at: int, word: str, context: Sequence[str], last: str, before: str) -> tuple[str, ...]:
    """What is seen of the word at a place: itself, its ends, the words two places around, and the two tags before."""
    here = context[at + 2]
    left = context[at + 1]
    right = context[at + 3]
    return (
        "bias",
        f"i suffix {word[-3:]}",
        f"i pref1 {word[:1]}",
        f"i-1 tag {last}",
        f"i-2 tag {before}",
        f"i tag+i-2 tag {last} {before}",
        f"i word {here}",
        f"i-1 tag+i word {last} {here}",
        f"i-1 word {left}",
        f"i-1 suffix {left[-3:]}",
        f"i-2 word {context[at]}",
        f"i+1 word {right}",
        f"i+1 suffix {right[-3:]}",
        f"i+2 word {context[at + 4]}",
    )


def _checked(
    made: Any, name: str
) -> tuple[dict[str, dict[str, float]], dict[str, str], tuple[str, ...]]:
    """The three parts of a tagger that was read, or a sentence on what is wrong with them."""
    if not isinstance(made, dict) or not {"weights", "tagdict", "classes"} <= made.keys():
        raise DataError(f"'{name}' is no tagger: it needs the keys weights, tagdict and classes.")
    weights = made["weights"]
    tagdict = made["tagdict"]
    classes = made["classes"]
    if (
        not isinstance(classes, list)
        or not classes
        or not all(isinstance(tag, str) for tag in classes)
    ):
        raise DataError(f"The classes of the tagger '{name}' must be a list of tags.")
    if not isinstance(tagdict, dict) or not all(isinstance(tag, str) for tag in tagdict.values()):
        raise DataError(f"The tagdict of the tagger '{name}' must give each word one tag.")
    if not isinstance(weights, dict) or not all(isinstance(row, dict) for row in weights.values()):
        raise DataError(
            f"The weights of the tagger '{name}' must give each feature its weights by tag."
        )
    known = set(classes)
    for feature, row in weights.items():
        if not all(isinstance(weight, (int, float)) for weight in row.values()):
            raise DataError(
                f"The feature '{feature}' of the tagger '{name}' has a weight that is no number."
            )
        if not row.keys() <= known:
            stranger = min(row.keys() - known)
            raise DataError(
                f"The feature '{feature}' of the tagger '{name}' weighs '{stranger}', which is not among its classes."
            )
    return weights, tagdict, tuple(sorted(classes))

"""Taggers: what gives words their parts of speech, and an averaged perceptron that can be trained, kept and loaded."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.workplace import watched, workplace

START = "-START-"
BEFORE = "-START2-"
END = "-END-"
AFTER = "-END2-"

Sentence = Sequence[tuple[str, str]]  # words with their tags
Weights = dict[str, dict[str, float]]

_OFTEN = 20  # occurrences from which a word may be said to have one tag
_SURELY = 0.97  # share of these that must have it
_DIGITS = 6  # of the weights that are kept


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


class _Averaged:
    """Weights with their sums over time, kept lazily: a weight is added up only when it changes."""

    def __init__(self) -> None:
        self.weights: Weights = {}
        self._sums: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._since: dict[tuple[str, str], int] = {}
        self.now = 0

    def update(self, true: str, guessed: str, seen: Iterable[str]) -> None:
        """One word was seen; the weights of its features move where the guess was wrong."""
        self.now += 1
        if true == guessed:
            return
        for feature in seen:
            row = self.weights.setdefault(feature, {})
            for tag, step in ((true, 1.0), (guessed, -1.0)):
                key = (feature, tag)
                weight = row.get(tag, 0.0)
                self._sums[key] += (self.now - self._since.get(key, 0)) * weight
                self._since[key] = self.now
                row[tag] = weight + step

    def mean(self) -> Weights:
        """The mean of every weight over all words seen; what is 0 is left out."""
        found: Weights = {}
        for feature, row in self.weights.items():
            kept = {}
            for tag, weight in row.items():
                key = (feature, tag)
                total = self._sums[key] + (self.now - self._since.get(key, 0)) * weight
                mean = round(total / self.now, _DIGITS)
                if mean:
                    kept[tag] = mean
            if kept:
                found[feature] = kept
        return found


def trained(
    sentences: Iterable[Sentence], epochs: int, random_state: Any
) -> tuple[Weights, dict[str, str], tuple[str, ...]]:
    """Weights, the words with one tag, and all tags, from tagged sentences."""
    if isinstance(epochs, bool) or not isinstance(epochs, int) or epochs < 1:
        raise ParameterError(f"epochs must be a whole number from 1, and was {epochs!r}.")
    rows = _read(sentences)
    classes = tuple(sorted({tag for sentence in rows for _, tag in sentence}))
    tagdict = _sure(rows)
    model = _Averaged()
    generator = stream(random_state)
    with watched(workplace().watch, "training the tagger", epochs * len(rows)) as task:
        for _ in range(epochs):
            for at in generator.permutation(len(rows)).tolist():
                _learn(model, rows[at], tagdict, classes)
                task.advance()
    return (model.mean() if model.now else {}), tagdict, classes


def _learn(
    model: _Averaged, sentence: Sentence, tagdict: dict[str, str], classes: Sequence[str]
) -> None:
    """One sentence from left to right; the tags before a word are those guessed, as they will be later."""
    context = framed([word for word, _ in sentence])
    last = START
    before = BEFORE
    for at, (word, true) in enumerate(sentence):
        guessed = tagdict.get(word)
        if guessed is None:
            seen = features(at, word, context, last, before)
            guessed = _best(model.weights, seen, classes)
            model.update(true, guessed, seen)
        last, before = guessed, last


def _best(
    weights: Mapping[str, Mapping[str, float]], seen: Iterable[str], classes: Sequence[str]
) -> str:
    """The tag with the greatest sum of weights; of equal ones the last in the alphabet, so that it is always the same."""
    scores: dict[str, float] = {}
    for feature in seen:
        row = weights.get(feature)
        if row:
            for tag, weight in row.items():
                scores[tag] = scores.get(tag, 0.0) + weight
    top = max(scores.values(), default=0.0)
    if top <= 0.0 and len(scores) < len(
        classes
    ):  # tags that nothing speaks for or against stand at 0
        rest = [tag for tag in classes if scores.get(tag, 0.0) == max(top, 0.0)]
        return max(rest)
    return max(tag for tag, score in scores.items() if score == top)


def _read(sentences: Iterable[Sentence]) -> list[list[tuple[str, str]]]:
    """Sentences of (word, tag) pairs, checked; empty ones are left out."""
    found = []
    for at, sentence in enumerate(sentences):
        row = [tuple(pair) for pair in sentence]
        for place, pair in enumerate(row):
            if len(pair) != 2 or not all(isinstance(part, str) and part for part in pair):
                raise DataError(
                    f"Word {place} of sentence {at} must be a pair (word, tag), and was {pair!r}."
                )
        if row:
            found.append([(str(word), str(tag)) for word, tag in row])
    if not found:
        raise DataError("There are no tagged sentences to train a tagger on.")
    return found


def _sure(sentences: Iterable[Sentence]) -> dict[str, str]:
    """Frequent words that nearly always have one tag: these are looked up and not guessed."""
    often: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, tag in sentence:
            often[word][tag] += 1
    found = {}
    for word, tags in often.items():
        tag, count = min(tags.items(), key=lambda item: (-item[1], item[0]))
        if tags.total() >= _OFTEN and count >= _SURELY * tags.total():
            found[word] = tag
    return found


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

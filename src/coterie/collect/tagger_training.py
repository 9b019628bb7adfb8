"""Training of the averaged perceptron: weights move where a tag is guessed wrongly, and their mean over all words is kept."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coterie.collect.tagger import BEFORE, START, Sentence, features, framed
from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.watch import watched
from coterie.core.workplace import workplace

_OFTEN = 20  # occurrences from which a word may be said to have one tag
_SURELY = 0.97  # share of these that must have it
_DIGITS = 6  # of the weights that are kept

Weights = dict[str, dict[str, float]]


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

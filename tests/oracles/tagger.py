"""The tagger without shortcuts: every weight looked up for every word, and means taken by adding all weights at every word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coterie.collect.tagger import BEFORE, START, features, framed


def top(
    weights: Mapping[str, Mapping[str, float]], seen: Sequence[str], classes: Sequence[str]
) -> str:
    """The tag with the greatest sum; of equal ones the last in the alphabet."""
    sums = {tag: sum(weights.get(feature, {}).get(tag, 0.0) for feature in seen) for tag in classes}
    return max(classes, key=lambda tag: (round(sums[tag], 9), tag))


def tags(
    weights: Mapping[str, Mapping[str, float]],
    tagdict: Mapping[str, str],
    classes: Sequence[str],
    words: Sequence[str],
) -> list[str]:
    """The tags of a sentence."""
    found: list[str] = []
    last = START
    before = BEFORE
    for at, word in enumerate(words):
        tag = tagdict.get(word) or top(
            weights, features(at, word, framed(words), last, before), classes
        )
        found.append(tag)
        last, before = tag, last
    return found


def averaged(
    sentences: Sequence[Sequence[tuple[str, str]]], classes: Sequence[str]
) -> dict[tuple[str, str], float]:
    """The mean weight of every feature and tag after one pass in the given order."""
    weights: dict[str, dict[str, float]] = {}
    sums: dict[tuple[str, str], float] = {}
    steps = 0
    for sentence in sentences:
        words = [word for word, _ in sentence]
        last = START
        before = BEFORE
        for at, (word, true) in enumerate(sentence):
            seen = features(at, word, framed(words), last, before)
            guessed = top(weights, seen, classes)
            steps += 1
            for feature, row in weights.items():  # the weights with which this word was met
                for tag, weight in row.items():
                    sums[feature, tag] = sums.get((feature, tag), 0.0) + weight
            if guessed != true:
                for feature in seen:
                    row = weights.setdefault(feature, {})
                    row[true] = row.get(true, 0.0) + 1.0
                    row[guessed] = row.get(guessed, 0.0) - 1.0
            last, before = guessed, last
    return {key: total / steps for key, total in sums.items() if total}

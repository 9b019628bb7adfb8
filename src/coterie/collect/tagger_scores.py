"""Scores of tags: the weights of a tagger added up, with the sums of words and tags met before kept for the next time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

_MOST = 4_000_000  # numbers that are kept of each part of a sum

Key = tuple[str, str]


class Scores:
    """The best tag of a word among its neighbors: a sum over the word itself, each neighbor, and the two tags before.

    The features are those of `coterie.collect.tagger.features`, in parts that come again: the same word, the same
    word on the left. A part is added up once.
    """

    def __init__(self, weights: Mapping[str, Mapping[str, float]], classes: Sequence[str]) -> None:
        self.weights = weights
        self.classes = tuple(
            sorted(classes, reverse=True)
        )  # of equal ones the last in the alphabet is first here
        self._place = {tag: at for at, tag in enumerate(self.classes)}
        self._most = max(100, _MOST // len(self.classes))
        self._kept: dict[Callable[..., tuple[str, ...]], dict[Key, np.ndarray]] = {
            part: {} for part in _PARTS
        }

    def best(self, at: int, word: str, context: Sequence[str], last: str, before: str) -> str:
        """The tag with the greatest sum of weights."""
        far, left, here, right, beyond = context[at : at + 5]
        total = self._sum(_own, word, here) + self._sum(_left, left)
        total += self._sum(_right, right)
        total += self._sum(_far, far)
        total += self._sum(_beyond, beyond)
        total += self._sum(_tags, last, before)
        for tag, weight in self.weights.get(f"i-1 tag+i word {last} {here}", {}).items():
            total[self._place[tag]] += weight
        return self.classes[int(total.argmax())]

    def _sum(self, part: Callable[..., tuple[str, ...]], one: str, two: str = "") -> np.ndarray:
        """The weights of one part of the features as a row of tags."""
        kept = self._kept[part]
        row = kept.get((one, two))
        if row is None:
            row = np.zeros(len(self.classes))
            for feature in part(one, two):
                for tag, weight in self.weights.get(feature, {}).items():
                    row[self._place[tag]] += weight
            if len(kept) >= self._most:
                kept.clear()
            kept[one, two] = row
        return row


def _own(word: str, here: str) -> tuple[str, ...]:
    return "bias", f"i suffix {word[-3:]}", f"i pref1 {word[:1]}", f"i word {here}"


def _left(word: str, _: str) -> tuple[str, ...]:
    return f"i-1 word {word}", f"i-1 suffix {word[-3:]}"


def _right(word: str, _: str) -> tuple[str, ...]:
    return f"i+1 word {word}", f"i+1 suffix {word[-3:]}"


def _far(word: str, _: str) -> tuple[str, ...]:
    return (f"i-2 word {word}",)


def _beyond(word: str, _: str) -> tuple[str, ...]:
    return (f"i+2 word {word}",)


def _tags(last: str, before: str) -> tuple[str, ...]:
    return f"i-1 tag {last}", f"i-2 tag {before}", f"i tag+i-2 tag {last} {before}"


_PARTS = (_own, _left, _right, _far, _beyond, _tags)

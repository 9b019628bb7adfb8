"""Outputs on members or categories as tables of yes, no and scores, and decisions from scores by honest thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie.core.errors import DataError
from coterie.parts.thresholds import Marks, cut, middle_of_best
from coterie.workflows.system_files import Outputs, yes_no
from coterie.workflows.system_words import said_yes


@dataclass(frozen=True, slots=True, eq=False)
class Tabled:
    """Members x categories (one category where there is none named): the truth, what was said, and the scores."""

    file: str
    categories: tuple[str, ...]
    truth: Marks
    said: Marks | None
    scores: np.ndarray | None
    notes: tuple[str, ...] = ()


def tabled(found: Outputs, positive: str | None) -> Tabled:
    """Rows as tables; a (document, category) that has no row is taken as "not true, not said"."""
    truth = _marks(found, positive)
    said = None if found.said is None else said_yes(found.said, positive)
    if found.of is None:
        return Tabled(
            found.file,
            ("",),
            truth[:, None],
            None if said is None else said[:, None],
            _column(found.scores),
        )
    members, row = np.unique(found.ids.astype(str), return_inverse=True)
    categories, column = np.unique(found.of.astype(str), return_inverse=True)
    shape = (members.size, categories.size)
    lacking = members.size * categories.size - len(found.ids)
    if lacking and said is None:
        raise DataError(
            f"'{found.file}' lacks a score for {lacking:,} of its pairs of document and category; give one for each."
        )
    notes = (
        (
            f"{lacking:,} pairs of document and category have no row: taken as not true and not said.",
        )
        if lacking
        else ()
    )
    tables = []
    for values in (truth, said):
        table = np.zeros(shape, dtype=bool)
        if values is not None:
            table[row, column] = values
        tables.append(table)
    scores = None
    if found.scores is not None and not lacking:
        scores = np.empty(shape)
        scores[row, column] = found.scores
    return Tabled(
        found.file,
        tuple(categories.tolist()),
        tables[0],
        None if said is None else tables[1],
        scores,
        notes,
    )


def _marks(found: Outputs, positive: str | None) -> Marks:
    marks = None if found.truth is None else yes_no(found.truth, positive)
    if marks is None:
        raise DataError(
            f"The truth of '{found.file}' must be yes or no (1 and 0), or positive must name what counts as yes.",
            parameter="positive",
        )
    return marks


def _column(scores: np.ndarray | None) -> np.ndarray | None:
    return None if scores is None else scores[:, None]


def thresholded(
    tests: Sequence[Tabled], dev: Sequence[Tabled], threshold: float | None
) -> tuple[list[Marks], list[str]]:
    """What every system decides: its predictions, or its scores above a threshold given or chosen on development data."""
    if all(one.said is not None for one in tests) and threshold is None:
        return [one.said for one in tests if one.said is not None], []
    lacking = next((one for one in tests if one.scores is None), None)
    if lacking is not None:
        raise DataError(
            f"'{lacking.file}' has predictions and no scores, and another file has scores and no predictions."
        )
    scores = [one.scores for one in tests if one.scores is not None]
    if threshold is not None:
        return [one > threshold for one in scores], [
            f"What scores above {threshold:g} counts as yes."
        ]
    if not dev:
        told = "There are scores and no predictions: F1 and the like need a threshold, or development rows in a column 'split'."
        return [], [told]
    each = "each category of each system" if len(tests[0].categories) > 1 else "each system"
    said = []
    notes = [
        f"The threshold of {each} is the one that gives the largest F1 on the development part."
    ]
    for one, other in zip(dev, scores, strict=True):
        if one.categories != tests[0].categories:
            raise DataError(
                f"The development part of '{one.file}' has other categories than its test part."
            )
        thresholds, lost = _best(one)
        said.append(other > thresholds)
        notes += lost
    return said, notes


def _best(dev: Tabled) -> tuple[np.ndarray, list[str]]:
    """The threshold of the largest F1 of each category; a category that lacks a side takes nothing."""
    found = np.full(len(dev.categories), np.inf)
    lost = []
    for k, name in enumerate(dev.categories):
        truth = dev.truth[:, k]
        if dev.scores is None:
            raise DataError(f"The development part of '{dev.file}' has no scores.")
        if not truth.any() or truth.all():
            lost.append(name or "the members")
            continue
        whole = cut(dev.scores[:, k], truth)
        found[k] = whole.thresholds[middle_of_best(-whole.f1[:, None])[0]]
    if len(lost) == len(dev.categories):
        raise DataError(
            f"The development part of '{dev.file}' lacks positive or negative members, so that no threshold can be chosen."
        )
    return found, [
        f"No threshold could be chosen for {', '.join(lost[:5])}: nothing is taken there."
    ] if lost else []

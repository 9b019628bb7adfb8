"""What is said of a comparison of systems, the same on the terminal and on the page: numbers in one form, notes, the test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from coterie.core.errors import DataError
from coterie.judge.systems import SMALLER_IS_BETTER, Comparison, Pair
from coterie.workflows.system_files import NO, YES, Outputs
from coterie.workflows.system_parts import MACRO

_OF_SCORES = ("average precision", "AUC", "break-even point", "EER", *MACRO.values())
NO_INTERVAL = "no interval"


def p_words(p: float) -> str:
    """A p-value with two digits.

    >>> p_words(0.00049), p_words(0.0314), p_words(1.0)
    ('< 0.001', '0.031', '1')
    """
    return "< 0.001" if p < 0.001 else f"{p:.2g}"


def level_words(level: float) -> str:
    """The share an interval holds.

    >>> level_words(0.95)
    '95%'
    """
    return f"{100 * level:g}%"


def interval(lower: float, upper: float, signed: bool = False) -> str:
    """An interval, or that there is none where all samples agree.

    >>> interval(0.5, 0.75), interval(-0.1, 0.2, signed=True), interval(1.0, 1.0)
    ('0.500 to 0.750', '-0.100 to +0.200', 'no interval')
    """
    if not lower < upper:
        return NO_INTERVAL
    return f"{lower:+.3f} to {upper:+.3f}" if signed else f"{lower:.3f} to {upper:.3f}"


def differ_on(one: Comparison, pair: Pair) -> str:
    """How many members two systems decide otherwise; nothing for scores and queries, which are hardly ever equal."""
    if one.main in _OF_SCORES or one.unit == "queries":
        return ""
    return f"{pair.result.discordant:,} of {pair.result.n:,} {one.unit}"


def which_test(one: Comparison) -> str:
    """Which test was made and why, and how several pairs are dealt with."""
    told = f"Differences of {one.main} are judged by {_article(one.test)}, because {one.why}."
    if len(one.pairs) > 1:
        told += f" The p-values are corrected for {len(one.pairs)} pairs (Holm)."
    return told


def _article(test: str) -> str:
    return test if test.startswith(("McNemar", "Wilcoxon")) else f"a {test}"


def remarks(one: Comparison, level: float) -> list[str]:
    """What a reader should know: intervals without width, tests and intervals that part, accuracy that says otherwise."""
    flat = [
        f"{measure.name} of {name}"
        for measure in one.measures
        for at, name in enumerate(one.systems)
        if not measure.lower[at] < measure.upper[at]
    ]
    flat += [
        f"{pair.first} less {pair.second}"
        for pair in one.pairs
        if not pair.result.lower < pair.result.upper
    ]
    told = []
    if flat:
        more = f" (and {len(flat) - 3} more)" if len(flat) > 3 else ""
        told.append(
            f"There is no interval for {', '.join(flat[:3])}{more}: every sample drawn has the same value, as where all of a "
            f"kind is right or all of it wrong; more {one.unit} may still show otherwise."
        )
    for pair in one.pairs:
        inside = pair.result.lower <= 0 <= pair.result.upper
        if not pair.result.test.startswith("bootstrap") and inside == (
            pair.result.p_value <= 1 - level
        ):
            told.append(
                f"The test and the interval of {pair.first} less {pair.second} do not say the same: the interval is of the mean "
                "difference over samples drawn, and the test is another; take the difference as doubtful."
            )
    return told + _otherwise(one)


def _otherwise(one: Comparison) -> list[str]:
    """Pairs of which accuracy says the opposite of the main measure."""
    if one.main == "accuracy" or "accuracy" not in [measure.name for measure in one.measures]:
        return []
    main = one.measure(one.main)
    right = one.measure("accuracy")
    told = []
    sign = -1 if one.main in SMALLER_IS_BETTER else 1
    for pair in one.pairs:
        i = one.systems.index(pair.first)
        j = one.systems.index(pair.second)
        gap = sign * (main.value[i] - main.value[j])
        other = right.value[i] - right.value[j]
        if gap * other < 0:
            better, worse = (i, j) if gap > 0 else (j, i)
            told.append(
                f"{one.main} and accuracy disagree: {one.systems[better]} is ahead in {one.main} and {one.systems[worse]} in "
                f"accuracy ({right.value[better]:.3f} and {right.value[worse]:.3f})."
            )
    return told


def strange(
    systems: Sequence[Outputs], labels: Collection[str], positive: str | None, decided: bool
) -> list[str]:
    """Predictions that the truth never has, with their counts; a system that says nothing else is refused.

    `labels` are those of the truth; `decided` says that they are yes and no, which have several words.
    """
    notes = []
    for one in systems:
        if one.said is None:
            continue
        loose = decided and positive is None
        unknown = Counter(
            word for word in one.said if not (word.lower() in YES | NO if loose else word in labels)
        )
        if not unknown:
            continue
        listed = [f"'{word}' {_times(many)}" for word, many in unknown.most_common(3)]
        listed += [f"{len(unknown) - 3:,} more"] if len(unknown) > 3 else []
        named = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
        told = f"'{one.file}' predicts {named}, which the truth never has"
        if sum(unknown.values()) == len(one.said):
            known = ", ".join(sorted(labels)[:5]) + (", ..." if len(labels) > 5 else "")
            raise DataError(
                f"{told}, and nothing else; the truth has {known}: name the right column.",
                parameter="prediction",
            )
        counts = f"not {positive}" if positive is not None else "no" if decided else "wrong"
        notes.append(f"{told}: that counts as {counts}.")
    return notes


def _times(many: int) -> str:
    return "once" if many == 1 else f"{many:,} times"


def said_yes(words: np.ndarray, positive: str | None) -> np.ndarray:
    """Predictions as yes and no; a word that is neither is no."""
    return np.array(
        [word == positive if positive is not None else word.lower() in YES for word in words],
        dtype=bool,
    )

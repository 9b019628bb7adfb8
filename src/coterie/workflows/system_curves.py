"""Curves of systems that give scores: what to expect at thresholds chosen beforehand, and the curves of the test data itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie.core.errors import DataError
from coterie.judge.curves import Curve
from coterie.judge.expected import expected_performance
from coterie.judge.operating import TradeOff, trade_off
from coterie.judge.trade import Rates
from coterie.workflows.system_lists import RECALLS
from coterie.workflows.system_tables import Tabled

_REPLICATES = 300  # of the band of an Expected Performance Curve
_TOLD: dict[TradeOff, tuple[str, str]] = {
    "roc": ("ROC", "Every threshold of the test data; the dotted line is chance."),
    "precision-recall": ("Precision and recall", "Every threshold of the test data."),
    "det": (
        "DET",
        "Both error rates on axes of normal deviates; nearer to the lower left corner is better.",
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """Curves that belong in one picture."""

    title: str
    sentence: str
    curves: tuple[Curve, ...]
    chance: bool = False


def figures_of(
    names: Sequence[str], tests: Sequence[Tabled], dev: Sequence[Tabled], seed: int
) -> tuple[Figure, ...]:
    """Expected Performance Curves where there is a development part, then the curves of the test data."""
    both: tuple[Rates, ...] = ("precision-recall", "far-frr")
    found = [one for rates in both if (one := _expected(names, tests, dev, rates, seed))]
    if len(tests[0].categories) > 1:
        return tuple(found)
    for kind, (title, sentence) in _TOLD.items():
        try:
            curves = tuple(
                trade_off(one.scores[:, 0], one.truth[:, 0], kind, name=name)
                for name, one in zip(names, tests, strict=True)
                if one.scores is not None
            )
        except DataError:
            continue  # a DET curve of scores that part the two sides wholly
        found.append(Figure(title, sentence, curves, chance=kind == "roc"))
    return tuple(found)


def eleven_figure(names: Sequence[str], eleven: np.ndarray) -> Figure:
    """Precision at eleven levels of recall, the mean over the queries."""
    told = "The largest precision at each recall or more, the mean over the queries."
    curves = tuple(
        Curve(name, RECALLS, row, "recall", "precision")
        for name, row in zip(names, eleven, strict=True)
    )
    return Figure("Precision at eleven levels of recall", told, curves)


def _expected(
    names: Sequence[str], tests: Sequence[Tabled], dev: Sequence[Tabled], rates: Rates, seed: int
) -> Figure | None:
    if not dev or any((~one.truth).all(axis=0).any() or one.truth.all(axis=0).any() for one in dev):
        return None
    curves = []
    for name, test, one in zip(names, tests, dev, strict=True):
        if test.scores is None or one.scores is None:
            return None
        pair = ((one.scores, one.truth), (test.scores, test.truth))
        found = expected_performance(
            *pair, rates=rates, replicates=_REPLICATES, random_state=seed, name=name
        )
        curves.append(found.curve)
    what = "F1" if rates == "precision-recall" else "half total error rate"
    sentence = f"{what} on the test part at thresholds chosen on the development part, with 95% bands over the test members."
    return Figure(
        f"Expected performance: {what}", sentence[0].upper() + sentence[1:], tuple(curves)
    )

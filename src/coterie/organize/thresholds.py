"""Where a score becomes a yes: thresholds per category from validation scores, at the best F1 or where precision meets recall."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.parts.thresholds import break_even_at, cut, marked, middle_of_best

RULES = ("zero", "f1", "bep")


def threshold_of(scores: Any, yes: Any, by: str = "f1") -> float:
    """The threshold for which `score > threshold` is best on these (validation) scores; 0 where no member, or all, are yes.

    A threshold lies in the middle between two neighboring scores, or just below the lowest; of several that are equally good
    in F1 the middle one is taken. Accepting nobody is never an answer.

    >>> float(threshold_of([3.0, 2.0, 1.0, 0.0], [True, True, False, False]))
    1.5
    """
    if by not in RULES:
        raise ParameterError(f"threshold must be one of {', '.join(RULES)}, and was {by!r}.")
    values, truth = marked(scores, yes, "The validation", both=False)
    if by == "zero" or truth.all() or not truth.any():
        return 0.0
    found = cut(values, truth)
    place = int(middle_of_best(-found.f1[:, None])[0]) if by == "f1" else break_even_at(found)
    threshold = float(found.thresholds[place])
    if np.isfinite(threshold):
        return threshold
    distinct = np.unique(values)
    return float(distinct[0] - (0.5 * (distinct[1] - distinct[0]) if len(distinct) > 1 else 1.0))


def thresholds_of(scores: np.ndarray, indicator: np.ndarray, by: str = "f1") -> np.ndarray:
    """One threshold per column (category); members whose score is NaN (not validated) are left out of that column."""
    found = np.zeros(indicator.shape[1])
    for at in range(indicator.shape[1]):
        seen = ~np.isnan(scores[:, at])
        if seen.any():
            found[at] = threshold_of(scores[seen, at], indicator[seen, at], by)
    return found

"""Trade-offs of a threshold: equal error rate, and the curves by two rates (ROC, precision and recall, FAR and FRR, DET)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from coterie.core.errors import DataError, ParameterError
from coterie.judge.curves import Curve
from coterie.judge.labels import Floats
from coterie.parts.thresholds import Cut, cut

TradeOff = Literal["roc", "precision-recall", "sensitivity-specificity", "far-frr", "det"]
_LABELS: dict[str, tuple[str, str]] = {
    "roc": ("false positive rate", "true positive rate"),
    "precision-recall": ("recall", "precision"),
    "sensitivity-specificity": ("specificity", "sensitivity"),
    "far-frr": ("false acceptance rate", "false rejection rate"),
    "det": ("false acceptance rate", "false rejection rate"),
}


@dataclass(frozen=True, slots=True)
class EqualError:
    """Where false acceptances and false rejections are nearest: the mean of the two rates, both, and the threshold."""

    value: float
    far: float
    frr: float
    threshold: float


def equal_error(scores: ArrayLike, truth: ArrayLike) -> EqualError:
    """The equal error rate of one list, at a threshold taken from the list itself."""
    found = cut(scores, truth)
    at = int(np.argmin(np.abs(found.far - found.frr)))
    far = float(found.far[at])
    frr = float(found.frr[at])
    return EqualError((far + frr) / 2, far, frr, float(found.thresholds[at]))


def trade_off(
    scores: ArrayLike, truth: ArrayLike, kind: TradeOff = "roc", *, name: str = ""
) -> Curve:
    """Two rates at every threshold of one list; equal scores are never parted.

    On a DET curve the rates are normal deviates, and thresholds where one of them is 0 or 1 have no place.
    """
    if kind not in _LABELS:
        raise ParameterError(f"kind must be one of {', '.join(_LABELS)}, and was {kind!r}.")
    x, y = _rates(cut(scores, truth), kind)
    return Curve(name or kind, x, y, *_LABELS[kind], deviates=kind == "det")


def _rates(found: Cut, kind: str) -> tuple[Floats, Floats]:
    if kind == "roc":
        return found.far, found.recall
    if kind == "precision-recall":
        return found.recall[1:], found.precision[1:]
    if kind == "sensitivity-specificity":
        return 1.0 - found.far[::-1], found.recall[::-1]
    if kind == "far-frr":
        return found.far, found.frr
    inside = (found.far > 0) & (found.far < 1) & (found.frr > 0) & (found.frr < 1)
    if not inside.any():
        raise DataError(
            "No threshold makes errors of both kinds, so that a DET curve has no points."
        )
    return ndtri(found.far[inside]), ndtri(found.frr[inside])

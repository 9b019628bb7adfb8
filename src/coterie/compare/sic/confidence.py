"""How sure a similarity is of each member: read off the shape of its row, without labels."""

from __future__ import annotations

from functools import partial
from typing import Literal, get_args

import numpy as np

from coterie.core.affinity import Affinity
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import workplace
from coterie.parts.pairwise import reduce_bands

Confidence = Literal["max", "variance", "skewness", "bimodality", "skewness_all"]
KINDS: tuple[str, ...] = get_args(Confidence)
_LEAST = 4  # values a row must have for its shape to be read


def confidence(affinity: Affinity, kind: Confidence = "max") -> np.ndarray:
    """One figure per member from its row of similarities; the member itself and pairs never tested (NaN) are left out.

    - max: the largest similarity; the only one that went with quality on all collections of the report.
    - variance: the mean squared distance from the row's mean.
    - skewness: minus the skewness of the values above the row's mean; large when most of them are high.
    - skewness_all: the skewness of the whole row; above 0 means a long tail to the right.
    - bimodality: (G1^2 + 1) / (G2 + 3 (n - 1)^2 / ((n - 2) (n - 3))); about 5/9 for an even spread, more for two heaps.

    NaN where it is not defined, with a note that counts such members: a row without values, and for the shape of a row
    (all but max and variance) also a constant one or one with fewer than four values.
    """
    if kind not in KINDS:
        raise ParameterError(f"confidence: kind must be {' | '.join(KINDS)}, and was {kind!r}.")
    return _rows(affinity, (kind,))[kind]


def confidences(affinity: Affinity) -> dict[str, np.ndarray]:
    """Every kind of confidence, in one pass over the rows."""
    return _rows(affinity, KINDS)


def _rows(affinity: Affinity, kinds: tuple[str, ...]) -> dict[str, np.ndarray]:
    if affinity.kind != "similarity":
        raise DataError(
            "Confidence is read off a similarity, and this is a distance; turn it with similarity(affinity)."
        )
    out = {kind: np.full(affinity.shape[0], np.nan) for kind in kinds}
    for rows, found in reduce_bands(partial(_of_band, kinds=kinds), affinity, label="confidence"):
        for kind in kinds:
            out[kind][rows] = found[kind]
    for kind, values in out.items():
        undefined = int(np.isnan(values).sum())
        if undefined:
            workplace().watch.note(
                f"{undefined} of {values.size} members have no '{kind}' confidence: their row is constant, or they have too few "
                "similarities."
            )
    return out


def _of_band(
    values: np.ndarray, rows: slice, affinity: Affinity, *, kinds: tuple[str, ...]
) -> tuple[dict[str, np.ndarray]]:
    """All figures of some rows."""
    known = ~np.isnan(values)
    if affinity.square:
        known[np.arange(len(values)), np.arange(rows.start, rows.stop)] = False
    n = known.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=1) / n
        found: dict[str, np.ndarray] = {}
        if "max" in kinds:
            found["max"] = _ends(values, known)[1]
        if "variance" in kinds:
            found["variance"] = np.where(n > 0, _moment(values, known, mean, 2), np.nan)
        if "skewness" in kinds:
            high = known & (values > mean[:, None])
            found["skewness"] = np.where(n >= _LEAST, -_skewness(values, high), np.nan)
        if "skewness_all" in kinds:
            found["skewness_all"] = np.where(n >= _LEAST, _skewness(values, known), np.nan)
        if "bimodality" in kinds:
            found["bimodality"] = np.where(
                n >= _LEAST, _bimodality(values, known, n.astype(np.float64)), np.nan
            )
    return (found,)


def _moment(values: np.ndarray, known: np.ndarray, mean: np.ndarray, power: int) -> np.ndarray:
    """Mean power of the distance from the mean, over the known values of each row."""
    apart = np.where(known, values - mean[:, None], 0.0)
    raised = apart * apart
    for _ in range(power - 2):
        raised *= apart
    moment: np.ndarray = raised.sum(axis=1) / known.sum(axis=1)
    return moment


def _ends(values: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest known value of each row, NaN where there is none."""
    low = np.where(known, values, np.inf).min(axis=1, initial=np.inf)
    high = np.where(known, values, -np.inf).max(axis=1, initial=-np.inf)
    some = known.any(axis=1)
    return np.where(some, low, np.nan), np.where(some, high, np.nan)


def _skewness(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """m3 / m2^1.5 of each row, NaN where its values do not vary."""
    low, high = _ends(values, known)
    mean = np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1)
    skewness = _moment(values, known, mean, 3) / _moment(values, known, mean, 2) ** 1.5
    return np.where(low < high, skewness, np.nan)


def _bimodality(values: np.ndarray, known: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The bimodality coefficient, with skewness and excess kurtosis corrected for the sample size."""
    low, high = _ends(values, known)
    mean = np.where(known, values, 0.0).sum(axis=1) / n
    second = _moment(values, known, mean, 2)
    skewness = _moment(values, known, mean, 3) / second**1.5 * np.sqrt(n * (n - 1)) / (n - 2)
    excess = (
        (n - 1)
        / ((n - 2) * (n - 3))
        * ((n + 1) * (_moment(values, known, mean, 4) / second**2 - 3) + 6)
    )
    coefficient = (skewness**2 + 1) / (excess + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)))
    return np.where(low < high, coefficient, np.nan)

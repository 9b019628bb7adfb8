"""The verdict: strong, moderate, weak or none, from all the evidence; it claims that groups are found again, and no more.

Each modality has witnesses of its own (`PreparedCollection.witnesses`) and limits for them, which were chosen on labeled
collections; docs/decisions/defaults.md has the tables. Whatever the witnesses say, there is no praise where groups are not found
again on subsamples, where one group holds nearly everybody, or where many groups are unstable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coterie.core.findings import UNSTABLE, Evidence

STRONG = "strong"
MODERATE = "moderate"
WEAK = "weak"
NONE = "none"
_LEAST_STABLE = 0.5  # adjusted Rand on subsamples below which nothing is praised
_GIANT = 0.8  # share of the members above which one group is nearly all
_MANY_UNSTABLE = 1 / 3  # share of the groups
_STABLE = 0.85  # adjusted Rand on subsamples from which a cut of an affinity is strong
_RATHER_STABLE = 0.65


@dataclass(frozen=True, slots=True)
class Limits:
    """From where the witnesses of a modality speak for groups, and from where they speak for them strongly."""

    least: Mapping[str, float]  # each of these must be reached
    any_of: Mapping[str, float]  # and one of these, where there are any
    strong: float  # of the agreements
    moderate: float
    by_lowest: bool = False  # whether the lowest of the agreements counts, and not their mean


LIMITS = {
    "text": Limits({"information": 0.05}, {"halves": 0.03, "agreement": 0.2}, 0.7, 0.4),
    "sequences": Limits({"beyond_null": 0.15, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "sets": Limits({"beyond_null": 0.2, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "sound": Limits({"beyond_null": 0.2, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "pictures": Limits({"beyond_null": 0.2, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "tagged": Limits({"beyond_null": 0.2, "agreement": 0.2}, {}, 0.7, 0.45, by_lowest=True),
    "views": Limits(
        {"beyond_null": 0.1, "agreement": 0.15}, {"deviations": 4.0, "agreement": 0.8}, 0.7, 0.45
    ),
    "table": Limits({"silhouette": 4.0}, {}, 0.75, 0.5),
    "vectors": Limits({"silhouette": 4.0}, {}, 0.75, 0.5),
    "texts with word vectors": Limits({}, {"information": 0.05, "beyond_shuffled": 4.0}, 0.7, 0.4),
    "texts with vectors": Limits({}, {"information": 0.05, "silhouette": 4.0}, 0.7, 0.4),
}


def limits_of(modality: str) -> Mapping[str, float]:
    """From where each witness of a modality speaks for groups."""
    limits = LIMITS[modality]
    return {**limits.least, **limits.any_of}


def is_structured(modality: str, witnesses: Mapping[str, float]) -> bool:
    """Whether the witnesses of an ensemble speak for groups at all."""
    limits = LIMITS[modality]
    if any(witnesses[name] < least for name, least in limits.least.items()):
        return False
    some = limits.any_of.items()
    return not some or any(witnesses[name] >= least for name, least in some)


def judge(evidence: Evidence, modality: str, labels: np.ndarray) -> str:
    """The verdict on these groups; empty where nothing was looked at that could say."""
    if not evidence.structured:
        return NONE
    if evidence.n_groups < 2:
        return ""
    grade = _grade(evidence, modality)
    return WEAK if grade and _is_doubtful(evidence, labels) else grade


def _grade(evidence: Evidence, modality: str) -> str:
    witnesses = evidence.witnesses
    if witnesses:
        limits = LIMITS[modality]
        agreements = [witnesses["agreement"], witnesses.get("halves", evidence.stability)]
        value = float((np.nanmin if limits.by_lowest else np.nanmean)(agreements))
        return _step(value, limits.strong, limits.moderate)
    if np.isfinite(evidence.stability):
        return _step(evidence.stability, _STABLE, _RATHER_STABLE)
    return MODERATE if evidence.n_nulls else ""


def _step(value: float, strong: float, moderate: float) -> str:
    if value >= strong:
        return STRONG
    return MODERATE if value >= moderate else WEAK


def _is_doubtful(evidence: Evidence, labels: np.ndarray) -> bool:
    """Whether the groups are not found again, one holds nearly everybody, or many are unstable."""
    sizes = np.bincount(labels[labels >= 0])
    overlaps = np.asarray(evidence.overlaps, dtype=float)
    unstable = float((overlaps < UNSTABLE).mean()) if len(overlaps) else 0.0
    return bool(
        evidence.stability < _LEAST_STABLE
        or sizes.max(initial=0) > _GIANT * len(labels)
        or unstable >= _MANY_UNSTABLE
    )

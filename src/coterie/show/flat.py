"""A collection without group structure: whether findings are such, and the findings without their one empty group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coterie.core.findings import Findings


def is_flat(findings: Findings) -> bool:
    """True where nothing stood out and no cut was asked for: there is at most one group, and it means nothing."""
    return (
        not findings.evidence.structured
        and sum(1 for group in findings.groups if group.label >= 0) <= 1
    )


def without_groups(findings: Findings) -> Findings:
    """The same findings; where they are flat, without the group that holds everybody and its confidences."""
    if not is_flat(findings):
        return findings
    n = len(findings)
    return replace(findings, labels=np.full(n, -1), confidence=np.ones(n), groups=())

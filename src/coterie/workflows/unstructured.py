"""What there is where no groups were found: likely reasons, the best cut as a hint, and what to try next with these members.

Reasons are facts about the members that are known to hide groups; none of them is proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coterie.core.findings import Duplicates, Evidence, Group, Remark, Unstructured
from coterie.workflows.prepared import PreparedCollection
from coterie.workflows.strategies import Strategy

FEW_MEMBERS = 50
_MANY_REPEATS = 0.05  # of the members
_PARTS = 8  # of the best cut that are named
_MOST = 3  # things to try


def look_closer(
    prepared: PreparedCollection,
    strategy: Strategy,
    evidence: Evidence,
    parts: Sequence[Group],
    labels: np.ndarray,
    repeats: Duplicates,
) -> Unstructured:
    """The facts on members in which no groups were found, and on the best cut of them, of which these are the parts."""
    few = (Remark("few_members", {"members": len(prepared)}),)
    reasons = [*(few if len(prepared) < FEW_MEMBERS else ()), *prepared.shortcomings(labels)]
    named = tuple((group.name, group.size) for group in parts)
    advice = list(_advise(prepared, strategy, evidence, repeats))[:_MOST]
    return Unstructured(tuple(reasons), named[:_PARTS], tuple(advice))


def _advise(
    prepared: PreparedCollection, strategy: Strategy, evidence: Evidence, repeats: Duplicates
) -> Iterator[Remark]:
    """What may show more of these members, the most likely first."""
    collection = prepared.collection
    if evidence.best > 1:
        yield _changing("cut", k=evidence.best)
    others = [
        name
        for name in collection.views
        if name != prepared.view and name not in prepared.views and not prepared.views
    ]
    if others:
        yield _changing("view", view=others[0])
    if strategy.is_ensemble and not repeats.folded and len(repeats) > _MANY_REPEATS * len(prepared):
        yield _changing("fold", duplicates="fold")
    yield from prepared.alternatives()
    if len(prepared) < FEW_MEMBERS:
        yield Remark("more_members", {"wanted": FEW_MEMBERS})


def _changing(code: str, **changes: Any) -> Remark:
    return Remark(code, {"changes": changes})

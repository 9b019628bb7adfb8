"""How views agree on groups: what each alone says, who is put into different groups, and texts beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from coterie.core.collection import View
from coterie.core.text import Text
from coterie.messages.notes import note_disagreement, note_same_views
from coterie.workflows.modalities import modality_of
from coterie.workflows.view_space import SeenViews

_SAME = (
    0.5  # share of members whose texts or rows are the same in two views from which that is said
)
_NAMED = 8  # members that are named where views differ
_LETTERS = 280  # of a text in another view that is shown with a member


@dataclass(frozen=True)
class Split:
    """Members that views put into different groups: a note that names some, and a column that says it of each."""

    notes: tuple[str, ...] = ()
    cards: Mapping[str, Sequence[str]] = field(default_factory=dict)


def agreement(
    alone: Mapping[str, np.ndarray], labels: np.ndarray, k: int
) -> tuple[float, float, tuple[float, ...]]:
    """The share of members that every view alone puts into one group, that by chance, and per view that of the groups."""
    if not alone:
        return float("nan"), float("nan"), ()
    inside = labels >= 0
    votes = np.array([vote[inside] for vote in alone.values()])
    same = float((votes == votes[0]).all(axis=0).mean())
    shares = np.array([np.bincount(vote, minlength=k) / max(votes.shape[1], 1) for vote in votes])
    by_chance = float(shares.prod(axis=0).sum())
    own = tuple(float((vote == labels[inside]).mean()) for vote in votes)
    return same, by_chance, own


def disagreement(
    alone: Mapping[str, np.ndarray], labels: np.ndarray, ids: Sequence[str], groups: Sequence[str]
) -> Split:
    """Who is put into different groups by the views, each by itself."""
    if not alone:
        return Split()
    names = list(alone)
    votes = np.array(list(alone.values()))
    differ = np.flatnonzero((votes != votes[0]).any(axis=0) & (labels >= 0))
    if not len(differ):
        return Split()
    told = {
        int(at): "; ".join(f"{name}: {groups[int(votes[v, at])]}" for v, name in enumerate(names))
        for at in differ
    }
    note = note_disagreement(len(differ), [str(ids[at]) for at in differ[:_NAMED].tolist()])
    return Split((note,), {"group by each view": [told.get(at, "") for at in range(len(ids))]})


def same_views(seen: SeenViews) -> list[str]:
    """A note where two views hold the same for most members: they agree by that alone."""
    names = list(seen.views)
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            share = _same(seen.views[one], seen.views[other])
            if share >= _SAME:
                return [note_same_views(one, other, share)]
    return []


def _same(one: View, other: View) -> float:
    """The share of members that two views hold the same of."""
    modality = modality_of(one)
    return modality.share_same(one, other) if modality is modality_of(other) else 0.0


def texts_of(seen: SeenViews) -> dict[str, list[str]]:
    """The texts of every view but the first, as columns to show with a member."""
    first = next(iter(seen.views))
    return {
        f"in {name}": [
            " ".join(text[: 4 * _LETTERS].split())[:_LETTERS] for text in cast(Text, view)
        ]
        for name, view in seen.views.items()
        if modality_of(view).features == "words" and name != first
    }

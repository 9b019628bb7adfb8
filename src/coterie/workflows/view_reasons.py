"""Why members lie together in the space that views share: the words and columns of every view that pull them there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.findings import Group
from coterie.represent.terms import Terms
from coterie.workflows.reasons import named_group, placed_in
from coterie.workflows.view_space import SeenViews, SharedSpace

_SHOWN = 6  # words or columns named per view
_NONE = 1e-12


def alike_by_views(
    space: SharedSpace,
    seen: SeenViews,
    members: Sequence[int],
    ids: Sequence[str],
    labels: np.ndarray,
    groups: Sequence[Group],
) -> list[str]:
    """Why two members or more lie together: how near they are, and what pulls them to the same place in every view."""
    places = list(dict.fromkeys(int(m) for m in members))
    if len(places) < 2:
        raise DataError("Name two different members.")
    who = (
        " and ".join(str(ids[m]) for m in places)
        if len(places) == 2
        else f"These {len(places)} members"
    )
    rows = space.transform(seen)
    said = [placed_in(who, places, labels, groups)]
    if len(places) == 2:
        one, other = places
        gaps = np.linalg.norm(rows - rows[one], axis=1)
        nearer = int((np.delete(gaps, one) < gaps[other]).sum())
        said.append(
            f"By what the views share, {ids[other]} is number {nearer + 1:,} of the {len(rows) - 1:,} nearest to {ids[one]}."
        )
    return [*said, *_pulls(space, seen, places, rows, [str(ids[m]) for m in places])]


def group_by_views(
    space: SharedSpace, seen: SeenViews, label: int, labels: np.ndarray, groups: Sequence[Group]
) -> list[str]:
    """What holds a group together in every view."""
    inside = np.flatnonzero(labels == label)
    if not len(inside):
        raise DataError(f"Nobody that the run was made from is in group {label + 1}.")
    group = named_group(groups, label)
    said = f"The {len(inside):,} members of '{group.name}' go together by what the views {', '.join(seen.views)} share."
    return [said, *_pulls(space, seen, inside.tolist(), space.transform(seen), [])]


def _pulls(
    space: SharedSpace,
    seen: SeenViews,
    places: Sequence[int],
    rows: np.ndarray,
    called: Sequence[str],
) -> list[str]:
    """Per view the words or columns that take these members away from the middle of all, to where they are."""
    away = rows[list(places)].mean(axis=0) - rows.mean(axis=0)
    length = float(np.linalg.norm(away))
    if length < _NONE:
        return ["They lie in the middle of all members: nothing pulls them anywhere."]
    found = []
    for name, view in seen.views.items():
        held = space.rows(name, view)
        own = held[list(places)]
        mean = np.asarray(held.mean(axis=0)).ravel()
        toward = (space.weights_[name] @ away) / length
        names = _names(space, name, view, held.shape[1])
        words = bool(space.steps_[name]) and isinstance(space.steps_[name][0], Terms)
        if len(called) == 2:
            each = [
                f"{who} by {_told(own[[at]], mean, toward, names, words)}"
                for at, who in enumerate(called)
            ]
            found.append(f"In {name} they are pulled to where they lie: {'; '.join(each)}.")
        else:
            told = _told(own, mean, toward, names, words, shares=True)
            found.append(f"In {name} they are pulled together by: {told}.")
    return found


def _told(
    own: Any,
    mean: np.ndarray,
    toward: np.ndarray,
    names: Sequence[str],
    words: bool,
    shares: bool = False,
) -> str:
    """The words or columns with the strongest pull, the strongest first; of words only those that a member holds."""
    middle = np.asarray(own.mean(axis=0)).ravel()
    there = np.asarray((own != 0).sum(axis=0)).ravel()
    pull = (middle - mean) * toward
    order = [int(j) for j in np.argsort(-pull, kind="stable") if pull[j] > _NONE and there[j]][
        :_SHOWN
    ]
    if not order:
        return "nothing"
    if not words:
        return ", ".join(f"{names[j]} is {'high' if middle[j] > mean[j] else 'low'}" for j in order)
    return ", ".join(
        f"{names[j]} (in {there[j] / own.shape[0]:.0%})" if shares else str(names[j]) for j in order
    )


def _names(space: SharedSpace, name: str, view: Any, width: int) -> Sequence[str]:
    """What the columns of a view are called, after its representers."""
    data = view
    for step in space.steps_[name]:
        if isinstance(step, Terms):
            return list(step.terms_)
        data = step.represent(data)
    found = getattr(data, "names", ())
    return found if len(found) == width else [f"column {j + 1}" for j in range(width)]

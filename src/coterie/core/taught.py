"""What edits teach: the changes a person made in groups, as hints for the next fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from coterie.core.edits import Edit, Steered, effective, started, stepped
from coterie.core.errors import DataError
from coterie.core.hints import Hints

ANCHORS = 10  # members that stand for a group: those it is surest of
MADE_UP = "kept together"  # how labels begin that answers to questions make up


def hints_of(
    edits: Iterable[Edit],
    labels: Any,
    confidence: Any,
    ids: Sequence[str],
    names: Sequence[str] = (),
    anchors: int = ANCHORS,
) -> Hints:
    """The hints of these edits on groups with these labels; `confidence` says which members stand for their group.

    merge: the anchors of all united groups belong together. split: those of each half together, the halves apart. move: the
    member belongs with the anchors of its new group, and apart from those of the old one. lock: all members of the group are
    together and labeled, and apart from the anchors of every other group. label: the members are labeled. Pairs are laws.
    What a later edit overruled teaches nothing: every hint is true of the groups as they are after all edits, so that
    they can all be kept at once.
    """
    place = {str(member): at for at, member in enumerate(ids)}
    sure = np.asarray(confidence, dtype=np.float64)
    state = started(labels, names)
    together = list[tuple[int, int]]()
    apart = list[tuple[int, int]]()
    held = effective(edits)
    for edit in held:
        before = state
        state = stepped(state, edit, place)
        more, less = _taught(
            edit, before, state, sure, [place[member] for member in edit.members], anchors
        )
        together += more
        apart += less
    said: dict[int, str] = {
        at: state.names[int(state.labels[at])] for at in state.told if state.labels[at] >= 0
    }
    for chain in _alike(said):
        together += pairwise(chain)
    for group in sorted(state.locked):
        inside = np.flatnonzero(state.labels == group)
        together += pairwise(inside.tolist())
        said |= dict.fromkeys(inside.tolist(), state.names[group])
        others = [
            _anchors(state.labels == other, sure, 1)
            for other in sorted(state.names)
            if other != group
        ]
        apart += [(int(inside[0]), other[0]) for other in others if other]
    final = state.labels
    kept = {
        (min(p), max(p))
        for p in together
        if final[p[0]] == final[p[1]] and final[p[0]] >= 0 and p[0] != p[1]
    }
    split = {(min(p), max(p)) for p in apart if final[p[0]] != final[p[1]]}
    direct = said_pairs(held, final, place)
    kept |= {(min(a, b), max(a, b)) for a, b, alike in direct if alike}
    split |= {(min(a, b), max(a, b)) for a, b, alike in direct if not alike}
    return Hints.of(
        len(place), dict(sorted(said.items())), together=sorted(kept), apart=sorted(split)
    )


def said_pairs(
    edits: Sequence[Edit], labels: np.ndarray, place: Mapping[str, int]
) -> list[tuple[int, int, bool]]:
    """The pairs of `together` (True) and `apart` (False) edits that are still true of these groups, each once.

    Two members in no group may be either: what was said last holds, and earlier pairs as far as they go with it.
    """
    true = list[tuple[int, int, bool]]()
    free = list[tuple[int, int, bool]]()
    seen = set[tuple[int, int]]()
    for edit in reversed(edits):
        if edit.kind not in ("together", "apart") or not all(
            member in place for member in edit.members
        ):
            continue
        one, other = sorted(place[member] for member in edit.members)
        alike = edit.kind == "together"
        if (one, other) in seen:
            continue
        seen.add((one, other))
        if labels[one] < 0 and labels[other] < 0:
            free += (
                [(one, other, alike)]
                if _possible([*free, (one, other, alike)], len(labels))
                else []
            )
        elif (labels[one] == labels[other]) == alike:
            true.append((one, other, alike))
    return [*reversed(free), *reversed(true)]


def _possible(pairs: Sequence[tuple[int, int, bool]], n: int) -> bool:
    """Whether these pairs can all be true."""
    together, apart = ([pair[:2] for pair in pairs if pair[2] == alike] for alike in (True, False))
    try:
        Hints.of(n, together=together, apart=apart).consistent("pairs")
    except DataError:
        return False
    return True


def _taught(
    edit: Edit, before: Steered, after: Steered, sure: np.ndarray, at: list[int], anchors: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pairs together and apart of one edit."""
    if edit.kind == "merge":
        chain = [
            member
            for number in edit.groups
            for member in _anchors(before.labels == number - 1, sure, anchors)
        ]
        return list(pairwise(chain)), []
    if edit.kind == "split":
        one, other = (_anchors(after.labels == number - 1, sure, anchors) for number in edit.groups)
        return [*pairwise(one), *pairwise(other)], [(one[0], other[0])]
    if edit.kind in ("move", "label"):
        return _moved(before, after, sure, at, anchors)
    return [], []  # pairs themselves are taken as they stand in the end: `said_pairs`


def _moved(
    before: Steered, after: Steered, sure: np.ndarray, at: list[int], anchors: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Members that changed their group: with the anchors of the new one, apart from those of the old one."""
    together = list[tuple[int, int]]()
    apart = list[tuple[int, int]]()
    gone = np.zeros(len(sure), dtype=bool)
    gone[at] = True
    for member in at:
        new = int(after.labels[member])
        old = int(before.labels[member])
        if new == old:
            continue
        mates = _anchors((before.labels == new) & ~gone, sure, anchors) if new >= 0 else []
        left = _anchors((before.labels == old) & ~gone, sure, anchors) if old >= 0 else []
        together += [*pairwise([member, *mates]), *pairwise(left)]
        apart += [(member, left[0])] if left else []
    return together, apart


def _anchors(inside: np.ndarray, sure: np.ndarray, most: int) -> list[int]:
    """The surest of these members, the surest first; equal ones by position."""
    members = np.flatnonzero(inside)
    return [int(i) for i in members[np.argsort(-sure[members], kind="stable")][:most]]


def _alike(said: dict[int, str]) -> list[list[int]]:
    """Positions with the same label, in order."""
    found: dict[str, list[int]] = {}
    for at in sorted(said):
        found.setdefault(said[at], []).append(at)
    return list(found.values())


def beside(new: Hints, old: Hints | None, labels: np.ndarray) -> Hints:
    """New hints with older ones beside them: older pairs that are still true of these groups, older labels that were not changed.

    Of members that belong together all get one label: a new one where there is any, else the most frequent. An older pair of
    two members in no group is kept where no new pair is on either.
    """
    if old is None or not old:
        return new
    pairs = {}
    touched = np.zeros(len(labels), dtype=bool)
    touched[np.concatenate([new.together, new.apart]).ravel()] = True
    for name, alike in (("together", True), ("apart", False)):
        before = getattr(old, name)
        one = labels[before[:, 0]]
        other = labels[before[:, 1]]
        nowhere = (one < 0) & (other < 0)
        true = np.where(nowhere, ~touched[before].any(axis=1), (one == other) == alike)
        pairs[name] = np.concatenate([getattr(new, name), before[true]])
    said = {int(at): old.names[old.labels[at]] for at in old.known}
    fresh = {int(at): new.names[new.labels[at]] for at in new.known}
    said |= fresh
    merged = replace(new, together=pairs["together"], apart=pairs["apart"])
    chunks = merged.chunks()
    heard: dict[int, list[str]] = {}
    for source in (fresh, said):
        for at, label in source.items():
            heard.setdefault(int(chunks[at]), []).extend(
                [label] * (len(labels) if source is fresh else 1)
            )
    one = {chunk: max(sorted(set(names)), key=names.count) for chunk, names in heard.items()}
    told = {at: one[int(chunks[at])] for at in sorted(said)}
    found = Hints.of(len(labels), told)
    return replace(
        found,
        together=merged.together,
        apart=merged.apart,
        scheme=old.scheme,
        label_weight=old.label_weight,
    )

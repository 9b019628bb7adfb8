"""Members of groups in lists: in which order, which of them, a page at a time."""

from __future__ import annotations

import numpy as np

from coterie.run.wondering import next_group
from coterie.show.markup import clean, count
from coterie.web.edit_models import Board, Column, GroupNow, Half, Member, Members, Order, StateNow
from coterie.web.faces import line_of
from coterie.web.standing import Standing
from coterie.web.told import sentence_of


def member(standing: Standing, at: int) -> Member:
    """One member as a list shows it."""
    found = standing.found
    labels = standing.state.labels
    return Member(
        **line_of(found, at, standing.faces),
        confidence=float(standing.sure[at]),
        group=int(labels[at]) + 1,
        elsewhere=next_group(found, labels, at) + 1,
    )


def ties(standing: Standing, inside: np.ndarray) -> np.ndarray:
    """How much of what ties each of these members to its nearest ones ties it to its own group, from 0 to 1."""
    found = standing.found
    labels = standing.state.labels
    near = found.neighbors[inside]
    known = near >= 0
    weight = np.where(known, np.maximum(np.nan_to_num(found.nearness[inside]), 1e-9), 0.0)
    same = known & (labels[np.maximum(near, 0)] == labels[inside][:, None])
    share: np.ndarray = (weight * same).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-12)
    return share


def ordered(standing: Standing, inside: np.ndarray, order: Order) -> np.ndarray:
    """These members, the surest, the most doubtful or those least like the others first; or as they were read."""
    if order == "read" or not len(inside):
        return inside
    sure = standing.sure[inside]
    if order == "odd":
        return inside[np.lexsort((sure, ties(standing, inside)))]
    return inside[np.argsort(-sure if order == "sure" else sure, kind="stable")]


def fitting(standing: Standing, inside: np.ndarray, find: str) -> np.ndarray:
    """Those of these members whose id or line has every word."""
    words = find.casefold().split()
    if not words:
        return inside
    lines = standing.lines
    return np.array(
        [i for i in inside.tolist() if all(word in lines[i] for word in words)], dtype=np.int64
    )


def paged(standing: Standing, inside: np.ndarray, order: Order, page: int, size: int) -> Members:
    """One page of members; a page beyond the last is the last."""
    pages = max(1, -(-len(inside) // size))
    page = min(page, pages)
    some = ordered(standing, inside, order)[(page - 1) * size : page * size]
    return Members(
        total=len(inside), page=page, pages=pages, members=[member(standing, int(i)) for i in some]
    )


def half(standing: Standing, part: np.ndarray, most: int = 6) -> Half:
    """A part of a group with the members that are surest."""
    return Half(
        size=len(part),
        first=[member(standing, int(i)) for i in ordered(standing, part, "sure")[:most]],
    )


def group_now(standing: Standing, number: int) -> GroupNow:
    """A group as it stands; number 0 holds those in none."""
    inside = standing.inside(number)
    before = np.flatnonzero((np.asarray(standing.found.labels) == number - 1) & standing.own)
    return GroupNow(
        number=number,
        name=standing.called(number),
        size=len(inside),
        share=len(inside) / max(standing.n, 1),
        confidence=float(standing.sure[inside].mean()) if len(inside) else 0.0,
        locked=number - 1 in standing.state.locked,
        made=number > 0 and number - 1 >= len(standing.found.groups) and not len(before),
        changed=len(np.setxor1d(inside, before, assume_unique=True)),
    )


def state_now(standing: Standing, said: str = "") -> StateNow:
    """All groups as they stand."""
    held = standing.held
    return StateNow(
        run=standing.run,
        said=clean(said),
        lines=len(standing.log),
        edits=len(held),
        undo=sentence_of(held[-1]) if held else "",
        members=standing.n,
        moved=len(standing.moved),
        alone=len(standing.inside(0)),
        since=since(standing),
        groups=[group_now(standing, number) for number in standing.groups],
    )


def since(standing: Standing) -> str:
    """What was done by hand since the run, in a sentence; empty where nothing was."""
    edits = len(standing.held)
    moved = len(standing.moved)
    if not edits:
        return ""
    others = (
        f"{count(moved, 'member')} {'is' if moved == 1 else 'are'}"
        if moved
        else "every member is still"
    )
    there = "in another group than the one found" if moved else "in the group it was found in"
    return f"{count(edits, 'edit').capitalize()} by hand since the run; {others} {there}."


def board_of(standing: Standing, order: Order, find: str, most: int) -> Board:
    """All groups side by side with their first members."""
    numbers = [*standing.groups, *([0] if len(standing.inside(0)) else [])]
    columns = []
    for number in numbers:
        inside = fitting(standing, standing.inside(number), find)
        first = [member(standing, int(i)) for i in ordered(standing, inside, order)[:most]]
        columns.append(
            Column(**group_now(standing, number).model_dump(), found=len(inside), first=first)
        )
    return Board(lines=len(standing.log), columns=columns)

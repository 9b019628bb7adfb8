"""Coloring: groups for elements some pairs of which may not meet, cheap ones first; and a set that are all apart."""

from __future__ import annotations

import numpy as np

_STEPS = 20_000  # groups tried for the elements of one piece of the graph before it is given up


def neighbors_of(pairs: np.ndarray) -> dict[int, set[int]]:
    """Who may not meet whom, for every element that is named at all."""
    found: dict[int, set[int]] = {}
    for one, other in pairs.tolist():
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


def clique(pairs: np.ndarray, n: int) -> list[int]:
    """Elements that are all apart from each other: a large such set, grown greedily from those with the most pairs.

    >>> clique(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), 4)
    [0, 1, 2]
    """
    near = neighbors_of(pairs)
    best: list[int] = []
    order = sorted(near, key=lambda at: (-len(near[at]), at))
    for first in order[:50]:
        found = [first]
        left = set(near[first])
        while left:
            one = min(left, key=lambda at: (-len(near[at] & left), at))
            found.append(one)
            left &= near[one]
        if len(found) > len(best):
            best = sorted(found)
    return best


def colored(pairs: np.ndarray, costs: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """A group for every element that is named in a pair (-1 for all others), no pair in one group; or two that got stuck.

    Elements with fewer pairs than groups are set aside, again and again: for them a group is always left. Of all others the one
    with the fewest groups left comes next (the one with more pairs at a tie), and takes the cheapest of them; where none is left
    the search goes back. It ends with a coloring, with a proof that there is none, or when it took too long.
    """
    near = neighbors_of(pairs)
    k = costs.shape[1]
    labels = np.full(len(costs), -1, dtype=np.int64)
    aside = _easy(near, k)
    hard = sorted(set(near) - set(aside))
    for part in _parts({at: near[at].intersection(hard) for at in hard}):
        stuck = _color(part, near, costs, labels)
        if stuck:
            return labels, stuck
    for at in reversed(aside):
        labels[at] = _left(at, near, costs, labels)[0]
    return labels, ()


def _easy(near: dict[int, set[int]], k: int) -> list[int]:
    """The elements that have fewer than k pairs when those before them are gone, in that order."""
    degree = {at: len(mates) for at, mates in near.items()}
    ahead = [at for at in sorted(near) if degree[at] < k]
    found = []
    gone = set(ahead)
    while ahead:
        at = ahead.pop()
        found.append(at)
        for mate in sorted(near[at] - gone):
            degree[mate] -= 1
            if degree[mate] < k:
                gone.add(mate)
                ahead.append(mate)
    return found


def _parts(near: dict[int, set[int]]) -> list[list[int]]:
    """Elements that pairs join, over several steps; from the lowest element on."""
    found = []
    seen = set[int]()
    for first in sorted(near):
        if first in seen:
            continue
        part = {first}
        ahead = [first]
        while ahead:
            new = near[ahead.pop()] - part
            part |= new
            ahead += sorted(new)
        seen |= part
        found.append(sorted(part))
    return found


def _left(at: int, near: dict[int, set[int]], costs: np.ndarray, labels: np.ndarray) -> list[int]:
    """The groups that none of its pairs has, the cheapest first."""
    taken = {int(labels[mate]) for mate in near[at]}
    return [int(group) for group in np.argsort(costs[at], kind="stable") if group not in taken]


def _color(
    part: list[int], near: dict[int, set[int]], costs: np.ndarray, labels: np.ndarray
) -> tuple[int, ...]:
    """Color one connected part in place; gives two elements in each other's way where that fails."""
    k = costs.shape[1]
    stuck = tuple[int, ...]()

    def next_one() -> int:
        ahead = [at for at in part if labels[at] < 0]
        return min(
            ahead,
            key=lambda at: (k - len({int(labels[m]) for m in near[at]} - {-1}), -len(near[at]), at),
        )

    first = next_one()
    trail: list[tuple[int, list[int]]] = [(first, _left(first, near, costs, labels))]
    for _ in range(_STEPS + len(part)):
        at, groups = trail[-1]
        labels[at] = -1
        if not groups:
            stuck = stuck or (at, min(near[at] & set(part)))
            trail.pop()
            if not trail:
                return stuck
            continue
        labels[at] = groups.pop(0)
        if len(trail) == len(part):
            return ()
        ahead = next_one()
        trail.append((ahead, _left(ahead, near, costs, labels)))
    return stuck or (part[0], min(near[part[0]]))

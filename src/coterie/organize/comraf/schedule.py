"""The schedule: which population is split, united or brought to its number of groups next; written by hand or made ready."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2

from coterie.core.errors import ParameterError
from coterie.organize.comraf.graph import Net, empty_rows

_MOST = 10_000  # steps of a schedule


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration: a population, and whether it is brought to its number of groups, one union at a time."""

    node: int
    exhaustive: bool = False


def ready_made(net: Net, lead: int, last: int) -> list[Step]:
    """Splits first, then unions and splits in turn, then unions one at a time.

    Every population that splits does so `lead` times; then the ones that unite and all that split take turns, until at most
    `last` times the groups asked for are left; splits that are still missing follow; the rest is done one union at a time.
    """
    up = [at for at in net.hidden if net.nodes[at].upward]
    down = [at for at in net.hidden if not net.nodes[at].upward]
    limits = {at: _splits(net, at) for at in down}
    done = dict.fromkeys(down, 0)
    steps: list[Step] = []

    def split(at: int) -> None:
        if done[at] < limits[at]:
            steps.append(Step(at))
            done[at] += 1

    for at in down:
        for _ in range(min(lead, floor(log2(len(net.nodes[at]))))):
            split(at)
    sizes = {at: _usable(net, at) for at in up}
    enough = {at: last * (net.nodes[at].n_groups or _default_groups(sizes[at])) for at in up}
    while any(sizes[at] > enough[at] for at in up):
        for at in up:
            if sizes[at] > enough[at]:
                steps.append(Step(at))
                sizes[at] = ceil(sizes[at] / 2)
        for at in down:
            split(at)
    for at in down:
        while done[at] < limits[at] and (not up or net.nodes[at].n_groups is not None):
            split(at)
    ends = [at for at in net.hidden if at in up or at == net.target or _uneven(net, at)]
    ends = [at for at in ends if net.nodes[at].n_groups is not None]
    return [
        *steps,
        *(Step(at, exhaustive=True) for at in sorted(ends, key=lambda at: at == net.target)),
    ]


def _default_groups(size: int) -> int:
    """Clusters of a population that unites and has no number given."""
    return max(2, round(size**0.5))


def _uneven(net: Net, at: int) -> bool:
    """Whether so many groups are asked for that clusters of one, which cannot split, may leave too few."""
    return 4 * (net.nodes[at].n_groups or 0) > _usable(net, at)


def _usable(net: Net, at: int) -> int:
    """Elements that meet anything; the others are in no cluster."""
    return int((~empty_rows(net, at)).sum())


def _splits(net: Net, at: int) -> int:
    """Splits from one cluster to the groups asked for, or to everyone apart."""
    return ceil(log2(net.nodes[at].n_groups or max(_usable(net, at), 1)))


def reverse(net: Net, lead: int) -> list[Step]:
    """The target splits and the others unite: `lead` splits, unions and splits in turn, unions, and the target to its number."""
    target = net.target
    others = [at for at in net.hidden if at != target]
    splits = _splits(net, target)
    steps = [Step(target)] * min(lead, splits)
    for _ in range(splits - lead):
        steps += [*(Step(at) for at in others), Step(target)]
    steps += [Step(at) for at in others]
    ends = [at for at in others if net.nodes[at].upward and net.nodes[at].n_groups is not None]
    return [*steps, *(Step(at, exhaustive=True) for at in ends), Step(target, exhaustive=True)]


def written(words: str, net: Net, owner: str) -> list[Step]:
    """A schedule in words: names, '*n' for again, '!' for one union at a time, brackets: 'words*4 (members words)*8 members!'."""
    if not isinstance(words, str):
        raise ParameterError(
            f"schedule must be auto, reverse, or words such as 'words*4 members!', and was {words!r}.",
            owner=owner,
        )
    names = sorted((node.name for node in net.nodes if node.hidden), key=len, reverse=True)
    tokens = list(_tokens(words, names, owner))
    steps, rest = _sequence(tokens, net, owner, deep=False)
    if rest:
        raise ParameterError(f"schedule has a closing bracket too many: {words!r}.", owner=owner)
    if not steps:
        raise ParameterError("schedule names no population.", owner=owner)
    return steps


def _again(steps: list[Step], times: int, owner: str) -> list[Step]:
    if len(steps) * times > _MOST:
        raise ParameterError(
            f"schedule has {len(steps) * times} steps, and {_MOST} are the most.", owner=owner
        )
    return steps * times


def _tokens(words: str, names: Sequence[str], owner: str) -> Iterator[str]:
    at = 0
    while at < len(words):
        rest = words[at:]
        if rest[0] in " ,\t\n":
            at += 1
            continue
        again = re.match(r"\*\s*(\d+)", rest)
        found = (
            rest[0]
            if rest[0] in "()!"
            else again[0]
            if again
            else next((n for n in names if rest.startswith(n)), "")
        )
        if not found:
            raise ParameterError(
                f"schedule must be made of {', '.join(names)}, brackets, '*n' and '!', and has {rest[:20]!r}.",
                owner=owner,
            )
        yield found
        at += len(found)


def _sequence(tokens: list[str], net: Net, owner: str, deep: bool) -> tuple[list[Step], list[str]]:
    steps: list[Step] = []
    last: list[Step] = []
    while tokens:
        token = tokens[0]
        tokens = tokens[1:]
        if token == ")":
            if not deep:
                return steps + last, [token]
            return steps + last, tokens
        if token.startswith("*"):
            if not last:
                raise ParameterError(f"schedule has {token!r} with nothing before it.", owner=owner)
            last = _again(last, int(token[1:]), owner)
        elif token == "!":
            if len(last) != 1:
                raise ParameterError(
                    "schedule has '!' without one population before it.", owner=owner
                )
            last = [Step(last[0].node, exhaustive=True)]
        else:
            steps += last
            if token == "(":
                last, tokens = _sequence(tokens, net, owner, deep=True)
            else:
                last = [Step(net.place(token))]
    if deep:
        raise ParameterError("schedule has a bracket that is not closed.", owner=owner)
    return steps + last, []

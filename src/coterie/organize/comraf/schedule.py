"""The schedule: which population is split, united or brought to its number of groups next; written by hand or made ready."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2

from coterie.core.errors import ParameterError
from coterie.organize.comraf.graph import Net

_MOST = 10_000  # steps of a schedule


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration: a population, and whether it is brought to its number of groups one union at a time."""

    node: int
    exhaustive: bool = False


def ready_made(net: Net, lead: int, last: int) -> list[Step]:
    """Splits first, then unions and splits in turn, then unions one at a time.

    Every population that splits does so `lead` times; then the ones that unite and all that split take turns, until at most
    `last` times the groups asked for are left; the rest is done one union at a time.
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
    sizes = {at: len(net.nodes[at]) for at in up}
    enough = {at: last * (net.nodes[at].n_groups or _default_groups(len(net.nodes[at]))) for at in up}
    while any(sizes[at] > enough[at] for at in up):
        for at in up:
            if sizes[at] > enough[at]:
                steps.append(Step(at))
                sizes[at] = ceil(sizes[at] / 2)
        for at in down:
            split(at)
    if not up:
        for at in down:
            while done[at] < limits[at]:
                split(at)
    ends = [at for at in net.hidden if net.nodes[at].n_groups is not None or at in up]
    return [*steps, *(Step(at, exhaustive=True) for at in sorted(ends, key=lambda at: at == net.target))]


def _default_groups(size: int) -> int:
    """Clusters of a population that unites and has no number given."""
    return max(2, round(size**0.5))


def _splits(net: Net, at: int) -> int:
    node = net.nodes[at]
    return ceil(log2(len(node) if node.n_groups is None else node.n_groups)) if len(node) > 1 else 0


def reverse(net: Net, lead: int) -> list[Step]:
    """The target splits and its neighbors unite: the target `lead` times, then in turn, then the target to its number."""
    target, up = net.target, [at for at in net.hidden if net.nodes[at].upward]
    splits = _splits(net, target)
    steps = [Step(target)] * min(lead, splits)
    for _ in range(max(splits - lead, 1)):
        steps += [*(Step(at) for at in up), Step(target)]
    return [*steps[:-1], *(Step(at) for at in up), Step(target, exhaustive=True)]


def written(words: str, net: Net, owner: str) -> list[Step]:
    """A schedule in words: names, '*n' for again, '!' for one union at a time, brackets: 'words*4 (members words)*8 members!'."""
    names = sorted((node.name for node in net.nodes if node.hidden), key=len, reverse=True)
    tokens = list(_tokens(words, names, owner))
    steps, rest = _sequence(tokens, net, owner, deep=False)
    if rest:
        raise ParameterError(f"{owner}: schedule has a closing bracket too many: {words!r}.")
    if not steps:
        raise ParameterError(f"{owner}: schedule names no population.")
    if len(steps) > _MOST:
        raise ParameterError(f"{owner}: schedule has {len(steps)} steps, and {_MOST} are the most.")
    return steps


def _tokens(words: str, names: Sequence[str], owner: str) -> Iterator[str]:
    at = 0
    while at < len(words):
        rest = words[at:]
        if rest[0] in " ,\t\n":
            at += 1
            continue
        again = re.match(r"\*\s*(\d+)", rest)
        found = rest[0] if rest[0] in "()!" else again[0] if again else next((n for n in names if rest.startswith(n)), "")
        if not found:
            raise ParameterError(
                f"{owner}: schedule must be made of {', '.join(names)}, brackets, '*n' and '!', and has {rest[:20]!r}."
            )
        yield found
        at += len(found)


def _sequence(tokens: list[str], net: Net, owner: str, deep: bool) -> tuple[list[Step], list[str]]:
    steps: list[Step] = []
    last: list[Step] = []
    while tokens:
        token, tokens = tokens[0], tokens[1:]
        if token == ")":
            if not deep:
                return steps + last, [token]
            return steps + last, tokens
        if token.startswith("*"):
            if not last:
                raise ParameterError(f"{owner}: schedule has {token!r} with nothing before it.")
            last = last * int(token[1:])
        elif token == "!":
            if len(last) != 1:
                raise ParameterError(f"{owner}: schedule has '!' without one population before it.")
            last = [Step(last[0].node, exhaustive=True)]
        else:
            steps += last
            if token == "(":
                last, tokens = _sequence(tokens, net, owner, deep=True)
            else:
                last = [Step(net.place(token))]
    if deep:
        raise ParameterError(f"{owner}: schedule has a bracket that is not closed.")
    return steps + last, []

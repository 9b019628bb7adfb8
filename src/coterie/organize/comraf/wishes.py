"""What a person says of the graph of populations, read and checked: pairs, groups asked for, what is observed, who unites."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.partition import Partition
from coterie.parts.moves import Counts

GRAPH = "Pairs of populations, such as 'members-words, members-people'; all tables there are when left out."
COUNTED = ("auto", "occurrences", "presence")
COUNTS = "Counts as they are, whether there at all, or auto: presence where most of what is there is there once."
RULES = ("mass", "root", "one", "raw", "cap")
WEIGHTS = (
    "Weight of each table: mass (its counts over those of the members' main table; theirs at most one), root of that, one, "
    "raw (1 / its information), cap (1 / the most it can hold), or a mapping of pair to number."
)


@dataclass(frozen=True, slots=True, eq=False)
class Wishes:
    """What a person says of the graph; the estimator's parameters, in one hand."""

    owner: str
    graph: Any = None
    n_groups: Any = 8
    observed: Any = ()
    weights: Any = "mass"
    upward: Any = None
    reverse: bool = False  # the target splits and all others unite
    counts: str = "occurrences"  # as they are, or whether there at all (presence), or auto
    labels: str = ""  # the observed population of labels a person gave, if any
    label_weight: float = 1.0  # of its tables, as a multiple of the main one's

    def present(self, counts: Counts) -> bool:
        """Whether a table counts as there or not; auto: where most of what is there is there once."""
        return self.counts == "presence" or (self.counts == "auto" and counts.single)


def pairs_asked(links: Links, wishes: Wishes) -> list[tuple[str, str]]:
    """The pairs of populations to be tied: all tables there are where nothing was said."""
    if wishes.graph is None:
        return list(links.tables)
    asked = wishes.graph
    if isinstance(asked, str):
        asked = [part.strip() for part in asked.replace(";", ",").split(",") if part.strip()]
    if not isinstance(asked, Sequence) or not asked:
        raise ParameterError(
            f"{wishes.owner}: graph must be pairs of populations, such as 'members-words', and was {wishes.graph!r}."
        )
    pairs = [pair_named(part, links.populations, "graph", wishes.owner) for part in asked]
    seen: set[frozenset[str]] = set()
    for pair in pairs:
        if frozenset(pair) in seen:
            raise ParameterError(f"{wishes.owner}: graph names {pair[0]}-{pair[1]} twice.")
        seen.add(frozenset(pair))
    return pairs


def pair_named(part: Any, known: Sequence[str], where: str, owner: str) -> tuple[str, str]:
    """The two populations of 'members-subject words' or ('members', 'subject words')."""
    if not isinstance(part, str):
        ends = [tuple(part)] if isinstance(part, Sequence) and len(part) == 2 else []
    else:
        cuts = [at for at, letter in enumerate(part) if letter == "-"]
        ends = [(part[:at].strip(), part[at + 1 :].strip()) for at in cuts]
    for one, other in ends:
        if one in known and one == other:
            raise ParameterError(
                f"{where} ties '{one}' to itself; give the links a copy of that population under another name.",
                owner=owner,
            )
        if one in known and other in known:
            return one, other
    raise ParameterError(
        f"{where} must name pairs of {', '.join(known)}, such as '{known[0]}-{known[-1]}', and names {part!r}.",
        owner=owner,
    )


def observed_groups(links: Links, wishes: Wishes, names: Collection[str]) -> dict[str, np.ndarray]:
    """Clusters of the populations that are not clustered: everyone apart, or known groups (-1 is in none)."""
    asked = wishes.observed
    asked = () if asked is None else [asked] if isinstance(asked, str) else asked
    if not isinstance(asked, (Mapping, Sequence, set, frozenset)):
        raise ParameterError(
            f"{wishes.owner}: observed must be names of populations, or a mapping, and was {asked!r}."
        )
    given: dict[str, Any] = dict(asked) if isinstance(asked, Mapping) else dict.fromkeys(asked)
    found = {}
    for name, groups in given.items():
        if name not in names or name == links.target:
            others = ", ".join(n for n in names if n != links.target)
            raise ParameterError(
                f"{wishes.owner}: observed must name populations beside the target ({others}), and names '{name}'."
            )
        size = len(links.ids[name])
        if groups is None:
            found[name] = np.arange(size)
            continue
        known = groups if isinstance(groups, Partition) else Partition.of(groups)
        if len(known) != size:
            raise DataError(
                f"{wishes.owner}: observed gives {len(known)} groups for the {size} elements of '{name}'."
            )
        found[name] = known.labels
    return found


def groups_asked(
    wishes: Wishes, target: str, names: Sequence[str], gone: Collection[str], known: Collection[str]
) -> dict[str, int]:
    """How many groups were asked for, by population; those that were left out of the graph are passed over."""
    given = wishes.n_groups
    owner = wishes.owner
    counts = dict(given) if isinstance(given, Mapping) else {target: given}
    for name, count in counts.items():
        if name not in names and name not in gone:
            raise ParameterError(
                f"n_groups names '{name}', and the populations are {', '.join(names)}.", owner=owner
            )
        if name in known:
            raise ParameterError(
                f"n_groups names '{name}', which is observed and not clustered.", owner=owner
            )
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise ParameterError(
                f"n_groups of '{name}' must be a whole number from 1, and was {count!r}.",
                owner=owner,
            )
    if target not in counts:
        raise ParameterError(
            f"n_groups must say how many groups of '{target}' there are, and names {', '.join(counts) or 'nothing'}.",
            owner=owner,
        )
    return {name: int(count) for name, count in counts.items() if name in names}


def starts_apart(
    wishes: Wishes, target: str, names: Sequence[str], gone: Collection[str]
) -> tuple[str, ...]:
    """The populations that start with everyone apart and unite."""
    if wishes.upward is None:
        return tuple(name for name in names if name != target) if wishes.reverse else (target,)
    asked = (wishes.upward,) if isinstance(wishes.upward, str) else wishes.upward
    if not isinstance(asked, (Sequence, set, frozenset)):
        raise ParameterError(
            f"{wishes.owner}: upward must be names of populations, and was {asked!r}."
        )
    for name in asked:
        if name not in names and name not in gone:
            raise ParameterError(
                f"{wishes.owner}: upward must name populations ({', '.join(names)}), and names '{name}'."
            )
    if wishes.reverse and target in asked:
        raise ParameterError(
            f"{wishes.owner}: the reverse schedule splits '{target}', so upward cannot name it."
        )
    return tuple(name for name in asked if name in names)

"""Two groupings of the same members side by side: how far they agree, which groups live on, who moved, and what is chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Findings
from coterie.core.partition import Partition
from coterie.core.random import stream
from coterie.judge.labels import Coded, Contingency, adjusted_rand, bcubed, cross, match, nmi
from coterie.judge.significance import mcnemar
from coterie.parts.matching import Overlaps, overlaps
from coterie.workflows.compared_words import MEANINGS, NOWHERE, Against, Flow, Measure, Pair, Words

_ROUNDS = 37  # the key of the stream of random groups
# overlap (Jaccard), and share of the smaller one, from which a group lives on in another
_LEAST = 0.1
_PART = 0.25


@dataclass(frozen=True, eq=False)
class Grouping:
    """Members, the group of each (-1 is in none), and names: one side of a comparison. `Grouping.of` takes any labels."""

    name: str
    ids: Sequence[str]
    labels: np.ndarray
    names: Mapping[int, str] = field(default_factory=dict)
    answers: Mapping[str, Sequence[Any]] = field(
        default_factory=dict
    )  # known answers of the members; None where there is none

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels, dtype=np.int64)
        object.__setattr__(self, "labels", labels)
        if len(labels) != len(self.ids):
            raise DataError(
                f"'{self.name}' has {len(self.ids):,} ids and {len(labels):,} labels; every member needs one of each."
            )
        if len(set(self.ids)) < len(self.ids):
            seen: set[str] = set()
            twice = next(i for i in self.ids if i in seen or seen.add(i))  # type: ignore[func-returns-value]
            raise DataError(
                f"Two members of '{self.name}' have the id '{twice}'; every id must be there once."
            )

    @classmethod
    def of(cls, name: str, ids: Sequence[Any], labels: Any) -> Grouping:
        """From labels of any kind: words, numbers, None for members in no group."""
        found = Partition.of(labels)
        return cls(name, [str(one) for one in ids], found.labels, dict(enumerate(found.names)))

    @classmethod
    def found(
        cls, name: str, findings: Findings, truth: Mapping[str, Any] | None = None
    ) -> Grouping:
        """The groups of a run; columns of truth may lack the members that were added later."""
        names = {group.label: group.name for group in findings.groups}
        later = len(findings)
        answers = {
            column: [*np.asarray(values, dtype=object).tolist(), *[None] * (later - len(values))]
            for column, values in (truth or {}).items()
        }
        return cls(name, [str(one) for one in findings.ids], findings.labels, names, answers)

    def called(self, label: int) -> str:
        """What a group is called."""
        return NOWHERE if label < 0 else self.names.get(label) or f"group {label + 1}"


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Two groupings of the members they share; `words` says it all in sentences."""

    first: Grouping
    second: Grouping
    at_first: np.ndarray  # (n,) positions of the shared members in the first
    at_second: np.ndarray  # (n,) and in the second
    moved: np.ndarray  # (n,) whether a member left its group: the one it is in now is not what became of its old one
    measures: tuple[Measure, ...]
    p_value: float  # share of random groups that agree at least as much
    nulls: int
    pairs: tuple[Pair, ...]  # groups that are each other's, then those that are gone, then new ones
    flows: tuple[Flow, ...]  # from group to group, the largest first
    against: tuple[Against, ...] = ()

    def __len__(self) -> int:
        return len(self.moved)

    @property
    def words(self) -> Words:
        """All of it in sentences."""
        numbers = {one.name: one.value for one in self.measures}
        left = len(self.first.ids) - len(self), len(self.second.ids) - len(self)
        chance = self.measures[0].chance, self.measures[0].most
        names = self.first.name, self.second.name
        found = Words(
            names,
            len(self),
            int(self.moved.sum()),
            numbers,
            chance,
            self.p_value,
            self.nulls,
            self.pairs,
            left,
        )
        return found.with_flows(self.flows, self.first.called, self.second.called, self.against)

    def movers(self, source: int | None = None, target: int | None = None) -> np.ndarray:
        """Rows of members that moved, the largest moves first; only those from or to a group where one is named.

        With both named, all members that went this way are given, also those who stayed in what became of their group.
        """
        a = self.first.labels[self.at_first]
        b = self.second.labels[self.at_second]
        wanted = (
            np.ones(len(self), dtype=bool)
            if source is not None and target is not None
            else self.moved.copy()
        )
        wanted &= (a == source) if source is not None else True
        wanted &= (b == target) if target is not None else True
        rank = {(flow.first, flow.second): at for at, flow in enumerate(self.flows)}
        rows = np.flatnonzero(wanted)
        return rows[np.argsort([rank[int(a[row]), int(b[row])] for row in rows], kind="stable")]

    def record(self, most: int = 0) -> dict[str, Any]:
        """The same as plain values, with the first `most` members that moved."""
        a = self.first.labels[self.at_first]
        b = self.second.labels[self.at_second]
        moved = [
            {
                "id": str(self.first.ids[self.at_first[row]]),
                "from": self.first.called(int(a[row])),
                "to": self.second.called(int(b[row])),
            }
            for row in self.movers()[:most].tolist()
        ]
        return {
            "first": self.first.name,
            "second": self.second.name,
            "members": len(self),
            "moved": int(self.moved.sum()),
            "only_first": len(self.first.ids) - len(self),
            "only_second": len(self.second.ids) - len(self),
            "measures": [one.record() for one in self.measures],
            "p_value": self.p_value,
            "random_groups": self.nulls,
            "groups": [one.record() for one in self.pairs],
            "flows": [one.record(self.first.called, self.second.called) for one in self.flows],
            "answers": [one.record() for one in self.against],
            "sentences": self.words.sentences(),
            "movers": moved,
        }


def compare_groups(
    first: Grouping, second: Grouping, *, nulls: int = 199, seed: int = 0
) -> SideBySide:
    """Compare two groupings on the members that both have, by their ids; `nulls` random groupings say what chance would do.

    >>> old, new = Grouping.of("old", "abcdef", [0, 0, 0, 1, 1, 1]), Grouping.of("new", "abcdef", [1, 1, 0, 0, 0, 0])
    >>> found = compare_groups(old, new)
    >>> [old.ids[row] for row in found.movers()], round(found.measures[0].value, 3)
    (['c'], 0.324)
    """
    if isinstance(nulls, bool) or nulls < 1:
        raise ParameterError(f"nulls must be a whole number from 1, and was {nulls!r}.")
    place = {one: at for at, one in enumerate(second.ids)}
    mine = np.array([at for at, one in enumerate(first.ids) if one in place], dtype=np.int64)
    if not len(mine):
        some = (
            f"'{first.ids[0]}' there and '{second.ids[0]}' here"
            if len(first.ids) and len(second.ids)
            else "none"
        )
        raise DataError(
            f"{first.name} and {second.name} have no member in common (ids are such as {some})."
        )
    other = np.array([place[first.ids[at]] for at in mine], dtype=np.int64)
    a = first.labels[mine]
    b = second.labels[other]
    met = overlaps(b, a)
    became = _lasting(met)
    was = np.array(
        [became.get(int(label), -2) if label >= 0 else -1 for label in b], dtype=np.int64
    )
    measures, p_value = _judged(a, b, nulls, seed)
    return SideBySide(
        first,
        second,
        mine,
        other,
        was != a,
        measures,
        p_value,
        nulls,
        _pairs(met, became, first, second),
        _flows(a, b, was == a),
        _against(first, second, mine, other),
    )


def _lasting(met: Overlaps) -> dict[int, int]:
    """New group -> what it was; groups that share next to nothing are not each other's, though none is left that fits better."""
    row = {int(g): at for at, g in enumerate(met.new)}
    col = {int(g): at for at, g in enumerate(met.old)}
    found = {}
    for new, old in met.pairs():
        cell = row[new], col[old]
        part = float(met.shared[cell]) / max(
            1.0, float(min(met.new_sizes[cell[0]], met.old_sizes[cell[1]]))
        )
        if met.jaccard[cell] >= _LEAST and part >= _PART:
            found[new] = old
    return found


def _judged(
    a: np.ndarray, b: np.ndarray, nulls: int, seed: int
) -> tuple[tuple[Measure, ...], float]:
    """The measures, what random groups of the same sizes would get, and the share of these that agree at least as much."""
    old = _alone(a)
    new = _alone(b)
    values = _measured(cross(new, old))
    drawn = np.array(
        [
            list(
                _measured(
                    cross(Coded(stream(seed, _ROUNDS, at).permutation(new.codes), new.names), old)
                ).values()
            )
            for at in range(nulls)
        ]
    )
    p_value = (1 + int((drawn[:, 0] >= values["adjusted Rand"] - 1e-12).sum())) / (1 + nulls)
    return tuple(
        Measure(
            name,
            value,
            float(drawn[:, at].mean()),
            float(np.quantile(drawn[:, at], 0.95)),
            MEANINGS[name],
        )
        for at, (name, value) in enumerate(values.items())
    ), p_value


def _alone(labels: np.ndarray) -> Coded:
    """The groups as whole numbers from 0; who is in none is alone."""
    names, codes = np.unique(labels[labels >= 0], return_inverse=True)
    found = np.empty(len(labels), dtype=np.int64)
    found[labels >= 0] = codes
    found[labels < 0] = len(names) + np.arange(int((labels < 0).sum()))
    return Coded(found, tuple(range(int(found.max(initial=-1)) + 1)))


def _measured(table: Contingency) -> dict[str, float]:
    cubed = bcubed(table)
    return {
        "adjusted Rand": adjusted_rand(table),
        "NMI": nmi(table),
        "BCubed F": cubed.f,
        "kept together": cubed.recall,
        "kept apart": cubed.precision,
    }


def _pairs(
    met: Overlaps, became: Mapping[int, int], first: Grouping, second: Grouping
) -> tuple[Pair, ...]:
    """Every group of both sides once: what became of it, or what it was made of."""
    row = {int(g): at for at, g in enumerate(met.new)}
    col = {int(g): at for at, g in enumerate(met.old)}
    is_now = {old: new for new, old in became.items()}
    jaccard = met.jaccard
    found = list[Pair]()
    for old in sorted(col, key=lambda g: (g not in is_now, -int(met.old_sizes[col[g]]), g)):
        new = is_now.get(old)
        size = int(met.old_sizes[col[old]])
        if new is None:
            most = int(met.shared[:, col[old]].argmax()) if len(met.new) else -1
            shared = int(met.shared[most, col[old]]) if most >= 0 else 0
            to = second.called(int(met.new[most])) if shared else ""
            found.append(Pair(old, None, first.called(old), "", size, 0, shared, mostly=to))
        else:
            cell = row[new], col[old]
            names = first.called(old), second.called(new)
            shared = int(met.shared[cell])
            found.append(
                Pair(
                    old,
                    new,
                    *names,
                    size,
                    int(met.new_sizes[cell[0]]),
                    shared,
                    float(jaccard[cell]),
                )
            )
    for new in sorted(set(row) - set(became), key=lambda g: (-int(met.new_sizes[row[g]]), g)):
        most = int(met.shared[row[new]].argmax()) if len(met.old) else -1
        shared = int(met.shared[row[new], most]) if most >= 0 else 0
        of = first.called(int(met.old[most])) if shared else ""
        found.append(
            Pair(
                None,
                new,
                "",
                second.called(new),
                0,
                int(met.new_sizes[row[new]]),
                shared,
                mostly=of,
            )
        )
    return tuple(found)


def _flows(a: np.ndarray, b: np.ndarray, stays: np.ndarray) -> tuple[Flow, ...]:
    ways, where, counts = np.unique(np.stack([a, b]), axis=1, return_index=True, return_counts=True)
    found = [
        Flow(int(x), int(y), int(n), bool(stays[at]))
        for x, y, n, at in zip(*ways, counts, where, strict=True)
    ]
    return tuple(sorted(found, key=lambda flow: (-flow.members, flow.first, flow.second)))


def _against(
    first: Grouping, second: Grouping, mine: np.ndarray, other: np.ndarray
) -> tuple[Against, ...]:
    """Both sides against every column of known answers, and whether one is right more often by more than luck."""
    found = []
    for column in dict.fromkeys([*first.answers, *second.answers]):
        values, at = (
            (first.answers[column], mine)
            if column in first.answers
            else (second.answers[column], other)
        )
        known = [(row, str(values[p])) for row, p in enumerate(at) if _is_known(values[p])]
        if len({answer for _, answer in known}) < 2:
            continue
        kept = np.array([row for row, _ in known])
        answers = np.array([answer for _, answer in known], dtype=object)
        sides = first.labels[mine[kept]], second.labels[other[kept]]
        right = [_right(labels, answers) for labels in sides]
        scores = [
            (float(mark.mean()), float(nmi(labels, answers)))
            for mark, labels in zip(right, sides, strict=True)
        ]
        found.append(Against(column, len(kept), scores[0], scores[1], mcnemar(*right)))
    return tuple(found)


def _right(labels: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Whether the group of a member stands for its answer, in the one-to-one matching that fits best."""
    stands = {cluster: answer for cluster, answer, _ in match(labels, answers).pairs}
    return np.array(
        [stands.get(int(label)) == answer for label, answer in zip(labels, answers, strict=True)]
    )


def _is_known(answer: Any) -> bool:
    return answer is not None and answer == answer and answer != ""

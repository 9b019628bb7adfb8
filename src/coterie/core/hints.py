"""Hints: what a person knows of some members: labels, pairs that belong together, pairs that belong apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.partition import Partition

Scheme = Literal["intrinsic", "constrained", "seeded"]
SCHEMES: tuple[Scheme, ...] = ("intrinsic", "constrained", "seeded")
_NONE = np.zeros((0, 2), dtype=np.int64)
_SHOWN = 10  # ids named in an error


@dataclass(frozen=True, slots=True, eq=False)
class Hints:
    """What is known of some of the members, by their positions, and how it is used.

    `labels` are numbers of `names` (-1 where nothing is known); `together` and `apart` are pairs of positions. Labels are an
    observed population of their own (intrinsic), pairs of labeled members (constrained), or only where the search starts
    (seeded). `label_weight` is what the tables of labels weigh beside the main one (1 when left out; 0.3 where labels may be
    wrong), or what a pair of labeled members weighs (a law, when left out); `pair_weight` is what a pair given as such weighs. A
    pair of weight 1 counts as much as one nat of one member; an infinite weight is a law.

    >>> hints = Hints.of(["a", "b", "c", "d"], {"a": "tea", "c": "coffee"}, together=[("a", "b")])
    >>> hints, hints.chunks().tolist()
    (Hints(4 members, 2 labeled, 1 pair together), [0, 0, 1, 2])
    """

    labels: np.ndarray
    names: tuple[str, ...] = ()
    together: np.ndarray = field(default_factory=lambda: _NONE)
    apart: np.ndarray = field(default_factory=lambda: _NONE)
    scheme: Scheme = "intrinsic"
    label_weight: float | None = None
    pair_weight: float = np.inf
    ids: tuple[str, ...] | None = None  # what members are called in sentences

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise ParameterError(
                f"scheme must be one of {', '.join(SCHEMES)}, and was {self.scheme!r}.",
                owner="Hints",
            )
        for name in ("label_weight", "pair_weight"):
            value = getattr(self, name)
            if name == "label_weight" and value is None:
                continue
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float, np.number))
                or not value >= 0
            ):
                raise ParameterError(
                    f"{name} must be a number from 0, and was {value!r}.", owner="Hints"
                )
        if (
            self.scheme != "constrained"
            and self.label_weight is not None
            and np.isinf(self.label_weight)
        ):
            raise ParameterError(
                f"labels are a law with scheme='constrained' only; with '{self.scheme}' a weight is finite.",
                owner="Hints",
            )
        object.__setattr__(self, "labels", np.asarray(self.labels, dtype=np.int64))
        if len(self.labels) and self.labels.max(initial=-1) >= len(self.names):
            raise DataError(
                f"there is a label number {int(self.labels.max())}, and only {len(self.names)} names of labels.",
                owner="Hints",
            )
        for name in ("together", "apart"):
            pairs = np.asarray(getattr(self, name), dtype=np.int64).reshape(-1, 2)
            wrong = pairs[(pairs < 0) | (pairs >= len(self.labels))]
            if len(wrong):
                raise DataError(
                    f"a pair {name} names the member {int(wrong[0])}, and there are {len(self.labels)}.",
                    owner="Hints",
                )
            object.__setattr__(self, name, pairs)

    @classmethod
    def of(
        cls,
        members: int | Sequence[str],
        labels: Any = None,
        *,
        together: Iterable[Sequence[Any]] = (),
        apart: Iterable[Sequence[Any]] = (),
        scheme: Scheme = "intrinsic",
        label_weight: float | None = None,
        pair_weight: float = np.inf,
    ) -> Hints:
        """From how many members there are, or their ids.

        `labels` are one per member (None, "", NaN or -1 where unknown) or a mapping of member to label; members are named by id
        where ids are given, else by position.
        """
        if isinstance(members, (int, np.integer)):
            place: dict[Any, int] = {i: i for i in range(int(members))}
            ids = None
            n = int(members)
        else:
            ids = tuple(str(member) for member in members)
            place = {member: i for i, member in enumerate(ids)}
            n = len(ids)
            if len(place) < n:
                twice = next(member for i, member in enumerate(ids) if place[member] != i)
                raise DataError(
                    f"two members have the id '{twice}'; every id must be there once.",
                    owner="Hints",
                )
        if isinstance(labels, Mapping):
            _known(labels, place, "labels name")
            rows: list[Any] = [None] * n
            for member, label in labels.items():
                rows[_at(member, place)] = label
            labels = rows
        found = Partition.of([None] * n if labels is None else labels)
        if len(found) != n:
            raise DataError(f"there are {len(found)} labels for {n} members.", owner="Hints")
        return cls(
            found.labels,
            found.names,
            _pairs(together, place, "together"),
            _pairs(apart, place, "apart"),
            scheme,
            label_weight,
            pair_weight,
            ids,
        )

    def called(self, member: int) -> str:
        """What a member is called in a sentence: its id in quotation marks, or its number."""
        return f"member {member}" if self.ids is None else f"'{self.ids[member]}'"

    def __len__(self) -> int:
        return len(self.labels)

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool((self.labels >= 0).any() or len(self.together) or len(self.apart))

    @property
    def trust(self) -> float:
        """The weight of labels: as given, or 1 for an observed population and a law for pairs."""
        if self.label_weight is not None:
            return float(self.label_weight)
        return np.inf if self.scheme == "constrained" else 1.0

    @property
    def known(self) -> np.ndarray:
        """Positions of the labeled members."""
        return np.flatnonzero(self.labels >= 0)

    def chunks(self, labels: bool = False) -> np.ndarray:
        """One number per member, the same for those that belong together: by pairs, over several steps, and by equal labels.

        Numbered in the order of their first members.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        pairs = self.together
        if labels:
            order = self.known[np.argsort(self.labels[self.known], kind="stable")]
            same = self.labels[order[1:]] == self.labels[order[:-1]]
            pairs = np.concatenate([pairs, np.stack([order[:-1][same], order[1:][same]], axis=1)])
        n = len(self)
        graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
        _, parts = connected_components(graph, directed=False)
        _, first, inverse = np.unique(parts, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return rank[inverse]

    @property
    def laws(self) -> Hints:
        """What of it is a law: pairs without an end to their weight, and labels as constraints without one."""
        none = np.zeros((0, 2), dtype=np.int64)
        firm = np.isinf(self.pair_weight)
        told = self.scheme == "constrained" and np.isinf(self.trust)
        return replace(
            self,
            labels=self.labels if told else np.full(len(self), -1),
            together=self.together if firm else none,
            apart=self.apart if firm else none,
        )

    def consistent(self, owner: str, ids: Sequence[str] | None = None) -> Hints:
        """Itself, after laws that cannot all be true were refused: a pair both together and apart, one chunk with two labels.

        Hints with a weight may disagree. Labels that are no law still may not differ for members that are one by law.
        """
        named = (
            self if ids is None or self.ids is not None else replace(self, ids=tuple(map(str, ids)))
        )
        laws = named.laws
        called = named.called
        chunks = laws.chunks(labels=True)
        for one, other in named.apart.tolist():
            if one == other:
                raise DataError(f"{called(one)} cannot be apart from itself.", owner=owner)
        for one, other in laws.apart.tolist():
            if chunks[one] == chunks[other]:
                raise DataError(
                    f"{called(one)} and {called(other)} are said to belong apart, and other hints put them together.",
                    owner=owner,
                )
        if self.scheme != "seeded":
            chunk = chunks[self.known]
            label = self.labels[self.known]
            order = np.lexsort((label, chunk))
            differ = (chunk[order][1:] == chunk[order][:-1]) & (
                label[order][1:] != label[order][:-1]
            )
            if differ.any():
                at = int(np.flatnonzero(differ)[0])
                one, other = (self.known[order[i]] for i in (at, at + 1))
                raise DataError(
                    f"{called(one)} and {called(other)} belong together by the hints, and are labeled "
                    f"'{self.names[self.labels[one]]}' and '{self.names[self.labels[other]]}'.",
                    owner=owner,
                )
        return named

    def take(self, indices: Sequence[int] | np.ndarray) -> Hints:
        """The hints on the members at these positions only.

        Of laws, members in between two that belong together are remembered; pairs with a weight stay where both are there.
        """
        chosen = np.asarray(indices, dtype=np.int64)
        place = np.full(len(self), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        together, apart = (
            pairs[(pairs >= 0).all(axis=1)] for pairs in (place[self.together], place[self.apart])
        )
        if np.isinf(self.pair_weight):
            chunks = self.chunks()[chosen]
            order = np.argsort(chunks, kind="stable")
            same = chunks[order[1:]] == chunks[order[:-1]]
            together = np.stack([order[:-1][same], order[1:][same]], axis=1)
        ids = None if self.ids is None else tuple(self.ids[at] for at in chosen)
        return replace(self, labels=self.labels[chosen], together=together, apart=apart, ids=ids)

    def broken(self, groups: np.ndarray) -> np.ndarray:
        """The pairs that these groups do not keep: those together in two groups, those apart in one."""
        one, other = groups[self.together].T if len(self.together) else (np.zeros(0), np.zeros(0))
        parted = self.together[one != other]
        left, right = groups[self.apart].T if len(self.apart) else (np.zeros(0), np.zeros(0))
        joined = self.apart[(left == right) & (left >= 0)]
        return np.concatenate([parted, joined])

    def record(self, ids: Sequence[str]) -> dict[str, Any]:
        """As plain values with the ids of members, for a file."""
        return {
            "labels": {str(ids[at]): self.names[self.labels[at]] for at in self.known},
            "together": [[str(ids[i]), str(ids[j])] for i, j in self.together],
            "apart": [[str(ids[i]), str(ids[j])] for i, j in self.apart],
            "scheme": self.scheme,
            "label_weight": self.label_weight,
            "pair_weight": "law" if np.isinf(self.pair_weight) else float(self.pair_weight),
        }

    @classmethod
    def of_record(cls, ids: Sequence[str], record: Mapping[str, Any]) -> Hints:
        """From what `record` gave, or a part of it."""
        weight = record.get("pair_weight", "law")
        return cls.of(
            ids,
            record.get("labels"),
            together=record.get("together", ()),
            apart=record.get("apart", ()),
            scheme=record.get("scheme", "intrinsic"),
            label_weight=record.get("label_weight"),
            pair_weight=np.inf if weight == "law" else weight,
        )

    def __repr__(self) -> str:
        parts = [f"{len(self)} members", f"{len(self.known)} labeled"]
        for name in ("together", "apart"):
            count = len(getattr(self, name))
            if count:
                parts.append(f"{count} pair{'' if count == 1 else 's'} {name}")
        return f"Hints({', '.join(parts)})"


def _at(member: Any, place: Mapping[Any, int]) -> int:
    return place[member] if member in place else place[str(member)]


def _known(asked: Iterable[Any], place: Mapping[Any, int], what: str) -> None:
    """Refuse members that are not there, naming the first ones."""
    strange = [str(member) for member in asked if member not in place and str(member) not in place]
    if strange:
        more = f" and {len(strange) - _SHOWN} more" if len(strange) > _SHOWN else ""
        them = "who is not a member" if len(strange) == 1 else "who are no members"
        raise DataError(
            f"{what} {', '.join(strange[:_SHOWN])}{more}, {them} of the collection.", owner="Hints"
        )


def _pairs(pairs: Iterable[Sequence[Any]], place: Mapping[Any, int], what: str) -> np.ndarray:
    rows = list(pairs)
    for pair in rows:
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise DataError(
                f"a pair that belongs {what} must name two members, and was {pair!r}.",
                owner="Hints",
            )
    _known([member for pair in rows for member in pair], place, f"pairs {what} name")
    return np.array(
        [[_at(one, place), _at(other, place)] for one, other in rows], dtype=np.int64
    ).reshape(-1, 2)

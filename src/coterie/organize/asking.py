"""The best next question: the pair of members whose answer would put most others right, from where several runs disagree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from coterie.core.errors import DataError, ParameterError
from coterie.core.hints import Hints
from coterie.core.partition import Hierarchy, Partition, numbered
from coterie.core.taught import MADE_UP
from coterie.organize.cells import (
    Cells,
    Regrouped,
    agreed_groups,
    cells_of,
    checked,
    kept_to,
    regrouped,
    united_groups,
)

Said = Literal["together", "apart"]
_RIGHT = 0.75  # that those who stand for two cells belong together, where most of the cells do
_WRONG = 0.06  # that they do, where most of the cells do not
_TIMES = 3  # questions on two cells, each with others who stand for them
_WORTH = 0.0005  # share of all members that an answer must be expected to put right
_NONE = 1e-9  # members; less is rounding
_COARSER = (0.8, 0.5)  # of the groups, in coarser partitions
_LEAST = 0.05  # and so many members


@dataclass(frozen=True, slots=True)
class Question:
    """Two members (positions) of whom to ask whether they belong together; none where nothing is left to ask."""

    members: tuple[int, ...]
    gain: float  # members that the answer is expected to put right
    sentence: str
    pays: bool  # whether it is worth asking
    kind: str = "pair"


class Questions:
    """Questions on partitions of the same members: runs, restarts, seeds or iterations of any method.

    Members that all partitions keep together are a cell, and an answer on two who stand for their cells counts for all
    of them, as far as it can be trusted: it says something of the two members for sure, and of their cells by a chance that
    grows with every answer of the same kind. `ids` name members in sentences, `confidence` says who stands for a cell, `groups`
    are those of the members so far (a consensus of the partitions when left out), `coarser` partitions say besides which groups
    are near each other, and `hints` are what is known already.

    >>> asking = Questions([[0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 2, 2, 2]])
    >>> question = asking.next_question()
    >>> question.members, question.pays
    ((4, 7), True)
    >>> asking.answer(question, "together")
    >>> asking.partition().labels.tolist()
    [1, 1, 1, 0, 0, 0, 0, 0, 0]
    """

    def __init__(
        self,
        partitions: Any,
        hints: Hints | None = None,
        ids: Sequence[str] | None = None,
        *,
        coarser: Any = None,
        confidence: Any = None,
        groups: Any = None,
    ) -> None:
        runs = checked(partitions, "Questions")
        more = None if coarser is None or not len(coarser) else checked(coarser, "Questions")
        self.n = runs.shape[1]
        first = None if more is None else more[0]
        for name, rows in (
            ("coarser", first),
            ("ids", ids),
            ("confidence", confidence),
            ("groups", groups),
        ):
            if rows is not None and len(rows) != self.n:
                raise DataError(
                    f"{name} has {len(rows)} members, and the partitions have {self.n}.",
                    owner="Questions",
                )
        self.ids = None if ids is None else [str(member) for member in ids]
        self._own = agreed_groups(runs) if groups is None else np.asarray(groups, dtype=np.int64)
        self.cells: Cells = cells_of(runs, self._own, more, confidence)
        self.total = len(runs) + (0 if more is None else len(more))
        self._pairs: list[tuple[int, int, Said]] = []
        m = len(self.cells)
        self._heard = np.zeros((m, m))  # log odds that answers add
        self._times = np.zeros((m, m), dtype=np.int64)
        self._mixed: set[int] = set()  # cells that hold members who belong apart
        if hints is not None:
            self._known(hints)

    # ---- asking ----------------------------------------------------------------------------------------------------

    def next_question(self) -> Question:
        """The question whose answer is expected to put most members right."""
        if len(self.cells) < 2:
            return Question(
                (), 0.0, "Nothing is left to ask: all runs agree on the large parts.", False
            )
        gains = self._gains(self._now())
        one, other = divmod(int(gains.argmax()), len(self.cells))
        one, other = min(one, other), max(one, other)
        gain = float(gains[one, other])
        if gain <= _NONE:
            return Question(
                (), 0.0, "Nothing is left to ask: no answer would change the groups.", False
            )
        pair = self._pair(one, other)
        pays = gain >= max(_LEAST, _WORTH * self.n)
        return Question(pair, gain, self._sentence(one, other, pair, gain, pays), pays)

    def _pair(self, one: int, other: int) -> tuple[int, int]:
        """The first two who stand for these cells and were not answered about."""
        said = {frozenset(pair[:2]) for pair in self._pairs}
        here = self.cells.members[one]
        there = self.cells.members[other]
        for time in range(max(len(here), len(there))):
            pair = int(here[min(time, len(here) - 1)]), int(there[min(time, len(there) - 1)])
            if frozenset(pair) not in said:
                break
        return pair

    def answer(self, question: Question, said: Said | None) -> None:
        """Keep an answer; None is "I do not know", and these two cells are not asked about again."""
        if len(question.members) != 2:
            raise ParameterError(
                "this question asks nothing, and has no answer.", owner="Questions"
            )
        one, other = question.members
        if said is None:
            a, b = (int(self.cells.of[member]) for member in (one, other))
            if min(a, b) >= 0:
                self._times[a, b] = self._times[b, a] = _TIMES
            return
        self.told(one, other, said)

    def changed_from(self, before: Any) -> None:
        """Do not ask about cells that the groups before kept together and those of now apart, or the other way: it was said."""
        old = np.asarray(before)[[int(some[0]) for some in self.cells.members]]
        now = self.cells.groups
        self._times[(old[:, None] == old[None, :]) != (now[:, None] == now[None, :])] = _TIMES

    def told(self, one: int, other: int, said: Said) -> None:
        """Keep that two members (positions) belong together or apart, whoever asked."""
        if said not in ("together", "apart"):
            raise ParameterError(
                f"an answer is 'together', 'apart' or None, and was {said!r}.", owner="Questions"
            )
        if one == other or not (0 <= one < self.n and 0 <= other < self.n):
            raise DataError(
                f"an answer is on two different members of {self.n}, and was on {one} and {other}.",
                owner="Questions",
            )
        self._keep([(int(one), int(other), said)])

    def _keep(self, more: Sequence[tuple[int, int, Said]]) -> None:
        """Keep pairs that can all be true, beside those kept before."""
        pairs = [*self._pairs, *more]
        _hints(self.n, pairs).consistent("Questions", self.ids)
        self._pairs = pairs
        for one, other, said in more:
            a = int(self.cells.of[one])
            b = int(self.cells.of[other])
            if a == b and a >= 0 and said == "apart":
                self._mixed.add(a)
            if a != b and min(a, b) >= 0:
                self._hear(np.array([a]), np.array([b]), said)

    def _hear(self, some: np.ndarray, others: np.ndarray, said: Said) -> None:
        """Count an answer on each of these pairs of cells."""
        odds = (
            np.log(_RIGHT / _WRONG) if said == "together" else np.log((1 - _RIGHT) / (1 - _WRONG))
        )
        for x, y in ((some, others), (others, some)):
            self._heard[x, y] += odds
            self._times[x, y] += 1

    @property
    def answers(self) -> list[tuple[int, int, Said]]:
        """Every answer that was given: two positions and what was said."""
        return list(self._pairs)

    def pairs(self) -> Hints:
        """The answers themselves, as pairs."""
        return _hints(self.n, self._pairs)

    # ---- what follows ----------------------------------------------------------------------------------------------

    def hints(self, asked_only: bool = False) -> Hints:
        """What the answers teach the next fit: the pairs themselves, and labels of the cells (one where they belong together).

        Cells that answers took out of their group without saying where they belong have no label, nor has a member whose label
        would speak against a pair. Without any answer nothing is known. `asked_only` labels the cells that an answer was on, and
        leaves all others free.
        """
        if not self._pairs:
            return Hints.of(self.n)
        now = self._now()
        cells = self.cells
        known = (cells.of >= 0) & ~np.isin(cells.of, sorted(self._mixed))
        if asked_only:
            known &= np.isin(cells.of, np.flatnonzero((self._heard != 0).any(axis=1)))
        groups = (
            np.where(known, now.groups[np.maximum(cells.of, 0)], -1)
            if len(cells)
            else np.full(self.n, -1)
        )
        groups[groups > int(cells.groups.max(initial=-1))] = -1
        found = _hints(self.n, self._pairs)
        chunks = found.chunks()
        for chunk in np.unique(chunks[found.together.ravel()]):
            inside = np.flatnonzero(chunks == chunk)
            if len(set(groups[inside].tolist()) - {-1}) > 1:
                groups[inside] = -1
        for one, other in found.apart.tolist():
            if groups[one] == groups[other]:
                groups[[one, other]] = -1
        codes = np.unique(groups, return_inverse=True)[1] - int((groups < 0).any())
        labels = [f"{MADE_UP} {code + 1}" if code >= 0 else None for code in codes]
        return Hints.of(self.n, labels, together=found.together, apart=found.apart)

    def partition(self, n_groups: int | None = None) -> Partition:
        """The groups under the answers, numbered from the largest; with `n_groups` the likeliest are united down to so many.

        An answer says something of two cells by a chance, and of its own two members for sure: these are where it puts them.
        """
        groups = self._own.copy()
        if len(self.cells):
            now = self._now()
            for old in np.unique(self.cells.groups[self.cells.groups >= 0]):
                inside = self.cells.groups == old
                weights = np.bincount(now.groups[inside], weights=self.cells.sizes[inside])
                groups[self._own == old] = int(weights.argmax())
            groups = np.where(self.cells.of >= 0, now.groups[np.maximum(self.cells.of, 0)], groups)
        pairs = _hints(self.n, self._pairs)
        if n_groups is not None:
            split = [(int(one), int(other)) for one, other in pairs.apart]
            groups = united_groups(groups, self.cells, self._belief(), split, n_groups)
        return numbered(kept_to(groups, pairs, self.cells, self._belief(), n_groups))[0]

    # ---- beliefs ---------------------------------------------------------------------------------------------------

    def _belief(self) -> np.ndarray:
        """Cells x cells: how likely they belong together after the answers."""
        chance = self.cells.chance
        return np.asarray(1.0 / (1.0 + np.exp(-(np.log(chance / (1.0 - chance)) + self._heard))))

    def _now(self) -> Regrouped:
        """The parts and groups of the cells that the answers make most likely."""
        belief = self._belief()
        (rows, cols) = np.nonzero(np.triu(self._times * (self._heard != 0), 1))
        asked = [(float(belief[a, b]), int(a), int(b)) for a, b in zip(rows, cols, strict=True)]
        return regrouped(
            self.cells,
            [link for link in asked if link[0] > 0.5],
            [link[1:] for link in asked if link[0] <= 0.5],
        )

    def _gains(self, now: Regrouped) -> np.ndarray:
        """Cells x cells: how many members an answer is expected to put right; below 0 where it is known or was asked enough."""
        belief = self._belief()
        asked = self._heard != 0
        part = now.part
        implied = (part[:, None] == part[None, :]) | now.apart[part][:, part]
        held = np.where(asked, belief > 0.5, now.groups[:, None] == now.groups[None, :])
        yes = belief * _RIGHT + (1 - belief) * _WRONG
        after_yes = belief * _RIGHT / yes
        after_no = belief * (1 - _RIGHT) / (1 - yes)
        then = yes * np.maximum(after_yes, 1 - after_yes) + (1 - yes) * np.maximum(
            after_no, 1 - after_no
        )
        own = self.cells.sizes
        whole = now.weight[part]
        many = np.where(asked, np.minimum.outer(own, own), np.minimum.outer(whole, whole))
        gains = (then - np.where(held, belief, 1 - belief)) * many
        most = np.minimum(
            _TIMES, np.maximum.outer(own, own)
        )  # no pair of members is asked about twice
        gains[(implied & ~asked) | (self._times >= most)] = -1.0
        for cell in self._mixed:
            gains[cell] = gains[:, cell] = -1.0
        np.fill_diagonal(gains, -1.0)
        return np.asarray(gains)

    def _known(self, hints: Hints) -> None:
        """Take pairs as answers, and labels as answers on every two labeled cells, by one member of each."""
        given: list[tuple[int, int, Said]] = [
            (one, other, "together") for one, other in hints.together.tolist()
        ]
        given += [(one, other, "apart") for one, other in hints.apart.tolist()]
        self._keep(given)
        first: dict[int, int] = {}
        for at in hints.known.tolist():
            if self.cells.of[at] >= 0:
                first.setdefault(int(self.cells.of[at]), at)
        some = np.array(sorted(first.values()), dtype=np.int64)
        heads = [some[hints.labels[some] == label] for label in np.unique(hints.labels[some])]
        chains: list[tuple[int, int, Said]] = [
            (int(a), int(b), "together") for own in heads for a, b in pairwise(own)
        ]
        chains += [
            (int(one[0]), int(other[0]), "apart")
            for i, one in enumerate(heads)
            for other in heads[:i]
        ]
        _hints(self.n, [*self._pairs, *chains]).consistent("Questions", self.ids)
        self._pairs += chains
        cell = self.cells.of[some]
        label = hints.labels[some]
        i, j = np.triu_indices(len(some), 1)
        alike = label[i] == label[j]
        self._hear(cell[i[alike]], cell[j[alike]], "together")
        self._hear(cell[i[~alike]], cell[j[~alike]], "apart")

    def _sentence(
        self, one: int, other: int, pair: tuple[int, ...], gain: float, pays: bool
    ) -> str:
        names = [f"'{self.ids[i]}'" if self.ids is not None else f"member {i}" for i in pair]
        runs = int(self.cells.runs[one, other])
        sizes = self.cells.sizes
        said = f"Do {names[0]} and {names[1]} belong together? They stand for {sizes[one]:,} and {sizes[other]:,} members that "
        said += (
            f"are always grouped alike; {runs} of {self.total} partitions put both into one group. "
        )
        about = f"The answer is expected to put {gain:.1f} members right"
        return said + (f"{about}." if pays else f"{about}: asking no longer pays.")


def _hints(n: int, pairs: Iterable[tuple[int, int, Said]]) -> Hints:
    given = list(pairs)
    return Hints.of(
        n,
        together=[(one, other) for one, other, said in given if said == "together"],
        apart=[(one, other) for one, other, said in given if said == "apart"],
    )


def coarser_of(hierarchy: Hierarchy, n_groups: int) -> np.ndarray:
    """Two cuts of nested groups above so many: four fifths of them, and half. They say which groups are near each other."""
    cuts = sorted({max(2, round(n_groups * share)) for share in _COARSER} - {n_groups})
    return np.array(
        [hierarchy.cut(k).labels for k in cuts if k < n_groups], dtype=np.int64
    ).reshape(-1, hierarchy.n_members)


def again_with(estimator: Any, X: Any, seeds: Iterable[int]) -> np.ndarray:
    """The groups that an organizer finds with each of these seeds, runs x members: what questions are asked about."""
    if "random_state" not in estimator.get_params():
        raise ParameterError(
            f"{type(estimator).__name__} has no random_state: it finds the same groups every time."
        )
    found = [
        np.asarray(clone(estimator).set_params(random_state=seed).fit(X).labels_) for seed in seeds
    ]
    if not found:
        raise ParameterError("again_with needs at least one seed.")
    return np.array(found, dtype=np.int64)

"""Mates across views: learned from members that are seen in all of them, found for a member or a text seen in one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.collection import Collection, View, position
from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.text import Text
from coterie.core.views import Views
from coterie.core.workplace import steady
from coterie.judge.mates import mate_table
from coterie.parts.mates import scores_between
from coterie.represent.pwca import PWCA
from coterie.represent.terms import Terms
from coterie.workflows.describe import snippets
from coterie.workflows.mate_choices import MateChoices
from coterie.workflows.mates_found import Found, Mate, Measured
from coterie.workflows.view_space import filled, numbers, represented

FEWEST = 8  # pairs that anything can be learned from


class MateFinder:
    """Views of which some members are paired by id, and a space learned from these pairs; made by `MateFinder.over`.

    `parts` has each view as a collection of its own, which may hold members that other views lack.
    """

    def __init__(self, parts: Mapping[str, Collection], choices: MateChoices) -> None:
        self.parts = parts
        self.choices = choices
        self.names = tuple(parts)
        self.views = {name: next(iter(part.views.values())) for name, part in parts.items()}
        self.pairs = paired(parts)
        self.space = Space({name: self._pairs_of(name) for name in self.names}, choices)
        self.placed = {name: self.space.factors(name, view) for name, view in self.views.items()}
        self._learned = frozenset(self.pairs)
        self._place = {
            name: {member: at for at, member in enumerate(part.ids)} for name, part in parts.items()
        }
        self._lines: dict[str, list[str]] = {}

    @classmethod
    def over(
        cls, parts: Mapping[str, Collection], choices: MateChoices | None = None
    ) -> MateFinder:
        """Learn from all members that are in every view, and place all members of every view.

        >>> words = ["tea pot", "car road", "tea cup", "car wheel"]
        >>> en = Collection(list("abcdefgh"), {"text": Text.of(words * 2)})
        >>> de = Collection(list("abcdefgh"), {"text": Text.of(["tee topf", "auto weg", "tee tasse", "auto rad"] * 2)})
        >>> MateFinder.over({"en": en, "de": de}).find("tea cup", "en", "de", most=1).mates[0].snippet
        'tee tasse'
        """
        settings = choices or MateChoices()
        settings.check_params()
        return cls(parts, settings)

    def _pairs_of(self, name: str) -> View:
        place = {member: at for at, member in enumerate(self.parts[name].ids)}
        return self.views[name].take([place[member] for member in self.pairs])

    def member(self, member: str, source: str, target: str, most: int = 5) -> Found:
        """The members of one view that are most like a member seen in another."""
        self._check(source, target)
        at = position(self.parts[source].ids, member, source)
        if not self.space.known(source, self.views[source].take([at]))[0]:
            raise DataError(
                f"'{member}' holds nothing in '{source}' that the pairs hold; its mate cannot be told."
            )
        return self._found(member, self.placed[source][[at]], source, target, most, member)

    def find(self, query: str, source: str, target: str, most: int = 5) -> Found:
        """The members of one view that are most like a text in the words of another."""
        self._check(source, target)
        if self.views[source].modality != "text":
            raise DataError(f"A query is a text, and '{source}' holds none; name a member instead.")
        text = Text.of([query])
        if not self.space.known(source, text)[0]:
            raise DataError(
                f"No word of the query is known in '{source}', or only words that most members hold."
            )
        return self._found(query, self.space.factors(source, text), source, target, most, "")

    def spoken_in(self, query: str) -> str:
        """The view that knows most words of a query."""
        known = {name: self.space.words_known(name, query) for name in self.names}
        best = max(known, key=known.__getitem__)
        if not known[best]:
            raise DataError(f"No word of the query is known in any of {', '.join(self.names)}.")
        return best

    def alone(self, source: str, target: str) -> list[str]:
        """The members of one view that another lacks."""
        self._check(source, target)
        return [member for member in self.parts[source].ids if member not in self._place[target]]

    def lonely(self, source: str, target: str) -> tuple[list[Found], int]:
        """The members of one view that another lacks, each with its best candidate there; and how many hold nothing known.

        A candidate that the first view lacks is marked as alone, and as mutual where of all that are alone in the first view
        the member is its own best candidate.
        """
        found = list[Found]()
        lost = 0
        alone = self.alone(source, target)
        known = self.space.known(source, self.views[source])
        back = self._chosen(target, source, self.alone(target, source), alone)
        for member in alone:
            at = self._place[source][member]
            if not known[at]:
                lost += 1
                continue
            one = self._found(member, self.placed[source][[at]], source, target, 1, member)
            mates = [
                replace(m, alone=m.id in back, mutual=back.get(m.id) == member) for m in one.mates
            ]
            found.append(replace(one, mates=tuple(mates)))
        return found, lost

    def _chosen(
        self, source: str, target: str, members: Sequence[str], candidates: Sequence[str]
    ) -> dict[str, str]:
        """Of these members of one view, the candidate of the other that each is most like."""
        if not members or not candidates:
            return {}
        rows = self.placed[source][[self._place[source][m] for m in members]]
        others = self.placed[target][[self._place[target][c] for c in candidates]]
        best = scores_between(rows, others, self.choices.measure).argmax(axis=1)
        return {member: candidates[int(at)] for member, at in zip(members, best, strict=True)}

    def _lines_of(self, name: str) -> list[str]:
        """A line per member of a view, made once."""
        if name not in self._lines:
            self._lines[name] = snippets(self.parts[name], next(iter(self.parts[name].views)))
        return self._lines[name]

    def _found(
        self, asked: str, row: np.ndarray, source: str, target: str, most: int, member: str
    ) -> Found:
        ids = self.parts[target].ids
        scores = scores_between(row, self.placed[target], self.choices.measure)[0]
        order = np.argsort(-scores, kind="stable")[:most]
        lines = self._lines_of(target)
        mates = tuple(
            Mate(rank, ids[at], float(scores[at]), lines[at], ids[at] == member)
            for rank, at in enumerate(order.tolist(), 1)
            if np.isfinite(scores[at])
        )
        own = float("nan")
        here = self._place[target].get(member)
        if here is not None:
            mine = scores[here]
            own = float(1 + (scores > mine).sum() + ((scores == mine).sum() - 1) / 2)
        return Found(asked, source, target, len(ids), mates, own, member in self._learned)

    def _check(self, source: str, target: str) -> None:
        for name in (source, target):
            if name not in self.names:
                raise DataError(f"There is no view '{name}'; there are {', '.join(self.names)}.")
        if source == target:
            raise ParameterError(f"Mates are looked for in another view, and both are '{source}'.")


def measured(
    parts: Mapping[str, Collection], share: float, choices: MateChoices | None = None
) -> Measured:
    """How well mates are found among a share of the pairs that nothing was learned from."""
    settings = choices or MateChoices()
    settings.check_params()
    if not 0 < share < 1:
        raise ParameterError(f"held-out must be a share between 0 and 1, and was {share:g}.")
    pairs = paired(parts)
    order = stream(settings.seed, 21).permutation(len(pairs))
    aside = round(share * len(pairs))
    if aside < 2 or len(pairs) - aside < FEWEST:
        raise DataError(
            f"Of {len(pairs):,} pairs {aside:,} would be held out and {len(pairs) - aside:,} learned from; at least 2 and "
            f"{FEWEST} are needed."
        )
    views = dict[str, View]()
    for name, part in parts.items():
        place = {member: at for at, member in enumerate(part.ids)}
        views[name] = next(iter(part.views.values())).take([place[member] for member in pairs])
    train = np.sort(order[aside:])
    held = np.sort(order[:aside])
    space = Space({name: view.take(train) for name, view in views.items()}, settings)
    rows = {name: space.factors(name, view.take(held)) for name, view in views.items()}
    table = mate_table(rows, settings.measure)
    return Measured(table.views, table.ranks, table.measure, len(train), space.tau, settings.tune)


class Space:
    """What views share, learned from pairs: representers of every view, and all components of pair-wise cluster analysis."""

    def __init__(self, views: Mapping[str, View], choices: MateChoices) -> None:
        made = {name: represented(view, name) for name, view in views.items()}
        self.steps = {name: steps for name, (steps, _) in made.items()}
        tau: Any = "held-out" if choices.tune else choices.tau
        self.method = PWCA(n_components="all", tau=tau, random_state=choices.seed)
        with steady():
            self.method.fit(Views({name: table for name, (_, table) in made.items()}))
        self.tau = float(self.method.tau_)

    def factors(self, name: str, view: Any) -> np.ndarray:
        """The factors of members seen in one view; zeros where a member holds nothing that was learned from."""
        rows = numbers(self.steps[name], view)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PWCA: .* hold")  # such rows are put last
            found = self.method.transform_view(name, rows)
        return np.where(filled(rows)[:, None], found, 0.0)

    def known(self, name: str, view: Any) -> np.ndarray:
        """Whether members hold anything that was learned from."""
        return filled(numbers(self.steps[name], view))

    def words_known(self, name: str, text: str) -> int:
        """How many words of a text are in the dictionary of a view."""
        first = self.steps[name][0] if self.steps[name] else None
        return int(first.counts(Text.of([text])).sum()) if isinstance(first, Terms) else 0


def paired(parts: Mapping[str, Collection]) -> list[str]:
    """The ids that all views have, in the order of the first; at least as many as can be learned from."""
    if len(parts) < 2:
        raise DataError(
            f"Mates need at least two views, and there is {', '.join(parts) or 'none'}."
        )
    common = set.intersection(*(set(part.ids) for part in parts.values()))
    found = [member for member in next(iter(parts.values())).ids if member in common]
    if len(found) < FEWEST:
        names = ", ".join(parts)
        many = "1 member is" if len(found) == 1 else f"{len(found)} members are"
        raise DataError(
            f"{many} in all of {names}, and at least {FEWEST} are needed to learn from."
        )
    return found

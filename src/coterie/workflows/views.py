"""The walk on several views at once: what they share is compared, and what they say of each group is told view by view."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unicodedata import category

import numpy as np

from coterie.collect.named_views import ALL, names_of, near
from coterie.compare.vectors import Euclidean
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection, View
from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Evidence, Findings
from coterie.core.partition import Partition
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
from coterie.pipeline import Pipeline, by_links
from coterie.represent.terms import Terms
from coterie.workflows import nulls
from coterie.workflows.choices import Choices, method
from coterie.workflows.plan import Plan, compared, distances
from coterie.workflows.telling import (
    Telling,
    is_sound,
    snippet,
    sound_table,
    telling,
    telling_columns,
    telling_counts,
    trace_table,
)
from coterie.workflows.view_agreement import agreement, disagreement, listed, same_views, texts_of
from coterie.workflows.view_space import SeenViews, SharedSpace, filled, seen_marks

_UNSAID = (
    " groups: the smallest number",
    "best separated cut has",
    "No null collections",
)  # of views that share nothing
_SHOWN = 40  # components whose consensus is drawn


def seen_in(collection: Collection, choices: Choices) -> View | SeenViews:
    """What the walk looks at: one view, or several by name."""
    names = chosen_views(collection, choices)
    if not names:
        return collection.view(choices.view or collection.main)
    return SeenViews({name: collection.view(name) for name in names})


def chosen_views(collection: Collection, choices: Choices) -> tuple[str, ...]:
    """The views of a collection that were named for a walk on several, as they are called there; empty for one view."""
    names = names_of(choices.views)
    if not names:
        return ()
    known = list(collection.views)
    found = (
        tuple(known)
        if names == (ALL,)
        else tuple(near(name, known, f"'{collection.name}'", "view") for name in names)
    )
    if len(found) < 2:
        raise DataError(
            f"views needs at least two views, and '{collection.name}' has {', '.join(known) or 'none'}."
        )
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise DataError(f"Two of the views that were named are '{twice}' of '{collection.name}'.")
    return found


def other_views(collection: Collection, view: str, choices: Choices) -> list[str]:
    """A note where the walk is on one of several views of the same kind that nobody chose."""
    mine = type(collection.views.get(view))
    alike = [name for name, other in collection.views.items() if type(other) is mine]
    if choices.view or choices.views or choices.organize or len(alike) < 2 or view not in alike:
        return []
    return [alone_on(view, alike)]


def alone_on(view: str, names: Sequence[str], groups: str = "groups by") -> str:
    """The note itself."""
    every = "both" if len(names) == 2 else "all of them"
    return f"Walked on '{view}' alone; --views {' '.join(shlex.quote(name) for name in names)} {groups} {every}."


def together(collection: Collection, choices: Choices) -> Plan:
    """The plan of a walk on several views: coordinates of what they share, compared by their distances."""
    data = SeenViews({name: collection.view(name) for name in chosen_views(collection, choices)})
    tagged = next((name for name, view in data.views.items() if isinstance(view, TaggedText)), None)
    if tagged is not None:
        raise DataError(
            f"The view '{tagged}' is tagged text, which is not compared across views; leave it out."
        )
    comparer = _comparer(choices)
    shared = Shared(tuple(data.views))
    texts = any(isinstance(view, Text) for view in data.views.values())

    def compare(part: Any) -> Affinity:
        return distances(comparer, shared.space.placed(np.asarray(part)))

    return Plan(
        represent=[SharedSpace(random_state=choices.seed)],
        comparer=comparer,
        neighbors_of=(lambda n: min(40, max(10, n // 50))) if texts else (lambda n: 10),
        scale=7 if texts else 3,
        sentences=[*_steps(data), compared(comparer)],
        form=lambda chosen: shared.rows[chosen],
        compare=compare,
        families=nulls.of_points,
        shared=shared,
    )


def _comparer(choices: Choices) -> Any:
    """The person's own comparer of coordinates, or the distance between them."""
    if choices.organize and by_links(method(choices.organize, "organize")):
        named = type(method(choices.organize, "organize")).__name__
        raise ParameterError(
            f"{named} groups members by links, and views by what they share; say one of the two."
        )
    if not choices.compare:
        return Euclidean()
    found = method(choices.compare, "compare", random_state=choices.seed)
    if found.takes is not Table:
        raise DataError(
            f"{type(found).__name__} does not compare coordinates shared by views; take one of tables, such as Cosine."
        )
    return found


def _steps(data: SeenViews) -> list[str]:
    """What was done with the views, in sentences."""
    kinds = dict[str, list[str]]()
    for name, view in data.views.items():
        kinds.setdefault(type(view).__name__, []).append(name)
    how = {
        "Text": "words (no function words, in at least two and at most half of the members) weighed by tf-idf",
        "Table": "scaled columns",
        "Ragged": "the mean, covariance and course of their vectors",
        "Pictures": "counts of colours",
    }
    said = "; ".join(
        f"{listed(names)} by {how.get(kind, 'their numbers')}" for kind, names in kinds.items()
    )
    return [
        f"Members are seen in {len(data.views)} views: {said}.",
        "Pair-wise cluster analysis (PWCA) finds components that are present in every view; those shared by more than chance "
        "are kept, and a member lies at the mean of where its views put it.",
    ]


def seen_again(part: Collection, view: str, views: Sequence[str]) -> tuple[str, View | SeenViews]:
    """What a fitted walk is given of new members: its one view, or those of its several that they have; and a name for them."""
    there = [name for name in views or (view,) if name in part.views]
    if not there:
        on = f"view '{view}'" if not views else f"views {listed(views)}"
        hint = (
            f"; put texts of one view into a folder named {views[0]}/ inside the one that is added"
            if views
            else ""
        )
        raise DataError(
            f"The run was made on the {on}, and the new members have {', '.join(part.views) or 'none'}{hint}."
        )
    return there[0], SeenViews({name: part.view(name) for name in there}) if views else part.view(
        view
    )


def seen_by(seen: SeenViews, names: Sequence[str]) -> list[str]:
    """Per member the views it is seen in, as words (en and de), where the walk was on these; empty where it is in none."""
    marks = seen_marks(seen)
    return [listed(own) if own else "" for own in _by_member(marks, names, len(seen))]


def _by_member(marks: Mapping[str, np.ndarray], names: Sequence[str], n: int) -> list[list[str]]:
    return [[name for name in names if name in marks and marks[name][at]] for at in range(n)]


def lines_of(collection: Collection, names: Sequence[str]) -> list[str]:
    """One short line per member, from the first of these views in which it is seen."""
    marks = seen_marks(SeenViews({name: collection.view(name) for name in names}))
    lines = {n: snippet(collection, n) for n in names}
    own = [
        next((name for name in names if marks[name][at]), names[0]) for at in range(len(collection))
    ]
    return [lines[name][at] for at, name in enumerate(own)]


@dataclass(eq=False)
class Shared:
    """What a walk on several views learns on its way, and what it adds to the findings."""

    names: tuple[str, ...]
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    space: SharedSpace = field(default_factory=SharedSpace)

    def learn(self, before: Pipeline, seen: SeenViews) -> None:
        """Take the fitted space over, and where the members lie in it."""
        self.space = before.steps_[0]
        self.rows = np.asarray(before.members(seen).values)

    def weighed(self, evidence: Evidence) -> Evidence:
        """The evidence, without groups where the views share nothing beyond chance: cuts of such a space say nothing of them."""
        if self.space.shared_:
            return evidence
        best = float(self.space.consensus_[0])
        chance = self.space.chance_
        said = (
            f"The views share no component by more than chance: the best has a consensus of {best:.2f}, and where the members of "
            f"the views are shuffled against each other it is {chance:.2f}."
        )
        told = [
            sentence
            for sentence in evidence.sentences
            if not any(sign in sentence for sign in _UNSAID)
        ]
        count = 1 if evidence.chosen else evidence.n_groups
        return replace(evidence, structured=False, n_groups=count, sentences=(said, *told))

    def telling(
        self, collection: Collection, labels: np.ndarray, k: int
    ) -> list[Mapping[str, Telling]]:
        """Per group what tells it apart in every view, and what it is tied to."""
        found: list[dict[str, Telling]] = [{} for _ in range(k)]
        for name in self.names:
            what, rows = _told(self.space, name, collection.view(name), labels, k)
            for g, own in enumerate(rows):
                if own:
                    found[g][what] = own
        rest = replace(collection, views={self.names[0]: collection.view(self.names[0])})
        links = (
            telling(rest, self.names[0], labels, k, None)
            if collection.links
            else [{} for _ in range(k)]
        )
        tied = {pair[1] for pair in collection.links}
        return [
            {**own, **{name: rows for name, rows in more.items() if name in tied}}
            for own, more in zip(found, links, strict=True)
        ]

    def findings(self, findings: Findings, seen: SeenViews, partition: Partition) -> Findings:
        """The findings with how much the views share, how well they agree on the groups, and what was done."""
        space = self.space
        k = partition.n_groups
        alone = self.assigned(seen, partition) if k > 1 else {}
        names = [group.name for group in findings.groups]
        drawn = [(float(at), float(value)) for at, value in enumerate(space.consensus_[:_SHOWN], 1)]
        summary = list(findings.summary)
        split = disagreement(alone, partition.labels, findings.ids, names)
        return replace(
            findings,
            summary=[
                summary[0],
                *self._shares(),
                *agreement(alone, partition.labels, k),
                *summary[1:],
            ],
            notes=[*findings.notes, *self._blank(seen), *same_views(seen), *split.notes],
            cards={**findings.cards, **texts_of(seen), **split.cards},
            curves={
                **findings.curves,
                f"Consensus of the views by component (chance {space.chance_:.2f})": drawn,
            },
        )

    def _shares(self) -> list[str]:
        """How much the views share, in a sentence."""
        count = self.space.shared_
        whole = self.space.everywhere_
        top = float(self.space.consensus_[0])
        if not count:
            return []
        these = "1 component" if count == 1 else f"{count} components"
        most = " (as many as are kept)" if count == self.space.n_components else ""
        every = (
            f", {whole} of them by every single one"
            if len(self.names) > 2 and whole < count
            else ""
        )
        return [
            f"The views {listed(self.names)} share {these}{most} by more than chance{every}; the strongest has a consensus of "
            f"{top:.2f} of 1, where unrelated views would have {self.space.chance_:.2f}."
        ]

    def assigned(self, seen: SeenViews, partition: Partition) -> dict[str, np.ndarray]:
        """The group of every member by each view alone: the one whose middle is nearest to where that view puts it."""
        middles = np.array(
            [self.rows[partition.members(g)].mean(axis=0) for g in range(partition.n_groups)]
        )
        found = {}
        for name in self.names:
            here = self.space.transform_view(name, seen.views[name])
            found[name] = (np.square(middles).sum(axis=1) - 2 * here @ middles.T).argmin(axis=1)
        return found

    def _blank(self, seen: SeenViews) -> list[str]:
        """How many members say nothing in a view."""
        found = []
        for name in self.names:
            if isinstance(seen.views[name], Text):
                blank = int((~filled(self.space.rows(name, seen.views[name]))).sum())
                if blank:
                    who = "1 member holds" if blank == 1 else f"{blank:,} members hold"
                    found.append(f"{who} no word in '{name}' that others hold.")
        return found


def _told(
    space: SharedSpace, name: str, view: View, labels: np.ndarray, k: int
) -> tuple[str, list[Telling]]:
    """What tells the groups apart in one view, and what that is called."""
    first = space.steps_[name][0] if space.steps_[name] else None
    if isinstance(first, Terms):
        kept = [
            j for j, term in enumerate(first.terms_) if len(term) > 1 or category(term) == "Lo"
        ]  # one letter tells nothing
        return f"words ({name})", telling_counts(
            first.counts(view)[:, kept], [first.terms_[j] for j in kept], labels, k
        )
    if isinstance(view, Table):
        return f"columns ({name})", telling_columns(view, labels, k)
    if isinstance(view, Ragged):
        plain = sound_table(view) if is_sound(view) else trace_table(view)
        return (
            f"{'sounds' if is_sound(view) else 'traces' if view.ordered else 'sets'} ({name})",
            telling_columns(plain, labels, k),
        )
    return name, [() for _ in range(k)]

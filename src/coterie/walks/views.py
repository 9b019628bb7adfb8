"""The walk on several views at once: what they share is compared, and what they say of each group is told view by view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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
from coterie.core.text import Text
from coterie.pipeline import Pipeline, by_links
from coterie.represent.terms import Terms
from coterie.walks import nulls
from coterie.walks.choices import Choices, method
from coterie.walks.plan import Plan, compared, distances
from coterie.walks.telling import Telling, is_sound, sound_table, telling, telling_columns, telling_counts, trace_table
from coterie.walks.view_space import Seen, SharedSpace, filled

_ALIKE = 0.995  # share of members from which no view is said to differ
_SHOWN = 40  # components whose consensus is drawn


def seen_in(collection: Collection, choices: Choices) -> View | Seen:
    """What the walk looks at: one view, or several by name."""
    names = chosen_views(collection, choices)
    if not names:
        return collection.view(choices.view or collection.main)
    return Seen({name: collection.view(name) for name in names})


def chosen_views(collection: Collection, choices: Choices) -> tuple[str, ...]:
    """The views of a collection that were named for a walk on several, as they are called there; empty for one view."""
    names = names_of(choices.views)
    if not names:
        return ()
    known = list(collection.views)
    found = tuple(known) if names == (ALL,) else tuple(near(name, known, f"'{collection.name}'", "view") for name in names)
    if len(found) < 2:
        raise DataError(f"views needs at least two views, and '{collection.name}' has {', '.join(known) or 'none'}.")
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise DataError(f"Two of the views that were named are '{twice}' of '{collection.name}'.")
    return found


def together(collection: Collection, choices: Choices) -> Plan:
    """The plan of a walk on several views: coordinates of what they share, compared by their distances."""
    data = Seen({name: collection.view(name) for name in chosen_views(collection, choices)})
    comparer, shared = _comparer(choices), Shared(tuple(data.views))
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
        raise ParameterError(f"{named} groups members by links, and views by what they share; say one of the two.")
    if not choices.compare:
        return Euclidean()
    found = method(choices.compare, "compare", random_state=choices.seed)
    if found.takes is not Table:
        raise DataError(
            f"{type(found).__name__} does not compare coordinates shared by views; take one of tables, such as Cosine."
        )
    return found


def _steps(data: Seen) -> list[str]:
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
    said = "; ".join(f"{listed(names)} by {how.get(kind, 'their numbers')}" for kind, names in kinds.items())
    return [
        f"Members are seen in {len(data.views)} views: {said}.",
        "Pair-wise cluster analysis (PWCA) finds components that are present in every view; those shared by more than chance "
        "are kept, and a member lies at the mean of where its views put it.",
    ]


def seen_again(part: Collection, view: str, views: Sequence[str]) -> tuple[str, View | Seen]:
    """What a fitted walk is given of new members: its one view, or those of its several that they have; and a name for them."""
    there = [name for name in views or (view,) if name in part.views]
    if not there:
        on = f"view '{view}'" if not views else f"views {listed(views)}"
        raise DataError(f"The run was made on the {on}, and the new members have {', '.join(part.views) or 'none'}.")
    return there[0], Seen({name: part.view(name) for name in there}) if views else part.view(view)


@dataclass(eq=False)
class Shared:
    """What a walk on several views learns on its way, and what it adds to the findings."""

    names: tuple[str, ...]
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    space: SharedSpace = field(default_factory=SharedSpace)

    def learn(self, before: Pipeline, seen: Seen) -> None:
        """Take the fitted space over, and where the members lie in it."""
        self.space = before.steps_[0]
        self.rows = np.asarray(before.members(seen).values)

    def weighed(self, evidence: Evidence) -> Evidence:
        """The evidence, without groups where the views share nothing beyond chance: cuts of such a space say nothing of them."""
        if self.space.shared_:
            return evidence
        best, chance = float(self.space.consensus_[0]), self.space.chance_
        said = (
            f"The views share no component by more than chance: the best has a consensus of {best:.2f}, and where the members of "
            f"the views are shuffled against each other it is {chance:.2f}."
        )
        told = [sentence for sentence in evidence.sentences if " groups: the smallest number" not in sentence]
        count = 1 if evidence.chosen else evidence.n_groups
        return replace(evidence, structured=False, n_groups=count, sentences=(said, *told))

    def telling(self, collection: Collection, labels: np.ndarray, k: int) -> list[Mapping[str, Telling]]:
        """Per group what tells it apart in every view, and what it is tied to."""
        found: list[dict[str, Telling]] = [{} for _ in range(k)]
        for name in self.names:
            what, rows = _told(self.space, name, collection.view(name), labels, k)
            for g, own in enumerate(rows):
                if own:
                    found[g][what] = own
        rest = replace(collection, views={self.names[0]: collection.view(self.names[0])})
        links = telling(rest, self.names[0], labels, k, None) if collection.links else [{} for _ in range(k)]
        tied = {pair[1] for pair in collection.links}
        return [{**own, **{name: rows for name, rows in more.items() if name in tied}}
                for own, more in zip(found, links, strict=True)]  # fmt: skip

    def findings(self, findings: Findings, seen: Seen, partition: Partition) -> Findings:
        """The findings with how much the views share, how well they agree on the groups, and what was done."""
        space, agreed = self.space, self._agreement(seen, partition)
        drawn = [(float(at), float(value)) for at, value in enumerate(space.consensus_[:_SHOWN], 1)]
        level = f"chance {space.chance_:.2f}"
        summary = list(findings.summary)
        return replace(
            findings,
            summary=[summary[0], *self._shares(), *agreed, *summary[1:]],
            notes=[*findings.notes, *self._blank(seen)],
            curves={**findings.curves, f"Consensus of the views by component ({level})": drawn},
        )

    def _shares(self) -> list[str]:
        """How much the views share, in a sentence."""
        count, whole, top = self.space.shared_, self.space.everywhere_, float(self.space.consensus_[0])
        if not count:
            return []
        these = "1 component" if count == 1 else f"{count} components"
        most = " (as many as are kept)" if count == self.space.n_components else ""
        every = f", {whole} of them by every single one" if len(self.names) > 2 and whole < count else ""
        return [
            f"The views {listed(self.names)} share {these}{most} by more than chance{every}; the strongest has a consensus of "
            f"{top:.2f} of 1, where unrelated views would have {self.space.chance_:.2f}."
        ]

    def _agreement(self, seen: Seen, partition: Partition) -> list[str]:
        """Whether each view alone puts members where all views together do, in sentences."""
        k = partition.n_groups
        if k < 2:
            return []
        alone = self.assigned(seen, partition)
        inside = partition.labels >= 0
        votes = np.array([alone[name][inside] for name in self.names])
        same = float((votes == votes[0]).all(axis=0).mean())
        shares = np.array([np.bincount(vote, minlength=k) / max(votes.shape[1], 1) for vote in votes])
        chance = float(shares.prod(axis=0).sum())
        weak = min(self.names, key=lambda name: float((alone[name][inside] == partition.labels[inside]).mean()))
        own = float((alone[weak][inside] == partition.labels[inside]).mean())
        who = "Both views" if len(self.names) == 2 else f"All {len(self.names)} views"
        said = f"{who} by themselves put {same:.0%} of the members into the same group (by chance {chance:.0%})"
        return [f"{said}." if own >= _ALIKE else f"{said}; {weak} alone agrees least with the groups, for {own:.0%} of them."]

    def assigned(self, seen: Seen, partition: Partition) -> dict[str, np.ndarray]:
        """The group of every member by each view alone: the one whose middle is nearest to where that view puts it."""
        middles = np.array([self.rows[partition.members(g)].mean(axis=0) for g in range(partition.n_groups)])
        found = {}
        for name in self.names:
            here = self.space.transform_view(name, seen.views[name])
            found[name] = (np.square(middles).sum(axis=1) - 2 * here @ middles.T).argmin(axis=1)
        return found

    def _blank(self, seen: Seen) -> list[str]:
        """How many members say nothing in a view."""
        found = []
        for name in self.names:
            if isinstance(seen.views[name], Text):
                blank = int((~filled(self.space.rows(name, seen.views[name]))).sum())
                if blank:
                    who = "1 member holds" if blank == 1 else f"{blank:,} members hold"
                    found.append(f"{who} no word in '{name}' that others hold.")
        return found


def _told(space: SharedSpace, name: str, view: View, labels: np.ndarray, k: int) -> tuple[str, list[Telling]]:
    """What tells the groups apart in one view, and what that is called."""
    first = space.steps_[name][0] if space.steps_[name] else None
    if isinstance(first, Terms):
        return f"words ({name})", telling_counts(first.counts(view), list(first.terms_), labels, k)
    if isinstance(view, Table):
        return f"columns ({name})", telling_columns(view, labels, k)
    if isinstance(view, Ragged):
        plain = sound_table(view) if is_sound(view) else trace_table(view)
        return f"{'sounds' if is_sound(view) else 'traces' if view.ordered else 'sets'} ({name})", telling_columns(
            plain, labels, k
        )
    return name, [() for _ in range(k)]


def listed(names: Sequence[str]) -> str:
    """Names in a row: en, de and fr."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

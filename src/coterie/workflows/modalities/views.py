"""Several views at once: what they share is compared, and what tells groups apart is found view by view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from coterie.collect.named_views import ALL, names_of, near
from coterie.compare.vectors import Euclidean
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection, View
from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Axis, Evidence, Findings, SharedViews, Step
from coterie.core.partition import Partition
from coterie.core.random import small_seed, stream
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.workplace import stage
from coterie.messages.notes import join_names, note_blank_in_view, note_one_view
from coterie.organize.representation_vote import agreement_of_halves
from coterie.organize.views_consensus import ViewsConsensus
from coterie.pipeline import Branch, Pipeline, by_links
from coterie.workflows import null_models
from coterie.workflows.choices import Choices, method
from coterie.workflows.describe import gather_features, snippets
from coterie.workflows.key_features import KeyFeatures
from coterie.workflows.modalities import modality_of
from coterie.workflows.modalities.base import Modality, named_comparer
from coterie.workflows.modalities.text import key_terms_of_view
from coterie.workflows.prepared import (
    ByPopulation,
    Graph,
    PreparedCollection,
    compared_by,
    distances_by,
    one_in_fifty,
    ten,
)
from coterie.workflows.view_agreement import agreement, disagreement, same_views, texts_of
from coterie.workflows.view_space import SeenViews, SharedSpace, filled, seen_marks
from coterie.workflows.view_tables import ViewTables

_CAPTIONED = {"text", "pictures"}
_HALVED = 1000  # members whose halves are compared with those of copies
_COPIES = 8  # of these, at least
_TRIES = 4  # pairs of halves of the members themselves
_SHOWN = 40  # components whose consensus is drawn
CONSENSUS = "Consensus of the views by component"


class ViewsModality(Modality):
    """Members seen in several views, compared by what the views share."""

    def has_ensemble(self, data: Any) -> bool:
        """Views are grouped by models of the views joined and of what they share."""
        return True

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedViews:
        """Find the components that every view has, and compare the members in their space."""
        seen = views_of(collection, choices)
        comparer = _comparer(choices)
        modalities = [modality_of(one) for one in seen.views.values()]
        wide = any(modality.wide_graph for modality in modalities)
        pipeline = Pipeline([SharedSpace(random_state=choices.seed), comparer])
        with stage("represent"):
            pipeline.fit(seen)
        kinds = dict[str, list[str]]()
        for modality, name in zip(modalities, seen.views, strict=True):
            kinds.setdefault(modality.in_views, []).append(name)
        steps = [Step("views", {"kinds": kinds}), Step("pwca"), compared_by(comparer)]
        return PreparedViews(collection, seen, pipeline, steps, wide)


class PreparedViews(PreparedCollection):
    """Members by where their views put them in the space that the views share."""

    def __init__(
        self,
        collection: Collection,
        seen: SeenViews,
        pipeline: Pipeline,
        steps: Sequence[Step],
        wide: bool,
    ) -> None:
        self.seen = seen
        names = tuple(seen.views)
        super().__init__(collection, names[0], pipeline, steps, names)
        self.graph = Graph(one_in_fifty, 7) if wide else Graph(ten, 3)
        self.space: SharedSpace = pipeline.steps_[0]
        self.rows = np.asarray(self.members().values)

    @property
    def data(self) -> SeenViews:
        """The views."""
        return self.seen

    @property
    def modality(self) -> str:
        """Several views are a kind of their own."""
        return "views"

    def ensemble(self, n_groups: int | None, choices: Choices) -> Branch:
        """What models of the views joined and of what the views share agree on."""
        is_usual = choices.max_k == Choices().max_k
        tables = ViewTables(random_state=choices.seed)
        plain = tuple(
            name
            for name, view in self.seen.views.items()
            if not modality_of(view).is_scaled_in_views(view)
        )
        organizer = ViewsConsensus(
            n_groups=n_groups,
            max_groups=None if is_usual else choices.max_k,
            unscaled=plain,
            random_state=choices.seed,
        )
        with stage("ensemble"):
            organizer.fit(tables.fit_transform(self.seen))
        return Branch.of_fitted([tables, organizer])

    def regrouping(
        self, organizer: Any, choices: Choices
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """The members in an order of their content, and the models from one start each in the spaces that are there."""
        return organizer.order_, organizer.regroup

    def scores_of(self, organizer: Any) -> np.ndarray:
        """The sum of the ranks by BIC, by agreement and by halves; nothing where one number alone was looked at."""
        return np.asarray(organizer.scores_.get("rank_sum", np.zeros(len(organizer.candidates_))))

    def witnesses(self, organizer: Any, choices: Choices) -> Mapping[str, float]:
        """How well the models agree, and how far halves agree beyond copies with the same margins and correlations."""
        spaces = [organizer.coordinates_[name][:_HALVED] for name in organizer.spaces_]
        excess, deviations = halves_beyond_copies(
            spaces, organizer.partition_.n_groups, max(choices.nulls, _COPIES), choices.seed
        )
        return {
            "agreement": organizer.agreement_,
            "beyond_null": excess,
            "deviations": deviations,
        }

    def part_values(self, rows: np.ndarray) -> np.ndarray:
        """Where some members lie."""
        return self.rows[rows]

    def compare_part(self, values: Any) -> Affinity:
        """Distances in the shared space."""
        return distances_by(self.comparer, self.space.placed(np.asarray(values)))

    def null_models_of(self, values: Any) -> Mapping[str, null_models.Draw]:
        """One cloud or one box."""
        return null_models.of_points(values)

    def adjust(self, evidence: Evidence) -> Evidence:
        """No groups where the views share nothing beyond chance: cuts of such a space say nothing of them."""
        if self.space.shared_:
            return evidence
        return replace(
            evidence,
            structured=False,
            n_groups=1 if evidence.chosen else evidence.n_groups,
            unrelated_views=(float(self.space.consensus_[0]), float(self.space.chance_)),
        )

    def describe(self, labels: np.ndarray, n_groups: int) -> list[ByPopulation]:
        """Per group what tells it apart in every view, and what it is tied to."""
        found: list[dict[str, KeyFeatures]] = [{} for _ in range(n_groups)]
        for name in self.views:
            what, rows = self._features_of(name, labels, n_groups)
            for g, own in enumerate(rows):
                if own:
                    found[g][what] = own
        if not self.collection.links:
            return list(found)
        first = self.views[0]
        rest = replace(self.collection, views={first: self.collection.view(first)})
        tied = {pair[1] for pair in self.collection.links}
        links = gather_features(rest, first, labels, n_groups)
        return [
            {**own, **{name: rows for name, rows in more.items() if name in tied}}
            for own, more in zip(found, links, strict=True)
        ]

    def _features_of(
        self, name: str, labels: np.ndarray, n_groups: int
    ) -> tuple[str, Sequence[KeyFeatures]]:
        """What tells the groups apart in one view, and what that is called."""
        view = self.collection.view(name)
        modality = modality_of(view)
        if modality.features == "words":
            return f"words ({name})", key_terms_of_view(cast(Text, view), labels, n_groups)
        features = modality.key_features(view, labels, n_groups)
        if not features:
            return name, [() for _ in range(n_groups)]
        what, rows = next(iter(features.items()))
        return f"{what} ({name})", rows

    def shared_views(self, partition: Partition) -> SharedViews:
        """How much the views share, and whether each by itself finds these groups."""
        space = self.space
        alone = self._assign_by_view(partition)
        same, by_chance, own = agreement(alone, partition.labels, partition.n_groups)
        return SharedViews(
            names=self.views,
            components=space.shared_,
            everywhere=space.everywhere_,
            most=space.n_components,
            consensus=float(space.consensus_[0]),
            chance=float(space.chance_),
            same=same,
            same_by_chance=by_chance,
            alone=own,
        )

    def finish(self, findings: Findings, partition: Partition) -> Findings:
        """The findings with what the views have in common and where they differ."""
        names = [group.name for group in findings.groups]
        split = disagreement(self._assign_by_view(partition), partition.labels, findings.ids, names)
        consensus = self.space.consensus_[:_SHOWN]
        drawn = [(float(at), float(value)) for at, value in enumerate(consensus, 1)]
        return replace(
            findings,
            notes=[*findings.notes, *self._blank_notes(), *same_views(self.seen), *split.notes],
            cards={**findings.cards, **texts_of(self.seen), **split.cards},
            curves={**findings.curves, CONSENSUS: drawn},
            axes={**findings.axes, CONSENSUS: Axis("component", float(self.space.chance_))},
            shared=self.shared_views(partition),
        )

    def _assign_by_view(self, partition: Partition) -> dict[str, np.ndarray]:
        """The group of every member by each view alone: the one whose centroid is nearest to where that view puts it."""
        if partition.n_groups < 2:
            return {}
        centroids = np.array(
            [self.rows[partition.members(g)].mean(axis=0) for g in range(partition.n_groups)]
        )
        found = {}
        for name in self.views:
            here = self.space.transform_view(name, self.seen.views[name])
            squares = np.square(centroids).sum(axis=1)
            found[name] = (squares - 2 * here @ centroids.T).argmin(axis=1)
        return found

    def _blank_notes(self) -> list[str]:
        """How many members hold nothing in a view of words."""
        found: list[str] = []
        for name, view in self.seen.views.items():
            if modality_of(view).features != "words":
                continue
            blank = int((~filled(self.space.rows(name, view))).sum())
            if blank:
                found.append(note_blank_in_view(name, blank))
        return found


def halves_beyond_copies(
    spaces: Sequence[np.ndarray], k: int, copies: int, seed: int
) -> tuple[float, float]:
    """How far k-means of halves agree beyond copies of the coordinates that have no groups.

    The copies keep the margins of all coordinates and their rank correlations. First the excess of the agreement A over the mean of theirs, (A - A0) /
    (1 - A0), then A - A0 in standard deviations of theirs.
    """
    draw = null_models.copula(Table.of(np.hstack(spaces)))
    ends = np.cumsum([space.shape[1] for space in spaces])[:-1]
    seeds = [small_seed(stream(seed, 21, at)) for at in range(_TRIES)]

    def agree(given: Sequence[np.ndarray]) -> float:
        return float(np.mean([agreement_of_halves(given, k, own) for own in seeds]))

    drawn = (np.asarray(draw(stream(seed, 22, at)).values) for at in range(copies))
    theirs = [agree(np.split(rows, ends, axis=1)) for rows in drawn]
    beyond = agree(spaces) - float(np.mean(theirs))
    spread = max(float(np.std(theirs, ddof=1)), 1e-3)
    return beyond / max(1.0 - float(np.mean(theirs)), 1e-12), beyond / spread


def views_of(collection: Collection, choices: Choices) -> SeenViews:
    """The views that were named, refused where one cannot be compared with others."""
    names = chosen_views(collection, choices)
    seen = SeenViews({name: collection.view(name) for name in names})
    for name, view in seen.views.items():
        if not modality_of(view).in_views:
            modality_of(view).representers(view, name)  # says why not
    _comparer(choices)
    return seen


def _comparer(choices: Choices) -> Any:
    """The person's own comparer of coordinates, or the distance between them."""
    if choices.organize and by_links(method(choices.organize, "organize")):
        named = type(method(choices.organize, "organize")).__name__
        raise ParameterError(
            f"{named} groups members by links, and views by what they share; say one of the two."
        )
    found = named_comparer(choices) or Euclidean()
    if found.takes is not Table:
        raise DataError(
            f"{type(found).__name__} does not compare coordinates shared by views; take one of tables, such as Cosine."
        )
    return found


def chosen_views(collection: Collection, choices: Choices) -> tuple[str, ...]:
    """The views of a collection that are analyzed at once, as they are called there; empty where one view is.

    They are those that were named. Without a word of a person on views or methods they are all that can be compared, where
    these are of one kind, or captions and pictures: columns beside texts may be what somebody wants to find out.
    """
    names = names_of(choices.views)
    known = list(collection.views)
    if not names:
        if choices.view or choices.compare or choices.organize or choices.segment:
            return ()
        able = [name for name, view in collection.views.items() if _goes_with_others(view)]
        kinds = {collection.modality(name) for name in able}
        return tuple(able) if len(able) > 1 and (len(kinds) == 1 or kinds == _CAPTIONED) else ()
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


def _goes_with_others(view: View) -> bool:
    """Whether a view can be compared with others, and tells its members apart."""
    modality = modality_of(view)
    return bool(modality.in_views) and modality.differs(view)


def other_views(collection: Collection, view: str, choices: Choices) -> list[str]:
    """A note where the walk is on one of several views of the same kind that nobody chose."""
    if view not in collection.views:
        return []
    mine = type(collection.view(view))
    alike = [name for name, other in collection.views.items() if type(other) is mine]
    if choices.view or choices.organize or len(alike) < 2 or view not in alike:
        return []
    if chosen_views(collection, choices):
        return []
    return [note_one_view(view, alike)]


def seen_again(part: Collection, view: str, views: Sequence[str]) -> tuple[str, View | SeenViews]:
    """What a fitted walk is given of new members: its one view, or those of its several that they have; and a name for them."""
    there = [name for name in views or (view,) if name in part.views]
    if not there:
        on = f"view '{view}'" if not views else f"views {join_names(views)}"
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
    return [join_names(own) if own else "" for own in _by_member(marks, names, len(seen))]


def _by_member(marks: Mapping[str, np.ndarray], names: Sequence[str], n: int) -> list[list[str]]:
    return [[name for name in names if name in marks and marks[name][at]] for at in range(n)]


def lines_of(collection: Collection, names: Sequence[str]) -> list[str]:
    """One short line per member, from the first of these views in which it is seen."""
    marks = seen_marks(SeenViews({name: collection.view(name) for name in names}))
    lines = {n: snippets(collection, n) for n in names}
    own = [
        next((name for name in names if marks[name][at]), names[0]) for at in range(len(collection))
    ]
    return [lines[name][at] for at, name in enumerate(own)]

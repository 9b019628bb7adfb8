"""ViewsConsensus: members seen in several views, grouped by models of the views joined and of what the views share."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.validation import check_is_fitted

from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.partition import Partition, numbered
from coterie.core.random import content_keys, seed_of, small_seed, stream
from coterie.core.table import Table
from coterie.core.views import Views
from coterie.core.workplace import stage, steady
from coterie.organize.representation_vote import agreement_of_halves, null_coordinates, principal
from coterie.organize.role import Organizer
from coterie.organize.student_mixture import StudentMixture
from coterie.parts import term_weights as weighting
from coterie.parts.components import MixedComponents
from coterie.parts.spectra import kmeans, nearest_center, truncated_svd
from coterie.parts.starts import Ward, make_starts
from coterie.parts.voting import align_labels, mean_agreement
from coterie.parts.workers import in_order
from coterie.represent.scaling import Scaling
from coterie.represent.shared_axes import SharedAxes, mean_of_views

_CLIP = 3.0  # deviations
_DIRECTIONS = 50  # of latent semantic analysis of a view of counts
_ROUND = 3  # shared components from which rows of counts are brought to length one
_RESTARTS = 10  # of the k-means that votes
_LOOKED_AT = 1500  # members on which numbers of groups are compared
_FIRST = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20)  # numbers of groups that are compared
_BEYOND = 1.35  # from one to the next, above those
_PER_GROUP = 10  # members a group has at least, on average, where the number is chosen
_ROUNDS = 15  # of EM while numbers of groups are compared
_COPIES = 3  # null models
_NEIGHBOR = 0.15  # weight of the scores of the numbers on either side
JOINED, AXES, SHARED = "joined", "axes", "shared"
KMEANS = "kmeans"
CRITERIA = ("bic", "agreement", "halves")


def candidates_up_to(most: int) -> list[int]:
    """Numbers of groups to look at, none above `most`: all small ones, then each a third more than the last.

    >>> candidates_up_to(10), candidates_up_to(60)[-4:]
    ([2, 3, 4, 5, 6, 7, 8, 10], [20, 27, 36, 48])
    """
    found = [k for k in _FIRST if k <= most]
    while found and found[-1] >= _FIRST[-1] and int(found[-1] * _BEYOND) <= most:
        found.append(int(found[-1] * _BEYOND))
    return found


@dataclass(frozen=True, eq=False)
class ViewCoding:
    """How one view becomes rows of a few numbers: principal components of a table, directions of latent semantic analysis of counts."""

    components: MixedComponents | None  # of a dense table
    scaling: Scaling | None  # the same columns, for what the views share
    factor: np.ndarray  # of sparse columns, the inverse document frequency
    directions: np.ndarray  # directions x sparse columns
    is_counts: bool
    center: np.ndarray
    scale: float

    @classmethod
    def of(cls, table: Table, seen: np.ndarray, *, is_scaled: bool) -> ViewCoding:
        """Learn from the members that the view has; columns that are not to be scaled are taken as they are."""
        known = table.take(np.flatnonzero(seen))
        none = np.zeros(0)
        if table.sparse:
            counts = known.values
            is_counts = bool(counts.nnz == 0 or counts.data.min() >= 0)
            frequency = np.maximum(np.bincount(counts.indices, minlength=counts.shape[1]), 1)
            factor = weighting.inverse_frequency(frequency, counts.shape[0])
            first = cls(None, None, factor, np.zeros((0, len(factor))), is_counts, none, 1.0)
            rows = first.rows(known)
            rank = max(1, min(_DIRECTIONS, min(rows.shape) - 1))
            _, directions = truncated_svd(rows, rank, "randomized", 0)
            made = cls(None, None, factor, np.asarray(directions), is_counts, none, 1.0)
        elif not is_scaled:
            directions = np.eye(known.shape[1])
            made = cls(None, None, none, directions, False, none, 1.0)
        else:
            components = MixedComponents.of(known, n_components=None, clip=_CLIP, straighten=True)
            made = cls(components, Scaling().fit(known), none, np.zeros((0, 0)), False, none, 1.0)
        places = made._places(known)
        center = places.mean(axis=0)
        total = float(np.square(places - center).sum()) / max(len(places), 1)
        return cls(
            made.components, made.scaling, made.factor, made.directions, made.is_counts,
            center, 1.0 / np.sqrt(total) if total > 0 else 0.0,
        )  # fmt: skip

    def rows(self, table: Table) -> Any:
        """The members as what the views share is found in: scaled columns, or counts by tf-idf with rows of length one."""
        if self.scaling is not None:
            return self.scaling.transform(table)
        counts = table.values
        if not table.sparse:
            return counts
        if self.is_counts and (counts.nnz == 0 or counts.data.min() >= 0):
            counts = weighting.by_column(weighting.dampened(counts), self.factor)
        return weighting.unit_length(counts)

    def coordinates(self, table: Table, seen: np.ndarray) -> np.ndarray:
        """The members by this view, centered and with a total variance of one; those it lacks lie in the middle."""
        places = (self._places(table) - self.center) * self.scale
        return np.where(seen[:, None], places, 0.0)

    def _places(self, table: Table) -> np.ndarray:
        if self.components is None:
            places = np.asarray(self.rows(table) @ self.directions.T)
            if not table.sparse:
                return places
            lengths = np.linalg.norm(places, axis=1, keepdims=True)
            return np.divide(places, lengths, out=np.zeros_like(places), where=lengths > 0)
        mixed = self.components.transform(table, "ViewsConsensus")
        first = len(self.components.axes)
        blocks = [mixed[:, :first]]
        for at, names in enumerate(self.components.levels.values()):
            codes = mixed[:, first + at].astype(np.int64)
            held = np.eye(len(names) + 1)[codes][:, :-1]  # a code of -1 holds no level
            blocks.append(held)
        return np.hstack(blocks)


@dataclass(frozen=True, eq=False)
class Voter:
    """One model of one space: a mixture of t distributions, or else centers of k-means."""

    space: str
    centers: np.ndarray
    mixture: StudentMixture | None

    @classmethod
    def of(
        cls,
        space: str,
        form: str,
        points: np.ndarray,
        k: int,
        *,
        starts: Sequence[np.ndarray],
        seed: int,
        n_init: int = _RESTARTS,
        max_iter: int = 100,
    ) -> tuple[Voter, np.ndarray]:
        """Fitted on members of its space, and how it labels them; k-means has starts of its own."""
        if form == KMEANS:
            found = kmeans(points, k, n_restarts=n_init, random_state=seed)
            return cls(space, found.centers, None), np.asarray(found.labels)
        mixture = StudentMixture(
            n_groups=k, covariance=form, max_iter=max_iter, random_state=seed
        ).fit(points, starts=starts)
        return cls(space, np.zeros((0, 0)), mixture), mixture.labels_

    def place(self, rows: np.ndarray) -> np.ndarray:
        """The group of members of its space."""
        if self.mixture is None:
            return np.asarray(nearest_center(rows, self.centers)[0], dtype=np.int64)
        return self.mixture.predict(rows)


class ViewsConsensus(Organizer):
    """Members seen in several views, grouped by what models of the views joined and of what the views share agree on.

    Each view becomes a few numbers: the components of a dense table (`ScaledPCA`), latent semantic analysis of a sparse one.
    Views weigh alike. Five models group the members: k-means on all of these side by side, two mixtures of t distributions (one
    covariance for all groups, and shrunk covariances) on the principal axes of all, and the same two on the components that the views
    share (`PWCA`), where they share any beyond chance. Where all views are counts k-means takes the place of the mixtures with one covariance. The groups are k-means of the five labelings side by side. A
    member that some view lacks is placed by what is shared alone.

    With `n_groups=None` the number is the one with the largest sum of ranks: by the BIC of the shrunk mixture on the joined axes,
    by how far the five agree, and by how far k-means of halves of the members agree beyond members from one normal distribution.
    The order of the members does not matter. Learned: `partition_`, `shared_` (components shared beyond chance), `agreement_` (of the five with
    each other), `excess_` (of halves, beyond the null models, at the number taken), `candidates_`, `scores_` (bic, agreement, halves and
    rank_sum).
    """

    takes: ClassVar[type] = Views
    least: ClassVar[int] = 4

    n_groups: int | None = param(None, "How many groups; None chooses by three ranks.", ge=1)
    n_components: int = param(
        20, "Principal axes of a space, where 12 do not hold everything.", ge=1, advanced=True
    )
    sample_size: int = param(
        4000, "Members that the models are fitted on; more are placed.", ge=10, advanced=True
    )
    max_groups: int | None = param(
        None, "Largest number of groups where it is chosen; None is a tenth of the members.", ge=2
    )
    unscaled: tuple[str, ...] = param(
        (), "Names of dense views whose columns are taken as they are, neither scaled nor reduced."
    )
    random_state: int | None = param(None, "Seed of starts, shuffles and null models.")

    names_: tuple[str, ...]
    codings_: dict[str, ViewCoding]
    axes_: SharedAxes
    shared_: int
    is_round_: bool
    joined_center_: np.ndarray
    joined_axes_: np.ndarray
    shared_center_: np.ndarray
    shared_axes_: np.ndarray
    voters_: list[Voter]
    profiles_: np.ndarray
    order_: np.ndarray
    numbers_: np.ndarray
    agreement_: float
    excess_: float
    candidates_: np.ndarray
    scores_: dict[str, np.ndarray]
    seed_: int
    coordinates_: dict[str, np.ndarray]
    complete_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Join the views, find what they share, let five models group the members, and set `partition_`."""
        views = self.check(X)
        n = len(views)
        self.check_groups(self.n_groups, n)
        if len(views.names) < 2:
            raise DataError("ViewsConsensus needs at least two views.")
        self.seed_ = seed_of(self.random_state)
        self.order_ = np.lexsort(
            [content_keys(views[name].values) for name in reversed(views.names)]
        )
        ordered = views.take(self.order_)
        with stage("ViewsConsensus"), steady():
            self._represent(ordered)
            k = self._choose()
            some = self._rows_of(np.arange(min(n, self.sample_size)))
            self.voters_, labelings = self._vote(some, k, "voters")
            self._settle(labelings, k)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members, which may lack some of the views."""
        check_is_fitted(self, "partition_")
        views = self._known(self._as_taken(X))
        with steady():
            spaces, complete = self._spaces(views)
            labels = nearest_profile(self._labels_of(spaces, complete), self.profiles_)
        return np.asarray(self.numbers_[labels])

    def regroup(self, rows: np.ndarray) -> np.ndarray:
        """Some of the members, by their places in `order_`, grouped again in the same spaces, from one start each."""
        check_is_fitted(self, "coordinates_")
        k = min(self.partition_.n_groups, len(rows))
        with steady():
            some = self._rows_of(rows)
            _, labelings = self._vote(some, k, "", is_quick=True)
            return self._agreed(labelings, k)[0]

    @property
    def spaces_(self) -> tuple[str, ...]:
        """The spaces of few axes: all views joined, and what they share where they share anything."""
        return tuple(name for name in self.coordinates_ if name != JOINED)

    def at(self, k: int) -> Partition:
        """The members in another number of groups, in the same spaces."""
        check_is_fitted(self, "coordinates_")
        self.check_groups(k, len(self.order_))
        with stage("ViewsConsensus-at"), steady():
            some = self._rows_of(np.arange(min(len(self.order_), self.sample_size)))
            voters, labelings = self._vote(some, k, f"voters for {k}")
            _, profiles = self._agreed(labelings, k)
            everyone = self._labels_of(self.coordinates_, self.complete_, voters)
            labels = nearest_profile(everyone, profiles)
        back = np.argsort(self.order_, kind="stable")
        return numbered(labels[back])[0]

    # ---- spaces -----------------------------------------------------------------------------------------------------

    def _as_taken(self, data: Any) -> Views:
        if isinstance(data, Views | Collection | Mapping | list | tuple):
            return Views.of(data, "ViewsConsensus")
        raise DataError(
            f"ViewsConsensus takes several views of the same members, and was given {type(data).__name__}."
        )

    def _known(self, views: Views) -> Views:
        """New members in the views that were fitted; one that none of them has is there, and not seen."""
        there = [name for name in self.names_ if name in views.tables]
        if not there:
            raise DataError(
                f"ViewsConsensus was fitted on the views {', '.join(self.names_)}, and the new members have "
                f"{', '.join(views.names)}."
            )
        for name in there:
            coding = self.codings_[name]
            width = (
                coding.directions.shape[1]
                if coding.scaling is None
                else coding.scaling.n_features_in_
            )
            if views[name].shape[1] != width:
                raise DataError(
                    f"the view '{name}' had {width} columns in fit, and has {views[name].shape[1]}.",
                    owner="ViewsConsensus",
                )
        return Views(
            {name: views[name] for name in there}, {name: views.seen[name] for name in there}
        )

    def _represent(self, views: Views) -> None:
        """Learn the coordinates of every view, of all joined, and of what they share."""
        self.names_ = views.names
        marks = held(views)
        for name, mark in marks.items():
            if mark.sum() < 3:
                raise DataError(
                    f"the view '{name}' has {int(mark.sum())} members with anything in them, and needs at least 3; "
                    "leave it out.",
                    owner="ViewsConsensus",
                )
        self.codings_ = {
            name: ViewCoding.of(views[name], marks[name], is_scaled=name not in self.unscaled)
            for name in views
        }
        for name, coding in self.codings_.items():
            if not coding.scale:
                raise DataError(
                    f"the view '{name}' holds the same of every member; leave it out.",
                    owner="ViewsConsensus",
                )
        tables = {name: Table.of(self.codings_[name].rows(views[name])) for name in views}
        self.axes_ = SharedAxes.of(tables, marks, random_state=self.seed_)
        self.shared_ = self.axes_.shared
        self.is_round_ = self.axes_.width >= _ROUND and all(
            coding.is_counts for coding in self.codings_.values()
        )
        most = max(2, min(self.n_components, len(views) // 2))
        blocks = [self.codings_[name].coordinates(views[name], marks[name]) for name in views]
        self.joined_center_, self.joined_axes_, _ = principal(blocks, most)
        shared = self._shared_places(views, marks)
        self.shared_center_, self.shared_axes_, _ = principal([shared], most)
        self.coordinates_, self.complete_ = self._spaces(views)

    def _shared_places(self, views: Views, marks: Mapping[str, np.ndarray]) -> np.ndarray:
        factors = {
            name: np.asarray(
                self.codings_[name].rows(views[name]) @ self.axes_.weights[name]
                + self.axes_.offsets[name]
            )
            for name in views
        }
        places = mean_of_views(factors, marks)
        if not self.is_round_:
            return places
        lengths = np.linalg.norm(places, axis=1, keepdims=True)
        return np.divide(places, lengths, out=np.zeros_like(places), where=lengths > 0)

    def _spaces(self, views: Views) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Members in every space, and which of them every view has."""
        marks = held(views)
        n = len(views)
        blocks = []
        complete = np.ones(n, dtype=bool)
        for name in self.names_:
            if name in views.tables:
                blocks.append(self.codings_[name].coordinates(views[name], marks[name]))
                complete &= marks[name]
            else:
                blocks.append(np.zeros((n, len(self.codings_[name].center))))
                complete[:] = False
        joined = np.hstack(blocks)
        spaces = {JOINED: joined, AXES: (joined - self.joined_center_) @ self.joined_axes_}
        if self.shared_:
            places = self._shared_places(views, marks)
            spaces[SHARED] = (places - self.shared_center_) @ self.shared_axes_
        else:
            complete[:] = True  # nothing else could place them
        return spaces, complete

    def _rows_of(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The coordinates of some members in every space; of the joined ones those only that every view has."""
        joined = self.complete_[rows]
        found = {name: space[rows] for name, space in self.coordinates_.items()}
        if not joined.all():
            found[JOINED] = np.where(joined[:, None], found[JOINED], np.nan)
            found[AXES] = np.where(joined[:, None], found[AXES], np.nan)
        return found

    # ---- models -----------------------------------------------------------------------------------------------------

    def _tasks(self) -> list[tuple[str, str]]:
        """The models in order: their space, and what they are."""
        if all(coding.is_counts for coding in self.codings_.values()):
            tasks = [(JOINED, KMEANS), (JOINED, KMEANS), (AXES, "shrunk")]
            beside = KMEANS
        else:
            tasks = [(JOINED, KMEANS), (AXES, "tied"), (AXES, "shrunk")]
            beside = "tied"
        return tasks + ([(SHARED, beside), (SHARED, "shrunk")] if self.shared_ else [])

    def _vote(
        self, spaces: Mapping[str, np.ndarray], k: int, label: str, *, is_quick: bool = False
    ) -> tuple[list[Voter], list[np.ndarray]]:
        """The models fitted on members of these spaces, and how they label them; -1 where a member is not in a space."""
        seed = small_seed(stream(self.seed_, 1, k))
        known = {name: np.isfinite(rows).all(axis=1) for name, rows in spaces.items()}
        tasks = [task for task in self._tasks() if not self.shared_ or known[task[0]].sum() > k]
        if not tasks:
            whole = max(int(seen.sum()) for seen in known.values())
            raise ParameterError.of(
                "ViewsConsensus",
                "n_groups",
                f"must be below the number of members that hold all views ({whole}), and was {k}.",
            )
        starts = {
            name: _starts(spaces[name][known[name]], k, seed, is_quick=is_quick)
            for name in dict.fromkeys(space for space, form in tasks if form != KMEANS)
        }

        def work(at: int) -> tuple[Voter, np.ndarray]:
            space, form = tasks[at]
            return Voter.of(
                space,
                form,
                spaces[space][known[space]],
                k,
                starts=starts.get(space, ()),
                seed=small_seed(stream(seed, at)),
                n_init=1 if is_quick else _RESTARTS,
            )

        with warnings.catch_warnings():  # here, since filters belong to all threads
            warnings.simplefilter("ignore", UserWarning)  # one model may well lose a group
            found = list(in_order(work, list(range(len(tasks))), label))
        labelings = []
        for (space, _), (_, own) in zip(tasks, found, strict=True):
            labels = np.full(len(known[space]), -1, dtype=np.int64)
            labels[known[space]] = own
            labelings.append(labels)
        return [voter for voter, _ in found], labelings

    def _labels_of(
        self,
        spaces: Mapping[str, np.ndarray],
        complete: np.ndarray,
        voters: Sequence[Voter] | None = None,
    ) -> list[np.ndarray]:
        """How the models label members; -1 where a member lacks what a model needs."""
        found = []
        for voter in self.voters_ if voters is None else voters:
            labels = voter.place(spaces[voter.space])
            found.append(labels if voter.space == SHARED else np.where(complete, labels, -1))
        return found

    def _agreed(self, labelings: Sequence[np.ndarray], k: int) -> tuple[np.ndarray, np.ndarray]:
        """k-means of the labelings side by side: labels, and the profile of every group, its share of each group of each model."""
        columns = side_by_side(labelings, k)
        seed = small_seed(stream(self.seed_, 2, k))
        profiles = kmeans(columns, k, n_restarts=_RESTARTS, random_state=seed).centers
        return nearest_profile(labelings, profiles), profiles

    def _settle(self, labelings: Sequence[np.ndarray], k: int) -> None:
        """Group all members by the models, and say how sure that is."""
        _, self.profiles_ = self._agreed(labelings, k)
        everyone = self._labels_of(self.coordinates_, self.complete_)
        labels = nearest_profile(everyone, self.profiles_)
        self.agreement_ = mean_agreement(labelings)
        votes = np.array([align_labels(one, labels) for one in everyone])
        cast = np.maximum((votes >= 0).sum(axis=0), 1)
        sure = (votes == labels).sum(axis=0) / cast
        back = np.argsort(self.order_, kind="stable")
        self.partition_, used = numbered(labels[back], sure[back])
        self.numbers_ = np.full(len(self.profiles_), 0, dtype=np.int64)
        self.numbers_[used] = np.arange(len(used))
        if self.partition_.n_groups < k:
            warnings.warn(
                f"ViewsConsensus: only {self.partition_.n_groups} of {k} groups have members in the end; "
                "the others were dropped.",
                UserWarning,
                stacklevel=3,
            )

    # ---- the number of groups ---------------------------------------------------------------------------------------

    def _choose(self) -> int:
        """The number of groups that was asked for, or the one with the largest sum of ranks; keeps what was seen."""
        n = len(self.order_)
        asked = self.n_groups
        most = n // _PER_GROUP if self.max_groups is None else min(self.max_groups, n // 3)
        wanted = candidates_up_to(max(2, most)) if asked is None else [asked]
        few = min(n, _LOOKED_AT)
        self.candidates_ = np.array(wanted, dtype=np.int64)
        self.scores_ = {}
        self.excess_ = 0.0
        if wanted == [1] or wanted[-1] >= few:
            return asked or wanted[0]
        spaces = {name: space[:few] for name, space in self.coordinates_.items() if name != JOINED}
        points = list(spaces.values())
        nulls = [null_coordinates(points, stream(self.seed_, 3, copy)) for copy in range(_COPIES)]
        label = "numbers of groups" if len(wanted) > 1 else ""
        if asked is not None:
            self.excess_ = _halves(points, nulls, asked, self.seed_)
            return asked
        spaces[JOINED] = self.coordinates_[JOINED][:few]
        trees = {name: Ward(space) for name, space in spaces.items() if name != JOINED}
        work = partial(self._score, spaces, points, nulls, trees)
        found = np.array(list(in_order(work, wanted, label)))
        self.scores_ = dict(zip(CRITERIA, found.T, strict=True))
        self.scores_["rank_sum"] = smooth(
            rankdata(-found[:, 0]) + rankdata(found[:, 1]) + rankdata(found[:, 2])
        )
        at = int(np.argmax(self.scores_["rank_sum"]))
        self.excess_ = float(found[at, 2])
        return wanted[at]

    def _score(
        self,
        spaces: Mapping[str, np.ndarray],
        points: Sequence[np.ndarray],
        nulls: Sequence[Sequence[np.ndarray]],
        trees: Mapping[str, Ward],
        k: int,
    ) -> tuple[float, float, float]:
        """BIC of the shrunk mixture on the joined axes, agreement of the five, and of halves beyond the null models."""
        seed = small_seed(stream(self.seed_, 1, k))
        labelings = []
        worth = 0.0
        for at, (space, form) in enumerate(self._tasks()):
            starts = [trees[space](k)] if space in trees else []
            own = small_seed(stream(seed, at))
            voter, labels = Voter.of(
                space, form, spaces[space], k, starts=starts, seed=own, n_init=3, max_iter=_ROUNDS
            )
            labelings.append(labels)
            if (space, form) == (AXES, "shrunk") and voter.mixture is not None:
                worth = voter.mixture.bic_
        return worth, mean_agreement(labelings), _halves(points, nulls, k, self.seed_)


def held(views: Views) -> dict[str, np.ndarray]:
    """Per view, which members it has and holds anything of."""
    return {
        name: views.seen[name] & (np.diff(table.values.indptr) > 0)
        if table.sparse
        else views.seen[name]
        for name, table in views.tables.items()
    }


def side_by_side(labelings: Sequence[np.ndarray], k: int) -> np.ndarray:
    """Labels as columns, one for every group of every labeling; a member that a labeling leaves out has the same share of each.

    >>> side_by_side([np.array([0, 1, -1])], 2).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    """
    columns = np.vstack([np.eye(k), np.full((1, k), 1.0 / k)])
    return np.hstack([columns[labels] for labels in labelings])


def nearest_profile(labelings: Sequence[np.ndarray], profiles: np.ndarray) -> np.ndarray:
    """The group whose profile is nearest to the labels of each member, by the models that label it.

    >>> nearest_profile([np.array([0, 1]), np.array([-1, 0])], np.array([[1.0, 0, 0.2, 0.8], [0, 1, 0.9, 0.1]])).tolist()
    [0, 1]
    """
    k = profiles.shape[1] // len(labelings)
    apart = np.zeros((len(labelings[0]), len(profiles)))
    for at, labels in enumerate(labelings):
        own = profiles[:, at * k : (at + 1) * k]
        away = np.square(own).sum(axis=1)[None, :] - 2.0 * own.T[np.maximum(labels, 0)]
        apart += np.where((labels >= 0)[:, None], away, 0.0)
    return np.asarray(apart.argmin(axis=1), dtype=np.int64)


def smooth(values: np.ndarray) -> np.ndarray:
    """Each value with a part of its neighbors; beyond the ends the value at the end counts again.

    >>> smooth(np.array([1.0, 3.0, 3.0])).round(2).tolist()
    [1.23, 2.77, 3.0]
    """
    padded = np.pad(values, 1, mode="edge")
    total = padded[1:-1] + _NEIGHBOR * (padded[:-2] + padded[2:])
    return np.asarray(total / (1.0 + 2.0 * _NEIGHBOR))


def _halves(
    points: Sequence[np.ndarray], nulls: Sequence[Sequence[np.ndarray]], k: int, seed: int
) -> float:
    """How far k-means of halves in all spaces agree, beyond how far they agree on null models."""
    own = small_seed(stream(seed, 4, k))
    seen, *expected = (agreement_of_halves(given, k, own) for given in (points, *nulls))
    chance = float(np.mean(expected))
    return (seen - chance) / max(1.0 - chance, 1e-12)


def _starts(points: np.ndarray, k: int, seed: int, *, is_quick: bool) -> list[np.ndarray]:
    """Groupings that the mixtures of a space start from."""
    if is_quick or len(points) <= 3 * k:
        return [np.asarray(kmeans(points, k, n_restarts=1, random_state=seed).labels)]
    return make_starts(points, k, seed=seed, n_init=5)

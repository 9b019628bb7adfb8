"""RepresentationVote: sequences, sets, recordings, pictures or names grouped by mixtures on several representations that vote."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.params import param
from coterie.core.partition import Partition, numbered
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.random import content_order, seed_of, small_seed, stream
from coterie.core.text import TaggedText
from coterie.core.workplace import stage, steady
from coterie.organize.bottleneck import SequentialIB
from coterie.organize.default_representations import Representations, default_representations
from coterie.organize.role import Organizer
from coterie.organize.student_mixture import StudentMixture
from coterie.parts.sequences import filled
from coterie.parts.spectra import kmeans, nearest_center
from coterie.parts.voting import align_labels, majority_vote, mean_agreement
from coterie.parts.workers import in_order
from coterie.represent.role import Representer
from coterie.represent.shapes import paths

Chain = tuple[Representer, ...]  # one after the other
Fitted = tuple[list[Any], list[np.ndarray]]  # voters and their labelings
Space = tuple[Chain, ...]  # side by side

_SHARE = (
    0.95  # of the variance that the axes of a space hold, where more than 12 are needed for all
)
_FEW = 12  # axes that are all kept
_RUNS = 4  # of the sequential information bottleneck on counts
_RESTARTS = 5  # of k-means, while the number of groups is looked for
_NEAR_BEST = (
    0.1  # of the excess: numbers of groups this near to the best are told apart by the voters
)
_COPIES = 3  # null models
_STEPS = 200  # of a sequence that is drawn without groups
_SCORED = 1000  # members by which numbers of groups are compared
_TRIED = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 30, 40)


class RepresentationVote(Organizer):
    """Members of any kind grouped by a vote of t mixtures on several representations of them.

    A representation is one representer, or several in a row; a space holds one or several side by side, each centered and
    with a total variance of one, on its leading principal axes. In every space a mixture of Student's t is fitted whose
    covariances are shrunk to that of all groups (for recordings another with one covariance besides); on counts, which are
    sparse, four runs of SequentialIB vote. The labelings are aligned and the majority counts. Without `representations` they are chosen by what members are: sequences, sets, recordings, gray or color pictures, names
    in text. Nothing depends on the order of the members.
    """

    takes: ClassVar[type] = Ragged
    also: ClassVar[tuple[type, ...]] = (Pictures, TaggedText)
    represents: ClassVar[bool] = True

    n_groups: int | None = param(
        None,
        "How many groups; None takes the number on which k-means of halves in all spaces agree most, beyond null models, and of "
        "those near the best the one on which the voters agree most too.",
        ge=1,
    )
    representations: Any = param(
        None,
        "A list of spaces; a space is a representer, or a list of such side by side, each of which may be a tuple of "
        "representers in a row. None: by what members are.",
        advanced=True,
    )
    n_components: int = param(
        20, "Principal axes of a space, where 12 do not hold everything.", ge=1, advanced=True
    )
    sample_size: int = param(
        2000, "Members that a voter is fitted on; more are placed.", ge=10, advanced=True
    )
    max_groups: int = param(20, "Largest number of groups where it is chosen.", ge=2)
    random_state: int | None = param(None, "Seed of the representations and of the mixtures.")

    covariances_: tuple[str, ...]
    representers_: list[Any]
    members_of_spaces_: list[np.ndarray]
    centers_: list[np.ndarray]
    axes_: list[np.ndarray]
    coordinates_: list[Any]
    distinct_: list[np.ndarray]
    order_: np.ndarray
    voters_: list[Any]
    numbers_: list[np.ndarray]
    agreement_: float
    candidates_: np.ndarray
    scores_: np.ndarray
    excess_: float
    seed_: int
    kind_: str

    def fit(self, X: Any, y: Any = None) -> Self:
        """Represent the members, let the mixtures vote, and set `partition_`."""
        members = self.check(X)
        self.check_groups(self.n_groups, len(members))
        self.kind_ = members.modality
        self.seed_ = seed_of(self.random_state)
        self.order_ = content_order(members)
        with stage("RepresentationVote"), steady():
            members = members.take(self.order_)
            self._represent(members)
            k, fitted = self._choose(members)
            self.voters_, labelings = fitted or self._fitted(k, self.coordinates_, "voters")
            self._settle(k, labelings)
        return self

    def regroup(self, rows: np.ndarray) -> np.ndarray:
        """Some of the members, by their places in `order_`, grouped anew in the same spaces, from one start each."""
        check_is_fitted(self, "coordinates_")
        k = min(self.partition_.n_groups, len(rows))
        spaces = [space[rows] for space in self.coordinates_]
        labelings = [
            self._fit_voter(task, spaces[task[0]], k, is_quick=True)[1]
            for task in self._tasks(spaces)
        ]
        return majority_vote(labelings).labels

    def at(self, k: int) -> Partition:
        """The members in another number of groups, by mixtures in the same spaces."""
        check_is_fitted(self, "coordinates_")
        self.check_groups(k, len(self.order_))
        with stage("RepresentationVote-at"), steady():
            elected = majority_vote(self._fitted(k, self.coordinates_, f"voters for {k}")[1])
        return numbered(*self._as_given(elected.labels, elected.confidence))[0]

    def predict(self, X: Any) -> np.ndarray:
        """The group that most mixtures put new members in; between equals the first."""
        return np.asarray(self.memberships(X).argmax(axis=1))

    def memberships(self, X: Any) -> np.ndarray:
        """The share of the mixtures that put each member in each group (n, groups)."""
        check_is_fitted(self, "partition_")
        members = self.check(X, new=True)
        if members.modality != self.kind_:
            raise DataError(
                f"RepresentationVote was fitted on {self.kind_}, and these members are {members.modality}."
            )
        with steady():
            blocks = [_transformed(chain, members) for chain in self.representers_]
            votes = np.zeros((len(members), self.partition_.n_groups))
            rows = np.arange(len(members))
            spaces = [self._place(at, blocks) for at in range(len(self.coordinates_))]
            tasks = self._tasks(self.coordinates_)
            for (at, _), voter, numbers in zip(tasks, self.voters_, self.numbers_, strict=True):
                group = _predicted(voter, spaces[at])
                group = np.where(group >= 0, numbers[group], -1)
                votes[rows[group >= 0], group[group >= 0]] += 1.0
        return votes / max(len(self.voters_), 1)

    def _place(self, at: int, blocks: Sequence[Any]) -> Any:
        """New members in one of the spaces."""
        own = [blocks[block] for block in self.members_of_spaces_[at]]
        if is_counts(own):
            return sp.csr_array(sp.hstack(own))
        return (side_by_side(own) - self.centers_[at]) @ self.axes_[at]

    def _represent(self, members: Any) -> None:
        """Fit every representation once, and the axes of every space."""
        wanted = self.representations
        chosen = default_representations(members) if wanted is None else Representations(wanted)
        spaces = spaces_of(chosen.spaces)
        self.covariances_ = chosen.covariances
        places: dict[str, int] = {}
        self.representers_ = []
        made: dict[str, Any] = {}
        blocks = []
        for space in spaces:
            for chain in space:
                name = repr(chain)
                if name not in places:
                    places[name] = len(self.representers_)
                    fitted, block = self._fit_chain(chain, members, made)
                    self.representers_.append(fitted)
                    blocks.append(block)
        self.members_of_spaces_ = []
        self.centers_ = []
        self.axes_ = []
        self.coordinates_ = []
        self.distinct_ = []
        for space in spaces:
            used = np.array([places[repr(chain)] for chain in space])
            own = [blocks[at] for at in used]
            most = max(2, min(self.n_components, len(members) // 2))
            center, axes, coordinates = (
                (np.zeros(0), np.zeros((0, 0)), sp.csr_array(sp.hstack(own)))
                if is_counts(own)
                else principal([_dense(block) for block in own], most)
            )
            self.members_of_spaces_.append(used)
            self.centers_.append(center)
            self.axes_.append(axes)
            self.coordinates_.append(coordinates)
            self.distinct_.append(distinct_rows(own))

    def _fit_chain(self, chain: Chain, members: Any, made: dict[str, Any]) -> tuple[list[Any], Any]:
        """Fit representers in a row; what they share with another row is fitted once."""
        fitted: list[Any] = []
        given = members
        for until, step in enumerate(chain, start=1):
            name = repr(chain[:until])
            if name not in made:
                own = clone(step)
                if getattr(own, "random_state", 0) is None:
                    own.set_params(random_state=small_seed(stream(self.seed_, 0, len(made))))
                made[name] = (own, own.fit_transform(given))
            own, given = made[name]
            fitted.append(own)
        return fitted, _as_rows(given)

    def _tasks(self, spaces: Sequence[Any]) -> list[tuple[int, str]]:
        """The voters in order: the space of each, and the covariances of a mixture or the number of a run on counts."""
        runs = [str(run) for run in range(_RUNS)]
        return [
            (at, form)
            for at, space in enumerate(spaces)
            for form in (runs if sp.issparse(space) else self.covariances_)
        ]

    def _fitted(self, k: int, spaces: Sequence[Any], label: str) -> Fitted:
        """The voters, in order, and how they label the members. Members that are alike count once."""

        def work(task: tuple[int, str]) -> tuple[Any, np.ndarray]:
            space = spaces[task[0]]
            return self._fit_voter(task, space, k, self.distinct_[task[0]][: space.shape[0]])

        with warnings.catch_warnings():  # here, since filters belong to all threads
            warnings.simplefilter("ignore", UserWarning)  # one voter may well lose a group
            found = list(in_order(work, self._tasks(spaces), label))
        return [voter for voter, _ in found], [labels for _, labels in found]

    def _fit_voter(
        self,
        task: tuple[int, str],
        space: Any,
        k: int,
        codes: np.ndarray | None = None,
        *,
        is_quick: bool = False,
    ) -> tuple[Any, np.ndarray]:
        """One voter and how it labels the members; those with equal codes count once, and of very many some are fitted."""
        at, form = task
        rows = space if codes is None else space[np.unique(codes, return_index=True)[1]]
        fitted = rows[: self.sample_size]  # the first by content: a sample
        if sp.issparse(rows):
            seed = small_seed(stream(self.seed_, 1, k, at, int(form)))
            used = int((fitted.sum(axis=1) > 0).sum())
            restarts = {"restarts": 1} if is_quick else {}
            voter: Any = SequentialIB(n_groups=min(k, used), random_state=seed, **restarts)
            labels = voter.fit(as_links(fitted)).labels_
        else:
            seed = small_seed(stream(self.seed_, 1, k, at))
            k = min(k, fitted.shape[0])
            voter = StudentMixture(n_groups=k, covariance=form, random_state=seed)
            starts = (
                [kmeans(fitted, k, n_restarts=1, random_state=seed).labels] if is_quick else None
            )
            labels = voter.fit(fitted, starts=starts).labels_
        if fitted.shape[0] < rows.shape[0]:
            labels = _predicted(voter, rows)
        return voter, labels if codes is None else labels[codes]

    def _settle(self, k: int, labelings: list[np.ndarray]) -> None:
        """Let the mixtures vote, and learn how the groups of each are called in the outcome."""
        elected = majority_vote(labelings)
        self.agreement_ = mean_agreement(labelings)
        labels, confidence = self._as_given(elected.labels, elected.confidence)
        self.partition_, _ = numbered(labels, confidence)
        if self.n_groups is not None and self.partition_.n_groups < k:
            warnings.warn(
                f"RepresentationVote: only {self.partition_.n_groups} of {k} groups have members in the end; "
                "the others were dropped.",
                UserWarning,
                stacklevel=3,
            )
        final = self.partition_.labels[self.order_]
        self.numbers_ = [_numbers(labels, final) for labels in labelings]

    def _as_given(
        self, labels: np.ndarray, confidence: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Labels and confidences in the order in which members were given."""
        back = np.empty(len(self.order_), dtype=np.int64)
        back[self.order_] = np.arange(len(self.order_))
        return labels[back], confidence[back]

    def _choose(self, members: Any) -> tuple[int, Fitted | None]:
        """The number of groups, and the voters of it where they were fitted on the way.

        Halves: A, how far k-means of halves agree, beyond A0, how far they agree on null models, as (A - A0) / (1 - A0). Of the
        numbers within 0.1 of the greatest excess the one is taken where the excess and the agreement of the voters add up to most.
        What is kept as `excess_` is, of sequences, also beyond copies made of the sequences themselves, in the same spaces.
        """
        most = max(1, min(self.max_groups, len(self.order_) // 3))
        asked = self.n_groups
        wanted = [k for k in _TRIED if k <= most] if asked is None else [asked]
        spaces = [space[:_SCORED] for space in self.coordinates_ if not sp.issparse(space)]
        if asked is None and not spaces:
            raise ParameterError.of(
                "RepresentationVote",
                "n_groups",
                "must be given where all representations are counts.",
            )
        if not spaces or not wanted or wanted == [1] or wanted[-1] >= len(spaces[0]):
            wanted = []
        self.candidates_ = np.array(wanted, dtype=np.int64)
        self.scores_ = np.zeros(0)
        self.excess_ = 0.0
        if not wanted:
            return asked or 1, None
        nulls = [null_coordinates(spaces, stream(self.seed_, 2, copy)) for copy in range(_COPIES)]
        drawn = self._draw_copies(members)

        def work(k: int) -> tuple[float, float]:
            seed = small_seed(stream(self.seed_, 3, k))
            seen = agreement_of_halves(spaces, k, seed)
            chance = float(np.mean([agreement_of_halves(null, k, seed) for null in nulls]))
            alike = [agreement_of_halves(copy, k, seed) for copy in drawn]
            most = max(chance, float(np.mean(alike))) if alike else chance
            return _beyond(seen, chance), _beyond(seen, most)

        label = "numbers of groups" if len(wanted) > 1 else ""
        found = np.array(list(in_order(work, wanted, label)))
        excesses = np.ascontiguousarray(found[:, 0])
        self.excess_ = float(found[:, 1].max())
        near = np.flatnonzero(excesses >= excesses.max() - _NEAR_BEST).tolist()
        self.scores_ = excesses
        if len(near) == 1:
            return wanted[near[0]], None
        scored = [space[:_SCORED] for space in self.coordinates_]
        tried = {at: self._fitted(wanted[at], scored, f"voters for {wanted[at]}") for at in near}
        self.scores_[near] += [max(mean_agreement(tried[at][1]), 0.0) for at in near]
        best = int(np.argmax(self.scores_))
        return wanted[best], tried[best] if len(self.order_) <= _SCORED else None

    def _draw_copies(self, members: Any) -> list[list[np.ndarray]]:
        """Copies without groups of sequences in the dense spaces; none of other members."""
        if not (isinstance(members, Ragged) and members.ordered and not members.is_sound):
            return []
        some = members.take(np.arange(min(len(members), _SCORED)))
        dense = [at for at, space in enumerate(self.coordinates_) if not sp.issparse(space)]
        found = []
        for copy in range(_COPIES):
            drawn = null_sequences(some, stream(self.seed_, 4, copy))
            blocks = [_transformed(chain, drawn) for chain in self.representers_]
            found.append([self._place(at, blocks) for at in dense])
        return found


def spaces_of(representations: Any) -> list[Space]:
    """A list of spaces in the one form: side by side, then in a row; anything else is refused."""
    if not isinstance(representations, (list, tuple)) or not representations:
        raise ParameterError(
            "RepresentationVote: representations must be a list of representers, or of lists of them, and was "
            f"{representations!r:.60}."
        )
    found = []
    for space in representations:
        chains = space if isinstance(space, list) else [space]
        rows = [chain if isinstance(chain, tuple) else (chain,) for chain in chains]
        for chain in rows:
            wrong = next((step for step in chain if not hasattr(step, "transform")), None)
            if wrong is not None or not chain:
                raise ParameterError(
                    f"RepresentationVote: representations must hold representers, and held {wrong!r:.60}."
                )
        found.append(tuple(rows))
    return found


def is_counts(blocks: Sequence[Any]) -> bool:
    """Whether representations are counts: all are sparse."""
    return all(sp.issparse(block) for block in blocks)


def side_by_side(blocks: Sequence[Any]) -> np.ndarray:
    """Representations as one dense array."""
    return np.concatenate([_dense(block) for block in blocks], axis=1)


def as_links(rows: Any) -> Links:
    """Counts of rows in columns as links of members with features."""
    return Links.of({("members", "features"): rows})


def distinct_rows(blocks: Sequence[Any]) -> np.ndarray:
    """A number per row, the same for rows that are the same in all blocks; numbered as they first appear."""
    seen: dict[bytes, int] = {}
    marks = (
        blake2b(b"".join(_held(block, i) for block in blocks), digest_size=16).digest()
        for i in range(blocks[0].shape[0])
    )
    return np.array([seen.setdefault(mark, len(seen)) for mark in marks], dtype=np.int64)


def principal(blocks: Sequence[np.ndarray], most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Representations side by side on their principal axes: the center, the axes (with the scales), the coordinates.

    Each is centered and brought to a total variance of one. All axes are kept where there are at most 12, else as many as
    hold 95% of the variance, and no more than `most`. The largest weight of each axis is positive.
    """
    center = np.concatenate([block.mean(axis=0) for block in blocks])
    scale = np.concatenate(
        [
            np.full(block.shape[1], 1.0 / np.sqrt(max(float(block.var(axis=0).sum()), 1e-300)))
            for block in blocks
        ]
    )
    rows = (np.concatenate(blocks, axis=1) - center) * scale
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    rank = max(1, int((values > values[0] * 1e-6).sum()))
    held = np.cumsum(values**2) / max(float((values**2).sum()), 1e-300)
    many = rank if rank <= _FEW else int(np.searchsorted(held, _SHARE)) + 1
    axes = vectors[: min(many, rank, most)]
    axes = axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    weights = scale[:, None] * axes.T
    return center, weights, rows @ axes.T


def null_coordinates(spaces: Sequence[np.ndarray], random: np.random.Generator) -> list[np.ndarray]:
    """Members without groups: normal, with the covariances of the coordinates within and between all spaces."""
    rows = np.concatenate(spaces, axis=1)
    _, values, vectors = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    drawn = random.normal(size=(len(rows), len(values))) * (values / np.sqrt(len(rows))) @ vectors
    return np.split(drawn, np.cumsum([space.shape[1] for space in spaces])[:-1], axis=1)


def null_sequences(sequences: Ragged, random: np.random.Generator) -> Ragged:
    """Sequences without groups: one Gaussian process with the mean and the covariances over time and dimensions of all.

    Each is a random combination of all sequences, brought to as many steps as the longest (at most 200) and then to a length
    that is drawn along with it.
    """
    sequences = filled(sequences)
    n = len(sequences)
    steps = int(min(sequences.lengths.max(), _STEPS))
    lengths = np.log(sequences.lengths.astype(np.float64))
    rows = np.concatenate([paths(sequences, steps), lengths[:, None]], axis=1)
    middle = rows.mean(axis=0)
    drawn = middle + random.normal(size=(n, n)) @ (rows - middle) / np.sqrt(n)
    many = np.rint(np.exp(np.clip(drawn[:, -1], lengths.min(), lengths.max()))).astype(np.int64)
    courses = drawn[:, :-1].reshape(n, steps, sequences.dim)
    grid = np.linspace(0.0, 1.0, steps)
    members = [
        np.stack(
            [np.interp(np.linspace(0.0, 1.0, length), grid, trace) for trace in course.T], axis=1
        )
        for course, length in zip(courses, np.maximum(many, 1), strict=True)
    ]
    return Ragged.of(members)


def _beyond(seen: float, chance: float) -> float:
    """(A - A0) / (1 - A0), as for an index that is corrected for chance."""
    return (seen - chance) / max(1.0 - chance, 1e-12)


def agreement_of_halves(spaces: Sequence[np.ndarray], k: int, seed: int) -> float:
    """The mean agreement of groupings of everybody by k-means of random halves, two in each space."""
    n = len(spaces[0])
    labelings = []
    for at, space in enumerate(spaces):
        for half in range(2):
            rows = stream(seed, at, half).permutation(n)[: max(k + 1, n // 2)]
            centers = kmeans(space[rows], k, n_restarts=_RESTARTS, random_state=seed + half).centers
            labelings.append(nearest_center(space, centers)[0])
    return mean_agreement(labelings)


def _transformed(chain: Sequence[Any], members: Any) -> Any:
    given = members
    for step in chain:
        given = step.transform(given)
    return _as_rows(given)


def _as_rows(given: Any) -> Any:
    """Numbers of members, dense or sparse."""
    if isinstance(given, Ragged):
        raise ParameterError(
            "RepresentationVote: representations must end with one row per member; the last representer gives sequences."
        )
    return sp.csr_array(given) if sp.issparse(given) else np.asarray(given, dtype=np.float64)


def _dense(block: Any) -> np.ndarray:
    return np.asarray(block.toarray() if sp.issparse(block) else block)


def _held(block: Any, row: int) -> bytes:
    """What a row holds, as bytes."""
    if not sp.issparse(block):
        return bytes(block[row].tobytes())
    used = slice(block.indptr[row], block.indptr[row + 1])
    return bytes(block.indices[used].tobytes() + b"|" + block.data[used].tobytes())


def _predicted(voter: Any, space: Any) -> np.ndarray:
    """The groups of new members; -1 for those without any count."""
    if not sp.issparse(space):
        return np.asarray(voter.predict(space))
    used = np.flatnonzero(space.sum(axis=1) > 0)
    found = np.full(space.shape[0], -1, dtype=np.int64)
    if len(used):
        found[used] = voter.predict(as_links(space[used]))
    return found


def _numbers(labels: np.ndarray, final: np.ndarray) -> np.ndarray:
    """How each group of a labeling is called in the final one; -1 where it is nobody's."""
    aligned = align_labels(labels, final)
    numbers = np.full(int(labels.max(initial=-1)) + 1, -1, dtype=np.int64)
    numbers[labels[labels >= 0]] = aligned[labels >= 0]
    return np.where(numbers < int(final.max(initial=-1)) + 1, numbers, -1)

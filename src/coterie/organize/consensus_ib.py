"""ConsensusIB: texts, or other rows of counts, grouped by the consensus of many runs of the sequential information bottleneck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.core.links import Links
from coterie.core.params import param
from coterie.core.partition import numbered
from coterie.core.random import content_keys, content_order, seed_of, stream
from coterie.core.workplace import steady
from coterie.organize.role import Counted, neighbors, side_by_side
from coterie.organize.space_votes import (
    Directions,
    Multinomials,
    center,
    check_spaces,
    hold_anything,
    order_with,
    place,
    settle,
)
from coterie.parts import term_weights as weighting
from coterie.parts.moves import Clusters, Counts, Rows, dealt, phi
from coterie.parts.spectra import kmeans, truncated_svd
from coterie.parts.voting import agreements
from coterie.parts.workers import in_order

CANDIDATES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 25, 30, 40)
_BEYOND = 1.25  # from one candidate to the next, above those
_MANY = 2**31  # occurrences; larger sums are taken for weights
_QUARTERS = 4  # weights are whole numbers of quarters, so that the exact tables of logarithms serve
_FINEST = 40  # groups that every run begins with, or more where more are looked at
_ROOM = 1.3  # times as many groups as are looked at, at least
_FIRST = 5  # sweeps over the finest groups
_BETWEEN = 2  # sweeps after unions
_SHORT = 12  # counts of a member, on average, up to which it is placed by its counts and further rows together
_SWEEPS = 15  # sweeps at most from the consensus
_STILL = 0.005  # share of the members below which a sweep that moves them is the last
_REFERENCE = 20  # groups whose information in shuffled counts steadies the score at few groups
_EQUAL = (
    0.01  # of the score: of candidates within it of the best, the one with most groups is taken
)
_NEARLY = 0.15  # of the score: fewer or more groups within it of the best are further levels
_APART = 1.6  # times as many groups on the next level at least
_DIRECTIONS = 50  # of latent semantic analysis
_PER_GROUP = 6  # members a group has at least, on average, where the number is chosen
_FORMS = ("damped", "plain", "presence")
_KMEANS = 3
_NULLS = 2  # runs on shuffled counts
_ALIGNED = 20  # rounds in which a consensus and its runs are matched


def candidates_up_to(most: int) -> tuple[int, ...]:
    """Numbers of groups to look at, none above `most`: all small ones, then some.

    >>> candidates_up_to(12), candidates_up_to(70)[-3:]
    ((2, 3, 4, 5, 6, 7, 8, 10, 12), (40, 50, 62))
    """
    found = [k for k in CANDIDATES if k <= most]
    while found[-1] * _BEYOND <= most and found[-1] >= CANDIDATES[-1]:
        found.append(int(found[-1] * _BEYOND))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Forms:
    """The same counts in every form that a run takes, and as rows for k-means."""

    rows: dict[str, Rows]
    latent: np.ndarray
    damped: Any = None  # the damped counts, where there are further spaces
    spaces: tuple[np.ndarray, ...] = ()  # further rows of the same members, of length one
    is_short: bool = False  # whether members have few counts

    def __len__(self) -> int:
        return len(self.latent)


@dataclass(frozen=True, eq=False)
class _Run:
    """One run from many groups to few: the labels of the members at every number, and the information they keep."""

    labels: dict[int, np.ndarray]
    informations: dict[int, float]


@dataclass(frozen=True, eq=False)
class _Level:
    """The members in k groups, and what speaks for that number."""

    labels: np.ndarray
    runs: tuple[np.ndarray, ...]  # of the sequential information bottleneck, and of k-means
    information: float
    shuffled: float
    agreement: float
    halves: float  # of the groups of two halves of the members
    beside: float = 0.0  # agreement with the runs in further spaces


class ConsensusIB(Counted):
    """Counts grouped by the consensus of many runs of the sequential information bottleneck.

    Every run of the sequential information bottleneck ends in a local maximum of the information that the groups keep of the
    columns (Slonim, Friedman and Tishby 2002), and different weights of a count err differently. So a run begins with many more
    groups than are wanted, makes the unions that lose least information (Slonim and Tishby 1999) and moves members between the
    groups that are left, down to the fewest; runs are made on damped counts (1 + ln c), on counts as they are and on presence.
    k-means is run on the rows of latent semantic analysis. k-means of the labels of all runs side by side is the consensus, from
    which members are moved once more by the damped counts. Rows are read in an order of their content, so that permuting them
    changes nothing.

    Without `n_groups`, the number k is the one of `candidates` whose score is highest: the score is M(k) / max M plus the
    mean adjusted Rand index of the consensus with its runs, where M(k) = (I - I0) / (I0(k) + I0(20)) is the information of the groups beyond that on counts whose columns were shuffled over the rows, relative
    to the latter; of scores within 0.01 of the best the one with most groups counts. Fewer and more groups whose score is nearly as high are levels above and below, all of them one tree.

    Learned: `profiles_` (columns x groups, the damped counts of each group), `agreement_` (how well the runs agree with the
    groups), `halves_` (how well groups found in two halves of the members agree), `excess_` (information beyond that of shuffled
    counts, over the entropy of the groups), `steadying_` (I0(20)), `candidates_`, and for each of them `scores_`, `agreements_`, `informations_`,
    `shuffled_informations_` and `path_` (the labels), and `levels_` (labels of nested groups, a row each from coarse to fine; the
    groups are one of them). Members without any count are in no group (-1). The confidence of a member is the share of runs that
    put it where the consensus does.
    """

    n_groups: int | None = param(None, "How many groups; None chooses among `candidates`.", ge=1)
    candidates: Sequence[int] = param(
        CANDIDATES, "Numbers of groups that are looked at when it is chosen.", advanced=True
    )
    n_init: int = param(
        4,
        "Runs of the sequential information bottleneck on damped counts; half as many on each other form.",
        ge=1,
    )
    n_beside: int = param(
        4, "Runs of k-means in each further space of the members.", ge=1, advanced=True
    )
    sample_size: int = param(
        20_000,
        "Members from which the number of groups and the consensus are found; more are placed and then moved.",
        ge=10,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of starts, orders and shuffles.")

    profiles_: np.ndarray
    agreement_: float
    halves_: float
    excess_: float
    candidates_: np.ndarray
    scores_: np.ndarray
    agreements_: np.ndarray
    informations_: np.ndarray
    shuffled_informations_: np.ndarray
    path_: np.ndarray
    levels_: np.ndarray
    directions_: tuple[Directions, ...]
    steadying_: float

    def fit(self, X: Any, y: Any = None, spaces: Sequence[np.ndarray] = ()) -> Self:
        """Find the groups, and how many where that is left open, and set `partition_`.

        `spaces` are further rows of the same members, such as vectors of their words. Runs of k-means on them vote too (rows of
        length one, their mean taken out), and sweeps from the consensus serve the score alone. Where members have up to 12 counts
        on average they go where their counts (multinomials) and these rows (von Mises-Fisher distributions) together are
        likeliest, until few move. The score of a number of groups is M(k) / max M plus the mean agreement with the runs on the
        counts, plus that with the runs in each space.
        """
        links: Links = self.check(X)
        self.columns_ = [(name, column) for name in neighbors(links) for column in links.ids[name]]
        counts = _canonical(side_by_side(links, self.columns_))
        n = len(links)
        beside, used = self._used(counts, spaces)
        self.check_counts(used)
        known = np.flatnonzero(used)
        seed = seed_of(self.random_state)
        ordered = known[_order(counts[known], [space[known] for space in beside], seed)]
        with steady():
            labels, confidence = self._group(
                counts[ordered], tuple(space[ordered] for space in beside), seed
            )
        everyone = np.full(n, -1, dtype=np.int64)
        everyone[ordered] = labels
        sure = np.zeros(n)
        sure[ordered] = confidence
        self.partition_, self.order_ = numbered(everyone, sure)
        self.partitions_ = {links.target: self.partition_}
        path = np.full((len(self.path_), n), -1, dtype=np.int32)
        path[:, ordered] = self.path_
        self.path_ = path
        levels = np.full((len(self.levels_), n), -1, dtype=np.int32)
        for at, nested in enumerate(self.levels_):
            of_all = np.full(n, -1, dtype=np.int64)
            of_all[ordered] = nested
            levels[at] = numbered(of_all)[0].labels
        self.levels_ = levels
        self.notes_ = self._notes(links, used)
        return self

    def predict(self, X: Any, spaces: Sequence[np.ndarray] = ()) -> np.ndarray:
        """The group that keeps most information of each new member; -1 for one without a count in the fitted columns.

        With the `spaces` that were fitted, the group in which counts and spaces together are likeliest.
        """
        check_is_fitted(self, "partition_")
        counts = _canonical(side_by_side(self.check(X, new=True), self.columns_))
        n = counts.shape[0]
        beside, held = self._used(counts, spaces)
        used = np.flatnonzero(held)
        found = np.full(n, -1, dtype=np.int64)
        with steady():
            if beside:
                fit = Multinomials(self.profiles_).log_likelihood(_damped(counts)[used])
            else:
                fit = self.fitting(counts[used])
            for space, directions in zip(beside, self.directions_ if beside else (), strict=True):
                fit += directions.log_likelihood(space[used])
            found[used] = fit[:, self.order_].argmax(axis=1)
        return found

    def regroup(self, X: Any, spaces: Sequence[np.ndarray] = ()) -> np.ndarray:
        """Other members grouped anew into as many groups, by one run on each form of their counts, and in each space.

        -1 for a member without a count that holds nothing in the spaces.
        """
        links: Links = self.check(X)
        columns = [(name, column) for name in neighbors(links) for column in links.ids[name]]
        counts = _canonical(side_by_side(links, columns))
        n = len(links)
        beside, held = self._used(counts, spaces)
        known = np.flatnonzero(held)
        found = np.full(n, -1, dtype=np.int64)
        seed = seed_of(self.random_state)
        known = known[_order(counts[known], [space[known] for space in beside], seed)]
        k = min(self.partition_.n_groups, len(known))
        with steady():
            forms = _forms_of(counts[known], tuple(space[known] for space in beside))
            runs = [
                _descend(forms.rows[form], [k], stream(seed, 2, at, 0))
                for at, form in enumerate(_FORMS)
            ]
            found[known] = _join(forms, k, runs, 1, seed).labels
        return found

    def _used(
        self, counts: Any, spaces: Sequence[np.ndarray]
    ) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """The further spaces, checked, and which members hold a count or anything in one of them."""
        held = np.diff(counts.indptr) > 0
        if not len(spaces):
            return (), held
        beside = check_spaces(spaces, counts.shape[0], type(self).__name__)
        return beside, held | hold_anything(beside, counts.shape[0])

    def fitting(self, counts: Any) -> np.ndarray:
        """What the information gains where each new row is put into each group, the groups as they are."""
        counts = _canonical(counts)
        rows = _rows_of(counts, "damped")
        sums = self.profiles_.sum(axis=0)
        lengths = np.bincount(
            np.repeat(np.arange(len(rows)), np.diff(rows.ptr)), rows.vals, minlength=len(rows)
        )
        gains = phi(sums)[None, :] - phi(sums[None, :] + lengths[:, None])
        cells = self.profiles_[rows.cols]
        owner = np.repeat(np.arange(len(rows)), np.diff(rows.ptr))
        np.add.at(gains, owner, phi(cells + rows.vals[:, None]) - phi(cells))
        return np.asarray(gains)

    def _group(
        self, counts: Any, spaces: tuple[np.ndarray, ...], seed: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The labels of rows in the order of their content, and how sure they are."""
        sampled = counts[: self.sample_size]
        forms = _forms_of(sampled, tuple(space[: self.sample_size] for space in spaces))
        levels = self._levels(forms, sampled, seed)
        k = self._choose(levels, forms)
        level = levels[k]
        few = len(forms)
        everyone = forms.rows["damped"] if few == counts.shape[0] else _rows_of(counts, "damped")
        damped = _damped(counts) if spaces else None
        labels = (
            self._place(everyone, level, few, k, seed)
            if damped is None
            else _place_by_all(damped, spaces, level.labels, k)
        )
        clusters = Clusters(everyone, labels, k)
        confidence = np.ones(len(labels))
        confidence[:few] = _votes(labels[:few], level.runs, k)
        if few < len(labels):
            confidence[few:] = _margins(clusters)[few:]
        self.profiles_ = clusters.table.astype(np.float64)
        self.objective_ = float(clusters.informations()[0])
        self.history_ = [("members", k, self.objective_)]
        self.agreement_ = (level.agreement + level.beside) / 2 if spaces else level.agreement
        self.excess_ = _excess(level)
        self.halves_ = level.halves
        self.directions_ = tuple(Directions.of(space, labels, k) for space in spaces)
        self.path_ = np.array(
            [
                self._path(levels[k], everyone, few)
                if damped is None
                else _place_by_all(damped, spaces, levels[k].labels, k)
                for k in self.candidates_
            ]
        )
        self.levels_ = self._nest(everyone, labels, k)
        return labels, confidence

    def at(self, k: int) -> np.ndarray:
        """The labels for another of the candidates, where the number was chosen."""
        check_is_fitted(self, "partition_")
        found = np.flatnonzero(self.candidates_ == k)
        if not len(found):
            known = ", ".join(map(str, self.candidates_.tolist())) or "none"
            raise DataError(
                f"ConsensusIB: {k} groups were not looked at; the candidates were {known}."
            )
        return numbered(self.path_[found[0]])[0].labels

    def _levels(self, forms: _Forms, counts: Any, seed: int) -> dict[int, _Level]:
        """The consensus and its evidence for the number that was asked for, or for every candidate."""
        n = len(forms)
        asked = [self.n_groups] if self.n_groups is not None else self._asked(n)
        if asked == [1]:
            everyone = np.zeros(n, dtype=np.int64)
            self.steadying_ = 0.0
            return {1: _Level(everyone, (), 0.0, 0.0, 1.0, 1.0)}
        tasks = [
            *((form, one) for form in _FORMS for one in range(self._runs(form))),
            *(("shuffled", one) for one in range(_NULLS)),
            *(("half", one) for one in range(2)),
        ]
        nulls = sorted({*asked, self._reference(n)})
        order = stream(seed, 8).permutation(n)
        halves = [np.sort(order[: n // 2]), np.sort(order[n // 2 :])]

        def work(task: tuple[str, int]) -> _Run:
            form, one = task
            if form == "half":
                return _run_half(forms, counts, halves[one], asked, stream(seed, 9))
            if form == "shuffled":
                shuffled = _rows_of(_shuffle(counts, stream(seed, 0)), "damped")
                return _descend(shuffled, nulls, stream(seed, 7, one))
            return _descend(forms.rows[form], asked, stream(seed, 2, _FORMS.index(form), one))

        found = dict(zip(tasks, in_order(work, tasks, "runs"), strict=True))
        runs = [found[task] for task in tasks if task[0] in _FORMS]
        shuffled = [found["shuffled", one] for one in range(_NULLS)]
        both = [found["half", one] for one in range(2)]
        self.steadying_ = max(run.informations[self._reference(n)] for run in shuffled)

        def agree(k: int) -> _Level:
            return _consensus(forms, k, runs, shuffled, both, self.n_beside, seed)

        return dict(zip(asked, in_order(agree, asked, "numbers of groups"), strict=True))

    def _asked(self, n: int) -> list[int]:
        """The candidates that so many members allow."""
        most = max(2, n // _PER_GROUP)
        return sorted({int(k) for k in self.candidates if 2 <= k <= most})

    def _reference(self, n: int) -> int:
        """The number of groups whose information in shuffled counts steadies the score, whatever the candidates are."""
        most = max(2, n // _PER_GROUP)
        return max(k for k in CANDIDATES if k <= min(_REFERENCE, most))

    def _runs(self, form: str) -> int:
        """How many runs are made on counts in this form."""
        return self.n_init if form == "damped" else max(1, self.n_init // 2)

    def _choose(self, levels: dict[int, _Level], forms: _Forms) -> int:
        """The number with the highest score, the largest of those as good; keeps the scores."""
        ks = np.array(sorted(levels))
        of = [levels[k] for k in ks]
        self.candidates_ = ks
        self.informations_ = np.array([level.information for level in of])
        self.shuffled_informations_ = np.array([level.shuffled for level in of])
        self.agreements_ = np.array([level.agreement for level in of])
        noise = self.shuffled_informations_ + self.steadying_
        beyond = self.informations_ - self.shuffled_informations_
        gain = np.divide(beyond, noise, out=np.zeros(len(ks)), where=noise > 0)
        top = gain.max()
        relative = gain / top if top > 0 else np.zeros(len(ks))
        self.scores_ = relative + self.agreements_
        if forms.spaces:
            self.scores_ = self.scores_ + np.array([level.beside for level in of])
        return int(ks[np.flatnonzero(self.scores_ >= self.scores_.max() - _EQUAL)[-1]])

    def _nest(self, everyone: Rows, labels: np.ndarray, k: int) -> np.ndarray:
        """The groups with those of fewer and of more groups that score nearly as well, as one tree."""
        near = self.candidates_[self.scores_ >= self.scores_.max() - _NEARLY]
        levels = [labels]
        if near[0] * _APART <= k:
            levels.insert(0, _unite_down(everyone, labels, k, int(near[0])))
        if near[-1] >= _APART * k:
            fine = self.path_[int(np.flatnonzero(self.candidates_ == near[-1])[0])]
            levels.append(_divide(everyone, labels, fine, k))
        return np.array(levels)

    def _place(self, everyone: Rows, level: _Level, sampled: int, k: int, seed: int) -> np.ndarray:
        """The labels of all members: those of the sample, and the others where they fit, moved until few move."""
        if len(everyone) == sampled:
            return level.labels
        labels = np.full(len(everyone), -1, dtype=np.int64)
        labels[:sampled] = level.labels
        begun = Clusters(everyone, labels, k)
        clusters = Clusters(everyone, begun.assign(), k)
        _settle(clusters, stream(seed, 3, k), _SWEEPS)
        return clusters.labels

    def _path(self, level: _Level, everyone: Rows, sampled: int) -> np.ndarray:
        """The labels of all members at one of the candidates; those outside the sample where they fit."""
        if sampled == len(everyone):
            return level.labels
        labels = np.full(len(everyone), -1, dtype=np.int64)
        labels[:sampled] = level.labels
        return Clusters(everyone, labels, int(level.labels.max()) + 1).assign()


def _order(counts: Any, spaces: Sequence[np.ndarray], seed: int) -> np.ndarray:
    """Positions in an order that depends on what members hold."""
    if not spaces:
        return content_order(counts, seed)
    return order_with(content_keys(counts, seed), spaces, seed)


def _place_by_all(
    damped: Any, spaces: Sequence[np.ndarray], sampled: np.ndarray, k: int
) -> np.ndarray:
    """The labels of all members, of which the first have some: the others where counts and spaces are likeliest."""
    few = len(sampled)
    if few == damped.shape[0]:
        return sampled
    return np.concatenate([sampled, place(damped, spaces, np.arange(few), sampled, k)[few:]])


def _canonical(counts: Any) -> Any:
    """The rows with their columns in order, each once, and no zeros."""
    rows = sp.csr_array(counts, dtype=np.float64)
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows


def _is_whole(counts: Any) -> bool:
    """Whether these are counts of occurrences: whole numbers, and not so many that they cannot be written out one by one."""
    return bool(counts.data.sum() < _MANY and np.array_equal(counts.data, np.rint(counts.data)))


def _forms_of(counts: Any, spaces: tuple[np.ndarray, ...] = ()) -> _Forms:
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    factor = weighting.inverse_frequency(np.maximum(frequency, 1), counts.shape[0])
    weighed = weighting.unit_length(weighting.by_column(weighting.dampened(counts), factor))
    rank = max(1, min(_DIRECTIONS, min(weighed.shape) - 1))
    _, directions = truncated_svd(weighed, rank, "randomized", 0)
    latent = np.asarray(weighed @ directions.T)
    lengths = np.linalg.norm(latent, axis=1, keepdims=True)
    latent = np.divide(latent, lengths, out=np.zeros_like(latent), where=lengths > 0)
    rows = {form: _rows_of(counts, form) for form in _FORMS}
    is_short = bool(counts.sum() <= _SHORT * counts.shape[0])
    return _Forms(rows, latent, _damped(counts) if spaces else None, spaces, is_short)


def _damped(counts: Any) -> Any:
    """Damped counts in which one occurrence weighs one."""
    made = _formed(counts, "damped").astype(np.float64)
    made.data /= _QUARTERS if _is_whole(counts) else 1
    return made


def _rows_of(counts: Any, form: str) -> Rows:
    """The counts in one form, as the kernels of moves take them."""
    return Rows.of([Counts.of(_formed(counts, form))], [None], [counts.shape[1]], [1.0])


def _formed(counts: Any, form: str) -> Any:
    """Counts damped to 1 + ln c in quarters, as they are, or 1 where there is any; weights are damped by their roots."""
    made = counts.copy()
    if form == "presence":
        made.data = np.ones(len(counts.data), dtype=np.int64)
    elif not _is_whole(counts):
        made.data = np.sqrt(counts.data) if form == "damped" else counts.data
    elif form == "damped":
        made.data = np.rint(_QUARTERS * (1.0 + np.log(counts.data))).astype(np.int64)
    else:
        made.data = counts.data.astype(np.int64)
    return made


def _shuffle(counts: Any, generator: np.random.Generator) -> Any:
    """The same occurrences, their columns shuffled over the rows; of whole counts the totals of rows and columns stay."""
    times = counts.data.astype(np.int64) if _is_whole(counts) else np.ones(counts.nnz, dtype=int)
    values = np.repeat(counts.data / times, times)
    rows = np.repeat(np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)), times)
    columns = generator.permutation(np.repeat(counts.indices, times))
    found = sp.csr_array((values, (rows, columns)), shape=counts.shape)
    found.sum_duplicates()
    return found


def _settle(clusters: Clusters, generator: np.random.Generator, most: int) -> None:
    """Sweeps until few members move, or so many were made."""
    for _ in range(most):
        if clusters.sweep(generator) <= _STILL * len(clusters.labels):
            return


def _ladder(asked: Sequence[int], n: int) -> list[int]:
    """The numbers of groups that a run passes, falling: from many down to the least that is asked for."""
    most = max(asked)
    room = max(most, n // _PER_GROUP)
    top = min(room, max(_FINEST, int(_ROOM * most)))
    between = {k for k in candidates_up_to(max(top, 2)) if k >= min(asked)}
    return sorted(between | set(asked) | {top}, reverse=True)


def _descend(rows: Rows, asked: Sequence[int], generator: np.random.Generator) -> _Run:
    """One run from a random start in many groups: swept, the cheapest unions made, swept again, down to the fewest."""
    labels: dict[int, np.ndarray] = {}
    informations: dict[int, float] = {}
    ladder = _ladder(asked, len(rows))
    clusters = Clusters(rows, dealt(len(rows), ladder[0], generator), ladder[0])
    for k in ladder:
        while clusters.k > k:
            clusters.unite()
        _settle(clusters, generator, _FIRST if k == ladder[0] else _BETWEEN)
        if k in asked:
            labels[k] = clusters.labels.copy()
            informations[k] = float(clusters.informations()[0])
    return _Run(labels, informations)


def _run_half(
    forms: _Forms,
    counts: Any,
    half: np.ndarray,
    asked: Sequence[int],
    generator: np.random.Generator,
) -> _Run:
    """A run on a half of the members that places the others where they fit; by further spaces too where there are some."""
    allowed = sorted({min(k, len(half)) for k in asked})
    found = _descend(_rows_of(counts[half], "damped"), allowed, generator)
    placed = {}
    for k in asked:
        few = min(k, len(half))
        if forms.spaces:
            beside = [
                kmeans(center(space[half]), few, n_restarts=2, random_state=generator).labels
                for space in forms.spaces
            ]
            both = consensus_of([found.labels[few], *beside], found.labels[few], few)
            placed[k] = place(forms.damped, forms.spaces, half, both, k)
            continue
        labels = np.full(len(forms), -1, dtype=np.int64)
        labels[half] = found.labels[few]
        placed[k] = Clusters(forms.rows["damped"], labels, k).assign()
    return _Run(placed, found.informations)


@dataclass(frozen=True, eq=False)
class _Joint:
    """The consensus of all runs: the groups, those swept until few members move, and the labelings it is made of."""

    labels: np.ndarray
    swept: Clusters
    labelings: tuple[np.ndarray, ...]
    beside: tuple[np.ndarray, ...]  # those of further spaces


def _consensus(
    forms: _Forms,
    k: int,
    runs: Sequence[_Run],
    shuffled: Sequence[_Run],
    halves: Sequence[_Run],
    n_beside: int,
    seed: int,
) -> _Level:
    """The members in k groups by the consensus of all runs, and its evidence."""
    joint = _join(forms, k, runs, n_beside, seed)
    found = [run.labels[k] for run in runs]
    return _Level(
        joint.labels,
        joint.labelings,
        float(joint.swept.informations()[0]),
        max(run.informations[k] for run in shuffled),
        _mean_agreement(joint.swept.labels, found),
        float(agreements([half.labels[k] for half in halves])[0, 1]),
        _mean_agreement(joint.swept.labels, joint.beside),
    )


def _join(forms: _Forms, k: int, runs: Sequence[_Run], n_beside: int, seed: int) -> _Joint:
    """The consensus of all runs, from which members are moved: by their counts, or with spaces those of few counts by all.

    With further spaces the sweeps by counts serve the evidence alone.
    """
    found = [run.labels[k] for run in runs]
    latent = [
        kmeans(forms.latent, k, n_restarts=1, random_state=stream(seed, 4, k, one)).labels
        for one in range(_KMEANS)
    ]
    beside = [
        kmeans(space, k, n_restarts=1, random_state=stream(seed, 10, k, at, one)).labels
        for at, space in enumerate(map(center, forms.spaces))
        for one in range(n_beside)
    ]
    several = [*found, *beside]
    central = int(agreements(several).sum(axis=1).argmax())
    labels = consensus_of([*found, *latent, *beside], several[central], k)
    by_all = bool(beside) and forms.is_short
    if by_all:
        labels = settle(forms.damped, forms.spaces, labels, k)
    clusters = Clusters(forms.rows["damped"], labels.copy(), k)
    if not by_all:
        _settle(clusters, stream(seed, 6, k), _SWEEPS)
    final = labels if beside else clusters.labels
    return _Joint(final, clusters, (*found, *latent, *beside), tuple(beside))


def _mean_agreement(labels: np.ndarray, runs: Sequence[np.ndarray]) -> float:
    """The mean adjusted Rand index of some groups with those of runs; 0 where there are none."""
    return float(agreements([labels, *runs])[0, 1:].mean()) if runs else 0.0


def consensus_of(labelings: Sequence[np.ndarray], start: np.ndarray, k: int) -> np.ndarray:
    """k-means of the labels of many runs side by side, one indicator column for every group of every run, from a start.

    >>> one, other = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 0, 0, 0, 0])
    >>> consensus_of([one, one, other], other, 2).tolist()
    [1, 1, 1, 0, 0, 0]
    """
    beside = sp.hstack([_indicators(labels, int(labels.max()) + 1) for labels in labelings]).tocsr()
    current = np.asarray(start, dtype=np.int64)
    for _ in range(_ALIGNED):
        sizes = np.maximum(np.bincount(current, minlength=k), 1)
        means = (_indicators(current, k).T @ beside).toarray() / sizes[:, None]
        nearest = (2 * (beside @ means.T) - (means**2).sum(axis=1)).argmax(axis=1)
        if np.array_equal(nearest, current):
            break
        current = nearest
    return current


def _indicators(labels: np.ndarray, k: int) -> Any:
    """A column for every group, 1 where a member is in it."""
    n = len(labels)
    return sp.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, k))


def _unite_down(rows: Rows, labels: np.ndarray, k: int, fewer: int) -> np.ndarray:
    """The groups united, the pair first that loses least information, until so few are left."""
    clusters = Clusters(rows, labels, k)
    while clusters.k > fewer:
        clusters.unite()
    return clusters.labels


def _divide(rows: Rows, labels: np.ndarray, fine: np.ndarray, k: int) -> np.ndarray:
    """Finer groups, each inside the group that most of its members are in; members of another one join the best inside theirs."""
    width = int(fine.max()) + 1
    both = np.zeros((width, k), dtype=np.int64)
    np.add.at(both, (fine, labels), 1)
    parents = both.argmax(axis=1)
    alone = np.flatnonzero((both.sum(axis=0) > 0) & ~np.isin(np.arange(k), parents))
    parents = np.concatenate([parents, alone])
    divided = fine.astype(np.int64)
    for at, group in enumerate(alone, width):
        divided[labels == group] = at
    strange = parents[divided] != labels
    divided[strange] = -1
    gains = Clusters(rows, divided, len(parents)).gains()[strange]
    gains[parents[None, :] != labels[strange][:, None]] = -np.inf
    divided[strange] = gains.argmax(axis=1)
    return divided


def _votes(labels: np.ndarray, runs: Sequence[np.ndarray], k: int) -> np.ndarray:
    """The share of runs that put each member where the consensus does, groups matched one to one."""
    from scipy.optimize import linear_sum_assignment

    if not runs:
        return np.ones(len(labels))
    votes = np.zeros(len(labels))
    for run in runs:
        both = np.zeros((k, k))
        np.add.at(both, (run, labels), 1)
        rows, columns = linear_sum_assignment(-both)
        match = np.full(k, -1)
        match[rows] = columns
        votes += match[run] == labels
    return votes / len(runs)


def _margins(clusters: Clusters) -> np.ndarray:
    """How much better its own group keeps each member than the next one, from 0 to 1."""
    gains = clusters.gains()
    if gains.shape[1] < 2:
        return np.ones(len(gains))
    two = np.partition(gains, -2, axis=1)[:, -2:]
    low = gains.min(axis=1)
    spread = np.maximum(two[:, 1] - low, 1e-300)
    return np.clip((two[:, 1] - two[:, 0]) / spread, 0.0, 1.0)


def _excess(level: _Level) -> float:
    """Information beyond that of shuffled counts, over the entropy of the groups."""
    shares = np.bincount(level.labels) / len(level.labels)
    shares = shares[shares > 0]
    entropy = float(-(shares * np.log(shares)).sum())
    return (level.information - level.shuffled) / entropy if entropy > 0 else 0.0

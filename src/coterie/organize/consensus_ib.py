"""ConsensusIB: texts, or other rows of counts, grouped by the consensus of many runs of the sequential information bottleneck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.core.links import Links
from coterie.core.params import param
from coterie.core.random import seed_of, stream
from coterie.core.workplace import steady
from coterie.organize.counted import Counted, neighbors, side_by_side
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
from coterie.parts.content import content_keys
from coterie.parts.contingency import Counts, phi
from coterie.parts.groups import numbered
from coterie.parts.moves import Clusters, Rows, dealt
from coterie.parts.spectra import kmeans
from coterie.parts.svd import truncated_svd
from coterie.parts.workers import in_order

CANDIDATES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 25, 30, 40)
_BEYOND = 1.25  # from one candidate to the next, above those
_MANY = 2**31  # occurrences; larger sums are taken for weights
_QUARTERS = 4  # weights are whole numbers of quarters, so that the exact tables of logarithms serve
_SHORT = 12  # counts of a member, on average, up to which it is placed by its counts and further rows together
_SWEEPS = 15
_STILL = 0.005  # share of the members below which a sweep that moves them is the last
_REFERENCE = 10  # groups whose information in shuffled counts steadies the score at few groups
_AGREEMENT = 0.5  # weight of the agreement of the runs in the score
_NEIGHBOR = 0.15  # weight of the scores of the numbers on either side
_DIRECTIONS = 50  # of latent semantic analysis
_PER_GROUP = 6  # members a group has at least, on average, where the number is chosen
_FORMS = ("damped", "plain", "presence")
_SEARCH = {"damped": 4, "plain": 2, "presence": 2}  # runs while the number of groups is looked for
_SEARCH_KMEANS = 3
_KMEANS = 4


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
class _Level:
    """The members in k groups, and what speaks for that number."""

    labels: np.ndarray
    runs: tuple[np.ndarray, ...]  # of the sequential information bottleneck
    information: float
    shuffled: float
    agreement: float
    beside: float = 0.0  # agreement with the runs in further spaces


class ConsensusIB(Counted):
    """Counts grouped by the consensus of many runs of the sequential information bottleneck.

    Every run of the sequential information bottleneck ends in a local maximum of the information that the groups keep of the
    columns (Slonim, Friedman and Tishby 2002), and different weights of a count err differently. So runs are made on damped
    counts (1 + ln c), on counts as they are and on presence, and k-means is run on the rows of latent semantic analysis; k-means
    of their labels side by side is the consensus, and one more run on the damped counts starts from there. Rows are read in
    an order of their content, so that permuting them changes nothing.

    Without `n_groups`, the number k is the one of `candidates` whose score is highest: the score is M(k) / max M plus half the
    mean adjusted Rand index of the consensus with its runs, slightly smoothed over neighboring numbers, where M(k) = (I - I0) /
    (I0(k) + I0(10)) is the information of the groups beyond that on counts whose columns were shuffled over the rows, relative
    to the latter.

    Learned: `profiles_` (columns x groups, the damped counts of each group), `agreement_` (how well the runs agree with the
    groups), `halves_` (how well groups found in two halves of the members agree), `excess_` (information beyond that of shuffled
    counts, over the entropy of the groups), `candidates_`, and for each of them `scores_`, `agreements_`, `informations_`,
    `shuffled_informations_` and `path_` (the labels). Members without any count are in no group (-1). The confidence of a
    member is the share of runs that put it where the consensus does.
    """

    n_groups: int | None = param(None, "How many groups; None chooses among `candidates`.", ge=1)
    candidates: Sequence[int] = param(
        CANDIDATES, "Numbers of groups that are looked at when it is chosen.", advanced=True
    )
    n_init: int = param(
        4, "Runs of the sequential information bottleneck on each form of the counts.", ge=1
    )
    n_beside: int = param(
        4, "Runs of k-means in each further space of the members.", ge=1, advanced=True
    )
    sample_size: int = param(
        5000,
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
    directions_: tuple[Directions, ...]

    def fit(self, X: Any, y: Any = None, spaces: Sequence[np.ndarray] = ()) -> Self:
        """Find the groups, and how many where that is left open, and set `partition_`.

        `spaces` are further rows of the same members, such as vectors of their words. Runs of k-means on them vote too (rows of
        length one, their mean taken out), and the last run serves the score alone. Where members have up to 12 counts on average
        they go where their counts (multinomials) and these rows (von Mises-Fisher distributions) together are likeliest,
        until few move. The score of a number of groups is M(k) / max M plus the mean agreement with the runs on the
        counts, plus that with the runs in each space.
        """
        links: Links = self.check(X)
        self.columns_ = [(name, column) for name in neighbors(links) for column in links.ids[name]]
        counts = _canonical(side_by_side(links, self.columns_))
        n = len(links)
        beside = check_spaces(spaces, n, type(self).__name__)
        used = (np.diff(counts.indptr) > 0) | hold_anything(beside, n)
        self.check_counts(used)
        known = np.flatnonzero(used)
        seed = seed_of(self.random_state)
        keys = content_keys(counts[known], seed)
        ordered = known[order_with(keys, [space[known] for space in beside], seed)]
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
        self.notes_ = self._notes(links, used)
        return self

    def predict(self, X: Any, spaces: Sequence[np.ndarray] = ()) -> np.ndarray:
        """The group that keeps most information of each new member; -1 for one without a count in the fitted columns.

        With the `spaces` that were fitted, the group in which counts and spaces together are likeliest.
        """
        check_is_fitted(self, "partition_")
        counts = _canonical(side_by_side(self.check(X, new=True), self.columns_))
        n = counts.shape[0]
        beside = check_spaces(spaces, n, type(self).__name__)
        found = np.full(n, -1, dtype=np.int64)
        used = np.flatnonzero((np.diff(counts.indptr) > 0) | hold_anything(beside, n))
        with steady():
            if beside:
                fit = Multinomials(self.profiles_).log_likelihood(_damped(counts)[used])
            else:
                fit = self.fitting(counts[used])
            for space, directions in zip(beside, self.directions_ if beside else (), strict=True):
                fit += directions.log_likelihood(space[used])
            found[used] = fit[:, self.order_].argmax(axis=1)
        return found

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
        levels, steadying = self._levels(forms, sampled, seed)
        k = self._choose(levels, steadying, forms)
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
        self.agreement_ = level.agreement
        if spaces:
            self.agreement_ = (level.agreement + level.beside) / 2
        self.excess_ = _excess(level)
        self.halves_ = _halves(forms, sampled, k, seed) if k > 1 else 1.0
        self.directions_ = tuple(Directions.of(space, labels, k) for space in spaces)
        self.path_ = np.array(
            [
                self._path(levels[k], everyone, few)
                if damped is None
                else _place_by_all(damped, spaces, levels[k].labels, k)
                for k in self.candidates_
            ]
        )
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

    def _levels(self, forms: _Forms, counts: Any, seed: int) -> tuple[dict[int, _Level], float]:
        """The consensus and its evidence for the number that was asked for, or for every candidate."""
        n = len(forms)
        if self.n_groups is not None:
            runs = dict.fromkeys(_FORMS, self.n_init)
            asked = [self.n_groups]
            n_kmeans = _KMEANS
        else:
            runs = dict(_SEARCH)
            most = max(2, n // _PER_GROUP)
            asked = sorted({int(k) for k in self.candidates if 2 <= k <= most})
            n_kmeans = _SEARCH_KMEANS
        shuffled = _rows_of(_shuffle(counts, stream(seed, 0)), "damped")
        steadying = _run(shuffled, min(_REFERENCE, n), stream(seed, 1), 2)[1]

        def work(k: int) -> _Level:
            return _consensus(forms, shuffled, k, runs, (n_kmeans, self.n_beside), seed)

        found = list(in_order(work, asked, "numbers of groups" if len(asked) > 1 else ""))
        return dict(zip(asked, found, strict=True)), steadying

    def _choose(self, levels: dict[int, _Level], steadying: float, forms: _Forms) -> int:
        """The number with the highest score; keeps the scores."""
        ks = np.array(sorted(levels))
        of = [levels[k] for k in ks]
        self.candidates_ = ks
        self.informations_ = np.array([level.information for level in of])
        self.shuffled_informations_ = np.array([level.shuffled for level in of])
        self.agreements_ = np.array([level.agreement for level in of])
        gain = (self.informations_ - self.shuffled_informations_) / (
            self.shuffled_informations_ + steadying
        )
        top = gain.max()
        relative = gain / top if top > 0 else np.zeros(len(ks))
        agreements = _AGREEMENT * self.agreements_
        if forms.spaces:
            agreements = self.agreements_ + np.array([level.beside for level in of])
        self.scores_ = _smooth(relative + agreements)
        return int(ks[self.scores_.argmax()])

    def _place(self, everyone: Rows, level: _Level, sampled: int, k: int, seed: int) -> np.ndarray:
        """The labels of all members: those of the sample, and the others where they fit, moved until few move."""
        if len(everyone) == sampled:
            return level.labels
        labels = np.full(len(everyone), -1, dtype=np.int64)
        labels[:sampled] = level.labels
        begun = Clusters(everyone, labels, k)
        clusters = Clusters(everyone, begun.assign(), k)
        _settle(clusters, stream(seed, 3, k))
        return clusters.labels

    def _path(self, level: _Level, everyone: Rows, sampled: int) -> np.ndarray:
        """The labels of all members at one of the candidates; those outside the sample where they fit."""
        if sampled == len(everyone):
            return level.labels
        labels = np.full(len(everyone), -1, dtype=np.int64)
        labels[:sampled] = level.labels
        return Clusters(everyone, labels, int(level.labels.max()) + 1).assign()


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


def _settle(clusters: Clusters, generator: np.random.Generator) -> None:
    """Sweeps until few members move."""
    for _ in range(_SWEEPS):
        if clusters.sweep(generator) <= _STILL * len(clusters.labels):
            return


def _run(
    rows: Rows, k: int, generator: np.random.Generator, starts: int
) -> tuple[np.ndarray, float]:
    """The best of a few runs from random starts: labels, and the information they keep."""
    found = []
    for _ in range(starts):
        clusters = Clusters(rows, dealt(len(rows), k, generator), k)
        _settle(clusters, generator)
        found.append((clusters.labels, float(clusters.informations()[0])))
    return max(found, key=lambda one: one[1])


def _consensus(
    forms: _Forms,
    shuffled: Rows,
    k: int,
    runs: dict[str, int],
    n_kmeans: tuple[int, int],
    seed: int,
) -> _Level:
    """The members in k groups by the consensus of all runs, one more run from there, and its evidence.

    `n_kmeans` are the runs of k-means on the counts and in each further space; with such spaces
    members of few counts settle by all of them, and the last run serves the evidence alone.
    """
    if k == 1:
        return _Level(np.zeros(len(forms), dtype=np.int64), (), 0.0, 0.0, 1.0)
    found = []
    for at, form in enumerate(_FORMS):
        for one in range(runs[form]):
            generator = stream(seed, 2, k, at, one)
            found.append(_run(forms.rows[form], k, generator, 1)[0])
    latent = [
        kmeans(forms.latent, k, n_restarts=1, random_state=stream(seed, 4, k, one)).labels
        for one in range(n_kmeans[0])
    ]
    beside = _runs_beside(forms.spaces, k, n_kmeans[1], seed)
    labels = consensus_of([*found, *latent, *beside], k, stream(seed, 5, k))
    if beside and forms.is_short:
        labels = settle(forms.damped, forms.spaces, labels, k)
    clusters = Clusters(forms.rows["damped"], labels.copy(), k)
    if not (beside and forms.is_short):
        _settle(clusters, stream(seed, 6, k))
    agreement = float(np.mean([adjusted_rand_score(clusters.labels, one) for one in found]))
    return _Level(
        labels if beside else clusters.labels,
        (*found, *latent, *beside),
        float(clusters.informations()[0]),
        _run(shuffled, k, stream(seed, 7, k), 2)[1],
        agreement,
        _agreement_with(beside, clusters.labels),
    )


def _runs_beside(spaces: Sequence[np.ndarray], k: int, times: int, seed: int) -> list[np.ndarray]:
    """The groups of runs of k-means in further spaces, centered."""
    centered = [center(space) for space in spaces]
    return [
        kmeans(space, k, n_restarts=1, random_state=stream(seed, 9, k, at, one)).labels
        for at, space in enumerate(centered)
        for one in range(times)
    ]


def _agreement_with(runs: Sequence[np.ndarray], labels: np.ndarray) -> float:
    """The mean adjusted Rand index of some groups with those of runs; 0 where there are none."""
    return float(np.mean([adjusted_rand_score(labels, one) for one in runs])) if runs else 0.0


def consensus_of(
    labelings: Sequence[np.ndarray], k: int, generator: np.random.Generator
) -> np.ndarray:
    """k-means of the labels of many runs side by side, one indicator column for every group of every run."""
    columns = []
    for labels in labelings:
        _, codes = np.unique(labels, return_inverse=True)
        columns.append(np.eye(int(codes.max()) + 1)[codes])
    return kmeans(np.hstack(columns), k, n_restarts=3, random_state=generator).labels


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


def _smooth(values: np.ndarray) -> np.ndarray:
    """Each value with a part of its neighbors, over the weight that there is."""
    padded = np.concatenate([[0.0], values, [0.0]])
    there = np.concatenate([[0.0], np.ones(len(values)), [0.0]])
    total = padded[1:-1] + _NEIGHBOR * (padded[:-2] + padded[2:])
    return total / (there[1:-1] + _NEIGHBOR * (there[:-2] + there[2:]))


def _excess(level: _Level) -> float:
    """Information beyond that of shuffled counts, over the entropy of the groups."""
    shares = np.bincount(level.labels) / len(level.labels)
    shares = shares[shares > 0]
    entropy = float(-(shares * np.log(shares)).sum())
    return (level.information - level.shuffled) / entropy if entropy > 0 else 0.0


def _halves(forms: _Forms, counts: Any, k: int, seed: int) -> float:
    """The adjusted Rand index of the groups of all members by two halves, each of which finds groups and places the others.

    With further spaces each half finds them by the consensus of a run on the counts and one in each space, and places by all.
    """
    rows = forms.rows["damped"]
    generator = stream(seed, 8, k)
    shuffled = generator.permutation(len(rows))
    half = len(rows) // 2
    placed = []
    for part in (np.sort(shuffled[:half]), np.sort(shuffled[half:])):
        few = min(k, len(part))
        found = _run(_rows_of(counts[part], "damped"), few, generator, 2)[0]
        if forms.spaces:
            beside = [
                kmeans(center(space[part]), few, n_restarts=2, random_state=generator).labels
                for space in forms.spaces
            ]
            both = consensus_of([found, *beside], few, generator)
            placed.append(place(forms.damped, forms.spaces, part, both, k))
            continue
        labels = np.full(len(rows), -1, dtype=np.int64)
        labels[part] = found
        placed.append(Clusters(rows, labels, k).assign())
    return float(adjusted_rand_score(*placed))

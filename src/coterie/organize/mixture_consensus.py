"""MixtureConsensus: what k-means and two mixtures of t distributions agree on; the default way to group tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.partition import Partition, numbered
from coterie.core.random import content_order, seed_of, small_seed, stream
from coterie.core.table import Table
from coterie.core.workplace import stage, steady
from coterie.organize.role import Organizer
from coterie.parts.components import MixedComponents
from coterie.parts.spectra import kmeans, nearest_center
from coterie.parts.starts import Ward, fit_kmeans, make_starts, merged_starts, whitened
from coterie.parts.student import EM, Coding, Fitted, MixedRows, StudentComponents, bic
from coterie.parts.voting import align_labels, majority_vote, mean_agreement

CANDIDATES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 28)
CRITERIA = ("bic", "agreement", "stability")
_ROWS_PER_GROUP = 8  # a number of groups is looked at where there are so many rows for each
_WHOLE = 4000  # rows that are fitted; others are placed
_LOOKED_AT = 1000  # rows on which numbers of groups are compared
_CLIP = 3.0  # deviations
_SPLITS = 30  # pairs of halves
_ROUNDS = 25  # of EM while numbers of groups are compared
_SAMPLE_KEY, _CHOICE_KEY, _SPLIT_KEY = 0, 1, 2  # names of random streams


@dataclass(frozen=True, eq=False)
class ThreeModels:
    """k-means and two mixtures with one number of groups, and the numbers their groups have in the vote."""

    centers: np.ndarray
    tied: StudentComponents
    shrunk: StudentComponents
    renumbered: np.ndarray  # (3, k)
    leader: int | None = (
        None  # which of the three decides, where a vote would leave a group without members
    )

    @property
    def k(self) -> int:
        """How many groups each of them has."""
        return len(self.centers)

    def place(self, points: np.ndarray, rows: MixedRows) -> tuple[np.ndarray, np.ndarray]:
        """The group that most of the three give each row (the shrunk mixture's where all differ), and how sure they are."""
        shares = np.zeros((3, len(rows), self.k))
        apart = -2.0 * points @ self.centers.T + np.square(self.centers).sum(axis=1)
        shares[0, np.arange(len(rows)), apart.argmin(axis=1)] = 1.0
        shares[1] = self.tied.responsibilities(rows)[0]
        shares[2] = self.shrunk.responsibilities(rows)[0]
        votes = np.zeros((len(rows), self.k))
        mean = np.zeros((len(rows), self.k))
        for at, weight in enumerate((1.0, 1.0, 1.0 + 1e-9)):
            own = self.renumbered[at][shares[at].argmax(axis=1)]
            votes[np.arange(len(rows)), own] += weight
            mean[:, self.renumbered[at]] += shares[at] / 3
        if self.leader is not None:
            votes = np.zeros_like(votes)
            votes[:, self.renumbered[self.leader]] = shares[self.leader]
        labels = votes.argmax(axis=1)
        return labels, mean[np.arange(len(rows)), labels]


@dataclass(frozen=True, eq=False)
class Grouping:
    """The three models at one number of groups on the rows they were fitted on."""

    models: ThreeModels
    labelings: list[np.ndarray]  # by each of them
    bic: float  # of the tied mixture

    @classmethod
    def of(
        cls,
        points: np.ndarray,
        rows: MixedRows,
        starts: Sequence[np.ndarray],
        k: int,
        *,
        df: float,
        max_iter: int = 100,
    ) -> Grouping:
        """Fit all three; the first of the starts is the k-means that votes."""
        tied = EM(df, "tied", max_iter=max_iter).best(rows, starts, k)
        shrunk = EM(df, "shrunk", max_iter=max_iter).best(rows, starts, k)
        labelings = [starts[0], _labels(tied), _labels(shrunk)]
        vote = majority_vote(labelings, labelings[2]).labels
        centers = np.stack([_mean(points[starts[0] == g], points) for g in range(k)])
        renumbered = np.stack([_numbers(labels, vote, k) for labels in labelings])
        counts = [len(np.unique(labels)) for labels in (*labelings, vote)]
        leader = None if counts[3] == max(counts) else int(np.argmax(counts[:3]))
        return cls(
            ThreeModels(centers, tied.components, shrunk.components, renumbered, leader),
            labelings,
            bic(tied, rows.sizes, "tied"),
        )


class MixtureConsensus(Organizer):
    """What k-means and two mixtures of t distributions (tied and shrunk covariances) agree on, on the scaled table.

    The columns are brought to a few principal components (`ScaledPCA`), categories beside; the three groupings are aligned
    and vote. With `n_groups=None` several numbers of groups are compared by the sum of three ranks: by the BIC of the tied
    mixture, by how far the three and Ward's tree agree, and by how far k-means on one half of the rows agrees with k-means on
    the other. They are compared on at most 1,000 rows, the groups are fitted on at most 4,000, and all others are placed. The
    order of the rows does not matter. Learned: `partition_`, `candidates_` (numbers of groups looked at), `scores_` (bic,
    agreement, stability and rank_sum at each; higher is better but for bic), `agreement_` (of the three at the number taken),
    `groupings_` (labels by number of groups).
    """

    takes: ClassVar[type] = Table
    gaps: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    least: ClassVar[int] = 2

    n_groups: int | None = param(None, "How many groups; None chooses among the candidates.", ge=1)
    candidates: tuple[int, ...] = param(
        CANDIDATES, "Numbers of groups that are compared where n_groups is None."
    )
    df: float = param(4.0, "Degrees of freedom of the mixtures.", gt=0, advanced=True)
    scale: bool = param(
        True, "Whether the table is scaled and reduced first; False takes its columns as they are."
    )
    random_state: int | None = param(None, "Seed of samples, halves and starts.")

    scaling_: MixedComponents | None
    coding_: Coding
    candidates_: list[int]
    scores_: dict[str, np.ndarray]
    agreement_: float
    models_: ThreeModels
    order_: np.ndarray
    groupings_: dict[int, np.ndarray]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Scale the table, choose the number of groups where none is given, and group the rows."""
        table = self.check(X)
        self.check_groups(self.n_groups, len(table))
        seed = seed_of(self.random_state)
        order = content_order(table.values)
        back = np.argsort(order, kind="stable")
        table = table.take(order)
        with stage("MixtureConsensus"), steady():
            self.scaling_ = None
            if self.scale:
                self.scaling_ = MixedComponents.of(
                    table, n_components=None, clip=_CLIP, straighten=True
                )
            prepared = self._prepared(table)
            self.coding_ = Coding.of(prepared, "MixtureConsensus")
            rows = self.coding_.rows(prepared, "MixtureConsensus")
            points = self.coding_.points(rows)
            if not points.shape[1]:
                raise DataError(
                    "MixtureConsensus: every column holds a single value, so nothing tells the rows apart."
                )
            self.candidates_ = self._candidates(len(rows))
            self.scores_ = {}
            self.groupings_ = {}
            k = self.n_groups
            if k is None:
                k = self._choose(points, rows, seed, back)
            some = _draw(len(rows), _WHOLE, seed, _SAMPLE_KEY)
            starts = make_starts(points[some], k, seed=seed)
            starts += merged_starts(points[some], k, seed=seed)
            found = Grouping.of(points[some], rows.take(some), starts, k, df=self.df)
            labels, sure = found.models.place(points, rows)
        ranked, self.order_ = numbered(labels[back])
        self.models_ = found.models
        self.agreement_ = mean_agreement(found.labelings)
        self.partition_ = Partition(ranked.labels, (), sure[back])
        self.groupings_[k] = self.partition_.labels
        return self

    def at(self, k: int) -> np.ndarray:
        """The groups of all members at one of the numbers that were looked at."""
        check_is_fitted(self, "partition_")
        if k not in self.groupings_:
            known = ", ".join(map(str, sorted(self.groupings_)))
            raise ParameterError(
                f"MixtureConsensus: k must be one of {known}, and was {k}.", parameter="k"
            )
        return self.groupings_[k]

    def predict(self, X: Any) -> np.ndarray:
        """The group that most of the three models give new members."""
        check_is_fitted(self, "partition_")
        prepared = self._prepared(self.check(X, new=True))
        rows = self.coding_.rows(prepared, "MixtureConsensus")
        with steady():
            labels, _ = self.models_.place(self.coding_.points(rows), rows)
        number = np.zeros(self.models_.k, dtype=np.int64)
        number[self.order_] = np.arange(len(self.order_))
        return number[labels]

    def _prepared(self, table: Table) -> Table:
        if self.scaling_ is None:
            return table
        return self.scaling_.table(table, "MixtureConsensus")

    def _candidates(self, n: int) -> list[int]:
        """The numbers of groups to compare: those given that leave enough rows for each."""
        if self.n_groups is not None:
            return [self.n_groups]
        asked = sorted({int(k) for k in self.candidates})
        if not asked or asked[0] < 1:
            raise ParameterError(
                "MixtureConsensus: candidates must be whole numbers from 1.", parameter="candidates"
            )
        some = [k for k in asked if k <= n // _ROWS_PER_GROUP]
        return some or [min(asked[0], n)]

    def _choose(self, points: np.ndarray, rows: MixedRows, seed: int, back: np.ndarray) -> int:
        """Score every candidate on a sample of the rows, keep the groups of all rows at each, and take the best."""
        some = _draw(len(rows), _LOOKED_AT, seed, _CHOICE_KEY)
        own, few = points[some], rows.take(some)
        white = whitened(own)
        tree = Ward(own)
        found: dict[str, list[float]] = {name: [] for name in CRITERIA}
        for k in self.candidates_:
            starts = [fit_kmeans(own, k, n_init=6, seed=seed).labels_.astype(np.int64), tree(k)]
            if white.shape[1]:
                starts.append(fit_kmeans(white, k, n_init=4, seed=seed).labels_.astype(np.int64))
            grouping = Grouping.of(own, few, starts, k, df=self.df, max_iter=_ROUNDS)
            found["bic"].append(grouping.bic)
            found["agreement"].append(mean_agreement([*grouping.labelings, starts[1]]))
            found["stability"].append(split_stability(own, k, seed))
            labels, _ = grouping.models.place(points, rows)
            self.groupings_[k] = numbered(labels)[0].labels[back]
        self.scores_ = {name: np.array(values) for name, values in found.items()}
        self.scores_["rank_sum"] = rank_sum(self.scores_)
        return self.candidates_[int(np.argmax(self.scores_["rank_sum"]))]


def rank_sum(scores: Mapping[str, np.ndarray]) -> np.ndarray:
    """The ranks of the numbers of groups by each criterion, added up; the higher the better."""
    return np.asarray(
        rankdata(-scores["bic"]) + rankdata(scores["agreement"]) + rankdata(scores["stability"])
    )


def split_stability(points: np.ndarray, k: int, seed: int) -> float:
    """How well k-means on one half of the rows places the other half as k-means there groups it (adjusted Rand index)."""
    n = len(points)
    if n < 2 * k:
        return 0.0
    found = []
    for at in range(_SPLITS):
        generator = stream(seed, _SPLIT_KEY, at)
        order = generator.permutation(n)
        own = small_seed(generator)
        one, other = points[order[: n // 2]], points[order[n // 2 :]]
        centers = kmeans(one, k, n_restarts=1, random_state=own).centers
        placed, _ = nearest_center(other, centers)
        there = kmeans(other, k, n_restarts=1, random_state=own).labels
        found.append(mean_agreement([placed, there]))
    return float(np.mean(found))


def _draw(n: int, most: int, seed: int, key: int) -> np.ndarray:
    """All rows, or so many of them, drawn and in their order."""
    if n <= most:
        return np.arange(n)
    return np.sort(stream(seed, key).choice(n, most, replace=False))


def _labels(fitted: Fitted) -> np.ndarray:
    return np.asarray(fitted.responsibilities.argmax(axis=1))


def _mean(points: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    return np.asarray((points if len(points) else otherwise).mean(axis=0))


def _numbers(labels: np.ndarray, vote: np.ndarray, k: int) -> np.ndarray:
    """The number in the vote of each group of a labeling; groups without members take what is left."""
    aligned = align_labels(labels, vote)
    number = np.full(k, -1, dtype=np.int64)
    number[labels] = aligned
    number[number < 0] = np.setdiff1d(np.arange(k), number)
    return number

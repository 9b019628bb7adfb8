"""Members grouped by their rows of counts: topics (latent Dirichlet allocation), and k-means through scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.core.estimator import Organizer
from coterie.core.links import Links, on_columns
from coterie.core.params import param
from coterie.core.partition import Partition, numbered
from coterie.core.random import seed_of, small_seed
from coterie.core.workplace import steady
from coterie.parts import lda
from coterie.parts.iterate import best_of


class Counted(Organizer):
    """Base of methods of one table of counts: all tables of the members side by side, and a group from each row.

    Members without any count are in no group (-1). Learned: `partition_`, `partitions_` (of the members alone), `objective_`
    (higher is better), `history_` (the members, their number of groups and the objective of the best start), `columns_` (the
    columns as pairs of population and id), `notes_`.
    """

    takes: ClassVar[type] = Links

    partitions_: dict[str, Partition]
    objective_: float
    history_: list[tuple[str, int, float]]
    columns_: list[tuple[str, str]]
    notes_: tuple[str, ...]
    order_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Group the members by their rows of counts."""
        links: Links = self.check(X)
        self.columns_ = [(name, column) for name in neighbors(links) for column in links.ids[name]]
        counts = side_by_side(links, self.columns_)
        used = np.asarray(counts.sum(axis=1)).ravel() > 0
        self.check_counts(used)
        with steady():
            value, likely = self.learn(
                lda.short(counts[used]), seed_of(getattr(self, "random_state", 0))
            )
        labels = np.full(len(links), -1)
        confidence = np.zeros(len(links))
        labels[used] = likely.argmax(axis=1)
        confidence[used] = margin(likely)
        self.partition_, self.order_ = numbered(labels, confidence)
        self.partitions_ = {links.target: self.partition_}
        self.objective_ = value
        self.history_ = [(links.target, self.partition_.n_groups, value)]
        self.notes_ = self._notes(links, used)
        return self

    @property
    def asked(self) -> int | None:
        """The number of groups that was asked for; None where it is chosen."""
        found: int | None = self.get_params(deep=False)["n_groups"]
        return found

    def check_counts(self, used: np.ndarray) -> None:
        """Refuse more groups than members, or than members that have any count."""
        self.check_groups(self.asked, len(used))
        if (self.asked or 1) > used.sum():
            raise DataError(
                f"n_groups is {self.asked} and only {used.sum()} members have any count.",
                owner=type(self).__name__,
            )

    def learn(self, counts: Any, seed: int) -> tuple[float, np.ndarray]:
        """The objective, and how well each row fits each group (higher is better)."""
        raise NotImplementedError(f"{type(self).__name__} does not define learn")

    def fitting(self, counts: Any) -> np.ndarray:
        """How well new rows fit each group, groups as they were learned."""
        raise NotImplementedError(f"{type(self).__name__} does not define fitting")

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members by their counts in the fitted columns, found by name; -1 where there are none."""
        check_is_fitted(self, "partition_")
        links: Links = self.check(X, new=True)
        counts = side_by_side(links, self.columns_)
        used = np.asarray(counts.sum(axis=1)).ravel() > 0
        if not used.any():
            raise DataError(
                "the new members share no column with the fitted ones.", owner=type(self).__name__
            )
        found = np.full(len(links), -1)
        with steady():
            found[used] = self.fitting(lda.short(counts[used]))[:, self.order_].argmax(axis=1)
        return found

    def _notes(self, links: Links, used: np.ndarray) -> tuple[str, ...]:
        notes = []
        if not used.all():
            notes.append(
                f"{int((~used).sum())} of {len(used)} {links.target} have no count in any table and are in no group."
            )
        apart = [
            f"{one}-{other}" for one, other in links.tables if links.target not in (one, other)
        ]
        if apart:
            notes.append(f"{', '.join(apart)}: not a table of '{links.target}', and not used.")
        if self.asked is not None and self.partition_.n_groups < self.asked:
            missing = self.asked - self.partition_.n_groups
            notes.append(f"{missing} of {self.asked} groups have no member.")
        return tuple(notes)


class Topics(Counted):
    """Topics of the members (latent Dirichlet allocation): each member in the group of its largest topic."""

    n_groups: int = param(8, "How many groups.", ge=1)
    alpha: float | None = param(
        None,
        "Prior weight of a topic in a member; 50 / topics, at most 1, when left out.",
        gt=0,
        le=1,
    )
    eta: float = param(0.01, "Prior weight of every column in a topic.", gt=0, le=1)
    passes: int = param(
        50, "Passes over all members (variational Bayes, all members at once).", ge=1
    )
    restarts: int = param(3, "Random starts, the best of which by the bound is kept.", ge=1)
    random_state: int | None = param(None, "Seed of the starts.")

    topics_: np.ndarray
    model_: lda.Topical

    def learn(self, counts: Any, seed: int) -> tuple[float, np.ndarray]:
        """Topics by batch variational Bayes; the bound on the log-likelihood per count."""
        total = max(float(counts.sum()), 1e-300)
        alpha = min(1.0, 50.0 / self.n_groups) if self.alpha is None else self.alpha

        def attempt(generator: np.random.Generator) -> tuple[float, Any]:
            found = lda.learned(
                counts,
                self.n_groups,
                alpha=alpha,
                eta=self.eta,
                passes=self.passes,
                seed=small_seed(generator),
            )
            return found.bound(counts) / total, found

        value, self.model_ = best_of(
            attempt, self.restarts, random_state=seed, label="Topics", prefer="higher"
        )
        self.topics_ = self.model_.weights / self.model_.weights.sum(axis=1, keepdims=True)
        return value, self.fitting(counts)

    def fitting(self, counts: Any) -> np.ndarray:
        """The share of each topic in each row."""
        return self.model_.shares(counts)


class KMeans(Counted):
    """k-means on rows of counts: raw, or weighted by tf-idf and brought to length one, on all columns or on a few of LSA."""

    n_groups: int = param(8, "How many groups.", ge=1)
    weights: str = param(
        "tfidf", "Counts as they are, or tf-idf with rows of length one.", choices=("raw", "tfidf")
    )
    components: int | None = param(
        None, "Columns of a latent semantic analysis to cluster; all columns when left out.", ge=1
    )
    restarts: int = param(10, "Random starts (k-means++), the best of which is kept.", ge=1)
    passes: int = param(300, "Most passes over the members in one start.", ge=1, advanced=True)
    random_state: int | None = param(None, "Seed of the starts.")

    idf_: np.ndarray | None
    components_: np.ndarray | None
    centers_: np.ndarray

    def learn(self, counts: Any, seed: int) -> tuple[float, np.ndarray]:
        """The best of several starts; minus the sum of squared distances."""
        from sklearn.cluster import KMeans as Means

        rows = self._weigh(counts, seed)

        def attempt(generator: np.random.Generator) -> tuple[float, Any]:
            means = Means(
                self.n_groups, n_init=1, max_iter=self.passes, random_state=small_seed(generator)
            ).fit(rows)
            return -float(means.inertia_), means

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer distinct rows than groups: said in the notes
            value, means = best_of(
                attempt, self.restarts, random_state=seed, label="KMeans", prefer="higher"
            )
        self.centers_ = means.cluster_centers_
        return value, -means.transform(rows)

    def _weigh(self, counts: Any, seed: int) -> Any:
        """The rows that are clustered, and what is learned to weigh new ones alike."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.preprocessing import normalize

        self.idf_ = None
        self.components_ = None
        if self.weights == "tfidf":
            tfidf = TfidfTransformer()
            counts = tfidf.fit_transform(counts)
            self.idf_ = tfidf.idf_
        if self.components is None:
            return counts
        most = min(counts.shape) - 1
        if self.components > most:
            rows, columns = counts.shape
            raise DataError(
                f"components must be at most {most} for {rows} members and {columns} columns.",
                owner="KMeans",
            )
        svd = TruncatedSVD(self.components, random_state=seed % 2**31)
        with np.errstate(divide="ignore", invalid="ignore"):  # shares of a variance of 0, not used
            counts = svd.fit_transform(counts)
        self.components_ = svd.components_
        return normalize(counts, copy=False) if self.weights == "tfidf" else counts

    def fitting(self, counts: Any) -> np.ndarray:
        """Minus the distance of each row to each center."""
        from sklearn.metrics.pairwise import euclidean_distances
        from sklearn.preprocessing import normalize

        rows = counts
        if self.idf_ is not None:
            rows = sp.csr_array(counts, dtype=np.float64, copy=True)
            rows.data *= self.idf_[rows.indices]
            rows = normalize(rows, copy=False)
        if self.components_ is not None:
            rows = np.asarray(rows @ self.components_.T)
            rows = normalize(rows, copy=False) if self.weights == "tfidf" else rows
        return -np.asarray(euclidean_distances(rows, self.centers_))


def neighbors(links: Links) -> list[str]:
    """The populations the members have a table with."""
    return [
        name
        for name in links.populations
        if name != links.target and links.between(links.target, name) is not None
    ]


def side_by_side(links: Links, columns: Sequence[tuple[str, str]]) -> Any:
    """Members x these columns, found by name; what is not there is zero."""
    wanted = dict[str, list[str]]()
    for name, column in columns:
        wanted.setdefault(name, []).append(column)
    tables = {
        name: links.between(links.target, name) if name in links.ids else None for name in wanted
    }
    return sp.csr_array(
        sp.hstack(
            [on_columns(tables[name], ids, len(links)) for name, ids in wanted.items()],
            format="csr",
        )
    )


def margin(fit: np.ndarray) -> np.ndarray:
    """How much better the best group fits than the next, over what it fits better than the worst: from 0 to 1."""
    if fit.shape[1] == 1:
        return np.ones(len(fit))
    ranked = np.sort(fit, axis=1)
    span = ranked[:, -1] - ranked[:, 0]
    return np.asarray(
        np.divide(ranked[:, -1] - ranked[:, -2], span, out=np.zeros(len(fit)), where=span > 0)
    )

"""The one coherent core of a pool: the members that share a topic, told from the rest by what is general."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Organizer
from coterie.core.links import Links
from coterie.core.params import param, params_of
from coterie.core.partition import Partition, Ranking
from coterie.core.random import seed_of
from coterie.core.workplace import steady
from coterie.organize.core_pools import Pool, joined, new_counts, pools_of, telling, weighted
from coterie.organize.one_class import MeanScore, MinEntropy, Scorer, ball, machine
from coterie.parts.latent_topic import Ltb, best_start, learned_size, ltb
from coterie.parts.one_class import relevant_words, row_sums

METHODS = ("ltb", "occc", "kl", "min-entropy", "ocsvm", "ocib")
_GUESS = 0.3  # share of the core, where learning it begins
_BY_BACKGROUND = ("occc", "ltb", "kl")
_USERS = {
    "relevant": "occc",
    "norm": "occc",
    "pi": "ltb",
    "iterations": "ltb",
    "kernel": "ocsvm",
}  # settings of one method


class Core(Organizer):
    """The one coherent core: the members that share a topic, by words more frequent among them than in general."""

    takes: ClassVar[type] = Links
    gives: ClassVar[type] = Ranking
    least: ClassVar[int] = 2

    method: str = param("ltb", "How members are scored.", choices=METHODS)
    size: Any = param(
        "auto",
        "Members of the core: a number, a share below 1, or auto (learned).",
        gt=0,
        choices=("auto",),
    )
    background: Any = param(
        "bundled",
        "What is general: bundled counts of English words, uniform (nothing known), a mapping of word to count, or links.",
        choices=("bundled", "uniform"),
    )
    relevant: int | None = param(None, "Relevant words of OCCC; by the scores when left out.", ge=1)
    norm: str = param(
        "relevant",
        "What OCCC divides a member's sum of scores by: its relevant words, its length, or nothing.",
        choices=("relevant", "length", "none"),
        advanced=True,
    )
    pi: Any = param(
        "auto",
        "Share of topic words in a member of the core where LTB starts: a number, share (that of the core), or auto (the best).",
        gt=0,
        lt=1,
        choices=("auto", "share"),
    )
    iterations: int = param(5, "Iterations of LTB, by which the size is learned too.", ge=1)
    binary: bool = param(True, "Whether a word counts once in a member.")
    min_df: int = param(3, "Members that must hold a word for it to count.", ge=1)
    weights: Any = param(
        "scaled",
        "Several tables: scores over their spread (scaled), as they are (one), or scaled with a mapping of population to weight.",
        choices=("scaled", "one"),
        advanced=True,
    )
    kernel: str = param(
        "linear",
        "Kernel of the one-class support vector machine.",
        choices=("linear", "rbf"),
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of the starts of OC-IB.")

    ranking_: Ranking
    scores_: np.ndarray
    posterior_: np.ndarray | None
    words_: list[tuple[str, float]]
    telling_: dict[str, list[tuple[str, float]]]
    size_: int
    stands_out_: bool
    relevant_: int | None
    background_: str
    threshold_: float
    notes_: tuple[str, ...]
    pools_: tuple[Pool, ...]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Score the members, rank them, and take the best as the core."""
        links: Links = self.check(X)
        self.check_used()
        notes = list[str]()
        cautions = list[str]()
        asked = self._asked(len(links))
        self.stands_out_ = True
        with steady():
            pools = pools_of(links, self.background, self.binary, self.min_df, notes)
            pools = weighted(pools, self.weights)
            empty = [row_sums(pool.counts) == 0 for pool in pools]
            usable = ~np.all(empty, axis=0)
            size = self._learned(pools, usable, cautions) if asked is None else asked
            found = [
                self._scored(pool, min(size, int(usable.sum())), len(links), cautions)
                for pool in pools
            ]
            self.pools_ = tuple(pool for pool, _ in found)
            self.scores_ = joined(
                self.pools_, [scores for _, scores in found], empty, self.weights != "one"
            )
        self._keep(links, usable, size, notes)
        for caution in cautions:
            warnings.warn(f"Core: {caution}", UserWarning, stacklevel=2)
        self.notes_ = (*notes, *(f"{caution[0].upper()}{caution[1:]}" for caution in cautions))
        return self

    def check_used(self) -> None:
        """Refuse what was set and would change nothing; the background always tells the words, if not the members."""
        for info in params_of(Core):
            used = self.method == _USERS.get(info.name, self.method) or (
                info.name == "iterations" and self.size == "auto"
            )
            value = getattr(self, info.name)
            if not used and value != info.default:
                given = " and a size that is given" if info.name == "iterations" else ""
                raise ParameterError(
                    f"{info.name} was set to {value!r} and changes nothing with {self.method}{given}.",
                    owner="Core",
                )

    def sized(self, size: int | float | str) -> Core:
        """The same, not fitted, with this size, and without what only the learning of a size uses."""
        plain = {} if self.method == "ltb" or size == "auto" else {"iterations": Core().iterations}
        found: Core = clone(self).set_params(size=size, **plain)
        return found

    def _asked(self, n: int) -> int | None:
        """The size in members, or None where it is learned."""
        if isinstance(self.size, str):
            return None
        whole = isinstance(self.size, numbers.Integral) and not isinstance(self.size, bool)
        if isinstance(self.size, bool) or not (
            whole or (isinstance(self.size, numbers.Real) and float(self.size) < 1)
        ):
            raise ParameterError(
                f"size must be auto, a whole number from 1 or a share below 1, and was {self.size!r}.",
                owner="Core",
            )
        size = int(self.size) if whole else max(1, round(float(self.size) * n))
        if size >= n:
            raise DataError(
                f"size is {size} and there are {n} members; a core leaves at least one of them out.",
                owner="Core",
            )
        return size

    def _learned(self, pools: list[Pool], usable: np.ndarray, cautions: list[str]) -> int:
        """How many members are told from the background, by LTB on all tables side by side with its share learned."""
        counts = sp.csr_array(sp.hstack([pool.counts for pool in pools], format="csr"))
        scores = np.concatenate([pool.scores for pool in pools])
        model = best_start(counts, scores, _GUESS, self.iterations, learn_share=True, label="size")
        found = learned_size(model, row_sums(counts))
        n = len(usable)
        if 2 <= found < n:
            return found
        size = min(max(found, 2), n - 1)
        self.stands_out_ = False
        taken = (
            "all but the last were"
            if found >= n
            else "the best one was"
            if size == 1
            else "the two best were"
        )
        cautions.append(
            f"{found} of {n} members are told from the background, so there is no core beside a rest; {taken} taken, and size= "
            "sets another number."
        )
        return size

    def _scored(
        self, pool: Pool, size: int, n: int, cautions: list[str]
    ) -> tuple[Pool, np.ndarray]:
        """The pool with its scorer and how its scores spread, and the scores."""
        if pool.general.caution and self.method in _BY_BACKGROUND:
            cautions.append(pool.general.caution)
        scorer = self._scorer(pool, size, n, cautions)
        scores = scorer.log_odds if isinstance(scorer, Ltb) else scorer.place(pool.counts)
        finite = scores[np.isfinite(scores)]
        return replace(
            pool,
            scorer=scorer,
            scale=(float(finite.mean()), float(finite.std()) or 1.0, float(finite.min())),
        ), scores

    def _scorer(self, pool: Pool, size: int, n: int, cautions: list[str]) -> Scorer:
        if self.method == "min-entropy":
            return MinEntropy(pool.totals)
        if self.method == "ocsvm":
            return machine(pool.counts, size, self.kernel)
        if self.method == "ocib":
            return ball(pool.counts, size, seed_of(self.random_state))
        if self.method == "kl":
            return MeanScore(pool.scores)
        if self.method == "occc":
            return MeanScore(pool.scores, self._relevant(pool, cautions), self.norm)
        share = size / n
        if self.pi == "auto":
            return best_start(pool.counts, pool.scores, share, self.iterations)
        return ltb(
            pool.counts,
            pool.scores,
            share,
            share if self.pi == "share" else float(self.pi),
            self.iterations,
        )

    def _relevant(self, pool: Pool, cautions: list[str]) -> int:
        """How many words of this table are relevant."""
        if self.relevant is not None:
            return min(self.relevant, len(pool.ids))
        found = relevant_words(pool.scores)
        if found.note:
            cautions.append(f"{pool.population}: {found.note}")
        return found.count

    def _keep(self, links: Links, usable: np.ndarray, size: int, notes: list[str]) -> None:
        """The ranking, the core and the words."""
        n = len(usable)
        scores = self.scores_
        pools = self.pools_
        order = np.lexsort((np.arange(n), ~usable, -scores))
        able = usable & np.isfinite(scores)
        if size > able.sum():
            notes.append(
                f"A core of {size} was wanted, and only {int(able.sum())} of {n} members have any word that counts."
            )
        elif not usable.all():
            notes.append(
                f"{int((~usable).sum())} of {n} members have no word that counts, and are never in the core."
            )
        chosen = order[able[order]][:size]
        tied = int(
            (scores[able] == scores[chosen[-1]]).sum()
            - (scores[chosen] == scores[chosen[-1]]).sum()
        )
        if tied:
            them = (
                "1 member outside the core scores"
                if tied == 1
                else f"{tied} members outside the core score"
            )
            notes.append(f"{them} as high as its last one; of equal ones the first were taken.")
        self.size_ = len(chosen)
        self.threshold_ = float(scores[chosen[-1]])
        self.ranking_ = Ranking(order, scores, links.ids[links.target])
        labels = np.full(n, -1, dtype=np.int64)
        labels[chosen] = 0
        first = pools[0].scorer
        self.posterior_ = first.posterior if len(pools) == 1 and isinstance(first, Ltb) else None
        sure = (
            None
            if self.posterior_ is None
            else np.where(labels == 0, self.posterior_, 1.0 - self.posterior_)
        )
        self.partition_ = Partition(labels, ("core",), sure)
        self.telling_ = {pool.population: telling(pool, chosen) for pool in pools}
        self.words_ = self.telling_[
            max(pools, key=lambda pool: float(pool.totals.sum())).population
        ]
        scorers = [pool.scorer for pool in pools if isinstance(pool.scorer, MeanScore)]
        self.relevant_ = (
            sum(scorer.relevant or 0 for scorer in scorers) if self.method == "occc" else None
        )
        said = "; ".join(dict.fromkeys(pool.general.sentence for pool in pools))
        self.background_ = f"{said[0].upper()}{said[1:]}."
        self.pools_ = tuple(replace(pool, counts=None) for pool in pools)

    def score_members(self, X: Any) -> np.ndarray:
        """The scores of new members by their columns, found by name; of those of whom nothing counts as in `scores_`."""
        return self._placed(X)[0]

    def _placed(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The scores of new members, and of whom anything counts."""
        check_is_fitted(self, "pools_")
        links: Links = self.check(X, new=True)
        counts = new_counts(self.pools_, links, self.binary)
        empty = [row_sums(one) == 0 for one in counts]
        if np.all(empty):
            raise DataError("the new members share no column with the fitted ones.", owner="Core")
        with steady():
            found = [
                pool.scorer.place(one)
                for pool, one in zip(self.pools_, counts, strict=True)
                if pool.scorer is not None
            ]
        return joined(self.pools_, found, empty, self.weights != "one"), ~np.all(empty, axis=0)

    def predict(self, X: Any) -> np.ndarray:
        """0 for new members that score no less than the last of the core, and -1 for all others and where nothing counts."""
        scores, usable = self._placed(X)
        return np.where(usable & (scores >= self.threshold_), 0, -1)

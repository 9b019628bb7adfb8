"""OneVersusAll: one run per reference; which members do its classifiers take for the reference, out of all others?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.compare.role import Comparer
from coterie.compare.sic.diverters import diverter_of
from coterie.compare.sic.iterations import fingerprint
from coterie.compare.sic.references import FAILED, FORMS, Course, Layout, Votes, collected
from coterie.compare.sic.running import FAILING
from coterie.compare.sic.samples import Samples
from coterie.core.affinity import Affinity, Dense, Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.core.table import Table
from coterie.core.text import TaggedText
from coterie.core.workplace import fits, workplace
from coterie.parts.workers import in_order

_WAYS = ("mean", "max", "min")


class OneVersusAll(Comparer):
    """One-versus-all SIC: per reference, how often classifiers that know it from all others take a member for it.

    Every reference has iterations of its own: a classifier is trained on some of its occurrences against `negatives`
    times as many of other members, and tested on the rest. Sums are kept for every form, so that another form or
    another way to make the rows symmetric needs no training.
    """

    takes: ClassVar[type] = Table
    also: ClassVar[tuple[type, ...]] = (Ragged, TaggedText)
    gaps: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    sparse: ClassVar[bool] = True
    least: ClassVar[int] = 3
    agrees: ClassVar[bool] = (
        False  # a member is not tested where it was trained on, and new members always are
    )

    diverter: Any = param(
        None,
        "The classifier: a name, a diverter, or anything with fit and predict; by the data if left out.",
    )
    n_iterations: int = param(30, "Iterations of each reference.", ge=1)
    negatives: float = param(
        5.0, "Samples of other members trained on for each of the reference.", gt=0
    )
    most: tuple[int, int] = param(
        (30, 10), "Occurrences of a member in an iteration, at most: trained on, and tested."
    )
    references: Sequence[int] | None = param(
        None, "Positions of the members that get a run of their own; all if left out."
    )
    form: str = param(
        "occurrence", "What an iteration counts for a member recognized.", choices=FORMS
    )
    symmetrize: str = param(
        "mean", "How the two directions of a pair become one value.", choices=_WAYS
    )
    random_state: int | None = param(
        None, "Seed; the same seed gives the same values on any number of workers."
    )

    affinity_: Affinity
    rows_: np.ndarray
    references_: np.ndarray
    empty_: np.ndarray
    failed_: int
    votes_: Votes
    seed_: int

    transient: ClassVar[tuple[str, ...]] = ("_course",)  # made again when needed, never stored

    def fit(self, X: Any, y: Any = None) -> Self:
        """Run every reference, keep the sums, and read the similarity off them."""
        self.members_ = self.check(X)
        self.seed_ = seed_of(self.random_state)
        self.references_ = self._positions(Samples.of(self.members_).n_members)
        self.__dict__.pop("_course", None)
        course = self.course()
        fits(
            (len(FORMS) + 1) * 8 * len(self.references_) * course.layout.samples.n_members,
            "The votes",
            "name fewer references",
        )
        self.votes_ = collected(course, self.references_, self._mark(course))
        self.empty_ = self.votes_.empty
        self.failed_ = int((self.votes_.sizes == FAILED).sum())
        self._judge_iterations()
        self.rows_ = self.votes_.rows(self.form)
        self.affinity_ = self.similarity()
        return self

    def similarity(self, form: str | None = None, symmetrize: str | None = None) -> Affinity:
        """Members x members by another form or another way of making it symmetric; nothing is trained again."""
        check_is_fitted(self)
        rows = self.votes_.rows(_checked(form or self.form, FORMS, "form"))
        how = _checked(symmetrize or self.symmetrize, _WAYS, "symmetrize")
        place = np.full(rows.shape[1], -1)
        place[self.references_] = np.arange(len(rows))
        tile = partial(
            _tile, rows=rows / _largest(rows, self.references_)[:, None], place=place, how=how
        )
        every = np.arange(rows.shape[1])
        return Lazy(tile, every, every, "similarity", True)

    def compare(self, X: Any) -> Affinity:
        """New members against the references, whose classifiers are made again; NaN for members that are no reference."""
        view = self.check_alike(X)
        course = self.course()
        votes = self.votes_
        new = (Samples.of(view), course.diverter.prepare(view, like=course.data))
        values = np.full((new[0].n_members, votes.tested.shape[1]), np.nan)
        largest = _largest(self.rows_, self.references_)

        def work(at: int) -> np.ndarray:
            return (
                course.judge(
                    int(self.references_[at]), self.form, new, votes.sizes[at], votes.shares[at]
                )
                / largest[at]
            )

        for x, column in zip(
            self.references_, in_order(work, list(range(len(largest))), "judge"), strict=True
        ):
            values[:, x] = column
        return Dense(values, "similarity", symmetric=False, own=False)

    def course(self) -> Course:
        """What the runs share: the data as the diverter reads it, the diverter, how much is trained on, and the seed."""
        if "_course" not in self.__dict__:
            view = self.members_
            diverter = diverter_of(self.diverter, view)
            layout = Layout.of(Samples.of(view), self.seed_)
            most = (int(self.most[0]), int(self.most[1]))
            self._course: Course = Course(
                layout,
                diverter.prepare(view),
                diverter,
                self.n_iterations,
                self.negatives,
                most,
                self.seed_,
            )
        return self._course

    def check_params(self) -> None:
        """Refuse what is out of range, in one sentence."""
        super().check_params()
        if not (len(self.most) == 2 and min(self.most) >= 1):
            raise ParameterError(
                f"most must be two whole numbers from 1, and was {self.most!r}.",
                owner="OneVersusAll",
            )

    def _positions(self, n_members: int) -> np.ndarray:
        if self.references is None:
            return np.arange(n_members)
        found = np.asarray(self.references)
        if found.ndim != 1 or not found.size or found.dtype.kind not in "iu":
            raise ParameterError(
                f"references must be positions of members, and was {self.references!r}.",
                owner="OneVersusAll",
            )
        outside = found[(found < 0) | (found >= n_members)]
        if outside.size:
            raise ParameterError(
                f"reference {outside[0]} is not one of the {n_members} members (from 0).",
                owner="OneVersusAll",
            )
        return np.unique(found)

    def _mark(self, course: Course) -> str:
        settings = (course.diverter, self.n_iterations, self.negatives, course.most, self.seed_)
        return f"{workplace().key('one-versus-all')}/{fingerprint(self.members_, *settings)}"

    def _judge_iterations(self) -> None:
        """Give up where too many iterations failed; warn where most found nobody."""
        total = self.votes_.sizes.size
        if self.failed_ > FAILING * total:
            reason = next(text for text in self.votes_.reasons if text).rstrip(".")
            raise DataError(
                f"{self.failed_} of {total} iterations failed; the first because {reason}.",
                owner="OneVersusAll",
            )
        empty = int(self.empty_.sum())
        if empty > total / 2:
            warnings.warn(
                f"OneVersusAll: no member was taken for the reference in {empty} of {total} iterations; ask for fewer negatives.",
                stacklevel=3,
            )

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        return {name: value for name, value in state.items() if name not in self.transient}


def _largest(rows: np.ndarray, references: np.ndarray) -> np.ndarray:
    """The largest value of each row, its own member left out; 1 where there is none above 0."""
    others = np.nan_to_num(rows, nan=0.0)
    others[np.arange(len(rows)), references] = 0.0
    most = others.max(axis=1)
    return np.where(most > 0, most, 1.0)


def _tile(
    first: np.ndarray, second: np.ndarray, rows: np.ndarray, place: np.ndarray, how: str
) -> np.ndarray:
    """Pairs of members from the rows of both; where one direction is not known the other counts."""
    there = _part(rows, place, first, second)
    back = _part(rows, place, second, first).T
    both = {
        "mean": 0.5 * (there + back),
        "max": np.maximum(there, back),
        "min": np.minimum(there, back),
    }[how]
    out = np.where(np.isnan(there), back, np.where(np.isnan(back), there, both))
    return np.where(first[:, None] == second[None, :], 1.0, out)


def _part(rows: np.ndarray, place: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """rows[first, second] by position of the member; NaN in rows of members that had no run."""
    out = np.full((len(first), len(second)), np.nan)
    known = place[first] >= 0
    out[known] = rows[np.ix_(place[first][known], second)]
    return out


def _checked(word: str, known: tuple[str, ...], name: str) -> str:
    if word not in known:
        raise ParameterError(
            f"{name} must be one of {', '.join(known)}, and was {word!r}.", owner="OneVersusAll"
        )
    return word

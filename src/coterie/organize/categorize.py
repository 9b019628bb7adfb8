"""Categorize: labels of some members, learned from any representation, given to all others; several labels each where need be."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.core.random import seed_of, stream
from coterie.core.workplace import steady
from coterie.organize.classifiers import (
    KINDS,
    Learned,
    check_machine,
    grid,
    learn,
    machine,
    mean_square,
    ready,
    squares,
)
from coterie.organize.labeler import Labeler, listed, odd_categories
from coterie.organize.labels_of import Categories, as_array
from coterie.organize.thresholds import RULES, thresholds_of
from coterie.parts.folds import dealt, drawn
from coterie.parts.workers import in_order

_CHOICE = 1_000  # labeled members on which the settings of a Gaussian machine are chosen
_FEW = 3  # members of a category below which its threshold stays at 0


class Categorize(Labeler):
    """Labels of a few members given to all others, by a classifier per category on any representation; thresholds validated.

    Learned: `classes_`, `setting_` (what cross-validation chose), `thresholds_` (one per category), `validation_scores_` (of the
    labeled members at `validated_`, each by a model that did not see it; NaN where no such model could be learned), `notes_`.
    """

    classifier: str = param("svm", "How a category is learned.", choices=KINDS)
    kernel: str = param(
        "linear",
        "The form of the support vector machine: a plane, or Gaussian.",
        choices=("linear", "rbf"),
    )
    C: float | None = param(
        None,
        "How closely labels are followed (svm, logistic); chosen by cross-validation.",
        ge=1e-6,
        le=1e6,
    )
    threshold: str = param(
        "f1",
        "Where a score is a yes, for members with several labels: 0, the best F1, or break-even.",
        choices=RULES,
    )
    folds: int = param(5, "Parts of the labeled members that validate each other.", ge=2)
    normalize: bool = param(True, "Whether rows are brought to length one first (not for bayes).")
    random_state: int | None = param(0, "Seed of the folds.", advanced=True)

    setting_: dict[str, float]
    validation_scores_: np.ndarray
    validated_: np.ndarray
    models_: list[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the settings by cross-validation over the labeled members, then learn from all of them.

        `y` is a label per member (None, "" or NaN: not labeled), a list of labels per member, or members x categories of 0 and
        1. Members without a label are left out.
        """
        table = self.check(X)
        self._check_settings()
        said = self._told(y, len(table))
        known = np.flatnonzero(said.known)
        rows = ready(table.values[known], self.classifier, self.normalize)
        labels = said.take(known)
        self.classes_ = as_array(labels.names)
        self.categories_ = labels.take(slice(0, 0))
        yes = labels.indicator[:, 1:] if self._halves(labels) else labels.indicator
        with steady():
            validated, scores = self._choose(rows, labels, yes)
            self.models_: list[Learned] = [
                learn(self.classifier, self.setting_, rows, column) for column in yes.T
            ]
        self.validated_, self.validation_scores_ = known[validated], self._both(scores)
        self.thresholds_ = np.zeros(labels.n_categories)
        if not labels.single:
            self.thresholds_ = self._cuts(scores, yes[validated])
        self.notes_ = self._notes(labels)
        return self

    def scores(self, X: Any) -> np.ndarray:
        """How much each member is of each category (members x categories); compare them within a category."""
        check_is_fitted(self, "models_")
        table = self.check(X, new=True)
        rows = ready(table.values, self.classifier, self.normalize)
        with steady():
            return self._both(np.stack([model.scores(rows) for model in self.models_], axis=1))

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores; of two categories with one label each, those of the second alone, as scikit-learn has it."""
        found = self.scores(X)
        return found[:, 1] if self._halves(self.categories_) else found

    def _check_settings(self) -> None:
        if self.kernel == "rbf" and self.classifier != "svm":
            raise ParameterError(
                f"kernel is of classifier='svm', and classifier was {self.classifier!r}.",
                owner="Categorize",
            )
        if self.C is not None and self.classifier not in ("svm", "logistic"):
            raise ParameterError(
                f"C is of svm and logistic, and classifier was {self.classifier!r}.",
                owner="Categorize",
            )

    @staticmethod
    def _halves(labels: Categories) -> bool:
        """Whether there are two categories of which everyone has one, so that one model tells both."""
        return labels.single and labels.n_categories == 2

    def _both(self, scores: np.ndarray) -> np.ndarray:
        return (
            np.concatenate([-scores, scores], axis=1) if self._halves(self.categories_) else scores
        )

    def _choose(
        self, rows: Any, labels: Categories, yes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Set `setting_`; the members it was chosen on, and their scores by models that did not see them."""
        generator = stream(seed_of(self.random_state), 1)
        chosen = np.arange(len(labels))
        gaps = None
        if self.kernel == "rbf":
            check_machine(len(labels))
            if len(labels) > _CHOICE:
                chosen = drawn(labels.indicator, _CHOICE, generator, least=2)
            rows = rows[chosen]
            gaps = squares(rows, rows)
        fold = dealt(labels.indicator[chosen], min(self.folds, len(chosen)), generator)
        settings = grid(self.classifier, self.kernel, self.C, len(chosen))
        work = partial(unseen, self.classifier, rows, yes[chosen], fold, gaps)
        found = list(in_order(work, settings, "Categorize"))
        part = labels.take(chosen)
        worth = [self._worth(scores, part, yes[chosen]) for scores in found]
        best = max(range(len(settings)), key=lambda at: worth[at])
        self.setting_ = settings[best]
        return chosen, found[best]

    def _worth(
        self, scores: np.ndarray, labels: Categories, yes: np.ndarray
    ) -> tuple[float, float]:
        """How good validation scores are: accuracy with one label each, else micro-F1; then how well they rank."""
        whole = np.nan_to_num(scores, nan=-1.0)
        if labels.single:
            right = labels.indicator[np.arange(len(labels)), self._both(whole).argmax(axis=1)]
            return float(right.mean()), ranked(whole, yes)
        decided = whole > self._cuts(scores, yes)
        return 2.0 * float((decided & yes).sum()) / max(
            float(decided.sum() + yes.sum()), 1.0
        ), ranked(whole, yes)

    def _cuts(self, scores: np.ndarray, yes: np.ndarray) -> np.ndarray:
        found = thresholds_of(scores, yes, self.threshold)
        return np.where(yes.sum(axis=0) < _FEW, 0.0, found)

    def _notes(self, labels: Categories) -> tuple[str, ...]:
        notes = odd_categories(labels, "labeled member")
        few = (labels.sizes > 0) & (labels.sizes < min(_FEW, len(labels)))
        if few.any():
            notes.append(
                f"Fewer than {_FEW} labeled members are in {listed(labels.names, few)}: too few to be validated."
            )
        return tuple(notes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.classifier == "bayes"
        return tags


def unseen(
    classifier: str,
    rows: Any,
    yes: np.ndarray,
    fold: np.ndarray,
    gaps: np.ndarray | None,
    setting: dict[str, float],
) -> np.ndarray:
    """Scores of every row by models learned from the other folds; NaN where these hold no yes, or no no."""
    found = np.full(yes.shape, np.nan)
    for part in range(int(fold.max()) + 1):
        train = np.flatnonzero(fold != part)
        test = np.flatnonzero(fold == part)
        for at in range(yes.shape[1]):
            column = yes[train, at]
            if column.all() or not column.any():
                continue
            if gaps is not None:
                seen = gaps[np.ix_(train, train)]
                model = machine(seen, train, column, setting, mean_square(seen))
                found[test, at] = (
                    np.exp(-gaps[np.ix_(test, model.rows)] / model.width) @ model.weights
                    + model.offset
                )
            else:
                learned = learn(classifier, setting, rows[train], column)
                found[test, at] = learned.scores(rows[test])
    return found


def ranked(scores: np.ndarray, yes: np.ndarray) -> float:
    """How well scores put yes above no: the mean over categories of the area under the ROC curve, ties as one half."""
    from scipy.stats import rankdata

    areas = []
    for values, column in zip(scores.T, yes.T, strict=True):
        inside = int(column.sum())
        outside = int((~column).sum())
        if inside and outside:
            areas.append(
                (rankdata(values)[column].sum() - inside * (inside + 1) / 2) / (inside * outside)
            )
    return float(np.mean(areas)) if areas else 0.0

"""TwoTask: categories learned from few labels and from unlabeled paragraphs at once, by one network with two heads."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.random import seed_of, stream
from coterie.core.table import Table
from coterie.core.workplace import stage
from coterie.organize.labeler import Labeler, odd_categories
from coterie.organize.labels_of import Categories, as_array
from coterie.organize.thresholds import RULES, thresholds_of
from coterie.parts.folds import dealt
from coterie.parts.paragraphs import Triplets
from coterie.parts.siamese import category_scores, mapped, pair_weights

GRID = (0.0, 0.03, 0.1, 0.3, 1.0)  # weights tried, where none is given
_LARGEST = 1e15  # value of a row: its square, summed up, is still a number of 32 bits
_PARTS = 10  # into which labeled members are dealt when some are set aside


class TwoTask(Labeler):
    """Categories from few labels and unlabeled paragraphs at once: one network, trained on labels and on triplets in turn.

    Learned: `classes_`, `unlabeled_weight_` (given or chosen), `weights_tried_` (weight -> the best micro-F1 at break-even on the
    validation members), `thresholds_` (one per category), `history_` (that value after every turn), `converged_`, `arrays_` (of
    the network, by name), `unlearned_` and `always_` (positions of categories that no member, or every one, to learn from is in),
    `notes_`.
    """

    n_hidden: int = param(100, "Units between the words and the vector.", ge=1)
    n_components: int = param(50, "Length of the vector that both tasks share.", ge=1)
    unlabeled_weight: float | None = param(
        None,
        "Step of the unlabeled task against that of the labeled one; None chooses by validation.",
        ge=0,
    )
    schedule: str = param(
        "joint",
        "Unlabeled paragraphs train the map with the labels, before them, or alone (labels then train the last layer).",
        choices=("joint", "before", "only"),
    )
    loss: str = param(
        "plain",
        "Every pair of member and category alike, or both sides of a category alike.",
        choices=("plain", "balanced"),
    )
    threshold: str = param(
        "f1",
        "Where a score is a yes, for members with several labels: 0, the best F1, or break-even.",
        choices=RULES,
    )
    validation: float = param(
        0.5,
        "Share of the labeled members that validates, where fit is given no others.",
        gt=0,
        lt=1,
    )
    max_iter: int = param(
        100, "Turns of training at most, each of 25 steps or more.", ge=1, advanced=True
    )
    random_state: int | None = param(None, "Seed of the start and of all draws.", ge=0)

    unlabeled_weight_: float
    weights_tried_: dict[float, float]
    history_: list[float]
    n_iter_: int
    converged_: bool
    arrays_: dict[str, np.ndarray]
    unlearned_: np.ndarray
    always_: np.ndarray

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        unlabeled: Any = None,
        owners: Any = None,
        validation: Any = None,
    ) -> Self:
        """Learn from labeled rows `X`, `y` and from the rows `unlabeled` of paragraphs, of which `owners` names the documents.

        `y` is a label per member, a list of labels per member, or members x categories of 0 and 1; members without a label are
        left out. `validation` is a pair of further rows and labels; without it a share of the labeled members is set aside and
        not trained on. Rows are weighted terms; the settings were chosen on TFIDF rows of length one. Needs the extra `neural`.
        """
        from coterie.parts.nets.two_task import Lesson

        table = self.check(X)
        told = self._told(y, len(table))
        rows = _rows(table)[told.known]
        said = told.take(told.known)
        source = self._triplets(unlabeled, owners)
        self.classes_ = as_array(said.names)
        self.categories_ = said.take(slice(0, 0))
        seed = seed_of(self.random_state)
        if validation is None:
            rows, said, held, truth = self._set_aside(rows, said, seed)
        else:
            held, truth = self._given(validation, said)
        self._note(said, source)
        lesson = Lesson(rows, said.indicator, pair_weights(said.indicator, self.loss), held, truth)
        self._choose(lesson, source, seed)
        self.thresholds_ = thresholds_of(
            category_scores(self.arrays_, mapped(self.arrays_, held)), truth, self.threshold
        )
        return self

    def scores(self, X: Any) -> np.ndarray:
        """How much each member is of each category (members x categories).

        Minus infinity for a category that no member to learn from is in, infinity for one that every one is in.
        """
        vectors = self.vectors(X)
        found = category_scores(self.arrays_, vectors)
        found[:, self.unlearned_] = -np.inf
        found[:, self.always_] = np.inf
        return found

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores; of two categories with one label each, by how much the second is above the first."""
        found = self.scores(X)
        return (
            np.asarray(found[:, 1] - found[:, 0])
            if self.categories_.single and found.shape[1] == 2
            else found
        )

    def vectors(self, X: Any) -> np.ndarray:
        """The vectors that both tasks share (members x components)."""
        check_is_fitted(self, "arrays_")
        return mapped(self.arrays_, _rows(self.check(X, new=True)))

    def _set_aside(
        self, rows: Any, said: Categories, seed: int
    ) -> tuple[Any, Categories, Any, np.ndarray]:
        """Rows and labels to learn from, and a share of each category that validates; a category keeps one to learn from."""
        n = len(said)
        parts = min(n, _PARTS)
        fold = dealt(said.indicator, parts, stream(seed, 5))
        out = np.floor((fold + 1) * self.validation + 1e-9) > np.floor(
            fold * self.validation + 1e-9
        )
        lost = ~said.indicator[~out].any(axis=0)
        out &= ~said.indicator[:, lost].any(axis=1)
        if not out.any() or not said.indicator[out].any() or out.all():
            raise DataError(
                f"of {n} labeled members none can be set aside so that each category is learned from another; give "
                "validation=(rows, labels), or more labels.",
                owner="TwoTask",
            )
        return rows[~out], said.take(~out), rows[out], said.indicator[out]

    def _given(self, validation: Any, said: Categories) -> tuple[Any, np.ndarray]:
        """Rows and labels that validate, as they were given."""
        if not (isinstance(validation, (tuple, list)) and len(validation) == 2):
            raise DataError("validation must be a pair of rows and labels.", owner="TwoTask")
        table = self._beside(validation[0], "validation members")
        told = Categories.of(validation[1], names=said.names, owner="TwoTask (validation)")
        if len(told) != len(table):
            raise DataError(
                f"there are {len(table)} validation members and {len(told)} labels; give as many.",
                owner="TwoTask",
            )
        if not told.indicator.any():
            raise DataError("no validation member is in any category.", owner="TwoTask")
        return _rows(table)[told.known], told.indicator[told.known]

    def _triplets(self, unlabeled: Any, owners: Any) -> Triplets | None:
        """The paragraphs from which triplets are drawn; None where there are none and none are asked for."""
        if unlabeled is None:
            if self.unlabeled_weight or self.schedule != "joint":
                raise DataError(
                    "fit needs unlabeled=paragraphs and owners=their documents; or set unlabeled_weight=0.",
                    owner="TwoTask",
                )
            return None
        if owners is None:
            raise DataError(
                "owners must name the document of every unlabeled paragraph.", owner="TwoTask"
            )
        table = self._beside(unlabeled, "unlabeled paragraphs")
        return Triplets.of(
            _rows(table), owners, "TwoTask", "the least words of a paragraph (min_words)"
        )

    def _beside(self, data: Any, what: str) -> Table:
        """Further rows with the same columns."""
        table: Table = self._as_taken(data)
        self._check_table(table)
        if table.shape[1] != self.n_features_in_:
            raise DataError(
                f"the {what} have {table.shape[1]} columns and X has {self.n_features_in_}.",
                owner="TwoTask",
            )
        return table

    def _note(self, said: Categories, source: Triplets | None) -> None:
        """Say which categories hold none or all of the members to learn from, and whether there is one task only."""
        self.unlearned_ = np.flatnonzero(~said.indicator.any(axis=0))
        self.always_ = np.flatnonzero(said.indicator.all(axis=0))
        notes = odd_categories(said, "member to learn from")
        for sentence in notes:
            warnings.warn(f"TwoTask: {sentence[0].lower()}{sentence[1:]}", stacklevel=3)
        if source is None and self.unlabeled_weight is None:
            notes.append(
                "No unlabeled paragraphs were given: learned from labels alone, as with unlabeled_weight=0."
            )
        self.notes_ = tuple(notes)

    def _choose(self, lesson: Any, source: Triplets | None, seed: int) -> None:
        """Train with every weight that is to be tried, and keep what is best on the validation members; at a tie the smaller."""
        from coterie.parts.nets.siamese import best_of
        from coterie.parts.nets.two_task import Shape, learn

        weights = GRID if self.unlabeled_weight is None else (float(self.unlabeled_weight),)
        if source is None:
            weights = (0.0,)
        elif self.schedule != "joint":
            weights = (1.0,)  # triplets are alone, so that a weight has no meaning
        shape = Shape(self.n_hidden, self.n_components, self.schedule, self.max_iter, seed)
        self.weights_tried_ = {}
        for weight in weights:
            with stage(f"weight {weight:g}"):
                found = learn(lesson, source, weight, shape)
            if not self.weights_tried_ or max(found.history) > max(self.weights_tried_.values()):
                self.arrays_ = best_of(found)
                self.unlabeled_weight_ = weight
                self.history_ = list(found.history)
                self.n_iter_ = found.n_iter
                self.converged_ = found.converged
            self.weights_tried_[weight] = max(found.history)


def _rows(table: Table) -> Any:
    """Rows of a table as a sparse array, none of whose values is beyond what a network can add up."""
    rows = sp.csr_array(table.values)
    if rows.nnz and np.abs(rows.data).max() > _LARGEST:
        raise DataError(
            f"a value is above {_LARGEST:g}, too large for a network; bring the rows to length one.",
            owner="TwoTask",
        )
    return rows

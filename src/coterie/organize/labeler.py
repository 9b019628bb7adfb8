"""What estimators of categories share: labels checked, scores as decisions and labels, and what is said of odd categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin

from coterie.core.errors import DataError
from coterie.core.estimator import Estimator
from coterie.core.table import Table
from coterie.organize.labels_of import Categories

_SHOWN = 8  # names in a sentence


class Labeler(ClassifierMixin, Estimator):
    """Rows and labels of some -> labels of others: `fit`, `scores` (members x categories), `predict`.

    Learned by every one: `classes_`, `categories_` (the form of the labels, without members), `thresholds_`, `notes_`.
    """

    takes: ClassVar[type] = Table
    gives: ClassVar[type] = Categories
    sparse: ClassVar[bool] = True
    least: ClassVar[int] = 2

    classes_: np.ndarray
    categories_: Categories
    thresholds_: np.ndarray
    notes_: tuple[str, ...]

    def scores(self, X: Any) -> np.ndarray:
        """How much each member is of each category (members x categories)."""
        raise NotImplementedError(f"{type(self).__name__} does not define scores")

    def predict(self, X: Any) -> Any:
        """The label of every member, its labels, or zeros and ones: in the form in which labels were given."""
        scores = self.scores(X)
        return self.categories_.given_back(self.decided(scores))

    def decided(self, scores: np.ndarray) -> np.ndarray:
        """Scores as decisions (bool): the best category with one label each, else every one above its threshold."""
        if self.categories_.single:
            return np.asarray(np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None])
        return np.asarray(scores > self.thresholds_)

    def _told(self, y: Any, n: int) -> Categories:
        """Labels of n members as categories: as many as members, of two or more, and of one kind or another."""
        owner = type(self).__name__
        if y is None:
            raise DataError(
                f"{owner} requires y to be passed, but the target y is None: one label (or list) per member."
            )
        said = Categories.of(y, owner=owner)
        if len(said) != n:
            raise DataError(
                f"there are {n} members and {len(said)} labels; give as many.", owner=owner
            )
        if said.single and int((said.sizes > 0).sum()) < 2:
            only = said.names[int(said.sizes.argmax())]
            raise DataError(
                f"all labeled members have one label ({only!r}), one class; at least two are needed.",
                owner=owner,
            )
        if int(said.known.sum()) < 2:
            raise DataError(
                f"{owner} needs at least 2 labeled members, and {int(said.known.sum())} of {n} has a label."
            )
        return said

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def odd_categories(said: Categories, who: str) -> list[str]:
    """Sentences on categories that hold none, or all, of the members learned from; `who` is what these are called."""
    sizes = said.indicator.sum(axis=0)
    n = len(said)
    found = (
        ("No", sizes == 0, "not learned, and never given"),
        ("Every", (sizes == n) & (sizes > 0), "not learned, and always given"),
    )
    return [
        f"{which} {who} is in {listed(said.names, marks)}: {then}."
        for which, marks, then in found
        if marks.any()
    ]


def listed(names: Sequence[Any], marks: np.ndarray) -> str:
    """The names that are marked, eight at most."""
    chosen = [str(name) for name, mark in zip(names, marks, strict=True) if mark]
    more = f" and {len(chosen) - _SHOWN} more" if len(chosen) > _SHOWN else ""
    return f"{', '.join(chosen[:_SHOWN])}{more}"

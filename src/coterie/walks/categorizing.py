"""Labels of some members given to all others: how well that works on members held back, how sure each label is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.hints import Hints
from coterie.core.random import stream
from coterie.organize.categorize import Categorize
from coterie.organize.labels_of import Categories
from coterie.parts.folds import dealt
from coterie.parts.pairwise import in_order
from coterie.walks.telling import snippet
from coterie.walks.text_features import chosen, featured
from coterie.walks.validated import Measured, Sureness, measured, sureness

_LEAST = 4  # labeled members
_DOUBT = 0.7  # confidence below which a label is doubtful
_CLASSIFIERS = {
    "svm": "A support vector machine",
    "logistic": "Logistic regression",
    "knn": "The nearest labeled members",
    "bayes": "Naive Bayes",
    "centroid": "The nearest mean",
}


@dataclass(frozen=True, eq=False)
class Categorized:
    """What was given to whom, as plain values; members by position everywhere."""

    name: str
    ids: Sequence[str]
    snippets: Sequence[str]
    labels: tuple[tuple[str, ...], ...]  # per member: the given labels where there were some, else those found
    labeled: np.ndarray  # whether the labels of a member were given
    confidence: np.ndarray  # per member without labels the estimated chance that what was found is right; 1 where given
    odd: tuple[tuple[int, tuple[str, ...]], ...]  # labeled members of whom the others say something else, the oddest first
    measures: Measured  # by cross-validation over the labeled members
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int((~self.labeled).sum())

    @property
    def found(self) -> np.ndarray:
        """Positions of the members that got labels here, the surest first."""
        rest = np.flatnonzero(~self.labeled)
        return rest[np.argsort(-self.confidence[rest], kind="stable")]

    @property
    def doubtful(self) -> np.ndarray:
        """Positions of those whose label is as likely wrong as not, or nearly so, the most doubtful first."""
        order = self.found[::-1]
        return order[self.confidence[order] < _DOUBT]

    def rows(self) -> list[dict[str, Any]]:
        """One row per member in the order of the collection: id, label, confidence, given."""
        return [
            {
                "id": self.ids[at],
                "label": "; ".join(self.labels[at]),
                "confidence": round(float(self.confidence[at]), 4),
                "given": int(self.labeled[at]),
            }
            for at in range(len(self.ids))
        ]

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        odd = [{"id": self.ids[at], "label": list(self.labels[at]), "others_say": list(other)} for at, other in self.odd]
        said = {"name": self.name, "sentences": list(self.sentences), "notes": list(self.notes)}
        return {**said, "measures": self.measures.record(), "odd": odd, "members": self.rows()}

    def __repr__(self) -> str:
        return f"Categorized({len(self)} of {len(self.ids)} members of '{self.name}' labeled)"


def categorized(
    source: Any,
    labels: Mapping[Any, Any],
    *,
    features: str = "auto",
    classifier: str = "svm",
    kernel: str = "linear",
    folds: int = 5,
    view: str | None = None,
    seed: int = 0,
) -> Categorized:
    """Learn from the labeled members of a collection (whatever `read` takes) and label all the others.

    `labels` are by id, one per member (a word or a whole number), or a list of several. Representations are learned from all members without labels. The
    measures are of members that neither the classifier nor the choice of its settings saw.
    """
    collection = source if isinstance(source, Collection) else read(source)
    given = _given(collection, labels)
    known = np.flatnonzero(given.known)
    how = chosen(features, collection.kind, len(known) / len(given), classifier)
    rows, words = featured(collection, view, how, seed)
    model = Categorize(classifier=classifier, kernel=kernel, folds=folds, random_state=seed)
    model.check_params()
    unseen = _unseen(model, rows[known], given.take(known), folds, seed)
    found = model.fit(rows, given)
    sure = sureness(unseen.decided, unseen.scores, unseen.thresholds, given.indicator[known], given.single)
    scores = found.scores(rows)
    decided, confidence = found.decided(scores), sure.of(scores, np.tile(found.thresholds_, (len(scores), 1)))
    decided[known], confidence[known] = given.indicator[known], 1.0
    measures = measured(given.take(known), unseen.decided, seed)
    said = tuple(tuple(str(given.names[k]) for k in np.flatnonzero(row)) for row in decided)
    parts = _sentences(collection.name, given, measures, classifier, words, confidence)
    notes = (*collection.notes, *found.notes_, *measures.notes)
    odd = _odd(unseen, given, known, sure)
    return Categorized(
        collection.name, collection.ids, snippet(collection, collection.main if view is None else view), said, given.known.copy(),
        confidence, odd, measures, parts, notes,
    )  # fmt: skip


def _given(collection: Collection, labels: Mapping[Any, Any]) -> Categories:
    """Labels of a mapping as categories of all members; ids that are nobody are named."""
    if not labels:
        raise DataError("No member is labeled; give the labels of some.")
    by_id = {str(member): label for member, label in labels.items()}  # ids are words, whatever they were read from
    if len(by_id) < len(labels):
        raise DataError("categorize: an id is labeled twice, as a number and as a word; give each member once.")
    Hints.of(collection.ids, dict.fromkeys(by_id, "labeled"))  # refuses ids that are nobody
    rows: list[Any] = [by_id.get(member) for member in collection.ids]
    if any(_several(row) for row in rows):
        rows = [row if row is None else list(row) if _several(row) else [row] for row in rows]
    given = Categories.of(rows, owner="categorize")
    labeled = int(given.known.sum())
    if labeled < _LEAST:
        raise DataError(f"Only {labeled} members are labeled; at least {_LEAST} are needed to learn and to measure.")
    return given


def _several(label: Any) -> bool:
    return isinstance(label, (list, tuple, set, frozenset, np.ndarray))


@dataclass(frozen=True, slots=True, eq=False)
class _Unseen:
    """Scores, thresholds and decisions on every labeled member by models that did not see it."""

    scores: np.ndarray
    thresholds: np.ndarray
    decided: np.ndarray


def _unseen(model: Categorize, rows: Any, given: Categories, folds: int, seed: int) -> _Unseen:
    """Every labeled member by a model for which nothing, its settings and thresholds included, was chosen on it."""
    from sklearn.base import clone

    n, k = given.indicator.shape
    fold = dealt(given.indicator, min(folds, n), stream(seed, 8))
    scores, cuts, decided = np.full((n, k), -np.inf), np.zeros((n, k)), np.zeros((n, k), dtype=bool)

    def part(at: int) -> tuple[np.ndarray, Categorize | None, Any]:
        test = np.flatnonzero(fold == at)
        taught = given.take(fold != at)
        if given.single and int((taught.sizes > 0).sum()) < 2:
            return test, None, None
        fitted = clone(model).fit(rows[np.flatnonzero(fold != at)], taught)
        return test, fitted, fitted.scores(rows[test])

    for test, fitted, values in in_order(part, list(range(int(fold.max()) + 1)), "cross-validation"):
        if fitted is not None:
            scores[test], cuts[test], decided[test] = values, fitted.thresholds_, fitted.decided(values)
    return _Unseen(scores, cuts, decided)


def _odd(unseen: _Unseen, given: Categories, known: np.ndarray, sure: Sureness) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Labeled members of whom a model that did not see them says something else and is sure of it."""
    differ = (unseen.decided != given.indicator[known]).any(axis=1) & unseen.decided.any(axis=1)
    confident = sure.of(unseen.scores, unseen.thresholds)
    order = [at for at in np.argsort(-confident, kind="stable") if differ[at] and confident[at] >= _DOUBT]
    return tuple((int(known[at]), tuple(str(given.names[k]) for k in np.flatnonzero(unseen.decided[at]))) for at in order)


def _sentences(
    name: str, given: Categories, measures: Measured, classifier: str, words: str, confidence: np.ndarray
) -> tuple[str, ...]:
    n, known = len(given), int(given.known.sum())
    rest = confidence[~given.known]
    first = f"{n - known} of {n} members of '{name}' got labels, learned from the {known} that were labeled."
    if known == n:
        first = f"All {n} members of '{name}' are labeled already; this is how well the labels can be told."
    said = [first, f"{_CLASSIFIERS[classifier]} learned {given.n_categories} categories from {words}.", *measures.sentences()]
    if len(rest):
        doubtful = int((rest < _DOUBT).sum())
        said.append(
            f"The new labels are right with an estimated chance of {rest.mean():.0%} on average; {doubtful} of {len(rest)} are "
            f"doubtful (below {_DOUBT:.0%})."
        )
    return tuple(said)

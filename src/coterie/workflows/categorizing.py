"""Labels of some members given to all others: how well that works on members held back, how sure each label is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.random import stream
from coterie.organize.categorize import Categorize
from coterie.organize.labels_of import Categories
from coterie.parts.folds import dealt
from coterie.parts.workers import in_order
from coterie.workflows.describe import snippets
from coterie.workflows.given_labels import given_labels, useful_folds
from coterie.workflows.text_features import chosen, featured
from coterie.workflows.validated import Measured, clearness, margins, measured, sureness

_DOUBTFUL = 0.1  # share of the new labels that is called doubtful: those with the least chance
_SURE = 0.7  # chance of being right from which the other members speak against a given label
_TYPICAL = 2_000  # members at most whose margins say what margin is typical of a model
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
    labels: tuple[
        tuple[str, ...], ...
    ]  # per member: the given labels where there were some, else those found
    labeled: np.ndarray  # whether the labels of a member were given
    confidence: (
        np.ndarray
    )  # per member without labels the estimated chance that what was found is right; 1 where given
    odd: tuple[
        tuple[int, tuple[str, ...]], ...
    ]  # labeled members of whom the others say something else, the oddest first
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
        """Positions of the tenth of the new labels with the least chance, the least first; none where all have the same."""
        order = self.found[::-1]
        chance = self.confidence[order]
        if not len(order) or chance[-1] - chance[0] < 0.005:
            return order[:0]
        return order[: max(1, round(_DOUBTFUL * len(order)))]

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
        odd = [
            {"id": self.ids[at], "label": list(self.labels[at]), "others_say": list(other)}
            for at, other in self.odd
        ]
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
    labels_name: str = "the labels",
) -> Categorized:
    """Learn from the labeled members of a collection (whatever `read` takes) and label all the others.

    `labels` are by id, one per member (a word or a whole number), or a list of several; sentences call them `labels_name`.
    Representations are learned from all members without labels. The measures are of members that neither the classifier nor the
    choice of its settings saw.
    """
    collection = source if isinstance(source, Collection) else read(source)
    given, said_of = given_labels(collection, labels, labels_name)
    known = np.flatnonzero(given.known)
    parts, capped = useful_folds(folds, len(known))
    how = chosen(features, collection.kind, len(known) / len(given), classifier)
    rows, words = featured(collection, view, how, seed)
    model = Categorize(classifier=classifier, kernel=kernel, folds=parts, random_state=seed)
    model.check_params()
    unseen = _unseen(model, rows, given, parts, seed)
    found = model.fit(rows, given)
    sure = sureness((unseen.decided == given.indicator[known]).all(axis=1), unseen.clear)
    scores = found.scores(rows)
    decided = found.decided(scores)
    confidence = sure.of(_clear(found, scores, given.single, _some(len(given), seed)))
    decided[known] = given.indicator[known]
    confidence[known] = 1.0
    measures = measured(given.take(known), unseen.decided, seed)
    said = tuple(tuple(str(given.names[k]) for k in np.flatnonzero(row)) for row in decided)
    sentences = _sentences(collection.name, given, measures, classifier, words, confidence)
    notes = (*collection.notes, *said_of, *capped, *found.notes_, *measures.notes)
    odd = _odd(unseen, given, known, sure.of(unseen.clear))
    return Categorized(
        collection.name,
        collection.ids,
        snippets(collection, collection.main if view is None else view),
        said,
        given.known.copy(),
        confidence,
        odd,
        measures,
        sentences,
        notes,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Unseen:
    """Decisions on every labeled member by models that did not see it, and how clear they were."""

    decided: np.ndarray
    clear: np.ndarray


def _unseen(model: Categorize, rows: Any, given: Categories, folds: int, seed: int) -> _Unseen:
    """Every labeled member by a model for which nothing, its settings and thresholds included, was chosen on it."""
    from sklearn.base import clone

    known = np.flatnonzero(given.known)
    fold = dealt(given.indicator[known], folds, stream(seed, 8))
    some = _some(len(given), seed)
    clear = np.zeros(len(known))
    decided = np.zeros((len(known), given.n_categories), dtype=bool)

    def part(at: int) -> tuple[np.ndarray, Any]:
        test = np.flatnonzero(fold == at)
        taught = given.take(known[fold != at])
        if given.single and int((taught.sizes > 0).sum()) < 2:
            return test, None
        fitted = clone(model).fit(rows[known[fold != at]], taught)
        scores = fitted.scores(rows[np.concatenate([known[test], some])])
        told = np.arange(len(test), len(scores))
        return test, (
            fitted.decided(scores)[: len(test)],
            _clear(fitted, scores, given.single, told)[: len(test)],
        )

    for test, values in in_order(part, list(range(int(fold.max()) + 1)), "cross-validation"):
        if values is not None:
            decided[test], clear[test] = values
    return _Unseen(decided, clear)


def _some(n: int, seed: int) -> np.ndarray:
    """Positions of the members whose margins say what is typical: all, or as many as are enough."""
    return (
        np.arange(n)
        if n <= _TYPICAL
        else np.sort(stream(seed, 11).choice(n, _TYPICAL, replace=False))
    )


def _clear(fitted: Categorize, scores: np.ndarray, single: bool, some: np.ndarray) -> np.ndarray:
    """How clear each decision of a model is, over its median margin on some members: settings change the size of scores."""
    cuts = np.tile(fitted.thresholds_, (len(scores), 1))
    typical = float(np.median(margins(scores[some], cuts[some], single)))
    return clearness(scores, cuts, single, typical)


def _odd(
    unseen: _Unseen, given: Categories, known: np.ndarray, sure: np.ndarray
) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Labeled members of whom a model that did not see them says something else and is sure of it."""
    differ = (unseen.decided != given.indicator[known]).any(axis=1) & unseen.decided.any(axis=1)
    order = [at for at in np.argsort(-sure, kind="stable") if differ[at] and sure[at] >= _SURE]
    return tuple(
        (int(known[at]), tuple(str(given.names[k]) for k in np.flatnonzero(unseen.decided[at])))
        for at in order
    )


def _sentences(
    name: str,
    given: Categories,
    measures: Measured,
    classifier: str,
    words: str,
    confidence: np.ndarray,
) -> tuple[str, ...]:
    n = len(given)
    known = int(given.known.sum())
    rest = confidence[~given.known]
    first = f"{n - known:,} of {n:,} members of '{name}' got labels, learned from the {known:,} that were labeled."
    if known == n:
        first = f"All {n:,} members of '{name}' are labeled already; this is how well the labels can be told."
    said = [
        first,
        f"{_CLASSIFIERS[classifier]} learned {given.n_categories} categories from {words}.",
        *measures.sentences(),
    ]
    if len(rest):
        low, high = np.quantile(rest, (0.1, 0.9))
        spread = (
            f", and from {low:.0%} to {high:.0%} for most of them" if high - low >= 0.01 else ""
        )
        said.append(
            f"A new label is right with an estimated chance of {rest.mean():.0%} on average{spread}."
        )
    return tuple(said)

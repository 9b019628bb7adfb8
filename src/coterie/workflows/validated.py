"""How well labels were told that nobody had shown: F1 and accuracy with intervals, and how sure a score makes a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.random import stream
from coterie.judge.decisions import Decisions, decisions
from coterie.organize.labels_of import Categories

_DRAWS = 2_000
_FEW = 30  # labeled members below which an interval is said to be rough
_CLEAREST = 10.0  # typical margins, from which clearer is not surer
_FIRST = {  # one label each or several -> the first measure, and where it is: with one label each recall is accuracy
    True: ("accuracy", "micro_recall"),
    False: ("micro-F1", "micro_f1"),
}


@dataclass(frozen=True, slots=True)
class Value:
    """A measure and its 95% interval."""

    name: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.name} {self.value:.2f} (95% interval {self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True, eq=False)
class Measured:
    """Measures over the labeled members, and precision, recall and F1 per category."""

    n: int
    values: tuple[Value, ...]
    categories: tuple[
        tuple[str, int, float, float, float], ...
    ]  # name, labeled members, precision, recall, F1
    most_frequent: (
        float  # what always giving the most frequent label would reach in the first measure
    )
    notes: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """What they say, in words."""
        told = " and ".join(map(str, self.values))
        first = self.values[0]
        plain = f"Always giving the most frequent label would reach {first.name} {self.most_frequent:.2f}."
        return [f"On labeled members that were held back ({self.n:,} in all): {told}.", plain]

    def record(self) -> dict[str, Any]:
        """As plain values."""
        values = {
            one.name: {"value": one.value, "low": one.low, "high": one.high} for one in self.values
        }
        each = [
            {"category": name, "labeled": n, "precision": _plain(p), "recall": _plain(r), "f1": f}
            for name, n, p, r, f in self.categories
        ]
        return {
            "members": self.n,
            "measures": values,
            "most_frequent_label": self.most_frequent,
            "categories": each,
        }


def measured(given: Categories, decided: np.ndarray, seed: int = 0) -> Measured:
    """Measures of decisions on labeled members, with intervals: the wider of two, so that all right is not called certain.

    One draws the members again, 2,000 times; the other draws the measures from what their counts leave open (the probabilistic
    F1 of Goutte and Gaussier, with half a count each before any is seen).
    """
    yes = given.indicator
    n = len(given)
    weights = stream(seed, 9).multinomial(n, np.full(n, 1.0 / n), size=_DRAWS).astype(np.float64)
    whole = decisions(decided, yes, given.names)
    again = _weighed(weights, decided, yes, given.names)
    measures = (_FIRST[given.single], ("macro-F1", "macro_f1"))
    found = []
    for name, of in measures:
        open_to = _likely(name, decided, yes, stream(seed, 10))
        ends = np.quantile(np.stack([_value(again, of), open_to]), (0.025, 0.975), axis=1)
        found.append(
            Value(name, float(_value(whole, of)), float(ends[0].min()), float(ends[1].max()))
        )
    always = np.zeros_like(yes)
    always[:, int(yes.sum(axis=0).argmax())] = True
    base = float(_value(decisions(always, yes), measures[0][1]))
    notes = (
        [f"{n:,} labeled members make a rough measure; label some more to be sure."]
        if n < _FEW
        else []
    )
    notes.append(
        "The interval is of members labeled at random; where only the easy ones were labeled, the rest goes worse."
    )
    each = zip(
        given.names,
        yes.sum(axis=0),
        whole.precision,
        whole.recall,
        np.nan_to_num(whole.f1),
        strict=True,
    )
    rows = tuple(
        (str(name), int(size), float(p), float(r), float(f)) for name, size, p, r, f in each
    )
    return Measured(n, tuple(found), rows, base, tuple(notes))


def _weighed(
    weights: np.ndarray, decided: np.ndarray, yes: np.ndarray, names: tuple[Any, ...]
) -> Decisions:
    """The counts of decisions with members weighed, a row of counts per row of weights."""
    tables = (decided & yes, decided & ~yes, ~decided & yes, ~decided & ~yes)
    return Decisions(names, *(weights @ table.astype(np.float64) for table in tables))


def _value(found: Decisions, of: str) -> Any:
    """A measure by its name in `Decisions`; 0 where no category has a member."""
    return np.nan_to_num(getattr(found, of))


def _likely(
    name: str, decided: np.ndarray, yes: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Draws of a measure given the counts: a share from its Beta law, F1 as U / (U + V) of two Gamma laws."""
    hits = decided & yes
    if name == "accuracy":
        right = float(hits.any(axis=1).sum())
        return generator.beta(right + 0.5, len(hits) - right + 0.5, size=_DRAWS)
    right = hits.sum(axis=0)
    missed = (decided != yes).sum(axis=0)
    right, missed = (
        (right.sum(keepdims=True), missed.sum(keepdims=True))
        if name == "micro-F1"
        else (right, missed)
    )
    present = yes.any(axis=0) if name == "macro-F1" else np.array([True])
    u = generator.gamma(right[present] + 0.5, 2.0, size=(_DRAWS, int(present.sum())))
    v = generator.gamma(missed[present] + 1.0, 1.0, size=(_DRAWS, int(present.sum())))
    return np.asarray((u / (u + v)).mean(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Sureness:
    """The chance that a decision is right by how clear it is: a logistic curve, or one number where a curve has nothing to go by.

    On the members it was learned from, the mean chance is the share of right decisions: what is said of single members does not
    contradict what was measured on all of them.
    """

    slope: float
    offset: float

    def of(self, clear: np.ndarray) -> np.ndarray:
        """One chance per member."""
        return np.asarray(
            1.0 / (1.0 + np.exp(-(self.slope * np.minimum(clear, _CLEAREST) + self.offset)))
        )


def margins(scores: np.ndarray, thresholds: np.ndarray, single: bool) -> np.ndarray:
    """How clear a decision is: the best score less the next, or the least distance of a score from its threshold."""
    finite = np.clip(scores, -1e3, 1e3)
    if single:
        ranked = np.sort(finite, axis=1)
        return np.asarray(ranked[:, -1] - ranked[:, -2])
    return np.asarray(np.abs(finite - thresholds).min(axis=1))


def clearness(
    scores: np.ndarray, thresholds: np.ndarray, single: bool, typical: float
) -> np.ndarray:
    """Margins over the typical margin of the same model, so that those of models with other settings can be compared."""
    return margins(scores, thresholds, single) / max(typical, 1e-12)


def sureness(right: np.ndarray, clear: np.ndarray) -> Sureness:
    """Learn from held-back members, right or not, how often decisions so clear are right."""
    from sklearn.linear_model import LogisticRegression

    base = (right.sum() + 1.0) / (len(right) + 2.0)
    flat = Sureness(0.0, float(np.log(base / (1.0 - base))))
    if right.all() or not right.any():
        return flat
    model = LogisticRegression(tol=1e-8).fit(np.minimum(clear, _CLEAREST)[:, None], right)
    slope = float(model.coef_[0, 0])
    return Sureness(slope, float(model.intercept_[0])) if slope > 0 else flat


def _plain(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None

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
    categories: tuple[tuple[str, int, float, float, float], ...]  # name, labeled members, precision, recall, F1
    most_frequent: float  # what always giving the most frequent label would reach in the first measure
    notes: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """What they say, in words."""
        told = " and ".join(map(str, self.values))
        first = self.values[0]
        plain = f"Always giving the most frequent label would reach {first.name} {self.most_frequent:.2f}."
        return [f"On labeled members that were held back ({self.n} in all): {told}.", plain]

    def record(self) -> dict[str, Any]:
        """As plain values."""
        values = {one.name: {"value": one.value, "low": one.low, "high": one.high} for one in self.values}
        each = [
            {"category": name, "labeled": n, "precision": _plain(p), "recall": _plain(r), "f1": f}
            for name, n, p, r, f in self.categories
        ]
        return {"members": self.n, "measures": values, "most_frequent_label": self.most_frequent, "categories": each}


def measured(given: Categories, decided: np.ndarray, seed: int = 0) -> Measured:
    """Measures of decisions on labeled members, with intervals: the wider of two, so that all right is not called certain.

    One draws the members again, 2,000 times; the other draws the measures from what their counts leave open (the probabilistic
    F1 of Goutte and Gaussier, with half a count each before any is seen).
    """
    yes, n = given.indicator, len(given)
    weights = stream(seed, 9).multinomial(n, np.full(n, 1.0 / n), size=_DRAWS).astype(np.float64)
    ones = np.ones((1, n))
    found = []
    for name, of in (("accuracy", _share) if given.single else ("micro-F1", _micro), ("macro-F1", _macro)):
        drawn = of(_drawn(weights, decided, yes))
        open_to = _likely(name, decided, yes, stream(seed, 10))
        ends = np.quantile(np.stack([drawn, open_to]), (0.025, 0.975), axis=1)
        found.append(Value(name, float(of(ones, hits, taken, yes)[0]), float(ends[0].min()), float(ends[1].max())))
    sizes = yes.sum(axis=0)
    always = np.zeros_like(yes)
    always[:, int(sizes.argmax())] = True
    base = (_share if given.single else _micro)(ones, yes & always, always, yes)[0]
    notes = [f"{n} labeled members make a rough measure; label some more to be sure."] if n < _FEW else []
    notes.append("The interval is of members labeled at random; where only the easy ones were labeled, the rest goes worse.")
    return Measured(n, tuple(found), _each(given, hits, taken), float(base), tuple(notes))


def _each(given: Categories, hits: np.ndarray, taken: np.ndarray) -> tuple[tuple[str, int, float, float, float], ...]:
    rows = []
    for at, name in enumerate(given.names):
        right, said, there = int(hits[:, at].sum()), int(taken[:, at].sum()), int(given.indicator[:, at].sum())
        precision, recall = (right / said if said else np.nan), (right / there if there else np.nan)
        rows.append((str(name), there, precision, recall, 2.0 * right / (said + there) if said + there else 0.0))
    return tuple(rows)


def _likely(name: str, hits: np.ndarray, taken: np.ndarray, yes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Draws of a measure given the counts: a share from its Beta law, F1 as U / (U + V) of two Gamma laws."""
    if name == "accuracy":
        right = float(hits.any(axis=1).sum())
        return generator.beta(right + 0.5, len(hits) - right + 0.5, size=_DRAWS)
    right, missed = hits.sum(axis=0), (taken != yes).sum(axis=0)
    right, missed = (right.sum(keepdims=True), missed.sum(keepdims=True)) if name == "micro-F1" else (right, missed)
    present = yes.any(axis=0) if name == "macro-F1" else np.array([True])
    u = generator.gamma(right[present] + 0.5, 2.0, size=(_DRAWS, int(present.sum())))
    v = generator.gamma(missed[present] + 1.0, 1.0, size=(_DRAWS, int(present.sum())))
    return np.asarray((u / (u + v)).mean(axis=1))


def _share(weights: np.ndarray, hits: np.ndarray, taken: np.ndarray, yes: np.ndarray) -> np.ndarray:
    """The share of members whose one label is right."""
    return np.asarray(weights @ hits.any(axis=1).astype(np.float64) / weights.sum(axis=1))


def _micro(weights: np.ndarray, hits: np.ndarray, taken: np.ndarray, yes: np.ndarray) -> np.ndarray:
    """F1 over all pairs of a member and a category."""
    right, both = weights @ hits.sum(axis=1), weights @ (taken.sum(axis=1) + yes.sum(axis=1))
    return np.divide(2.0 * right, both, out=np.zeros_like(right), where=both > 0)


def _macro(weights: np.ndarray, hits: np.ndarray, taken: np.ndarray, yes: np.ndarray) -> np.ndarray:
    """The mean F1 of the categories that have a member among those drawn."""
    right, said, there = (weights @ table.astype(np.float64) for table in (hits, taken, yes))
    each = np.divide(2.0 * right, said + there, out=np.zeros_like(right), where=said + there > 0)
    present = there > 0
    return np.asarray((each * present).sum(axis=1) / np.maximum(present.sum(axis=1), 1))


@dataclass(frozen=True, slots=True, eq=False)
class Sureness:
    """The chance that a decision is right by its margin: a logistic curve, or one number where a curve has nothing to go by."""

    slope: float
    offset: float
    scale: float
    single: bool

    def of(self, scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
        """One chance per member."""
        return np.asarray(
            1.0 / (1.0 + np.exp(-(self.slope * margins(scores, thresholds, self.single) / self.scale + self.offset)))
        )


def margins(scores: np.ndarray, thresholds: np.ndarray, single: bool) -> np.ndarray:
    """How clear a decision is: the best score less the next, or the least distance of a score from its threshold."""
    finite = np.clip(scores, -1e3, 1e3)
    if single:
        ranked = np.sort(finite, axis=1)
        return np.asarray(ranked[:, -1] - ranked[:, -2])
    return np.asarray(np.abs(finite - thresholds).min(axis=1))


def sureness(decided: np.ndarray, scores: np.ndarray, thresholds: np.ndarray, yes: np.ndarray, single: bool) -> Sureness:
    """Learn from held-back members how often decisions of a margin are right."""
    from sklearn.linear_model import LogisticRegression

    right = (decided == yes).all(axis=1)
    clear = margins(scores, thresholds, single)
    scale = max(float(np.median(clear)), 1e-12)
    base = (right.sum() + 1.0) / (len(right) + 2.0)
    flat = Sureness(0.0, float(np.log(base / (1.0 - base))), 1.0, single)
    if right.all() or not right.any():
        return flat
    model = LogisticRegression().fit(np.minimum(clear / scale, 10.0)[:, None], right)
    slope = float(model.coef_[0, 0])
    return Sureness(slope, float(model.intercept_[0]), scale, single) if slope > 0 else flat


def _plain(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None

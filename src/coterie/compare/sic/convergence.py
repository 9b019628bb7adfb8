"""When have enough classifiers voted: mean entropy, agreement with the end, split halves, and the rules that stop a run.

The similarity is always k / t here, whatever score is shown in the end, and only control iterations are looked at.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from coterie.compare.sic.codes import Codes
from coterie.compare.sic.pairs import drawn_pairs
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import Settings, kind_of, param

PAIRS = 200_000  # pairs looked at when nobody says otherwise: correlations are known to about 0.002
_MOST = 1_000_000  # and at most


def entropy(similarities: ArrayLike) -> float:
    """Mean over pairs of -s ln s - (1 - s) ln(1 - s); pairs never tested (NaN) are left out.

    >>> round(entropy([0.5, 1.0, 0.0, float("nan")]), 4)
    0.231
    """
    s = np.asarray(similarities, dtype=np.float64)
    s = s[~np.isnan(s)]
    if s.size == 0:
        return float("nan")
    if s.min() < 0 or s.max() > 1:
        raise DataError(
            f"Entropy is read off similarities from 0 to 1, and there is one of {s.min() if s.min() < 0 else s.max()}."
        )
    return float(-np.mean(xlogy(s, s) + xlogy(1.0 - s, 1.0 - s)))


def stepped_up(r: float) -> float:
    """Reliability of the whole from the correlation of its halves: 2 r / (1 + r)."""
    return 2.0 * r / (1.0 + r) if r > -1.0 else float("nan")


@dataclass(frozen=True, eq=False)
class Convergence:
    """What was seen after `iterations[j]` iterations; NaN where a correlation is not defined (nothing varies yet).

    `pearson` and `spearman` are against the end, with which the beginning shares iterations: without any signal they
    are sqrt(X / N) and not 0. `reliability` (odd against even iterations, stepped up) has no such flattery.
    """

    iterations: np.ndarray
    entropy: np.ndarray
    pearson: np.ndarray
    spearman: np.ndarray
    reliability: np.ndarray
    n_pairs: int
    missing: int = 0  # pairs never tested together

    @property
    def sentence(self) -> str:
        """Where it ended, in words."""
        last = self.reliability[-1]
        said = (
            f"a split-half reliability of {last:.3f}"
            if np.isfinite(last)
            else "no measurable reliability (nothing varies)"
        )
        return f"After {self.iterations[-1]} iterations the similarity has {said} and a mean entropy of {self.entropy[-1]:.4f}."


def curve(codes: Codes, every: int = 5, pairs: int = PAIRS, random_state: Any = 0) -> Convergence:
    """How the similarity settled, every so many iterations, on at most `pairs` pairs drawn once (all where there are fewer)."""
    if every < 1 or pairs < 1:
        raise ParameterError(
            f"every and pairs must be from 1, and were {every} and {pairs}.", owner="curve"
        )
    if codes.n_members < 2:
        raise DataError(f"Convergence is seen on pairs, and there are {codes.n_members} members.")
    chosen = (
        np.arange(codes.n_iterations) if codes.control is None else np.flatnonzero(codes.control)
    )
    if not chosen.size:
        raise DataError("There is no control iteration to see convergence on.")
    first, second = drawn_pairs(codes.n_members, min(pairs, _MOST), random_state)
    end = Tally(first, second)
    for i in chosen:
        end.add(codes.labels[i])
    last = end.shares()
    last_ranks = end.ranks()
    running = Tally(first, second)
    rows = []
    for done, i in enumerate(chosen, start=1):
        running.add(codes.labels[i])
        if done % every == 0 or done == chosen.size:
            now = running.shares()
            near = pearson(now, last), pearson(running.ranks(), last_ranks)
            rows.append((int(i) + 1, entropy(now), *near, stepped_up(pearson(*running.halves()))))
    at, mean, linear, ranked, halves = np.array(rows, dtype=np.float64).T
    return Convergence(
        at.astype(np.int64),
        mean,
        linear,
        ranked,
        halves,
        int(first.size),
        int(np.isnan(last).sum()),
    )


class Tally:
    """Running counts for fixed pairs: common codes and common tests, of all and of every second iteration."""

    def __init__(self, first: np.ndarray, second: np.ndarray) -> None:
        self.first = first
        self.second = second
        self.same = np.zeros((2, first.size))
        self.both = np.zeros((2, first.size), dtype=np.int32)
        self.n = 0

    def add(self, row: np.ndarray) -> None:
        """One more iteration: the codes of the members, -1 where not tested."""
        a = row.take(self.first)
        b = row.take(self.second)
        both = a >= 0
        both &= b >= 0
        same = a == b
        same &= both
        self.add_similarities(same, both)

    def add_similarities(self, s: np.ndarray, m: np.ndarray) -> None:
        """One more iteration: the similarity of each pair in it, and whether both were tested."""
        same = self.same[self.n % 2]
        both = self.both[self.n % 2]
        same += s if s.dtype == bool else np.where(m, s, 0.0)
        both += m
        self.n += 1

    def shares(self) -> np.ndarray:
        """k / t per pair, NaN where never tested together."""
        return _shares(self.same.sum(axis=0), self.both.sum(axis=0))

    def halves(self) -> tuple[np.ndarray, np.ndarray]:
        """The same from the first, third, fifth ... and from the other iterations."""
        return _shares(self.same[0], self.both[0]), _shares(self.same[1], self.both[1])

    def ranks(self) -> np.ndarray:
        """Average ranks of the shares; counted over the few values that k / t can take, where k is a whole number."""
        k = self.same.sum(axis=0)
        t = self.both.sum(axis=0)
        spot = k.astype(np.int64) * (self.n + 1) + t
        if self.n > 3000 or (np.floor(k) != k).any():
            from scipy.stats import rankdata

            return np.asarray(rankdata(_shares(k, t), nan_policy="omit"))
        counts = np.bincount(spot, minlength=(self.n + 1) ** 2)
        seen = np.flatnonzero(counts)
        values, group = np.unique(
            _shares(seen // (self.n + 1), seen % (self.n + 1)), return_inverse=True
        )
        sizes = np.bincount(group, weights=counts[seen], minlength=values.size)
        middle = np.cumsum(sizes) - (sizes - 1) / 2
        table = np.full(counts.size, np.nan)
        table[seen] = np.where(np.isnan(values), np.nan, middle)[group]
        return table[spot]


def _shares(k: np.ndarray, t: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(t > 0, k / t, np.nan)


def pearson(a: np.ndarray, b: np.ndarray) -> float:
    """Correlation over the pairs known on both sides; NaN where one side does not vary."""
    known = ~(np.isnan(a) | np.isnan(b))
    x, y = (a, b) if known.all() else (a[known], b[known])
    if x.size < 2 or x.min() == x.max() or y.min() == y.max():
        return float("nan")
    x = x - x.mean()
    y = y - y.mean()
    return float(np.clip((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()), -1.0, 1.0))


@dataclass(eq=False)
class Watcher:
    """Follows a run row by row in the order of the iterations; `history` holds (iterations, value) of every look."""

    rule: StopRule
    tally: Tally
    history: list[tuple[int, float]] = field(default_factory=list)

    @property
    def first(self) -> np.ndarray:
        """First members of the pairs looked at."""
        return self.tally.first

    @property
    def second(self) -> np.ndarray:
        """Second members of the pairs looked at."""
        return self.tally.second

    def add(self, row: np.ndarray) -> bool:
        """One more row of codes, -1 where not tested; True when the run may stop. A failed iteration (all -1) is passed over."""
        row = np.asarray(row)
        if not (row >= 0).any():
            return False
        self.tally.add(row)
        return self._look()

    def add_similarities(self, s: np.ndarray, m: np.ndarray) -> bool:
        """The same for profiles: the similarity of the pairs (first, second) in this iteration, and who was tested."""
        self.tally.add_similarities(np.asarray(s), np.asarray(m, dtype=bool))
        return self._look()

    def _look(self) -> bool:
        if self.tally.n % self.rule.every:
            return False
        self.history.append((self.tally.n, self.rule.value(self.tally)))
        return self.tally.n >= self.rule.least and self.rule.settled(self.history)


class StopRule(Settings):
    """Says while a run goes on whether it may stop."""

    every: int = param(5, "Iterations between two looks.", ge=1)
    least: int = param(30, "Iterations made in any case.", ge=1)
    pairs: int = param(
        PAIRS,
        "Pairs looked at; drawn once, all where there are fewer.",
        ge=1,
        le=_MOST,
        advanced=True,
    )

    def watch(self, n_members: int, random_state: Any = 0) -> Watcher:
        """A watcher for a run over so many members."""
        self.check_params()
        return Watcher(self, Tally(*drawn_pairs(n_members, self.pairs, random_state)))

    def value(self, tally: Tally) -> float:
        """What is measured at a look."""
        raise NotImplementedError(f"{type(self).__name__} does not define value")

    def settled(self, history: list[tuple[int, float]]) -> bool:
        """Whether the looks so far are enough."""
        raise NotImplementedError(f"{type(self).__name__} does not define settled")


class Entropy(StopRule):
    """Stop when the mean entropy of k / t has hardly moved several times in a row."""

    threshold: float = param(1e-4, "Largest move of the mean entropy between two looks.", gt=0)
    consecutive: int = param(
        3, "Looks in a row that must hardly move; a single one is noise.", ge=1
    )

    def value(self, tally: Tally) -> float:
        return entropy(tally.shares())

    def settled(self, history: list[tuple[int, float]]) -> bool:
        recent = np.array([value for _, value in history[-self.consecutive - 1 :]])
        return len(recent) > self.consecutive and bool(
            (np.abs(np.diff(recent)) < self.threshold).all()
        )


class Reliability(StopRule):
    """Stop when the similarities from odd and from even iterations agree: 2 r / (1 + r) reaches a level."""

    level: float = param(0.95, "Split-half reliability that is enough.", gt=0, lt=1)

    def value(self, tally: Tally) -> float:
        return stepped_up(pearson(*tally.halves()))

    def settled(self, history: list[tuple[int, float]]) -> bool:
        return history[-1][1] >= self.level


def stop_rule(value: Any) -> StopRule | None:
    """None (never), a number (the entropy threshold) or a rule itself, as a rule."""
    if value is None:
        return None
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        value = Entropy(threshold=float(value))
    if not isinstance(value, StopRule):
        raise ParameterError(
            f"stop must be None, an entropy threshold such as 0.0001, Entropy() or Reliability(), not {kind_of(value)}."
        )
    value.check_params()
    return value

"""Graphs that were tried, ranked: the table, which one is taken, and in words what helps and what hurts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import need
from coterie.organize.comraf.tables_report import aligned

Graph = tuple[tuple[str, str], ...]
_SURE = 3.0  # standard errors that are beyond chance


def spelled(graph: Graph) -> str:
    """A graph as the estimators take it: 'members-words, members-people'."""
    return ", ".join(f"{one}-{other}" for one, other in graph)


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What was measured of one graph, before it is compared with others."""

    graph: Graph
    weights: str
    tables: tuple[str, ...]  # of the target
    agreed: np.ndarray  # stability, by split
    told: np.ndarray  # share of the information of held-out counts, splits x tables
    chance: np.ndarray  # how much that share scatters with random groups, by table
    alone: np.ndarray | None = (
        None  # tables x (share, scatter) that clusters of this one table tell, on all counts
    )
    seconds: float = 0.0
    accuracy: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphRow:
    """How one graph did; estimators take `graph=row.graph, weights=row.weights`."""

    graph: Graph
    weights: str
    stability: float  # adjusted Rand index of the clusters found in one half of the members and given to the other
    held_out: Mapping[
        str, float
    ]  # by table: the share of the information in counts held out that the clusters tell
    tells: float  # mean over the tables of that share over the best graph's
    score: float
    seconds: float
    accuracy: float | None = None  # on the labels, where enough were given
    notes: tuple[str, ...] = ()

    @property
    def populations(self) -> frozenset[str]:
        return frozenset(name for pair in self.graph for name in pair)

    def rank(self, by_labels: bool) -> float:
        """What rows are ranked by."""
        return self.accuracy if by_labels and self.accuracy is not None else self.score


@dataclass(frozen=True, slots=True)
class GraphChoice:
    """Every graph that was tried, the best first; `print(choice)` shows the table, `sentences()` what helps and what hurts."""

    rows: tuple[GraphRow, ...]
    best: GraphRow
    target: str
    by_labels: bool
    scatter: float  # standard error of the difference of two scores: what is no clear difference
    unrelated: tuple[
        str, ...
    ] = ()  # populations that tell nothing clear of the others, nor the others of them
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, trials: Sequence[Trial], target: str, by_labels: bool, notes: tuple[str, ...] = ()
    ) -> GraphChoice:
        """Rows ranked; the best is the smallest graph not clearly worse than the first of those without unrelated populations."""
        unrelated = _unrelated(trials, target)
        tells = _tells(trials, [name not in unrelated for name in _others(trials[0], target)])
        scores = (np.array([trial.agreed for trial in trials]) + tells) / 2.0
        rows = [
            _row(*parts)
            for parts in zip(trials, tells.mean(axis=1), scores.mean(axis=1), strict=True)
        ]
        ranked = sorted(rows, key=lambda row: (-row.rank(by_labels), len(row.graph)))
        scatter = 0.0 if by_labels else _scatter(scores)
        fewest = min(len(row.populations) for row in ranked)
        good = [row for row in ranked if by_labels or not row.populations & set(unrelated)]
        good = good or [row for row in ranked if len(row.populations) == fewest]
        near = [row for row in good if row.rank(by_labels) >= good[0].rank(by_labels) - scatter]
        best = min(
            near, key=lambda row: (len(row.populations), len(row.graph), -row.rank(by_labels))
        )
        return cls(tuple(ranked), best, target, by_labels, scatter, unrelated, notes)

    def records(self) -> list[dict[str, Any]]:
        """One plain dict per graph, the best first."""
        return [
            {
                "best": row is self.best,
                "graph": spelled(row.graph),
                "weights": row.weights,
                "score": row.score,
                "stability": row.stability,
                "tells": row.tells,
                **{f"held out {name}": share for name, share in row.held_out.items()},
                "accuracy": row.accuracy,
                "seconds": row.seconds,
                "notes": " ".join(row.notes),
            }
            for row in self.rows
        ]

    def frame(self) -> Any:
        """One row per graph as a pandas frame."""
        return need("pandas", extra="all").DataFrame(self.records())

    def to_text(self, most: int | None = 20) -> str:
        """Aligned columns, the best graphs first; of more than `most` only the first are shown."""
        tables = list(self.best.held_out)
        labeled = ["accuracy"] if self.by_labels else []
        head = [
            "",
            "graph",
            "weights",
            *labeled,
            "score",
            "stability",
            "tells",
            *(f"of {name}" for name in tables),
            "seconds",
        ]
        shown = [
            row for at, row in enumerate(self.rows) if most is None or at < most or row is self.best
        ]
        lines = [
            [
                "*" if row is self.best else "",
                spelled(row.graph),
                row.weights,
                *([f"{row.accuracy:.3f}"] if self.by_labels else []),
                f"{row.score:.3f}",
                f"{row.stability:.3f}",
                f"{row.tells:.3f}",
                *(f"{row.held_out[name]:.1%}" for name in tables),
                f"{row.seconds:.1f}",
            ]
            for row in shown
        ]
        left = (
            f"{len(self.rows) - len(shown)} more graphs did worse.\n"
            if len(shown) < len(self.rows)
            else ""
        )
        return aligned([head, *lines]) + left

    def __str__(self) -> str:
        return self.to_text() + "\n" + "\n".join(self.sentences()) + "\n"

    def sentences(self) -> list[str]:
        """What was chosen, what each population and table between helpers does to it, and what else a person should know."""
        best = self.best
        what = "accuracy" if self.by_labels else "score"
        top = self.rows[0]
        reached = f"{best.rank(self.by_labels):.3f}"
        said = [
            f"Of {len(self.rows)} graphs tried, {spelled(best.graph)} (weights: {best.weights}) is the choice: {what} {reached}."
        ]
        said += [
            f"{name} tells nothing clear of the others, nor they of it: it counts as unrelated."
            for name in self.unrelated
        ]
        if top.populations & set(self.unrelated) and not self.by_labels:
            said.append(
                f"{spelled(top.graph)} has {top.score:.3f}, and was not taken because of what is unrelated in it."
            )
        elif top is not best:
            highest = f"{spelled(top.graph)} has {top.rank(self.by_labels):.3f}"
            said.append(
                f"{highest}, no clear difference (below {self.scatter:.3f}): the smaller of two alike is taken."
            )
        for name in dict.fromkeys(name for row in self.rows for pair in row.graph for name in pair):
            if name != self.target:
                said += self._effect(name, lambda row, name=name: name in row.populations)  # type: ignore[misc]
        for pair in dict.fromkeys(pair for row in self.rows for pair in row.graph):
            if self.target not in pair and not set(pair) & set(self.unrelated):
                both = [row for row in self.rows if set(pair) <= row.populations]
                said += self._effect("-".join(pair), lambda row, pair=pair: pair in row.graph, both)  # type: ignore[misc]
        several = [row for row in self.rows if len(row.graph) > 1]
        for rule in dict.fromkeys(
            row.weights for row in several if row.weights != several[0].weights
        ):
            said += self._effect(
                f"The rule of weights '{rule}'",
                lambda row, rule=rule: row.weights == rule,  # type: ignore[misc]
                several,
            )
        said += list(
            dict.fromkeys(
                f"{spelled(row.graph)}: {note}" for row in self.rows for note in row.notes
            )
        )[:5]
        return said + list(self.notes)

    def _effect(
        self, name: str, has: Callable[[GraphRow], bool], among: Sequence[GraphRow] | None = None
    ) -> list[str]:
        """The best with something against the best without it."""
        rows = self.rows if among is None else among
        sides = [
            [row.rank(self.by_labels) for row in rows if has(row) is side] for side in (True, False)
        ]
        if not all(sides):
            return []
        with_it = max(sides[0])
        without = max(sides[1])
        gain = with_it - without
        verdict = (
            "makes no clear difference"
            if abs(gain) <= self.scatter
            else "helps"
            if gain > 0
            else "hurts"
        )
        return [
            f"{name} {verdict}: the best graph with it has {with_it:.3f}, the best without it {without:.3f}."
        ]


def _others(trial: Trial, target: str) -> list[str]:
    return [table.removeprefix(f"{target}-") for table in trial.tables]


def _row(trial: Trial, tells: float, score: float) -> GraphRow:
    shares = dict(zip(trial.tables, map(float, trial.told.mean(axis=0)), strict=True))
    return GraphRow(
        trial.graph,
        trial.weights,
        float(trial.agreed.mean()),
        shares,
        float(tells),
        float(score),
        trial.seconds,
        trial.accuracy,
        trial.notes,
    )


def _tells(trials: Sequence[Trial], related: Sequence[bool]) -> np.ndarray:
    """Graphs x splits: what the clusters tell of the tables that are related, over what the best graph tells of each."""
    told = np.array([trial.told for trial in trials])[
        :, :, np.flatnonzero(related) if any(related) else slice(None)
    ]
    chance = np.array([trial.chance for trial in trials]).max(axis=0)[
        np.flatnonzero(related) if any(related) else slice(None)
    ]
    most = np.maximum(told.mean(axis=1).max(axis=0), _SURE * chance)
    return np.maximum(told / np.maximum(most, 1e-12), 0.0).mean(axis=2)


def _unrelated(trials: Sequence[Trial], target: str) -> tuple[str, ...]:
    """Populations whose table alone makes clusters that tell nothing of any other table, and of which no other alone tells."""
    names = _others(trials[0], target)
    tells = np.zeros((len(names), len(names)), dtype=bool)
    for trial in trials:
        if trial.alone is not None:
            share, scatter = trial.alone.T
            (name,) = (name for name in trial.graph[0] if name != target)
            tells[names.index(name)] = share > _SURE * scatter
    related = tells | tells.T
    np.fill_diagonal(related, False)
    return (
        tuple(name for name, row in zip(names, related, strict=True) if not row.any())
        if len(names) > 1
        else ()
    )


def _scatter(scores: np.ndarray) -> float:
    """Standard error of the difference of two good rows: what is left of rows x splits without the means of both.

    Bad graphs have scores that hardly move, so the better half of the rows is looked at.
    """
    good = scores[np.argsort(-scores.mean(axis=1), kind="stable")][: max(4, len(scores) // 2)]
    n, m = good.shape
    if n < 2 or m < 2:
        return 0.0
    left = good - good.mean(axis=1, keepdims=True) - good.mean(axis=0) + good.mean()
    return float(np.sqrt(2.0 * (left**2).sum() / ((n - 1) * (m - 1)) / m))

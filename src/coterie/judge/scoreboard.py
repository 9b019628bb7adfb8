"""A scoreboard: methods x measures x data with several runs each, who is best and who is really worse."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError, ParameterError
from coterie.judge.significance import TestResult, holm, paired_t, permutation_test, wilcoxon

Key = tuple[str, str, str]
TESTS: dict[str, Callable[..., TestResult]] = {
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "permutation": permutation_test,
}
LEGEND = "* best mean; = not significantly worse than the best; no mark: significantly worse; ? too few shared runs to tell"


@dataclass(frozen=True, slots=True)
class Cell:
    """One method on one measure and data: mean, standard error (NaN for one run), and how it stands to the
    best.

    `p_value` is Holm's, over all methods compared with the best; NaN for the best itself and where nothing
    can be tested. `mark` is "*", "=", "" or "?".
    """

    method: str
    measure: str
    data: str
    runs: int
    mean: float
    se: float
    p_value: float
    mark: str

    def text(self, digits: int) -> str:
        spread = "" if math.isnan(self.se) else f" ± {self.se:.{digits}f}"
        return f"{self.mean:.{digits}f}{spread}{self.mark}"


@dataclass(slots=True)
class Scoreboard:
    """Collects values and prints them; runs of two methods are paired by their seeds.

    >>> board = Scoreboard(higher={"error": False})
    >>> board.add("SIC", "error", "wine", [0.10, 0.12, 0.11])
    >>> board.add("DTW", "error", "wine", [0.20, 0.23, 0.21])
    >>> board.best("error", "wine"), round(board.mean("SIC", "error", "wine"), 2)
    ('SIC', 0.11)
    """

    title: str = ""
    higher: Mapping[str, bool] = field(default_factory=dict)
    level: float = 0.05
    test: Literal["t", "wilcoxon", "permutation"] = "t"
    _values: dict[Key, dict[Any, float]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise ParameterError(f"test must be one of {', '.join(TESTS)}, and was {self.test!r}.")
        if not 0 < self.level < 1:
            raise ParameterError(f"level must lie between 0 and 1, and was {self.level}.")

    def add(
        self,
        method: str,
        measure: str,
        data: str,
        values: ArrayLike,
        *,
        seeds: Sequence[Any] | None = None,
    ) -> None:
        """Add one value or several runs; without seeds the runs are numbered in the order they come."""
        numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
        where = f"{method}, {measure}, {data}"
        if numbers.ndim != 1 or not numbers.size:
            raise DataError(f"{where}: give one number or a list of numbers.")
        if not np.isfinite(numbers).all():
            raise DataError(
                f"{where}: run {int(np.flatnonzero(~np.isfinite(numbers))[0])} is not a finite number."
            )
        runs = self._values.get((method, measure, data), {})
        names = list(range(len(runs), len(runs) + numbers.size)) if seeds is None else list(seeds)
        if len(names) != numbers.size:
            raise DataError(
                f"{where}: {numbers.size} values need as many seeds, and {len(names)} were given."
            )
        twice = next(
            (name for i, name in enumerate(names) if name in runs or name in names[:i]), None
        )
        if twice is not None:
            raise DataError(f"{where}: seed {twice!r} is given twice.")
        self._values[method, measure, data] = runs | dict(zip(names, numbers.tolist(), strict=True))

    @property
    def methods(self) -> list[str]:
        """In the order they first came; so are the others."""
        return list(dict.fromkeys(key[0] for key in self._values))

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(key[1] for key in self._values))

    @property
    def data(self) -> list[str]:
        return list(dict.fromkeys(key[2] for key in self._values))

    def values(self, method: str, measure: str, data: str) -> dict[Any, float]:
        """The runs by seed."""
        if (method, measure, data) not in self._values:
            raise DataError(f"The scoreboard has no value for {method}, {measure}, {data}.")
        return dict(self._values[method, measure, data])

    def mean(self, method: str, measure: str, data: str) -> float:
        return float(np.mean(list(self.values(method, measure, data).values())))

    def se(self, method: str, measure: str, data: str) -> float:
        """Standard error of the mean over the runs; NaN for a single run."""
        runs = list(self.values(method, measure, data).values())
        return float(np.std(runs, ddof=1) / np.sqrt(len(runs))) if len(runs) > 1 else float("nan")

    def best(self, measure: str, data: str) -> str:
        """The method with the best mean; the first one added among equals."""
        there = [method for method in self.methods if (method, measure, data) in self._values]
        if not there:
            raise DataError(f"The scoreboard has no value for {measure}, {data}.")
        means = [self.mean(method, measure, data) for method in there]
        sign = 1.0 if self.higher.get(measure, True) else -1.0
        return there[int(np.argmax(sign * np.asarray(means)))]

    def cells(self, measure: str, data: str) -> list[Cell]:
        """All methods on one measure and data, tested against the best over shared seeds, with Holm's
        correction.
        """
        winner = self.best(measure, data)
        top = self._values[winner, measure, data]
        there = [method for method in self.methods if (method, measure, data) in self._values]
        raw: dict[str, float] = {}
        for method in there:
            runs = self._values[method, measure, data]
            shared = [seed for seed in top if seed in runs]
            if method != winner and len(shared) > 1:
                raw[method] = self._compare([runs[s] for s in shared], [top[s] for s in shared])
        adjusted = dict(zip(raw, holm(list(raw.values())).tolist(), strict=True))
        cells = []
        for method in there:
            p = adjusted.get(method, float("nan"))
            mark = (
                "*"
                if method == winner
                else "?"
                if math.isnan(p)
                else ""
                if p <= self.level
                else "="
            )
            mean = self.mean(method, measure, data)
            error = self.se(method, measure, data)
            cells.append(
                Cell(
                    method,
                    measure,
                    data,
                    len(self._values[method, measure, data]),
                    mean,
                    error,
                    p,
                    mark,
                )
            )
        return cells

    def records(self) -> list[dict[str, Any]]:
        """One plain dict per method, measure and data; ready for JSON (what is undefined is None)."""
        rows = []
        for data in self.data:
            for measure in self._measures_of(data):
                for cell in self.cells(measure, data):
                    rows.append(self._record(cell))
        return rows

    def to_json(self) -> dict[str, Any]:
        """The whole board as plain dicts, lists, strings and numbers."""
        return {
            "title": self.title,
            "level": self.level,
            "test": self.test,
            "records": self.records(),
        }

    def to_text(self, digits: int = 3) -> str:
        """Aligned columns, one table per data set."""
        parts = [self.title] if self.title else []
        for data in self.data:
            table = self._table(data, digits)
            widths = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
            lines = [
                "  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True))
                for row in table
            ]
            lines.insert(1, "  ".join("-" * width for width in widths))
            parts.append("\n".join([data, *(line.rstrip() for line in lines)]))
        return "\n\n".join([*parts, LEGEND]) + "\n"

    def to_markdown(self, digits: int = 3) -> str:
        """Markdown tables, one per data set; the best value is bold."""
        parts = [f"## {self.title}"] if self.title else []
        for data in self.data:
            table = [
                [_bold(value.replace("|", "\\|")) for value in row]
                for row in self._table(data, digits)
            ]
            table.insert(1, ["---"] * len(table[0]))
            parts.append(f"### {data}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in table))
        return "\n\n".join([*parts, LEGEND.replace("* best mean", "**bold** best mean")]) + "\n"

    def to_html(self, digits: int = 3) -> str:
        """Plain HTML tables, every name escaped; the best value is in <strong>."""
        parts = [f"<h2>{escape(self.title)}</h2>"] if self.title else []
        for data in self.data:
            head, *rows = self._table(data, digits)
            top = "".join(f'<th scope="col">{escape(value)}</th>' for value in head)
            body = "".join(_html_row(row) for row in rows)
            caption = f"<caption>{escape(data)}</caption>"
            parts.append(
                f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
            )
        legend = escape(LEGEND.replace("* best mean", "strong: best mean"))
        return "\n".join([*parts, f"<p>{legend}</p>"]) + "\n"

    def _record(self, cell: Cell) -> dict[str, Any]:
        return {
            "method": cell.method,
            "measure": cell.measure,
            "data": cell.data,
            "runs": cell.runs,
            "mean": cell.mean,
            "se": _plain(cell.se),
            "best": cell.mark == "*",
            "p_value": _plain(cell.p_value),
            "mark": cell.mark,
            "higher_is_better": self.higher.get(cell.measure, True),
            "values": list(self._values[cell.method, cell.measure, cell.data].values()),
        }

    def _measures_of(self, data: str) -> list[str]:
        return [
            measure
            for measure in self.measures
            if any(key[1:] == (measure, data) for key in self._values)
        ]

    def _compare(self, runs: list[float], top: list[float]) -> float:
        if self.test == "permutation":
            return permutation_test(runs, top, random_state=0).p_value
        return TESTS[self.test](runs, top).p_value

    def _table(self, data: str, digits: int) -> list[list[str]]:
        measures = self._measures_of(data)
        columns = {
            measure: {cell.method: cell.text(digits) for cell in self.cells(measure, data)}
            for measure in measures
        }
        methods = [
            m
            for m in self.methods
            if any((m, measure, data) in self._values for measure in measures)
        ]
        rows = [
            [method, *(columns[measure].get(method, "-") for measure in measures)]
            for method in methods
        ]
        arrows = [
            f"{measure} ({'higher' if self.higher.get(measure, True) else 'lower'} is better)"
            for measure in measures
        ]
        return [["method", *arrows], *rows]


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def _bold(value: str) -> str:
    return f"**{value[:-1]}**" if value.endswith("*") else value


def _strong(value: str) -> str:
    return f"<strong>{escape(value[:-1])}</strong>" if value.endswith("*") else escape(value)


def _html_row(row: list[str]) -> str:
    values = "".join(f"<td>{_strong(value)}</td>" for value in row[1:])
    return f'<tr><th scope="row">{escape(row[0])}</th>{values}</tr>'

"""What an experiment is: rows of ours beside the paper's, relations that must hold, and where its data lies."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import coterie
from coterie.core.errors import DataError
from coterie.core.findings import Bars, Grid, Lines
from coterie.core.workplace import steady, watched, workplace
from coterie.show.lines import Ruled
from coterie_papers import sources
from coterie_papers.machine import machine

OWN = "coterie"  # the work of experiments after no work
Picture = Lines | Grid | Bars


@dataclass(frozen=True, slots=True)
class Row:
    """One number of ours, its standard error over seeds, and the published number where there is one."""

    method: str
    measure: str
    data: str
    ours: float
    se: float = 0.0
    paper: float | None = None
    beside: str = ""  # what `paper` is, where it is not the paper's own number on this data: "reference run", "paper, on RCV1"


@dataclass(frozen=True, slots=True)
class Relation:
    """A sentence of the paper that must hold in our numbers too."""

    text: str
    holds: bool


@dataclass(frozen=True)
class Trial:
    """What an experiment's function is given: seeds, quickness, and the way to its data."""

    seeds: int
    quick: bool
    folder: Path | None = None

    def data(self, name: str, file: str | None = None) -> Path:
        """The folder (or a file in it) of a data set: DIR/name, COTERIE_DATA/name, an installed package; else a sentence."""
        roots = [self.folder] if self.folder else []
        if os.environ.get("COTERIE_DATA"):
            roots.append(Path(os.environ["COTERIE_DATA"]))
        for root in roots:
            place = root / name / file if file else root / name
            if place.exists():
                return place
        packaged = sources.installed(name, file)
        if packaged is not None:
            return packaged
        wanted = f"'{name}'" + (f" (file {file})" if file else "")
        raise DataError(
            f"The data set {wanted} is not here; put it in a sub-folder '{name}' of a folder given by --data or by the "
            "environment variable COTERIE_DATA."
        )

    def has(self, name: str, file: str | None = None) -> bool:
        """Whether that data set can be found."""
        try:
            return bool(self.data(name, file))
        except DataError:
            return False


@dataclass
class Ledger:
    """Collects rows and relations while an experiment runs."""

    rows: list[Row] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)

    def add(
        self,
        method: str,
        measure: str,
        data: str,
        values: float | Sequence[float],
        paper: float | None = None,
        beside: str = "",
    ) -> float:
        """Add the mean (and standard error) of some runs, and the number beside it with what that is; gives the mean."""
        runs = np.atleast_1d(np.asarray(values, dtype=float))
        se = float(runs.std(ddof=1) / math.sqrt(len(runs))) if len(runs) > 1 else 0.0
        self.rows.append(Row(method, measure, data, float(runs.mean()), se, paper, beside))
        return float(runs.mean())

    def relate(self, text: str, holds: bool) -> None:
        """Add a relation and whether it holds."""
        self.relations.append(Relation(text, bool(holds)))

    def skip(self, sentence: str) -> None:
        """Say what could not be run and why."""
        self.skipped.append(sentence)

    def draw(self, picture: Picture) -> None:
        """Add a figure: curves over one axis, a small matrix such as a confusion table in shares, or bars side by side."""
        self.pictures.append(picture)


@dataclass(frozen=True)
class Experiment:
    """A published (or our own) experiment under one name."""

    name: str
    title: str
    work: str  # which of the five works, or `OWN`
    table: str  # the table or figure of the work
    needs: tuple[str, ...]  # data sets, or "set/file"; empty when all is generated
    minutes: float
    seeds: int
    run: Callable[[Trial, Ledger], None]
    beside: str = ""  # what its numbers beside are, where they are not the paper's own on this data: "paper, on ESTER2"
    figures: Callable[[Sequence[Row]], Sequence[Picture]] | None = (
        None  # those that its rows alone give
    )
    also: tuple[str, ...] = ()  # data that scikit-learn brings along, so that it is always here

    @property
    def after(self) -> str:
        """Whose table or figure it shows, in words."""
        return f"Our own: {self.table}" if self.work == OWN else f"After {self.work}: {self.table}"

    def told(self, rows: Sequence[Row]) -> list[Row]:
        """Rows as they are shown: a number beside that does not say what it is says so."""
        return [
            replace(row, beside=row.beside or self.beside) if row.paper is not None else row
            for row in rows
        ]

    def lacks(self, folder: Path | None = None) -> tuple[str, ...]:
        """What it needs and what is not here."""
        trial = Trial(1, False, folder)
        return tuple(need for need in self.needs if not trial.has(*need.split("/", 1)))

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of its data sets."""
        return tuple(dict.fromkeys(map(sources.set_of, self.needs)))

    def conduct(
        self, *, seeds: int | None = None, quick: bool = False, folder: Path | None = None
    ) -> Result:
        """Run it and give rows, relations, seconds and seeds; in one order of sums, so that cores change no digit."""
        trial = Trial(seeds or (1 if quick else self.seeds), quick, folder)
        ledger = Ledger()
        begun = time.perf_counter()
        with watched(workplace().watch, self.name, None), steady():
            self.run(trial, ledger)
        for picture in self.figures(ledger.rows) if self.figures else ():
            ledger.draw(picture)
        seconds = time.perf_counter() - begun
        told = (
            ledger.rows,
            ledger.relations,
            ledger.skipped,
            seconds,
            trial.seeds,
            ledger.pictures,
            quick,
        )
        made = coterie.__version__, date.today().isoformat(), self.lacks(folder), machine()
        return Result(self.name, *told, *made)


@dataclass(frozen=True)
class Result:
    """What an experiment found."""

    experiment: str
    rows: list[Row]
    relations: list[Relation]
    skipped: list[str]
    seconds: float
    seeds: int
    pictures: list[Picture] = field(default_factory=list)
    quick: bool = False
    version: str = ""  # of coterie; empty in records that do not tell it
    date: str = ""
    lacked: tuple[str, ...] = ()  # what it needs and what was not there
    machine: str = ""  # what last digits may hang on; empty in records that do not tell it

    @property
    def held(self) -> int:
        """How many relations hold."""
        return sum(relation.holds for relation in self.relations)

    def verdict(self) -> str:
        """How many relations hold, in words."""
        if not self.relations:
            return "No relation was looked at"
        many = len(self.relations)
        if self.held == many:
            return {1: "The one relation holds", 2: "Both relations hold"}.get(
                many, f"All {many} relations hold"
            )
        return f"{self.held} of {many} relations hold" if many > 1 else "The one relation fails"

    def less_than(self, other: Result) -> bool:
        """Whether it has less to tell than another one of the same form because some of its data was not there."""
        return bool(self.lacked) and len(self.rows) < len(other.rows)

    def seeded(self) -> str:
        """How many seeds it had, and whether it was quick, in words."""
        said = "1 seed" if self.seeds == 1 else f"{self.seeds:,} seeds"
        return (
            said + ", quick: smaller settings, with which a relation may fail"
            if self.quick
            else said
        )

    def to_json(self) -> str:
        """The agreed form: experiment, rows, relations, seconds, seeds, what was left out or lacked, pictures, version, date."""
        return json.dumps(self.record(), indent=1, allow_nan=False)

    def record(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "experiment": self.experiment,
            "rows": [
                {
                    "method": r.method,
                    "measure": r.measure,
                    "data": r.data,
                    "ours": _finite(r.ours),
                    "se": _finite(r.se),
                    "paper": r.paper,
                    **({"beside": r.beside} if r.beside else {}),
                }
                for r in self.rows
            ],
            "relations": [{"text": r.text, "holds": r.holds} for r in self.relations],
            "skipped": self.skipped,
            "seconds": round(self.seconds, 2),
            "seeds": self.seeds,
            "quick": self.quick,
            "pictures": [
                {"kind": type(picture).__name__, **_plain(asdict(picture))}
                for picture in self.pictures
            ],
            "version": self.version,
            "date": self.date,
            **({"lacked": list(self.lacked)} if self.lacked else {}),
            **({"machine": self.machine} if self.machine else {}),
        }

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Result:
        """The result again from what `record` gave; a number that was not finite comes back as NaN."""
        rows = [
            Row(**{**row, "ours": _number(row["ours"]), "se": _number(row["se"])})
            for row in record["rows"]
        ]
        relations = [Relation(**relation) for relation in record["relations"]]
        pictures = [_PICTURES[picture["kind"]](picture) for picture in record.get("pictures", ())]
        told = list(record["skipped"]), float(record["seconds"]), int(record["seeds"])
        made = str(record.get("version", "")), str(record.get("date", ""))
        rest = tuple(str(need) for need in record.get("lacked", ())), str(record.get("machine", ""))
        return cls(
            str(record["experiment"]),
            rows,
            relations,
            *told,
            pictures,
            bool(record.get("quick", False)),
            *made,
            *rest,
        )


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _plain(value: Any) -> Any:
    """Values as JSON has them: lists and dictionaries, plain numbers, and None for what is not finite."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(one) for one in value]
    if isinstance(value, (float, np.floating)):
        return _finite(float(value))
    return value.item() if isinstance(value, np.generic) else value


def _numbers(values: Sequence[float | None]) -> tuple[float, ...]:
    return tuple(_number(value) for value in values)


def _lines(kind: type[Lines], told: Mapping[str, Any]) -> Lines:
    rest = {name: value for name, value in told.items() if name not in ("kind", "x", "lines")}
    return kind(
        x=_numbers(told["x"]),
        lines={name: _numbers(line) for name, line in told["lines"].items()},
        **rest,
    )


def _bars(told: Mapping[str, Any]) -> Bars:
    panels = {
        name: tuple((word, _number(value)) for word, value in bars)
        for name, bars in told["panels"].items()
    }
    return Bars(told["title"], panels, told["sentence"])


def _grid(told: Mapping[str, Any]) -> Grid:
    values = np.array([_numbers(row) for row in told["values"]])
    return Grid(
        told["title"], values, tuple(told["rows"]), tuple(told["columns"]), told["sentence"]
    )


_PICTURES: dict[str, Callable[[Mapping[str, Any]], Picture]] = {
    "Lines": partial(_lines, Lines),
    "Ruled": partial(_lines, Ruled),
    "Bars": _bars,
    "Grid": _grid,
}

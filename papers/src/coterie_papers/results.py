"""Results of experiments kept as files: a folder of them, the last one of an experiment, and whether a second run agrees."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import coterie
import coterie_papers
from coterie.core.errors import DataError
from coterie.run.bundle import make_folder, write_text
from coterie_papers.experiment import Relation, Result, Row

FOLDER = "reproduced"  # of a store
PART = "part.json"  # how the name of a result ends that stands beside one with more of its data
_TIMED = re.compile(
    r"\b(seconds?|minutes?|time of)\b|\d s\b"
)  # what is said of time differs from run to run
_NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?")
_Told = TypeVar("_Told", Row, Relation)


@dataclass(frozen=True)
class Results:
    """A folder with one file per experiment, and one more for its quick form."""

    folder: Path

    def place(self, name: str, quick: bool, kind: str = "json") -> Path:
        """The file of an experiment's result, or of its page."""
        return self.folder / f"{name}{'.quick' if quick else ''}.{kind}"

    def keep(self, result: Result) -> Path:
        """Write a result in place of the last one of its form; beside it, where that one had more of its data."""
        make_folder(self.folder)
        place = self.place(result.experiment, result.quick)
        if result.lacked and place.exists() and result.less_than(read(place)):
            place = self.place(result.experiment, result.quick, PART)
        write_text(place, result.to_json() + "\n")
        return place

    def last(self, name: str) -> Result | None:
        """The whole result of an experiment, or its quick one where there is none; nothing where there is neither."""
        for quick in (False, True):
            place = self.place(name, quick)
            if place.exists():
                return read(place)
        return None

    def every(self) -> Iterator[Result]:
        """All results that are kept, by the names of their files; not those that stand beside one with more data."""
        for place in sorted(self.folder.glob("*.json")):
            if not place.name.endswith(f".{PART}"):
                yield read(place)


def made_by(seeds: int, quick: bool) -> str:
    """A name for trials of these settings by this very code: trials are kept under the order in which they are made.

    >>> made_by(3, False) == made_by(3, False), made_by(3, False) == made_by(3, True)
    (True, False)
    """
    mark = hashlib.blake2b(digest_size=6)
    for package in (coterie, coterie_papers):
        home = Path(str(package.__file__)).parent
        for path in sorted(home.rglob("*.py")):
            mark.update(path.relative_to(home).as_posix().encode() + path.read_bytes())
    return f"{'quick' if quick else 'whole'}-{seeds}-{mark.hexdigest()}"


def read(path: Path) -> Result:
    """The result in a file that `reproduce --json` (or a results folder) holds; a sentence where it is none."""
    if not path.is_file():
        raise DataError(
            f"There is no result '{path}'; one is written by: coterie reproduce NAME --json FILE"
        )
    try:
        return Result.of_record(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"'{path.name}' is not a result as `coterie reproduce NAME --json FILE` writes it."
        ) from error


def timed(told: Row | Relation) -> bool:
    """Whether this is (or tells) how long something took, which no seed makes the same.

    >>> timed(Row("a", "seconds", "toy", 1.0)), timed(Row("a", "F1", "toy", 1.0))
    (True, False)
    >>> timed(Relation("a is faster than b (1.2 s, 3.4 s)", True))
    True
    """
    return bool(_TIMED.search(told.measure if isinstance(told, Row) else told.text))


def differences(stored: Result, again: Result) -> list[str]:
    """Where a second run differs from a stored one: rows and relations exactly, but for what tells time."""
    said = []
    if (stored.seeds, stored.quick) != (again.seeds, again.quick):
        said.append(f"The settings differ: {stored.seeded()}, and now {again.seeded()}.")
    mine = _named(stored)
    new = _named(again)
    said += [
        f"There is no row '{_name(row)}' any more." for key, row in mine.items() if key not in new
    ]
    said += [
        f"The row '{_name(row)}' was not there." for key, row in new.items() if key not in mine
    ]
    for key, old in mine.items():
        row = new.get(key, old)
        if repr(old) != repr(row):  # so that NaN equals NaN
            said.append(
                f"{_name(old)}: {old.ours!r} (error {old.se!r}), and now {row.ours!r} ({row.se!r})."
            )
    return said + _turned(stored.relations, again.relations)


def farthest(stored: Result, again: Result) -> float:
    """The largest difference of a number that both have, as a share of it; what tells time is not looked at."""
    mine = _named(stored)
    new = _named(again)
    pairs = [
        (old.ours, new[key].ours)
        for key, old in mine.items()
        if key in new and math.isfinite(old.ours - new[key].ours)
    ]
    return max((abs(a - b) / (max(abs(a), abs(b)) or 1.0) for a, b in pairs), default=0.0)


def _turned(stored: Sequence[Relation], again: Sequence[Relation]) -> list[str]:
    """What became of relations: those that say and hold the same are set aside; the others are paired by their words."""
    kept = _by_name([one for one in stored if one not in again and not timed(one)], _wording)
    found = _by_name([one for one in again if one not in stored and not timed(one)], _wording)
    said = [
        f"There is no relation '{one.text}' any more."
        for key, one in kept.items()
        if key not in found
    ]
    said += [
        f"The relation '{one.text}' was not there." for key, one in found.items() if key not in kept
    ]
    both = [(one, found[key]) for key, one in kept.items() if key in found]
    return said + [f"Was: {a.text} ({_word(a)}); now: {b.text} ({_word(b)})." for a, b in both]


def _named(result: Result) -> dict[tuple[str, int], Row]:
    return _by_name([row for row in result.rows if not timed(row)], _name)


def _by_name(told: Sequence[_Told], name: Callable[[_Told], str]) -> dict[tuple[str, int], _Told]:
    """Rows or relations by what they tell of, and by which of that name they are."""
    seen: Counter[str] = Counter()
    found = {}
    for one in told:
        found[name(one), seen[name(one)]] = one
        seen[name(one)] += 1
    return found


def _name(row: Row) -> str:
    return f"{row.data}, {row.method}, {row.measure}"


def _wording(relation: Relation) -> str:
    """A relation without its numbers, which are what another run would change."""
    return _NUMBER.sub("", relation.text)


def _word(relation: Relation) -> str:
    return "holds" if relation.holds else "fails"

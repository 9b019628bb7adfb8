"""Outputs of systems read from table files: who was judged, what is true, what was said, how sure, and on which category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.columns import ID_NAMES, numbers, plain, words
from coterie.collect.files import TABLE_SUFFIXES, load, stem_of, suffix_of
from coterie.collect.reading import existing
from coterie.core.errors import DataError

ROLES: dict[str, tuple[str, ...]] = {
    "id": (*ID_NAMES[:-1], "document", "doc", "member", "name"),
    "truth": (
        "truth",
        "gold",
        "y_true",
        "label",
        "target",
        "class",
        "relevance",
        "relevant",
        "answer",
        "y",
    ),
    "prediction": ("prediction", "predicted", "pred", "y_pred", "decision", "said", "output"),
    "score": ("score", "scores", "probability", "prob", "confidence", "similarity"),
    "category": ("category",),
    "query": ("query", "query_id", "qid"),
    "split": ("split", "set", "part"),
    "text": ("text", "content"),
}
YES = frozenset(["1", "true", "yes", "y", "t", "pos", "positive", "relevant", "+1", "in"])
NO = frozenset(["0", "false", "no", "n", "f", "neg", "negative", "irrelevant", "-1", "out"])
_DEVELOPMENT = frozenset(["dev", "development", "valid", "validation", "val", "tune", "tuning"])
_TEST = frozenset(["test", "eval", "evaluation"])
Words = np.ndarray  # of str objects


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """What one system said: a row per member, or per member and category, or per query and document."""

    name: str
    file: str
    ids: Words
    truth: Words | None = None
    said: Words | None = None
    scores: np.ndarray | None = None
    of: Words | None = None  # the category or the query of each row
    split: Words | None = None
    texts: Words | None = None
    kind: str = "members"  # or "categories", "queries"
    notes: tuple[str, ...] = field(default=())

    def about(self) -> list[tuple[str, str]]:
        """What every row is about: the member, and the category or the query."""
        return list(
            zip(self.ids, [""] * len(self.ids) if self.of is None else self.of, strict=True)
        )

    def rows(self, chosen: np.ndarray) -> Outputs:
        """Some rows, in this order."""
        parts = ("ids", "truth", "said", "scores", "of", "split", "texts")
        cut: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[chosen]
            for name in parts
        }
        return replace(self, **cut)

    def part(self, which: str) -> Outputs | None:
        """The rows of the development ("dev") or the test part; without a column of parts everything is test."""
        if self.split is None:
            return self if which == "test" else None
        wanted = _DEVELOPMENT if which == "dev" else _TEST
        chosen = np.flatnonzero([one.strip().lower() in wanted for one in self.split])
        return self.rows(chosen) if chosen.size else None


def called(source: str) -> tuple[str, str]:
    """The name a person gives a system, and its file: "NAME=FILE"; without a name the first is empty.

    >>> called("with stems=runs/2.csv"), called("runs/2.csv")
    (('with stems', 'runs/2.csv'), ('', 'runs/2.csv'))
    """
    name, equals, file = source.partition("=")
    if not equals or not name.strip() or not file or _there(source):
        return "", source
    return name.strip(), file


def _there(source: str) -> bool:
    try:
        return Path(source).expanduser().exists()
    except (OSError, ValueError):
        return False


def read_outputs(source: str, named: Mapping[str, str | None]) -> Outputs:
    """One file, or NAME=FILE; `named` gives columns by role where they are not called by a usual name."""
    name, file = called(source)
    path = existing(file)
    if path.is_dir() or suffix_of(path) not in TABLE_SUFFIXES:
        raise DataError(
            f"'{path.name}' is not a table of outputs; give a {', '.join(TABLE_SUFFIXES[:3])} or .parquet file."
        )
    loaded = load(path)
    columns = {role: _column(loaded, path, role, named.get(role)) for role in ROLES}
    table = loaded.table
    if columns["prediction"] is None and columns["score"] is None:
        raise DataError(
            f"'{path.name}' has no column of predictions or scores; it has {_listed(table)}: name one of them.",
            parameter="prediction",
        )
    if columns["id"] is None:
        raise DataError(
            f"'{path.name}' has no column that names the members; it has {_listed(table)}: name one.",
            parameter="id",
        )
    if columns["category"] and columns["query"]:
        raise DataError(
            f"'{path.name}' has a column of categories and one of queries; leave one of them out."
        )
    strings = {
        role: _words(table, name)
        for role, name in columns.items()
        if name is not None and role != "score"
    }
    kind = "categories" if columns["category"] else "queries" if columns["query"] else "members"
    of = strings.get("category", strings.get("query"))
    scores = _scores(table, path, columns["score"])
    parts = (
        strings["id"],
        strings.get("truth"),
        strings.get("prediction"),
        scores,
        of,
        strings.get("split"),
        strings.get("text"),
    )
    found = Outputs(name or stem_of(path), path.name, *parts, kind, tuple(loaded.notes))
    return _checked(found)


def _column(loaded: Any, path: Path, role: str, wanted: str | None) -> str | None:
    names = [str(name) for name in loaded.table.column_names]
    if wanted is not None:
        if wanted not in names:
            raise DataError(
                f"'{path.name}' has no column '{wanted}' (named as {role}); it has {_listed(loaded.table)}."
            )
        return wanted
    lower = {name.strip().lower(): name for name in reversed(names)}
    return next((lower[usual] for usual in ROLES[role] if usual in lower), None)


def _listed(table: Any) -> str:
    return ", ".join(str(name) for name in table.column_names[:12])


def _words(table: Any, name: str) -> Words:
    return np.array([word.strip() for word in words(plain(table.column(name)))], dtype=object)


def _scores(table: Any, path: Path, name: str | None) -> np.ndarray | None:
    import pyarrow as pa

    if name is None:
        return None
    values = plain(table.column(name))
    if pa.types.is_string(values.type):
        rows = list(enumerate(words(values)))
        row, word = next((one for one in rows if not _finite(one[1])), rows[0])
        raise DataError(
            f"Row {row + 1} of '{path.name}' has '{word[:40]}' in the column '{name}', which is no score; give each row a number."
        )
    found = numbers(values)
    if not np.isfinite(found).all():
        row = int(np.flatnonzero(~np.isfinite(found))[0])
        what = "no score" if np.isnan(found[row]) else f"the score {found[row]:g}"
        raise DataError(
            f"Row {row + 1} of '{path.name}' has {what} in the column '{name}'; give every row a finite number."
        )
    return found


def _finite(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


def _checked(found: Outputs) -> Outputs:
    """Every row is about something, and about something else than the others."""
    if not len(found.ids):
        raise DataError(f"'{found.file}' has no rows.")
    for what, values in (("name", found.ids), (found.kind, found.of), ("prediction", found.said)):
        if values is not None and (values == "").any():
            row = int(np.flatnonzero(values == "")[0])
            named = {"categories": "category", "queries": "query"}.get(what, what)
            raise DataError(
                f"Row {row + 1} of '{found.file}' has no {named}; fill it or leave the row out."
            )
    _no_twins(found)
    return found


def _no_twins(found: Outputs) -> None:
    seen: dict[tuple[str, ...], int] = {}
    parts = [""] * len(found.ids) if found.split is None else [_part(one) for one in found.split]
    for row, (key, part) in enumerate(zip(found.about(), parts, strict=True)):
        before = seen.setdefault((*key, part), row)
        if before != row:
            about = f"'{key[0]}'" + (f" of '{key[1]}'" if key[1] else "")
            raise DataError(
                f"Rows {before + 1} and {row + 1} of '{found.file}' are both about {about}; one row each is needed."
            )


def _part(word: str) -> str:
    lower = word.strip().lower()
    return "dev" if lower in _DEVELOPMENT else "test" if lower in _TEST else lower


def yes_no(values: Words, positive: str | None) -> np.ndarray | None:
    """Words as yes and no, or None where they are labels; with `positive` that word is yes, and grades above 0 are."""
    if positive is not None:
        return np.array([one == positive for one in values])
    lower = [one.lower() for one in values]
    if set(lower) <= YES | NO:
        return np.array([one in YES for one in lower])
    return None


def grades(values: Words) -> np.ndarray | None:
    """Relevance as yes and no: whole numbers above 0 are relevant; None where they are words."""
    try:
        return np.array([float(one) > 0 for one in values])
    except ValueError:
        return yes_no(values, None)


def no_grade(values: Words) -> int:
    """The row of the first value that is neither a number nor yes or no."""
    lower = [one.lower() for one in values]
    return next(
        (row for row, one in enumerate(lower) if not _finite(one) and one not in YES | NO), 0
    )


def same_members(systems: Sequence[Outputs]) -> list[Outputs]:
    """Every system with its rows in the order of the first; a member that one of them lacks is named."""
    first = systems[0]
    order = first.about()
    found = [first]
    for other in systems[1:]:
        place = {key: row for row, key in enumerate(other.about())}
        for one, there, those in ((first, place, order), (other, set(order), list(place))):
            missing = [key for key in those if key not in there]
            if missing:
                about = f"'{missing[0][0]}'" + (f" of '{missing[0][1]}'" if missing[0][1] else "")
                lacks = other if one is first else first
                more = f" (and {len(missing) - 1:,} more)" if len(missing) > 1 else ""
                raise DataError(
                    f"{about}{more} is in '{one.file}' and not in '{lacks.file}'; systems are compared on the same members."
                )
        found.append(other.rows(np.array([place[key] for key in order])))
    return found

"""Views: several tables of the same members, row by row; a member may be missing in some of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.table import Table


@dataclass(frozen=True, eq=False)
class Views:
    """Tables by name, all of the same members in the same order; `seen[name]` marks the rows that a view really has.

    `Views.of` marks as not seen the rows that are NaN throughout (and sets them to zero).

    >>> Views.of({"en": [[1.0], [2.0]], "de": [[3.0], [4.0]]}).names
    ('en', 'de')
    """

    tables: Mapping[str, Table]
    seen: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.tables:
            raise DataError("There is no view: give tables of the same members by name.")
        sizes = {name: len(table) for name, table in self.tables.items()}
        if len(set(sizes.values())) > 1:
            said = ", ".join(f"'{name}' has {size}" for name, size in sizes.items())
            raise DataError(
                f"Views show the same members row by row, and their rows differ: {said}."
            )
        rows = next(iter(sizes.values()))
        marks = {
            name: np.asarray(self.seen.get(name, np.ones(rows, dtype=bool)), dtype=bool)
            for name in self.tables
        }
        for name, mark in marks.items():
            if mark.shape != (rows,):
                raise DataError(
                    f"View '{name}' has {rows} rows, and {mark.size} marks of which are seen."
                )
        object.__setattr__(self, "seen", marks)

    @classmethod
    def of(cls, data: Any, owner: str = "Views") -> Views:
        """From Views, a collection whose views are tables, a mapping of names to tables or arrays, or a list of them."""
        if isinstance(data, cls):
            return data
        if isinstance(data, Collection):
            found = {name: view for name, view in data.views.items() if isinstance(view, Table)}
            if len(found) < len(data.views):
                other = next(name for name in data.views if name not in found)
                raise DataError(
                    f"{owner} takes tables, and the view '{other}' is {data.views[other]!r}; represent it first."
                )
            return cls._marked(found)
        if isinstance(data, Mapping):
            return cls._marked({str(name): Table.of(rows) for name, rows in data.items()})
        if (
            isinstance(data, Sequence)
            and not isinstance(data, str)
            and all(_like_table(part) for part in data)
        ):
            return cls._marked({f"view {at}": Table.of(rows) for at, rows in enumerate(data, 1)})
        raise DataError(
            f"{owner} takes several views of the same members: a mapping of names to tables, a list of tables, or a collection."
        )

    @classmethod
    def _marked(cls, tables: Mapping[str, Table]) -> Views:
        """Tables whose rows of nothing but NaN are members that the view lacks."""
        seen = {name: present(table) for name, table in tables.items()}
        full = {
            name: table
            if seen[name].all()
            else replace(table, values=np.where(seen[name][:, None], table.values, 0.0))
            for name, table in tables.items()
        }
        return cls(full, seen)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.tables)

    def __len__(self) -> int:
        return len(next(iter(self.tables.values())))

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __getitem__(self, name: str) -> Table:
        if name not in self.tables:
            raise DataError(f"There is no view '{name}'; there are {', '.join(self.tables)}.")
        return self.tables[name]

    @property
    def complete(self) -> np.ndarray:
        """Positions of the members that every view has."""
        return np.flatnonzero(np.all(list(self.seen.values()), axis=0))

    def take(self, indices: Sequence[int] | np.ndarray) -> Views:
        """The members at these positions, in every view."""
        chosen = np.asarray(indices, dtype=np.int64)
        tables = {name: table.take(chosen) for name, table in self.tables.items()}
        return Views(tables, {name: mark[chosen] for name, mark in self.seen.items()})

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{name}: {table.shape[1]} columns" for name, table in self.tables.items()
        )
        return f"Views({len(self)} members; {parts})"


def present(table: Table) -> np.ndarray:
    """Whether each row of a table holds anything but NaN; sparse rows always do."""
    if table.sparse or not table.shape[1]:
        return np.ones(len(table), dtype=bool)
    return ~np.isnan(table.values).all(axis=1)


def _like_table(part: Any) -> bool:
    return isinstance(part, Table) or getattr(part, "ndim", 0) == 2 or hasattr(part, "columns")

"""Links: tables of counts between populations, one of which are the members; what methods of several populations take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.cooccurrence import Cooccurrence
from coterie.core.errors import DataError
from coterie.core.table import Table

MEMBERS = "members"
COLUMNS = "columns"


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Counts between pairs of populations: ("members", "words") -> Cooccurrence; every population has one list of ids.

    >>> links = Links.of([[2, 0, 1], [0, 3, 0]])
    >>> len(links), links.populations
    (2, ('members', 'columns'))
    """

    tables: Mapping[tuple[str, str], Cooccurrence]
    target: str = MEMBERS
    ids: Mapping[str, Sequence[str]] = field(init=False)

    def __post_init__(self) -> None:
        tables: dict[tuple[str, str], Cooccurrence] = {}
        ids: dict[str, Sequence[str]] = {}
        for (one, other), table in self.tables.items():
            if one == other:
                raise DataError(
                    f"A population cannot be tied to itself: '{one}' to '{other}'; give one side another name, as in "
                    f"('{one}', 'other {other}')."
                )
            for name, rows in ((one, table.rows), (other, table.cols)):
                known = ids.setdefault(name, rows)
                if known is not rows and list(known) != list(rows):
                    raise DataError(_unlike(name, list(known), list(rows)))
            if (other, one) in tables:
                tables[other, one] = _sum(tables[other, one], table.transposed)
            else:
                tables[one, other] = table
        if self.target not in ids:
            raise DataError(
                f"There is no population '{self.target}' among {', '.join(ids) or 'no links at all'}."
            )
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "ids", ids)

    @classmethod
    def of(cls, data: Any, target: str = MEMBERS) -> Links:
        """From a mapping of pairs to tables, one table (members x columns), an array, a sparse matrix or a frame of counts.

        Tables without names get them by position, or those that another table gives to the same population.
        """
        if isinstance(data, Links):
            return data if data.target == target else replace_target(data, target)
        if isinstance(data, Mapping):
            return cls(_tables(data, target), target)
        if isinstance(data, Cooccurrence):
            return cls({(target, COLUMNS): data}, target)
        return cls({(target, COLUMNS): counted(Table.of(data))}, target)

    @property
    def populations(self) -> tuple[str, ...]:
        """The names of all populations, in order of appearance."""
        return tuple(self.ids)

    def __len__(self) -> int:
        return len(self.ids[self.target])

    def between(self, one: str, other: str) -> Cooccurrence | None:
        """The table of these two, rows of the first; None where there is none."""
        if (one, other) in self.tables:
            return self.tables[one, other]
        if (other, one) in self.tables:
            return self.tables[other, one].transposed
        return None

    def take(self, indices: Sequence[int] | np.ndarray) -> Links:
        """The members at these positions; all other populations stay whole."""
        tables = {}
        for pair, table in self.tables.items():
            if pair[0] == self.target:
                table = table.take(indices)
            elif pair[1] == self.target:
                table = table.transposed.take(indices).transposed
            tables[pair] = table
        return Links(tables, self.target)

    def __repr__(self) -> str:
        shown = "; ".join(f"{a}-{b}: {table!r}" for (a, b), table in self.tables.items())
        return f"Links({shown})"


def replace_target(links: Links, target: str) -> Links:
    """The same counts with another population in the middle of interest."""
    return Links(links.tables, target)


def counted(
    table: Table, rows: Sequence[str] | None = None, cols: Sequence[str] | None = None
) -> Cooccurrence:
    """A table of counts as a cooccurrence of its rows and columns; numbers that are no counts are named."""
    import scipy.sparse as sp

    if table.categories:
        first = table.names[int(table.categorical[0])]
        raise DataError(
            f"A table of counts holds numbers only, and the column '{first}' holds words."
        )
    rows = [str(i) for i in range(table.shape[0])] if rows is None else rows
    cols = table.names if cols is None else cols
    values = table.values if table.sparse else np.asarray(table.values)
    if not table.sparse and not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0]
        what = "NaN" if np.isnan(values[i, j]) else "infinity"
        raise DataError(
            f"Counts must be finite numbers: input contains {what} at row {i}, column '{cols[j]}'."
        )
    return Cooccurrence(sp.csr_array(values), rows, list(cols))


def _tables(data: Mapping[Any, Any], target: str) -> dict[tuple[str, str], Cooccurrence]:
    """Every table as counts; names that one table has for a population are those of all."""
    read: dict[tuple[str, str], Cooccurrence | tuple[Table, bool]] = {}
    names: dict[str, Sequence[str]] = {}
    for pair, value in data.items():
        if (
            not isinstance(pair, tuple)
            or len(pair) != 2
            or not all(isinstance(name, str) for name in pair)
        ):
            raise DataError(
                f"Links are named by two populations, as ('members', 'words'), and not by {pair!r}."
            )
        if isinstance(value, Cooccurrence):
            read[pair] = value
            names.setdefault(pair[0], value.rows)
            names.setdefault(pair[1], value.cols)
            continue
        table = _read(value, pair)
        named = (
            isinstance(value, Table) or hasattr(value, "columns") or hasattr(value, "column_names")
        )
        read[pair] = table, named
        if named:
            names.setdefault(pair[1], table.names)

    def called(name: str, size: int) -> Sequence[str]:
        known = names.get(name, ())
        return (
            known
            if len(known) == size
            else [f"{'' if name == target else 'x'}{i}" for i in range(size)]
        )

    found = {}
    for pair, held in read.items():
        if isinstance(held, Cooccurrence):
            found[pair] = held
            continue
        table, named = held
        try:
            cols = table.names if named else called(pair[1], table.shape[1])
            found[pair] = counted(table, called(pair[0], table.shape[0]), cols)
        except DataError as error:
            raise DataError(f"{pair[0]}-{pair[1]}: {error}") from None
    return found


def _read(value: Any, pair: tuple[str, str]) -> Table:
    try:
        return Table.of(value)
    except DataError as error:
        raise DataError(f"{pair[0]}-{pair[1]}: {error}") from None
    except ValueError:
        raise DataError(
            f"{pair[0]}-{pair[1]}: a table of counts holds numbers only, and this one holds words."
        ) from None


def _sum(one: Cooccurrence, other: Cooccurrence) -> Cooccurrence:
    """Two tables of the same populations as one."""
    return Cooccurrence(one.counts + other.counts, one.rows, one.cols)


def _unlike(name: str, one: list[str], other: list[str]) -> str:
    """The sentence on two lists of ids of a population that are not the same."""
    must = "every table of a population must have the same ids in the same order"
    if len(one) != len(other):
        return f"The population '{name}' has {len(one)} ids in one table and {len(other)} in another; {must}."
    at = next(i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return f"The population '{name}' has '{one[at]}' at position {at} in one table and '{other[at]}' in another; {must}."


def linked(ids: Sequence[str], links: Mapping[tuple[str, str], Cooccurrence]) -> Links:
    """The links of a collection; tables that lack some of its members get empty rows."""
    wanted = list(ids)
    return Links({pair: _aligned(table, pair, wanted) for pair, table in links.items()})


def _aligned(table: Cooccurrence, pair: tuple[str, str], ids: list[str]) -> Cooccurrence:
    if MEMBERS not in pair or list(table.rows if pair[0] == MEMBERS else table.cols) == ids:
        return table
    upright = table if pair[0] == MEMBERS else table.transposed
    import scipy.sparse as sp

    place = {member: i for i, member in enumerate(ids)}
    known = [(place[member], at) for at, member in enumerate(upright.rows) if member in place]
    if not known:
        raise DataError(f"{pair[0]}-{pair[1]}: none of its rows is a member of the collection.")
    to, at = np.array(known).T
    pick = sp.csr_array((np.ones(len(to)), (to, at)), shape=(len(ids), len(upright.rows)))
    found = Cooccurrence(pick @ upright.counts, ids, upright.cols)
    return found if pair[0] == MEMBERS else found.transposed

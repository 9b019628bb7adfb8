"""Counts of how often things occur together, and links: tables of such counts between populations.

One of the populations are the members; links are what methods of several populations take.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.table import Table

_LARGEST = 1e100  # counts whose sums and squares still fit


@dataclass(frozen=True, slots=True, eq=False)
class Cooccurrence:
    """How often a row thing (a document) occurs with a column thing (a word, a correspondent)."""

    counts: Any  # scipy.sparse.csr_array of float64
    rows: Sequence[str]
    cols: Sequence[str]

    def __post_init__(self) -> None:
        import scipy.sparse as sp

        try:
            counts = sp.csr_array(self.counts)
        except (TypeError, ValueError):
            raise DataError("Counts must be a table of numbers, dense or sparse.") from None
        if counts.shape != (len(self.rows), len(self.cols)):
            raise DataError(
                f"Counts are {counts.shape[0]} x {counts.shape[1]} where {len(self.rows)} row and "
                f"{len(self.cols)} column names are given."
            )
        if counts.dtype.kind not in "biuf":
            raise DataError(f"Counts must be numbers, and these are {counts.dtype}.")
        if counts.nnz and not (
            np.isfinite(counts.data).all()
            and counts.data.min() >= 0
            and counts.data.max() <= _LARGEST
        ):
            self._refuse(counts)
        object.__setattr__(self, "counts", counts.astype(np.float64))

    def _refuse(self, counts: Any) -> None:
        """Name the first count that is none."""
        at = int(
            np.flatnonzero(
                ~np.isfinite(counts.data) | (counts.data < 0) | (counts.data > _LARGEST)
            )[0]
        )
        row = int(np.searchsorted(counts.indptr, at, side="right")) - 1
        col = int(counts.indices[at])
        what = (
            "must be finite numbers" if not np.isfinite(counts.data[at]) else "must not be negative"
        )
        if counts.data[at] > _LARGEST and np.isfinite(counts.data[at]):
            what = f"must be at most {_LARGEST:g}"
        raise DataError(
            f"Counts {what}: row '{self.rows[row]}', column '{self.cols[col]}' holds {counts.data[at]:g}."
        )

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, str, float]], rows: Sequence[str]) -> Cooccurrence:
        """From (row position, column name, count) triples; columns are sorted by name."""
        import scipy.sparse as sp

        triples = list(pairs)
        cols = sorted({name for _, name, _ in triples})
        place = {name: j for j, name in enumerate(cols)}
        i = np.fromiter((t[0] for t in triples), dtype=np.int64, count=len(triples))
        j = np.fromiter((place[t[1]] for t in triples), dtype=np.int64, count=len(triples))
        data = np.fromiter((t[2] for t in triples), dtype=np.float64, count=len(triples))
        return cls(sp.csr_array((data, (i, j)), shape=(len(rows), len(cols))), rows, cols)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.cols)

    @property
    def total(self) -> float:
        """Sum of all counts."""
        return float(self.counts.sum())

    def take(self, indices: Sequence[int] | np.ndarray) -> Cooccurrence:
        """The rows at these positions; columns that lose all their counts stay."""
        chosen = np.asarray(indices, dtype=np.int64)
        return Cooccurrence(self.counts[chosen], [self.rows[i] for i in chosen], self.cols)

    @property
    def transposed(self) -> Cooccurrence:
        """The same counts seen from the other side."""
        return Cooccurrence(self.counts.T.tocsr(), self.cols, self.rows)

    def __repr__(self) -> str:
        return f"Cooccurrence({len(self.rows)} x {len(self.cols)}, {self.counts.nnz} nonzero)"


def on_columns(table: Cooccurrence | None, ids: Sequence[str], n: int) -> Any:
    """The counts of n members on other columns, found by name; zero where there is nothing of that name, or no table."""
    import scipy.sparse as sp

    if table is None:
        return sp.csr_array((n, len(ids)))
    if list(table.cols) == list(ids):
        return table.counts
    place = {name: j for j, name in enumerate(ids)}
    known = np.array([place.get(name, -1) for name in table.cols], dtype=np.int64)
    kept = np.flatnonzero(known >= 0)
    return table.counts @ sp.csr_array(
        (np.ones(len(kept)), (kept, known[kept])), shape=(len(known), len(ids))
    )


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

"""Table: rows of numeric and categorical columns as one array, dense or sparse; categories are codes with names.

Large tables, also such as lie in files, are looked at a block of rows or columns at a time, without a copy of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import DataError
from coterie.core.params import kind_of

BLOCK = 2_000_000  # values looked at together; a constant, so that sums over blocks never depend on the workplace


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """The rows in order, so many at a time that a block holds about two million values.

    >>> [(rows.start, rows.stop) for rows in row_blocks(5, 1_000_000)]
    [(0, 2), (2, 4), (4, 5)]
    """
    height = max(1, BLOCK // max(n_columns, 1))
    for first in range(0, n_rows, height):
        yield slice(first, min(first + height, n_rows))


def column_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """The columns in order, some at a time; never one alone beside others, whose sums would be taken in another order.

    >>> [(cols.start, cols.stop) for cols in column_blocks(1_000_000, 5)]
    [(0, 2), (2, 5)]
    """
    pieces = max(1, min(n_columns // 2, -(-n_rows * n_columns // BLOCK)))
    edges = [n_columns * at // pieces for at in range(pieces + 1)]
    return (slice(first, end) for first, end in pairwise(edges))


def is_mapped(values: Any) -> bool:
    """Whether an array, or what it is a part of, lies in a file and not in memory."""
    import mmap

    while values is not None:
        if isinstance(values, mmap.mmap):
            return True
        values = getattr(values, "base", None)
    return False


class CellError(DataError, TypeError):
    """A cell holds neither a number nor a word."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Members as rows. A categorical column holds codes 0, 1, ...; `categories[column]` names them; NaN is a gap.

    >>> t = Table.of([[1.0, 2.0], [3.0, 4.0]])
    >>> t.shape, t.names
    ((2, 2), ('x0', 'x1'))
    """

    kind: ClassVar[str] = "table"
    modality: ClassVar[str] = "table"

    values: Any  # np.ndarray (n, d) of float64, or scipy.sparse.csr_array
    names: tuple[str, ...]
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    dates: frozenset[int] = frozenset()  # numeric columns that count seconds since 1970

    def __post_init__(self) -> None:
        if self.values.ndim != 2:
            raise DataError(
                f"A table has two dimensions, and was given {self.values.ndim}; reshape a single column with .reshape(-1, 1)."
            )
        if self.values.dtype.kind not in "biuf":
            raise DataError(
                f"A table holds numbers, and codes where it holds words, and was given {self.values.dtype}; use Table.of."
            )
        if len(self.names) != self.values.shape[1]:
            raise DataError(
                f"The table has {self.values.shape[1]} columns and {len(self.names)} names."
            )

    @classmethod
    def of(cls, data: Any) -> Table:
        """From an array, a sparse matrix, a pandas, polars or arrow frame, or a list of rows."""
        if isinstance(data, Table):
            return data
        if _is_sparse(data):
            return cls._from_sparse(data)
        if (
            hasattr(data, "columns")
            or hasattr(data, "column_names")
            or hasattr(data, "__dataframe__")
        ):
            return cls._from_frame(data)
        try:
            array = np.asarray(data)
        except (TypeError, ValueError):
            raise DataError(
                "The table cannot be read as rows of numbers: its rows have different lengths."
            ) from None
        if array.dtype.kind == "c":
            raise DataError("Complex data not supported: a table holds real numbers.")
        if array.dtype.kind in "OUSmM" and array.ndim == 2:
            return cls._from_columns([(f"x{j}", array[:, j]) for j in range(array.shape[1])])
        if (
            array.ndim == 1
            and array.dtype.kind in "OUS"
            and any(isinstance(one, (str, bytes)) for one in array.tolist())
        ):
            raise DataError(
                "A table has rows of numbers, and a list of texts was given; count their words first, as represent.Terms does."
            )
        if array.dtype.kind == "O" and array.ndim:
            raise DataError(
                "The table cannot be read as rows of numbers: its rows have different lengths."
            )
        if array.dtype.kind not in "biufmM":
            raise DataError(
                f"A table holds numbers in rows and columns, and was given {kind_of(data)} ({array.dtype})."
            )
        values = np.ascontiguousarray(array, dtype=np.float64)
        if values.ndim != 2:
            raise DataError(
                f"Expected 2D array, got {values.ndim}D array instead: a table has rows and columns. "
                "Reshape your data with .reshape(-1, 1) for one column or .reshape(1, -1) for one row."
            )
        return cls(values, tuple(f"x{j}" for j in range(values.shape[1])))

    @classmethod
    def _from_sparse(cls, data: Any) -> Table:
        import scipy.sparse as sp

        if data.dtype.kind == "c":
            raise DataError("Complex data not supported: a table holds real numbers.")
        if data.ndim != 2:
            raise DataError(
                f"A table has two dimensions, and was given a sparse array of {data.ndim}."
            )
        values = sp.csr_array(data, dtype=np.float64)
        if (
            not values.has_canonical_format
        ):  # put in order here, in a copy: sums and products would do it in the caller's arrays
            values = values.copy()
            values.sum_duplicates()
        return cls(values, tuple(f"x{j}" for j in range(values.shape[1])))

    @classmethod
    def _from_frame(cls, data: Any) -> Table:
        import narwhals as nw

        names = [str(name) for name in getattr(data, "columns", ())]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(
                f"Two columns of the table are called '{twice}'; every column needs a name of its own."
            )
        try:
            frame = nw.from_native(data, eager_only=True)
        except TypeError:
            raise DataError(
                f"A {type(data).__name__} cannot be read as a table; pass an array or a pandas, polars or arrow frame."
            ) from None
        columns = zip(
            frame.columns, frame.iter_columns(), strict=True
        )  # names may be numbers, so columns go by position
        return cls._from_columns([(str(name), column.to_numpy()) for name, column in columns])

    @classmethod
    def _from_columns(cls, columns: Sequence[tuple[str, np.ndarray]]) -> Table:
        if not columns:
            raise DataError("The table has no columns.")
        values = np.empty((len(columns[0][1]), len(columns)), dtype=np.float64)
        categories: dict[int, tuple[str, ...]] = {}
        for j, (_, column) in enumerate(columns):
            values[:, j], levels = encode_column(np.asarray(column))
            if levels is not None:
                categories[j] = levels
        return cls(values, tuple(name for name, _ in columns), categories)

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.values.shape[0]), int(self.values.shape[1])

    @property
    def sparse(self) -> bool:
        return _is_sparse(self.values)

    @property
    def numeric(self) -> np.ndarray:
        """Positions of the numeric columns."""
        return np.array(
            [j for j in range(len(self.names)) if j not in self.categories], dtype=np.int64
        )

    @property
    def categorical(self) -> np.ndarray:
        """Positions of the categorical columns."""
        return np.array(sorted(self.categories), dtype=np.int64)

    def held(self, sparse: bool) -> Table:
        """The same rows, held sparse or dense."""
        if self.sparse == sparse:
            return self
        import scipy.sparse as sp

        return replace(self, values=sp.csr_array(self.values) if sparse else self.values.toarray())

    def take(self, indices: Sequence[int] | np.ndarray) -> Table:
        return Table(
            self.values[np.asarray(indices, dtype=np.int64)],
            self.names,
            self.categories,
            self.dates,
        )

    def column(self, name: str) -> np.ndarray:
        """One column as numbers (codes where it is categorical)."""
        if name not in self.names:
            raise DataError(
                f"The table has no column '{name}'; it has {', '.join(self.names[:12])}."
            )
        found = self.values[:, [self.names.index(name)]]
        return np.asarray(found.toarray() if self.sparse else found).ravel()

    def level(self, column: int, code: float) -> str:
        """The name of a category, or the number itself in a numeric column."""
        if np.isnan(code):
            return "-"
        if column in self.categories:
            return self.categories[column][int(code)]
        if column in self.dates:
            return str(np.datetime64(round(code), "s").astype("datetime64[D]"))
        return f"{code:,.0f}" if abs(code) >= 10_000 else f"{code:.4g}"

    def __repr__(self) -> str:
        kinds = f"{len(self.numeric)} numeric" + (
            f", {len(self.categories)} categorical" if self.categories else ""
        )
        return (
            f"Table({self.shape[0]} x {self.shape[1]}, {kinds}{', sparse' if self.sparse else ''})"
        )


def encode_column(column: np.ndarray) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """Numbers as they are; words as codes in the order of their names. Gaps (None, NaN, "") become NaN."""
    if column.dtype.kind in "biuf":
        return column.astype(np.float64), None
    if column.dtype.kind in "mM":
        return np.where(
            np.isnat(column),
            np.nan,
            column.astype("datetime64[s]" if column.dtype.kind == "M" else "timedelta64[s]").astype(
                np.float64
            ),
        ), None
    if column.dtype.kind == "c":
        raise DataError("Complex data not supported: a table holds real numbers.")
    for value in column.tolist():
        if isinstance(value, (dict, list, tuple, set, np.ndarray, np.void)):
            raise CellError(
                "A table cell must be a number or a word: float() argument must be a string or a real number, "
                f"not '{type(value).__name__}'."
            )
    rows = [None if _gap(value) else value for value in column.tolist()]
    present = [value for value in rows if value is not None]
    if any(isinstance(value, (complex, np.complexfloating)) for value in present):
        raise DataError("Complex data not supported: a table holds real numbers.")
    if all(isinstance(value, (int, float, np.number)) for value in present):
        return np.array([np.nan if value is None else _float(value) for value in rows]), None
    levels = sorted({str(value) for value in present})
    place = {level: float(code) for code, level in enumerate(levels)}
    return np.array([np.nan if value is None else place[str(value)] for value in rows]), tuple(
        levels
    )


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _gap(value: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, NaT, the missing value of pandas, or an empty word."""
    return (
        value is None
        or type(value).__name__ == "NAType"
        or bool(value == "")
        or bool(value != value)
    )


def _is_sparse(data: Any) -> bool:
    return hasattr(data, "tocsr") and hasattr(data, "nnz")

"""Table files as arrow tables of some thousand rows each, one after the other, so that the whole is never held."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coterie.collect.columns import GAPS, with_points
from coterie.collect.files import laid_out, object_of, suffix_of, table_of
from coterie.core.errors import DataError

BATCHED = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_ROWS = 20_000
_BYTES = 16_000_000  # of a .csv or .jsonl at a time
_LITTLE = 1_000_000  # bytes whose lines are counted at a time


def batches(path: Path) -> Iterator[Any]:
    """The rows of a file as tables with the same columns."""
    suffix = suffix_of(path)
    if suffix == ".parquet":
        return _parquet(path)
    return _json_lines(path) if suffix in (".jsonl", ".ndjson") else _delimited(path)


def rows_in(path: Path) -> int:
    """How many rows a file has, about: lines, and of cells those lines that do not end inside quotes."""
    if suffix_of(path) == ".parquet":
        import pyarrow.parquet as pq

        return int(pq.ParquetFile(path).metadata.num_rows)
    cells = suffix_of(path) in (".csv", ".tsv")
    found = 1
    quoted = False
    with path.open("rb") as file:
        for block in iter(lambda: file.read(_LITTLE), b""):
            for part in block.split(b'"') if cells else (block,):
                found += 0 if quoted else part.count(b"\n")
                quoted = cells and not quoted
            quoted = cells and not quoted  # the last part goes on in the next block
    return found


def _parquet(path: Path) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(
            path, pre_buffer=False
        ) as file:  # else all that was read is held to the end
            for batch in file.iter_batches(batch_size=_ROWS):
                yield pa.Table.from_batches([batch])
    except pa.ArrowException:
        raise DataError(
            f"'{path.name}' cannot be read as parquet: it is damaged, cut short, or of another kind."
        ) from None


def _delimited(path: Path) -> Iterator[Any]:
    """Types of columns are those of the first piece; whole numbers are kept where the whole file holds no others."""
    import pyarrow as pa

    opened = _cells(path)
    with _told(path):
        with opened() as reader:
            schema = reader.schema
        types = {
            one.name: pa.string() if pa.types.is_null(one.type) else one.type for one in schema
        }
        unlike = len(set(schema.names)) == len(schema.names)  # two of one name are refused later
        wide = _not_whole(
            opened, [one.name for one in schema if unlike and pa.types.is_integer(one.type)]
        )
        with opened(column_types={**types, **dict.fromkeys(wide, pa.float64())}) as reader:
            for batch in reader:
                yield pa.Table.from_batches([batch])


def _cells(path: Path) -> Callable[..., Any]:
    """How a .csv or .tsv is opened, again and again, as a reader of pieces; takes what else is said of their conversion."""
    import pyarrow.csv as pacsv

    mark, header, bare = laid_out(_head(path), "\t" if suffix_of(path) == ".tsv" else None)
    reading = pacsv.ReadOptions(
        block_size=_BYTES, column_names=[f"x{j}" for j in range(len(header))] if bare else None
    )
    parsing = pacsv.ParseOptions(delimiter=mark, newlines_in_values=True)

    def opened(**converting: Any) -> Any:
        converting = {"strings_can_be_null": False, **converting}
        return pacsv.open_csv(
            path, reading, parsing, pacsv.ConvertOptions(null_values=list(GAPS), **converting)
        )

    return opened


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """One sentence on what arrow cannot read."""
    import pyarrow as pa

    try:
        yield
    except pa.ArrowInvalid as error:
        raise DataError(
            f"'{path.name}' cannot be read in pieces, and is too large to be read at once: "
            f"{str(error).splitlines()[0].rstrip('.')}."
        ) from None


def at_once_only(path: Path, first: Any) -> bool:
    """Whether the first piece shows what is not read in pieces: text that is not UTF-8, or numbers with a decimal comma."""
    import pyarrow as pa

    if suffix_of(path) not in (".csv", ".tsv"):
        return False
    if any(pa.types.is_binary(one.type) for one in first.schema):
        return True
    return (
        suffix_of(path) == ".csv"
        and laid_out(_head(path), None)[0] == ";"
        and bool(with_points(first)[1])
    )


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return (
            next((line for line in file if line.strip()), b"")
            .decode("utf-8-sig", "replace")
            .rstrip("\r\n")
        )


def _not_whole(opened: Callable[..., Any], names: list[str]) -> list[str]:
    """Those of the columns of whole numbers in the first piece that hold others later: an id with a point would lose digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = dict.fromkeys(names)
    wide = list[str]()
    if not whole:
        return wide
    kinds = dict.fromkeys(names, pa.string())
    with opened(column_types=kinds, include_columns=names, strings_can_be_null=True) as reader:
        for batch in reader:
            for name in list(whole):
                try:
                    pc.utf8_trim_whitespace(batch.column(name)).cast(pa.int64())
                except pa.ArrowInvalid:
                    del whole[name]
                    wide.append(name)
    return wide


def _json_lines(path: Path) -> Iterator[Any]:
    rows: list[dict[str, Any]] = []
    keys: dict[str, None] = {}
    size = 0
    schema = None
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            line = _decoded(raw, number, path.name)
            if not line.strip():
                continue
            row = object_of(line, number, path.name)
            if schema is not None:
                _tell_new(row, keys, number, path.name)
            keys.update(dict.fromkeys(row))
            rows.append(row)
            size += len(raw)
            if len(rows) >= _ROWS or size >= _BYTES:
                table = table_of(_whole(rows, keys), path.name)
                schema = schema or table.schema
                yield _like(table, schema, path.name)
                rows = []
                size = 0
    if rows:
        table = table_of(_whole(rows, keys), path.name)
        yield table if schema is None else _like(table, schema, path.name)


def _decoded(raw: bytes, number: int, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(
            f"Line {number:,} of '{name}' is not UTF-8 text, and the file is too large to be read at once; save it as UTF-8."
        ) from None


def _tell_new(row: dict[str, Any], keys: dict[str, None], number: int, name: str) -> None:
    """Say that a key is left out which no line of the first piece has."""
    late = next((key for key in row if key not in keys), None)
    if late is not None:
        warnings.warn(
            f"The key '{late}' stands first in line {number:,} of '{name}', after the first piece of a file that is too large to "
            "be read at once, and is left out; put a line that has it first.",
            UserWarning,
            stacklevel=2,
        )


def _whole(rows: list[dict[str, Any]], keys: dict[str, None]) -> list[dict[str, Any]]:
    """The rows with the same keys, so that all pieces have the same columns."""
    return [{key: row.get(key) for key in keys} for row in rows]


def _like(table: Any, schema: Any, name: str) -> Any:
    """A later piece with the columns and types of the first; whole numbers may become numbers with a point, and stay such."""
    import pyarrow as pa

    columns = []
    for one in schema:
        column = table.column(one.name)
        kind = one.type
        if pa.types.is_null(kind):
            kind = pa.string()
        elif pa.types.is_integer(kind) and pa.types.is_floating(column.type):
            kind = column.type
        try:
            columns.append(column.cast(kind))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise DataError(
                f"The column '{one.name}' of '{name}' holds {column.type} where it held {one.type} before; a file that is too "
                "large to be read at once needs one kind of values in each column."
            ) from None
    return pa.table(columns, names=[one.name for one in schema])

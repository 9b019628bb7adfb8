"""Table files as arrow tables of some thousand rows each, one after the other, so that the whole is never held."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coterie.collect.cells import GAPS
from coterie.collect.files import suffix_of
from coterie.core.errors import DataError

BATCHED = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_ROWS = 20_000
_BYTES = 16_000_000  # of a .csv or .jsonl at a time


def batches(path: Path) -> Iterator[Any]:
    """The rows of a file as tables with the same columns."""
    suffix = suffix_of(path)
    if suffix == ".parquet":
        return _parquet(path)
    return _json_lines(path) if suffix in (".jsonl", ".ndjson") else _delimited(path, "\t" if suffix == ".tsv" else None)


def rows_in(path: Path) -> int:
    """How many rows a file has, or at most has (a cell may hold several lines)."""
    if suffix_of(path) == ".parquet":
        import pyarrow.parquet as pq

        return int(pq.ParquetFile(path).metadata.num_rows)
    with path.open("rb") as file:
        return 1 + sum(block.count(b"\n") for block in iter(lambda: file.read(_BYTES), b""))


def _parquet(path: Path) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_ROWS):
                yield pa.Table.from_batches([batch])
    except pa.ArrowException:
        raise DataError(f"'{path.name}' cannot be read as parquet: it is damaged, cut short, or of another kind.") from None


def _delimited(path: Path, delimiter: str | None) -> Iterator[Any]:
    """Types of columns are those of the first piece; whole numbers count as numbers with a point."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    with path.open("rb") as file:
        head = next((line for line in file if line.strip()), b"").decode("utf-8-sig", "replace").rstrip("\r\n")
    mark = delimiter or max(",;\t|", key=lambda one: (head.count(one), one == ","))
    header = next(csv.reader([head], delimiter=mark), [])
    bare = all(_is_number(cell) for cell in header)
    reading = {"block_size": _BYTES, "column_names": [f"x{j}" for j in range(len(header))] if bare else None}
    parsing = pacsv.ParseOptions(delimiter=mark, newlines_in_values=True)
    converting: dict[str, Any] = {"null_values": list(GAPS), "strings_can_be_null": False}
    try:
        with pacsv.open_csv(path, pacsv.ReadOptions(**reading), parsing, pacsv.ConvertOptions(**converting)) as reader:
            schema = reader.schema
        types = {one.name: _wide(one.type) for one in schema}
        options = pacsv.ConvertOptions(**converting, column_types=types)
        with pacsv.open_csv(path, pacsv.ReadOptions(**reading), parsing, options) as reader:
            for batch in reader:
                yield pa.Table.from_batches([batch])
    except pa.ArrowInvalid as error:
        raise DataError(
            f"'{path.name}' cannot be read in pieces, and is too large to be read at once: "
            f"{str(error).splitlines()[0].rstrip('.')}."
        ) from None


def _wide(kind: Any) -> Any:
    """The type a column is read as: later pieces may hold what the first does not."""
    import pyarrow as pa

    if pa.types.is_integer(kind):
        return pa.float64()
    return pa.string() if pa.types.is_null(kind) else kind


def _json_lines(path: Path) -> Iterator[Any]:
    from coterie.collect.files import _rows

    rows: list[dict[str, Any]] = []
    keys: dict[str, None] = {}
    size = 0
    schema = None
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            line = raw.decode("utf-8-sig", "replace")
            if not line.strip():
                continue
            row = _object(line, number, path.name)
            keys.update(dict.fromkeys(row) if schema is None else {})
            rows.append(row)
            size += len(raw)
            if len(rows) >= _ROWS or size >= _BYTES:
                table = _rows(_whole(rows, keys), path.name)
                schema = schema or table.schema
                yield _like(table, schema, path.name)
                rows, size = [], 0
    if rows:
        table = _rows(_whole(rows, keys), path.name)
        yield table if schema is None else _like(table, schema, path.name)


def _object(line: str, number: int, name: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DataError(f"Line {number} of '{name}' is not JSON: {str(error).rstrip('.')}.") from None
    if not isinstance(row, dict):
        raise DataError(f"Line {number} of '{name}' holds a {type(row).__name__}; every line must be one object in braces.")
    return row


def _whole(rows: list[dict[str, Any]], keys: dict[str, None]) -> list[dict[str, Any]]:
    """The rows with the keys of the first piece, so that all pieces have the same columns."""
    return [{key: row.get(key) for key in keys} for row in rows]


def _like(table: Any, schema: Any, name: str) -> Any:
    """A later piece with the types of the first; whole numbers may become numbers with a point."""
    import pyarrow as pa

    columns = []
    for one in schema:
        column, kind = table.column(one.name), pa.float64() if pa.types.is_integer(one.type) else one.type
        try:
            columns.append(column.cast(kind if not pa.types.is_null(kind) else pa.string()))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise DataError(
                f"The column '{one.name}' of '{name}' holds {column.type} where it held {one.type} before; a file that is too "
                "large to be read at once needs one kind of values in each column."
            ) from None
    return pa.table(columns, names=[one.name for one in schema])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True

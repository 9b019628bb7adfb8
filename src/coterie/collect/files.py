"""Table files as arrow tables: bytes, gzip, encodings, delimiters, and errors that name the line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coterie.collect.columns import GAPS, with_points
from coterie.collect.text import decode
from coterie.core.errors import DataError
from coterie.core.workplace import left
from coterie.messages.notes import Note

TABLE_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".arrow", ".feather")
# bytes a packed file may hold: at most, in any case, by its size
_MOST = 4_000_000_000
_LEAST = 100_000_000
_TIMES = 200
_PIECE = 8_000_000  # bytes unpacked at a time
_UNDEFINED = {
    0x81,
    0x8D,
    0x8F,
    0x90,
    0x9D,
}  # bytes that are no character of cp1252, and control characters of latin-1


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """An arrow table, the name it goes by, what was noticed while reading it, and the file it came from.

    `vectors` are those of its rows, where a column of lists was named as vectors and taken out.
    """

    table: Any
    name: str
    notes: tuple[str, ...] = ()
    file: str = ""
    vectors: Any = None

    @property
    def where(self) -> str:
        """What errors call it: the file with its suffix, else the name."""
        return self.file or self.name

    def __post_init__(self) -> None:
        names = self.table.column_names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(
                f"'{self.where}' has two columns named '{twice}'; every column needs its own name."
            )


def suffix_of(path: Path) -> str:
    """The suffix that tells the format: ".csv" of both "a.csv" and "a.csv.gz"."""
    inner = Path(path.name[:-3]) if path.name.lower().endswith(".gz") else path
    return inner.suffix.lower()


def stem_of(path: Path) -> str:
    """The file name without its suffix, ".gz" included."""
    inner = Path(path.name[:-3]) if path.name.lower().endswith(".gz") else path
    return inner.stem


def load(path: Path) -> Loaded:
    """A table file of any format that is read."""
    suffix = suffix_of(path)
    name = stem_of(path)
    if suffix == ".parquet":
        return Loaded(_parquet(path), name, (), path.name)
    if suffix in (".arrow", ".feather"):
        return Loaded(_arrow(path), name, (), path.name)
    text, notes = text_of(path)
    if not text.strip():
        raise DataError(f"'{path.name}' is empty.")
    if suffix in (".jsonl", ".ndjson"):
        return Loaded(table_of(_json_lines(text, path.name), path.name), name, notes, path.name)
    if suffix == ".json":
        return Loaded(table_of(_json_list(text, path.name), path.name), name, notes, path.name)
    table, said = _delimited(text, path.name, "\t" if suffix == ".tsv" else None)
    return Loaded(table, name, (*notes, *said), path.name)


BESIDE_NAMES = (
    "index",
    "metadata",
    "meta",
    "labels",
)  # tables of these names may tell of the files beside or below them


def load_quietly(path: Path) -> Loaded | None:
    """A table that nobody named; nothing where it cannot be read."""
    try:
        return load(path)
    except DataError:
        return None


def stray_tables(folder: Path, used: str = "") -> list[Path]:
    """Table files of a folder of recordings or pictures that are no data: called like an index, or not to be read."""
    tables = [
        path
        for path in sorted(folder.iterdir(), key=lambda p: p.name)
        if path.is_file() and not path.name.startswith(".") and suffix_of(path) in TABLE_SUFFIXES
    ]
    return [
        path
        for path in tables
        if path.name != used
        and (stem_of(path).lower() in BESIDE_NAMES or load_quietly(path) is None)
    ]


def notes_on_strays(folder: Path, used: str, nouns: str) -> tuple[Note, ...]:
    """That tables of a folder were skipped, since they cannot be read or do not tell of its files."""
    names = [path.name for path in stray_tables(folder, used)]
    if not names:
        return ()
    shown = ", ".join(f"'{name}'" for name in names[:4]) + (", ..." if len(names) > 4 else "")
    what = "a table that names" if len(names) == 1 else "tables that name"
    said = f"Skipped {shown}: not {what} the {nouns}."
    return (Note(said, "skipped", names=tuple(names)),)


def text_of(path: Path) -> tuple[str, tuple[str, ...]]:
    """The file as text, with a note when it is not UTF-8 (or UTF-16 with its mark); of binary bytes the line is named."""
    data = bytes_of(path)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        marked = data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
        read = None if marked or _UNDEFINED & set(data) else decode(data)
        if read is not None:
            return read[0], (
                f"'{path.name}' is not UTF-8 and was read as Western European (cp1252).",
            )
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"'{path.name}' is not UTF-8 text: byte 0x{error.object[error.start]:02x} on line {line} cannot be decoded; "
            "save the file as UTF-8."
        ) from None


def bytes_of(path: Path) -> bytes:
    """What is in a file, unpacked where it ends in .gz; one that unpacks to far more than it seems is refused on the way."""
    try:
        if not path.name.lower().endswith(".gz"):
            return path.read_bytes()
        most = min(_MOST, max(_LEAST, _TIMES * path.stat().st_size))
        pieces: list[bytes] = []
        with gzip.open(path) as packed:
            while (left := most + 1 - sum(map(len, pieces))) > 0 and (
                piece := packed.read(min(_PIECE, left))
            ):
                pieces.append(piece)
        data = b"".join(pieces)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"'{path.name}' cannot be read: {_reason(error)}.") from None
    if len(data) > most:
        raise DataError(
            f"'{path.name}' holds more than {most // 1_000_000:,} MB when it is unpacked, which is far more than its size lets "
            "expect; unpack it yourself if it is meant."
        )
    return data


def _reason(error: Exception) -> str:
    """What is wrong with a file, without its path."""
    said = (error.strerror if isinstance(error, OSError) else "") or str(error)
    return said[:1].lower() + said[1:].rstrip(".") if said else "it is cut short"


def _parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path)
    except pa.ArrowException:  # what it says names the file with its whole path
        raise DataError(
            f"'{path.name}' cannot be read as parquet: it is damaged, cut short, or of another kind."
        ) from None
    except OSError as error:
        why = (error.strerror or "").lower() or "it is damaged, cut short, or of another kind"
        raise DataError(f"'{path.name}' cannot be read as parquet: {why}.") from None


def _arrow(path: Path) -> Any:
    """A file of Arrow (Feather version 2), or a stream of it."""
    import pyarrow as pa

    data = pa.py_buffer(bytes_of(path))
    for opened in (pa.ipc.open_file, pa.ipc.open_stream):
        try:
            return opened(data).read_all()
        except pa.ArrowException:
            continue
    raise DataError(
        f"'{path.name}' cannot be read as Arrow: it is damaged, cut short, or of another kind."
    )


def _json_lines(text: str, name: str) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        rows.append(object_of(line, number, name))
    return rows


def object_of(line: str, number: int, name: str) -> dict[str, Any]:
    """One line of a .jsonl file."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DataError(
            f"Line {number} of '{name}' is not JSON: {str(error).rstrip('.')}."
        ) from None
    if not isinstance(row, dict):
        raise DataError(
            f"Line {number} of '{name}' holds a {type(row).__name__}; every line must be one object in braces."
        )
    return row


def _json_list(text: str, name: str) -> list[dict[str, Any]]:
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise DataError(f"'{name}' is not JSON: {str(error).rstrip('.')}.") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"'{name}' must hold a list of objects, one per member.")
    return rows


def table_of(rows: list[dict[str, Any]], name: str) -> Any:
    """Objects as a table: a column per key in order of first appearance; a column of mixed types becomes words."""
    import pyarrow as pa

    keys = list(dict.fromkeys(key for row in rows for key in row))
    if not keys:
        raise DataError(f"'{name}' holds no values.")
    columns = []
    for key in keys:
        cells = [row.get(key) for row in rows]
        try:
            columns.append(pa.array(cells))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError):
            columns.append(pa.array([_as_word(cell) for cell in cells]))
    return pa.table(columns, names=[_as_word(key) for key in keys])


def _as_word(cell: Any) -> str | None:
    """A cell as a string that can be written; half a surrogate pair becomes a question mark."""
    if cell is None:
        return None
    word = cell if isinstance(cell, str) else json.dumps(cell, sort_keys=True, default=str)
    return word.encode("utf-8", "replace").decode("utf-8")


def rows_loaded(rows: list[dict[str, Any]], name: str = "rows") -> Loaded:
    """A list of dictionaries in memory, as a table."""
    return Loaded(table_of(rows, name), name)


def _delimited(text: str, name: str, delimiter: str | None) -> tuple[Any, tuple[str, ...]]:
    import pyarrow as pa
    import pyarrow.csv as pacsv

    notes: list[str] = []
    head = next(line for line in text.split("\n") if line.strip())
    given = delimiter
    delimiter, header, bare = laid_out(head, given)
    if given is None and delimiter != "," and head.count(delimiter):
        notes.append(f"The columns of '{name}' are separated by {delimiter!r}.")
    if bare:
        notes.append(f"'{name}' has no header line: its columns are called x0, x1, ...")
    data = text.encode("utf-8")
    error: Exception | None = None
    for quote in ('"', False) if delimiter == "\t" else ('"',):
        try:
            table = pacsv.read_csv(
                pa.BufferReader(data),
                pacsv.ReadOptions(
                    block_size=min(len(data) + 1, 2**31 - 1),
                    column_names=[f"x{j}" for j in range(len(header))] if bare else None,
                ),
                pacsv.ParseOptions(delimiter=delimiter, quote_char=quote, newlines_in_values=True),
                pacsv.ConvertOptions(null_values=list(GAPS), strings_can_be_null=False),
            )
            table, commas = with_points(table) if delimiter == ";" else (table, [])
            if commas:
                shown = ", ".join(f"'{column}'" for column in commas[:8]) + (
                    ", ..." if len(commas) > 8 else ""
                )
                notes.append(f"Read as numbers with a decimal comma: {shown}.")
            return table, tuple(notes)
        except pa.ArrowInvalid as problem:
            error = problem
    raise DataError(_why_not(text, name, delimiter, error))


def laid_out(head: str, delimiter: str | None) -> tuple[str, list[str], bool]:
    """By its first line: what stands between the cells of a table, the cells of that line, and whether they are no header."""
    if delimiter is None:
        bare = ";" in head and all(_is_number(cell.replace(",", ".")) for cell in head.split(";"))
        delimiter = ";" if bare else max(",;\t|", key=lambda mark: (head.count(mark), mark == ","))
    header = next(csv.reader([head], delimiter=delimiter), [])
    return (
        delimiter,
        header,
        all(_is_number(cell.replace(",", ".") if delimiter == ";" else cell) for cell in header),
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _why_not(text: str, name: str, delimiter: str, error: Exception | None) -> str:
    """The first row with too many or too few cells, by its line; else what arrow said."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    width = last = 0
    try:
        for row in reader:
            width = width or len(row)
            if row and len(row) != width:
                return f"Line {last + 1} of '{name}' has {len(row)} cells where the first line has {width}."
            last = reader.line_num
    except csv.Error as problem:
        return f"Line {last + 1} of '{name}' cannot be read: {problem}."
    return f"'{name}' cannot be read as a table: {str(error).splitlines()[0].rstrip('.')}."


_IN_MEMORY = {
    ".csv": 6,
    ".tsv": 6,
    ".jsonl": 12,
    ".ndjson": 12,
    ".json": 12,
    ".parquet": 5,
    ".txt": 5,
}  # memory per byte of a file


def too_large(path: Path) -> bool:
    """Whether a file would take more than is left of the memory when it is read at once."""
    return needed(path) > left()


def needed(path: Path) -> int:
    """Bytes of memory that reading a file at once takes, about."""
    suffix = suffix_of(path)
    if suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            about = pq.ParquetFile(path).metadata
        except (OSError, pa.ArrowException):
            return 0  # damaged: the reader says so
        return _IN_MEMORY[suffix] * sum(
            about.row_group(g).total_byte_size for g in range(about.num_row_groups)
        )
    return (
        _IN_MEMORY.get(suffix, 4)
        * path.stat().st_size
        * (4 if path.name.lower().endswith(".gz") else 1)
    )

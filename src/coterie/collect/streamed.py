"""Files larger than the memory given: read in pieces, numbers into an array in a file, texts left where they lie."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.assembled import assembled
from coterie.collect.batches import BATCHED, at_once_only, batches, rows_in
from coterie.collect.columns import Named, compared_columns, numbers, spread, words
from coterie.collect.files import Loaded, needed, stem_of, suffix_of
from coterie.collect.long_tables import long_kind
from coterie.core.collection import Collection
from coterie.core.errors import DataError, StoreError
from coterie.core.text import Text
from coterie.core.workplace import fits
from coterie.core.written import Spans, Written

_PER_MEMBER = 200  # bytes: an id and its place in tables


def read_streamed(path: Path, kind: str | None, named: Named) -> Collection | None:
    """A large file read in pieces; None where it must be read at once (another kind, or members given by several rows)."""
    suffix = suffix_of(path)
    if path.name.lower().endswith(".gz") or kind not in (None, "table", "text") or named.like:
        return None
    if suffix == ".txt":
        return _lines(path)
    return _table(path, kind, named) if suffix in BATCHED else None


def refuse_whole(path: Path) -> None:
    """One sentence on a large file that cannot be read in pieces."""
    fits(
        needed(path),
        f"Reading '{path.name}' at once",
        "save it as .parquet, .jsonl or .csv of one row per member",
    )


def _lines(path: Path) -> Collection | None:
    """One document per line, as places in the file; None where it is not UTF-8 text."""
    fits(
        rows_in(path) * _PER_MEMBER,
        f"The places of the lines of '{path.name}'",
        "cut the file in parts",
    )
    starts = []
    ends = []
    ids = []
    file = path.open("rb")
    at = 0
    number = 0
    for raw in file:
        begin = at + (3 if at == 0 and raw.startswith(b"\xef\xbb\xbf") else 0)
        at += len(raw)
        try:
            line = raw[begin - at + len(raw) :].decode("utf-8")
        except UnicodeDecodeError:
            file.close()
            return None
        for part in line.splitlines(keepends=True):
            size = len(part.encode("utf-8"))
            text = part.splitlines()[0]
            number += 1
            if text.strip():
                starts.append(begin)
                ends.append(begin + len(text.encode("utf-8")))
                ids.append(str(number))
            begin += size
    if not ids:
        raise DataError(f"'{path.name}' is empty.")
    source = Spans(
        file, np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64), path.name
    )
    view = Text(Written(source, np.arange(len(ids))))
    return Collection(ids, {"text": view}, name=stem_of(path), notes=(_said(path),))


@dataclass(eq=False)
class _Spill:
    """Texts written one after the other into a file without a name."""

    file: Any = field(default_factory=lambda: tempfile.TemporaryFile(prefix="coterie-"))  # noqa: SIM115 (held as long as the texts)
    ends: list[np.ndarray] = field(default_factory=list)
    at: int = 0
    gaps: int = 0
    letters: int = 0

    def add(self, texts: list[str]) -> None:
        coded = [text.encode("utf-8", "replace") for text in texts]
        _write(self.file, b"".join(coded))
        ends = self.at + np.cumsum([len(text) for text in coded], dtype=np.int64)
        self.ends.append(ends)
        self.at = int(ends[-1])
        self.gaps += texts.count("")
        self.letters += sum(map(len, texts))

    def view(self, name: str) -> Text:
        _write(self.file, b"")
        ends = np.concatenate(self.ends)
        return Text(
            Written(
                Spans(self.file, np.concatenate([[0], ends[:-1]]), ends, name), np.arange(len(ends))
            )
        )


def _table(path: Path, kind: str | None, named: Named) -> Collection | None:
    """A table of one row per member: numbers and texts go to files as they come, other columns are held."""
    import pyarrow as pa

    pieces: Iterator[Any] = (spread(piece) for piece in batches(path) if piece.num_rows)
    first = next(pieces, None)
    if first is None:
        return None
    sample = Loaded(first, stem_of(path), (), path.name)
    long = long_kind(sample, named)
    if (long is not None and long[0] != "table") or at_once_only(path, first):
        return None
    roles = {c.name: c.role for c in compared_columns(first, named, path.name, kind)}
    texts = {name: _Spill() for name, role in roles.items() if role == "text"}
    if kind == "text" and not texts:
        return None
    kinds = {name: first.column(name).type for name in roles}
    plain = [
        name
        for name, role in roles.items()
        if role in ("number", "constant", "empty")
        and (pa.types.is_floating(kinds[name]) or pa.types.is_integer(kinds[name]))
    ]
    others = [name for name in roles if name not in texts and name not in plain]
    each = _PER_MEMBER + 3 * first.select(others).nbytes / first.num_rows
    fits(rows_in(path) * each, f"The names and words of '{path.name}'", "leave columns out")
    grown = _Grown(len(plain))
    held = []
    n = 0
    for piece in _all(first, pieces):
        n += piece.num_rows
        for name, spill in texts.items():
            spill.add(words(piece.column(name)))
        if plain:
            grown.add(np.column_stack([numbers(piece.column(name)) for name in plain]))
        held.append(piece.select(others))
    kept = pa.concat_tables(held, promote_options="permissive") if others else None
    views = [
        (name, texts[name].view(path.name), texts[name].gaps)
        for name in _main_first(texts, named.text, n)
    ]
    order = [name for name in roles if name not in texts]
    return assembled(
        kept,
        n,
        views,
        grown.values(),
        plain,
        order,
        Loaded(first, sample.name, (_said(path),), path.name),
        named,
    )


def _main_first(texts: dict[str, _Spill], first: str | None, n: int) -> list[str]:
    """Text columns, the main one first, as in a file read at once: the one named, else the longest that few members lack."""
    main = max(
        texts,
        key=lambda name: (name == first, texts[name].gaps <= 0.01 * n, texts[name].letters),
        default="",
    )
    return sorted(texts, key=lambda name: name != main)


def _write(file: Any, data: bytes) -> None:
    """Write now, so that a full disk is said here and not by whoever reads."""
    try:
        file.write(data)
        file.flush()
    except OSError as error:
        raise StoreError(
            f"The temporary folder has no room for what is read ({(error.strerror or 'it cannot be written').lower()}); "
            "name another one with the variable TMPDIR."
        ) from None


def _all(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


class _Grown:
    """Rows added block after block to a file; an array over it at the end."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows = 0
        self.file = tempfile.TemporaryFile(prefix="coterie-")  # noqa: SIM115 (closed by values)

    def add(self, block: np.ndarray) -> None:
        _write(self.file, np.ascontiguousarray(block, dtype=np.float64).tobytes())
        self.rows += len(block)

    def values(self) -> np.ndarray:
        with self.file:  # the array holds the file by itself
            if not self.width:
                return np.empty((self.rows, 0))
            return np.memmap(self.file, dtype=np.float64, mode="r+", shape=(self.rows, self.width))


def _said(path: Path) -> str:
    return f"'{path.name}' is large for the memory given, and was read in pieces: what it holds stays in files until asked for."

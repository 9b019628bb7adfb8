"""Reading: one door for paths and objects in memory; it guesses what is there, says why, and calls the right reader."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coterie.collect.columns import Named, roles_of
from coterie.core.collection import Collection, View
from coterie.core.errors import DataError, ParameterError

KINDS = ("text", "table", "mail", "sequences", "sets", "long", "views")
MAIL_SUFFIXES = (".mbox", ".mbx", ".eml")


@dataclass(frozen=True, slots=True)
class Guess:
    """What a path seems to hold, and the sentence that says why."""

    kind: str
    why: str


def read(
    source: Any,
    *,
    kind: str | None = None,
    text: str | None = None,
    id: str | None = None,
    time: str | None = None,
    truth: Sequence[str] | str = (),
    like: Mapping[str, View] | None = None,
) -> Collection:
    """A path, "installed", "sample:NAME", or data in memory, as a Collection; `kind` overrides the guess.

    `text`, `id` and `time` name columns (an empty id numbers the rows); columns named in `truth` are kept apart
    from every view. With `like` (a view of members read before) columns are found by name and keep their roles.

    >>> read([[1.0, 2.0], [3.0, 5.0]]).kind
    'table'
    """
    if kind is not None and kind not in KINDS:
        raise ParameterError(f"kind must be one of {', '.join(KINDS)}, and was '{kind}'.")
    named = Named(text, id, time, (truth,) if isinstance(truth, str) else tuple(truth), roles_of(like or {}))
    if isinstance(source, (str, os.PathLike)):
        return _with_truth(_read_named(os.fspath(source), kind, named), named)
    from coterie.collect.memory import from_memory

    return _with_truth(from_memory(source, kind, named), named)


def read_answers(path: str | os.PathLike[str], column: str) -> dict[str, Any]:
    """A column of a file by the ids of its members; the file need hold nothing else."""
    from coterie.collect.columns import called_id, columns_of, truth_of
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of
    from coterie.collect.tables import ids_of

    found = _existing(os.fspath(path))
    if found.is_dir() or suffix_of(found) not in TABLE_SUFFIXES:
        collection = read(path, truth=column)
        return dict(zip(collection.ids, collection.truth[column].tolist(), strict=True))
    loaded = load(found)
    columns = columns_of(loaded.table, Named(truth=(column,)), loaded.where, texts=False)
    told = called_id(columns, loaded.table.num_rows)
    if told is not None:  # an id that repeats must be an error here: numbers of rows would tie answers to the wrong members
        columns = columns_of(loaded.table, Named(id=told.name, truth=(column,)), loaded.where, texts=False)
    answers = truth_of(next(c.values for c in columns if c.name == column)).tolist()
    return dict(zip(ids_of(columns, len(answers), loaded.where), answers, strict=True))


def guess(path: str | os.PathLike[str]) -> Guess:
    """What a path holds, from its suffix and content.

    >>> guess("sample:blobs").kind
    'sample'
    """
    source = os.fspath(path)
    if source == "installed" and not Path(source).exists():
        return Guess("installed", "The word 'installed': the packages of this computer.")
    if source.startswith("sample:"):
        return Guess("sample", "A generated collection with a known answer.")
    found = _existing(source)
    return _guess_folder(found) if found.is_dir() else _guess_file(found, Named())[0]


def _read_named(source: str, kind: str | None, named: Named) -> Collection:
    if source == "installed" and not Path(source).exists():
        from coterie.collect.installed import read_installed

        return read_installed()
    if source.startswith("sample:"):
        from coterie.collect.samples import sample

        return sample(source.removeprefix("sample:"))
    path = _existing(source)
    if path.is_dir():
        return _read_folder(path, kind, named)
    return _read_file(path, kind, named)


def _existing(source: str) -> Path:
    path = Path(source).expanduser()
    try:
        there = path.exists()
    except (OSError, ValueError):  # a name too long or with a NUL: text given where a path belongs
        there = False
    if not there:
        shown = source if len(source) <= 200 else source[:200] + "..."
        raise DataError(f"There is no file or folder '{shown}'.")
    return path


def _guess_folder(path: Path) -> Guess:
    from coterie.collect.joined import aligned_folders, data_in, tables_in
    from coterie.collect.mail import looks_like_mail
    from coterie.collect.text import SUFFIXES, files_of

    name = path.resolve().name or str(path)
    if looks_like_mail(path):
        return Guess("mail", f"The folder '{name}' holds messages: read as mail.")
    files = list(files_of(path))
    if not files:
        raise DataError(f"The folder '{name}' is empty.")
    aligned = aligned_folders(path)
    if aligned:
        seen = ", ".join(p.name for p in aligned[:6])
        return Guess("views", f"The sub-folders of '{name}' ({seen}) hold files of the same names: read as aligned views.")
    data = data_in(path)
    documents = [p for p in files if p.suffix.lower() in SUFFIXES and p.stem.upper() not in ("README", "LICENSE")]
    if len(data) == 1 and not documents:
        return Guess("file", f"The folder '{name}' holds one file of data, '{data[0].name}'.")
    if len(data) > 1 and not documents:
        if data != tables_in(path):
            raise DataError(f"The folder '{name}' holds {len(data)} files of data; name one of them, as '{data[0].name}'.")
        return Guess("views", f"The folder '{name}' holds {len(data)} tables: joined by their ids.")
    if any(p.suffix.lower() in SUFFIXES for p in files):
        return Guess("text", f"The folder '{name}' holds text files: read as text, one document per file.")
    suffixes = sorted({p.suffix.lower() for p in files})[:6]
    raise DataError(f"The folder '{name}' holds only files that are not read ({', '.join(suffixes)}); {_what_is_read()}")


def _read_folder(path: Path, kind: str | None, named: Named) -> Collection:
    from coterie.collect.joined import data_in, read_views
    from coterie.collect.mail import read_mail
    from coterie.collect.text import read_folder

    found = _guess_folder(path) if kind is None else Guess(kind, "")
    if found.kind == "mail":
        return _said(read_mail(path), found.why)
    if found.kind == "views":
        return _said(read_views(path, named=named), found.why)
    if found.kind == "file":
        return _said(_read_file(data_in(path)[0], None, named), found.why)
    if found.kind == "text":
        return _said(read_folder(path), found.why)
    raise DataError(f"A folder is read as text, mail or views, and not as '{kind}'; name a file inside '{path.name}'.")


def _guess_file(path: Path, named: Named) -> tuple[Guess, Any]:
    """The guess, and what was loaded on the way: a table or nothing."""
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of

    suffix = suffix_of(path)
    if suffix in TABLE_SUFFIXES:
        loaded = load(path)
        return _guess_table(loaded, named, suffix)
    if suffix == ".npz":
        from coterie.collect.sequences import npz_kind, open_npz

        kind, why = npz_kind(open_npz(path), path.name)
        return Guess(kind, f"'{path.name}' is {why}."), None
    if suffix == ".npy":
        from coterie.collect.sequences import open_npy

        if open_npy(path).ndim == 3:
            return Guess("sequences", "An .npy of three dimensions (members, steps, values): read as sequences."), None
        return Guess("table", "An .npy of rows and columns: read as a table."), None
    if suffix == ".ts":
        return Guess("sequences", "A .ts file: read as sequences with their classes as truth."), None
    from coterie.collect.mail import looks_like_mail

    if suffix in MAIL_SUFFIXES or looks_like_mail(path):
        return Guess("mail", f"'{path.name}' holds messages: read as mail."), None
    if suffix == ".txt":
        return Guess("text", f"'{path.name}' is one text file: read as text, one document per line."), None
    raise DataError(f"'{path.name}' is of a type that is not read; {_what_is_read()}")


def _guess_table(loaded: Any, named: Named, suffix: str) -> tuple[Guess, Any]:
    """The guess, and the table with a hint added to its notes where it may be a long one."""
    from coterie.collect.columns import columns_of
    from coterie.collect.long_tables import long_kind

    long = long_kind(loaded, named) if not named.like else None
    if long is not None and long[0] != "table":
        return Guess(long[0], f"A {suffix} in which {long[1]}."), loaded
    if long is not None:
        loaded = replace(loaded, notes=(*loaded.notes, long[1]))
    texts = [c.name for c in columns_of(loaded.table, named, loaded.where) if c.role == "text"] if loaded.table.num_rows else []
    if texts:
        shown = ", ".join(f"'{name}'" for name in texts[:4])
        more = f" and {len(texts) - 4} more" if len(texts) > 4 else ""
        return Guess("text", f"A {suffix} with running text in {shown}{more}: read as text."), loaded
    return Guess("table", f"A {suffix} of numbers and categories: read as a table."), loaded


def _read_file(path: Path, kind: str | None, named: Named) -> Collection:
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of

    suffix = suffix_of(path)
    if kind is None:
        found, loaded = _guess_file(path, named)
    else:
        found, loaded = Guess(kind, ""), load(path) if suffix in TABLE_SUFFIXES and kind != "mail" else None
    if loaded is not None:
        from coterie.collect.memory import from_loaded

        return _said(from_loaded(loaded, found.kind, named), found.why)
    return _said(_read_other(path, suffix, found.kind, named), found.why)


def _read_other(path: Path, suffix: str, kind: str, named: Named) -> Collection:
    from coterie.collect import joined, sequences

    ordered = kind != "sets"
    if kind == "mail":
        from coterie.collect.mail import read_mail

        return read_mail(path)
    if suffix == ".npz" and kind in ("views", "table"):
        return joined.read_matrices(path, named=named)
    if suffix == ".npz" and kind in ("sequences", "sets", "long"):
        return sequences.read_npz(path, named=named, ordered=ordered)
    if suffix == ".npy" and kind in ("sequences", "sets", "long", "table"):
        return sequences.from_array(sequences.open_npy(path), name=path.stem, ordered=ordered, like=named.like)
    if suffix == ".ts" and kind in ("sequences", "sets", "long"):
        from coterie.collect.ts_files import read_ts

        return read_ts(path, ordered=ordered)
    if kind == "text":
        return _lines(path)
    raise DataError(f"'{path.name}' cannot be read as '{kind}'; {_what_is_read()}")


def _lines(path: Path) -> Collection:
    from coterie.collect.files import stem_of, text_of
    from coterie.collect.text import texts

    text, notes = text_of(path)
    rows = [(str(number), line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not rows:
        raise DataError(f"'{path.name}' is empty.")
    found = texts([line for _, line in rows], [number for number, _ in rows], name=stem_of(path))
    return replace(found, notes=notes)


def _with_truth(collection: Collection, named: Named) -> Collection:
    """What was named as truth is truth: already so, or taken from the cards."""
    import numpy as np

    missing = [name for name in named.truth if name not in collection.truth]
    for name in missing:
        if name not in collection.cards:
            known = ", ".join((*collection.truth, *collection.cards)) or "nothing"
            raise DataError(f"'{collection.name}' has no truth '{name}'; known of its members is {known}.")
    moved = {name: np.array(collection.cards[name]) for name in missing}
    cards = {name: rows for name, rows in collection.cards.items() if name not in moved}
    return replace(collection, truth={**collection.truth, **moved}, cards=cards) if moved else collection


def _said(collection: Collection, why: str) -> Collection:
    return replace(collection, notes=(why, *collection.notes)) if why else collection


def _what_is_read() -> str:
    return (
        "what is read: folders of text files, mail (.mbox, Maildir, .eml), tables (.csv, .tsv, .jsonl, .json, .parquet), "
        "sequences (.npz, .npy, .ts) and .txt with one document per line."
    )

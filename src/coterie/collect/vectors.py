"""Vectors beside members: files and arrays of one vector a member, matched by the order of the rows or by ids.

A file is an .npy of rows, an .npz (an array of rows and maybe `ids`), a table (.csv, .tsv, .jsonl, .json, .parquet) of an id
and numbers or of an id and one column of lists, or a folder with an .npy for each member, named by its id. Where a member
has several vectors (an .npy of several rows, an id in several rows), its vector is the mean of these, each at length one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from coterie.collect.columns import ID_NAMES, numbers, plain
from coterie.collect.files import TABLE_SUFFIXES, Loaded, load, rows_loaded, suffix_of
from coterie.collect.sequences import ID_KEYS, open_npy, open_npz
from coterie.collect.tables import loaded_frame
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.vectors import GIVEN, Vectors
from coterie.messages.notes import note_unused_vectors, note_vectors

_NAMES = (*(name for name in ID_NAMES if name), "file", "path", "name", "member")
_SHOWN = 3  # members that are named in a sentence
_ROUND = 1e-3  # share by which lengths may differ and are still called equal


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Vectors as they were given: rows, the ids they were given with (None where they go by their order), and a name."""

    rows: np.ndarray
    ids: Sequence[str] | None
    where: str


def with_vectors(collection: Collection, source: Any, id: str | None = None) -> Collection:
    """The collection with given vectors as its view `vectors`, one for every member, and a note on their dimension and norm.

    `source` is a path, an array of rows, a frame, a mapping from ids to vectors, or a function of a list of texts (or an
    object with `encode`, as sentence-transformers has it). `id` names the column of ids in a table.

    >>> from coterie.collect.text import texts
    >>> with_vectors(texts(["one", "two"]), [[1.0, 0.0], [0.0, 1.0]]).view("vectors")
    Vectors(2 x 2)
    """
    encode = encoder_of(source)
    if encode is not None:
        source = encode(texts_of(collection))
    given = _read_given(source, id)
    rows, notes = _matched(given, collection)
    _check_finite(rows, given, collection.ids)
    vectors = Vectors.of(rows)
    lengths = np.linalg.norm(vectors.values, axis=1)
    spread = float(lengths.max() - lengths.min())
    is_unit = bool(abs(lengths.mean() - 1) <= _ROUND and spread <= _ROUND)
    zeros = int((lengths == 0).sum())
    notes.append(
        note_vectors(vectors.dimension, float(lengths.min()), float(lengths.max()), is_unit, zeros)
    )
    views = {name: view for name, view in collection.views.items() if name != GIVEN}
    return replace(collection, views={**views, GIVEN: vectors}, notes=(*collection.notes, *notes))


def encoder_of(source: Any) -> Callable[[list[str]], Any] | None:
    """What makes vectors of texts, where that was given: a function, or an object with `encode`."""
    encode = getattr(source, "encode", None)
    if callable(encode) and not isinstance(source, (str, bytes)):
        return encode
    return source if callable(source) else None


def texts_of(collection: Collection) -> list[str]:
    """The text of every member, of its first view of texts."""
    found = collection.of_modality("text")
    if not found:
        raise DataError(
            f"'{collection.name}' has no text that vectors could be made of; give the vectors themselves."
        )
    return [str(text) for text in next(iter(found.values()))]


# ---- a column of lists in the table itself ------------------------------------------------------------------------


def split_vector(source: Any, column: str) -> Loaded:
    """A table without its column of lists, which becomes the vectors of its rows."""
    loaded = _load_table(source, "vector")
    names = loaded.table.column_names
    if column not in names:
        raise DataError(
            f"'{loaded.where}' has no column '{column}'; it has {', '.join(names[:20])}.",
            parameter="vector",
        )
    rows = _list_rows(loaded, column)
    return replace(loaded, table=loaded.table.drop_columns([column]), vectors=rows)


def _load_table(source: Any, parameter: str) -> Loaded:
    """A table from a path, a frame or a list of dictionaries."""
    if isinstance(source, (str, os.PathLike)):
        path = _existing(source)
        if path.is_file() and suffix_of(path) in TABLE_SUFFIXES:
            return load(path)
        raise DataError(
            f"'{path.name}' is no table; {parameter} names a column of a .parquet, .jsonl or .json table.",
            parameter=parameter,
        )
    if isinstance(source, list) and source and all(isinstance(row, dict) for row in source):
        return rows_loaded(source)
    return loaded_frame(source)


def _list_rows(loaded: Loaded, column: str) -> np.ndarray:
    """The vectors of a column of lists; a cell that is none, and one of another length, is named by its row."""
    cells = loaded.table.column(column).to_pylist()
    first = next((cell for cell in cells if isinstance(cell, (list, tuple))), None)
    if first is None:
        raise DataError(
            f"The column '{column}' of '{loaded.where}' holds no lists of numbers.",
            parameter="vector",
        )
    for row, cell in enumerate(cells):
        where = f"in row {row} (counting from 0) of column '{column}' of '{loaded.where}'"
        if not isinstance(cell, (list, tuple)):
            raise DataError(f"There is no vector {where}.", parameter="vector")
        if len(cell) != len(first):
            raise DataError(
                f"The vector {where} has {len(cell)} numbers where the first has {len(first)}.",
                parameter="vector",
            )
    return _numbers(cells, f"The column '{column}' of '{loaded.where}'")


# ---- files and arrays ---------------------------------------------------------------------------------------------


def _read_given(source: Any, id: str | None) -> Given:
    """Vectors from whatever holds them."""
    if isinstance(source, (str, os.PathLike)):
        return _read_path(_existing(source), id)
    if isinstance(source, Mapping):
        return _stacked(list(source), list(source.values()), "the vectors")
    if isinstance(source, Vectors):
        return Given(source.values, None, "the vectors")
    if hasattr(source, "columns") or hasattr(source, "column_names"):
        return _from_table(_load_table(source, "vectors"), id)
    return _rows(source, "the vectors")


def _existing(source: Any) -> Path:
    path = Path(os.fspath(source)).expanduser()
    if not path.exists():
        raise DataError(f"There is no file or folder '{os.fspath(source)}'.", parameter="vectors")
    return path


def _read_path(path: Path, id: str | None) -> Given:
    if path.is_dir():
        files = sorted(p for p in path.rglob("*.npy") if not p.name.startswith("."))
        if not files:
            raise DataError(
                f"The folder '{path.name}' holds no .npy file of vectors.", parameter="vectors"
            )
        names = [file.relative_to(path).with_suffix("").as_posix() for file in files]
        return _stacked(names, [open_npy(file) for file in files], path.name)
    suffix = suffix_of(path)
    if suffix == ".npy":
        return _rows(open_npy(path), path.name)
    if suffix == ".npz":
        return _from_arrays(open_npz(path), path.name)
    if suffix in TABLE_SUFFIXES:
        return _from_table(load(path), id)
    raise DataError(
        f"'{path.name}' is not read as vectors; give an .npy, an .npz, a table or a folder of .npy files.",
        parameter="vectors",
    )


def _rows(source: Any, where: str) -> Given:
    """An array with a row for each member; of three dimensions, several vectors each."""
    rows = _numbers(source, f"'{where}'")
    if rows.ndim == 3:
        rows = np.array([_mean_of(own) for own in rows])
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise DataError(
            f"'{where}' must be rows of numbers, one a member, and has the shape {rows.shape}.",
            parameter="vectors",
        )
    return Given(rows, None, where)


def _from_arrays(arrays: Mapping[str, np.ndarray], where: str) -> Given:
    """The one array of rows of an .npz, and its ids; or an array for each member."""
    ids = next((arrays[key] for key in ID_KEYS if key in arrays), None)
    found = {
        key: array
        for key, array in arrays.items()
        if key not in ID_KEYS and array.dtype.kind in "biuf" and array.ndim in (1, 2, 3)
    }
    wide = [key for key, array in found.items() if array.ndim > 1]
    if len(wide) == 1 and (len(found) == 1 or ids is not None):
        given = _rows(found[wide[0]], where)
        if ids is None:
            return given
        if len(ids) != len(given.rows):
            raise DataError(
                f"'{where}' has {len(ids):,} ids and {len(given.rows):,} vectors.",
                parameter="vectors",
            )
        return _grouped([str(one) for one in ids], given.rows, where)
    if not found:
        raise DataError(f"'{where}' holds no array of numbers.", parameter="vectors")
    return _stacked(list(found), list(found.values()), where)


def _from_table(loaded: Loaded, id: str | None) -> Given:
    """A table of vectors: one column of lists, or a column of numbers for each dimension; matched by its ids where it has any."""
    import pyarrow as pa

    table = loaded.table
    names = list(table.column_names)
    if id and id not in names:
        id = None  # it names the column of the members, and these are vectors of their own
    by = id or next((name for name in names if name.lower() in _NAMES), None)
    listed = [name for name in names if pa.types.is_nested(table.column(name).type)]
    if len(listed) > 1:
        raise DataError(
            f"'{loaded.where}' has several columns of lists ({', '.join(listed)}); keep the one that is meant.",
            parameter="vectors",
        )
    if listed:
        rows = _list_rows(loaded, listed[0])
    else:
        columns = {name: plain(table.column(name)) for name in names if name != by}
        words = [name for name, values in columns.items() if not _is_number(values)]
        if by is None and len(words) == 1:
            by = words[0]
            words = []
            columns.pop(by)
        if words or not columns:
            what = (
                f"the column '{words[0]}' holds words" if words else "it has no column of numbers"
            )
            raise DataError(
                f"'{loaded.where}' is not a table of vectors: {what}.", parameter="vectors"
            )
        rows = np.column_stack([numbers(values) for values in columns.values()])
    if by is None:
        return Given(rows, None, loaded.where)
    return _grouped([_word(cell) for cell in table.column(by).to_pylist()], rows, loaded.where)


def _is_number(values: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(values.type) or pa.types.is_integer(values.type))


def _word(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _stacked(ids: Sequence[Any], members: Sequence[Any], where: str) -> Given:
    """A vector, or several, for each id."""
    rows: list[np.ndarray] = []
    for member, own in zip(ids, members, strict=True):
        values = _numbers(own, f"'{member}' of '{where}'")
        values = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values[None, :]
        if rows and values.shape[1] != rows[0].shape[1]:
            raise DataError(
                f"The vector of '{member}' in '{where}' has {values.shape[1]} numbers where that of '{ids[0]}' has "
                f"{rows[0].shape[1]}.",
                parameter="vectors",
            )
        if not values.size:
            raise DataError(f"The vector of '{member}' in '{where}' is empty.", parameter="vectors")
        rows.append(values)
    means = np.array([own[0] if len(own) == 1 else _mean_of(own) for own in rows])
    return Given(means, [str(one) for one in ids], where)


def _grouped(ids: Sequence[str], rows: np.ndarray, where: str) -> Given:
    """Rows by their ids, the mean of those that share one."""
    if len(set(ids)) == len(ids):
        return Given(rows, ids, where)
    places = dict[str, list[int]]()
    for at, member in enumerate(ids):
        places.setdefault(member, []).append(at)
    means = np.array(
        [rows[own[0]] if len(own) == 1 else _mean_of(rows[own]) for own in places.values()]
    )
    return Given(means, list(places), where)


def _mean_of(rows: np.ndarray) -> np.ndarray:
    """The mean of several vectors of one member, each at length one."""
    return np.asarray(Vectors.of(rows).unit().mean(axis=0))


def _numbers(values: Any, what: str) -> np.ndarray:
    """An array of real numbers, or a sentence."""
    try:
        if hasattr(values, "detach"):  # of torch, maybe on a graphics card
            values = values.detach().cpu().numpy()
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = np.array([list(row) for row in values], dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{what} cannot be read as vectors of one length.", parameter="vectors"
        ) from None
    if array.dtype.kind not in "biuf" or array.ndim == 0:
        raise DataError(
            f"{what} holds {array.dtype} and not vectors of real numbers.", parameter="vectors"
        )
    return np.asarray(array, dtype=np.float64)


# ---- to the members -----------------------------------------------------------------------------------------------


def _matched(given: Given, collection: Collection) -> tuple[np.ndarray, list[str]]:
    """A row for every member: by id where the vectors have ids, else by order."""
    n = len(collection)
    if given.ids is None:
        if len(given.rows) != n:
            raise DataError(
                f"'{given.where}' has {len(given.rows):,} vectors and '{collection.name}' has {n:,} members; without "
                "ids there must be one vector for each, in the same order.",
                parameter="vectors",
            )
        return given.rows, []
    place = {member: at for at, member in enumerate(given.ids)}
    if not any(member in place for member in collection.ids):
        place = _by_name(given.ids, collection.ids)
    lacking = [member for member in collection.ids if member not in place]
    if len(lacking) == n:
        raise DataError(
            f"No id of '{given.where}', such as '{given.ids[0]}', is an id of '{collection.name}', such as "
            f"'{collection.ids[0]}'.",
            parameter="vectors",
        )
    if lacking:
        some = ", ".join(lacking[:_SHOWN]) + (", ..." if len(lacking) > _SHOWN else "")
        raise DataError(
            f"{len(lacking):,} of {n:,} members have no vector in '{given.where}': {some}.",
            parameter="vectors",
        )
    over = len(given.ids) - n
    notes: list[str] = [note_unused_vectors(over, given.where)] if over > 0 else []
    return given.rows[[place[member] for member in collection.ids]], notes


def _by_name(ids: Sequence[str], wanted: Sequence[str]) -> dict[str, int]:
    """Places by the names of files without their folders and suffixes, where that names everybody once; else nothing."""
    stems = [PurePosixPath(member).name.split(".")[0] for member in ids]
    members = [PurePosixPath(member).name.split(".")[0] for member in wanted]
    if len(set(stems)) < len(stems) or len(set(members)) < len(members):
        return {}
    place = {stem: at for at, stem in enumerate(stems)}
    return {
        member: place[stem] for member, stem in zip(wanted, members, strict=True) if stem in place
    }


def _check_finite(rows: np.ndarray, given: Given, ids: Sequence[str]) -> None:
    bad = np.argwhere(~np.isfinite(rows))
    if not len(bad):
        return
    row, column = (int(at) for at in bad[0])
    what = "NaN" if np.isnan(rows[row, column]) else "an infinity"
    raise DataError(
        f"The vector of '{ids[row]}' (row {row}, counting from 0) in '{given.where}' holds {what} at dimension {column}.",
        parameter="vectors",
    )

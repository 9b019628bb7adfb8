"""Sequences: .npz and .npy files and lists of arrays in memory, as a Collection of ragged members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.columns import Named
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.ragged import Ragged
from coterie.core.table import Table, row_blocks
from coterie.core.workplace import left, roomy

ID_KEYS = ("ids", "id")
SHOWN_KEYS = ("split", "names")  # known of the members, and neither data nor an answer
TRUTH_KEYS = ("labels", "label", "truth", "y", "target")


def sequences(
    members: Any,
    ids: Sequence[str] | None = None,
    *,
    truth: Mapping[str, Any] | None = None,
    cards: Mapping[str, Sequence[str]] | None = None,
    ordered: bool = True,
    name: str = "sequences",
) -> Collection:
    """A list of arrays (length, d), a 3-d array or a Ragged as a Collection; every value must be a number.

    >>> sequences([[1.0, 2.0], [3.0]]).kind
    'sequences'
    """
    ragged = Ragged.of(members, ordered)
    ragged = Ragged(
        np.asarray(ragged.values, dtype=np.float64), ragged.offsets, ordered, ragged.names
    )
    chosen = [str(i) for i in range(len(ragged))] if ids is None else [str(i) for i in ids]
    if len(chosen) != len(ragged):
        raise DataError(f"There are {len(chosen)} ids for {len(ragged)} members of '{name}'.")
    notes = whole(ragged, chosen, name)
    labels = {key: np.asarray(column) for key, column in (truth or {}).items()}
    view = {"sequences" if ordered else "sets": ragged}
    return Collection(chosen, view, truth=labels, name=name, cards=dict(cards or {}), notes=notes)


def whole(ragged: Ragged, ids: Sequence[str], name: str) -> tuple[str, ...]:
    """Raise, naming the member, when one is empty, has an infinity, or (a set) a gap; a note on gaps of sequences."""
    short = np.flatnonzero(ragged.lengths == 0)
    if len(short):
        raise DataError(f"The member '{ids[short[0]]}' of '{name}' is empty: it has no steps.")
    if ragged.dim == 0:
        raise DataError(f"The members of '{name}' have no values per step.")
    gaps = np.isnan(ragged.values)
    bad = np.argwhere(np.isinf(ragged.values) if ragged.ordered else ~np.isfinite(ragged.values))
    if len(bad):
        row, column = bad[0]
        member = int(np.searchsorted(ragged.offsets, row, side="right") - 1)
        what = "a gap (NaN)" if np.isnan(ragged.values[row, column]) else "an infinity"
        step = row - ragged.offsets[member]
        raise DataError(
            f"The member '{ids[member]}' of '{name}' has {what} at step {step}, dimension {column} (counting from 0); "
            f"{'leave it out, or put NaN there' if ragged.ordered else 'a set must be whole'}."
        )
    if not gaps.any():
        return ()
    whose = np.add.reduceat(gaps.any(axis=1), ragged.offsets[:-1], dtype=np.int64) > 0
    blank = np.add.reduceat(~gaps.all(axis=1), ragged.offsets[:-1], dtype=np.int64) == 0
    if blank.any():
        raise DataError(
            f"The member '{ids[int(np.argmax(blank))]}' of '{name}' has no value at any step; leave it out."
        )
    some = (
        f"{int(whose.sum()):,} sequences have"
        if whose.sum() > 1
        else f"The sequence '{ids[int(np.argmax(whose))]}' has"
    )
    return (
        f"{some} gaps ({gaps.mean():.1%} of all values): left out by models, filled along the sequence elsewhere.",
    )


def open_npz(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz, none of them pickled."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if isinstance(archive, np.ndarray):
                return {"X": archive}
            return {key: archive[key] for key in archive.files}
    except (
        Exception
    ) as error:  # numpy and zipfile raise a dozen different classes on a broken archive
        raise DataError(_broken(path, error)) from None


def open_npy(path: Path) -> np.ndarray:
    """The array of an .npy file, not pickled; one of many numbers stays in its file and is mapped from there.

    Where the numbers are not float64, in the order of rows, they are written so into a file without a name, block by block.
    """
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        if 24 * array.size <= left():  # as float64, with room for two copies
            return np.array(array)
        plain = array.ndim == 2 and array.dtype.kind in "biuf"
        if not plain or (array.dtype == np.float64 and array.flags.c_contiguous):
            return np.asarray(array)
        out = roomy(array.shape)
        for rows in row_blocks(*array.shape):
            out[rows] = array[rows]
        return out
    except Exception as error:
        raise DataError(_broken(path, error)) from None


def npy_dimensions(path: Path) -> int:
    """How many dimensions the array of an .npy file has; its numbers are not read."""
    try:
        return int(np.load(path, mmap_mode="r", allow_pickle=False).ndim)
    except Exception as error:
        raise DataError(_broken(path, error)) from None


def _broken(path: Path, error: Exception) -> str:
    if any(word in str(error) for word in ("allow_pickle", "pickled", "Pickled", "Python objects")):
        return f"'{path.name}' holds pickled objects, or is no numpy file; save plain arrays of numbers and words instead."
    reason = str(error).splitlines()[0].rstrip(".") if str(error) else "it is cut short"
    return f"'{path.name}' is damaged or no numpy file: {reason}."


def npz_kind(arrays: Mapping[str, np.ndarray], name: str) -> tuple[str, str]:
    """What an .npz holds, by the names and shapes of its arrays, and the sentence that says why."""
    if "values" in arrays and ("lengths" in arrays or "offsets" in arrays):
        return "sequences", "an .npz with 'values' and their lengths: read as sequences"
    matrices = [
        key for key, array in arrays.items() if array.ndim == 2 and array.dtype.kind in "biuf"
    ]
    sparse = [key[:-6] for key in arrays if key.endswith("indptr")]
    if sparse or _rows_agree(arrays, matrices):
        if len(sparse) + len(matrices) > 1:
            return "views", "an .npz of several matrices with the same rows: read as aligned views"
        return "table", "an .npz of one matrix: read as a table"
    if len(_members(arrays)) > 0:
        return "sequences", "an .npz with an array for each member: read as sequences"
    raise DataError(
        f"'{name}' has no arrays of numbers; it holds {', '.join(list(arrays)[:12]) or 'nothing'}."
    )


def _rows_agree(arrays: Mapping[str, np.ndarray], matrices: Sequence[str]) -> bool:
    if not matrices:
        return False
    rows = {len(arrays[key]) for key in matrices}
    if len(rows) > 1 or len(matrices) < len(_members(arrays)):
        return False
    told = any(len(arrays[key]) in rows for key in (*TRUTH_KEYS, *ID_KEYS) if key in arrays)
    return len(matrices) == 1 or told or len({arrays[key].shape[1] for key in matrices}) > 1


def _members(arrays: Mapping[str, np.ndarray]) -> list[str]:
    known = (*TRUTH_KEYS, *ID_KEYS, *SHOWN_KEYS)
    return [
        k
        for k, a in arrays.items()
        if k not in known and a.ndim in (1, 2) and a.dtype.kind in "biuf"
    ]


def read_npz(path: Path, *, named: Named | None = None, ordered: bool = True) -> Collection:
    """An .npz with `values` and `lengths` or `offsets` (plus labels, ids, split), or with an array per member."""
    arrays = open_npz(path)
    named = named or Named()
    if "values" in arrays and ("lengths" in arrays or "offsets" in arrays):
        return _flat(arrays, named, path.stem, ordered)
    keys = _members(arrays)
    if not keys:
        raise DataError(f"'{path.name}' has no arrays of numbers to be read as members.")
    rest = {key: array for key, array in arrays.items() if key not in keys}
    _, truth, cards = described(rest, len(keys), named, path.stem)
    return sequences(
        [arrays[key] for key in keys],
        keys,
        truth=truth,
        cards=cards,
        ordered=ordered,
        name=path.stem,
    )


def _flat(arrays: dict[str, np.ndarray], named: Named, name: str, ordered: bool) -> Collection:
    values = arrays.pop("values")
    if values.dtype.kind not in "biuf" or values.ndim not in (1, 2):
        raise DataError(
            f"'values' of '{name}' must be numbers of shape (steps, d), and is {values.dtype} {values.shape}."
        )
    values = values[:, None] if values.ndim == 1 else values
    if "offsets" in arrays:
        offsets = arrays.pop("offsets").astype(np.int64)
        arrays.pop("lengths", None)
    else:
        lengths = arrays.pop("lengths").astype(np.int64)
        if np.any(lengths < 0) or lengths.sum() != len(values):
            raise DataError(
                f"The lengths of '{name}' sum to {lengths.sum()} where 'values' has {len(values)} rows."
            )
        offsets = np.concatenate([[0], np.cumsum(lengths)])
    ragged = Ragged(values, offsets, ordered)
    ids, truth, cards = described(arrays, len(ragged), named, name)
    return sequences(ragged, ids, truth=truth, cards=cards, ordered=ordered, name=name)


def described(
    arrays: Mapping[str, np.ndarray], n: int, named: Named, name: str
) -> tuple[list[str] | None, dict[str, np.ndarray], dict[str, list[str]]]:
    """Ids, truth and cards from the arrays that have one entry per member; named truth leaves the others on the cards."""
    rows = {key: array for key, array in arrays.items() if array.ndim == 1 and len(array) == n}
    for key in named.truth:
        if key not in rows:
            raise DataError(
                f"'{name}' has no array '{key}' with one entry per member; it has {', '.join(rows) or 'none'}."
            )
    place = named.id or next((key for key in ID_KEYS if key in rows), None)
    if named.id and named.id not in rows:
        raise DataError(
            f"'{name}' has no array '{named.id}' with one id per member; it has {', '.join(rows) or 'none'}."
        )
    wanted = named.truth or tuple(key for key in rows if key not in SHOWN_KEYS)
    truth = {key: rows[key] for key in wanted if key != place}
    cards = {key: [str(v) for v in rows[key]] for key in rows if key not in truth and key != place}
    return ([str(v) for v in rows[place]] if place else None), truth, cards


def from_array(array: np.ndarray, *, name: str, ordered: bool = True, like: Any = ()) -> Collection:
    """A plain array: two dimensions are a table, three are (members, steps, values)."""
    from coterie.collect.tables import from_matrix

    if array.dtype.kind not in "biuf":
        raise DataError(f"'{name}' holds {array.dtype} and not real numbers.")
    if array.ndim == 3:
        return sequences(array, ordered=ordered, name=name)
    if array.ndim in (1, 2):
        return from_matrix(
            Table.of(array[:, None] if array.ndim == 1 else array), name=name, like=like
        )
    raise DataError(
        f"'{name}' has {array.ndim} dimensions; a table has 2 and a set of sequences 3."
    )

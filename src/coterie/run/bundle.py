"""A value as a small folder: one JSON file that names its arrays, replaced as a whole; and plain JSON files."""

from __future__ import annotations

import contextlib
import json
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from coterie.core.errors import DataError, StoreError
from coterie.run.atomic import AGAIN, make_folder, sum_of, sweep, write_array, write_bytes
from coterie.run.packing import pack, unpack

FORMAT = 1  # of the files of a run; a newer one is refused with a sentence
_DAY = 86_400.0


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON of plain values, numpy numbers and paths; the text can always be encoded."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=_plain, indent=indent)
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, as undecodable file names have
        text = json.dumps(value, default=_plain, indent=indent)
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    raise DataError(
        f"A {type(value).__name__} cannot be written as JSON; use numbers, text, lists and dictionaries."
    )


def write_json(path: Path, value: Any, *, then: str = AGAIN, indent: int | None = 1) -> None:
    """Put a plain value at `path` as JSON, whole or not at all."""
    write_bytes(path, to_json(value, indent=indent).encode("utf-8"), then=then)


def read_json(path: Path) -> Any:
    """The value at `path`; a spoilt file is one sentence."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(
            f"The file {path} is damaged or cannot be read ({error}); delete that run and make it again."
        ) from error


def save(folder: Path, stem: str, value: Any, *, then: str = AGAIN) -> None:
    """Keep a value in its own folder; the old one stays readable until the new one is complete."""
    tree, arrays = pack(value)
    make_folder(folder, then=then)
    sweep(folder)
    head = folder / f"{stem}.json"
    before = _arrays_of(head)
    mark = uuid4().hex[:8]
    files = {name: f"{name}.{mark}.npy" for name in arrays}
    try:
        sums = {
            name: write_array(folder / files[name], array, then=then)
            for name, array in arrays.items()
        }
        write_bytes(head, _head(tree, files, sums), then=then)
    except BaseException:
        _remove(folder, files.values())
        raise
    _remove(folder, before - set(files.values()))
    _remove_old(folder, set(files.values()))


def _head(tree: Any, files: Mapping[str, str], sums: Mapping[str, int]) -> bytes:
    """The JSON of a value: its tree, where its arrays are, and check sums of both."""
    value = to_json(tree)
    about = to_json({"format": FORMAT, "arrays": files, "sums": sums, "sum": _sum(value)})
    return f'{about[:-1]}, "value": {value}}}'.encode()


def _sum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8"))


def damaged(folder: Path, stem: str) -> list[Path]:
    """Files of a kept value that are not as they were written; FileNotFoundError when there is no value.

    A value of an older coterie has no check sums: of its files only the sizes are looked at.
    """
    path = folder / f"{stem}.json"
    head = read_json(path)
    try:
        whole = "sum" not in head or head["sum"] == _sum(to_json(head["value"]))
        files = {
            folder / Path(file).name: head.get("sums", {}).get(name)
            for name, file in head["arrays"].items()
        }
    except (KeyError, TypeError, AttributeError):
        return [path]
    found = [] if whole else [path]
    for file, told in files.items():
        try:
            with contextlib.suppress(FileNotFoundError):  # whoever loads the value says so
                read_array(file, mapped=True)
                found += [file] if told is not None and sum_of(file) != told else []
        except (StoreError, OSError):
            found.append(file)
    return found


def unnamed(folder: Path, stem: str) -> list[Path]:
    """Arrays in the folder of a value that it does not name: what a killed writer left."""
    named = _arrays_of(folder / f"{stem}.json")
    return sorted(path for path in folder.glob("*.npy") if path.name not in named)


def load(folder: Path, stem: str) -> Any:
    """The value kept in a folder; large sequences come as memory maps. FileNotFoundError when there is none."""
    try:
        return _load_once(folder, stem)
    except FileNotFoundError as error:
        if error.filename and str(error.filename).endswith(f"{stem}.json"):
            raise
    try:
        return _load_once(folder, stem)  # it was being replaced while we read
    except FileNotFoundError as error:
        raise StoreError(
            f"The file {error.filename} is missing from the store; delete that run and make it again."
        ) from error


def load_part(folder: Path, stem: str, part: str) -> Any:
    """One field of a kept value, without reading the others; FileNotFoundError when there is no value."""
    return _load_once(folder, stem, part)


def _load_once(folder: Path, stem: str, part: str = "") -> Any:
    head = read_json(folder / f"{stem}.json")
    parts = ("format", "arrays", "value")
    if (
        not isinstance(head, dict)
        or not all(part in head for part in parts)
        or not isinstance(head["format"], int)
    ):
        raise StoreError(
            f"The file {folder / stem}.json is damaged; delete that run and make it again."
        )
    if head["format"] > FORMAT:
        raise StoreError(
            f"{folder / stem}.json is of format {head['format']}, and this coterie reads up to {FORMAT}: "
            "update it with pip install -U coterie."
        )

    def fetch(name: str, mapped: bool) -> np.ndarray:
        return read_array(folder / Path(head["arrays"][name]).name, mapped=mapped)

    try:
        return unpack(head["value"]["of"][part] if part else head["value"], fetch)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise StoreError(
            f"The file {folder / stem}.json is damaged; delete that run and make it again."
        ) from error


def read_array(path: Path, *, mapped: bool = False) -> np.ndarray:
    """An array of a .npy file; mapped ones are read when touched, and changes to them stay in memory."""
    try:
        if mapped:
            with contextlib.suppress(ValueError):  # an empty array cannot be mapped
                return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))
        return np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, EOFError) as error:
        raise StoreError(
            f"The file {path} is damaged or cannot be read ({error}); delete that run and make it again."
        ) from error


def _arrays_of(head: Path) -> set[str]:
    try:
        return set(json.loads(head.read_bytes())["arrays"].values())
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return set()


def _remove(folder: Path, names: Any) -> None:
    for name in names:
        with contextlib.suppress(OSError):
            (folder / name).unlink()


def _remove_old(folder: Path, kept: set[str]) -> None:
    """Arrays that no value names and no living writer can still want."""
    for path in folder.glob("*.npy"):
        with contextlib.suppress(OSError):
            if path.name not in kept and time.time() - path.stat().st_mtime > _DAY:
                path.unlink()

"""Files of a run: each is there whole or not at all, and a value is a small folder that is replaced as a whole.

A file is written aside and then renamed, and a full disk is one clear sentence. A value is one JSON file that names its arrays.
JSON files say their format: older ones are brought up to this one by migrations, newer ones are refused, and a run says which
libraries wrote it.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import json
import math
import os
import platform
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, unquote
from uuid import uuid4

import numpy as np
from numpy.lib import format as npy

from coterie.core.errors import CoterieError, Damaged, DataError, StoreError, VersionError
from coterie.run.packing import pack, unpack, unpack_field

AGAIN = "try again"
_HOST = re.sub(r"[^A-Za-z0-9]", "", platform.node())[:24] or "host"
_PART = ".part-"
_DAY = 86_400.0


@contextlib.contextmanager
def aside(path: Path | str, *, then: str = AGAIN) -> Iterator[IO[bytes]]:
    """A file beside `path` to write into; it takes the place of `path` when the block ends well, else it is removed."""
    target = Path(path)
    part = target.parent / f"{_PART}{_HOST}-{os.getpid()}-{uuid4().hex[:12]}"
    try:
        try:
            with part.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
            _sync_folder(target.parent)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    except StoreError:
        raise
    except OSError as error:
        raise explain(error, target, then=then) from error


def write_bytes(path: Path | str, data: bytes, *, then: str = AGAIN) -> None:
    """Put these bytes at `path`, whole or not at all."""
    with aside(path, then=then) as file:
        file.write(data)


def write_text(path: Path | str, text: str, *, then: str = AGAIN) -> None:
    """Put this text at `path` as UTF-8, whole or not at all; half letters, of file names that are not UTF-8, are escaped."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"), then=then)


def write_array(path: Path | str, array: np.ndarray, *, then: str = AGAIN) -> int:
    """One array as a .npy file that can be memory-mapped; gives the check sum of its bytes."""
    _refuse_objects(Path(path).stem, array)
    with aside(path, then=then) as file:
        plain = _Plain(file)
        npy.write_array(plain, array, allow_pickle=False)
    return plain.sum


def sum_of(path: Path) -> int:
    """The check sum of a file's bytes, as `write_array` gave it."""
    found = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found = zlib.crc32(block, found)
    return found


def write_arrays(path: Path | str, arrays: Mapping[str, np.ndarray], *, then: str = AGAIN) -> None:
    """Named arrays as one uncompressed .npz; names may be any text, values any dtype but objects."""
    bundle = {name: np.asanyarray(array) for name, array in arrays.items()}
    for name, array in bundle.items():
        _refuse_objects(name, array)
    with aside(path, then=then) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in bundle.items():
            entry = zipfile.ZipInfo(quote(name, safe="", errors="surrogatepass") + ".npy")
            with archive.open(entry, "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)


def read_arrays(path: Path | str) -> dict[str, np.ndarray]:
    """The arrays of `write_arrays`; every byte is checked before it is read as an array."""
    with zipfile.ZipFile(path) as archive:
        found = {name: io.BytesIO(archive.read(name)) for name in archive.namelist()}
    return {
        unquote(name.removesuffix(".npy"), errors="surrogatepass"): npy.read_array(
            data, allow_pickle=False
        )
        for name, data in found.items()
    }


def explain(error: OSError, path: Path, *, then: str = AGAIN) -> StoreError:
    """The sentence for a failed write: what was not saved, why, and what to do."""
    safe = f"{path.name} was not saved; what was saved before is untouched"
    if error.errno == errno.ENOSPC:
        return StoreError(
            f"The disk that holds {path.parent} is full: {safe}. Free some space and {then}."
        )
    if error.errno == errno.EDQUOT:
        return StoreError(
            f"Your quota on the disk that holds {path.parent} is used up: {safe}. Free some space and {then}."
        )
    if error.errno == errno.EFBIG:
        return StoreError(
            f"{path.name} is larger than files in {path.parent} may be: {safe}. Raise that limit and {then}."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        advice = f"Allow writing there, or choose another folder, and {then}"
        return StoreError(f"The folder {path.parent} may not be written to: {safe}. {advice}.")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return StoreError(
            f"There is no folder {path.parent}: {path.name} was not saved. Make the folder, and {then}."
        )
    why = error.strerror or str(error)
    return StoreError(
        f"Writing in {path.parent} failed ({why}): {safe}. Look at the disk and {then}."
    )


def make_folder(folder: Path, *, then: str = AGAIN) -> None:
    """Make a folder and those above it; the sentence says why not."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise StoreError(f"{folder} is a file and not a folder; choose another place.") from error
    except OSError as error:
        raise explain(error, folder, then=then) from error


def sweep(folder: Path | str) -> int:
    """Remove what killed writers left in a folder; files of living writers stay. Returns how many went."""
    gone = 0
    for place in left_in(folder):
        with contextlib.suppress(OSError):
            place.unlink()
            gone += 1
    return gone


def left_in(folder: Path | str) -> list[Path]:
    """What killed writers left unfinished in a folder."""
    found = []
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.startswith(_PART)]
    except OSError:
        return []
    for name in sorted(names):
        host, _, rest = name.removeprefix(_PART).partition("-")
        pid = rest.partition("-")[0]
        place = Path(folder) / name
        with contextlib.suppress(OSError):
            dead = host == _HOST and pid.isdigit() and not alive(int(pid))
            if dead or time.time() - place.stat().st_mtime > _DAY:
                found.append(place)
    return found


def host() -> str:
    """This machine, as written beside a process number."""
    return _HOST


def birth(pid: int) -> str:
    """When a process started, in ticks of the machine; empty where it cannot be asked."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def alive(pid: int, born: str = "") -> bool:
    """Whether a process of this machine is running; with `born` given, whether it is still the same one."""
    if pid <= 0:
        return False
    if os.name == "nt":  # asking there would end the process: suppose that it lives
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    if _state(pid) in ("Z", "X"):  # it ended, and nobody has asked how
        return False
    now = birth(pid)
    return not (born and now) or born == now


def _state(pid: int) -> str:
    """The letter of a process's state; empty where it cannot be asked."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


class _Plain:
    """Only `write`, so that numpy hands over bytes and a full disk keeps its error number; they are summed up on the way."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.sum = 0

    def write(self, data: Any) -> int:
        self.sum = zlib.crc32(data, self.sum)
        return self.file.write(data)


def _refuse_objects(name: str, array: np.ndarray) -> None:
    if array.dtype.hasobject:
        raise DataError(
            f"The array '{name}' holds Python objects, which are never kept; turn it into numbers or text first."
        )


def _sync_folder(folder: Path) -> None:
    """Make the rename itself last, where the system lets a folder be synced."""
    flags: Any = getattr(os, "O_DIRECTORY", 0)
    try:
        handle = os.open(folder, os.O_RDONLY | flags)
    except OSError:
        return
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


Migration = Callable[[str, dict[str, Any]], dict[str, Any]]

OLDEST = 2  # the first format that is read; runs of format 1 held names of private classes


def request_of_settings(settings: Any) -> dict[str, Any] | None:
    """What a run was asked, from the settings that formats before 3 kept; None where they ask for nothing."""
    if not isinstance(settings, Mapping) or "choices" not in settings:
        return None
    reading, hints = (
        found if isinstance(found, Mapping) else {}
        for found in (settings.get("reading"), settings.get("hints") or settings.get("said"))
    )
    kept = {name: value for name, value in reading.items() if value is not None}
    replay = {
        "kind": "replay",
        "run": settings.get("replayed", ""),
        "source": "",
        "standing": settings.get("standing", (0, 0)),
    }
    origin: dict[str, Any] = {"kind": "new", "planned": bool(settings.get("planned"))}
    if settings.get("copied"):
        origin = {"kind": "copy", "run": settings["copied"]}
    elif settings.get("steered"):
        by = "session" if settings.get("again") else "edits"
        origin = {"kind": "refit", "run": settings["steered"], "by": by}
        origin["replay"] = replay if settings.get("replayed") else None
    elif settings.get("replayed"):
        origin = replay
    counts = ("labels", "together", "apart", "scheme")
    constraints = {name: hints[name] for name in counts if name in hints}
    return {
        "source": settings.get("source", ""),
        "path": settings.get("path", ""),
        "reading": kept,
        "choices": settings["choices"],
        "constraints": {**constraints, "checked": bool(settings.get("hints"))} if hints else None,
        "command": settings.get("command") or "",
        "origin": origin,
    }


def _ask_by_request(stem: str, stored: dict[str, Any]) -> dict[str, Any]:
    """From format 2 to 3: a run keeps what it was asked as a request, and no longer as settings."""
    if stem != "run":
        return stored
    kept = {name: value for name, value in stored.items() if name != "settings"}
    return {**kept, "request": request_of_settings(stored.get("settings"))}


MIGRATIONS: list[Migration] = [_ask_by_request]
# MIGRATIONS[i] takes one stored file from format OLDEST + i to the next one. It is given the name of the
# file without its ending ("run", "collection", "findings", "model") and its JSON, and returns the JSON as
# the next format has it. Files are brought up when they are read, and never rewritten for it.

_LIBRARIES = ("coterie", "numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A library whose version is not the one that wrote a run, in its first two numbers."""

    library: str
    written: str  # the version that wrote the run
    here: str  # the version that reads it

    def sentence(self) -> str:
        """What differs, as a person reads it."""
        return f"It was written with {self.library} {self.written}, and {self.library} {self.here} reads it."


def current_format() -> int:
    """The format of the files that are written now."""
    return OLDEST + len(MIGRATIONS)


def bring_up(stem: str, said: dict[str, Any], path: Path) -> dict[str, Any]:
    """The JSON of a stored file in today's format; a sentence where it is newer, too old, or says no format."""
    found = said.get("format")
    if not isinstance(found, int) or isinstance(found, bool):
        raise Damaged(f"The file {path} is damaged")
    if found > current_format():
        raise VersionError(
            f"{path} is of format {found}, and this coterie reads up to {current_format()}",
            "update it with: pip install -U coterie",
        )
    if found < OLDEST:
        raise VersionError(
            f"{path} is of format {found}, and this coterie reads from {OLDEST} on",
            "explore the source again, and delete that run",
        )
    for step in MIGRATIONS[found - OLDEST :]:
        said = step(stem, said)
    return {**said, "format": current_format()}


@functools.cache
def _found() -> tuple[tuple[str, str], ...]:
    found = [("python", platform.python_version())]
    for library in _LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append((library, metadata.version(library)))
    return tuple(found)


def versions() -> dict[str, str]:
    """What makes a result: Python and the libraries under it."""
    return dict(_found())


def version_changes(written: Any) -> tuple[VersionChange, ...]:
    """Libraries that differ in major or minor version from those named in a run.

    >>> version_changes(versions())
    ()
    """
    if not isinstance(written, Mapping):
        return ()
    return tuple(
        VersionChange(library, str(written[library]), here)
        for library, here in versions().items()
        if library in written and _short(str(written[library])) != _short(here)
    )


def _short(version: str) -> tuple[str, ...]:
    return tuple(version.split(".")[:2])


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
    raw = _read_bytes(path)
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _damage(path, f" ({error})") from error


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _damage(path, f" ({error})") from error


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
    """The JSON of a value: where its arrays are, their check sums, its tree; the first line is the sum of all the others."""
    rest = to_json({"format": current_format(), "arrays": files, "sums": sums, "value": tree})
    body = rest[1:].encode("utf-8")
    return f'{{"sum": {zlib.crc32(body)},\n'.encode() + body


def damaged(folder: Path, stem: str) -> list[Path]:
    """Files of a kept value that are not as they were written; FileNotFoundError when there is no value.

    StoreError where the value is of a format that is not read here.
    """
    path = folder / f"{stem}.json"
    try:
        head = _read_head(path)
    except VersionError:
        raise
    except Damaged:
        return [path]
    found = []
    for name in head["arrays"]:
        try:
            _array(folder, head, name, mapped=True)
        except Damaged:
            found.append(folder / head["arrays"][name])
        except StoreError:
            pass  # whoever loads the value says so, as of a file that is not there
        except FileNotFoundError:
            pass
    return found


def unnamed(folder: Path, stem: str) -> list[Path]:
    """Arrays in the folder of a value that it does not name: what a killed writer left."""
    named = _arrays_of(folder / f"{stem}.json")
    return sorted(path for path in folder.glob("*.npy") if path.name not in named)


def load(folder: Path, stem: str) -> Any:
    """The value kept in a folder; large sequences come as memory maps. FileNotFoundError when there is none.

    Every byte is set against its check sum, and nothing is loaded but what the registry of storable classes knows.
    """
    try:
        return _load_once(folder, stem)
    except FileNotFoundError as error:
        if error.filename and str(error.filename).endswith(f"{stem}.json"):
            raise
    try:
        return _load_once(folder, stem)  # it was being replaced while we read
    except FileNotFoundError as error:
        raise Damaged(f"The file {error.filename} is missing from the store") from error


def load_part(folder: Path, stem: str, part: str) -> Any:
    """One field of a kept value, without reading the others; FileNotFoundError when there is no value."""
    return _load_once(folder, stem, part)


def _load_once(folder: Path, stem: str, part: str = "") -> Any:
    path = folder / f"{stem}.json"
    head = _read_head(path)

    def fetch(name: str, mapped: bool) -> np.ndarray:
        return _array(folder, head, name, mapped=mapped)

    try:
        return unpack_field(head["value"], part, fetch) if part else unpack(head["value"], fetch)
    except (FileNotFoundError, Damaged):
        raise
    except (
        Exception
    ) as error:  # whatever a tree says that cannot be, and whatever a constructor says of it
        what = str(error).rstrip(".") if isinstance(error, CoterieError) else "it makes no sense"
        raise Damaged(
            f"The file {path} was damaged or made by hand and is not loaded: {what}"
        ) from error


def _read_head(path: Path) -> dict[str, Any]:
    """The JSON of a value, brought up to today's format and set against its check sum."""
    raw = _read_bytes(path)
    try:
        head = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _damage(path) from error
    if not isinstance(head, dict) or "format" not in head:
        raise _damage(path)
    brought = bring_up(path.stem, head, path)
    if head.get("sum") != zlib.crc32(raw[raw.find(b"\n") + 1 :]):
        raise _damage(path)
    if not isinstance(brought.get("arrays"), dict) or not isinstance(brought.get("sums"), dict):
        raise _damage(path)
    if "value" not in brought:
        raise _damage(path)
    return brought


def _array(folder: Path, head: Mapping[str, Any], name: str, *, mapped: bool) -> np.ndarray:
    """One array of a value, of a file that lies in its folder."""
    file = head["arrays"].get(name)
    told = head["sums"].get(name)
    if not isinstance(file, str) or not isinstance(told, int):
        raise StoreError(f"it names the array '{name}', which there is not")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*\.npy", file) or (folder / file).is_symlink():
        raise StoreError(f"its array '{name}' lies outside its folder")
    return read_array(folder / file, told, mapped=mapped)


def read_array(path: Path, told: int, *, mapped: bool = False) -> np.ndarray:
    """An array of a .npy file whose bytes have this check sum; mapped ones are read when touched, and changes stay in memory.

    A mapped file is summed up once in a process, and again when it changes.
    """
    try:
        if mapped:
            _check_mapped(path, told)
            with path.open("rb") as file:
                shape, columns_first, dtype = _plain_header(file)
                start = file.tell()
            _check_size(path, os.path.getsize(path), start, shape, dtype)
            if math.prod(shape):  # an empty array cannot be mapped
                order: Any = "F" if columns_first else "C"
                return np.asarray(
                    np.memmap(path, dtype=dtype, mode="c", offset=start, shape=shape, order=order)
                )
        with path.open("rb") as file:
            raw = np.empty(os.fstat(file.fileno()).st_size, dtype=np.uint8)
            size = file.readinto(raw.data)
            if size != len(raw) or zlib.crc32(raw.data) != told:
                raise _damage(path)
            file.seek(0)
            shape, columns_first, dtype = _plain_header(file)
            start = file.tell()
        _check_size(path, size, start, shape, dtype)
        values = raw[start:].view(dtype)
        return values.reshape(shape, order="F" if columns_first else "C")
    except (FileNotFoundError, StoreError):
        raise
    except (OSError, ValueError, EOFError, TypeError, MemoryError) as error:
        raise _damage(path, f" ({error})") from error


_SUMMED: dict[Path, tuple[int, ...]] = {}  # mapped files that were summed up, and as what


def _check_mapped(path: Path, told: int) -> None:
    """Refuse a file whose check sum is not this one."""
    stat = path.stat()
    mark = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, told)
    if _SUMMED.get(path) == mark:
        return
    if sum_of(path) != told:
        raise _damage(path)
    _SUMMED[path] = mark


def _plain_header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """What a .npy file says of its array: shape, whether columns come first, dtype."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, columns_first, dtype = read(file)
    return shape, columns_first, dtype


def _check_size(
    path: Path, size: int, start: int, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> None:
    """Refuse an array that is not of plain values, or not as large as its file."""
    if dtype.hasobject or not dtype.itemsize:
        raise _damage(path)
    if any(side < 0 for side in shape) or start + math.prod(shape) * dtype.itemsize != size:
        raise _damage(path)


def _damage(path: Path, why: str = "") -> Damaged:
    return Damaged(f"The file {path} is damaged or cannot be read{why}")


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

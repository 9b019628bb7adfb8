"""Writing aside, then renaming: a file is there whole or not at all, and a full disk is one clear sentence."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import platform
import re
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, unquote
from uuid import uuid4

import numpy as np
from numpy.lib import format as npy

from coterie.core.errors import DataError, StoreError

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

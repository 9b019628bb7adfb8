"""Files that are sent here: names that may be, what fits, and bytes written aside, below the store and nowhere else."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO
from uuid import uuid4

from starlette.concurrency import run_in_threadpool

from coterie.core.errors import DataError
from coterie.run.bundle import explain

# parts of a path, bytes of a part, bytes of all
_DEEP = 20
_PART = 200
_WHOLE = 900
_RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}
_HANDED = 1 << 20  # bytes that are written at once
ARRIVING = "arriving"  # beside the files, so that a reader never meets half a file
_OLD = 3600.0  # seconds after which half a file is left for good


class TooMuch(DataError):
    """More was sent than a collection may hold."""


def safe_path(text: str) -> tuple[str, ...]:
    """The parts of a relative path that may be written, or one sentence why it may not.

    >>> safe_path("letters/en/1.txt")
    ('letters', 'en', '1.txt')
    >>> safe_path("../etc/passwd")
    Traceback (most recent call last):
    coterie.core.errors.DataError: The name of a file may not lead out of its folder.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise DataError("The name of a file holds characters that are none.") from None
    if not text or size > _WHOLE:
        raise DataError(
            f"The name of a file must have 1 to {_WHOLE} bytes with its folders, and has {size}."
        )
    parts = tuple(text.split("/"))
    if (
        text.startswith("/")
        or "\\" in text
        or ".." in parts
        or (len(parts[0]) == 2 and parts[0][1] == ":")
    ):
        raise DataError("The name of a file may not lead out of its folder.")
    if len(parts) > _DEEP:
        raise DataError(
            f"Files may lie at most {_DEEP} folders deep, and this one lies {len(parts)} deep."
        )
    for part in parts:
        _check_part(part)
    return parts


def _check_part(part: str) -> None:
    if part in ("", ".") or part != part.strip() or part.endswith("."):
        raise DataError(
            "The name of a file or folder may not be empty, nor begin or end with a blank, nor end with a dot."
        )
    if any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in part) or (
        os.name == "nt" and set(part) & set('<>:"|?*')
    ):
        raise DataError("The name of a file holds characters that no name may hold.")
    if len(part.encode("utf-8")) > _PART:
        raise DataError(f"The name of a file or folder may have {_PART} bytes at most.")
    if part.split(".")[0].lower() in _RESERVED or part.lower().startswith(".part-"):
        raise DataError(f"'{part}' is a name that is reserved; call the file otherwise.")


class Tally:
    """How much a collection holds, counted once and kept while files arrive; several may arrive at the same time."""

    def __init__(self, folder: Path, most_bytes: int, most_files: int) -> None:
        self.most_bytes = most_bytes
        self.most_files = most_files
        self.files, self.bytes = measured(folder)
        self._lock = threading.Lock()

    def add(self, files: int, size: int) -> None:
        """Make room, or say that there is none; what is given back is negative."""
        with self._lock:
            if files > 0 and self.files + files > self.most_files:
                raise TooMuch(
                    f"A collection may hold {self.most_files:,} files; leave some out, or name its folder by a path."
                )
            if size > 0 and self.bytes + size > self.most_bytes:
                raise TooMuch(
                    f"A collection may hold {self.most_bytes / 1e6:,.0f} MB; leave some files out, or name a path."
                )
            self.files += files
            self.bytes += size


def measured(folder: Path) -> tuple[int, int]:
    """How many files lie below a folder, and their bytes."""
    files = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.stat(os.path.join(place, name)).st_size
                files += 1
    return files, size


async def receive(
    stream: AsyncIterator[bytes], folder: Path, parts: tuple[str, ...], tally: Tally, aside: Path
) -> int:
    """Write what comes to its place below `folder`, whole or not at all (first into `aside`); gives its size."""
    target = folder.joinpath(*parts)
    if not await run_in_threadpool(_below, target, folder):
        raise DataError("The name of a file may not lead out of its folder.")
    part = aside / uuid4().hex
    before = await run_in_threadpool(_size, target)
    tally.add(0 if before is not None else 1, 0)
    size = 0
    try:
        file = await run_in_threadpool(_opened, part)
        try:
            async for chunk in _handfuls(stream):
                tally.add(0, len(chunk))
                size += len(chunk)
                await run_in_threadpool(_written, file, chunk, target)
        finally:
            await run_in_threadpool(_closed, file, target)
        await run_in_threadpool(_placed, part, target)
    except BaseException:
        tally.add(0 if before is not None else -1, -size)
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    tally.add(0, -(before or 0))
    return size


async def _handfuls(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    held = bytearray()
    async for chunk in stream:
        held += chunk
        if len(held) >= _HANDED:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


def _opened(part: Path) -> IO[bytes]:
    if not part.parent.is_dir():
        raise DataError("The collection is no longer there.")
    try:
        return part.open("xb")
    except OSError as error:
        raise explain(error, part) from error


def _written(file: IO[bytes], chunk: bytes, target: Path) -> None:
    try:
        file.write(chunk)
    except OSError as error:
        raise explain(error, target) from error


def _closed(file: IO[bytes], target: Path) -> None:
    try:
        file.close()
    except OSError as error:  # the last bytes may be those that find the disk full
        raise explain(error, target) from error


def _placed(part: Path, target: Path) -> None:
    if not part.exists():
        raise DataError("The collection is no longer there.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(part, target)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise DataError(
            f"'{target.name}' or a folder above it has the name of both a file and a folder."
        ) from None
    except OSError as error:
        raise explain(error, target) from error


def _below(target: Path, folder: Path) -> bool:
    """Whether a place is really below the folder, whatever links lie on the way."""
    return target.resolve().is_relative_to(folder.resolve())


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


def forget(aside: Path) -> None:
    """Remove what was left half arrived long ago."""
    for part in aside.glob("*"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > _OLD:
                part.unlink()

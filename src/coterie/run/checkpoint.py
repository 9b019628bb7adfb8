"""Pieces: finished parts of long work, one file per key, so that a killed run goes on where it stood."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from coterie.core.errors import StoreError
from coterie.run.atomic import AGAIN, make_folder, read_arrays, sweep, write_arrays

_SPOILT = (
    None,
    errno.EINVAL,
)  # what reading nonsense raises, as against a disk or a permission that fails


class Pieces:
    """Bundles of arrays by key in one folder; written whole or not at all, a spoilt one counts as absent.

    The folder is made with the first piece. Any number of threads and processes may share it. Keys tell pieces apart by the order
    in which they are made, so what was made `by` another version of the code is not found.
    """

    def __init__(self, folder: Path | str, *, by: str = "", then: str = AGAIN) -> None:
        self.folder = Path(folder)
        self.by = by
        self.then = then
        self._made = False
        sweep(self.folder)

    def get(self, key: str) -> dict[str, np.ndarray] | None:
        """The bundle of that key, or None; a truncated or spoilt file is removed."""
        path = self.path(key)
        try:
            return read_arrays(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno not in _SPOILT:
                advice = f"allow reading it, or delete it, and {self.then}"
                raise StoreError(
                    f"The piece {path} cannot be read ({error.strerror}); {advice}."
                ) from error
        except Exception:  # any nonsense in the bytes: the piece is made again
            pass
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def put(self, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep a bundle; when this returns it survives a crash."""
        if not self._made:
            make_folder(self.folder, then=self.then)
            self._made = True
        try:
            write_arrays(self.path(key), arrays, then=self.then)
        except StoreError:
            if self.folder.is_dir():
                raise
            make_folder(self.folder, then=self.then)  # someone removed the folder meanwhile
            write_arrays(self.path(key), arrays, then=self.then)

    def path(self, key: str) -> Path:
        """The file of a key: readable where it can be, and different for different keys on any file system."""
        words = re.sub(r"[^A-Za-z0-9.]+", "-", key).strip("-.")[:60]
        mark = hashlib.sha256((self.by + key).encode("utf-8", "surrogatepass")).hexdigest()[:20]
        return self.folder / f"{words or 'piece'}-{mark}.npz"

    def clear(self) -> None:
        """Forget every piece; the folder goes when nothing else is in it."""
        for path in self.folder.glob("*.npz"):
            with contextlib.suppress(OSError):
                path.unlink()
        self._made = False
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def __len__(self) -> int:
        return sum(1 for _ in self.folder.glob("*.npz"))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Pieces({len(self)} in {self.folder})"

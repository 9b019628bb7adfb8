"""Written: texts that stay in their files and are read when asked, so that a collection may be larger than the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, overload

import numpy as np

from coterie.core.errors import DataError


class Source(Protocol):
    """Where texts lie, by number."""

    def read(self, place: int) -> str:
        """The text of that number."""


class Written(Sequence[str]):
    """A sequence of texts of a source; some of them are again such a sequence, and nothing is held."""

    def __init__(self, source: Source, places: np.ndarray) -> None:
        self.source = source
        self.places = np.asarray(places, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Written: ...
    def __getitem__(self, index: int | slice) -> str | Written:
        if isinstance(index, slice):
            return Written(self.source, self.places[index])
        return self.source.read(int(self.places[index]))

    def __iter__(self) -> Iterator[str]:
        return (self.source.read(place) for place in self.places.tolist())

    def take(self, indices: Any) -> Written:
        """The texts at these positions."""
        return Written(self.source, self.places[np.asarray(indices, dtype=np.int64)])

    def __repr__(self) -> str:
        return f"Written({len(self)} texts)"


class Spans:
    """Spans of bytes of one file as texts; `file` may be one without a name."""

    def __init__(
        self, file: BinaryIO, starts: np.ndarray, ends: np.ndarray, name: str = ""
    ) -> None:
        self.file = file
        self.starts = starts
        self.ends = ends
        self.name = name
        self.size = _size(file)

    def read(self, place: int) -> str:
        import os

        start = int(self.starts[place])
        end = int(self.ends[place])
        raw = os.pread(self.file.fileno(), end - start, start)
        if len(raw) < end - start or _size(self.file) != self.size:
            raise DataError(
                f"The file '{self.name}' was changed while its texts were in use; read it again."
            )
        return raw.decode("utf-8", "replace")


class Files:
    """Whole files as texts, by the function that makes a text of one."""

    def __init__(self, paths: Sequence[Path], read: Callable[[Path], str]) -> None:
        self.paths = list(paths)
        self.one = read

    def read(self, place: int) -> str:
        try:
            return self.one(self.paths[place])
        except OSError:
            raise DataError(
                f"The file '{self.paths[place].name}' is gone or cannot be read any more."
            ) from None


def _size(file: BinaryIO) -> int:
    import os

    return os.fstat(file.fileno()).st_size

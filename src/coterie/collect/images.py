"""Images: a folder of pictures, with a table of captions where there is one, as a Collection of pictures and their words."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.captions import Captions, caption_words, captions_of
from coterie.collect.columns import Named
from coterie.collect.files import notes_on_strays, stray_tables
from coterie.collect.text import (
    SUFFIXES,
    files_of,
    first_folder,
    folders_as_truth,
    left_out,
    printable,
)
from coterie.collect.waves import AUDIO_SUFFIXES
from coterie.core.collection import Collection, View
from coterie.core.errors import DataError, ParameterError, need
from coterie.core.pictures import Pictures
from coterie.core.text import Text
from coterie.core.workplace import fits
from coterie.parts.workers import in_order

PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp", ".tif", ".tiff")
LONGEST = 256  # pixels of the long side; larger pictures are shrunk
SMALLEST = 8  # pixels of the short side; smaller pictures show nothing
_BARE = ("README", "LICENSE")
_BLOCK = 16  # files at a time


def read_images(
    path: str | os.PathLike[str],
    *,
    captions: str | os.PathLike[str] | None = None,
    longest: int = LONGEST,
    named: Named | None = None,
) -> Collection:
    """A folder of pictures as a Collection with the view "pictures", one member per file, sub-folders as truth.

    A table of captions (first column: file names) is found in the folder or beside it, or named; its columns of words become
    the view "caption" (the first one where half of the pictures have a caption) and the population "caption words". Pictures are
    shrunk to `longest` pixels on the long side.
    """
    folder = Path(path)
    named = named or Named()
    if (
        isinstance(longest, bool)
        or not isinstance(longest, (int, np.integer))
        or longest < SMALLEST
    ):
        raise ParameterError(
            f"longest must be a whole number of pixels from {SMALLEST}, and was {longest!r}.",
            owner="read_images",
        )
    if not folder.is_dir():
        raise DataError(f"'{folder.name}' is not a folder of pictures.")
    files = picture_files(folder)
    if not files:
        raise DataError(
            f"The folder '{folder.resolve().name}' has no pictures; the suffixes read are {' '.join(PICTURE_SUFFIXES)}."
        )
    told = captions_of(
        folder, files, None if captions is None else Path(captions), PICTURE_SUFFIXES
    )
    left = _Left()
    kept, pictures = _pictures(folder, files, int(longest), left)
    used = "" if told is None else told.loaded.where
    notes = (*left.notes(int(longest)), *notes_on_strays(folder, used, "pictures"))
    return _collection(folder, [files[i] for i in kept], pictures, told, named, notes)


def picture_files(folder: Path) -> list[Path]:
    """The pictures of a folder and of its sub-folders, in a fixed order."""
    return [file for file in files_of(folder) if file.suffix.lower() in PICTURE_SUFFIXES]


def is_picture_folder(folder: Path) -> bool:
    """Whether a folder holds pictures, few documents beside them, and no data but a table that tells of the pictures."""
    from coterie.collect.joined import data_in

    suffixes: Counter[str] = Counter()
    for file in files_of(folder):
        if file.stem.upper() not in _BARE:
            suffixes[file.suffix.lower()] += 1
    pictures = sum(suffixes[suffix] for suffix in PICTURE_SUFFIXES)
    others = sum(suffixes[suffix] for suffix in (*SUFFIXES, *AUDIO_SUFFIXES))
    if pictures == 0 or pictures < 4 * others:
        return False
    data = set(data_in(folder))
    return (
        not data
        or captions_of(folder, picture_files(folder), None, PICTURE_SUFFIXES) is not None
        or data <= set(stray_tables(folder))
    )


@dataclass(slots=True)
class _Left:
    """Names of what could not be used, or was changed, by the reason."""

    broken: list[str] = field(default_factory=list)
    small: list[str] = field(default_factory=list)
    shrunk: list[str] = field(default_factory=list)

    def notes(self, longest: int) -> tuple[str, ...]:
        return (
            *left_out(self.broken, "picture", "was", "left out for a file that cannot be read"),
            *left_out(
                self.small, "picture", "was", f"left out, less than {SMALLEST} pixels wide or high"
            ),
            *left_out(
                self.shrunk, "picture", "was", f"shrunk to {longest} pixels on the long side"
            ),
        )


def _pictures(
    folder: Path, files: list[Path], longest: int, left: _Left
) -> tuple[list[int], Pictures]:
    """Positions of the files that could be read, and their pixels."""
    kept: list[int] = []
    parts: list[np.ndarray] = []
    held = 0
    for at, (pixels, shrunk) in enumerate(_each_opened(files, longest)):
        key = printable(files[at].relative_to(folder).as_posix())
        if pixels is None or min(pixels.shape[:2]) < SMALLEST:
            (left.broken if pixels is None else left.small).append(key)
            continue
        if shrunk:
            left.shrunk.append(key)
        held += pixels.nbytes
        fits(2 * held, f"The pictures of '{folder.name}'")
        kept.append(at)
        parts.append(pixels)
    if not parts:
        raise DataError(
            f"No picture of '{folder.name}' can be used: {'; '.join(left.notes(longest))}."
        )
    return kept, Pictures.of(parts)


def _each_opened(files: list[Path], longest: int) -> Iterator[tuple[np.ndarray | None, bool]]:
    library = need("PIL.Image", extra="pictures")
    blocks = [files[a : a + _BLOCK] for a in range(0, len(files), _BLOCK)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd profiles and of very many pixels
        for found in in_order(
            lambda block: [_opened(library, file, longest) for file in block],
            blocks,
            "reading",
            size=len,
        ):
            yield from found


def _opened(library: Any, file: Path, longest: int) -> tuple[np.ndarray | None, bool]:
    """The pixels of one file, upright, at most `longest` a side, and whether it was shrunk; None for what is no picture."""
    try:
        with library.open(file) as opened:
            large = max(opened.size) > longest
            if large:
                opened.draft("RGB", (longest, longest))
            whole = need("PIL.ImageOps", extra="pictures").exif_transpose(opened)
            plain = _in_colour(library, whole)
            if large:
                plain.thumbnail((longest, longest))
            return np.array(plain, dtype=np.uint8), large
    except MemoryError:
        raise
    except (
        Exception
    ):  # the library raises errors of many kinds on broken files: of values, of lengths, of its own
        return None, False


def _in_colour(library: Any, picture: Any) -> Any:
    """Red, green and blue of any mode: what is transparent is on white, and 16 bits or real numbers become 8 bits."""
    if picture.mode[:1] in ("I", "F"):
        values = np.nan_to_num(np.array(picture, dtype=np.float64))
        top = next(
            (top for top in (1.0, 255.0, 65535.0) if values.max(initial=0.0) <= top), values.max()
        )
        top = 65535.0 if picture.mode.startswith("I;16") else top
        return library.fromarray(
            np.clip(np.round(values * (255.0 / top)), 0, 255).astype(np.uint8)
        ).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in picture.info:
        whole = picture.convert("RGBA")
        white = library.new("RGBA", whole.size, (255, 255, 255, 255))
        return library.alpha_composite(white, whole).convert("RGB")
    return picture.convert("RGB")


def _collection(
    folder: Path,
    files: list[Path],
    pictures: Pictures,
    told: Captions | None,
    named: Named,
    notes: tuple[str, ...],
) -> Collection:
    keys = [printable(file.relative_to(folder).as_posix()) for file in files]
    views: dict[str, View] = {"pictures": pictures}
    cards: dict[str, list[str]] = {"file": keys}
    truth = folders_as_truth([first_folder(key) for key in keys])
    links = {}
    if told is not None:
        texts, columns, labels, said = told.about(files, keys, named)
        notes = (*notes, *said)
        cards = {**cards, **columns}
        truth = {**truth, **labels}
        if any(texts):
            found = caption_words(texts, keys)
            words: dict[str, View] = {"caption": Text(tuple(texts))}
            first = bool(found.cols) and 2 * sum(map(bool, texts)) >= len(texts)
            views = {**words, **views} if first else {**views, **words}
            links = {("members", "caption words"): found} if found.cols else {}
    return Collection(keys, views, links, truth, folder.resolve().name or "pictures", notes, cards)

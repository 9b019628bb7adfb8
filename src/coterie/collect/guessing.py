"""Guessing: what a path holds, from its suffix and its content, and the sentence that says why."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coterie.collect.columns import Named
from coterie.core.errors import DataError

MAIL_SUFFIXES = (".mbox", ".mbx", ".eml")


@dataclass(frozen=True, slots=True)
class Guess:
    """What a path seems to hold, and the sentence that says why."""

    kind: str
    why: str


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
    found = existing(source)
    return guess_folder(found) if found.is_dir() else guess_file(found, Named())[0]


def existing(source: str) -> Path:
    """The path, or a sentence when there is nothing there."""
    path = Path(source).expanduser()
    try:
        there = path.exists()
    except (OSError, ValueError):  # a name too long or with a NUL: text given where a path belongs
        there = False
    if not there:
        shown = source if len(source) <= 200 else source[:200] + "..."
        raise DataError(f"There is no file or folder '{shown}'.")
    return path


def guess_folder(path: Path) -> Guess:
    """What a folder holds."""
    from coterie.collect.joined import aligned_folders, data_in, tables_in
    from coterie.collect.mail import looks_like_mail
    from coterie.collect.text import SUFFIXES, files_of

    name = path.resolve().name or str(path)
    if looks_like_mail(path):
        return Guess("mail", f"The folder '{name}' holds messages: read as mail.")
    files = list(files_of(path))
    if not files:
        raise DataError(f"The folder '{name}' is empty.")
    from coterie.collect.audio import audio_files, is_audio_folder

    if is_audio_folder(path):
        return Guess(
            "audio",
            f"The folder '{name}' holds {len(audio_files(path))} sound files: read as sound.",
        )
    from coterie.collect.images import is_picture_folder, picture_files

    if is_picture_folder(path):
        return Guess(
            "pictures",
            f"The folder '{name}' holds {len(picture_files(path))} pictures: read as pictures.",
        )
    aligned = aligned_folders(path)
    if aligned:
        seen = ", ".join(p.name for p in aligned[:6])
        return Guess(
            "views",
            f"The sub-folders of '{name}' ({seen}) hold files of the same names: read as aligned views.",
        )
    data = data_in(path)
    documents = [
        p
        for p in files
        if p.suffix.lower() in SUFFIXES and p.stem.upper() not in ("README", "LICENSE")
    ]
    if len(data) == 1 and not documents:
        return Guess("file", f"The folder '{name}' holds one file of data, '{data[0].name}'.")
    if len(data) > 1 and not documents:
        if data != tables_in(path):
            raise DataError(
                f"The folder '{name}' holds {len(data)} files of data; name one of them, as '{data[0].name}'."
            )
        return Guess("views", f"The folder '{name}' holds {len(data)} tables: joined by their ids.")
    if any(p.suffix.lower() in SUFFIXES for p in files):
        return Guess(
            "text", f"The folder '{name}' holds text files: read as text, one document per file."
        )
    suffixes = sorted({p.suffix.lower() for p in files})[:6]
    raise DataError(
        f"The folder '{name}' holds only files that are not read ({', '.join(suffixes)}); {what_is_read()}"
    )


def guess_file(path: Path, named: Named) -> tuple[Guess, Any]:
    """The guess, and what was loaded on the way: a table or nothing."""
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of
    from coterie.collect.tagged import looks_tagged
    from coterie.collect.waves import AUDIO_SUFFIXES

    suffix = suffix_of(path)
    if looks_tagged(path):
        return Guess(
            "tagged",
            f"'{path.name}' has one token per line with marks of spans: read as tagged text.",
        ), None
    if suffix in TABLE_SUFFIXES:
        loaded = load(path)
        return _guess_table(loaded, named, suffix)
    if suffix in AUDIO_SUFFIXES:
        return Guess("audio", f"'{path.name}' is one recording: read as sound."), None
    if suffix == ".npz":
        from coterie.collect.sequences import npz_kind, open_npz

        kind, why = npz_kind(open_npz(path), path.name)
        return Guess(kind, f"'{path.name}' is {why}."), None
    if suffix == ".npy":
        from coterie.collect.sequences import npy_dimensions

        if npy_dimensions(path) == 3:
            return Guess(
                "sequences",
                "An .npy of three dimensions (members, steps, values): read as sequences.",
            ), None
        return Guess("table", "An .npy of rows and columns: read as a table."), None
    if suffix == ".ts":
        return Guess(
            "sequences", "A .ts file: read as sequences with their classes as truth."
        ), None
    from coterie.collect.mail import looks_like_mail

    if suffix in MAIL_SUFFIXES or looks_like_mail(path):
        return Guess("mail", f"'{path.name}' holds messages: read as mail."), None
    from coterie.collect.images import PICTURE_SUFFIXES

    if suffix in PICTURE_SUFFIXES:
        raise DataError(
            f"'{path.name}' is one picture; name the folder it lies in, whose pictures are the members."
        )
    if suffix == ".txt":
        return Guess(
            "text", f"'{path.name}' is one text file: read as text, one document per line."
        ), None
    raise DataError(f"'{path.name}' is of a type that is not read; {what_is_read()}")


def _guess_table(loaded: Any, named: Named, suffix: str) -> tuple[Guess, Any]:
    """The guess, and the table with a hint added to its notes where it may be a long one."""
    from coterie.collect.columns import columns_of
    from coterie.collect.long_tables import long_kind
    from coterie.collect.recordings import is_interval_table

    if is_interval_table(loaded.table):
        return Guess(
            "audio",
            f"A {suffix} of intervals in sound files (file, start, end): read as sound, one member per row.",
        ), loaded
    long = long_kind(loaded, named) if not named.like else None
    if long is not None and long[0] != "table":
        return Guess(long[0], f"A {suffix} in which {long[1]}."), loaded
    if long is not None:
        loaded = replace(loaded, notes=(*loaded.notes, long[1]))
    columns = columns_of(loaded.table, named, loaded.where) if loaded.table.num_rows else []
    texts = [c.name for c in columns if c.role == "text"]
    if texts:
        shown = ", ".join(f"'{name}'" for name in texts[:4])
        more = f" and {len(texts) - 4} more" if len(texts) > 4 else ""
        return Guess(
            "text", f"A {suffix} with running text in {shown}{more}: read as text."
        ), loaded
    words = [c for c in columns if c.role == "card" and c.length > 0]
    compared = any(c.role in ("number", "date", "category") for c in columns)
    if words and not compared and not named.like:
        main = max(words, key=lambda c: c.length).name
        why = f"No column holds running text, so '{main}' is read as text; name another as text."
        return Guess("text", why), loaded
    return Guess("table", f"A {suffix} of numbers and categories: read as a table."), loaded


def what_is_read() -> str:
    """The kinds of files there is a reader for."""
    return (
        "what is read: folders of text files, mail (.mbox, Maildir, .eml), tables (.csv, .tsv, .jsonl, .json, .parquet), "
        "sequences (.npz, .npy, .ts), sound (.wav, and .flac, .ogg, .mp3 with coterie[audio]), folders of pictures "
        "(.jpg, .png, with coterie[pictures]), tagged text (.conll, .bio) and .txt with one document per line."
    )

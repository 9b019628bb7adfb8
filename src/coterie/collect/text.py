"""Text: a folder of text files, or a list of strings, as a collection; also decoding of bytes and HTML to plain text."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.text import Text
from coterie.core.workplace import left
from coterie.core.written import Files, Written

SUFFIXES = frozenset({".txt", ".text", ".md", ".rst", ".html", ".htm", ".tex", ".py", ""})

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
)
_BOMS_16 = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CONTROL = bytes({*range(1, 9), *range(14, 27), *range(28, 32), 127})
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_BLOCKS = "p br div li ul ol tr table h1 h2 h3 h4 h5 h6 hr pre section article header footer dt dd title blockquote"
_BREAKS = frozenset(_BLOCKS.split())
_LARGE = 4  # times the bytes of a folder that its texts take: more than is left of the memory, and they stay in their files
_UNSEEN = frozenset({"script", "style", "noscript", "template"})


def texts(
    documents: Sequence[str],
    ids: Sequence[str] | None = None,
    *,
    truth: Mapping[str, Sequence[Any]] | None = None,
    cards: Mapping[str, Sequence[str]] | None = None,
    name: str = "texts",
) -> Collection:
    """A list of strings as a collection; without ids the members are called by their position.

    >>> texts(["one", "two"]).ids
    ('0', '1')
    """
    view = Text.of(documents)
    labels = {key: np.asarray(values) for key, values in (truth or {}).items()}
    names = [str(i) for i in range(len(view))] if ids is None else list(ids)
    return Collection(
        ids=names, views={"text": view}, truth=labels, name=name, cards=dict(cards or {})
    )


def read_folder(path: Path, *, name: str | None = None) -> Collection:
    """The text files of a folder and of its sub-folders; a first level of sub-folders is kept as truth 'folder'."""
    path = Path(path)
    if not path.is_dir():
        raise DataError(f"'{path.name}' is not a folder.")
    found: list[tuple[str, str]] = []
    paths: list[Path] = []
    later = _LARGE * sum(file.stat().st_size for file in files_of(path)) > left()
    empty: list[str] = []
    binary: list[str] = []
    guessed: list[str] = []
    other: list[str] = []
    broken: list[str] = []
    for file in files_of(path):
        key = printable(file.relative_to(path).as_posix())
        if file.suffix.lower() not in SUFFIXES:
            other.append(key)
            continue
        try:
            raw = file.read_bytes()
        except OSError:
            binary.append(key)
            continue
        read = _read(raw, file)
        if read is None:
            binary.append(key)
            continue
        text = read[0]
        if not text.strip():
            empty.append(key)
            continue
        if read[1]:
            guessed.append(key)
        if "\ufffd" in text:
            broken.append(f"{key} ({text.count(chr(0xFFFD))})")
        found.append((key, "" if later else text))
        paths.append(file)
    if not found:
        lost = " (those that are there are empty or binary)" if empty or binary else ""
        read_suffixes = " ".join(sorted(SUFFIXES - {""}))
        name = printable(path.resolve().name)
        raise DataError(
            f"The folder '{name}' has no text files{lost}; the suffixes read are {read_suffixes} and none."
        )
    notes = (
        *left_out(empty, "empty file", "was", "left out"),
        *left_out(binary, "binary or unreadable file", "was", "left out"),
        *left_out(other, "file", "was", "left out for a suffix that is not one of text"),
        *left_out(guessed, "file", "is", "not UTF-8 and was read as Western European (cp1252)"),
        *left_out(
            broken,
            "file",
            "has",
            "characters that cannot be read and were replaced (their number in brackets)",
        ),
    )
    keys = [key for key, _ in found]
    return Collection(
        ids=keys,
        views={
            "text": Text(
                Written(Files(paths, text_in), np.arange(len(paths)))
                if later
                else tuple(t for _, t in found)
            )
        },
        truth=folders_as_truth([first_folder(key) for key in keys]),
        name=name or path.resolve().name or "folder",
        notes=notes,
        cards={"file": keys},
    )


def _read(raw: bytes, file: Path) -> tuple[str, bool] | None:
    """The words of a file and whether its encoding was guessed; None for bytes that are no text."""
    html = file.suffix.lower() in (".html", ".htm")
    read = decode(raw, _declared(raw) if html else None)
    return read if read is None or not html else (plain(read[0]), read[1])


def text_in(file: Path) -> str:
    """The words of a text file; nothing where it holds no text."""
    read = _read(file.read_bytes(), file)
    return "" if read is None else read[0]


def files_of(path: Path) -> Iterator[Path]:
    """All files below a folder in a fixed order; hidden files and folders are skipped."""
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(n for n in inner if not n.startswith("."))
        yield from (
            Path(folder, n)
            for n in sorted(names)
            if not n.startswith(".") and Path(folder, n).is_file()
        )


def first_folder(key: str) -> str:
    """The first part of a relative path; '.' for a file that lies in no sub-folder."""
    return key.split("/", 1)[0] if "/" in key else "."


def folders_as_truth(labels: Sequence[str]) -> dict[str, np.ndarray]:
    """Labels by folder, when there are at least two folders."""
    return {"folder": np.asarray(labels)} if len(set(labels)) > 1 else {}


def left_out(names: Sequence[str], noun: str, verb: str, what: str) -> tuple[str, ...]:
    """One sentence on the things of a list: how many, and the first three by name; nothing for an empty list.

    >>> left_out(["a", "b", "c", "d"], "file", "was", "left out")
    ('4 files were left out: a, b, c, ...',)
    """
    if not names:
        return ()
    many = len(names) > 1
    verbs = {"was": "were", "is": "are", "has": "have"}
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return (
        f"{len(names)} {noun}{'s' if many else ''} {verbs[verb] if many else verb} {what}: {shown}",
    )


def printable(text: str) -> str:
    """The same text without lone surrogates and NULs, so that it can be written and shown anywhere."""
    if text.isascii():
        return text.replace("\0", " ") if "\0" in text else text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def decode(raw: bytes, charset: str | None = None) -> tuple[str, bool] | None:
    """The text of some bytes and whether its encoding was guessed; None for bytes that are no text."""
    for bom, encoding in (*_BOMS, *_BOMS_16):
        if raw.startswith(bom):
            return _lines(raw.decode(encoding, "replace")), False
    declared = None if charset is None else _strictly(raw, charset)
    if declared is not None and "\0" not in declared:
        return _lines(declared), False
    if b"\0" in raw or (len(raw) - len(raw.translate(None, _CONTROL))) * 50 > len(raw):
        return None
    strict = _strictly(raw, "utf-8")
    if strict is not None:
        return _lines(strict), False
    western = _strictly(raw, "cp1252")
    return _lines(raw.decode("latin-1") if western is None else western), True


def _strictly(raw: bytes, charset: str) -> str | None:
    try:
        return raw.decode(charset)
    except (
        LookupError,
        ValueError,
    ):  # an unknown name, a name with odd characters, bytes that do not fit
        return None


def _lines(text: str) -> str:
    return printable(text.replace("\r\n", "\n").replace("\r", "\n"))


def _declared(raw: bytes) -> str | None:
    found = _CHARSET.search(raw[:4096])
    return found.group(1).decode("ascii") if found else None


class _Plain(HTMLParser):
    """Gathers the text that a reader of the page would see; lines of a quotation begin with '>' when asked for."""

    def __init__(self, mark_quotes: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.mark_quotes = mark_quotes
        self.quotes = 0
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self.unseen += 1
        if tag == "blockquote" and self.mark_quotes:
            self.quotes += 1
        self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self.unseen = max(0, self.unseen - 1)
        if tag == "blockquote":
            self.quotes = max(0, self.quotes - 1)
        self._break(tag)

    def _break(self, tag: str) -> None:
        if tag in _BREAKS:
            self.pieces.append("\n> " if self.quotes else "\n")
        elif tag in ("td", "th"):
            self.pieces.append(" ")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.pieces.append(data.replace("\n", "\n> ") if self.quotes else data)


def _closed(html: str) -> str:
    """The page without comments, declarations and tags that never end, on which the parser takes quadratic time."""
    kept: list[str] = []
    at = 0
    while (start := html.find("<!--", at)) >= 0 and (end := html.find("-->", start)) >= 0:
        kept.append(html[at:start])
        at = end + 3
    text = re.sub(r"<[!?][^<>]*>", " ", "".join([*kept, html[at:].replace("<!--", " ")]))
    return re.sub(r"<(?![a-zA-Z/])|<(?=[^<>]*(?:<|\Z))", " ", text)


def plain(html: str, mark_quotes: bool = False) -> str:
    """The words of an HTML page without tags, scripts and styles; broken pages give what can be read of them.

    >>> plain("<p>One &amp; <b>two</b></p><script>x()</script>")
    'One & two'
    """
    parser = _Plain(mark_quotes)
    try:
        parser.feed(_closed(html))
        parser.close()
        text = "".join(parser.pieces)
    except (
        AssertionError,
        ValueError,
        IndexError,
    ):  # the parser of the standard library gives up on some broken markup
        text = unescape(re.sub(r"<[^<>]*>", " ", html))
    lines = (re.sub(r"[ \t\xa0\f\v]+", " ", line).strip() for line in text.split("\n"))
    return printable(re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines)).strip())

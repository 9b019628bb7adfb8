"""Tagged text: files with one token per line and marks of spans (BIO, IOB1, IOBES) as a Collection of mentions.

Texts in which words carry their tags behind a slash (the/DT) are taken apart here too.
"""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from coterie.collect.columns import Named
from coterie.collect.files import stem_of, suffix_of, text_of
from coterie.collect.tags import FEATURE, VIEW, Tagged, free_name, tagged_view
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.text import TaggedText, Text


def unslashed(collection: Collection, view: str | None = None, mark: str = "/") -> Collection:
    """The collection with the words of a view of word/tag tokens as its text, and a view "tagged" that keeps the tags."""
    name = collection.main if view is None else view
    seen = collection.view(name)
    if not isinstance(seen, Text):
        raise DataError(
            f"Words with tags are read from a text, and the view '{name}' of '{collection.name}' is {seen!r}."
        )
    lines = any("\n" in document.strip() for document in seen)
    pairs = [
        _sentences(document, member, mark, lines)
        for document, member in zip(seen, collection.ids, strict=True)
    ]
    text = Text(
        tuple(
            "\n".join(" ".join(word for word, _ in sentence) for sentence in document)
            for document in pairs
        )
    )
    tagged = tagged_view(pairs)
    kinds = len(set(tagged.features[FEATURE].tolist()) - {""})
    said = f"Words and tags of '{name}' were taken apart: {kinds} tags in {len(tagged.offsets) - 1} sentences."
    views = {key: text if key == name else value for key, value in collection.views.items()}
    return replace(
        collection,
        views={**views, free_name(VIEW, views): tagged},
        notes=(*collection.notes[:1], said, *collection.notes[1:]),
    )


def take_tags_apart(collection: Collection, asked: bool) -> Collection:
    """The collection with words and tags apart; where nobody asked for it and some word has no tag, as it is with a note."""
    try:
        return unslashed(collection)
    except DataError as error:
        if asked:
            raise
        return replace(
            collection,
            notes=(
                *collection.notes,
                f"Nearly all words carry a tag, and were left so: {error}",
            ),
        )


def _sentences(document: str, member: str, mark: str, lines: bool) -> list[list[Tagged]]:
    """The lines of a document as (word, tag) pairs; where no document has lines, a sentence ends after the tag of a full stop."""
    found: list[list[Tagged]] = []
    for number, line in enumerate(document.split("\n"), start=1):
        row: list[Tagged] = []
        for token in line.split():
            word, slash, tag = token.rpartition(mark)
            if not (word and slash and tag):
                raise DataError(
                    f"'{token}' on line {number} of '{member}' is not a word, '{mark}' and a tag."
                )
            row.append((word, tag))
            if not lines and tag == ".":
                found.append(row)
                row = []
        if row:
            found.append(row)
    return found


SUFFIXES = (".conll", ".bio", ".iob", ".iob2")
MAYBE_SUFFIXES = (".tsv", ".txt", ".tagged", ".ner", ".col", *SUFFIXES)
_MARK = re.compile(r"O|[BIESLU]-[^\s]+")
_DOCUMENT = "-DOCSTART-"
_HEAD = 65536  # bytes looked at to tell tagged text from other files
_SEEN = 40  # lines with a mark that are enough
_AROUND = 12  # tokens shown on each side of a mention


@dataclass(slots=True)
class _Rows:
    """The lines of a file: cells per token, their line numbers, and the first token of every sentence."""

    cells: list[list[str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])

    def end(self) -> None:
        """A sentence ends here, unless it has no token."""
        if self.starts[-1] < len(self.cells):
            self.starts.append(len(self.cells))


def looks_tagged(path: str | Path) -> bool:
    """Whether a file holds one token per line with marks of spans in the last column; by its suffix, or by its first lines."""
    file = Path(path)
    suffix = suffix_of(file)
    if suffix in SUFFIXES:
        return True
    if suffix not in MAYBE_SUFFIXES:
        return False
    lines = _first_lines(file)
    rows = [_cells(line) for line in lines if line.strip() and not line.startswith("#")][:_SEEN]
    blank = "\n\n" in "\n".join(line.strip() for line in lines).strip()
    marks = [row[-1] for row in rows if len(row) > 1]
    fit = bool(marks) and len(marks) == len(rows) and all(_MARK.fullmatch(mark) for mark in marks)
    return fit and (blank or any(mark != "O" for mark in marks))


def read_tagged(path: str | Path, named: Named | None = None) -> Collection:
    """The marked spans of a file as mentions: a TaggedText with the columns between token and mark as features.

    The second column is "pos", further ones are "column 3" and so on; "bio" says where spans begin and go on, without
    their type. The type is the truth "type" and in no feature.
    """
    file = Path(path)
    text, notes = text_of(file)
    rows = _rows(text, file.name)
    marks = [cells[-1] for cells in rows.cells]
    spans, types = _spans(marks, rows, file.name)
    if not spans:
        raise DataError(
            f"'{file.name}' marks no span: every tag in its last column is O, so there are no mentions to compare."
        )
    tokens = np.array([cells[0] for cells in rows.cells])
    view = TaggedText(tokens, np.array(rows.starts), np.array(spans), _features(rows.cells, spans))
    ids = [
        f"{stem_of(file)}:{rows.numbers[first]} {view.surface(at)}"
        for at, (first, _) in enumerate(spans)
    ]
    return Collection(
        ids,
        {"mentions": view},
        truth={} if set(types) == {""} else {"type": np.array(types)},
        name=stem_of(file),
        notes=(*notes, f"{len(spans)} mentions in {len(rows.starts) - 1} sentences."),
        cards={
            "mention": [view.surface(at) for at in range(len(spans))],
            "sentence": sentences_around(view),
        },
    )


def sentences_around(view: TaggedText) -> list[str]:
    """Each span in its sentence, shortened on both sides, with the span in brackets."""
    shown = []
    for (first, end), sentence in zip(
        view.spans.tolist(), view.sentence_of().tolist(), strict=True
    ):
        low = int(view.offsets[sentence])
        high = int(view.offsets[sentence + 1])
        left = max(low, first - _AROUND)
        right = min(high, end + _AROUND)
        words = [
            *view.tokens[left:first],
            f"[{' '.join(view.tokens[first:end])}]",
            *view.tokens[end:right],
        ]
        shown.append(
            f"{'… ' if left > low else ''}{' '.join(map(str, words))}{' …' if right < high else ''}"
        )
    return shown


def _first_lines(file: Path) -> list[str]:
    """Whole lines from the beginning of a file; none when it is no text."""
    try:
        with gzip.open(file) if file.name.lower().endswith(".gz") else file.open("rb") as stream:
            head = stream.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        return []
    lines = head.decode("utf-8-sig", "replace").split("\n")
    return lines if len(head) < _HEAD else lines[:-1]


def _cells(line: str) -> list[str]:
    """The columns of a line: parted by tabs where there are any, else by spaces."""
    stripped = line.strip("\r\n")
    return (
        [cell.strip() for cell in stripped.rstrip("\t").split("\t")]
        if "\t" in stripped.strip()
        else stripped.split()
    )


def _rows(text: str, name: str) -> _Rows:
    """Tokens and sentences; a line with another number of columns than the first is named."""
    found = _Rows()
    width = 0
    for number, line in enumerate(text.split("\n"), start=1):
        cells = _cells(line)
        if not "".join(cells):
            found.end()
            continue
        if cells[0] == _DOCUMENT:
            found.end()
            continue
        if line.startswith("# ") and width != len(cells) and not _MARK.fullmatch(cells[-1]):
            continue  # a comment
        width = width or len(cells)
        if len(cells) != width:
            raise DataError(
                f"Line {number} of '{name}' has {len(cells)} columns where the first line has {width}."
            )
        if width < 2:
            raise DataError(
                f"Line {number} of '{name}' has one column; tagged text has a token and a tag on every line."
            )
        found.cells.append(cells)
        found.numbers.append(number)
    found.end()
    if not found.cells:
        raise DataError(f"'{name}' is empty: it has no tokens.")
    return found


def _spans(marks: list[str], rows: _Rows, name: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Spans (first, end) and their types. B, S and U begin a span; I, E and L go on, or begin one where none goes on."""
    begins = set(rows.starts)
    spans: list[tuple[int, int]] = []
    types: list[str] = []
    last = ""  # type of the span that the token before belongs to; empty: none
    open_span = False
    for at, mark in enumerate(marks):
        if not re.fullmatch(r"O|[BIESLU](-.+)?", mark):
            raise DataError(
                f"Line {rows.numbers[at]} of '{name}' ends with '{mark}', which is no mark of a span: that is O, or B-, I-, E-, "
                "S- with a type."
            )
        if mark == "O":
            open_span = False
            continue
        letter = mark[0]
        kind = mark[2:]
        if open_span and at not in begins and letter in "IEL" and kind == last:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
            types.append(kind)
        last = kind
        open_span = letter in "BI"
    return spans, types


def _features(cells: list[list[str]], spans: list[tuple[int, int]]) -> dict[str, np.ndarray]:
    """The columns between token and mark, and where spans begin (B) and go on (I); columns that are always the same go."""
    found: dict[str, np.ndarray] = {}
    for column in range(1, len(cells[0]) - 1):
        values = np.array([row[column] for row in cells])
        if (values != values[0]).any():
            found["pos" if column == 1 else f"column {column + 1}"] = values
    bio = np.full(len(cells), "O")
    for first, end in spans:
        bio[first:end] = "I"
        bio[first] = "B"
    return {**found, "bio": bio}

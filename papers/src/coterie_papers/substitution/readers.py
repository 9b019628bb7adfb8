"""Examples of lexical substitution: a table of sentence, position, candidate and label, or the two files of CoInCo."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.files import load, text_of
from coterie.core.errors import DataError, ParameterError
from coterie_papers.substitution.places import Senses, Substitutions

_YES = ("1", "true", "yes", "y", "+1", "1.0")
_NO = ("0", "false", "no", "n", "-1", "0.0")
_KINDS = {"N": "n", "V": "v", "J": "a", "A": "a", "R": "r"}
_NEEDED = ("sentence", "position", "candidate")


def read_substitutions(path: str | os.PathLike[str]) -> Substitutions:
    """A table with the columns sentence, position and candidate; also label, target and pos where they are there.

    Tokens of a sentence are separated by white space, and positions are counted from 0. A label is 1 or 0, yes or no, true or
    false. Without a `target` the token at the position is the word that is replaced. Rows of one place need not follow
    each other.
    """
    loaded = load(Path(path))
    table = {
        str(name).lower(): loaded.table.column(name).to_pylist()
        for name in loaded.table.column_names
    }
    for name in _NEEDED:
        if name not in table:
            raise DataError(
                f"'{loaded.where}' has no column '{name}'; it needs {', '.join(_NEEDED)}, and label to be judged."
            )
    n = loaded.table.num_rows
    positions = [_position(value, row, loaded.where) for row, value in enumerate(table["position"])]
    labels = (
        [_label(value, row, loaded.where) for row, value in enumerate(table["label"])]
        if "label" in table
        else None
    )
    places: dict[tuple[str, int], list[int]] = {}
    for row in range(n):
        sentence = _words(table["sentence"][row], "sentence", row, loaded.where)
        places.setdefault((sentence, positions[row]), []).append(row)
    candidates = [
        _words(value, "candidate", row, loaded.where)
        for row, value in enumerate(table["candidate"])
    ]
    kinds = table.get("pos", [""] * n)
    found = []
    for (sentence, at), rows in places.items():
        tokens = tuple(sentence.split())
        if at >= len(tokens):
            raise DataError(
                f"Row {rows[0]} of '{loaded.where}' has the position {at} in a sentence of {len(tokens)} tokens."
            )
        target = str(table.get("target", [""] * n)[rows[0]] or "").strip() or tokens[at].lower()
        marked = [] if labels is None else [labels[row] for row in rows]
        found.append(
            (tokens, at, target, _kind(kinds[rows[0]]), [candidates[row] for row in rows], marked)
        )
    return _gathered(found, labels is not None, loaded.notes)


def read_coinco(
    folder: str | os.PathLike[str],
    senses: Senses | None = None,
    *,
    least: int = 1,
    phrases: bool = False,
) -> Substitutions:
    """The CoInCo corpus (instances.tsv.gz, candidates.txt.gz); with `senses` the candidates are the synonyms found there.

    A candidate is acceptable when `least` or more annotators gave it as a substitute. Candidates of several words are left out
    unless `phrases`; so is the word itself. Places without a candidate, or without any substitute, are left out and counted in
    the notes.
    """
    if least < 1:
        raise ParameterError(f"least must be from 1, and was {least}.")
    place = Path(folder)
    pool = (
        _synonyms(senses)
        if senses is not None
        else _pool(_file(place, "candidates.txt.gz", "candidates.txt"))
    )
    text, _ = text_of(_file(place, "instances.tsv.gz", "instances.tsv"))
    found = []
    silent = 0
    alone = 0
    for number, line in enumerate(text.splitlines()[1:], start=2):
        cells = line.split("\t")
        if len(cells) != 5:
            raise DataError(
                f"Line {number} of the instances of CoInCo has {len(cells)} cells where 5 are needed."
            )
        word, _, kind = cells[0].rpartition(".")
        gold = dict(_counted(piece, number) for piece in cells[4].split(";") if piece.strip())
        candidates = [
            other
            for other in pool(word, _kind(kind))
            if other != word and (phrases or other.isalpha())
        ]
        silent += not gold
        alone += bool(gold) and not candidates
        if gold and candidates:
            tokens = tuple(cells[3].split())
            at = _position(cells[2], number, "the instances of CoInCo", "Line")
            if at >= len(tokens):
                raise DataError(
                    f"Line {number} of the instances of CoInCo has the position {at} in a sentence of {len(tokens)} tokens."
                )
            marked = [gold.get(other, 0) >= least for other in candidates]
            found.append((tokens, at, word.lower(), _kind(kind), candidates, marked))
    notes = (
        (f"{silent} places without a substitute and {alone} without a candidate were left out.",)
        if silent + alone
        else ()
    )
    return _gathered(found, True, notes)


def _gathered(
    found: Iterable[tuple[Any, ...]], labeled: bool, notes: Sequence[str]
) -> Substitutions:
    """Places with their candidates as one; equal sentences are one sentence."""
    rows = list(found)
    if not rows:
        raise DataError("There is no place with a candidate.")
    number: dict[tuple[str, ...], int] = {}
    sentence = [number.setdefault(tokens, len(number)) for tokens, *_ in rows]
    sizes = [len(row[4]) for row in rows]
    return Substitutions(
        sentences=tuple(number),
        sentence=np.array(sentence),
        position=np.array([row[1] for row in rows]),
        targets=tuple(row[2] for row in rows),
        kinds=tuple(row[3] for row in rows),
        owners=np.repeat(np.arange(len(rows)), sizes),
        candidates=tuple(word for row in rows for word in row[4]),
        labels=np.array([mark for row in rows for mark in row[5]], dtype=bool) if labeled else None,
        notes=tuple(notes),
    )


def _pool(file: Path) -> Callable[[str, str], list[str]]:
    """Candidates by word and part of speech from lines "word.N::one;two"."""
    text, _ = text_of(file)
    table: dict[tuple[str, str], list[str]] = {}
    for line in text.splitlines():
        name, _, words = line.partition("::")
        word, _, kind = name.rpartition(".")
        table[word, _kind(kind)] = [other.strip() for other in words.split(";") if other.strip()]
    return lambda word, kind: table.get((word, kind), [])


def _synonyms(senses: Senses) -> Callable[[str, str], list[str]]:
    return senses.synonyms


def _file(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).exists():
            return folder / name
    raise DataError(f"'{folder.name}' has no file {names[0]}.")


def _counted(piece: str, line: int) -> tuple[str, int]:
    """A substitute and how many annotators gave it, from "word 3"; the corpus has a count without its word, which names none."""
    word, _, times = piece.strip().rpartition(" ")
    if not times.isdecimal():
        raise DataError(
            f"Line {line} of the instances of CoInCo has the substitute '{piece.strip()}'; it must be a word and a number, "
            "such as 'fight 3'."
        )
    return word.strip(), int(times)


def _kind(mark: Any) -> str:
    """The part of speech as one letter; "" where it is not known."""
    first = str(mark or "")[:1]
    return _KINDS.get(first.upper(), "")


def _words(value: Any, what: str, row: int, where: str) -> str:
    """The text of a cell that must not be empty."""
    text = "" if value is None or value != value else str(value).strip()
    if not text:
        raise DataError(f"Row {row} of '{where}' has no {what}; fill it or leave the row out.")
    return text


def _position(value: Any, row: int, where: str, of: str = "Row") -> int:
    """A whole number from 0; 1.0 is one, and 1.7 is refused."""
    try:
        number = -1.0 if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not (number >= 0 and number.is_integer()):
        raise DataError(
            f"{of} {row} of '{where}' has the position {value!r}; it must be a whole number from 0."
        )
    return int(number)


def _label(value: Any, row: int, where: str) -> bool:
    word = str(value).strip().lower()
    if word not in _YES and word not in _NO:
        raise DataError(
            f"Row {row} of '{where}' has the label {value!r}; it must be 1 or 0, yes or no, true or false."
        )
    return word in _YES

"""Senses of words from a table: which words share a sense, and how often each was found in it where that was counted."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from coterie.collect.files import load
from coterie.core.errors import DataError
from coterie_papers.substitution.places import Senses


def read_senses(
    path: str | os.PathLike[str], counts: str | os.PathLike[str] | None = None
) -> Senses:
    """A table with the columns `synset` and `lemmas` (words separated by |), as WordNet can be written; names in lower case.

    The name of a synset ends in its part of speech ("00001740.n"); a column `pos` gives it where it does not. `counts` is a
    table with the columns `word`, `sense` and `count`: how often a word has that sense in a text with marked senses.
    """
    synsets, kinds, lemmas = _columns(Path(path), "synset", "lemmas", also="pos")
    words = {}
    for at, (synset, kind, row) in enumerate(zip(synsets, kinds, lemmas, strict=True)):
        if not str(synset or "").strip() or not str(row or "").strip():
            lacks = "lemmas" if str(synset or "").strip() else "synset"
            raise DataError(
                f"Row {at} of '{Path(path).name}' has no {lacks}; fill it or leave the row out."
            )
        name = str(synset)
        name = name if not kind or name.endswith(f".{kind}") else f"{name}.{kind}"
        words[name] = tuple(
            dict.fromkeys(word.replace("_", " ") for word in str(row).lower().split("|") if word)
        )
    seen: dict[tuple[str, str], float] = {}
    if counts is not None:
        names, numbers, tagged = _columns(Path(counts), "word", "sense", also="count")
        for at, (word, number, sense) in enumerate(zip(names, numbers, tagged, strict=True)):
            if str(sense) not in words:
                raise DataError(
                    f"'{Path(counts).name}' counts the sense '{sense}', which '{Path(path).name}' does not have."
                )
            key = (str(word).lower().replace("_", " "), str(sense))
            seen[key] = seen.get(key, 0.0) + _count(number, at, Path(counts).name)
    return Senses(words, seen)


def _count(value: Any, row: int, where: str) -> float:
    """How often a sense was found; an empty cell is 0."""
    try:
        number = 0.0 if value is None else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise DataError(
            f"Row {row} of '{where}' has the count {value!r}; it must be a number from 0."
        )
    return number


def _columns(
    path: Path, first: str, second: str, also: str
) -> tuple[list[Any], list[Any], list[Any]]:
    """Two columns that must be there around one that may be missing (then None)."""
    loaded = load(path)
    names = {str(name).lower(): name for name in loaded.table.column_names}
    for name in (first, second):
        if name not in names:
            raise DataError(
                f"'{loaded.where}' has no column '{name}'; it has {', '.join(loaded.table.column_names[:12])}."
            )
    rows = loaded.table.num_rows
    between = loaded.table.column(names[also]).to_pylist() if also in names else [None] * rows
    return (
        loaded.table.column(names[first]).to_pylist(),
        between,
        loaded.table.column(names[second]).to_pylist(),
    )

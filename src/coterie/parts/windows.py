"""Windows: what stands around the marked spans of tagged text, as codes per place and as a sparse matrix of attributes."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import ParameterError
from coterie.core.text import TaggedText

WORD = "word"  # the name of the tokens themselves among the columns
OFFSETS = (-2, -1, 0, 1, 2)
OUTSIDE = -1  # the code of a place before or after the sentence


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Codes of spans x places; a place is a column at an offset from the first token, `levels[column]` names its codes."""

    codes: np.ndarray
    places: tuple[tuple[str, int], ...]
    levels: Mapping[str, np.ndarray]


def columns_of(text: TaggedText, columns: Sequence[str] | None = None) -> tuple[str, ...]:
    """The columns that are looked at: the words and every feature, or those that are named (checked)."""
    known = (WORD, *(name for name in text.features if name != WORD))
    if columns is None:
        return known
    for name in columns:
        if name not in known:
            raise ParameterError(f"The text has no column '{name}'; it has {', '.join(known)}.")
    if not columns:
        raise ParameterError("columns must name at least one column, and was empty.")
    return tuple(dict.fromkeys(columns))


def coded(text: TaggedText, column: str) -> tuple[np.ndarray, np.ndarray]:
    """The different values of a column in the order of their names, and the code of every token."""
    values = text.tokens if column == WORD else text.features[column]
    words = np.asarray(values)
    words = (
        words
        if words.dtype.kind == "U"
        else np.array([str(value) for value in words.tolist()], dtype=str)
    )
    levels, codes = np.unique(words, return_inverse=True)
    return levels, codes.astype(np.int64)


def window(
    text: TaggedText, offsets: Sequence[int] = OFFSETS, columns: Sequence[str] | None = None
) -> Window:
    """The columns at these offsets from the first token of every span, never beyond its sentence."""
    chosen = columns_of(text, columns)
    if not len(offsets) or not all(
        isinstance(o, numbers.Real) and float(o).is_integer() for o in offsets
    ):
        raise ParameterError(f"offsets must be whole numbers, at least one, and was {offsets!r}.")
    steps = sorted({int(o) for o in offsets})
    first = text.spans[:, 0]
    sentence = text.sentence_of()
    low = text.offsets[sentence]
    high = text.offsets[sentence + 1]
    codes = np.empty((len(first), len(chosen) * len(steps)), dtype=np.int64)
    levels = {}
    places = []
    for c, column in enumerate(chosen):
        levels[column], own = coded(text, column)
        for s, step in enumerate(steps):
            at = first + step
            inside = (at >= low) & (at < high)
            codes[:, c * len(steps) + s] = np.where(
                inside, own[np.clip(at, 0, len(own) - 1)], OUTSIDE
            )
            places.append((column, step))
    return Window(codes, tuple(places), levels)


def in_words(column: str, offset: int, value: str) -> str:
    """An attribute as a person says it.

    >>> in_words("word", -1, "van"), in_words("pos", 0, "N")
    ("word 1 before is 'van'", "pos is 'N'")
    """
    where = "" if offset == 0 else f" {-offset} before" if offset < 0 else f" {offset} after"
    return (
        f"{column}{where} is outside the sentence"
        if value == ""
        else f"{column}{where} is '{value}'"
    )


def attributes(
    text: TaggedText,
    offsets: Sequence[int] = OFFSETS,
    columns: Sequence[str] | None = None,
    known: Mapping[str, int] | None = None,
) -> tuple[Any, list[str]]:
    """Spans x attributes (zeros and ones, sparse) and the attributes in words.

    With `known` (attribute in words -> column of a matrix made before) the same columns come out, and attributes that
    are not among them are dropped. An empty value is no attribute.
    """
    seen = window(text, offsets, columns)
    names: list[str] = []
    n = len(text.spans)
    cells = np.full(seen.codes.shape, -1, dtype=np.int64)
    for place, (column, offset) in enumerate(seen.places):
        levels = seen.levels[column]
        present, local = np.unique(seen.codes[:, place], return_inverse=True)
        ids = np.full(len(present), -1, dtype=np.int64)
        for at, code in enumerate(present.tolist()):
            if code != OUTSIDE and not levels[code]:
                continue
            name = in_words(column, offset, "" if code == OUTSIDE else str(levels[code]))
            if known is not None:
                ids[at] = known.get(name, -1)
            else:
                ids[at] = len(names)
                names.append(name)
        cells[:, place] = ids[local]
    width = len(names) if known is None else len(known)
    here = cells >= 0
    starts = np.concatenate([[0], np.cumsum(here.sum(axis=1))])
    matrix = sp.csr_array(
        (np.ones(int(starts[-1])), np.sort(cells, axis=1)[np.sort(here, axis=1)], starts),
        shape=(n, width),
    )
    return matrix, names if known is None else list(known)


def surroundings(
    text: TaggedText,
    width: int,
    columns: Sequence[str],
    inside: bool = True,
    known: Mapping[str, int] | None = None,
) -> tuple[Any, list[str]]:
    """Members x words: how often each value of the columns stands within `width` tokens of a member's spans.

    Words of the column "word" go by themselves, values of others with the name of the column before them. With `known`
    (name -> column of a matrix made before) the same columns come out, and what is not among them is dropped. An empty
    value counts nothing.
    """
    sentence = text.sentence_of()
    low = np.maximum(text.offsets[sentence], text.spans[:, 0] - width)
    high = np.minimum(text.offsets[sentence + 1], text.spans[:, 1] + width)
    length = high - low
    span = np.repeat(np.arange(len(low)), length)
    token = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length) + low[span]
    if not inside:
        outer = (token < text.spans[span, 0]) | (token >= text.spans[span, 1])
        span = span[outer]
        token = token[outer]
    member = span if text.owners is None else text.owners[span]
    names: list[str] = []
    rows = []
    cols = []
    for column in columns:
        levels, codes = coded(text, column)
        ids = np.full(len(levels), -1, dtype=np.int64)
        for code in np.unique(codes[token]).tolist():
            name = str(levels[code]) if column == WORD else f"{column} {levels[code]}"
            if levels[code] and known is not None:
                ids[code] = known.get(name, -1)
            elif levels[code]:
                ids[code] = len(names)
                names.append(name)
        there = ids[codes[token]]
        rows.append(member[there >= 0])
        cols.append(there[there >= 0])
    at = (np.concatenate(rows), np.concatenate(cols))
    counts = sp.coo_array(
        (np.ones(len(at[0])), at), shape=(len(text), len(names) if known is None else len(known))
    ).tocsr()
    return counts, names if known is None else list(known)

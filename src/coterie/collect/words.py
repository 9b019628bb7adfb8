"""Words: the tokenizer of this room, a short list of English function words, and counts of words as a link."""

from __future__ import annotations

import re
import sys
import unicodedata
from array import array
from collections import Counter
from collections.abc import Collection as Names
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence
from coterie.core.text import Text

_COMMON = """
    a an the this that these those such some any each every either neither both all no none other another same
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her
    hers herself it its itself they them their theirs themselves one ones who whom whose which what whatever
    someone anyone everyone something anything everything nothing nobody somebody anybody
    am is are was were be been being have has had having do does did doing done will would shall should can
    could may might must ought cannot get gets got let lets
    and or but nor so yet for if then else than because while although though unless until since whether as
    of in on at by to from with without within into onto upon about above below under over between among through
    during before after against across along around behind beyond near off out up down per via toward towards
    not only just also too very more most much many few less least several own again once ever never always
    often still already even quite rather here there where when why how now however therefore thus hence
    yes well like etc
    s t d m ll ve re o don didn doesn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn mustn ain im
"""
FUNCTION_WORDS = frozenset(_COMMON.split())

_ASCII = re.compile("[a-z]+")


@lru_cache(maxsize=1)
def _unicode_runs() -> re.Pattern[str]:
    """Letters with the marks written on or around them (accents, vowel signs); made when the first such text comes."""
    marks = [
        chr(c)
        for c in range(0x300, min(sys.maxunicode, 0xFFFF) + 1)
        if unicodedata.category(chr(c)) in ("Mn", "Mc")
    ]
    numbers = [chr(c) for c in range(0x80, 0x10000) if unicodedata.category(chr(c)) in ("No", "Nl")]
    letter = rf"[^\W\d_{''.join(numbers)}]"
    return re.compile(rf"{letter}(?:{letter}|[{''.join(marks)}])*")


def words(text: str) -> list[str]:
    """Runs of letters of any script, in lower case and in their order.

    >>> words("Don't panic, Zoë: 42 towels!")
    ['don', 't', 'panic', 'zoë', 'towels']
    """
    low = text.lower()
    if low.isascii():
        return _ASCII.findall(low)
    return _unicode_runs().findall(unicodedata.normalize("NFC", low))


def count_words(
    documents: Iterable[str],
    rows: Sequence[str],
    min_df: int = 2,
    stop: Names[str] = frozenset(),
    clean: bool = False,
) -> Cooccurrence:
    """How often each member has each word; words of fewer than `min_df` members and the words of `stop` are left out.

    With `clean`, markup and long lines without white space (encoded files, rulers) are taken away before words are counted.
    """
    from coterie.collect.cleaning import cleaned

    texts = (cleaned(document) for document in documents) if clean else documents
    return count_names((Counter(words(text)) for text in texts), rows, min_df, stop)


def count_names(
    bags: Iterable[Counter[str]],
    rows: Sequence[str],
    min_df: int = 1,
    stop: Names[str] = frozenset(),
) -> Cooccurrence:
    """Counts of names from one bag per member; the columns are sorted by name."""
    import scipy.sparse as sp

    if min_df < 1:
        raise ParameterError(f"min_df must be at least 1, and was {min_df}.")
    place: dict[str, int] = {}
    cols = array("q")
    data = array("d")
    offsets = array("q", [0])
    for bag in bags:
        for name, count in bag.items():
            cols.append(place.setdefault(name, len(place)))
            data.append(count)
        offsets.append(len(cols))
    columns = np.asarray(cols, dtype=np.int64)
    kept = np.bincount(columns, minlength=len(place)) >= min_df
    names = list(place)
    chosen = sorted(name for name in names if kept[place[name]] and name not in stop)
    target = np.full(len(place), -1, dtype=np.int64)
    target[[place[name] for name in chosen]] = np.arange(len(chosen))
    columns = target[columns]
    members = np.repeat(np.arange(len(offsets) - 1), np.diff(np.asarray(offsets)))
    here = columns >= 0
    shape = (len(offsets) - 1, len(chosen))
    counts = sp.csr_array((np.asarray(data)[here], (members[here], columns[here])), shape=shape)
    counts.sort_indices()
    return Cooccurrence(counts, rows, chosen)


def link_words(
    collection: Collection,
    view: str = "text",
    population: str = "words",
    min_df: int = 2,
    stop: Names[str] = frozenset(),
    clean: bool = False,
) -> Collection:
    """The collection with one more population: the words of a text view, tied to the members by counts (see `count_words`)."""
    seen = collection.view(view)
    if not isinstance(seen, Text):
        raise DataError(
            f"Words are counted in a text, and the view '{view}' of '{collection.name}' is {seen!r}."
        )
    link = count_words(seen.documents, collection.ids, min_df, stop, clean)
    if not link.cols:
        raise DataError(
            f"No word of the view '{view}' of '{collection.name}' is in {min_df} or more members; lower min_df."
        )
    return replace(collection, links={**collection.links, ("members", population): link})

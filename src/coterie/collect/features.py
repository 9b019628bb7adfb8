"""Types of features of texts, each counted when it is asked for: words, runs of words, stop-words, punctuation, tags, links."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from coterie.collect.ngrams import tag_ngrams
from coterie.collect.tagger import Tagger
from coterie.collect.tags import FEATURE, with_tags
from coterie.collect.words import FUNCTION_WORDS, count_names, words
from coterie.core.collection import Collection, as_view
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import MEMBERS, Cooccurrence, Links, linked
from coterie.core.text import TaggedText, Text

WORDS = "words"
STOPS = "stop-words"
MARKS = "punctuation"
TAGS = "tags"
TAG_PAIRS = "tag bigrams"
_RUNS = {2: "word bigrams", 3: "word trigrams"}
_AROUND = 40  # letters on either side of a feature in an example

Make = Callable[[], Cooccurrence]


def features_of(
    collection: Collection, tagger: Tagger | None = None, ngrams: int = 2, min_df: int = 2
) -> dict[str, Make]:
    """Types of features by name, each a function that gives members x features.

    Of a text: words (without function words), runs of `ngrams` words, stop-words (the function words), punctuation, and, where
    it is tagged or a `tagger` is given, tags and pairs of tags. Whatever members are tied to (correspondents, citations) is a
    type too, under its own name. Features of fewer than `min_df` members are left out.

    >>> from coterie.collect.text import texts
    >>> types = features_of(texts(["Not good!", "So good!"]))
    >>> list(types), types["words"]().cols
    (['words', 'word bigrams', 'stop-words', 'punctuation'], ['good'])
    """
    if isinstance(ngrams, bool) or not isinstance(ngrams, int) or ngrams < 2:
        raise ParameterError(f"ngrams must be a whole number from 2, and was {ngrams!r}.")
    found: dict[str, Make] = {}
    text = next((view for view in collection.views.values() if isinstance(view, Text)), None)
    if text is not None:
        bags: Mapping[str, Callable[[str], Counter[str]]] = {
            WORDS: _content,
            _RUNS.get(ngrams, f"word {ngrams}-grams"): partial(_runs, n=ngrams),
            STOPS: _stops,
            MARKS: _marks,
        }
        found = {
            name: partial(_counted, text, tuple(collection.ids), bag, min_df)
            for name, bag in bags.items()
        }
    tagged = any(
        isinstance(view, TaggedText) and FEATURE in view.features
        for view in collection.views.values()
    )
    if tagged or (tagger is not None and text is not None):
        found |= {
            name: partial(_tags, collection, tagger, n, min_df)
            for n, name in ((1, TAGS), (2, TAG_PAIRS))
        }
    own = {pair: table for pair, table in collection.links.items() if pair[0] == MEMBERS}
    for (_, name), table in (linked(collection.ids, own).tables if own else {}).items():
        found[name] = partial(_as_it_is, table)
    return found or _columns(collection)


def contexts_of(collection: Collection, most: int = 3) -> Callable[[str, str], list[str]] | None:
    """Where a feature stands: a function of type and feature that gives some pieces of text; none where there is no text."""
    text = next((view for view in collection.views.values() if isinstance(view, Text)), None)
    if text is None:
        return None
    seen: Text = text

    def places(kind: str, feature: str) -> list[str]:
        parts = [re.escape(part) for part in feature.split()]
        edge = r"(?<!\w)", r"(?!\w)"
        sought = r"\W+".join(parts) if kind == MARKS else edge[0] + r"\W+".join(parts) + edge[1]
        found = []
        for document in seen:
            hit = re.search(sought, document, flags=re.IGNORECASE)
            if hit is not None:
                found.append(_around(document, *hit.span()))
                if len(found) == most:
                    break
        return found

    return places


def _around(document: str, begin: int, end: int) -> str:
    """A piece of text around a place, cut at blanks."""
    lo = max(0, begin - _AROUND)
    hi = min(len(document), end + _AROUND)
    left = document[lo:begin].split(" ", 1)[-1] if lo else document[:begin]
    right = document[end:hi].rsplit(" ", 1)[0] if hi < len(document) else document[end:]
    piece = " ".join(f"{left}{document[begin:end]}{right}".split())
    return f"{'… ' if lo else ''}{piece}{' …' if hi < len(document) else ''}"


def _content(text: str) -> Counter[str]:
    return Counter(word for word in words(text) if word not in FUNCTION_WORDS and len(word) > 1)


def _stops(text: str) -> Counter[str]:
    return Counter(word for word in words(text) if word in FUNCTION_WORDS)


def _runs(text: str, n: int) -> Counter[str]:
    """Runs of n words that stand side by side, function words among them; none goes over a mark that ends a sentence."""
    found: Counter[str] = Counter()
    for sentence in re.split(r"[.!?;:]+(?:\s|$)|\n\s*\n", text):
        row = words(sentence)
        found.update(" ".join(row[at : at + n]) for at in range(len(row) - n + 1))
    return found


def _marks(text: str) -> Counter[str]:
    """Punctuation: single marks, and runs of the same mark (..., --, !!) as one."""
    marks = (hit.group() for hit in re.finditer(r"([^\w\s])\1*", text))
    return Counter(mark for mark in marks if unicodedata.category(mark[0])[0] in "PS")


def _counted(
    text: Text, ids: tuple[str, ...], bag: Callable[[str], Counter[str]], min_df: int
) -> Cooccurrence:
    return count_names((bag(document) for document in text), list(ids), min_df)


def _tags(collection: Collection, tagger: Tagger | None, n: int, min_df: int) -> Cooccurrence:
    tagged = any(
        isinstance(view, TaggedText) and FEATURE in view.features
        for view in collection.views.values()
    )
    if not tagged:
        if tagger is None:
            raise DataError(f"'{collection.name}' has no tags, and no tagger was given.")
        collection = with_tags(collection, tagger)
    return tag_ngrams(collection, n, min_df).links[MEMBERS, TAGS if n == 1 else TAG_PAIRS]


def _as_it_is(table: Cooccurrence) -> Cooccurrence:
    return table


def _columns(collection: Collection) -> dict[str, Make]:
    """The columns of a table of counts."""
    links: Links = as_view(collection, Links, "Session")
    tables = {
        name: links.between(links.target, name)
        for name in links.populations
        if name != links.target
    }
    return {name: partial(_as_it_is, table) for name, table in tables.items() if table is not None}

"""Runs of tags (n-grams of parts of speech) counted as a population that is tied to the members."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from coterie.collect.tags import FEATURE, Tagged, tagged_view
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence
from coterie.core.text import TaggedText

_CALLED = {1: "tags", 2: "tag bigrams", 3: "tag trigrams"}


@overload
def tag_ngrams(
    data: Collection,
    n: int = 2,
    min_df: int = 3,
    max_df: int | None = None,
    called: Callable[[str], str] | None = None,
) -> Collection: ...
@overload
def tag_ngrams(
    data: TaggedText | Sequence[Any],
    n: int = 2,
    min_df: int = 3,
    max_df: int | None = None,
    called: Callable[[str], str] | None = None,
) -> Cooccurrence: ...
def tag_ngrams(
    data: Any,
    n: int = 2,
    min_df: int = 3,
    max_df: int | None = None,
    called: Callable[[str], str] | None = None,
) -> Collection | Cooccurrence:
    """Runs of `n` tags within a sentence, moved on by one tag, counted per member; those of `min_df` to `max_df` members stay.

    A Collection with a tagged view gets one more population ("tags", "tag bigrams", "tag trigrams", "tag 4-grams"). Of a
    TaggedText, or of documents as lists of sentences of tags, the counts are given. `called` renames tags before they are
    counted, as `base_tag` does.

    >>> tag_ngrams([[["DT", "NN", "VB"], ["DT", "NN"]], [["DT", "NN"]]], n=2, min_df=2).counts.toarray().tolist()
    [[2.0], [1.0]]
    """
    _check(n, min_df, max_df)
    if isinstance(data, Collection):
        link = _counted(_view_of(data), list(data.ids), (n, min_df, max_df), called)
        return replace(
            data, links={**data.links, ("members", _CALLED.get(n, f"tag {n}-grams")): link}
        )
    view = data if isinstance(data, TaggedText) else tagged_view(_documents(data))
    return _counted(view, [str(i) for i in range(len(view))], (n, min_df, max_df), called)


def base_tag(tag: str) -> str:
    """A tag of the Brown corpus without its marks of titles, headlines, cited and foreign words.

    >>> base_tag("np-tl"), base_tag("fw-nn-hl"), base_tag("--"), base_tag("np$")
    ('np', 'nn', '--', 'np$')
    """
    bare = tag.removeprefix("fw-")
    for mark in ("-hl", "-tl", "-nc", "-hl", "-tl"):
        bare = bare.removesuffix(mark)
    return bare or tag


def _check(n: int, min_df: int, max_df: int | None) -> None:
    for name, value, low in (("n", n, 1), ("min_df", min_df, 1), ("max_df", max_df, min_df)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or value < low
        ):
            raise ParameterError(f"{name} must be a whole number from {low}, and was {value!r}.")


def _view_of(collection: Collection) -> TaggedText:
    for view in collection.views.values():
        if isinstance(view, TaggedText) and FEATURE in view.features:
            return view
    raise DataError(
        f"'{collection.name}' has no tags; give it some by with_tags(collection, tagger)."
    )


def _documents(rows: Sequence[Any]) -> Iterator[list[list[Tagged]]]:
    """Documents as lists of sentences of tags; a document that is a plain list of tags is one sentence."""
    for at, document in enumerate(rows):
        if isinstance(document, str):
            raise DataError(
                f"Document {at} is a string; give a list of sentences, each a list of tags."
            )
        flat = all(isinstance(part, str) for part in document)
        for sentence in () if flat else document:
            if isinstance(sentence, str) or not all(isinstance(tag, str) for tag in sentence):
                raise DataError(f"Document {at} must be a list of sentences, each a list of tags.")
        yield [[("", tag) for tag in sentence] for sentence in ([document] if flat else document)]


def _counted(
    view: TaggedText,
    rows: list[str],
    which: tuple[int, int, int | None],
    called: Callable[[str], str] | None,
) -> Cooccurrence:
    """Counts of the runs of tags by member; the columns are sorted by name."""
    import scipy.sparse as sp

    n, low, high = which
    codes, levels = _coded(view.features[FEATURE], called)
    start, member = _starts(view, codes, n)
    grams, run = np.unique(codes[start[:, None] + np.arange(n)], axis=0, return_inverse=True)
    counts = sp.csr_array(
        (np.ones(len(start)), (member, run.reshape(-1))), shape=(len(rows), len(grams))
    )
    counts.sum_duplicates()
    frequency = np.bincount(counts.indices, minlength=len(grams))
    kept = np.flatnonzero((frequency >= low) & (frequency <= (len(rows) if high is None else high)))
    if len(kept) == 0:
        most = "" if high is None else f" and {high} or fewer"
        raise DataError(f"No run of {n} tags is in {low} or more{most} members; lower min_df.")
    names = [" ".join(levels[code] for code in gram) for gram in grams[kept].tolist()]
    order = np.argsort(np.array(names, dtype=object), kind="stable")
    return Cooccurrence(counts[:, kept[order]], rows, [names[at] for at in order])


def _coded(tags: Any, called: Callable[[str], str] | None) -> tuple[np.ndarray, list[str]]:
    """A number per token, -1 for one without a tag, and the names of the numbers."""
    place: dict[str, int] = {}
    known: dict[str, int] = {"": -1}
    for tag in dict.fromkeys(str(tag) for tag in tags.tolist()):
        if tag:
            name = tag if called is None else called(tag)
            known[tag] = place.setdefault(name, len(place)) if name else -1
    return np.array([known[str(tag)] for tag in tags.tolist()], dtype=np.int64), list(place)


def _starts(view: TaggedText, codes: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Where runs begin that end in their sentence and in their member, and whose they are."""
    lengths = view.spans[:, 1] - view.spans[:, 0]
    owner = np.repeat(np.arange(len(view.spans)), lengths)
    token = (
        np.arange(len(owner))
        - np.repeat(np.cumsum(lengths) - lengths, lengths)
        + view.spans[owner, 0]
    )
    sentence = np.searchsorted(view.offsets, token, side="right") - 1
    whole = token + n <= np.minimum(np.asarray(view.offsets)[sentence + 1], view.spans[owner, 1])
    token = token[whole]
    owner = owner[whole]
    tagged = (codes[token[:, None] + np.arange(n)] >= 0).all(axis=1)
    member = owner if view.owners is None else view.owners[owner]
    return token[tagged], member[tagged]

"""Runs of tags as a population, against an obvious count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.ngrams import runs

from coterie import Collection, Cooccurrence, TaggedText, Text
from coterie.collect import base_tag, tag_ngrams, texts
from coterie.collect.tags import tagged_view
from coterie.core.errors import DataError, ParameterError

SENTENCES = st.lists(st.sampled_from(["N", "V", "D", "."]), min_size=1, max_size=6)
DOCUMENTS = st.lists(st.lists(SENTENCES, max_size=4), min_size=1, max_size=6)


@given(DOCUMENTS, st.integers(1, 4), st.integers(1, 3), st.none() | st.integers(3, 5))
def test_counts_are_those_of_the_obvious_way(
    documents: list[list[list[str]]], n: int, low: int, high: int | None
) -> None:
    names, rows = runs(documents, n, low, high)
    if not names:
        with pytest.raises(DataError, match="lower min_df"):
            tag_ngrams(documents, n, low, high)
        return
    link = tag_ngrams(documents, n, low, high)
    assert list(link.cols) == names
    assert link.counts.toarray().tolist() == rows


def collection() -> Collection:
    view = tagged_view(
        [[[("a", "D"), ("b", "N")], [("c", "N"), ("d", "V")]], [[("a", "D"), ("b", "N-tl")]], []]
    )
    return Collection(["x", "y", "z"], {"text": Text.of(["a b c d", "a b", ""]), "tagged": view})


def test_a_collection_gets_a_population_named_by_n() -> None:
    found = collection()
    for n, name in ((1, "tags"), (2, "tag bigrams"), (3, "tag trigrams"), (4, "tag 4-grams")):
        if n < 3:
            found = tag_ngrams(found, n, 1)
            assert ("members", name) in found.links
        else:
            with pytest.raises(DataError, match=f"No run of {n} tags"):
                tag_ngrams(found, n, 1)
    link = found.links["members", "tag bigrams"]
    assert (list(link.rows), list(link.cols)) == (["x", "y", "z"], ["D N", "D N-tl", "N V"])
    assert link.counts.toarray().tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]


def test_tags_may_be_renamed_before_they_are_counted() -> None:
    link = tag_ngrams(collection(), 2, 2, called=base_tag).links["members", "tag bigrams"]
    assert link.counts.toarray().tolist() == [[1], [1], [0]]
    silent = tag_ngrams(collection(), 1, 1, called=lambda tag: "" if tag == "D" else tag).links[
        "members", "tags"
    ]
    assert list(silent.cols) == ["N", "N-tl", "V"]


def test_members_that_were_taken_keep_their_own_runs() -> None:
    view = tagged_view([[[("a", "D"), ("b", "N")]], [[("c", "V"), ("d", "V")]]])
    assert list(tag_ngrams(view.take([1]), 2, 1).cols) == ["V V"]
    owned = TaggedText(view.tokens, view.offsets, view.spans, view.features, [0, 0])  # type: ignore[arg-type]
    assert tag_ngrams(owned, 2, 1).counts.toarray().tolist() == [[1, 1]]


def test_a_flat_list_of_tags_is_one_sentence() -> None:
    assert isinstance(tag_ngrams([["D", "N"], ["D", "N"]], 2, 2), Cooccurrence)


@pytest.mark.parametrize(
    ("given_", "name"),
    [
        ({"n": 0}, "n"),
        ({"min_df": 0}, "min_df"),
        ({"min_df": 5, "max_df": 4}, "max_df"),
        ({"n": 1.5}, "n"),
    ],
)
def test_parameters_are_checked(given_: dict[str, Any], name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be a whole number"):
        tag_ngrams(collection(), **given_)


def test_what_has_no_tags_is_said() -> None:
    with pytest.raises(DataError, match="has no tags"):
        tag_ngrams(texts(["a b"]))
    with pytest.raises(DataError, match="Document 1 is a string"):
        tag_ngrams([["D"], "N V"])
    with pytest.raises(DataError, match="Document 0 must be a list of sentences"):
        tag_ngrams([[["D"], "N"]])

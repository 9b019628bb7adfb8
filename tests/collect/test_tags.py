"""Texts tagged by a tagger, as a view beside their text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from coterie import Collection, Table, TaggedText
from coterie.collect import texts, with_tags
from coterie.collect.tags import free_name, tagged_view
from coterie.core.errors import DataError, ParameterError


class Capitals:
    """Whether a word begins with a capital."""

    def tag(self, tokens: Sequence[str]) -> list[str]:
        return ["Cap" if token[:1].isupper() else "low" for token in tokens]


class Forgetful:
    def tag(self, tokens: Sequence[str]) -> list[str]:
        return ["x"] * (len(tokens) - 1)


def tagged(collection: Collection) -> TaggedText:
    view = collection.view("tagged")
    assert isinstance(view, TaggedText)
    return view


def test_every_document_is_one_span_over_its_sentences() -> None:
    found = with_tags(texts(["Ann ran. Bob sat.", "", "Cold rain"]), Capitals())
    view = tagged(found)
    assert found.main == "text"
    assert view.tokens.tolist() == ["Ann", "ran", ".", "Bob", "sat", ".", "", "Cold", "rain"]
    assert view.offsets.tolist() == [0, 3, 6, 7, 9]
    assert view.spans.tolist() == [[0, 6], [6, 7], [7, 9]]
    assert view.features["pos"].tolist() == [
        "Cap",
        "low",
        "low",
        "Cap",
        "low",
        "low",
        "",
        "Cap",
        "low",
    ]
    assert tagged(found.take([2])).surface(0) == "Cold rain"


def test_texts_may_be_split_by_the_user() -> None:
    found = with_tags(
        texts(["a b|c"]), Capitals(), split=lambda text: [part.split() for part in text.split("|")]
    )
    assert tagged(found).offsets.tolist() == [0, 2, 3]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(DataError, match="gave 1 tags to the 2 words of 'two words'"):
        with_tags(texts(["two words"]), Forgetful())
    with pytest.raises(ParameterError, match=r"tag\(tokens\)"):
        with_tags(texts(["two words"]), object())  # type: ignore[arg-type]
    with pytest.raises(DataError, match="given to a text"):
        with_tags(Collection(["a"], {"x": Table.of([[1.0]])}), Capitals())
    with pytest.raises(DataError, match="no documents"):
        tagged_view([])


def test_a_second_tagging_gets_a_name_of_its_own() -> None:
    twice = with_tags(with_tags(texts(["One"]), Capitals()), Capitals())
    assert list(twice.views) == ["text", "tagged", "tagged 2"]
    assert free_name("a", ["a", "a 2"]) == "a 3"

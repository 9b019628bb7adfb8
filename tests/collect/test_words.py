"""The tokenizer and the links it makes."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import Collection, Table, Text
from coterie.collect import link_words
from coterie.collect.words import FUNCTION_WORDS, count_words, words
from coterie.core.errors import DataError, ParameterError


def collection(*documents: str) -> Collection:
    return Collection(
        ids=[f"d{i}" for i in range(len(documents))], views={"text": Text.of(documents)}
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World! x2 foo_bar", ["hello", "world", "x", "foo", "bar"]),
        ("naïve Straße", ["naïve", "straße"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("Привет, мир", ["привет", "мир"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("x² ½ ١٢", ["x"]),
        ("", []),
        ("123 !!", []),
    ],
)
def test_words_are_runs_of_letters_in_lower_case(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text())
def test_words_are_never_empty_and_hold_no_digits_or_spaces(text: str) -> None:
    for word in words(text):
        assert word
        assert word[0].isalpha()
        assert not any(c.isdigit() or c.isspace() or c == "_" for c in word)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_and_unicode_paths_agree(text: str) -> None:
    assert words(text) == words(text + " é")[:-1]


def test_counts_against_an_obvious_count() -> None:
    documents = ["one two two", "two three", "three three the one"]
    link = count_words(documents, ["a", "b", "c"], 2, {"the"})
    assert list(link.cols) == ["one", "three", "two"]
    assert np.array_equal(link.counts.toarray(), [[1, 0, 2], [0, 1, 1], [1, 2, 0]])
    assert list(link.rows) == ["a", "b", "c"]


def test_min_df_counts_members_and_not_occurrences() -> None:
    link = count_words(["solo solo solo pair", "pair"], ["a", "b"], 2)
    assert list(link.cols) == ["pair"]


def test_link_words_keeps_what_was_there_and_adds_a_population() -> None:
    before = collection("red fish", "blue fish")
    after = link_words(before, population="terms")
    assert list(after.links[("members", "terms")].cols) == ["fish"]
    assert not before.links
    assert after.ids == before.ids
    assert after.take([1]).links[("members", "terms")].shape == (1, 1)


def test_link_words_says_what_is_wrong() -> None:
    with pytest.raises(DataError, match="lower min_df"):
        link_words(collection("one", "two"))
    with pytest.raises(DataError, match="no view"):
        link_words(collection("one", "two"), view="caption")
    with pytest.raises(ParameterError, match="min_df"):
        link_words(collection("one", "two"), min_df=0)
    table = Collection(ids=["a"], views={"text": Table.of([[1.0]])})
    with pytest.raises(DataError, match="counted in a text"):
        link_words(table)


def test_empty_documents_have_empty_rows() -> None:
    link = count_words(["", "a b", ""], ["x", "y", "z"], 1)
    assert link.counts.sum(axis=1).tolist() == [0, 2, 0]


def test_function_words_are_tokens_of_the_tokenizer() -> None:
    assert all(words(word) == [word] for word in FUNCTION_WORDS)
    assert {"the", "and", "of"} <= FUNCTION_WORDS


def test_two_thousand_documents_take_less_than_two_seconds() -> None:
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    vocabulary = ["".join(rng.choice(letters, 6)) for _ in range(5000)]
    documents = [" ".join(vocabulary[i] for i in rng.integers(0, 5000, 200)) for _ in range(2000)]
    start = time.process_time()
    link = link_words(collection(*documents)).links[("members", "words")]
    assert time.process_time() - start < 2
    assert link.total == 400_000

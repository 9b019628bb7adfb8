"""Markup and lines that are no writing."""

from __future__ import annotations

import time

import pytest

from coterie.collect import link_words, texts
from coterie.collect.cleaning import cleaned
from coterie.collect.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short=line", ["short", "line"]),
        ("begin\n" + "M" + "a" * 60 + "\nend", ["begin", "end"]),
        ("begin\n  " + "a" * 51 + "  \nend", ["begin", "end"]),
        ("a" * 50 + "\nend", ["a" * 50, "end"]),
        ("one " + "a" * 60, ["one", "a" * 60]),
        ("語" * 60, ["語" * 60]),
        ("<p class='x'>One</p><br/>two<!-- not this -->", ["one", "two"]),
        ("a < b and c > d", ["a", "b", "and", "c", "d"]),
        ("<style>p { color: red }</style><script>x()</script>seen", ["seen"]),
        ("tea&nbsp;time &amp; R&amp;D", ["tea", "time", "r", "d"]),
        ("", []),
    ],
)
def test_words_that_are_left(text: str, expected: list[str]) -> None:
    assert words(cleaned(text)) == expected


def test_both_parts_can_be_switched_off() -> None:
    ruler = "=" * 30 + "x" * 30
    assert cleaned(ruler, longest=None) == ruler
    assert cleaned(ruler, longest=60) == ruler
    assert cleaned("<b>x</b> &amp;", markup=False) == "<b>x</b> &amp;"


def test_words_are_counted_of_cleaned_texts_where_asked() -> None:
    both = ["fish " + "\n" + "q" * 55, "fish\n" + "q" * 55]
    assert list(link_words(texts(both)).links["members", "words"].cols) == ["fish", "q" * 55]
    assert list(link_words(texts(both), clean=True).links["members", "words"].cols) == ["fish"]


@pytest.mark.parametrize("piece", ["<", "<a", "<!--", "<script>", "<b ", "&", "&#"])
def test_broken_markup_takes_no_time(piece: str) -> None:
    start = time.process_time()
    cleaned(piece * 5_000)
    assert time.process_time() - start < 2

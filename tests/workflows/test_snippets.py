"""Snippets: which stretch is shown, what is marked, and that nothing of a text can steer a terminal."""

from __future__ import annotations

import numpy as np

from coterie.core.hits import plain
from coterie.workflows.snippets import clean, highlighted, snippet

TERMS = {"cat": 0, "cats": 0, "dog": 1, "café": 2, "fish": 3}


def shown(text, weights, size=8):
    return snippet(text, TERMS.get, weights, size)


def test_the_stretch_with_the_most_different_words_wins():
    far = "cat cat cat " + "filler " * 40 + "a cat chased the dog away " + "filler " * 40
    found = shown(far, {0: 1.0, 1: 1.0})
    assert [text for text, mark in found if mark] == ["cat", "dog"]
    assert plain(found).startswith("… ")
    assert plain(found).endswith(" …")


def test_rare_words_count_more():
    text = "cat cat dog cat " + "filler " * 40 + "one fish here " + "filler " * 10
    assert ("fish", True) in shown(text, {0: 0.1, 1: 0.1, 3: 5.0})


def test_the_best_window_is_that_of_trying_all():
    rng = np.random.default_rng(0)
    for _ in range(40):
        words = rng.choice(
            ["cat", "dog", "fish", "x", "y", "z"], 60, p=[0.05, 0.04, 0.03, 0.3, 0.3, 0.28]
        )
        weights = {0: 1.0, 1: 1.7, 3: 2.9}
        found = snippet(" ".join(words), TERMS.get, weights, 8)
        held = {TERMS[text] for text, mark in found if mark}
        best = max(
            sum(weights[t] for t in {TERMS[w] for w in words[a : a + 8] if w in TERMS})
            for a in range(60)
        )
        assert sum(weights[t] for t in held) >= best - 1e-9


def test_marks_keep_the_writing_and_lines_are_joined():
    found = shown("A  CAFÉ\nfor\tCats.", {0: 1.0, 2: 1.0})
    assert found == (("A ", False), ("CAFÉ", True), (" for ", False), ("Cats", True), (".", False))


def test_without_a_word_the_beginning_is_shown():
    assert plain(shown("one two three four five six", {0: 1.0}, size=3)) == "one two three …"
    assert shown("", {0: 1.0}) == ()
    assert plain(shown("12 + 3 = 15", {0: 1.0})) == "12 + 3 = 15"


def test_nothing_steers_a_terminal():
    found = plain(shown("red \x1b[31mcat\x07 \x9b2J here\r\ndone", {0: 1.0}))
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in found)
    assert clean("a\x1b[2Jb\n") == "a [2Jb"


def test_long_words_are_cut():
    found = plain(shown("漢" * 5000 + " cat " + "字" * 5000, {0: 1.0}, size=30))
    assert len(found) < 400
    assert "cat" in found


def test_a_line_is_marked_and_cut():
    assert highlighted("Re: the cat", TERMS.get, {0: 1.0}) == (("Re: the ", False), ("cat", True))
    assert plain(highlighted("x" * 500, TERMS.get, {0: 1.0}, most=20)) == "x" * 20 + "…"

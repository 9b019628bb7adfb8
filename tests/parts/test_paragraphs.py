"""Paragraphs: cut at blank lines, short ones merged; triplets drawn from them are what they say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.parts.paragraphs import Triplets, cut, paragraphs

WORDS = "one two three four five six seven eight nine ten eleven twelve"


def said(n):
    return " ".join(WORDS.split()[:n])


def test_blank_lines_part_paragraphs_whatever_the_white_space():
    assert paragraphs(f"{said(3)}\r\n \t\r\n\r\n{said(4)}\n", 3) == [said(3), said(4)]
    assert paragraphs(f"{said(3)}\n{said(4)}", 3) == [f"{said(3)}\n{said(4)}"]


def test_indented_lines_part_paragraphs_where_no_line_is_blank():
    assert paragraphs(f"{said(3)}\n{said(4)}\n    {said(5)}\n\t {said(3)}", 3) == [
        f"{said(3)}\n{said(4)}",
        f"    {said(5)}",
        f"\t {said(3)}",
    ]
    assert paragraphs(f"{said(3)}\n    {said(5)}\n\n{said(4)}", 3) == [
        f"{said(3)}\n    {said(5)}",
        said(4),
    ]


def test_a_short_one_goes_to_the_next_and_the_last_to_the_one_before():
    text = "\n\n".join([said(2), said(2), said(5), said(4), said(1)])
    assert [len(part.split()) for part in paragraphs(text, 4)] == [4, 5, 5]


def test_no_word_is_lost_and_all_are_long_enough():
    generator = np.random.default_rng(0)
    for _ in range(50):
        sizes = generator.integers(0, 12, size=8)
        parts = paragraphs("\n\n".join(said(n) for n in sizes), 6)
        assert sum(len(part.split()) for part in parts) == sizes.sum()
        assert len(parts) <= 1 or min(len(part.split()) for part in parts) >= 6


def test_digits_are_no_words_and_an_empty_document_has_no_paragraph():
    assert paragraphs("1 2 3 4\n\nname a b", 2) == ["1 2 3 4\n\nname a b"]
    assert paragraphs("  \n\n ", 2) == []
    assert paragraphs("too short", 15) == ["too short"]


def test_owners_name_the_document():
    texts, owners = cut([f"{said(4)}\n\n{said(4)}", "", said(5)], 4)
    assert texts == [said(4), said(4), said(5)]
    assert owners.tolist() == [0, 0, 2]


def _source(owners):
    return Triplets.of(sp.csr_array(np.eye(len(owners))), owners, "Test")


def test_triplets_are_two_of_one_document_and_one_of_another():
    owners = np.array([4, 0, 4, 1, 0, 0, 2])  # in no order, with a gap
    source = _source(owners)
    x, near, far = source.draw(np.random.default_rng(1), 4000)
    back = source.rows.indices  # the row's own place before it was sorted
    assert (owners[back[x]] == owners[back[near]]).all()
    assert (x != near).all()
    assert (owners[back[x]] != owners[back[far]]).all()
    assert set(owners[back[x]]) == {0, 4}
    assert set(back[far]) == set(range(7))


def test_all_pairs_and_all_others_are_drawn_alike():
    source = _source(np.array([0, 0, 0, 1, 1, 2]))
    x, near, far = source.draw(np.random.default_rng(2), 60_000)
    of_first = x < 3
    assert abs(of_first.mean() - 0.5) < 0.01  # documents alike, not paragraphs
    pairs = np.bincount(x[of_first] * 3 + near[of_first], minlength=9)
    assert abs(pairs[[1, 2, 3, 5, 6, 7]] / of_first.sum() - 1 / 6).max() < 0.01
    assert abs(np.bincount(far[of_first], minlength=6)[3:] / of_first.sum() - 1 / 3).max() < 0.015


def test_rows_without_a_term_are_left_out():
    rows = sp.csr_array(np.array([[1.0, 0], [0, 0], [0, 1.0], [1.0, 1.0]]))
    source = Triplets.of(rows, [0, 0, 0, 1], "Test")
    assert len(source) == 3
    assert source.size.tolist() == [2, 1]


def test_documents_held_out_share_no_paragraph_with_the_rest():
    owners = np.repeat(np.arange(10), 3)
    rest, held = _source(owners).parted(3, np.random.default_rng(0))
    assert len(rest) + len(held) == 30
    assert len(held.able) == 3
    assert not set(rest.rows.indices) & set(held.rows.indices)
    assert _source(np.array([0, 0, 1])).parted(1, np.random.default_rng(0)) is None


def test_sentences_for_what_gives_no_triplet():
    with pytest.raises(DataError, match=r"Test: no document has two paragraphs.*min_words"):
        _source(np.arange(4))
    with pytest.raises(DataError, match="one document"):
        _source(np.zeros(4, dtype=int))
    with pytest.raises(DataError, match="4 paragraphs and owners of shape"):
        Triplets.of(sp.csr_array(np.eye(4)), [0, 1], "Test")

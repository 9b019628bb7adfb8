"""The bundled list of general words: what it holds, how it is read, and how it is packed."""

from __future__ import annotations

import gzip

from coterie.parts.background import bundled, counts_of, packed


def test_general_words_are_there_in_the_order_one_expects() -> None:
    known = bundled()
    assert len(known) == 40_000
    assert known["the"] > known["house"] > known["theorem"] >= 1
    assert min(known.values()) == 1
    assert all(word == word.lower() and " " not in word for word in known)


def test_unknown_words_count_nothing() -> None:
    assert counts_of(["b", "zz", "a"], {"a": 3.0, "b": 2.5}).tolist() == [2.5, 0.0, 3.0]
    assert counts_of([], {"a": 1.0}).tolist() == []


def test_packing_keeps_the_frequent_in_units_of_the_rarest() -> None:
    data = packed({"b": 6.0, "a": 2.0, "rare": 0.5, "c": 20.0}, most=3)
    assert gzip.decompress(data).decode() == "a\t1\nb\t3\nc\t10\n"
    assert packed({"b": 6.0, "a": 2.0}) == packed({"a": 2.0, "b": 6.0})

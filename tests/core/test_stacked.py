"""Members of two collections one after the other: every kind of view, links, and what cannot be put together."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Collection, Cooccurrence, Ragged, Table, Text
from coterie.core.errors import DataError
from coterie.core.pictures import Pictures
from coterie.core.stacked import stacked


def of(ids: str, **more: object) -> Collection:
    return Collection(list(ids), more.pop("views"), **more)  # type: ignore[arg-type]


def test_texts_with_truth_and_cards_of_the_first() -> None:
    one = of(
        "ab",
        views={"text": Text(("x", "y"))},
        truth={"t": np.array(["p", "q"], dtype=object)},
        cards={"c": ["1", "2"]},
    )
    other = of(
        "cd", views={"text": Text(("z", "w"))}, truth={"t": np.array(["r", "s"], dtype=object)}
    )
    found = stacked(one, other, "both")
    assert found.ids == ("a", "b", "c", "d")
    assert list(found.view("text")) == ["x", "y", "z", "w"]
    assert found.truth["t"].tolist() == ["p", "q", "", ""]
    assert found.cards["c"] == ["1", "2", "", ""]


def test_tables_by_the_names_of_columns_and_words() -> None:
    one = Table(np.array([[1.0, 0.0], [2.0, 1.0]]), ("n", "w"), {1: ("red", "blue")})
    other = Table(np.array([[1.0, 5.0], [np.nan, 6.0]]), ("w", "n"), {0: ("green", "red")})
    found = stacked(of("ab", views={"t": one}), of("cd", views={"t": other}), "both").view("t")
    assert isinstance(found, Table)
    assert found.values[:, 0].tolist() == [1, 2, 5, 6]
    words = [found.level(1, code) for code in found.values[:, 1]]
    assert words == ["red", "blue", "red", "-"]
    sparse = Table(sp.csr_array(np.eye(2)), ("n", "w"))
    both = stacked(of("ab", views={"t": sparse}), of("cd", views={"t": sparse}), "both").view("t")
    assert both.values.toarray().tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]


def test_sequences_and_pictures() -> None:
    one = Ragged.of([[[1.0], [2.0]], [[3.0]]])
    other = Ragged.of([[[4.0]], [[5.0], [6.0]]])
    found = stacked(of("ab", views={"s": one}), of("cd", views={"s": other}), "both").view("s")
    assert [part.ravel().tolist() for part in found] == [[1, 2], [3], [4], [5, 6]]
    small = Pictures.of([np.zeros((2, 3, 3), dtype=np.uint8)])
    both = stacked(of("a", views={"p": small}), of("b", views={"p": small}), "both").view("p")
    assert len(both) == 2


def test_links_on_all_that_either_is_tied_to() -> None:
    one = Cooccurrence(sp.csr_array([[1, 2], [0, 3]]), ["a", "b"], ["x", "y"])
    other = Cooccurrence(sp.csr_array([[4, 5]]), ["d"], ["y", "z"])
    pair = ("members", "words")
    views = {"text": Text(("", ""))}
    found = stacked(
        of("ab", views=views, links={pair: one}), of("cd", views=views, links={pair: other}), "both"
    ).links[pair]
    assert list(found.cols) == ["x", "y", "z"]
    assert found.counts.toarray().tolist() == [[1, 2, 0], [0, 3, 0], [0, 0, 0], [0, 4, 5]]
    alone = stacked(of("ab", views=views, links={pair: one}), of("cd", views=views), "both").links[
        pair
    ]
    assert alone.counts.toarray().tolist() == [[1, 2], [0, 3], [0, 0], [0, 0]]


def test_what_does_not_fit_is_named() -> None:
    text = of("a", views={"v": Text(("x",))})
    table = of("b", views={"v": Table(np.eye(1), ("n",))})
    with pytest.raises(DataError, match="cannot be put together"):
        stacked(text, table, "both")
    with pytest.raises(DataError, match="no view and no link in common"):
        stacked(text, of("b", views={"w": Text(("x",))}), "both")
    with pytest.raises(DataError, match="has the column 'm'"):
        stacked(table, of("c", views={"v": Table(np.eye(1), ("m",))}), "both")
    words = of("c", views={"v": Table(np.zeros((1, 1)), ("n",), {0: ("red",)})})
    with pytest.raises(DataError, match="holds words in one"):
        stacked(table, words, "both")

"""Data in memory: a dictionary of arrays, frames or lists of texts is views of the same members, row by row."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie import Collection, Table, Text
from coterie.collect import read
from coterie.core.errors import DataError


def two(n: int = 60) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    groups = np.arange(n) % 3
    return {
        name: 6 * rng.normal(size=(3, 8))[groups] + rng.normal(size=(n, 8))
        for name in ("fou", "kar")
    }, groups


def test_own_arrays_are_explored_as_views() -> None:
    arrays, groups = two()
    found = coterie.explore(arrays, views=["fou", "kar"], k=3, nulls=0)
    assert found.analysis.views == ("fou", "kar")
    assert found.judge(groups).measures["nmi"] > 0.9
    assert found.collection.ids[:2] == ("0", "1")
    placed = found.place({"kar": arrays["kar"][:4], "ids": ["a", "b", "c", "d"]})
    assert placed.ids == ("a", "b", "c", "d")
    assert placed.labels.tolist() == found.labels[:4].tolist()


def test_texts_frames_and_ids() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["x", "y"], "size": [1.0, 2.0]})
    found = read({"words": ["tea", "car"], "sizes": frame})
    assert found.ids == ("x", "y")
    assert isinstance(found.view("words"), Text)
    assert found.view("sizes").names == ("size",)  # type: ignore[union-attr]
    assert read({"ids": [7, 8], "words": ["tea", "car"]}).ids == ("7", "8")
    gaps = read({"a": np.array([[1.0, np.nan], [2.0, 3.0]]), "b": ["x", "y"]})
    assert any("1 gaps" in note for note in gaps.notes)


@pytest.mark.parametrize(
    ("views", "said"),
    [
        ({}, "has no view"),
        ({"a": np.zeros((3, 2)), "b": np.zeros((2, 2))}, "their rows differ: 'a' has 3, 'b' has 2"),
        ({"a": np.zeros((3, 2)), "ids": [1, 2]}, "There are 2 ids, and the views have 3 rows"),
        ({"a": [1.0, 2.0]}, "View 'a': "),
        ({"a": np.array([[np.inf, 1.0]])}, "holds an infinity in row 0"),
    ],
)
def test_what_cannot_be_is_one_sentence(views, said) -> None:
    with pytest.raises(DataError, match=said) as error:
        read(views)
    assert "\n" not in str(error.value)


def test_a_collection_of_arrays_is_one_of_views() -> None:
    found = Collection(["a", "b"], {"fou": np.eye(2), "words": ["x", "y"]})  # type: ignore[dict-item]
    assert isinstance(found.view("fou"), Table)
    assert isinstance(found.view("words"), Text)
    assert found.take([1]).ids == ("b",)
    with pytest.raises(DataError, match="View 'fou': "):
        Collection(["a"], {"fou": 3.0})  # type: ignore[dict-item]

"""Pictures: how they are held, taken and shown, and what is refused by name; how a collection and a method see them."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Table
from coterie.core.collection import as_view
from coterie.core.errors import DataError
from coterie.core.links import Links
from coterie.core.pictures import Pictures
from coterie.run.packing import pack, unpack


def drawn(*sizes: tuple[int, int], seed: int = 0) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.integers(0, 256, size=(*size, 3), dtype=np.uint8) for size in sizes]


def test_pictures_of_different_sizes_are_held_as_they_are():
    parts = drawn((4, 6), (9, 2), (1, 1))
    held = Pictures.of(parts)
    assert len(held) == 3
    assert held.pixels.shape == (24 + 18 + 1, 3)
    for part, one, again in zip(parts, held, (held[0], held[1], held[-1]), strict=True):
        assert np.array_equal(part, one)
        assert np.array_equal(part, again)
    assert repr(held) == "Pictures(3 pictures of 1 to 6 x 1 to 9 pixels)"
    assert Pictures.of(held) is held


def test_one_array_of_four_dimensions_is_many_pictures():
    held = Pictures.of(np.stack(drawn((4, 6), (4, 6))))
    assert repr(held) == "Pictures(2 pictures of 6 x 4 pixels)"


def test_taken_pictures_come_in_the_order_asked_for():
    parts = drawn((4, 6), (9, 2), (3, 3))
    taken = Pictures.of(parts).take([2, 0, 2])
    assert [picture.shape for picture in taken] == [(3, 3, 3), (4, 6, 3), (3, 3, 3)]
    assert all(
        np.array_equal(parts[i], picture) for i, picture in zip((2, 0, 2), taken, strict=True)
    )
    assert len(Pictures.of(parts).take([])) == 0
    with pytest.raises(IndexError, match="picture 3 of 3"):
        Pictures.of(parts)[3]


def test_whole_numbers_that_fit_a_byte_are_taken():
    assert Pictures.of([np.full((2, 2, 3), 255)]).pixels.dtype == np.uint8


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (np.zeros((2, 2)), "Picture 1 must be .height, width, 3. .* and is 2 x 2"),
        (np.zeros((2, 2, 4), dtype=np.uint8), "Picture 1 must be .* is 2 x 2 x 4"),
        (np.zeros((0, 2, 3), dtype=np.uint8), "Picture 1 has no pixels"),
        (np.full((2, 2, 3), 256), "Picture 1 must hold whole numbers from 0 to 255"),
        (np.full((2, 2, 3), -1), "Picture 1 must hold whole numbers from 0 to 255"),
        (np.full((2, 2, 3), 0.5), "Picture 1 must hold whole numbers .* float64"),
        ("name.jpg", "Picture 1 must be"),
    ],
)
def test_what_is_no_picture_is_named(bad, says):
    with pytest.raises(DataError, match=says):
        Pictures.of([np.zeros((2, 2, 3), dtype=np.uint8), bad])


@pytest.mark.parametrize("bad", [[], "photos", 3, np.zeros((4, 4, 3), dtype=np.uint8)])
def test_what_are_no_pictures_is_one_sentence(bad):
    with pytest.raises(DataError) as found:
        Pictures.of(bad)
    assert str(found.value).count(".") == 1


def test_sizes_and_pixels_must_agree():
    with pytest.raises(DataError, match="ask for 4 pixels, and there are 5"):
        Pictures(np.zeros((5, 3), dtype=np.uint8), np.array([[2, 2]]))
    with pytest.raises(DataError, match="array of bytes"):
        Pictures(np.zeros((4, 3)), np.array([[2, 2]]))


def test_a_collection_of_pictures_is_of_that_kind():
    held = Pictures.of(drawn((4, 6), (9, 2)))
    collection = Collection(["a", "b"], {"pictures": held})
    assert collection.kind == "pictures"
    assert "2 pictures" in collection.describe()
    assert np.array_equal(collection.take([1]).view()[0], held[1])
    assert as_view(collection, Pictures, "Colours") is held
    with pytest.raises(DataError, match=r"Scaling takes .*able, and was given .ictures"):
        as_view(held, Table, "Scaling")
    with pytest.raises(DataError, match="a table of counts"):
        as_view(held, Links, "Comraf")


def test_the_store_keeps_pictures_and_maps_their_pixels():
    held = Pictures.of(drawn((4, 6), (9, 2)))
    tree, arrays = pack(Collection(["a", "b"], {"pictures": held}))
    mapped = []

    def load(name, may):
        mapped.extend([name] if may else [])
        return arrays[name]

    again = unpack(tree, load).view()
    assert isinstance(again, Pictures)
    assert np.array_equal(again.pixels, held.pixels)
    assert np.array_equal(again.sizes, held.sizes)
    assert len(mapped) == 1

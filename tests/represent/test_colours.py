"""Colours: counts against a loop over pixels, names, Lab, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import pictures as slow

from coterie.core.errors import DataError, ParameterError
from coterie.core.pictures import Pictures
from coterie.represent import Colours
from coterie.represent.colours import colour_names
from coterie.represent.pixels import lab
from coterie.testing import promises


def drawn(*sizes: tuple[int, int], seed: int = 0) -> Pictures:
    generator = np.random.default_rng(seed)
    return Pictures.of(
        [generator.integers(0, 256, size=(*size, 3), dtype=np.uint8) for size in sizes]
    )


@pytest.mark.parametrize("promise", promises(Colours()), ids=str)
def test_promise(promise):
    promise()


@pytest.mark.parametrize("bins", [2, 3, 6, 7])
def test_counts_are_those_of_a_loop_over_pixels(bins):
    pictures = drawn((5, 9), (12, 4))
    counts = Colours(bins=bins).fit_transform(pictures).toarray()
    assert counts.shape == (2, bins**3)
    for row, picture in zip(counts, pictures, strict=True):
        expected = slow.colours(picture, bins)
        cells = row.reshape(bins, bins, bins)
        assert row.sum() == sum(expected.values())
        assert all(cells[where] == count for where, count in expected.items())


def test_a_column_is_named_by_the_colour_in_its_middle():
    plain = [np.full((2, 2, 3), colour, dtype=np.uint8) for colour in ([255, 0, 0], [0, 0, 255])]
    table = Colours(bins=2).fit(plain).represent(plain)
    assert table.sparse
    named = [table.names[int(row.argmax())] for row in table.values.toarray()]
    assert named == ["#c04040", "#4040c0"]
    assert len(set(colour_names(6))) == 216


def test_new_pictures_are_counted_the_same_way():
    fitted = Colours().fit(drawn((5, 9)))
    new = drawn((6, 6), seed=1)
    assert np.array_equal(fitted.transform(new).toarray(), Colours().fit_transform(new).toarray())


def test_lab_is_that_of_a_loop():
    picture = drawn((4, 5))[0]
    expected = [[slow.lab(*map(int, pixel)) for pixel in row] for row in picture]
    assert np.allclose(lab(picture), expected, atol=1e-3)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="bins"):
        Colours(bins=1).fit(drawn((4, 4)))
    with pytest.raises(DataError, match="Picture 0"):
        Colours().fit([np.zeros((4, 4))])

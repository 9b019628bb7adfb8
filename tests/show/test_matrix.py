"""The matrix picture: PNG bytes another reader would accept, boundaries, odd values."""

from __future__ import annotations

import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.show import map as still
from coterie.show import markup


def decoded(content: bytes) -> np.ndarray:
    """A slow reader of the two kinds of PNG that are written: checks every checksum, gives rows x columns x 3."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    table = None
    body = b""
    head = None
    while at < len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        name = content[at + 4 : at + 8]
        chunk = content[at + 8 : at + 8 + size]
        assert struct.unpack(">I", content[at + 8 + size : at + 12 + size])[0] == zlib.crc32(
            name + chunk
        )
        if name == b"IHDR":
            head = struct.unpack(">IIBBBBB", chunk)
        elif name == b"PLTE":
            table = np.frombuffer(chunk, dtype=np.uint8).reshape(-1, 3)
        elif name == b"IDAT":
            body += chunk
        at += 12 + size
    width, height, depth, kind = head[:4]
    assert depth == 8
    rows = np.frombuffer(zlib.decompress(body), dtype=np.uint8).reshape(height, -1)
    assert (rows[:, 0] == 0).all()
    return table[rows[:, 1:]] if kind == 3 else rows[:, 1:].reshape(height, width, 3)


def test_png_holds_the_pixels():
    pixels = np.random.default_rng(0).integers(0, 256, (7, 5, 3), dtype=np.uint8)
    assert np.array_equal(decoded(still.png(pixels)), pixels)
    indices = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert np.array_equal(decoded(still.png(indices)), markup.ramp()[indices])


def test_picture_is_darker_where_members_are_more_alike(tmp_path):
    values = np.full((40, 40), 0.1)
    values[:20, :20] = values[20:, 20:] = 0.9
    image = decoded(still.save_png(values, tmp_path / "m.png").read_bytes())
    assert image.shape == (720, 720, 3)
    assert image[90, 90].sum() < image[90, 500].sum()
    lined = decoded(still.picture(values, [0] * 20 + [1] * 20))
    assert (lined[359] == [213, 94, 0]).all()


def test_reach_ignores_the_diagonal_and_odd_values():
    values = np.full((10, 10), 0.3)
    np.fill_diagonal(values, 1.0)
    low, high = still.reach(values)
    assert low < 0.3 < high
    values[0, 1] = np.nan
    assert np.isfinite(still.reach(values)).all()
    assert still.reach(np.empty((0, 0))) == (0.0, 1.0)
    assert still.levels(values, 0.0, 1.0)[0, 1] == 0


def test_bad_shapes_are_named():
    with pytest.raises(DataError, match=r"square, and this one has shape \(2, 3\)"):
        still.picture(np.zeros((2, 3)))
    with pytest.raises(DataError, match="3 labels for a matrix of 2"):
        still.picture(np.zeros((2, 2)), [0, 0, 1])


def test_figure_letters_each_group():
    root = ElementTree.fromstring(still.figure(np.eye(30), np.repeat([0, 1, 2], 10)))
    letters = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert letters == ["A", "A", "B", "B", "C", "C"]

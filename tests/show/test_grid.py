"""Grids: one cell per value in its place and shade, names and colors of states, large grids, gaps, wrong input."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.core.findings import Grid
from coterie.show import grid
from coterie.show.markup import contrast, hexed, rgb
from tests.show import made

SVG = "{http://www.w3.org/2000/svg}"


def moves(k: int, seed: int = 0, stay: float = 0.6) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(k), k) * (1 - stay) + stay * np.eye(k)


def parts(one: Grid, **options) -> tuple[ElementTree.Element, list[ElementTree.Element]]:
    root = ElementTree.fromstring(grid.draw(one, **options))
    cells = next(g for g in root.iter(SVG + "g") if g.get("class") == "cells")
    return root, list(cells.iter(SVG + "rect"))


@pytest.mark.parametrize("k", [2, 3, 8, 20, 40])
def test_every_cell_stands_in_its_place_with_its_shade_and_value(k):
    values = moves(k)
    root, cells = parts(Grid("moves", values))
    assert len(cells) == k * k
    xs = sorted({float(c.get("x")) for c in cells})
    ys = sorted({float(c.get("y")) for c in cells})
    assert len(xs) == len(ys) == k
    side = float(cells[0].get("width"))
    assert side >= 10
    assert np.allclose(np.diff(xs), side)
    for cell in cells:
        i = ys.index(float(cell.get("y")))
        j = xs.index(float(cell.get("x")))
        assert float(cell.get("fill-opacity")) == pytest.approx(values[i, j] ** 0.5, abs=0.006)
        said = cell.find(SVG + "title").text
        assert said.startswith(f"row {grid.markup.letter(i)}, column {grid.markup.letter(j)}: ")
        assert float(said.rpartition(" ")[2]) == pytest.approx(values[i, j], rel=0.01)
    wide, tall = (float(v) for v in root.get("viewBox").split()[2:])
    assert xs[-1] + side <= wide
    assert ys[-1] + side <= tall
    names = [t.text for t in root.iter(SVG + "text") if t.get("class") == "c-text"]
    assert names == [grid.markup.letter(i) for i in range(k)] * 2
    assert len([r for r in root.iter(SVG + "rect") if "chip" in r.get("class", "")]) == 2 * k


def test_no_two_names_overlap_and_none_leaves_the_picture():
    names = tuple(f"a state with a long name {i}" for i in range(40))
    for one in (Grid("g", moves(40), names), Grid("g", moves(5), names[:5]), Grid("g", moves(40))):
        root, _ = parts(one)
        texts = [t for t in root.iter(SVG + "text") if t.get("class") == "c-text"]
        half = len(texts) // 2
        size = float(texts[0].get("font-size"))
        assert size >= 9
        assert min(np.diff([float(t.get("y")) for t in texts[:half]])) >= size
        assert min(np.diff([float(t.get("x")) for t in texts[half:]])) >= size
        for text in texts[:half]:
            assert float(text.get("x")) >= grid.width(text.text, size)


def test_values_are_written_where_there_is_room():
    def numbers(k: int) -> list[str]:
        root, _ = parts(Grid("g", np.full((k, k), 0.123)))
        return [t.text for t in root.iter(SVG + "text") if t.get("class", "").startswith("v-")]

    assert numbers(8) == [".12"] * 64
    assert numbers(20) == []
    root, _ = parts(Grid("g", np.array([[1.0, 0.001], [0.5, np.nan]])))
    assert [t.text for t in root.iter(SVG + "text") if t.get("class", "").startswith("v-")] == [
        "1",
        ".50",
    ]


@pytest.mark.parametrize(
    ("paper", "main", "ink", "high"),
    [("#ffffff", "#0072b2", "#1d1f23", "#ffffff"), ("#181b20", "#56b4e9", "#e9e7e2", "#181b20")],
)
def test_written_values_can_be_read_on_their_shade(paper, main, ink, high):
    fills = {"v-low": ink, "v-mid": "#15171a", "v-high": high}
    for value in np.linspace(0.01, 1, 60):
        root, cells = parts(Grid("g", np.array([[value, 0.0], [0.0, 0.0]])))
        css = next(
            t.get("class") for t in root.iter(SVG + "text") if t.get("class", "").startswith("v-")
        )
        opacity = float(cells[0].get("fill-opacity"))
        shade = hexed(rgb(main) * opacity + rgb(paper) * (1 - opacity))
        assert contrast(fills[css], shade) >= 3.3, value


def test_names_of_rows_serve_for_columns_of_a_square_only():
    root, _ = parts(Grid("g", moves(2), ("sun", "rain")))
    assert [t.text for t in root.iter(SVG + "text") if t.get("class") == "c-text"] == [
        "sun",
        "rain",
        "sun",
        "rain",
    ]
    assert not [r for r in root.iter(SVG + "rect") if "chip" in r.get("class", "")]
    root, cells = parts(Grid("g", np.full((2, 3), 0.5), ("sun", "rain")))
    assert [t.text for t in root.iter(SVG + "text") if t.get("class") == "c-text"] == [
        "sun",
        "rain",
        "A",
        "B",
        "C",
    ]
    assert len(cells) == 6


def test_gaps_are_dashed_and_said():
    _, cells = parts(Grid("g", np.array([[np.nan, 0.0]])))
    assert cells[0].get("stroke-dasharray")
    assert cells[0].find(SVG + "title").text.endswith("no value")
    assert not cells[1].get("stroke-dasharray")


def test_large_grids_are_few_paths_with_every_cell():
    values = moves(100, stay=0.3)
    text = grid.draw(Grid("g", values))
    assert len(text) < 400_000
    root = ElementTree.fromstring(text)
    paths = list(root.iter(SVG + "path"))
    assert len(paths) <= 24
    assert sum(p.get("d").count("M") for p in paths) == np.sum(np.rint(np.sqrt(values) * 24) > 0)
    small = ElementTree.fromstring(grid.draw(Grid("g", moves(5)), hover=False))
    assert not list(small.iter(SVG + "title"))
    with pytest.raises(DataError, match="201 by 201 cells cannot be read"):
        grid.draw(Grid("g", np.zeros((201, 201))))


def test_told_in_words():
    values = np.array([[0.9, 0.1, 0.0], [0.3, 0.7, 0.0], [0.0, 0.0, 1.0]])
    assert parts(Grid("moves", values))[0].get("aria-label") == (
        "moves: 3 rows, 3 columns; largest off the diagonal: B to A 0.3, A to B 0.1"
    )
    assert parts(Grid("still", np.eye(3)))[0].get("aria-label").endswith("nothing off the diagonal")


def test_texts_are_only_texts():
    n = len(made.HOSTILE)
    root, cells = parts(
        Grid(made.HOSTILE[0], np.full((n, n), 0.5), made.HOSTILE, made.HOSTILE[::-1])
    )
    assert len(cells) == n * n
    assert not list(root.iter(SVG + "script"))
    assert root.get("aria-label").startswith("<script>")


def test_wrong_input_is_named(tmp_path):
    with pytest.raises(DataError, match=r"has the value 1.5 at \(0, 1\)"):
        grid.draw(Grid("g", np.array([[0.0, 1.5]])))
    with pytest.raises(DataError, match="2 rows and 3 names"):
        grid.draw(Grid("g", moves(2), ("a", "b", "c")))
    with pytest.raises(DataError, match="not a matrix"):
        grid.draw(Grid("g", np.zeros(3)))
    with pytest.raises(DataError, match="not a matrix"):
        grid.draw(Grid("g", np.zeros((0, 3))))
    assert "<svg" in grid.draw(Grid("g", np.array([[1 + 1e-9, -1e-9]])))  # rounding is forgiven
    assert (
        grid.save_svg(Grid("g", moves(2)), tmp_path / "g.svg")
        .read_text(encoding="utf-8")
        .startswith("<svg")
    )

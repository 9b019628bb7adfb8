"""The picture of a flow: bands wide as many they carry, groups facing each other, names escaped, links, and both sizes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from coterie.show.flow import NARROW, WIDE, Band, flow

SVG = "{http://www.w3.org/2000/svg}"
BANDS = [Band(0, 1, 60, True), Band(0, 0, 20, False), Band(1, 0, 40, True), Band(-1, 1, 5, False)]


def drawn(bands=BANDS, name=lambda g: f"group {g + 1}", **options) -> ElementTree.Element:
    text = flow(bands, name, name, title="Where they are", **options)
    return ElementTree.fromstring(
        text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


def bands_of(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [
        path for path in root.iter(SVG + "path") if (path.get("class") or "").startswith("band")
    ]


def thickness(path: ElementTree.Element) -> float:
    numbers = [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", path.get("d", ""))]
    return numbers[8] - numbers[7]  # from the end of the upper line down to the lower one


def test_a_band_is_as_wide_as_the_members_it_carries():
    widths = {path.findtext(SVG + "title"): thickness(path) for path in bands_of(drawn())}
    assert len(widths) == 4
    assert widths["60 members from group 1 to group 2"] / widths[
        "20 members from group 1 to group 1"
    ] == pytest.approx(3, rel=0.02)


def test_those_who_stay_lie_below_those_who_move():
    kinds = [(path.get("class") or "").split()[-1] for path in bands_of(drawn())]
    assert kinds == ["stays", "stays", "moves", "moves"]


def test_a_group_faces_what_became_of_it_and_no_group_comes_last():
    root = drawn()
    right = [
        text.find(SVG + "tspan").text
        for text in root.iter(SVG + "text")
        if text.get("text-anchor") == "start"
    ]
    left = [
        text.find(SVG + "tspan").text
        for text in root.iter(SVG + "text")
        if text.get("text-anchor") == "end"
    ]
    assert left == ["group 1", "group 2", "group 0"]
    assert right == ["group 2", "group 1"]


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_nothing_lies_outside_and_names_are_cut(size):
    root = drawn(name=lambda g: "a very long name of a group " * 3, size=size)
    width, height = map(float, root.get("viewBox", "").split()[2:])
    assert width == size.width
    for rect in root.iter(SVG + "rect"):
        assert float(rect.get("y", 0)) + float(rect.get("height", 0)) <= height
        assert 0 <= float(rect.get("x", 0)) <= width
    assert all(
        len(text.find(SVG + "tspan").text) <= size.letters for text in root.iter(SVG + "text")
    )


def test_names_are_escaped_and_bands_lead_where_they_are_told():
    text = flow(
        BANDS,
        lambda g: "<script>x</script>",
        str,
        title='"a" & b',
        link=lambda b: f"?from={b.left}&to={b.right}",
    )
    assert "<script" not in text
    assert 'href="?from=0&amp;to=1"' in text
    assert text.count("<a ") == 4
    assert "<a " not in flow(BANDS, str, str, title="t")


def test_nobody_at_all_is_an_empty_picture():
    assert not bands_of(drawn([]))

"""Panels of bars: every bar is as long as its value says, on one scale, and named."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from coterie.core.errors import DataError
from coterie.core.findings import Bars
from coterie.show import topics

PANELS = {
    f"topic {k}": (("orbit <1>", 0.4 / (k + 1)), ("moon", 0.1 / (k + 1)), ("dust", 0.0))
    for k in range(5)
}
FIVE = Bars("Topics", PANELS, "Told.")


def bars(drawn: str) -> list[float]:
    """How long the bars are, in the order drawn."""
    return [
        float(width) for width in re.findall(r'class="b-bar [^"]*"[^>]* width="([\d.]+)"', drawn)
    ]


def test_lengths_are_proportional_over_all_panels() -> None:
    found = bars(topics.draw(FIVE))
    assert len(found) == 15
    assert found[0] / found[1] == pytest.approx(4, rel=0.01)
    assert found[0] / found[3] == pytest.approx(2, rel=0.01)
    assert found[2] == 0


def test_names_are_there_and_escaped_and_panels_do_not_overlap() -> None:
    drawn = topics.draw(FIVE)
    words = "".join(ElementTree.fromstring(drawn).itertext())
    assert all(name in words for name in ("topic 4", "orbit <1>", "moon"))
    assert "<1>" not in drawn
    chips = re.findall(r'class="chip [^"]*" x="([\d.]+)" y="([\d.]+)"', drawn)
    assert len(set(chips)) == 5
    assert len({x for x, _ in chips}) == topics.ACROSS


def test_names_have_the_room_they_need_and_there_are_fewer_panels_across() -> None:
    drawn = topics.draw(Bars("x", {str(k): (("words and correspondents", 1.0),) for k in range(4)}))
    assert drawn.count(">words and correspondents<") == 4
    chips = re.findall(r'class="chip [^"]*" x="([\d.]+)"', drawn)
    assert len(set(chips)) == 2
    assert float(re.search(r'<svg [^>]*width="([\d.]+)"', drawn)[1]) <= 660


def test_names_that_are_too_long_are_cut_and_told_whole_on_hover() -> None:
    name = "many words that nobody would read beside a bar"
    drawn = topics.draw(Bars("x", {"t": ((name, 1.0),)}))
    assert f"<title>t, {name}: 1</title>" in drawn
    assert f">{name}<" not in drawn


def test_nothing_to_draw_is_nothing() -> None:
    assert topics.draw(Bars("x", {})) == ""
    assert topics.draw(Bars("x", {"t": (("a", 0.0),)})) == ""


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_what_is_no_length_is_refused_by_name(value: float) -> None:
    with pytest.raises(DataError, match="'moon' of 'Topics' has the value"):
        topics.draw(Bars("Topics", {"t": (("orbit", 1.0), ("moon", value))}))


def test_too_many_panels_are_refused() -> None:
    with pytest.raises(DataError, match="201 panels"):
        topics.draw(Bars("x", {str(k): (("a", 1.0),) for k in range(201)}))


def test_it_is_written_as_a_file(tmp_path) -> None:
    path = topics.save_svg(FIVE, tmp_path / "topics.svg")
    assert path.read_text(encoding="utf-8") == topics.draw(FIVE)


def test_panels_of_another_picture_wear_other_colors() -> None:
    first, second = (
        re.findall(r'class="chip [^"]*"[^>]*fill="([^"]+)"', topics.draw(FIVE, at)) for at in (0, 5)
    )
    assert len(first) == len(second) == 5
    assert not set(first) & set(second)

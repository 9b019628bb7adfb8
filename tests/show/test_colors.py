"""Colours that can be told apart, seen on their paper, and a ramp with even steps."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.show import markup


@pytest.mark.parametrize(("dark", "paper"), [(False, "#ffffff"), (True, "#181b20")])
def test_outlines_are_seen_on_their_paper(dark, paper):
    assert min(markup.contrast(markup.edge(g, dark), paper) for g in range(-1, 32)) >= 3


@pytest.mark.parametrize("dark", [False, True])
def test_thirty_groups_differ_in_colour_and_shape_together(dark):
    assert len({(markup.color(g, dark), markup.shape(g)) for g in range(30)}) == 30
    assert len({markup.color(g, dark) for g in range(8)}) == 8


def test_first_groups_can_be_told_apart_by_shape_or_letter_alone():
    assert len({markup.shape(g) for g in range(10)}) == 10
    assert len({markup.letter(g) for g in range(-1, 800)}) == 801


def test_oklab_goes_there_and_back():
    colors = np.random.default_rng(0).uniform(0, 1, (50, 3))
    assert np.allclose(markup.from_oklab(markup.oklab(colors)), colors, atol=1e-6)


def test_shown_never_leaves_the_screen_and_keeps_what_fits():
    for hue in np.linspace(0, 6.2, 20):
        color = markup.shown(0.6, 0.4, float(hue))
        assert color.min() >= 0
        assert color.max() <= 1
    assert np.allclose(markup.oklab(markup.shown(0.6, 0.05, 1.0))[0], 0.6, atol=1e-3)


@pytest.mark.parametrize("dark", [False, True])
def test_ramp_is_even_and_goes_one_way(dark):
    lab = markup.oklab(markup.ramp(dark) / 255)
    steps = np.linalg.norm(np.diff(lab[::8], axis=0), axis=1)
    assert steps.max() / steps.min() < 1.5
    rising = np.diff(lab[::4, 0])
    assert (rising > 0).all() if dark else (rising < 0).all()

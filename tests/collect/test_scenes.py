"""Scenes: what is promised of their words and looks, the same seed, and what is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from coterie.collect.scenes import COMMON, HEIGHT, THEMES, WIDTH, scenes
from coterie.core.errors import ParameterError


def test_eight_classes_of_equal_size_in_pictures_of_one_size():
    made = scenes(80)
    assert made.kind == "pictures"
    assert Counter(made.truth["group"].tolist()) == {
        f"{theme}-{look}": 10 for theme in THEMES for look in "ab"
    }
    assert made.view("pictures").sizes.tolist() == [[HEIGHT, WIDTH]] * 80
    assert (len(scenes()), made.name) == (800, "scenes")


def test_captions_are_of_one_to_six_words_two_of_five_of_the_theme():
    made = scenes(800)
    lengths = Counter()
    own = 0
    strange = 0
    for text, name in zip(made.view("caption"), made.truth["group"], strict=True):
        words = text.split()
        lengths[len(words)] += 1
        theme = THEMES[name[:-2]].split()
        own += sum(word in theme for word in words)
        strange += sum(word not in theme and word not in COMMON.split() for word in words)
    total = sum(length * count for length, count in lengths.items())
    assert set(lengths) == {1, 2, 3, 4, 5, 6}
    assert strange == 0
    assert own / total == pytest.approx(0.4, abs=0.03)
    assert made.links["members", "caption words"].total == total


def test_words_do_not_tell_the_look_and_looks_do_not_tell_the_theme():
    made = scenes(800)
    names = made.truth["group"]
    words = made.links["members", "caption words"].counts.toarray()
    look = np.array([name[-1] for name in names])
    theme = np.array([name[:-2] for name in names])
    shares = np.array([words[look == one].sum(axis=0) for one in "ab"]).T
    common = shares.sum(axis=1) > 60
    assert np.abs(shares[common, 0] / shares[common].sum(axis=1) - 0.5).max() < 0.16
    warm = np.array(
        [float(p[..., 0].mean()) - float(p[..., 2].mean()) for p in made.view("pictures")]
    )
    apart = warm[look == "a"].mean() - warm[look == "b"].mean()
    assert apart > 15
    assert np.ptp([warm[theme == one].mean() for one in THEMES]) < apart / 3
    threshold = np.median(warm)
    assert (
        0.65 < np.mean((warm > threshold) == (look == "a")) < 0.95
    )  # colour tells the look, and not always


def test_the_same_seed_gives_the_same_pictures_and_another_gives_others():
    one = scenes(16, random_state=3)
    same = scenes(16, random_state=3)
    other = scenes(16, random_state=4)
    assert np.array_equal(one.view().pixels, same.view().pixels)
    assert list(one.view("caption")) == list(same.view("caption"))
    assert not np.array_equal(one.view().pixels, other.view().pixels)


@pytest.mark.parametrize("n", [7, 0, -1, 8.5, True])
def test_too_few_are_refused(n):
    with pytest.raises(ParameterError, match="n must be at least the number of groups, 8"):
        scenes(n)

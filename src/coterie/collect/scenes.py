"""Scenes: drawn pictures with captions; words tell four themes, looks tell two, and only both together tell the eight classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.collect.captions import caption_words
from coterie.core.collection import Collection, View
from coterie.core.errors import ParameterError
from coterie.core.pictures import Pictures
from coterie.core.random import streams
from coterie.core.text import Text

HEIGHT = 64
WIDTH = 96
THEMES = {
    "harbor": "harbor boat sail anchor gull pier wave sailor net rope",
    "market": "market stall fruit basket crowd vendor bread cheese flower coin",
    "mountain": "mountain peak snow trail climber valley rock cloud summit cabin",
    "farm": "farm barn cow field tractor hay fence horse chicken plow",
}
COMMON = "view day light photo summer morning evening picture trip walk sun shadow corner old little quiet bright wide"
_OWN = 0.4  # share of caption words that belong to the theme
_LONGEST = 6  # words of a caption
_TINTS = np.array(
    [[234.0, 205.0, 180.0], [180.0, 205.0, 234.0]]
)  # colours of the two looks: warm and cool
# how far a ground is from its colour towards the other, and levels of brightness
_TINT_SPREAD = 0.32
_LIGHT_SPREAD = 3.0
_STRIPES = (
    (3.2, 20.0),
    (9.0, 100.0),
)  # pixels from stripe to stripe and direction in degrees, by look
# of both, from picture to picture: a share, and degrees
_WAVE_SPREAD = 0.02
_TURN_SPREAD = 2.0
# of stripes, and of noise upon them, in levels of brightness
_STRENGTH = 18.0
_NOISE = 18.0
# shares of pictures whose ground has the colour, or the stripes, of the other look
_WRONG_TINT = 0.08
_WRONG_STRIPES = 0.02
# fewest and most shapes, and how much darker than a ground they are
_SHAPES = (4, 7)
_SHADE = 100.0


def scenes(n: int = 800, random_state: Any = 0) -> Collection:
    """Drawn pictures of eight classes: four themes told by caption words, times two looks told by colour and texture."""
    classes = 2 * len(THEMES)
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < classes:
        raise ParameterError(f"n must be at least the number of groups, {classes}, and was {n!r}.")
    who, words, looks, shapes = streams(random_state, 4)
    labels = who.permutation(np.arange(n) % classes)
    captions = [_caption(int(label) // 2, words) for label in labels]
    pictures = Pictures.of([_picture(int(label) % 2, looks, shapes) for label in labels])
    width = len(str(n - 1))
    ids = [f"scene-{i:0{width}d}" for i in range(n)]
    names = np.array([f"{theme}-{look}" for theme in THEMES for look in "ab"])
    links = {("members", "caption words"): caption_words(captions, ids)}
    views: dict[str, View] = {"pictures": pictures, "caption": Text(tuple(captions))}
    return Collection(ids, views, links, {"group": names[labels]}, "scenes")


def _caption(theme: int, generator: np.random.Generator) -> str:
    """One to six words: two of five of the theme, the others of no theme."""
    own = tuple(THEMES.values())[theme].split()
    common = COMMON.split()
    many = int(generator.integers(1, _LONGEST + 1))
    return " ".join(
        _drawn(own if generator.random() < _OWN else common, generator) for _ in range(many)
    )


def _drawn(words: list[str], generator: np.random.Generator) -> str:
    """A word, the earlier ones more often."""
    shares = 1.0 / (2.0 + np.arange(len(words)))
    return words[int(generator.choice(len(words), p=shares / shares.sum()))]


def _tint(look: int, generator: np.random.Generator) -> np.ndarray:
    """A colour near that of a look, on the way to that of the other; brighter or darker."""
    away = _TINT_SPREAD * abs(generator.normal())
    return np.asarray(
        (1 - away) * _TINTS[look] + away * _TINTS[1 - look] + _LIGHT_SPREAD * generator.normal()
    )


def _picture(look: int, ground: np.random.Generator, shapes: np.random.Generator) -> np.ndarray:
    """A ground in the colour and with the stripes of the look, and darker shapes upon it in the colours of both looks."""
    down, right = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    tinted, striped = (
        look ^ int(ground.random() < wrong) for wrong in (_WRONG_TINT, _WRONG_STRIPES)
    )
    wave, angle = _STRIPES[striped]
    wave = wave * float(np.exp(_WAVE_SPREAD * ground.normal()))
    turn = np.deg2rad(angle + _TURN_SPREAD * ground.normal())
    stripes = np.sin(
        2 * np.pi * ((right * np.cos(turn) + down * np.sin(turn)) / wave + ground.random())
    )
    canvas = (
        _tint(tinted, ground)
        + _STRENGTH * stripes[:, :, None]
        + _NOISE * ground.normal(size=(HEIGHT, WIDTH, 3))
    )
    for _ in range(int(shapes.integers(_SHAPES[0], _SHAPES[1] + 1))):
        inside = _shape(down, right, shapes)
        canvas[inside] = (
            _tint(int(shapes.integers(2)), shapes)
            - _SHADE
            + 3.0 * shapes.normal(size=(int(inside.sum()), 1))
        )
    return np.clip(np.round(canvas), 0, 255).astype(np.uint8)


def _shape(down: np.ndarray, right: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The pixels of a disc, a box or a triangle at a random place."""
    kind = int(generator.integers(3))
    size = float(generator.uniform(8.0, 17.0))
    y = down - generator.uniform(0, HEIGHT)
    x = right - generator.uniform(0, WIDTH)
    if kind == 0:
        return np.asarray(y * y + x * x < size * size)
    if kind == 1:
        return np.asarray((np.abs(y) < 0.7 * size) & (np.abs(x) < size))
    return np.asarray((y < 0.7 * size) & (y > -0.9 * size + 1.6 * np.abs(x)))

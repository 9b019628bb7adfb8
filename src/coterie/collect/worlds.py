"""Worlds: populations with a hidden order, tied by who works with whom, of which only one is seen, and not clearly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.collection import Collection
from coterie.core.errors import ParameterError
from coterie.core.links import Cooccurrence
from coterie.core.random import streams

_GENRES = ("drama", "comedy", "western", "thriller")
_CAST = (3, 6)  # fewest and most actors of a movie
_AT_HOME = 0.8  # share of an actor's parts in movies of the own genre
_SPREAD = 0.35  # how far the quality of a cast is from the director's, typically
_BUSY = 0.8  # exponent of how unevenly people are busy


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A collection, the hidden quality of every element of every population, and how good the members seem."""

    collection: Collection
    quality: Mapping[str, np.ndarray]
    seen: np.ndarray


def movie_world(
    n: int = 600, actors: int = 300, directors: int = 80, noise: float = 0.5, random_state: Any = 0
) -> World:
    """Movies with the actors and directors who made them; how good a movie is comes from both, and luck.

    Quality is spread evenly from 0 to 1 over actors and over directors, and has nothing to do with how busy they are: who makes
    how many movies follows Zipf's law in an order of its own. A director takes mostly actors of the own genre and of a quality
    near the own one. A movie is as good as its director and the mean of its actors, half each, plus luck; it is seen with `noise`
    (in units of the spread of that quality). The third table, actors to directors, counts the movies they made together.
    """
    if n < len(_GENRES):
        raise ParameterError(
            f"n must be at least the number of groups, {len(_GENRES)}, and was {n}."
        )
    least = _CAST[1] * len(_GENRES)
    if actors < least or directors < len(_GENRES):
        raise ParameterError(
            f"There must be at least {least} actors and {len(_GENRES)} directors, and {actors} and {directors} were asked for."
        )
    who, what, eyes = streams(random_state, 3)
    skill = {
        "actors": who.permutation(np.linspace(0, 1, actors)),
        "directors": who.permutation(np.linspace(0, 1, directors)),
    }
    genre = {
        "actors": who.permutation(np.arange(actors) % 4),
        "directors": who.permutation(np.arange(directors) % 4),
    }
    busy = {
        name: who.permutation(np.arange(1.0, len(values) + 1) ** -_BUSY)
        for name, values in skill.items()
    }
    kinds = what.permutation(np.arange(n) % len(_GENRES))
    made = np.array(
        [
            _drawn(np.where(genre["directors"] == kind, busy["directors"], 0.0), what)
            for kind in kinds.tolist()
        ]
    )
    rows = []
    cols = []
    for movie, director in enumerate(made.tolist()):
        near = np.exp(-0.5 * np.square((skill["actors"] - skill["directors"][director]) / _SPREAD))
        home = np.where(
            genre["actors"] == kinds[movie], _AT_HOME, (1 - _AT_HOME) / (len(_GENRES) - 1)
        )
        chance = near * home * busy["actors"]
        size = int(what.integers(_CAST[0], _CAST[1] + 1))
        rows += [movie] * size
        cols += what.choice(actors, size=size, replace=False, p=chance / chance.sum()).tolist()
    plays = sp.csr_array((np.ones(len(rows)), (rows, cols)), shape=(n, actors))
    cast = np.asarray((plays @ skill["actors"]) / plays.sum(axis=1))
    good = 0.5 * skill["directors"][made] + 0.5 * cast
    good = good + 0.25 * good.std() * what.normal(size=n)
    seen = good + noise * good.std() * eyes.normal(size=n)
    return World(_collected(kinds, plays, made, directors, seen), {"members": good, **skill}, seen)


def movies(n: int = 600, random_state: Any = 0) -> Collection:
    """Movies of four genres, tied to the actors and the directors who made them, with ratings."""
    return movie_world(n, random_state=random_state).collection


def _drawn(chance: np.ndarray, generator: np.random.Generator) -> int:
    return int(generator.choice(len(chance), p=chance / chance.sum()))


def _collected(
    kinds: np.ndarray, plays: Any, made: np.ndarray, directors: int, seen: np.ndarray
) -> Collection:
    n, actors = plays.shape
    ids, cast, heads = (
        [f"{name}-{i:0{len(str(many - 1))}d}" for i in range(many)]
        for name, many in (("movie", n), ("actor", actors), ("director", directors))
    )
    led = sp.csr_array((np.ones(n), (np.arange(n), made)), shape=(n, directors))
    links = {
        ("members", "actors"): Cooccurrence(plays, ids, cast),
        ("members", "directors"): Cooccurrence(led, ids, heads),
        ("actors", "directors"): Cooccurrence(sp.csr_array(plays.T @ led), cast, heads),
    }
    stars = 1.0 + 9.0 * (seen - seen.min()) / max(float(np.ptp(seen)), 1e-12)
    cards = {"rating": [f"{value:.1f}" for value in stars.tolist()]}
    return Collection(ids, {}, links, {"group": np.array(_GENRES)[kinds]}, "movies", cards=cards)

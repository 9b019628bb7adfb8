"""Samples: generated collections whose groups are known by construction, and some that have no groups at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.collect.invented import messages, prose, speech, write_mailbox
from coterie.collect.planted import blocks, corpus, papers, pool
from coterie.collect.scenes import scenes
from coterie.collect.worlds import movies
from coterie.core.collection import Collection
from coterie.core.errors import ParameterError
from coterie.core.links import Cooccurrence
from coterie.core.ragged import Ragged
from coterie.core.random import stream, streams
from coterie.core.table import Table
from coterie.core.text import Text

__all__ = ["SAMPLES", "sample", "write_mailbox"]


def _groups(n: int, weights: Sequence[float], generator: np.random.Generator) -> np.ndarray:
    """Labels with these shares, every group at least once, in random order."""
    k = len(weights)
    if n < k:
        raise ParameterError(f"n must be at least the number of groups, {k}, and was {n}.")
    shares = np.asarray(weights, dtype=np.float64) / np.sum(weights)
    ends = np.round(np.cumsum(shares) * (n - k)).astype(np.int64)
    counts = np.diff(np.concatenate([[0], ends])) + 1
    return generator.permutation(np.repeat(np.arange(k), counts))


def _made(
    name: str, views: dict[str, Any], labels: np.ndarray, notes: tuple[str, ...] = ()
) -> Collection:
    width = len(str(len(labels) - 1))
    ids = [f"{name}-{i:0{width}d}" for i in range(len(labels))]
    return Collection(ids, views, truth={"group": labels}, name=name, notes=notes)


def _points(name: str, values: np.ndarray, labels: np.ndarray) -> Collection:
    return _made(
        name, {"columns": Table(values, tuple(f"x{j}" for j in range(values.shape[1])))}, labels
    )


def blobs(n: int = 300, random_state: Any = 0) -> Collection:
    """Five Gaussian clouds in four dimensions, of unequal size and spread."""
    generator = stream(random_state)
    labels = _groups(n, (8, 5, 3, 2, 2), generator)
    corners = np.array(
        [[0, 0, 0, 0], [9, 0, 2, -3], [0, 9, -2, 3], [8, 9, 5, 5], [-7, 5, 7, -6]], dtype=np.float64
    )
    spread = np.array([1.4, 1.0, 0.8, 1.2, 0.6])
    return _points(
        "blobs", corners[labels] + spread[labels, None] * generator.normal(size=(n, 4)), labels
    )


def rings(n: int = 300, random_state: Any = 0) -> Collection:
    """Three rings around one center, which no straight line parts."""
    generator = stream(random_state)
    labels = _groups(n, (1, 2, 3), generator)
    angle = generator.uniform(0, 2 * np.pi, n)
    radius = np.array([1.0, 4.0, 7.0])[labels] + 0.2 * generator.normal(size=n)
    return _points(
        "rings", np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), labels
    )


def moons(n: int = 300, random_state: Any = 0) -> Collection:
    """Two half moons that reach into each other."""
    generator = stream(random_state)
    labels = _groups(n, (1, 1), generator)
    angle = generator.uniform(0, np.pi, n)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    return _points(
        "moons",
        np.where(labels[:, None] == 0, upper, lower) + 0.06 * generator.normal(size=(n, 2)),
        labels,
    )


def mixed(n: int = 300, random_state: Any = 0) -> Collection:
    """Four groups seen in three numbers and three categories, none of which tells them apart alone; a few gaps."""
    generator = stream(random_state)
    labels = _groups(n, (4, 3, 2, 1), generator)
    values = np.empty((n, 6))
    centers = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [4, 4, 0]], dtype=np.float64)
    values[:, :3] = centers[labels] + generator.normal(size=(n, 3))
    levels = (("blue", "green", "red"), ("large", "small"), ("east", "north", "south", "west"))
    usual = np.array([[0, 0, 0], [1, 0, 1], [1, 1, 2], [2, 1, 3]])
    for j, kinds in enumerate(levels):
        stray = generator.random(n) < 0.15
        values[:, 3 + j] = np.where(stray, generator.integers(len(kinds), size=n), usual[labels, j])
    values[generator.random((n, 6)) < 0.02] = np.nan
    names = ("weight", "height", "noise", "color", "size", "region")
    table = Table(values, names, {3 + j: kinds for j, kinds in enumerate(levels)})
    return _made(
        "mixed", {"columns": table}, labels, notes=(f"{int(np.isnan(values).sum())} gaps.",)
    )


def _documents(name: str, n: int, n_topics: int, random_state: Any) -> Collection:
    words, who, what = streams(random_state, 3)
    tongue = speech(n_topics, words)
    labels = _groups(n, [1.0 + 0.25 * k for k in range(n_topics)], who)
    rows = [prose(tongue.document(int(g), int(what.integers(40, 120)), what), what) for g in labels]
    return _made(name, {"text": Text(tuple(rows))}, labels)


def topics(n: int = 400, random_state: Any = 0) -> Collection:
    """Documents of eight planted topics in invented words; half of the words of each belong to its topic."""
    return _documents("topics", n, 8, random_state)


def one_topic(n: int = 200, random_state: Any = 0) -> Collection:
    """Documents that are all about the same: there are no groups."""
    return _documents("one-topic", n, 1, random_state)


def letters_in_two_languages(n: int = 240, random_state: Any = 0) -> Collection:
    """Letters about six subjects, each in two languages that share no word: two aligned views."""
    north, south, who, what = streams(random_state, 4)
    tongues = {"north": speech(6, north, "north"), "south": speech(6, south, "south")}
    labels = _groups(n, (3, 2, 2, 2, 1, 1), who)
    rows: dict[str, list[str]] = {"north": [], "south": []}
    for g in labels:
        length = int(what.integers(40, 100))
        for side, tongue in tongues.items():
            rows[side].append(
                prose(tongue.document(int(g), length + int(what.integers(-5, 6)), what), what)
            )
    return _made("letters", {side: Text(tuple(text)) for side, text in rows.items()}, labels)


def mail(n: int = 200, random_state: Any = 0) -> Collection:
    """Messages within six circles of people, each with its theme; the correspondents are a linked population."""
    made = messages(n, 6, random_state)
    labels = np.array([group for _, group in made])
    pairs = [(i, str(m[side]), 1.0) for i, (m, _) in enumerate(made) for side in ("From", "To")]
    headers = (("subject", "Subject"), ("sender", "From"), ("date", "Date"))
    cards = {key: [str(m[header]) for m, _ in made] for key, header in headers}
    result = _made(
        "mail",
        {"text": Text(tuple(f"{m['Subject']}\n\n{m.get_content()}" for m, _ in made))},
        labels,
    )
    return replace(
        result,
        links={("members", "correspondents"): Cooccurrence.of(pairs, list(result.ids))},
        cards=cards,
    )


def _trace(kind: int, length: int, generator: np.random.Generator) -> np.ndarray:
    """One two-dimensional sequence; all kinds have about the same mean and spread, and differ in how they move."""
    noise = generator.normal(size=(length + 20, 2))
    x = np.zeros((length + 20, 2))
    if kind == 0:  # a slow drift
        for t in range(1, len(x)):
            x[t] = 0.95 * x[t - 1] + 0.31 * noise[t]
    elif kind == 1:  # a swing with a period near eight steps
        for t in range(2, len(x)):
            x[t] = 1.37 * x[t - 1] - 0.94 * x[t - 2] + 0.24 * noise[t]
    else:  # hidden states: two that hold long and exchange (2), three that go round (3)
        stay, places = (
            (0.9, [[1, 1], [-1, -1]]) if kind == 2 else (0.6, [[1.2, 0], [-0.6, 1.1], [-0.6, -1.1]])
        )
        moves = np.cumsum(generator.random(len(x)) > stay) + generator.integers(len(places))
        x = np.asarray(places, dtype=np.float64)[moves % len(places)] + 0.35 * noise
    return x[20:]


def _sequences(name: str, labels: np.ndarray, generator: np.random.Generator) -> Collection:
    lengths = generator.integers(40, 121, size=len(labels))
    rows = [
        _trace(int(g), int(length), generator) for g, length in zip(labels, lengths, strict=True)
    ]
    return _made(name, {"sequences": Ragged.of(rows)}, labels)


def traces(n: int = 120, random_state: Any = 0) -> Collection:
    """Sequences of four kinds of movement (drift, swing, two states, three states in turn), 40 to 120 steps long."""
    generator = stream(random_state)
    return _sequences("traces", _groups(n, (3, 3, 2, 2), generator), generator)


def one_process(n: int = 80, random_state: Any = 0) -> Collection:
    """Sequences that all come from one slow drift: there are no groups."""
    return _sequences(
        "one-process", np.zeros(_at_least_one(n), dtype=np.int64), stream(random_state)
    )


def bags_of_vectors(n: int = 120, random_state: Any = 0) -> Collection:
    """Sets of 10 to 40 vectors from four distributions with one mean: round, flat, two clouds, a ring."""
    generator = stream(random_state)
    labels = _groups(n, (3, 3, 2, 2), generator)
    rows = [_bag(int(g), int(generator.integers(10, 41)), generator) for g in labels]
    return _made("bags", {"sets": Ragged.of(rows, ordered=False)}, labels)


def _bag(kind: int, size: int, generator: np.random.Generator) -> np.ndarray:
    points = generator.normal(size=(size, 3))
    if kind == 1:
        return points * np.array([2.2, 0.4, 0.4])
    if kind == 2:
        return 0.5 * points + np.where(generator.random((size, 1)) < 0.5, 2.0, -2.0) * np.array(
            [0.0, 1.0, 1.0]
        )
    if kind == 3:
        angle = generator.uniform(0, 2 * np.pi, size)
        return 0.3 * points + 3.0 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    return points


def mentions(n: int = 600, random_state: Any = 0) -> Collection:
    """Names of six classes in running text, told by the words around them and by lists of names."""
    from coterie.collect.mentions import CLASSES, tagged_mentions

    if n < len(CLASSES):
        raise ParameterError(f"n must be at least {len(CLASSES)}, one per group, and was {n}.")
    made = tagged_mentions(sentences=max(n, 100), random_state=random_state)
    first = np.sort(np.unique(made.truth["type"], return_index=True)[1])
    rest = np.setdiff1d(np.arange(len(made)), first)[: n - len(first)]
    few = made.take(np.sort(np.concatenate([first, rest])))
    return replace(few, truth={"group": few.truth["type"]}, name="mentions")


def words(n: int = 240, random_state: Any = 0) -> Collection:
    """Ten spoken words in the voices of several speakers, made of a buzz, noise and moving resonances."""
    from coterie.collect.spoken import words as spoken

    return spoken(n, random_state=random_state)


def uniform(n: int = 200, random_state: Any = 0) -> Collection:
    """Points spread evenly over a square: there are no groups."""
    return _points(
        "uniform",
        stream(random_state).uniform(size=(_at_least_one(n), 2)),
        np.zeros(n, dtype=np.int64),
    )


def one_gaussian(n: int = 200, random_state: Any = 0) -> Collection:
    """One round cloud in four dimensions: there are no groups."""
    return _points(
        "one-gaussian",
        stream(random_state).normal(size=(_at_least_one(n), 4)),
        np.zeros(n, dtype=np.int64),
    )


def _at_least_one(n: int) -> int:
    if n < 1:
        raise ParameterError(f"n must be at least 1, and was {n}.")
    return n


Maker = Callable[..., Collection]
_MADE: tuple[tuple[Maker, int], ...] = (
    (blobs, 5),
    (rings, 3),
    (moons, 2),
    (mixed, 4),
    (topics, 8),
    (traces, 4),
    (bags_of_vectors, 4),
    (letters_in_two_languages, 6),
    (mail, 6),
    (mentions, 6),
    (words, 10),
    (uniform, 1),
    (one_gaussian, 1),
    (one_topic, 1),
    (one_process, 1),
    (blocks, 5),
    (corpus, 10),
    (papers, 10),
    (scenes, 8),
    (pool, 2),
    (movies, 4),
)
SAMPLES: dict[str, tuple[Maker, str, int]] = {
    make.__name__: (make, (make.__doc__ or "").split("\n")[0], k) for make, k in _MADE
}


def sample(name: str, n: int | None = None, random_state: Any = 0) -> Collection:
    """A sample by its name in SAMPLES; dashes may stand for underscores.

    >>> len(sample("moons", 50))
    50
    """
    key = name.strip().replace("-", "_")
    if key not in SAMPLES:
        raise ParameterError(f"There is no sample '{name}'; there are {', '.join(SAMPLES)}.")
    make = SAMPLES[key][0]
    return make(random_state=random_state) if n is None else make(n, random_state=random_state)

"""The walks whose similarity is learned by SIC: mentions in tagged text, recordings, and any view a comparer takes as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.compare.mmd import MMD
from coterie.compare.sic.estimator import SIC
from coterie.compare.ssd import SSD
from coterie.core.affinity import Affinity
from coterie.core.ragged import Ragged
from coterie.core.text import TaggedText
from coterie.parts.units import same_units
from coterie.represent.frames import Frames
from coterie.represent.shapes import Shapes
from coterie.workflows import nulls
from coterie.workflows.plan import Plan, apart

_ITERATIONS = 200
_QUICK = 40  # iterations for each of the many similarities that the evidence asks for
_MOST = 600  # members the evidence is read off
_WINDOW = 2  # words on both sides of a mention
_EDGE = "<edge>"
# vectors from which a kernel is replaced by so many random directions
_VECTORS = 10_000
_DIRECTIONS = 1000


def tagged(data: TaggedText, comparer: Any, seed: int) -> Plan:
    """Mentions by what classifiers of their words and surroundings take for one another."""
    comparer = comparer or SIC(n_iterations=_ITERATIONS, random_state=seed)
    columns = ", ".join(["word", *data.features])
    said = [
        f"A mention is seen by what stands at most two words around its beginning ({columns}).",
        said_of(comparer),
    ]
    return planned([], comparer, said, data.take, mentions_mixed)


def sound(data: Ragged, comparer: Any, seed: int) -> Plan:
    """Recordings by what hidden Markov models of their short-time spectra take for one another."""
    comparer = comparer or SIC(n_iterations=_ITERATIONS, random_state=seed)
    frames = Frames()
    seen = frames.fit(data).represent(data)
    said = [
        f"Recordings become {frames.target_kind} frames, {1000 / frames.target_rate_ms:.0f} a second.",
        said_of(comparer),
    ]
    return planned([frames], comparer, said, seen.take, sequences_mixed)


def are_whole_sets(data: Ragged) -> bool:
    """Whether these are sets without gaps whose values seem to share one unit, so that vectors can be compared as they are."""
    return (
        not data.ordered and not np.isnan(data.values).any() and same_units(data.values.std(axis=0))
    )


def sets(data: Ragged, seed: int) -> Plan:
    """Sets by the means of their vectors in the space of a kernel; by random directions where there are very many vectors."""
    many = len(data.values) > _VECTORS
    return as_it_is(data, MMD(features=_DIRECTIONS, random_state=seed) if many else MMD())


def as_it_is(data: Ragged, comparer: Any) -> Plan:
    """Sequences or sets by a comparer that takes them without a table in between."""
    families = sequences_mixed if data.ordered and comparer.by_order else nulls.of_sets
    return planned([], comparer, [said_of(comparer)], data.take, families, comparer.often)


def planned(
    represent: list[Any],
    comparer: Any,
    said: list[str],
    form: Callable[[np.ndarray], Any],
    families: Callable[[Any], Mapping[str, nulls.Draw]],
    most: int = _MOST,
) -> Plan:
    """A plan for a comparer that takes the members whole; the evidence compares more quickly where it has to learn."""
    found: dict[str, Any] = {}

    def adopt(fitted: Any) -> None:
        if isinstance(fitted, SSD) and not fitted.observed_:
            found["n_states"] = (
                fitted.choice_.n_states
            )  # looked for once, and not again for every null

    def compare(part: Any) -> Affinity:
        quick = clone(comparer).set_params(**found)
        if isinstance(quick, SIC):
            quick.set_params(n_iterations=min(_QUICK, quick.n_iterations), stop=None)
        elif isinstance(quick, SSD):
            quick.set_params(n_models=1)
        return apart(quick.fit(part).affinity_, type(comparer).__name__)

    return Plan(
        represent, comparer, lambda n: 10, 3, said, form, compare, families, most=most, adopt=adopt
    )


def said_of(comparer: Any) -> str:
    """How members are compared, in one sentence."""
    if not isinstance(comparer, SIC):
        what = (type(comparer).__doc__ or "").split("\n")[0].rstrip(".")
        return f"Members are compared by {comparer!r} ({what[:1].lower() + what[1:]})."
    kind = "classifiers" if comparer.diverter is None else f"classifiers ({comparer.diverter})"
    how = f"{kind} trained on random labels, up to {comparer.n_iterations} times"
    return f"Members are compared by SIC: {how}; two are alike as often as they get one label."


def sequences_mixed(part: Ragged) -> Mapping[str, nulls.Draw]:
    """Nulls of sequences."""
    return nulls.of_sequences(part, Shapes().points)


def mentions_mixed(part: TaggedText) -> Mapping[str, nulls.Draw]:
    """Nulls of mentions: every place of the window filled from another mention, column by column."""
    places = np.arange(-_WINDOW, _WINDOW + 1)
    at = part.spans[:, :1] + places[None, :]
    sentence = part.sentence_of()
    inside = (at >= part.offsets[sentence][:, None]) & (at < part.offsets[sentence + 1][:, None])
    spot = np.where(inside, at, 0)
    n, width = at.shape

    def mixed(column: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        words = np.where(inside, np.asarray(column).astype(str)[spot], _EDGE)
        return generator.permuted(words, axis=0).ravel()

    def draw(generator: np.random.Generator) -> TaggedText:
        first = np.arange(n) * width + _WINDOW
        features = {name: mixed(column, generator) for name, column in part.features.items()}
        tokens = mixed(part.tokens, generator)
        return TaggedText(
            tokens, np.arange(n + 1) * width, np.stack([first, first + 1], axis=1), features
        )

    return {"surroundings dealt anew": draw}

"""Strategies of members with many steps each: sequences, sets of vectors, sounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from coterie import Collection, Ragged
from tests.fuzz.rows import Given, arrays, oddities, read_only, strided

RAGGED_FORMS: dict[str, Callable[[list[np.ndarray]], Any]] = {
    "list": list,
    "lists": lambda parts: [part.tolist() for part in parts],
    "Ragged": Ragged.of,
    "sets": lambda parts: Ragged.of(parts, ordered=False),
    "strided": lambda parts: [strided(part) for part in parts],
    "read-only": lambda parts: Ragged(
        read_only(np.concatenate(parts).astype(np.float64)), _offsets(parts)
    ),
    "float32": lambda parts: Ragged(np.concatenate(parts).astype(np.float32), _offsets(parts)),
    "fortran": lambda parts: Ragged(
        np.asfortranarray(np.concatenate(parts).astype(np.float64)), _offsets(parts), ordered=False
    ),
    "one column each": lambda parts: [part[:, 0] for part in parts],
    "collection": lambda parts: Collection(
        [f"m{i}" for i in range(len(parts))], {"main": Ragged.of(parts)}
    ),
    "objects": lambda parts: objects(parts),
}
RAGGED_BROKEN: dict[str, Callable[[list[np.ndarray]], Any]] = {
    "another width": lambda parts: [*parts, np.zeros((2, 9))],
    "an empty member": lambda parts: [*parts, parts[0][:0]],
    "no values per step": lambda parts: [part[:, :0] for part in parts],
    "a cube": lambda parts: np.stack([parts[0], parts[0], parts[0] + 1]),
    "two dimensions": lambda parts: parts[0],
    "a cube each": lambda parts: [part[None] for part in parts],
    "numbers": lambda parts: [1.0, 2.0, 3.0],
    "one word": lambda parts: [*parts, [["a"]]],
    "twice one id": lambda parts: Collection(["twin"] * len(parts), {"main": Ragged.of(parts)}),
    "falling offsets": lambda parts: Ragged(np.concatenate(parts), _offsets(parts)[::-1]),
    "all empty": lambda parts: Ragged(np.zeros((0, 2)), np.zeros(4, dtype=np.int64)),
    "no members": lambda parts: Ragged(np.zeros((0, 2)), np.zeros(1, dtype=np.int64)),
    "None inside": lambda parts: [*parts, None],
    "words as values": lambda parts: Ragged(np.array([["a"], ["b"]]), np.array([0, 1, 2])),
    "objects as values": lambda parts: Ragged(
        np.concatenate(parts).astype(object), _offsets(parts)
    ),
    "complex values": lambda parts: Ragged(np.concatenate(parts).astype(complex), _offsets(parts)),
}


def _offsets(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])])


def objects(parts: list[np.ndarray]) -> np.ndarray:
    held = np.empty(len(parts), dtype=object)
    held[:] = parts
    return held


@st.composite
def ragged(draw: Any, width: int | None = None, odd: bool = True, longest: int = 12) -> Given:
    """Sequences or sets of vectors, in any form; `symbols` are whole numbers from 0."""
    how = draw(oddities(odd))
    n = draw(st.integers(1 if "size" in how else 4, 7))
    d = draw(st.integers(1, 3)) if width is None else width
    lengths = draw(
        st.lists(st.integers(1 if "size" in how else 3, longest), min_size=n, max_size=n)
    )
    if draw(st.integers(0, 5)) == 5:
        name = "symbols"
        values = (
            np.random.default_rng(len(lengths))
            .integers(0, 3, size=(sum(lengths), d))
            .astype(np.float64)
        )
    else:
        name, values = draw(arrays((sum(lengths), d), how))
    parts = np.split(values, np.cumsum(lengths)[:-1])
    forms = RAGGED_FORMS | (RAGGED_BROKEN if "form" in how else {})
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of {lengths} x {d} ({name})", lambda: forms[form](parts), n, d)


@st.composite
def sounds(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Recordings: one value per step and a rate, some short, silent or broken."""
    how = draw(oddities(odd))
    n = draw(st.integers(1, 4))
    rate = draw(st.sampled_from((4000.0, 0.0, 1.0, 1e9))) if "type" in how else 8000.0
    lengths = draw(
        st.lists(
            st.sampled_from((1, 50, 240, 801, 1200) if "size" in how else (600, 801, 1200)),
            min_size=n,
            max_size=n,
        )
    )
    name, values = draw(arrays((sum(lengths), 1), how))
    broken = ("list", "two channels", "sets", "empty", "negative rate", "no number")
    form = draw(st.sampled_from(("Ragged", *broken))) if "form" in how else "Ragged"

    def make() -> Any:
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        if form == "list":
            return np.split(values, offsets[1:-1])
        if form == "empty":
            return Ragged(values.astype(np.float64), np.append(offsets, offsets[-1]), rate=rate)
        told = {"negative rate": -rate, "no number": float("nan")}.get(form, rate)
        both = np.repeat(values, 2, axis=1) if form == "two channels" else values
        return Ragged(both.astype(np.float64), offsets, form != "sets", rate=told)

    return Given(f"{form} of sound {lengths} at {rate} ({name})", make, n, 1)

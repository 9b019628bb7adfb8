"""Strategies of affinities: dense, condensed, sparse and lazy ones, and such that are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from coterie import Affinity
from coterie.core.affinity import Condensed, Dense, Graph, Lazy
from tests.fuzz.rows import (
    SIZES,
    SPOTS,
    Given,
    oddities,
    read_only,
    sizes,
    spotted,
    strided,
    typed,
    with_zeros,
)

_AFFINITIES = (
    "points",
    "points",
    "points",
    "points",
    "random",
    "zeros",
    "ones",
    "equal",
    "islands",
    "huge",
    "tiny",
    "negative",
    "large",
    "small",
)


def _square(flavour: str, n: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(n, 2)) * 0.3 + 6.0 * (np.arange(n) % 3)[:, None]
    found = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    if flavour == "random":
        found = generator.random((n, n))
        found = (found + found.T) / 2
    if flavour in ("zeros", "ones"):
        return np.full((n, n), float(flavour == "ones"))
    if flavour == "equal":
        return 2.0 * (1.0 - np.eye(n))
    if flavour == "islands":
        return np.where((np.arange(n) % 2)[:, None] == (np.arange(n) % 2)[None], found, 0.0)
    if flavour in SIZES:
        return found * SIZES[flavour]
    return -found if flavour == "negative" else found


def _lazy_tile(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return np.abs(rows[:, None, :] - cols[None, :, :]).sum(axis=2)


@st.composite
def affinities(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Members x members (or queries x `width` members), as distances or similarities, in every form."""
    how = draw(oddities(odd))
    n = draw(sizes("size" in how))
    seed = draw(st.integers(0, 99))
    flavour = draw(st.sampled_from(_AFFINITIES if "values" in how else _AFFINITIES[:6]))
    kind = draw(st.sampled_from(("distance", "similarity")))
    spot = draw(st.sampled_from(SPOTS)) if "spot" in how else "none"
    values = spotted(
        _square(flavour, n if width is None else max(n, width), seed),
        spot,
        draw(st.integers(0, 9)) if spot != "none" else 0,
    )
    if kind == "similarity" and flavour == "points":
        with np.errstate(over="ignore"):
            values = np.exp(-(values**2))
    if width is not None:
        own = values[:n, :width]
        new: dict[str, Callable[[], Any]] = {
            "queries": lambda: Affinity.of(own, kind=kind, symmetric=False, own=False),
            "Dense queries": lambda: Dense(own, kind, False, False),
            "Graph queries": lambda: Graph(sp.csr_array(np.abs(own)), kind, False, False),
            "lazy queries": lambda: Lazy(
                _lazy_tile,
                np.arange(2.0 * n).reshape(n, 2),
                np.arange(2.0 * width).reshape(width, 2),
                kind,
                False,
            ),
        }
        form = draw(st.sampled_from(sorted(new)))
        return Given(
            f"{form} of {n} x {width} ({flavour} {kind}, {spot}, seed {seed})", new[form], n, width
        )
    forms: dict[str, Callable[[], Any]] = {
        "of": lambda: Affinity.of(values, kind=kind),
        "Dense": lambda: Dense(values, kind),
        "not symmetric": lambda: Dense(np.triu(values), kind, False),
        "read-only": lambda: Dense(read_only(values), kind),
        "strided": lambda: Dense(strided(values), kind),
        "float32": lambda: Dense(typed(values, "float32"), kind),
        "Condensed": lambda: Condensed(values[np.triu_indices(n, 1)], n, kind, float(values[0, 0])),
        "Graph": lambda: Graph(
            sp.csr_array(np.where(values > np.nanmedian(values), 0.0, np.abs(values))), kind
        ),
        "stored zeros": lambda: Graph(with_zeros(np.abs(values)), kind),
        "empty graph": lambda: Graph(sp.csr_array((n, n)), kind),
        "directed graph": lambda: Graph(sp.csr_array(np.triu(np.abs(values), 1)), kind),
        "Lazy": lambda: Lazy(
            _lazy_tile, np.arange(2.0 * n).reshape(n, 2), np.arange(2.0 * n).reshape(n, 2), kind
        ),
    }
    if "form" in how:
        forms = {
            "a plain array": lambda: values,
            "not square": lambda: Dense(values[:, : n // 2 + 1], kind, False),
            "queries": lambda: Dense(values, kind, False, False),
            "nobody": lambda: Dense(np.zeros((0, 0)), kind),
            "another kind": lambda: Affinity.of(values, kind="nearness"),
            "wrong condensed": lambda: Condensed(values[0], n + 5, kind),
            "one dimension": lambda: Affinity.of(values[0], kind=kind),
            "words": lambda: Affinity.of([["a", "b"], ["c", "d"]], kind=kind),
            "unequal rows": lambda: Affinity.of([[1.0], [1.0, 2.0]], kind=kind),
            "complex": lambda: Affinity.of(values.astype(complex), kind=kind),
            "objects": lambda: Dense(values.astype(object), kind),
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of {n} x {n} ({flavour} {kind}, {spot}, seed {seed})", forms[form], n, n)

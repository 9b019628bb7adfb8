"""Steps: sequences as the HMM diverter reads them; normalized, with slopes, and columns sorted into groups to draw from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.ragged import Ragged
from coterie.parts.signal import differences

_ENERGY = re.compile(r"(^|_|[a-z])E$")  # E, log_E, logE
_ZEROTH = re.compile(r"^[cC]?_?0$")  # c0, C0, 0
_ORDERS = ("", ", its slope", ", its bend")
_WINDOW = 2  # frames on each side that a slope is read off


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """All frames in one array, and of every column its family, what it is, its order (0 value, 1 slope, 2 bend) and its name."""

    values: np.ndarray
    offsets: np.ndarray
    ordered: bool
    given: int  # columns the view had
    family: np.ndarray
    base: np.ndarray  # "static", "energy" or "zeroth"
    order: np.ndarray
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def columns(self, drawn: Mapping[str, Any]) -> np.ndarray:
        """The columns that a draw names; all of them when it names none."""
        if "family" not in drawn:
            return np.arange(self.values.shape[1])
        chosen = (
            (self.family == drawn["family"])
            & (self.order <= drawn["order"])
            & np.isin(self.base, drawn["groups"])
        )
        return np.flatnonzero(chosen)

    def take(self, members: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """These columns of the frames of these members, and their offsets."""
        lengths = np.diff(self.offsets)[members]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.repeat(self.offsets[members] - offsets[:-1], lengths) + np.arange(offsets[-1])
        if len(columns) == self.values.shape[1]:
            return self.values[rows], offsets
        return self.values[rows[:, None], columns], offsets

    def draw(self, generator: np.random.Generator) -> dict[str, Any]:
        """A family, then values alone, with slopes, or with slopes and bends; energy and 0th coefficient by a coin each."""
        families = list(dict.fromkeys(self.family.tolist()))
        family = families[int(generator.integers(len(families)))]
        inside = self.family == family
        orders = np.unique(self.order[inside])
        bases = set(self.base[inside].tolist())
        order = int(orders[int(generator.integers(len(orders)))])
        groups = [
            base for base in ("energy", "zeroth") if base in bases and generator.random() < 0.5
        ]
        if "static" in bases or not groups:
            groups.insert(0, "static" if "static" in bases else sorted(bases)[0])
        if not (inside & (self.order <= order) & np.isin(self.base, groups)).any():
            groups = sorted(bases)
        return {"family": family, "order": order, "groups": groups}


def steps_of(view: Ragged, normalize: str, slopes: bool) -> Steps:
    """The frames of a view: checked, each sequence normalized by itself, slopes and bends added where none are there."""
    values = np.ascontiguousarray(view.values, dtype=np.float64)
    _check(values, view)
    if normalize != "none":
        values = _normalized(values, view.offsets, scale=normalize == "mean-variance")
    names = view.names or tuple(f"value {j + 1}" for j in range(view.dim))
    parsed = [_parsed(name) for name in names] if view.names else [("", "static", 0)] * view.dim
    order = np.array([p[2] for p in parsed])
    family = np.array([p[0] for p in parsed])
    base = np.array([p[1] for p in parsed])
    words = list(names)
    if slopes and view.ordered and not order.any():
        first = differences(values, view.offsets, _WINDOW)
        values = np.hstack([values, first, differences(first, view.offsets, _WINDOW)])
        family = np.tile(family, 3)
        base = np.tile(base, 3)
        order = np.repeat([0, 1, 2], view.dim)
        words = [name + suffix for suffix in _ORDERS for name in names]
    return Steps(values, view.offsets, view.ordered, view.dim, family, base, order, tuple(words))


def _parsed(name: str) -> tuple[str, str, int]:
    """Family, base and order of a column, read off its name: mfcc:c1_D is a slope of the family mfcc."""
    family, _, rest = name.rpartition(":")
    order = 2 if rest.endswith("_A") else 1 if rest.endswith("_D") else 0
    stem = rest[:-2] if order else rest
    base = "energy" if _ENERGY.search(stem) else "zeroth" if _ZEROTH.search(stem) else "static"
    return family, base, order


def _check(values: np.ndarray, view: Ragged) -> None:
    if len(view) and view.lengths.min() < 1:
        raise DataError(
            f"Member {int(np.argmin(view.lengths))} has no frames; drop it, or give it at least one."
        )
    bad = ~np.isfinite(values)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        member = int(np.searchsorted(view.offsets, row, side="right")) - 1
        where = f"'{view.names[column]}'" if view.names else f"value {column + 1}"
        raise DataError(
            f"Member {member} has no number for {where} in frame {int(row - view.offsets[member])}; fill or drop it."
        )


def _normalized(values: np.ndarray, offsets: np.ndarray, scale: bool) -> np.ndarray:
    lengths = np.diff(offsets)
    count = lengths[:, None].astype(float)
    centered = values - np.repeat(np.add.reduceat(values, offsets[:-1]) / count, lengths, axis=0)
    if not scale:
        return centered
    spread = np.sqrt(np.add.reduceat(centered**2, offsets[:-1]) / count)
    spread[spread <= 1e-12 * (1.0 + np.abs(values).max(initial=0.0))] = 1.0
    return np.asarray(centered / np.repeat(spread, lengths, axis=0))

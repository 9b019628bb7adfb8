"""How well a cut of a sequence fits the true one: steps in the wrong segment, boundaries found, and window measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from coterie.core.errors import DataError, ParameterError
from coterie.core.partition import Segmentation
from coterie.judge.labels import Matching, code_truth, match

Cut: TypeAlias = "Segmentation | ArrayLike | Sequence[Any]"


@dataclass(frozen=True, slots=True)
class BoundaryScores:
    """Boundaries found within a tolerance of true ones, each paired with one at most.

    `displacement` is the mean distance of the pairs in steps, NaN without a pair; `pairs` holds (found, true).
    """

    precision: float
    recall: float
    f: float
    displacement: float
    pairs: tuple[tuple[int, int], ...]
    found: int
    true: int


def segment_matching(found: Cut, true: Cut, window: int | None = None) -> Matching:
    """Which found segment stands for which true one, one to one, with the most steps (or windows) in agreement.

    A cut is a Segmentation, or one label per step (a new segment begins where the label changes). With `window` both are
    seen in windows of that many steps, the last partial one joined to the one before; a window lies in the segment that
    most of its steps lie in, the earlier of two that share it evenly.
    """
    mine, other = _bounds(found, true)
    steps = _numbers(mine)
    truth = _numbers(other)
    if window is not None:
        steps = _majority(steps, window)
        truth = _majority(truth, window)
    return match(steps, truth)


def segmentation_error(found: Cut, true: Cut, window: int | None = None) -> float:
    """Share of steps (or of windows) that lie in the wrong segment after the best one-to-one matching of segments."""
    return segment_matching(found, true, window).error


def boundary_scores(found: Cut, true: Cut, tolerance: int = 0) -> BoundaryScores:
    """Precision, recall and F of the inner boundaries: one is right when its true partner is at most `tolerance` steps away.

    The pairs are as many as can be, and among those the nearest. Without any boundary on either side all three are 1.
    """
    if tolerance < 0:
        raise ParameterError(f"tolerance must be from 0 steps, and was {tolerance}.")
    mine, other = (bounds[1:-1] for bounds in _bounds(found, true))
    if not len(mine) and not len(other):
        return BoundaryScores(1.0, 1.0, 1.0, float("nan"), (), 0, 0)
    gaps = np.abs(mine[:, None] - other[None, :]).astype(np.float64)
    far = (gaps.max(initial=0.0) + 1.0) * (
        min(gaps.shape) + 1
    )  # one pair more outweighs all distances
    rows, cols = linear_sum_assignment(np.where(gaps <= tolerance, gaps, far))
    pairs = tuple(
        (int(mine[a]), int(other[b]))
        for a, b in zip(rows, cols, strict=True)
        if gaps[a, b] <= tolerance
    )
    moved = float(np.mean([abs(a - b) for a, b in pairs])) if pairs else float("nan")
    precision = len(pairs) / len(mine) if len(mine) else 0.0
    recall = len(pairs) / len(other) if len(other) else 0.0
    f = 2 * len(pairs) / (len(mine) + len(other))
    return BoundaryScores(precision, recall, f, moved, pairs, len(mine), len(other))


def boundary_displacement(found: Cut, true: Cut) -> float:
    """Mean distance, in steps, from each true inner boundary to the nearest found one (an end counts as found)."""
    mine, other = _bounds(found, true)
    inner = other[1:-1]
    if not len(inner):
        return 0.0
    return float(np.abs(inner[:, None] - mine[None, :]).min(axis=1).mean())


def pk(found: Cut, true: Cut, window: int | None = None) -> float:
    """Pk: share of pairs of steps `window` apart on whose being in one segment the two cuts disagree (Beeferman et al.)."""
    mine, other, width = _windows(found, true, window)
    return float(np.mean((mine[width:] == mine[:-width]) != (other[width:] == other[:-width])))


def window_diff(found: Cut, true: Cut, window: int | None = None) -> float:
    """WindowDiff: share of stretches of `window` steps with unequally many boundaries inside (Pevzner and Hearst)."""
    mine, other, width = _windows(found, true, window)
    return float(np.mean((mine[width:] - mine[:-width]) != (other[width:] - other[:-width])))


def _windows(found: Cut, true: Cut, window: int | None) -> tuple[np.ndarray, np.ndarray, int]:
    """Segment numbers per step, and the width: half the mean length of a true segment unless it is given."""
    mine, other = _bounds(found, true)
    n = int(other[-1])
    if n < 2:
        raise DataError("A sequence of one step has no pairs of steps to judge.")
    width = max(1, min(n - 1, round(n / (len(other) - 1) / 2))) if window is None else window
    if not 1 <= width < n:
        raise ParameterError(f"window must be from 1 to {n - 1} steps, and was {window}.")
    return _numbers(mine), _numbers(other), width


def _bounds(found: Cut, true: Cut) -> tuple[np.ndarray, np.ndarray]:
    mine = _read(found, "found cut")
    other = _read(true, "true cut")
    if mine[-1] != other[-1]:
        raise DataError(
            f"The found cut has {mine[-1]} steps and the true one {other[-1]}: they must be equally many."
        )
    return mine, other


def _read(cut: Cut, what: str) -> np.ndarray:
    """Boundaries from 0 to the number of steps."""
    if isinstance(cut, Segmentation):
        bounds = np.asarray(cut.boundaries, dtype=np.int64)
        if bounds[0] != 0:
            raise DataError(f"The {what} must begin at step 0, and begins at {bounds[0]}.")
        return bounds
    codes = code_truth(cut, what).codes
    return np.asarray(Segmentation.of(codes).boundaries)


def _numbers(bounds: np.ndarray) -> np.ndarray:
    """The number of its segment for every step."""
    return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))


def _majority(steps: np.ndarray, window: int) -> np.ndarray:
    """The segment that most steps of each window lie in."""
    if not 1 <= window <= len(steps):
        raise ParameterError(f"window must be from 1 to {len(steps)} steps, and was {window}.")
    which = np.minimum(np.arange(len(steps)) // window, len(steps) // window - 1)
    cells, counts = np.unique(which * (steps[-1] + 1) + steps, return_counts=True)
    order = np.lexsort((cells, -counts, cells // (steps[-1] + 1)))
    first = np.unique(cells[order] // (steps[-1] + 1), return_index=True)[1]
    return np.asarray(cells[order][first] % (steps[-1] + 1))

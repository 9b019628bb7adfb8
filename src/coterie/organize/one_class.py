"""How the members of one table are scored for a core: the formulas of parts, and the baselines OC-SVM and OC-IB.

Every scorer is fitted on members x words once and then places any members: `place(counts)` is high where a member is of the core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.parts.iterate import best_of, iterate
from coterie.parts.one_class import best_words, kl, min_entropy, occc, row_sums

_MOST = 30_000  # members of a support vector machine
_ROUNDS = 100  # of moving the ball of OC-IB


class Scorer(Protocol):
    """Scores members of one table."""

    def place(self, counts: Any) -> np.ndarray:
        """The scores of these members."""


@dataclass(frozen=True, slots=True, eq=False)
class MinEntropy:
    """Members of words that are frequent in the pool."""

    totals: np.ndarray

    def place(self, counts: Any) -> np.ndarray:
        """The mean log frequency of a member's words."""
        return min_entropy(counts, self.totals)


@dataclass(frozen=True, slots=True, eq=False)
class MeanScore:
    """Members of words that are more frequent in the pool than in general: all of them (KL), or the relevant ones (OCCC)."""

    scores: np.ndarray
    relevant: int | None = None
    norm: str = "relevant"

    def place(self, counts: Any) -> np.ndarray:
        """The mean score of a member's words."""
        if self.relevant is None:
            return kl(counts, self.scores)
        return occc(counts, self.scores, best_words(self.scores, self.relevant), self.norm)


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A one-class support vector machine of scikit-learn on rows of length one."""

    model: Any

    def place(self, counts: Any) -> np.ndarray:
        """The decision value of every row; minus infinity where a row is empty."""
        return np.where(
            row_sums(counts) > 0, self.model.decision_function(unit_rows(counts)), -np.inf
        )


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """The ball of OC-IB: minus the squared distance of a row of length one to its center."""

    center: np.ndarray

    def place(self, counts: Any) -> np.ndarray:
        """Minus the squared distance to the center; minus infinity where a row is empty."""
        near = (
            2.0 * np.asarray(unit_rows(counts) @ self.center)
            - 1.0
            - float(self.center @ self.center)
        )
        return np.where(row_sums(counts) > 0, near, -np.inf)


def unit_rows(counts: Any) -> Any:
    """Rows brought to length one, with 32-bit positions, which is what scikit-learn takes; empty rows stay empty."""
    squares = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).ravel())
    scale = np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0)
    values = np.repeat(scale, np.diff(counts.indptr)) * counts.data
    return sp.csr_array(
        (values, counts.indices.astype(np.int32), counts.indptr.astype(np.int32)),
        shape=counts.shape,
    )


def machine(counts: Any, size: int, kernel: str = "linear") -> Machine:
    """OC-SVM: nu is the share of the members outside the core."""
    from sklearn.svm import OneClassSVM

    used = np.flatnonzero(row_sums(counts) > 0)
    if len(used) > _MOST:
        raise DataError(
            f"ocsvm takes at most {_MOST} members, and {len(used)} have any count; use occc or ltb.",
            owner="Core",
        )
    outside = min(max(1.0 - size / len(used), 1e-3), 1.0)
    return Machine(OneClassSVM(kernel=kernel, nu=outside).fit(unit_rows(counts[used])))


def ball(counts: Any, size: int, seed: int, starts: int = 20) -> Ball:
    """OC-IB in squared distance: the `size` rows nearest to a center, then the center as their mean, until nothing moves.

    Starts at `starts` random members; the least sum of distances is kept.
    """
    rows = unit_rows(counts[np.flatnonzero(row_sums(counts) > 0)])
    size = min(size, rows.shape[0])

    def attempt(generator: np.random.Generator) -> tuple[float, np.ndarray]:
        first = int(generator.integers(rows.shape[0]))
        center = np.asarray(rows[[first]].toarray()).ravel()
        return _settled(rows, center, size)

    _, center = best_of(
        attempt, min(starts, rows.shape[0]), random_state=seed, label="OC-IB", prefer="lower"
    )
    return Ball(center)


def _settled(rows: Any, center: np.ndarray, size: int) -> tuple[float, np.ndarray]:
    """The sum of squared distances inside the ball, and its center, after the last move."""

    def step(kept: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        far = 1.0 + float(kept["center"] @ kept["center"]) - 2.0 * np.asarray(rows @ kept["center"])
        inside = np.sort(np.argsort(far, kind="stable")[:size])
        moved = np.array(not np.array_equal(inside, kept["inside"]))
        middle = np.asarray(rows[inside].sum(axis=0), dtype=np.float64).ravel() / size
        return {
            "center": middle if moved else kept["center"],
            "inside": inside,
            "moved": moved,
        }, float(far[inside].sum())

    start = {"center": center, "inside": np.zeros(0, dtype=np.int64), "moved": np.array(True)}
    done = iterate(
        step,
        start,
        max_iter=_ROUNDS,
        tol=0.0,
        label="ball",
        settled=lambda kept, _: not bool(kept["moved"]),
        quiet=True,
    )
    return done.value, done.state["center"]

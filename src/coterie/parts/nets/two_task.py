"""The two tasks together: labels and triplets in turn, triplets before the labels, or triplets alone below a last layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.random import stream
from coterie.core.workplace import stage
from coterie.parts.iterate import Outcome
from coterie.parts.nets.siamese import Labels, Pairs, Task, best_of, train, train_on_triplets
from coterie.parts.paragraphs import Triplets
from coterie.parts.siamese import Arrays, category_scores, mapped, micro_break_even, start

# steps of the labels, and of triplets that train alone
_RATE = 0.01
_ALONE = 0.003
_PATIENCE = 10  # turns without a better value on the validation members
_PASSES = 5  # the same, where triplets train alone


@dataclass(frozen=True, eq=False)
class Lesson:
    """Labeled rows, who is in which category and what every pair weighs; and labeled rows that judge."""

    rows: Any
    indicator: np.ndarray
    weights: np.ndarray
    held: Any
    truth: np.ndarray

    def value(self, arrays: Arrays) -> float:
        """Micro-F1 at break-even on the rows that judge."""
        return micro_break_even(category_scores(arrays, mapped(arrays, self.held)), self.truth)


@dataclass(frozen=True)
class Shape:
    """Sizes of the network and how it is trained."""

    n_hidden: int
    n_components: int
    schedule: str
    max_iter: int
    seed: int


def learn(lesson: Lesson, source: Triplets | None, weight: float, shape: Shape) -> Outcome:
    """Train one network; with weight 0 (or without paragraphs) it is the single-task network, bit for bit."""
    n_terms = lesson.rows.shape[1]
    n_categories = lesson.indicator.shape[1]
    arrays = start(n_terms, shape.n_hidden, shape.n_components, n_categories, stream(shape.seed))
    alone = shape.schedule != "joint" and source is not None
    if source is not None and shape.schedule != "joint":
        with stage("triplets"):
            before = train_on_triplets(
                arrays,
                source,
                rate=_ALONE,
                seed=shape.seed,
                max_iter=shape.max_iter,
                patience=_PASSES,
                label="TwoTask, triplets",
            )
        arrays = {**arrays, **best_of(before)}
    tasks: list[Task] = [
        Labels.of(
            lesson.rows,
            lesson.indicator,
            lesson.weights,
            _RATE,
            head_only=alone and shape.schedule == "only",
        )
    ]
    if source is not None and weight > 0 and not alone:
        tasks.append(Pairs.of(source, _RATE * weight))
    return train(
        arrays,
        tasks,
        lesson.value,
        seed=shape.seed,
        max_iter=shape.max_iter,
        patience=_PATIENCE,
        label="TwoTask",
    )

"""Bootstrap percentile tests of a difference of any measure; of counts drawn fast and exactly from their table.

Examples are drawn with replacement and measured again; the interval holds the middle of the differences. At least 50 / alpha
replicates are needed at the level alpha, 5,000 for 0.01.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.core.errors import DataError, ParameterError
from coterie.core.given import yes_no_of
from coterie.judge.decisions import Decisions
from coterie.judge.labels import Floats
from coterie.judge.verdicts import (
    CHUNK_VALUES,
    RandomState,
    TestResult,
    caution_for,
    checked,
    is_unreliable,
    paired,
)

Measure = Literal[
    "micro_f1",
    "macro_f1",
    "f1_of_macro",
    "micro_precision",
    "micro_recall",
    "macro_precision",
    "macro_recall",
    "accuracy",
]


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    truth: ArrayLike | None = None,
    *,
    measure: Callable[..., float] | None = None,
    replicates: int = 5000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> TestResult:
    """Percentile interval and test of measure(first) - measure(second), examples drawn with replacement.

    `measure` takes the outputs of one method on the drawn examples, and their truth when `truth` is given;
    the default is the mean of the outputs. A drawn sample on which the measure is NaN is left out and
    mentioned.
    """
    a, b, n = paired(first, second, "numbers" if measure is None else "outputs")
    answers = None if truth is None else np.asarray(truth)
    if answers is not None and (answers.ndim == 0 or len(answers) != n):
        raise DataError(
            f"There are {n} outputs and {len(np.atleast_1d(answers))} truths: they must be equally many."
        )
    rng = checked(replicates, level, random_state)
    if measure is None:
        observed, drawn = _bootstrap_means(a - b, replicates, rng)
    else:
        observed = _difference(measure, a, b, answers)
        drawn = np.empty(replicates)
        for i in range(replicates):
            pick = rng.integers(0, n, size=n)
            drawn[i] = _difference(
                measure, a[pick], b[pick], None if answers is None else answers[pick]
            )
    return percentile(
        "paired bootstrap",
        observed,
        drawn,
        level,
        n,
        int((a != b).reshape(n, -1).any(axis=1).sum()),
    )


def count_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    truth: ArrayLike,
    *,
    measure: Literal["error", "f1"] = "f1",
    replicates: int = 5000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> TestResult:
    """The same test for yes/no predictions, drawn fast and exactly from the eight counts (truth, first,
    second).
    """
    if measure not in ("error", "f1"):
        raise ParameterError(f"measure must be 'error' or 'f1', and was {measure!r}.")
    a, b, n = paired(first, second, "marks")
    y = yes_no_of(truth, "The truth")
    if y.shape != (n,):
        raise DataError(
            f"There are {n} predictions and {y.size} truths: they must be equally many."
        )
    rng = checked(replicates, level, random_state)
    counts = np.bincount(4 * y + 2 * a + b, minlength=8)
    drawn = count_difference(rng.multinomial(n, counts / n, size=replicates), measure)
    observed = float(count_difference(counts[None, :], measure)[0])
    return percentile(f"bootstrap of {measure}", observed, drawn, level, n, int(np.sum(a != b)))


def document_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    truth: ArrayLike,
    *,
    measure: Measure = "micro_f1",
    replicates: int = 5000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> TestResult:
    """The same test for decisions on several categories: whole documents (rows of yes/no tables) are drawn, never pairs.

    The decisions on one document hang together, so that drawing (document, category) pairs would find differences that are
    not there.
    """
    if measure not in MEASURES:
        raise ParameterError(f"measure must be one of {', '.join(MEASURES)}, and was {measure!r}.")
    a, b, n = paired(first, second, "marks", tables=True)
    y = yes_no_of(truth, "The truth")
    if a.ndim != 2 or a.shape != y.shape:
        raise DataError(
            f"The predictions have the shapes {a.shape} and {b.shape} and the truth {y.shape}: give three tables alike, "
            "a row per document and a column per category."
        )
    rng = checked(replicates, level, random_state)
    tables = Tables.of(y, [a, b])
    one, other = (getattr(found, measure) for found in tables.as_they_are())
    drawn = np.concatenate(
        [getattr(x, measure) - getattr(z, measure) for x, z in tables.drawn(replicates, rng)]
    )
    return percentile(
        f"bootstrap of {measure}", one - other, drawn, level, n, int((a != b).any(axis=1).sum())
    )


MEASURES: tuple[str, ...] = get_args(Measure)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Decisions of several systems on the same documents, as patterns (what a document is, what each said) and how often each
    occurs: a bootstrap sample is one draw of the numbers of the patterns.
    """

    truth: NDArray[np.bool_]  # patterns x categories
    said: tuple[NDArray[np.bool_], ...]  # per system, patterns x categories
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, truth: NDArray[np.bool_], said: Sequence[NDArray[np.bool_]]) -> Tables:
        """Equal documents on which all systems say the same are one pattern."""
        joined = np.concatenate([truth, *said], axis=1)
        packed = np.packbits(joined, axis=1)
        _, where, counts = np.unique(packed, axis=0, return_index=True, return_counts=True)
        parts = np.split(joined[where], 1 + len(said), axis=1)
        return cls(parts[0], tuple(parts[1:]), counts.astype(np.int64))

    def as_they_are(self) -> list[Decisions]:
        """The decisions of each system on the documents themselves."""
        return self._counted(self.counts)

    def drawn(self, replicates: int, rng: np.random.Generator) -> Iterator[list[Decisions]]:
        """The decisions of each system on samples of the documents, many samples at a time."""
        n = int(self.counts.sum())
        step = max(1, CHUNK_VALUES // self.counts.size)
        for start in range(0, replicates, step):
            yield self._counted(
                rng.multinomial(n, self.counts / n, size=min(step, replicates - start))
            )

    def _counted(self, weights: NDArray[np.int64]) -> list[Decisions]:
        real = weights.astype(np.float64)
        names = tuple(range(self.truth.shape[1]))
        positive = real @ self.truth
        of_all = weights.sum(axis=-1)[..., None].astype(np.float64)
        found = []
        for said in self.said:
            tp = real @ (said & self.truth)
            taken = real @ said
            found.append(
                Decisions(names, tp, taken - tp, positive - tp, of_all - taken - positive + tp)
            )
        return found


def _difference(measure: Callable[..., float], a: Any, b: Any, truth: Any) -> float:
    if truth is None:
        return float(measure(a)) - float(measure(b))
    return float(measure(a, truth)) - float(measure(b, truth))


def _bootstrap_means(
    gaps: Floats, replicates: int, rng: np.random.Generator
) -> tuple[float, Floats]:
    step = max(1, CHUNK_VALUES // gaps.size)
    sizes = [min(step, replicates - start) for start in range(0, replicates, step)]
    drawn = [
        gaps[rng.integers(0, gaps.size, size=(size, gaps.size))].mean(axis=1) for size in sizes
    ]
    return float(gaps.mean()), np.concatenate(drawn)


def count_difference(counts: NDArray[Any], measure: str) -> Floats:
    """Error or F1 of first minus second; a column of `counts` is 4 truth + 2 first + second."""
    code = np.arange(8)
    y = (code >> 2) & 1
    values = []
    for bit in (1, 0):
        said = (code >> bit) & 1
        wrong = counts @ (said != y)
        hits = counts @ (said & y)
        if measure == "error":
            values.append(wrong / counts.sum(axis=1))
        else:
            values.append(
                np.divide(2 * hits, 2 * hits + wrong, out=np.zeros(len(counts)), where=hits > 0)
            )
    return np.asarray(values[0] - values[1], dtype=np.float64)


def percentile(
    test: str, observed: float, drawn: Floats, level: float, n: int, discordant: int
) -> TestResult:
    """The test from the drawn differences: a two-sided p and the middle `level` of them."""
    usable = drawn[~np.isnan(drawn)]
    if not usable.size or np.isnan(observed):
        raise DataError(
            "The measure is undefined (NaN) on these examples, so its difference cannot be tested."
        )
    lower, upper = np.quantile(usable, [(1 - level) / 2, (1 + level) / 2])
    tail = min(int(np.sum(usable <= 0)), int(np.sum(usable >= 0)))
    p = min(1.0, 2 * (tail + 1) / (usable.size + 1))
    caution = caution_for(n, discordant)
    if usable.size < drawn.size:
        lost = drawn.size - usable.size
        caution = f"The measure was undefined on {lost} of {drawn.size} samples. {caution}".strip()
    return TestResult(
        test,
        observed,
        p,
        n,
        lower=float(lower),
        upper=float(upper),
        discordant=discordant,
        caution=caution,
        unreliable=is_unreliable(n, discordant),
    )

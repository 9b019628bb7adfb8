"""Judging lexical substitution: accuracy and average precision, the bounds of a file, the level of chance, and differences.

Accuracy is the share of places whose best-scored candidate is acceptable, average precision is that of all candidates of all
places as one list, as in Keller 2006, section 5.2.3. Equal scores count by their expected value. Places of one sentence hang
together, so that tests draw and flip whole sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError, ParameterError
from coterie.core.given import numbers_of
from coterie.judge.bootstraps import percentile
from coterie.judge.labels import Floats, Ints
from coterie.judge.rankings import worst_average_precision
from coterie.judge.significance import permutation_test
from coterie.judge.verdicts import RandomState, TestResult, checked
from coterie.parts.tied import TieBlocks, tie_blocks
from coterie_papers.substitution.places import Substitutions


@dataclass(frozen=True, slots=True, eq=False)
class SubstitutionScores:
    """How good a scorer is; `right` is the (expected) rightness of every place, `ap` its average precision.

    `mean_ap` is over the places that have acceptable and other candidates; `ap` is NaN at the rest.
    """

    accuracy: float
    average_precision: float
    mean_ap: float
    right: Floats
    ap: Floats


@dataclass(frozen=True, slots=True)
class SubstitutionBounds:
    """What any scorer must reach and cannot pass on a file: `none` and `all` are the shares of places where no candidate, and
    every candidate, is acceptable, so that accuracy lies in [all, 1 - none]; `worst_ap` is that of the worst order.
    """

    places: int
    candidates: int
    acceptable: float
    none: float
    all: float
    worst_ap: float

    @property
    def accuracy(self) -> tuple[float, float]:
        """The least and the largest accuracy there can be."""
        return self.all, 1.0 - self.none


@dataclass(frozen=True, slots=True)
class ChanceLevel:
    """Accuracy and average precision of random scores: their means, and the values that only 5 % (say) of draws pass."""

    accuracy: float
    accuracy_level: float
    average_precision: float
    average_precision_level: float
    draws: int


def judge_substitutions(examples: Substitutions, scores: ArrayLike) -> SubstitutionScores:
    """Accuracy and average precision of the scores of all candidates (more is better)."""
    labels, starts = _labeled(examples)
    values = _checked_scores(scores, len(labels))
    best = np.maximum.reduceat(values, starts)
    top = values == best[examples.owners]
    right = np.add.reduceat((labels & top).astype(np.float64), starts) / np.add.reduceat(
        top.astype(np.float64), starts
    )
    ap = np.full(len(starts), np.nan)
    ends = np.append(starts[1:], len(labels))
    sizes = np.add.reduceat(labels.astype(np.int64), starts)
    for place in np.flatnonzero((sizes > 0) & (sizes < ends - starts)):
        part = slice(starts[place], ends[place])
        ap[place] = tie_blocks(values[part], labels[part]).average_precision()
    mixed = ap[~np.isnan(ap)]
    whole = tie_blocks(values, labels).average_precision()
    return SubstitutionScores(
        float(right.mean()), whole, float(mixed.mean()) if len(mixed) else float("nan"), right, ap
    )


def substitution_bounds(examples: Substitutions) -> SubstitutionBounds:
    """The bounds of accuracy and average precision on these examples; to be reported with every result."""
    labels, starts = _labeled(examples)
    share = np.add.reduceat(labels.astype(np.float64), starts) / np.diff(
        np.append(starts, len(labels))
    )
    return SubstitutionBounds(
        len(starts),
        len(labels),
        float(labels.mean()),
        float((share == 0).mean()),
        float((share == 1).mean()),
        worst_average_precision(len(labels), int(labels.sum())) if labels.any() else float("nan"),
    )


def chance_substitutions(
    examples: Substitutions,
    *,
    draws: int = 1000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> ChanceLevel:
    """Random scores, drawn so often: their mean accuracy and average precision, and the quantiles at `level`."""
    labels, starts = _labeled(examples)
    rng = checked(draws, level, random_state)
    sizes = np.diff(np.append(starts, len(labels)))
    n = len(labels)
    relevant = int(labels.sum())
    found = np.empty((draws, 2))
    for draw in range(draws):
        picked = starts + (rng.random(len(starts)) * sizes).astype(np.int64)
        ranks = np.sort(rng.permutation(n)[:relevant]) + 1
        precision = float(np.mean(np.arange(1, relevant + 1) / ranks)) if relevant else float("nan")
        found[draw] = labels[picked].mean(), precision
    means = found.mean(axis=0)
    levels = np.quantile(found, level, axis=0)
    return ChanceLevel(float(means[0]), float(levels[0]), float(means[1]), float(levels[1]), draws)


def compare_substitutions(
    examples: Substitutions,
    systems: Mapping[str, ArrayLike],
    *,
    replicates: int = 2000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> dict[tuple[str, str], tuple[TestResult, TestResult]]:
    """Of every two scorers: the bootstrap over sentences of average precision, and the permutation test of accuracy.

    All pairs are judged on the same samples. The permutation flips whole sentences; its difference is given per place.
    """
    if len(systems) < 2:
        raise ParameterError(
            f"compare_substitutions needs two scorers or more, and was given {len(systems)}."
        )
    labels, _ = _labeled(examples)
    values = {name: _checked_scores(scores, len(labels)) for name, scores in systems.items()}
    rng = checked(replicates, level, random_state)
    _, sentence = np.unique(examples.sentence, return_inverse=True)
    n = int(sentence.max()) + 1
    drawn = _drawn_precisions(values, labels, sentence[examples.owners], n, replicates, rng)
    judged = {name: judge_substitutions(examples, scores) for name, scores in values.items()}
    found = {}
    for one, other in combinations(values, 2):
        gap = judged[one].average_precision - judged[other].average_precision
        differ = int(
            (
                np.bincount(sentence[examples.owners], values[one] != values[other], minlength=n)
                > 0
            ).sum()
        )
        ap = percentile(
            "bootstrap over sentences", gap, drawn[one] - drawn[other], level, n, differ
        )
        by_sentence = [
            np.bincount(sentence, judged[name].right, minlength=n) * n / len(sentence)
            for name in (one, other)
        ]
        right = permutation_test(
            by_sentence[0], by_sentence[1], replicates=replicates, random_state=rng
        )
        found[one, other] = (ap, right)
    return found


def _drawn_precisions(
    systems: Mapping[str, Floats],
    labels: np.ndarray,
    groups: Ints,
    n: int,
    replicates: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """The average precision of every scorer on samples of sentences; a sentence drawn twice counts twice."""
    codes = {name: np.unique(-scores, return_inverse=True)[1] for name, scores in systems.items()}
    drawn = {name: np.empty(replicates) for name in systems}
    for draw in range(replicates):
        weight = rng.multinomial(n, np.full(n, 1.0 / n))[groups]
        for name, code in codes.items():
            drawn[name][draw] = _weighted(code, weight, labels)
    return drawn


def _weighted(code: Ints, weight: Ints, labels: np.ndarray) -> float:
    """Average precision where candidate i is there `weight[i]` times and 0, 1, ... are the blocks of equal scores."""
    size = np.bincount(code, weight).astype(np.int64)
    relevant = np.bincount(code[labels], weight[labels], minlength=len(size)).astype(np.int64)
    before = np.cumsum(size) - size
    found = np.cumsum(relevant) - relevant
    held = relevant > 0
    return TieBlocks(
        size[held], relevant[held], before[held], found[held], int(size.sum())
    ).average_precision()


def _labeled(examples: Substitutions) -> tuple[np.ndarray, Ints]:
    """The labels, and where the candidates of every place begin."""
    if examples.labels is None:
        raise DataError(
            "These substitutions have no labels, so that nothing can be judged; give a column 'label'."
        )
    return examples.labels, np.searchsorted(examples.owners, np.arange(examples.n_places))


def _checked_scores(scores: ArrayLike, n: int) -> Floats:
    values = numbers_of(scores, "The scores of candidates")
    if values.shape != (n,):
        raise DataError(f"There are {n} candidates and scores of shape {values.shape}.")
    if np.isnan(values).any():
        raise DataError(
            f"The score of candidate {int(np.flatnonzero(np.isnan(values))[0])} is NaN."
        )
    return values

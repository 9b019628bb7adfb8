"""Measures of an affinity against the truth or another affinity: neighbors, ROC, separation, agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from coterie.core.errors import DataError, ParameterError
from coterie.judge.blocks import AffinityLike, Missing, check_affinity, query_rows, score_rows
from coterie.judge.curves import Curve, mean_curve
from coterie.judge.labels import Floats, Labels, code_truth
from coterie.judge.rankings import as_list

FALSE = "false positive rate"
TRUE = "true positive rate"
Marks = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class ClassROC:
    """Per class the mean ROC curve of its queries and their mean AUC; `skipped` queries lack one side."""

    curves: dict[Any, Curve]
    auc: dict[Any, float]
    auc_per_query: Floats
    mean_auc: float
    skipped: int


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """How far pairs of one class stand from pairs of two classes; positive `gap` and `d_prime` are good
    for both kinds.

    `gap` is the difference of the two means, `d_prime` the same over the pooled standard deviation.
    `class_means` holds the mean affinity of every two classes (NaN where there is no pair), in the order of
    `classes`.
    """

    within_mean: float
    within_sd: float
    between_mean: float
    between_sd: float
    gap: float
    d_prime: float
    classes: tuple[Any, ...]
    class_means: Floats
    pairs: int
    missing: int


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How alike two affinities are: correlations over pairs of members, and the share of common nearest
    neighbors.
    """

    pearson: float
    spearman: float
    neighbor_overlap: float
    pairs: int


def auc(scores: ArrayLike, relevant: ArrayLike, *, missing: Missing = "error") -> float:
    """P(relevant above irrelevant) + P(equal) / 2; NaN when one side is empty."""
    return _auc(*as_list(scores, relevant, missing))


def roc(
    scores: ArrayLike, relevant: ArrayLike, *, name: str = "ROC", missing: Missing = "error"
) -> Curve:
    """The ROC curve of one list; tied members make a straight slope, never an order."""
    values, marks = as_list(scores, relevant, missing)
    if not marks.any() or marks.all():
        raise DataError("A ROC curve needs at least one relevant and one irrelevant member.")
    return Curve(name, *_roc_points(values, marks), FALSE, TRUE)


def class_rocs(
    affinity: AffinityLike,
    truth: Labels,
    *,
    member_truth: Labels | None = None,
    points: int = 101,
    missing: Missing = "error",
) -> ClassROC:
    """A ROC curve per query, averaged per class as the mean true positive rate at fixed false positive
    rates.
    """
    if points < 2:
        raise ParameterError(f"points must be at least 2, and was {points}.")
    grid = np.linspace(0.0, 1.0, points)
    coded, rows = query_rows(affinity, truth, member_truth, missing)
    lines: dict[int, list[Floats]] = {}
    areas = np.full(coded.codes.size, np.nan)
    for query, scores, relevant in rows:
        if relevant.any() and not relevant.all():
            line = Curve("", *_roc_points(scores, relevant), FALSE, TRUE).at(grid)
            lines.setdefault(int(coded.codes[query]), []).append(line)
            areas[query] = _auc(scores, relevant)
    if not lines:
        raise DataError(
            "No query has both a member of its class and one of another: there is no ROC curve."
        )
    curves = {
        coded.names[c]: mean_curve(str(coded.names[c]), grid, lines[c], FALSE, TRUE)
        for c in sorted(lines)
    }
    means = {coded.names[c]: float(np.nanmean(areas[coded.codes == c])) for c in sorted(lines)}
    skipped = int((np.isnan(areas) & (coded.codes >= 0)).sum())
    return ClassROC(curves, means, areas, float(np.nanmean(areas)), skipped)


def neighbor_accuracy(
    affinity: AffinityLike, truth: Labels, k: int = 1, *, missing: Missing = "error"
) -> float:
    """Share of members whose k nearest others vote for their class.

    Members tied at the border share the votes that are left; classes with equal votes share the win. A
    member that is alone in its class counts as an error.
    """
    coded = code_truth(truth)
    _, rows = query_rows(affinity, truth, None, missing)
    known = coded.codes[coded.codes >= 0]
    if known.size < 2:
        raise DataError("At least two members of known truth are needed to have neighbors.")
    if not 1 <= k < known.size:
        raise ParameterError(
            f"k must be from 1 to {known.size - 1}, the number of other members, and was {k}."
        )
    place = np.cumsum(coded.codes >= 0) - 1
    right = 0.0
    for query, scores, _ in rows:
        others = np.delete(known, place[query])
        votes = np.bincount(others, weights=top_weights(scores, k), minlength=len(coded.names))
        winners = votes >= votes.max() - 1e-9
        right += float(winners[coded.codes[query]]) / float(winners.sum())
    return right / known.size


def separation(affinity: AffinityLike, truth: Labels) -> Separation:
    """Mean and spread of the affinity inside classes and between them; missing pairs (NaN) are left out
    and counted.
    """
    coded = code_truth(truth)
    check_affinity(affinity, square=True, members=coded.codes.size)
    k = len(coded.names)
    counts = np.zeros((k, k))
    sums = np.zeros((k, k))
    totals = np.zeros((2, 3))  # between, within: count, sum, sum of squares around a fixed value
    center: float | None = None
    lost = 0
    sign = -1.0 if affinity.kind == "distance" else 1.0
    for row, scores in score_rows(affinity):
        own = int(coded.codes[row])
        use = coded.codes >= 0
        use[row] = False
        if own < 0:
            continue
        lost += int(np.isnan(scores[use]).sum())
        if np.isinf(scores[use]).any():
            raise DataError(
                f"Member {row} has an infinite affinity, so that means are undefined; give finite values."
            )
        use &= ~np.isnan(scores)
        values = scores[use]
        classes = coded.codes[use]
        center = float(values[0]) if center is None and values.size else center
        counts[own] += np.bincount(classes, minlength=k)
        sums[own] += np.bincount(classes, weights=values, minlength=k)
        for side in (0, 1):
            part = values[(classes == own) == bool(side)] - (center or 0.0)
            totals[side] += part.size, part.sum(), np.square(part).sum()
    if (totals[:, 0] == 0).any():
        raise DataError(
            "Separation needs pairs of members inside a class and pairs across classes."
        )
    means = totals[:, 1] / totals[:, 0]
    spread = np.sqrt(np.maximum(totals[:, 2] / totals[:, 0] - means**2, 0.0))
    gap = float(means[1] - means[0])
    pooled = float(np.sqrt(np.mean(spread**2)))
    between, within = sign * (means + (center or 0.0))
    table = sign * np.divide(sums, counts, out=np.full((k, k), np.nan), where=counts > 0)
    d_prime = gap / pooled if pooled else (0.0 if gap == 0 else float(np.copysign(np.inf, gap)))
    pairs = int(totals[:, 0].sum())
    return Separation(
        float(within),
        float(spread[1]),
        float(between),
        float(spread[0]),
        gap,
        d_prime,
        coded.names,
        table,
        pairs,
        lost,
    )


def agreement(
    first: AffinityLike,
    second: AffinityLike,
    *,
    k: int = 10,
    pairs: int = 1_000_000,
    random_state: int | None = 0,
) -> Agreement:
    """Compare two affinities of the same members; a distance is turned so that more is nearer in both.

    Correlations use all pairs of members, or a fixed random set of about `pairs` of them when there are
    more; Pearson's is NaN when a value is infinite. The neighbor overlap is the mean share of the k nearest
    that both name, members tied at the border counted in part.
    """
    for affinity in (first, second):
        check_affinity(affinity, square=True)
    n = first.shape[0]
    if second.shape[0] != n:
        raise DataError(
            f"The first affinity has {n} members and the second {second.shape[0]}: they must be the same."
        )
    if n < 3:
        raise DataError(f"Agreement needs at least 3 members, and there are {n}.")
    if not 1 <= k < n:
        raise ParameterError(
            f"k must be from 1 to {n - 1}, the number of other members, and was {k}."
        )
    rng = np.random.default_rng(random_state)
    share = max(1, pairs // n)
    lists: tuple[list[Floats], list[Floats]] = ([], [])
    common = 0.0
    for (row, a), (_, b) in zip(score_rows(first), score_rows(second), strict=True):
        a = np.delete(a, row)
        b = np.delete(b, row)
        if np.isnan(a).any() or np.isnan(b).any():
            raise DataError(
                f"The affinities of member {row} hold NaN; fill or drop it before comparing."
            )
        common += float(np.minimum(top_weights(a, k), top_weights(b, k)).sum()) / k
        chosen = (
            slice(row, None)
            if n * (n - 1) // 2 <= pairs
            else rng.choice(n - 1, size=min(share, n - 1), replace=False)
        )
        lists[0].append(a[chosen])
        lists[1].append(b[chosen])
    x = np.concatenate(lists[0])
    y = np.concatenate(lists[1])
    return Agreement(
        _correlation(x, y), _correlation(rankdata(x), rankdata(y)), common / n, int(x.size)
    )


def top_weights(scores: Floats, k: int) -> Floats:
    """The chance of each member to be among the k best when ties fall at random; NaN ranks last."""
    values = np.where(np.isnan(scores), -np.inf, scores)
    border = np.partition(values, values.size - k)[values.size - k]
    above = values > border
    level = values == border
    return np.asarray(above + level * ((k - above.sum()) / level.sum()), dtype=np.float64)


def _auc(scores: Floats, relevant: Marks) -> float:
    values = _worst_last(scores)
    good = values[relevant]
    bad = np.sort(values[~relevant])
    if not good.size or not bad.size:
        return float("nan")
    wins = np.searchsorted(bad, good, "left") + np.searchsorted(bad, good, "right")
    return float(wins.sum()) / (2.0 * good.size * bad.size)


def _roc_points(scores: Floats, relevant: Marks) -> tuple[Floats, Floats]:
    values = _worst_last(scores)
    order = np.argsort(-values, kind="stable")
    listed = values[order]
    ends = np.append(np.flatnonzero(listed[1:] != listed[:-1]), values.size - 1)
    hits = np.cumsum(relevant[order])[ends]
    misses = ends + 1 - hits
    return np.append(0.0, misses / misses[-1]), np.append(0.0, hits / hits[-1])


def _worst_last(scores: Floats) -> Floats:
    """The scores, or their dense ranks where some are missing, so that these stand behind everything."""
    absent = np.isnan(scores)
    if not absent.any():
        return scores
    ranks = np.zeros(scores.size)
    ranks[~absent] = np.unique(scores[~absent], return_inverse=True)[1] + 1.0
    return ranks


def _correlation(x: Floats, y: Floats) -> float:
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return float("nan")
    x = x - x.mean()
    y = y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(np.clip((x @ y) / scale, -1.0, 1.0)) if scale else float("nan")

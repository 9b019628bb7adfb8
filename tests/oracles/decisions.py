"""Decisions, thresholds and Expected Performance Curves by trying one threshold after another."""

from __future__ import annotations

from itertools import pairwise


def counts(said, truth):
    tp = sum(s and t for s, t in zip(said, truth, strict=True))
    fp = sum(s and not t for s, t in zip(said, truth, strict=True))
    fn = sum(t and not s for s, t in zip(said, truth, strict=True))
    return tp, fp, fn, len(truth) - tp - fp - fn


def thresholds(scores):
    """Infinity, midpoints of neighboring distinct scores in falling order, minus infinity."""
    values = sorted(set(scores), reverse=True)
    return [float("inf"), *((a + b) / 2 for a, b in pairwise(values)), float("-inf")]


def at(scores, truth, threshold):
    return counts([s > threshold for s in scores], truth)


def rates(scores, truth, threshold, kind):
    """The two rates of a trade-off at one threshold; None for a precision of nothing."""
    tp, fp, fn, tn = at(scores, truth, threshold)
    if kind == "far-frr":
        return fp / (fp + tn), fn / (fn + tp)
    if kind == "tpr-tnr":
        return tp / (tp + fn), tn / (fp + tn)
    return (tp / (tp + fp) if tp + fp else None), tp / (tp + fn)


def chosen(scores, truth, alpha, kind, criterion):
    """The threshold of the smallest criterion, the middle one of the first run of equally good ones."""
    costs = []
    for threshold in thresholds(scores):
        one, other = rates(scores, truth, threshold, kind)
        if one is None:
            costs.append(float("inf"))
        elif criterion == "weighted":
            sign = 1 if kind == "far-frr" else -1
            costs.append(sign * (alpha * one + (1 - alpha) * other))
        else:
            costs.append(abs(alpha - (one if criterion == "first" else other)))
    best = min(costs)
    first = next(i for i, c in enumerate(costs) if c <= best + 1e-12)
    last = first
    while last + 1 < len(costs) and costs[last + 1] <= best + 1e-12:
        last += 1
    return thresholds(scores)[(first + last) // 2]


def eleven_point(hits, total):
    """Of one order: the mean over recall levels of the largest precision at that recall or more."""
    precision = [sum(hits[: i + 1]) / (i + 1) for i in range(len(hits))]
    recall = [sum(hits[: i + 1]) / total for i in range(len(hits))]
    values = []
    for level in range(11):
        able = [p for p, r in zip(precision, recall, strict=True) if 10 * r >= level - 1e-9]
        values.append(max(able, default=0.0))
    return sum(values) / 11

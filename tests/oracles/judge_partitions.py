"""Partition measures by loops over members, pairs and permutations: slow and obvious."""

from __future__ import annotations

from itertools import combinations, permutations
from math import log


def alone(labels):
    """Unassigned members (-1) as groups of one."""
    return [("alone", i) if label == -1 else label for i, label in enumerate(labels)]


def pair_counts(labels, truth):
    labels = alone(labels)
    both = only_labels = only_truth = neither = 0
    for i, j in combinations(range(len(labels)), 2):
        a = labels[i] == labels[j]
        b = truth[i] == truth[j]
        both += a and b
        only_labels += a and not b
        only_truth += b and not a
        neither += not a and not b
    return both, only_labels, only_truth, neither


def rand(labels, truth):
    both, a, b, neither = pair_counts(labels, truth)
    total = both + a + b + neither
    return (both + neither) / total if total else 1.0


def adjusted_rand(labels, truth):
    tp, fp, fn, tn = pair_counts(labels, truth)
    if fp == 0 and fn == 0:
        return 1.0
    return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


def adjusted_purity(labels, truth, singleton):
    total = 0.0
    for cluster in set(labels) - {-1}:
        members = [i for i, label in enumerate(labels) if label == cluster]
        pairs = list(combinations(members, 2))
        share = sum(truth[i] == truth[j] for i, j in pairs) / len(pairs) if pairs else singleton
        total += len(members) * share
    return total / len(labels)


def bcubed(labels, truth):
    labels = alone(labels)
    n = len(labels)
    precision = recall = 0.0
    for i in range(n):
        mine = {j for j in range(n) if labels[j] == labels[i]}
        true = {j for j in range(n) if truth[j] == truth[i]}
        precision += len(mine & true) / len(mine) / n
        recall += len(mine & true) / len(true) / n
    return precision, recall


def entropies(labels, truth):
    """H(C), H(K), H(C, K) from relative frequencies."""
    labels = alone(labels)
    n = len(labels)

    def entropy(values):
        return -sum(values.count(v) / n * log(values.count(v) / n) for v in set(values))

    return (
        entropy(list(labels)),
        entropy(list(truth)),
        entropy(list(zip(labels, truth, strict=True))),
    )


def accuracies(labels, truth):
    """Micro and macro accuracy."""
    clusters = sorted(set(labels) - {-1}, key=str)
    tops = 0
    shares = []
    for cluster in clusters:
        inside = [truth[i] for i, label in enumerate(labels) if label == cluster]
        top = max(inside.count(t) for t in set(inside))
        tops += top
        shares.append(top / len(inside))
    return tops / len(labels), (sum(shares) / len(shares) if shares else 0.0)


def clustering_error(labels, truth):
    clusters = sorted(set(labels) - {-1}, key=str)
    classes = sorted(set(truth), key=str)
    classes = classes + [object() for _ in range(len(clusters) - len(classes))]
    best = 0
    for chosen in permutations(classes, len(clusters)):
        named = dict(zip(clusters, chosen, strict=True))
        best = max(
            best,
            sum(label != -1 and named[label] == t for label, t in zip(labels, truth, strict=True)),
        )
    return 1 - best / len(labels)


def well_balanced(labels, truth):
    """Some choice among tied dominant classes makes every class dominant in exactly one cluster."""
    clusters = sorted(set(labels) - {-1}, key=str)
    classes = sorted(set(truth), key=str)
    if len(clusters) != len(classes):
        return False
    tops = []
    for cluster in clusters:
        inside = [truth[i] for i, label in enumerate(labels) if label == cluster]
        most = max(inside.count(t) for t in set(inside))
        tops.append({t for t in inside if inside.count(t) == most})
    return any(
        all(t in top for t, top in zip(order, tops, strict=True)) for order in permutations(classes)
    )


def dunn(labels, d, between, within):
    groups = [
        [i for i, label in enumerate(labels) if label == g] for g in sorted(set(labels) - {-1})
    ]

    def medoid(group):
        return min(group, key=lambda i: (sum(d[i][j] for j in group), i))

    def apart(a, b):
        values = [d[i][j] for i in a for j in b]
        if between == "medoid":
            return d[medoid(a)][medoid(b)]
        return min(values) if between == "min" else sum(values) / len(values)

    def inside(group):
        values = [d[i][j] for i, j in combinations(group, 2)] or [0.0]
        return max(values) if within == "max" else sum(values) / len(values)

    widest = max(inside(g) for g in groups)
    nearest = min(apart(a, b) for a, b in combinations(groups, 2))
    return nearest / widest if widest else float("inf")

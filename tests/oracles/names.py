"""Coherence, diversity and intruders of key terms by counting, and class-based TF-IDF term by term."""

from __future__ import annotations

import math
from collections.abc import Sequence

Documents = Sequence[Sequence[str]]


def holds(document: Sequence[str], term: str) -> bool:
    """Whether a document holds the words of a term in a row."""
    words = term.split(" ")
    return any(list(document[at : at + len(words)]) == words for at in range(len(document)))


def npmi(documents: Documents, one: str, other: str) -> float:
    """ln(p(a, b) / (p(a) p(b))) / -ln p(a, b)."""
    n = len(documents)
    first = sum(holds(document, one) for document in documents)
    second = sum(holds(document, other) for document in documents)
    both = sum(holds(document, one) and holds(document, other) for document in documents)
    if not both:
        return -1.0
    if both == n:
        return 0.0
    return math.log(both / n / (first / n * second / n)) / -math.log(both / n)


def coherence(documents: Documents, lists: Sequence[Sequence[str]]) -> float:
    """The mean over groups of the mean over pairs."""
    means = []
    for terms in lists:
        pairs = [npmi(documents, a, b) for i, a in enumerate(terms) for b in terms[:i]]
        means.append(sum(pairs) / len(pairs))
    return sum(means) / len(means)


def diversity(lists: Sequence[Sequence[str]]) -> float:
    """Distinct words over words."""
    words = [word for terms in lists for word in " ".join(terms).split(" ")]
    return len(set(words)) / len(words)


def intruders(documents: Documents, lists: Sequence[Sequence[str]], shown: int) -> float:
    """The share of intruders that are the term with the lowest mean NPMI; a tie counts for its part."""
    found = []
    for here, own in enumerate(lists):
        for there, other in enumerate(lists):
            for term in other[:shown] if here != there else ():
                if term in own:
                    continue
                terms = [*own[:shown], term]
                means = [
                    sum(npmi(documents, a, b) for j, b in enumerate(terms) if i != j) / shown
                    for i, a in enumerate(terms)
                ]
                lowest = [i for i, mean in enumerate(means) if mean <= min(means) + 1e-12]
                found.append((shown in lowest) / len(lowest))
    return sum(found) / len(found)


def class_tfidf(documents: Documents, labels: Sequence[int], group: int, term: str) -> float:
    """tf(t, c) ln(1 + A / f(t))."""
    tf = sum(
        list(document).count(term)
        for document, label in zip(documents, labels, strict=True)
        if label == group
    )
    total = sum(list(document).count(term) for document in documents)
    mean_words = sum(map(len, documents)) / len(set(labels))
    return tf * math.log(1 + mean_words / total)

"""Lexical substitution the slow way: Bayes by walking through all sentences, windows and information by loops, lists repeated."""

from __future__ import annotations

import math

import numpy as np


def bayes(sentences, n_words, context, candidate, alpha):
    """The log-odds of a candidate (None for a word outside) in a context of columns, by the formulas as they are written."""
    mass = alpha * n_words
    everything = [word for sentence in sentences for word in sentence]
    having = [sentence for sentence in sentences if candidate in sentence]
    lacking = [sentence for sentence in sentences if candidate not in sentence]
    odds = math.log(len(having) + alpha) - math.log(len(lacking) + alpha)
    with_it = [word for sentence in having for word in sentence]
    without = [word for sentence in lacking for word in sentence]
    for word in context:
        law = everything.count(word) / len(everything)
        if not law:
            continue
        odds += math.log((with_it.count(word) + mass * law) / (len(with_it) + mass))
        odds -= math.log((without.count(word) + mass * law) / (len(without) + mass))
    return odds


def beside(sentences, n_words, width):
    """Words x (before, after) by two loops."""
    found = np.zeros((n_words, 2 * n_words))
    for sentence in sentences:
        for i, word in enumerate(sentence):
            for j, other in enumerate(sentence):
                if i != j and abs(i - j) <= width and word >= 0 and other >= 0:
                    found[word, other + (n_words if j > i else 0)] += 1
    return found


def positive_information(counts, smoothing):
    """max(0, ln P(r, c) / (P(r) Q(c))) cell by cell."""
    total = counts.sum()
    law = np.array([c**smoothing if c else 0.0 for c in counts.sum(axis=0)])
    out = np.zeros_like(counts)
    for r in range(counts.shape[0]):
        for c in range(counts.shape[1]):
            if counts[r, c]:
                out[r, c] = max(
                    0.0,
                    math.log(
                        (counts[r, c] / total) / (counts[r].sum() / total * law[c] / law.sum())
                    ),
                )
    return out


def log_likelihood_ratio(pairs, first, second):
    """Dunning's G from the list of neighboring pairs itself."""
    n = len(pairs)
    cells = np.zeros((2, 2))
    for one, other in pairs:
        cells[int(one != first), int(other != second)] += 1
    found = 0.0
    for i in range(2):
        for j in range(2):
            if cells[i, j]:
                found += (
                    2
                    * cells[i, j]
                    * math.log(cells[i, j] * n / (cells[i].sum() * cells[:, j].sum()))
                )
    return found

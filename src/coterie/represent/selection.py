"""Which terms tell classes apart: chi-square, information gain and pointwise mutual information from counts of documents."""

from __future__ import annotations

from typing import Any

import numpy as np

SCORES = ("chi2", "gain", "pmi")


def term_scores(counts: Any, labels: np.ndarray, score: str, pool: str) -> np.ndarray:
    """One number per term; over several classes the largest ("max") or the mean weighted by class size ("mean").

    For a term and a class: A documents of the class have the term, B outside have it, C of the class lack it, D neither.
    """
    import scipy.sparse as sp

    present = sp.csr_array(counts, copy=True)
    present.data = (present.data > 0).astype(np.float64)
    _, place = np.unique(labels, return_inverse=True)
    n = len(place)
    n_classes = int(place.max()) + 1
    member = sp.csr_array((np.ones(n), (place, np.arange(n))), shape=(n_classes, n))
    inside = np.asarray((member @ present).toarray())
    frequency = np.asarray(present.sum(axis=0)).ravel()
    size = np.bincount(place, minlength=n_classes).astype(np.float64)[:, None]
    a = inside
    b = frequency[None, :] - inside
    c = size - a
    d = n - size - b
    by_class = {"chi2": chi2, "gain": gain, "pmi": pmi}[score](a, b, c, d)
    return np.asarray(by_class.max(axis=0) if pool == "max" else (size / n * by_class).sum(axis=0))


def chi2(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """N (AD - BC)^2 / ((A+C)(B+D)(A+B)(C+D)); zero where a margin is empty."""
    below = (a + c) * (b + d) * (a + b) * (c + d)
    above = (a + b + c + d) * np.square(a * d - b * c)
    return np.divide(above, below, out=np.zeros_like(below), where=below > 0)


def pmi(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """ln(A N / ((A+C)(A+B))); minus infinity where the term never meets the class is put at the floor A = 1/2."""
    total = a + b + c + d
    below = (a + c) * (a + b)
    ratio = np.divide(np.maximum(a, 0.5) * total, below, out=np.ones_like(below), where=below > 0)
    return np.log(ratio)


def gain(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Mutual information in nats between having the term and being of the class."""
    total = a + b + c + d
    found = np.zeros_like(total)
    for cell, row, column in (
        (a, a + b, a + c),
        (b, a + b, b + d),
        (c, c + d, a + c),
        (d, c + d, b + d),
    ):
        ratio = np.divide(cell * total, row * column, out=np.ones_like(total), where=cell > 0)
        found += cell / total * np.log(ratio)
    return np.maximum(found, 0.0)

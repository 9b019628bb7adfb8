"""PLSA beside numpy and scikit-learn's NMF (Kullback-Leibler, multiplicative: the same updates), per step, in the same run.

    python benchmarks/speed/topics.py [documents] [words] [topics]

Prints CPU seconds of one thread per step and how far what comes out is from ours; each form in a process of its own, in turns,
as what one leaves of the memory of a process decides how often another one waits for pages. Two forms of numpy: the usual one,
which holds P(k|w,d) for all counts at once, and one of blocks and sparse products, which never does. Ours finds the
log-likelihood in the same step, theirs do not. The counts are drawn: documents of about 120 words, words by Zipf's law, ten
topics under them.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import non_negative_factorization
from timing import timed

from coterie.core.workplace import using
from coterie.parts import plsa

BLOCK = 100_000


def drawn(documents: int, words: int, seed: int = 0) -> Any:
    """Documents x words."""
    random = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, words + 1)
    laws = common * random.gamma(0.3, size=(10, words)) + 0.2 * common
    laws /= laws.sum(axis=1, keepdims=True)
    rows = np.repeat(np.arange(documents), random.poisson(120, size=documents))
    topic = random.integers(10, size=documents)[rows]
    columns = np.empty(len(rows), dtype=np.int64)
    for k in range(10):
        columns[topic == k] = random.choice(words, size=(topic == k).sum(), p=laws[k])
    counts = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(documents, words))
    counts.sum_duplicates()
    return counts


def usual(counts: Any, shares: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P(k|w,d) of all counts at once."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    law = shares[rows] * words[counts.indices]
    law *= (counts.data / law.sum(axis=1))[:, None]
    each = np.arange(counts.nnz + 1)
    ones = np.ones(counts.nnz)
    by_document = sp.csr_array((ones, each[:-1], counts.indptr), shape=(counts.shape[0], counts.nnz)) @ law
    by_word = sp.csr_array((ones, counts.indices, each), shape=(counts.nnz, counts.shape[1])).T @ law
    return by_document / by_document.sum(axis=1, keepdims=True), by_word / by_word.sum(axis=0)


def blocks(counts: Any, shares: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Chances in blocks of counts, then two sparse products."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    chance = np.empty(counts.nnz)
    for at in range(0, counts.nnz, BLOCK):
        some = slice(at, at + BLOCK)
        chance[some] = np.einsum("ik,ik->i", shares[rows[some]], words[counts.indices[some]])
    ratios = sp.csr_array((counts.data / chance, counts.indices, counts.indptr), shape=counts.shape)
    by_document, by_word = shares * (ratios @ words), words * (ratios.T @ shares)
    return by_document / by_document.sum(axis=1, keepdims=True), by_word / by_word.sum(axis=0)


def nmf(counts: Any, shares: np.ndarray, words: np.ndarray, steps: int) -> Any:
    """Steps of scikit-learn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it did not converge: it was not to
        return non_negative_factorization(
            counts, W=shares.copy(), H=words.T.copy(), n_components=shares.shape[1], init="custom", solver="mu",
            beta_loss="kullback-leibler", tol=0, max_iter=steps,
        )  # fmt: skip


def per_step(counts: Any, shares: np.ndarray, law: np.ndarray) -> float:
    """CPU seconds of a step of scikit-learn; what comes before the first one is not counted."""
    few, many = (timed(lambda steps=steps: nmf(sp.csr_matrix(counts), shares, law, steps), 1)[0] for steps in (1, 5))
    return (many - few) / 4


def measured(form: str, documents: int, words: int, topics: int) -> tuple[float, float]:
    """CPU seconds of a step of one form, and how far what comes out is from ours."""
    counts = drawn(documents, words)
    begun = plsa.start(counts, topics, np.random.default_rng(1))
    ready = plsa.Counts.of(counts)
    with using(n_jobs=1):
        if form == SKLEARN:
            return per_step(counts, *begun), float("nan")
        step = FORMS[form]
        spent, found = timed(lambda: step(ready if step is plsa.step else counts, *begun), 5)
        ours = plsa.step(ready, *begun)
    return spent, float(max(np.abs(a - b).max() for a, b in zip(ours[:2], found[:2], strict=True)))


FORMS: dict[str, Callable[..., Any]] = {"coterie": plsa.step, "numpy, the usual form": usual, "numpy, blocks and scipy": blocks}
SKLEARN = "scikit-learn NMF"


def main(documents: int = 8500, words: int = 15800, topics: int = 50, rounds: int = 3) -> None:
    print(
        f"{documents} documents, {words} words, {topics} topics; CPU seconds per step of one thread, medians of {rounds} rounds"
    )
    size, found = (documents, words, topics), dict[str, list[tuple[float, float]]]()
    measured("coterie", *size)  # compiled, and kept for the processes
    for _ in range(rounds):
        for form in (*FORMS, SKLEARN):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
                found.setdefault(form, []).append(alone.submit(measured, form, *size).result())
    for form, values in found.items():
        spent = statistics.median(one[0] for one in values)
        ratio = statistics.median(one[0] / own[0] for one, own in zip(values, found["coterie"], strict=True))
        print(f"{form:24s} {spent:7.3f}  {ratio:5.1f} times ours, apart {values[0][1]:.0e}")
    counts = drawn(*size[:2])
    ready, begun = plsa.Counts.of(counts), plsa.start(counts, topics, np.random.default_rng(1))
    for workers in (1, 2):
        with using(n_jobs=workers):
            print(f"wall seconds of ours with {workers} worker(s): {_wall(lambda: plsa.step(ready, *begun)):.3f}")


def _wall(work: Callable[[], object], times: int = 5) -> float:
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return min(found)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

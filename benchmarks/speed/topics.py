"""PLSA beside numpy and scikit-learn's NMF (Kullback-Leibler, multiplicative: the same updates), per step, in the same run.

    python benchmarks/speed/topics.py [documents] [words] [topics]

CPU seconds of one thread per step and how far what comes out is from ours; each form in a process of its own, in turns, as what
one leaves of the memory of a process decides how often another one waits for pages. Two forms of numpy: the usual one,
which holds P(k|w,d) for all counts at once, and one of blocks and sparse products, which never does. Ours finds the
log-likelihood in the same step, theirs do not. The counts are drawn: documents of about 120 words, words by Zipf's law, ten
topics under them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import non_negative_factorization
from timing import Race, alone, amount, race, report, sizes, timed

from coterie.core.workplace import using
from coterie.parts import plsa

BLOCK = 100_000
_TURNS = 3


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
    by_document = (
        sp.csr_array((ones, each[:-1], counts.indptr), shape=(counts.shape[0], counts.nnz)) @ law
    )
    by_word = (
        sp.csr_array((ones, counts.indices, each), shape=(counts.nnz, counts.shape[1])).T @ law
    )
    return by_document / by_document.sum(axis=1, keepdims=True), by_word / by_word.sum(axis=0)


def blocks(counts: Any, shares: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Chances in blocks of counts, then two sparse products."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    chance = np.empty(counts.nnz)
    for at in range(0, counts.nnz, BLOCK):
        some = slice(at, at + BLOCK)
        chance[some] = np.einsum("ik,ik->i", shares[rows[some]], words[counts.indices[some]])
    ratios = sp.csr_array((counts.data / chance, counts.indices, counts.indptr), shape=counts.shape)
    by_document = shares * (ratios @ words)
    by_word = words * (ratios.T @ shares)
    return by_document / by_document.sum(axis=1, keepdims=True), by_word / by_word.sum(axis=0)


def nmf(counts: Any, shares: np.ndarray, words: np.ndarray, steps: int) -> Any:
    """Steps of scikit-learn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it did not converge: it was not to
        return non_negative_factorization(
            counts,
            W=shares.copy(),
            H=words.T.copy(),
            n_components=shares.shape[1],
            init="custom",
            solver="mu",
            beta_loss="kullback-leibler",
            tol=0,
            max_iter=steps,
        )


def per_step(counts: Any, shares: np.ndarray, law: np.ndarray) -> float:
    """CPU seconds of a step of scikit-learn; what comes before the first one is not counted."""
    few, many = (
        timed(lambda steps=steps: nmf(sp.csr_matrix(counts), shares, law, steps), 1)[0]
        for steps in (1, 5)
    )
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


FORMS: dict[str, Callable[..., Any]] = {
    "coterie": plsa.step,
    "numpy, usual form": usual,
    "numpy, blocks and scipy": blocks,
}
SKLEARN = "scikit-learn NMF"


def main() -> None:
    size = sizes(full=(8500, 15800, 50), small=(2000, 6000, 20))
    found = Race()
    apart = dict[str, float]()
    measured("coterie", *size)  # compiled, and kept for the processes
    for _ in range(_TURNS):
        for form in (*FORMS, SKLEARN):
            (taken, gap), peak = alone(measured, form, *size)
            found.turns.setdefault(form, []).append(taken)
            apart[form] = gap
            if form == "coterie":
                found.peak = max(found.peak, peak)
            else:
                found.results[form] = peak
    words = f"{size[0]} x {size[1]}, K = {size[2]}"
    for form, goal in (
        ("numpy, usual form", 5.0),
        ("numpy, blocks and scipy", None),
        (SKLEARN, 12.0),
    ):
        error = {} if form == SKLEARN else {"error": apart[form], "tolerance": 1e-12}
        note = f"each in a process of its own; {form} peaks at {amount(found.results[form])}"
        report(
            found.row("topics", "PLSA, one step", words, peer=form, goal=goal, note=note, **error)
        )
    counts = drawn(*size[:2])
    ready = plsa.Counts.of(counts)
    begun = plsa.start(counts, size[2], np.random.default_rng(1))

    def step(workers: int) -> Any:
        with using(n_jobs=workers):
            return plsa.step(ready, *begun)

    two = race({"coterie": lambda: step(2), "one worker": lambda: step(1)}, 5, wall=True)
    report(two.row("threads", "PLSA, one step, 2 workers", words, peer="one worker"))


if __name__ == "__main__":
    main()

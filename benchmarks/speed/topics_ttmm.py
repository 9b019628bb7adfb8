"""One step of EM of TTMM beside the same step in plain numpy and scipy, on the same counts from the same states.

    python benchmarks/speed/topics_ttmm.py [documents] [words] [themes] [topics]

Prints CPU seconds of a step (one thread) at several places of one run, because early every theme matters to every document and
later few do; their ratio; by how much the two forms differ; and wall seconds with the workers there are. The plain form is
that of the formulas: two products with a sparse matrix, logarithms, a soft assignment, and three products of dense matrices.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from tables import topic_counts
from timing import timed

from coterie.core.workplace import using, workplace
from coterie.parts import ttmm

_MARKS = (0, 5, 15, 30)  # steps before the one that is measured
_LENGTH = 105  # words per document, which gives about 94 distinct ones
_TIMES = 5  # turns of both


def plain(counts: Any, posted: Any, state: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
    """One step of EM as it is written."""
    prior, mixing, words = state["prior"], state["mixing"], state["words"]
    laws = words @ mixing.T
    logs = counts @ np.log(np.maximum(laws, ttmm.FLOOR))
    logs += np.log(prior)
    top = logs.max(axis=1, keepdims=True)
    themes = np.exp(logs - top)
    total = themes.sum(axis=1, keepdims=True)
    themes /= total
    ratio = posted @ themes
    ratio /= laws
    fresh, laws_of_words = mixing * (ratio.T @ words), words * (ratio @ mixing)
    found = {
        "prior": themes.mean(axis=0),
        "mixing": fresh / fresh.sum(axis=1, keepdims=True),
        "words": laws_of_words / laws_of_words.sum(axis=0),
    }
    return found, float((np.log(total) + top).sum())


def apart(one: tuple[Any, float], other: tuple[Any, float]) -> float:
    """The largest difference of any parameter, or of the log-likelihoods as a share."""
    return max(abs(one[1] / other[1] - 1), *(float(np.abs(one[0][name] - other[0][name]).max()) for name in one[0]))


def main(n: int = 8_500, m: int = 15_800, themes: int = 500, topics: int = 50) -> None:
    drawn, _ = topic_counts(n, m, topics, length=_LENGTH, seed=0)
    counts = sp.csr_array(drawn[:, np.flatnonzero(np.asarray(drawn.sum(axis=0)).ravel())], dtype=np.float64)
    posted, documents = sp.csr_array(counts.T), ttmm.sheets(counts, themes)
    desk = ttmm.Desk(ttmm.start(counts, themes, topics, np.random.default_rng(0)))

    def ours_of(state: Any) -> tuple[Any, float]:
        desk.lay_out(state)
        return ttmm.step(documents, state, 0.0, desk)

    print(
        f"{counts.shape[0]} x {counts.shape[1]}, {counts.nnz} nonzero, {themes} themes, {topics} topics; the machine was shared"
    )
    state, done, ratios = ttmm.start(counts, themes, topics, np.random.default_rng(0)), 0, list[float]()
    ttmm.step(ttmm.sheets(counts[:50], themes), state)  # compiled, or loaded from the cache
    for mark in _MARKS:
        with using(n_jobs=1):
            for _ in range(mark - done):
                state, _ = ours_of(state)
            done, pairs = mark, []
            for _ in range(_TIMES):  # by turns, so that what else the machine does meets both
                ours, found = timed(lambda state=state: ours_of(state), 1)  # type: ignore[misc]
                peer, other = timed(lambda state=state: plain(counts, posted, state), 1)  # type: ignore[misc]
                pairs.append((ours, peer))
        ours, peer = (statistics.median(column) for column in zip(*pairs, strict=True))
        begun = time.perf_counter()
        ours_of(state)
        wall = time.perf_counter() - begun
        ratios.append(statistics.median(other / one for one, other in pairs))
        print(
            f"step {mark + 1:3d}: coterie {ours:.3f} s   numpy/scipy {peer:.3f} s   {ratios[-1]:.1f}x   "
            f"differ by {apart(found, other):.0e}   {wall:.3f} s on {workplace().workers} workers"
        )
    print(f"median {statistics.median(ratios):.1f}x, least {min(ratios):.1f}x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

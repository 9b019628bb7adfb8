"""One step of EM of TTMM beside the same step in plain numpy and scipy, on the same counts from the same states.

    python benchmarks/speed/topics_ttmm.py [documents] [words] [themes] [topics]

CPU seconds of a step at several places of one run, because early every theme matters to every document and later few do; and by
how much the two forms differ. The plain form is that of the formulas: two products with a sparse matrix, logarithms, a soft
assignment, and three products of dense matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from tables import topic_counts
from timing import quick, race, report, sizes

from coterie.core.workplace import using
from coterie.parts import ttmm

_MARKS = (0, 5, 15, 30)  # steps before the one that is measured
_LENGTH = 105  # words per document, which gives about 94 distinct ones


def plain(
    counts: Any, posted: Any, state: dict[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], float]:
    """One step of EM as it is written."""
    prior = state["prior"]
    mixing = state["mixing"]
    words = state["words"]
    laws = words @ mixing.T
    logs = counts @ np.log(np.maximum(laws, ttmm.FLOOR))
    logs += np.log(prior)
    top = logs.max(axis=1, keepdims=True)
    themes = np.exp(logs - top)
    total = themes.sum(axis=1, keepdims=True)
    themes /= total
    ratio = posted @ themes
    ratio /= laws
    fresh = mixing * (ratio.T @ words)
    laws_of_words = words * (ratio @ mixing)
    found = {
        "prior": themes.mean(axis=0),
        "mixing": fresh / fresh.sum(axis=1, keepdims=True),
        "words": laws_of_words / laws_of_words.sum(axis=0),
    }
    return found, float((np.log(total) + top).sum())


def apart(one: tuple[Any, float], other: tuple[Any, float]) -> float:
    """The largest difference of any parameter, or of the log-likelihoods as a share."""
    return max(
        abs(one[1] / other[1] - 1),
        *(float(np.abs(one[0][name] - other[0][name]).max()) for name in one[0]),
    )


def main() -> None:
    n, m, themes, topics = sizes(full=(8_500, 15_800, 500, 50), small=(2_000, 6_000, 200, 20))
    drawn, _ = topic_counts(n, m, topics, length=_LENGTH, seed=0)
    counts = sp.csr_array(
        drawn[:, np.flatnonzero(np.asarray(drawn.sum(axis=0)).ravel())], dtype=np.float64
    )
    posted = sp.csr_array(counts.T)
    documents = ttmm.sheets(counts, themes)
    desk = ttmm.Desk(ttmm.start(counts, themes, topics, np.random.default_rng(0)))

    def ours_of(state: Any) -> tuple[Any, float]:
        desk.lay_out(state)
        return ttmm.step(documents, state, 0.0, desk)

    state = ttmm.start(counts, themes, topics, np.random.default_rng(0))
    done = 0
    ttmm.step(ttmm.sheets(counts[:50], themes), state)  # compiled, or loaded from the cache
    size = (
        f"{counts.shape[0]} x {counts.shape[1]}, {counts.nnz} nonzero, J = {themes}, K = {topics}"
    )
    for mark in (0, 5) if quick() else _MARKS:
        with using(n_jobs=1):
            for _ in range(mark - done):
                state, _ = ours_of(state)
        done = mark
        works = {
            "coterie": lambda s=state: ours_of(s),
            "numpy and scipy": lambda s=state: plain(counts, posted, s),
        }
        found = race(works, warm=mark == 0)
        gap = apart(found.results["coterie"], found.results["numpy and scipy"])
        report(
            found.row(
                "topics",
                f"TTMM, step {mark + 1}",
                size,
                peer="numpy and scipy",
                goal=2.5,
                error=gap,
                tolerance=1e-9,
            )
        )


if __name__ == "__main__":
    main()

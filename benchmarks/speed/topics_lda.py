"""Passes of latent Dirichlet allocation beside scikit-learn's, from the same start on the same counts, in the same run.

    python benchmarks/speed/topics_lda.py [documents] [words] [topics]

CPU seconds of one thread for two passes over all documents with the bound at the end, which scikit-learn always looks at; how far
the weights that come out are apart, as a share of the largest; and two workers against one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation
from tables import topic_counts
from timing import race, report, sizes

from coterie.core.workplace import using
from coterie.parts import lda

_LENGTH = 105  # words per document, which gives about 94 distinct ones
_PRIORS = {"alpha": 1.0, "eta": 0.01}
_PASSES = 2


def main() -> None:
    n, m, topics = sizes(full=(8_500, 15_800, 20), small=(1_500, 6_000, 10))
    drawn, _ = topic_counts(n, m, topics, length=_LENGTH, seed=0)
    counts = lda.short(sp.csr_array(drawn, dtype=np.float64))

    def ours(workers: int = 1) -> np.ndarray:
        with using(n_jobs=workers):
            found = lda.learned(counts, topics, passes=_PASSES, seed=0, **_PRIORS)
            found.bound(counts)
        return found.weights

    def theirs() -> Any:
        model = LatentDirichletAllocation(
            topics,
            doc_topic_prior=_PRIORS["alpha"],
            topic_word_prior=_PRIORS["eta"],
            max_iter=_PASSES,
            random_state=0,
        )
        return model.fit(counts).components_

    found = race({"coterie": ours, "scikit-learn": theirs}, once=("scikit-learn",))
    mine = found.results["coterie"]
    other = found.results["scikit-learn"]
    gap = float(np.abs(mine - other).max() / other.max())
    size = f"{counts.shape[0]} x {counts.shape[1]}, {counts.nnz} nonzero, K = {topics}"
    report(
        found.row(
            "topics",
            "LDA, two passes",
            size,
            peer="scikit-learn",
            goal=3.0,
            error=gap,
            tolerance=1e-5,
        )
    )
    two = race({"coterie": lambda: ours(2), "one worker": ours}, 3, wall=True)
    report(two.row("threads", "LDA, two passes, 2 workers", size, peer="one worker"))


if __name__ == "__main__":
    main()

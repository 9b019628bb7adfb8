"""The core of a pool of many short documents: OCCC and LTB, seconds on the clock, CPU seconds and memory.

    python benchmarks/speed/core.py [documents] [words] [workers]

A third of the documents share a topic; a document has 5 to 20 tokens (their mean is printed) of a vocabulary with Zipf's law.
Prints what each method took from counts to core, how much of the core it found, and the highest memory of the process so far.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.cooccurrence import Cooccurrence
from coterie.core.links import Links
from coterie.core.workplace import using
from coterie.organize.core_of import Core

_SHARE, _OWN, _RELEVANT = 1 / 3, 0.5, 400


def documents(n: int, m: int, seed: int = 0) -> tuple[Any, np.ndarray, np.ndarray]:
    """Members x words, who is of the core, and the law of the words."""
    generator = np.random.default_rng(seed)
    law = 1.0 / np.arange(1, m + 1)
    law /= law.sum()
    ends = np.concatenate([[0], np.cumsum(generator.integers(5, 21, size=n))])
    core = generator.random(n) < _SHARE
    tokens = np.searchsorted(np.cumsum(law), generator.random(ends[-1])).clip(max=m - 1).astype(np.int32)
    own = np.repeat(core, np.diff(ends)) & (generator.random(len(tokens)) < _OWN)
    topic = generator.choice(m, _RELEVANT, replace=False)
    tokens[own] = topic[generator.integers(_RELEVANT, size=int(own.sum()))]
    counts = sp.csr_array((np.ones(len(tokens)), tokens, ends), shape=(n, m))
    counts.sum_duplicates()
    return counts, core, law


def megabytes() -> float:
    """The most memory this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(n: int = 1_000_000, m: int = 100_000, workers: int = 2) -> None:
    counts, core, law = documents(n, m)
    words = [f"w{j}" for j in range(m)]
    background = dict(zip(words, (1e7 * law).tolist(), strict=True))
    links = Links.of({("members", "words"): Cooccurrence(counts, [str(i) for i in range(n)], words)})
    size = int(core.sum())
    print(f"{n} documents x {m} words, {counts.nnz / n:.1f} words each; {workers} workers on a shared machine")
    print(f"{'before any method':28s} {megabytes():.0f} MB")
    forms: dict[str, dict[str, Any]] = {
        "OCCC": {"method": "occc", "size": size},
        "LTB from pi 0.5": {"method": "ltb", "size": size, "pi": 0.5},
        "LTB from the best pi": {"method": "ltb", "size": size},
        "OCCC, size learned": {"method": "occc"},
    }
    for name, form in forms.items():
        begun, spent = time.perf_counter(), time.process_time()
        with using(n_jobs=workers):
            found = Core(background=background, **form).fit(links)
        clock, cpu = time.perf_counter() - begun, time.process_time() - spent
        right = core[found.labels_ == 0].mean()
        print(f"{name:28s} {clock:6.1f} s, {cpu:6.1f} CPU s, core of {found.size_} {right:.3f} right, {megabytes():.0f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

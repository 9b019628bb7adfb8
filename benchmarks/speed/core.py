"""The core of a pool of many short documents: OCCC and LTB, seconds on the clock, CPU seconds and memory.

    python benchmarks/speed/core.py [documents] [words] [workers]

A third of the documents share a topic; a document has 5 to 20 tokens of a vocabulary with Zipf's law. Measured is what each
method took from counts to core, how much of the core it found, and the highest memory. There is no peer.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from timing import Row, peak_since, report, sizes

from coterie.core.links import Cooccurrence, Links
from coterie.core.workplace import using
from coterie.organize.core_of import Core

_SHARE = 1 / 3
_OWN = 0.5
_RELEVANT = 400


def documents(n: int, m: int, seed: int = 0) -> tuple[Any, np.ndarray, np.ndarray]:
    """Members x words, who is of the core, and the law of the words."""
    generator = np.random.default_rng(seed)
    law = 1.0 / np.arange(1, m + 1)
    law /= law.sum()
    ends = np.concatenate([[0], np.cumsum(generator.integers(5, 21, size=n))])
    core = generator.random(n) < _SHARE
    tokens = (
        np.searchsorted(np.cumsum(law), generator.random(ends[-1])).clip(max=m - 1).astype(np.int32)
    )
    own = np.repeat(core, np.diff(ends)) & (generator.random(len(tokens)) < _OWN)
    topic = generator.choice(m, _RELEVANT, replace=False)
    tokens[own] = topic[generator.integers(_RELEVANT, size=int(own.sum()))]
    counts = sp.csr_array((np.ones(len(tokens)), tokens, ends), shape=(n, m))
    counts.sum_duplicates()
    return counts, core, law


def main() -> None:
    n, m, workers = sizes(full=(1_000_000, 100_000, 2), small=(50_000, 20_000, 2))
    counts, core, law = documents(n, m)
    words = [f"w{j}" for j in range(m)]
    background = dict(zip(words, (1e7 * law).tolist(), strict=True))
    links = Links.of(
        {("members", "words"): Cooccurrence(counts, [str(i) for i in range(n)], words)}
    )
    forms: dict[str, dict[str, Any]] = {
        "OCCC": {"method": "occc", "size": int(core.sum())},
        "LTB from pi 0.5": {"method": "ltb", "size": int(core.sum()), "pi": 0.5},
        "LTB from the best pi": {"method": "ltb", "size": int(core.sum())},
        "OCCC, size learned": {"method": "occc"},
    }
    for name, form in forms.items():
        peak_since(begin=True)
        begun = time.perf_counter()
        spent = time.process_time()
        with using(n_jobs=workers):
            found = Core(background=background, **form).fit(links)
        clock = time.perf_counter() - begun
        cpu = time.process_time() - spent
        right = float(core[found.labels_ == 0].mean())
        note = f"{clock:.1f} s on the clock with {workers} workers; core of {found.size_}"
        size = f"{n} documents x {m} words, {counts.nnz / n:.1f} words each"
        report(
            Row(
                "core",
                name,
                size,
                ours=cpu,
                peak=peak_since(),
                quality=right,
                quality_of="share right",
                note=note,
            )
        )


if __name__ == "__main__":
    main()

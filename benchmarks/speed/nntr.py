"""NNTR on a table as large as 20 Newsgroups: milliseconds per step on the processor and on another device, and whole training.

    python benchmarks/speed/nntr.py [--device cuda] [--batch 512 4096 16384]     per step, and the ratio in the same run
    python benchmarks/speed/nntr.py --whole [--device cuda]                      all rounds with the defaults, wall seconds

The counts are drawn (18,846 documents, 24,000 words, about 65 distinct words per document). There is no peer: the processor
(torch with one thread, scipy for the sums of rows) is the yardstick of the other device. Without that device only the
processor is timed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from tables import topic_counts

from coterie.core.errors import ParameterError
from coterie.core.workplace import using
from coterie.parts.nets.bags import device
from coterie.parts.nets.nntr import ROUND, Plan, start, train
from coterie.parts.nets.pairs import Pairs
from coterie.parts.nntr import weighted
from coterie.represent.nntr import NNTR

DOCUMENTS, WORDS, LENGTH = 18_846, 24_000, 85
STEPS = 40  # timed


def table() -> Any:
    """Counts drawn from twenty topics."""
    counts, _ = topic_counts(DOCUMENTS, WORDS, 20, length=LENGTH, seed=0)
    print(f"{DOCUMENTS} documents x {WORDS} words, {counts.nnz} nonzero; the machine may be shared", flush=True)
    return counts


def per_step(counts: Any, batch: int, name: str) -> float:
    """Milliseconds of a step: the time of some steps more, so that what is done once is left out."""
    frequency = np.maximum(np.bincount(counts.indices, minlength=WORDS), 1)
    rows = weighted(counts, np.log(DOCUMENTS / frequency))
    pairs = Pairs.of(rows, 0.75)
    few = 4 if batch > 4096 and name == "cpu" else STEPS
    arrays = start(WORDS, 50, 50, np.random.default_rng(0))
    with using(device=name):
        train(pairs, rows, arrays, Plan(batch=batch, max_iter=1, most=3), 0)
        begun = time.perf_counter()
        train(pairs, rows, arrays, Plan(batch=batch, max_iter=1, most=3), 0)
        middle = time.perf_counter()
        train(pairs, rows, arrays, Plan(batch=batch, max_iter=1, most=3 + few), 0)
        end = time.perf_counter()
    return 1e3 * ((end - middle) - (middle - begun)) / few


def compared(counts: Any, batches: list[int], other: str) -> None:
    """A line per batch size."""
    for batch in batches:
        here = per_step(counts, batch, "cpu")
        line = f"batch {batch}: {here:.1f} ms per step on the processor, {1e3 * here / batch:.1f} microseconds per pair"
        if other != "cpu":
            there = per_step(counts, batch, other)
            line += f"; {there:.2f} ms on {other}: {here / there:.1f} times faster"
        print(line, flush=True)


def whole(counts: Any, name: str) -> None:
    """A training with the defaults until held-out documents find themselves no better."""
    begun = time.perf_counter()
    with using(device=name):
        model = NNTR(random_state=0).fit(counts)
    taken = time.perf_counter() - begun
    print(
        f"{name}: {taken:.0f} s, {model.n_iter_} rounds of {ROUND} steps, mean rank {min(model.validation_history_):.1f} of 200"
    )
    print(f"all 60 rounds would take {60 * taken / model.n_iter_:.0f} s")


def main() -> None:
    """Read the options and run."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--device", default="cpu", help="the device set against the processor, as torch names it")
    options.add_argument("--batch", type=int, nargs="+", default=[512, 4096, 16384])
    options.add_argument("--whole", action="store_true", help="train with the defaults instead of timing steps")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    try:
        with using(device=given.device):
            device()
    except ParameterError as error:
        options.error(str(error))
    counts = table()
    if given.whole:
        whole(counts, given.device)
    else:
        compared(counts, given.batch, given.device)


if __name__ == "__main__":
    main()

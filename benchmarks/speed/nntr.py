"""NNTR on a table as large as 20 Newsgroups: milliseconds per step on the processor and on another device, and whole training.

    python benchmarks/speed/nntr.py [--device cuda] [--batch 512 4096 16384]     per step, and the ratio in the same run
    python benchmarks/speed/nntr.py --whole [--device cuda]                      all rounds with the defaults, wall seconds

The counts are drawn (18,846 documents, 24,000 words, about 65 distinct words per document). There is no peer: the processor
(torch with one thread, scipy for the sums of rows) is the yardstick of the other device. Without that device only the
processor is timed.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from typing import Any

import numpy as np
from tables import topic_counts
from timing import Row, quick, report

from coterie.core.errors import ParameterError
from coterie.core.workplace import using
from coterie.parts.nets.bags import device
from coterie.parts.nets.nntr import ROUND, Plan, start, train
from coterie.parts.nets.pairs import Pairs
from coterie.parts.nntr import weighted
from coterie.represent.nntr import NNTR

DOCUMENTS = 18_846
WORDS = 24_000
LENGTH = 85
STEPS = 40  # timed


def table() -> Any:
    """Counts drawn from twenty topics."""
    return topic_counts(DOCUMENTS, WORDS, 20, length=LENGTH, seed=0)[0]


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
    """A row per batch size."""
    for batch in batches:
        size = f"{DOCUMENTS} x {WORDS}, batch {batch}"
        here = per_step(counts, batch, "cpu")
        if other == "cpu":
            note = f"{1e3 * here / batch:.1f} microseconds per pair"
            report(
                Row("nntr", "a step on the processor", size, ours=here, unit="wall ms", note=note)
            )
        else:
            there = per_step(counts, batch, other)
            report(
                Row(
                    "nntr",
                    f"a step on {other}",
                    size,
                    ours=there,
                    peer="processor",
                    theirs=here,
                    unit="wall ms",
                )
            )


def whole(counts: Any, name: str) -> None:
    """A training with the defaults until held-out documents find themselves no better."""
    begun = time.perf_counter()
    with using(device=name):
        model = NNTR(random_state=0).fit(counts)
    taken = time.perf_counter() - begun
    said = f"{model.n_iter_} rounds of {ROUND} steps, mean rank {min(model.validation_history_):.1f} of 200"
    report(
        Row(
            "nntr",
            f"a whole training on {name}",
            f"{DOCUMENTS} x {WORDS}",
            ours=taken,
            unit="wall s",
            note=said,
        )
    )


def main() -> None:
    """Read the options and run."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--device", default="cpu", help="the device set against the processor, as torch names it"
    )
    options.add_argument(
        "--batch", type=int, nargs="+", default=[512] if quick() else [512, 4096, 16384]
    )
    options.add_argument(
        "--whole", action="store_true", help="train with the defaults instead of timing steps"
    )
    options.add_argument("--quick", action="store_true")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    if importlib.util.find_spec("torch") is None:
        report(Row("nntr", "a step on the processor", failed="torch is not installed"))
        return
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

"""Generated collections with known answers: the default walk must find the planted groups, and none where there are none."""

from __future__ import annotations

import numpy as np

from coterie.collect.samples import SAMPLES, sample
from coterie.core.partition import Partition
from coterie.judge import adjusted_rand, nmi
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse
from coterie_papers.experiment import Experiment, Ledger, Trial

_ELSEWHERE = (
    *(
        "mentions",
        "words",
    ),  # overlapping on purpose: sic-ner and sic-audio measure how well neighbors are found
    *(
        "blocks",
        "papers",
        "movies",
    ),  # links alone, which no default walk takes: comraf-papers, rankings and the tests do
    *(
        "scenes",
        "pool",
    ),  # views that tell the groups together only, and a core among what has no groups: comraf-images, core-rerank
)
_QUICK = 120  # members of a sample in a quick run, at most
_FAR = 1.5  # a chosen number within this factor of the truth counts as right


def run(trial: Trial, ledger: Ledger) -> None:
    """Every sample: agreement with k given, the number chosen without, and the verdict on structure."""
    for name, (_, _, groups) in SAMPLES.items():
        if name in _ELSEWHERE:
            continue
        known = []
        chosen = []
        found = []
        for seed in range(trial.seeds):
            collection = (
                sample(name, random_state=seed)
                if not trial.quick
                else sample(name, _QUICK, random_state=seed)
            )
            free = analyse(collection, Choices(seed=seed)).findings
            found.append(free.evidence.structured)
            chosen.append(len(free.groups))
            if groups > 1:
                fixed = analyse(collection, Choices(seed=seed, k=groups, nulls=0)).findings
                truth = Partition.of(collection.truth["group"]).labels
                known.append((nmi(fixed.labels, truth), adjusted_rand(fixed.labels, truth)))
        ledger.add("explore", "called structured", name, np.mean(found), paper=float(groups > 1))
        ledger.add("explore", "number of groups chosen", name, chosen, paper=float(groups))
        if groups > 1:
            ledger.add("explore, k given", "NMI", name, [pair[0] for pair in known], paper=1.0)
            ledger.add(
                "explore, k given", "adjusted Rand", name, [pair[1] for pair in known], paper=1.0
            )
            close = np.mean([groups / _FAR <= k <= groups * _FAR for k in chosen])
            ledger.relate(
                f"{name}: the chosen number is within a factor {_FAR} of {groups} in most draws",
                bool(close > 0.5),
            )
            ledger.relate(
                f"{name}: with k given the planted groups are found (NMI at least 0.9)",
                bool(np.mean([p[0] for p in known]) >= 0.9),
            )
        else:
            ledger.relate(
                f"{name}: no structure is claimed in most draws", bool(np.mean(found) < 0.5)
            )


EXPERIMENT = Experiment(
    name="samples",
    title="Known answers: generated collections with planted groups, and without any",
    work="coterie",
    table="known answers",
    needs=(),
    minutes=1.5,
    seeds=3,
    run=run,
    beside="truth",
)

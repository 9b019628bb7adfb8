"""Trials with few labels: some members labeled at random, some of these wrongly, and accuracy on all the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from coterie.core.hints import Hints, Scheme
from coterie.core.links import Links
from coterie.core.random import stream
from coterie.organize.comraf.estimator import MDC
from coterie_papers.measures.accuracy import accuracies
from coterie_papers.text_data import Arrays, Tied, kept

# streams of who is labeled, and of which label is wrong
_LABELED = 40
_WRONG = 41


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of some members: the share that is labeled, the share of labels that are wrong, and how labels count."""

    share: float
    scheme: Scheme = "intrinsic"
    weight: float | None = None
    wrong: float = 0.0

    @property
    def called(self) -> str:
        """A name for tables."""
        weight = "" if self.weight is None else f", weight {self.weight:g}"
        return f"{self.scheme}{weight}"


def labels_of(truth: np.ndarray, told: Told, seed: int) -> np.ndarray:
    """The labels that are told: the truth of members drawn at random (the same for every scheme), -1 for all others.

    A wrong one is another class, drawn at random.
    """
    codes = np.unique(truth, return_inverse=True)[1]
    n = len(codes)
    k = int(codes.max()) + 1
    chosen = stream(seed, _LABELED).permutation(n)[: max(k, round(told.share * n))]
    found = np.full(n, -1, dtype=np.int64)
    found[chosen] = codes[chosen]
    generator = stream(seed, _WRONG)
    order = generator.permutation(len(chosen))
    shift = generator.integers(1, k, size=len(chosen))
    false = order[: round(told.wrong * len(chosen))]
    found[chosen[false]] = (found[chosen[false]] + shift[false]) % k
    return found


def grouped(
    links: Links, truth: np.ndarray, told: Told | None, seed: int, **settings: Any
) -> Arrays:
    """The groups of MDC with these labels, or without any."""
    hints = None
    if told is not None:
        labels = labels_of(truth, told, seed)
        hints = Hints.of(len(truth), labels, scheme=told.scheme, label_weight=told.weight)
    found = MDC(n_groups=len(np.unique(truth)), random_state=seed, **settings).fit(
        links, hints=hints
    )
    return {"labels": found.labels_}


def accuracy_of(
    where: str,
    tied: Tied,
    told: Told | None,
    seeds: int,
    *,
    shown: Told | None = None,
    links: Links | None = None,
    **settings: Any,
) -> np.ndarray:
    """Micro accuracy in percent on the members that `shown` (else `told`) leaves unlabeled, one number per seed."""
    hidden = shown or told
    found = []
    for seed in range(seeds):
        name = "none" if told is None else f"{told.called} {told.share:g} {told.wrong:g}"
        make = partial(
            grouped, tied.links if links is None else links, tied.truth, told, seed, **settings
        )
        run = kept(f"{where}/{tied.name}", name, seed, make)
        rest = (
            np.arange(len(tied.truth))
            if hidden is None
            else np.flatnonzero(labels_of(tied.truth, hidden, seed) < 0)
        )
        found.append(100.0 * accuracies(run["labels"][rest], tied.truth[rest]).micro)
    return np.array(found)

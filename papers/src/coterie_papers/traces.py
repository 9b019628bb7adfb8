"""Data of the experiments on sequences: chains of two states, charts, public recordings; and the error of a clustering."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.collect.sequences import read_npz
from coterie.core.affinity import Affinity
from coterie.core.partition import Partition
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.judge import clustering_error
from coterie.organize.spectral import Spectral
from coterie_papers.experiment import Ledger, Trial

CHAINS = (0.6, 0.4, 0.7)  # probability of staying, per class (Smyth 1997, and a third)
_MEANS = np.array([0.0, 3.0])
_SPREAD = 0.4  # lengths are uniform within this share of their mean

Labeled = tuple[Ragged, np.ndarray]


def chains(n: int, mean_length: int, n_classes: int, seed: int) -> Labeled:
    """Sequences of one value from hidden chains of two states, N(0, 1) and N(3, 1), that differ in how long they stay."""
    generator = stream(seed, mean_length, n_classes)
    truth = np.arange(n) % n_classes
    low = (1 - _SPREAD) * mean_length
    high = (1 + _SPREAD) * mean_length
    lengths = generator.integers(round(low), round(high) + 1, size=n)
    return Ragged.of(
        [
            chain(CHAINS[label], int(length), generator)
            for label, length in zip(truth, lengths, strict=True)
        ]
    ), truth


def chain(stay: float, length: int, generator: np.random.Generator) -> np.ndarray:
    """One sequence (length, 1) of such a chain; it begins in either state."""
    moves = generator.random(length) >= stay
    moves[0] = generator.random() < 0.5
    return np.asarray(_MEANS[np.cumsum(moves) % 2] + generator.standard_normal(length))[:, None]


def recorded(trial: Trial, ledger: Ledger, name: str, split: str = "") -> Labeled | None:
    """A public set of labeled sequences (one part of it, where it is split), or nothing and a sentence."""
    if not trial.has("sequences", f"{name}.npz"):
        ledger.skip(
            f"{name}: the data set 'sequences' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
        return None
    collection = read_npz(trial.data("sequences", f"{name}.npz"))
    if split:
        part = {**collection.truth, **collection.cards}["split"]
        collection = collection.take(np.flatnonzero(np.asarray(part).astype(str) == split))
    view = collection.view()
    assert isinstance(view, Ragged)
    return view, np.asarray(Partition.of(collection.truth["labels"]).labels)


def error(affinity: Affinity, truth: np.ndarray, seed: int, scale: Any = "two-candidate") -> float:
    """Share of members in the wrong group after spectral clustering into the true number of groups, in percent."""
    k = len(np.unique(truth))
    found = Spectral(n_groups=k, scale=scale, random_state=seed).fit(affinity)
    return 100.0 * clustering_error(found.labels_, truth)


def some_of_each(labeled: Labeled, count: int) -> Labeled:
    """The first members of every class."""
    view, truth = labeled
    chosen = np.sort(
        np.concatenate([np.flatnonzero(truth == label)[:count] for label in np.unique(truth)])
    )
    return view.take(chosen), truth[chosen]

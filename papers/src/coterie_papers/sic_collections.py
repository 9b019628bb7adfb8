"""The collections on which SIC's own statements are tried: generated mentions, digits, and vowels where they are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.compare.sic.annotators import RandomLabels
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.estimator import SIC
from coterie.core.partition import Partition
from coterie.core.random import stream
from coterie.core.table import Table
from coterie_papers.experiment import Ledger, Trial


@dataclass(frozen=True, eq=False)
class Bed:
    """A collection with known classes, and the settings SIC is run with on it."""

    name: str
    view: Any
    truth: np.ndarray
    settings: dict[str, Any]

    def fit(self, n_iterations: int, seed: int, **more: Any) -> SIC:
        """SIC on it, without a stop rule."""
        return SIC(
            **{
                **self.settings,
                **more,
                "n_iterations": n_iterations,
                "stop": None,
                "random_state": seed,
            }
        ).fit(self.view)


def beds(trial: Trial, ledger: Ledger) -> Iterator[Bed]:
    """Mentions (CRF), digits (nearest), and Japanese vowels (HMM) where the data set is here."""
    from sklearn.datasets import load_digits

    from coterie.collect.mentions import tagged_mentions

    mentions = tagged_mentions(random_state=0)
    yield Bed(
        "generated mentions",
        mentions.view(),
        _codes_of(mentions.truth["type"]),
        {"diverter": "crf"},
    )
    rows, classes = load_digits(return_X_y=True)
    chosen = np.sort(stream(0, 600).choice(len(rows), 600, replace=False))
    settings = {"diverter": "nearest", "train_size": 0.05, "n_labels": 100}
    yield Bed("digits, 600", Table.of(rows[chosen]), np.asarray(classes)[chosen], settings)
    if trial.has("sequences", "JapaneseVowels.npz"):
        from coterie.collect.sequences import read_npz

        vowels = read_npz(trial.data("sequences", "JapaneseVowels.npz"))
        yield Bed(
            "JapaneseVowels",
            vowels.view(),
            _codes_of(next(iter(vowels.truth.values()))),
            {"diverter": "hmm"},
        )
    else:
        ledger.skip(
            "JapaneseVowels: the data set 'sequences' is not here (give its parent folder with --data or COTERIE_DATA)."
        )


def whole(bed: Bed, n_iterations: int, seed: int) -> SIC:
    """SIC with everybody tested in every iteration, as figure 5 of the report has it."""
    return bed.fit(n_iterations, seed, annotator=RandomLabels(test="all"))


def true_rates(codes: Codes, truth: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The share of unlike pairs, and per iteration how often unlike and like pairs get one code, exactly."""
    size = np.bincount(truth)
    n = len(truth)
    like = float((size * (size - 1)).sum()) / (n * (n - 1))
    p0 = np.full(codes.n_iterations, np.nan)
    p1 = np.full(codes.n_iterations, np.nan)
    for i, row in enumerate(codes.labels):
        tested = row >= 0
        table = np.zeros((int(row.max(initial=0)) + 1, len(size)))
        np.add.at(table, (row[tested], truth[tested]), 1)
        same = (table * (table - 1)).sum()
        every = table.sum(axis=1)
        both = (every * (every - 1)).sum()
        here = table.sum(axis=0)
        pairs_like = (here * (here - 1)).sum()
        pairs_all = here.sum() * (here.sum() - 1)
        p1[i] = same / pairs_like if pairs_like else np.nan
        p0[i] = (both - same) / (pairs_all - pairs_like) if pairs_all > pairs_like else np.nan
    return 1 - like, p0, p1


def _codes_of(labels: Any) -> np.ndarray:
    return Partition.of(labels).labels

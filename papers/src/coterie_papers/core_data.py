"""Pools with a hidden core, the ways to find it, and how they are measured: what the three experiments on cores share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.links import Links
from coterie_papers.experiment import Ledger
from coterie_papers.text_data import Arrays, far_above, kept, said

WORDS = "words"
ACCURACY = "one-class accuracy %"
ORDER = "original order"
SVM = "OC-SVM"
BALL = "OC-IB"
PICK = "cluster then pick"
OCCC = "OCCC"
HALF = "LTB, pi 0.5"
SHARE = "LTB, pi = share"
AUTO = "LTB, pi auto"
RBF = "OC-SVM, rbf"
OTHERS = (ORDER, SVM, RBF, BALL)  # what R13 names
BASELINES = (*OTHERS, PICK)


@dataclass(frozen=True, eq=False)
class Pool:
    """Members with a hidden core of known size, and how frequent words are elsewhere."""

    links: Links
    truth: np.ndarray  # whether each member is of the core
    background: Any = "bundled"
    by: str = WORDS  # what two members share that belong together
    queries: Sequence[str] | None = (
        None  # the name that each member was found under, where it was found under one
    )

    @property
    def size(self) -> int:
        return int(self.truth.sum())

    def words(self) -> Links:
        """The words alone."""
        return Links(
            {(self.links.target, WORDS): self.links.tables[self.links.target, WORDS]},
            self.links.target,
        )


Way = Callable[[Pool, int], np.ndarray]  # (pool, seed) -> positions of the core


def core(**settings: Any) -> Way:
    """A way by `Core`, told the size of the core."""
    from coterie.organize.core_of import Core

    def find(pool: Pool, seed: int) -> np.ndarray:
        model = Core(size=pool.size, background=pool.background, random_state=seed, **settings)
        return np.flatnonzero(model.fit(pool.words()).labels_ == 0)

    return find


def first(pool: Pool, seed: int) -> np.ndarray:
    """The first members, as many as the core has."""
    return np.arange(pool.size)


def picked(pool: Pool, seed: int) -> np.ndarray:
    """MDC into clusters of about the size of the core, and the one whose members share the most."""
    from coterie.organize.disambiguate import cluster_then_pick

    n_groups = max(2, round(len(pool.truth) / pool.size))
    return cluster_then_pick(
        pool.links, pool.by, words=WORDS, n_groups=n_groups, random_state=seed
    ).members


WAYS: dict[str, Way] = {
    ORDER: first,
    SVM: core(method="ocsvm"),
    RBF: core(method="ocsvm", kernel="rbf"),
    BALL: core(method="ocib"),
    PICK: picked,
    "Min-Entropy": core(method="min-entropy"),
    "KL": core(method="kl"),
    OCCC: core(method="occc"),
    "OCCC, by length": core(method="occc", norm="length"),
    HALF: core(method="ltb", pi=0.5),
    SHARE: core(method="ltb", pi="share"),
    AUTO: core(method="ltb", pi="auto"),
}


def accuracy(members: np.ndarray, truth: np.ndarray) -> float:
    """F of the members found, in percent: precision and recall too where as many were found as there are."""
    known = np.asarray(truth, dtype=bool)
    return 100.0 * 2.0 * float(known[members].sum()) / (len(members) + float(known.sum()))


def measured(
    ledger: Ledger,
    name: str,
    data: str,
    pools: Sequence[Pool],
    ways: Mapping[str, Way],
    paper: Mapping[str, float] | None = None,
) -> dict[str, np.ndarray]:
    """A row per way: its accuracy over the pools; gives all values by way."""
    found = {}
    for way, find in ways.items():
        values = []
        for at, pool in enumerate(pools):
            run = kept(
                f"{name}/{data}",
                way,
                at,
                lambda find=find, pool=pool, at=at: _found(find, pool, at),  # type: ignore[misc]
            )
            values.append(accuracy(np.flatnonzero(run["labels"] == 0), pool.truth))
        found[way] = np.array(values)
        ledger.add(way, ACCURACY, data, values, (paper or {}).get(way))
    return found


def _found(find: Way, pool: Pool, seed: int) -> Arrays:
    """What a way finds, as labels: 0 in the core."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        members = find(pool, seed)
    labels = np.full(len(pool.truth), -1, dtype=np.int64)
    labels[members] = 0
    return {"labels": labels}


def best_above(
    ledger: Ledger,
    text: str,
    values: Mapping[str, np.ndarray],
    among: Sequence[str],
    others: Sequence[str],
) -> None:
    """Relate: the best of `among` in the mean is at least 5 points above each of the others."""
    best = max(among, key=lambda name: float(values[name].mean()))
    ledger.relate(
        f"{text} ({said(values, best, *others)})",
        all(far_above(values[best], values[other]) for other in others),
    )

"""Whether a table has groups at all: how well it separates beyond one cloud with the same margins and correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.random import content_order, seed_of, stream
from coterie.core.table import Table
from coterie.core.workplace import steady
from coterie.parts.components import MixedComponents
from coterie.parts.groups import mean_silhouette
from coterie.parts.starts import kmeans
from coterie.parts.student import EM, Coding, bic
from coterie.workflows.null_models import copula

KS = (2, 3, 4, 6, 8, 12)
_ROWS = 600  # rows that are looked at
_ROUNDS = 25  # of EM
_LEAST_SPREAD = 1e-3  # of silhouettes of copies: with fewer they may be alike by chance
_SAMPLE_KEY, _COPY_KEY = 3, 4  # names of random streams


@dataclass(frozen=True, eq=False)
class TableExistence:
    """What speaks for groups at several numbers of groups, and the same of copies without groups (a row each)."""

    ks: tuple[int, ...]
    silhouettes: np.ndarray  # of k-means
    null_silhouettes: np.ndarray  # copies x ks
    gains: np.ndarray  # BIC of one group less that of k groups of a tied t mixture, per row
    null_gains: np.ndarray  # copies x ks

    @property
    def silhouette_excess(self) -> float:
        """The most by which the silhouette is above the mean of the copies, over the numbers of groups."""
        return float((self.silhouettes - self.null_silhouettes.mean(axis=0)).max())

    @property
    def strength(self) -> float:
        """How far the excess of the silhouette stands above those of the copies, in their standard deviations."""
        middle = self.null_silhouettes.mean(axis=0)
        own = float((self.silhouettes - middle).max())
        theirs = (self.null_silhouettes - middle).max(axis=1)
        spread = float(theirs.std(ddof=1)) if len(theirs) > 1 else 0.0
        return (own - float(theirs.mean())) / max(spread, _LEAST_SPREAD)

    @property
    def gain_excess(self) -> float:
        """The best gain less the mean of the best gains of the copies."""
        return float(self.gains.max() - self.null_gains.max(axis=1).mean())

    @property
    def silhouette_share(self) -> float:
        """The share of copies, the table among them, whose silhouette stands out of all copies as far."""
        middle = self.null_silhouettes.mean(axis=0)
        own = (self.silhouettes - middle).max()
        theirs = (self.null_silhouettes - middle).max(axis=1)
        return float((1 + np.sum(theirs >= own)) / (1 + len(theirs)))

    @property
    def gain_share(self) -> float:
        """The share of copies, the table among them, whose best gain is as large."""
        theirs = self.null_gains.max(axis=1)
        return float((1 + np.sum(theirs >= self.gains.max())) / (1 + len(theirs)))


def table_existence(
    table: Table, *, n_copies: int = 12, ks: Sequence[int] = KS, random_state: Any = 0
) -> TableExistence:
    """Compare a table with copies that keep every margin, the rank correlations and the missing values."""
    seed = seed_of(random_state)
    if table.sparse:
        raise DataError("table_existence takes dense rows, and the table is sparse.")
    table = table.take(content_order(table.values))
    if len(table) > _ROWS:
        chosen = stream(seed, _SAMPLE_KEY).choice(len(table), _ROWS, replace=False)
        table = table.take(np.sort(chosen))
    used = tuple(k for k in ks if k < max(len(table) // 4, 3))
    with steady():
        own = _evidence(table, used, seed)
        draw = copula(table)
        nulls = [_evidence(draw(stream(seed, _COPY_KEY, at)), used, seed) for at in range(n_copies)]
    return TableExistence(
        used,
        own[0],
        np.array([null[0] for null in nulls]),
        own[1],
        np.array([null[1] for null in nulls]),
    )


def _evidence(table: Table, ks: Sequence[int], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Silhouettes of k-means, and gains in BIC per row, at every number of groups."""
    components = MixedComponents.of(table, n_components=None, clip=3.0, straighten=True)
    prepared = components.table(table, "table_existence")
    coding = Coding.of(prepared, "table_existence")
    rows = coding.rows(prepared, "table_existence")
    points = coding.points(rows)
    em = EM(4.0, "tied", max_iter=_ROUNDS)
    alone = bic(em.best(rows, [np.zeros(len(rows), dtype=np.int64)], 1), rows.sizes, "tied")
    silhouettes = []
    gains = []
    for k in ks:
        labels = kmeans(points, k, n_init=4, seed=seed)
        silhouettes.append(mean_silhouette(points, labels, embedded=True))
        gains.append((alone - bic(em.best(rows, [labels], k), rows.sizes, "tied")) / len(rows))
    return np.array(silhouettes), np.array(gains)

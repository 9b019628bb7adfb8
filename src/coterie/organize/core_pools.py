"""The tables of a pool as a core is looked for in them: the columns that count, their scores, and several tables as one."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links, on_columns
from coterie.organize.background import General, generals_of
from coterie.organize.one_class import Scorer
from coterie.parts.latent_topic import Ltb
from coterie.parts.one_class import word_scores


@dataclass(frozen=True, eq=False)
class Pool:
    """One table of the members: the columns that count, how often they are there, and their scores against the background."""

    population: str
    ids: list[str]
    counts: Any  # members x columns; None once a core keeps it
    totals: np.ndarray
    scores: np.ndarray
    general: General
    scorer: Scorer | None = None
    scale: tuple[float, float, float] = (
        0.0,
        1.0,
        0.0,
    )  # mean, spread and least of its finite scores
    weight: float = 1.0


def amounts(counts: Any, binary: bool) -> Any:
    """Counts of one's own, without zeros, every one as 1 where binary."""
    found = sp.csr_array(counts, dtype=np.float64, copy=True)
    found.sum_duplicates()
    found.eliminate_zeros()
    if binary:
        found.data[:] = 1.0
    return found


def pools_of(
    links: Links, background: Any, binary: bool, min_df: int, notes: list[str]
) -> list[Pool]:
    """The tables of the members, without columns of fewer than `min_df` of them."""
    kept = _columns(links, min_df, notes)
    generals = (
        generals_of(background, {name: ids for name, (ids, _) in kept.items()}, binary, notes)
        if kept
        else {}
    )
    pools = []
    for name, (ids, table) in kept.items():
        counts = amounts(table, binary)
        totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        pools.append(
            Pool(
                name,
                ids,
                counts,
                totals,
                word_scores(totals, generals[name].counts),
                generals[name],
            )
        )
    apart = [f"{one}-{other}" for one, other in links.tables if links.target not in (one, other)]
    if apart:
        notes.append(f"{', '.join(apart)}: not a table of '{links.target}', and not used.")
    if not pools:
        raise DataError(
            f"nothing is with {min_df} or more members, so nothing can be shared; lower min_df.",
            owner="Core",
        )
    return pools


def _columns(links: Links, min_df: int, notes: list[str]) -> dict[str, tuple[list[str], Any]]:
    """The columns of every population that are with `min_df` members or more: their names, and their counts."""
    found = dict[str, tuple[list[str], Any]]()
    for name in links.populations:
        table = links.between(links.target, name) if name != links.target else None
        if table is None:
            continue
        df = np.bincount(table.counts.indices[table.counts.data > 0], minlength=len(table.cols))
        kept = np.flatnonzero(df >= min_df)
        if not len(kept):
            notes.append(
                f"None of the {len(table.cols)} {name} is with {min_df} or more members, so they do not count."
            )
            continue
        found[name] = [table.cols[j] for j in kept.tolist()], table.counts[:, kept]
    return found


def new_counts(pools: Sequence[Pool], links: Links, binary: bool) -> list[Any]:
    """The tables of other members on the same columns, found by name; empty where there is none."""
    tables = [
        links.between(links.target, pool.population) if pool.population in links.ids else None
        for pool in pools
    ]
    return [
        amounts(on_columns(table, pool.ids, len(links)), binary)
        for pool, table in zip(pools, tables, strict=True)
    ]


def weighted(pools: Sequence[Pool], weights: Any) -> list[Pool]:
    """The tables with their weights: one, or as a mapping says; without those it does not name or gives 0."""
    if not isinstance(weights, Mapping):
        return list(pools)
    names = [pool.population for pool in pools]
    unknown = sorted(map(str, set(weights) - set(names)))
    if unknown:
        raise ParameterError(
            f"weights name '{unknown[0]}', and there are {', '.join(names)}.", owner="Core"
        )
    for name, value in weights.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, numbers.Real)
            or not 0 <= float(value) < np.inf
        ):
            raise ParameterError(
                f"weights must be numbers from 0, and that of '{name}' was {value!r}.", owner="Core"
            )
    kept = [
        replace(pool, weight=float(weights[pool.population]))
        for pool in pools
        if weights.get(pool.population, 0)
    ]
    if not kept:
        raise ParameterError("all weights are 0, so nothing tells a core.", owner="Core")
    return kept


def joined(
    pools: Sequence[Pool], found: Sequence[np.ndarray], empty: Sequence[np.ndarray], scaled: bool
) -> np.ndarray:
    """One score per member: that of the only table, or the sum over tables, each centered and, if `scaled`, over its spread.

    A member that has nothing in one table gets nothing from it, and one without any relevant column there the least score.
    """
    if len(pools) == 1:
        return found[0]
    total = np.zeros(len(found[0]))
    for pool, scores, none in zip(pools, found, empty, strict=True):
        mean, spread, least = pool.scale
        centered = np.where(np.isfinite(scores), scores, least) - mean
        total += np.where(none, 0.0, pool.weight * centered / (spread if scaled else 1.0))
    return np.where(np.all(empty, axis=0), -np.inf, total)


def telling(pool: Pool, chosen: np.ndarray) -> list[tuple[str, float]]:
    """Columns by what they add to the core: their share of its counts times their score.

    With LTB it is their chance in the topic times the log of how much higher that is than in general: the chances alone would
    put words first that are frequent everywhere.
    """
    if isinstance(pool.scorer, Ltb):
        values = np.exp(pool.scorer.log_topic) * (pool.scorer.log_topic - pool.scorer.log_general)
    else:
        held = np.asarray(pool.counts[chosen].sum(axis=0), dtype=np.float64).ravel()
        values = held / max(float(held.sum()), 1e-300) * pool.scores
    order = np.argsort(-values, kind="stable")
    return [(pool.ids[j], float(values[j])) for j in order.tolist()]

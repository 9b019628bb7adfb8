"""The computations of interactive clustering: members by seed features, features by groups of members, and what is proposed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import MEMBERS, Cooccurrence, Links
from coterie.core.params import Settings, param, params_of, refuse_unknown
from coterie.core.random import small_seed, stream
from coterie.organize.comraf.estimator import MDC, Comraf

_GROUPS = "seed groups of "  # the observed population of a seeded type
_JOIN = "Weight of all features of a seeded type, which join as a hidden population; 0 leaves them to their groups alone."
_REPR = "Columns that members are clustered by: one per group of seeds, or one per seed."


class SessionSettings(Settings):
    """How a session clusters; what a person decides on the way is not here."""

    max_iter: int = param(5, "Clusterings of the members after which the session is done.", ge=1)
    feature_clusters: int | None = param(
        None,
        "Clusters of the features of a type; when left out eight per group, and a quarter of the features at most.",
        ge=2,
    )
    seed_repr: str = param("groups", _REPR, choices=("groups", "features"))
    join: float = param(0.5, _JOIN, ge=0, le=100)
    proposed: int | None = param(
        None,
        "Most features proposed for a group, the most frequent first; all when left out.",
        ge=1,
    )
    restarts: int = param(
        2,
        "Attempts at every iteration of a clustering, the best of which is kept.",
        ge=1,
        advanced=True,
    )

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> SessionSettings:
        """From what `record` gave; one that is not there, or has no such value, is a sentence."""
        known = {info.name: info for info in params_of(cls)}
        refuse_unknown("SessionSettings", record, list(known))
        for name, value in record.items():
            kinds = str if known[name].annotation == "str" else (int, float)
            if value is not None and (isinstance(value, bool) or not isinstance(value, kinds)):
                raise ParameterError(f"{name} cannot be {value!r}.", owner="SessionSettings")
        found = cls(**record)
        found.check_params()
        return found

    def record(self) -> dict[str, Any]:
        """The settings as plain values."""
        return {info.name: getattr(self, info.name) for info in params_of(type(self))}


Tables = Mapping[str, Cooccurrence]  # type of features -> members x features
Groups = Mapping[str, Sequence[Sequence[str]]]  # type -> features of every group


@dataclass(frozen=True, eq=False)
class Clustered:
    """Members in their groups (-1: not covered), numbered as the groups of seeds are, and how sure their names are."""

    labels: np.ndarray
    lifts: (
        np.ndarray
    )  # clusters x groups: share of a group's features in the cluster over that in all members


def columns_of(table: Cooccurrence, features: Sequence[str]) -> np.ndarray:
    """Where features stand."""
    place = {name: at for at, name in enumerate(table.cols)}
    return np.array([place[name] for name in features], dtype=np.int64)


def occurrences(table: Cooccurrence, groups: Sequence[Sequence[str]]) -> Any:
    """Members x groups: how often each has features of each group."""
    picked = [columns_of(table, group) for group in groups]
    rows = np.concatenate(picked)
    cols = np.repeat(np.arange(len(picked)), [len(one) for one in picked])
    pick = sp.csr_array((np.ones(len(rows)), (rows, cols)), shape=(len(table.cols), len(picked)))
    return sp.csr_array(table.counts @ pick)


def covered_by(tables: Tables, groups: Groups) -> np.ndarray:
    """Which members have any feature of any group."""
    n = len(next(iter(tables.values())).rows)
    found = np.zeros(n, dtype=bool)
    for kind, features in groups.items():
        found |= np.diff(occurrences(tables[kind], features).indptr) > 0
    return found


def cluster_members(
    tables: Tables, groups: Groups, k: int, settings: SessionSettings, seed: int
) -> Clustered:
    """Members with a seed feature, clustered into k by the groups of their seeds and by types without seeds (step 5a)."""
    held = covered_by(tables, groups)
    inside = np.flatnonzero(held)
    if len(inside) < k:
        raise DataError(
            f"Only {len(inside)} of {len(held)} members have a seed feature, and {k} groups were asked for; give more seeds."
        )
    by_group = {
        kind: occurrences(tables[kind], features)[inside] for kind, features in groups.items()
    }
    labels = np.full(len(held), -1, dtype=np.int64)
    tied = _tied(tables, groups, by_group, inside, settings)
    labels[inside] = _clustered(*tied, k, settings.restarts, seed)
    table = _meeting(labels[inside], k, sum(one.toarray() for one in by_group.values()))
    lifts = _lifts(table)
    names = _named(lifts, table)
    labels[inside] = names[labels[inside]]
    return Clustered(labels, lifts[np.argsort(names)])


def _tied(
    tables: Tables,
    groups: Groups,
    by_group: Mapping[str, Any],
    inside: np.ndarray,
    settings: SessionSettings,
) -> tuple[Links, dict[tuple[str, str], float], list[str]]:
    """What the covered members are tied to, the weight of each table, and which populations are observed."""
    rows = [str(at) for at in inside]
    links = dict[tuple[str, str], Cooccurrence]()
    weights = dict[tuple[str, str], float]()
    observed = []
    for kind, table in tables.items():
        share = 1.0 if kind not in groups else settings.join
        if share > 0:
            links[MEMBERS, kind] = Cooccurrence(table.counts[inside], rows, table.cols)
            weights[MEMBERS, kind] = share
        if kind in groups:
            name = _GROUPS + kind
            counts = by_group[kind]
            if settings.seed_repr == "features":
                counts = table.counts[inside][
                    :, columns_of(table, [one for group in groups[kind] for one in group])
                ]
            links[MEMBERS, name] = Cooccurrence(
                counts, rows, [str(at) for at in range(counts.shape[1])]
            )
            weights[MEMBERS, name] = 1.0
            observed.append(name)
    return _telling(Links(links)), weights, observed


def _clustered(
    links: Links,
    weights: Mapping[tuple[str, str], float] | None,
    observed: Sequence[str],
    k: int,
    restarts: int,
    seed: int,
) -> np.ndarray:
    """Groups by Comraf, members upward, what is named observed; what it has to say of tables is no news to a person here."""
    rule: Any = "one" if weights is None else dict(weights)
    organizer = Comraf(
        n_groups=k, observed=tuple(observed), weights=rule, restarts=restarts, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(organizer.fit(links).labels_)


def _telling(links: Links) -> Links:
    """The links without columns that are in no member; a table of which one would be left stays as it is, or it would go too."""
    tables = {}
    for pair, table in links.tables.items():
        used = np.flatnonzero(np.bincount(table.counts.indices, minlength=len(table.cols)) > 0)
        tables[pair] = (
            Cooccurrence(
                table.counts[:, used], table.rows, [table.cols[at] for at in used.tolist()]
            )
            if len(used) > 1
            else table
        )
    return Links(tables)


def _meeting(labels: np.ndarray, k: int, counts: np.ndarray) -> np.ndarray:
    """Clusters x groups: occurrences of a group's features in a cluster's members."""
    table = np.zeros((k, counts.shape[1]))
    np.add.at(table, labels, counts)
    return table


def _lifts(table: np.ndarray) -> np.ndarray:
    """p(group | cluster) / p(group); 0 where nothing meets."""
    expected = (
        table.sum(axis=1, keepdims=True)
        * table.sum(axis=0, keepdims=True)
        / max(float(table.sum()), 1e-300)
    )
    return np.asarray(np.divide(table, expected, out=np.zeros_like(table), where=expected > 0))


def _named(lifts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The group each cluster stands for, one each: the assignment of the highest sum of lifts; equal ones by occurrences."""
    from scipy.optimize import linear_sum_assignment

    share = table / max(float(table.sum()), 1e-300)
    _, names = linear_sum_assignment(-(lifts + 1e-9 * share))
    return np.asarray(names, dtype=np.int64)


def cluster_features(
    table: Cooccurrence, labels: np.ndarray, k: int, settings: SessionSettings, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """All features of covered members clustered by the groups these are in (step 5c): clusters (-1: none), features x groups."""
    inside = labels >= 0
    member = sp.csr_array(
        (np.ones(int(inside.sum())), (np.flatnonzero(inside), labels[inside])),
        shape=(len(labels), k),
    )
    counts = sp.csr_array(table.counts.T @ member)
    used = np.flatnonzero(np.diff(counts.indptr) > 0)
    found = np.full(len(table.cols), -1, dtype=np.int64)
    wanted = min(settings.feature_clusters or min(8 * k, max(k, len(used) // 4)), len(used))
    links = Links(
        {
            (MEMBERS, "groups"): Cooccurrence(
                counts[used], [str(at) for at in used], [str(at) for at in range(k)]
            )
        }
    )
    if len(used) <= wanted:
        found[used] = np.arange(len(used))
    else:
        found[used] = _clustered(links, None, ("groups",), wanted, settings.restarts, seed)
    return found, counts.toarray()


def plain(tables: Tables, k: int, seed: int) -> np.ndarray:
    """Members clustered by the chosen types without any seed (step 4): MDC as it comes."""
    links = Links({(MEMBERS, kind): table for kind, table in tables.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(MDC(n_groups=k, random_state=seed).fit(links).labels_)


def seed_for(rng_seed: int, iteration: int, step: int) -> int:
    """The seed of one step; the same after an undo, or in a replay."""
    return small_seed(stream(rng_seed, iteration, step))

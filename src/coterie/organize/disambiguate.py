"""Which of the members found under names are about those who are meant: by what they link to, by clusters, by one tree.

Three ways of Bekkerman 2008, section 6.6.1, beside the one-class methods of `Core`. Pages link to sites there; here any table
of links does: co-authors, venues, correspondents.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from collections.abc import Set as Names
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from coterie.core.affinity import Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence, Links
from coterie.core.partition import Hierarchy, numbered
from coterie.organize.agglomerative import Agglomerative

_POPULAR = 10  # members that a thing must be in before it can be popular
_LEAST = 3.0  # members that a word is taken to be in, where it is in fewer


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The members that were kept, in the order they came in, the groups they were chosen from, and a sentence on how.

    `history` tells for other numbers of groups which members would have been kept.
    """

    members: np.ndarray
    groups: np.ndarray
    sentence: str
    history: Mapping[int, np.ndarray]

    def __repr__(self) -> str:
        return f"Kept({len(self.members)} of {len(self.groups)} members)"


def site(address: str) -> str:
    """The host of an address, with its first directory where it has one.

    >>> site("http://www.cs.example.edu/~ann/papers/core.html"), site("example.org/index.html"), site("https://Example.org/")
    ('www.cs.example.edu/~ann', 'example.org', 'example.org')
    """
    text = address.strip()
    parts = urlsplit(text if "//" in text else f"//{text}")
    host = (parts.hostname or "").rstrip(".")
    folders = [folder for folder in parts.path.split("/")[:-1] if folder]
    return f"{host}/{folders[0]}" if host and folders else host


def link_structure(
    links: Links,
    by: str,
    *,
    words: str | None = None,
    queries: Sequence[Any] | None = None,
    popular: float | Names[str] = 0.05,
    size: float = 1 / 3,
    background: Mapping[str, float] | None = None,
) -> Kept:
    """Members that hang together by shared links: the core component, and those most like it by their words.

    Two members are neighbors where they share something of the population `by`; what is popular (names given, or held by more
    than this share of the members and by more than ten) does not count. The core component is the largest whose members were
    found by more than one query; the largest of all where no queries are given. With `words`, other components follow in the
    order of their cosine with it (weights tf / ln df, the df of `background` where it is given), until `size` (a share or a
    number) of the members is in.
    """
    table = _table(links, by, "link_structure")
    n = len(links)
    wanted = _wanted(size, n)
    groups = _components(_without_popular(table, popular))
    core = _core_component(groups, n, queries)
    chosen = np.flatnonzero(groups == core)
    sentence = f"{len(chosen)} members hang together by shared {by}"
    if words is None or len(chosen) >= wanted:
        return Kept(chosen, groups, f"{sentence}.", {})
    rows = weighed(links, words, background)
    members = [chosen]
    for group in _nearest_first(rows, groups, core):
        if sum(map(len, members)) >= wanted:
            break
        members.append(np.flatnonzero(groups == group))
    kept = np.concatenate(members)
    return Kept(
        kept,
        groups,
        f"{sentence}; {len(kept) - len(chosen)} more are like them by their {words}.",
        {},
    )


def cluster_then_pick(
    links: Links,
    by: str,
    *,
    words: str,
    n_groups: int = 5,
    min_df: int = 3,
    random_state: int | None = None,
) -> Kept:
    """Members clustered with their words at once, of which the cluster with the most shared links is kept.

    The members and the `words` that are in `min_df` members or more are clustered by MDC into `n_groups`, or as many as there are
    members with such words. Of each cluster the
    things of `by` that are in two or more of its members are counted, and the cluster with the most is taken. `history` tells
    the same for all fewer groups, by the unions that lose least information.
    """
    from coterie.organize.comraf.estimator import MDC

    table = _table(links, by, "cluster_then_pick")
    if n_groups < 2:
        raise ParameterError(
            f"n_groups must be from 2, and was {n_groups}.", owner="cluster_then_pick"
        )
    own = Links(
        {(links.target, words): _frequent(_table(links, words, "cluster_then_pick"), min_df)},
        links.target,
    )
    usable = int((np.diff(own.tables[links.target, words].counts.indptr) > 0).sum())
    found = MDC(n_groups=max(2, min(n_groups, usable - 1)), random_state=random_state).fit(own)
    top = int(found.labels_.max()) + 1
    history = {
        k: _most_linked(found.hierarchy_.cut(k).labels, table.counts) for k in range(top - 1, 1, -1)
    }
    members = _most_linked(found.labels_, table.counts)
    said = (
        f"The one of {top} clusters whose members share the most {by} has {len(members)} members."
    )
    return Kept(members, found.labels_, said, history)


def greedy(links: Links, words: str, background: Mapping[str, float] | None = None) -> Hierarchy:
    """Everyone apart, then the two clusters with the highest mean cosine united, until one is left."""
    rows = weighed(links, words, background)
    alike = Lazy(
        lambda a, b: np.asarray((a @ b.T).todense()), rows, rows, "similarity", symmetric=True
    )
    return Agglomerative(n_groups=1, linkage="average").fit(alike).hierarchy_


def with_hindsight(hierarchy: Hierarchy, truth: Sequence[bool] | np.ndarray) -> np.ndarray:
    """The cluster of a tree with the best F against the truth: what the tree could give to who knew it already."""
    known = np.asarray(truth, dtype=bool)
    n = hierarchy.n_members
    if len(known) != n:
        raise DataError(f"there are {len(known)} answers for {n} members.", owner="with_hindsight")
    sizes = np.ones(2 * n - 1)
    hits = np.concatenate([known.astype(float), np.zeros(n - 1)])
    pairs = hierarchy.merges[:, :2].astype(np.int64)
    for at, (one, other) in enumerate(pairs.tolist()):
        sizes[n + at] = sizes[one] + sizes[other]
        hits[n + at] = hits[one] + hits[other]
    inside = list[int]()
    waiting = [int(np.argmax(2 * hits / (sizes + known.sum())))]
    while waiting:
        node = waiting.pop()
        if node < n:
            inside.append(node)
        else:
            waiting += pairs[node - n].tolist()
    return np.sort(np.array(inside, dtype=np.int64))


def weighed(links: Links, words: str, background: Mapping[str, float] | None = None) -> Any:
    """Members x words with the weights tf / ln df, every row of length one; df is at least three, so that no weight is endless.

    The df of a word is what `background` says, else the number of members that hold it.
    """
    import scipy.sparse as sp

    table = _table(links, words, "cosine")
    counts = sp.csr_array(table.counts)
    if background is None:
        held = np.bincount(counts.indices, minlength=len(table.cols)).astype(np.float64)
    else:
        held = np.array([float(background.get(word, 0.0)) for word in table.cols])
    scaled = sp.csr_array(counts * (1.0 / np.log(np.maximum(held, _LEAST)))[None, :])
    lengths = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
    return sp.csr_array(scaled.multiply((1.0 / np.where(lengths > 0, lengths, 1.0))[:, None]))


def _table(links: Links, name: str, owner: str) -> Cooccurrence:
    """The table of the members with this population, or a sentence on which there are."""
    table = links.between(links.target, name)
    if table is None:
        known = ", ".join(
            f"'{other}'"
            for other in links.populations
            if links.between(links.target, other) is not None
        )
        raise DataError(f"the members have no population '{name}'; they have {known}.", owner=owner)
    return table


def _frequent(table: Cooccurrence, least: int) -> Cooccurrence:
    """The columns of so many members or more."""
    held = np.bincount(table.counts.indices[table.counts.data > 0], minlength=len(table.cols))
    kept = np.flatnonzero(held >= least)
    if not len(kept):
        raise DataError(
            f"nothing is in {least} or more members; lower min_df.", owner="cluster_then_pick"
        )
    return Cooccurrence(table.counts[:, kept], table.rows, [table.cols[at] for at in kept.tolist()])


def _wanted(size: float, n: int) -> int:
    """How many members a share (up to 1, not a whole number by its type) or a number means."""
    if isinstance(size, bool) or not 0 < size <= n or (size > 1 and size != int(size)):
        raise ParameterError(
            f"size must be a share up to 1 or a number of members up to {n}, and was {size!r}.",
            owner="link_structure",
        )
    return (
        int(np.ceil(size * n))
        if size <= 1 and not isinstance(size, numbers.Integral)
        else int(size)
    )


def _without_popular(table: Cooccurrence, popular: float | Names[str]) -> Any:
    """Who holds what, without what is popular."""
    import scipy.sparse as sp

    counts = sp.csr_array(table.counts)
    if isinstance(popular, (int, float)):
        if not 0 <= popular <= 1:
            raise ParameterError(
                f"popular must be a share from 0 to 1 or names, and was {popular!r}.",
                owner="link_structure",
            )
        held = np.bincount(counts.indices[counts.data > 0], minlength=len(table.cols))
        kept = held <= max(popular * len(table.rows), _POPULAR)
    else:
        kept = np.array([name not in popular for name in table.cols], dtype=bool)
    return sp.csr_array(counts[:, np.flatnonzero(kept)])


def _components(counts: Any) -> np.ndarray:
    """Members that share something, over any number of steps; numbered from the largest."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    n, m = counts.shape
    held = sp.coo_array(counts)
    graph = sp.coo_array(
        (np.ones(held.nnz), (held.coords[0], held.coords[1] + n)), shape=(n + m, n + m)
    )
    _, parts = connected_components(graph, directed=False)
    return numbered(parts[:n])[0].labels


def _core_component(groups: np.ndarray, n: int, queries: Sequence[Any] | None) -> int:
    """The largest component found by more than one query."""
    if queries is None:
        return 0
    if len(queries) != n:
        raise DataError(
            f"there are {len(queries)} queries for {n} members.", owner="link_structure"
        )
    asked = np.unique([str(query) for query in queries], return_inverse=True)[1]
    for group in range(int(groups.max()) + 1):
        if len(np.unique(asked[groups == group])) > 1:
            return group
    raise DataError(
        "no two members of different queries share a link, so that there is no core to begin with.",
        owner="link_structure",
    )


def _nearest_first(rows: Any, groups: np.ndarray, core: int) -> list[int]:
    """The other components by the cosine of their sums of rows with that of the core, the highest first."""
    import scipy.sparse as sp

    n_groups = int(groups.max()) + 1
    member = sp.csr_array(
        (np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(n_groups, len(groups))
    )
    sums = sp.csr_array(member @ rows)
    lengths = np.sqrt(np.asarray(sums.multiply(sums).sum(axis=1)).ravel())
    alike = np.asarray((sums @ sums[[core]].T).todense()).ravel() / np.where(
        lengths > 0, lengths, 1.0
    )
    return [int(group) for group in np.argsort(-alike, kind="stable") if group != core]


def _most_linked(labels: np.ndarray, counts: Any) -> np.ndarray:
    """The members of the cluster with the most things that two or more of its members hold; of equal ones the larger."""
    import scipy.sparse as sp

    inside = np.flatnonzero(labels >= 0)
    k = int(labels.max()) + 1
    member = sp.csr_array((np.ones(len(inside)), (labels[inside], inside)), shape=(k, len(labels)))
    held = sp.csr_array(member @ (sp.csr_array(counts) > 0).astype(np.float64))
    shared = np.bincount(np.repeat(np.arange(k), np.diff(held.indptr))[held.data >= 2], minlength=k)
    best = np.lexsort((-np.bincount(labels[inside], minlength=k), -shared))[0]
    return np.flatnonzero(labels == best)

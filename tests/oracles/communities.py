"""Communities as they are defined: objectives over all pairs, the best of all partitions, Leiden and Louvain in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

# Who met whom in a karate club that then split: W. W. Zachary, Journal of Anthropological Research 33 (1977); members from 0.
KARATE = (
    "0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 10 0 11 0 12 0 13 0 17 0 19 0 21 0 31 1 2 1 3 1 7 1 13 1 17 1 19 1 21 1 30 2 3 2 7 2 8 "
    "2 9 2 13 2 27 2 28 2 32 3 7 3 12 3 13 4 6 4 10 5 6 5 10 5 16 6 16 8 30 8 32 8 33 9 33 13 33 14 32 14 33 15 32 15 33 18 32 "
    "18 33 19 33 20 32 20 33 22 32 22 33 23 25 23 27 23 29 23 32 23 33 24 25 24 27 24 31 25 31 26 29 26 33 27 33 28 31 28 33 "
    "29 32 29 33 30 32 30 33 31 32 31 33 32 33"
)
Rows = list[dict[int, float]]


def karate() -> np.ndarray:
    """The club as 34 x 34 links of weight 1."""
    links = np.zeros((34, 34))
    ends = np.array(KARATE.split(), dtype=int).reshape(-1, 2)
    links[ends[:, 0], ends[:, 1]] = links[ends[:, 1], ends[:, 0]] = 1.0
    return links


def ring_of_cliques(n_cliques: int, size: int) -> np.ndarray:
    """Complete groups in a ring, each tied to the next by one link."""
    n = n_cliques * size
    links = np.kron(np.eye(n_cliques), np.ones((size, size))) - np.eye(n)
    for first in range(n_cliques):
        one = first * size
        other = ((first + 1) % n_cliques) * size + 1
        links[one, other] = links[other, one] = 1.0
    return links


def modularity(links: np.ndarray, labels: np.ndarray, resolution: float = 1.0) -> float:
    """Over all pairs of members of one group: the link less what chance would give, as a share of all."""
    degrees = links.sum(axis=1)
    total = links.sum()
    found = 0.0
    for i in range(len(links)):
        for j in range(len(links)):
            if labels[i] == labels[j]:
                found += links[i, j] - resolution * degrees[i] * degrees[j] / total
    return found / total


def potts(links: np.ndarray, labels: np.ndarray, resolution: float) -> float:
    """Over all pairs of members of one group: the link less the resolution."""
    found = 0.0
    for i in range(len(links)):
        for j in range(i):
            if labels[i] == labels[j]:
                found += links[i, j] - resolution
    return found


def partitions(n: int) -> Iterator[list[int]]:
    """All ways to group n members."""

    def more(labels: list[int]) -> Iterator[list[int]]:
        if len(labels) == n:
            yield labels
            return
        for label in range(max(labels, default=-1) + 2):
            yield from more([*labels, label])

    yield from more([])


def best_partition(n: int, score: Callable[[list[int]], float]) -> float:
    """The highest score of any partition."""
    return max(score(labels) for labels in partitions(n))


def in_one_piece(links: np.ndarray, members: np.ndarray) -> bool:
    """Whether every one of these members can be reached from the first along links between them."""
    inside = set(members.tolist())
    reached = {int(members[0])}
    edge = [int(members[0])]
    while edge:
        new = set(np.flatnonzero(links[edge.pop()] > 0).tolist()) & inside - reached
        reached |= new
        edge += sorted(new)
    return reached == inside


def rows_of(links: np.ndarray) -> Rows:
    return [{int(j): float(row[j]) for j in np.flatnonzero(row)} for row in links]


def leiden_round(
    rows: Rows,
    mass: list[float],
    resolution: float,
    labels: list[int],
    generator: np.random.Generator,
    refined: bool = True,
) -> list[int]:
    """One round of Leiden; not refined, one of Louvain. The groups of the members, by any numbers."""
    place = list(range(len(rows)))
    while True:
        _move(rows, mass, resolution, labels, [int(v) for v in generator.permutation(len(rows))])
        labels = _by_first(labels)
        if len(set(labels)) == len(rows):
            break
        parts = labels
        if refined:
            parts = _by_first(
                _refine(
                    rows,
                    mass,
                    resolution,
                    labels,
                    [int(v) for v in generator.permutation(len(rows))],
                )
            )
        above = [labels[parts.index(part)] for part in range(max(parts) + 1)]
        rows, mass = _gathered(rows, mass, parts)
        labels = above
        place = [parts[at] for at in place]
    return [labels[at] for at in place]


def _by_first(labels: list[int]) -> list[int]:
    order: dict[int, int] = {}
    return [order.setdefault(label, len(order)) for label in labels]


def _sums(row: dict[int, float], labels: list[int]) -> dict[int, float]:
    found: dict[int, float] = {}
    for other, weight in row.items():
        found[labels[other]] = found.get(labels[other], 0.0) + weight
    return found


def _move(
    rows: Rows, mass: list[float], resolution: float, labels: list[int], queue: list[int]
) -> None:
    total: dict[int, float] = {}
    for v, label in enumerate(labels):
        total[label] = total.get(label, 0.0) + mass[v]
    while queue:
        v = queue.pop(0)
        own = labels[v]
        sums = _sums(rows[v], labels)
        alone = labels.count(own) == 1
        total[own] = 0.0 if alone else total[own] - mass[v]
        gains = {c: w - resolution * mass[v] * total[c] for c, w in sums.items()}
        stay = gains.get(own, 0.0 - resolution * mass[v] * total[own])
        best = own
        most = stay
        bar = stay + 1e-12 * sum(rows[v].values())
        for c, gain in gains.items():
            if gain > bar and gain > most:
                best = c
                most = gain
        if not alone and bar < 0 and most < 0:
            best = next(c for c in range(len(rows)) if c not in labels)
        total[best] = total.get(best, 0.0) + mass[v]
        labels[v] = best
        if best != own:
            queue += [u for u in rows[v] if u not in queue and labels[u] != best]


def _refine(
    rows: Rows, mass: list[float], resolution: float, labels: list[int], order: list[int]
) -> list[int]:
    parts = list(range(len(rows)))
    n = len(rows)
    for v in order:
        group = [u for u in range(n) if labels[u] == labels[v]]
        if parts.count(parts[v]) > 1 or not _firm([v], group, rows, mass, resolution):
            continue
        best = -1
        most = 0.0
        for c, weight in _sums(
            {u: w for u, w in rows[v].items() if labels[u] == labels[v]}, parts
        ).items():
            own = [u for u in group if parts[u] == c]
            gain = weight - resolution * mass[v] * sum(mass[u] for u in own)
            if _firm(own, group, rows, mass, resolution) and (
                gain > most or (best < 0 and gain == 0)
            ):
                best = c
                most = gain
        parts[v] = best if best >= 0 else parts[v]
    return parts


def _firm(
    part: list[int], group: list[int], rows: Rows, mass: list[float], resolution: float
) -> bool:
    rest = set(group) - set(part)
    links = sum(w for v in part for u, w in rows[v].items() if u in rest)
    return links >= resolution * sum(mass[v] for v in part) * sum(mass[v] for v in rest)


def _gathered(rows: Rows, mass: list[float], parts: list[int]) -> tuple[Rows, list[float]]:
    above: Rows = [{} for _ in range(max(parts) + 1)]
    weight = [0.0] * len(above)
    for part in range(len(above)):
        for v in (u for u, own in enumerate(parts) if own == part):
            weight[part] += mass[v]
            for other, w in rows[v].items():
                if parts[other] != part:
                    above[part][parts[other]] = above[part].get(parts[other], 0.0) + w
    return above, weight


def spread_labels(
    links: np.ndarray, labels: np.ndarray, hold: np.ndarray, reach: float
) -> np.ndarray:
    """Members x labels: where labels have spread for good, as the solution of one linear system."""
    n = len(links)
    k = int(labels.max()) + 1
    degrees = links.sum(axis=1, keepdims=True)
    step = np.divide(links, degrees, out=np.zeros_like(links), where=degrees > 0)
    given = np.zeros((n, k))
    given[labels >= 0, labels[labels >= 0]] = hold[labels >= 0]
    return np.linalg.solve(np.eye(n) - reach * (1 - hold)[:, None] * step, given)

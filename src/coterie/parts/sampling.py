"""Closed-form sampling: the nearest-neighbor risk of two sets at any prior, and divergences as sums over neighbor orders.

To see two sets at another prior one of them is thinned. The expected leave-one-out error over all ways to thin it has a
closed form in how many points of either set come first, so nothing is drawn (García-García 2011, section 5.5.5; its
equation 5.41 shows one of the four cases, and with a pool that is one too large). With R(r; N, s) = C(N-r, s-r) / C(N, s),
the chance that r given points of a pool of N are all among the s that are taken out, a point of a set of n points is wrong

    by R(a; n - 1, s)      where its own set is thinned, a points of it being nearer than the first of the other,
    by 1 - R(b; m, s)      where the other set of m points is thinned, b points of it being nearer than the first of the own.

The points that are left are a real number, and so is s: R is the product of (s - k) / (N - k) for k < r. In the own set it
is zero where r > s; in the other it falls to zero from r = s to r = s + 1, else a set thinned to a hundredth of a point
would still be met for certain. For every pair of sizes the integral over the prior becomes a table of what a point with r
points before it counts for, and a divergence a sum over counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie.parts.fdivergences import FDivergence, atoms_of, log_odds_rule
from coterie.parts.orders import Orders
from coterie.parts.workers import in_order

_FEW = 64  # sets that are not worth the workers


@dataclass(frozen=True, eq=False)
class Nodes:
    """Priors at which the risk is taken, and what it counts for there: I = sum of weights x (level of no learning - risk)."""

    priors: np.ndarray
    rest: np.ndarray  # 1 - priors, exact near one
    weights: np.ndarray

    @property
    def mirrored(self) -> Nodes:
        """The same, seen from the other set."""
        return Nodes(self.rest, self.priors, self.weights)


def nodes_of(
    f: FDivergence, priors: int = 121, margin: float = 1e-3, spacing: str = "logit"
) -> Nodes:
    """The trapezoid rule for the square-loss form of f between `margin` and 1 - `margin`, and its atoms.

    With "logit" the nodes are even in log(p / (1 - p)), with "uniform" in p, as in the source.
    """
    weight = f.squared("nodes_of")
    if spacing == "logit":
        p, q, weights = log_odds_rule(weight, priors, margin)
    else:
        p = np.linspace(margin, 1.0 - margin, priors)
        q = p[::-1].copy()
        step = np.full(priors, p[1] - p[0])
        step[[0, -1]] /= 2
        weights = step * np.asarray(weight(p))
    places, masses = (
        np.array(atoms_of(f.square_atom, f.square_kinks), dtype=np.float64).reshape(-1, 2).T
    )
    p = np.append(p, places)
    q = np.append(q, 1.0 - places)
    weights = np.append(weights, masses)
    used = weights != 0
    return Nodes(p[used], q[used], weights[used] / 2)


def errors_at(own: np.ndarray, other: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Expected leave-one-out error at every prior p of a point of a set, from how many points come before (Orders)."""
    from coterie._kernels.sampling import errors_at as fill

    out = np.empty(len(p))
    fill(np.ascontiguousarray(own), np.ascontiguousarray(other), p, q, out)
    return out


def risk_at(there: Orders, back: Orders, i: int, j: int, priors: np.ndarray) -> np.ndarray:
    """The nearest-neighbor risk of set i (with that prior) and set j at each of some priors between 0 and 1."""
    p = np.asarray(priors, dtype=np.float64)
    q = 1.0 - p
    first = errors_at(there.own_counts(i, j), there.other_counts(i, j), p, q)
    return np.asarray(
        p * first + q * errors_at(back.own_counts(j, i), back.other_counts(j, i), q, p)
    )


def levels(
    sizes: np.ndarray, others: np.ndarray, nodes: Nodes, corrected: bool = True
) -> np.ndarray:
    """What the weighted risk of every pair of sizes is where nothing can be learned: (sets, other sets).

    At prior p that is the mean risk of two sets of one law. Where the points that are kept are a whole number this is
    2 p q n' / (n' - 1), n' being all that are left. Between, and where less than one point is left, it is the mean of
    what `risk_at` gives, so that nothing is off there either. Without correction it is 2 p q.
    """
    from coterie._kernels.sampling import null_levels

    if not corrected:
        return np.full(
            (len(sizes), len(others)), float(nodes.weights @ (2.0 * nodes.priors * nodes.rest))
        )
    rows, row = np.unique(sizes, return_inverse=True)
    cols, col = np.unique(others, return_inverse=True)
    table = np.empty((len(rows), len(cols)))
    for at, n in enumerate(rows):
        null_levels(int(n), cols, nodes.priors, nodes.rest, nodes.weights, table[at])
    return np.asarray(table[np.ix_(row, col)])


def tables(n: int, m: int, nodes: Nodes) -> tuple[np.ndarray, np.ndarray]:
    """What a point of a set of n beside one of m counts for in `weighted_errors`, times n.

    The first is by how many own points come before the first of the other set (n values), the second by how many of the
    other set come before the first of the own (m + 1 values); a point counts for the sum of both.
    """
    from coterie._kernels.sampling import sampling_tables

    near = np.zeros((1, n))
    far = np.zeros(m + 1)
    places = nodes.priors, nodes.rest, nodes.weights
    sampling_tables(n, np.array([m]), places, np.array([m]), np.zeros(1, dtype=np.int64), near, far)
    return near[0], far


def weighted_errors(orders: Orders, nodes: Nodes) -> np.ndarray:
    """Sum over the nodes of weight x prior x mean error of the points of a set, for all pairs: (sets of rows, of cols)."""
    out = np.zeros((len(orders.sizes), len(orders.others)))
    rows = [np.flatnonzero(orders.sizes == n) for n in np.unique(orders.sizes)]
    sizes, which = np.unique(orders.others, return_inverse=True)

    def work(members: np.ndarray) -> np.ndarray:
        return _of_one_size(orders, nodes, members, sizes, which)

    each = in_order(work, rows, "divergences", size=len) if len(out) > _FEW else map(work, rows)
    for members, found in zip(rows, each, strict=True):
        out[members] = found
    return out


def _of_one_size(
    orders: Orders, nodes: Nodes, members: np.ndarray, sizes: np.ndarray, which: np.ndarray
) -> np.ndarray:
    """The same for sets of one size: a table for every size of the others, as long as counts go, and sums per set."""
    from coterie._kernels.sampling import sampling_tables

    n = int(orders.sizes[members[0]])
    starts = orders.starts
    ends = orders.ends
    some = [orders.own[starts[i] : starts[i] + n] for i in members]
    depth = max(_top(np.asarray(one.any(axis=1))) for one in some) + 1
    seen = np.flatnonzero(orders.other[members].any(axis=0))
    owner = np.searchsorted(ends, seen, side="right") - 1
    deepest = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(deepest, which[owner], seen - ends[owner])
    near = np.zeros((len(sizes), depth))
    begun = np.concatenate([[0], np.cumsum(deepest + 1)])
    far = np.zeros(begun[-1])
    sampling_tables(n, sizes, (nodes.priors, nodes.rest, nodes.weights), deepest, begun, near, far)
    counts = far[begun[which[owner]] + seen - ends[owner]]
    found = np.zeros((len(members), len(which)))
    wide = np.ascontiguousarray(near.T)[:, which]
    for at, (i, own) in enumerate(zip(members, some, strict=True)):
        found[at] = np.einsum("rj,rj->j", own[:depth], wide)
        found[at] += np.bincount(owner, orders.other[i, seen] * counts, minlength=len(which))
    return np.asarray(found / n)


def _top(counts: np.ndarray) -> int:
    """The largest number that occurs."""
    occurs = np.flatnonzero(counts)
    return int(occurs[-1]) if len(occurs) else 0


def divergences(
    there: Orders, back: Orders | None, f: FDivergence, nodes: Nodes, corrected: bool = True
) -> np.ndarray:
    """The divergence of every set of rows from every set of cols; without `back` the orders are those of one collection.

    Only the end is cut at zero, and at the value of laws that do not overlap where f has one.
    """
    first = weighted_errors(there, nodes)
    if back is None and f.symmetric:
        second = first.T
    else:
        second = weighted_errors(there if back is None else back, nodes.mirrored).T
    out = levels(there.sizes, there.others, nodes, corrected) - first - second
    if back is None:
        np.fill_diagonal(out, 0.0)
        out = (out + out.T) / 2 if f.symmetric else out
    return np.clip(out, 0.0, f.most)

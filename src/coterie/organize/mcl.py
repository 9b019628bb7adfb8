"""MCL: Markov clustering, flow on a graph that is expanded, inflated and pruned until it falls apart into groups."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

from coterie._kernels.mcl import bench_of, round_of
from coterie.core.affinity import Affinity, Graph
from coterie.core.errors import DataError
from coterie.core.estimator import Organizer
from coterie.core.hints import Hints
from coterie.core.params import param
from coterie.core.partition import numbered
from coterie.core.workplace import fits
from coterie.parts.constrained import Ties
from coterie.parts.iterate import Outcome, iterate
from coterie.parts.kept import tell_unkept
from coterie.parts.linking import arrays, staying, strongest, toward
from coterie.parts.neighbors import alike, undirected
from coterie.parts.pairwise import reduce_bands
from coterie.parts.tied_weights import tied_weights
from coterie.parts.workers import in_order

_BAND = 128  # columns of one task; a constant, so that nothing depends on the number of workers
_PAIR = 20  # bytes a pair at the peak: half of the links, their indices, and the same the other way
_STILL = 1e-6  # largest max - sum of squares of a column at which the flow has settled
_DYING = 1e-3  # share of a settled column's largest entry below which an entry is a remain
_RANGE = (1.1, 10.0)  # inflations tried for target_groups


class MCL(Organizer):
    """Markov clustering: flow on the graph gathers in groups.

    The columns of the graph are made to sum to one, with a loop as heavy as the heaviest link of each member. Then, round
    after round, the flow takes two steps (expansion), strong flow is favored over weak (inflation), and what is faint is
    dropped. It ends when every member's flow rests; members whose flow ends in the same place are a group. Hints change the
    links, and the flow may still go another way: pairs that are not kept are told of in a warning.
    """

    guided: ClassVar[bool] = True

    inflation: float = param(
        2.0, "How strongly strong links win; more gives more and smaller groups.", gt=1.0, le=30.0
    )
    expansion: int = param(2, "Steps of the walk in one round.", ge=2, le=10)
    prune: float = param(
        1e-5, "Flow below this share of its column, after inflation, is dropped.", ge=0.0, lt=0.5
    )
    keep: int = param(1400, "Most entries of a column that are kept.", ge=2, advanced=True)
    target_groups: int | None = param(
        None, "Tune the inflation to come near this many groups.", ge=1
    )
    clean: bool | None = param(
        None,
        "First keep of each row only what is above its mean; None does so unless given a graph.",
    )
    max_iter: int = param(100, "Most rounds.", ge=1, advanced=True)

    kind_: str
    cleaned_: bool
    inflation_: float
    shared_: np.ndarray
    history_: list[Any]
    converged_: bool

    def fit(self, X: Any, y: Any = None, hints: Hints | None = None) -> Self:
        """Cluster the graph; `shared_` names members drawn equally to several groups, `inflation_` what was used.

        `hints` are pairs that belong together or apart, and labels, which are such pairs too: links are made or taken away.
        """
        affinity = self.check_square(X)
        self.kind_ = affinity.kind
        self.cleaned_ = not isinstance(affinity, Graph) if self.clean is None else self.clean
        links = graph_of(affinity, clean=self.cleaned_)
        ties = Ties.of(self.check_hints(hints, len(affinity)), "MCL")
        links = links if ties is None else tied_weights(links, ties)
        order = reverse_cuthill_mckee(
            links, symmetric_mode=True
        )  # linked members side by side: read once, used often
        flow = _columns(links[order][:, order])
        self.inflation_ = float(self.inflation)
        outcome = (
            self._run(flow, self.inflation_)
            if self.target_groups is None
            else self._tuned(flow, self.target_groups)
        )
        place = np.argsort(order)
        labels, self.shared_ = read_groups(_matrix(outcome.state)[place][:, place])
        self.history_ = outcome.history
        self.converged_ = outcome.converged
        self.partition_, _ = numbered(labels, staying(arrays(links), labels))
        if ties is not None:
            tell_unkept(
                ties,
                labels,
                "it only changes links, while Spectral and Medoids keep pairs that are laws",
            )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group that gets most of a new member's links; -1 where it has none."""
        queries = self.check_queries(X)
        if queries.kind != self.kind_:
            raise DataError(
                f"MCL was fitted on a {self.kind_}, and predict was given a {queries.kind}."
            )
        links = _rows(alike(queries), clean=self.cleaned_, without_self=False)
        labels = self.partition_.labels
        n_groups = self.partition_.n_groups
        return strongest(toward(links, labels, n_groups))[0]

    def _run(
        self, flow: dict[str, np.ndarray], inflation: float, *, quiet: bool = False
    ) -> Outcome:
        keep = min(self.keep, len(flow["ptr"]) - 1)

        def step(state: Any) -> tuple[dict[str, np.ndarray], float]:
            return _round(state, self.expansion, inflation, self.prune, keep)

        def at_rest(_: Any, chaos: float) -> bool:
            return chaos < _STILL

        return iterate(
            step,
            flow,
            max_iter=self.max_iter,
            tol=_STILL,
            label="flow",
            settled=at_rest,
            quiet=quiet,
        )

    def _tuned(self, flow: dict[str, np.ndarray], wanted: int) -> Outcome:
        """Bisection on the inflation; the count nearest to the wish wins, the smaller inflation at a tie."""
        low, high = _RANGE
        best: tuple[int, float, Outcome] | None = None
        for inflation in [low, high] + [0.0] * 10:
            inflation = inflation or (low + high) / 2
            outcome = self._run(flow, inflation, quiet=True)
            found = int(read_groups(_matrix(outcome.state))[0].max()) + 1
            if best is None or (abs(found - wanted), inflation) < best[:2]:
                best = (abs(found - wanted), inflation, outcome)
            if found == wanted:
                break
            low, high = (inflation, high) if found < wanted else (low, inflation)
            if high <= low:
                break
        if best is None:
            raise DataError("MCL tried no inflation.")
        self.inflation_ = best[1]
        return best[2]


def graph_of(affinity: Affinity, *, clean: bool) -> Any:
    """The links of the members: positive similarities without loops, the same in both directions, as a sparse matrix.

    Where all are as alike as any, cleaning would leave nothing, and says nothing of them: then it is left out.
    """
    near = alike(affinity)
    if not isinstance(near, Graph):
        fits(
            _PAIR * near.shape[0] * near.shape[1],
            f"The links between all pairs of {len(near)} members",
            "take Spectral or Leiden, or keep neighbors first with compare.Neighborhood",
        )
    rows = _rows(near, clean=clean, without_self=True)
    if not clean or not rows.nnz:
        return undirected(_rows(near, clean=False, without_self=True) if clean else rows)
    mean = sp.csr_array((rows + rows.T) / 2)
    mean.sort_indices()
    return mean


def _rows(affinity: Affinity, *, clean: bool, without_self: bool) -> Any:
    """Positive entries row by row; cleaned: minus the row's mean, over its standard deviation, the positive ones kept."""
    if isinstance(affinity, Graph):
        return _clean_sparse(affinity.values, clean, without_self)
    n, m = affinity.shape
    parts = []

    def positive(values: np.ndarray, rows: slice, _: Affinity) -> tuple[Any]:
        own = np.arange(rows.start, rows.stop)
        if clean:
            values = _scores(values, own if without_self else None)
        if without_self:
            values[own - rows.start, own] = 0.0
        return (sp.csr_array(np.where(values > 0, values, 0.0)),)

    for _, part in reduce_bands(positive, affinity, label="links"):
        parts.append(part)
    return sp.csr_array(sp.vstack(parts, format="csr").reshape(n, m))


def _scores(values: np.ndarray, own: np.ndarray | None) -> np.ndarray:
    weights = np.ones_like(values)
    if own is not None:
        weights[np.arange(len(own)), own] = 0.0
    count = np.maximum(weights.sum(axis=1, keepdims=True), 1)
    mean = (values * weights).sum(axis=1, keepdims=True) / count
    spread = np.sqrt((np.square(values - mean) * weights).sum(axis=1, keepdims=True) / count)
    flat = spread <= 1e-12 * np.maximum(np.abs(mean), 1e-300)
    return np.where(flat, 0.0, (values - mean) / np.where(flat, 1.0, spread))


def _clean_sparse(matrix: Any, clean: bool, without_self: bool) -> Any:
    links = matrix.copy()
    if without_self:
        links.setdiag(0.0)
    links.data = np.maximum(links.data, 0.0)
    links.eliminate_zeros()
    if not clean:
        return links
    others = max(links.shape[1] - (1 if without_self else 0), 1)
    mean = np.asarray(links.sum(axis=1)).ravel() / others
    spread = np.sqrt(
        np.maximum(np.asarray(links.power(2).sum(axis=1)).ravel() / others - mean**2, 0.0)
    )
    flat = spread <= 1e-9 * np.maximum(mean, 1e-300)
    count = np.diff(links.indptr)
    scores = (links.data - np.repeat(mean, count)) / np.repeat(np.where(flat, 1.0, spread), count)
    links.data = np.where(np.repeat(flat, count), 0.0, np.maximum(scores, 0.0))
    links.eliminate_zeros()
    return links


def _columns(links: Any) -> dict[str, np.ndarray]:
    """The first flow: a loop as heavy as the member's heaviest link (1 where it has none), columns that sum to one."""
    n = links.shape[0]
    heaviest = np.asarray(links.max(axis=0).todense()).ravel() if links.nnz else np.zeros(n)
    flow = sp.csc_array(links + sp.diags_array(np.where(heaviest > 0, heaviest, 1.0)))
    flow.sort_indices()
    flow.data /= np.repeat(np.asarray(flow.sum(axis=0)).ravel(), np.diff(flow.indptr))
    return {
        "ptr": flow.indptr.astype(np.uint64),
        "idx": flow.indices.astype(np.uint32),
        "val": flow.data.astype(np.float32),
    }


def _round(
    state: Any, expansion: int, inflation: float, prune: float, keep: int
) -> tuple[dict[str, np.ndarray], float]:
    """Expand, inflate and prune every column."""
    ptr = state["ptr"]
    idx = state["idx"]
    val = state["val"]
    n = len(ptr) - 1
    spare: list[
        tuple[np.ndarray, ...]
    ] = []  # as many benches as there are workers, each used again and again

    def band(first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        last = min(first + _BAND, n)
        width = last - first
        rows = np.empty(width * keep, dtype=np.uint32)
        flow = np.empty(width * keep, dtype=np.float32)
        count = np.empty(width, dtype=np.uint64)
        chaos = np.empty(width)
        room = _taken(spare) or bench_of(n)
        filled = round_of(
            ptr,
            idx,
            val,
            first,
            last,
            expansion,
            inflation,
            prune,
            keep,
            room,
            rows,
            flow,
            count,
            chaos,
        )
        spare.append(room)
        return count, rows[:filled].copy(), flow[:filled].copy(), float(chaos.max())

    counts, rows, flows, chaos = zip(
        *in_order(band, list(range(0, n, _BAND)), "columns"), strict=True
    )
    new = np.concatenate(
        [np.zeros(1, dtype=np.uint64), np.cumsum(np.concatenate(counts), dtype=np.uint64)]
    )
    return {"ptr": new, "idx": np.concatenate(rows), "val": np.concatenate(flows)}, max(chaos)


def _taken(spare: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...] | None:
    try:
        return spare.pop()  # one step for all threads
    except IndexError:
        return None


def _matrix(state: Any) -> Any:
    n = len(state["ptr"]) - 1
    parts = (
        state["val"].astype(np.float64),
        state["idx"].astype(np.int64),
        state["ptr"].astype(np.int64),
    )
    return sp.csc_array(parts, shape=(n, n))


def read_groups(limit: Any) -> tuple[np.ndarray, np.ndarray]:
    """Groups of the settled flow: an attractor system and all whose flow ends in it; and the members drawn to several.

    A member between systems goes to the larger flow, to the system with the lowest attractor when they are equal.
    """
    n = limit.shape[0]
    limit = _settled(limit)
    attractors = np.flatnonzero(limit.diagonal() > 0)
    rows = sp.csr_array(limit)[attractors]
    n_systems, system = connected_components(rows[:, attractors], directed=False)
    gather = sp.csr_array(
        (np.ones(len(attractors)), (system, np.arange(len(attractors)))),
        shape=(n_systems, len(attractors)),
    )
    ends = sp.csr_array((gather @ rows).T)
    ends.sort_indices()
    labels, best = strongest(ends)
    lost = np.flatnonzero(labels < 0)
    labels[lost] = n_systems + np.arange(len(lost))
    near = ends.data > 0.5 * np.repeat(best, np.diff(ends.indptr))
    several = np.bincount(np.repeat(np.arange(n), np.diff(ends.indptr))[near], minlength=n) > 1
    return labels, np.flatnonzero(several)


def _settled(limit: Any) -> Any:
    """The flow without the remains of what is dying out: less than a thousandth of the largest entry of the column."""
    clear = sp.csc_array(limit, copy=True)
    top = np.maximum.reduceat(clear.data, clear.indptr[:-1])
    clear.data[clear.data < _DYING * np.repeat(top, np.diff(clear.indptr))] = 0.0
    clear.eliminate_zeros()
    return clear

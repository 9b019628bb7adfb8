"""Where the training of hidden Markov models begins: frames cut into states by k-means, or each sequence evenly.

States that are mixtures have their frames cut again, into components; symbols are cut by what stands around them.
"""

from __future__ import annotations

import numpy as np

from coterie.core.random import stream
from coterie.parts.emissions import Emissions, Floors, Sums
from coterie.parts.hmm import Bank
from coterie.parts.mixtures import Mixture
from coterie.parts.symbols import Categorical

_FRAMES = 20_000  # frames of one model looked at by k-means
_ROUNDS = 20
_TRIES = 10  # of k-means, fewer where a model has many frames; the tightest stays
_EVEN = 5.0  # concentration of the law the first steps are drawn from
_SOFT = 0.3  # share of a symbol that is given to all states alike, so that none begins without it
_AROUND = {
    -2: 1.0,
    -1: 1.0,
    0: 2.0,
    1: 1.0,
    2: 1.0,
}  # how much a symbol counts, by its place about the frame
_SYMBOLS = 256  # symbols that are told apart; of a larger alphabet several count as one here


def started(
    values: np.ndarray,
    offsets: np.ndarray,
    owners: np.ndarray,
    *,
    blank: Emissions,
    allowed: np.ndarray,
    floors: Floors,
    seeds: list[tuple[int, ...]],
    even: bool = False,
    topology: str = "ergodic",
) -> Bank:
    """One model per owner 0..M-1 before training: `blank` holds its laws before anything is seen, `seeds` its key.

    The frames of a model are cut into states by k-means (of scaled values; a missing one counts as the mean; the tightest
    of some tries, since models of short sequences hang on it), or evenly along each sequence when `even`; steps are drawn
    around equal shares where `allowed` (K, K) lets them.
    """
    n_models = len(seeds)
    n_states = blank.n_states
    lengths = np.diff(offsets)
    of_frame = np.repeat(owners, lengths)
    if even:
        place = np.arange(len(values)) - np.repeat(offsets[:-1], lengths)
        sizes = np.minimum(np.repeat(lengths, lengths), n_states)
        chosen = np.arange(len(values))
        labels = place * sizes // np.repeat(lengths, lengths)
    else:
        chosen = _looked_at(of_frame, n_models, seeds)
        if isinstance(blank, Categorical):
            points = _surroundings(
                blank.codes(values), np.repeat(np.arange(len(lengths)), lengths), chosen
            )
        else:
            points = _scaled(values[chosen], floors)
        labels = _clustered(points, of_frame[chosen], n_states, seeds, 0)
    frames = values[chosen]
    owned = of_frame[chosen]
    laws = blank.maximized(_sums(blank, frames, owned, labels, floors, seeds), floors)
    start = np.empty((n_models, n_states))
    transition = np.empty((n_models, n_states, n_states))
    for m, key in enumerate(seeds):
        drawn = stream(key[0], *key[1:], 1).gamma(_EVEN, size=(n_states, n_states)) * allowed
        transition[m] = drawn / drawn.sum(axis=1, keepdims=True)
        start[m] = np.eye(1, n_states)[0] if even else np.full(n_states, 1.0 / n_states)
    return Bank(start, transition, laws, topology)


def _sums(
    blank: Emissions,
    frames: np.ndarray,
    owners: np.ndarray,
    labels: np.ndarray,
    floors: Floors,
    seeds: list[tuple[int, ...]],
) -> Sums:
    """The sums of frames whose states are known."""
    n_states = blank.n_states
    if isinstance(blank, Mixture):
        parts = _split(_scaled(frames, floors), owners, labels, blank, seeds)
        return blank.component_sums(frames, owners, _one_hot(parts, n_states * blank.n_components))
    shares = _one_hot(labels, n_states)
    if isinstance(blank, Categorical):
        shares = (1 - _SOFT) * shares + _SOFT / n_states
    return blank.sums(frames, owners, shares)


def _split(
    points: np.ndarray,
    owners: np.ndarray,
    labels: np.ndarray,
    blank: Mixture,
    seeds: list[tuple[int, ...]],
) -> np.ndarray:
    """The component k * C + c of every frame: the frames of each state by k-means among themselves."""
    parts = np.zeros(len(labels), dtype=np.int64)
    for k in range(blank.n_states):
        mine = np.flatnonzero(labels == k)
        parts[mine] = k * blank.n_components + _clustered(
            points[mine], owners[mine], blank.n_components, seeds, 2 + k
        )
    return parts


def _looked_at(owners: np.ndarray, n_models: int, seeds: list[tuple[int, ...]]) -> np.ndarray:
    """Positions of the frames k-means looks at, model after model."""
    order = np.argsort(owners, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=n_models))])
    kept = [order[:0]]
    for m, key in enumerate(seeds):
        mine = order[bounds[m] : bounds[m + 1]]
        if len(mine) > _FRAMES:
            mine = np.sort(stream(key[0], *key[1:], 0, 0).choice(mine, _FRAMES, replace=False))
        kept.append(mine)
    return np.concatenate(kept)


def _scaled(frames: np.ndarray, floors: Floors) -> np.ndarray:
    """Values around the mean of all frames in units of their spread; a missing one is at the mean."""
    return np.nan_to_num((frames - floors.middle(frames)) / np.sqrt(floors.spread))


def _surroundings(codes: np.ndarray, sequences: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """How often each symbol stands at and about the chosen frames, within their sequence."""
    points = np.zeros((len(chosen), min(int(codes.max(initial=0)) + 1, _SYMBOLS)))
    for gap, weight in _AROUND.items():
        at = np.clip(chosen + gap, 0, len(codes) - 1)
        near = np.flatnonzero((sequences[at] == sequences[chosen]) & (at == chosen + gap))
        for column in range(codes.shape[1]):
            np.add.at(points, (near, codes[at[near], column] % points.shape[1]), weight)
    return points


def _clustered(
    points: np.ndarray, owners: np.ndarray, n_groups: int, seeds: list[tuple[int, ...]], use: int
) -> np.ndarray:
    """Groups by k-means within each model, the tightest of some tries; `use` keeps the draws of one purpose apart.

    A model has as many tries as its frames allow, whatever the others have.
    """
    from coterie._kernels.starts import kmeans_of_each

    order = np.argsort(owners, kind="stable")
    rows = np.ascontiguousarray(points[order])
    sizes = np.bincount(owners, minlength=len(seeds))
    draws = np.array(
        [stream(key[0], *key[1:], use).random((_TRIES, n_groups)) for key in seeds]
    ).reshape(-1, _TRIES, n_groups)
    tries = np.clip(_FRAMES // np.maximum(sizes, 1), 1, _TRIES)
    best = np.full(len(seeds), -np.inf)
    labels = np.zeros(len(points), dtype=np.int64)
    for turn in range(int(tries.max(initial=0))):
        models = np.flatnonzero(tries > turn)
        part = np.flatnonzero(np.repeat(tries > turn, sizes))
        found = np.zeros(len(part), dtype=np.int64)
        bounds = np.concatenate([[0], np.cumsum(sizes[models])])
        kmeans_of_each(rows[part], bounds, draws[models, turn], _ROUNDS, found)
        tight = _tightness(
            rows[part],
            np.repeat(np.arange(len(models)), sizes[models]),
            found,
            len(models),
            n_groups,
        )
        better = tight > best[models] + 1e-9 * np.abs(tight)
        best[models[better]] = tight[better]
        taken = np.repeat(better, sizes[models])
        labels[order[part[taken]]] = found[taken]
    return labels


def _tightness(
    rows: np.ndarray, owners: np.ndarray, labels: np.ndarray, n_models: int, n_groups: int
) -> np.ndarray:
    """Per model the squared sizes of its groups' sums over their counts: more is tighter, by what k-means minimizes."""
    from coterie._kernels.emissions import add_rows

    groups = owners * n_groups + labels
    sums = np.zeros((n_models * n_groups, rows.shape[1]))
    add_rows(rows, groups, sums)
    count = np.maximum(np.bincount(groups, minlength=len(sums)), 1)
    return np.asarray((np.square(sums).sum(axis=1) / count).reshape(n_models, n_groups).sum(axis=1))


def _one_hot(labels: np.ndarray, n: int) -> np.ndarray:
    shares = np.zeros((len(labels), n))
    shares[np.arange(len(labels)), labels] = 1.0
    return shares

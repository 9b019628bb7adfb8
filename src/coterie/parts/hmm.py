"""Banks of hidden Markov models: what every model says of every sequence, side by side.

A sequence may end in any state: nothing asks that the last one is reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.parts.emissions import Emissions, Normal

TOPOLOGIES = {
    "left-right": 1,
    "skips": 2,
    "ergodic": -1,
}  # states a step may go ahead; -1: anywhere
_CELLS = (
    2**16
)  # emission densities held at once: half a megabyte; a constant, so that results never depend on the workplace
_NEAR = 2**12  # links of a group of models scored side by side
_SIDE = 32  # models side by side at least
_FEW = 8  # states up to which sequences are done in lanes
_LEAST = 1e-100  # where no transition is below this, nothing that matters can be lost in the scaled recursion
_GONE = -430.0  # powers of two a likelihood may fall after something faint was lost on the way


@dataclass(frozen=True, slots=True, eq=False)
class Bank:
    """M models of K states: probabilities of beginning and of following, and what the states emit."""

    start: np.ndarray  # (M, K)
    transition: np.ndarray  # (M, K, K), rows sum to one
    emissions: Emissions
    topology: str = "ergodic"  # how steps are laid out for the kernels; a mask of one's own is ergodic with zeros

    @property
    def n_models(self) -> int:
        return int(self.start.shape[0])

    @property
    def n_states(self) -> int:
        return int(self.start.shape[1])

    @property
    def reach(self) -> int:
        """How many states back a step may come from; the number of states when it may come from anywhere."""
        ahead = ahead_in(self.topology)
        return self.n_states if ahead < 0 else min(ahead, self.n_states)

    def take(self, models: np.ndarray) -> Bank:
        """Some of the models."""
        return Bank(
            self.start[models], self.transition[models], self.emissions.take(models), self.topology
        )

    def put(self, models: np.ndarray, other: Bank) -> Bank:
        """The same bank with some models exchanged for others."""
        start = self.start.copy()
        transition = self.transition.copy()
        start[models] = other.start
        transition[models] = other.transition
        return Bank(start, transition, self.emissions.put(models, other.emissions), self.topology)

    def arrays(self) -> dict[str, np.ndarray]:
        """All numbers by name."""
        return {"start": self.start, "transition": self.transition, **self.emissions.arrays()}

    def with_arrays(self, arrays: Any) -> Bank:
        """The same kind of bank with other numbers."""
        return Bank(
            arrays["start"], arrays["transition"], self.emissions.with_arrays(arrays), self.topology
        )


def joined(banks: list[Bank]) -> Bank:
    """The models of several banks of one kind in one, in their order."""
    parts = [bank.arrays() for bank in banks]
    return banks[0].with_arrays(
        {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    )


def topology(name: str, n_states: int) -> np.ndarray:
    """Which state may follow which: (K, K) of bool.

    >>> topology("left-right", 3).astype(int).tolist()
    [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    """
    ahead = ahead_in(name)
    step = np.arange(n_states)[None, :] - np.arange(n_states)[:, None]
    return np.ones((n_states, n_states), dtype=bool) if ahead < 0 else (step >= 0) & (step <= ahead)


def viterbi_scores(bank: Bank, values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The log-likelihood of the best path of every sequence under every model: (n, M)."""
    from coterie._kernels.hmm import best_paths

    bounds = np.asarray(offsets, dtype=np.int64)
    out = np.zeros((len(bounds) - 1, bank.n_models))
    for models, part, old, new in _groups(bank, -np.inf):
        with np.errstate(divide="ignore"):
            start = np.log(part.start).T.ravel()
            links = np.log(_by_target(part.transition, part.reach))
        found = np.zeros((len(out), part.n_models))
        for lo, hi, rows in _blocks(part, values):
            best_paths(rows, bounds, lo, hi, start, links, part.reach, old, new, found)
        out[:, models] = found
    return out


def forward_scores(bank: Bank, values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The log-likelihood of every sequence under every model, all paths taken together: (n, M); -inf where there is none."""
    from coterie._kernels.hmm import FAINT, all_paths

    bounds = np.asarray(offsets, dtype=np.int64)
    out = np.zeros((len(bounds) - 1, bank.n_models))
    gone = np.zeros((len(bounds) - 1, bank.n_models))
    for models, part, old, new in _groups(bank, 0.0):
        start = part.start.T.ravel()
        links = _by_target(part.transition, part.reach)
        found = np.zeros((len(out), part.n_models))
        fell = np.zeros((0, part.n_models))
        if part.transition.min(initial=1.0) < _LEAST or ((start > 0) & (start < _LEAST)).any():
            tiny = [
                ((law > 0) & (law < FAINT)).reshape(part.n_models, -1).any(axis=1)
                for law in (part.start, part.transition)
            ]
            start = np.where(start < FAINT, 0.0, start)
            links = np.where(links < FAINT, 0.0, links)
            fell = np.where(tiny[0] | tiny[1], -1.0, np.zeros((len(out), 1)))
        power = np.zeros(part.n_models, dtype=np.int64)
        for lo, hi, rows in _blocks(part, values):
            all_paths(rows, bounds, lo, hi, start, links, part.reach, old, new, power, fell, found)
        out[:, models] = found
        gone[: len(fell), models] = fell
    lost = np.argwhere(gone < _GONE)
    if len(lost):
        redone(bank, values, bounds, lost, out)
    return out


def redone(
    bank: Bank, values: np.ndarray, offsets: np.ndarray, pairs: np.ndarray, out: np.ndarray
) -> None:
    """Fills in, from logarithms, the likelihoods of the pairs (sequence, model) that scaling could have lost."""
    from coterie._kernels.hmm import paths_in_logs

    with np.errstate(divide="ignore"):
        start = np.log(bank.start)
        links = np.log(np.ascontiguousarray(bank.transition.transpose(0, 2, 1)))
    found = np.empty(len(pairs))
    for first, last in chunks(
        np.concatenate([[0], np.cumsum(np.diff(offsets)[pairs[:, 0]])]), bank.n_states
    ):
        some, models = np.ascontiguousarray(pairs[first:last].T)
        rows, bounds = rows_of(offsets, some)
        order, width, longest = side_by_side(bounds, bank.n_states)
        b = np.ascontiguousarray(
            bank.emissions.own(values[rows], np.repeat(models, np.diff(bounds)))
        )
        paths_in_logs(
            b, bounds, longest, order, width, models, start, links, bank.reach, found[first:last]
        )
    out[pairs[:, 0], pairs[:, 1]] = found


def rows_of(offsets: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The frames of the chosen sequences one after another, and their offsets."""
    lengths = np.diff(offsets)[chosen]
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    return np.repeat(offsets[chosen] - bounds[:-1], lengths) + np.arange(bounds[-1]), bounds


def best_path(bank: Bank, model: int, values: np.ndarray) -> np.ndarray:
    """The state of every frame of one sequence on its best path under one model."""
    states, _ = best_paths_of(bank, values, np.array([0, len(values)]), np.array([model]))
    return states


def log_densities(bank: Bank, model: int, states: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Per frame and value the log-density in the state given: (T, d)."""
    laws = bank.emissions
    if not isinstance(laws, Normal) or laws.square:
        raise ParameterError(
            "The values of a frame can be told apart under diagonal Gaussian states only."
        )
    mean = laws.means[model, states]
    variance = laws.spreads[model, states]
    return np.asarray(-0.5 * (np.log(2 * np.pi * variance) + (values - mean) ** 2 / variance))


def _groups(
    bank: Bank, nothing: float
) -> Iterator[tuple[np.ndarray, Bank, np.ndarray, np.ndarray]]:
    """Models side by side whose links stay in the cache, and two rows of their states with room before the first state."""
    width = max(_SIDE, _NEAR // (bank.n_states * (bank.reach + 1)) // _SIDE * _SIDE)
    for first in range(0, bank.n_models, width):
        models = np.arange(first, min(first + width, bank.n_models))
        size = len(models) * (bank.n_states + (bank.reach if bank.reach < bank.n_states else 0))
        yield (
            models,
            bank.take(models),
            np.full(size, nothing),
            np.full(size, nothing),
        )  # rows apart, else no lanes


def _by_target(transition: np.ndarray, reach: int) -> np.ndarray:
    """Transitions in the layout of the kernels: into state k of model m, from the states before it or from all."""
    n_models, n_states, _ = transition.shape
    if reach == n_states:
        return np.ascontiguousarray(transition.transpose(1, 2, 0).reshape(n_states, -1))
    links = np.zeros((reach + 1, n_states, n_models))
    for back in range(reach + 1):
        links[back, back:] = np.diagonal(transition, back, axis1=1, axis2=2).T
    return links.reshape(reach + 1, -1)


def _blocks(bank: Bank, values: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """Blocks of frames with their emission log-densities under all models."""
    height = max(32, _CELLS // bank.start.size)
    for lo in range(0, len(values), height):
        hi = min(lo + height, len(values))
        yield lo, hi, bank.emissions.rows(values[lo:hi])


def best_paths_of(
    bank: Bank, values: np.ndarray, offsets: np.ndarray, models: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The state of every frame on the best path under the sequence's own model, and the log-likelihoods of the paths."""
    from coterie._kernels.hmm_training import best_states

    states = np.zeros(len(values), dtype=np.int64)
    found = np.zeros(len(models))
    with np.errstate(divide="ignore"):
        start = np.log(bank.start)
        links = np.log(bank.transition)
    for first, last in chunks(offsets, bank.n_states):
        lo = int(offsets[first])
        hi = int(offsets[last])
        own = models[first:last]
        bounds = offsets[first : last + 1] - lo
        lengths = np.diff(offsets[first : last + 1])
        b = bank.emissions.own(values[lo:hi], np.repeat(own, lengths))
        best_states(
            b,
            bounds,
            int(lengths.max()),
            own,
            start,
            links,
            bank.reach,
            states[lo:hi],
            found[first:last],
        )
    return states, found


def side_by_side(offsets: np.ndarray, n_states: int) -> tuple[np.ndarray, int, int]:
    """Sequences by their length, how many of them go through a kernel in lanes at once, and the greatest length."""
    n = len(offsets) - 1
    longest = int(np.diff(offsets).max(initial=1))
    most = max(8 if n_states * longest <= _CELLS else 1, min(_CELLS // (n_states * longest), _SIDE))
    return (
        np.argsort(np.diff(offsets), kind="stable"),
        min(most, -(-n // (8 * -(-n // most))) * 8),
        longest,
    )


def chunks(offsets: np.ndarray, n_states: int = 8) -> list[tuple[int, int]]:
    """Runs of whole sequences, (first, last + 1), of about as many frames each; constants, whatever the workplace."""
    found = []
    first = 0
    frames = min(max(_CELLS // n_states, 1024), 2**15)
    n = len(offsets) - 1
    while first < n:
        last = max(
            first + 1, int(np.searchsorted(offsets, offsets[first] + frames, side="right")) - 1
        )
        found.append((first, min(last, n)))
        first = found[-1][1]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """A chunk of whole sequences after forward and backward: posteriors of states, and what expected steps are made of.

    Expected steps into frame t of a sequence are transition * outer(ahead[t - 1], after[t]); or they are in `steps`. The
    sequences in `lost` could not be scaled and were done in logarithms: their steps are rows * exp(sizes).
    """

    first: int  # of the sequences
    offsets: np.ndarray  # from 0, of this chunk
    models: np.ndarray
    frames: slice
    shares: np.ndarray  # (T, K)
    ahead: np.ndarray  # (T, K)
    after: np.ndarray  # (T, K)
    steps: np.ndarray  # (sequences, K, K), or none
    values: np.ndarray  # log-likelihood per sequence
    least: np.ndarray  # per sequence, what a sum of shares must be above for the steps out of that state to be exact
    lost: np.ndarray  # positions within the chunk
    rows: np.ndarray  # (lost, K, K)
    sizes: np.ndarray  # (lost, K)


def passed(
    bank: Bank,
    values: np.ndarray,
    offsets: np.ndarray,
    models: np.ndarray,
    first: int,
    last: int,
    lanes: bool = False,
) -> Passed:
    """Forward and backward of the sequences first..last - 1 over all paths, each under its own model.

    With `lanes` models of few states are done many sequences at once: `steps` is filled, and not `ahead` and `after`.
    """
    from coterie._kernels.hmm_training import all_shares, lane_shares

    lo = int(offsets[first])
    hi = int(offsets[last])
    k = bank.n_states
    own = models[first:last]
    bounds = offsets[first : last + 1] - lo
    frames = values[lo:hi]
    laws = bank.emissions
    joint = bank.n_models == 1 and len(offsets) > 2
    b = np.ascontiguousarray(
        laws.rows(frames) if joint else laws.own(frames, np.repeat(own, np.diff(bounds)))
    )
    shares = np.empty_like(b)
    found = np.empty(len(own))
    least = np.empty(len(own))
    start = np.ascontiguousarray(bank.start)
    links = np.ascontiguousarray(bank.transition)
    order, width, longest = side_by_side(bounds, k)
    lanes = (
        lanes and k <= _FEW and k * longest <= _CELLS
    )  # by nothing that depends on the other sequences
    ahead = np.empty((0 if lanes else hi - lo, k))
    steps = np.zeros((len(own) if lanes else 0, k, k))
    if lanes:
        lane_shares(
            b, bounds, longest, order, width, own, start, links, shares, steps, found, least
        )
    else:
        order = np.lexsort((-np.diff(bounds), own))
        turned = np.ascontiguousarray(links.transpose(0, 2, 1))
        all_shares(b, bounds, order, own, start, links, turned, shares, ahead, found, least)
        ahead[bounds[1:] - 1] = 0.0  # no step leaves the last frame
    lost = np.flatnonzero(np.isnan(found))
    rows = np.zeros((len(lost), k, k))
    sizes = np.zeros((len(lost), k))
    every = np.ones(k, dtype=bool)
    for at, n in enumerate(lost):
        mine = slice(int(bounds[n]), int(bounds[n + 1]))
        found[n] = in_logs(
            bank, int(own[n]), frames[mine], every, shares[mine], rows[at], sizes[at]
        )
        if lanes:
            steps[n] = rows[at] * np.exp(sizes[at])[:, None]
        else:
            ahead[mine] = 0.0
            b[mine] = 0.0
    return Passed(
        first,
        bounds,
        own,
        slice(lo, hi),
        shares,
        ahead,
        b[: len(ahead)],
        steps,
        found,
        least,
        lost,
        rows,
        sizes,
    )


def in_logs(
    bank: Bank,
    model: int,
    frames: np.ndarray,
    wanted: np.ndarray,
    shares: np.ndarray,
    steps: np.ndarray,
    sizes: np.ndarray,
) -> float:
    """One sequence with nothing lost: fills its posteriors and its steps out of `wanted` states; its log-likelihood."""
    from coterie._kernels.hmm_training import shares_in_logs

    with np.errstate(divide="ignore"):
        start = np.log(bank.start[model])
        links = np.log(bank.transition[model])
    b = bank.emissions.own(frames, np.full(len(frames), model))
    top = np.maximum(
        b.max(axis=1, keepdims=True), -1e300
    )  # taken out first: far outliers would drown the differences
    return float(
        shares_in_logs(
            b - top, start, links, np.ascontiguousarray(links.T), wanted, shares, steps, sizes
        )
        + top.sum()
    )


def ahead_in(name: str) -> int:
    """How many states ahead a step may go; -1 for anywhere."""
    if name not in TOPOLOGIES:
        raise ParameterError(f"topology must be {' | '.join(TOPOLOGIES)}, and was {name!r}.")
    return TOPOLOGIES[name]

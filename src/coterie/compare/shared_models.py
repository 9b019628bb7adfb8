"""The shared models of state-space dynamics: how many states, models from several starts, and how members walk in them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from coterie.compare.dynamics import codes_of, counted
from coterie.core.errors import NotConverged
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.core.workplace import fits, stage
from coterie.models.hmm import HMM
from coterie.models.training import Plan, begun, rounds_of, trained
from coterie.parts.emissions import Floors, Normal
from coterie.parts.hmm import Bank, chunks
from coterie.parts.hmm_training import induced, posteriors
from coterie.parts.iterate import Outcome
from coterie.parts.workers import in_order

_SHARE = 0.1  # of an even share of all frames that every state must have
_TRIES = 15  # sizes fitted at most
_STAY = 0.5  # probability of staying in a state, to begin with
_WIDE = 0.3  # variance of the states to begin with, as a share of that of all frames
_PURPOSE = 9  # keeps the draws of the first steps apart from others of the same seed
_GAIN = 1e-4  # of the log-likelihood: what a last round may still gain without a word
_ALONE = (
    8  # chunks of frames from which models are trained one after the other, each on all workers
)


@dataclass(frozen=True, slots=True)
class Tried:
    """A first shared model of one size: its AIC (lower is better), and how many states have less than their share of frames."""

    n_states: int
    aic: float
    idle: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """How the number of states was found: what was tried, in order, and what was taken.

    >>> print(Sizes((Tried(12, 90.0, 2), Tried(6, 95.0, 0), Tried(10, 91.0, 0)), 10))
    states        AIC  states hardly used
        12       90.0                   2
         6       95.0                   0
        10       91.0                   0  <- taken
    """

    tried: tuple[Tried, ...]
    n_states: int

    def __str__(self) -> str:
        lines = [f"{'states':>6}  {'AIC':>9}  {'states hardly used':>18}"]
        for row in self.tried:
            lines.append(
                f"{row.n_states:>6}  {row.aic:>9.1f}  {row.idle:>18}{'  <- taken' * (row.n_states == self.n_states)}"
            )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, eq=False)
class Walks:
    """How every member walks through the states of one model."""

    steps: np.ndarray  # (N, K, K), rows sum to one; empty ones are zero
    empty: np.ndarray  # (N, K) of bool: no step out of this state
    occupancy: np.ndarray  # (N, K), frames in each state
    common: np.ndarray  # (K, K), the transitions of all members together
    visits: Callable[[], np.ndarray]  # () -> (N, K), steps out of each state

    @property
    def silent(self) -> np.ndarray:
        """(N,): members without any step."""
        return np.asarray(self.empty.all(axis=1))


class SharedHMM(HMM):
    """A hidden Markov model of all members that begins with wide states in which it tends to stay.

    States that overlap can come to differ by what precedes and follows them (a level that is passed on the way up, and the
    same level that is kept), where narrow ones only cut the values into levels. Their means are those of k-means with all
    correlations between the values taken out.
    """

    speaks: ClassVar[bool] = False  # said once for all shared models

    def train(
        self, plan: Plan, sequences: Ragged, owners: np.ndarray, keys: list[tuple[int, ...]]
    ) -> tuple[Bank, Outcome]:
        if plan.even or not isinstance(plan.blank, Normal):
            return trained(plan, sequences, owners, keys)
        return rounds_of(plan, wide_start(plan, sequences, owners, keys), sequences, owners)


def wide_start(
    plan: Plan, sequences: Ragged, owners: np.ndarray, keys: list[tuple[int, ...]]
) -> Bank:
    """One model per key before training: spread-out means, wide states, steps drawn at random with a tendency to stay."""
    assert isinstance(plan.blank, Normal)
    scale = np.sqrt(plan.floors.spread)
    center = plan.floors.middle(sequences.values)
    scaled = np.nan_to_num((sequences.values - center) / scale)
    spread, axes = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    width = np.sqrt(np.maximum(spread, 1e-3 * max(float(spread[-1]), 1e-12)))
    free = sequences.with_values(scaled @ (axes / width))
    shape = plan.blank.means.shape
    plain = replace(
        plan, blank=Normal(np.zeros(shape), np.ones(shape)), floors=Floors.of(free.values, 0.01)
    )
    bank = begun(plain, free, owners, keys)
    found: Any = bank.emissions
    laws = replace(
        plan.blank,
        means=(found.means * width) @ axes.T * scale + center,
        spreads=plan.blank.spreads * _WIDE,
    )
    follow = np.empty_like(bank.transition)
    for m, key in enumerate(keys):
        drawn = (
            stream(key[0], *key[1:], _PURPOSE).exponential(size=plan.allowed.shape) * plan.allowed
        )
        follow[m] = _STAY * np.eye(len(drawn)) * plan.allowed + (1 - _STAY) * drawn / drawn.sum(
            axis=1, keepdims=True
        )
    return Bank(bank.start, follow / follow.sum(axis=2, keepdims=True), laws, bank.topology)


def first_guess(n_members: int, n_frames: int) -> int:
    """States to begin with: 2.5 times the root of the number of members, at most a hundredth of the frames, from 2 to 40.

    >>> first_guess(200, 4000), first_guess(30, 300)
    (35, 3)
    """
    return int(np.clip(min(2.5 * np.sqrt(n_members), n_frames / 100), 2, 40))


def train_shared(
    base: HMM, sequences: Ragged, seeds: list[int], n_states: int | None
) -> tuple[list[HMM], list[Walks], Sizes]:
    """One model of all members per seed, all with as many states, and the walks of the members in each.

    Where no number of states is given it is a first guess, at most twice the number that AIC asks for (looked for by
    halving), less the states of the first model that have less than a tenth of an even share of the frames.
    """
    given = base.get_params(deep=False)

    def attempt(task: tuple[int, int]) -> tuple[HMM, Walks]:
        size, seed = task
        model = SharedHMM(**{**given, "n_states": size, "n_restarts": 1, "random_state": seed}).fit(
            sequences
        )
        return model, walks_in(model, sequences)

    size = n_states or first_guess(len(sequences), len(sequences.values))
    fits(
        2 * len(seeds) * len(sequences) * size**2 * 8,
        f"SSD with {len(seeds)} models of {size} states for {len(sequences)} members",
        "take fewer states (n_states) or models (n_models)",
    )
    first, sizes = _sized(size, seeds[0], n_states is None, attempt, sequences)
    found = [first, *_others(sequences, [(sizes.n_states, seed) for seed in seeds[1:]], attempt)]
    moving = sum(not model.converged_ and _gain(model.history_) > _GAIN for model, _ in found)
    if moving:
        said = f"SSD: {moving} of {len(found)} shared models did not converge in {base.max_iter} rounds"
        warnings.warn(
            f"{said}; allow more (model=HMM(max_iter=...)), or accept it.",
            NotConverged,
            stacklevel=3,
        )
    return [model for model, _ in found], [walks for _, walks in found], sizes


def _gain(history: list[float]) -> float:
    """What the last round gained, as a share of the log-likelihood."""
    return (
        abs(history[-1] - history[-2]) / max(abs(history[-1]), 1e-300)
        if len(history) > 1
        else np.inf
    )


def _others(
    sequences: Ragged, tasks: list[tuple[int, int]], attempt: Any
) -> list[tuple[HMM, Walks]]:
    """The further models: side by side, or one after the other on all workers where there are many frames."""
    if len(chunks(sequences.offsets)) < _ALONE:
        with stage("SSD"):
            return list(in_order(attempt, tasks, "shared models"))
    return [_staged(f"model {at}", attempt, task) for at, task in enumerate(tasks, start=2)]


def _sized(
    size: int, seed: int, free: bool, attempt: Any, sequences: Ragged
) -> tuple[tuple[HMM, Walks], Sizes]:
    """The first model, and how many states it has: as given, or looked for from a first guess downwards."""
    made: dict[int, tuple[HMM, Walks]] = {}
    tried: dict[int, Tried] = {}

    def at(n: int) -> Tried:
        if n not in tried:
            made[n] = _staged(f"{n} states", attempt, (n, seed))
            share = made[n][1].occupancy.sum(axis=0) / made[n][1].occupancy.sum()
            idle = int(np.sum(share < _SHARE / len(share))) + n - len(share)
            tried[n] = Tried(n, made[n][0].aic(sequences), idle)
        return tried[n]

    if free:
        best = size
        while best >= 4 and at(best // 2).aic < at(best).aic:
            best //= 2
        size = min(size, 2 * best)
        while at(size).idle and size > 2 and len(tried) < _TRIES:
            size = max(2, size - at(size).idle)
    at(size)
    return made[size], Sizes(tuple(tried.values()), size)


def _staged(name: str, work: Any, task: Any) -> Any:
    with stage(name):
        return work(task)


def walks_in(model: HMM, sequences: Ragged) -> Walks:
    """One pass over every member under one model."""
    checked = model.sequences(sequences, new=True)
    found = induced(model.bank_, checked.values, checked.offsets)

    def visits() -> np.ndarray:
        last = np.zeros_like(found.occupancy)
        owners = np.zeros(len(checked), dtype=np.int64)
        for part in posteriors(model.bank_, checked.values, checked.offsets, owners):
            last[part.first : part.first + len(part.models)] = part.shares[part.offsets[1:] - 1]
        return np.where(
            np.asarray(found.empty.all(axis=1))[:, None],
            0.0,
            np.maximum(found.occupancy - last, 0.0),
        )

    return Walks(found.steps, found.empty, found.occupancy, model.transition_, visits)


def walks_of_symbols(
    sequences: Ragged, alphabet: np.ndarray | None, common: np.ndarray | None
) -> tuple[Walks, np.ndarray]:
    """The transitions of the symbols themselves, and the alphabet; that of the fitted members where it is given."""
    codes, alphabet = codes_of(sequences.values, sequences.offsets, alphabet, "SSD")
    n = len(sequences)
    size = len(alphabet)
    fits(
        2 * n * size**2 * 8,
        f"SSD of {size} symbols for {n} members",
        "put rare symbols together first",
    )
    steps = counted(codes, sequences.offsets, size)
    left = steps.sum(axis=2)
    if common is None:
        common = steps.sum(axis=0) / np.maximum(left.sum(axis=0), 1.0)[:, None]
    owner = np.repeat(np.arange(n), sequences.lengths)[codes >= 0]
    occupancy = np.bincount(owner * size + codes[codes >= 0], minlength=n * size).reshape(n, size)
    steps /= np.maximum(left, 1.0)[:, :, None]
    return Walks(steps, left == 0, occupancy.astype(np.float64), common, lambda: left), alphabet

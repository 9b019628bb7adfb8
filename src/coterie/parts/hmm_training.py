"""Training of banks of hidden Markov models: from the first cut to the last round, by best paths or over all paths.

Left-right models begin in their first state. A model whose class has a sequence shorter than the states asked for has as
many states as that sequence has frames; the states it lacks are never reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.workplace import steady
from coterie.parts.emissions import SEEN, Floors, Normal, Sums, added
from coterie.parts.hmm import (
    Bank,
    Passed,
    ahead_in,
    best_paths_of,
    chunks,
    in_logs,
    passed,
    rows_of,
)
from coterie.parts.hmm import topology as follows
from coterie.parts.iterate import Outcome, iterate
from coterie.parts.workers import in_order

Training = Literal["viterbi", "baum-welch"]
_WORTH = 2e8  # multiplications of one pass from which workers gain more than they cost
_FAR = 4e9  # ... and from which workers elsewhere do, to whom the models must be sent


def fit_bank(
    values: np.ndarray,
    offsets: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    *,
    n_states: int,
    topology: str = "left-right",
    rounds: int = 5,
    training: Training = "viterbi",
    floor: float = 0.05,
    prior: float = 0.0,
    generator: np.random.Generator | None = None,
) -> Bank:
    """One model per class from the sequences `values[offsets[i]:offsets[i + 1]]` of class `classes[i]`, from 0.

    Training begins with each sequence cut evenly into its states; ergodic: frames cut evenly along a random direction.
    No variance falls below `floor` of the variance of all frames. `prior` is added to the count of every transition that
    the topology allows. `generator` is needed for ergodic models only, whose start is drawn.
    """
    values, offsets, classes = _plain(values, offsets, classes)
    lengths = np.diff(offsets)
    _check(values, lengths, classes, n_classes, n_states)
    floors = Floors.of(values, floor)
    shortest = np.full(n_classes, n_states, dtype=np.int64)
    np.minimum.at(shortest, classes, lengths)
    center = values.mean(axis=0)
    if ahead_in(topology) < 0:
        states = _sliced(
            values - center, np.repeat(classes, lengths), shortest, floors.least, generator
        )
    else:
        place = np.arange(len(values)) - np.repeat(offsets[:-1], lengths)
        states = place * np.repeat(shortest[classes], lengths) // np.repeat(lengths, lengths)
    bank = _blank(shortest, n_states, topology, center, floors.spread)
    sums = bank.emissions.sums(values, np.repeat(classes, lengths), np.eye(n_states)[states])
    found = Round(sums, *_counted(states, offsets, classes, bank), np.zeros(n_classes))
    bank = maximized(bank, found, floors, prior=1.0)
    return train_bank(
        bank, values, offsets, classes, rounds=rounds, training=training, floors=floors, prior=prior
    )[0]


def posteriors(
    bank: Bank, values: np.ndarray, offsets: np.ndarray, models: np.ndarray
) -> Iterator[Passed]:
    """Forward and backward over all paths of every sequence under its own model, chunk after chunk, on all workers."""

    def work(chunk: tuple[int, int]) -> Passed:
        return passed(bank, values, offsets, models, *chunk)

    return _through(work, bank, offsets)


def _through(
    work: Callable[[tuple[int, int]], Any], bank: Bank, offsets: np.ndarray, sums: bool = False
) -> Iterator[Any]:
    """The chunks one after the other, or on all workers where there is enough to do; the same results either way.

    Where only `sums` come back, and a round is long, they may be made by workers elsewhere.
    """
    parts = chunks(offsets, bank.n_states)
    cost = float(offsets[-1]) * bank.n_states * (bank.n_states + 2 * bank.emissions.dim)
    return (
        in_order(work, parts, "", travels=sums and cost > _FAR)
        if cost > _WORTH
        else map(work, parts)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Induced:
    """What one model sees of every sequence: how its states follow each other in it, and how long it stays in them."""

    steps: np.ndarray  # (N, K, K), rows sum to one
    empty: (
        np.ndarray
    )  # (N, K) of bool: no step out of this state is possible at all; its row is zero
    occupancy: np.ndarray  # (N, K), expected frames in each state
    values: np.ndarray  # (N,) log-likelihoods


def induced(bank: Bank, values: np.ndarray, offsets: np.ndarray) -> Induced:
    """The expected transitions of every sequence under the one model of the bank, rows brought to sum one.

    A row is exact however small its share: where scaling could have lost something the sequence is done in logarithms.
    A sequence of one frame, or one that the model cannot make (log-likelihood -inf), has empty rows only.
    """
    values, offsets, owners = _plain(values, offsets, np.zeros(len(offsets) - 1))
    shape = (len(owners), bank.n_states)
    out = Induced(
        np.zeros((*shape, shape[1])),
        np.zeros(shape, dtype=bool),
        np.empty(shape),
        np.empty(shape[0]),
    )

    def work(chunk: tuple[int, int]) -> None:
        _induce(bank, values, passed(bank, values, offsets, owners, *chunk, lanes=True), out)

    list(_through(work, bank, offsets))
    return out


def _induce(bank: Bank, values: np.ndarray, part: Passed, out: Induced) -> None:
    """One chunk of `induced`; `least` is infinite for a sequence that could not be scaled."""
    mine = slice(part.first, part.first + len(part.models))
    out.occupancy[mine] = np.add.reduceat(part.shares, part.offsets[:-1], axis=0)
    out.values[mine] = part.values
    shares = np.empty_like(part.shares)
    steps = np.empty_like(bank.transition[0])
    sizes = np.empty(bank.n_states)
    for n, (lo, hi) in enumerate(pairwise(part.offsets.tolist())):
        rows = out.steps[part.first + n]
        if len(part.steps):
            rows[:] = part.steps[n]
        else:
            np.matmul(part.ahead[lo : hi - 1].T, part.after[lo + 1 : hi], out=rows)
            rows *= bank.transition[0]
        unsure = rows.sum(axis=1) <= part.least[n]
        if unsure.any():
            in_logs(bank, 0, values[part.frames][lo:hi], unsure, shares[lo:hi], steps, sizes)
            rows[unsure] = steps[unsure]
    found = out.steps[mine]
    total = found.sum(axis=2, keepdims=True)
    out.empty[mine] = total[..., 0] == 0.0
    np.divide(found, total, out=found, where=total > 0)


def train_bank(
    bank: Bank,
    values: np.ndarray,
    offsets: np.ndarray,
    classes: np.ndarray,
    *,
    rounds: int = 5,
    training: Training = "viterbi",
    floor: float = 0.05,
    prior: float = 0.0,
    tol: float = 1e-6,
    floors: Floors | None = None,
    label: str = "hmm",
) -> tuple[Bank, Outcome]:
    """Train further, round by round, until the log-likelihood (of best paths, or of all) of every model rests.

    A model whose log-likelihood moves by no more than `tol` of its size is left as it is, and its sequences are not
    looked at again. A sequence that its model cannot make (likelihood zero) is refused.
    """
    if training not in ("viterbi", "baum-welch"):
        raise ParameterError(f"training must be viterbi | baum-welch, and was {training!r}.")
    values, offsets, classes = _plain(values, offsets, classes)
    floors = Floors.of(values, floor) if floors is None else floors

    def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        alive = np.flatnonzero(state["alive"])
        now = bank.with_arrays(state)
        part, some = (now, None) if len(alive) == now.n_models else (now.take(alive), alive)
        chosen = _of_models(values, offsets, classes, some, now.n_models)
        found = gathered(part, *chosen, training)
        better = maximized(part, found, floors, prior)
        likelihood = state["likelihood"].copy()
        likelihood[alive] = found.values
        moving = np.abs(likelihood - state["likelihood"]) > tol * np.maximum(
            np.abs(likelihood), 1e-300
        )
        after = better if some is None else now.put(alive, better)
        return {
            **after.arrays(),
            "alive": state["alive"] & moving,
            "likelihood": likelihood,
        }, float(likelihood.sum())

    state = {
        **bank.arrays(),
        "alive": np.ones(bank.n_models, dtype=bool),
        "likelihood": np.full(bank.n_models, -np.inf),
    }
    with steady():
        outcome = iterate(
            step,
            state,
            max_iter=rounds,
            tol=tol,
            label=label,
            settled=lambda s, _: not any(s["alive"]),
            quiet=True,
        )
    return bank.with_arrays(outcome.state), outcome


def _of_models(
    values: np.ndarray,
    offsets: np.ndarray,
    classes: np.ndarray,
    models: np.ndarray | None,
    n_models: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sequences of some models, the models numbered anew."""
    if models is None:
        return values, offsets, classes
    place = np.full(n_models, -1)
    place[models] = np.arange(len(models))
    chosen = np.flatnonzero(place[classes] >= 0)
    rows, bounds = rows_of(offsets, chosen)
    return values[rows], bounds, place[classes[chosen]]


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """Sums of one round of training, and the log-likelihood per model it began with."""

    sums: Sums
    first: np.ndarray  # (M, K)
    steps: np.ndarray  # (M, K, K)
    values: np.ndarray  # (M,)


def gathered(
    bank: Bank, values: np.ndarray, offsets: np.ndarray, classes: np.ndarray, training: Training
) -> Round:
    """The sums of one round over all sequences, chunk after chunk in their order."""
    if training == "viterbi":
        states, found = best_paths_of(bank, values, offsets, classes)
        _check_possible(found)
        sums = bank.emissions.sums(
            values, np.repeat(classes, np.diff(offsets)), np.eye(bank.n_states)[states]
        )
        return Round(
            sums,
            *_counted(states, offsets, classes, bank),
            np.bincount(classes, found, bank.n_models),
        )

    def work(chunk: tuple[int, int]) -> Round:
        part = passed(bank, values, offsets, classes, *chunk, lanes=True)
        _check_possible(part.values, part.first)
        owners = np.repeat(part.models, np.diff(part.offsets))
        first = np.zeros_like(bank.start)
        np.add.at(first, part.models, part.shares[part.offsets[:-1]])
        sums = bank.emissions.sums(values[part.frames], owners, part.shares)
        return Round(
            sums, first, steps_of(bank, part), np.bincount(part.models, part.values, bank.n_models)
        )

    return together(list(_through(work, bank, offsets, sums=True)))


def together(parts: list[Round]) -> Round:
    """The sums of several chunks, in their order."""
    whole = [sum(getattr(part, name) for part in parts) for name in ("first", "steps", "values")]
    return Round(added([part.sums for part in parts]), *whole)  # type: ignore[arg-type]


def steps_of(bank: Bank, part: Passed) -> np.ndarray:
    """The expected number of steps from state to state, per model: (M, K, K)."""
    steps = np.zeros_like(bank.transition)
    if len(part.steps):
        np.add.at(steps, part.models, part.steps)
        return steps
    if bank.n_models == 1:
        with steady():
            np.matmul(part.ahead[:-1].T, part.after[1:], out=steps[0])
    else:
        for m, (lo, hi) in zip(part.models.tolist(), pairwise(part.offsets.tolist()), strict=True):
            steps[m] += part.ahead[lo : hi - 1].T @ part.after[lo + 1 : hi]
    steps *= bank.transition
    np.add.at(steps, part.models[part.lost], part.rows * np.exp(part.sizes)[..., None])
    return steps


def _counted(
    states: np.ndarray, offsets: np.ndarray, classes: np.ndarray, bank: Bank
) -> tuple[np.ndarray, np.ndarray]:
    """Of given states: how often each begins a sequence of its model, and follows another."""
    first = np.zeros_like(bank.start)
    steps = np.zeros_like(bank.transition)
    np.add.at(first, (classes, states[offsets[:-1]]), 1.0)
    inner = np.ones(len(states), dtype=bool)
    inner[offsets[:-1]] = False
    at = np.flatnonzero(inner)
    np.add.at(steps, (np.repeat(classes, np.diff(offsets))[at], states[at - 1], states[at]), 1.0)
    return first, steps


def maximized(bank: Bank, found: Round, floors: Floors, prior: float) -> Bank:
    """The likeliest parameters for these sums; what was not seen stays as it was, what is not allowed stays so."""
    moves = np.where(bank.transition > 0, found.steps + prior, 0.0)
    begun = found.first.sum(axis=1)
    left = moves.sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.where(begun[:, None] > 0, found.first / begun[:, None], bank.start)
        transition = np.where(left[..., None] > SEEN, moves / left[..., None], bank.transition)
    return Bank(start, transition, bank.emissions.maximized(found.sums, floors), bank.topology)


def _blank(
    sizes: np.ndarray, n_states: int, name: str, center: np.ndarray, spread: np.ndarray
) -> Bank:
    """Models before anything is seen: every allowed step alike, all states like all frames."""
    inside = np.arange(n_states)[None, :] < sizes[:, None]
    allowed = follows(name, n_states)[None] & inside[:, None, :] & inside[:, :, None]
    allowed |= np.eye(n_states, dtype=bool)[None] & ~inside[:, :, None]
    start = (
        np.where(inside, 1.0, 0.0)
        if ahead_in(name) < 0
        else np.eye(1, n_states).repeat(len(sizes), axis=0)
    )
    shape = (len(sizes), n_states, len(center))
    laws = Normal(np.broadcast_to(center, shape).copy(), np.broadcast_to(spread, shape).copy())
    return Bank(
        start / start.sum(axis=1, keepdims=True),
        allowed / allowed.sum(axis=2, keepdims=True),
        laws,
        name,
    )


def _sliced(
    centered: np.ndarray,
    owner: np.ndarray,
    sizes: np.ndarray,
    least: np.ndarray,
    generator: np.random.Generator | None,
) -> np.ndarray:
    """States for ergodic models: the frames of a class in equal parts along one random direction."""
    direction = (generator or stream(0)).standard_normal(centered.shape[1]) / np.sqrt(least)
    order = np.lexsort((centered @ direction, owner))
    count = np.bincount(owner, minlength=len(sizes))
    rank = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    states = np.empty(len(owner), dtype=np.int64)
    states[order] = rank * np.repeat(sizes, count) // np.repeat(count, count)
    return states


def _check(
    values: np.ndarray, lengths: np.ndarray, classes: np.ndarray, n_classes: int, n_states: int
) -> None:
    if n_states < 1:
        raise ParameterError(f"n_states must be from 1, and was {n_states}.")
    if len(lengths) and lengths.min() < 1:
        raise DataError(
            f"Sequence {int(np.argmin(lengths))} is empty; a model needs at least one frame of each."
        )
    if not np.isfinite(values).all():
        at = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise DataError(f"Frame {at} has a value that is not a number; fill or drop it first.")
    absent = np.setdiff1d(np.arange(n_classes), classes)
    if len(absent):
        raise DataError(f"Class {int(absent[0])} has no sequence, so no model of it can be made.")


def _check_possible(found: np.ndarray, first: int = 0) -> None:
    lost = first + np.flatnonzero(~np.isfinite(found))
    if len(lost):
        raise DataError(
            f"Sequence {lost[0]} cannot come from its model, which gives a step or symbol in it no chance; leave it out."
        )


def _plain(
    values: np.ndarray, offsets: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        np.asarray(values, dtype=np.float64),
        np.asarray(offsets, dtype=np.int64),
        np.asarray(classes, dtype=np.int64),
    )

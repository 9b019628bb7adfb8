"""Training of banks of hidden Markov models: from the first cut to the last round, by best paths or over all paths.

Left-right models begin in their first state. A model whose class has a sequence shorter than the states asked for has as
many states as that sequence has frames; the states it lacks are never reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.parts.hmm import Bank, ahead_in, best_paths_of, in_logs
from coterie.parts.hmm import topology as follows
from coterie.parts.iterate import Outcome, iterate

Training = Literal["viterbi", "baum-welch"]
_SEEN = 1e-6  # frames (or shares of them) below which a state keeps what it had


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

    No variance falls below `floor` of the variance of all frames. `prior` is added to the count of every transition that
    the topology allows. `generator` is needed for ergodic models only, whose start is drawn.
    """
    bank = start_bank(values, offsets, classes, n_classes, n_states=n_states, topology=topology, floor=floor, generator=generator)
    trained, _ = train_bank(bank, values, offsets, classes, rounds=rounds, training=training, floor=floor, prior=prior)
    return trained


def start_bank(
    values: np.ndarray,
    offsets: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    *,
    n_states: int,
    topology: str = "left-right",
    floor: float = 0.05,
    generator: np.random.Generator | None = None,
) -> Bank:
    """Where training begins: each sequence cut evenly into its states; ergodic: frames cut evenly along a random direction."""
    from coterie._kernels.hmm_training import hard_sums

    values, offsets, classes = _plain(values, offsets, classes)
    lengths = np.diff(offsets)
    _check(values, lengths, classes, n_classes, n_states)
    least = _least_variances(values, floor)
    shortest = np.full(n_classes, n_states, dtype=np.int64)
    np.minimum.at(shortest, classes, lengths)
    center = values.mean(axis=0)
    if ahead_in(topology) < 0:
        states = _sliced(values - center, np.repeat(classes, lengths), shortest, least, generator)
    else:
        place = np.arange(len(values)) - np.repeat(offsets[:-1], lengths)
        states = place * np.repeat(shortest[classes], lengths) // np.repeat(lengths, lengths)
    sums = _empty_sums(n_classes, n_states, values.shape[1])
    hard_sums(values - center, offsets, classes, states, *sums.values())
    bank = _blank(shortest, n_states, topology, center, least / floor if floor > 0 else least)
    return _maximized(bank, sums, least, center, prior=1.0)


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
) -> tuple[Bank, Outcome]:
    """Train further, round by round, until the log-likelihood (of best paths, or of all) rests or the rounds are over."""
    if training not in ("viterbi", "baum-welch"):
        raise ParameterError(f"training must be viterbi | baum-welch, and was {training!r}.")
    values, offsets, classes = _plain(values, offsets, classes)
    center = values.mean(axis=0)
    centered = values - center
    least = _least_variances(values, floor)

    def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        now = _bank_of(state, bank.topology)
        sums, value = _gathered(now, centered, center, offsets, classes, training)
        return _state_of(_maximized(now, sums, least, center, prior)), value

    outcome = iterate(step, _state_of(bank), max_iter=rounds, tol=tol, label="hmm", quiet=True)
    return _bank_of(outcome.state, bank.topology), outcome


def _gathered(
    bank: Bank, centered: np.ndarray, center: np.ndarray, offsets: np.ndarray, classes: np.ndarray, training: Training
) -> tuple[dict[str, np.ndarray], float]:
    """Sums of one round of training, and the log-likelihood of the models it began with."""
    import coterie._kernels.hmm_training as kernels

    hard_sums: Any = kernels.hard_sums
    soft_sums: Any = kernels.soft_sums
    sums = _empty_sums(bank.n_models, bank.n_states, centered.shape[1])
    moved = Bank(bank.start, bank.transition, bank.means - center, bank.variances, bank.topology)
    if training == "viterbi":
        states, found = best_paths_of(moved, centered, offsets, classes)
        hard_sums(centered, offsets, classes, states, *sums.values())
    else:
        found = np.zeros(len(classes))
        soft_sums(centered, offsets, classes, *in_logs(moved), *sums.values(), found)
    return sums, float(found.sum())


def _maximized(bank: Bank, sums: Mapping[str, np.ndarray], least: np.ndarray, center: np.ndarray, prior: float) -> Bank:
    """The likeliest parameters for these sums; what was not seen stays as it was."""
    allowed = bank.transition > 0
    moves = np.where(allowed, sums["moves"] + prior, 0.0)
    begun, left, seen = sums["first"].sum(axis=1), moves.sum(axis=2), sums["count"]
    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.where(begun[:, None] > 0, sums["first"] / begun[:, None], bank.start)
        transition = np.where(left[..., None] > _SEEN, moves / left[..., None], bank.transition)
        mean = sums["total"] / seen[..., None]
        variance = np.maximum(sums["square"] / seen[..., None] - mean * mean, least)
    there = seen[..., None] > _SEEN
    means, variances = np.where(there, mean + center, bank.means), np.where(there, variance, bank.variances)
    return Bank(start, transition, means, variances, bank.topology)


def _blank(sizes: np.ndarray, n_states: int, name: str, center: np.ndarray, spread: np.ndarray) -> Bank:
    """Models before anything is seen: every allowed step alike, all states like all frames."""
    inside = np.arange(n_states)[None, :] < sizes[:, None]
    allowed = follows(name, n_states)[None] & inside[:, None, :] & inside[:, :, None]
    allowed |= np.eye(n_states, dtype=bool)[None] & ~inside[:, :, None]
    start = np.where(inside, 1.0, 0.0) if ahead_in(name) < 0 else np.eye(1, n_states).repeat(len(sizes), axis=0)
    shape = (len(sizes), n_states, len(center))
    means, variances = np.broadcast_to(center, shape).copy(), np.broadcast_to(spread, shape).copy()
    return Bank(start / start.sum(axis=1, keepdims=True), allowed / allowed.sum(axis=2, keepdims=True), means, variances, name)


def _sliced(
    centered: np.ndarray, owner: np.ndarray, sizes: np.ndarray, least: np.ndarray, generator: np.random.Generator | None
) -> np.ndarray:
    """States for ergodic models: the frames of a class in equal parts along one random direction."""
    direction = (generator or stream(0)).standard_normal(centered.shape[1]) / np.sqrt(least)
    order = np.lexsort((centered @ direction, owner))
    count = np.bincount(owner, minlength=len(sizes))
    rank = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    states = np.empty(len(owner), dtype=np.int64)
    states[order] = rank * np.repeat(sizes, count) // np.repeat(count, count)
    return states


def _empty_sums(n_models: int, n_states: int, width: int) -> dict[str, np.ndarray]:
    few, many = (n_models, n_states), (n_models, n_states, width)
    return {
        "first": np.zeros(few),
        "moves": np.zeros((*few, n_states)),
        "count": np.zeros(few),
        "total": np.zeros(many),
        "square": np.zeros(many),
    }


def _least_variances(values: np.ndarray, floor: float) -> np.ndarray:
    """The floor of the variances; one for a value that never changes, so that it tells no models apart."""
    spread = values.var(axis=0)
    constant = spread <= 1e-24 * np.abs(values).max(axis=0, initial=0.0) ** 2
    return np.where(constant, 1.0, np.maximum(floor * spread, 1e-12 * spread))


def _check(values: np.ndarray, lengths: np.ndarray, classes: np.ndarray, n_classes: int, n_states: int) -> None:
    if n_states < 1:
        raise ParameterError(f"n_states must be from 1, and was {n_states}.")
    if len(lengths) and lengths.min() < 1:
        raise DataError(f"Sequence {int(np.argmin(lengths))} is empty; a model needs at least one frame of each.")
    if not np.isfinite(values).all():
        at = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise DataError(f"Frame {at} has a value that is not a number; fill or drop it first.")
    absent = np.setdiff1d(np.arange(n_classes), classes)
    if len(absent):
        raise DataError(f"Class {int(absent[0])} has no sequence, so no model of it can be made.")


def _plain(values: np.ndarray, offsets: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.asarray(values, dtype=np.float64), np.asarray(offsets, dtype=np.int64), np.asarray(classes, dtype=np.int64)


def _state_of(bank: Bank) -> dict[str, np.ndarray]:
    return {"start": bank.start, "transition": bank.transition, "means": bank.means, "variances": bank.variances}


def _bank_of(state: Mapping[str, np.ndarray], name: str) -> Bank:
    return Bank(state["start"], state["transition"], state["means"], state["variances"], name)

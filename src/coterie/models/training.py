"""One training of models from start to end: the start, the rounds, and what becomes of a state that explains nothing."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from coterie.core.ragged import Ragged
from coterie.core.workplace import stage
from coterie.models.families import kept_states
from coterie.parts.emissions import Emissions, Floors
from coterie.parts.hmm import Bank, best_paths_of
from coterie.parts.hmm_start import started
from coterie.parts.hmm_training import posteriors, train_bank
from coterie.parts.iterate import Outcome
from coterie.parts.mixtures import Mixture

_MASS = 0.1  # expected steps (in all members) below which a state explains nothing


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How models are trained: blank laws, allowed steps, floors, what is added to counts of steps, and when to stop."""

    blank: Emissions  # as many models as are trained
    allowed: np.ndarray  # (K, K) of bool
    layout: str
    even: bool  # whether every sequence is first cut evenly into the states
    floors: Floors
    prior: float
    max_iter: int
    tol: float
    label: str


def trained(
    plan: Plan, sequences: Ragged, owners: np.ndarray, keys: list[tuple[int, ...]]
) -> tuple[Bank, Outcome]:
    """One model per key, from its own start."""
    return rounds_of(plan, begun(plan, sequences, owners, keys), sequences, owners)


def begun(plan: Plan, sequences: Ragged, owners: np.ndarray, keys: list[tuple[int, ...]]) -> Bank:
    """One model per key before training."""
    return started(
        sequences.values,
        sequences.offsets,
        owners,
        blank=plan.blank,
        allowed=plan.allowed,
        floors=plan.floors,
        seeds=keys,
        even=plan.even,
        topology=plan.layout,
    )


def within_states(bank: Bank, sequences: Ragged) -> np.ndarray:
    """The covariance of frames about the state they are in, (d, d), each member under its own model, pooled over all."""
    frames = sequences.values
    laws = bank.emissions
    owners = np.arange(len(sequences))
    states, _ = best_paths_of(bank, frames, sequences.offsets, owners)
    means: Any = laws.components.means if isinstance(laws, Mixture) else laws.arrays()["means"]
    of_frame = np.repeat(owners, sequences.lengths)
    if isinstance(laws, Mixture):
        parts = np.square(frames[:, None] - means[of_frame]).sum(axis=2)
        parts[np.arange(parts.shape[1])[None, :] // laws.n_components != states[:, None]] = np.inf
        states = np.nan_to_num(parts, nan=np.inf).argmin(axis=1)
    gap = frames - means[of_frame, states]
    gaps = np.isnan(gap)
    used = len(np.unique(of_frame * means.shape[1] + states))
    if gaps.any():
        known = np.maximum((~gaps).sum(axis=0) - used, 1)
        return np.diag(np.square(np.where(gaps, 0.0, gap)).sum(axis=0) / known)
    return np.asarray(gap.T @ gap / max(len(gap) - used, 1))


def rounds_of(
    plan: Plan, bank: Bank, sequences: Ragged, owners: np.ndarray
) -> tuple[Bank, Outcome]:
    """The same models after training."""
    return train_bank(
        bank,
        sequences.values,
        sequences.offsets,
        owners,
        rounds=plan.max_iter,
        training="baum-welch",
        prior=plan.prior,
        tol=plan.tol,
        floors=plan.floors,
        label=plan.label,
    )


def settled(plan: Plan, bank: Bank, outcome: Outcome, sequences: Ragged) -> tuple[Bank, Outcome]:
    """One model without states that explain nothing: each is begun again once at the frame explained worst, then removed."""
    if bank.n_states == 1 or plan.even:
        return bank, outcome
    idle = masses(bank, sequences) < _MASS
    if not idle.any():
        return bank, outcome
    with stage("again"):
        second, again = rounds_of(
            plan,
            _begun_again(plan, bank, idle, sequences),
            sequences,
            np.zeros(len(sequences), np.int64),
        )
    if again.value > outcome.value:
        bank = second
        outcome = again
    keep = np.flatnonzero(masses(bank, sequences) >= _MASS)
    lost = bank.n_states - len(keep)
    if lost:
        said = (
            "1 state explains nothing even after a second start and was"
            if lost == 1
            else (f"{lost} states explain nothing even after a second start and were")
        )
        warnings.warn(
            f"{plan.label}: {said} removed; the model has {len(keep)}.", UserWarning, stacklevel=4
        )
        bank = without(bank, keep, plan.allowed)
    return bank, outcome


def masses(bank: Bank, sequences: Ragged) -> np.ndarray:
    """The expected number of steps spent in each state of the one model, over all members."""
    owners = np.zeros(len(sequences), dtype=np.int64)
    parts = [
        part.shares.sum(axis=0)
        for part in posteriors(bank, sequences.values, sequences.offsets, owners)
    ]
    return np.asarray(np.sum(parts, axis=0))


def without(bank: Bank, keep: np.ndarray, allowed: np.ndarray) -> Bank:
    """The model with some of its states only; what led elsewhere is shared out among them."""
    start = bank.start[:, keep]
    transition = bank.transition[:, keep][:, :, keep]
    transition = np.where(
        transition.sum(axis=2, keepdims=True) > 0, transition, 1.0 * allowed[np.ix_(keep, keep)]
    )
    left = transition.sum(axis=2, keepdims=True)
    transition = np.where(left > 0, transition / np.where(left > 0, left, 1.0), np.eye(len(keep)))
    return Bank(
        start / start.sum(axis=1, keepdims=True),
        transition,
        kept_states(bank.emissions, keep),
        bank.topology,
    )


def _begun_again(plan: Plan, bank: Bank, idle: np.ndarray, sequences: Ragged) -> Bank:
    """The model with its idle states at the frames that the others explain worst, and open to all steps allowed."""
    frames = sequences.values
    k = bank.n_states
    busy = np.flatnonzero(~idle)
    laws = kept_states(bank.emissions, busy)
    density = np.concatenate(
        [logsumexp(laws.rows(frames[lo : lo + 8192]), axis=1) for lo in range(0, len(frames), 8192)]
    )
    known = np.isfinite(frames).sum(axis=1)
    density = np.where(known > 0, density / np.maximum(known, 1), np.inf)
    worst = np.argsort(density, kind="stable")[: int(idle.sum())]
    shares = np.zeros((len(worst), k))
    shares[np.arange(len(worst)), np.flatnonzero(idle)[: len(worst)]] = 1.0
    seeded = plan.blank.maximized(
        plan.blank.sums(frames[worst], np.zeros(len(worst), dtype=np.int64), shares), plan.floors
    )
    wide = {"spreads": plan.blank.arrays().get("spreads")}
    mixed: dict[str, np.ndarray] = {}
    fresh: Any = seeded.arrays()
    for name, array in bank.emissions.arrays().items():
        source = wide.get(name)
        mixed[name] = array.copy()
        mixed[name][:, idle] = (fresh[name] if source is None else source)[:, idle]
    even = plan.allowed / plan.allowed.sum(axis=1, keepdims=True)
    transition = np.where(idle[:, None], even, (1 - 1 / k) * bank.transition[0] + even / k)
    start = (1 - 1 / k) * bank.start[0] + 1 / k**2
    return Bank(start[None], transition[None], bank.emissions.with_arrays(mixed), bank.topology)

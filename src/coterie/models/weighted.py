"""One round of training in which every member counts for every model by a weight: what mixtures of models are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coterie.core.ragged import Ragged
from coterie.parts.emissions import Floors
from coterie.parts.hmm import Bank, Passed, chunks, joined, passed
from coterie.parts.hmm_training import Round, maximized, steps_of, together
from coterie.parts.workers import in_order

Weigh = Callable[[np.ndarray], np.ndarray]  # log-likelihoods (n, M) -> weights (n, M)


def weighted_round(
    bank: Bank, sequences: Ragged, weigh: Weigh, floors: Floors, prior: float
) -> tuple[Bank, np.ndarray]:
    """The models after one weighted round of Baum-Welch, and the log-likelihoods (N, M) they had before it."""
    singles = [bank.take(np.array([m])) for m in range(bank.n_models)]
    nobody = np.zeros(len(sequences), dtype=np.int64)

    def work(chunk: tuple[int, int]) -> tuple[list[Round], np.ndarray]:
        parts = [
            passed(one, sequences.values, sequences.offsets, nobody, *chunk) for one in singles
        ]
        values = np.stack([part.values for part in parts], axis=1)
        weights = weigh(values)
        frames = sequences.values[parts[0].frames]
        each = zip(singles, parts, weights.T, strict=True)
        return [_summed(one, frames, _scaled(part, weight)) for one, part, weight in each], values

    found = list(in_order(work, chunks(sequences.offsets), "mixture"))
    better = [
        maximized(one, together([parts[m] for parts, _ in found]), floors, prior)
        for m, one in enumerate(singles)
    ]
    return joined(better), np.concatenate([values for _, values in found])


def _scaled(part: Passed, weights: np.ndarray) -> Passed:
    """The chunk with every member counted by its weight; one that the model cannot make counts nothing."""
    weights = np.where(np.isfinite(part.values), weights, 0.0)
    per_step = np.repeat(weights, np.diff(part.offsets))[:, None]
    held = per_step > 0
    shares = np.where(held, part.shares, 0.0) * per_step
    ahead = np.where(held, part.ahead, 0.0) * per_step
    rows = (
        np.where(weights[part.lost, None, None] > 0, part.rows, 0.0)
        * weights[part.lost, None, None]
    )
    after = np.where(held, part.after, 0.0)
    return replace(part, shares=shares, ahead=ahead, after=after, rows=rows)


def _summed(one: Bank, frames: np.ndarray, part: Passed) -> Round:
    sums = one.emissions.sums(frames, np.zeros(len(frames), dtype=np.int64), part.shares)
    return Round(
        sums, part.shares[part.offsets[:-1]].sum(axis=0)[None], steps_of(one, part), np.zeros(1)
    )

"""What can be read off stacks of transition matrices, one per sequence: joint and stationary laws, diffusion, scores.

A stack is (N, K, K): row k of matrix n says how state k is left in sequence n. Rows sum to one, or are empty (zero).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from coterie.core.errors import DataError
from coterie.core.workplace import steady
from coterie.parts.iterate import iterate
from coterie.parts.workers import in_order

_SLICE = 256  # matrices handled together; a constant, so that results never depend on the workplace
_ROUNDS = 1000  # of the power iteration at most
_STILL = 1e-10  # total change of a law below which it rests


def filled(rows: np.ndarray, empty: np.ndarray, common: np.ndarray) -> np.ndarray:
    """The same rows, with the common row (of the shared model) in the place of each empty one."""
    if not empty.any():
        return rows
    full = rows.copy()
    member, state = np.nonzero(empty)
    full[member, state] = common[state]
    return full


def joint(rows: np.ndarray, visits: np.ndarray) -> np.ndarray:
    """Shares of each step among all steps of a sequence: (N, K, K) summing to one; `visits` (N, K) are steps out of a state."""
    total = visits.sum(axis=1)[:, None, None]
    counts = rows * visits[:, :, None]
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


def without_stays(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows given that the state is left (no diagonal, brought to sum one), and which rows (N, K) have such a step at all."""
    moves = rows.copy()
    own = np.arange(rows.shape[1])
    moves[:, own, own] = 0.0
    total = moves.sum(axis=2, keepdims=True)
    moving = total > 0
    np.divide(moves, total, out=moves, where=moving)
    return moves, moving[:, :, 0]


def diffused(rows: np.ndarray, steps: int) -> np.ndarray:
    """Where each state leads in that many steps: matrix powers, by repeated squaring."""
    return _in_slices(
        lambda part: np.linalg.matrix_power(part[0], steps), (rows,), np.empty_like(rows)
    )


def stationary(rows: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The law (N, K) that each chain keeps when it begins with `start`, also where it has several such laws.

    Power iteration with every other step a rest: it tends to the mean over time (Cesaro) of the chain itself, which
    exists for periodic chains too.
    """
    total = start.sum(axis=1, keepdims=True)
    begun = np.where(total > 0, start, 1.0)
    begun = begun / begun.sum(axis=1, keepdims=True)
    return _in_slices(lambda part: _kept(*part), (rows, begun), np.empty_like(begun))


def _kept(rows: np.ndarray, law: np.ndarray) -> np.ndarray:
    """The stationary laws of one slice; chains that rest are not looked at again."""

    def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        now = state["law"].copy()
        moving = np.flatnonzero(state["moving"])
        before = now[moving]
        after = 0.5 * (before + np.matmul(before[:, None, :], rows[moving])[:, 0])
        after /= after.sum(axis=1, keepdims=True)
        moved = np.abs(after - before).sum(axis=1)
        now[moving] = after
        still = np.zeros_like(state["moving"])
        still[moving] = moved > _STILL
        return {"law": now, "moving": still}, float(moved.max(initial=0.0))

    begun = {"law": law, "moving": np.ones(len(law), dtype=bool)}

    def rests(state: Mapping[str, np.ndarray], _: float) -> bool:
        return not state["moving"].any()

    return iterate(
        step, begun, max_iter=_ROUNDS, tol=0.0, label="stationary", settled=rests, quiet=True
    ).state["law"]


def _in_slices(
    work: Callable[[tuple[np.ndarray, ...]], np.ndarray],
    data: tuple[np.ndarray, ...],
    out: np.ndarray,
) -> np.ndarray:
    spots = [slice(at, min(at + _SLICE, len(out))) for at in range(0, len(out), _SLICE)]
    with steady():
        for spot, found in zip(
            spots,
            in_order(lambda s: work(tuple(a[s] for a in data)), spots, "dynamics"),
            strict=True,
        ):
            out[spot] = found
    return out


def fisher(rows: np.ndarray, visits: np.ndarray, common: np.ndarray) -> np.ndarray:
    """Scores of the shared transitions per frame: (N_ij / A_ij - sum_l N_il) / T, where N are expected steps."""
    ratio = np.divide(rows, common, out=np.zeros_like(rows), where=common > 0)
    score = np.where(common > 0, (ratio - 1.0) * visits[:, :, None], 0.0)
    return np.asarray(score / (visits.sum(axis=1) + 1.0)[:, None, None])


def counted(symbols: np.ndarray, offsets: np.ndarray, n_symbols: int) -> np.ndarray:
    """How often each symbol follows each other in every sequence: (N, V, V); steps from or to a missing symbol (-1) not."""
    n = len(offsets) - 1
    owner = np.repeat(np.arange(n), np.diff(offsets))
    inner = (owner[1:] == owner[:-1]) & (symbols[1:] >= 0) & (symbols[:-1] >= 0)
    place = (owner[1:] * n_symbols + symbols[:-1]) * n_symbols + symbols[1:]
    found = np.bincount(place[inner], minlength=n * n_symbols**2)
    return found.reshape(n, n_symbols, n_symbols).astype(np.float64)


def codes_of(
    values: np.ndarray, offsets: np.ndarray, alphabet: np.ndarray | None, owner: str
) -> tuple[np.ndarray, np.ndarray]:
    """The position of every symbol in the alphabet (-1 where it is missing), and the alphabet (all symbols seen if None)."""
    if values.shape[1] != 1:
        raise DataError(
            f"observed states are one symbol per step, and these members have {values.shape[1]} values.",
            owner=owner,
        )
    column = np.asarray(values[:, 0], dtype=np.float64)
    known = ~np.isnan(column)
    if alphabet is None:
        alphabet = np.unique(column[known])
    codes = np.full(len(column), -1, dtype=np.int64)
    spot = np.minimum(np.searchsorted(alphabet, column[known]), max(len(alphabet) - 1, 0))
    strange = np.zeros(len(column), dtype=bool)
    strange[known] = alphabet[spot] != column[known] if len(alphabet) else True
    if strange.any():
        at = int(np.argmax(strange))
        member = int(np.searchsorted(offsets, at, side="right")) - 1
        raise DataError(
            f"member {member} has the symbol {column[at]:g}, which no fitted member has; drop it first.",
            owner=owner,
        )
    codes[known] = spot
    return codes, alphabet

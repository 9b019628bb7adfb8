"""Similarity network fusion (Wang et al. 2014): each network takes up what the others know through its own neighbourhoods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie.core.affinity import Affinity, Dense
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import fits, steady
from coterie.parts.iterate import State, iterate
from coterie.parts.pairwise import dense

_ROUNDS = 20  # rounds of exchange, as in the paper
_MU = 0.5  # width of the local kernel, as in the paper
_EPS = np.finfo(np.float64).tiny


def network_fusion(affinities: Sequence[Affinity], shares: np.ndarray, neighbors: int) -> Dense:
    """The fused similarity of two or more square affinities; one affinity is only made a network."""
    if not all(a.square for a in affinities):
        raise DataError(
            "networks are members x members, and an affinity is queries x members.", owner="fuse"
        )
    if neighbors < 1:
        raise ParameterError(f"neighbors must be from 1, and was {neighbors}.", owner="fuse")
    n, kept = affinities[0].n, min(neighbors, max(affinities[0].n - 1, 1))
    fits(
        n * n * 8 * (2 * len(affinities) + 2),
        f"The fusion of {len(affinities)} networks of {n} members",
    )
    with steady():
        networks = [_network(a, kept) for a in affinities]
        start = {f"network{v}": _balanced(w) for v, w in enumerate(networks)}
        local = [_local(network, kept) for network in start.values()]
        if len(networks) > 1:
            start = dict(_exchanged(local, shares, start))
        total = sum(share * start[f"network{v}"] for v, share in enumerate(shares))
    fused = np.asarray(total)
    return Dense((fused + fused.T) / 2, "similarity", True)


def _exchanged(local: Sequence[np.ndarray], shares: np.ndarray, start: State) -> State:
    step = _Exchange(local, shares)
    return iterate(
        step, start, max_iter=_ROUNDS, tol=1e-6, label="network fusion", relative=False, quiet=True
    ).state


class _Exchange:
    """One round: every network becomes local * (mean of the others) * local', and is balanced again."""

    def __init__(self, local: Sequence[np.ndarray], shares: np.ndarray) -> None:
        self.local = local
        self.shares = shares

    def __call__(self, state: State) -> tuple[State, float]:
        new = {}
        moved = 0.0
        for v, near in enumerate(self.local):
            others = [u for u in range(len(self.local)) if u != v]
            weight = self.shares[others] if self.shares[others].sum() > 0 else np.ones(len(others))
            mean = sum(
                w * state[f"network{u}"] for w, u in zip(weight / weight.sum(), others, strict=True)
            )
            new[f"network{v}"] = _balanced(near @ mean @ near.T)
            moved += float(np.abs(new[f"network{v}"] - state[f"network{v}"]).sum())
        return new, moved / len(state["network0"])


def _network(affinity: Affinity, neighbors: int) -> np.ndarray:
    """Similarities as they are; distances through a kernel whose width follows the density around both members."""
    values = dense(affinity).values
    values = (values + values.T) / 2
    if affinity.kind == "similarity":
        if values.size and values.min() < 0:
            raise DataError(
                "a network needs similarities from 0, and one is below; use how='mean' or 'rank'.",
                owner="fuse",
            )
        return values
    away = values + np.diag(np.full(len(values), np.inf))
    around = np.sort(away, axis=1)[:, :neighbors].mean(axis=1) if len(values) > 1 else np.ones(1)
    width = np.maximum((around[:, None] + around[None, :] + values) / 3, _EPS)
    scaled = values / width
    return np.asarray(np.exp(np.square(scaled) / (-2.0 * _MU**2)))


def _balanced(network: np.ndarray) -> np.ndarray:
    """Half of a member's weight on itself, the other half shared out among the others."""
    off = np.array(network)
    np.fill_diagonal(off, 0.0)
    off /= 2.0 * np.maximum(off.sum(axis=1, keepdims=True), _EPS)
    off = (off + off.T) / 2
    np.fill_diagonal(off, 0.5)
    return off


def _local(network: np.ndarray, neighbors: int) -> np.ndarray:
    """Only a member itself and its nearest neighbours, weights summing to one; ties go to the lower position."""
    off = np.array(network)
    np.fill_diagonal(off, np.inf)
    near = np.argsort(-off, axis=1, kind="stable")[:, : neighbors + 1]
    out = np.zeros_like(network)
    np.put_along_axis(out, near, np.take_along_axis(network, near, axis=1), axis=1)
    return np.asarray(out / np.maximum(out.sum(axis=1, keepdims=True), _EPS))

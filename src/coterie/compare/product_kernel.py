"""ProductKernel: how much two models of members overlap, the integral of the product of their laws over all sequences."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp

from coterie.compare.likelihood_pool import sized
from coterie.compare.role import Comparer
from coterie.core.affinity import Dense, Tile
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.core.workplace import steady
from coterie.models.hmm import model_for
from coterie.models.role import Model
from coterie.parts.hmm import Bank
from coterie.parts.pairwise import pairwise
from coterie.parts.products import log_products
from coterie.parts.sequences import checked
from coterie.parts.workers import in_order

_CELLS = (
    2**19
)  # pairs of states handled together; a constant, so that results never depend on the workplace
_FAR = 1e12  # the distance of models that have nothing in common
_BLOCK = 16  # models whose kernel with themselves is taken together


class ProductKernel(Comparer):
    """Probability product kernel between models of the members: how much their laws overlap; a distance, -log of it.

    With hidden Markov models the overlap is that of all sequences of `length` steps. With GMM or Gaussian, which have no
    states in time, it is the expected likelihood kernel of single steps.
    """

    takes: ClassVar[type] = Ragged

    model: Any = param(
        None,
        "The model of a member: HMM(...), GMM(...) or Gaussian(); an HMM of 2 states if left out.",
    )
    power: float = param(
        1.0,
        "Power of both laws: 1 gives expected likelihood, 0.5 the Bhattacharyya kernel.",
        ge=1e-6,
        le=1e6,
    )
    length: int = param(10, "Steps of the sequences that are summed over.", ge=1)
    random_state: int | None = param(None, "Seed of the models, unless the model has its own.")

    affinity_: Dense
    bank_: Bank
    model_: Model
    own_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train a model of every member and take the distances of all pairs of models."""
        view = checked(self.check(X), "ProductKernel")
        self.model_ = model_for(self.model, view, seed_of(self.random_state), "ProductKernel")
        self.members_: Ragged = self.model_.sequences(view)
        self.bank_ = self.model_.fit_each(self.members_)
        self.model_ = sized(self.model_, self.bank_)
        self.own_ = self._own(self.bank_)
        found = pairwise(
            self._tile(), _rows(self.bank_, self.own_), kind="distance", label="product kernel"
        ).values
        np.fill_diagonal(found, 0.0)
        self.affinity_ = Dense(found, "distance")
        return self

    def compare(self, X: Any) -> Dense:
        """New members against the fitted ones, by models of their own that are trained as those of the fitted ones were."""
        new = checked(self.check_alike(X), "ProductKernel", dim=self.members_.dim)
        bank = self.model_.fit_each(new, like=self.members_)
        rows = _rows(bank, self._own(bank))
        cols = _rows(self.bank_, self.own_)
        return pairwise(
            self._tile(), rows, cols, kind="distance", symmetric=False, label="product kernel"
        )

    def _own(self, bank: Bank) -> np.ndarray:
        """The logarithm of the kernel of every model with itself."""

        def work(first: int) -> np.ndarray:
            some = bank.take(np.arange(first, min(first + _BLOCK, bank.n_models)))
            return np.diagonal(log_kernel(some, some, self.power, self.length))

        with steady():
            return np.concatenate(
                list(in_order(work, list(range(0, bank.n_models, _BLOCK)), "product kernel"))
            )

    def _tile(self) -> Tile:
        none = self.bank_.take(np.arange(0))
        return partial(
            kernel_tile,
            blank=none,
            names=tuple(none.arrays()),
            power=float(self.power),
            length=int(self.length),
        )


def kernel_tile(
    a: tuple[Any, ...],
    b: tuple[Any, ...],
    blank: Bank,
    names: tuple[str, ...],
    power: float,
    length: int,
) -> np.ndarray:
    """-log of the kernel of two blocks of (arrays of models, own logarithms), over those of the models with themselves."""
    cols = blank.with_arrays(dict(zip(names, b, strict=False)))
    states = blank.n_states**2 * len(b[-1])
    height = max(1, _CELLS // max(states, 1))
    out = np.empty((len(a[-1]), len(b[-1])))
    for lo in range(0, len(out), height):
        part = slice(lo, lo + height)
        rows = blank.with_arrays({name: array[part] for name, array in zip(names, a, strict=False)})
        out[part] = (a[-1][part, None] + b[-1]) / 2 - log_kernel(rows, cols, power, length)
    return np.clip(out, 0.0, _FAR, out=out)


def log_kernel(a: Bank, b: Bank, power: float = 1.0, length: int = 10) -> np.ndarray:
    """log of the sum over all sequences of `length` steps of p(x)^power q(x)^power, every model of `a` with every one of `b`.

    Exact for power 1. For other powers paths and sequences are taken together: a kernel, though not that of the densities.
    One state means no time: the kernel is that of a single step.
    """
    overlap = log_products(a.emissions, b.emissions, power)
    if a.n_states == 1 and b.n_states == 1:
        return np.asarray(overlap[:, 0, :, 0])
    top = overlap.max(axis=(1, 3), keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    psi = np.exp(overlap - top)
    starts = (a.start**power, b.start**power)
    steps = (a.transition**power, b.transition**power)
    phi = starts[0][:, :, None, None] * starts[1] * psi
    logs = length * top[:, 0, :, 0]
    with steady():
        for t in range(length):
            if t:
                phi = psi * _stepped(phi, *steps)
            size = phi.max(axis=(1, 3), keepdims=True)
            phi /= np.where(size > 0, size, 1.0)
            with np.errstate(divide="ignore"):
                logs += np.log(size[:, 0, :, 0])
        logs += np.log(np.maximum(phi.sum(axis=(1, 3)), 1e-300))
    lost = np.argwhere(~np.isfinite(logs))
    if len(lost):
        logs[lost[:, 0], lost[:, 1]] = _in_logs(a, b, overlap, lost, power, length)
    return logs


def _stepped(phi: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One step ahead of both chains: first' phi second for every pair, phi being (A, K, B, L)."""
    n, k, m, own = phi.shape
    moved = np.matmul(first.transpose(0, 2, 1), phi.reshape(n, k, m * own))
    turned = np.ascontiguousarray(moved.reshape(n * k, m, own).transpose(1, 0, 2))
    return np.asarray(np.matmul(turned, second).transpose(1, 0, 2).reshape(n, k, m, own))


def _in_logs(
    a: Bank, b: Bank, overlap: np.ndarray, pairs: np.ndarray, power: float, length: int
) -> np.ndarray:
    """The same for some pairs in logarithms, where nothing is too small."""
    i = pairs[:, 0]
    j = pairs[:, 1]
    psi = overlap[i, :, j, :]
    with np.errstate(divide="ignore"):
        start = power * (np.log(a.start[i])[:, :, None] + np.log(b.start[j])[:, None, :])
        first = power * np.log(a.transition[i])
        second = power * np.log(b.transition[j])
    phi = start + psi
    for _ in range(length - 1):
        moved = logsumexp(first[:, :, :, None] + phi[:, :, None, :], axis=1)
        phi = psi + logsumexp(moved[:, :, :, None] + second[:, None, :, :], axis=2)
    return np.asarray(logsumexp(phi, axis=(1, 2)))


def _rows(bank: Bank, own: np.ndarray) -> tuple[Any, ...]:
    return (*bank.arrays().values(), own)
